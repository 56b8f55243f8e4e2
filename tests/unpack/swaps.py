#!/usr/bin/env python3
"""Folders that are swapped with links out of the place while tenon-unpack and `tenon apply cudnn:FILE --into FOLDER` work in them
(reliability.md's promise 13): what lies outside is the same afterwards.

usage: swaps.py [TRIES [PLACEMENTS]]"""
import ctypes
import glob
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run

TRIES = int(sys.argv[1]) if len(sys.argv) > 1 else 20
PLACEMENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
LIBC = ctypes.CDLL(None, use_errno=True)
VERSION = b"#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0\n"
CUDNN = ["libcudnn%s.so.9" % s for s in ("", "_adv", "_cnn", "_engines_precompiled", "_engines_runtime_compiled", "_graph", "_heuristic", "_ops")]


def exchange(a, b):
    return LIBC.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2) == 0


class Swapper:
    """While it runs, each folder that the pattern names and a link to outside take each other's place, again and again."""

    def __init__(self, pattern, outside):
        self.pattern, self.outside, self.swaps, self.end = pattern, outside, 0, False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        n = 0
        while not self.end:
            for folder in glob.glob(self.pattern):
                link = os.path.join(os.path.dirname(self.outside), "link%d" % n)
                n += 1
                try:
                    os.symlink(self.outside, link)
                    if exchange(folder, link):
                        self.swaps += 1
                        time.sleep(0.0003)
                        exchange(folder, link)
                    os.unlink(link)
                except OSError:  # the folder has come or gone in between
                    shutil.rmtree(link, ignore_errors=True)

    def stop(self):
        self.end = True
        self.thread.join()
        return self.swaps


def archive(path, top, names):
    with tarfile.open(path, "w:gz") as t:
        for name in names:
            data = VERSION if name.endswith("_version.h") else os.urandom(4000)
            i = tarfile.TarInfo(os.path.join(top, name))
            i.size, i.mode = len(data), 0o644
            t.addfile(i, io.BytesIO(data))


def main():
    swaps, done = 0, [0, 0]
    with tempfile.TemporaryDirectory() as work:
        outside = os.path.join(work, "outside")
        os.makedirs(outside + "/lib")
        for name in ("libcudnn.so.9", "f3", "lib/f3"):
            open(os.path.join(outside, name), "w").write("theirs")
        before = run.tree(outside)

        def same(what):
            if run.tree(outside) != before:
                sys.exit(f"{what}: what lies outside is changed: {set(run.tree(outside)) ^ set(before)}")

        path = os.path.join(work, "a.tar.gz")
        archive(path, "a", ["lib/f%d" % i for i in range(200)] + ["lib/lib/f%d" % i for i in range(200)])
        for n in range(TRIES):
            into = os.path.join(work, "into")
            os.makedirs(into)
            s = Swapper(into + "/a/lib" if n else into + "/none", outside)  # the first one is let be
            p = run.unpack(path, into, walk=n % 2 == 1)
            swaps += s.stop()
            done[p.returncode != 0] += 1
            same("tenon-unpack")
            if not n and p.returncode:
                sys.exit(f"tenon-unpack, let be: {p.stdout[-300:]} {p.stderr[-300:]}")
            shutil.rmtree(into, ignore_errors=True)
        print(f"tenon-unpack: {TRIES} archives, {swaps} swaps, {done[0]} whole, {done[1]} refused, 0 outside")
        swaps, done = 0, [0, 0]
        path = os.path.join(work, "cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.gz")
        archive(path, "cudnn", ["lib/" + n for n in CUDNN] + ["include/cudnn_version.h"] + ["include/cudnn_x%d.h" % i for i in range(150)])
        env = dict(os.environ, XDG_STATE_HOME=work + "/state", HOME=work)
        for n in range(PLACEMENTS):
            place = os.path.join(work, "place")
            os.makedirs(place + "/cuda/lib64")
            os.makedirs(place + "/cuda/include")
            both = [Swapper(place + "/" + name, outside) for name in ("cuda/lib64", ".cuda.tenon-*/lib*", ".cuda.tenon-*/.tenon-place/*", ".cuda.tenon-*/include") if n]
            p = subprocess.run([run.UNPACK[:-7], "apply", "cudnn:" + path, "--into", place + "/cuda", "--yes"], env=env, capture_output=True, text=True, check=False, timeout=120)
            swaps += sum(s.stop() for s in both)
            if p.returncode not in (0, 4, 5):
                sys.exit(f"placement ended with {p.returncode}: {p.stderr[-500:]}")
            if not n and p.returncode:
                sys.exit(f"placement, let be: {p.stderr}")
            done[p.returncode != 0] += 1
            same("placement: " + p.stderr)
            subprocess.run([run.UNPACK[:-7], "recover"], env=env, capture_output=True, check=False, timeout=60)
            same("recovery")
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(work + "/state", ignore_errors=True)
        print(f"placement: {PLACEMENTS}, {swaps} swaps, {done[0]} done, {done[1]} not done, 0 outside")


main()
