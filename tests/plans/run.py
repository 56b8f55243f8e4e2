#!/usr/bin/env python3
"""run.py: the plan of each wish on each described machine, in both languages, as it was reviewed.

machines.tsv and wishes.txt say what is asked; NAME.en and NAME.zh hold the answers of a machine. An empty line of
wishes.txt is no wish: what fits best. TENON is the program; TENON_ACCEPT=1 writes the answers anew: read their diff one by one.
"""
import difflib, os, subprocess, sys


def answers(tenon, spec, lang, wishes):
    out = []
    for wish in wishes:
        argv = [tenon, "plan", *wish.split(), "--machine", spec, "--lang", lang]
        ran = subprocess.run(argv, capture_output=True, timeout=60, env={"PATH": "", "HOME": "/nonexistent"})
        text = (ran.stdout + ran.stderr).decode("utf-8")
        out.append(f"$ tenon plan {wish}".rstrip() + f"\n{text}exit {ran.returncode}\n")
    return "\n".join(out)


def main():
    tenon = os.environ["TENON"]
    folder = os.path.dirname(os.path.abspath(__file__))
    lines = open(os.path.join(folder, "machines.tsv"), encoding="utf-8").read().splitlines()
    wishes = open(os.path.join(folder, "wishes.txt"), encoding="utf-8").read().splitlines()
    same = other = 0
    for line in lines:
        if line.startswith("#"):
            continue
        name, spec = line.split("\t")
        for lang in ("en", "zh"):
            path = os.path.join(folder, f"{name}.{lang}")
            got = answers(tenon, spec, lang, wishes)
            if os.environ.get("TENON_ACCEPT"):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(got)
            with open(path, encoding="utf-8") as f:
                want = f.read()
            if got == want:
                same += 1
                continue
            other += 1
            sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), got.splitlines(True), path, "now"))
    print(f"{same} files of {len(wishes)} plans as reviewed, {other} not")
    return 1 if other or not same else 0


if __name__ == "__main__":
    sys.exit(main())
