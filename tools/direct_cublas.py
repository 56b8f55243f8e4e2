#!/usr/bin/env python3
"""The same matrix product by cuBLAS called directly, without tenon: what `tenon bench` has to reach on a card.

Only Python's own ctypes, the driver and cuBLAS. Each size: warmed up, then runs until two seconds have passed or 30 were made,
each of as many products as take 50 ms, waited for by cuCtxSynchronize. Prints a line of JSON for each size.
usage: direct_cublas.py LIBCUDA LIBCUBLAS [--gpu N] [--precision fp32|tf32|fp16|fp64] N...
"""
import argparse
import ctypes
import json
import statistics
import sys
import time

TYPES = {"fp64": (1, 8, 70), "fp32": (0, 4, 68), "tf32": (0, 4, 77), "fp16": (2, 2, 68)}  # cudaDataType, bytes, computation


def call(library, name, *args):
    rc = getattr(library, name)(*args)
    if rc:
        sys.exit(f"{name}: {rc}")


def start(cuda, gpu):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call(cuda, "cuInit", 0)
    call(cuda, "cuDeviceGet", ctypes.byref(device), gpu)
    call(cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call(cuda, "cuCtxSetCurrent", context)
    return device


def memory(cuda, nbytes):
    at = ctypes.c_uint64()
    call(cuda, "cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(nbytes))
    call(cuda, "cuMemsetD8_v2", at, ctypes.c_ubyte(0), ctypes.c_size_t(nbytes))
    return at


def measure(cuda, cublas, handle, n, precision):
    kind, size, compute = TYPES[precision]
    a, b, c = (memory(cuda, n * n * size) for _ in range(3))
    scalar = ctypes.c_double if precision == "fp64" else ctypes.c_float
    one, zero = scalar(1), scalar(0)

    def products(k):
        begin = time.perf_counter()
        for _ in range(k):
            call(cublas, "cublasGemmEx", handle, 0, 0, n, n, n, ctypes.byref(one), a, kind, n, b, kind, n, ctypes.byref(zero), c, kind,
                 n, compute, -1)
        call(cuda, "cuCtxSynchronize")
        return (time.perf_counter() - begin) / k

    one_run = min(products(1) for _ in range(3))
    k, runs, begin = max(1, int(0.05 / one_run)), [], time.perf_counter()
    while len(runs) < 30 and (len(runs) < 5 or time.perf_counter() - begin < 2):
        runs.append(products(k))
    for at in (a, b, c):
        call(cuda, "cuMemFree_v2", at)
    median = statistics.median(runs)
    print(json.dumps({"n": n, "precision": precision, "runs": len(runs), "products": k, "seconds": {"median": median, "min": min(runs),
          "max": max(runs)}, "gflops": 2 * n ** 3 / median / 1e9}), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("libcuda")
    p.add_argument("libcublas")
    p.add_argument("--gpu", type=int, default=0)
    p.add_argument("--precision", choices=TYPES, default="fp32")
    p.add_argument("n", nargs="+", type=int)
    a = p.parse_args()
    cuda = ctypes.CDLL(a.libcuda)
    device = start(cuda, a.gpu)
    cublas, handle = ctypes.CDLL(a.libcublas), ctypes.c_void_p()
    call(cublas, "cublasCreate_v2", ctypes.byref(handle))
    for n in a.n:
        measure(cuda, cublas, handle, n, a.precision)
    call(cublas, "cublasDestroy_v2", handle)
    call(cuda, "cuDevicePrimaryCtxRelease_v2", device)


main()
