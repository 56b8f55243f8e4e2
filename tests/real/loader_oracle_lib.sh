# loader_oracle_lib.sh - what the tests of the simulated loaders share: the program that runs them, seed, flags of generated trees.
# Sourced behind lib.sh. Sets here, seed, cc, link; count: $1 unless TN_ORACLE_TREES says.
here=$TENON_SOURCE/tests/real
build=${TENON_BUILD:-$(dirname "$TENON")}
count=${TN_ORACLE_TREES:-$1}
seed=${TN_ORACLE_SEED:-$((16#$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null | cut -c1-7 || echo 1)))}
cc=${CC:-cc}
libs=()
for l in probe loader facts snapshot image version world os base; do libs+=("$build/libtn_$l.a"); done
"$cc" -std=gnu11 -O1 -D_GNU_SOURCE '-DTN_VERSION="oracle"' -I"$TENON_SOURCE/src" -Wall -Wextra -o "$WORK/run" "$here/loader_run.c" \
    "${libs[@]}" -ljansson -lz -lzstd -llzma
room=$(printf 'X%.0s' {1..12000})
link=("-Wl,--spare-dynamic-tags=40" "-Wl,-rpath,$room" "-Wl,--enable-new-dtags")
