/* non_ascii_path.c - Windows: an environment in a folder whose name some library cannot handle.
 *
 * Only what is documented as failing: NVRTC on Windows cannot open an include folder outside ASCII (hashcat issue
 * 4885), so CuPy, which compiles at run time against headers of its own folder, fails there (cupy issue 7581); and
 * TensorFlow 1.x cannot load op libraries from such a folder (tensorflow issue 9481). Others work, and on Linux all do:
 * silence. */
#include "check/look.h"
#include "version/dotted.h"

static bool is_cupy(const struct tn_rec_framework *f)
{
    return tn_says(f->name, "cupy") && tn_is(f->gpu_build, 1);
}

static bool is_tensorflow_1(const struct tn_rec_framework *f)
{
    return tn_says(f->name, "tensorflow") && tn_known(f->version) && tn_version_dotted_major(f->version.v) == 1;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (!tn_says(TN_THE(j->s, host)->os, "windows") || j->env == NULL || !tn_is(j->env->path_ascii, 0))
        return;
    for (size_t i = 0; i < j->s->framework.n; i++) { /* CuPy's rows are no framework's: all are looked at */
        const struct tn_rec_framework *fw = &j->s->framework.v[i];
        bool cupy = is_cupy(fw);
        if (!tn_judge_sees(j, fw->env) || (!cupy && !is_tensorflow_1(fw)))
            continue;
        struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(env, j->env_row, path));
        f->variant = cupy ? NULL : "tensorflow";
        tn_look_name(out, f, j, i);
        tn_find_arg(out, f, "folder", "%s", tn_look_text(j->env->path, "?"));
        tn_find_evidence(f, TN_REF(env, j->env_row, path));
        tn_find_remedy(out, f, "ascii-environment", tn_says(j->env->kind, "conda") ? "conda" : NULL);
    }
}

TN_CHECK(non_ascii_path, "non-ascii-path", run, .needs = TN_NEEDS_FRAMEWORK);
