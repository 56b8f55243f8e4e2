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
from concurrent.futures import ThreadPoolExecutor

TENON, SOURCE = os.environ["TENON"], os.environ["TENON_SOURCE"]
bad = []


def argv(folder, *args):
    return [TENON, "bench", "--lang", "en", "--device", "gpu", "--libcuda", f"{folder}/libcuda.so.1",
            "--cublas", f"{folder}/libcublas.so.12", "--libcudnn", f"{folder}/libcudnn.so.9", *args]


def env(do):
    e = dict(os.environ, TENON_CARD_DO=do, LANG="C.UTF-8")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "LC_ALL", "TENON_LANG"):
        e.pop(name, None)
    return e


def run(folder, *args, do=""):
    return subprocess.run(argv(folder, *args), env=env(do), capture_output=True, text=True, timeout=120)


def each(rows, do):
    """Side by side: most of a run is waiting for its child."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda row: do(*row), rows))


def check(ok, what, r=None):
    if not ok:
        bad.append(what + (f": exit {r.returncode}\n{r.stdout}{r.stderr}" if r else ""))


def valid(doc):
    try:
        import jsonschema
        jsonschema.validate(doc, json.load(open(f"{SOURCE}/doc/bench.schema.json", encoding="utf-8")))
    except ImportError:
        print("skipped: python3-jsonschema is not installed")


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
    valid(doc)
    check("held back by heat" in run(folder, "--n", "32", "--runs", "3", do="hot").stdout, "heat")
    r = run(folder, "--n", "32", "--runs", "3", "--precision", "fp64")
    check(r.returncode == 0 and "TF32" not in r.stdout, "double precision", r)


def precision(folder):
    r = run(folder, "--n", "64", "--runs", "3", do="tf32")
    check(r.returncode == 0 and "fewer bits than FP32" in r.stdout, "TF32 that nobody asked for", r)


def faults(folder):
    """Words of the stand-in, exit status, what must be said. A leak would be a crash."""
    rows = (
            ("no-init", 3, ("cuInit: CUDA_ERROR_UNKNOWN", "explain CUDA_ERROR_UNKNOWN")),
            ("missing", 3, ("cuInit: CUDA_ERROR_NO_DEVICE",)),
            ("no-context", 3, ("cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY",)),
            ("jit", 3, ("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX",)),
            ("no-handle", 3, ("cublasCreate: CUBLAS_STATUS_ALLOC_FAILED", "explain CUBLAS_STATUS_ALLOC_FAILED")),
            ("oom", 3, ("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY", "explain CUDA_ERROR_OUT_OF_MEMORY")),
            ("ecc", 3, ("cuEventSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE", "explain CUDA_ERROR_ECC_UNCORRECTABLE")),
            ("lost", 3, ("cuEventSynchronize: CUDA_ERROR_UNKNOWN",)),
            ("illegal", 3, ("cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS",)),
            ("wrong", 1, ("wrong result",)), ("nan", 1, ("wrong result",)), ("nothing", 1, ("wrong result",)))

    def one(do, status, words):
        r = run(folder, "--n", "32,40", "--runs", "6", do=do)
        check(r.returncode == status and all(w in r.stdout for w in words) and "crashed" not in r.stdout, do, r)
    each(rows, one)
    r = run(folder, "--n", "1024", "--runs", "3", do="small")
    check(r.returncode == 3 and "12582912 bytes" in r.stdout and "crashed" not in r.stdout, "more than the card has", r)
    r = run(folder, "--gpu", "7", "--n", "32")
    check(r.returncode == 3 and "no GPU of this number" in r.stdout, "a number that is not there", r)
    for args in (("--gpu", "x"), ("--gpu", "5000")):
        check(run(folder, *args).returncode == 2, " ".join(args))


def works(folder):
    """Convolution and transformer step: what they are counted as, by what they were done, each part compared."""
    r = run(folder, "--work", "convolution,step", "--batch", "1", "--runs", "3")
    for word in ("convolution, batch 1: median", "counted as 0.231 GFLOP", "done by cuDNN 9.1.0 IMPLICIT_PRECOMP_GEMM",
                 "transformer step, batch 1: median", "counted as 0.218 GFLOP", "done by cuDNN 9.1.0", "cuDNN opened"):
        check(word in r.stdout, f"says {word!r}", r)
    check(r.returncode == 0 and r.stdout.count("compared with sums of our own") == 2 and "n 256" not in r.stdout, "works", r)
    r = run(folder, "--work", "convolution,step", "--batch", "1", "--runs", "3", "--json", do="transformed")
    doc = json.loads(r.stdout)
    works = doc["sides"][1]["works"]
    check([w["operation"] for w in works] == ["convolution", "step"] and all(w["checked"] and w["batch"] == 1 for w in works)
          and "WINOGRAD_NONFUSED" in works[0]["how"] and doc["sides"][1]["results"] == [], "works in JSON", r)
    check(works[0]["operations"] == 2 * 56 * 56 * 64 * 64 * 9 and
          works[1]["operations"] == 2 * 128 * 256 * (3 * 256 + 256 + 2 * 1024) + 4 * 128 * 128 * 256, "operations", r)
    check(all(abs(w["gflops"] * w["seconds"]["median"] * 1e9 / w["operations"] - 1) < 1e-9 for w in works), "operations a second", r)
    valid(doc)


def faults_of_works(folder):
    rows = (
            ("dnn-handle", "convolution", 3, ("cudnnCreate: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", 'while "open" ran')),
            ("dnn-status", "convolution", 3, ("cudnnConvolutionForward: CUDNN_STATUS_EXECUTION_FAILED", "explain CUDNN_STATUS_EXECUTION_FAILED")),
            ("batched", "step", 3, ("cublasSgemmStridedBatched: CUBLAS_STATUS_INVALID_VALUE",)),
            ("conv-wrong", "convolution", 1, ("wrong result: convolution",)), ("conv-nan", "convolution", 1, ("wrong result: convolution",)),
            ("conv-nothing", "convolution", 1, ("wrong result: convolution",)), ("softmax-wrong", "step", 1, ("wrong result: softmax",)),
            ("softmax-nothing", "step", 1, ("wrong result: weighted values",)), ("wrong", "step", 1, ("wrong result: queries",)))

    def one(do, work, status, words):
        r = run(folder, "--work", work, "--batch", "2" if do == "batched" else "1", "--runs", "1", do=do)
        check(r.returncode == status and all(w in r.stdout for w in words) and "crashed" not in r.stdout, f"{work}: {do}", r)
    each(rows, one)
    r = run(folder, "--work", "step", "--batch", "8", "--runs", "1", do="small")
    check(r.returncode == 3 and "more memory than the card has free" in r.stdout and "crashed" not in r.stdout, "a batch beyond the card", r)


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
    for args in (("--libcuda", text), ("--cublas", text), ("--libcuda", folder + "/absent"), ("--cublas", folder + "/absent"),
                 ("--libcudnn", text, "--work", "convolution")):
        r = run(folder, *([] if "--work" in args else ["--n", "32"]), *args)
        check(r.returncode == 3 and f"{args[1]} could not be used" in r.stdout, " ".join(args), r)


with tempfile.TemporaryDirectory() as work:
    shutil.copy(sys.argv[1], work + "/libcuda.so.1")
    for name in ("libcublas.so.12", "libcudnn.so.9", "libnvidia-ml.so.1"):
        os.symlink("libcuda.so.1", f"{work}/{name}")
    figures(work)
    precision(work)
    faults(work)
    works(work)
    faults_of_works(work)
    hang(work)
    libraries(work)
print("\n".join(bad) or "as it should be")
sys.exit(1 if bad else 0)
