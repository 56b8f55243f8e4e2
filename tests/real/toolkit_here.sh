#!/usr/bin/env bash
# The CUDA toolkit of this machine, made of files named by soname only: its version and those of cuDNN and NCCL against its
# own headers and metadata; one toolkit by however many links; the stub of libcuda is a stub.
. "$(dirname "$0")/lib.sh"
T=$(readlink -f /usr/local/cuda 2>/dev/null || true)
[ -f "$T/include/cuda.h" ] || skip "no toolkit in /usr/local/cuda"
"$TENON" snapshot --include-identifiers >"$WORK/s.json"
python3 - "$WORK/s.json" "$T" <<'X'
import glob, json, os, re, sys
s, t = json.load(open(sys.argv[1])), sys.argv[2]
bad = []
def header(name, *macros):
    path = os.path.join(t, "include", name)
    if not os.path.exists(path):
        return None
    text = open(path, errors="replace").read()
    return [int(re.search(rf"#define\s+{m}\s+(\d+)", text)[1]) for m in macros]
def v(fact):
    return fact.get("value")
cuda = header("cuda.h", "CUDA_VERSION")[0]
kits = [k for k in s["toolkit"]["rows"] if os.path.realpath(v(k["path"])) == t]
if len(kits) != 1:
    bad.append(f"{len(kits)} rows for one toolkit: {[v(k['path']) for k in kits]}")
elif not (v(kits[0]["version"]) or "").startswith(f"{cuda // 1000}.{cuda % 1000 // 10}"):
    bad.append(f"toolkit version {kits[0]['version']}, cuda.h says {cuda}")
real = [os.path.realpath(v(k["path"])) for k in s["toolkit"]["rows"]]
if len(real) != len(set(real)):
    bad.append(f"a toolkit twice: {real}")
paths = [os.path.realpath(v(r["path"])) for r in s["library"]["rows"] if r["path"]["is"] == "known"]
if len(paths) != len(set(paths)):
    bad.append(f"a library twice: {sorted(p for p in set(paths) if paths.count(p) > 1)[:5]}")
here = [r for r in s["library"]["rows"] if (v(r["path"]) or "").startswith(t + "/")]
compared = 0
for stem, name, macros in (("libcudnn", "cudnn_version.h", ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")),
                           ("libnccl", "nccl.h", ("NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"))):
    want = header(name, *macros)
    rows = [r for r in here if v(r["stem"]) == stem]
    if want and rows:
        compared += 1
        got = (v(rows[0]["version"]) or "").split(".")[:3]
        if got != [str(x) for x in want]:
            bad.append(f"{stem}: {rows[0]['version']}, {name} says {want}")
cudart = [r for r in here if v(r["stem"]) == "libcudart"]
if cudart and not (v(cudart[0]["version"]) or "").startswith(f"{cuda // 1000}.{cuda % 1000 // 10}."):
    bad.append(f"libcudart: {cudart[0]['version']}")
wanted = {os.path.realpath(p) for p in glob.glob(t + "/lib*/libcud*.so.[0-9]*") + glob.glob(t + "/lib*/libcublas.so.[0-9]*")}
for p in sorted(wanted - set(paths)):
    bad.append(f"{p} is not in the list")
stubs = [r for r in s["library"]["rows"] if v(r["stem"]) == "libcuda" and "/stubs/" in (v(r["path"]) or "")]
if glob.glob(t + "/lib*/stubs/libcuda.so"):
    if len(stubs) != 1 or v(stubs[0]["kind"]) != "stub" or v(stubs[0]["reachable"]):
        bad.append(f"stub libcuda: {[(r['path'], r['kind'], r['reachable']) for r in stubs]}")
if not (compared and cudart and cudart):
    print("skipped: cuDNN or NCCL in the toolkit")
sys.exit("\n".join(bad) if bad else 0)
X
