#!/usr/bin/env bash
# Adding a check, a probe, a command, a cause, a remedy, a table and a recorded machine is adding files, editing none.
. "$(dirname "$0")/lib.sh"
T=$WORK/tree
mkdir -p "$T"
(cd "$TENON_SOURCE" && git ls-files -co --exclude-standard -z | xargs -0 tar c --ignore-failed-read 2>/dev/null) | tar x -C "$T"
cat >"$T/src/check/added_check.c" <<'X'
/* added_check.c - a check that the test adds. */
#include "check/check.h"
static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (j->s->gpu.listed == TN_KNOWN && j->s->gpu.n == 0) {
        struct tn_finding *f = tn_find(out, TN_POSSIBLE, TN_REF_REC(gpu));
        tn_find_evidence(f, TN_REF_REC(gpu));
    }
}
TN_CHECK(added_check, "benign-warning", run);
X
cat >"$T/src/probe/added_probe.c" <<'X'
/* added_probe.c - a probe that the test adds. */
#include "probe/probe.h"
static void run(struct tn_probe_ctx *c)
{
    struct tn_rec_service *s = TN_ADD(c->s, service);
    s->name = tn_fact_str(c->s, tn_snap_src(c->s, TN_KNOWN, NULL, "added"), "added-service");
}
TN_PROBE(added_probe, TN_PHASE_HOST, run, "a service that the test adds");
X
cat >"$T/src/cmd/added.c" <<'X'
/* added.c - a command that the test adds. */
#include "cmd/cmd.h"
static int run(struct tn_cmd_ctx *c)
{
    struct tn_buf b;
    tn_buf_init(&b);
    tn_buf_str(&b, "added command\n");
    int rc = tn_cmd_print(c, &b, TN_EXIT_OK);
    tn_buf_deinit(&b);
    return rc;
}
static const enum tn_opt_id opts[] = {TN_OPT_COUNT};
static const char *const examples[] = {"tenon added", NULL};
TN_CMD(added, "added", "", opts, 0, 0, run, "cmd_doctor", examples, false);
X
[ -f "$T/data/causes/benign-warning" ] || cat >"$T/data/causes/benign-warning" <<'X'
cause: benign-warning
layer: benign
scope: env
severity: note
title.en: Added cause
title.zh: 新增的原因
say.en: A cause that the test adds.
say.zh: 测试新增的原因。
why.en: It is added.
why.zh: 这是新增的。
remedy: added-remedy
see: the test
X
cat >"$T/data/remedies/added-remedy" <<'X'
remedy: added-remedy
title.en: Nothing to do
title.zh: 无需操作
changes.en: nothing
changes.zh: 没有改变
undo.en: nothing
undo.zh: 无需撤销
source: the test
command: true
X
printf '# A table that the test adds.\n#key: name rank\n#types: name=text\n#title.en: Added\n#title.zh: 新增\nname\trank\tnotes\tsource\tdate\nx\t1\t\tthe test itself\t2026-12-01\n' >"$T/data/tables/added.tsv"
cat >"$T/tests/machines/added-machine.json" <<'X'
{"tenon_record": 1, "origin": "composed by a test", "os": "linux", "complete": ["files", "env", "sys"], "sys": {"release": "6.1.0", "arch": "x86_64"},
 "files": {"/sys/bus/pci/devices": {"dir": true}}}
X
(cd "$T" && make BUILD="$T/b" >"$WORK/make.log" 2>&1) || { tail -30 "$WORK/make.log"; fail "the copy does not build"; }
ninja -C "$T/b" tests/replay >/dev/null
TENON_ACCEPT=1 "$T/b/tests/replay" "$T/tests/machines" added-machine >/dev/null
"$T/b/tests/replay" "$T/tests/machines" added-machine | has '1 machines, 0 differ' || fail "the machine was not replayed"
same "$("$T/b/tenon" added)" "added command" "command"
"$T/b/tenon" doctor --list | has benign-warning || fail "the check is not listed"
"$T/b/tenon" doctor --machine os=linux,gpu=none --json >"$WORK/d.json" || true
json "$WORK/d.json" "[f['cause'] for f in d['findings']]" | has benign-warning || fail "the check did not run"
"$T/b/tenon" snapshot --include-identifiers | has added-service || fail "the probe did not run"
"$T/b/tenon" table added | has x || fail "the table is not there"
(cd "$T" && rm src/check/added_check.c && make BUILD="$T/b" >"$WORK/make.log" 2>&1) || fail "removing a file breaks the build"
if "$T/b/tenon" doctor --list | has benign-warning; then fail "a removed check is still there"; fi
