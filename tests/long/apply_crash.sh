#!/usr/bin/env bash
# Promises 1 to 3, whole: apply, change, undo at every state-changing call, the recovery killed as well; power loss at every call that
# orders the disk, on ext4, xfs and btrfs; pip and uv killed at 30 moments of their work; disks without room;
# random histories taken back, races.
here=$(cd "$(dirname "$0")/../real" && pwd)
POINTS=30 bash "$here/apply_children.sh" || exit 1
POINTS=12 KINDS="tmpfs ext4" bash "$here/apply_full.sh" || exit 1
HISTORIES=1000 RACES=1000 bash "$here/apply_history.sh" || exit 1
POINTS=0 DOUBLE=1 bash "$here/apply_crash.sh" || exit 1
POINTS=0 KINDS="ext4 xfs btrfs" bash "$here/apply_power.sh"
