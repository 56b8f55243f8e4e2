#!/usr/bin/env bash
# loader_oracle_musl.sh - the simulated loader of musl takes the very files that the real one takes: random trees as in
# loader_oracle.sh, a third with a file of search folders of their own (/etc/ld-musl-x86_64.path).
# TN_ORACLE_TREES: how many (60); TN_ORACLE_SEED: else from the commit.
. "$(dirname "$0")/lib.sh"
[ -x /lib/ld-musl-x86_64.so.1 ] && command -v musl-gcc >/dev/null || skip "musl and musl-gcc"
. "$(dirname "$0")/loader_oracle_lib.sh" 60
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
