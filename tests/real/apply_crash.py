#!/usr/bin/env python3
"""Promises 1, 2 and 5: apply, clean, undo and recover are killed, or an error is injected, at their state-changing system calls.

usage: apply_crash.py WORK TENON PYTHON UV WHEELS POINTS SEED [--double]

Each point: a fresh copy of the start, the command under strace which kills it (or fails the call) at the n-th call of a kind,
then `tenon recover`: the tree must be the old one or the new one, and the command, run again, must come to the new one; undo then
comes back to the old one, to the byte. POINTS 0: all of them. --double: recover itself is killed at every point, too."""
import hashlib, json, os, random, re, shutil, stat, subprocess, sys

WORK, TENON, PYTHON, UV, WHEELS, POINTS, SEED = sys.argv[1:8]
POINTS, DOUBLE = int(POINTS), "--double" in sys.argv
CALLS = ["mkdir", "mkdirat", "openat", "write", "pwrite64", "rename", "renameat", "renameat2", "linkat", "symlinkat", "unlinkat", "fsync",
         "fdatasync", "syncfs", "ftruncate", "fchmod", "utimensat"]
ERRORS = {"mkdirat": ["ENOSPC", "EROFS"], "write": ["ENOSPC", "EIO", "EINTR"], "fsync": ["EIO"], "fdatasync": ["EIO", "ENOSPC"], "syncfs": ["EIO"],
          "renameat2": ["EIO", "ENOSPC"], "openat": ["EMFILE", "ENOSPC"], "unlinkat": ["EIO"], "linkat": ["ENOSPC", "EMLINK"], "symlinkat": ["ENOSPC"]}
ENV = {"HOME": WORK + "/home", "PATH": os.path.dirname(UV) + ":" + os.path.dirname(PYTHON) + ":/usr/bin:/bin", "UV_CACHE_DIR": WORK + "/uv-cache", "UV_NO_INDEX": "1",
       "UV_FIND_LINKS": WHEELS, "UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS, "LC_ALL": "C.UTF-8", "UV_LINK_MODE": "copy"}
PLACE, START = WORK + "/place", WORK + "/start"
minor = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()


def tree(root):
    """Content, mode, owner, links and extended attributes; what Python compiles by itself does not count."""
    out = []
    for top, dirs, files in os.walk(root):
        dirs.sort()
        dirs[:] = [d for d in dirs if d != "__pycache__"]
        for n in sorted(files) + dirs:
            p = os.path.join(top, n)
            st = os.lstat(p)
            what = os.readlink(p) if stat.S_ISLNK(st.st_mode) else hashlib.sha256(open(p, "rb").read()).hexdigest() if stat.S_ISREG(st.st_mode) else ""
            attrs = [(a, os.getxattr(p, a, follow_symlinks=False)) for a in os.listxattr(p, follow_symlinks=False)]
            out.append((os.path.relpath(p, root), st.st_mode, st.st_uid, st.st_gid, what, attrs, None if stat.S_ISDIR(st.st_mode) else st.st_mtime_ns))
    return out


def run(args, inject=None, log=None):
    cmd = [TENON] + args
    if inject:
        cmd = ["strace", "-qq", "-o", log or "/dev/null", "-e", "trace=" + inject.split(":")[0], "-e", "inject=" + inject] + cmd
    r = subprocess.run(cmd, cwd=PLACE, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return r.returncode, r.stdout.decode(errors="replace")


def counts(args):
    """How many calls of each kind the command makes itself (its children are not followed)."""
    log = WORK + "/calls"
    subprocess.run(["strace", "-qq", "-o", log, "-e", "trace=" + ",".join(CALLS)] + [TENON] + args, cwd=PLACE, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    n = {}
    for line in open(log, errors="replace"):
        m = re.match(r"(\w+)\(", line)
        if m:
            k = m.group(1)
            if k == "openat" and "O_CREAT" not in line and "O_RDONLY" in line:
                n.setdefault("openat-read", 0)
            n[k] = n.get(k, 0) + 1
    return n


def works():
    r = subprocess.run([PLACE + "/env/bin/python", "-I", "-c", "import thing; print(thing.V)"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    s = subprocess.run([PLACE + "/env/bin/thing-run"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) if os.path.exists(PLACE + "/env/bin/thing-run") else None
    return r.stdout.decode().strip(), s.stdout.decode().strip() if s else None


def leftovers():
    return [n for n in os.listdir(PLACE) if ".tenon-" in n]


def fail(what, *more):
    print("FAILED:", what, *more)
    sys.exit(1)


class Case:
    """A command, what is done before it, and which version of the thing is there afterwards ("": no environment; None: the tree
    that it comes to undisturbed)."""

    def __init__(self, name, args, before, new, lay=None):
        self.name, self.args, self.before, self.new, self.lay, self.want = name, args, before, new, lay, None

    def start(self):
        for d in (PLACE, ENV["HOME"]):
            shutil.rmtree(d, ignore_errors=True)
        os.makedirs(ENV["HOME"])
        os.makedirs(PLACE)
        open(PLACE + "/neighbour", "w").write("untouched")
        if self.lay:
            self.lay()
        for args in self.before:
            rc, said = run(args)
            if rc:
                fail(self.name, args, rc, said)
        return tree(PLACE)


def judge(case, old, where, said):
    """Old to the byte, or new and working."""
    now = tree(PLACE)
    there = os.path.isdir(PLACE + "/env")
    v = works() if there else ("", None)
    shown = lambda t: [e for e in t if not any(".tenon-" in part for part in e[0].split("/"))]
    if case.new is None:
        mine = [e if case.name.startswith("undo") else e[:-1] for e in shown(now)]  # a file that was written anew has its own time
        case.want = case.want or mine
        if mine == case.want:
            return "new"
    if case.new is not None and there == (case.new != "") and (not there or v == (case.new, case.new)):
        return "new"
    if shown(now) == shown(old):
        return "old"
    a, b = set(map(repr, old)), set(map(repr, now))
    fail(case.name, where, "mixed:", v, sorted(a - b)[:3], sorted(b - a)[:3], said)


def point(case, inject):
    old = case.start()
    rc, said = run(case.args, inject)
    if "signal" not in inject and rc not in (0, 3, 4, 5):
        fail(case.name, inject, "ended with", rc, said)
    rc2, said2 = run(["recover"])
    if rc2:
        fail(case.name, inject, "recover ended with", rc2, said2)
    came = judge(case, old, inject, said + said2)
    if came == "old" and leftovers() and case.name != "undo-change":
        fail(case.name, inject, "left", leftovers())
    if case.name.startswith("undo") and came == "new":
        return came
    rc3, said3 = run(case.args) if case.name != "clean" or came == "old" else (0, "")  # what is gone is not found again
    if rc3:
        fail(case.name, inject, "does not finish when it runs again:", rc3, said3)
    if judge(case, old, inject + " again", said3) != "new":
        fail(case.name, inject, "run again it is not new")
    if case.name in ("change", "clean"):
        rc4, said4 = run(["undo"])
        if rc4 or tree(PLACE) != old:
            fail(case.name, inject, "undo is not exact:", rc4, said4)
    return came


def double(case, inject):
    """The recovery killed at each of its own calls."""
    done = 0
    case.start()
    run(case.args, inject)
    for call, many in counts(["recover"]).items():
        for k in range(1, many + 1):
            if call == "openat" and k % 9:
                continue
            old = case.start()
            run(case.args, inject)
            run(["recover"], "%s:signal=SIGKILL:when=%d" % (call, k))
            rc, said = run(["recover"])
            if rc:
                fail(case.name, inject, call, k, "second recover", rc, said)
            judge(case, old, "%s then %s %d" % (inject, call, k), said)
            done += 1
    return done


def toolkit():
    """CUDA 11.6 as NVIDIA's runfile leaves it, in another root folder, and a line of a start file that leads there."""
    t = PLACE + "/root/usr/local/cuda-11.6"
    for d in ("bin", "lib64", "include"):
        os.makedirs(t + "/" + d)
    open(t + "/version.json", "w").write('{"cuda":{"name":"CUDA SDK","version":"11.6.0"}}')
    open(t + "/lib64/libcublas.so.11.0.0", "w").write("blas")
    os.symlink("libcublas.so.11.0.0", t + "/lib64/libcublas.so.11")
    for f in ("bin/nvcc", "bin/cuda-uninstaller", "include/cuda.h"):
        open(t + "/" + f, "w").write(f)
    for d in ("etc", "var/lib/dpkg/info"):
        os.makedirs(PLACE + "/root/" + d)
    open(PLACE + "/root/var/lib/dpkg/status", "w").close()
    open(PLACE + "/root/etc/profile", "w").write("umask 022\nexport PATH=/usr/local/cuda-11.6/bin:$PATH\n")
    for top, _, files in os.walk(PLACE):  # one time for all, so that two beginnings are equal
        for n in files:
            os.utime(os.path.join(top, n), ns=(10 ** 18, 10 ** 18), follow_symlinks=False)


def plan(env, spec, tool="uv"):
    by = {} if tool == "pip" else {"tool": tool}
    steps = [{"do": dict({"kind": "venv", "env": env, "python": minor}, **by)}, {"do": dict({"kind": "packages", "env": env, "python": minor, "packages": [spec]}, **by)}]
    p = WORK + "/" + spec + ".json"
    json.dump({"command": "plan", "steps": steps}, open(p, "w"))
    return p


def main():
    first, second = plan("env", "thing==1.0"), plan("env", "thing==2.0")
    make, change = ["apply", first, "--yes"], ["apply", second, "--yes"]
    clean = ["clean", "cuda", "11.6", "--root", PLACE + "/root", "--yes"]
    total = 0
    for c in [Case("clean", clean, [], None, toolkit), Case("make", make, [], "1.0"), Case("change", change, [make], "2.0"), Case("undo", ["undo"], [make], ""), Case("undo-clean", ["undo"], [clean], None, toolkit), Case("undo-change", ["undo"], [make, change], "1.0")]:
        if c.name not in os.environ.get("CASES", c.name).split():
            continue
        old = c.start()
        n = counts(c.args)
        if judge(c, old, "undisturbed", "") != "new":
            fail(c.name, "does not come to its end:", c.start() and run(c.args))
        kills = ["%s:signal=SIGKILL:when=%d" % (k, i) for k in CALLS if k in n for i in range(1, n[k] + 1) if k != "openat" or i % 7 == 0]
        errors = ["%s:error=%s:when=%d" % (k, e, i) for k in ERRORS if k in n for e in ERRORS[k] for i in range(1, n[k] + 1) if k != "openat" or i % 11 == 0]
        rnd = random.Random(SEED + c.name)
        rnd.shuffle(kills)
        rnd.shuffle(errors)
        all_points = len(kills) + len(errors)
        some = kills[:POINTS] + errors[:(POINTS + 1) // 2] if POINTS else kills + errors
        tally = {"old": 0, "new": 0}
        for p in some:
            tally[point(c, p)] += 1
        twice = sum(double(c, p) for p in (kills[:6] if DOUBLE else []))
        total += len(some) + twice
        print("%s: %d of %d points (and %d of recovery), %d old, %d new, 0 mixed; each finished when run again" % (c.name, len(some), all_points, twice, tally["old"], tally["new"]), flush=True)
    print("%d points" % total)


if __name__ == "__main__":
    main()
