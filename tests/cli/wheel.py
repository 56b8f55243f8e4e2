#!/usr/bin/env python3
"""Makes a wheel: wheel.py [--out | --over] NAME.whl LIBRARY|- [REQUIREMENT...]. --out: a member leads out of the folder;
--over: the directory names the same bytes twice, as zip bombs do."""
import struct
import sys
import zipfile

args = sys.argv[1:]
bad = args.pop(0) if args[0].startswith("--") else ""
name, library, *requires = args
info = "-".join(name.split("-")[:2]) + ".dist-info"
with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
    if library != "-":
        z.write(library, "mod/_C.so")
    z.writestr(info + "/METADATA", "Metadata-Version: 2.1\nName: a\nRequires-Python: >=3.8\n" +
               "".join(f"Requires-Dist: {r}\n" for r in requires) + "\nbody\n")
    z.writestr(info + "/WHEEL", "Wheel-Version: 1.0\n")
    if bad == "--out":
        z.writestr("../evil", "x")
if bad == "--over":
    data = bytearray(open(name, "rb").read())
    first = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", first + 4)
    data[second + 42:second + 46] = struct.pack("<I", 0)
    open(name, "wb").write(data)
