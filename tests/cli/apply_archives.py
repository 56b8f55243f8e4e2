#!/usr/bin/env python3
"""Archives of CUDA for `tenon apply --method manual`: refused where the list is not NVIDIA's, lacks a component, leads out of its
folder, or where an archive is not the listed one; nothing is left then. One whose download is cut is asked for from there on."""
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
import apply_manual

TENON = os.environ["TENON"]
count = 0


def make(redist, label):
    """One archive for each component, of incompressible bytes; the list as NVIDIA writes it."""
    j = {"release_label": label}
    for part in apply_manual.PARTS:
        name = "%s-linux-x86_64-1.2.3-archive.tar.xz" % part
        folder = os.path.join(redist, part, "linux-x86_64")
        os.makedirs(folder, exist_ok=True)
        with tarfile.open(os.path.join(folder, name), "w:xz", preset=0) as t:
            i = tarfile.TarInfo(name[:-7] + "/lib/lib%s.so.1" % part)
            i.size = 20000
            t.addfile(i, io.BytesIO(os.urandom(i.size)))
        data = open(os.path.join(folder, name), "rb").read()
        j[part] = {"version": "1.2.3", "linux-x86_64": {"relative_path": "%s/linux-x86_64/%s" % (part, name), "md5": "0",
                                                        "sha256": hashlib.sha256(data).hexdigest(), "size": str(len(data))}}
    return j


def main():
    with tempfile.TemporaryDirectory() as work:
        place, redist, log = os.path.join(work, "place"), os.path.join(work, "a/cuda/redist"), os.path.join(work, "log")
        for d in (place, redist, os.path.join(work, "home")):
            os.makedirs(d)
        good = make(redist, "13.4.1")
        env = dict(os.environ, HOME=os.path.join(work, "home"), XDG_STATE_HOME=os.path.join(work, "state"), no_proxy="*")

        def apply(version, *archives):
            do = [{"kind": "toolkit", "env": "e", "into": "e/cuda", "version": version}, {"kind": "cudnn", "env": "e", "into": "e/cuda", "version": "9.23.1.3"},
                  {"kind": "venv", "env": "e", "python": "%d.%d" % sys.version_info[:2]}]
            plan = os.path.join(work, "plan.json")
            json.dump({"command": "plan", "steps": [{"do": d} for d in do]}, open(plan, "w"))
            words = [w for a in archives for w in ("--archives", a)]
            r = subprocess.run([TENON, "apply", plan, "--yes"] + words, cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            return r.returncode, r.stdout

        def refused(what, version, word, change=None, name="13.4.1", places=(os.path.join(work, "a"),)):
            global count
            j = json.loads(json.dumps(good))
            if change:
                change(j)
            path = os.path.join(redist, "redistrib_%s.json" % name)
            json.dump(j, open(path, "w"))
            rc, said = apply(version, *places)
            os.remove(path)
            if rc != 4 or word not in said or os.listdir(place):
                sys.exit("%s: exit %d, left %s: %s" % (what, rc, os.listdir(place), said))
            count += 1

        def part(j):
            return j["libcufft"]["linux-x86_64"]

        told = "not NVIDIA's list: its sha256 is %s," % hashlib.sha256(json.dumps(good).encode()).hexdigest()
        refused("a list that is not NVIDIA's", "13.0.2", told, name="13.0.3")
        refused("a component is missing", "13.4.1", "libcurand", lambda j: j.pop("libcurand"))
        refused("an archive is not the listed one", "13.4.1", "libcufft", lambda j: part(j).update(sha256=part(j)["sha256"][::-1]))
        refused("no list is known, no place is named", "13.4.1", "--archives DIR", places=())
        apply_manual.Handler.root, apply_manual.Handler.log = os.path.join(work, "a"), log
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), apply_manual.Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d" % server.server_port
        refused("a path that leads out", "13.4.1", "no plain path", lambda j: part(j).update(relative_path="../../" + part(j)["relative_path"]), places=(url,))
        if not os.path.exists(os.path.join(os.path.dirname(TENON), "tenon-get")):
            print("skipped: tenon-get")
            return
        cut = os.path.basename(part(good)["relative_path"])
        open(os.path.join(work, "a", "cut"), "w").write(cut + " 100")
        refused("cuDNN is nowhere", "13.4.1", "9.23.1.3", places=(url,))
        if cut + " bytes=100-" not in open(log).read():
            sys.exit("cut, and not gone on with: " + open(log).read())
        server.shutdown()
    print("archives: %d refused, one cut" % count)


main()
