/* framework_table.c - what the tables know of a build that does not say it itself.
 *
 * Invariant: a fact that is known stays, and one from here names its table as the source. A release newer than the
 * tables gets nothing. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "facts/jax.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"
#include "probe/framework.h"
#include "version/dotted.h"

static enum tn_platform platform_of(const struct tn_pyfw *f)
{
    return f->p->st == TN_PATH_WINDOWS ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
}

static uint32_t table_src(struct tn_pyfw *f, const char *table)
{
    return tn_snap_src(f->p->s, TN_KNOWN, NULL, "table %s", table);
}

/* "sm_80" and "8.0" -> "80"; false for what is no architecture. */
static bool arch(const char *word, size_t n, char out[8])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (word[i] == '.')
            continue;
        if (k == 6 || !(tn_is_digit(word[i]) || (k && (word[i] == 'a' || word[i] == 'f'))))
            return false;
        out[k++] = word[i];
    }
    out[k] = 0;
    return k >= 2;
}

void tn_pyfw_set_archs(struct tn_pyfw *f, const char *const *word, size_t n, uint32_t src)
{
    const char *sass[TN_PYVALUE_WORDS], *ptx[TN_PYVALUE_WORDS];
    size_t n_sass = 0, n_ptx = 0;
    for (size_t i = 0; i < n && i < TN_PYVALUE_WORDS; i++) {
        bool sm = tn_str_starts(word[i], "sm_"), compute = tn_str_starts(word[i], "compute_");
        const char *digits = word[i] + (sm ? 3 : compute ? 8 : 0);
        char text[8];
        if (!arch(digits, strlen(digits), text))
            continue;
        sass[n_sass++] = tn_arena_strdup(f->p->mem, text); /* compute_XY: machine code and PTX */
        if (!sm)
            ptx[n_ptx++] = sass[n_sass - 1];
    }
    tn_pyfw_row(f)->sass = tn_fact_list(f->p->s, src, sass, n_sass);
    tn_pyfw_row(f)->ptx = tn_fact_list(f->p->s, src, ptx, n_ptx);
}

/* Words of a cell, "7.5 8.0", as a fact unless one is known. */
static void set_cell(struct tn_pyfw *f, struct tn_list *fact, const char *cell, uint32_t src)
{
    const char *word[TN_PYVALUE_WORDS];
    char one[32], text[8];
    size_t n = 0;
    if (fact->k == TN_KNOWN)
        return;
    while (n < TN_PYVALUE_WORDS && tn_facts_list_next(&cell, one, sizeof one))
        if (arch(one, strlen(one), text))
            word[n++] = tn_arena_strdup(f->p->mem, text);
    *fact = tn_fact_list(f->p->s, src, word, n);
}

static void set_str(struct tn_pyfw *f, struct tn_str *fact, const char *v, uint32_t src)
{
    if (fact->k != TN_KNOWN && *v)
        *fact = tn_fact_str(f->p->s, src, v);
}

/* Does the distribution of this name hold a GPU build? -1: the tables do not say. */
static int tf_is_gpu(struct tn_pyfw *f, const char *version, const char *package, struct tn_facts_tf *ret)
{
    static const char *const cpu[] = {
        "tensorflow-cpu",   "tensorflow-intel", "tensorflow-macos",   "tensorflow-aarch64",
        "intel-tensorflow", "tf-nightly-cpu",   "tensorflow-cpu-aws", NULL};
    if (tn_str_in(package, cpu))
        return 0;
    enum tn_found gpu = tn_facts_tf_build(version, platform_of(f), true, ret);
    if (gpu == TN_ANSWER_YES && (strcmp(ret->package, package) == 0 ||
                                 (strcmp(package, "tensorflow") == 0 && tn_str_starts(ret->package, "tensorflow["))))
        return 1;
    /* From 2.1 to 2.11 both names hold the same GPU build; later tensorflow-gpu holds nothing at all. */
    if (gpu == TN_ANSWER_YES && strcmp(package, "tensorflow-gpu") == 0 && strcmp(ret->package, "tensorflow") == 0 &&
        tn_version_dotted_cmp_parts(version, "2.12", 2) < 0)
        return 1;
    if (gpu == TN_ANSWER_YES || (gpu == TN_ANSWER_NO && tn_facts_tf_known(version) == TN_ANSWER_YES))
        return 0;
    return -1;
}

/* "11.2" and "11.2", "10.1" and "10" (build_info.py of 2.2), "12.5" and "12.5.1". */
static bool same_release(const char *a, const char *b)
{
    unsigned n = tn_version_dotted_count(a), m = tn_version_dotted_count(b);
    return tn_version_dotted_cmp_parts(a, b, n < m ? n : m) == 0;
}

void tn_pyfw_tf_of_table(struct tn_pyfw *f)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    if (r->version.k != TN_KNOWN)
        return;
    const char *version = r->version.v;
    uint32_t src = 0;
    struct tn_facts_tf t;
    if (r->gpu_build.k != TN_KNOWN && r->package.k == TN_KNOWN) {
        int gpu = tf_is_gpu(f, version, r->package.v, &t);
        if (gpu < 0)
            return;
        src = table_src(f, "tensorflow_builds");
        r->gpu_build = tn_fact_int(src, gpu);
        r->evidence = tn_fact_str(f->p->s, src, "table");
    }
    if (!tn_is(r->gpu_build, 1))
        return;
    if ((r->cuda.k != TN_KNOWN || r->cudnn.k != TN_KNOWN) &&
        tn_facts_tf_build(version, platform_of(f), true, &t) == TN_ANSWER_YES) {
        src = src ? src : table_src(f, "tensorflow_builds");
        set_str(f, &r->cuda, t.cuda, src);
        set_str(f, &r->cudnn, t.cudnn, src);
    }
    struct tn_facts_tf_code code;
    if (r->sass.k != TN_KNOWN && tn_facts_tf_code(version, platform_of(f), &code) == TN_ANSWER_YES && *code.sass) {
        src = table_src(f, "tf_wheel_arch");
        set_cell(f, &r->sass, code.sass, src);
        set_cell(f, &r->ptx, code.ptx, src);
    }
    struct tn_facts_tf_libs libs;
    if (r->asks.k != TN_KNOWN && tn_facts_tf_libs(version, platform_of(f), &libs) == TN_ANSWER_YES &&
        (r->cuda.k != TN_KNOWN || same_release(libs.cuda, r->cuda.v))) /* else somebody's own build */
        r->asks = tn_fact_list(f->p->s, table_src(f, "tf_sonames"), libs.file, libs.n);
}

/* libcudnn.so.8, cudnn64_8.dll: the major alone, on both systems, since cuDNN 5. */
static const char *cudnn_name(struct tn_pyfw *f, const char *cudnn)
{
    unsigned major = (unsigned)tn_version_dotted_major(cudnn);
    return tn_arena_printf(f->p->mem, platform_of(f) == TN_PLATFORM_WINDOWS ? "cudnn64_%u.dll" : "libcudnn.so.%u",
                           major);
}

/* Fills p->asks; none when a name is not established: half a list would hide what is missing. */
static void name_asks(struct tn_pyfw *f, const char *const *component, const char *cuda, const char *cudnn)
{
    struct tn_py *p = f->p;
    char release[TN_DOTTED_TEXT];
    if (tn_version_dotted_head(cuda, 2, release, sizeof release))
        cuda = release;
    for (p->n_asks = 0; *component && p->n_asks < TN_LEN(p->asks); component++) {
        const char *file = NULL;
        if (strcmp(*component, "cudnn") == 0) {
            if (cudnn)
                p->asks[p->n_asks++] = cudnn_name(f, cudnn);
            continue;
        }
        enum tn_found found = tn_facts_cuda_lib(cuda, *component, platform_of(f), &file);
        if (found == TN_ANSWER_YES && *file) {
            p->asks[p->n_asks++] = file;
        } else if (found != TN_ANSWER_NO) {
            p->n_asks = 0;
            return;
        }
    }
}

void tn_pyfw_asks_of_rule(struct tn_pyfw *f, const char *const *component, const char *cuda, const char *cudnn,
                          uint32_t src)
{
    struct tn_py *p = f->p;
    const char *key = tn_arena_printf(p->mem, "%s/%s", cuda, cudnn ? cudnn : "");
    for (const char *const *c = component; *c; c++)
        key = tn_pyenv_join(p, key, *c);
    if (!tn_str_eq(key, p->asks_key)) {
        p->asks_key = key;
        name_asks(f, component, cuda, cudnn);
    }
    if (p->n_asks)
        tn_pyfw_row(f)->asks = tn_fact_list(p->s, src, p->asks, p->n_asks);
}

/* "cu121" of "12.1". */
static const char *variant_of(struct tn_pyfw *f, const char *cuda)
{
    uint64_t major = 0, minor = 0;
    if (!tn_version_dotted_part(cuda, 0, &major) || !tn_version_dotted_part(cuda, 1, &minor))
        return NULL;
    return tn_arena_printf(f->p->mem, "cu%u%u", (unsigned)major, (unsigned)minor);
}

void tn_pyfw_torch_of_table(struct tn_pyfw *f)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_facts_torch t;
    struct tn_str machine = TN_THE(f->p->s, host)->arch;
    bool other = machine.k == TN_KNOWN && strcmp(machine.v, "x86_64") != 0 && strcmp(machine.v, "AMD64") != 0;
    if (r->version.k != TN_KNOWN || r->cuda.k != TN_KNOWN || !tn_is(r->gpu_build, 1))
        return;
    if (tn_facts_torch_build(r->version.v, variant_of(f, r->cuda.v), platform_of(f), &t) != TN_ANSWER_YES || !t.exact)
        return;
    uint32_t src = table_src(f, "pytorch_builds");
    set_str(f, &r->cudnn, t.cudnn, src);
    if (*t.sass && !other) { /* the lists are those of the x86-64 builds */
        set_cell(f, &r->sass, t.sass, src);
        set_cell(f, &r->ptx, t.ptx, src);
    }
}

void tn_pyfw_jax_of_table(struct tn_pyfw *f, const char *extra)
{
    struct tn_rec_framework *r = tn_pyfw_row(f);
    struct tn_facts_jax t;
    if (r->version.k != TN_KNOWN || tn_facts_jax_build(r->version.v, extra, &t) != TN_ANSWER_YES)
        return;
    uint32_t src = table_src(f, "jax_builds");
    set_str(f, &r->cuda, t.built_cuda, src);
    set_str(f, &r->cudnn, t.built_cudnn, src);
    if (*t.sass) {
        set_cell(f, &r->sass, t.sass, src);
        set_cell(f, &r->ptx, t.ptx, src);
    }
}
