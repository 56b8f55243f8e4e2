#!/usr/bin/env python3
"""What `tenon apply` costs over the bare installer: the same venv and the same `pip install` of real wheels, alternately.

usage: apply.py TENON PYTHON WHEELS REQUIREMENT [RUNS]      WHEELS: a folder that holds all that is needed

Prints, in seconds, medians: the bare installer, tenon's same steps, and what tenon does besides, step by step: its looking before the
first step, doctor's check, the proof by import, the final paths, the disk (all of it is written before the commit; the bare installer
leaves that to later: `sync -f` after it is given beside it); and in seconds of the processor: the bare installer's programs, those
that tenon starts (the same, and its proofs), tenon's own process."""
import os, re, shutil, statistics, subprocess, sys, tempfile, time, json

TENON, PYTHON, WHEELS, WHAT = sys.argv[1:5]
RUNS = int(sys.argv[5]) if len(sys.argv) > 5 else 3
WORK = tempfile.mkdtemp()
ENV = {"HOME": WORK + "/home", "XDG_STATE_HOME": WORK + "/state", "PATH": os.path.dirname(PYTHON) + ":/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS, "LC_ALL": "C.UTF-8"}


def processor(pid):
    """Seconds of an ended process that nobody has waited for yet: its own, those of its children."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with open("/proc/%d/stat" % pid) as f:
        w = f.read().rpartition(")")[2].split()
    tick = os.sysconf("SC_CLK_TCK")
    return (int(w[11]) + int(w[12])) / tick, (int(w[13]) + int(w[14])) / tick


def bare():
    start, before = time.monotonic(), os.times()
    subprocess.run([PYTHON, "-I", "-m", "venv", WORK + "/bare"], check=True, env=ENV)
    subprocess.run([WORK + "/bare/bin/python", "-I", "-m", "pip", "install", "-q", "--no-input", "--only-binary", ":all:", WHAT], check=True, env=ENV, stderr=subprocess.DEVNULL)
    done, after = time.monotonic(), os.times()
    subprocess.run(["sync", "-f", WORK], check=True)
    r = {"bare": done - start, "sync -f": time.monotonic() - done,
         "bare, processor": after.children_user + after.children_system - before.children_user - before.children_system}
    shutil.rmtree(WORK + "/bare")
    subprocess.run(["sync", "-f", WORK], check=True)
    return r


def applied(plan):
    start = last = time.monotonic()
    p = subprocess.Popen([TENON, "apply", plan, "--yes", "--lang", "en"], cwd=WORK, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    took, name = {}, "look"
    for line in p.stderr:
        m = re.match(r"\[\d+/\d+\] (.*)", line)
        if m:
            now = time.monotonic()
            took[name] = took.get(name, 0) + now - last
            last, name = now, {"make": "installers", "inst": "installers"}.get(m.group(1)[:4], m.group(1))
    own, children = processor(p.pid)
    if p.wait():
        sys.exit("apply ended with %d" % p.returncode)
    took[name] = time.monotonic() - last
    took["all"] = time.monotonic() - start
    took["children, processor"], took["tenon's own, processor"] = children, own
    subprocess.run([TENON, "undo"], cwd=WORK, env=ENV, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["sync", "-f", WORK], check=True)
    return took


os.makedirs(ENV["HOME"])
minor = subprocess.run([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True).stdout.strip()
with open(WORK + "/plan", "w") as f:
    json.dump({"command": "plan", "steps": [{"do": {"kind": "venv", "env": "env", "python": minor}}, {"do": {"kind": "packages", "env": "env", "python": minor, "packages": [WHAT]}}]}, f)
rows = {}
for i in range(RUNS + 1):
    for r in (bare(), applied(WORK + "/plan")):
        for k, v in r.items() if i else []:  # the first one fills caches
            rows.setdefault(k, []).append(v)
for k, v in rows.items():
    print("%-22s %8.2f   %s" % (k, statistics.median(v), " ".join("%.2f" % x for x in v)))
shutil.rmtree(WORK)
