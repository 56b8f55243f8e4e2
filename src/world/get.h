/* get.h - one request to the network, by the helper program tenon-get: this one opens no socket. */
#ifndef TN_WORLD_GET_H
#define TN_WORLD_GET_H

#include "world/world.h"

/* How a host is reached, by the settings of the user's installer; it is in no record, and never shown. */
struct tn_get_how {
    const char *user;               /* "user:password" for the URL's own host, or NULL */
    const char *proxy;              /* in the place of the environment's, or NULL */
    const char *cert, *client_cert; /* files of certificates, or NULL */
    const char *trusted;            /* hosts whose certificates are not looked at: "host other:8443", or NULL */
};

/* A TN_Q_GET question: name: URL without user and password; ctx: a struct tn_get_how, or NULL; sub: what Accept says,
 * or NULL; argv: {"0-99", NULL}, a range, or NULL; max: bytes; deadline_ms. Known: data is the body, status the
 * answer's. Failed: note says where and why ("HOP: words"), "whole" for a whole file in the place of a range. Not
 * asked: the helper is not there (a Windows build has none). */
struct tn_got {
    const char *type, *url;     /* url: after redirections */
    uint64_t wire, total, from; /* bytes that came; size of the file of a range, and where the range begins */
};
void tn_world_get(struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret, struct tn_got *ret_got);

#endif
