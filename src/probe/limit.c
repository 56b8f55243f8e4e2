/* limit.c - the resource limits of the process that asks, which are those of what the user starts; and whether there is
 * a network that needs locked memory.
 *
 * Source: proc(5), /proc/PID/limits: "Max open files   1024   4096   files". Windows has no such limits. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define LIMITS "/proc/self/limits"

static bool number(struct tn_span s, int64_t *ret)
{
    uint64_t v;
    *ret = -1;
    if (tn_span_eq(s, "unlimited"))
        return true;
    if (!tn_str_u64((const char *)s.p, s.n, 10, &v) || v > INT64_MAX)
        return false;
    *ret = (int64_t)v;
    return true;
}

static struct tn_span word(struct tn_span *s)
{
    struct tn_span t = tn_span_trim(*s);
    size_t n = 0;
    while (n < t.n && t.p[n] != ' ')
        n++;
    *s = tn_span_from(t, n);
    return tn_span_of(t.p, n);
}

/* The nodes through which programs register memory (rdma-core, "libibverbs"). */
static void rdma(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, "/dev/infiniband");
    bool found = false;
    if (a.got == TN_UNASKED)
        return;
    for (size_t i = 0; i < a.n_entry; i++)
        found = found || tn_str_starts(a.entry[i].name, "uverbs");
    uint32_t src = tn_probe_src(c->s, "list", "/dev/infiniband", &a);
    TN_THE(c->s, host)->rdma =
        a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(src, found) : tn_fact_noint(src, a.got);
}

static void limit_run(struct tn_probe_ctx *c)
{
    static const struct {
        const char *line, *name;
    } names[] = {{"Max address space", "as"},
                 {"Max locked memory", "memlock"},
                 {"Max open files", "nofile"},
                 {"Max processes", "nproc"},
                 {"Max stack size", "stack"}};
    if (tn_probe_is_windows(c) || (c->want && c->want->plain))
        return;
    struct tn_answer a = tn_world_read(c->w, c->tmp, LIMITS, 16384);
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", LIMITS, &a);
    if (tn_probe_running(c))
        rdma(c);
    c->s->limit.listed = a.got;
    c->s->limit.src = src;
    struct tn_span rest, line;
    for (unsigned i = 0; a.got == TN_KNOWN && i < TN_LEN(names); i++)
        for (rest = a.data; tn_span_line(&rest, &line);) {
            int64_t soft, hard;
            if (!tn_span_starts(line, names[i].line))
                continue;
            struct tn_span values = tn_span_from(line, strlen(names[i].line));
            struct tn_span one = word(&values), two = word(&values);
            if (!number(one, &soft) || !number(two, &hard))
                break;
            struct tn_rec_limit *r = TN_ADD(c->s, limit);
            r->name = tn_fact_str(c->s, src, names[i].name);
            r->soft = tn_fact_int(src, soft);
            r->hard = tn_fact_int(src, hard);
            break;
        }
}

TN_PROBE(limit, TN_PHASE_HOST, limit_run, "resource limits: open files, locked memory, address space, processes, stack",
         .gives = TN_HAS(limit));
