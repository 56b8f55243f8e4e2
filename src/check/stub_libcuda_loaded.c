/* stub_libcuda_loaded.c - the toolkit's link-time stand-in for libcuda is what programs load.
 *
 * It exists to link against without a driver and answers every call with error 34 (cuda.h: CUDA_ERROR_STUB_LIBRARY);
 * it is met when .../lib64/stubs lies on LD_LIBRARY_PATH or in ld.so.conf. One that merely lies in a toolkit is
 * where it belongs. */
#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t i = tn_look_libcuda(s);
    if (i == s->library.n || !tn_says(s->library.v[i].kind, "stub"))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(library, i, kind));
    tn_find_arg(out, f, "path", "%s", tn_look_text(s->library.v[i].path, "libcuda.so.1"));
    tn_find_evidence(f, TN_REF(library, i, kind));
    tn_find_evidence(f, TN_REF(library, i, path));
    for (size_t v = 0; v < s->variable.n; v++)
        if (tn_says(s->variable.v[v].name, "LD_LIBRARY_PATH"))
            tn_find_evidence(f, TN_REF(variable, v, value));
    tn_find_remedy(out, f, "drop-stubs-folder", NULL);
}

TN_CHECK(stub_libcuda_loaded, "stub-libcuda-loaded", run);
