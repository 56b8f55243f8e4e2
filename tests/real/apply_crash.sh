#!/usr/bin/env bash
# Promises 1, 2, 5 and 8: apply, change, clean, undo and recover, killed or refused at their state-changing system calls: old or new, never
# mixed; run again it finishes; undone it is as before, to the byte. A slice whose seed is the commit; all points in tests/long.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || skip "strace"
strace -o /dev/null true 2>/dev/null || skip "strace (not allowed here)"
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
thing_wheels "$WORK/wheels"
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
python3 "$(dirname "$0")/apply_crash.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "${POINTS:-3}" "$seed" ${DOUBLE:+--double} || fail "see above"
