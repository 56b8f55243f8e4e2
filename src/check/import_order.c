/* import_order.c - two frameworks of one environment want different copies of a library: whoever is imported first
 * wins.
 *
 * Rule: a name that is loaded already is not searched again (glibc elf/dl-load.c, _dl_map_object), RTLD_LOCAL or not.
 * cuDNN refuses to serve a program that was built for a newer minor ("Loaded runtime CuDNN library: 9.1.0 but source
 * was compiled with: 9.3.0": xla/stream_executor/cuda/cuda_dnn.cc). Only a program that imports both meets it: a
 * warning. */
#include "base/str.h"
#include "check/look.h"
#include "facts/cudnn.h"
#include "version/dotted.h"

/* What the framework gets alone is good for it, what it gets after the other is older than its build. */
static bool is_worse(const struct tn_judge *j, const struct tn_rec_framework *fw, const struct tn_rec_load *after)
{
    size_t alone = tn_look_load(j, fw, after->name.v);
    const char *built = tn_look_cudnn(j->s, fw);
    if (alone == j->s->load.n || !tn_says(j->s->load.v[alone].outcome, "found"))
        return false;
    if (tn_says(after->outcome, "stops") || tn_says(after->outcome, "missing"))
        return tn_says(after->class, "required");
    return tn_facts_cudnn_major(after->name.v) > 0 && tn_says(after->outcome, "found") && tn_known(after->version) &&
           tn_version_dotted_count(built) > 1 && tn_version_dotted_cmp_parts(after->version.v, built, 2) < 0;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        size_t load = 0;
        for (const struct tn_rec_load *r; (r = tn_look_load_next(j, fw, &load));) {
            if (!tn_known(r->after) || !tn_known(r->name) || !is_worse(j, fw, r))
                continue;
            struct tn_finding *f = tn_find(out, TN_POSSIBLE, TN_REF(load, load - 1, path));
            f->severity = TN_WARNING;
            f->variant = tn_says(r->outcome, "found") ? NULL : "fails";
            tn_look_name(out, f, j, row - 1);
            tn_find_arg(out, f, "other", "%s", r->after.v);
            tn_find_arg(out, f, "file", "%s", r->name.v);
            tn_find_arg(out, f, "found", "%s", tn_look_text(r->version, "?"));
            tn_find_arg(out, f, "built", "%s", tn_look_cudnn(j->s, fw));
            tn_find_evidence(f, TN_REF(load, load - 1, path));
            tn_find_evidence(f, TN_REF(load, load - 1, after));
            tn_remedy_arg(out, tn_find_remedy(out, f, "import-first", NULL), "name", "%s", tn_look_text(fw->name, ""));
            break;
        }
    }
}

TN_CHECK(import_order, "import-order", run, .needs = TN_NEEDS_LIBRARY);
