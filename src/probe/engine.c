/* engine.c - container engines of this machine and NVIDIA's toolkit: which are there, how they are set up, and which
 * driver the specifications of the GPU (CDI) were written for.
 *
 * Sources: dockerd reference, daemon.json ("runtimes", "default-runtime"); NVIDIA Container Toolkit documentation,
 * "Installing", "Support for Container Device Interface" and config.toml; containerd, docs/cri/config.md; CDI
 * specification, "Devices", priority of folders: /var/run/cdi before /etc/cdi. Nothing of it is asked inside a
 * container, and what stands beside CDI only when more than a verdict is wanted. */
#include <string.h>

#include "base/conf.h"
#include "base/limits.h"
#include "base/str.h"
#include "probe/ask.h"
#include "snapshot/json.h"

#define MAX_SPECS 32u
#define MAX_SPEC_BYTES (1u << 20)
#define MAX_RUNTIMES 16u

static struct tn_rec_engine *there(struct tn_probe_ctx *c, const char *name, const char *const *paths)
{
    for (unsigned i = 0; paths[i]; i++) {
        struct tn_answer a = tn_world_stat(c->w, paths[i]);
        if (a.got != TN_KNOWN)
            continue;
        uint32_t src = tn_probe_src(c->s, "stat", paths[i], &a);
        struct tn_rec_engine *e = TN_ADD(c->s, engine);
        e->name = tn_fact_str(c->s, src, name);
        e->path = tn_fact_str(c->s, src, paths[i]);
        return e;
    }
    return NULL;
}

static void docker_settings(struct tn_probe_ctx *c, struct tn_rec_engine *e)
{
    static const char file[] = "/etc/docker/daemon.json";
    struct tn_answer a = tn_world_read(c->w, c->tmp, file, TN_MAX_SMALL_FILE);
    uint32_t src = a.got == TN_UNASKED ? 0 : tn_probe_src(c->s, "read", file, &a);
    const char *name[MAX_RUNTIMES], *key;
    struct tn_err err;
    size_t n = 0;
    json_t *doc = a.got == TN_KNOWN ? tn_json_load(a.data, &err) : NULL, *one;
    if (!doc) { /* a file that is no JSON: dockerd does not start with it */
        e->runtimes = tn_fact_nolist(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
        e->default_runtime = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_FAILED : a.got);
        return;
    }
    json_object_foreach(json_object_get(doc, "runtimes"), key, one)
    {
        if (n < MAX_RUNTIMES)
            name[n++] = tn_arena_strdup(c->tmp, key);
    }
    e->runtimes = tn_fact_list(c->s, src, name, n);
    const char *usual = json_string_value(json_object_get(doc, "default-runtime"));
    e->default_runtime = usual ? tn_fact_str(c->s, src, usual) : tn_fact_nostr(src, TN_ABSENT);
    json_decref(doc);
}

static bool holds(const char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

/* [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia] */
static void containerd_settings(struct tn_probe_ctx *c, struct tn_rec_engine *e)
{
    static const char file[] = "/etc/containerd/config.toml";
    struct tn_answer a = tn_world_read(c->w, c->tmp, file, TN_MAX_SMALL_FILE);
    struct tn_conf conf;
    const char *name[MAX_RUNTIMES];
    size_t n = 0;
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", file, &a);
    if (a.got != TN_KNOWN) {
        e->runtimes = tn_fact_nolist(src, a.got);
        e->default_runtime = tn_fact_nostr(src, a.got);
        return;
    }
    tn_conf_toml(a.data, c->tmp, &conf);
    e->default_runtime = tn_fact_nostr(src, TN_ABSENT);
    for (size_t i = 0; i < conf.n; i++) {
        const char *at = strstr(conf.v[i].section, ".runtimes.");
        const char *word = at ? tn_arena_strndup(c->tmp, at + 10, strcspn(at + 10, ".")) : "";
        if (*word && n < MAX_RUNTIMES && !holds(name, n, word))
            name[n++] = word;
        if (strcmp(conf.v[i].key, "default_runtime_name") == 0)
            e->default_runtime = tn_fact_str(c->s, src, conf.v[i].value);
    }
    e->runtimes = tn_fact_list(c->s, src, name, n);
}

static void toolkit_settings(struct tn_probe_ctx *c, struct tn_rec_engine *e)
{
    static const char file[] = "/etc/nvidia-container-runtime/config.toml";
    struct tn_answer a = tn_world_read(c->w, c->tmp, file, TN_MAX_SMALL_FILE);
    struct tn_conf conf;
    if (a.got == TN_UNASKED)
        return;
    uint32_t src = tn_probe_src(c->s, "read", file, &a);
    e->mode = tn_fact_nostr(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
    e->no_cgroups = tn_fact_noint(src, a.got == TN_KNOWN ? TN_ABSENT : a.got);
    if (a.got != TN_KNOWN)
        return;
    tn_conf_toml(a.data, c->tmp, &conf);
    for (size_t i = 0; i < conf.n; i++) {
        const struct tn_conf_item *v = &conf.v[i];
        if (strcmp(v->section, "nvidia-container-runtime") == 0 && strcmp(v->key, "mode") == 0)
            e->mode = tn_fact_str(c->s, src, v->value);
        if (strcmp(v->section, "nvidia-container-cli") == 0 && strcmp(v->key, "no-cgroups") == 0)
            e->no_cgroups = tn_fact_int(src, strcmp(v->value, "true") == 0);
    }
}

static void engines(struct tn_probe_ctx *c)
{
    static const char *const docker[] = {"/usr/bin/docker", "/usr/local/bin/docker", "/snap/bin/docker", NULL};
    static const char *const podman[] = {"/usr/bin/podman", "/usr/local/bin/podman", NULL};
    static const char *const containerd[] = {"/usr/bin/containerd", "/usr/local/bin/containerd", NULL};
    /* The last one is where the GPU operator of Kubernetes puts it. */
    static const char *const toolkit[] = {"/usr/bin/nvidia-ctk",
                                          "/usr/bin/nvidia-container-runtime-hook",
                                          "/usr/local/bin/nvidia-ctk",
                                          "/run/current-system/sw/bin/nvidia-ctk",
                                          "/usr/local/nvidia/toolkit/nvidia-ctk",
                                          NULL};
    struct tn_answer a = tn_world_stat(c->w, "/usr/bin");
    struct tn_rec_engine *e;
    c->s->engine.listed = a.got == TN_KNOWN || a.got == TN_ABSENT ? TN_KNOWN : a.got;
    c->s->engine.src = a.got == TN_UNASKED ? 0 : tn_snap_src(c->s, TN_KNOWN, NULL, "programs of container engines");
    if ((e = there(c, "docker", docker)))
        docker_settings(c, e);
    there(c, "podman", podman);
    if ((e = there(c, "containerd", containerd)))
        containerd_settings(c, e);
    if ((e = there(c, "nvidia-container-toolkit", toolkit)))
        toolkit_settings(c, e);
}

/* The version behind the first name of that kind: "/usr/lib64/libcuda.so.550.54.14". */
static struct tn_span version_behind(struct tn_span text, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = 0; (at = tn_span_find(text, at, name, n)) != SIZE_MAX; at += n) {
        struct tn_span v = tn_span_from(text, at + n);
        size_t len = 0, dots = 0;
        while (len < v.n && len < 32 && (tn_is_digit((char)v.p[len]) || v.p[len] == '.'))
            dots += v.p[len++] == '.';
        if (dots && tn_is_digit((char)v.p[0]) && tn_is_digit((char)v.p[len - 1]))
            return tn_span_of(v.p, len);
    }
    return tn_span_of(NULL, 0);
}

/* kind: "nvidia.com/gpu" of YAML or JSON, quoted or not. */
static struct tn_span kind_of(struct tn_span text)
{
    size_t at = tn_span_find(text, 0, "nvidia.com/", 11), n = 0;
    if (at == SIZE_MAX)
        return tn_span_of(NULL, 0);
    struct tn_span v = tn_span_from(text, at);
    while (n < v.n && n < 64 &&
           (v.p[n] == '/' || v.p[n] == '.' || (tn_lower((char)v.p[n]) >= 'a' && tn_lower((char)v.p[n]) <= 'z')))
        n++;
    return tn_span_of(v.p, n);
}

static void specs_of(struct tn_probe_ctx *c, const char *folder)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, folder);
    if (a.got == TN_UNASKED)
        return;
    if (c->s->cdi.listed == TN_UNASKED || (a.got != TN_KNOWN && a.got != TN_ABSENT)) {
        c->s->cdi.listed = a.got == TN_ABSENT ? TN_KNOWN : a.got; /* no folder: no specifications */
        c->s->cdi.src = tn_probe_src(c->s, "list", folder, &a);
    }
    for (size_t i = 0; i < a.n_entry && c->s->cdi.n < MAX_SPECS; i++) {
        const char *name = a.entry[i].name;
        if (!tn_str_starts(name, "nvidia") || !(tn_str_ends(name, ".yaml") || tn_str_ends(name, ".json")))
            continue;
        const char *path = tn_arena_printf(c->tmp, "%s/%s", folder, name);
        struct tn_answer f = tn_world_read(c->w, c->tmp, path, MAX_SPEC_BYTES);
        if (f.got == TN_UNASKED)
            continue;
        uint32_t src = tn_probe_src(c->s, "read", path, &f);
        struct tn_rec_cdi *r = TN_ADD(c->s, cdi);
        r->path = tn_fact_str(c->s, src, path);
        r->rank = tn_fact_int(src, (int64_t)c->s->cdi.n - 1);
        struct tn_span kind = kind_of(f.data), version = version_behind(f.data, "libcuda.so.");
        if (!version.n)
            version = version_behind(f.data, "libnvidia-ml.so.");
        enum tn_know none = f.got == TN_KNOWN ? TN_ABSENT : f.got;
        r->kind = kind.n ? tn_fact_strn(c->s, src, kind.p, kind.n) : tn_fact_nostr(src, none);
        r->driver = version.n ? tn_fact_strn(c->s, src, version.p, version.n) : tn_fact_nostr(src, none);
    }
}

static void engine_run(struct tn_probe_ctx *c)
{
    if (tn_probe_is_windows(c) || tn_known(TN_THE(c->s, container)->kind))
        return;
    bool plain = c->want && c->want->plain;
    if (!plain || tn_is(TN_THE(c->s, driver)->loaded, 1)) { /* else there is nothing to compare them with */
        specs_of(c, "/var/run/cdi");
        specs_of(c, "/etc/cdi");
    }
    if (!plain)
        engines(c);
}

TN_PROBE(engine, TN_PHASE_DRIVER, engine_run,
         "container engines, NVIDIA's toolkit and its settings; CDI specifications and the driver they name",
         .gives = TN_HAS(engine) | TN_HAS(cdi), .reads = TN_HAS(container) | TN_HAS(driver));
