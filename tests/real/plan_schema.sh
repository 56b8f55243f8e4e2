#!/usr/bin/env bash
# Every plan of tests/plans, and plans of each method, with repairs, refusals and side by side, are valid by
# doc/plan.schema.json in both languages; the schema can say no.
. "$(dirname "$0")/lib.sh"
python=
for p in python3 /usr/bin/python3; do if "$p" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then python=$p; break; fi; done
[ -n "$python" ] || skip "python3-jsonschema is not installed"
cat >"$WORK/validate.py" <<'X'
import copy, json, subprocess, sys
from jsonschema import Draft202012Validator as V
tenon, source = sys.argv[1:3]
schema = json.load(open(f"{source}/doc/plan.schema.json", encoding="utf-8"))
V.check_schema(schema)
valid, bad, kept, n = V(schema), [], {}, 0
def plan(*args):
    global n
    r = subprocess.run([tenon, "plan", "--json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode not in (0, 1):
        bad.append(f"{args}: exit {r.returncode}, {r.stderr[:300]!r}")
        return
    doc = json.loads(r.stdout.decode("utf-8"))
    for e in list(valid.iter_errors(doc))[:3]:
        bad.append(f"{args}: {list(e.absolute_path)}: {e.message[:200]}")
    if "steps" in doc:
        kept[doc["status"]] = doc
    n += 1
wishes = open(f"{source}/tests/plans/wishes.txt", encoding="utf-8").read().splitlines()
machines = [l.split("\t")[1] for l in open(f"{source}/tests/plans/machines.tsv", encoding="utf-8").read().splitlines() if not l.startswith("#")]
for i, machine in enumerate(machines):
    for k, wish in enumerate(wishes):
        plan(*wish.split(), "--machine", machine, "--lang", "zh" if (i + k) % 2 else "en")
linux = ["--machine", "os=ubuntu-22.04,gpu=RTX 3090,driver=535.183.01"]
for method in "pip", "uv", "mixed", "conda", "manual", "docker":
    plan("tensorflow==2.15", "--method", method, *linux)
plan("tensorflow==2.15", "--method", "wsl", "--machine", "os=windows-11,gpu=RTX 3060,driver=551.61")
plan("--side-by-side", "1.15,2.10", *linux)
plan("tensorflow-gpu", *linux)
plan("pip install tensorflow_gpu=2.6 numpy", *linux)
plan("tensorflow", "--cpu", *linux)
plan("tensorflow", "--env", "a'b $(x)", *linux)
def refuses(status, change):
    doc = copy.deepcopy(kept[status])
    change(doc)
    if valid.is_valid(doc):
        bad.append(f"accepts anything: line {change.__code__.co_firstlineno}")
refuses("fits", lambda d: d.update(choice=None))
refuses("fits", lambda d: d["steps"][0].pop("undo"))
refuses("fits", lambda d: d["steps"][0]["do"].update(kind="shell"))
refuses("fits", lambda d: d.update(test_status="perhaps"))
refuses("none", lambda d: d.update(conflict=[], rewritten=[]))
refuses("none", lambda d: d.pop("ways_out"))
refuses("none", lambda d: d["machine"].update(cards=None))
print("\n".join(bad[:20]) or f"{n} plans as their schema says")
sys.exit(1 if bad else 0)
X
"$python" "$WORK/validate.py" "$TENON" "$TENON_SOURCE" || fail "a plan is not as its schema says"
