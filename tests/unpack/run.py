#!/usr/bin/env python3
"""Hostile wheels, zips and tars through tenon-unpack (reliability.md's promise 14): none writes outside the folder, none
that is refused leaves anything in it, healthy ones come out as they are. With and without openat2. It also says what the
process may still do is told by itself, as it found it. usage: run.py [NAME]"""
import ctypes
import base64
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from archives import archives  # noqa: E402

UNPACK = os.path.join(os.path.dirname(os.environ["TENON"]), "tenon-unpack")


LANDLOCK = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) > 0  # landlock_create_ruleset: its version


def tree(top):
    out = {}
    for base, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(base, name)
            st = os.lstat(path)
            rel = os.path.relpath(path, top)
            if stat.S_ISLNK(st.st_mode):
                out[rel] = ("l", 0, os.readlink(path))
            elif stat.S_ISDIR(st.st_mode):
                out[rel] = ("d", stat.S_IMODE(st.st_mode), "")
            elif stat.S_ISREG(st.st_mode):
                with open(path, "rb") as f:
                    out[rel] = ("f", stat.S_IMODE(st.st_mode), hashlib.sha256(f.read()).hexdigest())
            else:
                out[rel] = ("?", st.st_mode, "")
    return out


def unpack(archive, into, lines=(), sha256="-", walk=False):
    """The helper as tenon starts it. Returns the finished process."""
    a = os.open(archive, os.O_RDONLY)
    r = os.open(into, os.O_PATH | os.O_DIRECTORY) if into else -1
    fds = [a] + ([r] if into else [])
    request = "".join(x + "\n" for x in ([f"root {r}"] if into else []) + list(lines) +
                      [f"archive {a} {sha256} {os.path.basename(archive)}", "go"])
    env = {"LC_ALL": "C"}
    if walk:
        env["TENON_UNPACK_WALK"] = "1"
    p = subprocess.run([UNPACK], input=request.encode(), capture_output=True, pass_fds=fds, env=env, timeout=120, check=False)
    for fd in fds:
        os.close(fd)
    return p


def unescape(raw):
    out, i = bytearray(), 0
    while i < len(raw):
        if raw[i] == ord("%"):
            out.append(int(raw[i + 1:i + 3], 16))
            i += 2
        else:
            out.append(raw[i])
        i += 1
    return os.fsdecode(bytes(out))


def told(text):
    """What its lines say was placed."""
    out, last = {}, None
    for line in text.split(b"\n"):
        word = line.split(b" ", 5)
        if word[0] == b">":
            out[last] = ("l", 0, unescape(line[2:]))
        elif word[0] in (b"f", b"d", b"l") and len(word) == 6:
            last = unescape(word[5])
            out[last] = ("d", 0o755, "")
            if word[0] == b"f":
                out[last] = ("f", int(word[1], 8), word[3].decode())
    return out


def check(a, work, walk):
    outer = os.path.join(work, "outer")
    into = os.path.join(outer, "in", "to")
    os.makedirs(into)
    with open(os.path.join(outer, "out"), "wb") as f:
        f.write(b"outside\n")
    archive = os.path.join(work, a.file)
    with open(archive, "wb") as f:
        f.write(a.data)
    before = {k: v for k, v in tree(outer).items() if not k.startswith("in/to/")}
    sha256 = "0" * 64 if a.name == "sum" else hashlib.sha256(a.data).hexdigest()
    p = unpack(archive, into, a.lines, sha256, walk)
    after = tree(outer)
    inside = {k[6:]: v for k, v in after.items() if k.startswith("in/to/")}
    outside = {k: v for k, v in after.items() if not k.startswith("in/to/")}
    bad = []
    if outside != before or os.path.lexists("/tmp/tenon-out"):
        bad.append("changed something OUTSIDE")
    if p.returncode not in {"refused": (4,), "placed": (0,), "safe": (0, 4)}[a.want]:
        bad.append(f"status {p.returncode}")
    if p.returncode == 4 and not any(x.startswith(b"refused 1 ") or x.startswith(b"refused 0 ") for x in p.stdout.split(b"\n")):
        bad.append("no reason")
    if p.returncode and inside:
        bad.append(f"left {sorted(inside)[:3]}")
    if any(v[0] == "?" or v[1] & 0o7000 for v in inside.values()):
        bad.append("made a node or a set bit")
    if a.tree is not None and inside != a.tree:
        bad.append(f"tree {sorted(set(inside.items()) ^ set(a.tree.items()))[:4]}")
    if p.returncode == 0 and told(p.stdout) != inside:
        bad.append(f"told {sorted(set(told(p.stdout).items()) ^ set(inside.items()))[:4]}")
    if not p.stdout.startswith(b"bounds privileges capabilities landlock filter\n" if LANDLOCK else b"bounds privileges"):
        bad.append("unbounded: " + p.stdout.split(b"\n")[0].decode())
    if any(c < 32 and c != 10 for c in p.stdout):
        bad.append("a control character in its answer")
    listed = unpack(archive, None, a.lines, sha256) if walk else p  # without a folder: the same verdict and members
    if listed.returncode != p.returncode or (p.returncode == 0 and told(listed.stdout) != inside):
        bad.append(f"listing: status {listed.returncode}")
    shutil.rmtree(outer)
    if bad:
        print(f"{a.file} {a.name}: {'; '.join(bad)}\n    {p.stdout[-200:]!r} {p.stderr[-300:]!r}")
    return not bad


# A zip of one file, signed by minisign 0.11 (its signatures are the same every time).
SIGNED = ("UEsDBBQAAAAAAAAAIVCGphA2BQAAAAUAAAAFAAAAYS50eHRoZWxsb1BLAQIUAxQAAAAAAAAAIVCGphA2BQAAAAUAAAAFAAAAAAAAAAAAAACA"
          "AQAAAABhLnR4dFBLBQYAAAAAAQABADMAAAAoAAAAAAA=")
KEY = "RWR9oWW8PWG/8YE+BZXX0DIO/lF/Ad/GXnKvVuKiiOcZFQrMb4I0Wce2"
SIGNATURE = "RUR9oWW8PWG/8Z4lsdjBMIENKkEVxrEfILPRLvDKOgFMP2GWadH3RaW8O5KlH5mEu60GFD2S4x1BRgqvLdE3g2HyNGmhYfjbTQQ="
GLOBAL = "LAUnuTWfRVHd5kB+r9Y3Gm2Ao2kX7kqhSigyEedGk6pdziYNO2W1zyv8kVJK4mhDnUYSZ997nlqQ66h0l2Q6BQ=="


def signatures():
    """Every bit of the signatures, the key, the comment and the file counts. Wrong ones."""
    wrong = tried = 0
    parts = [bytearray(base64.b64decode(KEY)[10:]), bytearray(base64.b64decode(SIGNATURE)[10:]), bytearray(base64.b64decode(GLOBAL)),
             bytearray(b"a test"), bytearray(base64.b64decode(SIGNED))]
    with tempfile.TemporaryDirectory() as work:
        for part in range(-1, len(parts)):
            for bit in range(1 if part < 0 else len(parts[part]) * 8) if part < 4 else range(0, len(parts[4]) * 8, 37):
                if bit % 5 and part in (0, 1, 2):
                    continue
                p = [bytearray(x) for x in parts]
                if part >= 0:
                    p[part][bit // 8] ^= 1 << bit % 8
                path = os.path.join(work, "a.zip")
                with open(path, "wb") as f:
                    f.write(p[4])
                r = unpack(path, None, ["signed " + " ".join(x.hex() for x in p[:4])])
                good = r.returncode == 0 if part < 0 else r.returncode == 4 and b"its signature is not that of the key" in r.stdout
                wrong += not good
                tried += 1
                if not good:
                    print(f"signature: part {part}, bit {bit}: {r.returncode} {r.stdout!r}")
    print(f"{tried} signatures: {wrong} wrong")
    return wrong


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else None
    count = {"refused": 0, "placed": 0, "safe": 0}
    bad = 0
    for n, a in enumerate(archives()):
        if only and only != a.name:
            continue
        with tempfile.TemporaryDirectory() as work:
            for walk in (False, True) if n % 8 == 0 or a.want == "placed" else (False,):
                bad += not check(a, work, walk)
        count[a.want] += 1
    if not only:
        bad += signatures()
    print(f"{count['refused'] + count['safe']} hostile archives, {count['placed']} healthy ones: {bad} wrong")
    if not only:
        assert count["refused"] + count["safe"] >= 200
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
