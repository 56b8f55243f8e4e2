"""The package index that pip uses, read without downloading wheels: file lists and single members by HTTP ranges.

Everything that comes back is checked: one range per request and nothing but 206 for it (a server that answers 200 would send
the whole wheel: the answer is dropped unread), lengths, the zip's own numbers, names, sizes and CRCs. A Refused says in one
line what is wrong. The index is pip's own configuration (PIP_INDEX_URL, pip.conf); its name is written nowhere.
Sources: PyPA "Simple repository API" (PEP 503, 691, 700, 658, 592), RFC 9110 section 14 (ranges), PKWARE APPNOTE 4.3.
"""
import base64
import html.parser
import json
import os
import re
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.5, text/html;q=0.1"
TAIL = 65536
MAX_LIST = 64 << 20       # a file list
MAX_DIRECTORY = 32 << 20  # a central directory
MAX_MEMBER = 16 << 20     # a member that is read whole, packed or not
MAX_ENTRIES = 200000
TRIES, TIMEOUT = 4, 60


class Refused(Exception):
    """What came back is not what was asked for; the text says what."""


class Absent(Refused):
    """There is no such project or file."""


class Unreachable(Refused):
    """Nobody answers."""


class Count:
    requests = bytes = 0


def index_url():
    for name in ("PIP_INDEX_URL", "UV_INDEX_URL"):
        if os.environ.get(name):
            return os.environ[name].rstrip("/")
    for key in ("global.index-url", "install.index-url"):
        r = subprocess.run([sys.executable, "-m", "pip", "config", "get", key], capture_output=True, text=True)
        if r.returncode == 0 and r.stdout.strip():
            return r.stdout.strip().rstrip("/")
    try:
        from pip._internal.models.index import PyPI
    except ImportError:
        raise Refused("no package index: pip is not there, set PIP_INDEX_URL")
    return PyPI.simple_url.rstrip("/")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def request(url, headers):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise Refused(f"the index names a {parts.scheme or 'relative'} address")
    if parts.username:
        secret = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
        headers = dict(headers, Authorization="Basic " + base64.b64encode(secret.encode()).decode())
        url = urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return urllib.request.Request(url, headers=headers)


def ask(url, headers, what, read):
    """read(response) with retries for what may pass: broken connections, timeouts, 5xx, 429."""
    for left in range(TRIES - 1, -1, -1):
        Count.requests += 1
        try:
            with urllib.request.urlopen(request(url, headers), timeout=TIMEOUT) as r:
                return read(r)
        except urllib.error.HTTPError as e:
            if e.code in (404, 410):
                raise Absent(f"{what}: not on the index")
            if left == 0 or (e.code < 500 and e.code != 429):
                raise Refused(f"{what}: the index answers {e.code}")
        except (urllib.error.URLError, OSError, EOFError, ValueError) as e:
            if left == 0:
                raise Unreachable(f"{what}: {getattr(e, 'reason', None) or type(e).__name__}")
        except Exception as e:  # http.client's family
            if isinstance(e, Refused) or left == 0:
                raise e if isinstance(e, Refused) else Refused(f"{what}: {type(e).__name__}")
        time.sleep(0.5 * (TRIES - 1 - left) + 0.1)


def whole(url, headers, what, cap):
    def read(r):
        data = r.read(cap + 1)
        if len(data) > cap:
            raise Refused(f"{what}: more than {cap} bytes")
        Count.bytes += len(data)
        return data, r.headers.get("Content-Type", "")
    return ask(url, headers, what, read)


class File:
    """One file of a project. size, uploaded, requires_python: None when the index does not say."""

    def __init__(self, name, url, size=None, uploaded=None, requires_python=None, yanked=False, metadata=False):
        self.name, self.url, self.size, self.uploaded = name, url, size, uploaded
        self.requires_python, self.yanked, self.metadata = requires_python, yanked, metadata


class _Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.links, self.base = [], ""

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == "base" and a.get("href"):
            self.base = a["href"]
        elif tag == "a" and a.get("href"):
            self.links.append(a)


def from_html(text, url):
    p = _Links()
    p.feed(text)
    base = urllib.parse.urljoin(url, p.base)
    for a in p.links:
        address = urllib.parse.urljoin(base, a["href"])
        name = urllib.parse.unquote(urllib.parse.urlsplit(address).path.rsplit("/", 1)[-1])
        yield File(name, address, requires_python=a.get("data-requires-python"), yanked="data-yanked" in a,
                   metadata=any(a.get(k) not in (None, "false") for k in ("data-core-metadata", "data-dist-info-metadata")))


def from_json(doc, url):
    for f in doc["files"]:
        size = f.get("size")
        yield File(f["filename"], urllib.parse.urljoin(url, f["url"]), size if isinstance(size, int) else None,
                   str(f.get("upload-time") or "")[:10] or None, f.get("requires-python"),
                   f.get("yanked", False) is not False, bool(f.get("core-metadata") or f.get("dist-info-metadata")))


def files(project):
    """The files of a project as the index lists them."""
    url = f"{index_url()}/{normal(project)}/"
    data, kind = whole(url, {"Accept": ACCEPT}, project, MAX_LIST)
    try:
        out = list(from_json(json.loads(data), url) if "json" in kind else from_html(data.decode("utf-8", "replace"), url))
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise Refused(f"{project}: the file list cannot be read ({type(e).__name__})")
    for f in out:
        if not isinstance(f.name, str) or not re.fullmatch(r"[A-Za-z0-9_.+!-]{1,255}", f.name):
            raise Refused(f"{project}: a file with an impossible name")
    return out


class Remote:
    """A file of known length, read in ranges."""

    def __init__(self, url, name):
        self.url, self.name, self.size = url, name, None

    def _range(self, header, want):
        def read(r):
            if r.status != 206:
                raise Refused(f"{self.name}: the server ignores ranges (answer {r.status}); not downloaded")
            m = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", r.headers.get("Content-Range", "").strip())
            if not m:
                raise Refused(f"{self.name}: a range without Content-Range")
            first, last, size = map(int, m.groups())
            if self.size not in (None, size):
                raise Refused(f"{self.name}: its length changed")
            if last < first or last >= size or not want(first, last, size):
                raise Refused(f"{self.name}: another range than asked for")
            data = r.read(last - first + 2)
            if len(data) != last - first + 1:
                if len(data) < last - first + 1:
                    raise EOFError()
                raise Refused(f"{self.name}: more bytes than the range has")
            Count.bytes += len(data)
            self.size = size
            return data
        return ask(self.url, {"Range": header, "Accept-Encoding": "identity"}, self.name, read)

    def tail(self, n=TAIL):
        return self._range(f"bytes=-{n}", lambda first, last, size: last == size - 1 and first == max(0, size - n))

    def read(self, first, n):
        if n == 0:
            return b""
        end = first + n - 1
        return self._range(f"bytes={first}-{end}", lambda a, b, size: a == first and b == min(end, size - 1))


class Member:
    def __init__(self, name, method, crc, packed, size, offset, flags):
        self.name, self.method, self.crc, self.packed = name, method, crc, packed
        self.size, self.offset, self.flags = size, offset, flags


def entry(raw, i):
    """The directory entry at i and where the next begins; None where there is none."""
    if i + 46 > len(raw) or raw[i:i + 4] != b"PK\1\2":
        return None
    flags, method, crc, packed, size, nl, xl, cl = struct.unpack_from("<8xHH4xIIIHHH", raw, i)
    offset, = struct.unpack_from("<I", raw, i + 42)
    if i + 46 + nl + xl + cl > len(raw):
        return None
    return Member(raw[i + 46:i + 46 + nl], method, crc, packed, size, offset, flags), i + 46 + nl + xl + cl


class Wheel:
    """A wheel on a server: members by name. Only the parts of the directory that are needed are fetched."""

    def __init__(self, url, name):
        self.remote, self.name = Remote(url, name), name
        tail = self.remote.tail()
        at = tail.rfind(b"PK\5\6")
        if at < 0 or at + 22 > len(tail):
            raise self.bad("no end record in the last 64 KB: cut off, or no zip")
        disk, first_disk, here, n, size, offset, comment = struct.unpack_from("<HHHHIIH", tail, at + 4)
        if at + 22 + comment != len(tail):
            raise self.bad("bytes behind the end record")
        if 0xFFFF in (n, here) or 0xFFFFFFFF in (size, offset):
            raise self.bad("a ZIP64 archive")
        if disk or first_disk or here != n:
            raise self.bad("a zip of several parts")
        if size > MAX_DIRECTORY or n > MAX_ENTRIES or size < 46 * n:
            raise self.bad(f"a directory of {size} bytes for {n} entries")
        self.n, self.dir_size, self.dir_at = n, size, offset
        if offset + size != self.remote.size - len(tail) + at:
            raise self.bad("the end record points past its directory")
        self.members, self.complete = {}, False
        self._seen = tail[max(0, at - size):at]  # the directory's end
        if len(self._seen) == size:
            self._all(self._seen)

    def bad(self, text):
        return Refused(f"{self.name}: {text}")

    def _add(self, m):
        try:
            m.name = m.name.decode("utf-8")
        except UnicodeDecodeError:
            raise self.bad("a name that is not UTF-8")
        if m.name.startswith("/") or re.search(r"[\x00-\x1f\\:]|(^|/)\.\.(/|$)", m.name) or len(m.name) > 1024:
            raise self.bad("a member with a hostile name")
        if m.offset + 30 + m.packed > self.dir_at:
            raise self.bad(f"{m.name} lies outside the archive")
        old = self.members.get(m.name)
        if old and old.offset != m.offset:
            raise self.bad(f"{m.name} is there twice")
        self.members[m.name] = m

    def _all(self, raw):
        i, n = 0, 0
        seen = set()
        while i < len(raw):
            e = entry(raw, i)
            if e is None:
                raise self.bad("a damaged directory")
            if e[0].name in seen:
                raise self.bad("a member is there twice")
            seen.add(e[0].name)
            self._add(e[0])
            i, n = e[1], n + 1
        if n != self.n:
            raise self.bad(f"{n} directory entries, the end record says {self.n}")
        self.complete = True

    def _ends(self):
        """Entries at both ends: from the start in order, at the end those of the first chain that meets the end exactly."""
        i = 0
        head = self.remote.read(self.dir_at, min(TAIL, self.dir_size))
        while (e := entry(head, i)) is not None:
            self._add(e[0])
            i = e[1]
        start = -1
        while (start := self._seen.find(b"PK\1\2", start + 1)) >= 0:
            chain, i = [], start
            while (e := entry(self._seen, i)) is not None:
                chain.append(e[0])
                i = e[1]
            if i == len(self._seen):
                for m in chain:
                    self._add(m)
                return

    def find(self, pattern):
        """The members whose whole name matches the regular expression. Looks at both ends before it takes everything."""
        for step in (None, self._ends, self._rest):
            if step and not self.complete:
                step()
            hits = [m for n, m in sorted(self.members.items()) if re.fullmatch(pattern, n)]
            if hits or self.complete:
                return hits
        return []

    def _rest(self):
        known = len(self._seen)
        raw = self.remote.read(self.dir_at, self.dir_size - known) + self._seen
        self.members = {}
        self._all(raw)

    def start(self, m, packed):
        """The first `packed` bytes of a member as they are stored."""
        slack = 30 + len(m.name.encode()) + 64
        n = min(slack + packed, self.dir_at - m.offset)
        raw = self.remote.read(m.offset, n)
        if len(raw) < 30 or raw[:4] != b"PK\3\4":
            raise self.bad(f"no member where the directory says {m.name} is")
        flags, method = struct.unpack_from("<6xHH", raw)
        nl, xl = struct.unpack_from("<26xHH", raw)
        if raw[30:30 + nl] != m.name.encode() or method != m.method or (flags | m.flags) & 1:
            raise self.bad(f"{m.name}: directory and member differ, or it is encrypted")
        at = 30 + nl + xl
        if at + packed > len(raw):
            if m.offset + at + packed > self.dir_at:
                raise self.bad(f"{m.name} runs into the directory")
            raw += self.remote.read(m.offset + len(raw), at + packed - len(raw))
        return raw[at:at + packed]

    def inflate(self, m, packed):
        if m.method == 0:
            return packed
        if m.method != 8:
            raise self.bad(f"{m.name}: packing method {m.method}")
        z = zlib.decompressobj(-15)
        try:
            data = z.decompress(packed, m.size + 1)
        except zlib.error:
            raise self.bad(f"{m.name}: damaged")
        if len(data) != m.size or not z.eof:
            raise self.bad(f"{m.name}: not the size that the directory says")
        return data

    def read(self, m, cap=MAX_MEMBER):
        if m.size > cap or m.packed > cap:
            raise self.bad(f"{m.name}: {m.size} bytes, more than {cap}")
        data = self.inflate(m, self.start(m, m.packed))
        if zlib.crc32(data) != m.crc:
            raise self.bad(f"{m.name}: wrong checksum")
        return data
