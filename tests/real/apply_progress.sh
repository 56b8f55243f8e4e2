#!/usr/bin/env bash
# While pip fetches a file, apply says on a terminal how much of it is there, how fast it comes and how long it takes yet, as pip says its
# size; elsewhere lines of their own, none that overwrite. A server that gives 5 MB a second.
. "$(dirname "$0")/lib.sh"
python=$(python_of_tf215) || skip "a Python with venv"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
cat >"$WORK/serve.py" <<'P'
import http.server, io, os, sys, time, zipfile
body = io.BytesIO()
info = "big-1.0.dist-info"
files = {"big/__init__.py": b"", "big/data": os.urandom(25000000), info + "/METADATA": b"Metadata-Version: 2.1\nName: big\nVersion: 1.0\n",
         info + "/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
with zipfile.ZipFile(body, "w") as z:
    for n, t in files.items():
        z.writestr(n, t)
    z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
wheel = body.getvalue()
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        page = not self.path.endswith(".whl")
        data = b'<a href="/big-1.0-py3-none-any.whl">big-1.0-py3-none-any.whl</a>' if page else wheel
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if page else "application/octet-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        for i in range(0, len(data), 500000):
            self.wfile.write(data[i:i + 500000])
            time.sleep(0 if page else 0.1)
    def log_message(self, *a):
        pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
P
python3 "$WORK/serve.py" >"$WORK/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -s "$WORK/port" ] && break; sleep 0.1; done
export HOME=$WORK/home XDG_STATE_HOME=$WORK/state PATH=$(dirname "$python"):/usr/bin:/bin PIP_INDEX_URL=http://127.0.0.1:$(cat "$WORK/port")/simple PIP_NO_CACHE_DIR=1
mkdir -p "$HOME" "$WORK/place"
unset PIP_FIND_LINKS PIP_NO_INDEX
cd "$WORK/place"
echo '{"command":"plan","steps":[{"do":{"kind":"venv","env":"e","python":"'$minor'"}},{"do":{"kind":"packages","env":"e","python":"'$minor'","packages":["big"]}}]}' >plan
TERM=xterm python3 - "$TENON" >"$WORK/terminal" <<'P' || fail "on a terminal: $(cat -v "$WORK/terminal")"
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.argv[1], "apply", "plan", "--yes", "--lang", "en"])))
P
tr '\r' '\n' <"$WORK/terminal" | sed 's/\x1b\[K//' >"$WORK/lines"
grep -E '^\[2/6\] big-1.0-py3-none-any.whl: [0-9]+\.[0-9] of 25\.0 MB, [0-9]+\.[0-9] MB/s, [0-9]+ s left$' "$WORK/lines" >"$WORK/told" || fail "not told: $(cat "$WORK/lines")"
python3 - "$WORK/told" <<'P' || fail "$(cat "$WORK/told")"
import re, sys
rows = [[float(x) for x in re.findall(r"([0-9.]+) of 25.0 MB, ([0-9.]+) MB/s, (\d+) s", l)[0]] for l in open(sys.argv[1])]
assert all(a[0] <= b[0] for a, b in zip(rows, rows[1:])), "less than before"
assert all(now <= 25.0 and 0 < rate < 25 and abs((25.0 - now) / rate - left) < 2 for now, rate, left in rows), "not what it comes to"
P
"$TENON" undo >"$WORK/out" || fail "$(cat "$WORK/out")"
"$TENON" apply plan --yes >"$WORK/out" 2>&1 </dev/null || fail "elsewhere: $(cat "$WORK/out")"
! grep -P '\r|\x1b' "$WORK/out" || fail "it overwrites, and is no terminal"
cat "$WORK/told"
echo "progress: bytes, rate and time left as pip's own lines and files tell"
