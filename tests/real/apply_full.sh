#!/usr/bin/env bash
# Promise 5 on real file systems: no room, no inodes, read-only: a clear error, the old state whole, finished when run again. A slice;
# more points, and ext4, in tests/long. Single calls that fail: apply_crash.sh.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "mounting (not root)"
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
mkdir "$WORK/try" && mount -t tmpfs none "$WORK/try" 2>/dev/null || skip "mounts"
umount "$WORK/try"
thing_wheels "$WORK/wheels" 30
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
for kind in ${KINDS:-tmpfs}; do
    python3 "$(dirname "$0")/apply_full.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "${POINTS:-1}" "$seed" "$kind" || fail "see above"
done
