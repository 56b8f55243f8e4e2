#!/usr/bin/env bash
# clean.sh - story 23 on Windows under wine: a toolkit's parts by their own entries among the installed programs, the
# variables of user and machine that lead to it before and after, undo to the byte (type and all), the driver kept.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
unset CONDA_PREFIX VIRTUAL_ENV CUDA_PATH LD_LIBRARY_PATH PYTHONPATH || true
prefix_make "clean on Windows"
cuda='C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA'
for v in 11.2 11.6; do
    mkdir -p "$PREFIX/drive_c/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v$v/bin"
    echo "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"$v.0\"}}" >"$PREFIX/drive_c/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v$v/version.json"
done
python3 - "$cuda" <<'P'
import sys
cuda = sys.argv[1]
def q(s): return s.replace("\\", "\\\\").replace('"', '\\"')
def expand(s, end="\0"): return "hex(2):" + ",".join("%02x" % b for b in (s + end).encode("utf-16-le"))
out = ["Windows Registry Editor Version 5.00", ""]
key = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\{B2FE1952-0186-46C3-BAEC-A80AA35AC5B8}_"
for part, name in [("CUDARuntime_11.6", "NVIDIA CUDA Runtime 11.6"), ("CUDADevelopment_11.6", "NVIDIA CUDA Development 11.6"),
                   ("CUDARuntime_11.2", "NVIDIA CUDA Runtime 11.2"), ("Display.Driver", "NVIDIA Graphics Driver 516.94")]:
    run = '"C:\\Windows\\SysWOW64\\RunDll32.EXE" "C:\\Program Files\\NVIDIA Corporation\\Installer2\\InstallerCore\\NVI2.DLL",UninstallPackage ' + part
    out += [f"[{key}{part}]", f'"DisplayName"="{name}"', f'"UninstallString"="{q(run)}"', ""]
for v in "11.2", "11.6":
    out += [f"[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v{v}]", f'"InstallDir"="{q(cuda)}\\\\v{v}"', ""]
path = f"{cuda}\\v11.6\\bin;{cuda}\\v11.6\\libnvvp;%SystemRoot%\\system32;{cuda}\\v11.2\\bin;;C:\\工具"
out += ["[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment]", '"Path"=' + expand(path),
        f'"CUDA_PATH"="{q(cuda)}\\\\v11.2"', f'"CUDA_PATH_V11_2"="{q(cuda)}\\\\v11.2"', f'"CUDA_PATH_V11_6"="{q(cuda)}\\\\v11.6"', ""]
out += ["[HKEY_CURRENT_USER\\Environment]", '"PATH"=' + expand("C:\\mine;%CUDA_PATH_V11_6%\\extras", ""), '"CUDNN"=dword:00000007', ""]
open("env.reg", "wb").write("\r\n".join(out).encode("utf-16"))
P
wine reg import 'C:\t\env.reg' >/dev/null 2>&1 || fail "the registry cannot be laid down"
export_to() { # FILE: both environments, as they are
    rm -f "$1.user" "$1.machine"
    wine reg export 'HKCU\Environment' "C:\\t\\$1.user" /y >/dev/null 2>&1
    wine reg export 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' "C:\\t\\$1.machine" /y >/dev/null 2>&1
    [ -s "$1.user" ] && [ -s "$1.machine" ] || fail "the registry cannot be read"
}
run() { local rc=0; timeout 60 wine 'C:\t\tenon.exe' "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || rc=$?; tr -d '\r' <"$WORK/out" >"$WORK/text"; echo $rc >"$WORK/rc"; }
ends() { [ "$(cat "$WORK/rc")" = "$1" ] || fail "status $(cat "$WORK/rc"), not $1: $(cat "$WORK/text" "$WORK/err")"; }
export_to before
run clean cuda 11.6 --json
ends 0
python3 - <<'P' || fail "clean: $(cat text)"
import json
d = json.load(open("text"))
by = {i["version"]: i for i in d["items"]}
assert list(by) == ["11.6.0"] and by["11.6.0"]["goes"], by
r = by["11.6.0"]["removal"]
assert r["how"] == "command" and r["command"].count("UninstallPackage") == 2 and "CUDARuntime_11.6" in r["command"], r
assert "Display.Driver" not in json.dumps(d) and "_11.2" not in r["command"], r
s = {x["file"].split("\\", 1)[0] + " " + x["file"].rsplit("\\", 1)[1].upper(): x for x in d["settings"]}
assert sorted(s) == ["HKCU PATH", "HKLM CUDA_PATH_V11_6", "HKLM PATH"], sorted(s)
assert s["HKLM CUDA_PATH_V11_6"]["goes"], s
p = s["HKLM PATH"]["lines"][0]
assert p["before"].count("v11.6") == 2 and p["after"].startswith("%SystemRoot%") and p["after"].endswith("v11.2\\bin;;C:\\工具"), p
assert s["HKCU PATH"]["lines"][0]["after"] == "C:\\mine", s
P
export_to now
for f in user machine; do cmp "before.$f" "now.$f" || fail "looking changed something"; done
run clean cuda 11.6 --yes
ends 0
grep 'tenon undo' text >/dev/null || fail "$(cat text)"
export_to now
iconv -f UTF-16 -t UTF-8 now.machine | grep 'CUDA_PATH_V11_6' && fail "the variable is still there"
[ -d "$PREFIX/drive_c/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.6" ] || fail "the uninstaller's work was done"
run undo
ends 0
export_to now
for f in user machine; do cmp "before.$f" "now.$f" || fail "undo did not bring all back: $(iconv -f UTF-16 -t UTF-8 "now.$f")"; done

# What somebody has made of a variable since then wins.
run clean cuda 11.6 --yes
ends 0
wine reg add 'HKCU\Environment' /v PATH /t REG_SZ /d 'C:\theirs' /f >/dev/null 2>&1
run undo
ends 0
grep -F 'Environment\PATH' text >/dev/null || fail "undo says nothing of it: $(cat text)"
wine reg query 'HKCU\Environment' /v PATH 2>/dev/null | grep -F 'C:\theirs' >/dev/null || fail "theirs is gone"
wine reg query 'HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment' /v CUDA_PATH_V11_6 >/dev/null 2>&1 || fail "not undone"

# The driver is none of it.
run clean driver
ends 4
