/* tired.c - a machine that answers some questions and then no more: the deadline passed, a disk went away.
 *
 * Every recorded machine of a folder is probed again and again, each time with fewer answers; from then on all is
 * "failed". It must not crash, and what is judged must be true of the whole machine: "unclear", or the same status, and
 * a confirmed problem only with a cause that the whole machine has as well. Never "ok" where the machine has a problem.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "check/check.h"
#include "os/os.h"
#include "probe/probe.h"
#include "world/record.h"

int main(int argc, char **argv);

struct tired {
    struct tn_world w;
    struct tn_world *inner;
    unsigned asked, left;
};

static void answer(struct tn_world *w, struct tn_arena *mem, const struct tn_question *q, struct tn_answer *ret)
{
    struct tired *t = (struct tired *)w;
    if (t->asked++ < t->left) {
        t->inner->ops->answer(t->inner, mem, q, ret);
        return;
    }
    ret->got = TN_FAILED;
    ret->note = "deadline";
}

static void close_it(struct tn_world *w)
{
    (void)w;
}

struct outcome {
    enum tn_verdict_status status;
    char cause[64];
};

static const struct tn_world_ops ops = {"live", answer, close_it};

static unsigned run(struct tn_record *r, const char *env, const char *expect, unsigned left, struct outcome *ret,
                    struct tn_buf *causes)
{
    struct tn_err err;
    struct tired t = {.left = left};
    struct tn_want want = {.env = env, .plain = true, .no_owners = true};
    struct tn_snap s;
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict v;
    struct tn_arena mem;
    tn_arena_init(&mem);
    tn_world_replay(r, &t.inner, &err);
    t.w = *t.inner;
    t.w.ops = &ops;
    tn_snap_init(&s);
    tn_probe_all(&t.w, &want, &s);
    tn_world_close(t.inner);
    if (tn_judge_init(&j, &s, expect, &err) == 0) {
        tn_judge_narrow(&j, &mem);
        tn_sink_init(&found, &mem);
        tn_check_run(&j, NULL, NULL, &found);
        tn_findings_merge(&found);
        tn_check_others(&j, &v);
        tn_verdict_make(&j, &found, &v);
        ret->status = v.status;
        snprintf(ret->cause, sizeof ret->cause, "%s", v.first && v.status == TN_VERDICT_PROBLEM ? v.first->cause : "");
        for (size_t i = 0; causes && i < found.n; i++)
            tn_buf_printf(causes, " %s ", found.v[i].cause);
    }
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
    return t.asked;
}

static const char *word(const struct outcome *o)
{
    return o->status == TN_VERDICT_OK ? "ok" : o->status == TN_VERDICT_PROBLEM ? "problem" : "unclear";
}

/* What a machine's .args file says, line by line "env=..." and "expect=...". */
static char *args_of(struct tn_arena *mem, const char *path, const char *key)
{
    struct tn_buf b;
    uint64_t size;
    struct tn_span rest, line;
    char *v = NULL;
    size_t n = strlen(key);
    tn_buf_init(&b);
    if (tn_os_read(NULL, path, 0, 65536, &b, &size, NULL) == 0) {
        rest = tn_span_of(b.p, b.n);
        while (tn_span_line(&rest, &line))
            if (tn_span_starts(line, key))
                v = tn_arena_strndup(mem, (const char *)line.p + n, line.n - n);
    }
    tn_buf_deinit(&b);
    return v;
}

static unsigned machine(const char *folder, const char *name, unsigned steps, unsigned *ret_runs)
{
    struct tn_arena mem;
    struct tn_buf b, causes;
    struct tn_record r;
    struct tn_err err;
    struct outcome whole = {0}, some;
    unsigned bad = 0;
    uint64_t size;
    tn_arena_init(&mem);
    tn_buf_init(&b);
    tn_buf_init(&causes);
    const char *args = tn_arena_printf(&mem, "%s/%.*s.args", folder, (int)(strlen(name) - 5), name);
    const char *env = args_of(&mem, args, "env="), *expect = args_of(&mem, args, "expect=");
    if (tn_os_read(NULL, tn_arena_printf(&mem, "%s/%s", folder, name), 0, 64u << 20, &b, &size, &err) == 0 &&
        tn_record_looks_like(tn_span_of(b.p, b.n)) && tn_record_read(tn_span_of(b.p, b.n), &r, &err) == 0) {
        unsigned all = run(&r, env, expect, ~0u, &whole, &causes), last = ~0u;
        for (unsigned k = 0; k <= steps; k++) {
            unsigned left = (unsigned)((uint64_t)all * k / steps);
            if (left == last)
                continue;
            last = left;
            run(&r, env, expect, left, &some, NULL);
            ++*ret_runs;
            bool healthy = some.status == TN_VERDICT_OK && whole.status == TN_VERDICT_PROBLEM;
            bool broken = some.status == TN_VERDICT_PROBLEM &&
                          !(causes.n && strstr(causes.p, tn_arena_printf(&mem, " %s ", some.cause)));
            if (healthy || broken) {
                printf("%s, %u of %u answers: %s %s; the whole machine: %s %s\n", name, left, all, word(&some),
                       some.cause, word(&whole), whole.cause);
                bad++;
            }
        }
        tn_record_deinit(&r);
    }
    tn_buf_deinit(&b);
    tn_buf_deinit(&causes);
    tn_arena_deinit(&mem);
    return bad;
}

int main(int argc, char **argv)
{
    struct tn_os_entry *list;
    struct tn_arena mem;
    struct tn_err err;
    size_t n;
    unsigned bad = 0, runs = 0;
    tn_arena_init(&mem);
    if (argc < 3 || tn_os_list(NULL, argv[1], &mem, &list, &n, &err)) {
        fprintf(stderr, "usage: tired FOLDER STEPS [NAME]\n");
        return 2;
    }
    for (size_t i = 0; i < n; i++)
        if (tn_str_ends(list[i].name, ".json") && (argc < 4 || strstr(list[i].name, argv[3])))
            bad += machine(argv[1], list[i].name, (unsigned)atoi(argv[2]), &runs);
    printf("%u runs, %u wrong\n", runs, bad);
    tn_arena_deinit(&mem);
    return bad != 0 || runs == 0;
}
