/* msvc_runtime_missing.c - Windows: Microsoft's C++ run time, which the frameworks are linked to, is not there.
 *
 * Rules: TensorFlow's wheels name the DLLs in build_info (msvcp_dll_names) and load them before all else: msvcp140.dll,
 * from 2.1 on msvcp140_1.dll too (tensorflow/python/platform/self_check.py; RELEASE.md 2.1: "Visual Studio 2019").
 * torch warns without vcruntime140.dll, msvcp140.dll and, for 64 bits, vcruntime140_1.dll (torch/__init__.py). All are
 * in the redistributable package for Visual C++ 2015-2022. Windows finds them in System32, on PATH, and beside the
 * program: conda's vc14_runtime puts them there, and python.org's Python brings vcruntime140*.dll.
 *
 * What is registered as installed says why: one for 32 bits alone; one older than that of Visual Studio 2019 (14.20),
 * which TensorFlow asks for since older packages may lack msvcp140_1.dll (tensorflow.org, "Install TensorFlow with
 * pip", Windows); or one whose files somebody has removed. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

static const char *const of_tensorflow[] = {"msvcp140.dll", "msvcp140_1.dll", NULL};
static const char *const of_torch[] = {"msvcp140.dll", "vcruntime140.dll", "vcruntime140_1.dll", NULL};

/* Beside the interpreter: its own folder, or that of the one it was made from. */
static bool is_beside(const struct tn_judge *j, const struct tn_rec_library *l)
{
    char dir[1024];
    struct tn_str folder[] = {j->env->path, j->env->base};
    const char *cut = tn_known(l->path) ? strrchr(l->path.v, '\\') : NULL;
    size_t n = cut ? (size_t)(cut - l->path.v) : sizeof dir;
    if (n >= sizeof dir)
        return false;
    memcpy(dir, l->path.v, n);
    dir[n] = '\0';
    for (unsigned i = 0; i < TN_LEN(folder); i++)
        if (tn_known(folder[i]) && tn_path_same(TN_PATH_WINDOWS, folder[i].v, dir))
            return true;
    return false;
}

static bool is_there(const struct tn_judge *j, const char *name)
{
    for (size_t i = 0; i < j->s->library.n; i++) {
        const struct tn_rec_library *l = &j->s->library.v[i];
        if (tn_known(l->soname) && tn_str_ieq(l->soname.v, name) && !tn_is(l->bits, 32) && !tn_says(l->kind, "empty") &&
            (tn_is(l->reachable, 1) || is_beside(j, l)))
            return true;
    }
    return false;
}

/* Row of what is registered for this kind of program; redistributable.n if there is none. */
static size_t registered(const struct tn_judge *j, const char *arch)
{
    size_t i = 0;
    while (i < j->s->redistributable.n && !tn_says(j->s->redistributable.v[i].arch, arch))
        i++;
    return i;
}

static void say_why(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *missing)
{
    size_t n = j->s->redistributable.n, x64 = registered(j, "x64"), x86 = registered(j, "x86");
    if (j->s->redistributable.listed != TN_KNOWN)
        return;
    if (x64 < n && tn_known(j->s->redistributable.v[x64].version)) {
        const char *version = j->s->redistributable.v[x64].version.v;
        bool newer = strstr(missing, "_1.dll") != NULL;
        f->variant = newer && tn_version_dotted_cmp(version, "14.20") < 0 ? "old" : "gone";
        tn_find_arg(out, f, "installed", "%s", version);
        tn_find_evidence(f, TN_REF(redistributable, x64, version));
    } else if (x64 == n && x86 < n) {
        f->variant = "x86";
        tn_find_evidence(f, TN_REF(redistributable, x86, arch));
    }
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *const *want)
{
    const char *version = tn_look_text(j->s->framework.v[row].version, "");
    const char *missing = "";
    bool before_2_1 = want == of_tensorflow && tn_version_dotted_cmp(version, "2.1") < 0;
    for (unsigned i = 0; want[i] && !(before_2_1 && i > 0); i++)
        if (!is_there(j, want[i]))
            missing = tn_arena_printf(out->mem, "%s%s%s", missing, *missing ? ", " : "", want[i]);
    if (!missing[0])
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(framework, row, version));
    tn_look_name(out, f, j, row);
    tn_find_arg(out, f, "missing", "%s", missing);
    tn_find_evidence(f, TN_REF_REC(library));
    say_why(j, out, f, missing);
    tn_find_remedy(out, f, "msvc-redistributable", NULL);
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    if (!tn_says(TN_THE(j->s, host)->os, "windows") || j->env == NULL)
        return;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));) {
        const char *const *want = tn_says(f->name, "tensorflow") ? of_tensorflow
                                  : tn_says(f->name, "torch")    ? of_torch
                                                                 : NULL;
        if (want && j->s->library.listed != TN_KNOWN)
            tn_untestable(out, TN_REF_REC(library));
        else if (want)
            judge(j, out, row - 1, want);
    }
}

TN_CHECK(msvc_runtime_missing, "msvc-runtime-missing", run, .needs = TN_NEEDS_LIBRARY | TN_HAS(redistributable));
