#!/usr/bin/env bash
# loader_oracle_musl.sh - the simulated loader of musl takes the very files that the real one takes: random trees as in
# loader_oracle.sh, a third with a file of search folders of their own (/etc/ld-musl-x86_64.path).
# TN_ORACLE_TREES: how many (60); TN_ORACLE_SEED: else from the commit.
. "$(dirname "$0")/lib.sh"
[ -x /lib/ld-musl-x86_64.so.1 ] && command -v musl-gcc >/dev/null || skip "musl and musl-gcc"
here=$TENON_SOURCE/tests/real
build=${TENON_BUILD:-$(dirname "$TENON")}
count=${TN_ORACLE_TREES:-60}
seed=${TN_ORACLE_SEED:-$((16#$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null | cut -c1-7 || echo 1)))}
cc=${CC:-cc}
libs=()
for l in probe loader facts snapshot image version world os base; do libs+=("$build/libtn_$l.a"); done
"$cc" -std=gnu11 -O1 -D_GNU_SOURCE '-DTN_VERSION="oracle"' -I"$TENON_SOURCE/src" -Wall -Wextra -o "$WORK/run" "$here/loader_run.c" \
    "${libs[@]}" -ljansson -lz -lzstd -llzma
room=$(printf 'X%.0s' {1..12000})
link=("-Wl,--spare-dynamic-tags=40" "-Wl,-rpath,$room" "-Wl,--enable-new-dtags")
musl-gcc -O1 -fPIC -shared -o "$WORK/lib.so" "$here/loader_lib.c" "${link[@]}" && musl-gcc -O1 -fPIE -pie -o "$WORK/prog" "$here/loader_prog.c" "${link[@]}" ||
    fail "musl-gcc"
export TN_ORACLE_MUSL=1
trees() { python3 "$here/loader_oracle.py" trees "$WORK" "$WORK/run" "$count" "$1"; }
if [ "$(id -u)" = 0 ] && [ -f /etc/ld-musl-x86_64.path ] && unshare -m true 2>/dev/null; then
    cp /etc/ld-musl-x86_64.path "$WORK/cache.system"
    cp /etc/ld-musl-x86_64.path "$WORK/cache"
    export TN_ORACLE_CACHE=$WORK/cache
    unshare -m sh -c 'mount --make-rprivate / && mount --bind "$TN_ORACLE_CACHE" /etc/ld-musl-x86_64.path && exec "$@"' sh \
        python3 "$here/loader_oracle.py" trees "$WORK" "$WORK/run" "$count" "$seed" || fail "trees differ"
else
    echo "skipped: search folders of our own (no mount namespace, or no file to mount over)"
    trees "$seed" || fail "trees differ"
fi
