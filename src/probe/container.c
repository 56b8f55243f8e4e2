/* container.c - does tenon run in a container, and which GPUs was it given?
 *
 * A kind is said only on a sign that its runtime leaves; an overlay root alone is none (virtual machines and live
 * systems have one too). Signs: docker moby daemon (/.dockerenv), podman (/run/.containerenv, container=podman),
 * Kubernetes API conventions (KUBERNETES_SERVICE_HOST, service account mount), Apptainer user guide
 * (APPTAINER_CONTAINER, /.singularity.d), systemd "Container Interface" (container=, /run/systemd/container). */
#include "probe/probe.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

struct sign {
    const char *kind;
    uint32_t src;
    enum tn_know worst; /* denied or failed, when a question about a sign was not answered */
    uint32_t worst_src;
    bool asked; /* some question about the running machine was answered */
};

/* Keeps the first sign; remembers what could not be looked at. */
static void weigh(struct tn_probe_ctx *c, struct sign *s, const char *kind, const char *word, const char *name,
                  const struct tn_answer *a)
{
    if (a->got == TN_KNOWN && kind && !s->kind) {
        s->kind = kind;
        s->src = tn_probe_src(c->s, word, name, a);
    } else if ((a->got == TN_DENIED || a->got == TN_FAILED) && !s->worst_src) {
        s->worst = a->got;
        s->worst_src = tn_probe_src(c->s, word, name, a);
    }
}

static void by_env(struct tn_probe_ctx *c, struct sign *s, const char *name, const char *kind)
{
    struct tn_answer a = tn_world_env(c->w, c->tmp, name);
    s->asked |= a.got != TN_UNASKED;
    weigh(c, s, a.data.n ? kind : NULL, "env", name, &a);
}

static void by_file(struct tn_probe_ctx *c, struct sign *s, const char *path, const char *kind)
{
    struct tn_answer a = tn_world_stat(c->w, path);
    weigh(c, s, kind, "stat", path, &a);
}

static bool has(struct tn_span text, const char *word)
{
    return tn_span_find(text, 0, word, strlen(word)) != SIZE_MAX;
}

/* The word that a manager wrote, as a kind of the schema. */
static const char *kind_of_word(struct tn_span w)
{
    static const char *const same[] = {"docker", "podman", "lxc", "kubernetes", NULL};
    w = tn_span_trim(w);
    if (w.n == 0 || tn_span_eq(w, "wsl") || tn_span_eq(w, "none")) /* systemd calls WSL a container; it is not */
        return NULL;
    for (unsigned i = 0; same[i]; i++)
        if (tn_span_eq(w, same[i]))
            return same[i];
    if (tn_span_starts(w, "lxc"))
        return "lxc";
    return "other";
}

/* Paths of control groups that runtimes make: /docker/ID, /kubepods/..., /lxc/NAME, libpod-ID.scope ... */
static const char *kind_of_cgroup(struct tn_span text)
{
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        if (has(line, "kubepods"))
            return "kubernetes";
        if (has(line, "libpod"))
            return "podman";
        if (has(line, "/docker/") || has(line, "/docker-") || has(line, ":/docker"))
            return "docker";
        if (has(line, ":/lxc") || has(line, "/lxc.payload") || has(line, "/lxc/"))
            return "lxc";
    }
    return NULL;
}

/* The root mount of /proc/self/mountinfo: an overlay whose layers lie where a runtime keeps them (proc(5)), or a folder
 * of Enroot's (ENROOT_DATA_PATH, by default .../enroot/NAME; Pyxis: /run/enroot). */
static const char *kind_of_mounts(struct tn_span text)
{
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        size_t at = tn_span_find(line, 0, " / ", 3);
        if (at != SIZE_MAX && has(tn_span_of(line.p, at), "/enroot/"))
            return "enroot";
        size_t dash = tn_span_find(line, 0, " - overlay ", 11);
        size_t root = tn_span_find(line, 0, " / / ", 5);
        if (dash == SIZE_MAX || root == SIZE_MAX || root > dash)
            continue;
        struct tn_span options = tn_span_from(line, dash);
        if (has(options, "/containers/storage/"))
            return "podman";
        if (has(options, "/docker/overlay2/") || has(options, "/var/lib/docker/"))
            return "docker";
        if (has(options, "containerd.snapshotter"))
            return "other";
    }
    return NULL;
}

static void by_text(struct tn_probe_ctx *c, struct sign *s, const char *path, const char *(*kind_of)(struct tn_span))
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, TN_MAX_SMALL_FILE);
    weigh(c, s, a.got == TN_KNOWN ? kind_of(a.data) : NULL, "read", path, &a);
}

static struct tn_str fact_of_env(struct tn_probe_ctx *c, const char *name)
{
    struct tn_answer a = tn_world_env(c->w, c->tmp, name);
    if (a.got == TN_UNASKED)
        return tn_fact_nostr(0, TN_UNASKED);
    uint32_t src = tn_probe_src(c->s, "env", name, &a);
    return a.got == TN_KNOWN ? tn_fact_strn(c->s, src, a.data.p, a.data.n) : tn_fact_nostr(src, a.got);
}

/* As Go's strconv.ParseBool reads it (NVIDIA Container Toolkit, internal/config/image, HasDisableRequire). */
static struct tn_int switched_off(struct tn_str text)
{
    static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True", NULL};
    return text.k == TN_KNOWN ? tn_fact_int(text.src, tn_str_in(text.v, yes)) : tn_fact_noint(text.src, text.k);
}

static struct tn_list words_of(struct tn_probe_ctx *c, struct tn_str text)
{
    if (text.k != TN_KNOWN)
        return tn_fact_nolist(text.src, text.k);
    const char *word[16];
    size_t n = 0;
    for (const char *p = text.v; *p && n < TN_LEN(word);) {
        size_t len = strcspn(p, ", ");
        if (len)
            word[n++] = tn_arena_strndup(c->tmp, p, len);
        p += len + (p[len] != 0);
    }
    return tn_fact_list(c->s, text.src, word, n);
}

static void container_run(struct tn_probe_ctx *c)
{
    struct sign s;
    if (c->w->style == TN_PATH_WINDOWS)
        return; /* the signs below are Linux'; a Windows container has other ones, and no CUDA of this kind: not asked
                 */
    memset(&s, 0, sizeof s);
    /* From the outermost manager inwards: a pod of Kubernetes has the marks of its runtime as well. */
    by_env(c, &s, "KUBERNETES_SERVICE_HOST", "kubernetes");
    by_file(c, &s, "/run/secrets/kubernetes.io", "kubernetes");
    by_file(c, &s, "/var/run/secrets/kubernetes.io", "kubernetes");
    by_env(c, &s, "APPTAINER_CONTAINER", "apptainer");
    by_env(c, &s, "SINGULARITY_CONTAINER", "apptainer");
    by_file(c, &s, "/.singularity.d", "apptainer");
    by_file(c, &s, "/run/.containerenv", "podman");
    by_file(c, &s, "/.dockerenv", "docker");
    struct tn_answer a = tn_world_env(c->w, c->tmp, "container");
    s.asked |= a.got != TN_UNASKED;
    weigh(c, &s, a.got == TN_KNOWN ? kind_of_word(a.data) : NULL, "env", "container", &a);
    by_text(c, &s, "/proc/1/cgroup", kind_of_cgroup);
    by_text(c, &s, "/proc/self/mountinfo", kind_of_mounts);
    by_text(c, &s, "/run/systemd/container", kind_of_word);

    struct tn_rec_container *r = TN_THE(c->s, container);
    if (s.kind)
        r->kind = tn_fact_str(c->s, s.src, s.kind);
    else if (s.worst_src)
        r->kind = tn_fact_nostr(s.worst_src, s.worst);
    else if (s.asked)
        r->kind =
            tn_fact_nostr(tn_snap_src(c->s, TN_ABSENT, NULL, "signs of a container in files and variables"), TN_ABSENT);
    r->gpus = fact_of_env(c, "NVIDIA_VISIBLE_DEVICES");
    r->capabilities = words_of(c, fact_of_env(c, "NVIDIA_DRIVER_CAPABILITIES"));
    r->requires = fact_of_env(c, "NVIDIA_REQUIRE_CUDA");
    if (tn_known(r->kind)) {
        r->requires_driver = fact_of_env(c, "NVIDIA_REQUIRE_DRIVER");
        r->requires_arch = fact_of_env(c, "NVIDIA_REQUIRE_ARCH");
        r->requires_brand = fact_of_env(c, "NVIDIA_REQUIRE_BRAND");
        if (!tn_known(r->requires) || !*r->requires.v)
            r->legacy_cuda = fact_of_env(c, "CUDA_VERSION");
        r->requires_off = switched_off(fact_of_env(c, "NVIDIA_DISABLE_REQUIRE"));
    }
}

TN_PROBE(container, TN_PHASE_HOST, container_run, "container by the signs of its runtime; NVIDIA_* of its environment",
         .gives = TN_HAS(container));
