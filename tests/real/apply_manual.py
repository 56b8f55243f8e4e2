"""What the test of scheme C needs. pack LIBS OUT [FULL]: archives in NVIDIA's layout with NVIDIA's form of list, of a real toolkit's
files; the large libraries, which nothing here calls, are stand-ins that the real loader takes, unless all are asked for. serve DIR LOG:
an HTTP server that knows ranges; a file DIR/cut says "NAME BYTES": so many bytes of it come, once."""
import hashlib, http.server, io, json, os, re, subprocess, sys, tarfile

SMALL = {"libcudart.so.13", "libcupti.so.13", "libcudnn.so.9", "libcudnn_graph.so.9", "libcudnn_cnn.so.9", "libcudnn_ops.so.9"}
PARTS = {"cuda_cudart": ["libcudart.so.13"], "cuda_cupti": ["libcupti.so.13"], "cuda_nvrtc": ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"],
         "cuda_nvcc": [], "libcublas": ["libcublas.so.13", "libcublasLt.so.13"], "libcufft": ["libcufft.so.12"], "libcurand": ["libcurand.so.10"],
         "libcusolver": ["libcusolver.so.12"], "libcusparse": ["libcusparse.so.12"], "libnvjitlink": ["libnvJitLink.so.13"]}
CUDNN = ["libcudnn%s.so.9" % s for s in ("", "_adv", "_cnn", "_engines_precompiled", "_engines_runtime_compiled", "_graph", "_heuristic", "_ops")]
VERSION = "13.4.88"


def stand_in(name, folder):
    path = os.path.join(folder, name)
    subprocess.run(["cc", "-shared", "-o", path, "-Wl,-soname," + name, "-x", "c", os.devnull], check=True)
    return path


def archive(out, top, files, extra=()):
    """files: member -> path. NVIDIA's archives hold one folder, libraries under their full names and links to them."""
    packer = subprocess.Popen(["zstd", "-q", "-1", "-T0", "-f", "-o", out], stdin=subprocess.PIPE)
    with tarfile.open(fileobj=packer.stdin, mode="w|") as t:
        for member, path in files.items():
            i = t.gettarinfo(os.path.realpath(path), top + "/" + member)
            i.uid = i.gid = 0
            i.mode |= 0o644
            if i.type != tarfile.REGTYPE: # a second name of one file
                i.type, i.linkname, i.size = tarfile.REGTYPE, "", os.path.getsize(os.path.realpath(path))
            full = re.fullmatch(r"lib/(lib.*\.so)(\.\d+)", member)
            if full:
                i.name += ".99"
            with open(os.path.realpath(path), "rb") as f:
                t.addfile(i, f)
            for name, to in ((member, os.path.basename(member) + ".99"), ("lib/" + full.group(1), os.path.basename(member))) if full else ():
                l = tarfile.TarInfo(top + "/" + name)
                l.type, l.linkname = tarfile.SYMTYPE, to
                t.addfile(l)
        for name, data in (("LICENSE", b"NVIDIA"),) + tuple(extra):
            i = tarfile.TarInfo(name if name.startswith("../") else top + "/" + name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
    packer.stdin.close()
    assert packer.wait() == 0
    return {"sha256": hashlib.sha256(open(out, "rb").read()).hexdigest(), "size": str(os.path.getsize(out))}


def pack(real, out, full):
    def lib(name):
        return os.path.join(real, "lib", name) if full or name in SMALL else stand_in(name, out)
    redist = os.path.join(out, "cuda", "redist")
    j = {"release_date": "2026-11-01", "release_label": "13.4.1", "release_product": "cuda"}
    for part, libs in PARTS.items():
        path = "%s/linux-x86_64/%s-linux-x86_64-%s-archive.tar.zst" % (part, part, VERSION)
        os.makedirs(os.path.join(redist, os.path.dirname(path)))
        files = {"lib/" + n: lib(n) for n in libs}
        if part == "cuda_nvcc":
            files["bin/ptxas"] = os.path.join(real, "bin/ptxas")
        if part == "cuda_cudart":
            files["include/cuda.h"] = os.path.join(real, "include/cuda.h")
        e = archive(os.path.join(redist, path), os.path.basename(path)[:-8], files)
        j[part] = {"name": part, "license": "CUDA Toolkit", "version": VERSION, "linux-x86_64": dict(relative_path=path, md5="0", **e)}
    json.dump(j, open(os.path.join(redist, "redistrib_13.4.1.json"), "w"), indent=1)
    headers = {"include/" + n: os.path.join(real, "include", n) for n in os.listdir(os.path.join(real, "include")) if n.startswith("cudnn")}
    for folder, libs, extra in (("good", CUDNN, ()), ("lacking", CUDNN[:-1], ()), ("hostile", CUDNN, (("../../escaped", b"x"),))):
        os.makedirs(os.path.join(out, folder))
        name = "cudnn-linux-x86_64-9.19.0.56_cuda13-archive.tar.zst"
        e = archive(os.path.join(out, folder, name), name[:-8], dict(headers, **{"lib/" + n: lib(n) for n in libs}), extra)
        open(os.path.join(out, folder, name + ".sha256"), "w").write("%s  %s\n" % (e["sha256"], name))


class Handler(http.server.BaseHTTPRequestHandler):
    root = log = None

    def log_message(self, *words):
        pass

    def do_GET(self):
        path = os.path.join(self.root, self.path.lstrip("/"))
        asked = self.headers.get("Range")
        print(os.path.basename(path), asked or "-", file=open(self.log, "a"))
        if not os.path.isfile(path):
            return self.send_error(404)
        data = open(path, "rb").read()
        begin = int(re.match(r"bytes=(\d+)-", asked).group(1)) if asked else 0
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data)))
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        cut = os.path.join(self.root, "cut")
        end = len(data)
        if os.path.exists(cut):
            name, n = open(cut).read().split()
            if name == os.path.basename(path):
                end = begin + int(n)
                os.remove(cut)
        self.wfile.write(data[begin:end])
        if end < len(data):
            self.wfile.flush()
            self.connection.close()


def serve():
    Handler.root, Handler.log = sys.argv[2:4]
    s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    open(os.path.join(sys.argv[2], "port"), "w").write(str(s.server_port))
    s.serve_forever()


if __name__ == "__main__" and sys.argv[1] == "pack":
    pack(sys.argv[2], sys.argv[3], len(sys.argv) > 4)
elif __name__ == "__main__":
    serve()
