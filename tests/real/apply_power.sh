#!/usr/bin/env bash
# Promise 3: the power fails while apply works; on an image of a file system, mounted. A slice; all points, on ext4, xfs and btrfs, in
# tests/long.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "mounting (not root)"
for t in strace mkfs.ext4; do command -v $t >/dev/null || skip "$t"; done
uv=$PARTS/python-tools-1/bin/uv
[ -x "$uv" ] || skip "uv (tests/real/envs.sh fetches it)"
python=$(python_of_tf215) || skip "a Python with venv"
truncate -s 8M "$WORK/try.img" && mkfs.ext4 -q -F "$WORK/try.img" && mkdir "$WORK/try" && mount -o loop "$WORK/try.img" "$WORK/try" 2>/dev/null || skip "loop devices"
umount "$WORK/try"
thing_wheels "$WORK/wheels"
seed=$(git -C "$TENON_SOURCE" rev-parse HEAD 2>/dev/null || echo none)
for kind in ${KINDS:-ext4}; do
    command -v mkfs."$kind" >/dev/null || { echo "skipped: mkfs.$kind"; continue; }
    python3 "$(dirname "$0")/apply_power.py" "$WORK" "$TENON" "$python" "$uv" "$WORK/wheels" "${POINTS:-4}" "$seed" "$kind" || fail "see above"
done
