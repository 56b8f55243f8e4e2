#!/usr/bin/env python3
"""The transcripts of the READMEs are what the program prints. usage: transcripts.py [--write] TENON README...

Each block follows "<!-- transcript: COMMAND -->". Those over files of this tree (--from) are the same on every machine and
are compared, or with --write replaced; the others are replaced with --write only.
"""
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"(<!-- transcript: (.*?) -->\n```\n)(.*?)(```\n)", re.S)


def output(tenon, command):
    env = {"LANG": "C.UTF-8", "PATH": os.environ.get("TRANSCRIPT_PATH", os.environ["PATH"]), "HOME": os.environ.get("HOME", "/")}
    argv = [tenon] + shlex.split(command)[1:]
    r = subprocess.run(argv, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return f"$ {command}\n{r.stdout}{r.stderr}"


def main():
    args = [a for a in sys.argv[1:] if a != "--write"]
    write, tenon, bad = "--write" in sys.argv, os.path.abspath(args[0]), 0
    for path in args[1:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()

        def block(m):
            nonlocal bad
            if not write and "--from" not in m.group(2):
                return m.group(0)
            now = output(tenon, m.group(2))
            if not write and now != m.group(3):
                bad += 1
                print(f"{path}: the transcript of `{m.group(2)}` is not what it prints now:\n{now}")
            return m.group(1) + now + m.group(4)

        new = BLOCK.sub(block, text)
        if write and new != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(new)
    return 1 if bad else 0


sys.exit(main())
