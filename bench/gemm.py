#!/usr/bin/env python3
"""tenon bench against the same BLAS called directly and against NumPy's matmul: seconds of one FP32 multiplication.

usage: gemm.py TENON ENVIRONMENT [N [ROUNDS]]     ENVIRONMENT: a virtual environment with NumPy

Each round runs the three one after the other, each in a process of its own and in another order, for the cores may be
shared; what counts is the best of all rounds, and the median of each round's medians is printed beside it. "others busy" is how
many processors other programs had during a round: a round with much of it says little."""
import json
import os
import subprocess
import sys

TENON, ENV = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
N = int(sys.argv[3]) if len(sys.argv) > 3 else 1024
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 9
RUNS = 40
PYTHON = os.path.join(ENV, "bin", "python")

CHILD = """
import ctypes, sys, time
import numpy
how, path, symbol, n, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
g = numpy.random.default_rng(1)
a, b, c = (g.random((n, n), dtype=numpy.float32) for _ in "abc")
if how == "cblas": # on memory as tenon's: NumPy asks for large pages for a block as large as this one
    page = 2 << 20
    one = -(-a.nbytes // page) * page
    block = numpy.zeros(3 * one + page, numpy.uint8)
    at = -block.ctypes.data % page
    large = [block[at + i * one:at + i * one + a.nbytes].view(numpy.float32).reshape(n, n) for i in range(3)]
    for to, of in zip(large, (a, b, c)):
        to[:] = of
    a, b, c = large
    f = getattr(ctypes.CDLL(path), symbol)
    wide = ctypes.c_int64 if symbol.endswith("64_") else ctypes.c_int32
    i, w, r = ctypes.c_int, wide, ctypes.c_float
    f.argtypes = [i, i, i, w, w, w, r, ctypes.c_void_p, w, ctypes.c_void_p, w, r, ctypes.c_void_p, w]
    f.restype = None
    where = [x.ctypes.data for x in (a, b, c)]
    def run(): f(101, 111, 111, n, n, n, 1.0, where[0], n, where[1], n, 0.0, where[2], n)
else:
    def run(): numpy.matmul(a, b, out=c)
for _ in range(12):
    run()
for _ in range(runs):
    t = time.perf_counter()
    run()
    print(time.perf_counter() - t)
"""


def middle(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def tenon():
    out = subprocess.run([TENON, "bench", "--env", ENV, "--n", str(N), "--device", "cpu", "--runs", str(RUNS), "--json"],
                         capture_output=True, check=True).stdout
    side = json.loads(out)["sides"][0]
    return side, side["results"][0]["samples_seconds"]


def child(how, side):
    symbol = side["config"].split(";")[0]
    out = subprocess.run([PYTHON, "-c", CHILD, how, side["path"], symbol, str(N), str(RUNS)], capture_output=True, check=True)
    return [float(x) for x in out.stdout.split()]


def busy():
    """Seconds of all processors that were not idle, and those of our children."""
    v = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    t = os.times()
    return (sum(v) - v[3] - v[4]) / os.sysconf("SC_CLK_TCK"), t.children_user + t.children_system + t.user + t.system, t.elapsed


all_of = {"tenon": [], "cblas": [], "numpy": []}
side = tenon()[0]
print(f"{side['library']}, {side['threads']} threads, n {N}, {ROUNDS} rounds of {RUNS} runs each")
for k in range(ROUNDS):
    was = busy()
    for name in (list(all_of) * 2)[k % 3:k % 3 + 3]:
        all_of[name].append(tenon()[1] if name == "tenon" else child(name, side))
    now = busy()
    others = (now[0] - was[0] - (now[1] - was[1])) / (now[2] - was[2])
    print(f"round {k + 1}: " + ", ".join(f"{n} {min(v[-1]) * 1e3:.2f} ms" for n, v in all_of.items()) + f"; others busy {others:.2f}")
print(f"\n{'':8}{'best':>10}{'GFLOP/s':>9}{'median':>10}{'best to worst round':>26}")
for name, rounds in all_of.items():
    best = [min(r) for r in rounds]
    print(f"{name:8}{min(best) * 1e3:8.2f}ms{2 * N ** 3 / min(best) / 1e9:9.1f}{middle([middle(r) for r in rounds]) * 1e3:8.2f}ms"
          f"{min(best) * 1e3:14.2f} to {max(best) * 1e3:.2f} ms")
best = {name: min(min(r) for r in rounds) for name, rounds in all_of.items()}
print(f"tenon / cblas, GFLOP/s: {best['cblas'] / best['tenon']:.3f}    tenon / numpy: {best['numpy'] / best['tenon']:.3f}")
