#!/usr/bin/env bash
# Promises 1 and 2 where it is the installer that dies: real pip and uv, killed in the midst of their work, alone, with tenon, or left
# behind by a killed tenon. A slice whose seed is the commit; 30 points of each in tests/long.
. "$(dirname "$0")/lib.sh"
python=$(python_of_tf215) || skip "a Python with venv"
uv=$PARTS/python-tools-1/bin/uv
thing_wheels "$WORK/wheels" 300
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
slice() { # TOOL POINTS [SECONDS]
    python3 "$(dirname "$0")/apply_children.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "$2" "$seed" "$1" ${3:+"$3"} || fail "see above"
}
if [ -x "$uv" ]; then slice uv "${POINTS:-1}"; else echo "skipped: uv (tests/real/envs.sh fetches it)"; fi
if [ -n "${POINTS:-}" ]; then slice pip "$POINTS"; else slice pip 1 4; fi
