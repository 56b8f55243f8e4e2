/* get.h - one request to the network, by the helper program tenon-get: this one opens no socket. */
#ifndef TN_WORLD_GET_H
#define TN_WORLD_GET_H

#include "world/world.h"

/* A TN_Q_GET question: name: URL without user and password; ctx: "user:password" or NULL (it is in no record); sub:
 * what Accept says, or NULL; argv: {"0-99", NULL}, a range, or NULL; max: bytes; deadline_ms.
 * Known: data is the body, status the answer's. Failed: note says where and why ("HOP: words"), "whole" for a whole
 * file in the place of a range. Not asked: the helper is not there (a Windows build has none). */
struct tn_got {
    const char *type, *url; /* url: after redirections */
    uint64_t wire, total;   /* bytes that came; size of the file of a range */
};
void tn_world_get(struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret, struct tn_got *ret_got);

#endif
