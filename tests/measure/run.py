#!/usr/bin/env python3
"""verify over stand-ins of the driver and of each CUDA library: right ones pass with figures inside their bounds, every
deliberate fault is caught in its own layer and told by name. Prints how many.
usage: run.py HARNESS LIBCUDA LAYER=FILE... (one of them named cut: a cuBLAS without the call that multiplies)"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HARNESS, CUDA = sys.argv[1], os.path.realpath(sys.argv[2])
LIBS = {k: os.path.realpath(v) for k, v in (a.split("=", 1) for a in sys.argv[3:])}
CUT = LIBS.pop("cut")
LIBS["cudnn-graph"] = LIBS["cudnn"]
MACHINE = os.path.join(os.environ["TENON_SOURCE"], "tests/standin/machines/h100-nvswitch.txt")
bad = []


def run(fault, libs, level="quick:0", machine=MACHINE, cuda=CUDA, deadline=20000):
    env = dict(os.environ, TENON_STANDIN=machine, TENON_STANDIN_FAULT=fault)
    env.pop("TENON_STANDIN_DO", None)
    r = subprocess.run([HARNESS, level, str(deadline), cuda, *(f"{k}={v}" for k, v in libs.items())], env=env, capture_output=True,
                       text=True, timeout=300)
    return r.returncode, json.loads(r.stdout) if r.stdout else {"layers": []}


def of(doc, layer):
    return [x for x in doc["layers"] if x["name"] == layer]


def right():
    for level in "quick", "full":
        rc, doc = run("", LIBS, level + ":0")
        wrong = [x for x in doc["layers"] if x["status"] != "pass"]
        if rc != 0 or wrong:
            bad.append(f"right libraries, {level}: exit {rc}, {wrong}")
        for layer, whats in (("driver", {"memory", "kernel"}), ("cudart", {"load", "memory"}), ("nvrtc", {"load", "compile", "kernel"}),
                             ("cublas", {"load", "matmul"}), ("cublaslt", {"load", "matmul"}), ("cufft", {"load", "fft"}),
                             ("cudnn", {"load", "parts", "convolution", "convolution-image", "convolution-filter"}),
                             ("cudnn-graph", {"load", "descriptors", "convolution"}), ("cusolver", {"load", "solve"}), ("cusparse", {"load", "spmv"}), ("curand", {"load", "random"}),
                             ("nccl", {"load", "allreduce"})):
            if {x["what"] for x in of(doc, layer)} != whats:
                bad.append(f"{layer}, {level}: {sorted(x['what'] for x in of(doc, layer))}")
            if layer != "driver" and not all(x["library"]["version"] and x["library"]["path"] == LIBS[layer] for x in of(doc, layer)):
                bad.append(f"{layer}: file and version")
        precisions = [x["precision"] for x in of(doc, "cublas") if x["what"] == "matmul"]
        if precisions != ["fp64", "fp32", "tf32", "fp16", "bf16", "int8"]:
            bad.append(f"cuBLAS' precisions: {precisions}")
        print(f"{level}: " + ", ".join(f"{x['name']} {x['precision']} {x['max_error']:.2g} of {x['bound']:.2g}" for x in doc["layers"]
                                       if x["bound"] is not None))
    old = os.path.join(os.path.dirname(MACHINE), "laptop-1060.txt")  # 6.1: no TF32, no BF16, and that is no fault
    rc, doc = run("", LIBS, machine=old)
    lacks = sorted({x["precision"] for x in doc["layers"] if x["why"] == "not-on-card"})
    if rc != 0 or lacks != ["bf16", "tf32"]:
        bad.append(f"a card without TF32 and BF16: exit {rc}, {lacks}")
    rc, doc = run("", {"cublas": LIBS["cublas"]}, machine="/dev/null")
    if rc != 1 or of(doc, "cublas")[-1]["why"] != "driver-failed":
        bad.append(f"no card at all: exit {rc}")


# layer:fault -> what its error is called
FAULTS = {
    "driver:init": "CUDA_ERROR_UNKNOWN", "driver:memory": "CUDA_ERROR_OUT_OF_MEMORY", "driver:half": "CUDA_ERROR_OUT_OF_MEMORY",
    "driver:readback": "wrong-result", "driver:nothing": "wrong-result", "driver:late": "CUDA_ERROR_LAUNCH_FAILED",
    "driver:ecc": "CUDA_ERROR_ECC_UNCORRECTABLE", "driver:lost": "CUDA_ERROR_UNKNOWN", "driver:jit": "CUDA_ERROR_INVALID_PTX",
    "driver:crash": "crashed-11", "driver:quit": "quit", "driver:hang": "late",
    "cublas:bf16": "wrong-result", "cublas:version": "CUBLAS_STATUS_INVALID_VALUE", "cudnn:part": "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
    "cudnn:wrong-image": "wrong-result", "cudnn:no-image": "wrong-result", "cudnn:wrong-filter": "wrong-result",
    "cudnn-graph:wrong": "wrong-result", "cudnn-graph:nothing": "wrong-result", "cudnn-graph:nan": "wrong-result",
    "cudnn-graph:late": "CUDA_ERROR_LAUNCH_FAILED", "cudnn-graph:status": "CUDNN_STATUS_EXECUTION_FAILED",
    "cudnn-graph:engines": "CUDNN_STATUS_NOT_SUPPORTED",
    "cusolver:singular": "singular-5", "curand:constant": "wrong-result", "nvrtc:nothing": "wrong-result",
    "cudart:status": "cudaErrorMemoryAllocation", "nvrtc:status": "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
    "cublas:status": "CUBLAS_STATUS_EXECUTION_FAILED", "cublaslt:status": "CUBLAS_STATUS_EXECUTION_FAILED",
    "cudnn:status": "CUDNN_STATUS_EXECUTION_FAILED", "cufft:status": "CUFFT_INTERNAL_ERROR", "cusolver:status": "CUSOLVER_STATUS_EXECUTION_FAILED",
    "cusparse:status": "CUSPARSE_STATUS_EXECUTION_FAILED", "curand:status": "CURAND_STATUS_LAUNCH_FAILURE", "nccl:status": "ncclSystemError",
}
COMPUTING = ["cublas", "cublaslt", "cudnn", "cufft", "cusolver", "cusparse", "curand", "nccl"]
FAULTS.update({f"{n}:{f}": "wrong-result" for n in COMPUTING for f in ("wrong", "nothing", "nan")})
FAULTS.update({f"{n}:late": "CUDA_ERROR_LAUNCH_FAILED" for n in COMPUTING})
FAULTS.update({f"cudart:{f}": "wrong-result" for f in ("wrong", "nothing")})
FAULTS.update({f"{n}:{f}": e for n in LIBS if n != "cudnn-graph" for f, e in (("crash", "crashed-11"), ("quit", "quit"), ("load", "crashed-11"))})
FAULTS.update({f"{n}:hang": "late" for n in LIBS if n != "cudnn-graph"})


def one(fault):
    layer = fault.split(":")[0]
    libs = {} if layer == "driver" else {layer: LIBS[layer]}
    rc, doc = run(fault, libs, deadline=1500 if fault.endswith("hang") else 20000)
    errors = [x["error"] for x in of(doc, layer) if x["status"] == "fail"]
    if rc != 1 or FAULTS[fault] not in errors[:1]:
        return f"{fault}: exit {rc}, {errors}, expected {FAULTS[fault]}"
    return None


def files():
    """Files that are no such library."""
    with tempfile.TemporaryDirectory() as d:
        text = os.path.join(d, "libcublas.so.12")
        with open(text, "w") as f:
            f.write("not a library\n")
        for what, path, error in (("cut", CUT, "missing"), ("text", text, "unloadable"), ("another", LIBS["cufft"], "missing")):
            rc, doc = run("", {"cublas": path})
            errors = [x["error"] for x in of(doc, "cublas") if x["status"] == "fail"]
            if rc != 1 or errors != [error]:
                yield f"cuBLAS is {what}: exit {rc}, {errors}"
            else:
                yield None


PAIR = os.path.join(os.path.dirname(MACHINE), "3090-pair-used.txt")
LINKED = PAIR.replace("used", "linked")
FIRST, SECOND = "gpu.0000:01:00.0", "gpu.0000:41:00.0"


def cards():
    """Two cards: each is proved, a fault of one is told of that one, and the other's verdict stays."""
    rc, doc = run("", LIBS, "quick", PAIR)
    on = {d: sorted((x["name"], x["what"], x["precision"] or "") for x in doc["layers"] if x["device"] == d) for d in (FIRST, SECOND)}
    if rc != 0 or not on[FIRST] or on[FIRST] != on[SECOND]:
        bad.append(f"two cards: exit {rc}, {on}")
    lines = sorted((x["what"], x["device"], x["peer"], x["status"], x["why"]) for x in doc["layers"] if x["peer"])
    if lines != [("peer", FIRST, SECOND, "not_tried", "no-peer-access"), ("peer", SECOND, FIRST, "not_tried", "no-peer-access"),
                 ("peer-copy", FIRST, SECOND, "pass", None), ("peer-copy", SECOND, FIRST, "pass", None)]:
        bad.append(f"two cards without access to each other: {lines}")
    rc, linked = run("", LIBS, "quick", LINKED)
    if rc != 0 or [x["status"] for x in linked["layers"] if x["what"] == "peer"] != ["pass", "pass"]:
        bad.append(f"two cards with access to each other: exit {rc}")
    if [(x["device"], x["status"]) for x in linked["layers"] if x["what"] == "allreduce-cards"] != [(FIRST, "pass"), (SECOND, "pass")]:
        bad.append("NCCL's sum over two cards")
    if [(c["device"], c["status"]) for c in doc["cards"]] != [(FIRST, "pass"), (SECOND, "pass")]:
        bad.append(f"verdicts of two cards: {doc['cards']}")
    rc, doc = run("", LIBS, "quick:1", PAIR)
    if rc != 0 or {x["device"] for x in doc["layers"]} - {None, "cpu"} != {SECOND}:
        bad.append(f"the second card alone: exit {rc}, {({x['device'] for x in doc['layers']})}")


# LAYER:FAULT@CARD -> the card that is named, the error
OF_ONE = {"driver:readback@1": (SECOND, "wrong-result"), "driver:crash@1": (SECOND, "crashed-11"), "driver:ecc@0": (FIRST, "CUDA_ERROR_ECC_UNCORRECTABLE"),
          "cublas:wrong@1": (SECOND, "wrong-result"), "cublas:wrong@0": (FIRST, "wrong-result"), "cudnn:crash@1": (SECOND, "crashed-11"),
          "cufft:status@0": (FIRST, "CUFFT_INTERNAL_ERROR"), "driver:peer@1": (SECOND, "wrong-result"), "driver:peer-nothing@0": (FIRST, "wrong-result"),
          "driver:peer-late@1": (SECOND, "CUDA_ERROR_ILLEGAL_ADDRESS"), "driver:peer-hang@1": (SECOND, "late")}
# the same for the sum over all cards: what fails there alone
OF_SUM = {"nccl:sum-wrong@1": (SECOND, "wrong-result"), "nccl:sum-nothing@0": (FIRST, "wrong-result"), "nccl:sum-nan@1": (SECOND, "wrong-result"),
          "nccl:stuck@1": (SECOND, "late")}
OF_ONE.update(OF_SUM)


def of_one(fault):
    card, error = OF_ONE[fault]
    layer = fault.split(":")[0]
    libs = {k: LIBS[k] for k in ("cudart", "cublas", "cufft") if layer == "driver" or k == layer} or {layer: LIBS[layer]}
    rc, doc = run(fault, libs, "quick", PAIR, deadline=2500 if "hang" in fault else 30000)
    failed = [(x["name"], x["device"], x["error"]) for x in doc["layers"] if x["status"] == "fail"]
    verdicts = {c["device"]: c["status"] for c in doc.get("cards", [])}
    if rc != 1 or failed[:1] != [(layer, card, error)] or verdicts != {d: "fail" if d == card else "pass" for d in (FIRST, SECOND)}:
        return f"{fault}: exit {rc}, {failed}, {verdicts}"
    return None


def shared():
    """The quick level makes one context of a card for all layers, and one more behind each layer that failed."""
    made = {}
    for fault in "", "cublas:crash", "cufft:wrong":
        with tempfile.TemporaryDirectory() as d:
            pipe = os.environ["TENON_STANDIN_COUNT"] = os.path.join(d, "pipe")
            os.mkfifo(pipe)
            end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
            run(fault, LIBS)
            os.write(end, b"e")
            made[fault] = os.read(end, 1000).count(b".")
            os.close(end)
            del os.environ["TENON_STANDIN_COUNT"]
    if made != {"": 1, "cublas:crash": 2, "cufft:wrong": 2}:
        bad.append(f"contexts made: {made}")


def direct():
    """tools/direct_cublas.py, which a card's figures are compared with."""
    tool = os.path.join(os.environ["TENON_SOURCE"], "tools/direct_cublas.py")
    r = subprocess.run([sys.executable, tool, CUDA, LIBS["cublas"], "--precision", "fp64", "16", "32"], capture_output=True, text=True,
                       env=dict(os.environ, TENON_STANDIN=MACHINE), timeout=120)
    figures = [json.loads(line) for line in r.stdout.splitlines()]
    if r.returncode or [x["n"] for x in figures] != [16, 32] or not all(x["gflops"] > 0 for x in figures):
        bad.append(f"cuBLAS called directly: {r}")


right()
cards()
shared()
direct()
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    results = list(pool.map(one, FAULTS)) + list(pool.map(of_one, OF_ONE)) + list(files())
bad += [r for r in results if r]
print(f"{sum(r is None for r in results)} of {len(results)} deliberate faults are caught, each in its layer and by its name")
sys.exit("\n".join(bad) if bad else 0)
