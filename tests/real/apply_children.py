#!/usr/bin/env python3
"""Promises 1 and 2 where it is the installer that dies: pip and uv are killed in the midst of their work.

usage: apply_children.py WORK TENON PYTHON UV WHEELS POINTS SEED TOOL [SECONDS]

SECONDS: how long the tool takes, else measured first; then only the case of a new environment.

Each point: a fresh copy of the start; apply runs; at a seeded moment of its installers' time the installer that is at work is killed
(one in three: tenon with it, one in three: tenon alone, whose installer must end with it). Then as in apply_crash.py: old or new, run
again it finishes, undone to the byte."""
import os, random, signal, subprocess, sys, time
import apply_crash as crash

TENON, PYTHON, UV, POINTS, SEED, TOOL = sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[6]), sys.argv[7], sys.argv[8]


def children(pid):
    try:
        return [int(c) for c in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]
    except OSError:
        return []


def installer(pid):
    """What tenon runs, once it is itself no more; its looking has children of its own, which have tenon's program."""
    for c in children(pid):
        try:
            if os.readlink("/proc/%d/exe" % c) != os.path.realpath(TENON):
                return c
        except OSError:
            pass
    return None


def work(args, limit=None, whom="installer"):
    """Runs it; after limit seconds of installers' work somebody dies. Returns its status, what it said, and how long installers worked."""
    p = subprocess.Popen([TENON] + args, cwd=crash.PLACE, env=crash.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    worked, last, seen = 0.0, time.monotonic(), None
    while p.poll() is None:
        now, child = time.monotonic(), installer(p.pid)
        if child and seen:
            worked += now - last
        if child and limit is not None and worked >= limit:
            if whom != "tenon":
                os.kill(child, signal.SIGKILL)
            if whom != "installer":
                p.kill()
            limit = None
            if whom == "tenon":  # PR_SET_PDEATHSIG: it must not go on behind the next one's back
                seen_dead(child)
        last, seen = now, child
        time.sleep(0.002)
    return p.returncode, p.stdout.read().decode(errors="replace"), worked


def seen_dead(pid):
    for _ in range(500):
        try:
            if open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.01)
    crash.fail("the installer lives on", pid)


def recover():
    """What an installer had started itself may outlive it for a moment: it holds the lock, so that nobody works beside it."""
    for _ in range(20):
        rc, said = crash.run(["recover"])
        if rc == 0 or "another tenon" not in said and "another process" not in said:
            break
        time.sleep(0.2)
    return rc, said


def point(case, limit, whom):
    where = "%s killed after %.3f s" % (whom, limit)
    old = case.start()
    rc, said, _ = work(case.args, limit, whom)
    if whom == "installer" and rc not in (0, 5):
        crash.fail(case.name, where, "ended with", rc, said)
    if whom == "installer" and rc == 5 and "as it was before" not in said:
        crash.fail(case.name, where, "does not say how things are:", said)
    rc, said2 = recover()
    if rc:
        crash.fail(case.name, where, "recover", rc, said2)
    came = crash.judge(case, old, where, said + said2)
    if came == "old" and crash.leftovers():
        crash.fail(case.name, where, "left", crash.leftovers())
    rc, said = crash.run(case.args)
    if rc or crash.judge(case, old, where + " again", said) != "new":
        crash.fail(case.name, where, "does not finish when it runs again:", rc, said)
    rc, said = crash.run(["undo"])
    if rc or crash.tree(crash.PLACE) != old:
        crash.fail(case.name, where, "undo is not exact:", rc, said)
    return came


def undisturbed(case):
    """How long its installers work, the second time: the first one fills caches."""
    for _ in range(2):
        old = case.start()
        rc, said, whole = work(case.args)
        if rc or crash.judge(case, old, "undisturbed", "") != "new":
            crash.fail(case.name, "does not come to its end:", rc, said)
    return whole


def main():
    first, second = crash.plan("env", "thing==1.0", TOOL), crash.plan("env", "thing==2.0", TOOL)
    make, change = ["apply", first, "--yes"], ["apply", second, "--yes"]
    given = float(sys.argv[9]) if len(sys.argv) > 9 else None
    for case in [crash.Case("make", make, [], "1.0"), crash.Case("change", change, [make], "2.0")][:1 if given else 2]:
        whole = given or undisturbed(case)
        rnd = random.Random(SEED + TOOL + case.name)
        tally = {"old": 0, "new": 0}
        for i in range(POINTS):
            tally[point(case, whole * (i + rnd.random()) / POINTS, ("installer", "both", "tenon")[i % 3])] += 1
        print("%s by %s: killed at %d points of %.1f s, %d old, %d new, 0 mixed; each finished when run again, undone to the byte"
              % (case.name, TOOL, POINTS, whole, tally["old"], tally["new"]), flush=True)


main()
