#!/usr/bin/env bash
# `tenon clean` on a root folder of its own: a named toolkit is surveyed with the settings that name it, moved aside and brought
# back by `undo`; a mount in it and the driver stay; sizes are du's; random trees with people's files in them (clean_trees.py,
# 40 here, seed by commit; 10,000: tests/long/clean_trees.sh).
[ -n "${TENON_NS:-}" ] || [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || TENON_NS=1 exec unshare -m bash "$0"
. "$(dirname "$0")/lib.sh"
export XDG_STATE_HOME=$WORK/state LC_ALL=C
R=$WORK/root
so() { # FILE SONAME : a library that is nothing but its name
    mkdir -p "$(dirname "$1")"
    echo 'int tn_nothing;' | gcc -shared -nostdlib -Wl,-soname,"$2" -o "$1" -x c -
}
for v in 11.2 11.6; do
    T=$R/usr/local/cuda-$v
    mkdir -p "$T"/{bin,lib64,include,nvvm/libdevice}
    printf '{"cuda":{"name":"CUDA SDK","version":"%s.0"}}' "$v" >"$T/version.json"
    head -c 3000000 /dev/zero >"$T/lib64/libcublas.so.11.0.0"
    ln -s libcublas.so.11.0.0 "$T/lib64/libcublas.so.11"
    : >"$T/bin/nvcc"; : >"$T/bin/cuda-uninstaller"; : >"$T/include/cuda.h"
done
mkdir -p "$R"/{etc/ld.so.conf.d,etc/profile.d,home/ann,usr/bin,var/lib/dpkg/info}
: >"$R/var/lib/dpkg/status"
echo ID=debian >"$R/etc/os-release"
ln -s cuda-11.6 "$R/usr/local/cuda"
echo 'include /etc/ld.so.conf.d/*.conf' >"$R/etc/ld.so.conf"
echo /usr/local/cuda-11.2/lib64 >"$R/etc/ld.so.conf.d/cuda-11-2.conf"
printf '# cuda 11.6\n/usr/local/cuda-11.6/lib64\n' >"$R/etc/ld.so.conf.d/cuda-11-6.conf"
# shellcheck disable=SC2016
{
    printf '# ann\nexport PATH=/usr/local/cuda-11.6/bin:$PATH\n# /usr/local/cuda-11.6\nexport CUDA_PATH_V11_6=/usr/local/cuda-11.6\n' >"$R/home/ann/.bashrc"
    printf 'if [ -n "$BASH" ]; then\n  export PATH="$HOME/bin:/usr/local/cuda/bin:$PATH"\nfi\nalias n11=/usr/local/cuda-11.6/bin/nvcc\n' >"$R/home/ann/.profile"
    printf 'setenv CUDA_HOME /usr/local/cuda-11.6\n' >"$R/home/ann/.cshrc"
    printf 'export LD_LIBRARY_PATH=/usr/local/cuda-11.6/lib64${LD_LIBRARY_PATH:+:${LD_LIBRARY_PATH}}\n' >"$R/etc/profile.d/cuda.sh"
}
chmod 640 "$R/home/ann/.profile"
# An environment of ann's whose TensorFlow finds its CUDA run time in 11.2, by the loader's cache of that root.
used=
python=$(readlink -f /usr/bin/python3 || true)
if command -v gcc >/dev/null && ldd "$python" >/dev/null 2>&1; then
    so "$R/usr/local/cuda-11.2/lib64/libcudart.so.11.0" libcudart.so.11.0
    ldd "$python" | grep -o '/[^ ]*' | while read -r f; do mkdir -p "$R$(dirname "$f")"; cp -L "$f" "$R$f"; done
    cp "$python" "$R/usr/bin/python3"
    so "$R/usr/lib/x86_64-linux-gnu/libcuda.so.535.54.03" libcuda.so.1
    X=$R/home/ann/X S=$R/home/ann/X/lib/python3.11/site-packages
    mkdir -p "$X/bin" "$S"/{tensorflow/python/platform,tensorflow-2.10.0.dist-info}
    ln -s /usr/bin/python3 "$X/bin/python"
    printf 'home = /usr/bin\nversion = 3.11.2\n' >"$X/pyvenv.cfg"
    printf 'Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.10.0\n' >"$S/tensorflow-2.10.0.dist-info/METADATA"
    printf 'build_info = collections.OrderedDict([("cuda_version","11.2"),("cudnn_version","8"),("is_cuda_build",True)])\n' >"$S/tensorflow/python/platform/build_info.py"
    : >"$S/tensorflow/__init__.py"
    so "$S/tensorflow/libtensorflow_framework.so.2" libtensorflow_framework.so.2
    so "$S/tensorflow/python/_pywrap_tensorflow_internal.so" _pywrap_tensorflow_internal.so
    (cd "$S" && find . -type f -printf '%P,,\n' >tensorflow-2.10.0.dist-info/RECORD)
    "$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig)" -r "$R" 2>/dev/null && used=1
fi
# Everything of the tree: type, mode, owner, links, inode, times, extended attributes, content; of folders that hold what goes not the time.
tree() {
    python3 - "$R" <<'P'
import hashlib, os, sys
for base, dirs, files in os.walk(sys.argv[1]):
    for n in sorted(dirs + files):
        p = os.path.join(base, n)
        s = os.lstat(p)
        x = {k: os.getxattr(p, k, follow_symlinks=False) for k in os.listxattr(p, follow_symlinks=False)}
        what = os.readlink(p) if os.path.islink(p) else hashlib.sha256(open(p, "rb").read()).hexdigest() if os.path.isfile(p) else ""
        outer = n in ("local", "ann", "ld.so.conf.d", "profile.d", "etc")
        print(os.path.relpath(p, sys.argv[1]), oct(s.st_mode), s.st_uid, s.st_gid, s.st_ino, s.st_nlink, 0 if outer else s.st_mtime_ns, sorted(x.items()), what)
P
}
T=$R/usr/local/cuda-11.6
# What only undo could lose: modes, other owners, capabilities, an ACL, a user's attribute, hard links, old times.
kept=
chmod 4751 "$T/bin/nvcc"; chmod 711 "$T/include"
ln "$T/lib64/libcublas.so.11.0.0" "$T/lib64/libcublas.so.11.0"
[ "$(id -u)" != 0 ] || { chown 12345:54321 "$T/include/cuda.h"; kept="owner"; }
python3 - "$T" "$R/home/ann/.profile" <<'P' >"$WORK/xattrs"
import os, struct, sys
entry = lambda tag, perm, who=0xFFFFFFFF: struct.pack("<HHI", tag, perm, who)
acl = struct.pack("<I", 2) + entry(1, 6) + entry(2, 4, 1234) + entry(4, 4) + entry(16, 4) + entry(32, 0)
for path, name, value in ((sys.argv[1] + "/bin/nvcc", "user.note", b"mine\0too"), (sys.argv[1] + "/EULA.txt", "user.note", b"x"),
                          (sys.argv[1] + "/bin/nvcc", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0)),
                          (sys.argv[1] + "/lib64", "system.posix_acl_access", acl), (sys.argv[2], "system.posix_acl_access", acl), (sys.argv[2], "user.note", b"y")):
    open(path, "a").close() if path.endswith("EULA.txt") else None
    try:
        os.setxattr(path, name, value)
        print(name)
    except OSError as e:
        print("skipped: %s: %s" % (name, e.strerror))
P
grep skipped "$WORK/xattrs" | sort -u || true
touch -d '2021-03-04 05:06:07.123456789' "$T/include/cuda.h" "$T/bin" "$T/lib64" "$R/home/ann/.bashrc"
touch -h -d '2021-03-04 05:06:07.5' "$T/lib64/libcublas.so.11"
tree >"$WORK/before"
"$TENON" clean cuda 11.6 --root "$R" --lang en >"$WORK/out" || fail "the survey ended with $?: $(cat "$WORK/out")"
# shellcheck disable=SC2016
for w in 'CUDA toolkit 11.6' '.bashrc, line 2, names /usr/local/cuda-11.6/bin' 'line 2: /usr/local/cuda-11.6/lib64' 'To do it: tenon clean cuda 11.6' \
    'line 2: export PATH=/usr/local/cuda-11.6/bin:$PATH' 'line 4: export CUDA_PATH_V11_6=/usr/local/cuda-11.6' 'becomes:   export PATH="$HOME/bin:$PATH"' \
    'line 4 stays' 'line 1 stays' 'ldconfig -r' '/usr/local/cuda: the link goes' 'the file goes aside'; do
    grep -F -- "$w" "$WORK/out" >/dev/null || fail "not told: $w: $(cat "$WORK/out")"
done
if grep -e 'line 3' -e 'cuda-11.2' "$WORK/out" >/dev/null; then fail "a comment, or another toolkit: $(cat "$WORK/out")"; fi
tree | cmp -s "$WORK/before" - || fail "the survey has changed something"
"$TENON" clean --root "$R" --json >"$WORK/json" || fail "clean --json"
bytes=$(python3 -c "import json,sys; print([i['bytes'] for i in json.load(open(sys.argv[1]))['items'] if i['version'] == '11.6.0'][0])" "$WORK/json")
[ "$bytes" = "$(du -s --block-size=1 "$R/usr/local/cuda-11.6" | cut -f1)" ] || fail "$bytes is not what du says"
if [ -n "$used" ]; then
    rc=0; "$TENON" clean cuda 11.2 --root "$R" --yes --lang en >"$WORK/out" 2>&1 || rc=$?
    same "$rc" 4 "what an environment loads: $(cat "$WORK/out")"
    "$TENON" clean cuda --root "$R" --lang en >"$WORK/out" || fail "clean cuda: $?"
    grep -F 'The driver 535.54.03 stays.' "$WORK/out" >/dev/null || fail "the driver: $(cat "$WORK/out")"
    grep -F 'loaded by /home/ann/X (tensorflow: libcudart.so.11.0)' "$WORK/out" >/dev/null || fail "who uses 11.2: $(cat "$WORK/out")"
else
    echo "skipped: an environment that uses 11.2 (gcc, python3)"
fi
"$TENON" clean cuda 11.6 --root "$R" --yes >"$WORK/out" || fail "clean --yes ended with $?: $(cat "$WORK/out")"
[ ! -e "$R/usr/local/cuda-11.6" ] && [ ! -L "$R/usr/local/cuda" ] && [ -e "$R/usr/local/cuda-11.2/bin/nvcc" ] || fail "not the one that was named"
same "$(cat "$R/home/ann/.bashrc")" "$(printf '# ann\n# /usr/local/cuda-11.6')" ".bashrc"
# shellcheck disable=SC2016
same "$(cat "$R/home/ann/.profile")" "$(printf 'if [ -n "$BASH" ]; then\n  export PATH="$HOME/bin:$PATH"\nfi\nalias n11=/usr/local/cuda-11.6/bin/nvcc')" ".profile"
same "$(stat -c %a "$R/home/ann/.profile")" "$(sed -n 's/^home\/ann\/.profile 0o100\([0-7]*\) .*/\1/p' "$WORK/before")" "mode of .profile"
[ ! -e "$R/etc/ld.so.conf.d/cuda-11-6.conf" ] && [ ! -e "$R/etc/profile.d/cuda.sh" ] && [ -e "$R/etc/ld.so.conf.d/cuda-11-2.conf" ] || fail "files that held nothing else"
sh -n "$R/home/ann/.profile" && sh -n "$R/home/ann/.bashrc" || fail "a start file that no shell reads"
"$TENON" undo >/dev/null || fail "undo ended with $?"
tree | diff "$WORK/before" - || fail "undo did not bring it back as it was"
echo "clean: 11.6 and its settings moved aside and back, with modes, times, links, attributes${kept:+ and $kept}"
# The space is free once the quarantine is emptied; then nothing can be undone.
"$TENON" clean cuda 11.6 --root "$R" --yes --lang en >"$WORK/out" || fail "$?"
id=$(sed -n 's/.*become free with: tenon clean quarantine \([0-9]*\) --yes.*/\1/p' "$WORK/out")
cp -a "$R" "$WORK/root2" # the rest goes on with a copy
"$TENON" clean quarantine --lang en >"$WORK/out" || fail "clean quarantine: $?"
grep -F "$id  " "$WORK/out" >/dev/null || fail "not told what is kept: $(cat "$WORK/out")"
ls -d "$R"/usr/local/.cuda-11.6.tenon-* >/dev/null || fail "looking has deleted it"
"$TENON" clean quarantine "$id" --yes >/dev/null || fail "clean quarantine --yes: $?"
! find "$R" -name '.*.tenon-*' | grep . || fail "something is left"
[ -e "$R/usr/local/cuda-11.2/bin/nvcc" ] || fail "more than was kept is gone"
rc=0; "$TENON" undo "$id" >"$WORK/out" 2>&1 || rc=$?
same "$rc" 2 "undo of what is deleted: $(cat "$WORK/out")"
rm -r "$R"; mv "$WORK/root2" "$R"
for twin in "$R"/usr/local/.cuda*.tenon-* "$R"/home/ann/.*.tenon-* "$R"/etc/*/.*.tenon-*; do # by hand: its record is final
    base=$(basename "$twin"); base=${base#.}; base=${base%.tenon-*}
    rm -rf "$(dirname "${twin:?}")/$base"; mv "$twin" "$(dirname "$twin")/$base"
done
# What ann has written into .bashrc since stays; what it was is told.
"$TENON" clean cuda 11.6 --root "$R" --yes >/dev/null || fail "once more: $?"
echo 'export EDITOR=vi' >>"$R/home/ann/.bashrc"
"$TENON" undo --lang en >"$WORK/out" || fail "undo: $?"
grep -F 'stays as it is now' "$WORK/out" >/dev/null && grep EDITOR "$R/home/ann/.bashrc" >/dev/null && [ -e "$T/bin/nvcc" ] || fail "undo over somebody's work: $(cat "$WORK/out")"
rc=0; "$TENON" clean driver >/dev/null 2>&1 </dev/null || rc=$?
[ $rc = 4 ] || fail "clean driver ended with $rc"
rc=0; echo yes | "$TENON" clean driver --remove-driver --root "$R" >/dev/null 2>&1 || rc=$?
[ $rc = 4 ] || fail "another word than the driver's: $rc"
if [ -n "${TENON_NS:-}" ]; then
    mkdir "$R/usr/local/cuda-11.6/extras"
    mount -t tmpfs none "$R/usr/local/cuda-11.6/extras" && : >"$R/usr/local/cuda-11.6/extras/mine"
    rc=0; "$TENON" clean cuda 11.6 --root "$R" --yes >"$WORK/out" 2>&1 || rc=$?
    [ $rc = 4 ] && [ -e "$R/usr/local/cuda-11.6/extras/mine" ] || fail "a mount: $rc: $(cat "$WORK/out")"
    umount "$R/usr/local/cuda-11.6/extras"
else
    echo "skipped: a mount in what goes (not root)"
fi
seed=$(git -C "$TENON_SOURCE" rev-parse --short=7 HEAD 2>/dev/null || echo 1)
python3 "$TENON_SOURCE/tests/real/clean_trees.py" "$TENON" "$WORK/trees" "${TREES:-40}" "$((16#$seed))" || fail "a random tree"
