/* fix.c - see fix.h. */
#include "plan/fix.h"

#include <string.h>

#include "base/str.h"

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words ? words : ""; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strncmp(p, word, n) == 0 && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

enum tn_fix_scope tn_fix_scope_of(const struct tn_remedy *r)
{
    struct tn_remedy_text t;
    if (!tn_remedy_find(r->id, &t))
        return TN_FIX_LOOKS;
    /* Remedies that only look say so in these words, and no other does (tests/unit/plan_fix.c). */
    const char *changes = t.changes[TN_EN];
    if (tn_str_eq(changes, "nothing") || tn_str_starts(changes, "nothing:") || tn_str_starts(changes, "nothing yet"))
        return TN_FIX_LOOKS;
    bool system = has_word(t.needs, "root") || has_word(t.needs, "reboot");
    return system ? TN_FIX_SYSTEM : TN_FIX_INSIDE;
}

/* Can it be done here: by a command, or is it words alone? */
static bool is_of_use(const struct tn_snap *s, const struct tn_remedy *r)
{
    struct tn_remedy_text t;
    struct tn_buf b;
    if (!tn_remedy_find(r->id, &t))
        return false;
    tn_buf_init(&b);
    bool ok = t.n_command == 0 || tn_fix_is_driver_work(r->id) || /* driver.c finds the packages */
              tn_remedy_command(&b, r, s, tn_snap_style(s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH);
    tn_buf_deinit(&b);
    return ok;
}

/* NVIDIA's wheels for CUDA 11 lie where no build of TensorFlow searches: their folders, before what is set now. */
static void add_wheel_folders(struct tn_arena *mem, const struct tn_snap *s, struct tn_fix *ret)
{
    static const char *const parts[] = {"cuda_runtime", "cublas", "cufft", "curand", "cusolver", "cusparse", "cudnn"};
    const struct tn_rec_env *e = tn_snap_judged(s);
    const char *value = "";
    if (!e || e->site.k != TN_KNOWN || !e->site.n || tn_snap_style(s) == TN_PATH_WINDOWS)
        return;
    for (unsigned i = 0; i < TN_LEN(parts); i++)
        value = tn_arena_printf(mem, "%s%s%s/nvidia/%s/lib", value, *value ? ":" : "", e->site.v[0], parts[i]);
    for (size_t i = 0; i < s->variable.n; i++)
        if (tn_says(s->variable.v[i].name, "LD_LIBRARY_PATH") && tn_known(s->variable.v[i].value) &&
            *s->variable.v[i].value.v)
            value = tn_arena_printf(mem, "%s:%s", value, s->variable.v[i].value.v);
    struct tn_remedy *r = &ret->step[ret->n_step++];
    *r = (struct tn_remedy){.id = "search-wheel-folders"};
    r->arg[r->n_arg++] = (struct tn_arg){"value", value};
}

bool tn_fix_make(struct tn_arena *mem, const struct tn_snap *s, const struct tn_finding *finding, struct tn_fix *ret)
{
    struct tn_remedy all[TN_MAX_REMEDIES];
    unsigned n = 0;
    memset(ret, 0, sizeof *ret);
    ret->finding = finding;
    const struct tn_remedy *first = finding->n_remedy ? &finding->remedy[0] : NULL;
    bool as_given = first && tn_fix_scope_of(first) == TN_FIX_LOOKS;
    for (unsigned pass = 0; pass < (as_given ? 1 : TN_FIX_LOOKS + 1); pass++)
        for (unsigned i = 0; i < finding->n_remedy; i++)
            if (is_of_use(s, &finding->remedy[i]) && (as_given || tn_fix_scope_of(&finding->remedy[i]) == pass))
                all[n++] = finding->remedy[i];
    if (!n)
        return false;
    ret->chosen = all[0];
    ret->scope = tn_fix_scope_of(&all[0]);
    for (unsigned i = 1; i < n; i++)
        ret->other[ret->n_other++] = all[i];
    if (!tn_fix_driver(mem, s, ret))
        ret->step[ret->n_step++] = all[0];
    if (tn_str_eq(ret->chosen.id, "env-cuda11-wheels"))
        add_wheel_folders(mem, s, ret);
    return true;
}

/* --- another build --- */

static const struct tn_rec_framework *framework_of(const struct tn_snap *s, const struct tn_finding *f)
{
    if (f->subject.rec == TN_REC_framework && f->subject.row < s->framework.n)
        return &s->framework.v[f->subject.row];
    for (unsigned i = 0; i < f->n_evidence; i++)
        if (f->evidence[i].rec == TN_REC_framework && f->evidence[i].row < s->framework.n)
            return &s->framework.v[f->evidence[i].row];
    return NULL;
}

const char *tn_fix_wish(struct tn_arena *mem, const struct tn_snap *s, const struct tn_fix *fix, bool same_release)
{
    static const char *const builds[] = {"fitting-tensorflow", "fitting-torch",       "see-builds", "plan",
                                         "older-python",       "use-tensorflow-2-10", NULL};
    static const char *const planned[] = {"tensorflow", "torch", "jax", "onnxruntime", NULL};
    const struct tn_rec_framework *fw = framework_of(s, fix->finding);
    if (!tn_str_in(fix->chosen.id, builds) || !fw || !tn_known(fw->name) || !tn_str_in(fw->name.v, planned))
        return "";
    if (!same_release || !tn_known(fw->version))
        return fw->name.v;
    return tn_arena_printf(mem, "%s==%.*s", fw->name.v, (int)strcspn(fw->version.v, "+"), fw->version.v);
}
