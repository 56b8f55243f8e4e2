/* module_build.c - what DKMS, akmods and NVIDIA's installer did about the kernel module, and how their last builds
 * ended.
 *
 * Invariant: logs are opened only of builds that failed; nothing at all where the driver runs and only a verdict is
 * wanted. Sources: dkms(8) and its script 3.0.10: source tree NAME/VERSION/source, KERNEL/ARCH/module with log/make.log
 * when built, a link NAME/kernel-KERNEL-ARCH when installed; build/make.log stays only when the build failed. akmods
 * (rpmfusion/akmods, buildinstall_kmod): NAME/VERSION-RELEASE-for-KERNEL.log, or .failed.log. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/build_text.h"

#define DKMS "/var/lib/dkms"
#define AKMODS "/var/cache/akmods"
#define INSTALLER_LOG "/var/log/nvidia-installer.log"
#define MAX_LOG (16u << 20)
#define MAX_ROWS 64u

static struct tn_rec_build *add(struct tn_probe_ctx *c, uint32_t src, const char *by, const char *name,
                                const char *version)
{
    struct tn_rec_build *b = TN_ADD(c->s, build);
    b->by = tn_fact_str(c->s, src, by);
    b->name = tn_fact_str(c->s, src, name);
    b->version = tn_fact_str(c->s, src, version);
    return b;
}

static void for_kernel(struct tn_probe_ctx *c, struct tn_rec_build *b, uint32_t src, const char *kernel)
{
    const struct tn_rec_host *h = TN_THE(c->s, host);
    b->kernel = tn_fact_str(c->s, src, kernel);
    if (tn_known(h->kernel) && tn_probe_running(c))
        b->running = tn_fact_int(h->kernel.src, tn_str_eq(h->kernel.v, kernel));
}

static void take_log(struct tn_probe_ctx *c, struct tn_rec_build *b, uint32_t src, const struct tn_build_log *log)
{
    b->state = tn_fact_str(c->s, src, "failed");
    if (log->kernel)
        for_kernel(c, b, src, log->kernel);
    b->kind = tn_fact_str(c->s, src, log->kind);
    b->error = tn_fact_str(c->s, src, log->error);
    b->compiler = tn_fact_str(c->s, src, log->compiler);
}

/* Does it hold a module of this name for the kernel: NAME/VERSION/KERNEL/ARCH/module? */
static bool is_built(struct tn_probe_ctx *c, const char *folder)
{
    return tn_world_is_dir(c->w, tn_arena_printf(c->tmp, "%s/module", folder));
}

static unsigned look_kernels(struct tn_probe_ctx *c, const char *name, const char *version, const char *dir)
{
    unsigned n = 0;
    struct tn_answer a = tn_world_list(c->w, c->tmp, dir);
    uint32_t src = tn_probe_src(c->s, "list", dir, &a);
    for (size_t i = 0; i < a.n_entry && c->s->build.n < MAX_ROWS; i++) {
        const char *kernel = a.entry[i].name;
        if (a.entry[i].type == 'f' || tn_str_eq(kernel, "source") || tn_str_eq(kernel, "build"))
            continue;
        const char *folder = tn_arena_printf(c->tmp, "%s/%s", dir, kernel);
        struct tn_answer arch = tn_world_list(c->w, c->tmp, folder);
        for (size_t k = 0; k < arch.n_entry && k < 4; k++) {
            const char *at = tn_arena_printf(c->tmp, "%s/%s", folder, arch.entry[k].name);
            const char *link = tn_arena_printf(c->tmp, DKMS "/%s/kernel-%s-%s", name, kernel, arch.entry[k].name);
            if (!is_built(c, at))
                continue;
            struct tn_rec_build *b = add(c, src, "dkms", name, version);
            struct tn_answer to = tn_world_link(c->w, c->tmp, link);
            const char *want = tn_arena_printf(c->tmp, "%s/", version);
            bool installed = to.got == TN_KNOWN && strstr((const char *)to.data.p, want) != NULL;
            for_kernel(c, b, src, kernel);
            b->state = tn_fact_str(c->s, installed ? tn_probe_src(c->s, "link", link, &to) : src,
                                   installed ? "installed" : "built");
            b->log = tn_fact_str(c->s, src, tn_arena_printf(c->tmp, "%s/log/make.log", at));
            n++;
        }
    }
    return n;
}

static bool look_failed(struct tn_probe_ctx *c, const char *name, const char *version, const char *dir)
{
    const char *path = tn_arena_printf(c->tmp, "%s/build/make.log", dir);
    struct tn_answer a = tn_world_read(c->w, c->tmp, path, MAX_LOG);
    struct tn_build_log log;
    if (a.got == TN_ABSENT || a.got == TN_UNASKED)
        return false;
    uint32_t src = tn_probe_src(c->s, "read", path, &a);
    if (a.got == TN_KNOWN) {
        tn_build_log_read(a.data, c->tmp, &log);
        if (!log.error) /* it is being built just now, or was stopped */
            return false;
    }
    struct tn_rec_build *b = add(c, src, "dkms", name, version);
    b->log = tn_fact_str(c->s, src, path);
    if (a.got == TN_KNOWN)
        take_log(c, b, src, &log);
    else
        b->kind = b->error = tn_fact_nostr(src, a.got);
    return true;
}

static void look_dkms(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, DKMS);
    uint32_t src = tn_probe_src(c->s, "list", DKMS, &a);
    c->s->build.listed = a.got;
    c->s->build.src = src;
    for (size_t i = 0; i < a.n_entry && c->s->build.n < MAX_ROWS; i++) {
        const char *name = a.entry[i].name;
        if (!tn_str_starts(name, "nvidia") || tn_str_starts(name, "nvidia-fs") || a.entry[i].type == 'f')
            continue;
        const char *folder = tn_arena_printf(c->tmp, DKMS "/%s", name);
        struct tn_answer v = tn_world_list(c->w, c->tmp, folder);
        for (size_t k = 0; k < v.n_entry && c->s->build.n < MAX_ROWS; k++) {
            const char *version = v.entry[k].name;
            if (v.entry[k].type == 'f' || tn_str_starts(version, "kernel-") || tn_str_starts(version, "original_"))
                continue;
            const char *dir = tn_arena_printf(c->tmp, "%s/%s", folder, version);
            bool failed = look_failed(c, name, version, dir);
            if (!look_kernels(c, name, version, dir) && !failed) {
                struct tn_rec_build *b = add(c, src, "dkms", name, version);
                b->state = tn_fact_str(c->s, src, "added");
                b->kernel = tn_fact_nostr(src, TN_ABSENT);
            }
        }
    }
}

/* "535.54.03-1-for-6.3.8-200.fc38.x86_64.failed.log" */
static void look_akmod(struct tn_probe_ctx *c, const char *name, const char *dir, const char *file)
{
    const char *at = strstr(file, "-for-"), *path = tn_arena_printf(c->tmp, "%s/%s", dir, file);
    bool failed = tn_str_ends(file, ".failed.log");
    size_t tail = failed ? strlen(".failed.log") : strlen(".log"), n = strlen(file);
    struct tn_build_log log;
    if (!at || !tn_str_ends(file, ".log") || n <= (size_t)(at - file) + 5 + tail)
        return;
    const char *version = tn_arena_strndup(c->tmp, file, strcspn(file, "-"));
    const char *kernel = tn_arena_strndup(c->tmp, at + 5, n - (size_t)(at + 5 - file) - tail);
    struct tn_answer a = failed ? tn_world_read(c->w, c->tmp, path, MAX_LOG) : tn_world_stat(c->w, path);
    uint32_t src = tn_probe_src(c->s, failed ? "read" : "stat", path, &a);
    struct tn_rec_build *b = add(c, src, "akmods", name, version);
    b->log = tn_fact_str(c->s, src, path);
    if (failed && a.got == TN_KNOWN) {
        tn_build_log_read(a.data, c->tmp, &log);
        take_log(c, b, src, &log);
    } else if (failed) {
        b->kind = b->error = tn_fact_nostr(src, a.got);
    }
    b->state = tn_fact_str(c->s, src, failed ? "failed" : "installed");
    for_kernel(c, b, src, kernel);
}

static void look_akmods(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, AKMODS);
    for (size_t i = 0; i < a.n_entry; i++) {
        const char *name = a.entry[i].name, *dir = tn_arena_printf(c->tmp, AKMODS "/%s", name);
        if (!tn_str_starts(name, "nvidia") || a.entry[i].type == 'f')
            continue;
        struct tn_answer in = tn_world_list(c->w, c->tmp, dir);
        for (size_t k = 0; k < in.n_entry && c->s->build.n < MAX_ROWS; k++)
            look_akmod(c, name, dir, in.entry[k].name);
    }
}

static void look_installer(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_read(c->w, c->tmp, INSTALLER_LOG, MAX_LOG);
    struct tn_build_log log;
    if (a.got != TN_KNOWN)
        return;
    tn_build_installer_read(a.data, c->tmp, &log);
    if (!log.error && !log.finished)
        return;
    uint32_t src = tn_probe_src(c->s, "read", INSTALLER_LOG, &a);
    struct tn_rec_build *b = TN_ADD(c->s, build);
    b->by = tn_fact_str(c->s, src, "nvidia-installer");
    b->version = tn_fact_str(c->s, src, log.version);
    b->log = tn_fact_str(c->s, src, INSTALLER_LOG);
    if (log.error)
        take_log(c, b, src, &log);
    else {
        b->state = tn_fact_str(c->s, src, "installed");
        if (log.kernel)
            for_kernel(c, b, src, log.kernel);
    }
}

static void look_headers(struct tn_probe_ctx *c)
{
    struct tn_rec_host *h = TN_THE(c->s, host);
    if (!tn_known(h->kernel) || !tn_probe_running(c))
        return;
    const char *dir = tn_arena_printf(c->tmp, "/lib/modules/%s", h->kernel.v);
    const char *path = tn_arena_printf(c->tmp, "%s/build", dir);
    struct tn_answer a = tn_world_stat(c->w, path);
    if (a.got == TN_UNASKED || (a.got == TN_ABSENT && !tn_world_is_dir(c->w, dir)))
        return; /* a container: the kernel's folder is not here */
    uint32_t src = tn_probe_src(c->s, "stat", path, &a);
    h->headers =
        a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(src, a.got == TN_KNOWN) : tn_fact_noint(src, a.got);
}

static void run(struct tn_probe_ctx *c)
{
    bool card = c->s->gpu.listed != TN_KNOWN;
    for (size_t i = 0; i < c->s->gpu.n; i++)
        card = card || tn_says(c->s->gpu.v[i].vendor, "nvidia");
    if (tn_probe_is_windows(c) || tn_probe_is_wsl(c) || !card)
        return;
    if (tn_is(TN_THE(c->s, driver)->loaded, 1) && c->want && c->want->plain)
        return;
    look_dkms(c);
    look_akmods(c);
    look_installer(c);
    look_headers(c);
}

TN_PROBE(module_build, TN_PHASE_DRIVER, run,
         "builds of the kernel module and their errors; from /var/lib/dkms, /var/log", .gives = TN_HAS(build),
         .reads = TN_HAS(gpu) | TN_HAS(driver));
