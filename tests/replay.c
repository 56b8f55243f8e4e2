/* replay.c - every recorded machine of a folder is probed and judged again, and must give the same bytes as before.
 *
 * tests/machines/NAME.json is a world record or a snapshot; NAME.want the verdict as JSON and, below it, as Chinese
 * text. NAME.args, where there is one, holds env=... and expect=... lines. With TENON_ACCEPT set the .want files are
 * written instead of compared: read the difference before you commit it. The same files are compared on every system.
 *
 * With --healthy instead of a name: the machines that the folder's file HEALTHY names must be well, and nothing may
 * alarm on them. Each line is a name and the causes that may be told there as a note (no GPU where none is wanted).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "check/check.h"
#include "os/os.h"
#include "probe/probe.h"
#include "report/report.h"
#include "snapshot/read.h"
#include "snapshot/redact.h"
#include "snapshot/write.h"
#include "strings.gen.h"
#include "world/record.h"

int main(int argc, char **argv);

struct args {
    char *env, *expect;
};

static void read_args(struct tn_arena *mem, const char *path, struct args *a)
{
    struct tn_buf b;
    uint64_t size;
    struct tn_span rest, line;
    tn_buf_init(&b);
    if (tn_os_read(NULL, path, 0, TN_MAX_SMALL_FILE, &b, &size, NULL) == 0) {
        rest = tn_span_of(b.p, b.n);
        while (tn_span_line(&rest, &line)) {
            if (tn_span_starts(line, "env="))
                a->env = tn_arena_strndup(mem, (const char *)line.p + 4, line.n - 4);
            if (tn_span_starts(line, "expect="))
                a->expect = tn_arena_strndup(mem, (const char *)line.p + 7, line.n - 7);
        }
    }
    tn_buf_deinit(&b);
}

/* What is recorded, probed for these records, or for all; a record stays as it is and may be asked again. */
static void probed(struct tn_record *r, const struct args *a, tn_record_set records, struct tn_snap *s)
{
    struct tn_world *w;
    struct tn_want want = {.env = a->env, .records = records};
    tn_snap_init(s);
    tn_world_replay(r, &w, NULL);
    tn_probe_all(w, &want, s);
    tn_world_close(w);
}

static int read_record(struct tn_span json, struct tn_record *r, struct tn_err *err)
{
    int rc = tn_record_read(json, r, err);
    if (rc || *r->origin)
        return rc;
    tn_record_deinit(r);
    return tn_err_set(err, TN_E_FORMAT, "origin", "a recorded machine names the report or real part it comes from");
}

static int load(struct tn_span json, const struct args *a, struct tn_snap *s, struct tn_err *err)
{
    struct tn_record r;
    int rc;
    if (!tn_record_looks_like(json))
        return tn_snapshot_read(json, s, err);
    if ((rc = read_record(json, &r, err)))
        return rc;
    probed(&r, a, 0, s);
    tn_record_deinit(&r);
    return 0;
}

static int judge(struct tn_arena *mem, const struct tn_snap *s, const struct args *a, struct tn_buf *ret,
                 struct tn_err *err)
{
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict v;
    int rc = tn_judge_init(&j, s, a->expect, err);
    if (rc)
        return rc;
    tn_judge_narrow(&j, mem);
    tn_sink_init(&found, mem);
    tn_check_run(&j, NULL, NULL, &found);
    tn_findings_merge(&found);
    tn_check_others(&j, &v);
    tn_verdict_make(&j, &found, &v);
    struct tn_report r = {.judge = &j,
                          .findings = &found,
                          .verdict = &v,
                          .lang = TN_EN,
                          .width = 100,
                          .shell = tn_snap_style(s) == TN_PATH_WINDOWS ? TN_SHELL_POWERSHELL : TN_SHELL_SH};
    tn_report_json(&r, "doctor", ret);
    r.lang = TN_ZH;
    tn_report_text(&r, ret);
    return 0;
}

/* Causes and their status only: what redaction must not change. */
static void causes(struct tn_arena *mem, const struct tn_snap *s, const struct args *a, struct tn_buf *ret)
{
    struct tn_judge j;
    struct tn_sink found;
    if (tn_judge_init(&j, s, a->expect, NULL))
        return;
    tn_sink_init(&found, mem);
    tn_check_run(&j, NULL, NULL, &found);
    tn_findings_merge(&found);
    for (size_t i = 0; i < found.n; i++)
        tn_buf_printf(ret, "%s %s %s\n", found.v[i].cause, tn_status_word(found.v[i].status),
                      found.v[i].behind ? found.v[i].behind : "");
}

static int redaction_keeps(struct tn_arena *mem, const char *name, const struct tn_snap *s, const struct args *a)
{
    struct tn_snap shared, again;
    struct tn_redact_count count;
    struct tn_buf before, after, json;
    struct tn_err err;
    tn_buf_init(&before);
    tn_buf_init(&after);
    tn_buf_init(&json);
    int rc = tn_snapshot_redact(s, &shared, &count, &err);
    if (rc) {
        printf("%s: redaction: %s: %s\n", name, err.place, err.text);
        return 1;
    }
    tn_snapshot_write(&shared, &json); /* through a file, as somebody else would get it */
    rc = tn_snapshot_read(tn_span_of(json.p, json.n), &again, &err);
    causes(mem, s, a, &before);
    if (!rc)
        causes(mem, &again, a, &after);
    if (rc || strcmp(before.p, after.p) != 0) {
        printf("%s: redaction changes the verdict:\n%s--- redacted:\n%s", name, before.p, rc ? err.text : after.p);
        rc = 1;
    }
    if (!rc)
        tn_snap_deinit(&again);
    tn_snap_deinit(&shared);
    tn_buf_deinit(&before);
    tn_buf_deinit(&after);
    tn_buf_deinit(&json);
    return rc != 0;
}

/* Everything that a finding says, facts with their values. */
static void say_findings(const struct tn_snap *s, const struct tn_sink *found, struct tn_buf *ret)
{
    struct tn_buf name, value;
    const char *from;
    tn_buf_init(&name);
    tn_buf_init(&value);
    for (size_t i = 0; i < found->n; i++) {
        const struct tn_finding *f = &found->v[i];
        tn_buf_printf(ret, "%s/%s %s %s in %s, of %u %u %u\n", f->cause, f->variant ? f->variant : "",
                      tn_status_word(f->status), tn_severity_word(f->severity), f->env ? f->env : "", f->subject.rec,
                      f->subject.field, f->subject.row);
        for (unsigned k = 0; k < f->n_arg; k++)
            tn_buf_printf(ret, "  %s=%s\n", f->arg[k].key, f->arg[k].value);
        for (unsigned k = 0; k < f->n_evidence; k++) {
            tn_report_fact(s, f->evidence[k], &name, &value, &from);
            tn_buf_printf(ret, "  %s = %s (%s)\n", name.p, value.p, from ? from : "");
        }
        for (unsigned k = 0; k < f->n_remedy; k++) {
            const struct tn_remedy *m = &f->remedy[k];
            tn_buf_printf(ret, "  do %s/%s\n", m->id, m->variant ? m->variant : "");
            for (unsigned a = 0; a < m->n_arg; a++)
                tn_buf_printf(ret, "    %s=%s\n", m->arg[a].key, m->arg[a].value);
        }
    }
    tn_buf_deinit(&name);
    tn_buf_deinit(&value);
}

/* What one check finds, judged alone. */
static void check_alone(const struct tn_snap *s, const struct args *a, const char *const *only, struct tn_buf *ret)
{
    struct tn_arena mem;
    struct tn_judge j;
    struct tn_sink found;
    tn_arena_init(&mem);
    tn_sink_init(&found, &mem);
    if (!tn_judge_init(&j, s, a->expect, NULL)) {
        tn_check_run(&j, only, NULL, &found);
        say_findings(s, &found, ret);
    }
    tn_arena_deinit(&mem);
}

/* Does --only CHECK, which runs the probes that the check's needs name, find what the check finds among all facts? */
static int only_keeps(const char *name, struct tn_span json, const struct tn_snap *all, const struct args *a)
{
    struct {
        tn_record_set records;
        struct tn_snap s;
    } few[64];
    size_t n = 0;
    int bad = 0;
    struct tn_buf want, got;
    struct tn_err err;
    struct tn_record r;
    if (!tn_record_looks_like(json))
        return 0;
    if (read_record(json, &r, &err))
        return 1;
    tn_buf_init(&want);
    tn_buf_init(&got);
    for (unsigned i = 0; i < tn_n_checks; i++) {
        const char *only[] = {tn_checks[i]->cause, NULL};
        tn_record_set records = tn_probe_records(tn_check_needs(only, NULL, a->expect == NULL));
        size_t at = 0;
        while (at < n && few[at].records != records)
            at++;
        if (!records || at == TN_LEN(few))
            continue;
        if (at == n) {
            probed(&r, a, records, &few[n].s);
            few[n++].records = records;
        }
        tn_buf_clear(&want);
        tn_buf_clear(&got);
        check_alone(all, a, only, &want);
        check_alone(&few[at].s, a, only, &got);
        if (strcmp(want.p, got.p) != 0) {
            printf(
                "%s: --only %s: .needs of the check, or .gives or .reads of a probe, lacks a record:\n%s--- all:\n%s",
                name, tn_checks[i]->cause, got.p, want.p);
            bad = 1;
        }
    }
    for (size_t i = 0; i < n; i++)
        tn_snap_deinit(&few[i].s);
    tn_record_deinit(&r);
    tn_buf_deinit(&want);
    tn_buf_deinit(&got);
    return bad;
}

static bool told(struct tn_span allowed, const char *cause)
{
    size_t n = strlen(cause);
    for (size_t i = 0; i + n <= allowed.n; i++)
        if (memcmp(allowed.p + i, cause, n) == 0 && (i == 0 || allowed.p[i - 1] == ' ') &&
            (i + n == allowed.n || allowed.p[i + n] == ' '))
            return true;
    return false;
}

/* Is some line of the report one that warns? Its layers and findings begin with the status as a word. */
static bool text_warns(const struct tn_report *r)
{
    static const char *const word[] = {TN_S_word_warning, TN_S_word_bad};
    struct tn_buf b;
    struct tn_span rest, line;
    bool warns = false;
    tn_buf_init(&b);
    tn_report_text(r, &b);
    rest = tn_span_of(b.p, b.n);
    while (tn_span_line(&rest, &line)) {
        while (line.n && *line.p == ' ')
            line = tn_span_of((const char *)line.p + 1, line.n - 1);
        for (size_t i = 0; i < TN_LEN(word); i++)
            warns |= tn_span_starts(line, tn_string(word[i], r->lang));
    }
    tn_buf_deinit(&b);
    return warns;
}

/* notes: causes that may be told. */
static int healthy(const char *name, const struct tn_snap *s, const struct args *a, struct tn_span notes)
{
    struct tn_arena mem;
    struct tn_judge j;
    struct tn_sink found;
    struct tn_verdict v;
    int bad = 0;
    tn_arena_init(&mem);
    if (tn_judge_init(&j, s, a->expect, NULL)) {
        tn_arena_deinit(&mem);
        return 1;
    }
    tn_sink_init(&found, &mem);
    tn_check_run(&j, NULL, NULL, &found);
    tn_findings_merge(&found);
    tn_check_others(&j, &v);
    tn_verdict_make(&j, &found, &v);
    if (v.status != TN_VERDICT_OK || v.warnings) {
        printf("%s: healthy, and the verdict is %s with %u warnings\n", name, tn_verdict_word(v.status), v.warnings);
        bad = 1;
    }
    for (size_t i = 0; i < found.n; i++) {
        const struct tn_finding *f = &found.v[i];
        bool quiet = f->status == TN_RULED_OUT || f->status == TN_UNTESTABLE;
        if (!quiet && (f->severity != TN_NOTE || !told(notes, f->cause))) {
            printf("%s: healthy, and told: %s (%s, %s)\n", name, f->cause, tn_severity_word(f->severity),
                   tn_status_word(f->status));
            bad = 1;
        }
    }
    struct tn_report r = {.judge = &j, .findings = &found, .verdict = &v, .width = 100, .shell = TN_SHELL_SH};
    for (int lang = 0; lang < 2; lang++) {
        r.lang = lang ? TN_ZH : TN_EN;
        if (text_warns(&r)) {
            printf("%s: healthy, and a line of the report warns\n", name);
            bad = 1;
        }
    }
    tn_arena_deinit(&mem);
    return bad;
}

static int all_healthy(const char *dir)
{
    struct tn_arena mem;
    struct tn_buf list, json;
    struct tn_err err;
    struct tn_span rest, line;
    uint64_t size;
    unsigned n = 0, bad = 0;
    tn_arena_init(&mem);
    tn_buf_init(&list);
    tn_buf_init(&json);
    if (tn_os_read(NULL, tn_arena_printf(&mem, "%s/HEALTHY", dir), 0, TN_MAX_SMALL_FILE, &list, &size, &err))
        bad = 1;
    rest = tn_span_of(list.p, list.n);
    while (tn_span_line(&rest, &line)) {
        struct args a = {NULL, NULL};
        struct tn_snap s;
        size_t k = 0;
        while (k < line.n && line.p[k] != ' ')
            k++;
        if (k == 0 || *line.p == '#')
            continue;
        const char *name = tn_arena_strndup(&mem, (const char *)line.p, k);
        read_args(&mem, tn_arena_printf(&mem, "%s/%s.args", dir, name), &a);
        tn_buf_clear(&json);
        n++;
        if (tn_os_read(NULL, tn_arena_printf(&mem, "%s/%s.json", dir, name), 0, TN_MAX_JSON_BYTES, &json, &size,
                       &err) ||
            load(tn_span_of(json.p, json.n), &a, &s, &err)) {
            printf("%s: %s\n", name, err.text);
            bad++;
            continue;
        }
        bad += (unsigned)healthy(name, &s, &a, tn_span_of((const char *)line.p + k, line.n - k));
        tn_snap_deinit(&s);
    }
    tn_buf_deinit(&json);
    tn_buf_deinit(&list);
    tn_arena_deinit(&mem);
    printf("%u healthy machines, %u are alarmed\n", n, bad);
    return bad || n < 8;
}

static int one(const char *dir, const char *file)
{
    struct tn_arena mem;
    struct tn_buf json, got, want;
    struct tn_snap s;
    struct tn_err err = {0, "", ""};
    struct args a = {NULL, NULL};
    uint64_t size;
    int rc, bad = 0;
    tn_arena_init(&mem);
    tn_buf_init(&json);
    tn_buf_init(&got);
    tn_buf_init(&want);
    const char *stem = tn_arena_strndup(&mem, file, strlen(file) - 5);
    const char *want_path = tn_arena_printf(&mem, "%s/%s.want", dir, stem);
    read_args(&mem, tn_arena_printf(&mem, "%s/%s.args", dir, stem), &a);
    rc = tn_os_read(NULL, tn_arena_printf(&mem, "%s/%s", dir, file), 0, TN_MAX_JSON_BYTES, &json, &size, &err);
    if (!rc)
        rc = load(tn_span_of(json.p, json.n), &a, &s, &err);
    if (rc) {
        printf("%s: %s: %s\n", file, err.place, err.text);
        bad = 1;
    } else {
        rc = judge(&mem, &s, &a, &got, &err);
        bad = rc != 0;
        if (!rc && getenv("TENON_ACCEPT")) {
            bad = tn_os_write_file(want_path, got.p, got.n, false, &err) != 0;
        } else if (!rc) {
            rc = tn_os_read(NULL, want_path, 0, TN_MAX_JSON_BYTES, &want, &size, &err);
            bad = rc || got.n != want.n || memcmp(got.p, want.p, got.n) != 0;
            if (rc)
                printf("%s: no %s.want: run with TENON_ACCEPT=1 and read what it wrote\n", file, stem);
            else if (bad)
                printf("%s: the verdict changed. Now:\n%s\n", file, got.p);
        }
        bad |= redaction_keeps(&mem, file, &s, &a);
        bad |= only_keeps(file, tn_span_of(json.p, json.n), &s, &a);
        tn_snap_deinit(&s);
    }
    tn_buf_deinit(&json);
    tn_buf_deinit(&got);
    tn_buf_deinit(&want);
    tn_arena_deinit(&mem);
    return bad;
}

int main(int argc, char **argv)
{
    struct tn_arena mem;
    struct tn_os_entry *e;
    struct tn_err err;
    size_t n;
    unsigned ran = 0, bad = 0;
    tn_os_start();
    if (argc == 3 && strcmp(argv[2], "--healthy") == 0)
        return all_healthy(argv[1]);
    tn_arena_init(&mem);
    if (argc < 2 || tn_os_list(NULL, argv[1], &mem, &e, &n, &err)) {
        fprintf(stderr, "usage: replay DIR [NAME | --healthy]\n");
        return 2;
    }
    for (size_t i = 0; i < n; i++) {
        if (!tn_str_ends(e[i].name, ".json") || (argc > 2 && !tn_str_starts(e[i].name, argv[2])))
            continue;
        bad += (unsigned)one(argv[1], e[i].name);
        ran++;
    }
    tn_arena_deinit(&mem);
    printf("%u machines, %u differ\n", ran, bad);
    return bad || !ran;
}
