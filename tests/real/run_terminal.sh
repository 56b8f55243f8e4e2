#!/usr/bin/env bash
# A program under `tenon run` on a real terminal, from a real shell with job control: what it sees of its terminal, what
# arrives on it, Ctrl-C, Ctrl-Z, fg, bg, kill, a window that changes, a terminal that goes away. Each is done twice, with
# and without tenon, and must be the same (run_terminal.py, which is also a Meson test). And what no terminal is needed for:
# process 1, a full disk, a killed tenon, much output, a stopped program that goes on alone.
. "$(dirname "$0")/lib.sh"
cd "$WORK"

# Process 1 of a container: orphans are reaped, its status is the program's, a signal to it reaches the program.
if unshare -Upf --map-root-user --mount-proc true 2>/dev/null; then
    in_container() { unshare -Upf --map-root-user --mount-proc "$@"; }
    got=$(in_container "$TENON" run -- sh -c '(sleep 0.1 & exec sleep 0.2) & (sh -c "sleep 0.1 &"); sleep 1; ps -e -o stat= | grep -c Z; exit 3' || echo "status $?")
    same "$got" "$(printf '0\nstatus 3')" "zombies under process 1"
    got=$(in_container "$TENON" run -- sh -c 'kill -TERM $$' || echo "status $?")
    same "$got" "status 143" "killed under process 1"
    got=$(in_container "$TENON" run -- sh -c 'trap "echo told; exit 4" TERM; kill -TERM 1; while :; do sleep 0.1; done' || echo "status $?")
    same "$got" "$(printf 'told\nstatus 4')" "a signal to process 1"
else
    echo "skipped: process 1 of a namespace"
fi

# A full disk is the program's own error.
a=0 b=0
python3 -c 'print("x" * 100000)' >/dev/full 2>err || a=$?
"$TENON" run -- python3 -c 'print("x" * 100000)' >/dev/full 2>err1 || b=$?
same "$b" "$a" "status at a full disk"
cmp err err1 || fail "words at a full disk: $(cat err1)"

# Who kills tenon means the program.
"$TENON" run -- sh -c 'echo $$ >pid; exec sleep 100' &
until [ -s pid ]; do sleep 0.05; done
kill -9 $!
for _ in $(seq 100); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.05; done
if kill -0 "$(cat pid)" 2>/dev/null; then fail "the program outlives a killed tenon"; fi

# A program that somebody stops and lets go on, alone.
"$TENON" run -- python3 -c 'import os, time; open("pid2", "w").write(str(os.getpid())); [time.sleep(0.01) for i in range(100)]; print("end")' >got &
until [ -s pid2 ]; do sleep 0.05; done
kill -STOP "$(cat pid2)"
sleep 0.5
kill -CONT "$(cat pid2)"
wait $! || fail "status $?"
same "$(cat got)" end "a program that was stopped alone"

# 100 MB of two streams, byte for byte; the tail of it is looked at.
python3 - "$TENON" <<'X' || fail "much output"
import hashlib, subprocess, sys
program = r'''
import sys
for i in range(500000):
    sys.stdout.write("line %d of the output, as it comes, \t\x1b[32mgreen\x1b[0m\r\n" % i)
    if i % 50 == 0: sys.stderr.write("error %d\n" % i)
sys.stdout.write("no line feed at the end")
sys.stdout.flush()
raise RuntimeError("CUDA error: no kernel image is available for execution on the device")
'''
got = []
for way in ([], [sys.argv[1], "run", "--no-join", "--"]):
    r = subprocess.run(way + [sys.executable, "-c", program], capture_output=True)
    err, _, said = r.stderr.partition(b"tenon: ")
    got.append((r.returncode, hashlib.sha256(r.stdout).hexdigest(), err))
assert got[0] == got[1], (got[0][:2], got[1][:2], got[0][2][-200:], got[1][2][-200:])
assert b"[arch-unsupported]" in said, said
X
python3 -c 'import pty, termios' || skip "a Python with pty"
python3 "$TENON_SOURCE/tests/real/run_terminal.py" || fail "run_terminal.py"
