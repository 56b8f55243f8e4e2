#!/bin/bash
# The specs that conda plans print and export are parsed and solved by rattler (pixi's solver, from the package index) over
# a local channel of small records: the GPU build and no other is what they come to; without __cuda they do not solve.
. "$(dirname "$0")/lib.sh"
V=$PARTS/rattler
if [ ! -e "$V/ready" ]; then
    python3 -m venv "$V" >/dev/null 2>&1 || skip "a Python with venv"
    "$V/bin/pip" install -q py-rattler pyyaml >/dev/null 2>&1 || skip "py-rattler"
    : >"$V/ready"
fi
"$V/bin/python" "$TENON_SOURCE/tests/real/plan_conda.py" "$TENON" "$TENON_SOURCE" "$WORK"
