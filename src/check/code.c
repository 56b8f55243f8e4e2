/* code.c - see look.h: which machine code and PTX a build holds, and what a card can do with it. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/cuda.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "version/dotted.h"

static void add_list(struct tn_buf *b, struct tn_list l)
{
    for (uint32_t i = 0; l.k == TN_KNOWN && i < l.n; i++)
        tn_buf_printf(b, "%s%s", i ? " " : "", l.v[i]);
}

static void take(struct tn_look_code *c, const char *sass, const char *ptx, const char *from)
{
    tn_buf_str(&c->sass, sass);
    tn_buf_str(&c->ptx, ptx);
    c->known = *sass || *ptx;
    c->from = from;
}

/* "build_info.py" of "read /home/.../build_info.py"; what a table says of its source. */
static const char *from_of(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    const char *asked = f->sass.src < s->n_src && s->src[f->sass.src].asked ? s->src[f->sass.src].asked : "";
    struct tn_facts_tf_code tf;
    if (tn_str_starts(asked, "table ")) {
        if (tn_says(f->name, "tensorflow") && tn_known(f->version) &&
            tn_facts_tf_code(f->version.v, tn_look_platform(s), &tf) == TN_ANSWER_YES)
            return tf.cite.source;
        return asked;
    }
    const char *base = tn_path_base(tn_snap_style(s), asked);
    return *base ? base : "?";
}

/* The lists of the tables are those of x86-64 builds. */
static bool is_x86(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    struct tn_str m = tn_known(f->machine) ? f->machine : TN_THE(s, host)->arch;
    return !tn_known(m) || tn_says(m, "x86_64") || tn_says(m, "AMD64");
}

void tn_look_code_init(const struct tn_snap *s, const struct tn_rec_framework *f, struct tn_look_code *c)
{
    struct tn_facts_tf_code tf;
    struct tn_facts_torch torch;
    tn_buf_init(&c->sass);
    tn_buf_init(&c->ptx);
    c->known = f->sass.k == TN_KNOWN || f->ptx.k == TN_KNOWN;
    c->from = c->known ? from_of(s, f) : "?";
    add_list(&c->sass, f->sass);
    add_list(&c->ptx, f->ptx);
    if (c->known || !tn_known(f->version) || !is_x86(s, f))
        return;
    if (tn_says(f->name, "tensorflow") && tn_facts_tf_code(f->version.v, tn_look_platform(s), &tf) == TN_ANSWER_YES)
        take(c, tf.sass, tf.ptx, tf.cite.source);
    else if (tn_says(f->name, "torch") &&
             tn_facts_torch_build(f->version.v, NULL, tn_look_platform(s), &torch) == TN_ANSWER_YES)
        take(c, torch.sass, torch.ptx, torch.cite.source);
}

void tn_look_code_deinit(struct tn_look_code *c)
{
    tn_buf_deinit(&c->sass);
    tn_buf_deinit(&c->ptx);
}

enum tn_code tn_look_code_how(const struct tn_rec_gpu *g, const struct tn_look_code *c, struct tn_facts_code *ret)
{
    const char *cc = tn_look_capability(g);
    return *cc && tn_facts_arch_code(cc, c->sass.p, c->ptx.p, ret) == TN_ANSWER_YES ? ret->how : TN_CODE_NATIVE;
}

enum tn_found tn_look_ptx(const struct tn_snap *s, const struct tn_rec_framework *f, const char **ret_reads)
{
    struct tn_str driver = TN_THE(s, driver)->cuda;
    const char *cuda = tn_look_cuda(s, f);
    *ret_reads = "";
    if (!tn_known(driver))
        return TN_ANSWER_YES; /* nothing speaks against it */
    if (tn_known(f->ptx_isa) && tn_facts_cuda_ptx_isa(driver.v, ret_reads) == TN_ANSWER_YES)
        return tn_version_dotted_cmp(f->ptx_isa.v, *ret_reads) <= 0 ? TN_ANSWER_YES : TN_ANSWER_NO;
    return *cuda && tn_version_dotted_cmp_parts(driver.v, cuda, 2) < 0 ? TN_ANSWER_OPEN : TN_ANSWER_YES;
}

const char *tn_look_code_shown(struct tn_sink *out, const char *words)
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
    return *all ? all : "-";
}
