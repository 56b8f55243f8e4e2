/* process.c - whose the processes are that hold a GPU: owner, program, container, batch job.
 *
 * NVML names them by their number on the host, from any PID namespace (NVIDIA/nvidia-docker issue 1483; newer drivers
 * translate it: open-gpu-kernel-modules, gpu_rmapi.c). Inside a namespace of its own a number may be another process:
 * nothing is looked up there. The kernel's first namespace has a fixed number (proc_ns.h, PROC_PID_INIT_INO). Of each
 * process two small files are read, /proc/PID/status and cgroup (proc(5)), of one's own the links exe and cwd and the
 * name of its parent as well: never its arguments or its environment, which hold secrets and would stand in every
 * record. A kernel works in the folder of its notebook (jupyter_server, services/kernels, cwd_for_path), and its parent
 * is the server: jupyter-lab, jupyter-notebook, jupyter-server, jupyterhub-singleuser, cut to 15 characters (comm). */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/process_text.h"

#define MAX_LOOKED_AT 256u
#define FIRST_NAMESPACE "pid:[4026531836]"
#define MAX_PASSWD (1u << 20)

/* Are the numbers of this /proc those of the host? */
static bool host_numbers(struct tn_probe_ctx *c)
{
    if (tn_probe_is_wsl(c) || tn_probe_is_windows(c))
        return false; /* Windows' processes */
    struct tn_answer a = tn_world_link(c->w, c->tmp, "/proc/self/ns/pid");
    if (a.got == TN_KNOWN)
        return tn_span_eq(tn_span_trim(a.data), FIRST_NAMESPACE);
    return TN_THE(c->s, container)->kind.k == TN_ABSENT;
}

/* "ada:x:1001:1001:..." of /etc/passwd; who is kept elsewhere has a number only. */
static struct tn_str name_of(struct tn_probe_ctx *c, const struct tn_answer *passwd, uint64_t uid)
{
    struct tn_span rest = passwd->data, line;
    uint32_t src = tn_probe_src(c->s, "read", "/etc/passwd", passwd);
    if (passwd->got != TN_KNOWN)
        return tn_fact_nostr(src, passwd->got);
    while (tn_span_line(&rest, &line)) {
        size_t a = tn_span_find(line, 0, ":", 1), b = a == SIZE_MAX ? a : tn_span_find(line, a + 1, ":", 1);
        if (b == SIZE_MAX || a == 0)
            continue;
        struct tn_span number = tn_span_from(line, b + 1);
        size_t end = tn_span_find(number, 0, ":", 1);
        uint64_t v;
        if (end != SIZE_MAX && tn_str_u64((const char *)number.p, end, 10, &v) && v == uid)
            return tn_fact_strn(c->s, src, line.p, a);
    }
    return tn_fact_nostr(src, TN_ABSENT);
}

static struct tn_str span_fact(struct tn_probe_ctx *c, uint32_t src, struct tn_span v)
{
    return v.n ? tn_fact_strn(c->s, src, v.p, v.n) : tn_fact_nostr(src, TN_ABSENT);
}

static struct tn_str link_fact(struct tn_probe_ctx *c, const char *path)
{
    struct tn_answer a = tn_world_link(c->w, c->tmp, path);
    uint32_t src = tn_probe_src(c->s, "link", path, &a);
    return a.got == TN_KNOWN ? span_fact(c, src, a.data) : tn_fact_nostr(src, a.got);
}

/* What one's own process runs, where, and whether a notebook's server started it. status: its /proc/PID/status. */
static void more_of_own(struct tn_probe_ctx *c, struct tn_rec_process *p, struct tn_span status)
{
    struct tn_span parent = tn_probe_pair(status, "PPid", ':');
    uint64_t pid;
    p->program = link_fact(c, tn_arena_printf(c->tmp, "/proc/%lld/exe", (long long)p->pid.v));
    p->cwd = link_fact(c, tn_arena_printf(c->tmp, "/proc/%lld/cwd", (long long)p->pid.v));
    if (!parent.n || !tn_str_u64((const char *)parent.p, parent.n, 10, &pid) || !pid)
        return;
    const char *path = tn_arena_printf(c->tmp, "/proc/%llu/status", (unsigned long long)pid);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 4096);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    p->notebook = a.got == TN_KNOWN ? tn_fact_int(src, tn_span_starts(tn_probe_pair(a.data, "Name", ':'), "jupyter"))
                                    : tn_fact_noint(src, a.got);
}

/* Hidden by hidepid, or gone by now: then that is the fact. */
static void owner(struct tn_probe_ctx *c, struct tn_rec_process *p, struct tn_answer *passwd)
{
    uint64_t uid, own;
    const char *path = tn_arena_printf(c->tmp, "/proc/%lld/status", (long long)p->pid.v);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 4096);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got != TN_KNOWN) {
        p->uid = p->own = tn_fact_noint(src, a.got);
        p->user = tn_fact_nostr(src, a.got);
        return;
    }
    struct tn_span status = a.data, name = tn_probe_pair(a.data, "Name", ':'), ids = tn_probe_pair(a.data, "Uid", ':');
    p->name = span_fact(c, src, name);
    size_t n = 0;
    while (n < ids.n && tn_is_digit((char)ids.p[n]))
        n++;
    if (!n || !tn_str_u64((const char *)ids.p, n, 10, &uid))
        return;
    p->uid = tn_fact_int(src, (int64_t)uid);
    if (passwd->got == TN_UNASKED)
        *passwd = tn_world_read(c->w, c->tmp, "/etc/passwd", MAX_PASSWD);
    p->user = name_of(c, passwd, uid);
    a = tn_world_sys(c->w, c->tmp, "uid");
    if (a.got == TN_KNOWN && tn_str_u64((const char *)a.data.p, a.data.n, 10, &own))
        p->own = tn_fact_int(src, own == uid);
    if (tn_is(p->own, 1))
        more_of_own(c, p, status);
}

static void place(struct tn_probe_ctx *c, struct tn_rec_process *p)
{
    const char *path = tn_arena_printf(c->tmp, "/proc/%lld/cgroup", (long long)p->pid.v);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, 16384);
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    struct tn_process_place at;
    if (a.got != TN_KNOWN) {
        p->container = p->engine = p->job = p->scheduler = tn_fact_nostr(src, a.got);
        return;
    }
    tn_process_place(a.data, &at);
    p->container = span_fact(c, src, at.container);
    p->engine = at.engine ? tn_fact_str(c->s, src, at.engine) : tn_fact_nostr(src, TN_ABSENT);
    p->job = span_fact(c, src, at.job);
    p->scheduler = at.scheduler ? tn_fact_str(c->s, src, at.scheduler) : tn_fact_nostr(src, TN_ABSENT);
}

static void run(struct tn_probe_ctx *c)
{
    struct tn_answer passwd;
    memset(&passwd, 0, sizeof passwd);
    if (c->s->process.n == 0 || !host_numbers(c))
        return;
    for (size_t i = 0; i < c->s->process.n && i < MAX_LOOKED_AT; i++) {
        struct tn_rec_process *p = &c->s->process.v[i];
        if (p->pid.k != TN_KNOWN)
            continue;
        owner(c, p, &passwd);
        place(c, p);
    }
}

TN_PROBE(process, TN_PHASE_OWNER, run, "whose the processes are that hold a GPU: owner, program, container, job",
         .gives = TN_HAS(process), .reads = TN_HAS(process) | TN_HAS(container));
