#!/usr/bin/env bash
# machines.sh - every recorded Windows machine laid down in wine - real-format registry keys, real DLLs (big ones hollow),
# environment - and judged live by tenon.exe: the verdict must be that of the record. So every question that the record
# answers is put to Windows' own interfaces once. What wine cannot lay down: links, a CPU of another kind, an event log.
set -Eeuo pipefail
trap 'echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
. "$here/wine_prefix.sh"
prefix_make "recorded machines laid down in wine"
$cross-gcc -O1 -Wall -Wextra -municode -o "$WORK/start.exe" "$here/start.c"
n=0
for record in "$TENON_SOURCE"/tests/machines/*.json; do
    grep '"os": "windows"' "$record" >/dev/null || continue
    grep '"log": "<Event' "$record" >/dev/null && continue
    name=$(basename "$record" .json)
    python3 "$here/lay.py" "$record" "$PREFIX"
    python3 "$here/stand_in.py" "$record" "${record%.json}.want" "$PREFIX" $cross-gcc || fail "$name: no stand-in of its driver"
    cp "$PREFIX/lay.reg" "$PREFIX/lay.env" "$WORK"
    wine reg import 'C:\t\lay.reg' >/dev/null 2>&1 || fail "$name: the registry cannot be laid down"
    rc=0
    wine 'C:\t\start.exe' 'C:\t\lay.env' 'C:\t\tenon.exe' doctor --json >"$WORK/live.json" 2>"$WORK/err" || rc=$?
    [ $rc -le 3 ] || fail "$name: status $rc: $(cat "$WORK/err" "$WORK/live.json")"
    python3 "$here/same_verdict.py" "$TENON_SOURCE/tests/machines/$name.want" "$WORK/live.json" || fail "$name: live and record differ"
    n=$((n + 1))
done
[ "$n" -ge 12 ] || fail "only $n recorded machines"
echo "$n recorded machines laid down"
