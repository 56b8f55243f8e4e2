/* fuzz_unpack.c - archives as lists of members: "f NAME", "d NAME", "l NAME > TARGET", "h NAME > TARGET", a line each.
 * The first byte says whose file system, how many components are stripped, and where another archive begins. Beyond
 * memory safety: whatever was let through is put into a tree of its own, and there every path is walked as a kernel
 * would: no entry lies behind a link or a file, no link leads above the top, and no name is there twice. */
#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "unpack/judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Length of the folder of at[0..n]. */
static size_t up(const char *at, size_t n)
{
    while (n && at[n - 1] != '/')
        n--;
    return n ? n - 1 : 0;
}

/* Walks path from the folder at (n bytes long, room for 8192), following links; aborts when it climbs above the top. */
static void walk(const struct tn_unpack_judge *j, char *at, size_t n, const char *path, unsigned *left)
{
    for (const char *p = path, *end; *p && *left; p = end + (*end == '/')) {
        size_t k = strcspn(p, "/"), old = n;
        end = p + k;
        if (!k || (k == 1 && *p == '.'))
            continue;
        if (k == 2 && p[0] == '.' && p[1] == '.') {
            if (!n)
                abort();
            n = up(at, n);
            at[n] = 0;
            continue;
        }
        if (n + k + 2 > 8192)
            return;
        at[n] = '/';
        memcpy(at + n + (n > 0), p, k);
        n += k + (n > 0);
        at[n] = 0;
        const struct tn_unpack_entry *e = tn_unpack_judge_find(j, at);
        --*left;
        if (!e || (e->type == 'f' && *end))
            return; /* nothing there */
        if (e->type == 'l') {
            at[old] = 0;
            walk(j, at, old, e->target, left);
            n = strlen(at);
        }
    }
}

static void check(const struct tn_unpack_judge *j)
{
    static char at[8200];
    for (size_t i = 0; i < j->n_entry; i++) {
        const struct tn_unpack_entry *e = j->entry[i];
        unsigned left = 200;
        size_t n = strlen(e->path);
        if (*e->path == '/' || !n || n > 2000 || tn_unpack_judge_find(j, e->path) != e)
            abort();
        for (size_t k = up(e->path, n); k; k = up(e->path, k)) {
            memcpy(at, e->path, k);
            at[k] = 0;
            const struct tn_unpack_entry *folder = tn_unpack_judge_find(j, at);
            if (!folder || folder->type != 'd')
                abort();
        }
        if (e->type != 'l')
            continue;
        n = up(e->path, n);
        memcpy(at, e->path, n);
        at[n] = 0;
        walk(j, at, n, e->target, &left);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_arena mem;
    struct tn_unpack_judge j;
    if (!size || size > 4096)
        return 0;
    tn_arena_init(&mem);
    tn_unpack_judge_init(&j, &mem, data[0]);
    j.target = (enum tn_unpack_target)(data[0] % 3);
    j.strip = data[0] >> 6 & 1;
    tn_unpack_judge_next(&j);
    struct tn_span rest = tn_span_of(data + 1, size - 1), line;
    while (tn_span_line(&rest, &line)) {
        char *text = tn_arena_strndup(&mem, (const char *)line.p, line.n), *to = strstr(text, " > ");
        struct tn_unpack_entry *e;
        bool again;
        if (to)
            *to = 0;
        const struct tn_unpack_member m = {
            .type = text[0], .name = text[0] && text[1] ? text + 2 : "", .mode = 0644, .target = to ? to + 3 : NULL};
        if (line.n == 1 && data[0] & 32)
            tn_unpack_judge_next(&j);
        if (!tn_unpack_judge(&j, &m, &e, &again) && e && m.type == 'f' && !again && e->type != 'f')
            abort();
    }
    check(&j);
    tn_arena_deinit(&mem);
    return 0;
}
