#!/usr/bin/env bash
# Promises 7 and 8: random histories of apply, undo and clean, some killed, are taken back to the byte; two and three at once harm nothing.
# A handful whose seed is the commit; 1,000 of each in tests/long.
. "$(dirname "$0")/lib.sh"
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
chmod 755 "$WORK"
thing_wheels "$WORK/wheels"
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
python3 "$(dirname "$0")/apply_history.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "${HISTORIES:-2}" "${SEED:-$seed}" "${RACES:-2}" || fail "see above"
