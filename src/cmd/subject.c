/* subject.c - the machine that a command is about: this one, another root, a file, or a description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "explain/explain.h"
#include "os/os.h"
#include "probe/describe.h"
#include "probe/probe.h"
#include "probe/tables.h"
#include "snapshot/read.h"
#include "strings.gen.h"
#include "world/record.h"
#include "world/world.h"

int tn_cmd_slurp(struct tn_cmd_ctx *c, const char *name, struct tn_buf *ret, struct tn_err *err)
{
    (void)c;
    uint64_t size;
    if (strcmp(name, "-") == 0)
        return tn_os_read_stdin(TN_MAX_JSON_BYTES, ret, err);
    int rc = tn_os_read(NULL, name, 0, TN_MAX_JSON_BYTES + 1u, ret, &size, err);
    if (!rc && ret->n > TN_MAX_JSON_BYTES)
        return tn_err_set(err, TN_E_LIMIT, name, "larger than %u MB", TN_MAX_JSON_BYTES >> 20);
    return rc;
}

/* A plain verdict shows no owner and depends on none; a record is to hold all that a later question may want. */
static void probe(struct tn_cmd_ctx *c, struct tn_world *w, bool kept, struct tn_snap *ret)
{
    bool shown = kept || tn_opt_on(c, TN_OPT_JSON) || tn_opt_on(c, TN_OPT_VERBOSE) || tn_opt_on(c, TN_OPT_ROOT);
    struct tn_cmd_progress progress;
    static const char *const verdicts[] = {"explain", "run", "plan", "apply", "bundle", NULL};
    const char *name = c->cmd->name;
    /* what explains shows facts of the verdict alone */
    bool plain = strcmp(name, "doctor") == 0 ? !shown : !kept && tn_str_in(name, verdicts);
    bool why = !kept && strcmp(name, "why") == 0;
    /* apply looks twice: as plan does, then as doctor at what was built */
    bool plan = !kept && (strcmp(name, "plan") == 0 || (c->makes_env && tn_str_in(name, verdicts)));
    bool bench = !kept && strcmp(name, "bench") == 0;
    bool no_code = why || plan || bench || (!kept && strcmp(name, "find") == 0); /* which file, not what is in it */
    tn_cmd_progress_start(&progress, c);
    struct tn_want want = {.env = c->makes_env ? NULL : tn_opt_value(c, TN_OPT_ENV),
                           .judged_only = why,
                           .loads_only = why,
                           .conda = plan,
                           .no_owners = plain || bench,
                           .no_code = no_code,
                           .plain = plain,
                           .file = c->file,
                           .sizes = c->sizes,
                           .clean = c->clean,
                           .tick = tn_cmd_progress_tick,
                           .tick_ctx = &progress,
                           .load_file = c->load_file,
                           .load_name = c->load_name,
                           .records = kept ? 0 : c->records};
    c->records = tn_probe_records(want.records);
    tn_snap_init(ret);
    tn_probe_all(w, &want, ret);
    tn_cmd_progress_clear(&progress);
}

/* Probes w, and keeps the raw answers in a file where one is named (--debug, --raw). Takes over w. origin: of a record
 * that w answers from; only what was asked of it is kept. */
static int probe_and_keep(struct tn_cmd_ctx *c, struct tn_world *w, const char *file, const char *origin,
                          struct tn_snap *ret, struct tn_err *err)
{
    struct tn_record record;
    struct tn_buf b;
    if (!file) {
        probe(c, w, false, ret);
        tn_world_close(w);
        return 0;
    }
    tn_record_init(&record, w->os);
    record.origin = origin ? tn_arena_strdup(&record.mem, origin)
                           : tn_arena_printf(&record.mem, "recorded by tenon %s", TN_VERSION);
    tn_world_recorder(w, &record, &w, err);
    probe(c, w, true, ret);
    tn_buf_init(&b);
    tn_record_write(&record, &b);
    int rc = tn_os_write_file(file, b.p, b.n, true, err);
    if (rc)
        tn_snap_deinit(ret);
    tn_buf_deinit(&b);
    tn_world_close(w);
    tn_record_deinit(&record);
    return rc;
}

static int replay(struct tn_cmd_ctx *c, struct tn_span json, const char *keep, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_record record;
    struct tn_world *w;
    int rc = tn_record_read(json, &record, err);
    if (rc)
        return rc;
    rc = tn_world_replay(&record, &w, err);
    if (!rc)
        rc = probe_and_keep(c, w, keep, record.origin, ret, err);
    tn_record_deinit(&record);
    return rc;
}

static void note_newer(struct tn_cmd_ctx *c, const char *name, int theirs)
{
    struct tn_buf say;
    struct tn_arg a[] = {{"file", name},
                         {"theirs", tn_arena_printf(c->mem, "%d", theirs)},
                         {"ours", tn_arena_printf(c->mem, "%d", TN_SCHEMA_VERSION)}};
    tn_buf_init(&say);
    tn_text_fill(&say, tn_s(c, TN_S_snapshot_newer), a, TN_LEN(a));
    tn_cmd_say(c, "%s", say.p);
    tn_buf_deinit(&say);
}

/* Neither a snapshot nor a record begins otherwise. */
static bool is_json(struct tn_span text)
{
    struct tn_span s = tn_span_trim(tn_span_from(text, tn_span_starts(text, "\xEF\xBB\xBF") ? 3 : 0));
    return s.n == 0 || s.p[0] == '{' || s.p[0] == '[';
}

/* What the tables add to the cards and the driver of a text. */
void tn_cmd_complete(struct tn_snap *s)
{
    struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_rec_host *h = TN_THE(s, host);
    if (tn_is(h->wsl, 2)) /* the driver's form says Windows, the program's Linux */
        h->os = tn_fact_str(s, h->wsl.src, "linux");
    for (size_t i = 0; i < s->gpu.n; i++) {
        struct tn_rec_gpu *g = &s->gpu.v[i];
        uint64_t id;
        if (tn_known(g->device_id) && tn_str_u64(g->device_id.v, strlen(g->device_id.v), 16, &id) && id <= 0xFFFF)
            tn_probe_gpu_of_table(s, g, (unsigned)id);
    }
    if (tn_known(d->version) && !tn_known(d->cuda))
        d->cuda = tn_probe_cuda_of_driver(s, d->version.v);
}

/* A pasted text: what it says, and all else not asked. False: it says nothing that tenon reads. */
static bool paste(struct tn_cmd_ctx *c, const char *name, struct tn_span text, struct tn_snap *ret)
{
    struct tn_snap s;
    tn_snap_init(&s);
    tn_explain_text(tn_span_of(text.p, text.n < TN_MAX_PASTE ? text.n : TN_MAX_PASTE), &s);
    if (s.observation.n == 0) {
        tn_snap_deinit(&s);
        return false;
    }
    struct tn_arg a[] = {{"file", name}, {"mb", tn_arena_printf(c->mem, "%u", TN_MAX_PASTE >> 20)}};
    const char *const ids[] = {TN_S_from_text, TN_S_vs_text_cut};
    for (unsigned i = 0; i < (text.n > TN_MAX_PASTE ? 2u : 1u); i++) {
        struct tn_buf b;
        tn_buf_init(&b);
        tn_text_fill(&b, tn_s(c, ids[i]), a, TN_LEN(a));
        tn_cmd_say(c, "%s", b.p);
        tn_buf_deinit(&b);
    }
    tn_cmd_complete(&s);
    c->records = 0;
    *ret = s;
    return true;
}

/* So much of a text that the rest is not read; blanks alone are a text as well. */
static bool is_long_text(const struct tn_buf *b)
{
    struct tn_span s = tn_span_trim(tn_span_of(b->p, b->n));
    return b->n > TN_MAX_PASTE && (s.n == 0 || !is_json(s));
}

/* A snapshot or a record is read to its end, of a text the beginning. */
static int slurp(struct tn_cmd_ctx *c, const char *name, struct tn_buf *ret, struct tn_err *err)
{
    uint64_t size;
    size_t n = 1;
    int rc = 0;
    if (strcmp(name, "-") != 0) {
        if (tn_os_read(NULL, name, 0, TN_MAX_PASTE + 1u, ret, &size, err) == 0 &&
            (ret->n <= TN_MAX_PASTE || is_long_text(ret)))
            return 0;
        ret->n = 0;
        return tn_cmd_slurp(c, name, ret, err);
    }
    for (bool looked = false; !rc && n;) {
        char chunk[65536];
        if (!looked && ret->n > TN_MAX_PASTE) {
            looked = true;
            if (is_long_text(ret))
                break;
        }
        rc = tn_os_stdin_some(chunk, sizeof chunk, &n, err);
        if (!rc && ret->n + n > TN_MAX_JSON_BYTES)
            return tn_err_set(err, TN_E_LIMIT, name, "larger than %u MB", TN_MAX_JSON_BYTES >> 20);
        if (!rc)
            tn_buf_add(ret, chunk, n);
    }
    return rc;
}

static int from_file(struct tn_cmd_ctx *c, const char *name, const char *keep, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_buf b;
    tn_buf_init(&b);
    int rc = slurp(c, name, &b, err);
    struct tn_span json = tn_span_of(b.p, b.n);
    if (!rc && b.n && !is_json(json) && paste(c, name, json, ret)) {
        tn_buf_deinit(&b);
        return 0;
    }
    if (!rc)
        rc = tn_record_looks_like(json) ? replay(c, json, keep, ret, err)
                                        : (c->records = 0, tn_snapshot_read(json, ret, err));
    tn_buf_deinit(&b);
    if (!rc && ret->schema > TN_SCHEMA_VERSION)
        note_newer(c, name, ret->schema);
    if (rc && strcmp(err->place, name) != 0) { /* a place within the file: name the file too */
        struct tn_err inner = *err;
        tn_err_set(err, inner.code, name, "%.120s%s%.120s", inner.place, *inner.place ? ": " : "", inner.text);
    }
    return rc;
}

/* Under --deadline the looking is done by a copy of this process. *ret_late: it gave no answer. */
static int deadline(struct tn_cmd_ctx *c, bool *ret_late, struct tn_err *err)
{
    int status;
    const char *v = tn_opt_value(c, TN_OPT_DEADLINE);
    char *end;
    if (!v)
        return 0;
    double s = strtod(v, &end);
    if (*end || end == v || !(s >= 0.1 && s <= 3600))
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_usage_deadline));
    switch (tn_os_watch((unsigned)(s * 1000), &status)) {
    case 1: exit(status);
    case -1: *ret_late = true; return 0;
    default: return 0;
    }
}

/* Nothing is known then, and that is what is judged; a file that was asked for is not written. */
static int too_late(struct tn_cmd_ctx *c, struct tn_snap *ret, struct tn_err *err)
{
    struct tn_arg a[] = {{"seconds", tn_opt_value(c, TN_OPT_DEADLINE)}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, TN_S_deadline_passed), a, TN_LEN(a));
    tn_err_set(err, TN_E_TIMEOUT, NULL, "%s", b.p);
    tn_buf_deinit(&b);
    if (strcmp(c->cmd->name, "doctor") != 0)
        return TN_E_TIMEOUT;
    tn_cmd_say(c, "%s", err->text);
    tn_snap_init(ret);
    c->records = 0;
    return 0;
}

static int look(struct tn_cmd_ctx *c, struct tn_snap *ret, struct tn_err *err)
{
    const char *root = tn_opt_value(c, TN_OPT_ROOT), *from = tn_opt_value(c, TN_OPT_FROM);
    const char *machine = tn_opt_value(c, TN_OPT_MACHINE), *keep = tn_opt_value(c, TN_OPT_DEBUG);
    struct tn_world *w;
    bool late = false;
    int rc;
    if ((root != NULL) + (from != NULL) + (machine != NULL) > 1)
        return tn_err_set(err, TN_E_USAGE, NULL, "%s", tn_s(c, TN_S_usage_one_subject));
    if (keep && strcmp(keep, "-") == 0) /* as private as --raw, and no name that anyone means */
        return tn_err_set(err, TN_E_USAGE, "--debug", "%s", tn_s(c, TN_S_raw_to_terminal));
    rc = deadline(c, &late, err);
    if (rc || late)
        return rc ? rc : too_late(c, ret, err);
    if (tn_opt_on(c, TN_OPT_RAW))
        keep = tn_opt_value(c, TN_OPT_OUTPUT);
    if (from)
        return from_file(c, from, keep, ret, err);
    if (machine && !c->over) {
        c->records = 0;
        return tn_describe(machine, ret, err);
    }
    rc = root ? tn_world_root(root, &w, err) : tn_world_live(&w, err);
    if (rc)
        return rc;
    rc = probe_and_keep(c, w, keep, NULL, ret, err);
    if (!rc && machine && (rc = tn_describe_over(machine, ret, err)))
        tn_snap_deinit(ret);
    return rc;
}

/* The environment of --env in a snapshot that was judged for another one: by its path, its name or its id. */
static bool choose(struct tn_snap *s, const char *env)
{
    struct tn_rec_env *hit = NULL;
    for (size_t i = 0; i < s->env.n; i++) {
        struct tn_rec_env *e = &s->env.v[i];
        bool path = tn_known(e->path) && tn_path_same(tn_snap_style(s), e->path.v, env);
        if (!hit && (path || tn_says(e->name, env) || tn_says(e->id, env)))
            hit = e;
    }
    for (size_t i = 0; hit && i < s->env.n; i++)
        s->env.v[i].judged = tn_fact_int(s->env.v[i].judged.src, &s->env.v[i] == hit);
    return hit != NULL;
}

/* --env must name something: a mistyped one would be judged as an empty environment. */
static int check_env(struct tn_cmd_ctx *c, struct tn_snap *s, struct tn_err *err)
{
    const char *env = tn_opt_value(c, TN_OPT_ENV);
    const struct tn_rec_env *judged = tn_snap_judged(s);
    if (!env || c->makes_env ||
        (s->env.n == 0 && s->env.listed == TN_UNASKED)) /* the deadline passed, or a description */
        return 0;
    bool probed = judged && tn_says(judged->chosen_by, "option");
    if (probed ? judged->kind.k != TN_ABSENT : choose(s, env))
        return 0;
    struct tn_buf b;
    struct tn_arg a[] = {{"env", env}};
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, TN_S_no_such_env), a, TN_LEN(a));
    tn_err_set(err, TN_E_NOTFOUND, NULL, "%s", b.p);
    tn_buf_deinit(&b);
    return TN_E_NOTFOUND;
}

int tn_cmd_subject(struct tn_cmd_ctx *c, struct tn_snap *ret, struct tn_err *err)
{
    int rc = look(c, ret, err);
    tn_os_watch_done();
    if (!rc && (rc = check_env(c, ret, err)))
        tn_snap_deinit(ret);
    return rc;
}
