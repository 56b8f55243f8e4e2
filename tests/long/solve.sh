#!/usr/bin/env bash
# solve.sh - the solver against brute force on half a million random universes.
set -eu
seed=$((16#$(git -C "${TENON_SOURCE:?}" rev-parse HEAD 2>/dev/null | cut -c1-7 || echo 1)))
TN_SOLVE_TRIES=${TN_SOLVE_TRIES:-500000} TN_SOLVE_SEED=${TN_SOLVE_SEED:-$seed} exec "${TENON_BUILD:-$TENON_SOURCE/build}/tests/unit_solve"
