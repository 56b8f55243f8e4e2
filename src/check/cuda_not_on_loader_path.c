/* cuda_not_on_loader_path.c - the very libraries that a framework opens lie in a toolkit that nobody searches.
 *
 * On Linux a toolkit counts once ldconfig or LD_LIBRARY_PATH names its folder, on Windows once PATH does: that of this
 * very terminal, which is older than what an installer has just written into the registry (Microsoft, "Environment
 * Variables": a process inherits them from the one that starts it). */
#include "base/path.h"
#include "base/str.h"
#include "check/look.h"

/* The row by which new terminals search the folder; search.n: none. */
static size_t for_new_terminals(const struct tn_snap *s, const char *dir)
{
    size_t i = 0;
    for (; i < s->search.n; i++) {
        const struct tn_rec_search *r = &s->search.v[i];
        if ((tn_says(r->by, "machine PATH") || tn_says(r->by, "user PATH")) && tn_known(r->path) &&
            tn_path_same(TN_PATH_WINDOWS, r->path.v, dir))
            break;
    }
    return i;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t row, const struct tn_look_cuda_libs *libs)
{
    const struct tn_rec_library *l = &j->s->library.v[libs->unreached[0]];
    enum tn_path_style style = tn_snap_style(j->s);
    const char *dir = tn_known(l->path) ? tn_path_dir(out->mem, style, l->path.v) : "?";
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(library, libs->unreached[0], reachable));
    size_t soon = style == TN_PATH_WINDOWS ? for_new_terminals(j->s, dir) : j->s->search.n;
    f->variant = soon < j->s->search.n ? "terminal" : style == TN_PATH_WINDOWS ? "windows" : NULL;
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "file", "%s", tn_look_text(l->soname, "?"));
    tn_find_arg(out, f, "dir", "%s", dir);
    tn_find_evidence(f, TN_REF(framework, row, asks));
    for (unsigned i = 0; i < libs->n_unreached; i++)
        tn_find_evidence(f, TN_REF(library, libs->unreached[i], reachable));
    if (soon < j->s->search.n) {
        tn_find_evidence(f, TN_REF(search, soon, path));
        tn_find_remedy(out, f, "new-terminal", NULL);
    }
    /* Everything that is asked for is there: on Linux a variable does. Windows' DLL rules want more than PATH. */
    if (style == TN_PATH_POSIX && libs->n_missing == 0) {
        struct tn_remedy *r = tn_find_remedy(out, f, "search-cuda-folder", NULL);
        tn_remedy_arg(out, r, "dir", "%s", dir);
        tn_remedy_arg(out, r, "value", "%s", tn_look_search_value(j, out->mem, libs->unreached, libs->n_unreached));
    }
    tn_look_remedy_env_cuda(j, out, f, row);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    struct tn_look_cuda_libs libs;
    while (tn_look_gpu_build(j, out, &row)) {
        if (!tn_look_cuda_libs(j, out, row - 1, &libs) || libs.n_unreached == 0)
            continue;
        /* reachable not asked is not "not reachable". */
        const struct tn_rec_library *l = &j->s->library.v[libs.unreached[0]];
        if (l->reachable.k == TN_KNOWN)
            report(j, out, row - 1, &libs);
        else
            tn_untestable(out, TN_REF(library, libs.unreached[0], reachable));
    }
}

TN_CHECK(cuda_not_on_loader_path, "cuda-not-on-loader-path", run, .needs = TN_NEEDS_LIBRARY | TN_HAS(search));
