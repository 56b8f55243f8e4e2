#!/usr/bin/env bash
# The real cuDNN and the real headers and compiler of a toolkit on this machine, packed in NVIDIA's layout with a list in
# NVIDIA's form, placed: the real loader takes libcudnn_ops and all that it needs from what was placed, and gcc's preprocessor
# finds the headers. Links are as NVIDIA has them: libcudnn.so -> .so.9 -> .so.9.19.0.
. "$(dirname "$0")/lib.sh"
REAL=/usr/local/cuda-13.0
place=$TENON_BUILD/tests/place
[ -f "$REAL/lib/libcudnn.so.9" ] && [ -f "$REAL/lib/libcudart.so.13" ] || skip "no toolkit with cuDNN in $REAL"
[ -x "$TENON_BUILD/tenon-unpack" ] && [ -x "$place" ] || skip "tenon-unpack is not built"
export TENON_UNPACK=$TENON_BUILD/tenon-unpack
pack() { # NAME FILES...: members come as they are, links as files of their name
    local name=$1 to=$WORK/$1; shift
    mkdir -p "$to/lib" "$to/include"
    for f in "$@"; do cp -L "$REAL/$f" "$to/${f%/*}/"; done
    echo "NVIDIA" >"$to/LICENSE"
    (cd "$to/lib" && for f in libcudnn*.so.9; do [ -f "$f" ] || continue; mv "$f" "$f.19.0"; ln -s "$f.19.0" "$f"; ln -s "$f" "${f%.9}"; done)
    tar -C "$WORK" --owner=0 --group=0 -cf - "$name" | zstd -q -1 >"$WORK/$name.tar.zst"
    rm -r "$to"
}
command -v zstd >/dev/null || skip "no zstd to pack with"
cd "$REAL"
# The two largest are left small: they are opened by name only when an engine is wanted.
pack cudnn-linux-x86_64-9.19.0.56_cuda13-archive include/cudnn*.h lib/libcudnn.so.9 lib/libcudnn_graph.so.9 lib/libcudnn_ops.so.9 \
    lib/libcudnn_heuristic.so.9 lib/libcudnn_engines_runtime_compiled.so.9
cd "$WORK"
mkdir into
if "$place" archives "$WORK/into" "$WORK/list" cudnn=9.19 cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.zst >half 2>&1; then fail "half a cuDNN was placed"; fi
grep "is not in lib64" half >/dev/null || fail "$(cat half)"
[ -z "$(ls -A into)" ] || fail "half a cuDNN left something"
mkdir -p full/lib full/include
zstd -dqc cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.zst | tar -xf - -C full --strip-components=1
for l in cnn adv engines_precompiled; do
    f=libcudnn_$l.so.9; dd if="$REAL/lib/$f" of="full/lib/$f.19.0" bs=1M count=8 status=none
    ln -s "$f.19.0" "full/lib/$f"
done
mv full cudnn-linux-x86_64-9.19.0.56_cuda13-archive
tar -cf - cudnn-linux-x86_64-9.19.0.56_cuda13-archive | zstd -q -1 >c.zst && mv c.zst cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.zst
sha256sum cudnn*.tar.zst >sums
"$place" archives "$WORK/into" "$WORK/list" cudnn=9.19 list=sums cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.zst >whole 2>&1 || fail "$(tail -3 whole)"
cmp "into/lib64/libcudnn_ops.so.9" "$REAL/lib/libcudnn_ops.so.9" || fail "other bytes"
printf '#include <dlfcn.h>\n#include <stdio.h>\nint main(void){void *h=dlopen("libcudnn.so.9",RTLD_NOW);if(!h){puts(dlerror());return 1;}size_t (*v)(void)=(size_t(*)(void))dlsym(h,"cudnnGetVersion");printf("%%zu\\n",v?v():0);}\n' >v.c
cc -o v v.c
got=$(LD_LIBRARY_PATH=$WORK/into/lib64:$REAL/lib ./v) || fail "the loader: $got"
[ "$got" = 91900 ] || fail "cudnnGetVersion says $got"
printf '#include <cudnn_version.h>\nCUDNN_MAJOR CUDNN_MINOR\n' | cc -E -I into/include - | grep '^9 19$' >/dev/null || fail "headers"
"$place" check "$WORK/into" "$WORK/list" >checked
grep -v '^same ' checked >/dev/null && fail "changed: $(grep -v '^same ' checked | sed -n 1p)"
echo "cuDNN 9.19.0: placed whole ($(wc -l <checked) entries), opened by the real loader; half of it refused"
