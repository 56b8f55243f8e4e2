/* inside.c - containers and WSL 2: the machine as it is in there, which image, and whether they can be had.
 *
 * Cards, driver and processor are the host's; C library, Python and installers are not. Sources: NVIDIA Container
 * Toolkit, User Guide; CUDA on WSL User Guide; TensorFlow's install pages for pip (Windows WSL2: build 19044) and
 * Docker; Docker Desktop manual, "GPU support" (WSL 2 backend); pytorch/pytorch, docker.Makefile and
 * .github/scripts/generate_docker_release_matrix.py (names of tags). */
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "facts/images.h"
#include "plan/inner.h"
#include "strings.gen.h"
#include "version/dotted.h"

void tn_plan_inside(const struct tn_plan_machine *m, enum tn_plan_method method, struct tn_plan_machine *ret)
{
    *ret = *m;
    if (method != TN_METHOD_DOCKER && method != TN_METHOD_WSL)
        return;
    ret->windows = ret->musl = ret->container = false;
    ret->wsl = m->wsl || m->windows;
    ret->wsl1 = false;
    ret->platform = TN_PLATFORM_LINUX;
    ret->glibc = ret->uv = ret->conda = ret->conda_exe = "";
    ret->tools_known = false;
    ret->n_python = 0;
}

/* Images made of NVIDIA's own name the CUDA that the driver has to serve (NVIDIA_REQUIRE_CUDA), and do not start on an
 * older one, whatever minor-version compatibility allows. */
static bool starts_on(const struct tn_plan_machine *m, const char *cuda)
{
    struct tn_facts_driver_need need;
    if (*m->ceiling)
        return tn_version_dotted_cmp_parts(m->ceiling, cuda, 2) >= 0;
    return !*m->driver || tn_facts_cuda_driver(cuda, m->driver_platform, &need) != TN_ANSWER_YES || !*need.developed ||
           tn_version_dotted_cmp(m->driver, need.developed) >= 0;
}

/* The tag of the makers' own image. TensorFlow's held the tested CUDA up to 2.17 (later ones are built on CUDA 12.3
 * whatever the wheel was tested with: tensorflow/build, tensorflow_runtime_dockerfiles/gpu.Dockerfile). */
const char *tn_plan_image_of(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wishes *w,
                             const struct tn_plan_choice *c)
{
    const struct tn_plan_build *b = c->build[0];
    char cuda[TN_DOTTED_TEXT];
    if (c->n != 1 || *w->python || !b->gpu || !tn_str_eq(m->arch, "x86_64") || !starts_on(m, b->cuda))
        return "";
    if (b->kind == TN_PLAN_TENSORFLOW && tn_version_dotted_cmp_parts(b->version, "2.17", 2) <= 0)
        return tn_arena_printf(mem, "tensorflow/tensorflow:%s-gpu%s", b->version,
                               tn_version_dotted_cmp_parts(b->version, "2.2", 2) < 0 ? "-py3" : "");
    if (b->kind == TN_PLAN_TORCH && tn_version_dotted_major(b->cudnn) && tn_version_dotted_head(b->cuda, 2, cuda, 32))
        return tn_arena_printf(mem, "pytorch/pytorch:%s-cuda%s-cudnn%u-runtime", b->version, cuda,
                               (unsigned)tn_version_dotted_major(b->cudnn));
    return "";
}

/* --- whether it can be had --- */

static bool has_engine(const struct tn_snap *s, const char *name)
{
    for (size_t i = 0; i < s->engine.n; i++)
        if (tn_says(s->engine.v[i].name, name))
            return true;
    for (size_t i = 0; i < s->program.n; i++)
        if (tn_says(s->program.v[i].name, name))
            return true;
    return false;
}

const char *tn_plan_engine_of(const struct tn_plan_machine *m)
{
    return !has_engine(m->s, "docker") && has_engine(m->s, "podman") ? "podman" : "docker";
}

void tn_plan_say_engine(struct tn_arena *mem, const struct tn_plan_machine *m, bool gpu, struct tn_plan_says *why,
                        struct tn_plan_says *ret)
{
    const char *engine = tn_plan_engine_of(m);
    bool here = has_engine(m->s, engine), toolkit = has_engine(m->s, "nvidia-container-toolkit");
    if (m->windows) {
        tn_plan_says_add(ret, TN_S_pl_engine_desktop);
        return;
    }
    const char *id = gpu ? TN_S_pl_engine_unasked : NULL;
    if (here)
        id = !gpu ? NULL : toolkit ? TN_S_pl_engine_ready : TN_S_pl_engine_no_toolkit;
    else if (m->s->engine.listed == TN_KNOWN)
        id = gpu ? TN_S_pl_engine_none : TN_S_pl_engine_none_cpu;
    if (id)
        tn_plan_arg(mem, tn_plan_says_add(here && toolkit ? why : ret, id), "engine", "%s", engine);
    if (tn_str_eq(engine, "docker"))
        tn_plan_says_add(ret, TN_S_pl_engine_group);
    else if (gpu && m->s->cdi.listed == TN_KNOWN && !m->s->cdi.n)
        tn_plan_says_add(ret, TN_S_pl_engine_no_cdi);
}

bool tn_plan_wsl_can(struct tn_arena *mem, const struct tn_plan_machine *m, struct tn_plan_says *conflict)
{
    struct tn_int build = TN_THE(m->s, host)->os_build;
    if (!m->windows) {
        tn_plan_says_add(conflict, m->wsl ? TN_S_pl_no_wsl_inside : TN_S_pl_no_wsl_here);
        return false;
    }
    if (build.k != TN_KNOWN || build.v >= TN_PLAN_WSL_BUILD)
        return true;
    struct tn_plan_say *say = tn_plan_says_add(conflict, TN_S_pl_no_wsl_old);
    tn_plan_arg(mem, say, "least", "%d", TN_PLAN_WSL_BUILD);
    tn_plan_arg(mem, say, "build", "%lld", (long long)build.v);
    return false;
}

/* The one that wsl starts, else one of WSL 2. */
const struct tn_rec_wsl *tn_plan_wsl_there(const struct tn_plan_machine *m)
{
    const struct tn_rec_wsl *best = NULL;
    for (size_t i = 0; i < m->s->wsl.n; i++) {
        const struct tn_rec_wsl *r = &m->s->wsl.v[i];
        if (tn_known(r->distribution) &&
            (!best || tn_is(r->first, 1) || (!tn_is(best->first, 1) && tn_is(r->version, 2))))
            best = r;
    }
    return best;
}

void tn_plan_say_wsl(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_choice *c,
                     struct tn_plan_says *why, struct tn_plan_says *warning)
{
    struct tn_int build = TN_THE(m->s, host)->os_build;
    const char *need = "";
    for (unsigned i = 0; i < c->n; i++)
        if (c->build[i]->gpu && tn_version_dotted_cmp(c->build[i]->driver_need, need) > 0)
            need = c->build[i]->driver_need;
    bool met = build.k == TN_KNOWN;
    struct tn_plan_say *say =
        tn_plan_says_add(met ? why : warning, met ? TN_S_pl_wsl_build_met : TN_S_pl_wsl_build_unknown);
    tn_plan_arg(mem, say, "least", "%d", TN_PLAN_WSL_BUILD);
    tn_plan_arg(mem, say, "build", "%lld", met ? (long long)build.v : 0);
    if (*need) {
        met = *m->driver != '\0';
        say = tn_plan_says_add(met ? why : warning, met ? TN_S_pl_wsl_driver_met : TN_S_pl_wsl_driver_unknown);
        tn_plan_arg(mem, say, "need", "%s", need);
        tn_plan_arg(mem, say, "driver", "%s", m->driver);
    }
    const struct tn_rec_wsl *there = tn_plan_wsl_there(m);
    if (m->s->wsl.listed != TN_KNOWN) {
        tn_plan_says_add(warning, TN_S_pl_wsl_firmware);
    } else if (!there) {
        tn_plan_says_add(warning, TN_S_pl_wsl_none);
    } else {
        met = there->version.v == 2;
        tn_plan_arg(mem, tn_plan_says_add(met ? why : warning, met ? TN_S_pl_wsl_there : TN_S_pl_wsl_one), "name", "%s",
                    there->distribution.v);
    }
}

/* --- an image where nothing can be installed --- */

bool tn_plan_image_way(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_wishes *w,
                       struct tn_plan_way *ret)
{
    struct tn_facts_image image;
    const char *spec = w->v[0].spec, *version = spec + strspn(spec, "="), *cc = "";
    if (w->n != 1 || !tn_str_starts(spec, "==") || strpbrk(version, ",*=<>!~ ") || m->macos || w->cpu ||
        !tn_str_eq(m->arch, "x86_64"))
        return false;
    for (unsigned i = 0; i < m->n_card; i++) {
        if (!*m->card[i].capability)
            return false;
        if (tn_version_dotted_cmp(m->card[i].capability, cc) > 0)
            cc = m->card[i].capability;
    }
    if (!*cc || !*m->driver || m->windows)
        return false;
    char head[TN_DOTTED_TEXT];
    if (!tn_version_dotted_head(version, 2, head, sizeof head) ||
        tn_facts_image_for(tn_plan_kind_word(w->v[0].kind), head, m->driver, cc, &image) != TN_ANSWER_YES)
        return false;
    *ret = (struct tn_plan_way){.method = TN_METHOD_DOCKER, .n_change = 1};
    ret->image = tn_arena_printf(mem, "%s:%s", image.image, image.tag);
    ret->change[0] = (struct tn_plan_say){.cite = image.cite};
    ret->change[0].id = tn_str_starts(head, "1.") ? TN_S_pl_way_nvidia_image_1 : TN_S_pl_way_nvidia_image;
    tn_plan_arg(mem, &ret->change[0], "image", "%s", ret->image);
    tn_plan_arg(mem, &ret->change[0], "package", "%s", image.framework);
    tn_plan_arg(mem, &ret->change[0], "version", "%s", image.version);
    tn_plan_arg(mem, &ret->change[0], "need", "%s", image.driver_min);
    tn_plan_arg(mem, &ret->change[0], "driver", "%s", m->driver);
    ret->choice.python = image.python;
    ret->choice.cuda = image.cuda;
    ret->choice.cudnn = image.cudnn;
    return true;
}
