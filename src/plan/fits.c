/* fits.c - see fits.h. A file is a set of wishes for src/plan: it fits where they have a solution. */
#include "plan/fits.h"

#include <string.h>

#include "base/str.h"
#include "facts/cuda.h"
#include "plan/inner.h"
#include "strings.gen.h"
#include "version/dotted.h"

const char *tn_fits_word(enum tn_fits_status s)
{
    static const char *const words[] = {"fits", "unknown", "does_not"};
    return words[s];
}

struct tn_plan_say *tn_fits_add(struct tn_fits *f, enum tn_fits_status status, const char *id)
{
    if (status < f->status)
        return tn_plan_says_add(&f->notes, id);
    if (status > f->status)
        f->reasons.n = 0; /* what fits stands in its row */
    f->status = status;
    return tn_plan_says_add(&f->reasons, id);
}

struct tn_fits_row *tn_fits_add_row(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_line *line,
                                    enum tn_fits_status status, const char *id)
{
    if (f->n_row == f->cap_row)
        f->row = tn_arena_grow(mem, f->row, f->n_row, &f->cap_row, sizeof *f->row);
    struct tn_fits_row *r = &f->row[f->n_row++];
    *r = (struct tn_fits_row){.line = line, .status = status, .say = {.id = id}};
    return r;
}

/* --- one framework --- */

static void fill(struct tn_arena *mem, const struct tn_plan_machine *m, const struct tn_plan_build *b,
                 struct tn_plan_say *say)
{
    const struct tn_plan_card *c = m->n_card ? &m->card[0] : NULL;
    say->cite = b->cite;
    tn_plan_arg(mem, say, "package", "%s", b->gpu ? b->package : tn_plan_kind_word(b->kind));
    tn_plan_arg(mem, say, "version", "%s", b->version);
    tn_plan_arg(mem, say, "cuda", "%s", b->cuda);
    tn_plan_arg(mem, say, "need", "%s", b->driver_need);
    tn_plan_arg(mem, say, "driver", "%s", m->driver);
    tn_plan_arg(mem, say, "gpu", "%s", c ? c->name : "");
    tn_plan_arg(mem, say, "capability", "%s", c ? c->capability : "");
    tn_plan_arg(mem, say, "code", "%s", b->sass);
    tn_plan_arg(mem, say, "ptx", "%s", b->ptx);
}

static const char *how_it_runs(const struct tn_plan_machine *m, const struct tn_plan_build *b)
{
    if (!b->gpu)
        return TN_S_ft_cpu;
    if (!m->n_card)
        return TN_S_ft_gpu;
    if (b->mark & TN_PLAN_CODE_UNKNOWN)
        return TN_S_ft_code_unknown;
    return b->mark & TN_PLAN_JIT ? TN_S_ft_jit : TN_S_ft_native;
}

/* TensorFlow without [and-cuda] and ONNX Runtime load the image's own CUDA and cuDNN; NULL: nothing is wrong. Another
 * minor of the CUDA has the same names and serves (CUDA Compatibility guide); before TensorFlow 2.5 the names of the
 * minors differ (libcudart.so.10.1, libcusolver.so.10 of 11.0). */
static const char *judge_base(const struct tn_wish_file *file, const struct tn_plan *p, const struct tn_wish_line *l,
                              const struct tn_plan_build *b, const char **ret_have)
{
    bool own = strstr(p->wishes.v[l->wish].extras, "cuda") != NULL || strstr(l->text, "/tensorflow:") != NULL;
    const char *have = "", *tag = "";
    if ((b->kind != TN_PLAN_TENSORFLOW && b->kind != TN_PLAN_ORT) || !b->gpu || own)
        return NULL;
    for (size_t i = 0; i < file->n; i++) {
        const struct tn_wish_line *k = &file->v[i];
        if (k->marker != TN_MARKER_NO && k->what == TN_LINE_IMAGE && strstr(k->spec, "nvidia/cuda:"))
            tag = strstr(k->spec, "nvidia/cuda:") + 12;
        if (k->marker != TN_MARKER_NO && tn_str_starts(k->spec, "NVIDIA_REQUIRE_CUDA=cuda>=") && *k->note)
            have = k->spec + 26;
    }
    *ret_have = have;
    bool same = b->kind == TN_PLAN_ORT || tn_version_dotted_cmp(b->version, "2.5") >= 0; /* by minor versions */
    same = same && tn_version_dotted_major(have) == tn_version_dotted_major(b->cuda);
    if (*have && *b->cuda_spec && !same && !tn_plan_meets(have, b->cuda_spec))
        return TN_S_ft_image_cuda;
    const char *part = strstr(tag, "cudnn"); /* "cudnn8"; later tags say "cudnn" alone */
    if (part && tn_is_digit(part[5]) && *b->cudnn &&
        tn_version_dotted_major(part + 5) != tn_version_dotted_major(b->cudnn)) {
        *ret_have = tag;
        return TN_S_ft_image_cudnn;
    }
    *ret_have = tag;
    return *tag && !strstr(tag, "cudnn") ? TN_S_ft_image_no_cudnn : NULL;
}

/* The build that was chosen: what of the machine it needs and nobody knows. */
static void judge_build(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_file *file,
                        const struct tn_plan *p, const struct tn_wish_line *l, const struct tn_plan_build *b)
{
    const struct tn_plan_machine *m = &p->machine;
    enum tn_fits_status status = TN_FITS_YES;
    const char *id = how_it_runs(m, b), *have = "", *base = judge_base(file, p, l, b, &have);
    if (base) {
        status = TN_FITS_NO;
        id = base;
    } else if (b->gpu && m->no_driver && !*m->driver) {
        status = TN_FITS_NO;
        id = TN_S_ft_no_driver;
    } else if (b->gpu && !*m->driver && !*m->ceiling) {
        status = TN_FITS_UNKNOWN;
        id = TN_S_ft_driver_unknown;
    } else if (b->gpu && !m->n_card) {
        status = TN_FITS_UNKNOWN;
        id = TN_S_ft_card_unknown;
    }
    struct tn_fits_row *r = tn_fits_add_row(mem, f, l, status, id);
    fill(mem, m, b, &r->say);
    if (base) {
        tn_plan_arg(mem, &r->say, "have", "%s", have);
        tn_plan_arg(mem, &r->say, "spec", "%s", b->cuda_spec);
        tn_plan_arg(mem, &r->say, "cudnn", "%s", b->cudnn);
    }
    if (f->status <= status)
        *tn_fits_add(f, status, id) = r->say;
    if (b->mark & TN_PLAN_OWN_WHEELS && b->gpu)
        fill(mem, m, b, tn_plan_says_add(&f->notes, TN_S_ft_own_wheels));
}

/* Alone: which of several is it that does not go? */
static void judge_alone(struct tn_arena *mem, struct tn_fits *f, const struct tn_plan *all,
                        const struct tn_plan_wishes *w, const struct tn_snap *s, const struct tn_wish_line *l)
{
    struct tn_plan *p = tn_arena_alloc(mem, sizeof *p);
    struct tn_plan_wishes *one = tn_arena_memdup(mem, w, sizeof *w);
    one->v[0] = w->v[l->wish];
    one->n = 1;
    if (w->n > 1)
        tn_plan_make(mem, one, s, p);
    const struct tn_plan *q = w->n > 1 ? p : all;
    bool fits = q->end == TN_PLAN_FITS;
    struct tn_fits_row *r =
        tn_fits_add_row(mem, f, l, q->end == TN_PLAN_LIMIT ? TN_FITS_UNKNOWN : TN_FITS_NO, TN_S_ft_not_together);
    if (!fits && q->conflict.n)
        r->say = q->conflict.v[q->conflict.n - 1];
    for (unsigned i = 0; !fits && i < q->conflict.n; i++) /* a fact of the machine tells more than the wish */
        if (!tn_str_starts(q->conflict.v[i].id, "pl_no_wish") && !tn_str_starts(q->conflict.v[i].id, "pl_no_gpu") &&
            !tn_str_eq(q->conflict.v[i].id, TN_S_pl_no_other))
            r->say = q->conflict.v[i];
    if (fits)
        tn_plan_arg(mem, &r->say, "package", "%s", tn_plan_kind_word(w->v[l->wish].kind));
}

/* --- what the file pins beside a framework --- */

static const char *exact(const char *spec)
{
    return tn_str_starts(spec, "==") && !strpbrk(spec, ",*") ? spec + 2 : "";
}

static bool all_exact(const struct tn_plan_wishes *w)
{
    for (unsigned i = 0; i < w->n; i++)
        if (!*exact(w->v[i].spec))
            return false;
    return true;
}

static void clash_of(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_line *l, const char *id,
                     const struct tn_plan_build *b, const char *need, const struct tn_cite *cite)
{
    struct tn_fits_row *r = tn_fits_add_row(mem, f, l, TN_FITS_NO, id);
    r->say.cite = *cite;
    tn_plan_arg(mem, &r->say, "package", "%s", b->package);
    tn_plan_arg(mem, &r->say, "version", "%s", b->version);
    tn_plan_arg(mem, &r->say, "need", "%s", need);
    tn_plan_arg(mem, &r->say, "have", "%s", l->spec);
    *tn_fits_add(f, TN_FITS_NO, id) = r->say;
}

/* Exact pins against what an exactly named release needs; ranges are the resolver's work. */
static void judge_beside(struct tn_arena *mem, struct tn_fits *f, const struct tn_plan *p,
                         const struct tn_plan_wishes *w, const struct tn_wish_line *l)
{
    const char *name = w->other[l->other].name, *version = exact(w->other[l->other].spec);
    if (!*version || !all_exact(w))
        return;
    for (unsigned i = 0; i < p->choice.n; i++) {
        const struct tn_plan_build *b = p->choice.build[i];
        for (unsigned k = 0; k < b->n_bound; k++) {
            const struct tn_plan_bound *bound = &b->bound[k];
            bool holds = !*bound->python_min && !*bound->python_max; /* whatever the Python */
            if (holds && tn_str_eq(bound->name, name) && !tn_plan_meets(version, bound->spec)) {
                clash_of(mem, f, l, TN_S_ft_pin, b, tn_arena_printf(mem, "%s%s", bound->name, bound->spec),
                         &bound->cite);
                return;
            }
        }
        bool cudnn = tn_str_starts(name, "nvidia-cudnn-cu") && b->gpu && *b->cudnn_spec &&
                     tn_version_dotted_major(name + 15) == tn_version_dotted_major(b->cuda);
        if (cudnn && !tn_plan_meets(version, b->cudnn_spec)) {
            clash_of(mem, f, l, TN_S_ft_cudnn, b, b->cudnn_spec, &b->cite);
            return;
        }
    }
}

/* A line that the clash names: what it clashes with. */
static void judge_clash(struct tn_arena *mem, struct tn_fits *f, const struct tn_plan *p,
                        const struct tn_plan_wishes *w, const struct tn_wish_line *l)
{
    const char *own = tn_arena_printf(mem, "%s%s", w->other[l->other].name, w->other[l->other].spec);
    const struct tn_plan_say *with = NULL;
    bool named = false;
    for (unsigned i = 0; i < p->conflict.n; i++) {
        const struct tn_plan_say *say = &p->conflict.v[i];
        if (tn_str_eq(say->id, TN_S_pl_no_other) && say->n_arg && tn_str_eq(say->arg[0].value, own))
            named = true;
        else if (tn_str_eq(say->id, TN_S_pl_no_pin))
            with = say;
    }
    if (named)
        tn_fits_add_row(mem, f, l, TN_FITS_NO, TN_S_pl_no_other)->say = with ? *with : p->conflict.v[p->conflict.n - 1];
}

/* --- images --- */

static const char *value_of(const struct tn_wish_line *l, const char *name)
{
    size_t n = strlen(name);
    return tn_str_starts(l->spec, name) && l->spec[n] == '=' ? l->spec + n + 1 : NULL;
}

/* Where the image says itself which drivers it takes, that holds: data center cards may bring an older one. */
static bool says_itself(const struct tn_wish_file *file)
{
    for (size_t i = 0; i < file->n; i++)
        if (tn_str_starts(file->v[i].spec, "NVIDIA_REQUIRE_CUDA="))
            return true;
    return false;
}

static void judge_image(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_file *file,
                        const struct tn_plan_machine *m, const struct tn_wish_line *l)
{
    const char *arch = value_of(l, "architecture"), *cuda = value_of(l, "CUDA_VERSION");
    if (arch) {
        const char *is = tn_str_eq(arch, "amd64") ? "x86_64" : tn_str_eq(arch, "arm64") ? "aarch64" : arch;
        bool same = tn_str_eq(is, m->arch);
        struct tn_fits_row *r = tn_fits_add_row(mem, f, l, same ? TN_FITS_YES : TN_FITS_NO, TN_S_ft_arch);
        tn_plan_arg(mem, &r->say, "need", "%s", is);
        tn_plan_arg(mem, &r->say, "have", "%s", m->arch);
        if (!same)
            *tn_fits_add(f, TN_FITS_NO, TN_S_ft_arch) = r->say;
        return;
    }
    struct tn_facts_driver_need need;
    if (!cuda || says_itself(file) || tn_facts_cuda_driver(cuda, m->driver_platform, &need) == TN_ANSWER_NO ||
        !*need.floor)
        return;
    enum tn_fits_status status = TN_FITS_YES;
    const char *id = TN_S_ft_image_driver;
    if (*m->driver && tn_version_dotted_cmp(m->driver, need.floor) < 0)
        status = TN_FITS_NO;
    else if (!*m->driver)
        status = m->no_driver ? TN_FITS_NO : TN_FITS_UNKNOWN, id = TN_S_ft_image_no_driver;
    struct tn_fits_row *r = tn_fits_add_row(mem, f, l, status, id);
    tn_plan_arg(mem, &r->say, "cuda", "%s", cuda);
    tn_plan_arg(mem, &r->say, "need", "%s", need.floor);
    tn_plan_arg(mem, &r->say, "driver", "%s", m->driver);
    if (status != TN_FITS_YES)
        *tn_fits_add(f, status, id) = r->say;
}

/* --- all of it --- */

static void judge_line(struct tn_arena *mem, struct tn_fits *f, const struct tn_wish_file *file,
                       const struct tn_plan *p, const struct tn_plan_wishes *w, const struct tn_snap *s,
                       const struct tn_wish_line *l)
{
    struct tn_plan_say *say = NULL;
    if (l->marker == TN_MARKER_NO)
        return;
    if (l->wish >= 0 && p && p->end == TN_PLAN_FITS) {
        judge_build(mem, f, file, p, l, p->choice.build[l->wish]);
    } else if (l->wish >= 0 && p) {
        judge_alone(mem, f, p, w, s, l);
    } else if (l->other >= 0 && p && p->end == TN_PLAN_FITS) {
        judge_beside(mem, f, p, w, l);
    } else if (l->other >= 0 && p && p->end == TN_PLAN_NONE) {
        judge_clash(mem, f, p, w, l);
    } else if (l->what == TN_LINE_REQUIRE) {
        struct tn_plan_machine *m = tn_arena_alloc(mem, sizeof *m);
        tn_plan_machine_of(mem, s, m);
        judge_image(mem, f, file, m, l);
    } else if (l->what == TN_LINE_BROKEN) {
        say = tn_fits_add(f, TN_FITS_UNKNOWN, TN_S_ft_broken);
    } else if (l->what == TN_LINE_FILE) {
        say =
            l->open ? tn_fits_add(f, TN_FITS_UNKNOWN, TN_S_ft_not_read) : tn_plan_says_add(&f->notes, TN_S_ft_not_read);
    }
    if (say) {
        tn_plan_arg(mem, say, "file", "%s", l->file);
        tn_plan_arg(mem, say, "line", "%u", l->line);
        tn_plan_arg(mem, say, "text", "%s", l->text);
        tn_plan_arg(mem, say, "because", "%s", l->note);
    }
}

static bool any_open_marker(const struct tn_wish_file *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].wish >= 0 && f->v[i].marker == TN_MARKER_UNKNOWN)
            return true;
    return false;
}

static void judge_plan(struct tn_fits *f, const struct tn_wish_file *file, const struct tn_plan *p)
{
    bool open = any_open_marker(file);
    if (p->end == TN_PLAN_LIMIT)
        tn_fits_add(f, TN_FITS_UNKNOWN, TN_S_pl_head_limit);
    for (unsigned i = 0; i < p->conflict.n && p->end == TN_PLAN_NONE; i++)
        *tn_fits_add(f, open ? TN_FITS_UNKNOWN : TN_FITS_NO, "") = p->conflict.v[i];
    if (p->end == TN_PLAN_NONE && open)
        tn_fits_add(f, TN_FITS_UNKNOWN, TN_S_ft_marker);
    static const char *const in_rows[] = {
        TN_S_pl_note_own_wheels,   TN_S_pl_note_no_driver,      TN_S_pl_note_jit,
        TN_S_pl_note_manual_linux, TN_S_pl_note_manual_windows, TN_S_pl_note_manual_arch,
        TN_S_pl_note_manual_list,  TN_S_pl_note_manual_no_list, NULL};
    for (unsigned i = 0; i < p->warning.n; i++)
        if (!tn_str_in(p->warning.v[i].id, in_rows))
            *tn_plan_says_add(&f->notes, "") = p->warning.v[i];
}

void tn_fits_make(struct tn_arena *mem, const struct tn_wish_file *file, const struct tn_plan_wishes *w,
                  const struct tn_snap *s, struct tn_fits *ret)
{
    struct tn_plan *p = NULL;
    memset(ret, 0, sizeof *ret);
    ret->kind = file->kind;
    ret->rewritten = w->say;
    if (w->n) {
        ret->plan = p = tn_arena_alloc(mem, sizeof *p);
        tn_plan_make(mem, w, s, p);
        if (p->end == TN_PLAN_FITS && !p->gpu && p->machine.weak && !w->cpu) { /* can it run there at all? */
            struct tn_plan_wishes *on_gpu = tn_arena_memdup(mem, w, sizeof *w);
            struct tn_plan *q = tn_arena_alloc(mem, sizeof *q);
            on_gpu->gpu = true;
            tn_plan_make(mem, on_gpu, s, q);
            ret->plan = p = q->end == TN_PLAN_FITS ? q : p;
        }
        judge_plan(ret, file, p);
    }
    if (w->refused)
        for (unsigned i = 0; i < w->say.n; i++)
            if (tn_str_eq(w->say.v[i].id, TN_S_pl_refused))
                *tn_fits_add(ret, TN_FITS_NO, "") = w->say.v[i];
    for (size_t i = 0; i < file->n; i++)
        judge_line(mem, ret, file, p, w, s, &file->v[i]);
    if (file->cut)
        tn_fits_add(ret, TN_FITS_UNKNOWN, TN_S_ft_cut);
}
