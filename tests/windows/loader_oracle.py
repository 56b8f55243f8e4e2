#!/usr/bin/env python3
"""The simulated loader of Windows against wine's: generated trees of DLLs.

loader_oracle.py FOLDER RUN PROG COUNT SEED [SAVE]    trees below FOLDER; RUN: loader_run.c, PROG: loader_prog.c for Windows

A tree is a program's folder, folders for PATH and AddDllDirectory, a working folder and files in wine's own System32
and Windows folders. Its DLLs are written here byte by byte: random imports, delayed imports, forwarders, wrong machines,
files that are none, the same name in several folders, other spellings. Then a random program of opens. Exit 1 at a
difference; the seed of the tree is printed: it runs alone with COUNT 1.

Where wine is known to deviate from Windows (source: wine dlls/ntdll/loader.c), the plan ends or the tree avoids it: what
was loaded before an import failed stays loaded; a symbol that is missing, and a forwarder whose DLL is missing, become
stubs; a file for a processor that the machine cannot run at all (ARM64) stops the search, another one (32 bits) does not."""
import os
import random
import shutil
import struct
import subprocess
import sys

NAMES = ["ta.dll", "tb.dll", "tc.dll", "td.dll", "te.dll", "tf.dll", "Mixed.dll", "tg64_11.dll", "th.pyd"]
FLAGS = [0] * 6 + [0x8] * 4 + [0x1000] * 5 + [0x1100] * 5 + [0x100, 0x200, 0x400, 0x800, 0xA00, 0xC00, 0x900, 0x1108]
AMD64, I386 = 0x8664, 0x14C


def pe(r, imports=(), delayed=(), forwards=(), machine=AMD64):
    """A DLL without code. imports, delayed: (name, symbols); forwards: (symbol, "dll.symbol"). It exports f as well."""
    rva = 0x1000
    body = bytearray()
    plus = machine != I386
    width = 8 if plus else 4

    def put(b, align=1):
        while len(body) % align:
            body.append(0)
        body.extend(b)
        return rva + len(body) - len(b)

    def text(s):
        return put(s.encode() + b"\0")

    def thunks(symbols):
        at = [put(b"\0\0" + s.encode() + b"\0", 2) if isinstance(s, str) else (1 << (8 * width - 1)) | s for s in symbols]
        raw = b"".join(x.to_bytes(width, "little") for x in at + [0])
        return put(raw, 8), put(raw, 8)

    put(b"\xc3" * 16)
    code = rva
    table = [(text(n), *thunks(s)) for n, s in imports]
    at_import = put(b"".join(struct.pack("<5I", a, 0, 0, n, b) for n, a, b in table) + bytes(20), 4) if table else 0
    table = [(text(n), *thunks(s)) for n, s in delayed]
    at_delay = put(b"".join(struct.pack("<8I", 1, n, put(bytes(8), 8), b, a, 0, 0, 0) for n, a, b in table) + bytes(32), 4) if table else 0
    start = put(bytes(40), 4)
    symbols = sorted([("f", None)] + list(forwards))
    values = [code if to is None else text(to) for _, to in symbols]
    functions = put(b"".join(struct.pack("<I", v) for v in values), 4)
    names = put(b"".join(struct.pack("<I", text(n)) for n, _ in symbols), 4)
    ordinals = put(b"".join(struct.pack("<H", i) for i in range(len(symbols))), 2)
    size = rva + len(body) - start
    struct.pack_into("<IIHHIIIIIII", body, start - rva, 0, 0, 0, 0, text("x.dll"), 1, len(symbols), len(symbols), functions, names, ordinals)
    raw = (len(body) + 0x1FF) & ~0x1FF
    dirs = [(0, 0)] * 16
    dirs[0] = (start, size)
    dirs[1] = (at_import, 20) if at_import else (0, 0)
    dirs[13] = (at_delay, 64) if at_delay else (0, 0)
    opt = struct.pack("<HBBIIIII", 0x20B if plus else 0x10B, 2, 0, raw, 0, 0, 0, 0x1000)
    base = 0x180000000 + r.randrange(1 << 12) * 0x10000
    opt += struct.pack("<Q", base) if plus else struct.pack("<II", 0x1000, 0x10000000)
    opt += struct.pack("<IIHHHHHHIIIIHH", 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0, 0x1000 + ((raw + 0xFFF) & ~0xFFF), 0x200, r.randrange(1 << 31), 3, 0x140)
    opt += struct.pack("<4Q" if plus else "<4I", 0x100000, 0x1000, 0x100000, 0x1000) + struct.pack("<II", 0, 16)
    opt += b"".join(struct.pack("<II", *d) for d in dirs)
    head = b"MZ" + bytes(58) + struct.pack("<I", 0x40)
    head += b"PE\0\0" + struct.pack("<HHIIIHH", machine, 1, r.randrange(1 << 31), 0, 0, len(opt), 0x2022 if plus else 0x2102) + opt
    head += b".text\0\0\0" + struct.pack("<IIIIIIHHI", len(body), rva, raw, 0x200, 0, 0, 0, 0, 0xE0000060)
    return head + bytes(0x200 - len(head)) + bytes(body) + bytes(raw - len(body))


class Tree:
    def __init__(self, root, seed, drive_c, own, prog):
        self.r = random.Random(seed)
        self.seed, self.root, self.own = seed, root, own
        self.outside = []
        r = self.r
        self.dirs = {d: os.path.join(root, d) for d in ["app", "p1", "p2", "a1", "a2", "lib", "cwd", "set", "gone"]}
        for name, d in self.dirs.items():
            if name != "gone":
                os.makedirs(d)
        system = {"sys": os.path.join(drive_c, "windows/system32"), "win": os.path.join(drive_c, "windows"), "old": os.path.join(drive_c, "windows/system")}
        shutil.copy(prog, os.path.join(self.dirs["app"], "prog.exe"))
        names = NAMES + [own + "a.dll", own + "b.dll"]
        files = {}
        for n in names:
            many = r.choice([0.15, 0.4, 0.6])
            places = [d for d in self.dirs if d != "gone" and r.random() < many]
            if n.startswith(own):
                places += [d for d in system if r.random() < 0.6 and os.path.isdir(system[d])]
            files[n] = places
        have = [n for n in names if files[n]]
        for n in names:
            for d in files[n]:
                where = self.dirs.get(d) or system[d]
                if d in system:
                    self.outside.append(os.path.join(where, n))
                with open(os.path.join(where, n if r.random() < 0.8 else r.choice([n.upper(), n.title()]) if d not in system else n), "wb") as f:
                    f.write(self.file(n, names, have))
        self.plan = self.make_plan(names)

    def file(self, name, names, have):
        r = self.r
        kind = r.random()
        if kind < 0.02:
            return r.choice([b"", b"no library", b"\x7fELF" + bytes(80), b"MZ" + bytes(90)])
        machine = I386 if kind < 0.06 else AMD64
        # a forwarder to what is not there is a stub in wine: only to names that are somewhere, and not in a chain
        forwards = []
        if name in ("tb.dll", "tc.dll") and have:
            for k in range(r.randrange(3)):
                to = r.choice([n for n in have if n not in ("tb.dll", "tc.dll") and n.endswith(".dll")] or ["kernel32.dll"])
                forwards.append((f"w{k}", to[:-4] + ".f"))

        def needs(least, most):
            out = []
            for n in r.sample(names, r.randint(least, min(most, len(names)))):
                if n == name or (n not in have and r.random() < 0.97):
                    continue
                symbols = ["f"]
                if n in ("tb.dll", "tc.dll"):
                    symbols += [f"w{k}" for k in range(2) if r.random() < 0.3]
                spelled = n if r.random() < 0.85 else n.upper()
                out.append((spelled[:-4] if r.random() < 0.05 and n.endswith(".dll") else spelled, symbols))
            return out
        imports = needs(0, r.choice([0, 1, 2, 3])) + ([("KERNEL32.dll", ["GetTickCount"])] if r.random() < 0.5 else [])
        return pe(r, imports, needs(0, 2) if r.random() < 0.3 else (), forwards, machine)

    def win(self, path):
        return "Z:" + path.replace("/", "\\")

    def make_plan(self, names):
        r = self.r
        w = {k: self.win(v) for k, v in self.dirs.items()}
        lines = [f"cwd {w['cwd']}", "path " + ";".join(w[d] for d in r.sample(["p1", "p2", "gone", "lib"], r.randint(0, 4)))]
        if r.random() < 0.15:
            lines.append(f"set {w['set']}")
        for _ in range(r.randint(4, 12)):
            what = r.random()
            if what < 0.2:
                lines.append(f"add {w[r.choice(['a1', 'a2', 'lib', 'p1'])]}")
            elif what < 0.25:
                lines.append(f"first {w[r.choice(['p1', 'p2', 'a1'])]}")
            elif what < 0.28:
                lines.append(r.choice([f"set {w['set']}", "set"]))
            else:
                n = r.choice(names)
                spelled = n if r.random() < 0.8 else r.choice([n.upper(), n[:-4]])
                flags = r.choice(FLAGS)
                if r.random() < (0.9 if flags & 0x100 else 0.4):
                    there = [d for d in ["lib", "a1", "app", "p2"] if os.path.exists(os.path.join(self.dirs[d], n))]
                    spelled = f"{w[r.choice(there) if there and r.random() < 0.9 else 'gone']}\\{spelled}"
                    if r.random() < 0.1:
                        spelled = spelled.replace("\\", "/").replace("Z:/", "Z:\\", 1)
                lines.append(f"open {flags:x} {spelled}")
        return lines

    def write(self):
        self.plan_file = os.path.join(self.root, "plan")
        with open(self.plan_file, "w", encoding="utf-8") as f:
            f.write("\n".join(self.plan) + "\n")
        return f'"{self.win(self.root)}\\app\\prog.exe" "{self.win(self.plan_file)}" {self.mark()} {self.own}'

    def mark(self):
        return os.path.basename(self.root).lower()


def compare(tree, real, run, drive_c):
    out = subprocess.run([run, tree.plan_file, tree.mark(), tree.own, tree.win(tree.root) + "\\app\\prog.exe"], stdout=subprocess.PIPE, text=True,
                         env=dict(os.environ, TN_C=drive_c), check=True, timeout=60).stdout.splitlines()
    opens = 0
    asked = [x for x in tree.plan if x.startswith("open")] + ["end"]
    for i, line in enumerate(out):
        if line == "stub":
            return opens, None
        if line == "left":
            if i < len(real) and real[i].startswith("ok"):
                return opens, f"{asked[i]}\n  wine {real[i]}\n  ours fails"
            return opens, None
        if i >= len(real) or real[i] != line:
            return opens, f"{asked[i]}\n  wine {real[i] if i < len(real) else 'nothing'}\n  ours {line}"
        opens += line != "end"
    return opens, None if out and out[-1] == "end" else "no end"


def main():
    folder, run, prog, count, seed = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    drive_c = os.path.join(os.environ["WINEPREFIX"], "drive_c")
    own = f"tn{os.getpid()}x"
    opens = loaded = failed = bad = 0
    step = 20
    for first in range(0, count, step):
        trees = []
        try:
            for i in range(first, min(first + step, count)):
                root = os.path.join(folder, f"oracletree{i}")
                tree = Tree(root, seed + i, drive_c, f"{own}{i}q", prog)
                trees.append((tree, tree.write()))
            text = "".join(line + "\n" for _, line in trees)
            out = subprocess.run(["wine", prog, "children"], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=600).stdout
            blocks = out.replace("\r", "").split("end\n")
            for (tree, _), real in zip(trees, blocks):
                lines = real.splitlines() + ["end"]
                n, difference = compare(tree, lines, run, drive_c)
                opens += n
                failed += sum(not x.startswith("ok") for x in lines[:n])
                loaded += sum(len(x.split()) - 1 for x in lines[:n])
                if difference:
                    bad += 1
                    print(f"seed {tree.seed}: {difference}\n  " + "\n  ".join(tree.plan))
            if len(blocks) != len(trees) + 1:
                print(f"wine answered {len(blocks) - 1} of {len(trees)} programs")
                return 1
        finally:
            for tree, _ in trees:
                for f in tree.outside:
                    if os.path.exists(f):
                        os.unlink(f)
                if len(sys.argv) <= 6:
                    shutil.rmtree(tree.root, ignore_errors=True)
    print(f"{count} trees, {opens} opens ({failed} that fail), {loaded} modules compared, {bad} differences")
    return 1 if bad or opens < count else 0


if __name__ == "__main__":
    sys.exit(main())
