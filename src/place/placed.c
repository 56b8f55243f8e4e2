/* placed.c - see place.h: the list of what was placed, as lines "TYPE MODE SIZE SHA256 PATH", a link's followed by
 * "> TARGET". It decides what undo and clean may remove, so nothing else is read as one. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "place/helper.h"

#define HEAD "tenon-placed 1"
#define MAX_ENTRIES 1000000u

void tn_placed_write(const struct tn_placed *p, struct tn_buf *ret)
{
    tn_buf_str(ret, HEAD "\n");
    for (size_t i = 0; i < p->n; i++) {
        const struct tn_placed_entry *e = &p->v[i];
        tn_buf_printf(ret, "%c %04o %llu %s ", e->type, (unsigned)e->mode, (unsigned long long)e->size,
                      *e->sha256 ? e->sha256 : "-");
        tn_placed_name(ret, e->path);
        tn_buf_ch(ret, '\n');
        if (e->type == 'l') {
            tn_buf_str(ret, "> ");
            tn_placed_name(ret, e->target);
            tn_buf_ch(ret, '\n');
        }
    }
    tn_buf_printf(ret, "end %zu\n", p->n);
}

static bool below(const char *path)
{
    if (!*path || *path == '/' || path[strlen(path) - 1] == '/')
        return false;
    for (const unsigned char *p = (const unsigned char *)path; *p; p++)
        if (*p < 0x20 || *p == 0x7f)
            return false;
    for (const char *p = path; *p; p += strcspn(p, "/") + (p[strcspn(p, "/")] == '/')) {
        size_t k = strcspn(p, "/");
        if (!k || (k == 1 && *p == '.') || (k == 2 && p[0] == '.' && p[1] == '.'))
            return false;
    }
    return true;
}

static bool octal(struct tn_span s, uint32_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '7' || i > 4)
            return false;
        *ret = *ret * 8 + (uint32_t)(s.p[i] - '0');
    }
    return s.n > 0 && *ret <= 0777;
}

static bool entry(struct tn_arena *mem, struct tn_span s, struct tn_placed_entry *ret)
{
    struct tn_span w[4];
    for (unsigned i = 0; i < 4; i++) {
        size_t n = tn_span_find(s, 0, " ", 1);
        if (n >= s.n || !tn_span_sub(s, 0, n, &w[i]))
            return false;
        s = tn_span_from(s, n + 1);
    }
    *ret = (struct tn_placed_entry){.type = (char)*w[0].p, .sha256 = "", .target = ""};
    ret->path = tn_placed_unname(mem, s);
    if (w[0].n != 1 || !memchr("fdl", ret->type, 3) || !octal(w[1], &ret->mode) ||
        !tn_str_u64((const char *)w[2].p, w[2].n, 10, &ret->size) || !below(ret->path))
        return false;
    if (ret->type != 'f')
        return tn_span_eq(w[3], "-");
    ret->sha256 = tn_arena_strndup(mem, (const char *)w[3].p, w[3].n);
    return w[3].n == 64 && strspn(ret->sha256, "0123456789abcdef") == 64;
}

int tn_placed_read(struct tn_arena *mem, struct tn_span text, struct tn_placed *ret, struct tn_err *err)
{
    struct tn_placed p = {0};
    struct tn_span rest = text, line;
    size_t cap = 0, number = 1;
    bool good = tn_span_line(&rest, &line) && tn_span_eq(line, HEAD), end = false;
    while (good && !end && tn_span_line(&rest, &line)) {
        number++;
        uint64_t n;
        if (tn_span_starts(line, "> ")) {
            struct tn_placed_entry *e = p.n ? &p.v[p.n - 1] : NULL;
            good = e && e->type == 'l' && !*e->target && line.n > 2;
            if (good)
                e->target = tn_placed_unname(mem, tn_span_from(line, 2));
        } else if (tn_span_starts(line, "end ")) {
            end = tn_str_u64((const char *)line.p + 4, line.n - 4, 10, &n) && n == p.n;
            good = end && !rest.n;
        } else {
            p.v = tn_arena_grow(mem, p.v, p.n, &cap, sizeof *p.v);
            good = p.n < MAX_ENTRIES && entry(mem, line, &p.v[p.n]);
            p.bytes += good ? p.v[p.n++].size : 0;
        }
    }
    for (size_t i = 0; good && i < p.n; i++)
        good = p.v[i].type != 'l' || *p.v[i].target;
    if (!good || !end)
        return tn_err_set(err, TN_E_FORMAT, NULL, "no list of placed files: line %zu", number);
    *ret = p;
    return 0;
}

/* --- what has become of it --- */

struct named {
    const char *path;
    size_t i;
};

struct checking {
    const struct tn_placed *p;
    struct named *order; /* by path */
    enum tn_placed_state *state;
    bool *ask; /* whose digest decides */
};

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->path, ((const struct named *)b)->path);
}

static size_t find(const struct checking *c, const char *path)
{
    size_t lo = 0, hi = c->p->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int k = strcmp(c->order[mid].path, path);
        if (k == 0)
            return c->order[mid].i;
        if (k < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return SIZE_MAX;
}

static int saw(void *ctx, const struct tn_os_tree_entry *t, struct tn_err *err)
{
    struct checking *c = ctx;
    size_t i = find(c, t->path);
    (void)err;
    if (i == SIZE_MAX)
        return 0;
    const struct tn_placed_entry *e = &c->p->v[i];
    c->state[i] = TN_PLACED_CHANGED;
    if (t->st.type != e->type)
        return 0;
    if (e->type == 'd' || (e->type == 'l' && tn_str_eq(t->target, e->target)))
        c->state[i] = TN_PLACED_SAME;
    if (e->type == 'f')
        c->ask[i] = t->st.size == e->size && (t->st.mode & 07777) == e->mode;
    return 0;
}

int tn_placed_check(struct tn_arena *mem, const struct tn_placed *p, struct tn_os_dir *d, const char *name,
                    const char *helper, enum tn_placed_state *ret, struct tn_err *err)
{
    struct checking c = {.p = p, .state = ret};
    struct tn_helped h = {.mem = mem};
    struct tn_os_dir *top;
    struct tn_buf request;
    size_t asked = 0;
    c.order = tn_arena_array(mem, p->n, sizeof *c.order);
    c.ask = tn_arena_array(mem, p->n, sizeof *c.ask);
    for (size_t i = 0; i < p->n; i++) {
        c.order[i] = (struct named){p->v[i].path, i};
        ret[i] = TN_PLACED_GONE;
    }
    if (p->n > 1)
        qsort(c.order, p->n, sizeof *c.order, by_path);
    int rc = tn_os_tree_walk(d, name, saw, &c, err);
    if (rc || (rc = tn_os_dir_enter(d, name, &top, err)))
        return rc;
    tn_buf_init(&request);
    tn_buf_printf(&request, "root %d\n", TN_OS_GIVEN_FOLDER);
    for (size_t i = 0; i < p->n; i++)
        if (c.ask[i]) {
            tn_buf_printf(&request, "digest %s\n", p->v[i].path); /* without control characters: below */
            asked++;
        }
    tn_buf_str(&request, "go\n");
    if (asked)
        rc = tn_helper_ask(&h, helper, &request, top, NULL, 0, NULL, err);
    for (size_t i = 0; !rc && i < h.placed.n; i++) {
        size_t k = find(&c, h.placed.v[i].path);
        if (k != SIZE_MAX && c.ask[k] && tn_str_eq(p->v[k].sha256, h.placed.v[i].sha256))
            ret[k] = TN_PLACED_SAME;
    }
    tn_buf_deinit(&request);
    tn_os_dir_close(top);
    return rc;
}
