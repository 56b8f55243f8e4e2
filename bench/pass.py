#!/usr/bin/env python3
"""What `tenon run` adds: the same program with and without it. usage: [TENON=build/tenon] [RUNS=5] pass.py

Much output (1 GB through a pipe and through a terminal) is the worst case; a program that computes and prints is the usual
one. Prints medians of wall time and of the processor time of all processes, and their ratio; judges nothing."""
import os
import pty
import resource
import statistics
import subprocess
import sys
import tempfile
import time

TENON = os.path.realpath(os.environ.get("TENON", os.path.join(os.path.dirname(__file__), "../build/tenon")))
RUNS = int(os.environ.get("RUNS", "5"))
BIG = int(os.environ.get("BYTES", str(1 << 30)))


def cpu():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def through_pipe(argv):
    a = subprocess.Popen(argv, stdout=subprocess.PIPE)
    b = subprocess.Popen(["cat"], stdin=a.stdout, stdout=subprocess.DEVNULL)
    a.stdout.close()
    a.wait()
    b.wait()


def through_terminal(argv):
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(argv[0], argv)
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)


def plain(argv):
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)


def hundred(argv):
    for _ in range(100):
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)


def figures(name, how, argv):
    wall, used = {}, {}
    ways = {"without": argv, "with": [TENON, "run", "--"] + argv}
    for way in ways:
        wall[way], used[way] = [], []
    for _ in range(RUNS):  # in turns, so that a busy hour hits both
        for way, words in ways.items():
            start, before = time.monotonic(), cpu()
            how(words)
            wall[way].append(time.monotonic() - start)
            used[way].append(cpu() - before)
    w = {way: statistics.median(wall[way]) for way in ways}
    u = {way: statistics.median(used[way]) for way in ways}
    best = min(wall["with"]) / min(wall["without"])
    print(f"{name:44} {w['without']:8.3f} s {w['with']:8.3f} s  ratio {w['with'] / w['without']:6.3f} (best runs {best:6.3f})"
          f"   CPU {u['without']:7.3f} s {u['with']:7.3f} s", flush=True)


TRAIN = """
import time
x = 0
for step in range(150):
    end = time.perf_counter() + 0.02
    while time.perf_counter() < end: x += 1
    print(f'step {step} loss {1 / (step + 1):.4f}', flush=True)
"""

with tempfile.TemporaryDirectory() as folder:
    big = os.path.join(folder, "big")
    line = b"step 12345 loss 0.4567 and other words that a program prints while it works\n"
    with open(big, "wb") as f:
        for _ in range(BIG // (len(line) * 4096) + 1):
            f.write(line * 4096)
    size = os.path.getsize(big)
    figures("a program of 3 s that prints 150 lines, pipe", through_pipe, [sys.executable, "-c", TRAIN])
    figures("the same, terminal", through_terminal, [sys.executable, "-c", TRAIN])
    figures("python3 -c pass, 100 times", hundred, [sys.executable, "-c", "pass"])
    figures("true, 100 times", hundred, ["true"])
    figures(f"{size / 1e9:.2f} GB of lines, pipe", through_pipe, ["cat", big])
    figures(f"{size / 1e9:.2f} GB of lines, terminal", through_terminal, ["cat", big])
