#!/usr/bin/env python3
"""All tests: `make check`, and with --long those that take longer. Ends with one line "N passed, N failed".

usage: check.py [--long] [PHASE...]      phases: see PHASES below; without names all of them
"""
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import windows_build

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "tenon")
LONG = "--long" in sys.argv
JOBS = str(os.cpu_count() or 2)
# Compilers' and clang-tidy's answers are kept between fresh copies of the tree: the folder does not count, the text does.
os.environ.setdefault("CCACHE_NOHASHDIR", "1")
os.environ.setdefault("CCACHE_BASEDIR", ROOT)


class Count:
    def __init__(self):
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def add(self, ok, name, output=""):
        with self.lock:
            if ok:
                self.passed += 1
                return
            self.failed += 1
            print(f"FAILED {name}")
            for line in output.rstrip().split("\n")[-80:]:
                print("  | " + line)


def side_by_side(work, items, at_once=int(JOBS)):
    """Runs work(item) for each, as many at once as there are processors; says which took longest."""
    def timed(item):
        start = time.time()
        work(item)
        return time.time() - start, os.path.basename(str(item))
    with ThreadPoolExecutor(at_once) as pool:
        took = sorted(pool.map(timed, items), reverse=True)
    print("  longest: " + ", ".join(f"{name} {s:.0f} s" for s, name in took[:8]))


def sh(argv, env=None, timeout=3600, cwd=ROOT):
    r = subprocess.run(argv, cwd=cwd, env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
    return r.returncode, r.stdout


def configure(folder, args, env=None):
    path = os.path.join(ROOT, folder)
    if os.path.exists(os.path.join(path, "build.ninja")):
        return sh(["meson", "setup", "--reconfigure", path], env)
    return sh(["meson", "setup", path] + args, env)


def meson_tests(count, folder, args=(), env=None, wrap=None):
    """Builds and runs a build folder's tests; every test counts as one."""
    path = os.path.join(ROOT, folder)
    code, out = sh(["ninja", "-C", path, "all"], env)
    if code == 0:
        code, out = sh(["ninja", "-C", path, "meson-test-prereq"], env)
    if code:
        count.add(False, f"{folder}: build", out)
        return
    log = os.path.join(path, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.unlink(log)
    code, out = sh(["meson", "test", "-C", path, "--no-rebuild"] + list(args), env)
    if not os.path.exists(log):
        count.add(False, f"{folder}: meson test", out)
        return
    with open(log, encoding="utf-8") as f:
        results = [json.loads(line) for line in f]
        if not any(":unit /" in t["name"] for t in results):
            count.add(False, f"{folder}: no unit test ran: is cmocka there?")
        for t in results:
            silent = t["result"] not in ("OK", "EXPECTEDFAIL", "SKIP") and not (t.get("stdout") or t.get("stderr"))
            if silent and env and "WINEPREFIX" in env:  # wine did not come to start it: once more, and that counts
                again, out = sh(["meson", "test", "-C", path, "--no-rebuild", t["name"].split(" / ")[-1]], env)
                count.add(again == 0, f"{folder}: {t['name']}, twice", out)
                continue
            count.add(t["result"] in ("OK", "EXPECTEDFAIL", "SKIP"), f"{folder}: {t['name']}", t.get("stdout", "") + t.get("stderr", ""))


def commit_number():
    """Seed of what is random: another one for each commit, the same each time for one."""
    _, commit = sh(["git", "rev-parse", "--short=7", "HEAD"])
    return str(int(commit.strip() or "1", 16))


def phase_gcc(count):
    code, out = configure("build", [])
    if code:
        return count.add(False, "meson setup", out)
    meson_tests(count, "build", env={"TN_SOLVE_SEED": commit_number()})


def phase_clang(count):
    code, out = configure("build-clang", ["-Dbuildtype=debugoptimized"], {"CC": "clang"})
    if code:
        return count.add(False, "meson setup with clang", out)
    meson_tests(count, "build-clang", ["--suite", "unit"], {"CC": "clang"})


def phase_asan(count):
    code, out = configure("build-asan", ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dbuildtype=debug", "-Doptimization=1", "-Dwerror=false"])
    if code:
        return count.add(False, "meson setup with sanitizers", out)
    meson_tests(count, "build-asan")


def phase_windows(count):
    code, out = windows_build.configure("build-win")
    if code:
        return count.add(False, "meson setup for Windows", out)
    wine = {"WINEPREFIX": os.path.join(CACHE, "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
    # The server and the services outlive the program that started them and would keep its pipe open: the first test would
    # last as long as all the others, and take a processor's turn meanwhile. They are started first, without a pipe.
    os.makedirs(wine["WINEPREFIX"], exist_ok=True)
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["wineserver", "-p600"], env=dict(os.environ, **wine), **quiet, timeout=60)
    if not os.path.exists(os.path.join(wine["WINEPREFIX"], "system.reg")):
        sh(["wineboot", "-i"], wine)
        sh(["wine", "winecfg", "-v", "win10"], wine)
        sh(["wine", "reg", "add", r"HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug", "/v", "Debugger", "/d", "false", "/f"], wine)
    subprocess.run(["wine", "cmd", "/c", "exit"], env=dict(os.environ, **wine), **quiet, timeout=120)
    start = time.time()
    meson_tests(count, "build-win", [], wine)
    print(f"  build and Meson's tests {time.time() - start:.0f} s")
    windows_scripts(count, wine)
    sh(["wineserver", "-k"], wine)


def windows_scripts(count, wine):
    """Shell tests over wine itself: tests/windows, each with a prefix of its own; the longer slice by --long. "skipped: WHAT"
    where a part cannot be had."""
    env = dict(wine, TENON=os.path.join(ROOT, "build-win/tenon.exe"), TENON_SOURCE=ROOT, TENON_BUILD=os.path.join(ROOT, "build"), TENON_CACHE=CACHE)
    if LONG:
        env["TN_ORACLE_TREES"] = "1000"

    def run(name):
        code, out = sh(["bash", os.path.join(ROOT, "tests/windows", name)], env)
        for line in out.split("\n"):
            if line.startswith("skipped: ") or " trees, " in line:
                print("  " + line if " trees, " in line else line)
        count.add(code == 0, f"windows: {name}", out)

    names = sorted(n for n in os.listdir(os.path.join(ROOT, "tests/windows")) if n.endswith(".sh") and n != "wine_prefix.sh")
    side_by_side(run, names)


def sources():
    code, out = sh(["git", "ls-files", "src", "include", "tests", "doc"])
    return [f for f in out.split() if f.endswith((".c", ".h")) and "/corpus/" not in f]


def phase_style(count):
    code, out = sh(["clang-format", "--dry-run", "-Werror"] + sources())
    count.add(code == 0, "clang-format", out)
    files = [f for f in sources() if f.startswith("src/") and f.endswith(".c") and "win32" not in f]
    code, out = tidy(files)
    count.add(code == 0, "clang-tidy", out)
    code, out = sh(["python3", "tools/lint_redaction.py"])
    count.add(code == 0, "checks read only what redaction keeps", out)
    code, out = sh(["python3", "tools/lint_text.py"])
    count.add(code == 0, "documents and texts", out)
    code, out = sh(["python3", "tools/gen_causes_doc.py", "--check"])
    count.add(code == 0, "reference pages of the causes", out)
    code, out = sh(["python3", "tools/lint_shell.py"])
    count.add(code == 0, "pipes of shell scripts", out)


def tidy(files):
    """What clang-tidy says of each file. A file that was clean is not asked again while all that counts is the same: its text with
    everything it includes, how it is compiled, the rules, the version. One file per process: what the analyser finds in a file
    then does not depend on the files before it."""
    kept = os.path.join(CACHE, "tidy")
    os.makedirs(kept, exist_ok=True)
    with open(os.path.join(ROOT, "build/compile_commands.json"), encoding="utf-8") as f:
        commands = {os.path.normpath(os.path.join(c["directory"], c["file"])): c for c in json.load(f)}
    with open(os.path.join(ROOT, ".clang-tidy"), "rb") as f:
        rules = sh(["clang-tidy", "--version"])[1].encode() + f.read()
    said = []

    def run(name):
        c = commands.get(os.path.join(ROOT, name))
        key = None
        if c:  # comments may hold NOLINT: they stay
            words = shlex.split(c["command"])
            argv = [w for i, w in enumerate(words) if w not in ("ccache", "-c", "-MD", "-MQ", "-MF", "-o") and words[i - 1] not in ("-MQ", "-MF", "-o")]
            text = subprocess.run(argv + ["-E", "-C", "-dD"], cwd=c["directory"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if text.returncode == 0:
                key = os.path.join(kept, hashlib.sha256(rules + text.stdout.replace(ROOT.encode(), b".")).hexdigest())
        if key and os.path.exists(key):
            return
        r = subprocess.run(["clang-tidy", "-p", os.path.join(ROOT, "build"), "--quiet", name], cwd=ROOT, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
        found = [x for x in r.stdout.split("\n") if "error:" in x or "warning:" in x]
        if r.returncode or found:
            said.extend(found or [f"{name}: clang-tidy ended with {r.returncode}"])
        elif key:
            open(key, "w").close()

    side_by_side(run, files)
    return int(bool(said)), "\n".join(said)


def phase_real(count):
    """Shell tests over real parts: packages, wheels, virtual environments, strace. "skipped: WHAT" where a part cannot be had."""
    scripts = [os.path.join(ROOT, folder, name) for folder in ["tests/real"] + (["tests/long"] if LONG else [])
               for name in sorted(os.listdir(os.path.join(ROOT, folder))) if name.endswith(".sh") and name not in ("lib.sh", "driver_machine.sh", "loader_oracle_lib.sh")]
    env = {"TENON": os.path.join(ROOT, "build/tenon"), "TENON_SOURCE": ROOT, "TENON_BUILD": os.path.join(ROOT, "build"), "TENON_CACHE": CACHE}
    if LONG:
        env["TENON_TRIES"] = "1000"

    def run(path):
        code, out = sh(["bash", path], env)
        for line in out.split("\n"):
            if line.startswith("skipped: "):
                print(line)
        count.add(code == 0, f"real: {os.path.basename(path)}", out)

    # A script that says "# alone: WHY" looks at what the others change; the rest share nothing but what is kept (lib.sh).
    # What is kept is got one by one the first time: some use what others got.
    ready = os.path.join(CACHE, "parts", "ready")
    alone = [p for p in scripts if any(line.startswith("# alone: ") for line in open(p, encoding="utf-8"))]
    failed = count.failed
    side_by_side(run, [p for p in scripts if p not in alone], int(JOBS) if os.path.exists(ready) else 1)
    side_by_side(run, alone, 1)
    if count.failed == failed:
        open(ready, "w").close()
    if LONG:  # says what is newer on the index; no fault of this tree
        code, out = sh([sys.executable, "tools/mine.py", "--check"])
        print("\n".join("  " + x for x in out.rstrip().split("\n")))
        count.add(code == 0, "mine.py --check", out)


def phase_fuzz(count):
    """libFuzzer, a short slice of each target; its seed derives from the commit."""
    code, out = configure("build-fuzz", ["-Dfuzz=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dbuildtype=debug", "-Doptimization=1"],
                          {"CC": "clang"})
    targets = sorted(n[:-2] for n in os.listdir(os.path.join(ROOT, "tests/fuzz")) if n.startswith("fuzz_") and n.endswith(".c"))
    if code == 0:
        code, out = sh(["ninja", "-C", os.path.join(ROOT, "build-fuzz")] + ["tests/" + t for t in targets], {"CC": "clang"})
    if code:
        return count.add(False, "fuzz targets", out)
    seed = commit_number()
    folder = os.path.join(ROOT, "build-fuzz", "tests")
    seconds = "180" if LONG else str(max(4, 90 // max(1, len(targets))))

    def run(name):
        work = os.path.join(ROOT, "build-fuzz", "corpus", name)
        os.makedirs(work, exist_ok=True)
        code, out = sh([os.path.join(folder, name), work, os.path.join(ROOT, "tests/fuzz/corpus", name[5:]), "-seed=" + seed,
                        "-max_total_time=" + seconds, "-timeout=5", "-rss_limit_mb=512", "-malloc_limit_mb=256", "-print_final_stats=1",
                        "-artifact_prefix=" + work + "/"], timeout=int(seconds) + 120)
        runs = [x for x in out.split("\n") if "number_of_executed_units" in x]
        print(f"  {name}: {runs[0].split()[-1] if runs else '?'} runs")
        count.add(code == 0, f"fuzz: {name}", out)

    side_by_side(run, targets)


def phase_sabotage(count):
    code, out = sh([sys.executable, os.path.join(ROOT, "tools/sabotage.py")] + (["--all"] if LONG else []))
    print("\n".join("  " + x for x in out.rstrip().split("\n")))
    for line in out.split("\n"):
        if line.startswith("red "):
            count.add(True, line)
        elif line.startswith("GREEN "):
            count.add(False, line)
    if code and "GREEN " not in out:
        count.add(False, "sabotage", out)


PHASES = [("gcc", phase_gcc), ("clang", phase_clang), ("asan", phase_asan), ("windows", phase_windows), ("style", phase_style),
          ("real", phase_real), ("fuzz", phase_fuzz), ("sabotage", phase_sabotage)]


def main():
    for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):  # a job in the background ignores some
        if signal.getsignal(s) == signal.SIG_IGN:
            signal.signal(s, signal.SIG_DFL)
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    total = Count()
    os.makedirs(CACHE, exist_ok=True)
    for name, phase in PHASES:
        if names and name not in names:
            continue
        start, before = time.time(), (total.passed, total.failed)
        phase(total)
        print(f"{name}: {total.passed - before[0]} passed, {total.failed - before[1]} failed, {time.time() - start:.0f} s", flush=True)
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed else 0


sys.exit(main())
