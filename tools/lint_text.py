#!/usr/bin/env python3
"""Documents and texts agree with the code: files of a readable size, no machine's own paths, causes that somebody uses,
both READMEs of one shape. usage: lint_text.py"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINES = 700  # a file of more has more than one role
PRIVATE = re.compile(r"/(?:work|farm)/(?:main|shared)|bash_jobs|\bTODO\b|\bFIXME\b|\bXXX\b")
bad = []


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def main():
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [f for f in files if f and os.path.isfile(os.path.join(ROOT, f))]
    for name in files:
        if name.endswith((".c", ".h", ".py", ".sh")) and name.startswith(("src/", "tools/")):
            n = read(name).count("\n")
            if n > LINES:
                bad.append(f"{name}: {n} lines")
        if name.endswith((".c", ".h")) and name.startswith("src/") and not read(name).startswith("/* " + os.path.basename(name)[:-2]):
            bad.append(f"{name}: does not begin with its name, role and invariant")
        if name != "tools/lint_text.py" and not name.startswith("tests/fuzz/corpus/"):
            for i, line in enumerate(read(name).split("\n"), 1):
                if PRIVATE.search(line):
                    bad.append(f"{name}:{i}: {line.strip()[:120]}")
    checks = "".join(read(f) for f in files if f.startswith("src/check/"))
    for name in (f for f in files if f.startswith("data/causes/")):
        if f'"{os.path.basename(name)}"' not in checks and f"data/messages/{os.path.basename(name)}" not in files:
            bad.append(f"{name}: no check and no message form reports it")
    code = "".join(read(f) for f in files if f.startswith("src/") and f.endswith((".c", ".h")))
    prefixes = tuple(re.findall(r'"([a-z_]+_)%s"', code))  # names put together: "vs_name_%s"
    for name in (f for f in files if re.match(r"data/strings.*\.tsv", f)):
        for line in read(name).split("\n")[2:]:
            key = line.split("\t")[0]
            if key and not key.startswith(("#", "needs_") + prefixes) and key != "id" and not re.search(r'TN_S_%s\b|"%s"' % (key, key), code):
                bad.append(f"{name}: nobody says {key}")
    shape = [[line[:3] for line in read(n).split("\n") if line.startswith(("#", "```", "| `", "<!--"))] for n in ("README.md", "README.zh.md")]
    if shape[0] != shape[1]:
        bad.append("README.md and README.zh.md differ in shape: a section, table row or transcript is in one only")
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
