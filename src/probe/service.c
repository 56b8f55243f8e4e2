/* service.c - the daemons of NVIDIA that run: fabric manager, persistence daemon.
 *
 * Found by the names of the processes, so whoever started them: systemd, a script, a container of the GPU operator.
 * /proc/PID/comm holds 15 bytes of a name (proc(5)). Only where this process sees those of root (hidepid, PID
 * namespaces of containers) is "none" an answer. Asked where NVSwitches are on the bus, or a whole snapshot is wanted.
 */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define MAX_PROCESSES 8192u

static const struct {
    const char *comm, *name;
} daemons[] = {{"nv-fabricmanage", "nvidia-fabricmanager"}, {"nvidia-persiste", "nvidia-persistenced"}};

static bool is_pid(const void *ctx, const char *name)
{
    (void)ctx;
    return tn_is_digit(name[0]);
}

static void run(struct tn_probe_ctx *c)
{
    bool switches = TN_THE(c->s, host)->nvswitches.k == TN_KNOWN && TN_THE(c->s, host)->nvswitches.v > 0;
    bool plain = c->want && c->want->plain;
    uint32_t found[TN_LEN(daemons)] = {0};
    struct tn_answer a;
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !tn_is(TN_THE(c->s, driver)->loaded, 1) || (plain && !switches))
        return;
    bool whole = tn_probe_line(c, "/proc/1/comm", &a) != NULL && !tn_known(TN_THE(c->s, container)->kind);
    struct tn_answer list = tn_world_list_some(c->w, c->tmp, "/proc", is_pid, NULL);
    uint32_t src = tn_probe_src(c->s, "list", "/proc", &list);
    for (size_t i = 0, n = 0; i < list.n_entry && n < MAX_PROCESSES; i++) {
        if (!tn_is_digit(list.entry[i].name[0]))
            continue;
        n++;
        const char *path = tn_arena_printf(c->tmp, "/proc/%s/comm", list.entry[i].name);
        const char *comm = tn_probe_line(c, path, &a);
        for (unsigned k = 0; comm && k < TN_LEN(daemons); k++)
            if (!found[k] && tn_str_eq(comm, daemons[k].comm))
                found[k] = tn_probe_src(c->s, "read", path, &a);
    }
    for (unsigned k = 0; k < TN_LEN(daemons); k++) {
        if (!found[k] && (!whole || list.got != TN_KNOWN))
            continue;
        struct tn_rec_service *s = TN_ADD(c->s, service);
        s->name = tn_fact_str(c->s, found[k] ? found[k] : src, daemons[k].name);
        s->state = tn_fact_str(c->s, found[k] ? found[k] : src, found[k] ? "running" : "stopped");
    }
}

TN_PROBE(service, TN_PHASE_SEARCH, run, "daemons that run; from /proc", .gives = TN_HAS(service),
         .reads = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(container));
