#!/usr/bin/env python3
"""Lists a folder for Meson: the .c files of a source folder, or every file below data/. Sorted, so that builds agree."""
import os
import sys

folder = sys.argv[1]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
found = []
for base, dirs, names in os.walk(os.path.join(root, folder)):
    dirs.sort()
    for name in names:
        path = os.path.relpath(os.path.join(base, name), root)
        if (folder.startswith("data") or name.endswith(".c")) and not name.startswith("."):
            found.append(path)
print("\n".join(sorted(found)))
