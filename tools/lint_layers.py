#!/usr/bin/env python3
"""Checks #include lines against doc/layers.txt: who may include whom. usage: lint_layers.py SOURCE_ROOT [STAMP]"""
import os
import re
import sys


def rules(root):
    allowed = {}
    with open(os.path.join(root, "doc/layers.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.split("#")[0].strip()
            if line:
                folder, rest = line.split(":")
                allowed[folder] = set(rest.split()) - {"pure"}
    return allowed


def main():
    root = sys.argv[1]
    allowed, bad = rules(root), []
    for folder in sorted(os.listdir(os.path.join(root, "src"))):
        top = os.path.join(root, "src", folder)
        if not os.path.isdir(top):
            continue
        if folder not in allowed:
            bad.append(f"src/{folder}: not in doc/layers.txt")
            continue
        for base, _, names in os.walk(top):
            for name in sorted(names):
                path = os.path.join(base, name)
                if not name.endswith((".c", ".h", ".def")):
                    continue
                with open(path, encoding="utf-8") as f:
                    for number, line in enumerate(f, 1):
                        m = re.match(r'\s*#\s*include\s+"([a-z0-9_]+)/', line)
                        if m and m.group(1) != folder and m.group(1) not in allowed[folder]:
                            bad.append(f"{os.path.relpath(path, root)}:{number}: {folder} may not include {m.group(1)}")
                        m = re.match(r"\s*#\s*ifdef?\s.*\b_WIN32\b", line)
                        if m and folder not in ("os",):
                            bad.append(f"{os.path.relpath(path, root)}:{number}: platform differences are folders, not #ifdef")
    for line in bad:
        print(line, file=sys.stderr)
    if not bad and len(sys.argv) > 2:
        open(sys.argv[2], "w").close()
    return 1 if bad else 0


sys.exit(main())
