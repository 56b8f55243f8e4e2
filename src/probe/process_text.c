/* process_text.c - the names that container engines and batch systems give to the control groups of what they start.
 *
 * Sources: runc and its callers name a scope "docker-ID.scope", "libpod-ID.scope", "cri-containerd-ID.scope",
 * "crio-ID.scope" with systemd, else /docker/ID, /libpod_parent/libpod-ID and /kubepods/.../podUID/ID (Docker "Runtime
 * metrics"; libpod, cgroups; Kubernetes, kubelet "cgroup drivers"); lxc.container.conf(5): /lxc/NAME and
 * /lxc.payload.NAME. Slurm "Control Group v2 plugin" and "Control Group in Slurm": job_ID/step_... below slurm or
 * slurmstepd.scope; OpenPBS, hook pbs_cgroups: pbs_jobs.service/jobid/ID (v2: /jobs/ID); IBM "How does LSF calculate
 * max memory usage from cgroup": lsf/CLUSTER/job.ID.... Names are anybody's to choose in a folder that is his: they are
 * shown, nothing is decided by them. */
#include "probe/process_text.h"

#include <string.h>

#include "base/str.h"

#define MIN_HEX 12u /* what engines show of an id */
#define MAX_NAME 64u

static struct tn_span next_part(struct tn_span *rest)
{
    size_t a = 0, b;
    while (a < rest->n && rest->p[a] == '/')
        a++;
    for (b = a; b < rest->n && rest->p[b] != '/';)
        b++;
    struct tn_span part = tn_span_of(rest->p + a, b - a);
    *rest = tn_span_from(*rest, b);
    return part;
}

static struct tn_span run_of(struct tn_span s, bool (*good)(char c))
{
    size_t n = 0;
    while (n < s.n && n < MAX_NAME && good((char)s.p[n]))
        n++;
    return tn_span_of(s.p, n);
}

static bool is_hex(char c)
{
    return tn_is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_name(char c)
{
    return tn_is_digit(c) || (tn_lower(c) >= 'a' && tn_lower(c) <= 'z') || c == '.' || c == '_' || c == '-' ||
           c == '[' || c == ']';
}

static void contained(struct tn_process_place *r, const char *engine, struct tn_span id)
{
    if (id.n == 0)
        return;
    r->engine = engine; /* the innermost one counts */
    r->container = id;
}

/* "docker-<id>.scope", "libpod-<id>" ...; a monitor ("libpod-conmon-<id>") is outside. */
static bool by_prefix(struct tn_process_place *r, struct tn_span part)
{
    static const char *const name[][2] = {{"docker-", "docker"},
                                          {"libpod-", "podman"},
                                          {"cri-containerd-", "containerd"},
                                          {"crio-", "cri-o"},
                                          {"nerdctl-", "nerdctl"}};
    for (unsigned i = 0; i < TN_LEN(name); i++) {
        if (!tn_span_starts(part, name[i][0]))
            continue;
        struct tn_span id = run_of(tn_span_from(part, strlen(name[i][0])), is_hex);
        if (id.n >= MIN_HEX)
            contained(r, name[i][1], tn_span_of(id.p, MIN_HEX));
        return true;
    }
    return false;
}

/* One part of the path, and the two above it. */
static void weigh(struct tn_process_place *r, struct tn_span part, struct tn_span above, struct tn_span top, bool slurm)
{
    bool in_pod = tn_span_starts(above, "pod") || tn_span_starts(top, "kubepods");
    struct tn_span id = run_of(part, is_hex);
    if (by_prefix(r, part)) {
        if (r->engine && in_pod &&
            (strcmp(r->engine, "containerd") == 0 || strcmp(r->engine, "docker") == 0 ||
             strcmp(r->engine, "cri-o") == 0))
            r->engine = "kubernetes";
    } else if (id.n >= MIN_HEX && id.n == part.n && (tn_span_eq(above, "docker") || in_pod)) {
        contained(r, in_pod ? "kubernetes" : "docker", tn_span_of(id.p, MIN_HEX));
    } else if (tn_span_starts(part, "lxc.payload.")) {
        contained(r, "lxc", run_of(tn_span_from(part, 12), is_name));
    } else if (tn_span_eq(above, "lxc")) {
        contained(r, "lxc", run_of(part, is_name));
    }
    const char *scheduler = NULL;
    struct tn_span job = {NULL, 0};
    if (slurm && tn_span_starts(part, "job_")) {
        scheduler = "slurm";
        job = tn_span_from(part, 4);
    } else if (tn_span_eq(top, "pbs_jobs.service") && (tn_span_eq(above, "jobid") || tn_span_eq(above, "jobs"))) {
        scheduler = "pbs";
        job = part;
    } else if (tn_span_eq(top, "lsf") && tn_span_starts(part, "job.")) {
        scheduler = "lsf";
        job = tn_span_from(part, 4);
        size_t dot = tn_span_find(job, 0, ".", 1);
        job = tn_span_of(job.p, dot == SIZE_MAX ? job.n : dot);
    }
    job = run_of(job, is_name);
    if (scheduler && job.n && tn_is_digit((char)job.p[0])) {
        r->scheduler = scheduler;
        r->job = job;
    }
}

/* "7:devices:/docker/ID", "0::/system.slice/docker-ID.scope": the path is behind the second colon. */
static struct tn_span path_of(struct tn_span line)
{
    for (unsigned i = 0; i < 2; i++) {
        size_t colon = tn_span_find(line, 0, ":", 1);
        if (colon == SIZE_MAX)
            return tn_span_of(NULL, 0);
        line = tn_span_from(line, colon + 1);
    }
    return line;
}

void tn_process_place(struct tn_span text, struct tn_process_place *ret)
{
    struct tn_span line;
    memset(ret, 0, sizeof *ret);
    while (tn_span_line(&text, &line)) {
        struct tn_span rest = path_of(line), part, above = {NULL, 0}, top = {NULL, 0};
        struct tn_process_place one;
        bool slurm = false;
        memset(&one, 0, sizeof one);
        for (; (part = next_part(&rest)).n; top = above, above = part) {
            slurm = slurm || tn_span_starts(part, "slurm");
            weigh(&one, part, above, top, slurm);
        }
        if (one.engine && !ret->engine) {
            ret->engine = one.engine;
            ret->container = one.container;
        }
        if (one.scheduler && !ret->scheduler) {
            ret->scheduler = one.scheduler;
            ret->job = one.job;
        }
    }
}
