#!/usr/bin/env python3
"""Lists a folder for Meson, sorted, so that builds agree. usage: list-sources.py FOLDER [ENDING]

Without an ending: the .c files of a source folder, every file below data/."""
import os
import sys

folder = sys.argv[1]
ending = sys.argv[2] if len(sys.argv) > 2 else "" if folder.startswith("data") else ".c"
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
found = []
for base, dirs, names in os.walk(os.path.join(root, folder)):
    dirs.sort()
    for name in names:
        path = os.path.relpath(os.path.join(base, name), root)
        if name.endswith(ending) and not name.startswith("."):
            found.append(path)
print("\n".join(sorted(found)))
