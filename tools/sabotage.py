#!/usr/bin/env python3
"""Proves that tests can fail: applies patches that break one rule each, in a scratch copy, and demands red.

usage: sabotage.py [--all | NAME...]     without arguments: five, rotating with the commit

A patch in tests/sabotage/ begins with lines "# breaks: WHAT" and "# red: TEST [TEST...]": the Meson tests (of the main
build folder) of which at least one must then fail, or "build" when the build itself must. Prints "red NAME" or "GREEN NAME".
"""
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "tests/sabotage")
COPY = os.path.join(ROOT, "build-sabotage", "tree")
BUILD = os.path.join(ROOT, "build-sabotage", "build")


def sh(argv, cwd=COPY, data=None):
    r = subprocess.run(argv, cwd=cwd, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                       stdin=None if data is not None else subprocess.DEVNULL)
    return r.returncode, r.stdout


def copy_tree():
    """The working tree as git sees it; files that did not change keep their time, so that the build stays warm."""
    _, listed = sh(["git", "ls-files", "-co", "--exclude-standard"], ROOT)
    wanted = set(listed.split("\n")) - {""}
    for name in wanted:
        src, dst = os.path.join(ROOT, name), os.path.join(COPY, name)
        if not os.path.isfile(src):
            continue
        if os.path.exists(dst):
            with open(src, "rb") as a, open(dst, "rb") as b:
                if a.read() == b.read():
                    continue
        os.makedirs(os.path.dirname(dst), exist_ok=True)
        shutil.copy(src, dst)
    for base, _, names in os.walk(COPY):
        for name in names:
            path = os.path.join(base, name)
            if os.path.relpath(path, COPY) not in wanted:
                os.unlink(path)


def head(path):
    tests = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("# red:"):
                tests = line[6:].split()
    return tests


def choose(all_names):
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--all" in sys.argv:
        return all_names
    if names:
        return names
    _, commit = sh(["git", "rev-parse", "--short=7", "HEAD"], ROOT)
    start = int(commit.strip() or "0", 16) if commit.strip() else 0
    return [all_names[(start + i * 7) % len(all_names)] for i in range(min(5, len(all_names)))] if all_names else []


def build():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        return sh(["meson", "setup", BUILD, COPY, "-Doptimization=0"])
    code, out = sh(["meson", "setup", "--reconfigure", BUILD, COPY])
    return code, out


def targets(tests):
    """What ninja must build for these tests: their programs; everything for "build" and for tests that are scripts."""
    _, out = sh(["meson", "introspect", "--tests", BUILD])
    wanted = {"all"} if "build" in tests else set()
    for t in json.loads(out):
        if t["name"] in tests:
            program = os.path.relpath(t["cmd"][0], BUILD)
            wanted.add("all" if program.startswith("..") else program)
    return sorted(wanted)


def run(tests):
    """(red, what): builds what the tests need and runs them."""
    code, out = sh(["ninja", "-C", BUILD] + targets(tests))
    if code:
        return ("build" in tests), "build: " + out[-1500:]
    if tests == ["build"]:
        return False, "the build went through"
    code, out = sh(["meson", "test", "-C", BUILD, "--no-rebuild"] + [t for t in tests if t != "build"])
    return code != 0, out[-1500:]


def main():
    names = sorted(n[:-6] for n in os.listdir(FOLDER) if n.endswith(".patch"))
    chosen = sorted(set(choose(names)))
    os.makedirs(COPY, exist_ok=True)
    copy_tree()
    code, out = build()
    needed = sorted({t for n in chosen for t in head(os.path.join(FOLDER, n + ".patch")) if t != "build"})
    red, out = run(needed or ["build"]) if code == 0 else (True, out)
    if needed and (red or out.startswith("build: ")):
        print("the tests are red before any sabotage:\n" + out)
        return 1
    bad = 0
    for name in chosen:
        path = os.path.join(FOLDER, name + ".patch")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        touched = [x[6:].strip() for x in text.split("\n") if x.startswith("+++ b/")]
        code, out = sh(["patch", "-p1", "--no-backup-if-mismatch", "-s"], data=text)
        if code:
            print(f"GREEN {name}: the patch no longer applies: {out.strip()}")
            bad += 1
        else:
            red, out = run(head(path))
            print(f"red {name}" if red else f"GREEN {name}: {out.strip()[-600:]}")
            bad += not red
        for rel in touched: # back to the original, with a new time so that it is built again
            if os.path.exists(os.path.join(ROOT, rel)):
                shutil.copy(os.path.join(ROOT, rel), os.path.join(COPY, rel))
        copy_tree()
    return 1 if bad else 0


sys.exit(main())
