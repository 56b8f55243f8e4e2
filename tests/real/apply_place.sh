#!/usr/bin/env bash
# Story 12: an archive of cuDNN is placed into a toolkit's folder as a full set, by the digests beside it, or not at all; PATH stays; undo
# restores the folder to the byte. And a toolkit whose lib64 is a link, as NVIDIA's installer makes it.
. "$(dirname "$0")/lib.sh"
[ -x "$(dirname "$TENON")/tenon-unpack" ] || skip "tenon-unpack (built where libarchive is)"
export HOME=$WORK/home
mkdir -p "$HOME" "$WORK/in"
cat >"$WORK/make.py" <<'P'
import hashlib, io, sys, tarfile, zipfile
kind, out, lacks = sys.argv[1:4]
libs = ["cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train", "cudnn_adv_infer", "cudnn_adv_train"]
version = "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 1\n"
headers = {"include/%s.h" % n: "/* %s */\n" % n for n in libs}
headers["include/cudnn_version.h"] = version
if kind == "zip":
    with zipfile.ZipFile(out, "w") as z:
        for n in libs:
            if n != lacks:
                z.writestr("cuda/bin/%s64_8.dll" % n, "MZ " + n)
            z.writestr("cuda/lib/x64/%s64_8.lib" % n, "lib " + n)
        z.writestr("cuda/lib/x64/cudnn.lib", "lib")
        for n, t in headers.items():
            z.writestr("cuda/" + n, t)
else:
    with tarfile.open(out, "w:gz") as t:
        def add(name, data=None, link=None):
            i = tarfile.TarInfo("cuda/" + name)
            if link:
                i.type, i.linkname = tarfile.SYMTYPE, link
                t.addfile(i)
            else:
                i.size = len(data)
                t.addfile(i, io.BytesIO(data))
        for n in libs:
            add("lib64/lib%s.so.8.1.1" % n, b"\x7fELF " + n.encode())
            add("lib64/lib%s.so.8" % n, link="lib%s.so.8.1.1" % n)
            add("lib64/lib%s.so" % n, link="lib%s.so.8" % n)
        for n, text in headers.items():
            add(n, text.encode())
open(out + ".sha256", "w").write("%s  %s\n" % (hashlib.sha256(open(out, "rb").read()).hexdigest(), out.split("/")[-1]))
P
zip=$WORK/in/cudnn-11.2-windows-x64-v8.1.1.33.zip
tgz=$WORK/in/cudnn-11.2-linux-x64-v8.1.1.33.tgz
listing() { (cd "$1" && find . -printf '%P %y %m %U %G %l %T@\n' | sort && find . -type f -exec sha256sum {} + | sort); }
toolkit() { # FOLDER : as the runfile makes it
    mkdir -p "$1/targets/x86_64-linux/lib" "$1/targets/x86_64-linux/include" "$1/bin"
    ln -s targets/x86_64-linux/lib "$1/lib64"
    ln -s targets/x86_64-linux/include "$1/include"
    echo cudart >"$1/lib64/libcudart.so.11.2.152"
    echo old >"$1/include/cudnn.h"
}

# --- the zip of Windows, into a folder like v11.2 ---
mkdir -p "$WORK/v11.2/bin" "$WORK/v11.2/include" "$WORK/v11.2/lib/x64"
echo MZ >"$WORK/v11.2/bin/cudart64_110.dll"
python3 "$WORK/make.py" zip "$zip" ""
listing "$WORK/v11.2" >"$WORK/before"
"$TENON" apply "cudnn:$zip" --into "$WORK/v11.2" --yes >"$WORK/out" 2>&1 || fail "placing: $(cat "$WORK/out")"
same "$(ls "$WORK/v11.2/bin" | wc -l)" 8 "libraries"
[ -f "$WORK/v11.2/lib/x64/cudnn_adv_train64_8.lib" ] && [ -f "$WORK/v11.2/include/cudnn_version.h" ] || fail "not the full set: $(find "$WORK/v11.2")"
grep 'list beside' "$WORK/out" >/dev/null || fail "the digests: $(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"
listing "$WORK/v11.2" >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "undo does not restore"

# --- one library is missing; a digest is wrong; nothing says which ---
python3 "$WORK/make.py" zip "$zip" cudnn_cnn_infer
rc=0; "$TENON" apply "cudnn:$zip" --into "$WORK/v11.2" --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "one library is missing: $(cat "$WORK/out")"
grep cnn_infer "$WORK/out" >/dev/null || fail "which one: $(cat "$WORK/out")"
python3 "$WORK/make.py" zip "$zip" ""
sed -i 's/^./0/;s/^0\(.\)/f\1/' "$zip.sha256"
rc=0; "$TENON" apply "cudnn:$zip" --into "$WORK/v11.2" --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 4 "a wrong digest: $(cat "$WORK/out")"
listing "$WORK/v11.2" >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "something was copied"
rm "$zip.sha256"
"$TENON" apply "cudnn:$zip" --into "$WORK/v11.2" --yes >"$WORK/out" 2>&1 || fail "without a list: $(cat "$WORK/out")"
grep 'not authenticated' "$WORK/out" >/dev/null || fail "without a list: $(cat "$WORK/out")"

# --- Linux, into a toolkit whose lib64 and include are links ---
toolkit "$WORK/cuda-11.2"
python3 "$WORK/make.py" tgz "$tgz" ""
listing "$WORK/cuda-11.2" >"$WORK/before"
"$TENON" apply "cudnn:$tgz" --into "$WORK/cuda-11.2" --yes --json >"$WORK/out" 2>"$WORK/err" || fail "Linux: $(cat "$WORK/out" "$WORK/err")"
same "$(readlink "$WORK/cuda-11.2/lib64")" targets/x86_64-linux/lib "the link stays"
same "$(readlink -f "$WORK/cuda-11.2/lib64/libcudnn.so")" "$WORK/cuda-11.2/targets/x86_64-linux/lib/libcudnn.so.8.1.1" "the library"
same "$(cat "$WORK/cuda-11.2/include/cudnn.h")" "/* cudnn */" "the header is the new one"
same "$(json "$WORK/out" 'd["status"] + str(len(d["changed"]) > 20)')" doneTrue "$(cat "$WORK/out")"
"$TENON" undo >"$WORK/out" 2>&1 || fail "undo: $(cat "$WORK/out")"
listing "$WORK/cuda-11.2" >"$WORK/after"
diff "$WORK/before" "$WORK/after" || fail "undo does not restore"
# a link that leads out is not followed
rm "$WORK/cuda-11.2/lib64"; mkdir "$WORK/outside"; ln -s ../outside "$WORK/cuda-11.2/lib64"
rc=0; "$TENON" apply "cudnn:$tgz" --into "$WORK/cuda-11.2" --yes >"$WORK/out" 2>&1 || rc=$?
[ "$rc" != 0 ] || fail "written through a link"
same "$(ls "$WORK/outside")" "" "written through a link"
# and a folder that is not there yet
"$TENON" apply "cudnn:$tgz" --into "$WORK/new" --yes >"$WORK/out" 2>&1 || fail "a new folder: $(cat "$WORK/out")"
same "$(ls "$WORK/new")" "include
lib64" "a new folder"
# --into says nothing of an environment
rc=0; "$TENON" apply tensorflow --into "$WORK/new" --yes >"$WORK/out" 2>&1 || rc=$?
same "$rc" 2 "--into without archives: $(cat "$WORK/out")"
echo "place: story 12"
