/* stub_libcuda_loaded.c - the toolkit's link-time stand-in for libcuda is what programs load.
 *
 * It exists to link against without a driver and answers every call with error 34 (cuda.h: CUDA_ERROR_STUB_LIBRARY);
 * it is met when .../lib64/stubs lies on LD_LIBRARY_PATH or in ld.so.conf. One that merely lies in a toolkit is
 * where it belongs. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

/* The folders of the list that are no stubs; NULL when none is one. */
static const char *without_stubs(struct tn_arena *mem, const char *list)
{
    const char *rest = "";
    bool any = false;
    while (*list) {
        size_t n = strcspn(list, ":");
        const char *dir = tn_arena_strndup(mem, list, n);
        bool stubs = tn_str_ends(dir, "/stubs") || tn_str_ends(dir, "/stubs/");
        if (!stubs && n)
            rest = tn_arena_printf(mem, "%s%s%s", rest, *rest ? ":" : "", dir);
        any |= stubs;
        list += n + (list[n] == ':');
    }
    return any ? rest : NULL;
}

/* The one that a framework of the environment gets, where the loader's answer is known; else any program's. */
static size_t libcuda(const struct tn_judge *j)
{
    size_t load = tn_look_load(j, NULL, "libcuda.so.1");
    for (size_t i = 0; load < j->s->load.n && i < j->s->library.n; i++)
        if (tn_look_is_loaded(j, load, &j->s->library.v[i]))
            return i;
    return tn_look_libcuda(j->s);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t i = libcuda(j);
    if (i == s->library.n || !tn_says(s->library.v[i].kind, "stub"))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, i, kind));
    tn_find_arg(out, f, "path", "%s", tn_look_text(s->library.v[i].path, "libcuda.so.1"));
    tn_find_evidence(f, TN_REF(library, i, kind));
    tn_find_evidence(f, TN_REF(library, i, path));
    size_t v = tn_look_variable(s, "LD_LIBRARY_PATH");
    const char *rest = v < s->variable.n ? without_stubs(out->mem, s->variable.v[v].value.v) : NULL;
    if (rest == NULL) {
        tn_find_remedy(out, f, "find-stubs-line", NULL);
        return;
    }
    tn_find_evidence(f, TN_REF(variable, v, value));
    tn_remedy_arg(out, tn_find_remedy(out, f, "drop-stubs-folder", *rest ? "value" : "unset"), "value", "%s", rest);
}

TN_CHECK(stub_libcuda_loaded, "stub-libcuda-loaded", run, .needs = TN_NEEDS_LIBRARY);
