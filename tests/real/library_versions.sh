#!/usr/bin/env bash
# The true version of each vendor library, read from its content and as a snapshot gives it, against what the library answers
# when it is loaded and asked. Of no file more than 200 KiB is read. Prints: library, from content, in the snapshot, answer, bytes.
. "$(dirname "$0")/lib.sh"
S=$TENON_SOURCE
T=$(readlink -f /usr/local/cuda 2>/dev/null || true)
if [ -d "$T/lib64" ]; then
    find -L "$T/lib64" -maxdepth 1 -name '*.so.*' | sort >"$WORK/files"
else
    : >"$WORK/files"; echo "skipped: the libraries of a toolkit in /usr/local/cuda"
fi
trt=$PARTS/tensorrt
if [ "$(uname -m)" = x86_64 ] && [ ! -d "$trt" ]; then # 318 KB
    rm -rf "$trt.new"
    if python3 "$S/tools/wheelpart.py" tensorrt-dispatch-cu12-libs 11.4.0.106 manylinux_2_28_x86_64 \
        '*/libnvinfer_dispatch.so.11' --out "$trt.new" >/dev/null 2>&1; then mv "$trt.new" "$trt"; fi
fi
if [ -d "$trt" ]; then find "$trt" -name 'libnvinfer*.so.*' >>"$WORK/files"; else echo "skipped: TensorRT"; fi
[ -s "$WORK/files" ] || exit 0
# shellcheck disable=SC2086
${CC:-cc} -std=gnu11 -O1 -D_GNU_SOURCE -DTN_WITH_VERSION -I"$S/src" -o "$WORK/dump" "$S/tests/real/image_dump.c" \
    "$S"/src/image/*.c "$S"/src/version/*.c "$S"/src/base/*.c -llzma -lzstd -lz
${CC:-cc} -std=gnu11 -Wall -Wextra -o "$WORK/oracle" "$S/tests/real/version_oracle.c" -ldl
xargs -d '\n' "$WORK/dump" version <"$WORK/files" >"$WORK/content" || true
LD_LIBRARY_PATH=$T/lib64 xargs -d '\n' "$WORK/oracle" <"$WORK/files" >"$WORK/answers" 2>/dev/null
"$TENON" snapshot --include-identifiers >"$WORK/s.json"
python3 - "$WORK" <<'X'
import json, os, re, sys
work = sys.argv[1]
answer = {os.path.basename(p): v for p, v in (line.split() for line in open(f"{work}/answers"))}
content = {}
for line in open(f"{work}/content"):
    m = re.match(r"(\S+) +(\S+) +(.*); \d+ reads, (\d+) bytes$", line)
    content[m[1]] = (m[2], m[3], int(m[4]))
shown = {}
for r in json.load(open(f"{work}/s.json"))["library"]["rows"]:
    shown[os.path.basename(r["path"].get("value") or "")] = r["version"].get("value") or "-"
# Parts have their product's version; those that can be asked answer for themselves.
product = {"libcudnn_": "libcudnn.", "libcufftw": "libcufft.", "libcusolverMg": "libcusolver.", "libnvblas": "libcublas.",
           "libnvrtc-builtins": "libnvrtc.so", "libnvvm": "libnvrtc.so"}
# These hold no version of their own: their product's other parts speak for them (elf_version.h).
silent = ("libcublas.so", "libcudnn.so", "libcudnn_engines", "libcudnn_heuristic", "libcufftw", "libcusolverMg", "libnvblas", "libnvtx3")
def agree(a, b):
    a, b = a.split("."), b.split(".")
    n = min(len(a), len(b))
    return n >= 2 and a[:n] == b[:n]
bad, compared = [], 0
for name, (text, how, read) in sorted(content.items()):
    want = answer.get(name, "-")
    if want == "-":
        heads = [h for h in product if name.startswith(h)]
        want = next((v for n, v in answer.items() if heads and n.startswith(product[heads[0]]) and v != "-"), "-")
    row = shown.get(name, "-")
    print(f"{name:40} {text:9} {row:11} {want:9} {read}")
    if read > 200 << 10:
        bad.append(f"{name}: {read} bytes read")
    if want == "-" or want == "0.0":
        if not name.startswith(("libnvtx3", "libnvperf", "libcheckpoint")):
            bad.append(f"{name}: nothing to compare with")
        continue
    for got, where in ((text, how), (row, "snapshot")):
        if got != "-":
            compared += 1
            if not agree(got, want):
                bad.append(f"{name}: {got} ({where}), the library answers {want}")
    if text == "-" and not name.startswith(silent):
        bad.append(f"{name}: no version from content; the library answers {want}")
if not compared:
    bad.append("nothing was compared")
sys.exit("\n".join(bad) if bad else 0)
X
