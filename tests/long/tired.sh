#!/usr/bin/env bash
# Every recorded machine, cut off behind every single answer: no crash, never "ok" or another problem for want of an answer.
. "$TENON_SOURCE/tests/real/lib.sh"
ninja -C "$TENON_BUILD" tests/tired >/dev/null
"$TENON_BUILD/tests/tired" "$TENON_SOURCE/tests/machines" 100000
