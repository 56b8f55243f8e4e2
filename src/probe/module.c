/* module.c - kernel module files of GPU drivers, in the folders of every installed kernel.
 *
 * Invariant: only the main module (nvidia, nvidia-current ...) of a kernel is opened, and a compressed one only for
 * the kernel that runs or is the only one, when no driver is loaded: unpacking takes long (65 MB), the loaded driver
 * states its version itself (of the file DKMS' own link tells it), and the helpers come from the same package.
 * Sources: depmod.d(5) for updates and weak-updates; dkms(8) for updates/dkms; the packages of Debian (renamed
 * files: nvidia-current.ko), Ubuntu (kernel/nvidia-535), Fedora (extra/nvidia), Arch (extramodules). */
#include <string.h>

#include "base/str.h"
#include "image/modinfo.h"
#include "probe/module.h"
#include "version/dotted.h"

#define BASE "/lib/modules"
#define DKMS "/var/lib/dkms"
#define MAX_KERNELS 32u
#define MAX_FILES 256u
#define MAX_UNPACKED 4u

static bool parse_name(struct tn_arena *mem, const char *file, const char **ret_name, bool *ret_packed)
{
    const char *ko = strstr(file, ".ko");
    if (!ko || !(tn_str_starts(file, "nvidia") || tn_str_starts(file, "nouveau.ko")))
        return false;
    if (ko[3] && !tn_str_eq(ko + 3, ".xz") && !tn_str_eq(ko + 3, ".zst") && !tn_str_eq(ko + 3, ".gz"))
        return false;
    *ret_name = tn_arena_strndup(mem, file, (size_t)(ko - file));
    *ret_packed = ko[3] != 0;
    return !tn_str_starts(*ret_name, "nvidiafb");
}

/* The driver itself, not one of its helpers. */
static bool is_main(const char *name)
{
    static const char *const parts[] = {"-uvm",       "-drm", "-modeset", "-peermem", "-fs",
                                        "-vgpu-vfio", "_uvm", "_drm",     "_modeset", "_peermem"};
    if (!tn_str_starts(name, "nvidia"))
        return false;
    for (unsigned i = 0; i < TN_LEN(parts); i++)
        if (tn_str_ends(name, parts[i]))
            return false;
    return true;
}

static void look_inside(struct tn_probe_ctx *c, struct tn_rec_module *m, const char *path)
{
    struct tn_world_file f;
    struct tn_modinfo info;
    struct tn_err err;
    enum tn_know got;
    int rc = tn_world_open(c->w, c->tmp, path, &f, &got, &err);
    if (!rc && (rc = tn_image_modinfo_read(&f.view, c->tmp, &info, &err)))
        got = tn_know_of_error(rc) == TN_DENIED ? TN_DENIED : TN_FAILED;
    uint32_t src = tn_snap_src(c->s, got, rc ? err.text : NULL, "read %s", path);
    if (rc) {
        m->version = m->flavour = tn_fact_nostr(src, got);
        m->has_signature = tn_fact_noint(src, got);
        return;
    }
    m->version = tn_fact_str(c->s, src, info.version);
    /* license=NVIDIA is the closed one, "Dual MIT/GPL" the open one (MODULE_LICENSE of each). */
    m->flavour = tn_fact_str(c->s, src,
                             !info.license                       ? NULL
                             : tn_str_eq(info.license, "NVIDIA") ? "proprietary"
                             : strstr(info.license, "GPL")       ? "open"
                                                                 : NULL);
    m->has_signature = tn_fact_int(src, info.signature);
}

/* DKMS says which version it has put there: NAME/kernel-KERNEL-ARCH is a link to VERSION/KERNEL/ARCH (dkms(8)). */
static void ask_dkms(struct tn_probe_ctx *c, struct tn_rec_module *m, const char *kernel)
{
    const struct tn_rec_host *h = TN_THE(c->s, host);
    if (!tn_known(h->arch))
        return;
    const char *link = tn_arena_printf(c->tmp, DKMS "/%s/kernel-%s-%s", m->name.v, kernel, h->arch.v);
    struct tn_answer a = tn_world_link(c->w, c->tmp, link);
    const char *to = (const char *)a.data.p;
    size_t n = a.got == TN_KNOWN ? strcspn(to, "/") : 0;
    const char *version = n && to[n] == '/' ? tn_arena_strndup(c->tmp, to, n) : NULL;
    if (version && tn_version_dotted_ok(version))
        m->version = tn_fact_str(c->s, tn_probe_src(c->s, "link", link, &a), version);
}

static void look_time(struct tn_probe_ctx *c, struct tn_rec_module *m, const char *path)
{
    struct tn_answer a = tn_world_stat(c->w, path);
    if (a.got == TN_KNOWN && a.st.mtime > 0)
        m->changed_s = tn_fact_int(tn_probe_src(c->s, "stat", path, &a), a.st.mtime);
}

static void look_folder(struct tn_probe_ctx *c, const char *kernel, uint32_t by, bool running_known, bool running,
                        bool unpack, const char *dir)
{
    struct tn_answer a = tn_world_list(c->w, c->tmp, dir);
    uint32_t src = 0;
    for (size_t i = 0; i < a.n_entry && c->s->module.n < MAX_FILES; i++) {
        const char *name;
        bool packed;
        if (a.entry[i].type == 'd' || !parse_name(c->tmp, a.entry[i].name, &name, &packed))
            continue;
        if (!src)
            src = tn_probe_src(c->s, "list", dir, &a);
        const char *path = tn_path_join(c->tmp, TN_PATH_POSIX, dir, a.entry[i].name);
        struct tn_rec_module *m = TN_ADD(c->s, module);
        m->name = tn_fact_str(c->s, src, name);
        m->kernel = tn_fact_str(c->s, by, kernel);
        if (running_known)
            m->running = tn_fact_int(TN_THE(c->s, host)->kernel.src, running);
        m->path = tn_fact_str(c->s, src, path);
        if (is_main(name) && running)
            look_time(c, m, path);
        if (is_main(name) && (!packed || unpack))
            look_inside(c, m, path);
        else if (is_main(name) && tn_str_ends(dir, "/updates/dkms"))
            ask_dkms(c, m, kernel);
    }
}

static void look_kernel(struct tn_probe_ctx *c, const char *kernel, uint32_t by, bool only)
{
    static const char *const folders[] = {"updates/dkms",
                                          "updates",
                                          "updates/nvidia",
                                          "extra",
                                          "extra/nvidia",
                                          "extramodules",
                                          "weak-updates",
                                          "weak-updates/nvidia",
                                          "misc",
                                          "kernel/drivers/video",
                                          "kernel/drivers/video/nvidia",
                                          "kernel/drivers/gpu/drm/nouveau"};
    const struct tn_rec_host *h = TN_THE(c->s, host);
    /* In another root folder the kernel's release is at best a guess from this same list. */
    bool running_known = tn_known(h->kernel) && tn_probe_running(c);
    bool running = running_known && tn_str_eq(h->kernel.v, kernel);
    bool unpack = (running || only) && !tn_is(TN_THE(c->s, driver)->loaded, 1);
    const char *base = tn_arena_printf(c->tmp, BASE "/%s", kernel);
    for (unsigned i = 0; i < TN_LEN(folders); i++)
        look_folder(c, kernel, by, running_known, running, unpack, tn_arena_printf(c->tmp, "%s/%s", base, folders[i]));
    const char *ubuntu = tn_arena_printf(c->tmp, "%s/kernel", base);
    struct tn_answer a = tn_world_list(c->w, c->tmp, ubuntu);
    for (size_t i = 0; i < a.n_entry; i++)
        if (tn_str_starts(a.entry[i].name, "nvidia-"))
            look_folder(c, kernel, by, running_known, running, unpack,
                        tn_arena_printf(c->tmp, "%s/%s", ubuntu, a.entry[i].name));
}

void tn_probe_module_versions(struct tn_probe_ctx *c)
{
    unsigned n = 0;
    if (!tn_is(TN_THE(c->s, driver)->loaded, 1))
        return;
    for (size_t i = 0; i < c->s->module.n && n < MAX_UNPACKED; i++) {
        struct tn_rec_module *m = &c->s->module.v[i];
        if (m->version.k == TN_UNASKED && tn_known(m->name) && tn_known(m->path) && is_main(m->name.v)) {
            look_inside(c, m, m->path.v);
            n++;
        }
    }
}

static void look(struct tn_probe_ctx *c)
{
    if (tn_probe_is_windows(c))
        return;
    struct tn_answer a = tn_world_list(c->w, c->tmp, BASE);
    uint32_t src = tn_probe_src(c->s, "list", BASE, &a);
    size_t n = 0;
    for (size_t i = 0; i < a.n_entry; i++)
        n += a.entry[i].type != 'f';
    for (size_t i = 0, k = 0; i < a.n_entry && k < MAX_KERNELS; i++)
        if (a.entry[i].type != 'f') {
            look_kernel(c, a.entry[i].name, src, n == 1);
            k++;
        }
    /* "absent" in a container and for a kernel without modules: there is no folder at all. */
    c->s->module.listed = a.got;
    c->s->module.src = src;
}

TN_PROBE(module, TN_PHASE_DRIVER, look, "module files of every installed kernel; from /lib/modules",
         .gives = TN_HAS(module), .reads = TN_HAS(driver));
