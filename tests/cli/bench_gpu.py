#!/usr/bin/env python3
"""tenon bench on a card: a stand-in that computes on the CPU and enforces the driver's rules. Figures flow end to end and
are labelled as none of a card; each fault is named with its cause and leaves nothing allocated (the stand-in aborts).
usage: bench_gpu.py STANDIN"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TENON, SOURCE = os.environ["TENON"], os.environ["TENON_SOURCE"]
bad = []


def argv(folder, *args):
    return [TENON, "bench", "--lang", "en", "--device", "gpu", "--libcuda", f"{folder}/libcuda.so.1",
            "--cublas", f"{folder}/libcublas.so.12", *args]


def env(do):
    e = dict(os.environ, TENON_CARD_DO=do, LANG="C.UTF-8")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LC_ALL", "TENON_LANG"):
        e.pop(name, None)
    return e


def run(folder, *args, do=""):
    return subprocess.run(argv(folder, *args), env=env(do), capture_output=True, text=True, timeout=120)


def check(ok, what, r=None):
    if not ok:
        bad.append(what + (f": exit {r.returncode}\n{r.stdout}{r.stderr}" if r else ""))


def figures(folder):
    r = run(folder, "--n", "32,48", "--runs", "8")
    for word in ("No card:", "stand-in: STAND-IN", "cuBLAS 99.0.0", "before: 300 MHz, 15 W, 35", "at work: 1500 MHz, 120 W, 70",
                 "held back by its power limit", "first use", "context", "compiled", "each of many", "pinned", "pageable",
                 "inside the card", "copies not timed", "no TF32", "compared with sums of our own", "data creation not timed"):
        check(word in r.stdout, f"says {word!r}", r)
    check(r.returncode == 0, "figures", r)
    r = run(folder, "--n", "32,48", "--runs", "8", "--json")
    doc = json.loads(r.stdout)
    side = doc["sides"][1]
    card = side["card"]
    check(side["device"] == "standin" and side["peak_gflops"] is None, "no figure of a card", r)
    check([x["n"] for x in side["results"]] == [32, 48] and all(x["checked"] and not x["lowered"] and x["sent_seconds"] > 0
                                                               and x["fetched_seconds"] > 0 for x in side["results"]), "results", r)
    check(card["at_work"]["throttle_reasons"] == 4 and card["before"]["mhz"] == 300 and card["capability"] == "8.6"
          and card["pinned_up_gbs"] > 0 and card["inside_gbs"] > 0 and card["launch_alone_seconds"] > 0, "the card", r)
    try:
        import jsonschema
        jsonschema.validate(doc, json.load(open(f"{SOURCE}/doc/bench.schema.json", encoding="utf-8")))
    except ImportError:
        print("skipped: python3-jsonschema is not installed")
    check("held back by heat" in run(folder, "--n", "32", "--runs", "3", do="hot").stdout, "heat")
    r = run(folder, "--n", "32", "--runs", "3", "--precision", "fp64")
    check(r.returncode == 0 and "TF32" not in r.stdout, "double precision", r)


def precision(folder):
    r = run(folder, "--n", "64", "--runs", "3", do="tf32")
    check(r.returncode == 0 and "fewer bits than FP32" in r.stdout, "TF32 that nobody asked for", r)


def faults(folder):
    """Words of the stand-in, exit status, what must be said. A leak would be a crash."""
    for do, status, words in (
            ("no-init", 3, ("cuInit: CUDA_ERROR_UNKNOWN", "explain CUDA_ERROR_UNKNOWN")),
            ("missing", 3, ("cuInit: CUDA_ERROR_NO_DEVICE",)),
            ("no-context", 3, ("cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY",)),
            ("jit", 3, ("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX",)),
            ("no-handle", 3, ("cublasCreate: CUBLAS_STATUS_3",)),
            ("oom", 3, ("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY", "explain CUDA_ERROR_OUT_OF_MEMORY")),
            ("ecc", 3, ("cuEventSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE", "explain CUDA_ERROR_ECC_UNCORRECTABLE")),
            ("lost", 3, ("cuEventSynchronize: CUDA_ERROR_UNKNOWN",)),
            ("illegal", 3, ("cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS",)),
            ("wrong", 1, ("wrong result",)), ("nan", 1, ("wrong result",)), ("nothing", 1, ("wrong result",))):
        r = run(folder, "--n", "32,40", "--runs", "6", do=do)
        check(r.returncode == status and all(w in r.stdout for w in words) and "crashed" not in r.stdout, do, r)
    r = run(folder, "--n", "1024", "--runs", "3", do="small")
    check(r.returncode == 3 and "12582912 bytes" in r.stdout and "crashed" not in r.stdout, "more than the card has", r)
    r = run(folder, "--gpu", "7", "--n", "32")
    check(r.returncode == 3 and "no GPU of this number" in r.stdout, "a number that is not there", r)
    for args in (("--gpu", "x"), ("--gpu", "5000")):
        check(run(folder, *args).returncode == 2, " ".join(args))


def hang(folder):
    """The wait never ends: Ctrl-C does."""
    p = subprocess.Popen(argv(folder, "--n", "32"), env=env("hang"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    children = open(f"/proc/{p.pid}/task/{p.pid}/children").read().split()
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=20)
    check(p.returncode == 130 and children and not any(os.path.exists("/proc/" + c) for c in children), f"hang: {p.returncode}")


def libraries(folder):
    text = os.path.join(folder, "text.so")
    open(text, "w").write("no library")
    for args in (("--libcuda", text), ("--cublas", text), ("--libcuda", folder + "/absent"), ("--cublas", folder + "/absent")):
        r = run(folder, "--n", "32", *args)
        check(r.returncode == 3 and "could not be used" in r.stdout, " ".join(args), r)


with tempfile.TemporaryDirectory() as work:
    shutil.copy(sys.argv[1], work + "/libcuda.so.1")
    for name in ("libcublas.so.12", "libnvidia-ml.so.1"):
        os.symlink("libcuda.so.1", f"{work}/{name}")
    figures(work)
    precision(work)
    faults(work)
    hang(work)
    libraries(work)
print("\n".join(bad) or "as it should be")
sys.exit(1 if bad else 0)
