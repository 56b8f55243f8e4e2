#!/usr/bin/env python3
"""Promise 3: the power fails while apply works, on a real file system.

usage: apply_power.py WORK TENON PYTHON UV WHEELS POINTS SEED [FILESYSTEM]

The environment and tenon's state lie on an image of their own. apply is killed at one of its calls that order the disk; the image is
copied at that moment, without what the kernel had not written yet; the copy is mounted (its journal is replayed), recovered and
judged: old, or new with every file whole, and the command run again comes to the new one."""
import os, random, subprocess, sys
import apply_crash as crash

WORK, TENON, POINTS, SEED = sys.argv[1], sys.argv[2], int(sys.argv[6]), sys.argv[7]
KIND = sys.argv[8] if len(sys.argv) > 8 else "ext4"
MAKE = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q", "-f"], "btrfs": ["mkfs.btrfs", "-q", "-f"]}[KIND]
OPTION = {"ext4": "loop", "xfs": "loop,nouuid", "btrfs": "loop"}[KIND]
SIZE = {"ext4": "96M", "xfs": "320M", "btrfs": "128M"}[KIND]
ORDER = ["fsync", "fdatasync", "syncfs", "renameat2", "renameat", "unlinkat", "mkdirat"]
DISK, COPY, MOUNT = WORK + "/disk.img", WORK + "/copy.img", WORK + "/mount"


def sh(*args):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)


def mount(image):
    sh("mount", "-o", OPTION, image, MOUNT)


def umount():
    sh("umount", MOUNT)


def fresh():
    sh("truncate", "-s", "0", DISK)
    sh("truncate", "-s", SIZE, DISK)
    sh(*MAKE, DISK)
    mount(DISK)
    os.makedirs(crash.PLACE)
    os.makedirs(crash.ENV["HOME"])
    open(crash.PLACE + "/neighbour", "w").write("untouched")
    subprocess.run(["sync", "-f", MOUNT], check=True)


def sizes():
    """Of every file of the environment, but for what Python compiles by itself."""
    r = {}
    for top, dirs, files in os.walk(crash.PLACE + "/env"):
        dirs[:] = [d for d in dirs if d != "__pycache__"]
        for n in files:
            r[os.path.relpath(os.path.join(top, n), crash.PLACE)] = os.lstat(os.path.join(top, n)).st_size
    return r


def whole():
    """Every file has its bytes: a rename that came to the disk before the data would leave it empty. None, or the first that is not."""
    now = sizes()
    return next((n for n, size in REFERENCE.items() if now.get(n) != size), None)


REFERENCE = {}


def point(case, call, k):
    fresh()
    old = crash.tree(crash.PLACE)
    crash.run(case.args, "%s:signal=SIGKILL:when=%d" % (call, k))
    sh("cp", "--sparse=always", DISK, COPY)
    umount()
    mount(COPY)
    rc, said = crash.run(["recover"])
    if rc:
        crash.fail(call, k, "recover", rc, said)
    came = crash.judge(case, old, "%s %d" % (call, k), said)
    if came == "new" and whole():
        crash.fail(call, k, "a file is not whole:", whole())
    rc, said = crash.run(case.args)
    if rc or crash.judge(case, old, "again", said) != "new" or whole():
        crash.fail(call, k, "again", rc, said, whole())
    if open(crash.PLACE + "/neighbour").read() != "untouched":
        crash.fail(call, k, "the neighbour")
    umount()
    return came


def main():
    os.makedirs(MOUNT, exist_ok=True)
    crash.PLACE = MOUNT + "/place"
    crash.ENV["HOME"] = MOUNT + "/home"
    case = crash.Case("power", ["apply", crash.plan("env", "thing==1.0"), "--yes"], [], "1.0")
    tally = {"old": 0, "new": 0}
    try:
        fresh()
        n = crash.counts(case.args)
        REFERENCE.update(sizes())
        umount()
        # after the commit as well: the last calls of each kind come first
        points = sorted(((n[c] - k, c, k) for c in ORDER if c in n for k in range(1, n[c] + 1)))
        late, early = points[:20], points[20:]
        random.Random(SEED).shuffle(early)
        some = points if POINTS == 0 else (late[:POINTS - POINTS // 3] + early[:POINTS // 3])
        for _, c, k in some:
            tally[point(case, c, k)] += 1
    finally:
        subprocess.run(["umount", MOUNT], stderr=subprocess.DEVNULL)
    print("power: %s, %d of %d points, %d old, %d new, 0 broken" % (KIND, len(some), len(points), tally["old"], tally["new"]))


main()
