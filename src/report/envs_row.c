/* envs_row.c - one environment in words: its frameworks, the CUDA and cuDNN that they would find, its kernels. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "check/look.h"
#include "report/envs.h"

static const char *add(const struct tn_envs *e, const char *list, const char *word)
{
    if (!*word)
        return list;
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p += n) /* once is enough */
        if ((p == list || p[-1] == ' ') && (p[n] == 0 || p[n] == ','))
            return list;
    return *list ? tn_arena_printf(e->mem, "%s, %s", list, word) : word;
}

static const char *known(struct tn_str f)
{
    return tn_known(f) ? f.v : "";
}

/* The version of the copy that the framework meets first; "" if there is none. */
static const char *found(const struct tn_judge *j, const struct tn_rec_framework *f, const char *name)
{
    size_t at = *name ? tn_look_library(j, f, name) : j->s->library.n;
    if (at == j->s->library.n || !tn_look_found(j, &j->s->library.v[at]))
        return "";
    return known(j->s->library.v[at].version);
}

static const char *cudart_of(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    const char *asks[TN_MAX_ASKS];
    unsigned n = tn_look_asks(j->s, f, asks);
    for (unsigned i = 0; i < n; i++)
        if (tn_str_starts(asks[i], "libcudart.") || tn_str_starts(asks[i], "cudart"))
            return asks[i];
    return "";
}

static void frameworks(const struct tn_envs *e, const struct tn_judge *j, struct tn_envs_row *ret)
{
    size_t row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));) {
        char name[TN_MAX_NAME_BYTES + 1];
        tn_look_cudnn_name(j, f, name, sizeof name);
        ret->frameworks = add(
            e, ret->frameworks,
            tn_arena_printf(e->mem, "%s%s%s", tn_look_package(f), tn_known(f->version) ? " " : "", known(f->version)));
        ret->cuda = add(e, ret->cuda, found(j, f, cudart_of(j, f)));
        ret->cudnn = add(e, ret->cudnn, found(j, f, name));
    }
}

/* Days since 1970 as a date (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static const char *date(struct tn_arena *mem, int64_t seconds)
{
    int64_t z = seconds / 86400 + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
    return tn_arena_printf(mem, "%04d-%02d-%02d", (int)(yoe + era * 400 + (m <= 2)), (int)m, (int)d);
}

void tn_envs_row_of(const struct tn_envs *e, const struct tn_judge *j, struct tn_envs_row *ret)
{
    const struct tn_rec_env *v = j->env;
    *ret = (struct tn_envs_row){.env = j->env_row,
                                .ready = &e->readiness.env[j->env_row],
                                .path = known(v->path),
                                .name = known(v->name),
                                .kind = tn_known(v->tool) ? v->tool.v : known(v->kind),
                                .python = known(v->python),
                                .frameworks = "",
                                .cuda = "",
                                .cudnn = "",
                                .kernels = "",
                                .used = "",
                                .size = ""};
    frameworks(e, j, ret);
    for (size_t i = 0; i < j->s->choice.n; i++) {
        const struct tn_rec_choice *c = &j->s->choice.v[i];
        if (tn_says(c->by, "jupyter") && tn_known(c->env) && tn_known(v->id) && tn_says(c->env, v->id.v))
            ret->kernels = add(e, ret->kernels, known(c->name));
    }
    if (v->used_s.k == TN_KNOWN && v->used_s.v > 0 && v->used_s.v < 253402300800)
        ret->used = date(e->mem, v->used_s.v);
    if (v->bytes.k == TN_KNOWN && v->bytes.v >= 0)
        ret->size = tn_arena_printf(e->mem, "%s%s", tn_report_size(e->mem, (uint64_t)v->bytes.v),
                                    v->unreadable.k == TN_KNOWN && v->unreadable.v > 0 ? "+" : "");
}
