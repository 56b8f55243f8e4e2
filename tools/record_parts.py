"""Roots of recorded machines: folders on a real disk, filled with real parts by the tools that fill them on a machine.

Debian packages are unpacked and entered into dpkg's status as dpkg does; ldconfig, venv, virtualenv, uv, pip and rattler run
in a mount namespace in which the root's home folder lies at its own path. Wheels of hundreds of megabytes are installed
hollow: every file of RECORD is there with its true size, and of the content only what a probe may ask for.
"""
import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import zipfile

import compose_parts as parts
from wheelpart import Wheel

CACHE = os.environ.get("TENON_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tenon")
PARTS = os.path.join(CACHE, "parts")
WHEELS = [d for d in (os.environ.get("TENON_WHEELS"), os.path.join(PARTS, "wheels")) if d]
LIB = "/usr/lib/x86_64-linux-gnu"
WHOLE = 16384  # members up to this size that are kept are kept whole


def run(*argv, **kw):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **kw)
    if r.returncode:
        raise SystemExit(f"{' '.join(argv)[:200]}: {r.stdout[-1500:]}")
    return r.stdout


class LocalWheel(Wheel):
    """A wheel that lies on this disk, with the words of one that is read by ranges."""

    def __init__(self, path):
        self.path, self.filename = path, os.path.basename(path)
        self.size = os.path.getsize(path)
        self.entries = self._directory()
        self._record = None

    def part(self, first, n):
        f = open(self.path, "rb")
        f.seek(first)
        return io.BytesIO(f.read(n)) if n < 1 << 24 else f


def wheel(name, version, tag):
    """tag: a pattern. Wheels on this disk first."""
    import fnmatch
    key = (name, version, tag)
    if key not in parts._wheels:
        for d in WHEELS:
            for f in sorted(os.listdir(d)) if os.path.isdir(d) else ():
                if f.lower().startswith(f"{name.replace('-', '_')}-{version}-".lower()) and fnmatch.fnmatch(f, f"*{tag}*.whl"):
                    parts._wheels.setdefault(key, LocalWheel(os.path.join(d, f)))
    return parts.wheel(*key)


def entries(name, version, tag):
    """(file name of the wheel, its members with their sizes), kept."""
    path = os.path.join(parts.CACHE, f"{name}-{version}-{tag.replace('*', '_')}", "sizes.json")
    if not os.path.exists(path):
        w = wheel(name, version, tag)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            json.dump([w.filename, {n: e[2] for n, e in w.entries.items()}], f)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def member(name, version, tag, path, head=None):
    base = os.path.join(parts.CACHE, f"{name}-{version}-{tag.replace('*', '_')}", path.replace("/", "%") + (f"@{head}" if head else ""))
    if not os.path.exists(base + ".json"):
        wheel(name, version, tag)  # so that it is the local one
    return parts.Member(name, version, tag, path, head)


TABLES = re.compile(r"tensorflow/libtensorflow_framework\.so\.[12]|torch/lib/libtorch_cuda\.so|jax_plugins/.*/xla_cuda_plugin\.so"
                    r"|onnxruntime/capi/libonnxruntime_providers_cuda\.so")
SMALL = re.compile(r"([^/]+/)?(version|_version|__init__|versions?_info)\.py|.*/build_info\.py|.*/cuda_config\.h|torch/version\.py"
                   r"|[^/]+/(python|_src)/(version|__init__)\.py|.*/build_and_package_info\.py|.*/(cudnn_version|nccl|cuda)\.h")


class Files:
    """m.files[path] = node, as compose.py's words write it."""

    def __init__(self, root):
        self.root = root

    def __setitem__(self, path, node):
        self.root.node(path, node)

    def setdefault(self, path, node):
        if not os.path.lexists(self.root.real(path)):
            self.root.node(path, node)

    def pop(self, path):
        os.unlink(self.root.real(path))


class Root:
    win = False

    def __init__(self, work, name, origin):
        self.at = os.path.join(work, name)
        self.name, self.origin = name, origin
        self.source, self.known = {}, {}  # path -> from; path -> ranges that are real of a hollow file
        self.files, self.env = Files(self), {"PATH": "/usr/local/bin:/usr/bin:/bin"}
        self.uid, self.home, self.user = 1000, "/home/ada", "ada"
        self.sys = {"release": "6.1.0-28-amd64", "arch": "x86_64", "node": "box"}
        self.doc = {"sys": self.sys}
        self.kernel, self.whole, self.args, self.container = self.sys["release"], True, {}, None
        self.tools = os.path.join(work, "tools")
        os.makedirs(self.at)

    # --- files

    def real(self, path):
        """Where a path of the machine lies here: links in its folders lead within the root."""
        at = ""
        for n in path.strip("/").split("/")[:-1]:
            at += "/" + n
            for _ in range(20):
                if not os.path.islink(self.at + at):
                    break
                to = os.readlink(self.at + at)
                at = os.path.normpath(to if to.startswith("/") else os.path.join(os.path.dirname(at), to))
        return self.at + at + "/" + os.path.basename(path.rstrip("/"))

    def where(self, path):
        return self.real(path)[len(self.at):]

    def make(self, path):
        at = self.real(path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if os.path.lexists(at) and not os.path.isdir(at):
            os.unlink(at)
        return at

    def note(self, path, origin):
        if origin:
            self.source[self.where(path)] = origin

    def data(self, path, data, origin=None, mode=0o644):
        with open(self.make(path), "wb") as f:
            f.write(data)
        os.chmod(self.real(path), mode)
        self.note(path, origin)

    def text(self, path, text, origin=None, mode=0o644):
        self.data(path, text.encode(), origin, mode)

    def empty(self, path, origin=None):
        self.data(path, b"", origin)

    def copy(self, path, src, words=None):
        """A real file of this disk. words: what it is; its size and digest are added."""
        shutil.copy2(src, self.make(path))
        if words:
            with open(src, "rb") as f:
                h = hashlib.sha256(f.read()).hexdigest()
            self.note(path, f"real: {words}, {os.path.getsize(src)} bytes, sha256 {h}")

    def hollow(self, path, size, ranges, origin=None, mode=0o644):
        with open(self.make(path), "wb") as f:
            for at, data in ranges:
                f.seek(at)
                f.write(data)
            f.truncate(size)
        os.chmod(self.real(path), mode)
        self.known[self.where(path)] = [(at, at + len(d)) for at, d in ranges]
        self.note(path, origin)

    def put(self, path, node):
        self.node(path, node)

    def node(self, path, n):
        origin, mode = n.get("from"), int(n.get("mode", "0644"), 8)
        if "link" in n:
            self.link(path, n["link"])
        elif n.get("dir"):
            self.folder(path)
        elif n.get("type") == "c":
            os.mknod(self.make(path), 0o020000, os.makedev(*n["device"]))
            os.chmod(self.real(path), mode)
        elif "parts" in n:
            self.hollow(path, n["size"], [(p["at"], base64.b64decode(p["base64"]) + bytes(p.get("zeros", 0))) for p in n["parts"]], origin, mode)
        elif "base64" in n:
            self.data(path, base64.b64decode(n["base64"]), origin, mode)
        elif "size" in n:
            self.hollow(path, n["size"], [], origin, mode)
        else:
            self.text(path, n["text"] if "text" in n else "".join(x + "\n" for x in n["lines"]), origin, mode)

    def link(self, path, to):
        os.symlink(to, self.make(path))

    def folder(self, path):
        os.makedirs(self.real(path), exist_ok=True)

    def join(self, *names):
        return "/".join(names)

    def remove(self, path):
        at = self.real(path)
        shutil.rmtree(at) if os.path.isdir(at) and not os.path.islink(at) else os.unlink(at)

    # --- Debian's packages

    def deb(self, package, only=None, status=True):
        """Unpacks a package as dpkg does, and enters it into dpkg's status. only: a pattern of the paths that are wanted."""
        file, folder = debian_package(package)
        name = os.path.basename(file)
        field = lambda f: run("dpkg-deb", "-f", file, f).strip()
        listed = []
        for base, dirs, names in os.walk(folder):
            for n in dirs + names:
                src = os.path.join(base, n)
                rel = src[len(folder):]
                listed.append(rel)
                if only and not re.search(only, rel):
                    continue
                if os.path.islink(src):
                    if not os.path.lexists(self.real(rel)):
                        self.link(rel, os.readlink(src))
                elif os.path.isdir(src):
                    self.folder(rel)
                else:
                    self.copy(rel, src, f"Debian package {name[:-4]}" if re.search(r"\.so|/bin/|\.ko", rel) else None)
        if status:
            arch, multi = field("Architecture"), field("Multi-Arch")
            stem = field("Package") + (":" + arch if multi == "same" else "")
            self.text(f"/var/lib/dpkg/info/{stem}.list", "/.\n" + "".join(x + "\n" for x in sorted(listed)))
            with open(self.real("/var/lib/dpkg/status"), "a", encoding="utf-8") as f:
                control = run("dpkg-deb", "-f", file).strip().split("\n")
                f.write("\n".join([control[0], "Status: install ok installed", *control[1:]]) + "\n\n")

    # --- the tools of a machine

    def inside(self, *argv, env=None):
        """Runs a tool with this root's home folder, /opt and /workspace at their own places: what it writes is the root's.
        /mnt/cache and /mnt/pyenv are this disk's downloads and interpreters, /mnt/tools the tools."""
        for d in (self.home, "/opt", "/workspace"):
            self.folder(d)
        top = "/home" if self.home.startswith("/home/") else self.home
        script = f"""set -e
mount -t tmpfs none /mnt
mkdir /mnt/cache /mnt/pyenv /mnt/tools /mnt/src
mount --bind "$TN_CACHE" /mnt/cache
mount --bind "$TN_PYENV" /mnt/pyenv
mount --bind "$TN_TOOLS" /mnt/tools
mount --bind "$TN_SRC" /mnt/src
mount -t tmpfs none {top}
mkdir -p {self.home} /workspace
mount --bind '{self.at}{self.home}' {self.home}
mount --bind '{self.at}/opt' /opt
mount --bind '{self.at}/workspace' /workspace
if [ -n "$PYENV_ROOT" ]; then mkdir -p "$PYENV_ROOT/versions"; mount --rbind /mnt/pyenv/versions "$PYENV_ROOT/versions"; fi
cd /
exec "$@"
"""
        e = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home, "LANG": "C.UTF-8", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
             "PIP_ROOT_USER_ACTION": "ignore", "PIP_CACHE_DIR": "/mnt/cache/pip", "UV_CACHE_DIR": "/mnt/cache/uv", "UV_LINK_MODE": "copy",
             "TN_CACHE": CACHE, "TN_PYENV": os.path.expanduser("~/.pyenv"), "TN_TOOLS": self.tools, "PYTHONPYCACHEPREFIX": "/mnt/pyc", "VIRTUALENV_OVERRIDE_APP_DATA": "/mnt/cache/virtualenv",
             "TN_SRC": os.path.dirname(os.path.abspath(__file__)), "PIP_NO_WARN_SCRIPT_LOCATION": "1",
             "PYENV_ROOT": self.env.get("PYENV_ROOT", ""), **(env or {})}
        e.update({k: v for k, v in os.environ.items() if re.match(r"(PIP_(INDEX|CONFIG|TRUSTED|CERT)|UV_(INDEX|DEFAULT)|SSL_CERT|https?_proxy|no_proxy)", k, re.I)})
        return run("unshare", "-m", "sh", "-c", script, "sh", *argv, env=e)

    def venv(self, path, tool="venv", version="3.11.2", python="/usr/bin/python3.11", activate=True):
        if tool == "venv":
            self.inside(python, "-m", "venv", path)
        elif tool == "virtualenv":
            self.inside("/mnt/tools/bin/virtualenv", "-q", "-p", python, path)
            cfg = self.real(path + "/pyvenv.cfg")  # its command line names the virtualenv of this disk
            with open(cfg, encoding="utf-8") as f:
                text = re.sub(r"command = \S+", "command = /usr/bin/python3", f.read())
            with open(cfg, "w", encoding="utf-8") as f:
                f.write(text)
        else:
            self.inside("/mnt/tools/bin/uv", "-q", "venv", "-p", python, path)
        self.site = f"{path}/lib/python{'.'.join(version.split('.')[:2])}/site-packages"
        self.python, self.tool = f"{path}/bin/python", tool
        if activate:
            self.env["VIRTUAL_ENV"] = path
            self.env["PATH"] = f"{path}/bin:" + self.env["PATH"]
        return self.site

    def pip(self, *what, extra=()):
        """A real installation of small packages; what is there already (hollow) is left."""
        if self.tool == "prefix":
            self.inside(self.python, "-m", "pip", "install", "-q", "--no-compile", "--ignore-installed", "--prefix", self.prefix, *extra, *what)
        elif self.tool == "uv":
            self.inside("/mnt/tools/bin/uv", "pip", "install", "-q", "--python", self.python, *extra, *what)
        else:
            self.inside(self.python, "-m", "pip", "install", "-q", "--no-compile", *extra, *what)

    def wheel(self, name, version, tag="x86_64", installer="pip", site=None, requested=False):
        """A wheel, hollow, as pip leaves it."""
        site = site or self.site
        _, sizes = entries(name, version, tag)
        info = next(n for n in sizes if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)).rsplit("/", 1)[0]
        data = {}
        for n, size in sizes.items():
            if n.endswith("/") or "/../" in n or ".data/" in n:
                continue
            path = f"{site}/{n}"
            if n.startswith(info + "/") or SMALL.fullmatch(n) and size <= WHOLE:
                x = member(name, version, tag, n) if size else None
                self.data(path, x.data if x else b"", f"real: {x.origin()}" if x and not n.startswith(info + "/licenses") else None)
            elif TABLES.fullmatch(n):
                if not os.path.exists(os.path.join(parts.CACHE, f"{name}-{version}-{tag.replace('*', '_')}", n.replace("/", "%") + ".tables.json")):
                    wheel(name, version, tag)
                self.node(path, parts.big_member(name, version, tag, n))
            elif re.search(r"(^|/)lib[^/]*\.so[.\d]*$|^[^/]+/[^/]+\.so$", n) and size > 64:
                x = member(name, version, tag, n, 4096 if size > WHOLE else None)
                self.node(path, x.node() if size > WHOLE else {"base64": parts.b64(x.data), "from": "real: " + x.origin()})
            else:
                self.hollow(path, size, [])
        self.text(f"{site}/{info}/INSTALLER", installer + "\n")
        extra = f"{info}/INSTALLER,,\n"
        if requested:
            self.empty(f"{site}/{info}/REQUESTED")
            extra += f"{info}/REQUESTED,,\n"
        at = self.real(f"{site}/{info}/RECORD")
        with open(at, "a", encoding="utf-8") as f:
            f.write(extra)
        return member(name, version, tag, info + "/METADATA").text()

    def pins(self, meta, extra=None):
        for n, v in parts_pins(meta, extra):
            self.wheel(n, v)

    def ldconfig(self):
        run("ldconfig", "-r", self.at)
        for p in ("/var/cache/ldconfig",):
            if os.path.isdir(self.at + p):
                shutil.rmtree(self.at + p)
        self.note("/etc/ld.so.cache", "real: what ldconfig -r of glibc 2.36 wrote for this root")

    def conda(self, prefix, packages, specs, cuda="12.2"):
        """A prefix that rattler made from a channel of these packages. packages: (name, version, build, depends, files, links);
        files: path -> bytes."""
        with tempfile.TemporaryDirectory(dir=os.path.dirname(self.at)) as d:
            with open(f"{d}/want.json", "w", encoding="utf-8") as f:
                json.dump({"prefix": prefix, "specs": specs, "cuda": cuda, "channel": f"{d}/conda-forge", "packages": [
                    {"name": n, "version": v, "build": b, "depends": list(dep), "files": {p: base64.b64encode(x).decode() for p, x in files.items()},
                     "links": links} for n, v, b, dep, files, links in packages]}, f)
            self.inside("/mnt/tools/bin/python", "/mnt/src/record_conda.py", f"{d}/want.json")
            for base, _, names in os.walk(self.at + prefix + "/conda-meta"):
                for n in names:  # the channel's folder of this disk is the channel's address on that machine
                    at = os.path.join(base, n)
                    with open(at, encoding="utf-8") as f:
                        text = f.read()
                    text = text.replace(f"file://{d}/conda-forge", "https://conda.anaconda.org/conda-forge").replace(d, "")
                    with open(at, "w", encoding="utf-8") as f:
                        f.write(text)
                    if n.endswith(".json"):
                        self.note(at[len(self.at):], "real: written by rattler for a package of a local channel; channel address and package content made")
        pkgs = os.path.dirname(os.path.dirname(prefix)) + "/pkgs" if "/envs/" in prefix else prefix + "/pkgs"
        if os.path.isdir(self.real(pkgs)):
            shutil.rmtree(self.real(pkgs))
            self.folder(pkgs)


def parts_pins(meta, extra=None):
    for n, v, rest in re.findall(r"^Requires-Dist: (nvidia-[\w-]+|triton)\s*\(?==\s*([\w.]+?)(?:\.\*)?\)?\s*(;.*)?$", meta, re.M):
        if (not extra and "extra ==" not in rest) or (extra and f"'{extra}'" in rest.replace('"', "'")):
            yield n, v


_debs = {}


def debian_package(package):
    """(file, folder) of a Debian package, fetched once with an apt state of its own (tests/real/lib.sh) and unpacked."""
    if package in _debs:
        return _debs[package]
    name = package.split("=")[0]
    d = os.path.join(PARTS, "debs")
    os.makedirs(d, exist_ok=True)
    found = lambda: sorted(f for f in os.listdir(d) if f.startswith(name.replace(":", "_") + "_" if ":" not in name else name.split(":")[0] + "_")
                           and f.endswith(".deb") and ("=" not in package or package.split("=")[1] in f.replace("%3a", ":"))
                           and (":" not in name or f.endswith("_" + name.split(":")[1] + ".deb")))
    if not found():
        run("apt-get", "download", "-qq", package, cwd=d, env={**os.environ, "APT_CONFIG": os.environ.get("TENON_APT", os.path.join(PARTS, "apt/apt.conf"))})
    file = os.path.join(d, found()[0])
    folder = os.path.join(d, "unpacked", os.path.basename(file)[:-4])
    if not os.path.isdir(folder):
        os.makedirs(folder)
        run("dpkg-deb", "-x", file, folder)
    _debs[package] = file, folder
    return _debs[package]
