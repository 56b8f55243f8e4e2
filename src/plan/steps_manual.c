/* steps_manual.c - see steps.h: CUDA and cuDNN by hand (scheme C).
 *
 * The toolkit part alone, never a driver: the runfile's --toolkit (CUDA Installation Guide for Linux, Runfile
 * Installation, Advanced Options), on Windows the silent installer's list of subpackages (Installation Guide for
 * Windows, "Use the Silent Installation": without a list, or with Display.Driver, it brings the driver). cuDNN's full
 * set goes into bin, include and lib of that same folder (cuDNN Installation Guide, Tar and Zip file). On Linux the
 * folder lies inside the environment and goes with it; the environment's own activation leads there, no global PATH.
 * Files: names from table cuda_driver_min; forms as in Jimver/cuda-toolkit, src/links (they are NVIDIA's URLs). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/cudnn.h"
#include "facts/redist.h"
#include "plan/inner.h"
#include "plan/steps.h"
#include "strings.gen.h"
#include "version/dotted.h"

#define DOWNLOAD "https://developer.download.nvidia.com/compute"

/* --- the files --- */

static bool is_win10(const char *release)
{
    return tn_version_dotted_cmp(release, "11.5.1") < 0 && !tn_str_eq(release, "11.4.4");
}

/* The newest installer of a CUDA release whose name is known. */
static void take_installer(struct tn_arena *mem, const char *cuda, bool windows, struct tn_plan_step *s)
{
    const struct tn_table *t = tn_facts_find("cuda_driver_min");
    const struct tn_filter f[] = {{"cuda_release", TN_FILTER_VERSION, cuda}, {"rank", TN_FILTER_EQ, "1"}};
    const char *column = windows ? "windows_installer_driver" : "linux_installer_driver";
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        const char *release = tn_facts_get(t, r, "cuda_release"), *driver = tn_facts_get(t, r, column);
        bool old = tn_version_dotted_major(release) < 11, first = tn_str_starts(release, "10.0.");
        if (!*driver)
            continue;
        s->version = release;
        s->cite = tn_facts_cite(t, r);
        s->program = windows ? tn_arena_printf(mem, "cuda_%s_%s_%s.exe", release, driver,
                                               is_win10(release) ? "win10" : "windows")
                             : tn_arena_printf(mem, "cuda_%s_%s_linux.run", release, driver);
        char minor[TN_DOTTED_TEXT];
        if (!tn_version_dotted_head(release, 2, minor, sizeof minor))
            return;
        if (first) /* named without its ending there */
            s->image = tn_arena_printf(mem, "https://developer.nvidia.com/compute/cuda/10.0/Prod/local_installers/%.*s",
                                       (int)strlen(s->program) - 4, s->program);
        else
            s->image = tn_arena_printf(mem, DOWNLOAD "/cuda/%s%s/local_installers/%s", old ? minor : release,
                                       old ? "/Prod" : "", s->program);
        return;
    }
}

/* From 8.5 on one archive for a major of CUDA; before, one for a release (8.3 and 8.4 have a form of their own). */
static void take_cudnn(struct tn_arena *mem, const char *cuda, const char *cudnn, bool windows, struct tn_plan_step *s)
{
    char three[TN_DOTTED_TEXT], minor[TN_DOTTED_TEXT];
    s->version = cudnn;
    if (tn_version_dotted_count(cudnn) < 4 || !tn_version_dotted_head(cudnn, 3, three, sizeof three) ||
        !tn_version_dotted_head(cuda, 2, minor, sizeof minor))
        return;
    if (tn_version_dotted_cmp(cudnn, "8.5") >= 0) {
        s->program = tn_arena_printf(mem, "cudnn-%s-x86_64-%s_cuda%u-archive.%s", windows ? "windows" : "linux", cudnn,
                                     (unsigned)tn_version_dotted_major(cuda), windows ? "zip" : "tar.xz");
        s->image = tn_arena_printf(mem, DOWNLOAD "/cudnn/redist/cudnn/%s-x86_64/%s", windows ? "windows" : "linux",
                                   s->program);
    } else if (tn_version_dotted_cmp(cudnn, "8.3") < 0) {
        s->program = tn_arena_printf(mem, "cudnn-%s-%s-x64-v%s.%s", minor, windows ? "windows" : "linux", cudnn,
                                     windows ? "zip" : "tgz");
        s->image = tn_arena_printf(mem, DOWNLOAD "/redist/cudnn/v%s/%s", three, s->program);
    }
}

static void take_set(struct tn_arena *mem, const char *cudnn, bool windows, struct tn_plan_step *s)
{
    struct tn_facts_cudnn f = {0};
    char name[64];
    if (tn_facts_cudnn(cudnn, windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX, &f) != TN_ANSWER_YES || !f.files)
        return;
    for (const char *list = f.files; tn_facts_list_next(&list, name, sizeof name);)
        tn_plan_step_package(s, tn_arena_strdup(mem, name));
    s->cite = f.cite;
}

/* --- steps --- */

static void toolkit(struct tn_arena *mem, const struct tn_plan *p, const char *env, const char *into,
                    struct tn_plan_steps *all)
{
    static const char *const parts[] = {"nvcc",  "cudart", "nvrtc",    "cupti",    "cublas",
                                        "cufft", "curand", "cusolver", "cusparse", "nvjitlink"};
    struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_TOOLKIT);
    char minor[TN_DOTTED_TEXT];
    s->env = env;
    s->into = into;
    s->version = p->choice.cuda;
    s->network = true;
    s->root = all->windows;
    take_installer(mem, p->choice.cuda, all->windows, s);
    if (!tn_version_dotted_head(p->choice.cuda, 2, minor, sizeof minor))
        return;
    bool link = tn_version_dotted_major(minor) >= 12; /* nvJitLink came with CUDA 12 */
    for (unsigned i = 0; all->windows && i < TN_LEN(parts) - !link; i++)
        tn_plan_step_package(s, tn_arena_printf(mem, "%s_%s", parts[i], minor));
}

/* The installer's own folder, which it takes alone on Windows, holds that release already. */
static bool is_there(const struct tn_plan *p, const char *into, const char *minor)
{
    for (size_t i = 0; i < p->machine.s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &p->machine.s->toolkit.v[i];
        if (tn_known(t->path) && tn_str_ieq(t->path.v, into) && tn_known(t->version) &&
            tn_version_dotted_cmp_parts(t->version.v, minor, 2) == 0)
            return true;
    }
    return false;
}

/* conda makes the environment where it is there and neither that Python nor uv is; on Windows py or uv does. */
static bool by_conda(const struct tn_plan *p)
{
    bool python = false;
    for (unsigned i = 0; i < p->machine.n_python; i++)
        python = python || tn_str_eq(p->machine.python[i], p->choice.python);
    return *p->machine.conda && !python && !*p->machine.uv && !p->machine.windows;
}

static const char *conda_env(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    const char *env = tn_plan_env_of(mem, p);
    if (!tn_plan_is_path(env)) /* a folder: a name's is known to conda alone */
        env = tn_arena_printf(mem, "./%s", env);
    for (int pip = 0; pip < 2; pip++) {
        struct tn_plan_step *s = tn_plan_step_add(all, pip ? TN_STEP_PACKAGES : TN_STEP_CONDA_ENV);
        s->tool = TN_STEP_BY_CONDA;
        s->program = p->machine.conda;
        s->exe = p->machine.conda_exe;
        s->env = env;
        s->python = p->choice.python;
        s->network = true;
        if (pip) {
            tn_plan_step_frameworks(mem, p, false, s);
            continue;
        }
        s->channel[s->n_channel++] = tn_plan_conda_channel(p);
        tn_plan_step_package(s, tn_arena_printf(mem, "python=%s", p->choice.python));
    }
    return env;
}

static bool needs_toolkit(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->choice.n; i++) { /* PyTorch's and JAX's wheels bring or name their own */
        const struct tn_plan_build *b = p->choice.build[i];
        if (b->gpu && (b->kind == TN_PLAN_TENSORFLOW || b->kind == TN_PLAN_ORT))
            return true;
    }
    return false;
}

void tn_plan_steps_manual(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_steps *all)
{
    const char *env = tn_plan_env_of(mem, p);
    char minor[TN_DOTTED_TEXT];
    bool conda = by_conda(p), there = false;
    if (conda)
        env = conda_env(mem, p, all);
    else
        tn_plan_steps_venv(mem, p, false, all);
    const char *into = tn_arena_printf(mem, "%s/cuda", env);
    if (!needs_toolkit(p) || !*p->choice.cuda)
        return;
    if (all->windows && tn_version_dotted_head(p->choice.cuda, 2, minor, sizeof minor)) {
        into = tn_arena_printf(mem, "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v%s", minor);
        there = is_there(p, into, minor);
    }
    if (!there)
        toolkit(mem, p, env, into, all);
    if (*p->choice.cudnn) {
        struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_CUDNN);
        s->env = env;
        s->into = into;
        s->network = true;
        s->root = all->windows;
        take_cudnn(mem, p->choice.cuda, p->choice.cudnn, all->windows, s);
        take_set(mem, p->choice.cudnn, all->windows, s);
    }
    struct tn_plan_step *s = tn_plan_step_add(all, TN_STEP_SEARCH);
    s->env = env;
    s->into = into;
    s->tool = conda ? TN_STEP_BY_CONDA : TN_STEP_BY_PIP;
    s->program = conda ? p->machine.conda : "";
    s->exe = conda ? p->machine.conda_exe : "";
}

/* Where `tenon apply`, which runs no installer, has the archives from. */
static void say_archives(struct tn_arena *mem, const char *product, const char *version, struct tn_plan_says *ret)
{
    struct tn_facts_redist f;
    const char *name = tn_str_eq(product, "cuda") ? "CUDA" : "cuDNN";
    if (!*version)
        return;
    bool known = tn_facts_redist(product, version, &f) == TN_ANSWER_YES;
    struct tn_plan_say *say = tn_plan_says_add(ret, known ? TN_S_pl_note_manual_list : TN_S_pl_note_manual_no_list);
    tn_plan_arg(mem, say, "what", "%s %s", name, known ? f.version : version);
    tn_plan_arg(mem, say, "url", "%s", known ? f.url : "");
    if (known)
        say->cite = f.cite;
}

void tn_plan_say_manual(struct tn_arena *mem, const struct tn_plan *p, struct tn_plan_says *ret)
{
    struct tn_facts_cudnn f = {0};
    if (!needs_toolkit(p))
        return;
    if (p->machine.windows) {
        tn_plan_says_add(ret, TN_S_pl_note_manual_windows);
        if (tn_facts_cudnn(p->choice.cudnn, TN_PLATFORM_WINDOWS, &f) == TN_ANSWER_YES && f.needs_zlibwapi) {
            struct tn_plan_say *say = tn_plan_says_add(ret, TN_S_pl_note_zlib);
            say->cite = f.cite;
            tn_plan_arg(mem, say, "version", "%s", p->choice.cudnn);
        }
    } else {
        tn_plan_says_add(ret, TN_S_pl_note_manual_linux);
        say_archives(mem, "cuda", p->choice.cuda, ret);
        say_archives(mem, "cudnn", p->choice.cudnn, ret);
    }
    if (!tn_str_eq(p->machine.arch, "x86_64"))
        tn_plan_says_add(ret, TN_S_pl_note_manual_arch);
}
