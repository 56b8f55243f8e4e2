#!/usr/bin/env bash
# A plan installs: the script that `tenon plan --export sh` prints makes a real environment with real wheels, which `tenon doctor`
# then finds good, and deleting its folder is the whole undo. And the step that links NVIDIA's libraries into TensorFlow's folder:
# with the real ld.so each linked library finds its own needs there, though its run path starts from where the link is.
. "$(dirname "$0")/lib.sh"

# --- the links ---
# What the wheels of CUDA 12 say of themselves: needs beside $ORIGIN, which ld.so takes from the name it opened, not from where a link
# leads. Stand-ins with those names, needs and run paths; the framework is one that looks in its own folder alone, as 2.12 and 2.13.
site=$WORK/env/lib/python3.11/site-packages
lib() { # PACKAGE SONAME RUNPATH NEEDS...
    local dir=$site/nvidia/$1/lib soname=$2 path=$3
    shift 3
    mkdir -p "$dir"
    echo "int at_${soname//[^a-z0-9]/_}(void) { return 1; }" >"$WORK/one.c"
    gcc -shared -fPIC -o "$dir/$soname" "$WORK/one.c" -Wl,--no-as-needed "-Wl,-soname,$soname" ${path:+-Wl,--enable-new-dtags,-rpath,"$path"} \
        -Wl,--unresolved-symbols=ignore-all "$@"
}
N=$site/nvidia
lib nvjitlink libnvJitLink.so.12 ''
lib cublas libcublasLt.so.12 '$ORIGIN'
lib cublas libcublas.so.12 '$ORIGIN' "$N/cublas/lib/libcublasLt.so.12"
lib cusparse libcusparse.so.12 '$ORIGIN:$ORIGIN/../../nvjitlink/lib' "$N/nvjitlink/lib/libnvJitLink.so.12"
lib cusolver libcusolver.so.11 '$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../cusparse/lib' \
    "$N/cublas/lib/libcublas.so.12" "$N/cublas/lib/libcublasLt.so.12" "$N/cusparse/lib/libcusparse.so.12" "$N/nvjitlink/lib/libnvJitLink.so.12"
mkdir -p "$site/tensorflow"
echo '#include <dlfcn.h>
const char *get(const char *name) { return dlopen(name, RTLD_LAZY) ? 0 : dlerror(); }' >"$WORK/f.c"
gcc -shared -fPIC -o "$site/tensorflow/libtensorflow_framework.so.2" "$WORK/f.c" '-Wl,--enable-new-dtags,-rpath,$ORIGIN/'
cat >"$WORK/m.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *f = dlopen(argv[1], RTLD_NOW);
    const char *(*get)(const char *) = f ? dlsym(f, "get") : 0, *why = get ? get(argv[2]) : dlerror();
    puts(why ? why : "loaded");
    return argc != 3 || why != 0;
}
C
gcc -o "$WORK/m" "$WORK/m.c"
loads() { env -u LD_LIBRARY_PATH "$WORK/m" "$site/tensorflow/libtensorflow_framework.so.2" "$1"; }
! loads libcusolver.so.11 >"$WORK/before" || fail "found without the links"
"$TENON" plan tensorflow==2.12 --python 3.11 --method pip --env "$WORK/env" --machine 'os=linux,gpu=RTX 3090,driver=535.54.03' --json >"$WORK/plan.json"
links_of() { python3 -c 'import json, sys; print("\n".join(s["command"] for s in json.load(open(sys.argv[1]))["steps"] if "ln -s" in (s["command"] or "")))' "$1"; }
links_of "$WORK/plan.json" >"$WORK/link.sh"
[ -s "$WORK/link.sh" ] || fail "no step that links: $(cat "$WORK/plan.json")"
sh "$WORK/link.sh"
for l in libcusolver.so.11 libcusparse.so.12 libcublas.so.12 libnvJitLink.so.12; do
    loads $l >"$WORK/after" || fail "$l from TensorFlow's folder: $(cat "$WORK/after")"
done
# 2.21.0 looks into folders of NVIDIA's packages and not into its own, and cuSOLVER's is not among them (table tf_run_path).
cp -r "$WORK/env" "$WORK/newer"
find "$site/tensorflow" -type l -delete
lib cuda_runtime libcudart.so.12 ''
gcc -shared -fPIC -o "$site/tensorflow/libtensorflow_framework.so.2" "$WORK/f.c" '-Wl,--enable-new-dtags,-rpath,$ORIGIN/../nvidia/cublas/lib:$ORIGIN/../nvidia/cusparse/lib:$ORIGIN/../nvidia/cuda_runtime/lib'
! loads libcusolver.so.11 >"$WORK/before" || fail "found without the links"
"$TENON" plan 'tensorflow[and-cuda]==2.21.0' --python 3.11 --method pip --env "$WORK/env" --machine 'os=linux,gpu=RTX 3090,driver=580.95.05' --json >"$WORK/plan.json"
links_of "$WORK/plan.json" >"$WORK/link.sh"
sh "$WORK/link.sh" || fail "the links of 2.21.0: $(cat "$WORK/link.sh")"
sh "$WORK/link.sh" || fail "the links of 2.21.0, made twice"
[ -f "$site/nvidia/cuda_runtime/lib/libcudart.so.12" ] && [ ! -L "$site/nvidia/cuda_runtime/lib/libcudart.so.12" ] || fail "its own file was replaced"
for l in libcusolver.so.11 libcudart.so.12; do loads $l >"$WORK/after" || fail "$l of 2.21.0: $(cat "$WORK/after")"; done
rm -rf "$WORK/env"
mv "$WORK/newer" "$WORK/env"
# Moved: the links are relative.
mv "$WORK/env" "$WORK/moved"
site=$WORK/moved/lib/python3.11/site-packages
loads libcusolver.so.11 >"$WORK/after" || fail "after a move: $(cat "$WORK/after")"
rm -rf "$WORK/moved"

# The real libraries, where the toolkit is: CUDA 13's cuSOLVER finds cuSPARSE, cuBLAS and nvJitLink beside its link.
real=$(ls -d /usr/local/cuda*/lib64 2>/dev/null | sed -n 1p)
solver=$(ls "$real"/libcusolver.so.?? 2>/dev/null | sed -n 1p)
if [ -n "$solver" ]; then
    site=$WORK/real
    mkdir -p "$site/tensorflow"
    gcc -shared -fPIC -o "$site/tensorflow/libtensorflow_framework.so.2" "$WORK/f.c" '-Wl,--enable-new-dtags,-rpath,$ORIGIN/'
    for p in cusolver cusparse cublas nvJitLink; do
        mkdir -p "$site/nvidia/$p/lib"
        for f in "$real"/lib$p*.so.??; do ln -s "$(readlink -f "$f")" "$site/nvidia/$p/lib/${f##*/}"; done
    done
    (cd "$site/tensorflow" && ln -sf ../nvidia/*/lib/lib*.so* .)
    ldd "$site/tensorflow/${solver##*/}" >"$WORK/ldd"
    for p in cusparse cublas cublasLt nvJitLink; do # not those of the loader's cache
        grep -F "lib$p.so" "$WORK/ldd" | has -F "=> $site/tensorflow/lib$p.so" || fail "the toolkit's cuSOLVER: $(cat "$WORK/ldd")"
    done
else
    echo "skipped: the toolkit's own libraries"
fi

# --- the environment ---
python=$(python_of_tf215) || skip "a Python with venv"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir "$WORK/bin"
ln -s "$(readlink -f "$(command -v "$python")")" "$WORK/bin/python$version"
ln -s "$TENON" "$WORK/bin/tenon"
env=$WORK/made
before=$(find "$WORK" -path "$WORK/m" -prune -o -type d -print | sort)
# A release that there is a wheel of in the cache of the other tests; the newest would be fetched anew with each release.
"$TENON" plan onnxruntime==1.20.1 --cpu --python "$version" --method pip --env "$env" --export sh >"$WORK/make.sh"
export PIP_CACHE_DIR=$PARTS/pip PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_FIND_LINKS=$PARTS/wheels
# From the wheels that are here already, else from the index.
if ! PIP_NO_INDEX=1 PATH=$WORK/bin:$PATH sh "$WORK/make.sh" >"$WORK/made.log" 2>&1; then
    rm -rf "$env"
    if ! PATH=$WORK/bin:$PATH sh "$WORK/make.sh" >"$WORK/made.log" 2>&1; then
        grep -iE 'connection|resolve|network|timed out|no matching distribution' "$WORK/made.log" >/dev/null && skip "onnxruntime from the package index"
        fail "the script: $(cat "$WORK/make.sh" "$WORK/made.log")"
    fi
fi
"$env/bin/python" -c 'import onnxruntime; assert onnxruntime.__version__ == "1.20.1", onnxruntime.__version__'
"$TENON" doctor --env "$env" --expect cpu --json >"$WORK/doctor.json" || fail "doctor: $(cat "$WORK/doctor.json")"
same "$(json "$WORK/doctor.json" 'd["verdict"]["status"]')" ok "doctor on what the plan made"
rm -rf "$env"
[ ! -e "$env" ] || fail "the environment is still there"
after=$(find "$WORK" -path "$WORK/m" -prune -o -type d -print | sort)
same "$after" "$before" "folders that the script left besides its environment"
echo "plan_install: links and environment good"
