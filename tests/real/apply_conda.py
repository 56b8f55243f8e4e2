"""What apply_conda.sh stands on: a channel of small real packages, and conda's command line over rattler.

usage: apply_conda.py channel FOLDER PYTHON | apply_conda.py conda WORDS...

No conda, mamba or micromamba can be had here. This stand-in takes conda's words and lets rattler (pixi's library) solve,
fetch, link, replace the place in texts and binaries, make entry points and write conda-meta; what conda does besides is
done as conda does it: modules of noarch packages are compiled in place, its own command goes into conda-meta/history, the
environment into ~/.conda/environments.txt, and a folder that is there is refused (micromamba's)."""
import asyncio
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile

HOLDER = "/opt/anaconda1anaconda2anaconda3" + "_placehold" * 22  # 252 bytes, the form of conda-build's


class Channel:
    def __init__(self, folder):
        self.folder, self.rows = folder, {"linux-64": {}, "noarch": {}}

    def package(self, name, version, files, links=(), depends=(), noarch=None, points=()):
        """files: path -> bytes; those that hold HOLDER are declared as what they are."""
        subdir = "noarch" if noarch else "linux-64"
        index = dict(name=name, version=version, build="0", build_number=0, depends=list(depends), subdir=subdir, timestamp=1700000000000)
        if noarch:
            index["noarch"] = noarch
        paths = []
        for p, b in files.items():
            row = dict(_path=p, path_type="hardlink", sha256=hashlib.sha256(b).hexdigest(), size_in_bytes=len(b))
            if HOLDER.encode() in b:
                row.update(prefix_placeholder=HOLDER, file_mode="binary" if b"\0" in b else "text")
            paths.append(row)
        paths += [dict(_path=p, path_type="softlink", sha256=hashlib.sha256(b"").hexdigest(), size_in_bytes=0) for p in dict(links)]
        meta = {"info/index.json": index, "info/paths.json": dict(paths=paths, paths_version=1), "info/about.json": {}}
        if noarch:
            meta["info/link.json"] = dict(noarch=dict(type=noarch, entry_points=list(points)), package_metadata_version=1)
        out = self.folder / subdir / f"{name}-{version}-0.tar.bz2"
        out.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(out, "w:bz2", compresslevel=1) as t:
            for p, b in {**{k: json.dumps(v).encode() for k, v in meta.items()}, **files}.items():
                i = tarfile.TarInfo(p)
                i.size, i.mode = len(b), 0o755 if p.startswith("bin/") else 0o644
                t.addfile(i, io.BytesIO(b))
            for p, target in dict(links).items():
                i = tarfile.TarInfo(p)
                i.type, i.linkname = tarfile.SYMTYPE, target
                t.addfile(i)
        b = out.read_bytes()
        self.rows[subdir][out.name] = dict(index, md5=hashlib.md5(b).hexdigest(), sha256=hashlib.sha256(b).hexdigest(), size=len(b))

    def write(self):
        for subdir, rows in self.rows.items():
            (self.folder / subdir).mkdir(exist_ok=True)
            (self.folder / subdir / "repodata.json").write_text(json.dumps(
                {"info": {"subdir": subdir}, "packages": rows, "packages.conda": {}, "repodata_version": 1}))


def python_files(exe):
    """A Python as conda's is: found from where it lies, its library beside it by $ORIGIN."""
    about = subprocess.run([exe, "-c", "import sys,sysconfig; print('%d.%d' % sys.version_info[:2], sys.version.split()[0], sys.base_prefix, sysconfig.get_config_var('INSTSONAME'))"],
                           capture_output=True, text=True, check=True).stdout.split()
    minor, version, prefix, library = about
    files = {}
    top = pathlib.Path(prefix) / "lib" / f"python{minor}"
    left_out = {"test", "idlelib", "tkinter", "lib2to3", "pydoc_data", "turtledemo", "__pycache__", "site-packages", "unittest"}
    for p in sorted(top.rglob("*")):
        rel = p.relative_to(top)
        if not p.is_file() or left_out & set(rel.parts) or rel.parts[0].startswith("config-") or p.suffix == ".a" or "test" in p.name:
            continue
        if rel.parts[0] == "ensurepip" and p.suffix != ".py" and p.suffix != ".whl":
            continue
        files[f"lib/python{minor}/{rel}"] = p.read_bytes()
    run_path = f"{prefix}/lib".encode()
    for p, to in ((pathlib.Path(prefix) / "bin" / f"python{minor}", f"bin/python{minor}"), (pathlib.Path(prefix) / "lib" / library, f"lib/{library}")):
        if not p.exists():
            continue
        small = subprocess.run(["strip", "-o", "/dev/stdout", str(p)], capture_output=True)
        b = small.stdout if small.returncode == 0 and small.stdout[:4] == b"\x7fELF" else p.read_bytes()
        files[to] = b.replace(run_path + b"\0", b"$ORIGIN/../lib".ljust(len(run_path), b"\0") + b"\0")
    return minor, version, files


def make_channel(folder, exe):
    c = Channel(folder)
    minor, version, files = python_files(exe)
    pip = next(p for p in files if "/ensurepip/_bundled/pip-" in p)
    pip_version = pip.split("/pip-")[1].split("-")[0]
    import zipfile
    with zipfile.ZipFile(io.BytesIO(files[pip])) as z:
        wheel = {f"site-packages/{n}": z.read(n) for n in z.namelist() if not n.endswith("/")}
    files = {p: b for p, b in files.items() if "/ensurepip/" not in p}
    c.package("python", version, files, {"bin/python": f"python{minor}", "bin/python3": f"python{minor}"})
    c.package("pip", pip_version, wheel, depends=["python"], noarch="python", points=["pip = pip._internal.cli.main:main"])
    program = folder / "where.c"
    program.write_text(f'#include <stdio.h>\nstatic volatile const char place[] = "{HOLDER}/share/where";\nstatic volatile const char two[] = "{HOLDER}/a:{HOLDER}/b";\n'
                       'int main(void) { printf("%s %s\\n", (const char *)place, (const char *)two); return 0; }\n')
    subprocess.run(["gcc", "-O0", "-o", str(folder / "where"), str(program)], check=True)
    c.package("where", "1.0", {"bin/where": (folder / "where").read_bytes(), "bin/where-sh": f'#!/bin/sh\n. "{HOLDER}/etc/where.conf"\necho "$WHERE"\n'.encode(),
                               "etc/where.conf": f'WHERE="{HOLDER}/share/where"\n'.encode(), "share/where": b"here\n"})
    c.package("cuda-version", "12.4", {"share/cuda-version": b"12.4\n"})
    c.package("puremod", "1.0", {"site-packages/puremod/__init__.py": b"def main():\n    print(__file__)\n", "site-packages/puremod/deep.py": b"def f():\n    def g():\n        raise ValueError\n    return g\n"},
              depends=["python"], noarch="python", points=["puremod-run = puremod:main"])
    c.write()


# --- conda's words ---

def rc():
    """channel_alias of the user's own .condarc, the one setting that is read here."""
    f = pathlib.Path(os.environ.get("CONDARC") or pathlib.Path.home() / ".condarc")
    rows = dict(line.split(":", 1) for line in f.read_text().splitlines() if ":" in line) if f.exists() else {}
    return {k.strip(): v.strip() for k, v in rows.items()}


async def create(prefix, channels, specs):
    from rattler import BuildString, Channel as Chan, Gateway, GenericVirtualPackage, MatchSpec, PackageName, Version, install, solve
    base = pathlib.Path(os.environ["CONDA_PKGS_DIRS"])
    alias = rc()["channel_alias"]
    machine = [("__glibc", "2.36"), ("__unix", "0")]
    if os.environ.get("CONDA_OVERRIDE_CUDA"):
        machine.append(("__cuda", os.environ["CONDA_OVERRIDE_CUDA"]))
    records = await solve([Chan(f"{alias}/{c}") for c in channels], [MatchSpec(s) for s in specs], platforms=["linux-64", "noarch"], gateway=Gateway(cache_dir=base / "repodata"),
                          virtual_packages=[GenericVirtualPackage(PackageName(n), Version(v), BuildString("0")) for n, v in machine])
    await install(records, prefix, cache_dir=base / "pkgs", show_progress=False, execute_link_scripts=False)


def conda(words):
    if words[:2] == ["info", "--json"]:
        print(json.dumps({"envs_dirs": [os.environ.get("CONDA_ENVS_DIRS", "/nonexistent")]}))
        return
    assert words[:3] == ["create", "-y", "-p"] and words[4:6] == ["--override-channels", "--strict-channel-priority"], words
    prefix, rest = pathlib.Path(words[3]), words[6:]
    if prefix.exists():
        sys.exit("critical libmamba Non-conda folder exists at prefix")
    channels = []
    while rest[0] == "-c":
        channels.append(rest[1])
        rest = rest[2:]
    try:
        asyncio.run(create(prefix, channels, rest))
    except Exception as e:
        print(e, file=sys.stderr)
        sys.stderr.flush()
        os._exit(1)
    for site in prefix.glob("lib/python*/site-packages"):
        subprocess.run([str(prefix / "bin/python"), "-Wi", "-m", "compileall", "-q", str(site / "puremod")], check=True)
    (prefix / "conda-meta/history").write_text("==> 2026-01-01 00:00:00 <==\n# cmd: %s %s\n" % (sys.argv[0], " ".join(words)))
    listed = pathlib.Path.home() / ".conda/environments.txt"
    listed.parent.mkdir(exist_ok=True)
    with open(listed, "a") as f:
        f.write(f"{prefix}\n")
    sys.stdout.flush()
    os._exit(0)  # rattler's own threads may end after the interpreter, which then dies of it


if sys.argv[1] == "channel":
    make_channel(pathlib.Path(sys.argv[2]), sys.argv[3])
else:
    conda(sys.argv[2:])
