#!/usr/bin/env bash
# What frameworks would load, against the real loader: the real libtensorflow_framework.so.2 of six releases beside folders
# of NVIDIA's wheels, TensorFlow's own check and LD_DEBUG=libs as the oracle. 2.16.1 and 2.21.0 do not find the wheels, the
# others do; with doctor's remedy all pass. Then without the wheels, with LD_LIBRARY_PATH on a toolkit, with a part of cuDNN
# deleted, and after torch. ONNX Runtime's provider with a missing library.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME LD_LIBRARY_PATH LD_PRELOAD
[ "$(uname -sm)" = "Linux x86_64" ] || skip "an x86-64 Linux"
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
CC=${CC:-cc}
"$CC" --version >/dev/null 2>&1 || skip "a C compiler"
part() { # NAME VERSION GLOB... : prints the folder
    local d=$PARTS/members/$1-$2 name=$1 version=$2
    shift 2
    members "$name" "$version" 'cp311-manylinux*x86_64' "$d" "$@" && echo "$d"
}
"$CC" -O1 -Wall -o "$WORK/check" "$TENON_SOURCE/tests/real/loader_check.c" -ldl
V=$WORK/v
"$python" -m venv --without-pip "$V"
SITE=$(echo "$V"/lib/python3*/site-packages)
toy() { # FOLDER SONAME [LINKER FLAGS] : a library that is nothing but its name
    local d=$1 so=$2
    shift 2
    mkdir -p "$d"
    echo "int tn_toy(void); int tn_toy(void) { return 1; }" | "$CC" -shared -fPIC -Wl,-soname,"$so" -x c -o "$d/$so" - -x none "$@"
}
wheels() {
    local p
    for p in cuda_runtime:libcudart.so.12 cublas:libcublas.so.12 cublas:libcublasLt.so.12 cufft:libcufft.so.11 \
        cusolver:libcusolver.so.11 cusparse:libcusparse.so.12 cudnn:libcudnn.so.8 cudnn:libcudnn.so.9; do
        toy "$1/nvidia/${p%%:*}/lib" "${p#*:}"
    done
}
wheels "$WORK/set"
put() { # VERSION : that TensorFlow in the environment, with the wheels
    rm -rf "${SITE:?}"/*
    local d
    d=$(part tensorflow "$1" '*/libtensorflow_framework.so.2' '*/build_info.py' '*/gpus/cuda/cuda_config.h' '*.dist-info/METADATA' tensorflow/__init__.py) ||
        return 1
    cp -as "$d/tensorflow" "$SITE/"
    rm "$SITE/tensorflow/libtensorflow_framework.so.2"
    cp "$d/tensorflow/libtensorflow_framework.so.2" "$SITE/tensorflow/" # a link would lead $ORIGIN nowhere, but be another file
    cp -a "$d/tensorflow-$1.dist-info" "$WORK/set/nvidia" "$SITE/"
}
FRAMEWORK=$SITE/tensorflow/libtensorflow_framework.so.2
really() { # FILE... : what the loader does, into $WORK/loaded (paths as it opens them)
    LD_DEBUG=libs "$WORK/check" "$@" >"$WORK/said" 2>"$WORK/log" || fail "$(cat "$WORK/said")"
    sed -n 's/^ *[0-9]*:[[:space:]]*calling init: //p' "$WORK/log" | sort -u >"$WORK/loaded"
}
cat >"$WORK/compare.py" <<'P'
import json, sys
# compare.py WHY.json LOADED CHECKED-NAMES... : every file of ours is really loaded, and no other file of its name
d = json.load(open(sys.argv[1]))
loaded = [l.rstrip("\n") for l in open(sys.argv[2])]
by_name = {}
for p in loaded:
    by_name.setdefault(p.rsplit("/", 1)[1], p)
n = bad = 0
for a in d["askers"]:
    for r in a["loads"]:
        if r["how"] != "name" or r["name"] not in sys.argv[3:]:
            continue
        n += 1
        real = by_name.get(r["name"])
        if (r["path"] if r["outcome"] == "found" else None) != real:
            bad += 1
            print(f"{r['name']}: ours {r['outcome']} {r['path']}, the loader's {real}", file=sys.stderr)
print(n)
sys.exit(bad != 0 or n == 0)
P
ASKED="libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcusolver.so.11 libcusparse.so.12 libcudnn.so.8 libcudnn.so.9"
compared=0
compare() { # WHAT NAMES... : of the environment as it is against $WORK/loaded
    local what=$1 n
    shift
    "$TENON" why --env "$V" --for "${FOR:-tensorflow}" --json >"$WORK/why.json" || [ $? = 1 ] || fail "$what: why --json"
    n=$(python3 "$WORK/compare.py" "$WORK/why.json" "$WORK/loaded" "$@") || fail "$what: another file than the real loader's"
    compared=$((compared + n))
    # A snapshot alone says the same.
    "$TENON" snapshot --env "$V" --include-identifiers >"$WORK/snap.json"
    "$TENON" why --from "$WORK/snap.json" --for "${FOR:-tensorflow}" --json >"$WORK/why2.json" || [ $? = 1 ] || fail "$what: why --from"
    cmp -s "$WORK/why.json" "$WORK/why2.json" || { diff "$WORK/why.json" "$WORK/why2.json" >&2 || true; fail "$what: the snapshot says something else"; }
}
doctor() { "$TENON" doctor --json --env "$V" --expect gpu >"$WORK/d.json" || [ $? = 1 ] || [ $? = 3 ] || fail "doctor"; }
finding() { # CAUSE EXPRESSION over f : of its first finding; "" if there is none
    json "$WORK/d.json" "next((($2) for f in d['findings'] if f['cause']=='$1' and f['status'] in ('confirmed','likely','possible')), '')"
}
releases=0
for v in 2.15.1 2.16.1 2.16.2 2.19.1 2.20.0 2.21.0; do
    put $v || { echo "skipped: the members of tensorflow $v"; continue; }
    releases=$((releases + 1))
    really "$FRAMEWORK"
    # shellcheck disable=SC2086
    compare "tensorflow $v" $ASKED
    doctor
    case $v in
    2.16.1 | 2.21.0)
        has '^check: fails' "$WORK/said" || fail "TensorFlow $v finds all its libraries: $(cat "$WORK/said")"
        said=$(finding nvidia-wheels-missing "f['summary']")
        if [ $v = 2.21.0 ]; then
            case $said in *"libcusolver.so.11: it lies in $SITE/nvidia/cusolver/lib"*) ;; *) fail "$v: $said" ;; esac
        fi
        [ -n "$said" ] || fail "$v: no finding"
        way=$(finding nvidia-wheels-missing "f['remedies'][0]['command']")
        case $way in "export LD_LIBRARY_PATH="*) ;; *) fail "$v: $way" ;; esac
        (
            eval "$way"
            really "$FRAMEWORK"
            has '^check: ok' "$WORK/said" || fail "with $way TensorFlow's own check does not pass"
            # shellcheck disable=SC2086
            compare "tensorflow $v with the remedy" $ASKED
            doctor
            same "$(finding nvidia-wheels-missing "f['summary']")" "" "$v with the remedy"
        ) || exit 1
        ;;
    *)
        has '^check: ok' "$WORK/said" || fail "TensorFlow $v: $(cat "$WORK/said")"
        same "$(finding nvidia-wheels-missing "f['summary']")" "" "$v, whose wheels are found"
        ;;
    esac
done
[ $releases -gt 0 ] || skip "members of the TensorFlow wheels"

# Without NVIDIA's packages: what is found is the system's alone.
put 2.20.0
rm -rf "$SITE/nvidia"
really "$FRAMEWORK"
has '^check: fails' "$WORK/said" || fail "without the wheels: $(cat "$WORK/said")"
# shellcheck disable=SC2086
compare "without the wheels" $ASKED
got=0
"$TENON" why libcublas.so.12 --env "$V" >"$WORK/text" || got=$?
same "$got" 1 "exit status of why for a library that is nowhere"
has 'libcublas.so.12 for tensorflow 2.20.0: not found' "$WORK/text" || fail "$(cat "$WORK/text")"
doctor
case "$(finding cuda-runtime-missing "f['summary']")$(finding cuda-version-mismatch "f['summary']")$(finding nvidia-wheels-missing "f['summary']")" in
*libcu*) ;;
*) fail "without the wheels: $(json "$WORK/d.json" "[f['cause'] for f in d['findings']]")" ;;
esac

# LD_LIBRARY_PATH on a toolkit of another CUDA: its cuDNN comes before the environment's.
put 2.20.0
T=
for t in /usr/local/cuda-13*/lib64 /usr/local/cuda-13*/lib; do if [ -e "$t/libcudnn.so.9" ]; then T=$t; break; fi; done
if [ -n "$T" ]; then
    (
        export LD_LIBRARY_PATH=$T
        really "$FRAMEWORK"
        # shellcheck disable=SC2086
        compare "LD_LIBRARY_PATH" $ASKED
        doctor
        said=$(finding library-shadowed "f['summary']")
        case $said in *"$T/libcudnn.so.9, made for CUDA 13"*"$SITE/nvidia/cudnn/lib/libcudnn.so.9"*) ;; *) fail "LD_LIBRARY_PATH=$T: $said" ;; esac
        got=0
        "$TENON" why libcudnn.so.9 --env "$V" >"$WORK/text" || got=$?
        same "$got" 0 "exit status of why for a library that loads"
        has 'It hides:' "$WORK/text" || fail "$(cat "$WORK/text")"
        way=$(finding library-shadowed "f['remedies'][0]['command']")
        same "$way" "unset LD_LIBRARY_PATH" "remedy"
    ) || exit 1
    # A whole cuDNN, then one part of it gone: the loader goes on to whoever has one.
    rm -f "$SITE"/nvidia/cudnn/lib/*
    cp -L "$T"/libcudnn*.so.9 "$SITE/nvidia/cudnn/lib/"
    PARTS9="libcudnn_graph.so.9 libcudnn_ops.so.9 libcudnn_cnn.so.9 libcudnn_adv.so.9"
    CUDNN=$SITE/tensorflow/../nvidia/cudnn/lib/libcudnn.so.9
    really "$CUDNN"
    # shellcheck disable=SC2086
    compare "a whole cuDNN" $PARTS9
    rm "$SITE/nvidia/cudnn/lib/libcudnn_cnn.so.9"
    really "$CUDNN"
    # shellcheck disable=SC2086
    compare "cuDNN without a part" $PARTS9
    : >"$SITE/nvidia/cudnn/lib/libcudnn_cnn.so.9"
    got=0
    "$TENON" why libcudnn_cnn.so.9 --env "$V" >"$WORK/text" || got=$?
    same "$got" 1 "exit status of why for an empty file"
    has 'file too short' "$WORK/text" || fail "$(cat "$WORK/text")"
    really "$CUDNN"
    has 'libcudnn_cnn.so.9' "$WORK/loaded" && fail "the real loader goes on after an empty file"
else
    echo "skipped: a toolkit of CUDA 13 with cuDNN"
fi

# After torch, which brings a cuDNN of its own: the first that is loaded serves both.
put 2.20.0
L=$SITE/torch/lib
toy "$L" libcudnn.so.9
toy "$L" libcudart.so.12
"$CC" -shared -o "$L/libtorch_cuda.so" -Wl,-soname,libtorch_cuda.so -Wl,--no-as-needed -Wl,--disable-new-dtags,-rpath,'$ORIGIN' -L"$L" -l:libcudnn.so.9 -l:libcudart.so.12
"$CC" -shared -o "$L/libtorch_global_deps.so" -Wl,--no-as-needed -Wl,--disable-new-dtags,-rpath,'$ORIGIN' -L"$L" -l:libcudart.so.12
"$CC" -shared -o "$SITE/torch/_C.abi3.so" -Wl,--no-as-needed -Wl,--disable-new-dtags,-rpath,'$ORIGIN:$ORIGIN/lib' -L"$L" -l:libtorch_cuda.so
: >"$SITE/torch/__init__.py"
printf "__version__ = '2.5.1+cu121'\ncuda = '12.1'\nhip = None\n" >"$SITE/torch/version.py"
really "$L/libtorch_global_deps.so" "$SITE/torch/_C.abi3.so" "$FRAMEWORK"
real=$(sed -n '/libcudnn\.so\.9$/p' "$WORK/loaded")
"$TENON" snapshot --env "$V" --include-identifiers >"$WORK/snap.json"
ours=$(json "$WORK/snap.json" "[r['path']['value'] for r in d['load']['rows'] if r['framework']['value']=='tensorflow' and r.get('after',{}).get('value')=='torch' and r['name']['value']=='libcudnn.so.9'][0]")
same "$ours" "$real" "cuDNN of TensorFlow after torch"
FOR=torch
"$TENON" why libcudnn.so.9 --env "$V" --for torch --json >"$WORK/why.json" || fail "why --for torch"
same "$(json "$WORK/why.json" "d['askers'][0]['loads'][0]['path']")" "$real" "cuDNN of torch"
FOR=tensorflow

# ONNX Runtime's provider is left out in silence: the name that it misses.
if d=$(part onnxruntime-gpu 1.31.1 '*/libonnxruntime_providers_cuda.so' '*/libonnxruntime_providers_shared.so' '*/build_and_package_info.py' '*.dist-info/METADATA' onnxruntime/__init__.py); then
    rm -rf "${SITE:?}"/*
    cp -as "$d/onnxruntime" "$d"/onnxruntime_gpu-*.dist-info "$SITE/"
    got=0
    "$TENON" why --env "$V" --for onnxruntime --json >"$WORK/why.json" || got=$?
    same "$got" 1 "exit status for a provider that does not load"
    LD_BIND_NOW=1 "$WORK/check" "$SITE/onnxruntime/capi/libonnxruntime_providers_cuda.so" >"$WORK/said"
    real=$(sed -n 's/^error: \([^:]*\): cannot open shared object.*/\1/p' "$WORK/said")
    same "$(json "$WORK/why.json" "[r['culprit'] for a in d['askers'] for r in a['loads'] if r['name']=='libonnxruntime_providers_cuda.so'][0]")" "$real" "library that the provider misses"
    echo "onnxruntime-gpu 1.31.1: $real"
else
    echo "skipped: the members of onnxruntime-gpu 1.31.1"
fi
echo "$releases releases of TensorFlow, libraries compared with the real loader: $compared, differences 0"
