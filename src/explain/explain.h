/* explain.h - text that somebody pasted -> observations: which fact it speaks of, what it says, in which line.
 *
 * Pure and made for hostile text: terminal escapes, overprinted lines, UTF-16, GBK, broken boxes, prose around. What a
 * text does not say plainly is not read out of it. */
#ifndef TN_EXPLAIN_EXPLAIN_H
#define TN_EXPLAIN_EXPLAIN_H

#include "base/buf.h"
#include "base/span.h"
#include "snapshot/snapshot.h"

/* The same text as plain lines: UTF-16 decoded, escapes and control characters out, of an overprinted line what stays
 * visible. Line n is line n of the text as an editor shows it. Appends. */
void tn_explain_clean(struct tn_span raw, struct tn_buf *ret);

/* One line of cleaned text. */
struct tn_explain_line {
    const char *text; /* NUL-ended */
    unsigned number;  /* from 1 */
};

/* Adds what the text says to s->observation, and host.os where the text can only come from one system. A value that is
 * named and not there ("CUDA Version: N/A") is an absent one. A fact that is stated twice with different values names
 * the other as rival. */
void tn_explain_text(struct tn_span raw, struct tn_snap *s);

/* What a person, a bug-report form or a list of packages states in a cleaned text (text_stated.c); apart, since a table
 * of nvidia-smi needs none of it. */
void tn_explain_stated(struct tn_span clean, struct tn_snap *s);

/* What its sentences state in passing, where nothing else does (text_prose.c): last, of a text in which something
 * failed. */
void tn_explain_prose(struct tn_span clean, struct tn_snap *s);

/* What its sentences complain of (text_complaint.c); false: of nothing. */
bool tn_explain_complaints(struct tn_span clean, struct tn_snap *s);

/* Reading XML: what lies open, and the text of the innermost element so far. */
struct tn_explain_xml {
    bool on, in_tag;
    unsigned depth, over; /* over: elements open beyond the deepest that is kept */
    size_t open[12];      /* where the name of each begins in path */
    char path[192], text[256], tag[192];
    size_t n_path, n_text, n_tag;
    char last[2]; /* the two bytes before this one, in a tag */
};

/* Reading nvidia-smi -q: sections by their indentation. */
struct tn_explain_query {
    bool on;
    unsigned depth, base;
    struct {
        unsigned indent;
        char name[40];
    } open[6];
};

/* Reading logs of installers. */
#define TN_SETUP_NAME 128u
struct tn_explain_setup {
    char component[TN_SETUP_NAME], code[16];
    unsigned line;   /* where it began */
    bool running;    /* begun, and no end was seen */
    bool installer;  /* in nvidia-installer's log, before its first error */
    bool section;    /* in a section of the SetupAPI log about an NVIDIA device */
    bool error_said; /* the first error of that section was taken */
};

/* For the readers of single kinds of text (text_*.c). value NULL: absent. */
struct tn_explain {
    struct tn_snap *s;
    struct tn_arena mem;
    unsigned wsl;         /* the line whose banner is that of WSL; 0: none */
    unsigned driver_line; /* the last line that named a driver version; 0: none */
    /* nvidia-smi */
    bool seen;     /* a card was read since the last banner */
    bool has_card; /* readings are of the card of this row */
    size_t card;
    long long ecc;      /* uncorrectable errors of that card so far */
    unsigned part;      /* of its table: cards, MIG devices, processes */
    long long attached; /* cards that the output says it lists; 0: not told */
    unsigned n_order;
    unsigned char order[64]; /* their rows, in the order of the output, which is that of their numbers */
    bool mig_told;           /* the table of MIG devices has begun */
    struct {
        long long pid, memory; /* memory -1: not told */
        unsigned line;
        char kind[8], name[200];
    } process;
    struct tn_explain_xml xml;
    struct tn_explain_query query;
    struct tn_explain_setup setup;
    struct {
        unsigned n;
        unsigned char asked[4]; /* text_python.c: questions whose answers are to follow */
    } python;
    unsigned heading; /* text_stated.c: the last line was the heading of this key, 1 more than its index; 0: none */
};
void tn_explain_say(struct tn_explain *e, const char *fact, const char *value, unsigned line);
void tn_explain_system(struct tn_explain *e, const char *os, unsigned line);
/* driver.version, driver.cuda: the observation, and what follows from it. Value "N/A": absent. */
void tn_explain_driver(struct tn_explain *e, const char *version, unsigned line);
/* The driver answered: its module runs. */
void tn_explain_answered(struct tn_explain *e, unsigned line);
void tn_explain_cuda(struct tn_explain *e, const char *value, unsigned line);
/* text_driver.c: nvidia-smi, nvcc, deviceQuery, /proc/driver/nvidia/version, the Windows control panel. */
void tn_explain_driver_line(struct tn_explain *e, const struct tn_explain_line *line);
/* text_setup.c: logs of installers. */
void tn_explain_setup_line(struct tn_explain *e, const struct tn_explain_line *line);
void tn_explain_setup_end(struct tn_explain *e);
void tn_explain_stated_line(struct tn_explain *e, const struct tn_explain_line *line);
/* text_python.c: an interpreter's answers. text_listing.c: the files that a listing shows. */
void tn_explain_python_line(struct tn_explain *e, const struct tn_explain_line *line);
void tn_explain_listing_line(struct tn_explain *e, const struct tn_explain_line *line);
/* text_smi.c and its neighbours: the cards, processes and failures of nvidia-smi. */
void tn_explain_smi_line(struct tn_explain *e, const struct tn_explain_line *line, struct tn_span whole);
void tn_explain_smi_end(struct tn_explain *e);

#endif
