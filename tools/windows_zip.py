#!/usr/bin/env python3
"""The Windows program as people get it: one zip with tenon.exe, what to read first, the licence; and its SHA-256.

usage: windows_zip.py [FOLDER] [OUT]      FOLDER: of the build (build-win), OUT: where the zip goes (FOLDER/dist)
The same sources give the same bytes: no time but that of the commit, names in order, nothing of this machine.
"""
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

import windows_build

ROOT = windows_build.ROOT
TEXTS = [("doc/windows-readme.txt", "README.txt"), ("LICENSE", "LICENSE.txt"), ("NOTICE", "NOTICE.txt"),
         ("tools/windows-check.ps1", "windows-check.ps1"), ("tools/tenon-completion.ps1", "tenon-completion.ps1")]
LIMIT = 8 << 20  # bytes of tenon.exe


def commit_time():
    code, out = windows_build.sh(["git", "log", "-1", "--format=%ct"])
    return max(315532800, int(os.environ.get("SOURCE_DATE_EPOCH") or (out.strip() if code == 0 else 0) or 0))


def text(path):
    """With line ends that every Windows editor knows; PowerShell 5 takes a script without a mark for ANSI."""
    with open(os.path.join(ROOT, path), "rb") as f:
        data = f.read().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return b"\xef\xbb\xbf" + data if not data.isascii() else data


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "build-win"
    code, out = windows_build.configure(folder)
    if code == 0:
        code, out = windows_build.sh(["ninja", "-C", os.path.join(ROOT, folder), "tenon.exe"])
    if code:
        sys.exit(out)
    dist = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else os.path.join(ROOT, folder, "dist")
    os.makedirs(dist, exist_ok=True)
    exe = os.path.join(dist, "tenon.exe")
    subprocess.run(["x86_64-w64-mingw32-strip", "--strip-all", "-o", exe, os.path.join(ROOT, folder, "tenon.exe")], check=True)
    with open(exe, "rb") as f:
        program = bytearray(f.read())
    at = int.from_bytes(program[60:64], "little")  # e_lfanew; TimeDateStamp stands 8 bytes behind it, and strip writes one
    program[at + 8:at + 12] = bytes(4)
    program = bytes(program)
    with open(exe, "wb") as f:
        f.write(program)
    if len(program) > LIMIT:
        sys.exit(f"tenon.exe has {len(program)} bytes, more than {LIMIT}")
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        version = re.search(r"version: '([^']+)'", f.read())[1]
    name = f"tenon-{version}-windows-x86_64"
    when = time.gmtime(commit_time())[:6]
    path = os.path.join(dist, name + ".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for to, data in [("tenon.exe", program)] + sorted((to, text(src)) for src, to in TEXTS):
            info = zipfile.ZipInfo(f"{name}/{to}", when)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system, info.external_attr = 0, 0x20
            z.writestr(info, data)
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    with open(path + ".sha256", "w", encoding="ascii") as f:
        f.write(f"{digest}  {name}.zip\n")
    print(f"{path}: {os.path.getsize(path)} bytes, tenon.exe {len(program)} bytes\nsha256 {digest}")


main()
