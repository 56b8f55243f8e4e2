#!/bin/bash
# Scheme C, the commands of the plan as they are printed: a real venv, real sh, sed and tar, the real ld.so. What the
# network would bring stands in: a runfile that obeys --toolkitpath and lays out links as NVIDIA's does, and an archive of
# cuDNN, the real one of an installed toolkit where there is one. TensorFlow's names are found after the activation, not
# before, and no more after the deactivation; a set that is not full ends the step.
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || skip "cc"
cd "$WORK" || exit 1
PY=$(command -v python3.11 || true)
[ -n "$PY" ] && "$PY" -c 'import ensurepip' 2>/dev/null || skip "python3.11 with venv"
names="libcudart.so.12 libcublas.so.12 libcublasLt.so.12 libcufft.so.11 libcusolver.so.11 libcusparse.so.12"
mkdir stub lib
for n in $names; do
    cc -shared -o "stub/$n" -Wl,-soname,"$n" -x c /dev/null || skip "cc -shared"
done
cat >runfile <<'X'
for a; do
    case $a in
    --toolkitpath=*) to=${a#*=} ;;
    --driver) exit 9 ;;
    esac
done
echo "$@" >"$WORK/installed"
mkdir -p "$to/bin" "$to/targets/x86_64-linux/lib" "$to/targets/x86_64-linux/include"
ln -s targets/x86_64-linux/lib "$to/lib64"
ln -s targets/x86_64-linux/include "$to/include"
cp "$WORK"/stub/*.so.* "$to/lib64/"
X
cat >lib/curl <<'X'
#!/bin/sh
# curl -fL -o FILE URL
case $4 in
*/cudnn*) cp "$WORK/cudnn.tar" "$3" ;;
*) cp "$WORK/runfile" "$3" ;;
esac
X
chmod +x lib/curl
export WORK PATH="$WORK/lib:$PATH"
full="libcudnn.so.9 libcudnn_adv.so.9 libcudnn_cnn.so.9 libcudnn_engines_precompiled.so.9 libcudnn_engines_runtime_compiled.so.9 libcudnn_graph.so.9 libcudnn_heuristic.so.9 libcudnn_ops.so.9"
top=cudnn-linux-x86_64-9.3.0.75_cuda12-archive
mkdir -p $top/lib $top/include
real=$(ls -d /usr/local/cuda*/lib/libcudnn.so.9 2>/dev/null | sed -n 1p)
for n in $full; do
    if [ -n "$real" ] && [ -e "${real%/*}/$n" ]; then
        ln -s "${real%/*}/$n" "$top/lib/$n"
    else
        cc -shared -o "$top/lib/$n" -Wl,-soname,"$n" -x c /dev/null
    fi
done
echo '/* */' >$top/include/cudnn_version.h
tar -cf cudnn.tar $top

step() { # N: its command
    python3 -c 'import json, sys; print(json.load(open("plan.json"))["steps"][int(sys.argv[1])]["command"])' "$1"
}
asked="$names libcudnn.so.9"
cat >load.py <<'X'
# load.py FOLDER NAME...: which names are not loaded, or from elsewhere (the system's cache may hold some)
import ctypes, os, sys
folder = os.path.realpath(sys.argv[1])
for n in sys.argv[2:]:
    try:
        ctypes.CDLL(n)
    except OSError:
        print("missing", n)
maps = open("/proc/self/maps").read()
for n in sys.argv[2:]:
    if n.startswith("libcudnn"):  # a link to the installed one
        continue
    if os.path.join(folder, n) not in maps:
        print("not from the environment", n)
X
for env in plain "my env's" "-x"; do
    rm -rf -- "$env" installed

    "$TENON" plan tensorflow==2.20 --python 3.11 --method manual --machine "os=linux,gpu=RTX 3090,driver=560.35.03,python=3.11" --env="$env" --json >plan.json
    sh -euc "$(step 0)" || fail "$env: venv"
    for i in 2 3 4; do
        sh -euc "$(step $i)" >log 2>&1 || { cat log; fail "$env: step $i: $(step $i)"; }
    done
    case $(cat installed) in
    *--driver*) fail "$env: a driver" ;;
    *--toolkit*--toolkitpath="$WORK/$env/cuda"*) ;;
    *) fail "$env: $(cat installed)" ;;
    esac
    [ -L "$env/cuda/lib64" ] || fail "$env: the toolkit's link was replaced"
    [ -e "./$env/cuda/targets/x86_64-linux/include/cudnn_version.h" ] || fail "$env: no header"
    unset LD_LIBRARY_PATH
    # shellcheck disable=SC2086
    "./$env/bin/python" load.py "$env/cuda/lib64" $asked >before
    [ "$(grep -c 'not from the environment' before)" = 6 ] || fail "$env: found before the activation: $(cat before)"
    # shellcheck disable=SC2086
    sh -euc '. "./$1/bin/activate"; e=$1; shift; python load.py "$e/cuda/lib64" "$@"; deactivate
        echo "${LD_LIBRARY_PATH-unset}" >after' sh "$env" $asked >found
    [ ! -s found ] || fail "$env: after the activation: $(cat found)"
    same "$(cat after)" unset "$env: after the deactivation"
    LD_LIBRARY_PATH=/before sh -euc '. "./$1/bin/activate"; . "./$1/bin/activate"; echo "$LD_LIBRARY_PATH" >inside; deactivate; echo "$LD_LIBRARY_PATH" >after' sh "$env"
    same "$(cat inside)" "$WORK/$env/cuda/lib64:$WORK/$env/cuda/extras/CUPTI/lib64:/before" "$env: activated twice"
    same "$(cat after)" /before "$env: put back"
done

# conda's hooks, sourced as conda does it: before, after, and put back. The environment itself stands in.
"$TENON" snapshot --machine "os=linux,gpu=RTX 3090,driver=560.35.03" >snap.json
python3 - <<'P'
import json
d = json.load(open("snap.json"))
d["program"] = {"listed": {"is": "known", "from": "test"}, "rows": [{"name": {"is": "known", "value": "conda", "from": "test"}}]}
json.dump(d, open("snap.json", "w"))
P
env="con da"
"$TENON" plan tensorflow==2.20 --python 3.11 --method manual --from snap.json --env="$env" --json >plan.json
case $(step 0) in
"conda create -y -p './con da' "*" python=3.11") ;;
*) fail "conda: $(step 0)" ;;
esac
same "$(step 5)" "conda run -p './con da' tenon doctor --env './con da'" "conda: the check"
mkdir "$env"
for i in 2 3 4; do
    sh -euc "$(step $i)" >log 2>&1 || { cat log; fail "conda: step $i: $(step $i)"; }
done
# shellcheck disable=SC2086
PY="$PY" CONDA_PREFIX="$WORK/$env" sh -euc 'p=$PATH; . "./$1/etc/conda/activate.d/tenon-cuda.sh"; e=$1; shift
    "$PY" load.py "$e/cuda/lib64" "$@"; . "./$e/etc/conda/deactivate.d/tenon-cuda.sh"
    [ "$p" = "$PATH" ] || echo "PATH stays $PATH"
    [ -z "${LD_LIBRARY_PATH+x}" ] || echo "LD_LIBRARY_PATH stays"' sh "$env" $asked >found
[ ! -s found ] || fail "conda: $(cat found)"

# A set that lacks a library ends the step.
rm -rf plain/cuda $top/lib/libcudnn_ops.so.9
tar -cf cudnn.tar $top
"$TENON" plan tensorflow==2.20 --python 3.11 --method manual --machine "os=linux,gpu=RTX 3090,driver=560.35.03,python=3.11" --env plain --json >plan.json
sh -euc "$(step 2)" >log 2>&1
if sh -euc "$(step 3)" >log 2>&1; then fail "half a cuDNN was taken"; fi
echo "manual: 4 environments, 7 names each"
