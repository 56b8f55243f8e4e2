/* look.c - see look.h: machine, GPU, framework and module questions. Libraries: libs.c. */
#include "check/look.h"

#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

bool tn_look_wsl(const struct tn_snap *s)
{
    struct tn_int wsl = TN_THE(s, host)->wsl;
    return wsl.k == TN_KNOWN && wsl.v > 0;
}

enum tn_platform tn_look_platform(const struct tn_snap *s)
{
    return tn_says(TN_THE(s, host)->os, "windows") ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
}

enum tn_platform tn_look_driver_platform(const struct tn_snap *s)
{
    return tn_look_wsl(s) ? TN_PLATFORM_WINDOWS : tn_look_platform(s);
}

const char *tn_look_os_name(const struct tn_snap *s)
{
    return tn_look_driver_platform(s) == TN_PLATFORM_WINDOWS ? "Windows" : "Linux";
}

const char *tn_look_text(struct tn_str f, const char *other)
{
    return tn_known(f) ? f.v : other;
}

const char *tn_look_capability(const struct tn_rec_gpu *g)
{
    struct tn_facts_gpu row;
    uint64_t id;
    if (tn_known(g->capability))
        return g->capability.v;
    if (tn_known(g->device_id) && tn_str_u64(g->device_id.v, strlen(g->device_id.v), 16, &id) &&
        tn_facts_gpu_by_pci((unsigned)id, &row) == TN_ANSWER_YES)
        return row.capability;
    if (tn_known(g->name) && tn_facts_gpu_by_name(g->name.v, &row) == TN_ANSWER_YES)
        return row.capability;
    return "";
}

const char *tn_look_gpu_name(const struct tn_rec_gpu *g)
{
    return tn_look_text(g->name, tn_look_text(g->chip, tn_look_text(g->device_id, "NVIDIA GPU")));
}

const char *tn_look_package(const struct tn_rec_framework *f)
{
    return tn_look_text(f->package, tn_look_text(f->name, "framework"));
}

static bool tf_build(const struct tn_snap *s, const struct tn_rec_framework *f, struct tn_facts_tf *ret)
{
    return tn_says(f->name, "tensorflow") && tn_known(f->version) &&
           tn_facts_tf_build(f->version.v, tn_look_platform(s), true, ret) == TN_ANSWER_YES;
}

static bool torch_build(const struct tn_snap *s, const struct tn_rec_framework *f, struct tn_facts_torch *ret)
{
    return tn_says(f->name, "torch") && tn_known(f->version) &&
           tn_facts_torch_build(f->version.v, NULL, tn_look_platform(s), ret) == TN_ANSWER_YES;
}

const char *tn_look_cuda(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    struct tn_facts_tf tf;
    struct tn_facts_torch torch;
    if (tn_known(f->cuda))
        return f->cuda.v;
    if (tf_build(s, f, &tf))
        return tf.cuda;
    return torch_build(s, f, &torch) ? torch.cuda : "";
}

const char *tn_look_cudnn(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    struct tn_facts_tf tf;
    struct tn_facts_torch torch;
    const char *own = tn_look_text(f->cudnn, "");
    if (tn_version_dotted_count(own) > 1)
        return own;
    const char *table = tf_build(s, f, &tf) ? tf.cudnn : torch_build(s, f, &torch) ? torch.cudnn : "";
    /* "8" in build_info.py and 8.1 in the table agree; another major in the table would be the table's error. */
    bool agree = !*own || tn_version_dotted_major(own) == tn_version_dotted_major(table);
    return *table && agree ? table : own;
}

unsigned tn_look_asks(const struct tn_snap *s, const struct tn_rec_framework *f, const char *ret[TN_MAX_ASKS])
{
    struct tn_facts_tf_libs libs;
    unsigned n = 0;
    for (uint32_t i = 0; f->asks.k == TN_KNOWN && i < f->asks.n && n < TN_MAX_ASKS; i++)
        ret[n++] = f->asks.v[i];
    if (n || f->asks.k == TN_KNOWN || !tn_says(f->name, "tensorflow") || !tn_known(f->version))
        return n;
    if (tn_facts_tf_libs(f->version.v, tn_look_platform(s), &libs) == TN_ANSWER_YES)
        for (unsigned i = 0; i < libs.n && n < TN_MAX_ASKS; i++)
            ret[n++] = libs.file[i];
    return n;
}

bool tn_look_has_gpu_build(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));)
        if (tn_is(f->gpu_build, 1))
            return true;
    return false;
}

const struct tn_rec_framework *tn_look_gpu_build(const struct tn_judge *j, struct tn_sink *out, size_t *row)
{
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, row));) {
        if (tn_is(f->gpu_build, 1))
            return f;
        if (f->gpu_build.k != TN_KNOWN)
            tn_untestable(out, TN_REF(framework, *row - 1, gpu_build));
    }
    return NULL;
}

void tn_look_name(struct tn_sink *out, struct tn_finding *f, const struct tn_judge *j, size_t row)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    tn_find_arg(out, f, "package", "%s", tn_look_package(fw));
    tn_find_arg(out, f, "version", "%s", tn_look_text(fw->version, ""));
    tn_find_evidence(f, TN_REF(framework, row, version));
}

void tn_look_env_args(struct tn_sink *out, struct tn_remedy *r, const struct tn_judge *j)
{
    if (j->env && tn_known(j->env->interpreter))
        tn_remedy_arg(out, r, "python", "%s", j->env->interpreter.v);
    if (j->env && tn_known(j->env->path))
        tn_remedy_arg(out, r, "prefix", "%s", j->env->path.v);
}

const char *tn_look_installer(const struct tn_judge *j, const char *name)
{
    const struct tn_rec_dist *d = tn_judge_dist(j, name);
    return d && tn_says(d->installer, "conda") ? "conda" : "pip";
}

void tn_look_modules(const struct tn_snap *s, size_t *ret_running, size_t *ret_other)
{
    *ret_running = *ret_other = s->module.n;
    for (size_t i = 0; i < s->module.n; i++) {
        const struct tn_rec_module *m = &s->module.v[i];
        /* nvidia, nvidia-current, nvidia-open ...: the core module, not its helpers. */
        if (!tn_known(m->name) || !tn_str_starts(m->name.v, "nvidia") || tn_str_ends(m->name.v, "uvm") ||
            tn_str_ends(m->name.v, "drm") || tn_str_ends(m->name.v, "modeset") || tn_str_ends(m->name.v, "peermem"))
            continue;
        size_t *slot = tn_is(m->running, 1) ? ret_running : ret_other;
        if (*slot == s->module.n)
            *slot = i;
    }
}
