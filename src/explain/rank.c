/* rank.c - see signs.h: adds up what speaks for and against each cause, and puts the causes in order.
 *
 * Weights are those of data/messages: proves 90, strong 60, suggests 35, hints 15, against -30, excludes -300. The
 * strongest sign counts in full, further ones by a third, since signs of one text are rarely independent. What a check
 * found in the facts that the text states counts like a sign. Invariant: the order does not depend on the order of
 * lines but where the sums are equal; then the cause that was told of last comes first (the last error of a log is the
 * one that the person asks about). */
#include <string.h>

#include "base/str.h"
#include "explain/judge.h"
#include "finding/catalogue.h"
#include "version/dotted.h"

#define MAX_CAUSES 128
#define LIST_CAUSES 7
#define LIST_LINES 400
#define LIST_WEIGHT 60
#define SUPPOSED 20 /* what a guide says of a fault that could happen */

struct tally {
    const char *cause;
    int best, others, against;
    unsigned last_line;
    struct tn_ref evidence[TN_MAX_EVIDENCE];
    unsigned n_evidence;
    const struct tn_finding *found; /* the check's own, with its sentence and remedies */
    bool here;                      /* that is a finding of the machine: its evidence was taken over */
    bool due;                       /* a restart of the machine is due */
    int at_work;                    /* its Windows Installer works on a package: 1, 0, or -1 where that is not known */
    bool absent;                    /* looked for on the machine, and not there */
};

struct tallies {
    struct tally v[MAX_CAUSES];
    unsigned n;
};

static struct tally *tally_of(struct tallies *t, const char *cause)
{
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(t->v[i].cause, cause) == 0)
            return &t->v[i];
    if (t->n == MAX_CAUSES)
        return NULL;
    struct tally *x = &t->v[t->n++];
    memset(x, 0, sizeof *x);
    x->cause = cause;
    x->at_work = -1;
    return x;
}

static void add(struct tally *x, int weight)
{
    if (weight < 0) {
        x->against += weight;
    } else if (weight > x->best) {
        x->others += x->best;
        x->best = weight;
    } else {
        x->others += weight;
    }
}

static int sum(const struct tally *x)
{
    int more = x->others / 3;
    return x->best ? x->best + (more > 60 ? 60 : more) + x->against : x->against;
}

static void count_sign(struct tallies *t, const struct tn_signs *signs, const struct tn_snap *s,
                       const struct tn_sign *g)
{
    const struct tn_form *f = &tn_forms[g->form];
    for (unsigned i = 0; i < f->n_mean; i++) {
        const struct tn_form_mean *m = &tn_form_means[f->mean + i];
        if (!tn_signs_hold(signs, s, g, m->cond, m->n_cond))
            continue;
        struct tally *x = tally_of(t, tn_form_pool + m->cause);
        if (!x)
            continue;
        add(x, g->told || m->weight < SUPPOSED ? m->weight : SUPPOSED);
        if (m->weight > 0 && g->last_line > x->last_line)
            x->last_line = g->last_line;
        if (m->weight > 0 && x->n_evidence < TN_MAX_EVIDENCE)
            x->evidence[x->n_evidence++] = TN_REF(observation, g->observation, value);
    }
}

/* What the stated facts come to. Notes and untestable questions are no sign of anything. */
static int weight_of(const struct tn_finding *f)
{
    static const int of[] = {75, 55, 30};
    if (f->status > TN_POSSIBLE || f->severity == TN_NOTE)
        return 0;
    return f->severity == TN_WARNING ? of[f->status] / 2 : of[f->status];
}

/* A TensorFlow that asks for a library of CUDA is no CPU build, whatever its package is called. */
static bool asks_for_cuda(const struct tn_snap *s)
{
    static const char *const name[] = {"libcudart", "libcublas", "libcudnn", "cudart64", "cublas64", "cudnn64"};
    bool tensorflow = false, torch = false, asks = false;
    for (size_t i = 0; i < s->observation.n; i++) {
        const struct tn_rec_observation *o = &s->observation.v[i];
        tensorflow |= tn_says(o->fact, "package.tensorflow");
        torch |= tn_says(o->fact, "package.torch");
        for (unsigned k = 0; tn_says(o->fact, "asked.library") && tn_known(o->value) && k < TN_LEN(name); k++)
            asks |= tn_str_starts(o->value.v, name[k]);
    }
    return asks && tensorflow && !torch;
}

static void count_found(struct tallies *t, const struct tn_finding *f, bool asked)
{
    bool platform = strcmp(f->cause, "os-without-cuda") == 0 || strcmp(f->cause, "windows-native-unsupported") == 0;
    int w = platform && !asked ? SUPPOSED : weight_of(f);
    struct tally *x = w ? tally_of(t, f->cause) : NULL;
    if (!x)
        return;
    add(x, w);
    if (!x->found || x->found->status > f->status)
        x->found = f;
}

void tn_weigh_add(const struct tn_weigh *w, const char *cause, int weight, size_t evidence)
{
    struct tally *x = tally_of(w->tallies, cause);
    if (!x)
        return;
    if (weight > x->best) /* one judge's words of several libraries are one sign */
        x->best = weight;
    if (evidence == SIZE_MAX)
        return;
    const struct tn_rec_observation *o = &w->s->observation.v[evidence];
    if (o->line.k == TN_KNOWN && o->line.v > x->last_line)
        x->last_line = (unsigned)o->line.v;
    if (x->n_evidence < TN_MAX_EVIDENCE)
        x->evidence[x->n_evidence++] = TN_REF(observation, evidence, value);
}

size_t tn_weigh_told(const struct tn_weigh *w, const char *fact)
{
    for (size_t i = w->s->observation.n; i-- > 0;)
        if (tn_says(w->s->observation.v[i].fact, fact) && tn_known(w->s->observation.v[i].value))
            return i;
    return SIZE_MAX;
}

const char *tn_weigh_value(const struct tn_weigh *w, size_t row)
{
    return w->s->observation.v[row].value.v;
}

static enum tn_status status_of(int score)
{
    return score >= 75 ? TN_CONFIRMED : score >= 50 ? TN_LIKELY : TN_POSSIBLE;
}

/* A fact of the machine, as evidence here. */
static void take_over(struct tally *x, struct tn_snap *s, const struct tn_join *join, struct tn_ref at)
{
    struct tn_buf name, value;
    if (at.row == TN_REF_LIST || at.field == TN_REF_ROW || x->n_evidence >= TN_MAX_EVIDENCE ||
        at.row >= tn_snap_rows(join->s, at.rec)->n)
        return;
    tn_buf_init(&name);
    tn_buf_init(&value);
    tn_buf_str(&name, "here.");
    tn_ref_name(at, &name);
    tn_field_text(tn_snap_row(join->s, at.rec, at.row), &tn_schema[at.rec].field[at.field], &value);
    uint32_t src = tn_snap_src(s, TN_KNOWN, NULL, "this machine");
    struct tn_rec_observation *o = TN_ADD(s, observation);
    o->fact = tn_fact_str(s, src, name.p);
    o->value = tn_fact_str(s, src, value.n ? value.p : NULL);
    x->evidence[x->n_evidence++] = TN_REF(observation, s->observation.n - 1, value);
    tn_buf_deinit(&value);
    tn_buf_deinit(&name);
}

static const struct tn_finding *held(const struct tn_join *join, const char *cause)
{
    for (size_t i = 0; i < join->found->n; i++)
        if (strcmp(join->found->v[i].cause, cause) == 0 && join->found->v[i].status <= TN_LIKELY)
            return &join->found->v[i];
    return NULL;
}

/* Was it looked for, and every question answered? */
static bool was_checked(const struct tn_join *join, const char *cause)
{
    for (size_t i = 0; i < join->found->n; i++)
        if (strcmp(join->found->v[i].cause, cause) == 0 && join->found->v[i].status == TN_UNTESTABLE)
            return false;
    for (size_t i = 0; i < join->n_checked; i++)
        if (strcmp(join->checked[i], cause) == 0)
            return true;
    return false;
}

static void confirm(struct tally *x, struct tn_snap *s, const struct tn_join *join, const struct tn_finding *f)
{
    add(x, 100);
    x->found = f;
    x->here = true;
    for (unsigned i = 0; i < f->n_evidence; i++)
        take_over(x, s, join, f->evidence[i]);
}

/* A card that is newer than the build's libraries only delays a healthy program; where one fails, it is the cause. */
static const struct tn_finding *older_than_card(const struct tn_join *join, const char *cause)
{
    const struct tn_finding *f = strcmp(cause, "arch-unsupported") == 0 ? held(join, "arch-jit-delay") : NULL;
    return f && f->variant && strcmp(f->variant, "older-libraries") == 0 ? f : NULL;
}

/* What takes another name on the machine: memory that a handle could not get is memory that somebody holds. */
static const char *shown_as(const char *cause)
{
    static const struct {
        const char *cause, *here;
    } as[] = {{"memory-preallocated", "gpu-busy"}, {"out-of-memory", "gpu-busy"}};
    for (unsigned i = 0; i < TN_LEN(as); i++)
        if (strcmp(as[i].cause, cause) == 0)
            return as[i].here;
    return cause;
}

/* What the machine lacks besides, where its installer failed: told behind it, since the one does not prove the other.
 */
static void join_beside(struct tallies *t, struct tn_snap *s, const struct tn_join *join)
{
    static const char failed[] = "cuda-install-failed", besides[] = "msvc-runtime-missing";
    const struct tn_finding *f = held(join, besides);
    struct tally *root = tally_of(t, failed), *x = f ? tally_of(t, besides) : NULL;
    int most = root ? sum(root) - 1 : 0;
    if (!x || x->here || most < 50)
        return;
    confirm(x, s, join, f);
    x->best = most < 100 ? most : 100;
    x->others = 0;
}

static bool is_running(const struct tn_snap *s)
{
    size_t row = s->observation.n;
    while (row-- > 0)
        if (tn_says(s->observation.v[row].fact, "setup.state"))
            return tn_says(s->observation.v[row].value, "running");
    return false;
}

/* How long ago a log that does not end was written to (cmd/explain.c states it of a file). */
static void unchanged(struct tallies *t, const struct tn_snap *s)
{
    size_t row = tn_weigh_told(&(struct tn_weigh){.s = s}, "here.log_unchanged_minutes");
    for (unsigned i = 0; row != SIZE_MAX && is_running(s) && i < t->n; i++)
        if (strcmp(t->v[i].cause, "cuda-install-failed") == 0 && t->v[i].n_evidence < TN_MAX_EVIDENCE)
            t->v[i].evidence[t->v[i].n_evidence++] = TN_REF(observation, row, value);
}

/* What the machine says of an installation whose log does not end. */
static void hold_up(struct tally *x, struct tn_snap *s, const struct tn_join *join)
{
    const struct tn_rec_host *h = TN_THE(join->s, host);
    if (strcmp(x->cause, "cuda-install-failed") != 0 || !is_running(s))
        return;
    x->due = tn_is(h->restart_due, 1);
    x->at_work = h->installing.k != TN_KNOWN ? -1 : (int)h->installing.v;
    if (x->due)
        take_over(x, s, join, TN_REF(host, 0, restart_due));
    if (x->at_work >= 0)
        take_over(x, s, join, TN_REF(host, 0, installing));
}

static void join_machine(struct tallies *t, struct tn_snap *s, const struct tn_join *join)
{
    unsigned n = t->n;
    for (unsigned i = 0; i < n; i++) {
        hold_up(&t->v[i], s, join);
        const char *cause = t->v[i].cause, *here = shown_as(cause);
        const struct tn_finding *f = held(join, here);
        const struct tn_cause *c = tn_cause_find(cause);
        if (sum(&t->v[i]) < 15)
            continue;
        f = f ? f : older_than_card(join, cause);
        struct tally *x = f ? tally_of(t, here) : NULL;
        if (x && !x->here)
            confirm(x, s, join, f);
        else if (!f && strcmp(cause, "out-of-memory") != 0 && was_checked(join, here))
            t->v[i].absent = true;
        for (unsigned k = 0; c && tn_cause_behind(c, k);
             k++) { /* a root that the machine shows, though no line names it */
            const struct tn_finding *root = held(join, tn_cause_behind(c, k));
            struct tally *r = root && root->severity == TN_ERROR ? tally_of(t, tn_cause_behind(c, k)) : NULL;
            if (r && !r->here)
                confirm(r, s, join, root);
        }
    }
}

static bool comes_first(const struct tally *a, const struct tally *b)
{
    int sa = sum(a), sb = sum(b);
    if (a->absent != b->absent)
        return b->absent;
    return sa != sb                       ? sa > sb
           : a->last_line != b->last_line ? a->last_line > b->last_line
                                          : tn_str_cmp(a->cause, b->cause) < 0;
}

static bool is_benign(const char *cause)
{
    const struct tn_cause *c = tn_cause_find(cause);
    return c ? strcmp(c->layer, "benign") == 0 : strcmp(cause, "benign-warning") == 0;
}

int tn_weigh_most(const struct tn_weigh *w)
{
    const struct tallies *t = w->tallies;
    int most = 0;
    for (unsigned i = 0; i < t->n; i++)
        if (!is_benign(t->v[i].cause) && sum(&t->v[i]) > most)
            most = sum(&t->v[i]);
    return most;
}

int tn_weigh_of(const struct tn_weigh *w, const char *cause)
{
    const struct tallies *t = w->tallies;
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(t->v[i].cause, cause) == 0)
            return sum(&t->v[i]);
    return 0;
}

/* What an installer's log names goes into the sentence. */
static void setup_words(struct tn_sink *out, struct tn_finding *f, const struct tn_snap *s, const struct tally *x)
{
    static const char *const word[] = {"component", "code", "error", "state"};
    const char *value[TN_LEN(word)] = {NULL};
    for (size_t i = 0; i < s->observation.n; i++)
        for (unsigned k = 0; k < TN_LEN(word); k++)
            if (tn_known(s->observation.v[i].fact) && tn_str_starts(s->observation.v[i].fact.v, "setup.") &&
                strcmp(s->observation.v[i].fact.v + strlen("setup."), word[k]) == 0 &&
                tn_known(s->observation.v[i].value))
                value[k] = s->observation.v[i].value.v;
    if (!value[0] || !value[3])
        return;
    bool runs = strcmp(value[3], "running") == 0;
    if (strcmp(f->cause, "cuda-install-failed") == 0)
        f->variant = runs       ? (x->due            ? "runs-restart"
                                   : x->at_work == 1 ? "runs-busy"
                                   : x->at_work == 0 ? "runs-ended"
                                                     : "runs")
                     : value[1] ? "component-code"
                                : "component";
    else if (strcmp(f->cause, "driver-install-failed") == 0 && !runs && (value[1] || value[2]))
        f->variant = value[2] ? "setup-error" : "setup-code";
    else
        return;
    for (unsigned k = 0; k < 3; k++)
        if (value[k])
            tn_find_arg(out, f, word[k], "%s", value[k]);
}

static void report(struct tn_sink *out, const struct tally *x, const struct tn_signs *signs, const struct tn_snap *s)
{
    const struct tn_cause *c = tn_cause_find(x->cause);
    out->cause = x->cause;
    struct tn_finding *f = tn_find(out, x->absent ? TN_RULED_OUT : status_of(sum(x)),
                                   x->n_evidence ? x->evidence[0] : TN_REF_REC(observation));
    if (x->found) {
        f->variant = x->found->variant;
        memcpy(f->arg, x->found->arg, sizeof f->arg);
        f->n_arg = x->found->n_arg;
        memcpy(f->remedy, x->found->remedy, sizeof f->remedy);
        f->n_remedy = x->found->n_remedy;
        f->severity = x->found->severity;
        if (x->here && f->severity != TN_ERROR && !is_benign(x->cause)) /* a note by itself, and here the cause */
            f->severity = TN_ERROR;
        if (!f->n_remedy)
            tn_explain_fixes(out, f, signs, s);
    } else {
        f->variant = "log";
        f->severity = is_benign(x->cause) ? TN_NOTE : c && c->severity == TN_WARNING ? TN_WARNING : TN_ERROR;
        setup_words(out, f, s, x);
        if (x->due)
            tn_find_remedy(out, f, "restart-windows", NULL);
        tn_explain_fixes(out, f, signs, s);
    }
    for (unsigned i = 0; i < x->n_evidence; i++)
        tn_find_evidence(f, x->evidence[i]);
    for (unsigned i = 0; x->found && !x->here && i < x->found->n_evidence; i++)
        tn_find_evidence(f, x->found->evidence[i]);
}

/* A cause stands behind its root where that is at least as sure. */
static const char *root_of(const struct tallies *t, const struct tally *x)
{
    const struct tn_cause *c = tn_cause_find(x->cause);
    for (unsigned i = 0; c && tn_cause_behind(c, i); i++)
        for (unsigned k = 0; k < t->n; k++)
            if (strcmp(t->v[k].cause, tn_cause_behind(c, i)) == 0 && !t->v[k].absent && sum(&t->v[k]) >= 50 &&
                sum(&t->v[k]) >= sum(x))
                return t->v[k].cause;
    return NULL;
}

/* Causes, then harmless noise where something else explains the text, then consequences. */
static unsigned group_of(const struct tallies *t, const struct tally *x, bool failed)
{
    bool other = false;
    if (root_of(t, x))
        return 2;
    if (!is_benign(x->cause))
        return 0;
    for (unsigned i = 0; i < t->n; i++)
        other |= !is_benign(t->v[i].cause) && sum(&t->v[i]) >= (failed ? 30 : 50);
    return other ? 1 : 0;
}

/* A text that names seven faults or more within a few hundred lines tells what errors there are, not what happened. */
static void cut_lists(struct tallies *t)
{
    unsigned n = 0, last = 0;
    for (unsigned i = 0; i < t->n; i++)
        last = t->v[i].best >= LIST_WEIGHT && t->v[i].last_line > last ? t->v[i].last_line : last;
    for (unsigned i = 0; i < t->n; i++)
        n += t->v[i].best >= LIST_WEIGHT && last - t->v[i].last_line < LIST_LINES && !is_benign(t->v[i].cause);
    for (unsigned i = 0; n >= LIST_CAUSES && i < t->n; i++) {
        struct tally *x = &t->v[i];
        x->best = x->best > SUPPOSED ? SUPPOSED : x->best;
        x->others = 0;
    }
}

/* NVIDIA made CUDA for macOS up to 10.2 (CUDA 10.2 release notes): who states one of those may well have had it. */
static bool had_cuda_for_mac(const struct tn_weigh *w)
{
    size_t row = tn_weigh_told(w, "toolkit.version");
    return row != SIZE_MAX && tn_version_dotted_major(tn_weigh_value(w, row)) <= 10;
}

void tn_signs_rank(const struct tn_signs *signs, struct tn_snap *s, const struct tn_sink *found,
                   const struct tn_join *join, struct tn_sink *out)
{
    struct tallies *t = tn_arena_array(signs->mem, 1, sizeof *t);
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < signs->n; i++)
        count_sign(t, signs, s, &signs->v[i]);
    cut_lists(t);
    struct tn_weigh w = {signs, s, t};
    tn_judge_asked_library(&w);
    tn_judge_memory(&w);
    tn_judge_xid(&w);
    tn_judge_platform(&w);
    tn_judge_generation(&w);
    tn_judge_companion(&w);
    tn_judge_versions(&w);
    bool asks = asks_for_cuda(s), mac = had_cuda_for_mac(&w), asked = tn_judge_platform_asked(&w);
    for (size_t i = 0; found && i < found->n; i++)
        if (!found->v[i].behind && !(asks && strcmp(found->v[i].cause, "cpu-only-build") == 0) &&
            !(mac && strcmp(found->v[i].cause, "os-without-cuda") == 0))
            count_found(t, &found->v[i], asked);
    tn_judge_told(&w); /* last: a complaint only counts where no message speaks */
    unchanged(t, s);
    if (join) {
        join_machine(t, s, join);
        join_beside(t, s, join);
    }
    for (unsigned i = 1; i < t->n; i++) { /* few: insertion sort */
        struct tally x = t->v[i];
        unsigned k = i;
        for (; k > 0 && comes_first(&x, &t->v[k - 1]); k--)
            t->v[k] = t->v[k - 1];
        t->v[k] = x;
    }
    bool failed = tn_weigh_told(&w, "fallback.asked") != SIZE_MAX || tn_weigh_told(&w, "tf.no_gpu") != SIZE_MAX;
    for (unsigned group = 0; group < 3; group++)
        for (unsigned i = 0; i < t->n; i++)
            if (sum(&t->v[i]) >= 15 && group_of(t, &t->v[i], failed) == group) {
                report(out, &t->v[i], signs, s);
                out->v[out->n - 1].behind = root_of(t, &t->v[i]);
            }
}
