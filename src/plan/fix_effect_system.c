/* fix_effect_system.c - see fix_effect.h: what work on the driver, the kernel, containers and Windows' own parts leaves
 * behind.
 *
 * A driver that runs has its module loaded, its libraries of the same version, its nodes, and every card of NVIDIA's
 * that it can run; what the kernel wrote in its log before that is past. Which cards it can run the checks judge. */
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "plan/fix_effect.h"
#include "version/dotted.h"

static bool is_nvidia(const struct tn_rec_gpu *g)
{
    return tn_says(g->vendor, "nvidia");
}

/* The cards are the driver's, except those that something else is told to keep. */
static void bind_cards(const struct tn_effect_of *e, bool release)
{
    struct tn_snap *s = e->s;
    for (size_t i = 0; i < s->gpu.n; i++) {
        struct tn_rec_gpu *g = &s->gpu.v[i];
        bool kept = tn_known(g->bound) && !tn_says(g->bound, "nouveau") && !tn_says(g->bound, "nova") &&
                    !tn_says(g->bound, "nvidia");
        if (!is_nvidia(g) || (kept && !release))
            continue;
        g->bound = tn_fact_str(s, e->src, "nvidia");
        if (release)
            g->override = tn_fact_nostr(e->src, TN_ABSENT);
        if (tn_known(g->nvml))
            g->nvml = tn_fact_str(s, e->src, "NVML_SUCCESS");
    }
}

static void node(const struct tn_effect_of *e, const char *path)
{
    struct tn_snap *s = e->s;
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_says(s->node.v[i].path, path))
            return;
    struct tn_rec_node *n = TN_ADD(s, node);
    n->path = tn_fact_str(s, e->src, path);
    n->type = tn_fact_str(s, e->src, "c");
    n->mode = tn_fact_int(e->src, 0666);
    n->accessible = tn_fact_int(e->src, 1);
}

static void nodes(const struct tn_effect_of *e)
{
    unsigned cards = 0;
    if (e->s->node.listed != TN_KNOWN)
        return;
    node(e, "/dev/nvidiactl");
    node(e, "/dev/nvidia-uvm");
    for (size_t i = 0; i < e->s->gpu.n; i++)
        if (is_nvidia(&e->s->gpu.v[i]) && cards < 64)
            node(e, tn_arena_printf(e->mem, "/dev/nvidia%u", cards++));
}

static void forget_events(const struct tn_effect_of *e)
{
    if (e->s->event.listed == TN_KNOWN)
        e->s->event.n = 0;
}

/* The loader finds the driver's libraries where it did not; what it finds, it keeps. */
static void found_by_loader(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    for (size_t i = 0; i < s->load.n; i++) {
        struct tn_rec_load *l = &s->load.v[i];
        bool of_driver =
            tn_known(l->name) && (tn_str_starts(l->name.v, "libcuda.so") || tn_str_starts(l->name.v, "libnvidia-"));
        if (of_driver && !tn_says(l->outcome, "found")) {
            l->outcome = tn_fact_str(s, e->src, "found");
            l->culprit = l->fault = l->error = tn_fact_nostr(e->src, TN_ABSENT);
        }
    }
}

static void libraries(const struct tn_effect_of *e, const char *version)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    size_t n = 0;
    d->library_version = tn_fact_str(s, e->src, version);
    if (tn_known(d->nvml_version))
        d->nvml_version = tn_fact_str(s, e->src, version);
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        bool driver = tn_says(l->place, "driver") && !tn_known(l->env);
        bool met = !tn_is(l->reachable, 0);
        if (driver && tn_says(l->kind, "empty"))
            continue; /* a whole one comes in its place */
        if (driver && met && !tn_says(l->kind, "compat"))
            l->version = tn_fact_str(s, e->src, version);
        if (driver && met && tn_says(l->soname, "libcuda.so.1") && tn_is(l->rank, 0) && tn_known(l->path))
            d->library_path = l->path;
        s->library.v[n++] = *l;
    }
    s->library.n = n;
    found_by_loader(e);
}

/* The module file of the running kernel, as it is after an installation or a build. */
static void module_file(const struct tn_effect_of *e, const char *version, const char *flavour)
{
    struct tn_snap *s = e->s;
    bool had = false;
    for (size_t i = 0; i < s->module.n; i++) {
        struct tn_rec_module *m = &s->module.v[i];
        if (!tn_is(m->running, 1) || !tn_known(m->name) || !tn_str_starts(m->name.v, "nvidia"))
            continue;
        m->version = tn_fact_str(s, e->src, version);
        if (flavour)
            m->flavour = tn_fact_str(s, e->src, flavour);
        had = true;
    }
    if (had || s->module.listed != TN_KNOWN)
        return;
    struct tn_rec_module *m = TN_ADD(s, module);
    m->name = tn_fact_str(s, e->src, "nvidia");
    m->kernel = TN_THE(s, host)->kernel;
    m->running = tn_fact_int(e->src, 1);
    m->version = tn_fact_str(s, e->src, version);
    m->has_signature = tn_fact_int(e->src, tn_is(TN_THE(s, host)->mok_enrolled, 1));
    m->flavour = flavour ? tn_fact_str(s, e->src, flavour) : tn_fact_nostr(e->src, TN_UNASKED);
}

static struct tn_rec_module *running_module(struct tn_snap *s)
{
    struct tn_rec_module *found = NULL;
    for (size_t i = 0; i < s->module.n; i++) {
        struct tn_rec_module *m = &s->module.v[i];
        bool main = tn_known(m->name) && (tn_str_eq(m->name.v, "nvidia") || tn_str_eq(m->name.v, "nvidia-current"));
        if (tn_is(m->running, 1) && tn_known(m->version) && (main || !found))
            found = m;
    }
    return found;
}

/* The module of this version runs: loaded, asked, answered. */
static void runs(const struct tn_effect_of *e, const char *version)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_facts_branch b;
    const struct tn_rec_module *m = running_module(s);
    d->loaded = tn_fact_int(e->src, 1);
    d->version = tn_fact_str(s, e->src, version);
    d->other = tn_fact_nostr(e->src, TN_ABSENT);
    if (m && tn_known(m->flavour))
        d->flavour = m->flavour;
    if (tn_known(d->nvml))
        d->nvml = tn_fact_str(s, e->src, "NVML_SUCCESS");
    if (tn_known(d->cuda_start))
        d->cuda_start = tn_fact_str(s, e->src, "CUDA_SUCCESS");
    if (tn_known(d->opens))
        d->opens = tn_fact_str(s, e->src, "ok");
    if (tn_facts_driver_branch(version, &b) == TN_ANSWER_YES && *b.max_cuda)
        d->cuda = tn_fact_str(s, e->src, b.max_cuda);
    bind_cards(e, false);
    nodes(e);
    forget_events(e);
}

/* After a start the module on the disk is the one that runs. */
static enum tn_fix_told restart(const struct tn_effect_of *e)
{
    const struct tn_rec_module *m = running_module(e->s);
    struct tn_str library = TN_THE(e->s, driver)->library_version;
    if (!m && !tn_known(library))
        return TN_FIX_TOLD_TRY;
    runs(e, m ? m->version.v : library.v);
    return TN_FIX_TOLD;
}

/* A build for the running kernel that came to its end. Its version: the one that was tried, else the libraries'. */
static enum tn_fix_told build(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    const char *version = tn_known(TN_THE(s, driver)->library_version) ? TN_THE(s, driver)->library_version.v : NULL;
    for (size_t i = 0; i < s->build.n; i++) {
        struct tn_rec_build *b = &s->build.v[i];
        if (tn_is(b->running, 0) || tn_says(b->by, "nvidia-installer"))
            continue;
        if (tn_known(b->version) && !version)
            version = b->version.v;
        b->state = tn_fact_str(s, e->src, "installed");
        b->kind = b->error = tn_fact_nostr(e->src, TN_ABSENT);
    }
    for (size_t i = 0; i < s->module.n && !version; i++)
        if (tn_known(s->module.v[i].version))
            version = s->module.v[i].version.v;
    if (!version)
        return TN_FIX_TOLD_TRY;
    TN_THE(s, host)->headers = tn_fact_int(e->src, 1);
    version = tn_arena_strdup(e->mem, version);
    module_file(e, version, NULL);
    libraries(e, version);
    runs(e, version);
    return TN_FIX_TOLD;
}

/* dpkg ends what it began: every part has the version that the packages have. */
static enum tn_fix_told packages_ended(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    char version[64] = "";
    for (size_t i = 0; i < s->package.n; i++) {
        struct tn_rec_package *p = &s->package.v[i];
        if (!tn_is(p->driver, 1) || tn_says(p->state, "config-files"))
            continue;
        size_t n = tn_known(p->version) ? strcspn(p->version.v, "-+~") : 0; /* "535.309.01-0ubuntu1" */
        if (n && n < sizeof version && tn_is_digit(p->version.v[0]) && !tn_says(p->state, "installed")) {
            memcpy(version, p->version.v, n);
            version[n] = 0;
        }
        p->state = tn_fact_str(s, e->src, "installed");
    }
    if (!*version)
        return TN_FIX_TOLD_TRY;
    module_file(e, version, NULL);
    libraries(e, version);
    runs(e, version);
    return TN_FIX_TOLD;
}

static enum tn_fix_told firmware(const struct tn_effect_of *e)
{
    struct tn_rec_driver *d = TN_THE(e->s, driver);
    d->gsp_firmware = tn_fact_int(e->src, 1);
    if (!tn_known(d->version))
        return TN_FIX_TOLD_TRY;
    runs(e, d->version.v);
    return TN_FIX_TOLD;
}

static bool is_about(const struct tn_rec_modprobe *p, const char *stem)
{
    return tn_known(p->module) && tn_str_starts(p->module.v, stem);
}

static enum tn_fix_told unblock(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    size_t n = 0;
    const char *file = tn_effect_arg(e->r, "file");
    for (size_t i = 0; i < s->modprobe.n; i++) {
        const struct tn_rec_modprobe *p = &s->modprobe.v[i];
        bool here = tn_str_eq(e->r->id, "unblock-cmdline") ? tn_says(p->file, "/proc/cmdline") : tn_says(p->file, file);
        bool blocks = tn_says(p->kind, "blacklist") || tn_says(p->kind, "install") || tn_says(p->kind, "alias");
        if (!(here && blocks && is_about(p, "nvidia")))
            s->modprobe.v[n++] = *p;
    }
    s->modprobe.n = n;
    return restart(e);
}

static enum tn_fix_told release(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    size_t n = 0;
    const char *bus = tn_effect_arg(e->r, "bus");
    for (size_t i = 0; i < s->modprobe.n; i++)
        if (!tn_says(s->modprobe.v[i].kind, "capture") || *bus)
            s->modprobe.v[n++] = s->modprobe.v[i];
    s->modprobe.n = n;
    bind_cards(e, true);
    return restart(e);
}

/* The key is known from the next start on, and the module is signed with it. */
static enum tn_fix_told key(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_host *h = TN_THE(s, host);
    if (h->mok_enrolled.k == TN_KNOWN || tn_str_eq(e->r->id, "enrol-key"))
        h->mok_enrolled = tn_fact_int(e->src, 1);
    for (size_t i = 0; i < s->module.n; i++)
        if (tn_is(s->module.v[i].running, 1) && s->module.v[i].has_signature.k == TN_KNOWN)
            s->module.v[i].has_signature = tn_fact_int(e->src, 1);
    for (size_t i = 0; i < s->build.n; i++)
        if (tn_says(s->build.v[i].kind, "key"))
            return build(e);
    return restart(e);
}

/* nouveau is kept out: by the file that the packages bring, or by the argument of the kernel. */
static enum tn_fix_told load(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    if (!tn_str_eq(e->r->id, "prime-select"))
        return restart(e);
    size_t n = 0;
    for (size_t i = 0; i < s->modprobe.n; i++)
        if (!tn_known(s->modprobe.v[i].file) || !tn_str_ends(s->modprobe.v[i].file.v, "/blacklist-nvidia.conf"))
            s->modprobe.v[n++] = s->modprobe.v[i];
    s->modprobe.n = n;
    return restart(e);
}

static enum tn_fix_told driver(const struct tn_effect_of *e)
{
    const char *version = tn_effect_arg(e->r, "version"), *flavour = tn_effect_arg(e->r, "flavour");
    if (!*version && tn_str_eq(e->r->id, "update-windows-driver"))
        version = tn_effect_arg(e->r, "need"); /* chosen by hand on the maker's page: that one, or newer */
    if (!*version)
        return TN_FIX_TOLD_CHOICE;
    if (!tn_says(TN_THE(e->s, host)->os, "windows") && !tn_is(TN_THE(e->s, host)->wsl, 2)) {
        module_file(e, version, *flavour ? flavour : NULL);
        if (*flavour)
            TN_THE(e->s, driver)->flavour = tn_fact_str(e->s, e->src, flavour);
    }
    libraries(e, version);
    runs(e, version);
    return TN_FIX_TOLD;
}

static enum tn_fix_told flavour(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    const char *word = tn_str_eq(e->r->id, "open-module") ? "open" : "proprietary";
    const struct tn_rec_module *m = running_module(s);
    const char *given = tn_effect_arg(e->r, "version");
    const char *version = *given ? given : m ? m->version.v : NULL;
    if (!version && tn_known(TN_THE(s, driver)->library_version))
        version = TN_THE(s, driver)->library_version.v;
    if (!version)
        return TN_FIX_TOLD_CHOICE;
    version = tn_arena_strdup(e->mem, version);
    module_file(e, version, word);
    libraries(e, version);
    TN_THE(s, driver)->flavour = tn_fact_str(s, e->src, word);
    runs(e, version);
    return TN_FIX_TOLD;
}

/* The copies of another version are gone, or no longer met. Of same-version and its like the loaded module stays until
 * the restart, and what comes is of one version. */
static enum tn_fix_told same(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    const struct tn_rec_module *m = running_module(s);
    if (tn_str_eq(e->r->id, "remove-linux-driver") || tn_str_eq(e->r->id, "remove-runfile-driver"))
        return TN_FIX_TOLD_TRY;
    const char *version = tn_known(d->version) ? d->version.v : m ? m->version.v : NULL;
    if (tn_str_eq(e->r->id, "same-version") && tn_known(d->library_version) && m &&
        tn_version_dotted_cmp(m->version.v, d->library_version.v) == 0)
        version = m->version.v;
    if (!version)
        return TN_FIX_TOLD_TRY;
    version = tn_arena_strdup(e->mem, version);
    size_t n = 0;
    for (size_t i = 0; i < s->library.n; i++) {
        const struct tn_rec_library *l = &s->library.v[i];
        bool other = tn_says(l->place, "driver") && tn_known(l->version) && !tn_says(l->kind, "compat") &&
                     tn_version_dotted_cmp(l->version.v, version) != 0 && tn_is(l->bits, 64);
        bool again = false;
        for (size_t k = 0; k < s->library.n && other; k++)
            again = again || (k != i && tn_says(s->library.v[k].version, version) && tn_known(l->soname) &&
                              tn_says(s->library.v[k].soname, l->soname.v));
        if (!again) /* beside one that fits */
            s->library.v[n++] = *l;
    }
    s->library.n = n;
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_says(s->library.v[i].soname, "libcuda.so.1") && tn_says(s->library.v[i].place, "driver")) {
            s->library.v[i].reachable = tn_fact_int(e->src, 1);
            s->library.v[i].rank = tn_fact_int(e->src, 0);
        }
    module_file(e, version, NULL);
    libraries(e, version);
    for (size_t i = 0; i < s->package.n; i++)
        if (tn_is(s->package.v[i].driver, 1))
            s->package.v[i].held = tn_fact_int(e->src, 0);
    if (!tn_str_eq(e->r->id, "same-version"))
        d->runfile = tn_fact_nostr(e->src, TN_ABSENT);
    runs(e, version);
    return TN_FIX_TOLD;
}

static enum tn_fix_told image(const struct tn_effect_of *e)
{
    struct tn_rec_host *h = TN_THE(e->s, host);
    if (h->initrd_s.k == TN_KNOWN && h->booted_s.k == TN_KNOWN) {
        int64_t now = h->initrd_s.v > h->booted_s.v ? h->initrd_s.v : h->booted_s.v;
        h->initrd_s = tn_fact_int(e->src, now);
        h->booted_s = tn_fact_int(e->src, now + 1);
    }
    for (size_t i = 0; i < e->s->modprobe.n; i++) /* no line is younger than the image */
        e->s->modprobe.v[i].changed_s = tn_fact_noint(e->src, TN_UNASKED);
    return restart(e);
}

static enum tn_fix_told uvm(const struct tn_effect_of *e)
{
    struct tn_rec_driver *d = TN_THE(e->s, driver);
    d->uvm = tn_fact_int(e->src, 1);
    if (tn_str_eq(e->r->id, "keep-video-memory"))
        d->preserves = tn_fact_int(e->src, 1);
    if (tn_known(d->cuda_start))
        d->cuda_start = tn_fact_str(e->s, e->src, "CUDA_SUCCESS");
    nodes(e);
    forget_events(e);
    return TN_FIX_TOLD;
}

static enum tn_fix_told fabric(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_service *v = NULL;
    for (size_t i = 0; i < s->service.n; i++)
        if (tn_says(s->service.v[i].name, "nvidia-fabricmanager"))
            v = &s->service.v[i];
    if (!v) {
        v = TN_ADD(s, service);
        v->name = tn_fact_str(s, e->src, "nvidia-fabricmanager");
    }
    v->state = tn_fact_str(s, e->src, "running");
    v->version = TN_THE(s, driver)->version;
    for (size_t i = 0; i < s->gpu.n; i++)
        if (tn_known(s->gpu.v[i].fabric) && !tn_says(s->gpu.v[i].fabric, "not_supported"))
            s->gpu.v[i].fabric = tn_fact_str(s, e->src, "completed");
    if (tn_known(TN_THE(s, driver)->cuda_start))
        TN_THE(s, driver)->cuda_start = tn_fact_str(s, e->src, "CUDA_SUCCESS");
    return TN_FIX_TOLD;
}

static enum tn_fix_told join(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    const char *group = tn_effect_arg(e->r, "group");
    for (size_t i = 0; i < s->node.n; i++) {
        struct tn_rec_node *n = &s->node.v[i];
        bool by_group = n->mode.k != TN_KNOWN || (n->mode.v & 060) == 060;
        if (tn_says(n->group, group) && by_group)
            n->accessible = tn_fact_int(e->src, 1);
    }
    if (tn_says(d->opens, "EACCES"))
        d->opens = tn_fact_str(s, e->src, "ok");
    if (tn_known(d->nvml))
        d->nvml = tn_fact_str(s, e->src, "NVML_SUCCESS");
    if (tn_known(d->cuda_start))
        d->cuda_start = tn_fact_str(s, e->src, "CUDA_SUCCESS");
    return TN_FIX_TOLD;
}

static enum tn_fix_told card_mode(const struct tn_effect_of *e, bool mig)
{
    struct tn_snap *s = e->s;
    const char *index = tn_effect_arg(e->r, "index");
    for (size_t i = 0; i < s->gpu.n; i++) {
        struct tn_rec_gpu *g = &s->gpu.v[i];
        bool this_one =
            tn_says(g->bus, index) || tn_says(g->uuid, index) ||
            (g->index.k == TN_KNOWN && tn_str_eq(tn_arena_printf(e->mem, "%lld", (long long)g->index.v), index));
        if (this_one && mig) {
            g->mig = g->mig_devices = tn_fact_int(e->src, 0);
        } else if (this_one) {
            g->compute_mode = tn_fact_str(s, e->src, "default");
        }
    }
    if (tn_known(TN_THE(s, driver)->cuda_start))
        TN_THE(s, driver)->cuda_start = tn_fact_str(s, e->src, "CUDA_SUCCESS");
    return TN_FIX_TOLD;
}

/* Started anew with the GPU: nodes, and libraries of the module's version, which the host has. Nothing is known of a
 * host that shows no driver in here. */
static enum tn_fix_told given(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    if (!tn_is(d->loaded, 1) || !tn_known(d->version) || tn_known(TN_THE(s, scheduler)->kind))
        return TN_FIX_TOLD_ELSEWHERE;
    libraries(e, d->version.v);
    nodes(e);
    for (size_t i = 0; i < s->node.n; i++)
        if (tn_known(s->node.v[i].path) && tn_str_starts(s->node.v[i].path.v, "/dev/nvidia")) {
            s->node.v[i].allowed = tn_fact_int(e->src, 1);
            s->node.v[i].accessible = tn_fact_int(e->src, 1);
        }
    struct tn_rec_container *c = TN_THE(s, container);
    static const char *const both[] = {"compute", "utility"};
    c->gpus = tn_fact_str(s, e->src, "all");
    c->capabilities = tn_fact_list(s, e->src, both, 2);
    bool changed = false;
    for (size_t i = 0; i < s->variable.n; i++)
        if (tn_says(s->variable.v[i].name, "NVIDIA_VISIBLE_DEVICES")) {
            s->variable.v[i].value = tn_fact_str(s, e->src, "all");
            changed = true;
        }
    (void)changed;
    runs(e, d->version.v);
    return TN_FIX_TOLD;
}

static enum tn_fix_told msvc(const struct tn_effect_of *e)
{
    static const char *const dll[] = {"msvcp140.dll", "msvcp140_1.dll", "vcruntime140.dll", "vcruntime140_1.dll"};
    for (unsigned i = 0; i < TN_LEN(dll); i++) {
        struct tn_rec_library *l = TN_ADD(e->s, library);
        l->stem = tn_fact_strn(e->s, e->src, dll[i], strlen(dll[i]) - 4);
        l->soname = tn_fact_str(e->s, e->src, dll[i]);
        l->kind = tn_fact_str(e->s, e->src, "real");
        l->place = tn_fact_str(e->s, e->src, "system");
        l->reachable = tn_fact_int(e->src, 1);
        l->rank = tn_fact_int(e->src, 0);
        l->bits = tn_fact_int(e->src, 64);
    }
    return TN_FIX_TOLD;
}

static enum tn_fix_told toolkit(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    static const char *const nvidia[] = {"nvidia"};
    bool podman = tn_str_eq(e->r->id, "install-toolkit-podman");
    for (size_t i = 0; i < s->engine.n; i++)
        if (tn_says(s->engine.v[i].name, "docker") && !podman)
            s->engine.v[i].runtimes = tn_fact_list(s, e->src, nvidia, 1);
    struct tn_rec_engine *t = TN_ADD(s, engine);
    t->name = tn_fact_str(s, e->src, "nvidia-container-toolkit");
    t->path = tn_fact_str(s, e->src, "/usr/bin/nvidia-ctk");
    if (podman) {
        struct tn_rec_cdi *c = TN_ADD(s, cdi);
        c->path = tn_fact_str(s, e->src, "/etc/cdi/nvidia.yaml");
        c->kind = tn_fact_str(s, e->src, "nvidia.com/gpu");
        c->rank = tn_fact_int(e->src, 0);
        c->driver = TN_THE(s, driver)->version;
        s->cdi.listed = TN_KNOWN;
    }
    return TN_FIX_TOLD;
}

static enum tn_fix_told cdi(const struct tn_effect_of *e)
{
    const char *path = tn_effect_arg(e->r, "path");
    for (size_t i = 0; i < e->s->cdi.n; i++)
        if (tn_says(e->s->cdi.v[i].path, path))
            e->s->cdi.v[i].driver = TN_THE(e->s, driver)->version;
    return TN_FIX_TOLD;
}

static enum tn_fix_told wsl_path(const struct tn_effect_of *e)
{
    struct tn_snap *s = e->s;
    struct tn_rec_driver *d = TN_THE(s, driver);
    for (size_t i = 0; i < s->library.n; i++) {
        struct tn_rec_library *l = &s->library.v[i];
        if (!tn_known(l->path) || !tn_str_starts(l->path.v, "/usr/lib/wsl/lib/"))
            continue;
        l->reachable = tn_fact_int(e->src, 1);
        l->rank = tn_fact_int(e->src, 0);
        if (tn_says(l->soname, "libcuda.so.1")) {
            d->library_path = l->path;
            d->library_version = tn_known(l->version) ? l->version : d->version;
        }
    }
    found_by_loader(e);
    return TN_FIX_TOLD;
}

enum tn_fix_told tn_effect_system(const struct tn_effect_of *e, enum tn_effect kind)
{
    switch (kind) {
    case TN_EFFECT_RESTART: return restart(e);
    case TN_EFFECT_LOAD: return load(e);
    case TN_EFFECT_BUILD:
        return tn_str_eq(e->r->id, "finish-packages") ? packages_ended(e)
               : tn_str_eq(e->r->id, "gsp-firmware")  ? firmware(e)
                                                      : build(e);
    case TN_EFFECT_KEY: return key(e);
    case TN_EFFECT_UNBLOCK: return unblock(e);
    case TN_EFFECT_RELEASE: return release(e);
    case TN_EFFECT_DRIVER: return driver(e);
    case TN_EFFECT_FLAVOUR: return flavour(e);
    case TN_EFFECT_SAME: return same(e);
    case TN_EFFECT_IMAGE: return image(e);
    case TN_EFFECT_UVM: return uvm(e);
    case TN_EFFECT_FABRIC: return fabric(e);
    case TN_EFFECT_NODES: return join(e);
    case TN_EFFECT_MODE:
    case TN_EFFECT_MIG: return card_mode(e, kind == TN_EFFECT_MIG);
    case TN_EFFECT_GIVEN: return given(e);
    case TN_EFFECT_WSL_PATH: return wsl_path(e);
    case TN_EFFECT_MSVC: return msvc(e);
    case TN_EFFECT_TOOLKIT: return toolkit(e);
    case TN_EFFECT_CDI: return cdi(e);
    default: return TN_FIX_TOLD_TRY;
    }
}
