#!/usr/bin/env python3
"""Lays out N environments with D distributions each below a folder: the files of a venv, of dist-info folders and of
TensorFlow's build facts, as real ones have them.

usage: tree.py FOLDER N D
"""
import os
import sys

folder, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
META = ("Metadata-Version: 2.1\nName: {n}\nVersion: {v}\nSummary: a package\nRequires-Python: >=3.9\n"
        "Requires-Dist: numpy<2.0\n\nText.\n")
CFG = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"
BUILD_INFO = ("import collections\nbuild_info = collections.OrderedDict([('cpu_compiler', 'clang'), "
              "('cuda_compute_capabilities', ['sm_50', 'sm_60', 'sm_70', 'sm_75', 'compute_80']), "
              "('cuda_version', '12.2'), ('cudnn_version', '8'), ('is_cuda_build', True), ('is_rocm_build', False), "
              "('is_tensorrt_build', True)])\n")
CUDA_CONFIG = "".join(f'#define TF_{k}_VERSION "{v}"\n' for k, v in (
    ("CUDA", "12.2"), ("CUDART", "12"), ("CUPTI", "12"), ("CUBLAS", "12"), ("CUSOLVER", "11"), ("CURAND", "10"),
    ("CUFFT", "11"), ("CUSPARSE", "12"), ("CUDNN", "8")))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def link(target, path):
    if not os.path.lexists(path):
        os.symlink(target, path)


for i in range(n):
    env = os.path.join(folder, f"env{i:04d}")
    site = os.path.join(env, "lib/python3.11/site-packages")
    write(os.path.join(env, "pyvenv.cfg"), CFG)
    os.makedirs(os.path.join(env, "bin"), exist_ok=True)
    link("python3", os.path.join(env, "bin/python"))
    link("/usr/bin/python3", os.path.join(env, "bin/python3"))
    names = [("tensorflow", "2.15.1"), ("numpy", "1.26.4"), ("keras", "2.15.0"), ("protobuf", "4.25.3")]
    names += [(f"package-{k:03d}", "1.0.0") for k in range(max(0, d - len(names)))]
    for name, version in names[:d]:
        info = os.path.join(site, f"{name.replace('-', '_')}-{version}.dist-info")
        write(os.path.join(info, "METADATA"), META.format(n=name, v=version))
        write(os.path.join(info, "WHEEL"), "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        write(os.path.join(info, "RECORD"), "")
        write(os.path.join(info, "INSTALLER"), "pip\n")
    link("lib", os.path.join(env, "lib64"))
    tensorflow = os.path.join(site, "tensorflow")
    write(os.path.join(tensorflow, "__init__.py"), "")
    write(os.path.join(tensorflow, "python/platform/build_info.py"), BUILD_INFO)
    write(os.path.join(tensorflow, "include/third_party/gpus/cuda/cuda_config.h"), CUDA_CONFIG)
