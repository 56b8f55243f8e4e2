#!/bin/sh
# The build lists folders when it is configured: configure again when files were added or removed since.
set -eu
build=${1:?usage: reconfigure.sh BUILDDIR}
here=$(cd "$(dirname "$0")/.." && pwd)
# usage: reconfigure.sh BUILDDIR [fresh]     fresh: it was configured just now
now=$(cd "$here" && find src data tests -name '*.gen.*' -prune -o \( -path 'data/*' -o -name '*.c' -o -name '*.t' \) -type f -print | LC_ALL=C sort | cksum)
if [ "$(cat "$build/.listed" 2>/dev/null || true)" != "$now" ]; then
    [ "${2:-}" = fresh ] || meson setup --reconfigure "$build" >/dev/null
    echo "$now" >"$build/.listed"
fi
