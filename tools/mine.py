#!/usr/bin/env python3
"""A new release enters the tables by one command: it is read on pip's own index and its rows are written into data/tables.

usage: mine.py PACKAGE[==VERSION|>=VERSION] ... [--write]   those releases, or every release of the package
       mine.py --all [--write]                              every package that the tables hold
       mine.py --requires PACKAGE ... [--write]             only what METADATA asks of other packages
       mine.py --check                                      which newest releases of the index the tables lack

Without --write the rows are only printed. Nothing but file lists, METADATA and small files of build facts is fetched (single
HTTP ranges, wheelindex.py). Running again changes nothing: a row stays as it is, its day of reading too, while the wheel says
the same. See doc/mining.md.
"""
import argparse
import datetime
import os
import re
import sys
import time

import gen_tables
import minerequires
import wheelindex
from minereaders import READERS
from tablefile import Conflict, TableFile, version_key
from wheelfacts import FINAL, PYTHONS, SDIST, WHEEL, dotted, numbers, platform, pythons, satisfies
from wheelindex import Refused, normal

PACKAGES = """tensorflow tensorflow-cpu tensorflow-gpu tensorflow-intel torch torchvision torchaudio jax jaxlib jax-cuda12-plugin
jax-cuda13-plugin onnxruntime onnxruntime-gpu tensorrt cupy-cuda11x cupy-cuda12x cupy-cuda13x keras numpy""".split()
# What plans pin beside them: names, Python, glibc only.
PINNED = """protobuf ml-dtypes typing-extensions h5py scipy tensorboard tf-keras opt-einsum triton tensorflow-io-gcs-filesystem
tensorflow-directml-plugin nvidia-cudnn-cu11 nvidia-cudnn-cu12 nvidia-cudnn-cu13 nvidia-cuda-runtime-cu11 nvidia-cuda-runtime-cu12
nvidia-cuda-runtime nvidia-cublas-cu11 nvidia-cublas-cu12 nvidia-cublas nvidia-cufft-cu11 nvidia-curand-cu11 nvidia-cusolver-cu11
nvidia-cusparse-cu11 nvidia-cuda-nvcc-cu11 nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-nccl-cu13""".split()
PACKAGES += PINNED
# Older releases than any framework of the tables takes: they would only make the program larger.
SINCE = {"protobuf": "3.6", "typing-extensions": "3.6", "h5py": "2.8", "scipy": "1.1", "opt-einsum": "2.3"}
# Packages that never had a final release: their .devN are what people install.
ONLY_PRE = re.compile(r"\d+(\.\d+)*\.dev\d+")


class Release:
    """The files of one version: wheels as (match, File), and whether anything else is there."""

    def __init__(self, package, version):
        self.package, self.version, self.wheels, self.sdist = package, version, [], None

    def all(self):
        return [f for _, f in self.wheels] + ([self.sdist] if self.sdist else [])

    def date(self):
        return min((f.uploaded for f in self.all() if f.uploaded), default="")


def releases(package):
    """Final releases (and .postN) of a package, newest first; .devN where it has no others. Names of other projects in the list are
    left out."""
    out, early = {}, {}
    for f in wheelindex.files(package):
        for form in (WHEEL, SDIST):
            m = form.fullmatch(f.name)
            if not m or normal(m["name"]) != package:
                continue
            version = m["version"]
            where = out if FINAL.fullmatch(version) else early if ONLY_PRE.fullmatch(version) else None
            if where is None:
                continue
            r = where.setdefault(version, Release(package, version))
            if form is WHEEL:
                r.wheels.append((m, f))
            else:
                r.sdist = f
            break
    least = version_key(SINCE.get(package, "0"))
    return sorted((r for r in (out or early).values() if version_key(r.version) >= least), key=lambda r: version_key(r.version), reverse=True)


class Reading:
    """One run: the tables, what changed, what was refused."""

    def __init__(self, root, today):
        self.folder, self.today, self.tables = os.path.join(root, "data", "tables"), today, {}
        self.changed, self.problems, self.lists = 0, [], {}
        self.names = self.code = self.requires = False

    def table(self, name):
        if name not in self.tables:
            self.tables[name] = TableFile(self.folder, name)
        return self.tables[name]

    def releases(self, package):
        """The releases of a package; its file list is fetched once."""
        if package not in self.lists:
            self.lists[package] = releases(package)
        return self.lists[package]

    def note(self, text):
        print("note: %s" % text, file=sys.stderr)

    def say(self, table, row):
        self.changed += 1
        print("%s: %s" % (table, " ".join("%s=%s" % (c, v) for c, v in row.items() if v and c not in ("rank", "source"))))


# wheels.tsv: one row for each release and platform, from names alone.

def wheel_group(wheels):
    """Ranges over the wheels of one release and platform: [(pythons, glibc, pip, File)] -> cells."""
    union = set().union(*(p for p, _, _, _ in wheels))
    if not union:
        return None
    last = max(union)
    glibc = {}
    for p, g, _, _ in wheels:
        for one in p:
            if g and (one not in glibc or numbers(g) < numbers(glibc[one])):
                glibc[one] = g
    least = min(glibc.values(), key=numbers, default="")
    higher = {}
    for one, g in sorted(glibc.items()):
        if g != least:
            higher.setdefault(g, []).append(dotted(one))
    pip = [p for _, _, p, _ in wheels if p]
    holes = [dotted(p) for p in PYTHONS if (3, 4) < p < last and p > min(union) and p not in union]
    notes = ["no wheel for Python " + " ".join(holes)] if holes else []
    notes += ["glibc %s for Python %s" % (g, " ".join(p)) for g, p in higher.items()]
    size = max((f.size for _, _, _, f in wheels if f.size), default=0)
    return {"python_min": dotted(min(union)), "python_max": "" if last == PYTHONS[-1] else dotted(last),
            "glibc_min": least, "pip_min": min(pip, key=numbers, default=""), "mb": str(-(-size // 1000000)) if size else "",
            "yanked": "yes" if all(f.yanked for _, _, _, f in wheels) else "no",
            "notes": "; ".join(notes)}


def wheel_rows(r):
    groups = {}
    for m, f in r.wheels:
        tags = [t for t in map(platform, m["plat"].split(".")) if t]
        for place in {t[:2] for t in tags}:
            mine = [t for t in tags if t[:2] == place]
            glibc = min((t[2] for t in mine if t[2]), key=numbers, default="")
            pip = min((t[3] for t in mine if t[3]), key=numbers, default="")
            groups.setdefault(place, []).append((pythons(m["py"], m["abi"], f.requires_python), glibc, pip, f))
    if not r.wheels and r.sdist:
        takes = {p for p in PYTHONS if satisfies(p, r.sdist.requires_python)} if r.sdist.requires_python else set()
        groups["source", ""] = [(takes, "", "", r.sdist)]
    for (place, arch), wheels in sorted(groups.items()):
        cells = wheel_group(wheels)
        if cells is None and place == "source":
            cells = {"yanked": "yes" if r.sdist.yanked else "no"}
        if cells:
            yield dict(cells, package=r.package, version=r.version, platform=place, arch=arch)


def newest_first(row):
    numbers_, tail = version_key(row["version"])
    numbers_ = numbers_ + (0,) * (8 - len(numbers_))
    return row["package"], tuple(-n for n in numbers_), (-tail[0], -tail[1]), row["platform"], row["arch"]


def mine_names(run, r):
    table = run.table("wheels")
    for row in wheel_rows(r):
        row["source"] = "names of the wheels of %s, read %s" % (r.package, run.today)
        row["date"] = r.date()
        if table.put(row, newest_first, run.today):
            run.say("wheels", row)


def asked(words):
    """PACKAGE, PACKAGE==V, PACKAGE>=V -> (package, test of a version)."""
    for word in words:
        m = re.fullmatch(r"([A-Za-z0-9._-]+?)(?:(==|>=|<=)([\w.]+))?", word)
        if not m:
            raise SystemExit("mine.py: PACKAGE[==VERSION|>=VERSION], not %s" % word)
        op, want = m.group(2), version_key(m.group(3) or "0")
        yield normal(m.group(1)), (lambda v, op=op, want=want: op is None or (
            version_key(v) == want if op == "==" else version_key(v) >= want if op == ">=" else version_key(v) <= want)), word


def mine(run, words):
    for package, takes, word in asked(words):
        start, requests, received = time.time(), wheelindex.Count.requests, wheelindex.Count.bytes
        try:
            hits = [r for r in run.releases(package) if takes(r.version)]
        except Refused as e:
            run.problems.append(str(e))
            continue
        if package not in PACKAGES and package not in READERS and package not in minerequires.KEPT:
            run.problems.append("%s: no table holds this package" % package)
            continue
        if not hits:
            run.problems.append("%s: no such release on the index" % word)
        for r in hits:
            if package in PACKAGES and not run.requires:
                mine_names(run, r)
            readers = [] if run.names or run.requires else [READERS[package]] if package in READERS else []
            readers += [minerequires.mine] if package in minerequires.KEPT and not run.names else []
            for read in readers:
                try:
                    read(run, r)
                except (Refused, Conflict, ValueError, SyntaxError) as e:
                    run.problems.append("%s %s: %s" % (package, r.version, e))
        print("%s: %d releases, %d requests, %d bytes, %.1f s" % (
            word, len(hits), wheelindex.Count.requests - requests, wheelindex.Count.bytes - received, time.time() - start), file=sys.stderr)


def check(run):
    """Prints what is newer on the index; never fails for want of a network."""
    have = {}
    for row in run.table("wheels").rows:
        have.setdefault(row["package"], set()).add(row["version"])
    missing = 0
    for package in PACKAGES:
        try:
            new = [r.version for r in releases(package)[:20] if r.version not in have.get(package, ())]
        except wheelindex.Absent as e:
            print("skipped: %s" % e)
            continue
        except Refused as e:
            print("skipped: newest releases: %s" % e)
            return 0
        newest = max(have.get(package, ["0"]), key=version_key)
        new = [v for v in new if version_key(v) > version_key(newest)]
        missing += len(new)
        if new:
            print("%s: the tables end at %s, the index has %s" % (package, newest, " ".join(reversed(new))))
    print("%d newer releases; tools/mine.py PACKAGE==VERSION --write" % missing if missing else "the tables hold the newest releases")
    return 0


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("package", nargs="*", help="PACKAGE, PACKAGE==VERSION or PACKAGE>=VERSION")
    ap.add_argument("--write", action="store_true", help="write the rows into data/tables")
    ap.add_argument("--all", action="store_true", help="every package that the tables hold")
    ap.add_argument("--names", action="store_true", help="only what file names say; open no wheel")
    ap.add_argument("--requires", action="store_true", help="only what METADATA asks of other packages")
    ap.add_argument("--code", action="store_true", help="torch: also inflate libtorch_python.so (8 MB) for its list of architectures")
    ap.add_argument("--check", action="store_true", help="only say which newest releases are missing")
    ap.add_argument("--source", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), help="root of the repository")
    ap.add_argument("--today", default=datetime.date.today().isoformat())
    a = ap.parse_args()
    run = Reading(a.source, a.today)
    run.names, run.code, run.requires = a.names, a.code, a.requires
    if a.check:
        return check(run)
    words = PACKAGES + sorted((set(READERS) | set(minerequires.KEPT)) - set(PACKAGES)) if a.all else a.package
    if not words:
        ap.error("which package?")
    mine(run, words)
    for p in run.problems:
        print("mine.py: %s" % p, file=sys.stderr)
    if a.write:
        for t in run.tables.values():
            if t.save():
                gen_tables.Table(t.path).read()
    print("%d rows new or changed%s" % (run.changed, "" if a.write else ", not written (--write)"), file=sys.stderr)
    return 1 if run.problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (gen_tables.Problem, Refused) as e:
        print("mine.py: %s" % e, file=sys.stderr)
        sys.exit(1)
