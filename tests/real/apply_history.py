#!/usr/bin/env python3
"""Promises 7 and 8: rollback is exact on random histories, and several at once change nothing they should not.

usage: apply_history.py WORK TENON PYTHON UV WHEELS HISTORIES SEED [RACES]

A history: apply (new, changed, as it is already, a package that nobody has), undo of the last or of a certain change, clean of a
toolkit, each killed now and then and put right by the next command or `tenon recover`, in random order
over two environments and a root folder. After each step every environment is as it was before it or as it was to become; at the end
undo, again and again, comes to the beginning, to the byte. A race: two or three apply at once, of the same place or of others."""
import json, os, random, re, shutil, signal, subprocess, sys, time
import apply_crash as crash

TENON, HISTORIES, SEED = sys.argv[2], int(sys.argv[6]), sys.argv[7]
RACES = int(sys.argv[8]) if len(sys.argv) > 8 else 0
WORK, PLACE, HOME = crash.WORK, crash.PLACE, crash.ENV["HOME"]
TOOLKIT = "root/usr/local/cuda-"
UNITS = ["a", "b", TOOLKIT + "11.2", TOOLKIT + "11.6"]  # what changes apart from each other


def unit(name):
    """What is there of it; tenon's own hidden twins are no part."""
    path = PLACE + "/" + name
    if not os.path.isdir(path):
        return None
    return [e for e in crash.tree(path) if ".tenon-" not in e[0]]


def version(env):
    r = subprocess.run([PLACE + "/" + env + "/bin/python", "-I", "-c", "import thing; print(thing.V)"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.stdout.decode().strip()


def fresh():
    for d in (PLACE, HOME):
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
    for v in ("11.2", "11.6"):
        t = PLACE + "/root/usr/local/cuda-" + v
        for d in ("bin", "lib64", "include"):
            os.makedirs(t + "/" + d)
        open(t + "/version.json", "w").write('{"cuda":{"name":"CUDA SDK","version":"%s.0"}}' % v)
        open(t + "/lib64/libcublas.so.11.0.0", "w").write("blas " + v)
        os.symlink("libcublas.so.11.0.0", t + "/lib64/libcublas.so.11")
        for f in ("bin/nvcc", "bin/cuda-uninstaller", "include/cuda.h"):
            open(t + "/" + f, "w").write(f)
    for d in ("etc", "var/lib/dpkg/info"):
        os.makedirs(PLACE + "/root/" + d)
    open(PLACE + "/root/var/lib/dpkg/status", "w").close()
    open(PLACE + "/neighbour", "w").write("untouched")


class History:
    def __init__(self, rnd):
        self.rnd, self.said, self.trail = rnd, "", []
        self.done = []  # (id, unit, how it was before), oldest first
        fresh()
        self.begin = crash.tree(PLACE)

    def fail(self, what, *more):
        crash.fail("history: " + what, *more, "\nafter: " + "; ".join(self.trail), "\nit said: " + self.said)

    def tenon(self, *args):
        """Runs it, now and then killed at a random moment. Returns its status; None: killed."""
        limit = self.rnd.random() * 0.6 if self.rnd.random() < 0.3 else None
        p = subprocess.Popen([TENON, *args], cwd=PLACE, env=crash.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.trail.append(" ".join(args).replace(WORK, "W") + (" killed after %.3f" % limit if limit is not None else ""))
        if limit is not None:
            try:
                p.wait(limit)
            except subprocess.TimeoutExpired:
                p.kill()
        self.said = p.stdout.read().decode(errors="replace")
        rc = p.wait()
        what = args[0] + (" killed" if rc == -signal.SIGKILL else " refused" if rc else "")
        TALLY[what] = TALLY.get(what, 0) + 1
        return None if rc == -signal.SIGKILL else rc

    def settle(self):
        """What was interrupted is put right; what an installer left running holds the lock until it has ended."""
        for _ in range(50):
            rc, said = crash.run(["recover"])
            if rc == 0:
                return
            time.sleep(0.1)
        self.fail("recover", rc, said)

    def ids(self):
        """Of the changes that are done, newest last."""
        rc, said = crash.run(["history", "--json"])
        return sorted(e["id"] for e in json.loads(said)["entries"] if e["status"] == "done") if rc == 0 and said.strip() else []

    def step(self, what, args, name, want):
        """want(): is the unit as it was to become? A change that was made is the newest one."""
        was, others = unit(name), {u: unit(u) for u in UNITS if u != name}
        had = [i for i, _, _ in self.done]
        rc = self.tenon(*args)
        if rc is None:
            self.settle()
        elif rc != 0 and what in ("apply", "clean"):
            self.fail(what + " ended with", rc)
        new = [i for i in self.ids() if i not in had]
        if new:
            if not want():
                self.fail(what + ": done, and not as it was to become")
            self.done.append((new[0], name, was))
        elif unit(name) != was:
            self.fail(what + ": not done, and not as before")
        elif rc == 0 and not (what == "apply" and "already as planned" in self.said):
            self.fail(what + ": said done, and nothing is")
        for u, t in others.items():
            if unit(u) != t:
                self.fail(what + " of " + name + " has changed " + u)

    def apply(self):
        env, v = self.rnd.choice("ab"), self.rnd.choice(["1.0", "2.0"])
        self.step("apply", ["apply", PLANS[env, v], "--yes"], env, lambda: version(env) == v)

    def fails(self):
        env = self.rnd.choice("ab")
        was = {u: unit(u) for u in UNITS}
        rc = self.tenon("apply", PLANS[env, "9.9"], "--yes")
        if rc is None:
            self.settle()
        elif rc != 5:
            self.fail("a version that nobody has", rc)
        if {u: unit(u) for u in UNITS} != was:
            self.fail("what failed has changed something")

    def clean(self):
        v = self.rnd.choice(["11.2", "11.6"])
        name = TOOLKIT + v
        if unit(name):
            self.step("clean", ["clean", "cuda", v, "--root", PLACE + "/root", "--yes"], name, lambda: unit(name) is None)

    def undo(self):
        """Of the last one, or of any: one that another has built upon is refused."""
        if not self.done:
            rc = self.tenon("undo")
            if rc is None:
                self.settle()
            return
        k = len(self.done) - 1 if self.rnd.random() < 0.6 else self.rnd.randrange(len(self.done))
        ident, name, before = self.done[k]
        was = {u: unit(u) for u in UNITS}
        last = all(n != name for _, n, _ in self.done[k + 1:])
        rc = self.tenon("undo", *([str(ident)] if k < len(self.done) - 1 or self.rnd.random() < 0.5 else []))
        if rc is None:
            self.settle()
        gone = ident not in self.ids()
        now = {u: unit(u) for u in UNITS}
        if gone and (not last or now[name] != before):
            self.fail("undo of %d is not exact" % ident)
        if not gone and now != was:
            self.fail("undo of %d: not undone, and not as before" % ident)
        if not gone and rc == 0:
            self.fail("undo of %d: said undone" % ident)
        if rc not in (None, 0) and last:
            self.fail("undo of %d is refused" % ident, rc)
        if gone:
            del self.done[k]

    def run(self):
        moves = [self.apply] * 5 + [self.undo] * 3 + [self.clean] * 2 + [self.fails]
        for _ in range(self.rnd.randrange(3, 8)):
            self.rnd.choice(moves)()
        many = len(self.trail)
        while self.done:
            rc, self.said = crash.run(["undo"])
            if rc:
                self.fail("undo to the beginning", rc)
            self.done.pop()
        now = crash.tree(PLACE)
        if now != self.begin:
            a, b = set(map(repr, self.begin)), set(map(repr, now))
            self.fail("the beginning is not as it was:", sorted(a - b)[:3], sorted(b - a)[:3])
        return many


def race(rnd):
    """Whoever says done is done; whoever says no has changed nothing, and says who works."""
    fresh()
    envs = rnd.choice([["a", "b"], ["a", "a"], ["a", "b", "c"], ["a", "a", "b"]])
    ps = [subprocess.Popen([TENON, "apply", PLANS[e, v], "--yes"], cwd=PLACE, env=crash.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
          for e, v in ((e, rnd.choice(["1.0", "2.0"])) for e in envs)]
    said = [p.communicate(timeout=120)[0].decode(errors="replace") for p in ps]
    for p, s in zip(ps, said):
        if p.returncode not in (0, 4, 5):
            crash.fail("race", envs, p.returncode, s)
        if p.returncode == 5 and not re.search(r"another tenon \(process \d+\)|another process|something of that name", s):
            crash.fail("race", envs, "does not say who works:", s)
    if crash.run(["recover"])[0] or crash.leftovers() and envs.count("a") < 2:
        crash.fail("race", envs, "left", crash.leftovers())
    for e in set(envs):
        there, won = os.path.isdir(PLACE + "/" + e), [p.returncode for p, x in zip(ps, envs) if x == e].count(0)
        if there != (won > 0) or there and version(e) not in ("1.0", "2.0"):
            crash.fail("race", envs, e, "is there:", there, "but", won, "have made it", *said)
    while crash.run(["undo"])[0] == 0:
        pass
    if [n for n in os.listdir(PLACE) if n not in ("root", "neighbour")]:
        crash.fail("race", envs, "undone, and left", os.listdir(PLACE))
    return [p.returncode for p in ps].count(5)


PLANS, TALLY = {}, {}
FIRST = int(os.environ.get("FIRST", "0"))  # of the histories of this seed


def main():
    for e in "abc":
        for v in ("1.0", "2.0", "9.9"):
            PLANS[e, v] = shutil.copy(crash.plan(e, "thing==" + v), "%s/%s-%s.json" % (WORK, e, v))
    steps = 0
    for i in range(FIRST, HISTORIES):
        steps += History(random.Random("%s %d" % (SEED, i))).run()
        if i % 50 == 49:
            print("%d histories" % (i + 1), flush=True)
    print("%d random histories of %d steps (%s): each step whole, each taken back to the byte"
          % (HISTORIES - FIRST, steps, ", ".join("%s %d" % t for t in sorted(TALLY.items()))), flush=True)
    lost = sum(race(random.Random("%s race %d" % (SEED, i))) for i in range(RACES))
    print("%d races of two or three at once: %d were told to wait, nothing was harmed" % (RACES, lost))


main()
