#!/usr/bin/env python3
"""Time and memory to a verdict of TensorFlow: tenon verify by its C API against Python that imports it and multiplies once.

usage: tf.py TENON ENVIRONMENT [ROUNDS]     ENVIRONMENT: a virtual environment with TensorFlow 2.12 or newer

Both multiply on the CPU and compare the result; interleaved, the best of all rounds, peak memory of the largest process."""
import os
import sys
import time

TENON, ENV = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 7
SCRIPT = """import tensorflow as tf
m = tf.matmul([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
assert m.numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
"""
ALL = {"tenon verify": [TENON, "verify", "--env", ENV], "python": [os.path.join(ENV, "bin/python"), "-c", SCRIPT]}


def once(argv):
    """Seconds, seconds of processor, MiB of the largest process; a status that is not 0 or 3 (no GPU to try) is an error."""
    start = time.monotonic()
    null = os.open(os.devnull, os.O_WRONLY)
    pid = os.fork()
    if pid == 0:
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(argv[0], argv)
    os.close(null)
    _, status, use = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"{argv}: {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - start, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024


got = {name: [] for name in ALL}
for k in range(ROUNDS):
    for name in (list(ALL), list(ALL)[::-1])[k % 2]:
        got[name].append(once(ALL[name]))
for name, v in got.items():
    print(f"{name:14}" + "".join(f"{what} {min(x[i] for x in v):.2f} to {max(x[i] for x in v):.2f}{unit}  "
                                 for i, (what, unit) in enumerate((("wall", " s"), ("processor", " s"), ("peak", " MiB")))))
best = {name: [min(x[i] for x in v) for i in range(3)] for name, v in got.items()}
print("python / tenon: " + ", ".join(f"{what} {best['python'][i] / best['tenon verify'][i]:.1f}" for i, what in enumerate(("wall", "processor", "peak"))))
