#!/usr/bin/env python3
"""plan --online reads METADATA of what is chosen: as a file where the index announces one, else by ranges into the wheel, wherever
dist-info lies; what it says against the plan is told; a server that lies, is cut short, slow or sends the whole file is found out.
Each case prints what it proves when it fails."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from index_server import HERE, LINUX, NEW, Index, check, failed, plan, release, wheel

os.chdir("/")
TF = "Metadata-Version: 2.1\nName: tensorflow\nVersion: VERSION\nProvides-Extra: and-cuda\n"
FILE = "tensorflow-2.20.0-cp311"


def one(**more):
    Index.reset()
    Index.pages = {"tensorflow": release("tensorflow", "2.20.0")}
    for k, v in more.items():
        setattr(Index, k, v)


def ask(*words):
    return plan("tensorflow", "--python", "3.11", "--machine", NEW, *words)


def files():
    return [p for p, _ in Index.asked if "/files/" in p]


# Wherever the builder put dist-info: the tail and the beginning of the directory serve; only its middle needs all of it.
for layout, requests in (("small", 1), ("end", 2), ("start", 3), ("middle", 4)):
    one(layout=layout)
    got = ask()
    check(layout, got, 0, "fits: tensorflow 2.20.0", "its METADATA read", no=("was not read",))
    size = sum(1 for _ in files())
    if size > requests:
        failed.append(f"{layout}: {size} requests into the wheel, wanted {requests}")
    if Index.sent > (600 << 10 if layout == "middle" else 200 << 10):
        failed.append(f"{layout}: {Index.sent} bytes")
one(layout="large")
check("large directory", ask(), 0, "fits: tensorflow 2.20.0", "directory is larger than what is fetched")
# Announced, in both forms of a page: one small file, and its digest is compared.
for form in ("json", "html"):
    one(announce=True, form=form)
    check("announced", ask(), 0, "its METADATA read (1 KiB)")
    if len(files()) != 1 or not files()[0].endswith(".whl.metadata"):
        failed.append(f"announced: {files()}")
    one(announce=True, form=form, odd_file="another")
    check("another digest", ask(), 5, HERE, "SHA-256 is not the one that the index announces", no=("fits:",))
one(announce=True, odd_file="not there")
check("announced and not there", ask(), 0, "its METADATA read")

# What it says against the plan.
one(meta={"tensorflow": TF.replace("Provides-Extra: and-cuda\n", "Provides-Extra: cuda\n")})
check("no such extra", ask(), 1, "has no extra and-cuda")
one(meta={"tensorflow": TF + 'Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.5; extra == "and-cuda"\n'})
check("refused pin", ask(), 1, "asks for nvidia-cudnn-cu12<10.0,>=9.5", "nvidia-cudnn-cu12==9.3.0.75")
one(meta={"tensorflow": TF + 'Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.3; extra == "and-cuda"\nRequires-Dist: nvidia-cudnn-cu12==1; extra == "x"\n'
                           'Requires-Dist: nvidia-cudnn-cu12==2; extra == "and-cuda" and sys_platform == "win32"\n'})
check("pin within", ask(), 0, no=("no installer",))
one(meta={"tensorflow": TF + 'Requires-Dist: tensorflow[more]; extra == "and-cuda"\nRequires-Dist: tensorflow[and-cuda]; extra == "more"\n'
                           'Requires-Dist: nvidia-nccl-cu12==1.0; extra == "more"\nProvides-Extra: more\n'})
Index.pages["nvidia-nccl-cu12"] = [wheel("nvidia_nccl_cu12", v, None, "manylinux2014_x86_64") for v in ("1.0", "2.25.1")]
check("extras in a circle", ask(), 1, "asks for nvidia-nccl-cu12==1.0")
one(meta={"tensorflow": TF + 'Requires-Dist: nvidia-cuda-runtime-cu12==12.9.79\n'})
Index.pages["nvidia-cuda-runtime-cu12"] = [wheel("nvidia_cuda_runtime_cu12", v, None, "manylinux2014_x86_64") for v in ("12.5.82", "12.9.79")]
check("another CUDA", ask(), 1, "asks for nvidia-cuda-runtime-cu12==12.9.79, the tables have it as built for CUDA 12.5")
one(meta={"tensorflow": TF + "Requires-Dist: numpy (>=1.26.0)\nRequires-Dist: keras>=99\n"})
check("other bounds", ask(), 0, "asks for keras>=99; the tables say", "METADATA holds", no=("numpy>=1.26.0,",))
# METADATA asks for another Python than the page does: passed over, with the reason.
one(meta={"tensorflow": TF + "Requires-Python: >=3.12\n"})
check("Requires-Python alone", ask(), 1, "tensorflow 2.20.0 asks for Python >=3.12 in its METADATA", no=("fits:",))
Index.pages = {"tensorflow": release("tensorflow", "2.20.0"), "tensorflow-cpu": []}
check("Requires-Python, another Python", plan("tensorflow", "--python", "3.12", "--machine", NEW), 0, "fits: tensorflow 2.20.0")

# What the plan pins beside it has to be there, too: else the next release, and why.
one(nvidia=False)
Index.pages = {"tensorflow": release("tensorflow", "2.20.0") + release("tensorflow", "2.18.0"), "nvidia-cublas-cu12": [
    wheel("nvidia_cublas_cu12", "12.5.3.2", None, "manylinux2014_x86_64"), wheel("nvidia_cublas_cu12", "9.9", None, "win_amd64")]}
check("pins that are not there", ask(), 0, "fits: tensorflow 2.18.0", "the index has no nvidia-cuda-cupti-cu12==12.5.82, to which tensorflow 2.20.0 is pinned")
Index.pages = {"tensorflow": release("tensorflow", "2.20.0"), "nvidia-cublas-cu12": [wheel("nvidia_cublas_cu12", "9.9", None, "manylinux2014_x86_64")]}
check("another version of a pin", plan("tensorflow==2.20.0", "--python", "3.11", "--machine", NEW), 1, "has no nvidia-cublas-cu12==12.5.3.2")
Index.pages.pop("nvidia-cublas-cu12")
Index.pages["nvidia-cublas-cu12"] = [wheel("nvidia_cublas_cu12", "12.5.3.2", None, "manylinux2014_x86_64")]
check("nothing else", plan("tensorflow==2.20.0", "--python", "3.11", "--machine", NEW), 1,
      "the package index has no nvidia-cuda-cupti-cu12==12.5.82, to which tensorflow 2.20.0 is pinned")

# What METADATA itself pins, as well.
one(meta={"tensorflow": TF + 'Requires-Dist: tensorboard~=2.20\nRequires-Dist: triton==3.9.0; extra == "and-cuda"\nRequires-Dist: other==1; sys_platform == "win32"\n'})
check("a pin of METADATA", ask(), 1, "the index has no triton==3.9.0, to which tensorflow 2.20.0 is pinned", no=("fits:",))
Index.pages["triton"] = [wheel("triton", "3.9.0", "311", "manylinux_2_17_x86_64")]
check("a pin of METADATA that is there", ask(), 0, "fits: tensorflow 2.20.0")
# An export is not made of a plan that no installer would take.
one(meta={"tensorflow": TF + 'Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.5; extra == "and-cuda"\n'})
rc, out, err = ask("--export", "requirements")
if rc != 1 or out or "nvidia-cudnn-cu12<10.0,>=9.5" not in " ".join(err.split()):
    failed.append(f"export of a refused plan: {rc}\n{out}{err}")

# A file server that misbehaves: the hop is named, exit 5, nothing printed as a plan, and soon.
one(odd_file="whole")
start = time.monotonic()
check("whole file", ask(), 0, "fits: tensorflow 2.20.0", "would send the whole wheel for a part of it")
if time.monotonic() - start > 15:
    failed.append("whole file: it was read")
for odd, text in (("no zip", "gave no METADATA of that wheel (no zip file"), ("damaged", "gave no METADATA of that wheel"), ("403", "answered 403"),
                  ("another range", "gave no METADATA of that wheel"), ("slow", "timed out"), ("drip", "timed out")):
    one(odd_file=odd, layout="start")
    start = time.monotonic()
    check(odd, ask("--deadline", "5") if odd in ("slow", "drip") else ask(), 5, HERE, text, no=("fits:",))
    if time.monotonic() - start > 15:
        failed.append(f"{odd}: took {time.monotonic() - start:.0f} s")
for what, text in (("of another release", TF.replace("VERSION", "2.19.0")), ("of another package", TF.replace("Name: tensorflow", "Name: evil")),
                   ("nothing", ""), ("a page", "<html></html>"), ("bytes", b"Name: tensorflow\nVersion: VERSION\n\0"), ("a bomb", "x" * (2 << 20)),
                   ("many", TF + "Requires-Dist: a\n" * 3000)):
    for announce in (False, True):
        one(meta={"tensorflow": text}, announce=announce)
        check(what, ask(), 5, HERE, no=("fits:",))

# PyTorch's variants come from an index of their own; the user's is asked first, and enough where it has them.
torch = [wheel("torch", "2.7.1+cu126", "311", "manylinux_2_28_x86_64"), wheel("torch", "2.7.1", "311", "manylinux_2_28_x86_64")]
one(pages={"torch": torch}, meta={"torch": "Name: torch\nVersion: VERSION\nRequires-Dist: nvidia-cuda-runtime-cu12==12.4.127\n"})
Index.pages["nvidia-cuda-runtime-cu12"] = [wheel("nvidia_cuda_runtime_cu12", "12.4.127", None, "manylinux2014_x86_64")]
check("a variant on a mirror", plan("torch==2.7.1", "--cuda", "12.6", "--python", "3.11", "--machine", LINUX), 0, "torch-2.7.1", "its METADATA read",
      "asks for nvidia-cuda-runtime-cu12==12.4.127, the tables have it as built for CUDA 12.6")

# Inside WSL 2 the files are Linux's.
one()
check("WSL from Windows", plan("tensorflow==2.20.0", "--python", "3.11", "--method", "wsl", "--machine", "os=windows,os_build=26100,gpu=RTX 3090,driver=581.29"),
      0, FILE, "manylinux")

# The real pip's dry run: no wheel is asked for as a whole, with METADATA announced and without; and its refusal.
BIN = tempfile.mkdtemp()
with open(BIN + "/pip", "w") as f:
    f.write(f'#!/bin/sh\nexec "{sys.executable}" -m pip "$@"\n')
os.chmod(BIN + "/pip", 0o755)
version = subprocess.run([BIN + "/pip", "--version"], capture_output=True, text=True).stdout.split()[1:2]
if version and tuple(int(x) for x in version[0].split(".")[:2]) >= (23, 0):
    for announce in (True, False):
        one(announce=announce, pages={"tensorflow": release("tensorflow", "2.15.1"), "numpy": release("numpy", "1.26.4") + release("numpy", "2.1.0")},
            meta={"tensorflow": TF + "Requires-Dist: numpy<2\nRequires-Dist: keras\n", "keras": "Metadata-Version: 2.1\nName: keras\nVersion: VERSION\n"})
        words = ("tensorflow==2.15.1", "--python", "3.11", "--machine", LINUX)
        Index.pages["keras"] = [wheel("keras", "2.15.0", None, "any")]
        check("pip", plan(*words, PATH=f"{BIN}:/usr/bin:/bin"), 0, "pip resolves it (dry run)")
        if Index.sent > 20 << 20: # a whole file here has 50 MiB; some of one may be under way when pip is ended
            failed.append(f"pip fetched whole wheels: {Index.sent} bytes: {Index.asked}")
        Index.pages.pop("keras")
        check("pip refuses", plan(*words, PATH=f"{BIN}:/usr/bin:/bin"), 1, "pip finds no solution", "keras")
else:
    print("skipped: pip's dry run (pip 23 or newer)")
shutil.rmtree(BIN)

for f in failed:
    print(f, file=sys.stderr)
sys.exit(bool(failed))
