#!/usr/bin/env bash
# loader_oracle.sh - the simulated loader takes the very files that the real ld.so takes.
# Random trees of libraries (run paths, tokens, links, damaged files, hardware folders, preloads, dlopen from inside
# libraries, caches made by the real ldconfig) and every library of this machine's toolkit, system and real wheels.
# TN_ORACLE_TREES: how many (200); TN_ORACLE_SEED: else from the commit.
. "$(dirname "$0")/lib.sh"
[ -e /lib64/ld-linux-x86-64.so.2 ] && /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | has -e --list || skip "no glibc of x86-64 with ld.so --list"
. "$(dirname "$0")/loader_oracle_lib.sh" 200
"$cc" -O1 -fPIC -shared -o "$WORK/lib.so" "$here/loader_lib.c" "${link[@]}"
"$cc" -O1 -fPIE -pie -o "$WORK/prog" "$here/loader_prog.c" "${link[@]}"

# Caches of our own need a mount over /etc/ld.so.cache that nobody else sees, an /etc/ld.so.preload one over /etc.
own_cache() {
    cp /etc/ld.so.cache "$WORK/cache.system"
    cp /etc/ld.so.cache "$WORK/cache"
    mkdir -p "$WORK/aux"
    cp -a /etc "$WORK/etc"
    rm -f "$WORK/etc/ld.so.preload"
    export TN_ORACLE_CACHE=$WORK/cache TN_ORACLE_PRELOAD=/etc/ld.so.preload
    PATH=$PATH:/sbin:/usr/sbin unshare -m sh -c '
        mount --make-rprivate / && mount --bind "$2" /etc && mount --bind "$TN_ORACLE_CACHE" /etc/ld.so.cache &&
        if [ -d /var/cache/ldconfig ]; then mount --bind "$1" /var/cache/ldconfig; fi && shift 2 && exec "$@"' sh "$WORK/aux" "$WORK/etc" "$@"
}
oracle() { python3 "$here/loader_oracle.py" "$@"; }
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    own_cache python3 "$here/loader_oracle.py" trees "$WORK" "$WORK/run" "$count" "$seed" || fail "trees differ"
    rm -rf "$WORK/etc"
    own_cache python3 "$here/loader_oracle.py" seeds "$WORK" "$WORK/run" "$here/loader_seeds.txt" || fail "trees that differed once differ again"
else
    echo "skipped: caches of our own (no mount namespace)"
    oracle trees "$WORK" "$WORK/run" "$count" "$seed" || fail "trees differ"
    oracle seeds "$WORK" "$WORK/run" "$here/loader_seeds.txt" || fail "trees that differed once differ again"
fi

list() { find "$@" -type f -name '*.so*' ! -name '*.py' -print 2>/dev/null | sort; }
check() {
    local what=$1
    shift
    [ $# -gt 0 ] || { echo "skipped: $what"; return 0; }
    list "$@" >"$WORK/list"
    [ -s "$WORK/list" ] || { echo "skipped: $what"; return 0; }
    printf '%s: ' "$what"
    python3 "$here/loader_oracle.py" files "$WORK/run" <"$WORK/list" || fail "$what differ"
}
toolkit=()
for d in /usr/local/cuda-*/lib64 /usr/local/cuda-*/extras /usr/local/cuda-*/nvvm; do [ -d "$d" ] && toolkit+=("$(readlink -f "$d")"); done
check "the toolkit" "${toolkit[@]}"
check "the system's libraries" /usr/lib/x86_64-linux-gnu
check "real wheels kept here" "$PARTS"
