#!/usr/bin/env python3
"""Promise 5 on real file systems: no room, no inodes, nothing writable, at one amount after the other.

usage: apply_full.py WORK TENON PYTHON UV WHEELS POINTS SEED [ext4]

The environment and tenon's state lie on a small tmpfs (or an ext4 image). It has room for a seeded part of what the change needs: apply
must say so, with 5 and the words of the system, and leave the old state whole. With room given, it is run again and finishes, and undo
comes back to the byte. Writes cut short by a full disk are the kernel's own."""
import json, os, random, shutil, subprocess, sys
import apply_crash as crash

WORK, PYTHON, UV, POINTS, SEED = sys.argv[1], sys.argv[3], sys.argv[4], int(sys.argv[6]), sys.argv[7]
KIND = sys.argv[8] if len(sys.argv) > 8 else "tmpfs"
MOUNT, IMAGE = WORK + "/small", WORK + "/small.img"
WORDS = {"room": "no space left on device", "inodes": "no space left on device", "read-only": "read-only file system"}


def sh(*args):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)


def umount():
    subprocess.run(["umount", "-q", MOUNT], stderr=subprocess.DEVNULL)


def fresh(case):
    """The file system, wide, with what the case begins with."""
    umount()
    if KIND == "tmpfs":
        sh("mount", "-t", "tmpfs", "-o", "size=64m,nr_inodes=20000,mode=755", "none", MOUNT)
    else:
        sh("truncate", "-s", "0", IMAGE)
        sh("truncate", "-s", "48M", IMAGE)
        sh("mkfs.ext4", "-q", "-F", "-m", "0", "-N", "3000", IMAGE)
        sh("mount", "-o", "loop", IMAGE, MOUNT)
    return case.start()


class Filler:
    """Takes all but so much of the file system, and gives it back."""

    def __init__(self, what, left):
        self.path = MOUNT + "/filler"
        s = os.statvfs(MOUNT)
        os.mkdir(self.path)
        if what == "room":
            n = s.f_bavail * s.f_frsize - left
            fd = os.open(self.path + "/f", os.O_WRONLY | os.O_CREAT)
            if n > 0:
                os.posix_fallocate(fd, 0, n)
            os.close(fd)
        elif what == "inodes":
            for i in range(max(0, s.f_favail - 1 - left)):
                os.mknod(self.path + "/%d" % i)

    def give_back(self):
        shutil.rmtree(self.path)


def used():
    s = os.statvfs(MOUNT)
    return (s.f_blocks - s.f_bfree) * s.f_frsize, s.f_files - s.f_ffree


def point(case, what, left):
    where = "%s: %d left" % (what, left)
    old = fresh(case)
    filler = Filler(what, left) if what != "read-only" else None
    if what == "read-only":
        sh("mount", "-o", "remount,ro", MOUNT)
    rc, said = crash.run(case.args)
    if what == "read-only":
        sh("mount", "-o", "remount,rw", MOUNT)
    else:
        filler.give_back()
    if rc not in (0, 4, 5):
        crash.fail(case.name, where, "ended with", rc, said)
    if rc and WORDS[what] not in said.lower():
        crash.fail(case.name, where, "does not say what is lacking:", rc, said)
    rc2, said2 = crash.run(["recover"])
    if rc2:
        crash.fail(case.name, where, "recover", rc2, said2)
    came = crash.judge(case, old, where, said + said2)
    if rc and came == "new" and "recover" not in said:
        crash.fail(case.name, where, "made, and called not made:", said)
    if came == "old" and crash.leftovers():
        crash.fail(case.name, where, "left", crash.leftovers())
    rc3, said3 = crash.run(case.args)
    if rc3 or crash.judge(case, old, where + " again", said3) != "new":
        crash.fail(case.name, where, "does not finish when it runs again:", rc3, said3)
    rc4, said4 = crash.run(["undo"])
    if rc4 or crash.tree(crash.PLACE) != old:
        crash.fail(case.name, where, "undo is not exact:", rc4, said4)
    return came, rc


def main():
    os.makedirs(MOUNT, exist_ok=True)
    crash.PLACE, crash.ENV["HOME"] = MOUNT + "/place", MOUNT + "/home"
    make, change = ["apply", crash.plan("env", "thing==1.0"), "--yes"], ["apply", crash.plan("env", "thing==2.0"), "--yes"]
    try:
        for case in [crash.Case("make", make, [], "1.0"), crash.Case("change", change, [make], "2.0")]:
            old = fresh(case)
            before = used()
            if crash.run(case.args)[0] or crash.judge(case, old, "undisturbed", "") != "new":
                crash.fail(case.name, "does not come to its end")
            need = [now - was for now, was in zip(used(), before)]
            rnd = random.Random(SEED + KIND + case.name)
            # a part of what stays; the last few blocks and inodes are where the journal runs out
            points = [(what, int(n * (i + rnd.random()) / POINTS)) for what, n in zip(("room", "inodes"), need) for i in range(POINTS)]
            points += [("room", rnd.randrange(0, 20000)), ("inodes", rnd.randrange(0, 8)), ("read-only", 0)]
            tally = {"old": 0, "new": 0}
            refused = 0
            for what, left in points:
                came, rc = point(case, what, left)
                tally[came] += 1
                refused += rc != 0
            print("%s on %s: %d points, %d refused in words, %d old, %d new, 0 mixed; each finished with room, undone to the byte"
                  % (case.name, KIND, len(points), refused, tally["old"], tally["new"]), flush=True)
    finally:
        umount()


main()
