#!/usr/bin/env bash
# libtenon as a stranger uses it: installed, found by pkg-config, linked dynamically; only tenon_* is exported.
. "$(dirname "$0")/lib.sh"
DESTDIR=$WORK/inst meson install -C "$TENON_BUILD" --no-rebuild --quiet >/dev/null
pc=$(find "$WORK/inst" -name tenon.pc); lib=$(dirname "$(dirname "$pc")"); prefix=$WORK/inst/usr/local
sed -i "s#^prefix=.*#prefix=$prefix#" "$pc"
# shellcheck disable=SC2046
gcc -Wall -Wextra -Werror -o "$WORK/example" "$TENON_SOURCE/doc/example.c" $(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs tenon)
g++ -x c++ -fsyntax-only -I"$prefix/include" - <<<'#include <tenon.h>' || fail "tenon.h is not for C++"
set +e
LD_LIBRARY_PATH=$lib "$WORK/example" >"$WORK/out"; status=$?
"$TENON" doctor --json >"$WORK/doctor.json"; wanted=$?
set -e
same "$status" "$wanted" "exit status of the example"
same "$(head -1 "$WORK/out")" "$(json "$WORK/doctor.json" "d['verdict']['summary']")" "summary"
bad=$(nm -D --defined-only "$lib/libtenon.so" | awk '$2 != "A" && $3 !~ /^tenon_/ {print $3}')
[ -z "$bad" ] || fail "exported beside tenon_*: $bad"
ldd "$lib/libtenon.so" | has libjansson || fail "libtenon.so is to link jansson dynamically"
if ldd "$TENON" | has -E 'jansson|zstd|lzma'; then fail "the program is to link its libraries statically"; fi
