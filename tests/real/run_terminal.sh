#!/usr/bin/env bash
# A program under `tenon run` on a real terminal, from a real shell with job control: what it sees of its terminal, what
# arrives on it, Ctrl-C, Ctrl-Z, fg, bg, kill, a window that changes, a terminal that goes away, process 1. Each is done
# twice, with and without tenon, and must be the same (run_terminal.py).
. "$(dirname "$0")/lib.sh"
python3 -c 'import pty, termios' || skip "a Python with pty"
cd "$WORK"
python3 "$(dirname "$(realpath "$0")")/run_terminal.py" || fail "run_terminal.py"
