#!/usr/bin/env bash
# The same machine gives the same bytes: 50 runs under other locales, time zones, folders and descriptors, facts and verdict.
# (The folder counts only by an environment in it, so there is none in these.)
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX LANGUAGE TENON_LANG
machine=$(ls "$TENON_SOURCE"/tests/machines/*.json | sed -n 1p)
mkdir "$WORK/elsewhere" "$WORK/two words"
locales=(C C.UTF-8 de_DE.UTF-8 zh_CN.UTF-8 tr_TR.UTF-8)
zones=(UTC Asia/Shanghai America/St_Johns :/nowhere "")
folders=(/ /var "$WORK/elsewhere" "$WORK/two words" /usr)
run() { # N WHAT... : in the N-th surroundings
    local n=$1
    shift
    (
        cd "${folders[$((n / 5 % 5))]}"
        local l=${locales[$((n % 5))]} set=()
        set=(LANG="$l" TZ="${zones[$((n / 2 % 5))]}")
        [ $((n % 3)) = 0 ] || set+=(LC_ALL="$l")
        [ $((n % 4)) = 0 ] || set+=(COLUMNS=$((40 + n)) TERM=xterm-256color)
        [ $((n % 7)) = 0 ] || exec 7</dev/null 9>"$WORK/nine"
        umask $((n % 2 ? 22 : 77))
        env "${set[@]}" "$TENON" "$@" 2>&1 || [ $? -le 3 ]
    )
}
for args in "snapshot --include-identifiers" "snapshot" "doctor --json --lang en" "doctor --from $machine --json --lang en" "doctor --from $machine --lang zh --plain"; do
    # shellcheck disable=SC2086
    # (free space is what others leave while we look)
    for n in 0 1 2 3 4 5 6 7 8 9; do run $((n * 5 + n / 2)) $args | sed 's/"free_bytes": {[^}]*}/"free_bytes": {}/' >"$WORK/out.$n"; done
    [ -s "$WORK/out.0" ] || fail "tenon $args says nothing"
    for n in 1 2 3 4 5 6 7 8 9; do cmp -s "$WORK/out.0" "$WORK/out.$n" || { diff "$WORK/out.0" "$WORK/out.$n" | sed -n 1,10p; fail "tenon $args: run $n differs"; }; done
done
