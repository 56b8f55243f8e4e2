#!/usr/bin/env python3
"""Random machines for `tenon clean`: toolkits, broken environments, cuDNN, caches, and beside and in them look-alikes
and files of people. After `clean --yes`, and after one that names a toolkit or an environment, no file of a person's may be
gone from its place, nothing may have left a link's target or a mount, start files of shells have lost whole lines that
lead to what went and nothing else, and `undo` gives the tree back as it was.

clean_trees.py [TENON WORK COUNT SEED]   prints counts; exit 1 with the seed of the first tree that fails"""
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

if len(sys.argv) > 1:
    TENON, WORK, COUNT, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
else:
    TENON, WORK, COUNT, SEED = os.environ["TENON"], tempfile.mkdtemp(prefix="tenon-trees-"), 30, 20261202
ODD = [b"plain", b"with space", b"\xff\xfe", b"new\nline", b"-rf", b"$(id)", b"\xe4\xb8\xad", b"\x1b[2J", b"*", b"a'b"]


EDITED = []


class Tree:
    def __init__(self, root, rng):
        self.root, self.rng, self.foreign = os.fsencode(root), rng, set()

    def path(self, p):
        return self.root + (p if isinstance(p, bytes) else p.encode())

    def file(self, p, data=b"x", age=400):
        p = self.path(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "wb") as f:
            f.write(data)
        t = 1_700_000_000 - age
        os.utime(p, (t, t))

    def person(self, folder):
        """A file of a person's somewhere in a folder: its name or its age tells."""
        name = self.rng.choice(ODD) + self.rng.choice([b".ipynb", b".py", b"", b".so", b".h5"])
        name = name if name not in (b"-rf", b"plain") else b"thesis.tex"
        p = os.path.join(folder if isinstance(folder, bytes) else folder.encode(), name)
        self.file(p, b"mine")
        t = 1_700_000_000 + self.rng.randint(200_000, 9_000_000)
        os.utime(self.path(p), (t, t))
        self.foreign.add(self.path(p))

    def link(self, p, target):
        p = self.path(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        os.symlink(target, p)


def toolkit(t, version):
    base = f"/usr/local/cuda-{version}"
    for n in ("bin/nvcc", "bin/ptxas", "bin/cuda-uninstaller", "lib64/libcudart.so.11.0", "lib64/libcublas.so.11.1.0",
              "include/cuda.h", "include/thrust/sort.h", "nvvm/libdevice/libdevice.10.bc", "doc/a.txt", "EULA.txt"):
        t.file(f"{base}/{n}")
    t.file(f"{base}/version.json", json.dumps({"cuda": {"name": "CUDA SDK", "version": version + ".0"}}).encode())
    t.link(f"{base}/lib64/libcudart.so", "libcudart.so.11.0")
    where = ["", "/bin", "/lib64", "/include", "/extras", "/doc", "/samples", "/lib64/deep"]
    for _ in range(t.rng.choice([0, 0, 0, 1, 2])):
        t.person(base + t.rng.choice(where))
    if t.rng.random() < 0.2:
        t.link(f"{base}/lib64/libnccl.so.2", t.rng.choice(["/home/ann/work/libnccl.so.2", "/", "../../.."]))
    if t.rng.random() < 0.2:
        os.mkfifo(t.path(f"{base}/doc/pipe"))
        t.foreign.add(t.path(f"{base}/doc/pipe"))


def env(t, name):
    base = b"/home/ann/" + name
    site = base + b"/lib/python3.10/site-packages"
    t.file(base + b"/pyvenv.cfg", b"home = /opt/gone/bin\nversion = 3.10.1\n")
    t.link(base + b"/bin/python3", "/opt/gone/bin/python3.10")
    t.file(base + b"/bin/activate")
    t.file(base + b"/bin/tool")
    t.file(site + b"/x/__init__.py")
    t.file(site + b"/x/__pycache__/__init__.cpython-310.pyc")
    t.file(site + b"/x-1.dist-info/METADATA", b"Name: x\nVersion: 1\n")
    t.file(site + b"/x-1.dist-info/RECORD",
           b"x/__init__.py,,\nx-1.dist-info/METADATA,,\nx-1.dist-info/RECORD,,\n../../../bin/tool,,\n")
    t.link(base + b"/lib64", "lib")
    for _ in range(t.rng.choice([0, 0, 0, 1, 2])):
        t.person(base + t.rng.choice([b"", b"/bin", b"/src", b"/lib/python3.10/site-packages", b"/share",
                                      b"/lib/python3.10/site-packages/x", b"/etc"]))
    if t.rng.random() < 0.2:
        t.link(base + b"/data", "/home/ann/work")
        t.foreign.add(t.path(base + b"/data"))


def make(root, rng):
    t = Tree(root, rng)
    t.file("/etc/os-release", b"ID=ubuntu\nVERSION_ID=22.04\n")
    t.file("/var/lib/dpkg/status", b"")
    os.makedirs(t.path("/var/lib/dpkg/info"))
    os.makedirs(t.path("/usr/bin"))
    for _ in range(3):
        t.person("/home/ann/work")
    t.person("/home/ann/results/" + "0123456789abcdef" * 4) # as a cache calls its folders
    t.person("/usr/local/lib")
    versions = rng.sample(["10.2", "11.0", "11.2", "11.6", "11.60", "12.1"], rng.randint(0, 3))
    for v in versions:
        toolkit(t, v)
    for like in rng.sample(["/usr/local/cuda-mine", "/usr/local/cudamonitor", "/usr/local/cuda-11", "/home/ann/venv-notes",
                            "/opt/cuda-data", "/home/ann/.cache/pip-own", "/home/ann/.nv"], 3):
        t.person(like)
    for n in rng.sample([b"old", b"two words", b"\xffbytes", b"\xe6\x97\xa7", b"line\nend", b".venv"], rng.randint(0, 3)):
        env(t, n)
    if rng.random() < 0.5:
        t.file("/home/ann/.nv/ComputeCache/index")
    if rng.random() < 0.3:
        t.link("/home/ann/.triton/cache", rng.choice(["/home/ann/work", "/home/ann/results"]))
    if rng.random() < 0.3:
        t.link("/usr/local/cuda-12.9", rng.choice(["/home/ann/work", "cuda-11.2", "/usr/local", ".."]))
    for rc in rng.sample(["/home/ann/.bashrc", "/home/ann/.profile", "/etc/profile.d/x.sh",
                          "/etc/ld.so.conf.d/x.conf"], rng.randint(0, 4)):
        t.file(rc, setting(rng, versions).encode())
    return t


def setting(rng, versions):
    """Lines that lead to a toolkit and lines of people's, in any order."""
    v = rng.choice((versions or ["11.2"]) + ["12.9"])
    ours = [f"export PATH=/usr/local/cuda-{v}/bin:$PATH", f"CUDA_HOME=/usr/local/cuda-{v}", "export PATH=$CUDA_HOME/bin:$PATH",
            f"/usr/local/cuda-{v}/lib64", f"  LD_LIBRARY_PATH='/usr/local/cuda-{v}/lib64'",
            f"export P=/opt/mine:/usr/local/cuda-{v}/lib64${{P:+:${{P}}}}"]
    people = ["alias ll='ls -l'", "# mine", "if true; then", "fi", "export EDITOR=vi", "cat <<E", "x='", "'", "y=\\",
              "/opt/mine/lib", "", f"n() {{ /usr/local/cuda-{v}0/bin/nvcc; }}"]
    return "".join(rng.choice(ours + people) + rng.choice(["\n", "\n", "\n", "\r\n"]) for _ in range(rng.randint(1, 12)))


def is_shortened(before, after):
    """Are the lines of after lines of before in that order, with at most an element of a list less or ":" instead?"""
    rest = iter(before.split(b"\n"))
    for line in after.split(b"\n"):
        for was in rest:
            if was == line or line.strip() == b":" or (b"/opt/mine" in was and line == b"export P=/opt/mine${P:+:${P}}"):
                break
            if b"/usr/local/cuda-" not in was and b"$CUDA_HOME/bin" not in was:
                return False
        else:
            return False
    return all(b"/usr/local/cuda-" in was or b"$CUDA_HOME/bin" in was or not was for was in rest)


def settings_kept(doc):
    for s in doc["steps"]:
        if s["outcome"] == "changed":
            EDITED.append(s["what"])
            with open(os.fsencode(s["what"]), "rb") as f:
                now = f.read()
            with open(os.fsencode(s["aside"]), "rb") as f:
                was = f.read()
            assert is_shortened(was, now), f"{s['what']}: {was} became {now}"


def state(root):
    """Everything but the times of folders, which a change in them moves."""
    seen = {}
    for base, dirs, files in os.walk(os.fsencode(root)):
        for n in dirs + files:
            p = os.path.join(base, n)
            s = os.lstat(p)
            what = os.readlink(p) if os.path.islink(p) else b""
            if os.path.isfile(p) and not os.path.islink(p):
                with open(p, "rb") as f:
                    what = hashlib.sha256(f.read()).digest()
            folder = os.path.isdir(p) and not os.path.islink(p)
            seen[p] = (s.st_mode, s.st_uid, s.st_gid, 0 if folder else s.st_mtime_ns, what)
    return seen


def run(*words, root):
    e = dict(os.environ, XDG_STATE_HOME=os.path.join(WORK, "state"), LC_ALL="C")
    return subprocess.run([TENON, *words, *(["--root", root] if root else [])], capture_output=True, env=e, timeout=60)


def one(seed):
    rng, root = random.Random(seed), os.path.join(WORK, "tree")
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(os.path.join(WORK, "state"), ignore_errors=True)
    os.makedirs(root)
    t = make(root, rng)
    before = state(root)
    survey = run("clean", "--json", root=root)
    assert survey.returncode == 0, survey.stderr
    assert state(root) == before, "the survey has changed something"
    moved = 0
    free = [i for i in json.loads(survey.stdout)["items"] if i["goes"]]
    r = run("clean", "--yes", "--json", root=root)
    assert r.returncode == 0, r.stderr
    doc = json.loads(r.stdout)
    moved += len(doc["changed"])
    assert moved >= len([i for i in free if i["removal"]["how"] == "aside"]), "what could go did not"
    gone = set(before) - set(state(root))
    lost = gone & t.foreign
    assert not lost, f"gone with somebody's files: {lost}"
    settings_kept(doc)
    if doc["id"] is not None:
        u = run("undo", str(doc["id"]), root=None)
        assert u.returncode == 0, u.stderr
    assert state(root) == before, "undo did not bring everything back"
    moved += by_name(t, root, before, survey)
    return moved, len(t.foreign)


def by_name(t, root, before, survey):
    """One of them by its path, whatever leads to it."""
    items = [i for i in json.loads(survey.stdout)["items"] if i["kind"] in ("toolkit", "env") and isinstance(i["path"], str)]
    if not items:
        return 0
    one = t.rng.choice(items)
    r = run("clean", one["path"], "--yes", "--json", root=root)
    assert r.returncode in (0, 4), r.stderr
    doc = json.loads(r.stdout)
    assert (r.returncode == 0) == (one["state"] in ("free", "named")), f"{one['state']}: {r.returncode}"
    lost = set(before) - set(state(root))
    assert not lost & t.foreign, f"gone with somebody's files: {lost & t.foreign}"
    settings_kept(doc)
    if doc["id"] is not None:
        u = run("undo", str(doc["id"]), root=None)
        assert u.returncode == 0, u.stderr
    assert state(root) == before, "undo did not bring everything back"
    return len(doc["changed"])


def main():
    moved = people = 0
    os.makedirs(WORK, exist_ok=True)
    for k in range(COUNT):
        try:
            m, p = one(SEED * 1_000_003 + k)
        except Exception as e:
            print(f"FAILED: tree {k} of seed {SEED}: {type(e).__name__}: {e}")
            return 1
        moved, people = moved + m, people + p
    if len(sys.argv) == 1:
        shutil.rmtree(WORK)
    print(f"{COUNT} trees, seed {SEED}: {moved} moved aside and brought back, {len(EDITED)} start files changed and changed back, 0 of {people} files of people touched")
    return 0 if moved or COUNT < 20 else 1


sys.exit(main())
