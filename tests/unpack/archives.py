"""Hostile archives, and healthy ones beside them, made the same at every run: no clock, no chance without a seed.

archives() yields Archive(name, file, data, want, lines, tree): file is the name by whose ending its form is known, lines
are further lines of the request; want is "refused" (exit 4), "placed" (exit 0, tree is what must be there) or "safe"
(either, but nothing outside and nothing left of a refused one: damage that a form has no checksum against)."""
import bz2
import collections
import gzip
import hashlib
import io
import lzma
import random
import stat
import struct
import tarfile
import zipfile
import zlib

Archive = collections.namedtuple("Archive", "name file data want lines tree")
Member = collections.namedtuple("Member", "name data type mode target", defaults=(b"", "f", 0o644, ""))
FORMS = ("a.tar.gz", "a.tar.xz", "a.tar.zst", "a.tar.bz2", "a.zip", "a-1-py3-none-any.whl", "a-1-0.conda")
WHEN = (2026, 1, 1, 0, 0, 0)


def zstd(data):
    """A frame of raw blocks, RFC 8878 3.1.1; runs of one byte as RLE blocks."""
    out, step = [struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))], 1 << 17
    for at in range(0, len(data), step) or [0]:
        piece, last = data[at:at + step], at + step >= len(data)
        same = len(piece) > 1 and piece == piece[:1] * len(piece)
        out.append(struct.pack("<I", len(piece) << 3 | (2 if same else 0) | last)[:3] + (piece[:1] if same else piece))
    return b"".join(out)


PACK = {".gz": lambda d: gzip.compress(d, 6, mtime=0), ".xz": lambda d: lzma.compress(d, preset=1), ".zst": zstd,
        ".bz2": bz2.compress}
TAR = {"f": tarfile.REGTYPE, "d": tarfile.DIRTYPE, "l": tarfile.SYMTYPE, "h": tarfile.LNKTYPE, "c": tarfile.CHRTYPE,
       "b": tarfile.BLKTYPE, "p": tarfile.FIFOTYPE}
ZIP = {"f": stat.S_IFREG, "d": stat.S_IFDIR, "l": stat.S_IFLNK, "p": stat.S_IFIFO, "c": stat.S_IFCHR, "b": stat.S_IFBLK}


def tar(members, form=tarfile.GNU_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for m in members:
            i = tarfile.TarInfo(m.name)
            i.type, i.mode, i.linkname = TAR.get(m.type, m.type.encode()), m.mode, m.target
            i.size = len(m.data) if m.type not in "lcbpd" else 0
            i.devmajor, i.devminor = 1, 3
            t.addfile(i, io.BytesIO(m.data))
    return out.getvalue()


def zipped(members):
    """Names as bytes go in under a name of the same length and are put in place afterwards."""
    out, names = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for n, m in enumerate(members):
            raw = m.name.encode("utf-8", "surrogateescape")
            held = (b"%04d" % n + b"=" * 2000)[:len(raw)] if len(raw) > 4 else m.name.encode("utf-8", "replace")[:len(raw)]
            i = zipfile.ZipInfo(held.decode(), WHEN)
            i.create_system, i.external_attr = 3, (ZIP[m.type] | m.mode) << 16
            if m.type == "d":
                i.external_attr |= 0x10
            i.compress_type = zipfile.ZIP_DEFLATED if len(m.data) > 64 else zipfile.ZIP_STORED
            z.writestr(i, m.target.encode() if m.type == "l" else m.data)
            names.append((held, raw))
    data = out.getvalue()
    for held, raw in names:
        if held != raw:
            data = data.replace(held, raw)
    return utf8(data) if any(not m.name.isascii() for m in members) else data


def utf8(data):
    """Bit 11 of the flags in every header: names are UTF-8 (APPNOTE, appendix D)."""
    out = bytearray(data)
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        i = out.find(mark)
        while i >= 0:
            out[i + at + 1] |= 8
            i = out.find(mark, i + 1)
    return bytes(out)


def conda(pkg, info=(Member("info/index.json", b"{}"),)):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        for name, data in (("metadata.json", b'{"conda_pkg_format_version": 2}'), ("pkg-a-1-0.tar.zst", zstd(tar(pkg))),
                           ("info-a-1-0.tar.zst", zstd(tar(info)))):
            z.writestr(zipfile.ZipInfo(name, WHEN), data)
    return out.getvalue()


def build(file, members):
    if file.endswith(".conda"):
        return conda(members)
    if file.endswith((".zip", ".whl")):
        return zipped(members)
    return PACK["." + file.rsplit(".", 1)[1]](tar(members))


M = Member
GOOD = [M("d/good", b"good\n")]
DEEP = "/".join("d" * 60)
NAMES = {
    "up": "../out", "up-twice": "../../out", "up-inside": "a/../b", "up-behind": "a/../../out", "up-end": "a/..",
    "absolute": "/tmp/tenon-out", "absolute-twice": "//tmp/tenon-out", "dot-up": "./../out", "dots-only": "..",
    "backslash-up": "..\\out", "backslash": "a\\b", "drive": "C:\\out", "escape": "a\x1b[2Jb", "newline": "a\nb",
    "return": "safe\rbad", "tab": "a\tb", "delete": "a\x7fb", "c1": "a\x85b", "right-to-left": "a\u202egpj.exe",
    "isolate": "a\u2066b", "zero-width": "a\u200bb", "no-break": "a\ufeffb", "line-separator": "a\u2028b",
    "tag": "a\U000e0041b", "soft-hyphen": "a\u00adb", "not-utf8": "name-\udcff\udcfe", "overlong": "name-\udcc0\udcaf/x",
    "surrogate": "name-\udced\udca0\udc80", "long-name": "n" * 256, "long-path": "/".join(["p" * 100] * 11),
    "deep": DEEP,
}
LINKS = {  # further members behind GOOD
    "link-absolute": [M("l", type="l", target="/etc/passwd")],
    "link-up": [M("l", type="l", target="../out")],
    "link-up-deep": [M("a/b/l", type="l", target="../../../out")],
    "link-up-behind": [M("a/l", type="l", target="b/../../../out")],
    "link-up-inside": [M("a/l", type="l", target="b/../c")],
    "link-then-file": [M("l", type="l", target="/tmp"), M("l/tenon-out", b"x")],
    "link-inside-then-file": [M("l", type="l", target="d"), M("l/x", b"x")],
    "link-then-same-name": [M("l", type="l", target="d/good"), M("l", b"x")],
    "link-to-itself-then-file": [M("l", type="l", target="."), M("l/x", b"x")],
    "link-chain": [M("a/b/up", type="l", target="../.."), M("t", type="l", target="a/b/up/../out")],
    "link-chain-file": [M("a/up", type="l", target=".."), M("a/up/x", b"x")],
    "link-then-folder": [M("l", type="l", target="/tmp"), M("l", type="d", mode=0o755)],
    "link-dots": [M("a/l", type="l", target="./../../out")],
    "link-escape": [M("l", type="l", target="a\x1b[2J")],
    "link-backslash": [M("l", type="l", target="..\\out")],
}
TREES = {
    "twice": [M("d/good", b"other")],
    "twice-same": [M("d/good", b"good\n")],
    "twice-by-dot": [M("./d/./good", b"x")],
    "twice-by-slash": [M("d//good", b"x")],
    "file-is-folder": [M("d", b"x")],
    "file-holds-file": [M("d/good/x", b"x")],
    "folder-is-file": [M("d/good", type="d", mode=0o755)],
    "setuid": [M("s", b"x", mode=0o4755)], "setgid": [M("s", b"x", mode=0o2755)], "sticky": [M("s", b"x", mode=0o1644)],
    "sticky-folder": [M("s", type="d", mode=0o1777)], "setgid-folder": [M("s", type="d", mode=0o2755)],
    "fifo": [M("p", type="p")], "character-device": [M("null", type="c")], "block-device": [M("disk", type="b")],
}
HARD = {
    "hard-absolute": [M("h", type="h", target="/etc/passwd")], "hard-up": [M("h", type="h", target="../out")],
    "hard-nothing": [M("h", type="h", target="nothing")], "hard-later": [M("h", type="h", target="z"), M("z", b"z")],
    "hard-link": [M("l", type="l", target="d/good"), M("h", type="h", target="l")],
    "hard-folder": [M("h", type="h", target="d")], "hard-itself": [M("h", type="h", target="h")],
    "hard-data": [M("h", b"into the other\n", type="h", target="d/good")],
    "hard-through": [M("l", type="l", target="d"), M("h", type="h", target="l/good")],
}
WINDOWS = ["CON", "aux.txt", "com1", "LPT9.x", "a.", "a ", "a:stream", "a?", "nul", "d/Prn.log"]
CASES = {"case": ("D/x",), "case-file": ("d/GOOD",), "case-latin": ("\u00c9", "\u00e9"), "case-greek": ("\u03a9x", "\u03c9x"),
         "case-kelvin": ("\u212ax", "kx"), "combining": ("e\u0301x",)}


def refused(name, file, data, *lines):
    return Archive(name, file, data, "refused", lines, None)


def damaged(rng):
    members = [M(f"d/{k}", bytes(rng.randrange(256) for _ in range(3000))) for k in range(6)]
    for file in FORMS:
        data = build(file, members)
        for n in range(6):
            cut = len(data) * (n + 1) // 8
            yield refused(f"cut-{n}", file, data[:cut])
        for n in range(6):
            bad = bytearray(data)
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            yield Archive(f"flip-{n}", file, bytes(bad), "safe", (), None)
    for file in FORMS:
        yield refused("empty", file, b"")
        yield refused("noise", file, bytes(rng.randrange(256) for _ in range(5000)))
        yield refused("text", file, b"<html>404 Not Found</html>\n" * 20)


def bombs():
    zeros, small = b"\0" * (72 << 20), b"\0" * (1 << 20)
    for file in FORMS[:5]:
        if file != "a.tar.bz2":
            yield refused("ratio", file, build(file, [M("z", zeros)]))
    for file in FORMS:
        yield refused("count", file, build(file, [M(f"f{n}") for n in range(300)]), "max members 200")
        yield refused("bytes", file, build(file, [M("z", small)]), "max bytes 1000000")
        yield refused("bytes-of-all", file, build(file, [M(f"z{n}", small[:300000]) for n in range(4)]), "max bytes 1000000")
    # One kernel that all members share (D. Fifield, "A better zip bomb", the quoted form aside).
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    kernel = raw.compress(zeros) + raw.flush()
    crc, local, central = zlib.crc32(zeros), b"", b""
    for n in range(40):
        head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(kernel), len(zeros), 2, 0)
        if not n:
            local = b"PK\3\4" + head + b"00" + kernel
        central += b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, 0) + b"%02d" % n
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 40, 40, len(central), len(local), 0)
    yield refused("overlap", "a.zip", local + central + end)


def odd_zips():
    good = zipped([M("d/good", b"good\n" * 40), M("e/other", b"x" * 60)])
    bad = bytearray(good)
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        bad[bad.find(mark) + at] |= 1
    yield refused("encrypted", "a.zip", bytes(bad))
    yield refused("checksum", "a.zip", good.replace(b"x" * 60, b"x" * 59 + b"y"))
    bad = bytearray(good)
    for mark, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        bad[bad.find(mark) + at] = 97
    yield refused("method", "a.zip", bytes(bad))
    names = good.replace(b"d/good", b"../out", 1)  # of the local header alone
    yield Archive("local-name", "a.zip", names, "safe", (), None)
    yield Archive("nul-in-name", "a.zip", good.replace(b"e/other", b"e/x\0/..", 2), "safe", (), None)
    at = good.find(b"PK\5\6")
    yield refused("no-directory", "a.zip", good[:at])
    lie = bytearray(good)  # the second member: 10 bytes, says the directory
    at = good.rfind(b"PK\1\2")
    lie[at + 24:at + 28] = struct.pack("<I", 10)
    yield refused("size-lie", "a.zip", bytes(lie))
    far = bytearray(good)
    far[at + 42:at + 46] = struct.pack("<I", 0x7FFFFFFF)
    yield refused("far-member", "a.zip", bytes(far))
    for target in ("/etc/passwd", "good"):
        yield refused("wheel-link", "a-1-py3-none-any.whl", zipped(GOOD + [M("d/link", type="l", target=target)]))


def odd_tars(file, pack):
    def pax(**headers):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
            i = tarfile.TarInfo("name-in-place")
            i.pax_headers, i.size = headers, 4
            if "linkpath" in headers:
                i.type, i.size, i.linkname = tarfile.SYMTYPE, 0, "x"
            t.addfile(i, io.BytesIO(b"data"))
        return out.getvalue()

    for name, headers in {"pax-up": {"path": "../out"}, "pax-absolute": {"path": "/tmp/tenon-out"},
                          "pax-link": {"linkpath": "../out"}, "pax-huge": {"size": "99999999999999999"},
                          "pax-newline": {"path": "a\nb"}}.items():
        yield refused(name, file, pack(pax(**headers)))
    sum_off = bytearray(tar(GOOD + [M("e", b"e")]))
    sum_off[1024 + 148] ^= 1
    yield refused("header-sum", file, pack(bytes(sum_off)))
    for kind in "SMVDNZ":
        yield Archive("type-" + kind, file, pack(tar(GOOD + [M("x", type=kind)])), "safe", (), None)
    sparse = tarfile.TarInfo("hole")
    sparse.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"00000000000\0" + b"00000000000\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    yield refused("sparse-huge", file, pack(bytes(block) + b"\0" * 1024))


def hostile():
    for file in FORMS:
        links = not file.endswith(".whl")
        for name, path in NAMES.items():
            bad = refused(name, file, build(file, GOOD + [M(path, b"x")]))
            # libarchive reads a backslash of a zip as the slash that it was meant to be, where no slash is in the name
            yield bad._replace(want="safe") if name in ("backslash", "drive") and ".tar." not in file else bad
        for name, members in TREES.items():
            bad = refused(name, file, build(file, GOOD + members))
            # libarchive makes empty files of a zip's nodes
            yield bad._replace(want="safe") if members[0].type in "pcb" and file.endswith(("zip", "whl")) else bad
        for name, members in LINKS.items():
            yield refused(name, file, build(file, GOOD + members))
        if ".tar." in file or file.endswith(".conda"):
            for name, members in HARD.items():
                yield refused(name, file, build(file, GOOD + members))
        if ".tar." in file:
            yield from odd_tars(file, PACK["." + file.rsplit(".", 1)[1]])
        yield refused("folder-up", file, build(file, GOOD + [M("../out", type="d", mode=0o755)]))
        yield refused("strip-other", file, build(file, [M("top/a", b"a"), M("other/b", b"b")]), "strip 1")
        yield refused("strip-file", file, build(file, [M("top", b"a")]), "strip 1")
        yield refused("sum", file, build(file, GOOD))  # run.py gives another sha256
        if links:
            yield refused("link-on-windows", file, build(file, GOOD + [M("l", type="l", target="d/good")]), "target windows")
    for name in WINDOWS:
        yield refused("windows-" + name.strip(), "a.zip", build("a.zip", [M("d/good", b""), M(name, b"x")]), "target windows")
    for name, paths in CASES.items():
        for target in ("windows", "macos"):
            yield refused(f"{name}-{target}", "a.tar.gz", build("a.tar.gz", GOOD + [M(p, b"x") for p in paths]), "target " + target)
    outer = conda(GOOD)
    yield refused("conda-other-part", "a-1-0.conda", outer.replace(b"metadata.json", b"../adata.json"))
    yield refused("conda-part-twice", "a-1-0.conda", outer.replace(b"info-a-1-0", b"pkg--a-1-0"))
    yield refused("conda-no-info", "a-1-0.conda", zipped([M("metadata.json", b"{}"), M("pkg-a.tar.zst", zstd(tar(GOOD)))]))
    yield refused("plain-tar-in-zip-name", "a.zip", tar(GOOD))
    yield from odd_zips()
    yield from bombs()
    yield from damaged(random.Random(20261202))


def healthy():
    files = [M("bin/tool", b"#!/bin/sh\n", mode=0o755), M("include/\u4e2d\u6587 \u00e9.h", b"text"), M("lib/libx.so.9.1", b"\x7fELF" * 900),
             M("empty", b""), M("./lib/sub/\u0394\u03b4", b"two"), M("Case", b"1"), M("case", b"2")]
    links = [M("lib/libx.so.9", type="l", target="libx.so.9.1"), M("lib/libx.so", type="l", target="libx.so.9"),
             M("lib64", type="l", target="lib"), M("lib/up", type="l", target="../include"), M("gone", type="l", target="nothing")]
    hard = [M("lib/hard", type="h", target="lib/libx.so.9.1"), M("here", type="h", target="./bin/tool")]
    folders = [M("lib", type="d", mode=0o775), M("void", type="d", mode=0o700)]

    def tree(members):
        out, held = {}, {}
        for m in members:
            path = m.name[2:] if m.name.startswith("./") else m.name
            for n in range(1, path.count("/") + 1):
                out["/".join(path.split("/")[:n])] = ("d", 0o755, "")
            if m.type == "h":
                m = held[m.target.removeprefix("./")]
            if m.type == "f":
                held[path] = m
            out[path] = {"d": ("d", 0o755, ""), "l": ("l", 0, m.target)}.get(m.type) or (
                "f", 0o755 if m.mode & 0o111 else 0o644, hashlib.sha256(m.data).hexdigest())
        return out

    for file in FORMS:
        members = folders + files
        if not file.endswith(".whl"):
            members = members + links
        if ".tar." in file:
            members = members + hard
        want = tree(members)
        if file.endswith(".conda"):
            want.update(tree([M("info/index.json", b"{}")]))
        yield Archive("healthy", file, build(file, members), "placed", (), want)
        inside = [m._replace(name="top-1.0/" + m.name, target="top-1.0/" + m.target if m.type == "h" else m.target)
                  for m in members if not m.name.startswith("./")]
        held = tree([m for m in members if not m.name.startswith("./") and m.name != "here"])
        inside = [m for m in inside if not m.name.endswith("/here")]
        if not file.endswith(".conda"):
            yield Archive("healthy-strip", file, build(file, inside), "placed", ("strip 1",), held)
    for name in ("a" * 255, "a" * 200 + "/" + "b" * 200, "/".join("d" * 40), "CON", "a:b", "...", "..a", "a..", "-rf", " a"):
        yield Archive("near", "a.zip", build("a.zip", [M(name, b"x")]), "placed", (), tree([M(name, b"x")]))
    yield Archive("near-ratio", "a.tar.xz", build("a.tar.xz", [M("z", b"\0" * (40 << 20))]), "placed", (),
                  tree([M("z", b"\0" * (40 << 20))]))
    yield Archive("near-windows", "a.zip", build("a.zip", [M("console", b"x"), M("com", b"y")]), "placed", ("target windows",),
                  tree([M("console", b"x"), M("com", b"y")]))
    yield Archive("rename", "a.zip", build("a.zip", [M("t/lib/x", b"x"), M("t/library", b"y"), M("t/LICENSE", b"z")]), "placed",
                  ("strip 1", "rename lib lib64", "rename LICENSE LICENSE.t"),
                  tree([M("lib64/x", b"x"), M("library", b"y"), M("LICENSE.t", b"z")]))


def archives():
    yield from hostile()
    yield from healthy()
