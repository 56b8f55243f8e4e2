/* online.c - see online.h. What is chosen is looked up; what that brings to light may lead to another choice, which is
 * looked up in its turn, until a choice is there with all that it is pinned to.
 * Sources: "Simple repository API" (PyPA); PyTorch, "Start locally" (an index for each of its variants). */
#include "cmd/online.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/asker.h"
#include "os/os.h"
#include "plan/metadata.h"
#include "plan/step.h"
#include "strings.gen.h"
#include "version/pep440.h"
#include "version/requirement.h"

#define ACCEPT "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
#define MAX_ROUNDS 64u
#define MAX_PINS 32u
#define REQUEST_MS 20000u
#define ALL_MS 60000u

int tn_asker_fail(struct tn_asker *a, struct tn_err *err, const char *id, const struct tn_arg *arg, unsigned n)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(a->c, id), arg, n);
    tn_err_set(err, TN_E_IO, NULL, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_E_IO;
}

/* --- asking --- */

const char *tn_asker_hop(struct tn_arena *mem, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    size_t n = strcspn(host, "/?#");
    for (size_t i = 0; i < n; i++)
        if (host[i] == '@') {
            host += i + 1;
            n -= i + 1;
            i = 0;
        }
    return tn_arena_strndup(mem, host, n);
}

/* As pip does: an index's password serves its own host, where files may lie, and no other. */
static const struct tn_get_how *how_to(const struct tn_asker *a, const char *url)
{
    const struct tn_get_how *found = &a->other;
    for (unsigned i = 0; i < a->n && !found->user; i++) {
        const char *host = strstr(a->url[i], "://") + 3;
        size_t n = (size_t)(host - a->url[i]) + strcspn(host, "/?#");
        if (strncmp(url, a->url[i], n) == 0 && (!url[n] || strchr("/?#", url[n])))
            found = &a->how[i];
    }
    return found;
}

int tn_asker_get(struct tn_asker *a, const char *name, const struct tn_question *q, bool *whole, struct tn_answer *ret,
                 struct tn_got *got, struct tn_err *err)
{
    struct tn_question one = *q;
    uint64_t now = tn_os_monotonic_us();
    struct tn_arg arg[] = {{"name", name}, {"why", NULL}};
    unsigned left = now < a->end_us ? (unsigned)((a->end_us - now) / 1000) : 0, watch = tn_os_left_ms();
    left = left < watch ? left : watch;
    if (left < 100) {
        arg[1].value = tn_arena_printf(a->c->mem, "%s: no time left", tn_asker_hop(a->c->mem, q->name));
        return tn_asker_fail(a, err, TN_S_pl_online_failed, arg, 2);
    }
    one.deadline_ms = left < REQUEST_MS ? left : REQUEST_MS;
    if (!one.ctx)
        one.ctx = how_to(a, q->name);
    tn_world_get(a->c->mem, &one, ret, got);
    if (ret->got == TN_UNASKED)
        return tn_asker_fail(a, err, TN_S_pl_online_no_helper, NULL, 0);
    a->ret->said.requests++;
    a->ret->said.bytes += got->wire;
    if (ret->got != TN_KNOWN && whole && tn_str_eq(ret->note, "whole")) {
        *whole = true;
        return 0;
    }
    if (ret->got != TN_KNOWN) {
        arg[1].value = ret->note;
        return tn_asker_fail(a, err, TN_S_pl_online_failed, arg, 2);
    }
    return 0;
}

/* One page of one index. A name that it does not know adds nothing. */
static int page(struct tn_asker *a, const char *url, const struct tn_get_how *how, struct tn_index_package *p,
                struct tn_err *err)
{
    struct tn_arena *mem = a->c->mem;
    struct tn_answer answer;
    struct tn_got got;
    struct tn_question q = {.kind = TN_Q_GET,
                            .name = tn_arena_printf(mem, "%s/%s/", url, p->name),
                            .sub = ACCEPT,
                            .max = TN_MAX_TEXT_FILE,
                            .ctx = how};
    int rc = tn_asker_get(a, p->name, &q, NULL, &answer, &got, err);
    if (rc)
        return rc;
    struct tn_arg arg[] = {{"name", p->name}, {"hop", tn_asker_hop(mem, got.url)}, {"status", NULL}};
    if (answer.status == 404 || answer.status == 410)
        return 0;
    if (answer.status != 200) {
        arg[2].value = tn_arena_printf(mem, "%d", answer.status);
        return tn_asker_fail(a, err, TN_S_pl_online_status, arg, 3);
    }
    struct tn_err why;
    if (tn_index_read(mem, answer.data, got.type, got.url, p, &why) != 0) {
        arg[2] = (struct tn_arg){"why", tn_arena_strdup(mem, why.text)};
        return tn_asker_fail(a, err, TN_S_pl_online_page, arg, 3);
    }
    p->absent = false;
    return 0;
}

/* A package's pages, once. more: an index beside the user's own, asked where those lack version; "". NULL: there are
 * too many packages. */
static int ask_package(struct tn_asker *a, const char *name, const char *variant, const char *more, const char *version,
                       const struct tn_plan_machine *m, struct tn_index_package **ret, struct tn_err *err)
{
    struct tn_plan_index *x = &a->ret->index;
    *ret = tn_index_find(x, name, variant);
    if (*ret || x->n == TN_INDEX_MAX_PACKAGES)
        return 0;
    struct tn_index_package *p = &x->package[x->n];
    *p = (struct tn_index_package){.name = name, .variant = variant, .absent = true};
    for (unsigned i = 0; i < a->n; i++) {
        int rc = page(a, a->url[i], &a->how[i], p, err);
        if (rc)
            return rc;
    }
    int rc = *more && !tn_index_file_for(p, m, version, "") ? page(a, more, how_to(a, more), p, err) : 0;
    if (rc)
        return rc;
    x->n++;
    *ret = p;
    return 0;
}

/* --- what is chosen --- */

struct round {
    struct tn_asker *a;
    const struct tn_plan *p;
    const struct tn_plan_machine *m; /* where it will run: in a container, in WSL */
    struct tn_plan_steps *steps;
    bool again; /* something new is known, choose again */
};

static void miss(struct round *r, const struct tn_plan_build *b, enum tn_index_miss_why why, const char *what)
{
    struct tn_plan_index *x = &r->a->ret->index;
    if (x->n_miss == TN_INDEX_MAX_MISSES)
        return;
    x->miss[x->n_miss++] = (struct tn_index_miss){.name = b->package,
                                                  .version = b->version,
                                                  .variant = b->variant,
                                                  .python = r->p->choice.python,
                                                  .why = why,
                                                  .what = what};
    r->again = true;
}

static const char *index_of_steps(const struct tn_plan_steps *s)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->v[i].kind == TN_STEP_PACKAGES && *s->v[i].index)
            return s->v[i].index;
    return "";
}

static bool takes_python(const struct tn_metadata *m, const char *python)
{
    bool met;
    return !*m->requires_python || !*python || tn_version_pep440_match(python, m->requires_python, &met, NULL) != 0 ||
           met;
}

static int look_at(struct round *r, const struct tn_plan_build *b, struct tn_err *err)
{
    struct tn_index_package *page;
    bool own = tn_index_has_kind(r->m, b);
    const char *version = own ? b->version : tn_arena_printf(r->a->c->mem, "%s+%s", b->version, b->variant);
    bool known = tn_index_find(&r->a->ret->index, b->package, own ? "" : b->variant) != NULL;
    int rc = ask_package(r->a, b->package, own ? "" : b->variant, own ? "" : index_of_steps(r->steps), version, r->m,
                         &page, err);
    r->again = r->again || (!rc && !known && page);
    if (rc || !page || r->again)
        return rc;
    struct tn_index_file *f =
        (struct tn_index_file *)(uintptr_t)tn_index_file_for(page, r->m, version, r->p->choice.python);
    if (!f) {
        miss(r, b, TN_MISS_FILE, "");
        return 0;
    }
    if (!f->meta_asked)
        rc = tn_asker_metadata(r->a, page, f, err);
    if (!rc && f->meta && !takes_python(f->meta, r->p->choice.python))
        miss(r, b, TN_MISS_PYTHON, f->meta->requires_python);
    return rc;
}

/* The build that the packages beside it are pinned for. */
static const struct tn_plan_build *pinned_for(const struct tn_plan *p)
{
    for (unsigned i = 0; i < p->choice.n; i++)
        if (p->choice.build[i]->kind == TN_PLAN_TENSORFLOW && p->choice.build[i]->gpu)
            return p->choice.build[i];
    return p->choice.build[0];
}

/* "name==version", of the plan's steps or of METADATA: is it there? more: an index beside the user's own; "". */
static int look_at_pin(struct round *r, const struct tn_plan_build *b, const char *text, const char *more,
                       struct tn_err *err)
{
    struct tn_requirement q;
    struct tn_index_package *page;
    if (tn_version_requirement_parse(text, &q, NULL) != 0 || !tn_str_starts(q.spec, "=="))
        return 0;
    const char *name = tn_arena_strdup(r->a->c->mem, q.name), *version = tn_arena_strdup(r->a->c->mem, q.spec + 2);
    int rc = ask_package(r->a, name, "", more, version, r->m, &page, err);
    if (!rc && page && !tn_index_meets(page, r->m, q.spec, r->p->choice.python))
        miss(r, b, TN_MISS_PIN, tn_arena_printf(r->a->c->mem, "%s%s", q.name, q.spec));
    return rc;
}

/* NVIDIA's packages in the steps; frameworks themselves were looked at. */
static int look_at_steps(struct round *r, struct tn_err *err)
{
    int rc = 0;
    for (unsigned i = 0; i < r->steps->n; i++) {
        const struct tn_plan_step *s = &r->steps->v[i];
        for (unsigned k = 0; s->kind == TN_STEP_PACKAGES && k < s->n_package && !rc && !r->again; k++)
            if (tn_str_starts(s->package[k], "nvidia-") || tn_str_starts(s->package[k], "cuda-toolkit"))
                rc = look_at_pin(r, pinned_for(r->p), s->package[k], s->index, err);
    }
    return rc;
}

/* What METADATA of the choice pins. */
static int look_at_metadata(struct round *r, const struct tn_plan_build *b, struct tn_err *err)
{
    bool own = tn_index_has_kind(r->m, b);
    const struct tn_index_package *page = tn_index_find(&r->a->ret->index, b->package, own ? "" : b->variant);
    const char *version = own ? b->version : tn_arena_printf(r->a->c->mem, "%s+%s", b->version, b->variant);
    const struct tn_index_file *f = page ? tn_index_file_for(page, r->m, version, r->p->choice.python) : NULL;
    const char *pin[MAX_PINS];
    unsigned n = f ? tn_index_pins(r->a->c->mem, f, r->p, r->m, r->steps, pin, MAX_PINS) : 0;
    int rc = 0;
    for (unsigned i = 0; i < n && !rc && !r->again; i++)
        rc = look_at_pin(r, b, pin[i], index_of_steps(r->steps), err);
    return rc;
}

static int look(struct tn_asker *a, const struct tn_plan *p, bool *ret_again, struct tn_err *err)
{
    struct tn_plan_machine *m = tn_arena_alloc(a->c->mem, sizeof *m);
    struct tn_plan_steps *steps = tn_arena_alloc(a->c->mem, sizeof *steps);
    struct round r = {.a = a, .p = p, .m = m, .steps = steps};
    int rc = 0;
    if (p->method == TN_METHOD_CONDA || *p->image) { /* nothing is taken from an index of wheels */
        *ret_again = false;
        return 0;
    }
    tn_index_machine(p, m);
    tn_plan_steps_of(a->c->mem, p, steps);
    for (unsigned i = 0; i < p->choice.n && !rc && !r.again; i++)
        rc = look_at(&r, p->choice.build[i], err);
    for (unsigned i = 0; i < p->choice.n && !rc && !r.again; i++)
        rc = look_at_metadata(&r, p->choice.build[i], err);
    if (!rc && !r.again)
        rc = look_at_steps(&r, err);
    *ret_again = r.again;
    if (!rc && !r.again)
        a->ret->said.refused = a->ret->refused =
            tn_index_judge(a->c->mem, &a->ret->index, p, m, steps, &a->ret->said.says);
    return rc;
}

/* From its beginning on: the resolver gets what is left of a deadline. */
static uint64_t end_of(struct tn_cmd_ctx *c)
{
    const char *deadline = tn_opt_value(c, TN_OPT_DEADLINE); /* its form has been looked at */
    double ms = deadline ? strtod(deadline, NULL) * 1000 : ALL_MS;
    return tn_os_monotonic_us() + (uint64_t)(ms > 100 && ms < ALL_MS ? ms : ALL_MS) * 1000;
}

unsigned tn_online_left_ms(const struct tn_cmd_ctx *c, const struct tn_online *o)
{
    uint64_t now = tn_os_monotonic_us();
    if (!tn_opt_value(c, TN_OPT_DEADLINE))
        return ALL_MS;
    return now < o->end_us ? (unsigned)((o->end_us - now) / 1000) : 0;
}

int tn_online_ask(struct tn_cmd_ctx *c, struct tn_plan_wishes *w, const struct tn_snap *s,
                  const struct tn_online *before, struct tn_online *ret, struct tn_err *err)
{
    struct tn_asker *a = tn_arena_alloc(c->mem, sizeof *a);
    struct tn_plan *p = tn_arena_alloc(c->mem, sizeof *p);
    bool again = true;
    memset(a, 0, sizeof *a);
    memset(ret, 0, sizeof *ret);
    if (before)
        ret->index = before->index;
    ret->index.n_miss = 0;
    a->c = c;
    a->ret = ret;
    ret->end_us = a->end_us = before && tn_opt_value(c, TN_OPT_DEADLINE) ? before->end_us : end_of(c);
    tn_plan_make(c->mem, w, s, p);
    a->by = p->method == TN_METHOD_UV ? "uv" : "pip";
    int rc = tn_asker_settings(a, err);
    ret->said.index = a->shown;
    w->index = &ret->index;
    if (!rc && before && p->end == TN_PLAN_FITS) /* what is known already leaves something out */
        tn_plan_make(c->mem, w, s, p);
    for (unsigned i = 0; !rc && again && i < MAX_ROUNDS && p->end == TN_PLAN_FITS; i++) {
        rc = look(a, p, &again, err);
        if (!rc && again)
            tn_plan_make(c->mem, w, s, p);
    }
    if (a->find_links && (ret->index.n_miss || p->end != TN_PLAN_FITS))
        tn_plan_arg(c->mem, tn_plan_says_add(&ret->said.says, TN_S_pl_online_find_links), "where", "%s", a->find_links);
    return rc;
}

bool tn_online_has_ranges(const struct tn_online *o)
{
    for (unsigned i = 0; i < o->index.n; i++)
        for (size_t k = 0; k < o->index.package[i].n; k++)
            if (tn_str_eq(o->index.package[i].v[k].not_read, TN_S_pl_meta_whole))
                return false;
    return true;
}
