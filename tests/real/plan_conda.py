"""The specs of tenon's conda plans, parsed and solved by rattler, the solver of pixi, over a channel of tiny records.

usage: plan_conda.py TENON SOURCE FOLDER. Names, versions and forms of build strings are those of table conda_builds; what
each asks for is what its recipe says. CPU builds have the higher build number, so that only the build string keeps
them out. File names that public lock files and logs hold have to match the forms, too."""
import os
import asyncio
import itertools
import json
import pathlib
import re
import shlex
import subprocess
import sys

import yaml
from rattler import BuildString, Channel, Gateway, GenericVirtualPackage, MatchSpec, PackageName, Version, solve

TENON, SOURCE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

# name, version, build of uploads to conda-forge for linux-64, as they stand in lock files and logs
UPLOADS = [("tensorflow", "2.8.1", "cuda112py39h01bd6f0_0"), ("tensorflow", "2.10.0", "cuda112py310he87a039_0"),
           ("tensorflow", "2.17.0", "cuda120py311h51447cc_0"), ("tensorflow", "2.17.0", "cuda120py310heb3ae67_203"),
           ("tensorflow", "2.18.0", "cpu_py312h1a3f8f9_0"), ("pytorch", "2.4.0", "cuda118_py39hbf661d7_301"),
           ("jaxlib", "0.4.23", "cuda120py311h5a49573_202")]


def rows():
    head = None
    for line in (SOURCE / "data/tables/conda_builds.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if head is None:
            head = cells
            continue
        row = dict(zip(head, cells))
        if row["rank"] == "1" and row["channel"] == "conda-forge":
            yield row


def concrete(form, python):
    """cuda129_*_py*_h*_* -> cuda129_x_py313_hx_0"""
    form = form.replace("py*", "py" + python.replace(".", ""))
    return form.removesuffix("*").replace("*", "x") + ("0" if form.endswith("*") else "")


class Repo:
    def __init__(self):
        self.subdirs = {s: {} for s in ("linux-64", "linux-aarch64", "win-64", "noarch")}

    def add(self, subdir, name, version, build, number, depends, constrains=()):
        file = f"{name}-{version}-{build}.tar.bz2"
        self.subdirs[subdir][file] = dict(
            name=name, version=version, build=build, build_number=number, depends=list(depends), constrains=list(constrains),
            subdir=subdir, md5="0" * 32, sha256="0" * 64, size=1, timestamp=1700000000000)

    def write(self, folder):
        for subdir, packages in self.subdirs.items():
            (folder / subdir).mkdir(parents=True)
            (folder / subdir / "repodata.json").write_text(json.dumps(
                {"info": {"subdir": subdir}, "packages": packages, "packages.conda": {}, "repodata_version": 1}))


def major(v):
    return int(v.split(".")[0])


def channel(folder):
    repo = Repo()
    for minor in range(6, 16):
        for subdir in ("linux-64", "linux-aarch64", "win-64"):
            repo.add(subdir, "python", f"3.{minor}.1", "h0_0_cpython", 0, [])
    for name in ("cuda-libraries", "cuda-cupti", "cuda-nvcc-tools", "nccl", "pip"):
        repo.add("noarch", name, "1.0", "0", 0, [])
    repo.add("noarch", "jax", "1.0", "0", 0, ["jaxlib"])
    for r in rows():
        name, cuda, sub = r["package"], r["cuda"], r["platform"]
        if name == "cuda-version":
            repo.add("noarch", name, cuda, "h0_3", 3, [], [f"__cuda >={major(cuda)}"])
        elif name == "cudatoolkit":
            least = str(major(cuda)) if major(cuda) >= 11 else cuda
            repo.add(sub, name, r["version"], "h0_1", 1, [], [f"__cuda >={least}"])
        elif name == "cudnn":
            run = r["needs"] or f"cudatoolkit {cuda}.*"
            repo.add(sub, name, r["version"], "h" + re.sub(r"\W", "", cuda) + "_0", 0, [run, "__cuda"])
        else:
            for python in r["pythons"].split() or ["3.9"]:
                depends = [f"python {python}.*"]
                if cuda not in ("none", ""):
                    depends.append("__cuda")
                    depends.append(f"cuda-version >={cuda},<{major(cuda) + 1}" if major(cuda) >= 12 else f"cudatoolkit {major(cuda)}.*"
                                   if major(cuda) == 11 else f"cudatoolkit {cuda}.*")
                    if r["cudnn"]:
                        depends.append(f"cudnn >={r['cudnn']},<{major(r['cudnn']) + 1}")
                build = concrete(r["build"], python) if r["build"] else "h0_0"
                repo.add(sub, name, r["version"], build, 0 if cuda != "none" else 999, depends)
    repo.write(folder)


def tenon(*words):
    p = subprocess.run([TENON, "plan", *words], capture_output=True, text=True, encoding="utf-8")
    if p.returncode:
        sys.exit(f"tenon plan {' '.join(words)}: {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


def specs_of_command(document):
    """The words behind the channels of `conda create`."""
    words = shlex.split(next(s["command"] for s in json.loads(document)["steps"] if " create " in s["command"]).strip())
    return words[max(i for i, w in enumerate(words) if w == "-c") + 2:]


async def solved(folder, specs, subdir, cuda):
    machine = [("__glibc", "2.36"), ("__unix", "0")] if subdir != "win-64" else [("__win", "10")]
    if cuda:
        machine.append(("__cuda", cuda))
    return await solve([Channel((folder / "chan").as_uri())], [MatchSpec(s) for s in specs], platforms=[subdir, "noarch"],
                       gateway=Gateway(cache_dir=folder / "cache"),
                       virtual_packages=[GenericVirtualPackage(PackageName(n), Version(v), BuildString("0")) for n, v in machine])


async def main():
    forms = list(rows())
    for name, version, build in UPLOADS:
        fits = [r for r in forms if (r["package"], r["version"], r["platform"]) == (name, version, "linux-64") and r["build"]
                and re.fullmatch(re.escape(r["build"]).replace(r"\*", ".*"), build)]
        if len(fits) != 1:
            sys.exit(f"{name}-{version}-{build}: {len(fits)} forms of the table fit")
    channel(ROOT / "chan")
    driver = {"550.54.14": "12.4", "470.199.02": "11.4", "580.65.06": "13.0"}
    plans = list(itertools.product(
        [("tensorflow",), ("tensorflow==2.10",), ("tensorflow==2.15",), ("torch",), ("torch==2.4.0",), ("jax[cuda12]",),
         ("tensorflow", "torch")], ["conda", "mixed"], ["550.54.14"]))
    plans += [(("tensorflow",), "conda", "470.199.02"), (("torch",), "conda", "580.65.06"), (("onnxruntime-gpu",), "mixed", "550.54.14"),
              (("jax[cuda12]==0.4.30",), "mixed", "550.54.14"), (("tensorflow==1.15",), "mixed", "470.199.02")]
    plans += [(("tensorflow", "--cpu"), "conda", "550.54.14"), (("tensorflow==2.10",), "mixed", "windows")]
    for wish, method, which in plans:
        windows = which == "windows"
        where = f"os={'windows' if windows else 'linux'},gpu=RTX 2080,driver={'537.13' if windows else which}"
        words = [*wish, "--method", method, "--machine", where]
        subdir, cuda = ("win-64", "12.2") if windows else ("linux-64", driver[which])
        file = yaml.safe_load(tenon(*words, "--export", "environment"))
        listed = [d for d in file["dependencies"] if isinstance(d, str) and d != "pip"]
        printed = specs_of_command(tenon(*words, "--json"))
        if listed != printed or file["channels"] != ["conda-forge", "nodefaults"]:
            sys.exit(f"{words}: environment.yml has {listed}, the command {printed}")
        got = {r.name.normalized: r for r in await solved(ROOT, listed, subdir, cuda)}
        cpu = "--cpu" in wish
        for name in ("tensorflow", "pytorch", "jaxlib"):
            if name in got and str(got[name].build).startswith("cpu") != cpu:
                sys.exit(f"{words}: {name} {got[name].build}")
        if "cudnn" in got or "cuda-version" in got:
            try:
                await solved(ROOT, listed, subdir, None)
                sys.exit(f"{words}: solved without a driver")
            except Exception as e:
                if "__cuda" not in str(e):
                    raise
    print(len(plans), "plans parsed and solved")


asyncio.run(main())
sys.stdout.flush()
os._exit(0)  # rattler's own threads may end after the interpreter, which then dies of it
