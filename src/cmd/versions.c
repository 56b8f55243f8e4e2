/* versions.c - the several "CUDA versions" of a machine, or of a text that somebody pasted. */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "explain/explain.h"
#include "os/os.h"
#include "report/versions.h"
#include "strings.gen.h"
#include "world/record.h"

static int print(struct tn_cmd_ctx *c, struct tn_versions *v, const char *head, int status)
{
    v->width = tn_os_is_tty(1) ? tn_os_tty_width(1) : 0;
    struct tn_buf b;
    tn_buf_init(&b);
    c->document = tn_opt_on(c, TN_OPT_JSON);
    if (c->document)
        tn_versions_json(v, &b);
    else
        tn_versions_text(v, head, &b);
    int rc = tn_cmd_print(c, &b, status);
    tn_buf_deinit(&b);
    return rc;
}

static void say(struct tn_cmd_ctx *c, const char *id, const char *key, const char *value)
{
    struct tn_arg a[] = {{key, value}};
    struct tn_buf b;
    tn_buf_init(&b);
    tn_text_fill(&b, tn_s(c, id), a, 1);
    tn_cmd_say(c, "%s", b.p);
    tn_buf_deinit(&b);
}

/* A text of any length: its first megabytes. */
static int read_text(struct tn_cmd_ctx *c, const char *name, struct tn_buf *ret, struct tn_err *err)
{
    uint64_t size;
    bool stdin_ = strcmp(name, "-") == 0;
    int rc =
        stdin_ ? tn_os_read_stdin(TN_MAX_PASTE, ret, err) : tn_os_read(NULL, name, 0, TN_MAX_PASTE, ret, &size, err);
    bool cut = stdin_ ? rc == TN_E_LIMIT : !rc && ret->n == TN_MAX_PASTE;
    if (cut)
        say(c, TN_S_vs_text_cut, "mb", tn_arena_printf(c->mem, "%u", TN_MAX_PASTE >> 20));
    return stdin_ && cut ? 0 : rc;
}

static bool is_document(struct tn_span text)
{
    struct tn_span s = tn_span_trim(text);
    return tn_record_looks_like(text) || (s.n && s.p[0] == '{' && tn_span_find(s, 0, "\"schema_version\"", 16) < 4096);
}

static int of_text(struct tn_cmd_ctx *c, const char *name)
{
    struct tn_versions v;
    struct tn_snap s;
    struct tn_buf b;
    struct tn_err err;
    tn_buf_init(&b);
    int rc = read_text(c, name, &b, &err);
    if (rc) {
        tn_buf_deinit(&b);
        return tn_cmd_fail(c, &err);
    }
    struct tn_span text = tn_span_of(b.p, b.n);
    if (b.n && is_document(text)) {
        say(c, TN_S_vs_text_json, "file", name);
        tn_buf_deinit(&b);
        return TN_EXIT_USAGE;
    }
    tn_snap_init(&s);
    tn_explain_text(text, &s);
    tn_buf_deinit(&b);
    tn_versions_init(&v, c->mem, c->lang);
    tn_versions_of_text(&v, &s);
    if (!tn_versions_any(&v))
        tn_cmd_say(c, "%s", tn_s(c, TN_S_vs_text_nothing));
    rc = v.n || tn_opt_on(c, TN_OPT_JSON)
             ? print(c, &v, tn_s(c, TN_S_vs_head_text), tn_versions_any(&v) ? TN_EXIT_OK : TN_EXIT_UNKNOWN)
             : TN_EXIT_UNKNOWN;
    tn_snap_deinit(&s);
    return rc;
}

static const char *head(struct tn_cmd_ctx *c)
{
    static const enum tn_opt_id o[] = {TN_OPT_FROM, TN_OPT_ROOT, TN_OPT_MACHINE};
    struct tn_buf b;
    for (unsigned i = 0; i < TN_LEN(o); i++) {
        struct tn_arg a[] = {{"what", tn_opt_value(c, o[i])}};
        if (!a[0].value)
            continue;
        tn_buf_init(&b);
        tn_text_fill(&b, tn_s(c, TN_S_vs_head_other), a, 1);
        const char *s = tn_arena_strdup(c->mem, b.p);
        tn_buf_deinit(&b);
        return s;
    }
    return tn_s(c, TN_S_vs_head_machine);
}

static int of_machine(struct tn_cmd_ctx *c)
{
    struct tn_versions v;
    struct tn_snap s;
    struct tn_judge j;
    struct tn_err err;
    c->records = TN_HAS(driver) | TN_HAS(toolkit) | TN_HAS(library) | TN_HAS(env) | TN_HAS(dist) | TN_HAS(framework) |
                 TN_HAS(program) | TN_HAS(search) | TN_HAS(variable);
    int rc = tn_cmd_subject(c, &s, &err);
    if (rc)
        return tn_cmd_fail(c, &err);
    rc = tn_judge_init(&j, &s, NULL, &err);
    if (rc) {
        tn_snap_deinit(&s);
        return tn_cmd_fail(c, &err);
    }
    tn_versions_init(&v, c->mem, c->lang);
    tn_versions_of_machine(&v, &j);
    if (!tn_versions_any(&v))
        tn_cmd_say(c, "%s", tn_s(c, TN_S_vs_nothing_known));
    rc = print(c, &v, head(c), tn_versions_any(&v) ? TN_EXIT_OK : TN_EXIT_UNKNOWN);
    tn_snap_deinit(&s);
    return rc;
}

static int run(struct tn_cmd_ctx *c)
{
    return c->n_arg ? of_text(c, c->arg[0]) : of_machine(c);
}

static const enum tn_opt_id opts[] = {TN_OPT_JSON,    TN_OPT_ENV,      TN_OPT_ROOT, TN_OPT_FROM,
                                      TN_OPT_MACHINE, TN_OPT_DEADLINE, TN_OPT_COUNT};
static const char *const examples[] = {"tenon versions", "nvidia-smi | tenon versions -",
                                       "tenon versions smi.txt --lang zh", "tenon versions --env ~/venv --json", NULL};

TN_CMD(versions, "versions", "[FILE|-]", opts, 0, 1, run, TN_S_cmd_versions, examples, 0);
