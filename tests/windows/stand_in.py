#!/usr/bin/env python3
"""Puts a stand-in nvcuda.dll into System32 of a prefix: of the driver that a recorded machine has, for its card.

usage: stand_in.py MACHINE.json MACHINE.want PREFIX CC      [CUINIT]
"""
import json
import os
import re
import subprocess
import sys

record, want, prefix, cc = sys.argv[1:5]
with open(record, encoding="utf-8") as f:
    reg = json.load(f)["reg"]
with open(want, encoding="utf-8") as f:
    doc, _ = json.JSONDecoder().raw_decode(f.read())
layers = {x["name"]: x["summary"] for x in doc["layers"]}
driver = next(v["values"]["DriverVersion"] for k, v in reg.items() if "DriverVersion" in v.get("values", {}))
place = next(v["values"]["LocationInformation"] for k, v in reg.items() if "LocationInformation" in v.get("values", {}))
card, major, minor = re.search(r"found (.*), compute capability (\d+)\.(\d+)", layers["hardware"]).groups()
cuda = re.search(r"up to (\d+)\.(\d+)", layers["driver"]) or re.search(r"CUDA (\d+)\.(\d+)", layers["driver"])
number = int(cuda[1]) * 1000 + int(cuda[2]) * 10 if cuda else 11000
bus = "%04x:%02x:%02x.%x" % tuple([0] + [int(x) for x in re.search(r"\((\d+),(\d+),(\d+)\)", place).groups()])
key = f"{driver}-{number}-{major}{minor}-{(sys.argv + ['0'])[5]}"
out = os.path.join(prefix, f"nvcuda-{key}.dll")
if not os.path.exists(out):
    with open(out + ".rc", "w", encoding="utf-8") as f:
        f.write(f"1 VERSIONINFO\nFILEVERSION {driver.replace('.', ',')}\nPRODUCTVERSION {driver.replace('.', ',')}\nBEGIN\n"
                f'BLOCK "StringFileInfo"\nBEGIN\nBLOCK "040904B0"\nBEGIN\nVALUE "FileVersion", "{driver}"\nEND\nEND\n'
                'BLOCK "VarFileInfo"\nBEGIN\nVALUE "Translation", 0x0409, 1200\nEND\nEND\n')
    subprocess.run([cc.replace("gcc", "windres"), out + ".rc", out + ".o"], check=True)
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([cc, "-shared", "-O1", "-Wall", "-o", out, os.path.join(here, "nvcuda.c"), out + ".o", f'-DCARD="{card}"',
                    f'-DBUS="{bus}"', f"-DCUDA={number}", f"-DMAJOR={major}", f"-DMINOR={minor}", f"-DINIT={(sys.argv + ['0'])[5]}"], check=True)
to = os.path.join(prefix, "drive_c/windows/system32/nvcuda.dll")
if os.path.lexists(to):
    os.unlink(to)
os.link(out, to)
