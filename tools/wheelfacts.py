"""What a wheel says about itself as text: its name's tags, METADATA, and the small Python files that hold its build facts.

Pure functions of text; wheelindex.py fetches it. Nothing is executed. Sources: PyPA "Binary distribution format" and
"Platform compatibility tags"; PEP 513, 571, 599, 600 (which manylinux means which glibc, and from which pip on);
PyPA "Core metadata", "Version specifiers", "Dependency specifiers".
"""
import ast
import email.parser
import re

WHEEL = re.compile(r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)(-(?P<build>\d[^-]*))?-(?P<py>[^-]+)-(?P<abi>[^-]+)-(?P<plat>[^-]+)\.whl")
SDIST = re.compile(r"(?P<name>[A-Za-z0-9_.-]+?)-(?P<version>\d[^-]*)\.(tar\.gz|zip|tar\.bz2)")
FINAL = re.compile(r"\d+(\.\d+)*(\.post\d+)?")
PYTHONS = [(2, 7)] + [(3, n) for n in range(3, 41)]  # 3.40 stands for "no end stated"
MANYLINUX = {"manylinux1": ("2.5", "8.1"), "manylinux2010": ("2.12", "19.0"), "manylinux2014": ("2.17", "19.3")}


def satisfies(python, spec):
    """Does some X.Y.z satisfy the specifier set? A clause that is not understood excludes nothing."""
    for clause in (spec or "").split(","):
        m = re.fullmatch(r"\s*(~=|==|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?\s*", clause)
        if not m:
            continue
        op, want = m.group(1), tuple(int(n) for n in m.group(2).split("."))
        lowest, highest, head = python + (0,), python + (99,), python[:len(want)]
        if op == ">=" and highest < want or op == ">" and highest <= want:
            return False
        if op == "<" and lowest >= want + (0,) * (3 - len(want)) or op == "<=" and lowest > want + (0,) * (3 - len(want)):
            return False
        if op == "!=" and m.group(3) and head == want or op == "==" and head != want[:2]:
            return False
        if op == "~=" and (highest < want or head[:len(want) - 1] != want[:len(want) - 1][:2]):
            return False
    return True


def pythons(py, abi, requires):
    """The Python releases that a wheel's tags and Requires-Python take, out of PYTHONS."""
    out = set()
    for tag in py.split("."):
        m = re.fullmatch(r"(cp|py)(\d)(\d*)", tag)
        if not m:
            continue
        first = (int(m.group(2)), int(m.group(3) or 0))
        if m.group(1) == "py" or abi == "abi3":
            out.update(p for p in PYTHONS if p[0] == first[0] and p >= first)
        elif not re.fullmatch(r"cp\d+t", abi):  # free-threaded builds are other interpreters
            out.add(first)
    return {p for p in out if satisfies(p, requires)}


def platform(tag):
    """(platform, arch, glibc, pip) of one platform tag; None for those that the tables leave out (macOS, musl, 32 bit)."""
    if tag == "any":
        return "any", "", "", ""
    if tag == "win_amd64":
        return "windows", "x86_64", "", ""
    if tag == "win_arm64":
        return "windows", "aarch64", "", ""
    m = re.fullmatch(r"(manylinux1|manylinux2010|manylinux2014|manylinux_(\d+)_(\d+)|linux)_(x86_64|aarch64)", tag)
    if not m:
        return None
    if m.group(2):
        return "linux", m.group(4), "%s.%s" % (m.group(2), m.group(3)), "20.3"
    return ("linux", m.group(4)) + MANYLINUX.get(m.group(1), ("", ""))


def dotted(p):
    return "%d.%d" % p


def numbers(text):
    return tuple(int(n) for n in text.split("."))


class Requirement:
    """One Requires-Dist: package, its own extras, specifier set, the extra that asks for it ("" for none), other markers."""

    def __init__(self, text):
        head, _, marker = text.partition(";")
        self.line = marker.strip()  # the marker as it is written
        m = re.match(r"\s*([A-Za-z0-9._-]+)\s*(\[[^\]]*\])?\s*\(?([^)]*)\)?\s*$", head)
        if not m:
            raise ValueError("not a requirement: %.80s" % text)
        self.name, self.spec = re.sub(r"[-_.]+", "-", m.group(1)).lower(), re.sub(r"\s+", "", m.group(3))
        self.extras = [x.strip() for x in (m.group(2) or "[]")[1:-1].split(",") if x.strip()]
        e = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
        self.extra = re.sub(r"[-_.]+", "-", e.group(1)).lower() if e else ""
        self.marker = re.sub(r"\s*\b(and|or)?\s*\(?extra\s*==\s*['\"][^'\"]+['\"]\)?", "", marker).strip()


class Metadata:
    def __init__(self, text):
        m = email.parser.HeaderParser().parsestr(text)
        self.name, self.version, self.requires_python = m.get("Name", ""), m.get("Version", ""), m.get("Requires-Python")
        self.requires = [Requirement(r) for r in m.get_all("Requires-Dist") or []]
        if not self.name or not self.version:
            raise ValueError("METADATA without Name or Version")


def assignments(text):
    """Plain values that a small Python file assigns: names, entries of dict literals and of collections.OrderedDict(...)."""
    out = {}

    def plain(node):
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None

    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for t in targets:
            value = node.value
            if not isinstance(t, ast.Name) or value is None:
                continue
            if isinstance(value, ast.Call) and getattr(value.func, "attr", getattr(value.func, "id", "")) in ("OrderedDict", "dict"):
                if value.args and isinstance(plain(value.args[0]), (list, tuple, dict)):
                    out.update(dict(plain(value.args[0])))
                out.update({k.arg: plain(k.value) for k in value.keywords if k.arg})
            elif isinstance(value, ast.Dict):
                out.update(plain(value) or {})
            else:
                out[t.id] = plain(value)
    return out


def capabilities(values):
    """cuda_compute_capabilities of build_info.py: ("as built" list, sass, ptx). compute_XY stands for sm_XY and PTX XY;
    a bare 7.0 (up to 2.3) names both too."""
    raw = values or []
    if isinstance(raw, str):
        raw = [x for x in raw.split(",") if x]
    sass, ptx = [], []
    for word in raw:
        m = re.fullmatch(r"(sm_|compute_)?(\d+?)\.?(\d)([af]?)", word)
        if not m:
            raise ValueError("a compute capability of its own kind: %.40s" % word)
        cc = "%s.%s%s" % (m.group(2), m.group(3), m.group(4))
        sass.append(cc)
        if m.group(1) != "sm_":
            ptx.append(cc)
    return raw, sass, ptx
