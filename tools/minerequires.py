"""What the METADATA of a release asks of the packages that plans pin: rows of table requires.

Markers are worked out here, for every platform and Python that the release has a wheel for, so that a row says "linux/x86_64,
Python up to 3.12" and the program needs no markers. A row stands for a run of releases: it grows over the next release of the
index when that says the same.

Of each platform the wheels for the oldest and the newest Python are read; where they differ (ONNX Runtime asks for another
NumPy on each Python), all are. A wheel's own METADATA is what pip reads: TensorFlow 2.11 to 2.15 asks for nothing but
tensorflow-intel in its Windows wheel.
Sources: PyPA "Core metadata", "Dependency specifiers" (markers).
"""
import concurrent.futures
import re

from minereaders import metadata
from tablefile import Conflict, version_key
from wheelfacts import dotted, numbers, platform, pythons, satisfies
from wheelindex import normal

PLACES = ("linux/x86_64", "linux/aarch64", "windows/x86_64")
NEWEST_PYTHON = (3, 15)  # a wheel for any Python 3 is judged up to here
WORKERS = 6
TENSORFLOW = r"numpy|protobuf|keras|tf-keras|ml-dtypes|typing-extensions|h5py|scipy|opt-einsum|tensorboard|tensorflow-(intel|cpu-aws|io-gcs-filesystem)"
NVIDIA = r"nvidia-(?!nvshmem|nvtx|cuda-cupti)[a-z0-9-]+|cuda-toolkit|cuda-bindings"
# package: (first release, what its requirements are kept for, extras)
KEPT = {
    "tensorflow": ("1.13", TENSORFLOW, ""),
    "tensorflow-cpu": ("1.15", TENSORFLOW, ""),
    "tensorflow-gpu": ("1.13", TENSORFLOW, ""),
    "tensorflow-intel": ("2.11", TENSORFLOW, ""),
    "tensorflow-cpu-aws": ("2.9", TENSORFLOW, ""),
    "tf-keras": ("2.14", r"tensorflow", ""),
    "keras": ("2.2", r"numpy|h5py|ml-dtypes|scipy", ""),
    "tensorboard": ("1.13", r"numpy|protobuf", ""),
    "torch": ("1.8", r"numpy|typing-extensions|triton|setuptools|" + NVIDIA, ""),
    "cuda-toolkit": ("0", r"nvidia-(cublas|cuda-nvrtc|cuda-runtime|cufft|curand|cusolver|cusparse|nvjitlink)(-cu\d+)?", r"cublas|cudart|cufft|curand|cusolver|cusparse|nvjitlink|nvrtc"),
    "jax": ("0.2.20", r"numpy|scipy|ml-dtypes|opt-einsum|typing-extensions|jaxlib|jax-cuda\d+-(plugin|pjrt)", r"cuda\d*(-pip|-local)?"),
    "jaxlib": ("0.1.69", r"numpy|scipy|ml-dtypes|flatbuffers", ""),
    "jax-cuda11-plugin": ("0", NVIDIA + r"|jax-cuda\d+-pjrt|jaxlib", "with-cuda"),
    "jax-cuda12-plugin": ("0", NVIDIA + r"|jax-cuda\d+-pjrt|jaxlib", "with-cuda"),
    "jax-cuda13-plugin": ("0", NVIDIA + r"|jax-cuda\d+-pjrt|jaxlib", "with-cuda"),
    "ml-dtypes": ("0", r"numpy", ""),
    "onnxruntime": ("1.10", r"numpy|protobuf", ""),
    "onnxruntime-gpu": ("1.10", r"numpy|protobuf|" + NVIDIA, "cuda|cudnn"),
}


# Markers

def environment(place, python, extra):
    windows, arch = place.startswith("windows"), place.partition("/")[2]
    return {"python_version": dotted(python), "python_full_version": dotted(python) + ".99", "os_name": "nt" if windows else "posix",
            "sys_platform": "win32" if windows else "linux", "platform_system": "Windows" if windows else "Linux",
            "platform_machine": "AMD64" if windows else arch, "implementation_name": "cpython",
            "platform_python_implementation": "CPython", "extra": extra}


def compare(left, op, right):
    if op in ("in", "not in"):
        return (left in right) == (op == "in")
    if re.fullmatch(r"[\d.]+", left) and re.fullmatch(r"[\d.]+(\.\*)?", right):
        if op == "~=" or right.endswith("*"):
            return satisfies(numbers(left)[:2], op + right)
        a, b = numbers(left), numbers(right)
        n = max(len(a), len(b))
        a, b = a + (0,) * (n - len(a)), b + (0,) * (n - len(b))
    else:
        a, b = left, right
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "===": left == right}[op]


def holds(marker, env):
    """A marker of PEP 508; ValueError for anything else."""
    if len(marker) > 2000:
        raise ValueError("a marker of %d characters" % len(marker))
    words = re.findall(r"\s*(\(|\)|'[^']*'|\"[^\"]*\"|not\s+in\b|[A-Za-z_.]+|===|[<>=!~]=?)", marker)
    if re.sub(r"\s", "", "".join(words)) != re.sub(r"\s", "", marker):
        raise ValueError("a marker of its own kind: %.80s" % marker)
    words.reverse()

    def value():
        word = words.pop()
        if word[0] in "'\"":
            return word[1:-1]
        return env[word.replace("os.name", "os_name").replace("sys.platform", "sys_platform").replace("platform.machine", "platform_machine")]

    def atom():
        if words[-1] == "(":
            words.pop()
            truth = either()
            if words.pop() != ")":
                raise ValueError(marker)
            return truth
        left = value()
        op = re.sub(r"\s+", " ", words.pop())
        return compare(left, op, value())

    def both():
        truth = atom()
        while words and words[-1] == "and":
            words.pop()
            truth = atom() and truth
        return truth

    def either():
        truth = both()
        while words and words[-1] == "or":
            words.pop()
            truth = both() or truth
        return truth

    try:
        truth = either()
    except (IndexError, KeyError, TypeError, RecursionError) as e:
        raise ValueError("a marker of its own kind: %.80s (%s)" % (marker, e))
    if words:
        raise ValueError("a marker of its own kind: %.80s" % marker)
    return truth


# One release

def spec_text(spec):
    """>=1.2,<2,!=1.5: lower bounds, upper bounds, exclusions."""
    return ",".join(sorted(filter(None, spec.split(",")), key=lambda c: ("<" in c[:1], "!" in c[:1], c)))


def wheels_of(r):
    """place -> Python -> wheel; pure Python serves every place."""
    out = {}
    for m, f in r.wheels:
        tags = [t for t in map(platform, m["plat"].split(".")) if t]
        for place in PLACES:
            if any(t[0] == "any" or "%s/%s" % (t[0], t[1]) == place for t in tags):
                for p in pythons(m["py"], m["abi"], f.requires_python):
                    if p <= NEWEST_PYTHON:
                        out.setdefault(place, {}).setdefault(p, f)
    return out


def read_all(wheels):
    """name -> Metadata: the oldest and the newest of each place, all where these differ."""
    def fetch(files):
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            return dict(zip([f.name for f in files], pool.map(metadata, files)))

    def said(meta):
        return sorted({(q.name, spec_text(q.spec), q.line) for q in meta.requires})

    ends = {f.name: f for by in wheels.values() for f in (by[min(by)], by[max(by)])}
    got = fetch(list(ends.values()))
    more = {}
    for by in wheels.values():
        first, last = got[by[min(by)].name], got[by[max(by)].name]
        if said(first) != said(last):
            more.update({f.name: f for f in by.values() if f.name not in got})
    got.update(fetch(list(more.values())))
    return {place: {p: got.get(f.name) or got[by[max(by)].name] for p, f in by.items()} for place, by in wheels.items()}


def asked_for(read, names, extras):
    """(needs, spec, extra) -> the (place, Python) where it holds."""
    out = {}
    for place, by in read.items():
        for python, meta in by.items():
            if meta.requires_python:
                out.setdefault(("python", spec_text(re.sub(r"\s+", "", meta.requires_python)), ""), set()).add((place, python))
            kinds = sorted({e for q in meta.requires for e in re.findall(r"extra\s*==\s*['\"]([^'\"]+)['\"]", q.line)})  # as written
            for q in meta.requires:
                if not re.fullmatch(names, q.name):
                    continue
                needs = q.name + ("[%s]" % ",".join(sorted(map(normal, q.extras))) if q.extras else "")
                for extra in [""] + [e for e in kinds if extras and re.fullmatch(extras, normal(e))]:
                    if not q.line or holds(q.line, environment(place, python, extra)):
                        out.setdefault((needs, spec_text(q.spec), normal(extra)), set()).add((place, python))
                        break
    return out


def runs(those, of):
    """Runs of neighbours: {3.8, 3.9, 3.11} of 3.8 ... 3.11 -> [(3.8, 3.9), (3.11, 3.11)]."""
    out = []
    for p in sorted(of):
        if p not in those:
            continue
        before = [q for q in of if q < p]
        if out and before and out[-1][1] == max(before):
            out[-1] = (out[-1][0], p)
        else:
            out.append((p, p))
    return out


def claims(read, names, extras):
    """The cells (needs, spec, extra, platforms, python_min, python_max) of a release."""
    all_pythons = {place: set(by) for place, by in read.items()}
    out = set()
    for (needs, spec, extra), where in asked_for(read, names, extras).items():
        groups = {}
        for place, of in all_pythons.items():
            for first, last in runs({p for q, p in where if q == place}, of):
                ends = ("" if first == min(of) else dotted(first), "" if last == max(of) else dotted(last))
                groups.setdefault(ends, []).append(place)
        for ends, places in groups.items():
            every = set(places) == set(all_pythons)
            out.add((needs, spec, extra, "" if every else " ".join(p for p in PLACES if p in places)) + ends)
    return out


# Runs of releases

CELLS = ("needs", "spec", "extra", "platforms", "python_min", "python_max")


def newest_first(row):
    n, tail = version_key(row["version_to"])
    return row["package"], tuple(-x for x in n + (0,) * (8 - len(n))), (-tail[0], -tail[1]), row["needs"], row["extra"], row["spec"], row["platforms"], row["python_min"]


def put(table, package, version, neighbours, cells, source, date):
    """One claim of one release; neighbours: the releases before and after it that have wheels. True if something changed."""
    same = [o for o in table.rows if o["package"] == package and o["rank"] == "1" and tuple(o[c] for c in CELLS) == cells]
    at = version_key(version)
    if any(version_key(o["version_from"]) <= at <= version_key(o["version_to"]) for o in same):
        return False
    below = next((o for o in same if o["version_to"] == neighbours[0]), None)
    above = next((o for o in same if o["version_from"] == neighbours[1]), None)
    row = dict(zip(CELLS, cells), package=package, version_from=version, version_to=version, source=source, date=date)
    for o in (below, above):
        if o:
            table.rows.remove(o)
            row["version_from"] = o["version_from"] if o is below else row["version_from"]
            row["version_to"] = o["version_to"] if o is above else row["version_to"]
            row["date"] = max(row["date"], o["date"])
            row["source"] = o["source"]
    table.insert(table.complete(dict(row, rank="1")), newest_first)
    return True


def mine(run, r):
    since, names, extras = KEPT[r.package]
    if version_key(r.version) < version_key(since):
        return
    wheels = wheels_of(r)
    if not wheels:
        return
    table = run.table("requires")
    got = claims(read_all(wheels), names, extras)
    have = [x.version for x in run.releases(r.package) if wheels_of(x)]
    at = have.index(r.version)
    neighbours = have[at + 1] if at + 1 < len(have) else None, have[at - 1] if at > 0 else None
    v = version_key(r.version)
    for o in table.rows:
        if o["package"] == r.package and version_key(o["version_from"]) <= v <= version_key(o["version_to"]) and tuple(o[c] for c in CELLS) not in got:
            raise Conflict("requires: %s %s does not ask for %s%s as the row of %s to %s says" % (
                r.package, r.version, o["needs"], o["spec"], o["version_from"], o["version_to"]))
    source = "METADATA of the wheels of %s, read %s" % (r.package, run.today)
    for cells in sorted(got):
        if put(table, r.package, r.version, neighbours, cells, source, r.date() or run.today):
            run.say("requires", dict(zip(CELLS, cells), package=r.package, version=r.version))
