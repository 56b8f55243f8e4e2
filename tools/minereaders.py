"""What each framework's wheel says inside, as rows of the tables that hold builds. One function for each package.

A reader gets the run (tables, the day) and a release of the index. It opens one wheel by ranges, takes METADATA and the small
files of build facts, and hands rows to TableFile.learn: what the wheel says beats what a document says.
"""
import re
import zlib

import wheelindex
from tablefile import agrees, version_key
from wheelfacts import Metadata, assignments, capabilities, dotted, numbers, platform, pythons
from wheelindex import Wheel

MAX_CODE = 150 << 20  # a library that is inflated whole, packed
HEAD = 1 << 20        # of a library of which only the names at its start are wanted, packed


def linux_wheel(r, arch="x86_64", where="linux"):
    """The wheel for the newest Python of one platform, or None."""
    best = None
    for m, f in r.wheels:
        if not any((t := platform(tag)) and t[0] in (where, "any") and t[1] in (arch, "") for tag in m["plat"].split(".")):
            continue
        takes = pythons(m["py"], m["abi"], f.requires_python)
        if takes and (best is None or max(takes) > best[0]):
            best = max(takes), f
    return best and best[1]


def metadata(f, wheel=None):
    """METADATA of a wheel: its own file on the index if there is one (PEP 658), else the member."""
    if f.metadata:
        try:
            text, _ = wheelindex.whole(f.url + ".metadata", {}, f.name + ".metadata", wheelindex.MAX_MEMBER)
            return Metadata(text.decode("utf-8", "replace"))
        except wheelindex.Absent:
            pass
    wheel = wheel or Wheel(f.url, f.name)
    hits = wheel.find(r"[^/]+\.dist-info/METADATA")
    if len(hits) != 1:
        raise wheel.bad("%d METADATA files" % len(hits))
    return Metadata(wheel.read(hits[0]).decode("utf-8", "replace"))


def small_file(wheel, pattern):
    hits = wheel.find(pattern)
    return assignments(wheel.read(hits[0]).decode("utf-8", "replace")) if hits else {}


def minor(version):
    return ".".join(version.split(".")[:2])


def python_cells(r, where="linux", arch="x86_64"):
    takes = [pythons(m["py"], m["abi"], f.requires_python) for m, f in r.wheels
             if any((t := platform(tag)) and t[0] in (where, "any") and t[1] in (arch, "") for tag in m["plat"].split("."))]
    union = set().union(*takes) if takes else set()
    return {"python_min": dotted(min(union)), "python_max": dotted(max(union))} if union else {}


def lower_bound(spec):
    """The least version of a specifier set: >=12.1 -> 12.1, ~=13.0 -> 13.0, ==9.26.0.51 -> itself."""
    for op in (">=", "~=", "=="):
        m = re.search(r"(?:^|,)%s([\d.]+)" % re.escape(op), spec)
        if m:
            return m.group(1).rstrip(".")
    return ""


def ordered(spec):
    """Lower bounds first, as the tables write them: "<13.0,>=12.5" -> ">=12.5,<13.0"."""
    return ",".join(sorted(filter(None, spec.split(",")), key=lambda c: c[0] in "<!"))


def nvidia_driver(run, cuda):
    """NVIDIA's floor on Linux for any program of a CUDA major (11 and later), from cuda_driver_min."""
    for row in run.table("cuda_driver_min").rows:
        if row["rank"] == "1" and row["cuda_release"].split(".")[0] == cuda.split(".")[0] and row["minor_version_compat_linux_min"]:
            return row["minor_version_compat_linux_min"]
    return ""


def down(column):
    """Order of a table that stands newest first by one column."""
    def order(row):
        n, tail = version_key(row[column])
        return tuple(-x for x in n + (0,) * (8 - len(n))), (-tail[0], -tail[1])
    return order


def source(run, r, f=None):
    return "wheel %s %s, read %s" % (r.package, r.version, run.today)


# TensorFlow

def build_row(run, r, where, info):
    """tensorflow_builds lists minors; a patch release gets a row of its own only where the wheel says something else."""
    t = run.table("tensorflow_builds")
    gpu = "yes" if info.get("is_cuda_build") else "no"
    cuda, cudnn = (str(info.get(k) or "") for k in ("cuda_version", "cudnn_version"))
    row = {"version": r.version, "platform": where, "gpu": gpu, "package": r.package, "source": source(run, r),
           "date": r.date() or run.today, "notes": "build_info.py of the wheel; not a tested-build table"}
    row.update(python_cells(r, where))
    if gpu == "yes" and where == "linux":
        row.update(cuda=minor(cuda), cudnn=minor(cudnn))
    if not row.get("python_max"):
        return
    kin = [o for o in t.rows if o["rank"] == "1" and o["platform"] == where and o["gpu"] == gpu and
           o["package"].split("[")[0] in (r.package, "tensorflow-gpu", "tensorflow-cpu", "tensorflow") and
           minor(o["version"]) == minor(r.version)]
    if any(agrees(o["cuda"], row.get("cuda", "")) and agrees(o["cudnn"], row.get("cudnn", "")) for o in kin):
        return
    if t.learn(row, down("version")):
        run.say("tensorflow_builds", row)


def arch_row(run, r, info):
    """tf_wheel_arch holds ranges: nothing to do where the range that takes this release says the same."""
    raw, sass, ptx = capabilities(info.get("cuda_compute_capabilities"))
    if not raw:
        return
    t = run.table("tf_wheel_arch")
    v = version_key(r.version)[0]

    def within(o):
        low, high = (tuple(numbers(o[c])) for c in ("version_from", "version_to"))
        return low <= v + (0,) * (len(low) - len(v)) and (v <= high or v[:len(high)] == high)

    mine = [o for o in t.rows if o["platform"] == "linux" and o["builder"] == "official" and o["rank"] == "1"]
    for o in sorted((o for o in mine if within(o)), key=lambda o: -len(o["version_from"])):
        if o["capabilities_as_built"] == " ".join(raw):
            return
        if o["sass"]:
            break
    before = [o for o in mine if o["source"].startswith("wheel %s " % r.package) and o["capabilities_as_built"] == " ".join(raw) and
              minor(o["version_to"]) == minor(r.version) and version_key(o["version_to"]) < version_key(r.version)]
    if before:  # a patch release that says what the one before said
        before[0]["version_to"] = r.version
        return run.say("tf_wheel_arch", before[0])
    row = {"version_from": r.version, "version_to": r.version, "platform": "linux", "builder": "official",
           "capabilities_as_built": " ".join(raw), "min_cc": min(sass, key=lambda c: numbers(c.rstrip("af"))), "sass": " ".join(sass),
           "ptx": " ".join(ptx), "notes": "list in build_info.py; compute_XY gives sm_XY machine code and PTX XY",
           "source": source(run, r), "date": r.date() or run.today}
    if t.learn(row, lambda o: (version_key(o["version_from"]), o["platform"])):
        run.say("tf_wheel_arch", row)


def pin_rows(run, r, meta):
    t = run.table("tensorflow_pins")
    for q in meta.requires:
        if q.extra != "and-cuda" or not q.spec:
            continue
        exact = re.fullmatch(r"==([\w.]+)", q.spec)
        row = {"tf_version": r.version, "package": q.name, "constraint": exact.group(1) if exact else ordered(q.spec),
               "kind": "exact" if exact else "range", "source": source(run, r), "date": r.date() or run.today}
        if t.learn(row, lambda o: (version_key(o["tf_version"]), o["package"])):
            run.say("tensorflow_pins", row)


def tensorflow(run, r):
    for where in ("linux", "windows"):
        f = linux_wheel(r, where=where)
        if f is None or (f.size or 1 << 30) < 1 << 20:  # the shells of 2.11-2.18 on Windows
            continue
        if where == "windows" and any(o["platform"] == where and minor(o["version"]) == minor(r.version) for o in run.table("tensorflow_builds").rows):
            continue
        w = Wheel(f.url, f.name)
        info = small_file(w, r"tensorflow(_core)?/python/platform/build_info\.py")
        if "cuda_version_number" in info:
            info["cuda_version"], info["cudnn_version"] = info["cuda_version_number"], info.get("cudnn_version_number")
        if not info:
            raise w.bad("no build_info.py")
        build_row(run, r, where, info)
        if where == "linux":
            if info.get("is_cuda_build"):
                arch_row(run, r, info)
            pin_rows(run, r, metadata(f, w))


# PyTorch

def arch_flags(wheel, pattern):
    """The text that torch.cuda.get_arch_list() splits: inflates one library, holds no more than a piece of it."""
    hits = wheel.find(pattern)
    if not hits or hits[0].method != 8 or hits[0].packed > MAX_CODE:
        return ""
    m = hits[0]
    packed, z, kept, size, crc = wheel.start(m, m.packed), zlib.decompressobj(-15), b"", 0, 0
    flag = re.compile(rb"\0((?:sm|compute)_\d{2,3}[af]?(?: (?:sm|compute)_\d{2,3}[af]?)*) ?\0")
    for i in range(0, len(packed), 1 << 18):
        piece = z.decompress(packed[i:i + (1 << 18)])
        size, crc = size + len(piece), zlib.crc32(piece, crc)
        if size > m.size:
            raise wheel.bad("%s is longer than the directory says" % m.name)
        hit = flag.search(kept + piece)
        if hit:
            return hit.group(1).decode()
        kept = (kept + piece)[-512:]
    if size != m.size or crc != m.crc:
        raise wheel.bad("%s: damaged" % m.name)
    return ""


def torch_cuda(wheel):
    v = small_file(wheel, r"torch/version\.py")
    cuda = v.get("cuda")
    if not isinstance(cuda, str) or not re.match(r"\d+\.\d+", cuda):
        return None, None
    cuda = minor(cuda)
    local = str(v.get("__version__", "")).partition("+")[2]
    return cuda, local if re.fullmatch(r"cu\d+", local) else "cu" + cuda.replace(".", "")


def torch(run, r):
    f = linux_wheel(r)
    if f is None:
        return
    w = Wheel(f.url, f.name)
    cuda, variant = torch_cuda(w)
    if cuda is None:
        return
    meta = metadata(f, w)
    row = {"torch_version": r.version, "variant": variant, "cuda": cuda, "pypi_default": "yes", "source": source(run, r),
           "date": r.date() or run.today}
    for q in meta.requires:
        if re.fullmatch(r"nvidia-cudnn-cu\d+", q.name) and q.spec.startswith("=="):
            row["cudnn"] = q.spec[2:]
    row.update(python_cells(r))
    if run.code:
        flags = arch_flags(w, r"torch/lib/libtorch_python\.so")
        if flags:
            _, sass, _ = capabilities([x for x in flags.split(" ") if x.startswith("sm_")])
            _, _, ptx = capabilities([x for x in flags.split(" ") if x.startswith("compute_")])
            row.update(sass_linux=" ".join(sass), ptx_linux=" ".join(ptx))
            row["notes"] = "sm list: text in libtorch_python.so, what get_arch_list() prints"
    row["min_driver_linux"] = nvidia_driver(run, cuda)
    if run.table("pytorch_builds").learn(row, down("torch_version"), keep=("python_min", "python_max", "min_driver_linux"),
                                         none=("ptx_linux",) if row.get("sass_linux") else ()):
        run.say("pytorch_builds", row)


# JAX

def jax(run, r):
    f = linux_wheel(r)
    if f is None:
        return
    meta = metadata(f)
    base = next((lower_bound(q.spec) for q in meta.requires if q.name == "jaxlib" and not q.extra), "")
    rows = {}
    for q in meta.requires:
        m = re.fullmatch(r"jax-cuda(\d+)-plugin", q.name)
        if m and re.fullmatch(r"cuda(\d+)?(-local|-pip)?", q.extra):
            rows[q.extra] = (m.group(1), q)
    plugins = {}
    for extra, (major, q) in sorted(rows.items()):
        row = {"jax_version": r.version, "cuda_extra": extra, "jaxlib_min": base, "source": source(run, r), "date": r.date() or run.today}
        plugin = lower_bound(q.spec) or re.sub(r".*<=([\d.]+).*", r"\1", q.spec)
        if (q.name, plugin) not in plugins:
            plugins[q.name, plugin] = plugin_facts(run, q.name, plugin)
        facts = plugins[q.name, plugin]
        if facts is None:
            continue
        for o in run.table("jax_builds").rows:  # older tags spell it cuda12_local
            if o["jax_version"] == r.version and o["cuda_extra"].replace("_", "-") == extra:
                row["cuda_extra"] = o["cuda_extra"]
        if "with-cuda" in q.extras:
            row.update(facts["pins"])
            row["source"] += "; wheel %s %s, read %s" % (q.name, plugin, run.today)
        row.update(facts["python"])
        jaxlib = next((lower_bound(x.spec) for x in meta.requires if x.name == "jaxlib" and x.extra == extra), "")
        row["jaxlib_version"] = jaxlib
        known = run.table("jax_builds").of(row)
        row["driver_min_linux"] = nvidia_driver(run, major)
        if run.table("jax_builds").learn({k: v for k, v in row.items() if v}, down("jax_version"),
                                         keep=("python_min", "python_max", "jaxlib_version", "driver_min_linux"), quiet=("notes",) if known else ()):
            run.say("jax_builds", row)


def plugin_facts(run, name, version):
    """Minima of the plugin's extra with-cuda; None where the index lacks that plugin (0.7.0 names cuda13 before it came)."""
    hits = [x for x in run.releases(name) if version_key(x.version) == version_key(version)]
    f = linux_wheel(hits[0]) if hits else None
    if f is None:
        run.note("%s %s is not on the index" % (name, version))
        return None
    pins, cells = [], {}
    for q in metadata(f).requires:
        if q.extra != "with-cuda":
            continue
        pins.append(q.name + ordered(q.spec))
        for column, form in (("cuda_min", r"nvidia-cuda-runtime(-cu\d+)?"), ("cudnn_min", r"nvidia-cudnn-cu\d+"), ("nccl_min", r"nvidia-nccl-cu\d+")):
            if re.fullmatch(form, q.name) and q.spec:
                cells[column] = re.sub(r"^>=", "", ordered(q.spec))
    if pins:
        cells["notes"] = "extra pins: " + " ".join(pins)
    return {"pins": cells, "python": python_cells(hits[0])}


# ONNX Runtime

def onnxruntime(run, r):
    f = linux_wheel(r)
    if f is None:
        return
    w = Wheel(f.url, f.name)
    notes = ""
    info = small_file(w, r"onnxruntime/capi/build_and_package_info\.py") or small_file(w, r"onnxruntime/capi/version_info\.py")
    names = set()
    for library in ("libonnxruntime_providers_cuda", "libonnxruntime_providers_tensorrt", "onnxruntime_pybind11_state"):
        hits = w.find(r"onnxruntime/capi/%s[^/]*\.so" % library)
        if hits and hits[0].method == 8 and not names:  # names of needed libraries stand at the start, unless a packer moved them
            start = zlib.decompressobj(-15).decompress(w.start(hits[0], min(hits[0].packed, HEAD)), 16 * HEAD)
            names = {n.decode() for n in re.findall(rb"\0(lib(?:cu[a-zA-Z]+|nvrtc|nccl)\.so\.\d+(?:\.\d+)?)(?=\0)", start)}
            if names and library != "libonnxruntime_providers_cuda":
                notes = "needs as " + library + " says; those of the CUDA provider do not stand at its start"
    if not names:
        return
    names = sorted(names)
    found = {n.partition(".so.")[0]: n.partition(".so.")[2] for n in names}
    cuda = info.get("cuda_version") or found.get("libcudart", "")
    row = {"version": r.version, "package": r.package, "cuda": minor(str(cuda)), "cudnn": str(info.get("cudnn_version") or found.get("libcudnn", "")),
           "needs": " ".join(names), "notes": notes, "source": source(run, r), "date": r.date() or run.today}
    if row["cuda"] == "11.0" and not info.get("cuda_version"):
        row["cuda"] = "11"  # libcudart.so.11.0 is the name of every CUDA 11
    pins = [q.name + ordered(q.spec) for q in metadata(f, w).requires if q.extra in ("cuda", "cudnn")]
    row["pins"] = " ".join(sorted(set(pins)))
    for q in pins:
        m = re.match(r"nvidia-cudnn-cu\d+~=(\d+)", q)
        if m and not row["cudnn"]:
            row["cudnn"] = m.group(1)
    if run.table("onnxruntime_builds").learn({k: v for k, v in row.items() if v}, down("version")):
        run.say("onnxruntime_builds", row)


# Host compilers

def host_limits(text):
    """What crt/host_config.h rejects: gcc and clang above, MSVC outside."""
    row = {}
    m = re.search(r"#if __GNUC__ > (\d+)\s+#error", text)
    if m:
        row["max_gcc"] = m.group(1)
    m = re.search(r"#if \(__clang_major__ >= (\d+)\)[^\n]*\s+#error -- unsupported clang", text)
    if m:
        row["max_clang"] = str(int(m.group(1)) - 1)
    m = re.search(r"#if _MSC_VER < (\d+) \|\| _MSC_VER >= (\d+)\s+#error", text)
    if m:
        row["msvc"] = "_MSC_VER %s-%d" % (m.group(1), int(m.group(2)) - 1)
    return row


def host_config(run, r):
    """The header of nvcc's newest package for each CUDA release: what it rejects beats what guides say."""
    if any(minor(x.version) == minor(r.version) and version_key(x.version) > version_key(r.version) for x in run.releases(r.package)):
        return
    f = linux_wheel(r)
    if f is None:
        return
    w = Wheel(f.url, f.name)
    hits = w.find(r".*/crt/host_config\.h")
    row = host_limits(w.read(hits[0]).decode("utf-8", "replace")) if hits else {}
    if not row:
        raise w.bad("no limits in crt/host_config.h" if hits else "no crt/host_config.h")
    row.update(cuda_release=minor(r.version), source=source(run, r), date=r.date() or run.today,
               notes="max_gcc, max_clang, msvc: checks of crt/host_config.h")
    known = run.table("host_compilers").of(row)
    if known and known[0]["msvc"].startswith(row.get("msvc", "")):
        row.pop("msvc", None)
    if run.table("host_compilers").learn(row, lambda o: version_key(o["cuda_release"])):
        run.say("host_compilers", row)


# Libraries of a toolkit

COMPONENTS = {"nvidia-cuda-runtime": ("cudart",), "nvidia-cublas": ("cublas", "cublaslt"), "nvidia-cufft": ("cufft",), "nvidia-curand": ("curand",),
              "nvidia-cusolver": ("cusolver",), "nvidia-cusparse": ("cusparse",), "nvidia-cuda-nvrtc": ("nvrtc",),
              "nvidia-nvjitlink": ("nvjitlink",), "nvidia-cuda-cupti": ("cupti",)}


def file_names(wheel, libraries):
    """so and dll cells: NVIDIA's wheels hold each library under its soname."""
    names = [m.name.rpartition("/")[2] for m in wheel.find(r".*/(lib[A-Za-z]+\.so\.[\d.]+|bin/(x86_64/)?[A-Za-z]+(64)?_[\d._]+\.dll)")]
    for library in libraries:
        for n in names:
            if re.fullmatch(r"lib%s\.so\.[\d.]+" % library, n, re.I):
                yield library + "_so", n
            if re.fullmatch(r"%s(64)?_[\d.]+(_\d+)?\.dll" % library, n, re.I):
                yield library + "_dll", n


def toolkit(run, r):
    """cuda-toolkit names the packages of each CUDA release; their file lists name the libraries."""
    if any(minor(x.version) == minor(r.version) and version_key(x.version) > version_key(r.version) for x in run.releases(r.package)):
        return
    f = linux_wheel(r)
    if f is None:
        return
    row = {"cuda_release": minor(r.version), "source": source(run, r) + " and the packages that it names", "date": r.date() or run.today,
           "notes": "file names in NVIDIA's wheels, Linux x86-64 and Windows"}
    for q in metadata(f).requires:
        libraries, want = COMPONENTS.get(re.sub(r"-cu\d+$", "", q.name)), lower_bound(q.spec)
        if not libraries or not want or any(c.startswith(libraries[0] + "_") for c in row):
            continue
        for x in run.releases(q.name):
            if x.version == want or x.version.startswith(want + "."):
                for where in ("linux", "windows"):
                    g = linux_wheel(x, where=where)
                    if g:
                        row.update(file_names(Wheel(g.url, g.name), libraries))
                break
    if len(row) > 4 and run.table("cuda_libs").learn(row, lambda o: version_key(o["cuda_release"]), keep=("cupti_dll",)):
        run.say("cuda_libs", row)


READERS = {"cuda-toolkit": toolkit, "nvidia-cuda-nvcc-cu11": host_config, "nvidia-cuda-nvcc-cu12": host_config, "nvidia-cuda-crt": host_config,
           "tensorflow": tensorflow, "torch": torch, "jax": jax, "onnxruntime-gpu": onnxruntime}
