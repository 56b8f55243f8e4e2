/* shadow.c - files that Python would import in place of an installed package: a torch.py beside the program.
 *
 * Source: CPython's documents, "sys.path initialisation" and "The module search path": the folder of the program (or
 * the current one) comes first, unless PYTHONSAFEPATH is set, then PYTHONPATH, the standard library, the site folders.
 * A folder without __init__.py is a namespace package and loses to every other (PEP 420). Only names are asked for:
 * nothing is listed, however large the current folder is. */
#include <string.h>

#include "base/str.h"
#include "probe/ask.h"
#include "probe/probe.h"

/* file: what a real package of that name holds; one that has it was put there on purpose. */
static const struct {
    const char *module, *inside;
    bool library; /* of Python itself: only what comes before the standard library hides it */
} modules[] = {
    {"google", "protobuf/__init__.py", false},
    {"jax", "version.py", false},
    {"jaxlib", "version.py", false},
    {"keras", "api/__init__.py", false},
    {"numpy", "version.py", false},
    {"onnxruntime", "capi/__init__.py", false},
    {"tensorflow", "python/__init__.py", false},
    {"torch", "version.py", false},
    /* Modules that frameworks import while they start, and that people name programs after. */
    {"code", NULL, true},
    {"copy", NULL, true},
    {"inspect", NULL, true},
    {"logging", NULL, true},
    {"platform", NULL, true},
    {"profile", NULL, true},
    {"queue", NULL, true},
    {"random", NULL, true},
    {"select", NULL, true},
    {"signal", NULL, true},
    {"string", NULL, true},
    {"tempfile", NULL, true},
    {"types", NULL, true},
};

static char type_of(struct tn_probe_ctx *c, const char *path)
{
    struct tn_answer a = tn_world_stat(c->w, path);
    return a.got == TN_KNOWN ? a.st.type : 0;
}

static const char *native(struct tn_probe_ctx *c, const char *below)
{
    char *own = tn_arena_strdup(c->tmp, below);
    for (char *at = own; c->w->style == TN_PATH_WINDOWS && *at; at++)
        if (*at == '/')
            *at = '\\';
    return own;
}

static void add(struct tn_probe_ctx *c, const char *by, const char *module, const char *type, const char *path)
{
    const struct tn_rec_env *e = tn_snap_judged(c->s);
    struct tn_rec_shadow *r = TN_ADD(c->s, shadow);
    uint32_t src = tn_snap_src(c->s, TN_KNOWN, NULL, "stat %s", path);
    r->env = e ? e->id : tn_fact_nostr(src, TN_ABSENT);
    r->module = tn_fact_str(c->s, src, module);
    r->by = tn_fact_str(c->s, src, by);
    r->type = tn_fact_str(c->s, src, type);
    r->path = tn_fact_str(c->s, src, path);
}

static void look(struct tn_probe_ctx *c, const char *folder, const char *by)
{
    bool before_library = strcmp(by, "user") != 0;
    for (size_t i = 0; i < TN_LEN(modules); i++) {
        const char *package = tn_path_join(c->tmp, c->w->style, folder, modules[i].module);
        const char *file = tn_arena_printf(c->tmp, "%s.py", package);
        if (modules[i].library && !before_library)
            continue;
        if (type_of(c, package) == 'd') { /* a package goes before a file of the same name */
            const char *init = tn_path_join(c->tmp, c->w->style, package, "__init__.py");
            bool is_package = type_of(c, init) == 'f';
            if (modules[i].inside &&
                type_of(c, tn_path_join(c->tmp, c->w->style, package, native(c, modules[i].inside))) == 'f')
                continue;
            if (is_package) {
                add(c, by, modules[i].module, "package", package);
                continue;
            }
            if (!modules[i].library && type_of(c, file) != 'f')
                add(c, by, modules[i].module, "folder", package);
        }
        if (type_of(c, file) == 'f')
            add(c, by, modules[i].module, "file", file);
    }
}

static bool is_site(const struct tn_probe_ctx *c, const char *folder)
{
    const struct tn_rec_env *e = tn_snap_judged(c->s);
    for (uint32_t i = 0; e && e->site.k == TN_KNOWN && i < e->site.n; i++)
        if (tn_path_same(c->w->style, e->site.v[i], folder))
            return true;
    return false;
}

/* Folders of the standard library and of site folders are no place where somebody keeps programs. */
static void look_current(struct tn_probe_ctx *c)
{
    struct tn_answer a = tn_world_sys(c->w, c->tmp, "cwd"), safe = tn_world_env(c->w, c->tmp, "PYTHONSAFEPATH");
    const char *cwd = a.got == TN_KNOWN ? (const char *)a.data.p : NULL;
    if (!cwd || !tn_path_is_abs(c->w->style, cwd) || (safe.got == TN_KNOWN && safe.data.n) || is_site(c, cwd) ||
        tn_str_starts(tn_path_base(c->w->style, cwd), "python"))
        return;
    look(c, cwd, "cwd");
}

static void shadow_run(struct tn_probe_ctx *c)
{
    const struct tn_rec_env *e = tn_snap_judged(c->s);
    const char *path = tn_probe_env(c, "PYTHONPATH", NULL);
    char sep = c->w->style == TN_PATH_WINDOWS ? ';' : ':';
    if (!e)
        return;
    look_current(c);
    for (unsigned n = 0; path && *path && n < 16; n++) {
        const char *end = strchr(path, sep);
        size_t len = end ? (size_t)(end - path) : strlen(path);
        const char *at = tn_arena_strndup(c->tmp, path, len);
        if (tn_path_is_abs(c->w->style, at))
            look(c, at, "path");
        path += len + (end != NULL);
    }
    for (uint32_t i = 0; tn_is(e->user_site, 1) && e->site.k == TN_KNOWN && i < e->site.n; i++)
        if (tn_known(TN_THE(c->s, host)->home) &&
            tn_path_under(c->w->style, e->site.v[i], TN_THE(c->s, host)->home.v) &&
            !(tn_known(e->path) && tn_path_under(c->w->style, e->site.v[i], e->path.v)))
            look(c, e->site.v[i], "user");
    c->s->shadow.listed = TN_KNOWN;
    c->s->shadow.src = tn_snap_src(c->s, TN_KNOWN, NULL, "folders before the site folders");
}

TN_PROBE(shadow, TN_PHASE_PYTHON, shadow_run,
         "files named like a module that Python would import in its place, from the folders that it searches first",
         .gives = TN_HAS(shadow), .reads = TN_HAS(env) | TN_HAS(host));
