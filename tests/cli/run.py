#!/usr/bin/env python3
"""Runs the command-line cases of .t files. usage: run.py FILE.t...

A case begins with "$ COMMAND" (a shell line; `tenon` is the built program, the current folder is new and empty, $SRC the
source tree, $SHARED_MACHINES tests/machines). The lines below it say what must be true:

    exit N            the exit status (0 when not said)
    out TEXT          standard output has TEXT somewhere        not TEXT    standard output does not
    noterr TEXT       standard error does not
    err TEXT          the same for standard error               first TEXT  the first line of stdout holds TEXT
    last TEXT         the last line of stdout holds TEXT        quiet       standard output is empty
    json PATH VALUE   stdout is one JSON document; a.b[0].c equals the JSON value
    schema FILE       ... and is valid by doc/FILE
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SRC = os.environ["TENON_SOURCE"]
TENON = os.environ["TENON"]


def cases(path):
    case = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("$ "):
                if case:
                    yield case
                case = (f"{os.path.basename(path)}:{number}", line[2:], [])
            elif line.strip() and not line.startswith("#"):
                case[2].append(line.strip())
    if case:
        yield case


def reach(doc, path):
    for key, index in re.findall(r"([A-Za-z_][\w-]*)|\[(\d+)\]", path):
        doc = doc[key] if key else doc[int(index)]
    return doc


def check_json(rest, out):
    path, value = rest.split(" ", 1)
    doc = json.loads(out)
    if path == "length":
        path, value = value.split(" ", 1)
        got = len(reach(doc, path))
    else:
        got = reach(doc, path)
    return got == json.loads(value), f"is {json.dumps(got, ensure_ascii=False)}"


def check_schema(name, out):
    import jsonschema
    with open(os.path.join(SRC, "doc", name), encoding="utf-8") as f:
        schema = json.load(f)
    try:
        jsonschema.validate(json.loads(out), schema)
    except jsonschema.ValidationError as e:
        return False, f"{list(e.absolute_path)}: {e.message[:300]}"
    return True, ""


def run(command):
    env = dict(os.environ, SRC=SRC, SHARED_MACHINES=os.path.join(SRC, "tests/machines"),
               PATH=os.path.dirname(TENON) + ":" + os.environ["PATH"])
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LC_ALL", "LC_MESSAGES", "NO_COLOR", "TENON_LANG"):
        env.pop(name, None)
    env["LANG"] = "C.UTF-8"
    with tempfile.TemporaryDirectory() as folder:
        r = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return r.returncode, r.stdout.decode("utf-8", "replace"), r.stderr.decode("utf-8", "replace")


def judge(lines, status, out, err):
    want = 0
    for line in lines:
        word, _, rest = line.partition(" ")
        out_lines = out.rstrip("\n").split("\n")
        ok, why = True, ""
        if word == "exit":
            want = int(rest)
        elif word == "out":
            ok = rest in out
        elif word == "not":
            ok = rest not in out
        elif word == "err":
            ok = rest in err
        elif word == "noterr":
            ok = rest not in err
        elif word == "first":
            ok = rest in out_lines[0]
        elif word == "last":
            ok = rest in out_lines[-1]
        elif word == "quiet":
            ok = out == ""
        elif word == "json":
            ok, why = check_json(rest, out)
        elif word == "schema":
            ok, why = check_schema(rest, out)
        else:
            ok, why = False, "no such expectation"
        if not ok:
            yield f"{line}   {why}"
    if status != want:
        yield f"exit status {status}, wanted {want}"


def main():
    passed = failed = 0
    for path in sys.argv[1:]:
        for place, command, lines in cases(path):
            status, out, err = run(command)
            try:
                wrong = list(judge(lines, status, out, err))
            except Exception as e:  # a document that is none, a path that leads nowhere
                wrong = [f"{type(e).__name__}: {e}"]
            if wrong:
                failed += 1
                print(f"{place}: {command}\n  " + "\n  ".join(wrong))
                print("  --- stdout\n" + "".join("  | " + x + "\n" for x in out.split("\n")[:25]) + "  --- stderr\n  | " + err[:600])
            else:
                passed += 1
    print(f"{passed} cases passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
