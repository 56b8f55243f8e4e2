"""readelf -W -h -d -V, one file behind each "@@ path", -> the form of image_dump. Used by image_oracle.sh."""
import re
import sys


def flush(path, out):
    if path is not None:
        print("file", path)
        for line in out["class"] + out["soname"] + out["needed"] + out["rpath"] + out["runpath"]:
            print(line)
        for line in out["need"] + out["base"] + out["define"]:
            print(line)


def empty():
    return {k: [] for k in ("class", "soname", "needed", "rpath", "runpath", "need", "base", "define")}


path, out, part, file, bits = None, empty(), None, "", ""
for line in sys.stdin.buffer:
    line = line.decode("latin-1").rstrip("\n")
    if line.startswith("@@ "):
        flush(path, out)
        path, out, part = line[3:], empty(), None
        continue
    m = re.match(r"  Class: +ELF(\d+)", line)
    if m:
        bits = m.group(1)
    m = re.match(r"  Data: .*(little|big) endian", line)
    if m:
        out["class"].append("class %s %s" % (bits, m.group(1)))
    m = re.match(r" 0x[0-9a-f]+ \((SONAME|NEEDED|RPATH|RUNPATH)\) +[^\[]*\[(.*)\]$", line)
    if m:
        out[m.group(1).lower()].append("%s %s" % m.groups())
    if line.startswith("Version needs section"):
        part = "need"
    elif line.startswith("Version definition section"):
        part = "define"
    elif line.startswith("Version symbols section"):
        part = None
    if part == "need":
        m = re.match(r"  0x[0-9a-f]+: Version: \d+  File: (.*)  Cnt: \d+$", line) or \
            re.match(r"  [0-9a-f]+: Version: \d+  File: (.*)  Cnt: \d+$", line)
        if m:
            file = m.group(1)
        m = re.match(r"  0x[0-9a-f]+:   Name: (.*)  Flags: (.*)  Version: \d+$", line)
        if m:
            out["need"].append("need %s %s%s" % (file, m.group(1), " weak" if "WEAK" in m.group(2) else ""))
    elif part == "define":
        m = re.match(r"  (?:0x)?[0-9a-f]+: Rev: \d+  Flags: (.*)  Index: \d+  Cnt: \d+  Name: (.*)$", line)
        if m:
            out["base" if "BASE" in m.group(1) else "define"].append(
                "%s %s" % ("base" if "BASE" in m.group(1) else "define", m.group(2)))
flush(path, out)
