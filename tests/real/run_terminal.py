#!/usr/bin/env python3
"""Drives a real bash on a pseudoterminal, with and without `tenon run --`, and compares. usage: TENON=... run_terminal.py [NAME]"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

TENON = os.environ["TENON"]
WORK = tempfile.TemporaryDirectory()
os.chdir(WORK.name)
WAYS = ("", TENON + " run -- ")
failed = []


class Shell:
    """An interactive bash that leads a session on a terminal of its own."""

    def __init__(self, rows=30, columns=97):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            for s in range(1, signal.NSIG):  # what is ignored at its start a shell cannot take back: a job in the background
                try:
                    signal.signal(s, signal.SIG_DFL)
                except (OSError, ValueError):
                    pass
            env = {"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": os.getcwd(), "LANG": "C.UTF-8", "PS1": "<ready>"}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], env)
        self.size(rows, columns)
        self.until("<ready>")
        self.line("stty -echo")
        self.until("<ready>")

    def size(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, data):
        os.write(self.fd, data.encode())

    def line(self, text):
        self.send(text + "\n")

    def until(self, pattern, seconds=20):
        """What arrives up to and with the pattern; the rest waits."""
        end = time.monotonic() + seconds
        while True:
            hit = re.search(pattern.encode(), self.seen)
            if hit:
                text, self.seen = self.seen[:hit.end()], self.seen[hit.end():]
                return text.decode("utf-8", "replace")
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no {pattern!r} in {self.seen!r}")
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    raise AssertionError(f"terminal gone, no {pattern!r} in {self.seen!r}")

    def started(self, name):
        """Waits until a program of that name runs in the session."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                        comm, rest = f.read().split("(", 1)[1].rsplit(")", 1)
                except OSError:
                    continue
                if comm == name and int(rest.split()[3]) == self.pid:
                    return
            time.sleep(0.02)
        raise AssertionError(f"no {name} in the session")

    def run(self, text):
        """What a command line prints, and its status."""
        self.line(text + '; echo "<status $?>"')
        out = self.until("<status [0-9]+>")
        self.until("<ready>")
        return out

    def close(self):
        os.close(self.fd)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def py(code):
    with open("program.py", "w", encoding="utf-8") as f:
        f.write(code)
    return "python3 program.py"


def same(name, function):
    if len(sys.argv) > 1 and sys.argv[1] not in name:
        return
    got = []
    for way in WAYS:
        shell = Shell()
        try:
            got.append(function(shell, way))
        except AssertionError as e:
            got.append(f"FAILED: {e}")
        shell.close()
    ok = got[0] == got[1] and "FAILED" not in str(got[0])
    print(("ok      " if ok else "WRONG   ") + name)
    if not ok:
        failed.append(name)
        print(f"  without: {got[0]!r}\n  with:    {got[1]!r}")


SEES = """
import os, sys, termios
for fd in 0, 1, 2:
    print(fd, os.isatty(fd), os.get_terminal_size(fd) if os.isatty(fd) else '', end=' ')
    if os.isatty(fd):
        print([x if isinstance(x, int) else [y if isinstance(y, int) else y.hex() for y in x] for x in termios.tcgetattr(fd)])
print(os.ttyname(0) == os.ctermid() or os.ttyname(0)[:9])
print(os.getpgrp() == os.tcgetpgrp(0), os.getsid(0) == os.getppid() or os.getsid(0) != os.getpid())
print(sorted(os.listdir('/proc/self/fd'))[:3], signal) if 0 else None
"""
COUNTS = """
import signal, sys, time
got = []
def on(sig, frame): got.append(signal.Signals(sig).name)
for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT, signal.SIGCONT): signal.signal(s, on)
print('begun', flush=True)
end = time.monotonic() + 20
last = 0
while time.monotonic() < end:
    time.sleep(0.05)
    if len(got) != last: last = len(got); settled = time.monotonic() + 0.6
    if got and time.monotonic() > settled: break
print('got', got)
"""


def sees(shell, way):
    return shell.run(way + py(SEES))


def bytes_arrive(shell, way):
    return shell.run(way + py(r"import sys; sys.stdout.write('a\tb\r\n\x1b[31mred\x1b[0m\n 10%\r 20%\r100%\nend\r\r\n\n')"))


def large(shell, way):
    return shell.run(way + py("import sys\nfor i in range(20000): print('line', i, 'x' * (i % 90)); sys.stderr.write('e%d\\n' % i if i % 500 == 0 else '')"))


def mixed(shell, way):
    return sorted(shell.run(way + py("import sys; print('out', sys.stdout.isatty()); sys.stdout.flush(); print('err', sys.stderr.isatty(), file=sys.stderr)") + " | cat").split())


def pager(shell, way):
    return shell.run(way + "sh -c 'echo $(stty size); stty -a | tr -d \"\\n\" | md5sum'")


def ctrl_c(shell, way):
    shell.line(way + py(COUNTS) + '; echo "<status $?>"')
    shell.until("begun")
    shell.send("\x03")
    return shell.until("<status [0-9]+>")


def ctrl_c_ends(shell, way):
    shell.line(f"for i in 1 2 3; do {way}sleep 30; done; echo '<over>'")
    shell.started("sleep")
    shell.send("\x03")
    return shell.until("<ready>")


def ctrl_backslash(shell, way):
    shell.line("ulimit -c 0; " + way + 'sleep 30; echo "<status $?>"')
    shell.started("sleep")
    shell.send("\x1c")
    return re.sub("line .*|sleep 30|/.*", "", shell.until("<status [0-9]+>"))


def stop_and_fg(shell, way):
    shell.line(way + py("import time\nprint('begun', flush=True)\nfor i in range(400):\n    time.sleep(0.01)\nprint('done')"))
    shell.until("begun")
    shell.send("\x1a")
    a = "Stopped" in shell.until("<ready>")
    jobs = shell.run("jobs | grep -c Stopped")
    states = shell.run("ps -o stat= -C python3 --ppid $$ | cut -c1 | sort | uniq -c | tr -d ' ' | grep -c T")
    shell.line("fg")
    return a, jobs, states > "", shell.until("done")[-4:], shell.until("<ready>")


def stop_bg(shell, way):
    shell.line(way + py("import time\nprint('begun', flush=True)\ntime.sleep(0.5)\nprint('done', flush=True)"))
    shell.until("begun")
    shell.send("\x1a")
    shell.until("<ready>")
    shell.line("bg")
    shell.until("done")
    return shell.run("wait %1 >/dev/null; jobs | grep -c Running").replace(way, "")


def reads_in_background(shell, way):
    shell.line(way + py("print(input() + '!')") + " &")
    shell.until("<ready>")
    a = False
    for _ in range(100):
        a = "Stopped" in shell.run("jobs")
        if a:
            break
        time.sleep(0.1)
    shell.line("fg")
    shell.until("program.py")
    shell.line("hello")
    return a, shell.until("hello!"), shell.until("<ready>")


def reads(shell, way):
    shell.line(way + py("import getpass; a = input('name? '); b = getpass.getpass('word? '); print(a, b)"))
    shell.until("name. ")
    shell.line("me")
    shell.until("word. ")
    shell.line("x")
    return shell.until("<ready>")


def typed_ahead(shell, way):
    shell.line(way + "sleep 1")
    shell.started("sleep")
    shell.line("echo typed ahead")
    return shell.until("typed ahead\r\n<ready>")


def kill_job(shell, way):
    shell.line(way + py(COUNTS) + " &")
    shell.until("begun")
    shell.line("kill %1")
    return shell.until(r"got \[.*\]")


def kill_pid(shell, way):
    shell.line(way + py(COUNTS) + " &")
    shell.until("begun")
    shell.line("kill -USR1 $!")
    return shell.until(r"got \[.*\]")


def kill_hard(shell, way):
    shell.line(way + py("import time, os\nprint('pid', os.getpid(), '.', flush=True)\ntime.sleep(30)") + " &")
    pid = int(re.search(r"pid (\d+) \.", shell.until(r"pid \d+ \.")).group(1))
    shell.line("kill -9 $!")
    for _ in range(100):
        try: # it may go between any two of these
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return "gone"
        except (ProcessLookupError, FileNotFoundError):
            return "gone"
        time.sleep(0.05)
    return "FAILED: it lives on"


def hang_up(shell, way):
    if os.path.exists("hup"):
        os.unlink("hup")
    shell.line(way + py("import signal, time\ndef on(s, f):\n    open('hup', 'a').write('HUP\\n')\nsignal.signal(signal.SIGHUP, on)\nprint('begun', flush=True)\nfor i in range(400):\n    time.sleep(0.05)"))
    shell.until("begun")
    os.close(shell.fd)
    shell.fd = os.open("/dev/null", os.O_RDONLY)
    for _ in range(200):
        if os.path.exists("hup"):
            return "it was told"
        time.sleep(0.05)
    return "FAILED: it was not told"


def window(shell, way):
    shell.line(way + py("""
import os, signal, time
def on(s, f): os.write(1, (str(os.get_terminal_size(1)) + '\\n').encode())
signal.signal(signal.SIGWINCH, on)
print('begun', flush=True)
for i in range(100): time.sleep(0.05)
"""))
    shell.until("begun")
    shell.size(41, 123)
    return shell.until("columns=123, lines=41")[-30:]


def raw_mode(shell, way):
    """A program that sets its terminal through its output, as curses does."""
    shell.line(way + py("""
import os, sys, termios, tty
old = termios.tcgetattr(1)
tty.setcbreak(1)
print('key?', flush=True)
k = os.read(0, 1)
termios.tcsetattr(1, termios.TCSADRAIN, old)
print('had', k, flush=True)
"""))
    shell.until(r"key\?\r\n")
    shell.send("k")
    return shell.until(r"had b'k'\r\n"), shell.until("<ready>"), shell.run("stty -a | grep -o -e '-*icanon'")


def curses(shell, way):
    shell.line(way + py("import curses\ndef f(w):\n    w.addstr(2, 3, 'curses here'); w.refresh(); k = w.getch(); w.addstr(3, 3, 'key %d' % k); w.refresh()\ncurses.wrapper(f)"))
    shell.until("here")
    shell.send("q")
    shell.until("<ready>")
    return shell.run("stty -a | grep -o -e '-*icanon' -e '-*onlcr' -e '-*opost' | tr '\\n' ' '")


def inner_shell(shell, way):
    shell.line(way + "bash --norc --noprofile --noediting -i")
    shell.until("<ready>")
    shell.line("sleep 30")
    shell.started("sleep")
    shell.send("\x1a")
    a = "Stopped" in shell.until("<ready>")
    b = shell.run("kill %1; wait 2>/dev/null; jobs | grep -c Running")
    shell.line("exit 5")
    shell.until("<ready>")
    return a, b[-12:], shell.run("(exit $?)")


def pipeline(shell, way):
    return shell.run("seq 5 | " + way + "tac | sort -n; echo ${PIPESTATUS[*]}")


def pass_descriptors(shell, way):
    return shell.run(way + "sh -c 'echo three >&3; ls /proc/self/fd | tr \"\\n\" \" \"' 3>f3; cat f3")


same("what a program sees of its terminal", sees)
same("bytes on a terminal", bytes_arrive)
same("much output, both streams", large)
same("standard output a pipe, standard error a terminal", mixed)
same("stty on standard input", pager)
same("Ctrl-C, counted", ctrl_c)
same("Ctrl-C ends a loop of the shell", ctrl_c_ends)
same("Ctrl-backslash", ctrl_backslash)
same("Ctrl-Z and fg", stop_and_fg)
same("Ctrl-Z and bg", stop_bg)
same("reading in the background stops", reads_in_background)
same("questions and passwords", reads)
same("typed ahead for the shell", typed_ahead)
same("kill %1 arrives once", kill_job)
same("kill $! arrives", kill_pid)
same("kill -9 $! ends the program", kill_hard)
same("the terminal goes away", hang_up)
same("the window changes", window)
same("a program that sets its terminal", raw_mode)
same("curses", curses)
same("a shell inside, with jobs of its own", inner_shell)
same("in the middle of a pipeline", pipeline)
same("descriptors", pass_descriptors)
os.chdir("/")
sys.exit(1 if failed else 0)
