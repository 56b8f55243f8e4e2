#!/usr/bin/env python3
"""plan --online against indexes on localhost: JSON and HTML, post releases, stubs, withdrawn and missing releases, and every way
in which an index or a proxy can fail. Each case prints what it proves when it fails."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import jsonschema
from index_server import HERE, LINUX, PORT, TENON, WSL, Index, check, failed, plan, release, wheel

WORK = tempfile.mkdtemp()
os.chdir(WORK)
BOTH = release("tensorflow", "2.15.0", ("39", "310", "311")) + release("tensorflow", "2.15.0.post1", ("39", "310", "311"))

# Story 30: a pin is met by the post release, on Linux and in WSL 2, whichever form the index speaks.
for machine in (LINUX, WSL):
    for Index.form in ("json", "html"):
        Index.pages = {"tensorflow": BOTH}
        check("post release", plan("tensorflow==2.15.0", "--machine", machine), 0, "fits: tensorflow 2.15.0.post1",
              "==2.15.0 is met by 2.15.0.post1, the repaired upload of that release", "tensorflow-2.15.0.post1-cp311", "2 requests")
        Index.pages = {"tensorflow": BOTH[:3]}
        check("no post release", plan("tensorflow==2.15.0", "--machine", machine), 0, "fits: tensorflow 2.15.0, ", no=("2.15.0.post1 is",))
Index.form = "json"

# Story 10: only the stub is there; it is never taken.
stub = [dict(filename="tensorflow_gpu-2.12.0.tar.gz"), wheel("tensorflow_gpu", "2.12.0", None, "any")]
Index.pages = {"tensorflow-gpu": stub}
with open("requirements-stub.txt", "w") as f:
    f.write("tensorflow-gpu==2.12.0\n")
got = plan("-r", "requirements-stub.txt", "--machine", LINUX)
os.unlink("requirements-stub.txt")
check("stub", got, 1, "the package index has no file of tensorflow", no=("pip install tensorflow-gpu", "fits:"))
if any("tensorflow-gpu" in path for path, _ in Index.asked):
    failed.append(f"the stub was asked for: {Index.asked}")

# A release of the tables that the index lacks is not chosen, with the reason; withdrawn ones are passed over and named;
# one that the tables do not know is named and not chosen.
Index.pages = {"tensorflow": release("tensorflow", "2.19.0") + release("tensorflow", "2.20.0", yanked="bad build") + release("tensorflow", "99.1.0")
               + release("tensorflow", "99.2.0rc1")}
for Index.form in ("json", "html"):
    check("what is there", plan("tensorflow", "--machine", LINUX), 0, "fits: tensorflow 2.19.0",
          'tensorflow 2.20.0 is on the index, but withdrawn (yanked: "bad build"): passed over', "the index has tensorflow 99.1.0", no=("99.2.0",))
Index.form = "json"
check("withdrawn and pinned", plan("tensorflow==2.20.0", "--machine", LINUX), 1, "has no file of tensorflow 2.20.0 for this system, or has withdrawn it")
# Another system's files are none; those of another Python lead to that Python or another release.
Index.pages = {"tensorflow": release("tensorflow", "2.20.0", platform="win_amd64") + release("tensorflow", "2.18.0")}
check("another system", plan("tensorflow", "--machine", LINUX), 0, "fits: tensorflow 2.18.0")
Index.pages = {"tensorflow": release("tensorflow", "2.20.0", ("39",)) + release("tensorflow", "2.18.0")}
check("another Python", plan("tensorflow", "--python", "3.11", "--machine", LINUX), 0, "fits: tensorflow 2.18.0, Python 3.11")
# What is no wheel of the package is no file of it.
Index.pages = {"tensorflow": [wheel("evil", "2.20.0"), dict(filename="../../x.whl"), dict(filename="tensorflow-2.20.0-cp311.whl")] + BOTH}
check("names", plan("tensorflow", "--machine", LINUX), 0, "fits: tensorflow 2.15.0")
# Two packages: a page and METADATA of each, bytes and requests counted.
Index.pages = {"tensorflow": release("tensorflow", "2.20.0"), "jax": [wheel("jax", v, None, "any") for v in ("0.4.38", "0.6.2", "0.7.2")]}
check("counted", plan("tensorflow", "jax[cuda12]", "--machine", LINUX), 0, "4 requests", "KiB")
rc, out, err = plan("tensorflow", "--machine", LINUX, "--json")
with open(os.path.join(os.environ["TENON_SOURCE"], "doc/plan.schema.json"), encoding="utf-8") as f:
    for e in jsonschema.Draft202012Validator(json.load(f)).iter_errors(json.loads(out)):
        failed.append(f"doc/plan.schema.json: {e.message}")
online = json.loads(out).get("online", {})
if online.get("requests") != len(Index.asked) or not Index.sent < online.get("bytes", 0) < 1.2 * Index.sent or "127.0.0.1" not in online.get("index", ""):
    failed.append(f"JSON: {online}")

# A user and password go to that index and are never shown, nor does any other user see them among the words of a process.
Index.pages = {"tensorflow": BOTH}
got = plan("tensorflow==2.15.0", "--machine", LINUX, index=f"http://me:s3cr%40t@127.0.0.1:{PORT}/simple")
check("password", got, 0, f"http://127.0.0.1:{PORT}/simple", no=("s3cr", "me:"))
if not Index.asked or not (Index.asked[0][1] or "").startswith("Basic "):
    failed.append(f"password not handed on: {Index.asked}")
with open("pip-online.conf", "w") as f:
    f.write(f"[global]\nindex-url = http://me:s3cr@127.0.0.1:{PORT}/simple\nextra-index-url = http://127.0.0.1:{PORT}/other\n")
got = plan("tensorflow==2.15.0", "--method", "pip", "--machine", LINUX, PIP_INDEX_URL=None, PIP_CONFIG_FILE=os.path.abspath("pip-online.conf"))
os.unlink("pip-online.conf")
check("pip.conf", got, 0, "3 requests", no=("s3cr",))
if [bool(x[1]) for x in Index.asked] != [False, True, True]: # both indexes, and the file on the host that the password is for
    failed.append(f"pip.conf: {Index.asked}")

# The user's resolver gets the plan as a dry run, without what leads it elsewhere; its refusal is quoted with the packages that it
# names and makes the plan a problem, its failure does not.
HEAD = ("fits: ", "fits by the tables, but the package index or its resolver refuses it: ")
BIN = tempfile.mkdtemp()
HERE = sorted(os.listdir())
ANSWERS = {"yes": ("absl-py==2.1.0\\nnumpy==1.26.4\\n", 0), "broken": ("error: Failed to fetch\\033[31m", 2),
           "no": ("error: No solution found\\n  cause: Because tensorflow==2.15.0.post1 depends on numpy<2.0.0 and\\n   you require numpy==99, no.\\033[31m", 1)}
for answer, (text, status) in ANSWERS.items():
    with open(BIN + "/uv", "w") as f:
        f.write(f"#!/bin/sh\n[ \"$1\" = pip ] || exit 0\n{{ env; echo \"WORDS $* $(cat)\"; }} >{BIN}/said\nprintf '{text}'\nexit {status}\n")
    os.chmod(BIN + "/uv", 0o755)
    got = plan("tensorflow==2.15.0", "--machine", LINUX + ",python=3.11", PATH=f"{BIN}:/usr/bin:/bin", PYTHONPATH="/trap", PIP_TARGET="/trap", UV_OFFLINE="1")
    want = {"yes": (0, "uv resolves it: 2 packages"), "no": (1, 'uv finds no solution with tensorflow'), "broken": (0, "could not tell")}[answer]
    check("dry run: " + answer, got, want[0], want[1], HEAD[want[0]] + "tensorflow 2.15.0.post1", no=("\033",))
    said = open(BIN + "/said").read()
    if "/trap" in said or "UV_OFFLINE" in said or "pip compile" not in said or "tensorflow" not in said.split("WORDS")[1] \
            or f"UV_DEFAULT_INDEX=http://127.0.0.1:{PORT}/simple" not in said or "UV_NO_CONFIG=1" not in said or "UV_INDEX_URL=" in said: # as pip would ask
        failed.append("dry run: " + said)
# pip where there is no uv: ended when its resolver is done; what it says where it could not ask is no refusal.
os.unlink(BIN + "/uv")
TRAP = "/usr/bin:/bin"
ANSWERS = {
    "yes": ("Collecting tensorflow\nReporter.starting()\nINFO: Reporter.ending(State(...))\n", 0, "pip resolves it (dry run)"),
    "no": ("ERROR: Cannot install tensorflow and numpy==99 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n"
           "    tensorflow 2.15.0.post1 depends on numpy<2\n    The user requested numpy==99\n\nTo fix this you could try to:\n1. loosen\n\n"
           "ERROR: ResolutionImpossible: for help\n", 1,
           'pip finds no solution with tensorflow[and-cuda]==2.15.0.post1, numpy<2: "tensorflow 2.15.0.post1 depends on numpy<2; The user requested numpy==99"'),
    "gone": ("ERROR: Could not find a version that satisfies the requirement x==1 (from versions: 2)\nERROR: No matching distribution found for x==1\n", 1,
             'requirement x==1 (from versions: 2)"'),
    "no net": ("WARNING: Retrying (Retry(total=4)) after connection broken\nERROR: No matching distribution found for numpy\n", 0, "pip could not tell"),
    "http": ("WARNING: The repository located at x is not a trusted or secure host and is being ignored.\nERROR: No matching distribution found\n", 0,
             "could not tell whether the rest fits: \"The repository located at x is not a trusted")}
for answer, (text, status, want) in ANSWERS.items():
    with open(BIN + "/answer", "w") as f:
        f.write(text)
    with open(BIN + "/pip", "w") as f:
        f.write(f"#!/bin/sh\n{{ env; echo \"WORDS $*\"; echo $TMPDIR; }} >{BIN}/said\n:>$TMPDIR/left\ncat {BIN}/answer\n"
                f"trap '' PIPE\ngrep Reporter.ending {BIN}/answer >/dev/null || exit 1\nsleep 2\ntouch {BIN}/fetched\n")
    os.chmod(BIN + "/pip", 0o755)
    got = plan("tensorflow==2.15.0", "--machine", LINUX + ",python=3.11", PATH=f"{BIN}:{TRAP}", PYTHONPATH="/trap", PIP_TARGET="/trap")
    check("pip: " + answer, got, status, want, HEAD[status] + "tensorflow 2.15.0.post1")
    said = open(BIN + "/said").read()
    if "/trap" in said or " --dry-run " not in said or "--use-feature=fast-deps" not in said or "manylinux_2_17_x86_64" not in said:
        failed.append("pip's dry run: " + said)
    if os.path.exists(said.strip().split("\n")[-1]):
        failed.append("pip's dry run left its folder")
    if os.path.exists(BIN + "/fetched"):
        failed.append("pip's dry run went on to fetch wheels")
Index.odd_file = "whole"
check("pip and whole files", plan("tensorflow==2.15.0", "--machine", LINUX, PATH=f"{BIN}:{TRAP}"), 0, "pip would fetch whole wheels from this server")
Index.odd_file = None
os.unlink(BIN + "/pip")
check("no resolver", plan("tensorflow==2.15.0", "--machine", LINUX, PATH=BIN), 0, "neither uv nor pip is on PATH")

# conda's own dry run for what comes from channels: its lists go into a folder that goes.
for answer, status, want in (("Collecting package metadata\\nDry run. Exiting.", 0, "conda resolves it (dry run)"),
                             ("PackagesNotFoundError: The following packages are not available from current channels:\\n\\n  - tensorflow=2.15\\n\\nCurrent channels:\\n  - x", 1,
                              'conda finds no solution with tensorflow'),
                             ("CondaHTTPError: HTTP 000 CONNECTION FAILED", 0, "conda could not tell whether the rest fits")):
    with open(BIN + "/conda", "w") as f:
        f.write(f"#!/bin/sh\n[ \"$1\" = create ] || exit 0\n{{ env; echo \"WORDS $*\"; }} >{BIN}/said\nprintf '{answer}\\n'\n"
                f"case '{answer}' in *Dry*) ;; *) exit 1 ;; esac\n")
    os.chmod(BIN + "/conda", 0o755)
    got = plan("tensorflow==2.15.0", "--method", "conda", "--machine", LINUX, PATH=f"{BIN}:{TRAP}")
    check("conda", got, status, want, HEAD[status] + "tensorflow 2.15")
    said = open(BIN + "/said").read()
    if "WORDS create --dry-run" not in said or "-c conda-forge" not in said or "CONDA_PKGS_DIRS=" not in said or "CONDA_SUBDIR=linux-64" not in said:
        failed.append("conda's dry run: " + said)
    if Index.asked:
        failed.append(f"conda: the index of wheels was asked: {Index.asked}")
shutil.rmtree(BIN)
if sorted(os.listdir()) != HERE:
    failed.append(f"the dry run left something: {sorted(os.listdir())}")

# Redirections are followed, not for ever; each failure names the hop and ends with 5, nothing printed as a plan.
Index.odd = "moved"
check("moved", plan("tensorflow==2.15.0", "--machine", LINUX), 0, "tensorflow-2.15.0.post1-cp311")
here = f"127.0.0.1:{PORT}"
for Index.odd, text in (("loop", "redirect"), ("500", "answered 500"), ("cut", "gave no page of a package index"), ("huge", "more than"),
                        ("html as json", "gave no page"), ("words", "gave no page"), ("short", ""), ("slow", "timed out")):
    more = ("--deadline", "5") if Index.odd == "slow" else ()
    start = time.monotonic()
    got = plan("tensorflow==2.15.0", "--machine", LINUX, *more)
    check(Index.odd, got, 5, here, text, no=("fits:",))
    if time.monotonic() - start > 15:
        failed.append(f"{Index.odd}: took {time.monotonic() - start:.0f} s")
Index.form, Index.odd = "html", "cut"
check("cut HTML", plan("tensorflow==2.15.0", "--machine", LINUX), 5, here, "gave no page")
Index.form, Index.odd = "json", None
with socket.socket() as dead:
    dead.bind(("127.0.0.1", 0))
    port = dead.getsockname()[1]
    check("dead index", plan("tensorflow", "--machine", LINUX, index=f"http://127.0.0.1:{port}/simple"), 5, f"127.0.0.1:{port}")
    check("dead proxy", plan("tensorflow", "--machine", LINUX, index="http://index.invalid/simple", HTTP_PROXY=f"http://u:pw@127.0.0.1:{port}"), 5,
          f"proxy 127.0.0.1:{port}", no=("pw",))
    check("no proxy for it", plan("tensorflow==2.15.0", "--machine", LINUX, HTTP_PROXY=f"http://127.0.0.1:{port}", NO_PROXY="127.0.0.1"), 0)
check("through a proxy", plan("tensorflow==2.15.0", "--machine", LINUX, index="http://index.invalid/simple", http_proxy=f"http://127.0.0.1:{PORT}"), 0,
      "http://index.invalid/simple")
check("no such host", plan("tensorflow", "--machine", LINUX, index="http://index.invalid/simple"), 5, "index.invalid")
check("no index", plan("tensorflow", "--method", "pip", "--machine", LINUX, PIP_NO_INDEX="1"), 5, "no-index")
check("another scheme", plan("tensorflow", "--machine", LINUX, index="file:///etc/simple"), 5)

# A range that a server answers with the whole file is left at once, however large the file is.
Index.odd = "huge"
r = subprocess.run([os.path.join(os.path.dirname(TENON), "tenon-get")], capture_output=True, timeout=60,
                   env={"TENON_GET_URL": f"http://127.0.0.1:{PORT}/simple/tensorflow/", "TENON_GET_RANGE": "-65536", "TENON_GET_MAX": str(64 << 20)})
if r.stdout != b"error whole\n":
    failed.append(f"whole file for a range: {r.stdout[:200]}")

os.chdir("/")
shutil.rmtree(WORK)
for f in failed:
    print(f, file=sys.stderr)
sys.exit(bool(failed))
