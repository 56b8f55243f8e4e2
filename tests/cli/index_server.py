"""A package index on localhost for tests of --online: pages in JSON or HTML, wheels by ranges, METADATA files, and every way in
which an index, a file server or a proxy can misbehave (Index.odd for pages, Index.odd_file for files)."""
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import subprocess
import threading
import time
import zipfile

TENON = os.environ["TENON"]
LINUX = "os=linux,gpu=RTX 3090,driver=535.54.03"
NEW = "os=linux,gpu=RTX 3090,driver=580.95"
WSL = "os=wsl2,gpu=RTX 3090,driver=537.13"
failed = []


def wheel(name, version, python="311", platform="manylinux_2_17_x86_64.manylinux2014_x86_64", **more):
    tag = f"cp{python}-cp{python}" if python else "py3-none"
    return dict(filename=f"{name}-{version}-{tag}-{platform}.whl", **more)


def release(name, version, pythons=("39", "310", "311", "312", "313"), **more):
    return [wheel(name, version, p, **more) for p in pythons]


def metadata(file):
    """What the wheel says of itself, by its name, unless a test says otherwise."""
    name, version = file.split("-")[:2]
    if name in Index.meta:
        text = Index.meta[name]
        return (text if isinstance(text, bytes) else text.encode()).replace(b"VERSION", version.encode())
    extra = "Provides-Extra: and-cuda\n" if name.startswith("tensorflow") else "Provides-Extra: cuda12\nProvides-Extra: cuda13\n"
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extra}\nDescription\n".encode()


def build(file):
    """A wheel's bytes, with dist-info where Index.layout says."""
    info = "-".join(file.split("-")[:2]) + ".dist-info/"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        if Index.layout == "start":
            z.writestr(info + "METADATA", metadata(file))
        many = {"small": 3, "start": 4000, "end": 4000, "middle": 2000, "large": 60000}[Index.layout]
        for i in range(many):
            z.writestr(zipfile.ZipInfo(f"package/a_folder_of_some_length/module_{i:06}.py"), b"")
        z.writestr("package/big.bin", bytes(range(256)) * 400, zipfile.ZIP_STORED)
        if Index.layout != "start":
            z.writestr(info + "METADATA", metadata(file))
        z.writestr(info + "WHEEL", f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {'-'.join(file[:-4].split('-')[-3:])}\n")
        z.writestr(info + "RECORD", b"")
        for i in range(many if Index.layout in ("middle", "large") else 0):
            z.writestr(zipfile.ZipInfo(f"package/another_folder_of_some_length/module_{i:06}.py"), b"")
    data = out.getvalue()
    if Index.odd_file == "no zip":
        data = b"x" * len(data)
    if Index.odd_file == "damaged":
        data = data.replace(metadata_packed(data, info), b"\0" * len(metadata_packed(data, info)))
    return data


def pins_of(name):
    """Every release that the tables pin, so that a plan's pins are there where the test is about something else."""
    versions = set()
    for line in open(os.path.join(os.environ["TENON_SOURCE"], "data/tables/tensorflow_pins.tsv"), encoding="utf-8"):
        if name in line.split("\t"):
            versions |= set(re.findall(r"\d+(?:\.\d+){2,}", line))
    for table in ("wheels", "cudnn"):
        path = os.path.join(os.environ["TENON_SOURCE"], f"data/tables/{table}.tsv")
        for line in open(path, encoding="utf-8") if os.path.exists(path) else ():
            if name in line.split("\t"):
                versions |= set(re.findall(r"\d+(?:\.\d+){2,}", line))
    return [wheel(name.replace("-", "_"), v, None, "manylinux_2_17_x86_64") for v in sorted(versions)]


def metadata_packed(data, info):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        m = z.getinfo(info + "METADATA")
    start = m.header_offset + 30 + len(m.filename)
    return data[start:start + m.compress_size]


class Index(http.server.BaseHTTPRequestHandler):
    pages = {}
    form = "json"
    odd = odd_file = None
    nvidia = True  # every NVIDIA wheel that a plan may be pinned to is there
    announce = False  # FILE.metadata, with its digest
    layout = "small"
    meta = {}
    own = None     # pages below /simple, where others have other ones
    proxied = set()  # who was let in as through a proxy
    asked = []
    sent = 0
    built = {}

    @classmethod
    def reset(cls):
        cls.form, cls.odd, cls.odd_file, cls.announce, cls.layout, cls.meta, cls.nvidia = "json", None, None, False, "small", {}, True

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            for at in range(0, len(body), 65536):
                self.wfile.write(body[at:at + 65536])
                type(self).sent += len(body[at:at + 65536])
        except OSError:
            pass

    def file(self, name):
        cls = type(self)
        odd = cls.odd_file
        if odd == "slow":
            time.sleep(30)
        if odd == "drip":
            self.send_response(206)
            self.send_header("Content-Range", "bytes 0-99999/100000")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(300):
                try:
                    self.wfile.write(b"x")
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(0.1)
            return
        if odd == "403":
            self.send_error(403)
            return
        if name.endswith(".metadata"):
            if not cls.announce or odd == "not there":
                self.send_error(404)
                return
            body = metadata(name[:-len(".metadata")])
            self.answer(200, "text/plain", body + b"# changed\n" if odd == "another" else body[:40] if odd == "cut" else body)
            return
        key = (name, cls.layout, odd, repr(cls.meta))
        if key not in cls.built:
            cls.built = {key: build(name)}
        data, words = cls.built[key], self.headers.get("Range")
        if self.command == "HEAD":
            self.send_response(200)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            return
        if not words or odd == "whole":
            self.answer(200, "application/octet-stream", data + bytes(50 << 20))
            return
        first, last = words.split("=")[1].split("-")
        if not first:
            first, last = max(0, len(data) - int(last)), len(data) - 1
        first, last = int(first), min(int(last), len(data) - 1)
        if odd == "another range" and first:
            first, last = 0, last - first
        self.answer(206, "application/octet-stream", data[first:last + 1], Content_Range=f"bytes {first}-{last}/{len(data)}")

    def do_GET(self):
        cls = type(self)
        cls.asked.append((self.path, self.headers.get("Authorization")))
        odd = cls.odd
        if self.path.startswith("http"):
            cls.proxied.add(self.headers.get("Proxy-Authorization"))
        if "/files/" in self.path:
            self.file(self.path.split("/")[-1])
            return
        if odd == "slow":
            time.sleep(30)
        if odd == "500":
            self.send_error(500)
            return
        if odd == "loop":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        if odd == "moved" and not self.path.startswith("/new"):
            self.send_response(301)
            self.send_header("Location", "/new" + self.path)
            self.end_headers()
            return
        if odd and odd.startswith("elsewhere ") and not self.path.startswith("/new"):
            self.send_response(302)
            self.send_header("Location", odd.split()[1] + "/new" + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        name = self.path.rstrip("/").split("/")[-1]
        if name.startswith("nvidia-") and name not in cls.pages and cls.nvidia:
            cls.pages = dict(cls.pages, **{name: pins_of(name)})
        pages = cls.own if cls.own is not None and self.path.startswith("/simple") else cls.pages
        if name not in pages:
            self.send_error(404)
            return
        files = pages[name]
        if cls.form == "json":
            kind = "application/vnd.pypi.simple.v1+json"
            body = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "files": [
                dict(f, url="../../files/" + f["filename"], **self.announced(f, True)) for f in files]})
        else:
            kind = "text/html"
            body = "<!DOCTYPE html><html><body>" + "".join(
                '<a href="../../files/%s#sha256=0"%s%s%s>%s</a><br/>\n' % (
                    f["filename"], ' data-yanked="%s"' % f["yanked"] if "yanked" in f else "",
                    ' data-requires-python="&gt;=3.8"', self.announced(f, False), f["filename"]) for f in files) + "</body></html>"
        body = body.encode()
        if odd == "cut":
            body = body[:len(body) * 2 // 3]
        if odd == "huge":
            body = b" " * (20 << 20) + body
        if odd == "html as json":
            body = b"<html>log in, please</html>"
        if odd == "words":
            kind, body = "text/plain", b"welcome"
        headers = {}
        if odd == "huge" and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            headers["Content_Encoding"] = "gzip"
        if odd == "short":
            headers["Content_Length"] = str(len(body) + 1000)
        self.answer(200, kind, body, **headers)

    do_HEAD = do_GET

    def announced(self, f, as_json):
        cls = type(self)
        if not cls.announce or not f["filename"].endswith(".whl"):
            return {} if as_json else ""
        digest = hashlib.sha256(metadata(f["filename"])).hexdigest()
        return {"core-metadata": {"sha256": digest}} if as_json else f' data-dist-info-metadata="sha256={digest}" data-core-metadata="sha256={digest}"'


def serve(cls=Index, **more):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
    server.daemon_threads = True
    for k, v in more.items():
        setattr(server, k, v)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


PORT = serve()
HERE = f"127.0.0.1:{PORT}"


def tenon(*words, index=None, **env):
    e = {"PATH": "/nonexistent", "HOME": "/nonexistent", "PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1", "LC_ALL": "C.UTF-8"}
    e["PIP_INDEX_URL"] = e["UV_INDEX_URL"] = index or f"http://{HERE}/simple/"
    e.update(env)
    Index.asked, Index.sent = [], 0
    r = subprocess.run([TENON, *words], env={k: v for k, v in e.items() if v is not None}, capture_output=True, text=True, timeout=120)
    return r.returncode, r.stdout, r.stderr


def plan(*words, **more):
    return tenon("plan", "--online", *words, **more)


def check(what, got, want, *texts, no=()):
    rc, out, err = got
    bad = [t for t in texts if t not in " ".join((out + err).split())]
    there = [t for t in no if t in out + err]
    if rc != want or bad or there:
        failed.append(f"{what}: exit {rc}, wanted {want}; missing {bad}; must not be there {there}\n{out}{err}")
