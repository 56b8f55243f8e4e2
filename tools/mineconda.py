#!/usr/bin/env python3
"""Rows of table conda_builds out of clones of conda-forge's feedstocks and Anaconda's TensorFlow recipes.

usage: mineconda.py FOLDER [--write]     FOLDER holds clones named NAME-feedstock (github.com/conda-forge/NAME-feedstock) and
                                         tensorflow_recipes (github.com/AnacondaRecipes/tensorflow_recipes)

Each commit of a branch of a feedstock is built by conda-forge once for each file of .ci_support, which names platform, Python,
CUDA and cuDNN; the recipe beside it names the version and the form of the build string. A row says what the commits of one
version, taken together, have conda-forge build for one platform and one CUDA. That is a recipe's claim: whether each upload came,
and stays, only the channel's own index says. git is asked, nothing is executed.
"""
import argparse
import ast
import os
import re
import subprocess
import sys

import gen_tables
from tablefile import TableFile, version_key

FEEDSTOCKS = {"tensorflow": "tensorflow", "pytorch-cpu": "pytorch", "jaxlib": "jaxlib", "cudatoolkit": "cudatoolkit", "cudnn": "cudnn",
              "cuda-version": "cuda-version"}
PLATFORMS = {"linux_64": "linux-64", "linux_aarch64": "linux-aarch64", "win_64": "win-64"}
SINCE = {"tensorflow": "1.13", "pytorch": "1.8", "jaxlib": "0.1.60", "cudatoolkit": "9.2", "cudnn": "7", "cuda-version": "10"}


class Git:
    """One clone: objects by one process, each read once."""

    def __init__(self, folder):
        self.folder, self.blobs = folder, {}
        self.process = subprocess.Popen(["git", "-C", folder, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def lines(self, *args):
        return subprocess.run(["git", "-C", self.folder, *args], capture_output=True, text=True, check=True).stdout.splitlines()

    def commits(self, *refs):
        """(hash, day) along the first parents of every branch, or of all that refs hold, oldest first."""
        seen = {}
        for ref in refs or self.lines("for-each-ref", "--format=%(refname)", "refs/heads"):
            for line in self.lines("log", *([] if refs else ["--first-parent"]), "--format=%H %cs", ref):
                seen[line[:40]] = line[41:]
        return sorted(seen.items(), key=lambda c: (c[1], c[0]))

    def tree(self, commit, *paths):
        out = {}
        for line in self.lines("ls-tree", "-r", commit, *(paths or ("recipe/meta.yaml", "recipe/recipe.yaml", ".ci_support/"))):
            about, _, path = line.partition("\t")
            out[path] = about.split(" ")[2]
        return out

    def text(self, blob):
        if blob not in self.blobs:
            self.process.stdin.write(blob.encode() + b"\n")
            self.process.stdin.flush()
            size = int(self.process.stdout.readline().split(b" ")[2])
            self.blobs[blob] = self.process.stdout.read(size + 1)[:-1].decode("utf-8", "replace")
        return self.blobs[blob]


def lists(text):
    """The top level lists of a file of .ci_support."""
    out, name = {}, None
    for line in text.split("\n"):
        m = re.fullmatch(r"([A-Za-z_][\w.]*):\s*", line)
        if m:
            name = m.group(1)
            out[name] = []
        elif name and (m := re.fullmatch(r"- '?\"?([^'\"]*)'?\"?", line)):
            out[name].append(m.group(1))
    return out


# Selectors: "aarch64 and cuda_compiler_version != 'None'", (cuda_compiler_version or "").startswith("11")

class Unknown(Exception):
    pass


def value(node, names):
    """A selector's truth by its syntax tree; Unknown for whatever else it asks."""
    if isinstance(node, ast.BoolOp):
        truth, unknown = isinstance(node.op, ast.And), False
        for part in node.values:
            try:
                got = value(part, names)
            except Unknown:
                unknown = True
                continue
            if bool(got) != truth:
                return got
        if unknown:
            raise Unknown
        return got
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not value(node.operand, names)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Tuple, ast.List)):
        return [value(e, names) for e in node.elts]
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        a, b = value(node.left, names), value(node.comparators[0], names)
        for kind, test in ((ast.Eq, lambda: a == b), (ast.NotEq, lambda: a != b), (ast.In, lambda: a in b), (ast.NotIn, lambda: a not in b)):
            if isinstance(node.ops[0], kind):
                return test()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith" and len(node.args) == 1:
        return str(value(node.func.value, names)).startswith(str(value(node.args[0], names)))
    raise Unknown


def selected(selector, place, cuda):
    """True, False, or None where the selector asks for what is not known here."""
    if not selector.strip():
        return True
    linux = place.startswith("linux")
    names = {"linux": linux, "unix": linux, "osx": False, "win": not linux, "win64": not linux, "linux64": place == "linux-64", "x86_64": place != "linux-aarch64",
             "aarch64": place == "linux-aarch64", "ppc64le": False, "arm64": False, "cuda_compiler_version": "None" if cuda == "none" else cuda,
             "True": True, "False": False}
    try:
        return bool(value(ast.parse(selector.strip(), mode="eval").body, names))
    except (Unknown, SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def lines_of(recipe, word):
    """(text, selector) of the lines "word: text  # [selector]"."""
    for m in re.finditer(r"(?m)^\s*(?:- )?%s\s*([^#\n]*?)\s*(?:#\s*\[([^\n]*)\]\s*)?$" % word, recipe):
        yield m.group(1), m.group(2) or ""


def skipped(recipe, package, place, cuda):
    """Does the recipe leave this variant out? A file of .ci_support may be older than the skip. What other outputs leave out is theirs."""
    top, _, outputs = recipe.partition("\noutputs:")
    for part in re.split(r"(?m)^  - (?=name:)", outputs):
        if re.match(r"name:\s*%s\s*(#.*)?$" % re.escape(package), part.split("\n")[0]):
            top += "\n" + part
    recipe = top
    return any(text.lower() == "true" and selector and selected(selector, place, cuda) for text, selector in lines_of(recipe, "skip:"))


def toolkit_of(recipe, place, cuda):
    """What cuDNN's recipe asks of the run time: "cudatoolkit 11.*"."""
    run = recipe.partition("\n  run:")[2] or recipe.partition("run:")[2]
    for text, selector in lines_of(run, "cudatoolkit"):
        if text and selected(selector, place, cuda) and text.split(".")[0] in ("{{ cuda_compiler_version }}", cuda.split(".")[0]):
            return "cudatoolkit " + re.sub(r"\{\{ *cuda_compiler_version *\}\}", cuda, text)
    major = int(cuda.split(".")[0]) if cuda not in ("", "none") else 0
    pin = re.search(r'pin_compatible\("cuda-version"(, min_pin="x")?, max_pin="x"\)', run)
    if pin and major:
        host = re.search(r"(?m)^\s*- cuda-version \{\{ cuda_major \}\}\.0\s*$", recipe) or re.search(r"(?m)^\s*- cuda-version %d\.0\b" % major, recipe)
        return "cuda-version >=%s,<%d" % (major if pin.group(1) else "%d.0" % major if host else cuda, major + 1)
    return ""


def recipe_version(recipe, variant, package):
    if package == "cudatoolkit":
        want = (variant.get("major_minor_ver") or [""])[0]
        m = re.search(r'"%s":\s*\{\s*"version":\s*"([\d.]+)"' % re.escape(want), recipe) if want else None
        if m:
            return m.group(1)
    if package == "cuda-version" and variant.get("version"):
        return variant["version"][0]
    for form in (r"\{%-?\s*set version\s*=\s*['\"]([\w.]+)['\"]", r"(?m)^\s*version:\s*['\"]?(\d[\w.]*)['\"]?\s*(?:#.*)?$"):
        m = re.search(form, recipe)
        if m:
            return m.group(1)
    return ""


def build_form(recipe, package, place, cuda):
    """The build string with a star for what differs from Python to Python: cuda118py*h*_*."""
    lines, at = [], ""
    for line in recipe.split("\n"):
        m = re.match(r"\s*(?:- )?name:\s*([^\s#]+)", line)
        at = m.group(1) if m else at
        m = re.match(r"\s*(?:- )?string:\s*(.*?)\s*(?:# \[(.*)\]\s*)?$", line)
        if m:
            lines.append((at, m.group(1), m.group(2) or ""))
    number = cuda.replace(".", "")
    for a, text, selector in lines:
        if a != package and any(x == package for x, _, _ in lines) or selected(selector, place, cuda) is False:
            continue
        text = re.sub(r'\$\{\{ "cpu" if cuda_compiler_version == "None" else "cuda" [^}]*\}\}', "cpu" if cuda == "none" else "cuda" + number, text)
        text = re.sub(r"\$?\{\{[^}]*cuda_compiler_version[^}]*\}\}(?=_?h?py|h|_)", number if cuda != "none" else "", text.strip("'\""), count=1) if "cuda{{" in text else text
        text = re.sub(r"\*+", "*", re.sub(r"\$?\{\{[^}]*\}\}", "*", text))
        if ("cuda" in text) == (cuda != "none") and not re.search(r"[{}\s%]", text):
            return text
    return ""


def facts(path, text):
    """(platform, variant) of one file, None for what the table leaves out."""
    name = os.path.basename(path)
    for prefix, place in PLATFORMS.items():
        if name.startswith(prefix + "_") or name == prefix + ".yaml":
            variant = lists(text)
            if any(t.startswith("conda-forge ") and t != "conda-forge main" for t in variant.get("channel_targets", [])):
                return None  # release candidates and the like go to a label of their own
            return place, variant
    return None


def pythons(variant):
    out = set()
    for p in variant.get("python", []):
        m = re.match(r"(\d+)\.(\d+)", p)
        if m and not p.endswith("t"):
            out.add((int(m.group(1)), int(m.group(2))))
    return out


def cuda_of(variant, package, version):
    if package in ("cudatoolkit", "cuda-version"):
        return ".".join(version.split(".")[:2])
    value = (variant.get("cuda_compiler_version") or variant.get("cudatoolkit") or ["None"])[0]
    return "none" if value == "None" else value


def read(folder, feedstock, package):
    """Rows of one feedstock."""
    git = Git(os.path.join(folder, feedstock + "-feedstock"))
    rows = {}
    for commit, day in git.commits():
        tree = git.tree(commit)
        recipe = next((git.text(tree[p]) for p in ("recipe/meta.yaml", "recipe/recipe.yaml") if p in tree), "")
        for path, blob in sorted(tree.items()):
            hit = re.fullmatch(r"\.ci_support/[^/]+\.yaml", path) and facts(path, git.text(blob))
            if not hit:
                continue
            place, variant = hit
            version = recipe_version(recipe, variant, package)
            if not re.fullmatch(r"\d+(\.\d+)*", version) or version_key(version) < version_key(SINCE[package]):
                continue
            cuda = cuda_of(variant, package, version)
            if package == "cudnn" and cuda == "none" or skipped(recipe, package, place, cuda):
                continue
            row = rows.setdefault((version, place, cuda), {"python": set()})
            row["python"] |= pythons(variant) if package in ("tensorflow", "pytorch", "jaxlib") else set()
            row["cudnn"] = (variant.get("cudnn") or [""])[0].replace("undefined", "") if cuda not in ("none", "") and package in ("tensorflow", "pytorch", "jaxlib") else ""
            row["build"] = build_form(recipe, package, place, cuda) or row.get("build", "")
            row["needs"] = toolkit_of(recipe, place, cuda) if package == "cudnn" else ""
            row.update(commit=commit[:10], day=day)
    for (version, place, cuda), row in rows.items():
        takes = sorted(row["python"])
        yield {"package": package, "version": version, "platform": place, "cuda": cuda, "pythons": " ".join("%d.%d" % p for p in takes),
               "cudnn": row["cudnn"], "needs": row["needs"], "build": row["build"], "channel": "conda-forge", "rank": "1",
               "source": "conda-forge/%s-feedstock %s" % (feedstock, row["commit"]), "date": row["day"]}


def choices(text, name, place):
    """The values that a conda_build_config.yaml names for one key on one platform."""
    out, at = [], ""
    for line in text.split("\n"):
        m = re.match(r"([A-Za-z_]+):", line)
        at = m.group(1) if m else at
        m = re.match(r"\s+- ([\w.]+)\s*(?:# \[(.*)\])?\s*$", line)
        if m and at == name and selected(m.group(2) or "", place, "none") is not False:
            out.append(m.group(1))
    return out


def defaults(folder):
    """TensorFlow of the defaults channel: recipes tensorflow-base-gpu and -cpu, whose build strings begin with gpu_, mkl_ and eigen_.
    The main branch only. A new CUDA is often set before the version is: of one version the CUDA that most of its commits name counts."""
    git = Git(os.path.join(folder, "tensorflow_recipes"))
    rows, named = {}, {}
    for commit, day in git.commits("HEAD"):
        tree = git.tree(commit, "tensorflow-base-gpu/", "tensorflow-base-cpu/")
        for kind in ("gpu", "cpu"):
            recipe, config = (git.text(tree["tensorflow-base-%s/%s" % (kind, f)]) if "tensorflow-base-%s/%s" % (kind, f) in tree else ""
                              for f in ("meta.yaml", "conda_build_config.yaml"))
            version = recipe_version(recipe, {}, "tensorflow")
            if not re.fullmatch(r"\d+(\.\d+)*", version) or version_key(version) < version_key(SINCE["tensorflow"]):
                continue
            for place in ("linux-64", "win-64"):
                if place == "win-64" and "tensorflow-base-%s/bld.bat" % kind not in tree or skipped(recipe, "", place, "none"):
                    continue
                for cuda in choices(config, "cudatoolkit", place) if kind == "gpu" else ["none"]:
                    named[version, place, cuda] = named.get((version, place, cuda), 0) + 1
                    rows[version, place, cuda] = {
                        "package": "tensorflow", "version": version, "platform": place, "cuda": cuda, "rank": "1", "channel": "defaults",
                        "cudnn": (choices(config, "cudnn", place) or [""])[0] if kind == "gpu" else "",
                        "pythons": " ".join(choices(config, "python", place)),
                        "build": "gpu_py*h*_*" if kind == "gpu" else "mkl_py*h*_*",
                        "notes": "asked for as tensorflow-gpu=%s" % version if kind == "gpu" else "eigen_py*h*_* as tensorflow-eigen; not for GPUs",
                        "source": "AnacondaRecipes/tensorflow_recipes %s" % commit[:10], "date": day}
    return [r for (v, p, c), r in rows.items() if c == "none" or named[v, p, c] == max(n for (w, q, d), n in named.items() if (w, q) == (v, p) and d != "none")]


def order(row):
    n = version_key(row["version"])[0]
    return row["package"], tuple(-x for x in n + (0,) * (8 - len(n))), row["platform"], version_key(row["cuda"] or "0")


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ap.add_argument("folder")
    ap.add_argument("--write", action="store_true")
    ap.add_argument("--source", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    a = ap.parse_args()
    table = TableFile(os.path.join(a.source, "data", "tables"), "conda_builds")
    rows = [table.complete(r) for f, p in FEEDSTOCKS.items() if os.path.isdir(os.path.join(a.folder, f + "-feedstock"))
            for r in read(a.folder, f, p)]
    if os.path.isdir(os.path.join(a.folder, "tensorflow_recipes")):
        rows += [table.complete(r) for r in defaults(a.folder)]
    read_now = {(r["package"], r["channel"]) for r in rows}
    kept = [r for r in table.rows if (r["package"], r["channel"]) not in read_now]
    table.rows = sorted(kept + rows, key=lambda r: order(r) + (r["channel"],))
    for r in rows if not a.write else []:
        print(" ".join("%s=%s" % (c, v) for c, v in r.items() if v and c not in ("rank", "channel")))
    if a.write and table.save():
        gen_tables.Table(table.path).read()
    print("%d rows of %s" % (len(rows), " ".join(sorted("%s::%s" % (c, p) for p, c in read_now))), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
