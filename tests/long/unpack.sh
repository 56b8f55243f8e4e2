#!/usr/bin/env bash
# Never out of the folder: 1,000,000 tries while a folder of the way is swapped with a link out of it; whole archives unpacked, and
# placed, in folders that are swapped so. Each call of tenon-unpack fails once, or is its last.
. "$(dirname "$0")/../real/lib.sh"
unit=$TENON_BUILD/tests/unit_os_beneath
[ -x "$unit" ] || skip "unit_os_beneath is not built"
TENON_RACES=1000000 "$unit" >"$WORK/race" 2>&1 || fail "$(tail -5 "$WORK/race")"
grep tries "$WORK/race"
[ -x "$(dirname "$TENON")/tenon-unpack" ] || skip "tenon-unpack is not built"
python3 "$TENON_SOURCE/tests/unpack/swaps.py" 1000 200 || fail "swapped folders"
python3 -W ignore "$TENON_SOURCE/tests/unpack/faults.py" || fail "calls that fail"
