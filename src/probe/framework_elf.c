/* framework_elf.c - where a framework's own object looks for CUDA libraries, and which it cannot do without.
 *
 * Rule: of an object that opens or needs a library its own DT_RUNPATH counts (DT_RPATH if it has no DT_RUNPATH),
 * ld.so(8). Entries are turned into folders relative to the site folder: those inside it are kept whether they exist
 * or not (installing a wheel makes them), those outside (a conda prefix's lib) and those below the package itself only
 * when they do, each once. Bazel's
 * _solib_ folders never exist outside the build. */
#include <string.h>

#include "base/str.h"
#include "probe/framework.h"

#define MAX_DIRS 128u

static bool has(const char *const *list, size_t n, const char *one)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], one) == 0)
            return true;
    return false;
}

/* "nvidia/cublas/lib", "../.." or an absolute folder; NULL for an entry that leads nowhere. */
static const char *live_dir(struct tn_pyfw *f, struct tn_arena *mem, const char *origin, const char *entry)
{
    static const char *const token[] = {"$ORIGIN", "${ORIGIN}"};
    const char *at = NULL;
    if (strstr(entry, "_solib_"))
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (tn_str_starts(entry, token[i])) {
            const char *rest = entry + strlen(token[i]);
            at =
                tn_path_norm(mem, TN_PATH_POSIX, tn_arena_printf(mem, "%s%s%s", origin, *rest == '/' ? "" : "/", rest));
        }
    if (!at) {
        if (entry[0] != '/' || strchr(entry, '$')) /* a relative one is searched from the current folder */
            return NULL;
        at = tn_path_norm(mem, TN_PATH_POSIX, entry);
    }
    /* JAX's and TensorFlow's entries come in two depths; one of the two ends in the package's own folder */
    size_t own = strcspn(origin, "/");
    bool dead_form = strncmp(at, origin, own) == 0 && at[own] == '/' && strcmp(at, origin) != 0;
    bool outside = at[0] == '/' || tn_str_starts(at, "..");
    if ((outside || dead_form) && !tn_world_is_dir(f->p->w, tn_pyenv_join(f->p, f->site->path, at)))
        return NULL;
    return at;
}

static void set_dirs(struct tn_pyfw *f, struct tn_arena *mem, const char *below, const char *run_path, uint32_t src)
{
    const char *origin = tn_path_dir(mem, TN_PATH_POSIX, below), *dir[MAX_DIRS];
    size_t n = 0;
    for (const char *p = run_path; p && *p && n < MAX_DIRS;) {
        size_t len = strcspn(p, ":");
        const char *at = len ? live_dir(f, mem, origin, tn_arena_strndup(mem, p, len)) : NULL;
        if (at && !has(dir, n, at))
            dir[n++] = at;
        p += len + (p[len] != 0);
    }
    tn_pyfw_row(f)->dirs = tn_fact_list(f->p->s, src, dir, n);
}

/* CUDA libraries; the driver's own (libcuda, libnvidia-*) are another matter. */
static bool is_cuda(const char *name)
{
    static const char *const head[] = {"libcublas",   "libcudart", "libcudnn",     "libcufft",
                                       "libcufile",   "libcupti",  "libcurand",    "libcusolver",
                                       "libcusparse", "libnccl",   "libnvJitLink", "libnvToolsExt",
                                       "libnvinfer",  "libnvrtc",  "libnvshmem",   NULL};
    for (unsigned i = 0; head[i]; i++)
        if (tn_str_starts(name, head[i]))
            return true;
    return false;
}

bool tn_pyfw_elf(struct tn_pyfw *f, const char *below, bool needs)
{
    struct tn_arena mem;
    struct tn_world_file file;
    struct tn_elf elf;
    struct tn_err err;
    enum tn_know got;
    if (f->p->st == TN_PATH_WINDOWS)
        return false;
    const char *path = tn_pyenv_join(f->p, f->site->path, below);
    tn_arena_init(&mem);
    int rc = tn_world_open(f->p->w, &mem, path, &file, &got, &err);
    if (rc == 0 && (rc = tn_image_elf_open(&file.view, &mem, &elf, &err)) != 0)
        got = TN_FAILED;
    if (got != TN_ABSENT) {
        uint32_t src = tn_snap_src(f->p->s, got, rc ? err.text : NULL, "read %s", path);
        struct tn_rec_framework *r = tn_pyfw_row(f);
        if (rc) {
            r->dirs = tn_fact_nolist(src, got);
            if (needs)
                r->asks = tn_fact_nolist(src, got);
        } else {
            tn_pyfw_needs_of_elf(f, &elf, src);
            set_dirs(f, &mem, below, elf.runpath ? elf.runpath : elf.rpath, src);
            size_t n = 0;
            for (size_t i = 0; needs && i < elf.n_needed; i++)
                if (is_cuda(elf.needed[i]))
                    elf.needed[n++] = elf.needed[i];
            if (needs)
                tn_pyfw_row(f)->asks = tn_fact_list(f->p->s, src, elf.needed, n);
        }
    }
    tn_arena_deinit(&mem);
    return got != TN_ABSENT;
}
