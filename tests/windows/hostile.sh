#!/usr/bin/env bash
# hostile.sh - what a Windows machine may throw at tenon.exe: registry values of the wrong type and without an end, a PATH
# of 32 KB, DLLs that lie, paths of 30,000 characters, names that Windows keeps for itself, servers that are not there,
# files that another program holds, places where nothing can be written. Always an answer or a clear refusal, in time,
# without a crash.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
prefix_make "hostile input on Windows"
$cross-gcc -O1 -Wall -Wextra -municode -o start.exe "$here/start.c"
record=$TENON_SOURCE/tests/machines/win11-tf210-cuda120
python3 "$here/lay.py" "$record.json" "$PREFIX"
python3 "$here/stand_in.py" "$record.json" "$record.want" "$PREFIX" $cross-gcc
cp "$PREFIX/lay.reg" "$PREFIX/lay.env" .
wine reg import 'C:\t\lay.reg' >/dev/null 2>&1 || fail "the registry cannot be laid down"
run() { # ENVFILE ARGUMENTS...: an answer within 20 s, a status of tenon's own
    local rc=0
    timeout 20 wine 'C:\t\start.exe' "$1" 'C:\t\tenon.exe' "${@:2}" >out 2>err || rc=$?
    case $rc in 0 | 1 | 2 | 3 | 4) ;; *) fail "status $rc of ${*:2}: $(cat out err)" ;; esac
    echo $rc >rc
}
json() { python3 -c 'import json,sys; d=json.load(open("out")); sys.exit(not ('"$1"'))' || fail "not ($1): $(cat out err)"; }
dll=$PREFIX/drive_c/Program\ Files/NVIDIA\ GPU\ Computing\ Toolkit/CUDA/v12.0/bin

# The registry: a number where a path belongs, text without its end, nothing, a name that is none, 60 KB.
{
    printf 'Windows Registry Editor Version 5.00\r\n\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v9.0]\r\n"InstallDir"=dword:00000005\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v9.1]\r\n"InstallDir"=hex(1):43,00,3a\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v9.2]\r\n"InstallDir"=hex(1):\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v9.3]\r\n"InstallDir"="CON"\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA\\v9.4]\r\n"InstallDir"="\\\\\\\\nobody.invalid\\\\share"\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}\\0001]\r\n"ProviderName"="NVIDIA"\r\n"DriverVersion"=hex:01,02\r\n'
    printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Enum\\PCI\\VEN_10DE&DEV_ZZZZ]\r\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Enum\\PCI\\VEN_10DE]\r\n'
    printf '[HKEY_CURRENT_USER\\Software\\Python\\PythonCore\\3.10\\InstallPath]\r\n@=dword:00000001\r\n"ExecutablePath"="C:\\\\NUL"\r\n'
    printf '[HKEY_CURRENT_USER\\Software\\Python\\PythonCore\\3.9\\InstallPath]\r\n@="%s"\r\n' "$(printf 'x%.0s' $(seq 30000))"
} | iconv -t UTF-16LE | { printf '\xff\xfe'; cat; } >bad.reg
wine reg import 'C:\t\bad.reg' >/dev/null 2>&1 || fail "the bad registry cannot be laid down"
run lay.env doctor --json
json 'd["verdict"]["cause"] == "cuda-version-mismatch"'
run lay.env versions --json
run lay.env envs --json

# PATH of 32 KB with quotes, empty elements, servers and devices; the folder that matters is the last one.
python3 - <<'P'
env = open("lay.env", encoding="utf-8").read().split("\n")
bad = ";".join(["\"C:\\quo;ted\"", "", "\\\\nobody.invalid\\bin", "\\\\.\\pipe\\x", "CON", "C:\\NUL\\bin", "%NOWHERE%\\bin", "C:\\" + "d" * 250])
out = []
for line in env:
    if line.startswith("PATH="):
        line = "PATH=" + bad + ";" + ";".join("C:\\p%04d" % i for i in range(3400)) + ";" + line[5:]
        assert 29000 < len(line) < 32767, len(line)
    out.append(line)
open("long.env", "w", encoding="utf-8").write("\n".join(out))
P
run long.env doctor --json
json 'd["verdict"]["cause"] == "cuda-version-mismatch"'

# Arguments: 30,000 characters, what Windows keeps for itself, a server that is not there, folders for files.
long=$(printf '%0.sabcdefghi/' $(seq 3000))
for path in "C:\\${long//\//\\}" 'CON' 'NUL' 'C:\t\AUX.txt' '\\.\PhysicalDrive0' '\\nobody.invalid\share\env' 'C:\t\a:b' 'C:\t\<>' '\\?\C:\nowhere'; do
    run lay.env doctor --env "$path" --json
    [ "$(cat rc)" != 0 ] || fail "all is well at ${path:0:40}"
    run lay.env doctor --from "$path" --json
    [ "$(cat rc)" != 0 ] || fail "a record at ${path:0:40}"
done

# DLLs that lie: cut, all zeros, an import table that leads nowhere, sections beyond the end, itself a folder.
real=$dll/cudart64_12.dll
cp "$real" whole
for lie in cut zero far many folder; do
    rm -rf "$real"
    case $lie in
    cut) head -c 700 whole >"$real" ;;
    zero) head -c 4096 /dev/zero >"$real" ;;
    far | many) python3 - "$lie" "$real" <<'P' ;;
import struct, sys
b = bytearray(open("whole", "rb").read())
at = struct.unpack_from("<I", b, 60)[0]
if sys.argv[1] == "many":
    struct.pack_into("<H", b, at + 6, 65535)
else:
    for i in range(16):
        struct.pack_into("<II", b, at + 24 + 112 + 8 * i, 0xfffffff0, 0xffffffff)
open(sys.argv[2], "wb").write(b)
P
    folder) mkdir "$real" ;;
    esac
    run lay.env doctor --json
    run lay.env why cudart64_12.dll --json
done
rm -rf "$real"
cp whole "$real"

# A file that another program holds for itself.
cat >hold.c <<'C'
#include <windows.h>
int wmain(int argc, wchar_t **argv)
{
    HANDLE h = CreateFileW(argv[argc - 1], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    CreateFileW(L"C:\\t\\held", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    Sleep(30000);
    return h == INVALID_HANDLE_VALUE;
}
C
$cross-gcc -municode -o hold.exe hold.c
wine hold.exe 'C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.0\bin\cudart64_12.dll' >/dev/null 2>&1 &
for _ in $(seq 100); do [ -e held ] && break; sleep 0.1; done
[ -e held ] || fail "nobody holds the file"
run lay.env doctor --json
json 'd["judged"]["environment"].endswith("tf")'

# Where nothing can be written: names that Windows keeps, a server that is not there, a medium for reading only. Nothing is
# half done: what was there is as it was, and no name is left.
refused() { # TEXT ARGUMENTS...
    run lay.env "${@:2}" --lang en
    case $(cat rc) in 3 | 4) ;; *) fail "status $(cat rc) of ${*:2}: $(cat out err)" ;; esac
    grep -F -- "$1" err >/dev/null || fail "no \"$1\" of ${*:2}: $(cat err)"
}
for path in 'C:\t\CON' 'C:\t\NUL' 'C:\t\COM1.json'; do refused 'not a regular file' snapshot -o "$path"; done
refused 'no such folder' snapshot -o '\\nobody.invalid\share\x.json'
mkdir medium
if mount -t tmpfs -o size=64k tmpfs medium 2>/dev/null; then
    trap 'umount "$WORK/medium" || true; prefix_end' EXIT
    mkdir medium/env
    echo kept >medium/env/file
    mount -o remount,ro medium
    printf '{"command": "plan", "steps": [{"do": {"kind": "venv", "env": "C:\\\\t\\\\medium\\\\new", "python": "3.10"}}]}' >demo.plan
    refused 'C:\t\medium' snapshot -o 'C:\t\medium\x.json'
    refused 'as it was before' apply demo.plan --yes
    [ "$(cd medium && find . | sort | tr '\n' ' ')" = '. ./env ./env/file ' ] || fail "left on the medium: $(find medium)"
else
    echo "skipped: a medium for reading only (it cannot be mounted here)"
fi
