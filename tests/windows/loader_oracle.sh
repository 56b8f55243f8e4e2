#!/usr/bin/env bash
# loader_oracle.sh - the simulated loader of Windows takes the very files that wine's loader takes.
# Random trees of DLLs (loader_oracle.py), and one that the real linker made: forwarder, delayed import, import library.
# TN_ORACLE_TREES: how many (60); TN_ORACLE_SEED: else from the commit. WINEPREFIX: a prefix that has been started once.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
: "${TENON_SOURCE:?}" "${TENON_BUILD:?}"
fail() { echo "FAILED: $*" >&2; exit 1; }
here=$TENON_SOURCE/tests/windows
cross=x86_64-w64-mingw32
command -v $cross-gcc >/dev/null || { echo "skipped: the loader of Windows (no mingw)"; exit 0; }
command -v wine >/dev/null || { echo "skipped: the loader of Windows (no wine)"; exit 0; }
[ -d "${WINEPREFIX:-/nonexistent}/drive_c" ] || { echo "skipped: the loader of Windows (no wine prefix)"; exit 0; }
export WINEDEBUG=-all DISPLAY=
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
seed=${TN_ORACLE_SEED:-$((16#$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null | cut -c1-7 || echo 1)))}
libs=()
for l in probe loader facts snapshot image version world os base; do libs+=("$TENON_BUILD/libtn_$l.a"); done
"${CC:-cc}" -std=gnu11 -O1 -D_GNU_SOURCE '-DTN_VERSION="oracle"' -I"$TENON_SOURCE/src" -Wall -Wextra -o "$WORK/run" "$here/loader_run.c" \
    "${libs[@]}" -ljansson -lz -lzstd -llzma
$cross-gcc -O1 -Wall -Wextra -o "$WORK/prog.exe" "$here/loader_prog.c"

# The linker's own tree: one.dll needs two.dll, which has w served by three.dll; four.dll is wanted late.
tree=$WORK/linkertree
mkdir -p "$tree/app" "$tree/lib"
cp "$WORK/prog.exe" "$tree/app"
(
    cd "$tree/lib"
    printf 'LIBRARY two.dll\nEXPORTS\nf\nw = three.f\n' >two.def
    printf 'LIBRARY four.dll\nEXPORTS\nlate\n' >four.def
    echo 'int f(void) { return 3; }' >three.c
    printf 'int f(void) { return 2; }\n' >two.c
    printf 'int late(void) { return 4; }\n' >four.c
    printf 'int f(void); int w(void); int late(void);\n__declspec(dllexport) int one(int x) { return x ? late() : f() + w(); }\n' >one.c
    $cross-gcc -shared -o three.dll three.c
    $cross-gcc -shared -o two.dll two.c two.def
    $cross-gcc -shared -o four.dll four.c
    $cross-dlltool -d two.def -l libtwo.a
    $cross-dlltool -d four.def -y libfour.a
    $cross-gcc -shared -o one.dll one.c libtwo.a libfour.a
) || fail "the linker's own tree"
at="Z:${tree//\//\\}"
printf 'cwd %s\npath\nopen 1100 %s\\lib\\one.dll\nopen 0 four.dll\n' "$at" "$at" >"$tree/plan"
wine "$tree/app/prog.exe" "$at\\plan" linkertree none 2>/dev/null | tr -d '\r' >"$WORK/real"
TN_C=$WINEPREFIX/drive_c "$WORK/run" "$tree/plan" linkertree none "$at\\app\\prog.exe" >"$WORK/ours"
grep 'three.dll' "$WORK/real" >/dev/null || fail "wine did not load the forwarder's DLL: $(cat "$WORK/real")"
cmp "$WORK/real" "$WORK/ours" || fail "the linker's own tree: wine $(cat "$WORK/real"), ours $(cat "$WORK/ours")"

mkdir "$WORK/trees"
python3 "$here/loader_oracle.py" "$WORK/trees" "$WORK/run" "$WORK/prog.exe" "${TN_ORACLE_TREES:-60}" "$seed" || fail "trees differ (seed $seed)"
