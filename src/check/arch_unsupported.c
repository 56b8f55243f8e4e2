/* arch_unsupported.c - a build holds no code that a GPU of this machine could run.
 *
 * The rule is facts/arch.h: machine code runs within a major from its minor on (sm_86 code on 8.9, plain sm_100 on
 * 10.3, but sm_90a on 9.0 only), PTX on any later card, neither on an older one. Each GPU is judged for itself; one
 * that cannot be used beside one that can is a warning. A build that must be compiled from PTX works: arch-jit-delay.
 */
#include <string.h>

#include "base/buf.h"
#include "check/look.h"
#include "facts/arch.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"

struct code {
    struct tn_buf sass, ptx;
    bool known;
};

static void add_list(struct tn_buf *b, struct tn_list l)
{
    for (uint32_t i = 0; l.k == TN_KNOWN && i < l.n; i++)
        tn_buf_printf(b, "%s%s", i ? " " : "", l.v[i]);
}

/* "75 90a" and "7.5 9.0a" alike as a card's capability is written: "7.5, 9.0a". */
static const char *shown(struct tn_sink *out, const char *words)
{
    const char *all = "";
    while (*words) {
        struct tn_arch a;
        size_t n = strcspn(words, " ");
        const char *word = tn_arena_strndup(out->mem, words, n);
        if (tn_facts_arch_parse(word, &a))
            word = tn_arena_printf(out->mem, "%u.%u%.*s", a.major, a.minor, a.suffix ? 1 : 0, &a.suffix);
        all = tn_arena_printf(out->mem, "%s%s%s", all, *all ? ", " : "", word);
        words += n + strspn(words + n, " ");
    }
    return all;
}

static const char *variant_of(const struct code *c, bool older)
{
    if (!c->sass.n)
        return older ? "older" : "no-sass";
    if (!c->ptx.n)
        return older ? "older-no-ptx" : "no-ptx";
    return older ? "older" : NULL;
}

static void take(struct code *c, const char *sass, const char *ptx)
{
    tn_buf_str(&c->sass, sass);
    tn_buf_str(&c->ptx, ptx);
    c->known = *sass || *ptx;
}

/* The wheel's own code objects, else the table of its release. */
static void look_code(const struct tn_snap *s, const struct tn_rec_framework *f, struct code *c)
{
    struct tn_facts_tf_code tf;
    struct tn_facts_torch torch;
    tn_buf_init(&c->sass);
    tn_buf_init(&c->ptx);
    c->known = f->sass.k == TN_KNOWN || f->ptx.k == TN_KNOWN;
    add_list(&c->sass, f->sass);
    add_list(&c->ptx, f->ptx);
    if (c->known || !tn_known(f->version))
        return;
    if (tn_says(f->name, "tensorflow") && tn_facts_tf_code(f->version.v, tn_look_platform(s), &tf) == TN_ANSWER_YES)
        take(c, tf.sass, tf.ptx);
    else if (tn_says(f->name, "torch") &&
             tn_facts_torch_build(f->version.v, NULL, tn_look_platform(s), &torch) == TN_ANSWER_YES)
        take(c, torch.sass, torch.ptx);
}

static enum tn_code how(const struct tn_rec_gpu *g, const struct code *c, struct tn_facts_code *ret)
{
    const char *cc = tn_look_capability(g);
    return *cc && tn_facts_arch_code(cc, c->sass.p, c->ptx.p, ret) == TN_ANSWER_YES ? ret->how : TN_CODE_NATIVE;
}

static bool any_served(const struct tn_judge *j, const struct code *c)
{
    size_t row = 0;
    struct tn_facts_code code;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (*tn_look_capability(g) && how(g, c, &code) != TN_CODE_NONE)
            return true;
    return false;
}

static void report(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, size_t gpu_row, const struct code *c,
                   bool older)
{
    const struct tn_rec_gpu *g = &j->s->gpu.v[gpu_row];
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(gpu, gpu_row, capability));
    const struct tn_rec_framework *fw = &j->s->framework.v[fw_row];
    f->variant = variant_of(c, older);
    tn_look_name(out, f, j, fw_row);
    tn_find_arg(out, f, "gpu", "%s", tn_look_gpu_name(g));
    tn_find_arg(out, f, "capability", "%s", tn_look_capability(g));
    tn_find_arg(out, f, "sass", "%s", c->sass.n ? shown(out, c->sass.p) : "-");
    tn_find_arg(out, f, "ptx", "%s", c->ptx.n ? shown(out, c->ptx.p) : "-");
    tn_find_evidence(f, TN_REF(gpu, gpu_row, capability));
    tn_find_evidence(f, TN_REF(framework, fw_row, sass));
    tn_find_evidence(f, TN_REF(framework, fw_row, ptx));
    if (any_served(j, c) && j->gpus < 2)
        f->severity = TN_WARNING;
    if (!tn_look_remedy_fitting(j, out, f, fw))
        tn_look_remedy_builds(j, out, f, fw);
}

static void judge(const struct tn_judge *j, struct tn_sink *out, size_t fw_row, const struct code *c)
{
    size_t row = 0;
    struct tn_facts_code code;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        if (*tn_look_capability(g) == '\0')
            tn_untestable(out, TN_REF(gpu, row - 1, capability));
        else if (!c->known)
            tn_untestable(out, TN_REF(framework, fw_row, sass));
        else if (how(g, c, &code) == TN_CODE_NONE)
            report(j, out, fw_row, row - 1, c, code.older);
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0;
    for (const struct tn_rec_framework *fw; (fw = tn_look_gpu_build(j, out, &row));) {
        struct code c;
        look_code(j->s, fw, &c);
        judge(j, out, row - 1, &c);
        tn_buf_deinit(&c.sass);
        tn_buf_deinit(&c.ptx);
    }
}

TN_CHECK(arch_unsupported, "arch-unsupported", run, .needs = TN_NEEDS_FIT);
