#!/usr/bin/env python3
"""CUDA and cuDNN archives in NVIDIA's layout, placed: a full set or nothing, by the digests of a list in NVIDIA's form;
what was placed is known again afterwards. The archives are made here, with the real headers and the heads of the real
libraries where a toolkit is on this machine. usage: run.py PLACE"""
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PLACE = sys.argv[1]
UNPACK = os.path.join(os.path.dirname(os.environ["TENON"]), "tenon-unpack")
REAL = "/usr/local/cuda-13.0"
V9 = "9.19.0.56"
LIBS9 = ["libcudnn", "libcudnn_graph", "libcudnn_ops", "libcudnn_cnn", "libcudnn_adv", "libcudnn_heuristic",
         "libcudnn_engines_precompiled", "libcudnn_engines_runtime_compiled"]
LIBS8 = ["cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train", "cudnn_adv_infer",
         "cudnn_adv_train"]
VERSION_H = "#define CUDNN_MAJOR {}\n#define CUDNN_MINOR {}\n#define CUDNN_PATCHLEVEL {}\n"
count = 0


def say(what, good, text=""):
    global count
    count += 1
    if not good:
        print(f"WRONG: {what}\n{text}")
        sys.exit(1)


def head(path, made):
    try:
        with open(os.path.join(REAL, path), "rb") as f:
            return f.read(65536)
    except OSError:
        return made


def header(version):
    made = VERSION_H.format(*version.split(".")[:3]).encode()
    real = head("include/cudnn_version.h", made) if version == V9 else made
    return real if b"CUDNN_MINOR 19" in real or version != V9 else made


def tar(path, top, members):
    """members: name -> bytes, or str: a link's target."""
    with tarfile.open(path, "w:xz", preset=0) as t:
        for name, data in members.items():
            i = tarfile.TarInfo(top + "/" + name)
            if isinstance(data, str):
                i.type, i.linkname = tarfile.SYMTYPE, data
                t.addfile(i)
            else:
                i.size, i.mode = len(data), 0o755 if ".so" in name or name.startswith("bin/") else 0o644
                t.addfile(i, io.BytesIO(data))


def zipped(path, top, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members.items():
            z.writestr(zipfile.ZipInfo(f"{top}/{name}", (2026, 1, 1, 0, 0, 0)), data)


def sum_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def entry(path, folder):
    return {"relative_path": folder + "/" + os.path.basename(path), "sha256": sum_of(path), "md5": "0" * 32,
            "size": str(os.path.getsize(path))}


def redist(path, label, **components):
    """The form of NVIDIA's redistrib_LABEL.json: components: name -> (version, archive, platform, cuda or None)."""
    out = {"release_date": "2026-01-01", "release_label": label, "release_product": "cuda"}
    for name, (version, archive, platform, cuda) in components.items():
        e = entry(archive, f"{name}/{platform}")
        out[name] = {"name": name, "license": "CUDA Toolkit", "version": version, platform: {"cuda" + cuda: e} if cuda else e}
        if cuda:
            out[name]["cuda_variant"] = [cuda]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(out, f, indent=4)


def cudnn9(path, without=(), version=V9, more=None):
    full = ".".join(version.split(".")[:3])
    m = {"LICENSE": b"cuDNN licence\n", "include/cudnn.h": head("include/cudnn.h", b"h\n"), "include/cudnn_version.h": header(version)}
    for lib in LIBS9:
        if lib not in without:
            m[f"lib/{lib}.so.{full}"] = head(f"lib/{lib}.so.9", lib.encode() * 100)
            m[f"lib/{lib}.so.9"] = f"{lib}.so.{full}"
            m[f"lib/{lib}.so"] = f"{lib}.so.9"
    m.update(more or {})
    tar(path, os.path.basename(path).removesuffix(".tar.xz"), m)


def cudnn8(path, without=(), version="8.1.1.33"):
    m = {"include/cudnn.h": b"h\n", "include/cudnn_version.h": header(version), "LICENSE.txt": b"licence\n"}
    for lib in LIBS8:
        if lib not in without:
            m[f"bin/{lib}64_8.dll"] = b"MZ" + lib.encode()
            m[f"lib/x64/{lib}64_8.lib"] = b"!<arch>\n" + lib.encode()
    zipped(path, "cuda", m)


class Case:
    def __init__(self, top):
        self.into, self.list = os.path.join(top, "into"), os.path.join(top, "placed")
        os.makedirs(self.into)

    def run(self, *words):
        p = subprocess.run([PLACE, "archives", self.into, self.list, *words], capture_output=True, text=True, timeout=120,
                           env={**os.environ, "TENON_UNPACK": UNPACK}, check=False)
        self.text = p.stdout
        return p.returncode

    def files(self):
        return sorted(os.path.relpath(os.path.join(b, n), self.into) for b, d, f in os.walk(self.into) for n in d + f)

    def check(self):
        p = subprocess.run([PLACE, "check", self.into, self.list], capture_output=True, text=True, timeout=120,
                           env={**os.environ, "TENON_UNPACK": UNPACK}, check=False)
        say("check ends", p.returncode == 0, p.stdout + p.stderr)
        out = {}
        for line in p.stdout.splitlines():
            state, path = line.split(" ", 1)
            out.setdefault(state, []).append(path)
        return out

    def refused(self, what, words, *args):
        rc = self.run(*args)
        say(what, rc == 4 and words in self.text and not self.files(), f"{rc} {self.text}\n{self.files()}")


def story_12(work):
    """A small zip of seven libraries, headers and import libraries, and a list of digests."""
    at = os.path.join(work, "zip")
    os.makedirs(at)
    file = os.path.join(at, "cudnn-11.2-windows-x64-v8.1.1.33.zip")
    cudnn8(file)
    lines = os.path.join(at, "sums")
    with open(lines, "w", encoding="utf-8") as f:
        f.write(f"{sum_of(file)}  {os.path.basename(file)}\n")
    c = Case(os.path.join(at, "good"))
    say("the zip is placed", c.run("cudnn=8.1", "list=" + lines, file) == 0, c.text)
    say("seven libraries", sum(x.endswith(".dll") for x in c.files()) == 7 and sum(x.endswith(".lib") for x in c.files()) == 7, c.text)
    say("as listed", "part cudnn 8.1.1.33 windows-x86_64 cuda11 listed" in c.text, c.text)
    say("all of it is the same", set(c.check()) == {"same"})
    with open(lines, "w", encoding="utf-8") as f:
        f.write(f"{'0' * 64}  {os.path.basename(file)}\n")
    Case(os.path.join(at, "sum")).refused("a wrong checksum", "sha256", "cudnn=8.1", "list=" + lines, file)
    full = Case(os.path.join(at, "full"))
    with open(os.path.join(full.into, "mine"), "w", encoding="ascii") as f:
        f.write("mine")
    say("a folder with something in it", full.run("cudnn=8.1", file) == 4 and full.files() == ["mine"], full.text)
    Case(os.path.join(at, "other")).refused("another version", "not 8.4", "cudnn=8.4", file)
    Case(os.path.join(at, "cuda")).refused("another CUDA", "for CUDA 11, not 12", "cudnn=", "cuda=12", file)
    for lib in LIBS8:
        part = os.path.join(at, "part.zip")
        cudnn8(part, [lib])
        Case(os.path.join(at, lib)).refused("one library lacking", f"{lib}64_8.dll is not in bin", "cudnn=8.1", part)


def linux_cudnn(work):
    at = os.path.join(work, "tar")
    os.makedirs(at)
    file = os.path.join(at, f"cudnn-linux-x86_64-{V9}_cuda13-archive.tar.xz")
    cudnn9(file)
    c = Case(os.path.join(at, "unlisted"))
    say("without a list", c.run("cudnn=9.19", file) == 0 and "cuda13 unlisted" in c.text, c.text)
    redist(os.path.join(at, "redistrib_9.19.0.json"), "9.19.0", cudnn=(V9, file, "linux-x86_64", "13"))
    c = Case(os.path.join(at, "good"))
    say("the list beside it", c.run("cudnn=9.19", "cuda=13", file) == 0 and "cuda13 listed" in c.text, c.text)
    say("lib is lib64", "lib64/libcudnn.so.9" in c.files() and "LICENSE.cudnn" in c.files(), c.text)
    say("links", os.readlink(os.path.join(c.into, "lib64/libcudnn.so")) == "libcudnn.so.9", c.text)
    say("nothing changed", set(c.check()) == {"same"})
    with open(os.path.join(c.into, "include/cudnn.h"), "ab") as f:
        f.write(b"// mine\n")
    with open(os.path.join(c.into, "lib64/libcudnn_ops.so.9.19.0"), "r+b") as f:  # same size
        f.write(b"x")
    os.remove(os.path.join(c.into, "lib64/libcudnn.so"))
    os.symlink("/etc/passwd", os.path.join(c.into, "lib64/libcudnn.so"))
    os.remove(os.path.join(c.into, "lib64/libcudnn_cnn.so"))
    with open(os.path.join(c.into, "lib64/mine"), "w", encoding="ascii") as f:
        f.write("mine")
    os.chmod(os.path.join(c.into, "LICENSE.cudnn"), 0o600)
    found = c.check()
    say("what changed is told", sorted(found["changed"]) == ["LICENSE.cudnn", "include/cudnn.h", "lib64/libcudnn.so",
                                                             "lib64/libcudnn_ops.so.9.19.0"]
        and found["gone"] == ["lib64/libcudnn_cnn.so"] and "lib64/mine" not in str(found), str(found))
    with open(file, "r+b") as f:
        f.seek(os.path.getsize(file) // 2)
        f.write(b"\0\0\0\0")
    Case(os.path.join(at, "damaged")).refused("a damaged archive", "sha256", "cudnn=9.19", file)
    bad = os.path.join(work, "bad")
    os.makedirs(bad)
    odd = os.path.join(bad, os.path.basename(file))
    for n, (words, kind) in enumerate({
            "libcudnn_adv.so.9 is not in lib64": {"without": ["libcudnn_adv"]},
            "header says cuDNN 9.18": {"more": {"include/cudnn_version.h": VERSION_H.format(9, 18, 0).encode()}},
            "leads to no file": {"more": {"lib/libcudnn_ops.so.9": "libcudnn_ops.so.9.18.0"}},
            "leads out of the folder": {"more": {"lib/l": "../../../out"}},
            "no header": {"more": {"include/cudnn_version.h": b"text\n"}},
            "'..' in its path": {"more": {"../../out": b"x"}}}.items()):
        cudnn9(odd, **kind)
        Case(os.path.join(bad, str(n))).refused(words, words, "cudnn=9", odd)


PARTS = {"cuda_cudart": ["lib/libcudart.so.13", "include/cuda_runtime.h"], "cuda_cupti": ["lib/libcupti.so.13", "include/cupti.h"],
         "cuda_nvcc": ["bin/ptxas", "bin/nvcc"], "cuda_nvrtc": ["lib/libnvrtc.so.13", "include/nvrtc.h"],
         "libcublas": ["lib/libcublas.so.13", "include/cublas.h"], "libcufft": ["lib/libcufft.so.12", "include/cufft.h"],
         "libcusolver": ["lib/libcusolver.so.12"], "libcusparse": ["lib/libcusparse.so.12"]}


def toolkit(work):
    at = os.path.join(work, "toolkit")
    os.makedirs(at)
    files, listed = [], {}
    for name, members in PARTS.items():
        file = os.path.join(at, f"{name}-linux-x86_64-13.0.48-archive.tar.xz")
        tar(file, os.path.basename(file).removesuffix(".tar.xz"),
            {"LICENSE": b"CUDA licence\n", **{m: head(m, m.encode()) for m in members}, "include/shared.h": b"the same\n"})
        files.append(file)
        listed[name] = ("13.0.48", file, "linux-x86_64", None)
    redist(os.path.join(at, "redistrib_13.0.0.json"), "13.0.0", **listed)
    cudnn = os.path.join(at, f"cudnn-linux-x86_64-{V9}_cuda13-archive.tar.xz")
    cudnn9(cudnn)
    redist(os.path.join(at, "redistrib_9.19.0.json"), "9.19.0", cudnn=(V9, cudnn, "linux-x86_64", "13"))
    c = Case(os.path.join(at, "good"))
    say("a toolkit and cuDNN", c.run("parts=", "cudnn=9", "cuda=13", *files, cudnn) == 0 and c.text.count(" listed") == 9, c.text)
    say("in one tree", {"bin/ptxas", "lib64/libcublas.so.13", "lib64/libcudnn.so.9", "include/shared.h", "LICENSE.libcufft"} <=
        set(c.files()), str(c.files()))
    say("the same", set(c.check()) == {"same"})
    for n, file in enumerate(files):
        Case(os.path.join(at, f"less-{n}")).refused("a part lacking", "missing", "parts=", *[f for f in files if f != file])
    Case(os.path.join(at, "no-cudnn")).refused("cuDNN lacking", "missing", "parts=", "cudnn=9", *files)
    Case(os.path.join(at, "twice")).refused("a part twice", "given twice", *files, files[0])
    stranger = os.path.join(at, "libcurand-linux-x86_64-10.4.0.1-archive.tar.xz")
    tar(stranger, "libcurand-linux-x86_64-10.4.0.1-archive", {"lib/libcurand.so.10": b"x", "include/shared.h": b"another\n"})
    Case(os.path.join(at, "clash")).refused("other bytes under one name", "different bytes", *files, stranger)
    Case(os.path.join(at, "stranger")).refused("not in the list", "not in the list", "list=" + os.path.join(at, "redistrib_13.0.0.json"),
                                               *files, stranger)
    arm = os.path.join(at, "libnpp-linux-sbsa-13.0.1.2-archive.tar.xz")
    tar(arm, "libnpp-linux-sbsa-13.0.1.2-archive", {"lib/libnpp.so": b"x"})
    Case(os.path.join(at, "arm")).refused("another platform", "linux-sbsa", *files, arm)
    with open(os.path.join(at, "list.json"), "w", encoding="utf-8") as f:
        f.write('{"cudnn": {"version": "9", "linux-x86_64": {"relative_path": "x"}}}')
    Case(os.path.join(at, "list")).refused("a list without digests", "sha256", "list=" + os.path.join(at, "list.json"), *files)


def wheel(work):
    file = os.path.join(work, "tiny-1-py3-none-any.whl")
    members = {"tiny/__init__.py": b"x = 1\n", "tiny-1.dist-info/METADATA": b"Name: tiny\n", "tiny-1.dist-info/RECORD": b""}
    with zipfile.ZipFile(file, "w") as z:
        for name, data in members.items():
            z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
    env = {**os.environ, "TENON_UNPACK": UNPACK}
    p = subprocess.run([PLACE, "members", file, sum_of(file)], capture_output=True, text=True, env=env, check=False)
    told = {x.split(" ", 4)[4]: x.split(" ")[3] for x in p.stdout.splitlines() if x.startswith("f ")}
    say("members of a wheel", p.returncode == 0 and p.stdout.splitlines()[0] == sum_of(file) and
        told == {k: hashlib.sha256(v).hexdigest() for k, v in members.items()}, p.stdout)
    p = subprocess.run([PLACE, "members", file, "0" * 64], capture_output=True, text=True, env=env, check=False)
    say("another wheel", p.returncode == 4 and "sha256" in p.stdout, p.stdout)
    p = subprocess.run([PLACE, "members", file, "-"], capture_output=True, text=True, check=False,
                       env={**os.environ, "TENON_UNPACK": work + "/none"})
    say("no helper", p.returncode == 5, p.stdout)


def main():
    with tempfile.TemporaryDirectory() as work:
        for part in (story_12, linux_cudnn, toolkit, wheel):
            part(work)
    print(f"{count} checks")


main()
