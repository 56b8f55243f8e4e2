#!/usr/bin/env bash
# Damaged files for --from: a snapshot and a record cut at 200 places and with 200 flipped bytes, and what is no file at all.
# Never a crash, never a verdict out of half a file: exit 3 with a message that names the file and the place.
. "$(dirname "$0")/lib.sh"
record=$(ls -S "$TENON_SOURCE"/tests/machines/*.json | awk 'NR==3')
"$TENON" snapshot --from "$record" --include-identifiers >"$WORK/snapshot.json"
cat >"$WORK/damage.py" <<'X'
import json, os, random, re, resource, subprocess, sys, time
tenon, work = sys.argv[1:3]
files = sys.argv[3:]
bad, counts = [], {}
def run(path, args=("doctor", "--json", "--lang", "en"), stdin=subprocess.DEVNULL, limit=10):
    start = time.monotonic()
    try:
        r = subprocess.run([tenon, *args, "--from", path], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
    except subprocess.TimeoutExpired:
        return None, b"", f"no end in {limit} s"
    return r.returncode, r.stdout, r.stderr.decode("utf-8") # messages are UTF-8 whatever the file holds
def judge(what, path, data=None, must_fail=False, place=True, wanted=(0, 1, 3)):
    if data is not None:
        with open(path, "wb") as f:
            f.write(data)
    for args in ("doctor", "--json", "--lang", "en"), ("snapshot", "--include-identifiers"):
        code, out, err = run(path, args)
        counts[code] = counts.get(code, 0) + 1
        if code not in wanted:
            bad.append(f"{what}, {args[0]}: exit {code}, {err[:200]}")
        elif code >= 3 and not out:
            if path not in err or place and not re.search(r"\b\d+:\d+: |line \d+|column|position|byte|offset|/|\.[a-z_]+|empty|too large|larger|depth|nested|record|snapshot|[a-z]+: ", err.replace("tenon: " + path + ": ", "", 1)):
                bad.append(f"{what}, {args[0]}: the message names no file or place: {err[:200]}")
        elif must_fail:
            bad.append(f"{what}, {args[0]}: exit {code}, a verdict out of half a file")
        else:
            try:
                json.loads(out.decode("utf-8"))
            except ValueError as e:
                bad.append(f"{what}, {args[0]}: stdout is no JSON: {e}")
def seeded(name):
    return random.Random(f"{os.environ.get('TENON_SEED', '1')} {name}")
p = os.path.join(work, "damaged.json")
for original in files:
    whole = open(original, "rb").read()
    name, rnd = os.path.basename(original), seeded(os.path.basename(original))
    end = len(whole.rstrip())
    for at in sorted({0, 1, 2, end - 1, end - 2, *(rnd.randrange(end) for _ in range(95))}):
        judge(f"{name} cut at {at}", p, whole[:at], must_fail=True)
    for _ in range(100):
        at, bit = rnd.randrange(end), 1 << rnd.randrange(8)
        data = bytearray(whole)
        data[at] ^= bit
        judge(f"{name} byte {at} flipped by {bit}", p, bytes(data))
    for what, data in (("twice", whole + whole), ("with a byte order mark", b"\xef\xbb\xbf" + whole), ("with a NUL behind", whole + b"\0"),
                       ("as UTF-16", whole.decode().encode("utf-16")), ("with wild bytes", whole.replace(b'"', b'"\xff\xfe', 3))):
        judge(f"{name} {what}", p, data)
    doc = json.loads(whole)
    for key in list(doc): # members of other kinds than the format says
        for wrong in None, 7, "text", [], {}, [[]], True, -1, 1e308:
            judge(f"{name} with {key} = {wrong!r}", p, json.dumps(dict(doc, **{key: wrong})).encode(), place=False)
os.unlink(p)
deep = 100000
judge("an empty file", p, b"", must_fail=True)
judge("white space", p, b" \n\t", must_fail=True)
judge("text", p, b"NVIDIA-SMI has failed\n", must_fail=True)
judge("an ELF file", p, open(tenon, "rb").read()[:100000], must_fail=True)
for name, data in {"lists": b"[" * deep + b"]" * deep, "objects": b'{"a":' * deep + b"1" + b"}" * deep,
                   "a snapshot": b'{"schema_version":1,"command":"snapshot","x":' + b"[" * deep + b"]" * deep + b"}",
                   "a record": b'{"tenon_record":1,"origin":"x","os":"linux","files":' + b'{"a":' * deep + b"1" + b"}" * deep + b"}"}.items():
    judge(f"{deep} nested in {name}", p, data, must_fail=True)
with open(p, "wb") as f: # sparse: no disk is used
    f.truncate(300 << 20)
judge("300 MB of nothing", p, must_fail=True)
with open(p, "wb") as f:
    f.write(b'{"schema_version": 1, "command": "snapshot", "x": "')
    for _ in range(300):
        f.write(b"x" * (1 << 20))
    f.write(b'"}')
judge("300 MB", p, must_fail=True)
os.unlink(p)
judge("a missing file", p, must_fail=True, place=False)
judge("a folder", work, must_fail=True, place=False)
judge("a device", "/dev/zero", must_fail=True, place=False, wanted=(3, 4))
judge("a name that is a file's", files[0] + "/x", must_fail=True, place=False)
os.mkfifo(p)
judge("a FIFO that nobody writes", p, must_fail=True, place=False, wanted=(3, 4))
os.unlink(p)
loop = os.path.join(work, "loop")
os.symlink("loop", loop)
judge("a link to itself", loop, must_fail=True, place=False)
strange = os.path.join(work, "two\nlines\x1b[31m").encode() + b"\xff"
with open(strange, "wb") as f:
    f.write(b"{")
r = subprocess.run([tenon, "doctor", "--from", strange], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
if r.returncode != 3 or b"\x1b" in r.stderr or r.stderr.count(b"\n") != 1:
    bad.append(f"a strange name: {r.returncode}, {r.stderr!r}")
if os.getuid() == 0: # not readable for nobody
    os.chmod(work, 0o755)
    private = os.path.join(work, "private.json")
    open(private, "w").write("{}")
    os.chmod(private, 0o600)
    r = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tenon, "doctor", "--from", private], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if r.returncode != 3 or private.encode() not in r.stderr or b"ermi" not in r.stderr:
        bad.append(f"a file without permission: {r.returncode}, {r.stderr!r}")
print(f"{sum(counts.values())} runs: " + ", ".join(f"exit {k}: {n}" for k, n in sorted(counts.items(), key=str)))
print("\n".join(bad[:15]))
if counts.get(3, 0) < 300 or counts.get(1, 0) + counts.get(0, 0) < 10:
    bad.append("")
    print("the damage does not reach what it should")
sys.exit(1 if bad else 0)
X
python3 "$WORK/damage.py" "$TENON" "$WORK" "$WORK/snapshot.json" "$record" || fail "damaged files"
