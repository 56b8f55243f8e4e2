#!/usr/bin/env bash
# as_a_user.sh - doctor, why, find and envs of the Windows program under wine, over real DLLs of win_amd64 wheels in an environment
# laid down by hand (there is no Windows Python to be had). What why says is held against what wine's loader does with
# the same files. The modules of TensorFlow and of torch are stubs with the real ones' imports; the rest is real.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
unset CONDA_PREFIX VIRTUAL_ENV CUDA_PATH LD_LIBRARY_PATH PYTHONPATH || true
prefix_make "a user's commands on Windows"
parts=$TENON_CACHE/parts/windows

# part DISTRIBUTION VERSION TAG MEMBER: the file, fetched once.
part() {
    local f
    f=$(find "$parts/$1-$2" -path "*/$4" 2>/dev/null | sed -n 1p)
    [ -n "$f" ] || python3 "$TENON_SOURCE/tools/wheelpart.py" "$1" "$2" "$3" "$4" --out "$parts/$1-$2" >/dev/null 2>&1 || return 1
    find "$parts/$1-$2" -path "*/$4" | sed -n 1p
}
put() { # DISTRIBUTION VERSION TAG MEMBER [TO]
    local f
    f=$(part "$1" "$2" "$3" "$4") || skip "a user's commands on Windows ($1 $2 cannot be fetched)"
    [ -n "$f" ] || skip "a user's commands on Windows ($1 $2 cannot be fetched)"
    mkdir -p "$(dirname "${5:-$site/$4}")"
    cp "$f" "${5:-$site/$4}"
}
# stub FILE.dll IMPORT[:DLL]...: a DLL that needs those names.
stub() {
    local to=$1 libs=() name d=$WORK/stub
    shift
    rm -rf "$d" && mkdir -p "$d" "$(dirname "$to")"
    printf 'void x(void) {' >"$d/x.c"
    for name in "$@"; do
        local fn=f_${name//[^A-Za-z0-9]/_}
        printf 'LIBRARY %s\nEXPORTS\n%s\n' "$name" "$fn" >"$d/$fn.def"
        $cross-dlltool -d "$d/$fn.def" -l "$d/$fn.a"
        libs+=("$d/$fn.a")
        printf ' extern void %s(void); %s();' "$fn" "$fn" >>"$d/x.c"
    done
    echo ' }' >>"$d/x.c"
    $cross-gcc -shared -o "$to" "$d/x.c" "${libs[@]}"
}
w() { # a path below drive C: as Windows writes it
    local p=${1#"$PREFIX"/drive_c}
    printf 'C:%s' "${p//\//\\}"
}

# Python 3.10 as its installer lays it down, and a virtual environment of it.
base=$WORK/Python310 env=$WORK/env site=$WORK/env/Lib/site-packages
mkdir -p "$base/Lib/site-packages" "$env/Scripts" "$site"
stub "$base/python310.dll"
cat >"$WORK/load.c" <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>
/* load.exe FLAGS NAME [MODULE]: which file LoadLibraryExW takes, or the error; of MODULE when that is named. */
int wmain(int argc, wchar_t **argv)
{
    wchar_t at[2048] = L"";
    HMODULE h = argc > 2 ? LoadLibraryExW(argv[2], NULL, (DWORD)wcstoul(argv[1], NULL, 16)) : NULL;
    if (!h)
        return printf("error %lu\n", GetLastError()), 0;
    GetModuleFileNameW(argc > 3 ? GetModuleHandleW(argv[3]) : h, at, 2048);
    return printf("%ls\n", at), 0;
}
X
$cross-gcc -municode -o "$base/python.exe" "$WORK/load.c"
cp "$base/python.exe" "$env/Scripts/python.exe"
printf 'home = %s\nimplementation = CPython\nversion = 3.10.11\ninclude-system-site-packages = false\n' "$(w "$base")" >"$env/pyvenv.cfg"
run() { local rc=0; timeout 120 wine "$WORK/tenon.exe" "$@" >"$WORK/out" 2>"$WORK/err" || rc=$?; tr -d '\r' <"$WORK/out" >"$WORK/text"; echo $rc >"$WORK/rc"; }
says() { grep -F -- "$1" "$WORK/text" >/dev/null || fail "no \"$1\" in: $(cat "$WORK/text" "$WORK/err")"; }
never() { if grep -F -- "$1" "$WORK/text" >/dev/null; then fail "\"$1\" in: $(cat "$WORK/text")"; fi; }
ends() { [ "$(cat "$WORK/rc")" = "$1" ] || fail "status $(cat "$WORK/rc"), not $1: $(cat "$WORK/text" "$WORK/err")"; }
really() { wine "$base/python.exe" "$@" 2>/dev/null | tr -d '\r'; }

# TensorFlow 2.10.1: cudart64_110.dll is on the disk, in a toolkit's folder that is not on PATH.
tf=tensorflow t=cp310-cp310-win_amd64
for m in METADATA WHEEL RECORD; do put $tf 2.10.1 $t "tensorflow-2.10.1.dist-info/$m"; done
put $tf 2.10.1 $t tensorflow/__init__.py
put $tf 2.10.1 $t tensorflow/python/platform/build_info.py
stub "$site/tensorflow/python/_pywrap_tensorflow_internal.pyd" python310.dll MSVCP140.dll VCRUNTIME140_1.dll
cuda=$WORK/CUDA/v11.8/bin
put nvidia-cuda-runtime-cu11 11.8.89 win_amd64 nvidia/cuda_runtime/bin/cudart64_110.dll "$cuda/cudart64_110.dll"
[ "$(really 8 cudart64_110.dll)" = "error 126" ] || fail "wine finds cudart64_110.dll: $(really 8 cudart64_110.dll)"
run why cudart64_110.dll --env "$(w "$env")"
ends 1
says 'cudart64_110.dll for tensorflow 2.10.1: not found'
export WINEPATH
WINEPATH=$(w "$cuda")
[ "$(really 8 cudart64_110.dll)" = "$(w "$cuda")\\cudart64_110.dll" ] || fail "wine: $(really 8 cudart64_110.dll)"
run why cudart64_110.dll --env "$(w "$env")" --json
ends 0
python3 - "$WORK/text" "$(w "$cuda")\\cudart64_110.dll" <<'X' || fail "why: $(cat "$WORK/text")"
import json, sys
load = json.load(open(sys.argv[1]))["askers"][0]["loads"][0]
assert load["rule"] == "PATH", load
assert load["path"].lower() == sys.argv[2].lower(), load
assert load["version"].startswith("11.8"), load
X

# An older folder that comes first on PATH shadows it, for wine as for why.
mkdir -p "$WORK/old"
cp "$cuda/cudart64_110.dll" "$WORK/old/CUDART64_110.dll"
WINEPATH="$(w "$WORK/old");$(w "$cuda")"
[ "$(really 8 cudart64_110.dll)" = "$(w "$WORK/old")\\cudart64_110.dll" ] || fail "wine: $(really 8 cudart64_110.dll)"
run why cudart64_110.dll --env "$(w "$env")" --verbose
says 'old\cudart64_110.dll'
says 'this one'

# doctor, with a card and its driver in the registry (of a recorded machine) and a stand-in of its nvcuda.dll: CUDA 11 on
# PATH, off PATH, and CUDA 12 alone. The Python that the registry names (PEP 514) is found where nothing else does.
record=$TENON_SOURCE/tests/machines/win-tf210-healthy
python3 "$here/lay.py" "$record.json" "$PREFIX" --registry
python3 "$here/stand_in.py" "$record.json" "$record.want" "$PREFIX" $cross-gcc
doubled=$(w "$base" | sed 's/\\/\\\\/g')
printf '[HKEY_CURRENT_USER\\Software\\Python\\PythonCore\\3.10\\InstallPath]\r\n@="%s\\\\"\r\n"ExecutablePath"="%s\\\\python.exe"\r\n' \
    "$doubled" "$doubled" | iconv -t UTF-16LE >>"$PREFIX/lay.reg"
cp "$PREFIX/lay.reg" "$WORK"
wine reg import 'C:\t\lay.reg' >/dev/null 2>&1 || fail "the registry cannot be laid down"
verdict() { # good, or the CAUSE
    python3 - "$WORK/text" "$@" <<'X' || fail "doctor: $(cat "$WORK/text" "$WORK/err")"
import json, sys
doc = json.load(open(sys.argv[1]))
layers = {x["name"]: x for x in doc["layers"]}
assert layers["hardware"]["status"] == "good" and "GTX 1660" in layers["hardware"]["summary"], layers["hardware"]
assert layers["driver"]["status"] == "good" and "516.94" in layers["driver"]["summary"], layers["driver"]
if sys.argv[2] == "good":  # 11.8 where 11.2 was built against: "untested", no fault
    assert layers["cuda"]["status"] == "warning" and "compatible by design" in layers["cuda"]["summary"], layers["cuda"]
    assert doc["verdict"]["cause"] is None, doc["verdict"]
else:
    assert doc["verdict"]["cause"] == sys.argv[2] and layers["cuda"]["status"] == "bad", (doc["verdict"], layers["cuda"])
X
}
for d in cublas64_11 cublasLt64_11 cufft64_10 curand64_10 cusolver64_11 cusparse64_11 cudnn64_8 cudnn_ops_infer64_8 cudnn_ops_train64_8 \
    cudnn_cnn_infer64_8 cudnn_cnn_train64_8 cudnn_adv_infer64_8 cudnn_adv_train64_8; do
    stub "$cuda/$d.dll"
done
WINEPATH=$(w "$cuda")
run doctor --env "$(w "$env")" --json
verdict good
unset WINEPATH
CUDA_PATH=$(w "$WORK/CUDA/v11.8") run doctor --env "$(w "$env")" --json
ends 1
verdict cuda-not-on-loader-path
# The same after an installer has put the folder into the registry's PATH: this terminal is older.
wine reg add 'HKCU\Environment' /v TN_AT /d "$(w "$cuda")" /f >/dev/null 2>&1
wine reg add 'HKCU\Environment' /v Path /t REG_EXPAND_SZ /d 'C:\nowhere;%TN_AT%' /f >/dev/null 2>&1
printf 'SystemRoot=C:\\windows\nPATH=C:\\windows\\system32\nCUDA_PATH=%s\n' "$(w "$WORK/CUDA/v11.8")" >"$WORK/old.env"
$cross-gcc -O1 -municode -o "$WORK/start.exe" "$here/start.c"
rc=0
wine 'C:\t\start.exe' 'C:\t\old.env' 'C:\t\tenon.exe' doctor --env "$(w "$env")" --lang en >"$WORK/text" 2>"$WORK/err" || rc=$?
[ $rc = 1 ] || fail "status $rc: $(cat "$WORK/text" "$WORK/err")"
says 'this terminal is older'
says 'Open a new terminal from the Start menu'
wine reg delete 'HKCU\Environment' /v Path /f >/dev/null 2>&1
mv "$WORK/CUDA" "$WORK/away"
mv "$WORK/old" "$WORK/older"
put nvidia-cuda-runtime-cu12 12.0.146 win_amd64 nvidia/cuda_runtime/bin/cudart64_12.dll "$WORK/CUDA/v12.0/bin/cudart64_12.dll"
export WINEPATH
WINEPATH=$(w "$WORK/CUDA/v12.0/bin")
CUDA_PATH=$(w "$WORK/CUDA/v12.0") run doctor --env "$(w "$env")" --json
ends 1
verdict cuda-version-mismatch
unset WINEPATH
rm -rf "$WORK/CUDA"
mv "$WORK/away" "$WORK/CUDA"
mv "$WORK/older" "$WORK/old"
run envs --json
python3 - "$WORK/text" "$(w "$base")" <<'X' || fail "envs: $(cat "$WORK/text" "$WORK/err")"
import json, sys
assert any(e["path"].lower() == sys.argv[2].lower() for e in json.load(open(sys.argv[1]))["environments"])
X

# find: every copy, its version and who would load it.
run find cudart64_110.dll --env "$(w "$env")" --json
python3 - "$WORK/text" "$WORK" <<'X' || fail "find: $(cat "$WORK/text")"
import json, sys
copies = [c for c in json.load(open(sys.argv[1]))["copies"] if c["path"].lower().startswith("c:\\t\\")]
assert len(copies) == 2, copies
assert all(c["version"].startswith("11.8") for c in copies), copies
X

# envs: the environment, its framework, and what it takes.
VIRTUAL_ENV=$(w "$env") run envs --sort size --json
python3 - "$WORK/text" "$WORK" "$env" <<'X' || fail "envs: $(cat "$WORK/text" "$WORK/err")"
import json, os, sys
seen = set()
take = 0
for folder, _, files in os.walk(sys.argv[3]):
    for f in files:
        s = os.lstat(os.path.join(folder, f))
        if (s.st_dev, s.st_ino) not in seen:
            seen.add((s.st_dev, s.st_ino))
            take += s.st_blocks * 512
mine = [e for e in json.load(open(sys.argv[1]))["environments"] if e["path"].lower().endswith("\\env")]
assert len(mine) == 1, mine
assert mine[0]["bytes"] == take, (mine[0]["bytes"], take)
X

# torch 2.4.0: its own fbgemm.dll needs libomp140.x86_64.dll, which nothing brings; torch 2.4.1's does not.
for v in 2.4.0 2.4.1; do
    rm -rf "$site"/torch*
    for m in METADATA WHEEL RECORD; do put torch $v $t "torch-$v.dist-info/$m"; done
    put torch $v $t torch/__init__.py
    for d in fbgemm asmjit libiomp5md c10 uv torch; do put torch $v $t "torch/lib/$d.dll"; done
    printf "__version__ = '%s+cu121'\ncuda = '12.1'\n" $v >"$site/torch/version.py" # the index of the GPU builds is not ours
    sed -i "s/^Version: .*/Version: $v+cu121/" "$site/torch-$v.dist-info/METADATA"
    mv "$site/torch-$v.dist-info" "$site/torch-$v+cu121.dist-info"
    stub "$site/torch/_C.cp310-win_amd64.pyd" python310.dll c10.dll
    real=$(really 1100 "$(w "$site")\\torch\\lib\\fbgemm.dll")
    run why --for torch --env "$(w "$env")"
    case $v in
    2.4.0)
        [ "$real" = "error 126" ] || fail "wine loads fbgemm.dll of 2.4.0: $real"
        says 'MISSING'
        says 'libomp140.x86_64.dll'
        ends 1
        ;;
    2.4.1)
        [ "$real" = "$(w "$site")\\torch\\lib\\fbgemm.dll" ] || fail "wine does not load fbgemm.dll of 2.4.1: $real"
        never 'libomp140'
        ;;
    esac
done
