/* foreign_loader.c - the interpreter is started by a dynamic loader of Nix, Guix or Homebrew, which knows nothing of
 * the system's folders.
 *
 * Sources: ld.so(8): the cache and the default folders are those that the loader was built with; nixpkgs patches the
 * cache away (glibc dont-use-system-ld-so-cache.patch) and Guix reads one below the package's own prefix (gnu/packages/
 * base.scm); both keep the driver out of reach but for LD_LIBRARY_PATH or a run path, which packages of Nix itself have
 * (/run/opengl-driver/lib, autoAddDriverRunpath). Homebrew's lib/ld.so is a link to the system's loader where that is
 * new enough (probe: links resolved). A wheel from an index has no such run path. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

static const char *family(const char *loader)
{
    if (tn_str_starts(loader, "/nix/"))
        return "Nix";
    if (tn_str_starts(loader, "/gnu/store/"))
        return "Guix";
    return strstr(loader, "linuxbrew/") ? "Homebrew" : NULL;
}

/* Does LD_LIBRARY_PATH lead to the driver's library? */
static bool is_led(const struct tn_judge *j, const char *library)
{
    size_t at = tn_look_variable(j->s, "LD_LIBRARY_PATH");
    const char *v = at < j->s->variable.n ? j->s->variable.v[at].value.v : "", *end = strrchr(library, '/');
    size_t n = end ? (size_t)(end - library) : 0;
    for (const char *p = v; *p;) {
        size_t len = strcspn(p, ":");
        if ((n && len == n && strncmp(p, library, n) == 0) || tn_str_starts(p, "/run/opengl-driver/lib"))
            return true;
        p += len + (p[len] == ':');
    }
    return false;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0, lib = tn_look_libcuda(j->s);
    const char *loader = j->env ? tn_look_text(j->env->loader, "") : "", *of = family(loader);
    if (!of || j->expect == TN_EXPECT_CPU)
        return;
    const char *library = lib < j->s->library.n ? tn_look_text(j->s->library.v[lib].path, "") : "";
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        const char *path = tn_look_text(fw->path, "");
        if (tn_str_starts(path, "/nix/store/") || tn_str_starts(path, "/gnu/store/") || is_led(j, library))
            continue; /* built for that loader */
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(env, j->env_row, loader));
        tn_look_name(out, f, j, row - 1);
        tn_find_arg(out, f, "loader", "%s", loader);
        tn_find_arg(out, f, "family", "%s", of);
        tn_find_evidence(f, TN_REF(env, j->env_row, loader));
        tn_find_evidence(f, TN_REF(env, j->env_row, interpreter));
        if (tn_says(TN_THE(j->s, host)->distro, "nixos"))
            tn_find_remedy(out, f, "search-driver-folder", "nixos");
        else
            tn_find_remedy(out, f, "use-system-python", NULL);
        return;
    }
}

TN_CHECK(foreign_loader, "foreign-loader", run, .needs = TN_NEEDS_LIBRARY | TN_NEEDS_EXPECT);
