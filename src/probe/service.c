/* service.c - the daemons of NVIDIA that run: fabric manager, persistence daemon.
 *
 * Found by the names of the processes, so whoever started them: systemd, a script, a container of the GPU operator.
 * /proc/PID/comm holds 15 bytes of a name (proc(5)). Only where this process sees those of root (hidepid, PID
 * namespaces of containers) is "none" an answer. Asked where NVSwitches are on the bus, or a whole snapshot is wanted.
 *
 * The fabric manager's version is what it last said of itself in its log (its default LOG_FILE_NAME): "Fabric Manager
 * version is : 535.161.08", or, when it refused the driver, "fabric manager NVIDIA GPU driver interface version
 * 530.30.02 don't match with driver version 530.41.03" (as posted of 460 to 590). */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"

#define MAX_PROCESSES 8192u
#define FM_LOG "/var/log/fabricmanager.log"
#define FM_TAIL 65536u

static const struct {
    const char *comm, *name;
} daemons[] = {{"nv-fabricmanage", "nvidia-fabricmanager"}, {"nvidia-persiste", "nvidia-persistenced"}};

static bool is_pid(const void *ctx, const char *name)
{
    (void)ctx;
    return tn_is_digit(name[0]);
}

/* The number behind the last of these words. */
static struct tn_span last_version(struct tn_span text)
{
    static const char *const words[] = {"Fabric Manager version is :", "GPU driver interface version"};
    struct tn_span line, found = {NULL, 0};
    while (tn_span_line(&text, &line))
        for (unsigned i = 0; i < TN_LEN(words); i++) {
            size_t at = tn_span_find(line, 0, words[i], strlen(words[i])), n = 0;
            struct tn_span rest =
                tn_span_trim(at == SIZE_MAX ? tn_span_of(NULL, 0) : tn_span_from(line, at + strlen(words[i])));
            while (n < rest.n && n < 24 && (tn_is_digit((char)rest.p[n]) || rest.p[n] == '.'))
                n++;
            if (n >= 5)
                found = tn_span_of(rest.p, n);
        }
    return found;
}

static void look_manager(struct tn_probe_ctx *c, struct tn_rec_service *s)
{
    struct tn_answer st = tn_world_stat(c->w, FM_LOG);
    if (st.got == TN_ABSENT || st.got == TN_UNASKED)
        return;
    uint64_t from = st.got == TN_KNOWN && st.st.size > FM_TAIL ? st.st.size - FM_TAIL : 0;
    struct tn_answer a = tn_world_part(c->w, c->tmp, FM_LOG, from, FM_TAIL);
    uint32_t src = tn_probe_src(c->s, "read", FM_LOG, &a);
    struct tn_span v = a.got == TN_KNOWN ? last_version(a.data) : tn_span_of(NULL, 0);
    s->version = v.n ? tn_fact_strn(c->s, src, v.p, v.n) : tn_fact_nostr(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
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
        if (k == 0)
            look_manager(c, s);
    }
}

TN_PROBE(service, TN_PHASE_SEARCH, run, "daemons that run; from /proc", .gives = TN_HAS(service),
         .reads = TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(container));
