#!/bin/sh
# run.sh - how fast tenon is, as ratios on the machine at hand. Prints; judges nothing.
#
# usage: [TENON=build/tenon] [ENV_DOCTOR=env-doctor] [FASTFETCH=fastfetch] [RUNS=11] [KEEP=FOLDER] sh bench/run.sh
# The two other programs are taken from PATH if they are not named; what is missing is left out. KEEP holds the
# environments between runs (600,000 small files).
set -u
here=$(cd "$(dirname "$0")" && pwd)
TENON=${TENON:-$here/../build/tenon}
ENV_DOCTOR=$(command -v "${ENV_DOCTOR:-env-doctor}" || true)
FASTFETCH=$(command -v "${FASTFETCH:-fastfetch}" || true)
RUNS=${RUNS:-11}
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && work=$(realpath "$work") || exit 2

[ -x "$TENON" ] || { echo "no program at $TENON: make" >&2; exit 2; }
# Without an active environment, in an empty folder: env-doctor reads the Python files of the current one.
unset VIRTUAL_ENV CONDA_PREFIX CONDA_EXE PYTHONPATH LD_LIBRARY_PATH CUDA_HOME
export LANG=C.UTF-8
TENON=$(realpath "$TENON")
mkdir -p "$work/empty" && cd "$work/empty" || exit 2
cc -O2 -o "$work/time" "$here/time.c" && cc -O2 -o "$work/bare" "$here/bare.c" || exit 2

# figures NAME COMMAND...: median wall and CPU seconds and peak memory, one line; the median's seconds in $seconds.
figures() {
    name=$1; shift
    line=$("$work/time" "$RUNS" "$@") || { echo "$name: did not run"; seconds=; return; }
    seconds=${line%% *}
    printf '%-44s %s\n' "$name" "$(echo "$line" | awk '{printf "%9.1f ms  %9.1f ms CPU  %7.1f MiB", $1 * 1000, $2 * 1000, $3}')"
}

ratio() { # ratio TEXT A B
    [ -n "$2" ] && [ -n "$3" ] && printf '%-44s %9.2f\n' "$1" "$(awk "BEGIN { print $2 / $3 }")"
}

# tree N: a home with N environments of 100 distributions.
tree() {
    [ -d "$work/home$1" ] || python3 "$here/tree.py" "$work/home$1/.virtualenvs" "$1" 100
    HOME=$work/home$1
    export HOME
}

bare_list() { # the files and folders that tenon opened, in its order
    strace -f -qq -e trace=openat,open -o "$work/trace" "$TENON" doctor >/dev/null
    sed -n 's/^\([0-9]* *\)\{0,1\}openat(AT_FDCWD, "\([^"]*\)", \([^)]*\)) = [0-9].*/\3 \2/p' "$work/trace" |
        sed -n -e '/ \/proc\/self\/fd\//d' -e 's/^[^ ]*O_DIRECTORY[^ ]* /d /p' -e 't' -e 's/^[^ ]* /f /p'
}

echo "== doctor with 20 environments"
tree 20
figures "tenon doctor" "$TENON" doctor; own=$seconds
[ -n "$ENV_DOCTOR" ] && { figures "env-doctor check" "$ENV_DOCTOR" check; ratio "env-doctor / tenon" "$seconds" "$own"; }
[ -n "$FASTFETCH" ] && { figures "fastfetch" "$FASTFETCH" --pipe; ratio "fastfetch / tenon" "$seconds" "$own"; }

echo "== many environments of 100 distributions"
for n in 250 500 1000; do
    tree $n
    figures "tenon doctor, $n" "$TENON" doctor
    [ $n = 250 ] && first=$seconds
    ratio "against 250" "$seconds" "$first"
done
own=$seconds

echo "== the same files, opened and read by a program that does nothing else"
if command -v strace >/dev/null; then
    bare_list >"$work/list"
    figures "bare, $(wc -l <"$work/list") files and folders" "$work/bare" "$work/list"
    ratio "tenon / bare, 1000" "$own" "$seconds"
else
    echo "needs strace"
fi

echo "== the version of a library of 700 MB"
mkdir -p "$work/big"
big=$work/big/libcublasLt.so.12
echo 'unsigned long cublasLtGetVersion(void) { return 120205; }' >"$work/big/lib.c"
cc -O2 -shared -fPIC -Wl,-soname,libcublasLt.so.12 -o "$big" "$work/big/lib.c" && truncate -s 700M "$big"
if command -v strace >/dev/null; then
    strace -f -qq -y -e trace=pread64,read -o "$work/trace" env HOME="$work/empty" \
        LD_LIBRARY_PATH="$work/big" "$TENON" snapshot >"$work/snapshot.json" 2>/dev/null
    printf '%-44s %9s bytes of %s\n' "read" \
        "$(sed -n "s|.*<$big>.* = \([0-9]*\)\$|\1|p" "$work/trace" | awk '{ n += $1 } END { print n + 0 }')" \
        "$(stat -c %s "$big")"
    printf '%-44s %9s\n' "version found" "$(python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))["library"]["rows"]
print(*[r["version"]["value"] for r in rows if r["soname"].get("value") == "libcublasLt.so.12"])' \
        "$work/snapshot.json")"
fi
