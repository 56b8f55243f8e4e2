/* library_damaged.c - the loader takes a file for a library and stops at it: empty, cut short, no library at all.
 *
 * It does not go on to the next folder then (glibc elf/dl-load.c, open_verify: "file too short", "invalid ELF header").
 * The loader's answer is the fact (record load). */
#include "base/str.h"
#include "check/look.h"

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        size_t load = 0;
        for (const struct tn_rec_load *r; (r = tn_look_load_next(j, fw, &load));) {
            if (tn_known(r->after) || !tn_says(r->fault, "damaged") || !tn_known(r->path) ||
                !tn_says(r->culprit, tn_look_text(r->name, "")) || tn_says(r->class, "harmless") ||
                (!tn_known(r->place) &&
                 !tn_says(r->how, "file"))) /* NVIDIA's libraries and the framework's own files */
                continue;
            struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(load, load - 1, path));
            f->variant = "library";
            tn_look_name(out, f, j, row - 1);
            tn_find_arg(out, f, "path", "%s", r->path.v);
            tn_find_arg(out, f, "error", "%s", tn_look_text(r->error, "?"));
            tn_find_evidence(f, TN_REF(load, load - 1, path));
            tn_find_evidence(f, TN_REF(load, load - 1, error));
            tn_look_remedy_pip_choice(j, out, f, fw);
            break;
        }
    }
}

TN_CHECK(library_damaged, "framework-corrupt", run, .needs = TN_NEEDS_LIBRARY);
