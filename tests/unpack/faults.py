#!/usr/bin/env python3
"""What tenon-unpack makes of calls that fail (reliability.md's promises 5 and 13): each call that it makes, one after the other, ends
with ENOSPC, EIO, EDQUOT or EINTR, or is its last (SIGKILL); reads and writes that do less than was asked, and are interrupted, at
every call. Whatever it answers, it is all of the archive with the digests that it tells, or nothing; nothing outside the folder.

usage: faults.py [STEP]    every STEP-th call (1: all)"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run
from archives import archives

STEP = int(sys.argv[1]) if len(sys.argv) > 1 else 1
CALLS = "read pread64 write writev lseek fstat newfstatat statx fcntl openat openat2 mkdirat symlinkat linkat unlinkat fchmod syncfs mmap".split()
SHORT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>
static int turn;
#define LESS(name, ...) static ssize_t (*next)(__VA_ARGS__); if (!next) next = (ssize_t (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name); \
    if (++turn % 3 == 0) { errno = EINTR; return -1; } if (n > 100) n = 1 + n % 97;
ssize_t read(int fd, void *p, size_t n) { LESS(read, int, void *, size_t) return next(fd, p, n); }
ssize_t write(int fd, const void *p, size_t n) { LESS(write, int, const void *, size_t) return next(fd, p, n); }
ssize_t pread(int fd, void *p, size_t n, off_t o) { LESS(pread, int, void *, size_t, off_t) return next(fd, p, n, o); }
ssize_t pread64(int fd, void *p, size_t n, off_t o) { LESS(pread64, int, void *, size_t, off_t) return next(fd, p, n, o); }
"""


def unpack(before, archive, lines, into, env=()):
    a, r = os.open(archive, os.O_RDONLY), os.open(into, os.O_PATH | os.O_DIRECTORY)
    request = "".join(x + "\n" for x in [f"root {r}", *lines, f"archive {a} - {os.path.basename(archive)}", "go"])
    p = subprocess.run(before + [run.UNPACK], input=request.encode(), capture_output=True, pass_fds=(a, r), env=dict(env, LC_ALL="C"), timeout=60, check=False)
    os.close(a)
    os.close(r)
    return p


def judge(a, p, outer, into, killed, what):
    """"whole", "nothing", or an error."""
    outside = run.tree(outer)
    inside = {k[6:]: v for k, v in outside.items() if k.startswith("in/to/")}
    others = {k for k in outside if not k.startswith("in/to/")} - {"in", "in/to", "a", os.path.join("a", a.file)}
    if others:
        sys.exit(f"{a.name}, {what}: outside: {others}")
    if killed:
        return "killed"
    dead = p.returncode == -6 and b"libgcrypt" in p.stderr  # its own end, where it asks the kernel of FIPS: before the archive
    if p.returncode not in (0, 1, 2, 3, 4, 5) and not dead:
        sys.exit(f"{a.name}, {what}: exit {p.returncode}: {p.stderr[-300:]}")
    if p.returncode == 0:
        if inside != {k: tuple(v) for k, v in run.told(p.stdout).items()} or set(inside) != set(a.tree):
            sys.exit(f"{a.name}, {what}: not whole, and said to be: {sorted(set(a.tree) ^ set(inside))}")
        return "whole"
    if inside and "unlinkat" not in what:
        sys.exit(f"{a.name}, {what}: exit {p.returncode} and left {sorted(inside)}: {p.stdout[-300:]}")
    return "nothing"


def one(a, work, before, killed, what, env=()):
    outer = os.path.join(work, "outer")
    into = os.path.join(outer, "in", "to")
    shutil.rmtree(outer, ignore_errors=True)
    os.makedirs(into)
    os.makedirs(os.path.join(outer, "a"))
    path = os.path.join(outer, "a", a.file)
    with open(path, "wb") as f:
        f.write(a.data)
    p = unpack(before, path, a.lines, into, env)
    return judge(a, p, outer, into, killed, what), p


def main():
    strace = shutil.which("strace")
    count = {}
    placed = [a for a in archives() if a.want == "placed" and a.tree and len(a.data) < 200000]
    chosen = [next(a for a in placed if a.file.endswith(e)) for e in (".tar.gz", ".whl", ".conda") if any(a.file.endswith(e) for a in placed)]
    with tempfile.TemporaryDirectory() as work:
        lib = os.path.join(work, "short.so")
        if subprocess.run(["cc", "-shared", "-fPIC", "-o", lib, "-x", "c", "-", "-ldl"], input=SHORT.encode(), capture_output=True, check=False).returncode == 0:
            for a in placed:
                said, p = one(a, work, [], False, "short and interrupted", {"LD_PRELOAD": lib})
                if said != "whole":
                    sys.exit(f"{a.name}: short and interrupted calls: exit {p.returncode}: {p.stdout[-200:]} {p.stderr[-200:]}")
                count["short, whole"] = count.get("short, whole", 0) + 1
        for a in chosen if strace else ():
            log = os.path.join(work, "log")
            one(a, work, [strace, "-qq", "-f", "-o", log, "-e", "trace=" + ",".join(CALLS)], False, "as it is")
            whole = open(log).read()
            own = whole[whole.rindex("\n", 0, whole.index("read(0,")):]  # before it the loader starts the program
            counted = lambda text, c: len(re.findall(r"^\d+ +%s\(" % c, text, re.M))
            for call in CALLS:
                n, first = counted(whole, call), counted(whole, call) - counted(own, call) + 1
                for how in ("error=ENOSPC", "error=EIO", "error=EDQUOT", "error=EINTR", "signal=KILL"):
                    for k in range(first, n + 1, STEP):
                        what = f"{call} {k} {how}"
                        said, _ = one(a, work, [strace, "-qq", "-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", f"inject={call}:{how}:when={k}"], "KILL" in how, what)
                        count[said] = count.get(said, 0) + 1
    print(", ".join(f"{k}: {v}" for k, v in sorted(count.items())) + ("" if strace else "; skipped: strace"))


main()
