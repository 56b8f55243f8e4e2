/* envs_json.c - environments as JSON (json_contract.md, command envs): every row, none hidden or folded. */
#include <string.h>

#include "check/look.h"
#include "report/envs.h"
#include "snapshot/json.h"

static json_t *text(const char *s)
{
    return s && *s ? tn_json_text(s) : json_null();
}

static json_t *fact(struct tn_str f)
{
    return tn_known(f) ? tn_json_text(f.v) : json_null();
}

static json_t *whole(struct tn_int f)
{
    return f.k == TN_KNOWN ? json_integer(f.v) : json_null();
}

static json_t *frameworks(const struct tn_envs *e, const struct tn_judge *j)
{
    json_t *list = json_array();
    size_t row = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row));) {
        json_t *o = json_object();
        tn_json_set(o, "name", fact(f->name));
        tn_json_set(o, "version", fact(f->version));
        tn_json_set(o, "cuda", text(tn_look_cuda(e->judge->s, f)));
        tn_json_set(o, "cudnn", text(tn_look_cudnn(e->judge->s, f)));
        tn_json_set(o, "package", text(tn_look_package(f)));
        tn_json_append(list, o);
    }
    return list;
}

static json_t *kernels(const struct tn_snap *s, const struct tn_rec_env *env)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->choice.n; i++)
        if (tn_says(s->choice.v[i].by, "jupyter") && tn_known(env->id) && tn_says(s->choice.v[i].env, env->id.v))
            tn_json_append(list, fact(s->choice.v[i].name));
    return list;
}

static json_t *environment(const struct tn_envs *e, const struct tn_envs_row *r, const struct tn_judge *j)
{
    json_t *o = json_object();
    const struct tn_ready *y = r->ready;
    tn_json_set(o, "path", text(r->path));
    tn_json_set(o, "name", text(r->name));
    tn_json_set(o, "kind", fact(j->env->kind));
    tn_json_set(o, "tool", fact(j->env->tool));
    tn_json_set(o, "python", text(r->python));
    tn_json_set(o, "interpreter", fact(j->env->interpreter));
    tn_json_set(o, "judged", json_boolean(e->judge->env && e->judge->env_row == r->env));
    tn_json_set(o, "gpu_ready",
                y->how == TN_READY_YES  ? json_true()
                : y->how == TN_READY_NO ? json_false()
                                        : json_null());
    tn_json_set(o, "reason", y->reason ? json_string(y->reason->cause) : json_null());
    tn_json_set(o, "reason_of", y->reason ? json_string(y->of_machine ? "machine" : "environment") : json_null());
    struct tn_buf b;
    tn_buf_init(&b);
    if (y->reason && y->how == TN_READY_NO)
        tn_finding_say(&b, y->reason, e->lang);
    tn_json_set(o, "reason_text", b.n ? tn_json_text(b.p) : json_null());
    tn_buf_deinit(&b);
    tn_json_set(o, "frameworks", frameworks(e, j));
    tn_json_set(o, "cuda_found", text(r->cuda));
    tn_json_set(o, "cudnn_found", text(r->cudnn));
    tn_json_set(o, "kernels", kernels(e->judge->s, j->env));
    tn_json_set(o, "bytes", whole(j->env->bytes));
    tn_json_set(o, "bytes_freed", whole(j->env->freed_bytes));
    tn_json_set(o, "bytes_shared", whole(j->env->shared_bytes));
    tn_json_set(o, "bytes_doubled", whole(j->env->doubled_bytes));
    tn_json_set(o, "unreadable_folders", whole(j->env->unreadable));
    tn_json_set(o, "last_used", text(r->used));
    return o;
}

void tn_envs_json(const struct tn_envs *e, struct tn_buf *ret)
{
    const struct tn_snap *s = e->judge->s;
    const struct tn_judge_rows *rows = tn_judge_index(s, e->mem);
    tn_json_seed();
    json_t *top = json_object(), *list = json_array(), *lost = json_array();
    tn_json_set(top, "schema_version", json_integer(1));
    tn_json_set(top, "command", json_string("envs"));
    tn_json_set(top, "machine_reason", e->readiness.machine ? json_string(e->readiness.machine->cause) : json_null());
    for (size_t i = 0; i < e->n; i++) {
        struct tn_judge j = *e->judge;
        j.env = &s->env.v[e->row[i].env];
        j.env_row = e->row[i].env;
        j.rows = &rows[j.env_row];
        tn_json_append(list, environment(e, &e->row[i], &j));
    }
    tn_json_set(top, "environments", list);
    tn_json_set(top, "bytes", whole(TN_THE(s, envs)->bytes));
    tn_json_set(top, "bytes_doubled", whole(TN_THE(s, envs)->doubled_bytes));
    for (size_t i = 0; i < s->choice.n; i++)
        if (tn_says(s->choice.v[i].by, "jupyter") && tn_is(s->choice.v[i].exists, 0)) {
            json_t *o = json_object();
            tn_json_set(o, "name", fact(s->choice.v[i].name));
            tn_json_set(o, "interpreter", fact(s->choice.v[i].interpreter));
            tn_json_append(lost, o);
        }
    tn_json_set(top, "kernels_lost", lost);
    tn_json_dump(ret, top, 1);
    tn_buf_ch(ret, '\n');
    json_decref(top);
}
