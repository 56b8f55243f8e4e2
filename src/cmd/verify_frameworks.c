/* verify_frameworks.c - see verify_frameworks.h. */
#include "cmd/verify_frameworks.h"

#include "base/path.h"
#include "base/str.h"
#include "check/look.h"
#include "os/os.h"
#include "version/dotted.h"

/* From 2.12 on the C API is in a library of its own, which needs no Python (libtensorflow_cc.so.2). */
static bool has_c_api(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    return tn_says(f->name, "tensorflow") && tn_known(f->path) && tn_known(f->version) &&
           tn_look_platform(s) != TN_PLATFORM_WINDOWS && tn_version_dotted_cmp(f->version.v, "2.12") >= 0;
}

static void by_c_api(struct tn_cmd_ctx *c, const struct tn_rec_framework *f, struct tn_verify_framework *ret)
{
    static const char *const names[] = {"libtensorflow_framework.so.2", "libtensorflow_cc.so.2"};
    const char **list = tn_arena_array(c->mem, TN_LEN(names) + 1, sizeof *list);
    for (unsigned i = 0; i < TN_LEN(names); i++)
        list[i] = tn_path_join(c->mem, tn_os_path_style(), f->path.v, names[i]);
    list[TN_LEN(names)] = NULL;
    ret->library = list;
    ret->file = list[1];
}

static void add(struct tn_cmd_ctx *c, const struct tn_judge *j, const struct tn_rec_framework *f,
                struct tn_verify_framework *ret)
{
    const char *interpreter = tn_known(j->env->interpreter) ? j->env->interpreter.v : NULL;
    *ret = (struct tn_verify_framework){.name = f->name.v,
                                        .env = tn_known(j->env->id) ? j->env->id.v : NULL,
                                        .interpreter = interpreter,
                                        .file = tn_known(f->path) ? f->path.v : interpreter,
                                        .gpu_build = tn_is(f->gpu_build, 1)};
    if (has_c_api(j->s, f))
        by_c_api(c, f, ret);
    else if (!interpreter)
        ret->why = "no-interpreter";
    else if (!tn_os_dl_trusted(interpreter) || (tn_known(f->path) && !tn_os_dl_trusted(f->path.v)))
        ret->why = "other-owner";
}

unsigned tn_verify_frameworks(struct tn_cmd_ctx *c, const struct tn_judge *j,
                              struct tn_verify_framework ret[TN_VERIFY_FRAMEWORKS])
{
    const struct tn_rec_framework *f;
    unsigned n = 0;
    for (size_t row = 0; n < TN_VERIFY_FRAMEWORKS && (f = tn_judge_framework(j, &row)) != NULL;)
        if (tn_known(f->name))
            add(c, j, f, &ret[n++]);
    return n;
}
