#!/usr/bin/env bash
# GPU code of libraries, by our walk over headers and by NVIDIA's cuobjdump: the same architectures, as often. On what nvcc of
# the toolkit here makes in every compression, on all libraries of the toolkit, and on one of a real TensorFlow.
# cuobjdump (13.x) reads .nv_fatbin, and the unlinked pieces of __nv_relfatbin where that is not there; it writes sm_103 for
# sm_103f. What other sections hold (.cask_resource, .ldata, .rodata) it does not see: there the walk is compared with itself.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "python3"
${CC:-cc} -std=gnu11 -O2 -D_GNU_SOURCE -I"$TENON_SOURCE/src" -o "$WORK/dump" "$TENON_SOURCE/tests/real/fatbin_dump.c" \
    "$TENON_SOURCE"/src/image/fatbin*.c "$TENON_SOURCE"/src/base/*.c || fail "fatbin_dump.c"
cuobjdump=$(command -v cuobjdump || true)
for f in /usr/local/cuda*/bin/cuobjdump "$PARTS"/cuobjdump/nvidia/*/bin/cuobjdump; do
    [ -n "$cuobjdump" ] || [ ! -f "$f" ] || cuobjdump=$f
done
if [ -z "$cuobjdump" ]; then
    python3 -m venv "$WORK/pip" && "$WORK/pip/bin/python" -m pip install -q --no-deps --target "$PARTS/cuobjdump" nvidia-cuda-cuobjdump >/dev/null 2>&1 ||
        skip "cuobjdump"
    cuobjdump=$(find "$PARTS/cuobjdump" -name cuobjdump -type f)
    chmod +x "$cuobjdump"
fi
files=0 entries=0
# Lines "sass 90a 33" of ours without what cuobjdump does not tell.
ours() { # FILE DUMP-LINES
    awk '$1 == "sass" || $1 == "ptx" { linked = 1 } { line[NR] = $0 }
         END { for (i = 1; i <= NR; i++) { n = split(line[i], w, " "); k = w[1]; if (!linked) sub(/^parts-/, "", k)
                   if (k == "sass" || k == "ptx") { sub(/f$/, "", w[2]); sum[k " " w[2]] += w[3] } }
               for (k in sum) print k, sum[k] }' "$1" | sort
}
compare() { # FILE : differences end the test
    local status=0
    "$WORK/dump" --sections "$1" >"$WORK/ours.raw" || fail "$1 is not read"
    if ! "$cuobjdump" -lelf -lptx "$1" >"$WORK/both" 2>"$WORK/err"; then
        # "does not contain device code" has a status of its own; one kind of code alone is no error
        grep -i 'does not contain device code' "$WORK/both" "$WORK/err" >/dev/null || status=1
        : >"$WORK/both"
    fi
    [ $status = 0 ] || { echo "skipped: $1: cuobjdump itself fails: $(sed -n 1p "$WORK/err")"; return 0; }
    sed -nE 's/^ELF file.*\.sm_([0-9]+[a-z]?)\.cubin$/sass \1/p; s/^PTX file.*\.sm_([0-9]+[a-z]?)\.ptx$/ptx \1/p' "$WORK/both" |
        sort | uniq -c | awk '{ print $2, $3, $1 }' | sort >"$WORK/theirs"
    ours "$WORK/ours.raw" >"$WORK/ours"
    diff -u "$WORK/theirs" "$WORK/ours" >"$WORK/diff" || { cat "$WORK/diff"; fail "$1: cuobjdump and the walk differ"; }
    grep ' damaged 0' "$WORK/ours.raw" >/dev/null || fail "$1: damaged"
    files=$((files + 1))
    entries=$((entries + $(awk '{ n += $3 } END { print n + 0 }' "$WORK/theirs")))
}

if [ $# -gt 0 ]; then # just these (tests/long/fatbins_of_wheels.sh)
    for f in "$@"; do compare "$f"; done
    echo "$files files, $entries entries: cuobjdump and the walk name the same"
    exit 0
fi

cuda=$(ls -d /usr/local/cuda-1[2-9]* /usr/local/cuda 2>/dev/null | sed -n 1p || true)
nvcc=$(command -v nvcc || ls "$cuda"/bin/nvcc 2>/dev/null || true)
if [ -n "$nvcc" ] && "$nvcc" --help | grep -e 'compress-mode' >/dev/null; then
    cd "$WORK"
    cat >one.cu <<'X'
extern __device__ int other(int);
__global__ void k(int *p) { p[threadIdx.x] = OTHER(p[0]); }
void start() { k<<<1, 1>>>(0); }
X
    cat >two.cu <<'X'
__device__ int other(int x) { return x * 3; }
__global__ void k2(float *p) { p[threadIdx.x] *= 2.f; }
void start2() { k2<<<1, 1>>>(0); }
X
    g="-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_100f,code=sm_100f
       -gencode arch=compute_75,code=lto_75 -gencode arch=compute_120a,code=compute_120a"
    for mode in none speed balance size default; do
        # shellcheck disable=SC2086
        "$nvcc" -DOTHER=int --compress-mode=$mode $g -fatbin one.cu -o $mode.fatbin || fail "nvcc --compress-mode=$mode"
        compare $mode.fatbin
        same "$("$WORK/dump" $mode.fatbin | sed '/^file/d' | tr '\n' ';')" \
            "sass 75 1;sass 90a 1;sass 100f 1;ptx 75 1 isa 900 900;ptx 120a 1 isa 900 900;lto 75 1;" "code of $mode"
    done
    # shellcheck disable=SC2086
    "$nvcc" -DOTHER=int ${g/-gencode arch=compute_75,code=lto_75/} -c -Xcompiler -fPIC one.cu two.cu || fail "nvcc -c"
    ${CC:-cc} -shared -o both.so one.o two.o || fail "linking"
    compare both.so
    same "$("$WORK/dump" both.so | sed -n 's/^\(file containers [0-9]*\).*/\1/p')" "file containers 2" "containers of two objects"
    g="-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90,code=sm_90"
    # shellcheck disable=SC2086
    "$nvcc" -DOTHER=other $g -dc -Xcompiler -fPIC one.cu two.cu && "$nvcc" $g -dlink -Xcompiler -fPIC one.o two.o -o link.o || fail "nvcc -dc"
    compare one.o
    ${CC:-cc} -shared -o linked.so one.o two.o link.o || fail "linking"
    compare linked.so
    same "$("$WORK/dump" linked.so | sed '/^file/d' | tr '\n' ';')" \
        "sass 75 1;sass 90 1;parts-sass 75 2;parts-sass 90 2;parts-ptx 75 2 isa 900 900;" "linked device code"
    "$nvcc" -DOTHER=int -arch=sm_86 -cubin one.cu -o one.cubin
    same "$("$WORK/dump" one.cubin | sed '/^file/d')" "sass 86 1" "a cubin"
    objcopy -O binary --only-section=.nv_fatbin both.so raw.fatbin 2>/dev/null && compare raw.fatbin
    # Without section headers: the segments are scanned, and give the same.
    python3 - both.so bare.so <<'X'
import struct, sys
d = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<Q", d, 40, 0), struct.pack_into("<HH", d, 60, 0, 0)
open(sys.argv[2], "wb").write(d)
X
    same "$("$WORK/dump" bare.so | sed '/^file/d')" "$("$WORK/dump" both.so | sed '/^file/d')" "without section headers"
    cd - >/dev/null
else
    echo "skipped: an nvcc with --compress-mode"
fi

if [ -d "$cuda/lib64" ]; then
    for f in "$cuda"/lib64/lib*.so.*; do
        [ ! -L "$f" ] || continue
        compare "$f"
        # The hop over sections and the scan of everything: what is in those sections is found by both.
        "$WORK/dump" --sections "$f" >"$WORK/a" && "$WORK/dump" "$f" >"$WORK/b" || fail "$f is not read"
        awk 'NR == FNR { if ($1 != "file") n[$1 " " $2] = $3; next } { m[$1 " " $2] = $3 }
             END { for (k in n) if (m[k] < n[k]) { print "fewer:", k; exit 1 } }' "$WORK/a" "$WORK/b" || fail "$f: the scan finds less than the hop"
    done
    ! ls "$cuda"/lib64/libcufft.so.* >/dev/null 2>&1 || "$WORK/dump" "$cuda"/lib64/libcufft.so.* | grep '^lto 75' >/dev/null || fail "LTO-IR of cuFFT"
else
    echo "skipped: libraries of a toolkit"
fi

tf=$PARTS/fatbins/libtensorflow_framework.so.2
if [ ! -f "$tf" ]; then
    mkdir -p "$PARTS/fatbins"
    python3 "$TENON_SOURCE/tools/wheelpart.py" tensorflow 2.21.0 'cp311*manylinux*x86_64' tensorflow/libtensorflow_framework.so.2 --out "$WORK/tf" >/dev/null 2>&1 &&
        mv "$WORK"/tf/*/tensorflow/libtensorflow_framework.so.2 "$tf" || echo "skipped: libtensorflow_framework.so.2 of TensorFlow 2.21.0"
fi
[ ! -f "$tf" ] || compare "$tf"
[ $files -gt 0 ] || skip "files with GPU code"
echo "$files files, $entries entries: cuobjdump and the walk name the same"
