#!/usr/bin/env python3
"""Makes a record of a real machine fit to be committed: usage: slim_record.py IN.json OUT.json ORIGIN

Taken out: packages of dpkg's status that are no vendor's, names in long listings that no probe looks at, all of
meminfo but the total, all mounts but the root's and that of device rules, control groups but that of
devices, .pth files, the local part of the kernel's release. Zeros at the end of parts become numbers.
What is left is as it was recorded. Read the result before it is committed: paths, names, hosts."""
import base64
import json
import re
import struct
import sys

import compose_parts as parts
import hollow

VENDOR = re.compile(r"nvidia|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nccl|nvrtc|nvjitlink|cupti|nvinfer|nouveau")
KEEP = re.compile(r"^(lib(cu|nv|nccl|c\.so|dxcore)|nvidia|python\d|python3?$|cuda|wsl|x86_64|dist-packages|numpy|torch|tensorflow|jax|site-packages)")


def short_list(files, path, names):
    if len(names) < 40:
        return names
    base = path.rstrip("/")
    return [n for n in names if isinstance(n, str) and (KEEP.match(n) or set(files.get(f"{base}/{n}", {})) & {"parts", "base64", "text", "lines", "link"})]


def elf_head(part):
    """Of 4096 bytes read the header and the program headers count."""
    data = base64.b64decode(part.get("base64", ""))
    if part["at"] or len(data) != 4096 or data[:4] != b"\x7fELF":
        return part
    phoff, = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    return {"at": 0, "base64": base64.b64encode(data[:phoff + size * n].ljust(4096, b"\0")).decode()}


def entries(cache):
    """(soname, path) of a cache in the new format whose library a probe may look at."""
    n = struct.unpack_from("<I", cache, 20)[0]
    out = []
    for i in range(n):
        flags, key, value = struct.unpack_from("<iII", cache, 48 + 24 * i)
        soname, path = (cache[x:cache.index(b"\0", x)].decode() for x in (key, value))
        if flags == 0x0303 and KEEP.match(soname):
            out.append((soname, path))
    return out


def main():
    src, out, origin = sys.argv[1:]
    with open(src, encoding="utf-8") as f:
        r = json.load(f)
    r = {"tenon_record": 1, "origin": origin, "os": r["os"], "complete": r["complete"], **r}
    files, dropped = r["files"], set()
    r["origin"] = origin
    if "release" in r.get("sys", {}):
        r["sys"]["release"] = r["sys"]["release"].split("-")[0]
    for path in list(files):
        node = files[path]
        if path.endswith(".pth"):
            del files[path]
            continue
        if path == "/var/lib/dpkg/status":
            kept = [p for p in node["text"].split("\n\n") if VENDOR.search(p.split("\n")[0])]
            cut = ["\n".join(x for x in p.strip().split("\n") if re.match(r"(Package|Status|Architecture|Multi-Arch|Version|Source):", x)) for p in kept]
            files[path] = {"lines": "\n\n".join(cut).split("\n"), "from": "recorded; packages that are no vendor's left out"}
        elif path == "/proc/meminfo" and "text" in node:
            node["text"] = node["text"].split("\n")[0] + "\n"
        elif path.endswith("/include/cuda.h") and "CUDA_VERSION" in json.dumps(node):
            line = re.search(r"#define CUDA_VERSION \d+", json.dumps(node)).group(0)
            files[path] = {"lines": [line], "from": "recorded; the line that is read"}
            continue
        elif path == "/etc/ld.so.cache" and "base64" in node and len(node["base64"]) > 20000:
            files[path] = parts.ld_cache(entries(base64.b64decode(node["base64"])))
            files[path]["from"] = "recorded; entries of libraries that no probe looks at left out"
            continue
        elif path.endswith("mountinfo") and "text" in node:
            node["text"] = "".join(x + "\n" for x in node["text"].split("\n") if " / / " in x or " - cgroup " in x and x.endswith("devices"))
        elif path.endswith("/cgroup") and "text" in node: # other controllers may name what the machine ran in
            node["text"] = "".join(x + "\n" for x in node["text"].split("\n") if re.match(r"\d+:(\S+,)?devices[,:]|0::", x))
        elif path == "/proc/cpuinfo" and "text" in node:
            node["text"] = re.sub(r"^(microcode|bugs|bogomips|cache size)\s*:.*\n", "", node["text"], flags=re.M)
        if "list" in node:
            for t in list(node["list"]):
                before = node["list"][t]
                node["list"][t] = [n for n in short_list(files, path, before) if not str(n).endswith(".pth")]
                dropped |= {f"{path.rstrip('/')}/{n}" for n in before if n not in node["list"][t]}
        if "parts" in node and len(node["parts"]) == 1:
            node["parts"] = [elf_head(node["parts"][0])]
        if "parts" in node:
            node["parts"] = [hollow.shorter(p) for p in node["parts"]]
        elif "base64" in node and path != "/etc/ld.so.cache":
            short = hollow.shorter({"at": 0, "base64": node["base64"]})
            if "zeros" in short:
                del node["base64"]
                node["parts"] = [short]
        node.pop("mode", None) if not path.startswith("/dev/") else None
        if "dir" in node or "list" in node:
            node.pop("size", None)
    for path in list(files):
        if path in dropped:
            del files[path]
    with open(out, "w", encoding="utf-8") as f:
        f.write(hollow.text(r))


if __name__ == "__main__":
    main()
