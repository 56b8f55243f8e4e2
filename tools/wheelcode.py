#!/usr/bin/env python3
"""Which GPU code published wheels hold, read from their objects by src/image/fatbin.c, and what the tables say of them.

usage: wheelcode.py PACKAGE==VERSION... [--tag TAG] [--write]    torch, tensorflow, onnxruntime-gpu, jax-cuda12-pjrt ...

One object of hundreds of MB is inflated for each release, into a temporary file. What less than a quarter as many containers have
as the most frequent architecture is printed as "some kernels": a build does not run on a card by it. Exit status 1: a table
says otherwise. --write: fills empty cells of onnxruntime_builds.
"""
import argparse
import datetime
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile

from tablefile import TableFile
from wheelpart import Wheel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OBJECTS = {
    "torch": ("torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_cu.so", "torch/lib/libtorch.so"),
    "tensorflow": ("tensorflow/libtensorflow_cc.so.2", "tensorflow/python/_pywrap_tensorflow_internal.so"),
    "onnxruntime-gpu": ("onnxruntime/capi/libonnxruntime_providers_cuda.so",),
    "jax-cuda12-pjrt": ("jax_plugins/xla_cuda12/xla_cuda_plugin.so",),
    "jax-cuda13-pjrt": ("jax_plugins/xla_cuda13/xla_cuda_plugin.so",),
}


def dotted(word):
    digits = word.rstrip("af")
    return digits[:-1] + "." + digits[-1] + word[len(digits):]


def read(dump, path):
    """{"sass": {"8.6": 476}, "ptx": ..., "isa": "8.3"}, containers, of the sections for GPU code."""
    out = subprocess.run([dump, "--sections", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    found, isa, containers = {"sass": {}, "ptx": {}}, 0, 0
    for words in map(str.split, out.splitlines()):
        kind = words[0].replace("parts-ptx", "ptx")  # the driver links it again for a card without machine code
        if kind in found:
            found[kind][dotted(words[1])] = max(found[kind].get(dotted(words[1]), 0), int(words[2]))
        if kind == "ptx":
            isa = max(isa, int(words[5]))
        if words[0] == "file":
            containers = int(words[2])
    return found, isa, containers


def whole(counts, most):
    return [a for a, n in counts.items() if 4 * n >= most]


def table_says(package, version):
    """(table, sass, ptx) of the row that tenon uses; empty lists: no claim."""
    name = {"torch": "pytorch_builds", "tensorflow": "tf_wheel_arch", "onnxruntime-gpu": "onnxruntime_builds"}.get(package, "jax_builds")
    best = None
    for r in TableFile(os.path.join(ROOT, "data", "tables"), name).rows:
        if r["rank"] != "1":
            continue
        if name == "pytorch_builds" and r["torch_version"] == version and r["pypi_default"] == "yes":
            best = (r["sass_linux"], r["ptx_linux"])
        elif name == "onnxruntime_builds" and (r["version"], r["package"]) == (version, package):
            best = (r["sass"], r["ptx"])
        elif name == "jax_builds" and (r["jax_version"], "jax-%s-pjrt" % r["cuda_extra"]) == (version, package):
            best = (r["sass"], r["ptx"])
        elif name == "tf_wheel_arch" and (r["platform"], r["builder"]) == ("linux", "official"):
            key = [int(x) for x in version.split(".")[:3] if x.isdigit()]
            first, last = ([int(x) for x in r[c].split(".")] for c in ("version_from", "version_to"))
            if first <= key[:len(first)] and key[:len(last)] <= last and (best is None or len(first) > best[2]):
                best = (r["sass"], r["ptx"], len(first))
    return name, (best[0].split() if best else []), (best[1].split() if best else [])


def build(folder):
    dump = os.path.join(folder, "dump")
    src = os.path.join(ROOT, "src")
    sources = [os.path.join(src, d, f) for d in ("base", "image") for f in sorted(os.listdir(os.path.join(src, d)))
               if f.endswith(".c") and (d == "base" or f.startswith("fatbin"))]
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-I" + src, "-o", dump,
                    os.path.join(ROOT, "tests", "real", "fatbin_dump.c")] + sources, check=True)
    return dump


def look(dump, folder, package, version, tag):
    """(member, found, isa, containers) of the first object that holds code."""
    w = Wheel(package, version, tag)
    for pattern in OBJECTS[package]:
        for name in fnmatch.filter(w.entries, pattern):
            path = os.path.join(folder, "object")
            with open(path, "wb") as f:
                for piece in w.chunks(name):
                    f.write(piece)
            found, isa, containers = read(dump, path)
            os.unlink(path)
            if containers:
                return name, found, isa, containers
    raise SystemExit("%s %s: no object with GPU code" % (package, version))


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("release", nargs="+", help="PACKAGE==VERSION")
    ap.add_argument("--tag", default="linux*x86_64", help="part of the wheel's name")
    ap.add_argument("--write", action="store_true")
    a = ap.parse_args()
    folder, differ = tempfile.mkdtemp(), 0
    table = TableFile(os.path.join(ROOT, "data", "tables"), "onnxruntime_builds") if a.write else None
    try:
        dump = build(folder)
        for release in a.release:
            package, _, version = release.partition("==")
            if package not in OBJECTS:
                ap.error("%s: known are %s" % (package, " ".join(OBJECTS)))
            try:
                name, found, isa, containers = look(dump, folder, package, version, a.tag)
            except SystemExit as e:
                print(e)
                differ = 1
                continue
            most = max((found["sass"] or found["ptx"]).values())
            lists = {k: whole(found[k], most) for k in found}
            some = ["%s %s:%d" % (k, arch, n) for k in found for arch, n in found[k].items() if arch not in lists[k]]
            print("%s %s %s: sass %s; ptx %s%s; %d containers%s" %
                  (package, version, name, " ".join(lists["sass"]) or "-", " ".join(lists["ptx"]) or "-",
                   " (ISA %d.%d)" % divmod(isa, 100) if isa else "", containers, "; some kernels: " + " ".join(some) if some else ""))
            table_name, sass, ptx = table_says(package, version)
            if not sass and not ptx:
                print("  %s has no list" % table_name)
                if table is not None and package == "onnxruntime-gpu":
                    table.learn({"version": version, "package": package, "sass": " ".join(lists["sass"]), "ptx": " ".join(lists["ptx"]),
                                 "notes": "sass and ptx read in " + os.path.basename(name),
                                 "source": "wheel %s %s, read %s" % (package, version, datetime.date.today().isoformat())},
                                lambda r: 0)
            elif (set(sass), set(ptx)) == (set(lists["sass"]), set(lists["ptx"])):
                print("  %s says the same" % table_name)
            else:
                print("  DIFFERS: %s says sass %s; ptx %s" % (table_name, " ".join(sass), " ".join(ptx) or "-"))
                differ = 1
    finally:
        shutil.rmtree(folder)
    if table is not None:
        table.save()
    return differ


if __name__ == "__main__":
    sys.exit(main())
