#!/usr/bin/env bash
# Story 25, Linux: a shared server without root, a pip.conf with a mirror, a target without network. The bundle holds what the plan needs,
# `apply --bundle` installs from it with the network cut, pip.conf stays as it is; signed by minisign it is authenticated, by another key or
# changed it is refused; damage and additions are refused; one that was killed goes on with what had come; a dead proxy ends with
# 5 and the hop's name, and leaves nothing.
. "$(dirname "$0")/lib.sh"
[ -x "$(dirname "$TENON")/tenon-unpack" ] || skip "tenon-unpack (built where libarchive is)"
python=$(python_of_tf215) || skip "a Python with venv"
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
export HOME=$WORK/home PATH=$(dirname "$python"):/usr/bin:/bin
mkdir -p "$HOME/.config/pip" "$WORK/place" "$WORK/simple"
unset XDG_STATE_HOME XDG_CONFIG_HOME PIP_INDEX_URL PIP_CONFIG_FILE
# An index of one framework's name, small: onnxruntime as far as a plan and a resolver see it.
python3 - "$WORK/simple" <<'P'
import os, sys, zipfile
root = sys.argv[1]
def wheel(name, v, module, code, requires=()):
    info = "%s-%s.dist-info" % (name, v)
    f = "%s-%s-py3-none-any.whl" % (name, v)
    files = {module + "/__init__.py": code, info + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, v) + "".join("Requires-Dist: %s\n" % r for r in requires),
             info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    os.makedirs(os.path.join(root, name), exist_ok=True)
    with zipfile.ZipFile(os.path.join(root, name, f), "w") as z:
        for n, t in files.items():
            z.writestr(n, t)
        z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
    open(os.path.join(root, name, "index.html"), "w").write('<a href="%s">%s</a>' % (f, f))
wheel("onnxruntime", "1.17.3", "onnxruntime", "__version__ = '1.17.3'\ndef get_available_providers():\n    return ['CPUExecutionProvider']\n", ["numpy"])
wheel("numpy", "1.26.4", "numpy", "__version__ = '1.26.4'\n")
P
# It answers as an index does, so that pip keeps what has come; a wheel named in hold is begun and not gone on with.
cat >"$WORK/serve.py" <<'P'
import http.server, os, time
class H(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        if self.path.endswith(".whl"):
            self.send_header("Cache-Control", "max-age=31536000, immutable")
        super().end_headers()
    def copyfile(self, source, out):
        data = source.read()
        held = self.path.endswith(".whl") and os.path.exists("hold") and open("hold").read().strip() in self.path
        out.write(data[:len(data) // 2] if held else data)
        while held and os.path.exists("hold"):
            out.flush(); open("held", "w").close(); time.sleep(0.05)
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print("port %d" % s.server_address[1], flush=True)
s.serve_forever()
P
(cd "$WORK" && exec python3 serve.py >"$WORK/server" 2>&1) &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do port=$(sed -n 's/^port \([0-9]*\)$/\1/p' "$WORK/server"); [ -n "$port" ] && break; sleep 0.1; done
printf '[global]\nindex-url = http://user:s3cret@127.0.0.1:%s/simple\ntrusted-host = 127.0.0.1\n' "$port" >"$HOME/.config/pip/pip.conf"
sum=$(sha256sum <"$HOME/.config/pip/pip.conf")
cd "$WORK/place"
# --- killed in the midst of the second wheel: nothing is left beside it, and the first one is not fetched again ---
echo numpy- >"$WORK/hold"
"$TENON" bundle onnxruntime==1.17.3 --cpu --python "$minor" -o ort.zip >"$WORK/out" 2>&1 &
killed=$!
for _ in $(seq 600); do [ -e "$WORK/held" ] && break; sleep 0.05; done
[ -e "$WORK/held" ] || fail "it never came to the second wheel: $(cat "$WORK/out")"
kill -9 "$killed"; wait "$killed" 2>/dev/null || true
for _ in $(seq 200); do "$TENON" recover >"$WORK/out" 2>&1 && break; sleep 0.05; done # its pip is being ended
rm "$WORK/hold"
wheels() { grep -c 'GET .*/onnxruntime-.*whl' "$WORK/server" || true; }
first=$(wheels)
[ "$first" -ge 1 ] || fail "the first wheel never came"
"$TENON" bundle onnxruntime==1.17.3 --cpu --python "$minor" -o ort.zip >"$WORK/out" 2>&1 || fail "bundle: $(cat "$WORK/out")"
same "$(wheels)" "$first" "the wheel that was there whole is asked for again"
! grep s3cret "$WORK/out" || fail "a password was printed"
same "$(ls -A)" ort.zip "what is left beside it"
python3 -m zipfile -l ort.zip >"$WORK/list"
for n in plan.json SHA256SUMS wheels/onnxruntime-1.17.3 wheels/numpy-1.26.4; do grep "$n" "$WORK/list" >/dev/null || fail "no $n: $(cat "$WORK/list")"; done
! python3 -c 'import sys, zipfile; z = zipfile.ZipFile("ort.zip"); sys.exit(b"s3cret" not in z.read("plan.json"))' || fail "a password is in the plan"
same "$(sed -n 's/^sha256  //p' "$WORK/out")" "$(sha256sum <ort.zip | cut -d' ' -f1)" "its digest"

# --- the network is cut ---
cut=()
if unshare -n true 2>/dev/null; then cut=(unshare -n); elif unshare -rn true 2>/dev/null; then cut=(unshare -rn); fi
"${cut[@]}" "$TENON" apply --bundle ort.zip --env there --yes >"$WORK/out" 2>&1 || fail "apply --bundle: $(cat "$WORK/out")"
grep 'not authenticated' "$WORK/out" >/dev/null || fail "who made it: $(cat "$WORK/out")"
same "$(there/bin/python -I -c 'import onnxruntime, numpy; print(onnxruntime.__version__, numpy.__version__)')" "1.17.3 1.26.4" "installed"
same "$(sha256sum <"$HOME/.config/pip/pip.conf")" "$sum" "pip.conf"
[ ! -e "$HOME/.local/state/tenon/bundle" ] || fail "the unpacked bundle is left"
"$TENON" undo >"$WORK/out" 2>&1 || fail "$(cat "$WORK/out")"
same "$(ls -A)" ort.zip "undone"

# --- signed by minisign ---
M=$PARTS/minisign
if [ ! -x "$M/usr/bin/minisign" ] && command -v dpkg >/dev/null && apt_conf; then
    mkdir -p "$WORK/debs"
    if (cd "$WORK/debs" && apt-get download -qq minisign libsodium23 >/dev/null 2>&1); then
        for f in "$WORK"/debs/*.deb; do dpkg -x "$f" "$WORK/minisign"; done
        mv "$WORK/minisign" "$M"
    fi
fi
if [ -x "$M/usr/bin/minisign" ]; then
    minisign() { LD_LIBRARY_PATH=$(dirname "$(find "$M" -name 'libsodium.so.*' -print -quit)") "$M/usr/bin/minisign" "$@"; }
    for who in ours theirs; do minisign -G -W -p "$WORK/$who.pub" -s "$WORK/$who.key" >/dev/null; done
    minisign -S -s "$WORK/ours.key" -m ort.zip -t 'for the lab' >/dev/null
    key() { # WANT WHAT KEY
        rc=0; "${cut[@]}" "$TENON" apply --bundle ort.zip --key "$3" --env signed --yes --lang en >"$WORK/out" 2>&1 || rc=$?
        same "$rc" "$1" "$2: $(cat "$WORK/out")"
        [ "$1" = 0 ] || [ ! -e signed ] || fail "installed: $2"
    }
    key 0 "the right key" "$WORK/ours.pub"
    grep -F 'authenticated: signed by the key' "$WORK/out" | grep -F '(for the lab)' >/dev/null || fail "$(cat "$WORK/out")"
    ! grep 'not authenticated' "$WORK/out" || fail "both"
    "$TENON" undo >/dev/null
    key 4 "another key" "$WORK/theirs.pub"
    cp ort.zip.minisig "$WORK/good"
    python3 - "$WORK/good" "$WORK/theirs.pub" <<'P'
import base64, sys
l = open(sys.argv[1]).read().split("\n")
theirs = base64.b64decode(open(sys.argv[2]).read().split("\n")[1])
sig = bytearray(base64.b64decode(l[1]))
def put(name, lines):
    open(sys.argv[1] + "." + name, "w").write("\n".join(lines))
put("flipped", [l[0], base64.b64encode(bytes(sig[:40]) + bytes([sig[40] ^ 1]) + bytes(sig[41:])).decode()] + l[2:])
put("comment", l[:2] + ["trusted comment: for nobody"] + l[3:])
put("renamed", [l[0], base64.b64encode(bytes(sig[:2]) + theirs[2:10] + bytes(sig[10:])).decode()] + l[2:])
put("old", [l[0], base64.b64encode(b"Ed" + bytes(sig[2:])).decode()] + l[2:])
put("empty", [])
P
    for f in flipped comment renamed old empty; do
        cp "$WORK/good.$f" ort.zip.minisig
        key 4 "a signature that is $f" "$WORK/$([ $f = renamed ] && echo theirs || echo ours).pub"
    done
    rm ort.zip.minisig
    key 4 "no signature" "$WORK/ours.pub"
    cp "$WORK/good" ort.zip.minisig
    cp ort.zip "$WORK/ort.zip"
    python3 -c 'd = bytearray(open("ort.zip", "rb").read()); d[len(d) // 2] ^= 1; open("ort.zip", "wb").write(d)'
    key 4 "a bit of it is another" "$(sed -n 2p "$WORK/ours.pub")" # the key itself
    grep -F 'its signature is not that of the key' "$WORK/out" >/dev/null || fail "before it is unpacked: $(cat "$WORK/out")"
    mv "$WORK/ort.zip" ort.zip; rm ort.zip.minisig
else
    echo "skipped: signatures (minisign cannot be had)"
fi

# --- another file in it, another digest, half of it ---
bad() { # WANT CODE
    cp ort.zip bad.zip
    python3 -c "import zipfile, sys
$2"
    rc=0; "$TENON" apply --bundle bad.zip --env bad --yes >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "$1: $(cat "$WORK/out")"
    grep -- "$1" "$WORK/out" >/dev/null || fail "$1: $(cat "$WORK/out")"
    [ ! -e bad ] || fail "installed from a bad bundle: $1"
    rm bad.zip
}
bad 'not in the bundle' 'zipfile.ZipFile("bad.zip", "a").writestr("wheels/evil-1.0-py3-none-any.whl", "x")'
bad 'digest differs' 'z = zipfile.ZipFile("ort.zip"); o = zipfile.ZipFile("bad.zip", "w")
for n in z.namelist(): o.writestr(n, z.read(n) + (b" " if n == "plan.json" else b""))
o.close()'
bad 'bad.zip' 'd = open("ort.zip", "rb").read(); open("bad.zip", "wb").write(d[:len(d) // 2])'
bad 'not a bundle' 'o = zipfile.ZipFile("bad.zip", "w"); o.writestr("x", "x"); o.close()'

# --- a dead proxy ---
rc=0; PIP_RETRIES=1 PIP_PROXY=http://127.0.0.1:9 "$TENON" bundle onnxruntime==1.17.3 --cpu --python "$minor" -o dead.zip >"$WORK/out" 2>&1 || rc=$?
same "$rc" 5 "a dead proxy: $(cat "$WORK/out")"
grep -i 'proxy' "$WORK/out" >/dev/null || fail "the hop: $(cat "$WORK/out")"
same "$(ls -A)" ort.zip "what a dead proxy leaves"
echo "bundle: made, applied without a network, refused when damaged"
