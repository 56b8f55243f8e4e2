#!/usr/bin/env bash
# A root folder and a live home full of what nobody wants to meet: dead links and loops, FIFOs, sockets, device nodes, a sparse
# 10 GB file, unreadable folders, names of any bytes, 100,000 entries, deep nesting, cut ELF files, random bytes. Every command
# ends within ten seconds, with an exit status below 4, with valid UTF-8; and a raw record says what the machine said.
. "$(dirname "$0")/lib.sh"
cat >"$WORK/hostile.py" <<'X'
import glob, json, os, random, re, shutil, signal, socket, stat, subprocess, sys, time
tenon, work, source = sys.argv[1:4]
rnd = random.Random(os.environ.get("TENON_SEED", "1"))
root_user = os.getuid() == 0
bad, slowest = [], (0, "")
def w(path, data=b""):
    path = os.fsencode(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
def machine(r):
    """A small plausible machine, so that the bad parts are reached."""
    w(r + "/etc/os-release", b'ID=debian\nVERSION_ID="12"\n')
    w(r + "/etc/ld.so.conf", b"/usr/local/cuda-12.4/lib64\ninclude /etc/ld.so.conf.d/*.conf\n")
    w(r + "/proc/driver/nvidia/version", b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Thu May  1 00:00:00 UTC 2025\n")
    for name, value in ("vendor", "0x10de"), ("device", "0x2204"), ("class", "0x030000"):
        w(f"{r}/sys/bus/pci/devices/0000:01:00.0/{name}", value.encode() + b"\n")
    w(r + "/usr/local/cuda-12.4/version.json", b'{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}')
    for n in "libcudart.so.12", "libcudnn.so.9", "libcublas.so.12":
        w(f"{r}/usr/local/cuda-12.4/lib64/{n}", elf)
    w(r + "/usr/lib/x86_64-linux-gnu/libcuda.so.1", elf)
    w(r + "/var/lib/dpkg/status", b"Package: libcuda1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 535.183.01-1\n\n")
    w(r + "/var/lib/dpkg/info/libcuda1:amd64.list", b"/usr/lib/x86_64-linux-gnu/libcuda.so.1\n")
    w(r + "/usr/bin/python3.11", b"#!/bin/sh\n")
    os.symlink("python3.11", r + "/usr/bin/python3")
    for v in r + "/venv", r + "/home/u/.virtualenvs/two":
        w(v + "/pyvenv.cfg", b"home = /usr/bin\nversion = 3.11.2\n")
        os.makedirs(v + "/bin")
        os.symlink("/usr/bin/python3.11", v + "/bin/python3")
        w(v + "/lib/python3.11/site-packages/tensorflow-2.15.1.dist-info/METADATA", b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.15.1\n")
        w(v + "/lib/python3.11/site-packages/tensorflow-2.15.1.dist-info/RECORD", b"tensorflow/__init__.py,,\n")
        w(v + "/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2", elf)
        w(v + "/lib/python3.11/site-packages/numpy-2.1.0.dist-info/METADATA", b"Metadata-Version: 2.1\nName: numpy\nVersion: 2.1.0\n")
TARGETS = ["etc/os-release", "etc/ld.so.conf", "etc/ld.so.cache", "proc/driver/nvidia/version", "sys/bus/pci/devices/0000:01:00.0/vendor", "usr/local/cuda-12.4/version.json",
           "usr/local/cuda-12.4/lib64/libcudart.so.12", "usr/local/cuda-12.4/lib64/libcudnn.so.9", "usr/lib/x86_64-linux-gnu/libcuda.so.1", "var/lib/dpkg/status",
           "var/lib/dpkg/info/libcuda1:amd64.list", "venv/pyvenv.cfg", "venv/bin/python3", "venv/lib/python3.11/site-packages/tensorflow-2.15.1.dist-info/METADATA",
           "venv/lib/python3.11/site-packages/tensorflow-2.15.1.dist-info/RECORD", "venv/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2",
           "venv/lib/python3.11/site-packages/tensorflow/python/platform/build_info.py", "proc/modules", "usr/bin/nvidia-smi"]
FOLDERS = ["etc", "etc/ld.so.conf.d", "usr/local", "usr/local/cuda-12.4/lib64", "usr/lib/x86_64-linux-gnu", "sys/bus/pci/devices", "lib/modules", "home", "home/u/.virtualenvs",
           "venv/lib/python3.11/site-packages", "venv", "var/lib/dpkg/info", "dev", "proc"]
def replace(r, target):
    p = os.path.join(r, target)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    if os.path.islink(p) or os.path.isfile(p):
        os.unlink(p)
    elif os.path.isdir(p):
        shutil.rmtree(p)
    return p
def dead_links(r):
    for t in TARGETS: os.symlink("/nowhere/at/all", replace(r, t))
def link_loops(r):
    for t in TARGETS:
        p = replace(r, t)
        os.symlink(os.path.basename(p) + ".2", p)
        os.symlink(os.path.basename(p), p + ".2")
    for t in FOLDERS: os.symlink(".", os.path.join(r, t, "self")) if os.path.isdir(os.path.join(r, t)) else None
    os.symlink("/", r + "/venv/lib/python3.11/site-packages/all")
def outward(r):
    for t in TARGETS: os.symlink("/../../../../../../../../etc/passwd", replace(r, t))
def fifos(r):
    for t in TARGETS: os.mkfifo(replace(r, t))
def sockets(r):
    here = os.getcwd()
    for t in TARGETS:
        p = replace(r, t)
        os.chdir(os.path.dirname(p)) # names of sockets are short
        s = socket.socket(socket.AF_UNIX); s.bind(os.path.basename(p)); s.close()
        os.chdir(here)
def nodes(r):
    for i, t in enumerate(TARGETS): os.mknod(replace(r, t), 0o666 | (stat.S_IFCHR if i % 2 else stat.S_IFBLK), os.makedev(*((1, 5) if i % 2 else (7, 250))))
def folders(r):
    for t in TARGETS: os.makedirs(replace(r, t))
def huge(r):
    for t in TARGETS:
        with open(replace(r, t), "wb") as f: f.truncate(10 << 30)
def empty(r):
    for t in TARGETS: w(replace(r, t))
def noise(r):
    for t in TARGETS: w(replace(r, t), rnd.randbytes(rnd.choice([1, 63, 64, 1000, 300000])))
def one_line(r): # a line that never ends, NULs, control characters
    for t in TARGETS: w(replace(r, t), rnd.choice([b"A" * 3000000, b"Name: x\0\nVersion: \x1b[31m\n", b"\n" * 1000000, b"=" * 200000, b"\xff\xfe" * 50000]))
def names(r):
    wild = [b"two\nlines", b"\xff\xfe\x80", b"\x1b[31mred\x1b[0m", b"tab\there", b"-rf", b"a" * 255, b"%s%n", "\u202egnp".encode(), b"'\"`$(x)\\", b" ", b"\xed\xa0\x80", "\U0001F600".encode()]
    for t in FOLDERS:
        base = os.fsencode(os.path.join(r, t))
        os.makedirs(base, exist_ok=True)
        for x in wild:
            w(base + b"/" + x)
            w(base + b"/libcudart.so." + x[:200], elf[:2000])
            w(base + b"/d" + x[:200] + b"/pyvenv.cfg", b"home = /usr/\xff\n")
            w(base + b"/" + x[:200] + b"-1.0.dist-info/METADATA", b"Name: " + x + b"\nVersion: " + x + b"\n")
            w(base + b"/cuda-" + x[:200] + b"/version.json", b'{"cuda": {"version": "' + x + b'"}}')
            w(base + b"/torch-" + x[:200] + b".dist-info/METADATA", b"Name: torch\nVersion: " + x + b"\n")
def many(r):
    for t in "usr/local/cuda-12.4/lib64", "venv/lib/python3.11/site-packages", "sys/bus/pci/devices":
        base = os.path.join(r, t)
        for i in range(100000 if "site" in t else 20000): os.close(os.open(f"{base}/libcudart.so.{i}" if i % 50 == 0 else f"{base}/x{i:06d}", os.O_CREAT | os.O_WRONLY))
def deep(r):
    for t in "venv/lib/python3.11/site-packages", "home/u", "usr/local", "usr/local/cuda-12.4/lib64":
        here = os.getcwd()
        os.chdir(os.path.join(r, t))
        for _ in range(600): # longer than PATH_MAX
            os.mkdir("nested12"); os.chdir("nested12")
        os.chdir(here)
    chain = os.path.join(r, "usr/local/cuda")
    for i in range(60): os.symlink(f"cuda{i + 1}", chain + (str(i) if i else ""))
def cut(r):
    libs = [t for t in TARGETS if ".so" in t or "python3" in t]
    for t in libs: w(replace(r, t), elf[:rnd.choice([0, 1, 4, 15, 16, 52, 63, 64, 65, 119, 120, 121, rnd.randrange(len(elf)), len(elf) - 1])])
    for i in range(150): w(f"{r}/usr/local/cuda-12.4/lib64/libcublas.so.{i}", elf[:rnd.randrange(len(elf))])
    for i in range(150): # broken in the middle of its tables
        e = bytearray(elf)
        for _ in range(20): e[rnd.choice([rnd.randrange(64), rnd.randrange(64, 1000), rnd.randrange(len(e))])] = rnd.randrange(256)
        w(f"{r}/usr/local/cuda-12.4/lib64/libcufft.so.{i}", bytes(e))
def closed(r):
    for t in FOLDERS + TARGETS:
        p = os.path.join(r, t)
        if os.path.lexists(p) and not os.path.islink(p): os.chmod(p, 0)
def unwrap(r): # removal must not stumble over what is too deep or closed
    subprocess.run(["chmod", "-R", "u+rwX", r], stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", r])
def run(what, args, env=None, nobody=False):
    global slowest
    argv = (["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if nobody else []) + [tenon, *args]
    start = time.monotonic()
    try:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10, env=dict(os.environ, **(env or {})), cwd=work)
    except subprocess.TimeoutExpired:
        bad.append(f"{what}: tenon {' '.join(args)} has no end in 10 s")
        return None, b""
    took = time.monotonic() - start
    slowest = max(slowest, (took, f"{what}: {args[0]}"))
    if not 0 <= p.returncode <= 3 or p.returncode == 2:
        bad.append(f"{what}: tenon {' '.join(args)}: exit {p.returncode}, {p.stderr[-300:]!r}")
    for stream in p.stdout, p.stderr:
        try:
            text = stream.decode("utf-8")
        except UnicodeDecodeError as e:
            bad.append(f"{what}: tenon {' '.join(args)}: not UTF-8: {e}")
            continue
        if "\x1b" in text or "\u202e" in text and "--json" not in args and args[0] == "doctor":
            bad.append(f"{what}: tenon {' '.join(args)} lets an escape through")
    return p.returncode, p.stdout
def parse(what, out):
    try:
        return json.loads(out.decode("utf-8"))
    except ValueError as e:
        bad.append(f"{what}: no JSON: {e}")
def numbered(snapshot):
    """Device and inode tell which paths are one file and nothing else; a record has numbers of its own. So each is named by
    the order in which it comes: which files are equal must be the same."""
    seen = {}
    return re.sub(rb'("id": \{"is": "known", "value": ")([0-9a-f]+:[0-9]+)"',
                  lambda m: m[1] + b"file %d\"" % seen.setdefault(m[2], len(seen)), snapshot)
def judge(what, r, live, nobody):
    where = [] if live else ["--root", r]
    envs = {"HOME": r + "/home/u", "VIRTUAL_ENV": r + "/venv", "LD_LIBRARY_PATH": f"{r}/usr/local/cuda-12.4/lib64:{r}/usr/lib/x86_64-linux-gnu",
            "PATH": f"{r}/venv/bin:" + os.environ["PATH"]} if live else {}
    named = [] if live else ["--env", "/venv"]
    run(what, ["doctor", *named, "--verbose", *where], envs, nobody)
    rc, out = run(what, ["doctor", *named, "--json", *where], envs, nobody)
    if rc == 3 and not out and named: # /venv leads nowhere: that was said, and the rest is judged without it
        named = []
        rc, out = run(what, ["doctor", "--json", *where], envs, nobody)
    first = parse(what, out)
    _, out = run(what, ["snapshot", *where], envs, nobody)
    parse(what, out)
    _, direct = run(what, ["snapshot", *named, "--include-identifiers", *where], envs, nobody)
    record = os.path.join(work, "out", "record.json")
    if os.path.exists(record):
        os.unlink(record)
    run(what, ["snapshot", "--raw", "-o", record, *named, *where], envs, nobody)
    if not os.path.exists(record):
        bad.append(f"{what}: no record was written")
        return
    parse(what + " record", open(record, "rb").read())
    _, again = run(what, ["snapshot", "--include-identifiers", "--from", record, *named], None, nobody)
    free = re.compile(rb'("free_bytes": \{"is": "known", "value": )[0-9]+')  # of a disk: another moment, another number
    again, direct = free.sub(rb"\g<1>0", again), free.sub(rb"\g<1>0", direct)
    again, direct = numbered(again), numbered(direct)
    if again != direct:
        a, b = direct.decode(errors="replace").split("\n"), again.decode(errors="replace").split("\n")
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        bad.append(f"{what}: the record replays to other facts, line {at + 1}: {a[at:at + 1]} against {b[at:at + 1]}")
    _, out = run(what, ["doctor", "--json", "--from", record, *named], None, nobody)
    again = parse(what, out) if out else first
    for f in [f for d in (first, again) if d for f in d["findings"]]:
        for r in f["remedies"]: # tenon's own commands name the machine they are about
            if str(r["command"]).startswith("tenon "):
                r["command"] = None
    if again != first and first is not None:
        differ = [k for k in first if (again or {}).get(k) != first[k]]
        bad.append(f"{what}: the record is judged otherwise: {differ}: {[(first[k], (again or {}).get(k)) for k in differ][:1]}"[:1500])
elf = open(os.path.realpath(glob.glob("/lib/*/libz.so.1")[0] if glob.glob("/lib/*/libz.so.1") else tenon), "rb").read()[:300000]
os.makedirs(work + "/out", exist_ok=True)
os.chmod(work + "/out", 0o777)
os.chmod(work, 0o755)
cases = [lambda r: None, dead_links, link_loops, outward, fifos, sockets, folders, huge, empty, noise, one_line, names, many, deep, cut] + [nodes, closed] * root_user
for case in cases:
    r = os.path.join(work, "root")
    machine(r)
    case(r)
    name = case.__name__.replace("<lambda>", "nothing bad")
    users = [True] if case is closed else [False] + [True] * (root_user and case in (names, outward, fifos))
    for nobody in users:
        for live in False, True:
            judge(name + (" live" if live else "") + (" as nobody" if nobody else ""), r, live, nobody)
    unwrap(r)
print(f"{len(cases)} kinds; slowest {slowest[0]:.1f} s in {slowest[1]}")
print("\n".join(bad[:20]))
sys.exit(1 if bad else 0)
X
python3 "$WORK/hostile.py" "$TENON" "$WORK" "$TENON_SOURCE" || fail "hostile parts"
