/* get.h - what the files of tenon-get share. */
#ifndef TENON_GET_H
#define TENON_GET_H

#include <curl/curl.h>
#include <stddef.h>

struct get {
    CURL *curl;
    char *body;
    size_t n, cap, max;
    char type[200], range[100];
    int ranged, whole, large;
    long long wire; /* of the redirections before */
    int file;       /* where the body goes; -1: to standard output */
    int failed;     /* errno of that file */
    long long from, at, told, told_ms;
};

/* file.c. The body of a file: opens it, asks for what is missing, takes that. */
int get_file_open(struct get *g, const char *name);
void get_file_ask(struct get *g);
size_t get_file_take(struct get *g, const char *p, size_t n, long status);

#endif
