#!/usr/bin/env python3
"""Hollows out the files of a world record: of each big file only the bytes that tenon's probes read stay.

usage: hollow.py TENON FAT.json OUT.json [--env ENV]

FAT.json is a record with whole files in it ("base64"); TENON probes it and writes down what it read (tenon snapshot
--raw --from FAT); OUT.json is FAT.json with those parts in place of the whole. Texts, links, order and every "from" stay
as they were. A hollow file says {"size", "parts": [{"at", "base64", "zeros"}], "from": name, size and sha256 of the real one}.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

SMALL = 1536  # a file of this size or less stays whole


def used(tenon, fat, env=None):
    with tempfile.TemporaryDirectory() as d:
        a, b = os.path.join(d, "fat.json"), os.path.join(d, "read.json")
        with open(a, "w", encoding="utf-8") as f:
            json.dump(fat, f)
        args = [tenon, "snapshot", "--raw", "--from", a, "-o", b] + (["--env", env] if env else [])
        subprocess.run(args, check=True, stderr=subprocess.DEVNULL)
        with open(b, encoding="utf-8") as f:
            return json.load(f)["files"]



def shorter(part):
    """Zeros at the end as a number."""
    data = base64.b64decode(part["base64"]) if "base64" in part else part["text"].encode()
    short = data.rstrip(b"\0")
    if len(data) - len(short) < 16:
        return part
    return {"at": part["at"], "base64": base64.b64encode(short).decode(), "zeros": len(data) - len(short)}


def hollow(tenon, fat, env=None):
    read = used(tenon, fat, env)
    fold = str.lower if fat.get("os") == "windows" else str  # Windows: as an import table spells it
    spelled = {}
    for path, node in read.items():
        if fold(path) not in spelled or {"parts", "base64"} & set(node):
            spelled[fold(path)] = node
    for path, node in fat["files"].items():
        if not ("base64" in node and len(node["base64"]) > SMALL or "parts" in node):
            continue
        size = node.get("size") or len(node["base64"]) * 3 // 4 - node["base64"].count("=", -2)
        keep = spelled.get(fold(path), {})
        for key in ("base64", "parts", "text"):
            node.pop(key, None)
        node["size"] = size
        if "parts" in keep:
            node["parts"] = [shorter(p) for p in keep["parts"]]
        elif "base64" in keep:
            node["parts"] = [shorter({"at": 0, "base64": keep["base64"]})]
    return fat


def text(record):
    """As the committed files look: one file a line where it is short."""
    def one(v):
        return json.dumps(v, ensure_ascii=False)
    out, keys = ["{"], list(record)
    for i, k in enumerate(keys):
        comma = "," if i + 1 < len(keys) else ""
        v = record[k]
        if isinstance(v, dict) and k in ("files", "reg", "env", "run"):
            out.append(f"{one(k)}: {{")
            out += [f" {one(p)}: {one(v[p])}{',' if n + 1 < len(v) else ''}" for n, p in enumerate(v)]
            out.append("}" + comma)
        else:
            out.append(f"{one(k)}: {one(v)}{comma}")
    return "\n".join(out + ["}", ""])


def main():
    args = sys.argv[1:]
    env = None
    if "--env" in args:
        i = args.index("--env")
        env = args[i + 1]
        del args[i:i + 2]
    tenon, fat, out = args
    with open(fat, encoding="utf-8") as f:
        record = hollow(tenon, json.load(f), env)
    with open(out, "w", encoding="utf-8") as f:
        f.write(text(record))


if __name__ == "__main__":
    main()
