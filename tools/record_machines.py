#!/usr/bin/env python3
"""Records machines for tests/machines through the program: usage: record_machines.py BUILD-DIR OUT-DIR [NAME...]

Each machine of record_list.py and record_faults.py is a root folder of real parts (record_parts.py). In it the program itself looks, in a chroot (or
a runc container) of its own host name, as the machine's user, and writes what it saw: tenon snapshot --raw. Then the record
is made fit to be committed: what nobody looks at is left out, each file says where it comes from, zeros that stand for unknown
bytes of a hollow file become "not asked", and the verdict must be the same as before.

Wants root, gcc, Debian 12's apt, ldconfig, unshare and python3.11, pyenv's interpreters; downloads are kept in
~/.cache/tenon/parts, ~/.cache/tenon-parts and TENON_WHEELS. Nothing here runs in `make check`: the results are committed.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import compose
import compose_parts as parts
import hollow
import record_parts
from record_parts import Root, run

KEEP_PACKAGES = re.compile(r"nvidia|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nccl|nvrtc|nvjitlink|cupti|nvinfer|tensorrt|nouveau|python3")
FIELDS = re.compile(r"(Package|Status|Architecture|Multi-Arch|Version|Source):")
INSIDE = re.compile(r"/(site-packages|dist-packages|conda-meta)/|/(home|opt|root|workspace)/.*/bin/|/usr/lib/python3[^/]*/|/(gconv|include|__pycache__|terminfo|zoneinfo)/|/var/lib/dpkg/info/")
SHIM = """#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
int uname(struct utsname *u) { long rc = syscall(SYS_uname, u); strcpy(u->release, RELEASE); strcpy(u->machine, ARCH); return (int)rc; }
"""


def program(build, m):
    """The program with its loader and libraries in /.t of the root, and a uname() that names the machine's kernel."""
    t = m.at + "/.t"
    os.makedirs(t)
    os.makedirs(t + "/out")
    os.chmod(t + "/out", 0o777)
    tenon = os.path.join(build, "tenon")
    shutil.copy(tenon, t)
    for lib in re.findall(r"/\S+", run("ldd", tenon)):
        if lib.startswith("/"):
            shutil.copy(os.path.realpath(lib), f"{t}/{os.path.basename(lib)}")
    with open(t + "/shim.c", "w", encoding="utf-8") as f:
        f.write(SHIM)
    run("gcc", "-shared", "-fPIC", "-O1", f'-DRELEASE="{m.sys["release"]}"', f'-DARCH="{m.sys["arch"]}"', "-o", t + "/shim.so", t + "/shim.c")
    return ["/.t/ld-linux-x86-64.so.2", "--library-path", "/.t", "--preload", "/.t/shim.so", "/.t/tenon"]


def look(build, m):
    """tenon snapshot --raw, run where the machine is."""
    argv = program(build, m) + ["snapshot", "--raw", "-o", "/.t/out/raw.json"] + (["--env", m.args["env"]] if "env" in m.args else [])
    if m.uid:
        run("chown", "-R", "--no-dereference", f"{m.uid}:{m.uid}", m.real(m.home))
    if m.container:
        m.container(m, argv)
    else:
        enter(m, argv)
    with open(m.at + "/.t/out/raw.json", encoding="utf-8") as f:
        raw = json.load(f)
    for d in ("/.t", "/.k"):
        shutil.rmtree(m.at + d, ignore_errors=True)
    raw.pop("ask", None)  # the real libraries looked for a card of this machine, which has none
    return raw


def enter(m, argv):
    def child():
        os.chroot(m.at)
        os.chdir(m.home)
        os.setgroups([44])
        os.setgid(m.uid)
        os.setuid(m.uid)
    r = subprocess.run(argv, env=m.env, preexec_fn=child, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
    if r.returncode:
        raise SystemExit(f"{m.name}: tenon: {r.stdout[-800:]}")


def whole(m, files):
    """What nobody asked is there all the same: every folder of a small root says what it holds, settings say what they say."""
    for base, dirs, names in os.walk(m.at):
        path = base[len(m.at):] or "/"
        if INSIDE.search(path + "/"):
            dirs[:] = []
            continue
        if len(names) + len(dirs) > 80 and path not in files:
            continue
        for n in names + dirs:
            at, here = os.path.join(base, n), os.path.join(path, n)
            if here in files or INSIDE.search(here + "/"):
                continue
            if os.path.islink(at):
                files[here] = {"link": os.readlink(at)}
            elif os.path.isdir(at):
                if not os.listdir(at):
                    files[here] = {"dir": True}
            elif os.path.isfile(at):
                size, setting = os.path.getsize(at), re.match(r"/(etc|home|root|usr/share|opt|usr/local)/", here)
                data = open(at, "rb").read() if size <= 1500 and setting and here not in m.known else b"\0"
                files[here] = {"size": size} if b"\0" in data or not size else {"text": data.decode("utf-8", "replace")}
                if os.access(at, os.X_OK) and os.stat(at).st_mode & 0o111:
                    files[here]["mode"] = "0755"


def cut(m, path, node):
    """Of a hollow file only what is real; the rest was not asked."""
    known = m.known.get(path)
    if known is None:
        return node
    size = os.path.getsize(m.at + path)
    data = [(p["at"], base64.b64decode(p["base64"]) if "base64" in p else p["text"].encode()) for p in node.get("parts", ())]
    if "text" in node or "base64" in node:
        data.append((0, node["text"].encode() if "text" in node else base64.b64decode(node["base64"])))
    keep = []
    for at, d in data:
        for a, b in known:
            first, last = max(at, a), min(at + len(d), b)
            if first < last:
                keep.append({"at": first, "base64": base64.b64encode(d[first - at:last - at]).decode()})
        if not any(a <= at and at + len(d) <= b for a, b in known) and d:
            print(f"  {m.name}: {path}: {len(d)} bytes at {at} are not known", file=sys.stderr)
    out = {k: v for k, v in node.items() if k not in ("text", "base64", "parts", "lines")}
    out["size"] = size
    if keep:
        out["parts"] = keep
    return out


def record_lines(text, path, files):
    """Of a wheel's RECORD the lines of files that the record speaks of, and some of those whose folder is gone."""
    site, out, gone = os.path.dirname(os.path.dirname(path)), [], 0
    for line in text.split("\n"):
        at = os.path.normpath(os.path.join(site, line.split(",")[0].strip('"')))
        absent = any(files.get(at.rsplit("/", n)[0], {}).get("absent") for n in range(1, 5))
        gone += absent
        if line and (at in files or absent and gone < 40):
            out.append(line)
    return out


def slim(m, raw):
    files = raw["files"]
    known = set(files)
    for path in [p for p in files if p.startswith(("/.t", "/.k"))]:
        del files[path]
    # names in long listings of which nobody asked more
    for path, node in files.items():
        for t, names in node.get("list", {}).items():
            base = path.rstrip("/")
            node["list"][t] = [n for n in names if not isinstance(n, str) or (n not in (".t", ".k") and (
                len(names) < 40 and not INSIDE.search(path + "/") or f"{base}/{n}" in known))]
    if m.whole:
        whole(m, files)
    for path in list(files):
        node = cut(m, path, files[path])
        text = node.get("text")
        if path == "/var/lib/dpkg/status" and text:
            kept = [p for p in text.split("\n\n") if KEEP_PACKAGES.search(p.split("\n")[0])]
            node = {"lines": "\n\n".join("\n".join(x for x in p.strip().split("\n") if FIELDS.match(x)) for p in kept).split("\n"),
                    "from": "real: dpkg's status; packages of others and most fields left out"}
        elif path.startswith("/var/lib/dpkg/info/") and text:
            node = {"lines": [x for x in text.split("\n") if x in files or re.search(r"lib(cu|nv)|nvidia", x)], "from": "real: dpkg's list of files, shortened"}
        elif path.endswith("/METADATA") and text:
            node = {"text": compose.headers(text)}
        elif path.endswith("-info/RECORD") and text:
            node = {"text": "".join(x + "\n" for x in record_lines(text, path, files))}
        elif path.endswith("/mountinfo") and text:  # of a container: without its folder on this disk and what was laid over /proc and /sys
            kept = [x for x in text.replace(m.at, "/var/lib/containers/rootfs").split("\n") if re.match(r"\S+ \S+ \S+ \S+ (/|/dev/shm) ", x)]
            node = {**node, "text": "".join(re.sub(r"( - \S+ \S+ rw).*", r"\1", x) + "\n" for x in kept)}
        elif path.endswith("/cgroup") and text and m.container:
            node = {**node, "text": "".join(x.split(":/")[0] + ":/" + m.sys["node"] + "\n" for x in text.strip().split("\n"))}
        if path in m.source:
            node["from"] = m.source[path]
        if path.endswith("/METADATA") and "text" in node and path in m.source:
            node["from"] += "; the lines on what is needed"
        if "parts" in node:
            node["parts"] = [hollow.shorter(p) for p in node["parts"]]
        elif "base64" in node and len(node["base64"]) > 4000:
            data = base64.b64decode(node["base64"])
            short = hollow.shorter({"at": 0, "base64": node["base64"]})
            if "zeros" in short:
                node = {**{k: v for k, v in node.items() if k != "base64"}, "size": len(data), "parts": [short]}
        if "text" in node and node["text"].count("\n") > 1 and node["text"].endswith("\n"):
            node = {"lines": node["text"].split("\n")[:-1], **{k: v for k, v in node.items() if k != "text"}}
        for k in ("uid", "gid"):
            node.pop(k, None)
        if not path.startswith("/dev/") and ("link" in node or "list" in node or "dir" in node or node.get("mode") in ("0644", "0664", "0755") and not re.search(r"/s?bin/[^/]*$", path)):
            node.pop("mode", None)
        if "dir" in node or "list" in node or "link" in node:
            node.pop("size", None)
        files[path] = node
    doc = {"tenon_record": 1, "origin": m.origin, "os": raw["os"], "complete": raw.get("complete", [])}
    if m.whole:
        doc["complete"] = ["files", "env", "sys"]
    doc["sys"] = {**raw["sys"], **({"clock": "1796083200"} if "clock" in raw["sys"] else {}), "node": m.sys["node"]}
    doc["env"] = dict(sorted(m.env.items())) if m.whole else raw["env"]
    for k in ("disk", "run"):
        if raw.get(k):
            doc[k] = raw[k]
    for d in doc.get("disk", {}).values():
        if "total" in d:
            d.update({"free": 200 << 30, "total": 1 << 40})
    if m.whole:
        files = needed(files)
    doc["files"] = dict(sorted(files.items()))
    return doc


def needed(files):
    """Without what a complete record says anyhow: what is absent, and folders that another one lists or that hold something."""
    inner = {os.path.dirname(p) for p in files}
    out = {}
    for path, node in files.items():
        above = files.get(os.path.dirname(path), {}).get("list", {})
        if node == {"absent": True} or node == {"dir": True} and (path in inner or os.path.basename(path) in above.get("d", ())):
            continue
        out[path] = node
    return out


def verdict(build, doc, m, d):
    path = os.path.join(d, m.name + ".judge.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(doc, f)
    r = subprocess.run([os.path.join(build, "tenon"), "doctor", "--json", "--from", path] + [f"--{k}={v}" for k, v in m.args.items()],
                       stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    v = json.loads(r.stdout)
    return r.returncode, v["verdict"], v["findings"]


def tools(work):
    if not os.path.exists(work + "/tools/bin/uv"):
        run("/usr/bin/python3.11", "-m", "venv", work + "/tools")
        run(work + "/tools/bin/pip", "install", "-q", "uv", "virtualenv", "py-rattler", env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})


def places_of_here():
    """What belongs to the machine that records: its mounts and its control group."""
    words = {line.split()[1] for line in open("/proc/mounts") if line.split()[1].startswith(("/mnt/", "/media/"))}
    for line in open("/proc/self/cgroup"):
        group = line.rstrip("\n").split(":", 2)[2].split("/")
        words |= {w for w in group if len(w) > 7}
    return sorted(words)


def main():
    build, out, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    import record_faults  # noqa: F401: adds its machines to the list
    import record_list
    os.makedirs(record_parts.CACHE, exist_ok=True)
    work = os.environ.get("TENON_RECORD") or tempfile.mkdtemp(prefix="tenon-record-")
    os.makedirs(work, exist_ok=True)
    tools(work)
    bad = 0
    for name, (fn, origin, args) in record_list.MACHINES.items():
        if names and name not in names:
            continue
        if os.path.isdir(os.path.join(work, name)):
            shutil.rmtree(os.path.join(work, name))
        m = Root(work, name, origin)
        m.args = args
        fn(m)
        raw = look(build, m)
        before = verdict(build, raw, m, work)
        doc = slim(m, json.loads(json.dumps(raw)))
        after = verdict(build, doc, m, work)
        text = hollow.text(doc)
        for word in [work, "/.t/", "/.k/", os.path.expanduser("~/.cache")] + places_of_here():
            if word in text:
                print(f"  {name}: {word} is in the record: " + text[max(0, text.index(word) - 100):text.index(word) + 60], file=sys.stderr)
                bad = 1
        if before != after:
            print(f"  {name}: slimming changes the verdict: {before[1:]} -> {after[1:]}", file=sys.stderr)
            bad = 1
        with open(os.path.join(out, name + ".json"), "w", encoding="utf-8") as f:
            f.write(text)
        path = os.path.join(out, name + ".args")
        if args:
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(f"{k}={v}\n" for k, v in args.items())
        print(name, len(text), after[0], after[1].get("cause"), after[1].get("warnings"), [(x["cause"], x["status"]) for x in after[2]])
        if not os.environ.get("TENON_KEEP"):
            shutil.rmtree(m.at)
    return bad


if __name__ == "__main__":
    sys.exit(main())
