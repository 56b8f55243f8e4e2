#!/usr/bin/env python3
"""Lays a recorded Windows machine down in a wine prefix: its files (hollow ones sparse), its registry, its environment.

usage: lay.py RECORD.json PREFIX [--registry]      (the registry alone); writes PREFIX/lay.reg (for "wine reg import") and PREFIX/lay.env (for start.exe)

The prefix is one of wine_prefix.sh: the files of System32 are links that may be taken away. What an earlier machine laid
down is taken back first. A file of which the record knows a size alone gets zeros.
"""
import base64
import json
import os
import shutil
import sys

CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
# What wine has of these, or an earlier machine, goes first.
CLEAR = ["SYSTEM\\CurrentControlSet\\Enum\\PCI", "SYSTEM\\CurrentControlSet\\Control\\Class\\" + CLASS,
         "SOFTWARE\\NVIDIA Corporation", "SOFTWARE\\Python", "SOFTWARE\\Microsoft\\VisualStudio", "SOFTWARE\\Wow6432Node\\Microsoft\\VisualStudio"]
NUMBERS = {"hardwareinformation.qwmemorysize": 8, "uefisecurebootenabled": 4, "longpathsenabled": 4, "installed": 4}
RUNTIMES = ("msvcp140", "vcruntime140", "concrt140", "vcomp140")  # wine has its own; the record decides


def real(prefix, path):
    """The path on this disk, in the spelling that is there."""
    at = os.path.join(prefix, "drive_c")
    for part in path[3:].split("\\"):
        names = os.listdir(at) if os.path.isdir(at) else []
        same = [n for n in names if n.lower() == part.lower()]
        at = os.path.join(at, same[0] if same else part)
    return at


def content(f, node):
    if "text" in node or "lines" in node:
        f.write((node["text"] if "text" in node else "".join(x + "\n" for x in node["lines"])).encode())
    elif "base64" in node:
        f.write(base64.b64decode(node["base64"]))
    for part in node.get("parts", []):
        f.seek(part["at"])
        f.write(part["text"].encode() if "text" in part else base64.b64decode(part["base64"]))
    if "size" in node:
        f.truncate(node["size"])


def lay_files(prefix, files):
    mine = []
    system = real(prefix, "C:\\windows\\system32")
    for name in os.listdir(system):
        if name.lower().startswith(RUNTIMES):
            os.unlink(os.path.join(system, name))
    for path, node in files.items():
        if "link" in node or node.get("absent") or "error" in node:
            raise SystemExit(f"{path}: wine has no links, refusals ...")
        at = real(prefix, path)
        if node.get("dir") or "list" in node:
            os.makedirs(at, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if os.path.lexists(at):
            os.unlink(at)
        with open(at, "wb") as f:
            content(f, node)
        mine.append(at)
    return mine


def value(name, text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    size = NUMBERS.get(name.lower())
    left = "@" if name == "@" else '"%s"' % name.replace("\\", "\\\\")
    if size:
        return left + "=hex(%s):" % ("b" if size == 8 else "4") + ",".join("%02x" % b for b in int(text).to_bytes(size, "little"))
    return left + '="%s"' % quoted


def registry(keys):
    long = {"HKLM": "HKEY_LOCAL_MACHINE", "HKCU": "HKEY_CURRENT_USER"}
    out = ["Windows Registry Editor Version 5.00", ""]
    out += [f"[-{hive}\\{k}]\n" for k in CLEAR for hive in long.values() if not (hive.endswith("USER") and k.startswith("SYSTEM"))]
    for key, node in keys.items():
        hive, _, rest = key.partition("\\")
        if rest.startswith("HARDWARE") or node.get("absent"):  # the kernel's
            continue
        out.append(f"[{long[hive]}\\{rest}]")
        out += [value(n, v) for n, v in node.get("values", {}).items()]
        out.append("")
        out += [f"[{long[hive]}\\{rest}\\{d}]\n" for d in node.get("list", {}).get("d", [])]
    return "\n".join(out) + "\n"


def main():
    record, prefix = sys.argv[1:3]
    with open(record, encoding="utf-8") as f:
        doc = json.load(f)
    with open(os.path.join(prefix, "lay.reg"), "wb") as f:
        f.write(registry(doc.get("reg", {})).replace("\n", "\r\n").encode("utf-16"))
    if "--registry" in sys.argv:
        return
    done = os.path.join(prefix, "lay.done")
    if os.path.exists(done):
        with open(done, encoding="utf-8") as f:
            for at in f.read().split("\n"):
                if at and os.path.lexists(at):
                    os.unlink(at)
    for folder in ("Users/ada", "Program Files/NVIDIA GPU Computing Toolkit", "Program Files/NVIDIA Corporation", "Program Files/NVIDIA"):
        shutil.rmtree(os.path.join(prefix, "drive_c", folder), ignore_errors=True)
    mine = lay_files(prefix, doc["files"])
    with open(done, "w", encoding="utf-8") as f:
        f.write("\n".join(mine))
    with open(os.path.join(prefix, "lay.env"), "w", encoding="utf-8") as f:
        f.write("".join(f"{k}={v}\n" for k, v in doc["env"].items() if v is not None))


main()
