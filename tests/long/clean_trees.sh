#!/usr/bin/env bash
# 10,000 random machines for `tenon clean`: 0 files of people touched (tests/real/clean_trees.py; promise 11).
. "$(dirname "$0")/../real/lib.sh"
seed=$(git -C "$TENON_SOURCE" rev-parse --short=7 HEAD 2>/dev/null || echo 1)
python3 "$TENON_SOURCE/tests/real/clean_trees.py" "$TENON" "$WORK/trees" "${TREES:-10000}" "$((16#$seed))"
