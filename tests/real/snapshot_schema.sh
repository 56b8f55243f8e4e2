#!/usr/bin/env bash
# The written schemas against what the program writes: doc/snapshot.schema.json is `tenon snapshot --schema`, and the facts and
# verdicts of this machine, of a described one and of every recorded machine are valid by doc/*.schema.json, in both languages.
. "$(dirname "$0")/lib.sh"
"$TENON" snapshot --schema >"$WORK/schema.json"
cmp -s "$WORK/schema.json" "$TENON_SOURCE/doc/snapshot.schema.json" || fail "doc/snapshot.schema.json is old: build/tenon snapshot --schema >doc/snapshot.schema.json"
python=
for p in python3 /usr/bin/python3; do if "$p" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then python=$p; break; fi; done
[ -n "$python" ] || skip "python3-jsonschema is not installed"
cat >"$WORK/validate.py" <<'X'
import copy, glob, json, os, subprocess, sys
from jsonschema import Draft202012Validator as V
tenon, source = sys.argv[1:3]
schema = {}
for name in "snapshot", "doctor":
    schema[name] = json.load(open(f"{source}/doc/{name}.schema.json", encoding="utf-8"))
    V.check_schema(schema[name])
valid = {name: V(s) for name, s in schema.items()}
bad = []
def run(*args):
    r = subprocess.run([tenon, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not 0 <= r.returncode <= 3:
        bad.append(f"tenon {' '.join(args)}: exit {r.returncode}, {r.stderr[:300]!r}")
    return json.loads(r.stdout.decode("utf-8"))
machines = sorted(glob.glob(f"{source}/tests/machines/*.json"))
if len(machines) < 10:
    bad.append(f"{len(machines)} recorded machines")
kept = {}
for where in [[], ["--machine", "os=windows,driver=451.67,gpu=GTX 1660"], *(["--from", m] for m in machines)]:
    for args in ["snapshot"], ["snapshot", "--include-identifiers"], ["doctor", "--json", "--lang", "en"], ["doctor", "--json", "--lang", "zh", "--expect", "gpu"]:
        doc = run(*args, *where)
        for e in list(valid[args[0]].iter_errors(doc))[:3]:
            bad.append(f"{' '.join(args + where)}: {list(e.absolute_path)}: {e.message[:200]}")
        if args[0] == "doctor" and doc["findings"]:
            kept["doctor"] = doc
        if args[0] == "snapshot":
            kept["snapshot"] = doc
# The schemas can say no.
def refuses(name, change):
    doc = copy.deepcopy(kept[name])
    change(doc)
    if valid[name].is_valid(doc):
        bad.append(f"doc/{name}.schema.json accepts anything: line {change.__code__.co_firstlineno}")
refuses("doctor", lambda d: d["verdict"].update(status="fine"))
refuses("doctor", lambda d: d["findings"][0].update(evidence=[]))
refuses("doctor", lambda d: d["findings"][0].pop("summary"))
refuses("doctor", lambda d: d["layers"].pop())
refuses("doctor", lambda d: d["verdict"].update(status="ok", cause="driver-missing"))
refuses("snapshot", lambda d: d["host"].update(os={"is": "perhaps"}))
refuses("snapshot", lambda d: d["host"].update(os="linux"))
refuses("snapshot", lambda d: d.pop("schema_version"))
print("\n".join(bad[:20]))
sys.exit(1 if bad else 0)
X
"$python" "$WORK/validate.py" "$TENON" "$TENON_SOURCE" || fail "a document is not as its schema says"
