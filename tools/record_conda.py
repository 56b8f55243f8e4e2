#!/usr/bin/env python3
"""Fills a conda prefix with rattler from a local channel: usage: record_conda.py WANT.json (record_parts.py writes it)"""
import asyncio
import base64
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

from rattler import BuildString, Channel, Gateway, GenericVirtualPackage, PackageName, Version, install, solve

want = json.load(open(sys.argv[1], encoding="utf-8"))
chan = pathlib.Path(want["channel"])


def package(p, repodata):
    files = {k: base64.b64decode(v) for k, v in p["files"].items()}
    index = dict(name=p["name"], version=p["version"], build=p["build"], build_number=int(p["build"].split("_")[1]) if "_" in p["build"] else 0,
                 depends=p["depends"], constrains=[], subdir="linux-64", license="x", timestamp=1700000000000)
    paths = [dict(_path=k, path_type="hardlink", sha256=hashlib.sha256(b).hexdigest(), size_in_bytes=len(b)) for k, b in files.items()]
    paths += [dict(_path=k, path_type="softlink", sha256=hashlib.sha256(b"").hexdigest(), size_in_bytes=0) for k in p["links"]]
    meta = {"info/index.json": json.dumps(index), "info/paths.json": json.dumps(dict(paths=paths, paths_version=1)),
            "info/files": "\n".join([*files, *p["links"]]) + "\n", "info/about.json": "{}"}
    out = chan / "linux-64" / f"{p['name']}-{p['version']}-{p['build']}.tar.bz2"
    with tarfile.open(out, "w:bz2") as t:
        for k, b in {**{k: v.encode() for k, v in meta.items()}, **files}.items():
            i = tarfile.TarInfo(k)
            i.size, i.mode = len(b), 0o755 if k.startswith("bin/") else 0o644
            t.addfile(i, io.BytesIO(b))
        for k, target in p["links"].items():
            i = tarfile.TarInfo(k)
            i.type, i.linkname = tarfile.SYMTYPE, target
            t.addfile(i)
    b = out.read_bytes()
    index.update(md5=hashlib.md5(b).hexdigest(), sha256=hashlib.sha256(b).hexdigest(), size=len(b))
    repodata["packages"][out.name] = index


async def main():
    (chan / "linux-64").mkdir(parents=True)
    (chan / "noarch").mkdir()
    repodata = {"info": {"subdir": "linux-64"}, "packages": {}, "packages.conda": {}, "repodata_version": 1}
    for p in want["packages"]:
        package(p, repodata)
    (chan / "linux-64/repodata.json").write_text(json.dumps(repodata))
    (chan / "noarch/repodata.json").write_text('{"info":{"subdir":"noarch"},"packages":{},"packages.conda":{},"repodata_version":1}')
    virtual = [GenericVirtualPackage(PackageName(n), Version(v), BuildString("0")) for n, v in
               (("__glibc", "2.36"), ("__unix", "0"), ("__linux", "6.1"), ("__cuda", want["cuda"]))]
    records = await solve([Channel(chan.as_uri())], want["specs"], virtual_packages=virtual, platforms=["linux-64", "noarch"],
                          gateway=Gateway(cache_dir=chan.parent / "cache"))
    prefix = want["prefix"]
    pkgs = os.path.dirname(os.path.dirname(prefix)) + "/pkgs" if "/envs/" in prefix else prefix + "/pkgs"
    os.makedirs(pkgs, exist_ok=True)
    await install(records, prefix, cache_dir=pkgs, show_progress=False)


asyncio.run(main())
os._exit(0)  # rattler's threads do not always survive the end of the interpreter
