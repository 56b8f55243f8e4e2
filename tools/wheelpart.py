#!/usr/bin/env python3
"""Single members of a published wheel, without downloading the wheel: HTTP ranges against pip's own index.

usage: wheelpart.py DISTRIBUTION VERSION TAG MEMBER-GLOB [--head N] [--out DIR]

Tests are composed from real files with it (tools/compose.py). --head N keeps the first N bytes of each member, which is
enough for an ELF or PE header of a library of 500 MB. The whole file's size and digest are those of the wheel's RECORD.
"""
import argparse
import base64
import fnmatch
import json
import os
import struct
import sys
import urllib.parse
import urllib.request
import zlib

from wheelindex import index_url

ACCEPT = "application/vnd.pypi.simple.v1+json"


def fetch(url, first=None, last=None, head=False):
    headers = {} if first is None else {"Range": f"bytes={first}-{last}"}
    if "/simple/" in url and first is None:
        headers["Accept"] = ACCEPT
    r = urllib.request.Request(url, headers=headers, method="HEAD" if head else "GET")
    return urllib.request.urlopen(r, timeout=180)


class Wheel:
    def __init__(self, name, version, tag):
        url = f"{index_url()}/{name}/"
        doc = json.load(fetch(url))
        stem = f"{name.replace('-', '_')}-{version}-"
        hits = [f for f in doc["files"] if f["filename"].lower().startswith(stem.lower()) and fnmatch.fnmatch(f["filename"], f"*{tag}*.whl")]
        if not hits:
            raise SystemExit(f"no wheel {stem}*{tag}*")
        self.filename = hits[0]["filename"]
        self.url = urllib.parse.urljoin(url, hits[0]["url"])
        self.size = int(fetch(self.url, head=True).headers["Content-Length"])
        self.entries = self._directory()
        self._record = None

    def part(self, first, n):
        r = fetch(self.url, first, min(first + n, self.size) - 1)
        if r.status != 206:
            raise SystemExit(f"{self.filename}: no range requests")
        return r

    def _directory(self):
        tail_at = max(0, self.size - 65536)
        tail = self.part(tail_at, 65536).read()
        end = tail.rfind(b"PK\5\6")
        n, size, at = struct.unpack_from("<HII", tail, end + 10)
        raw = tail[at - tail_at:] if at >= tail_at else self.part(at, size).read()
        out, i = {}, 0
        while i + 46 <= len(raw) and raw[i:i + 4] == b"PK\1\2":
            method, csize, usize, nl, xl, cl = struct.unpack_from("<10xH8xIIHHH", raw, i)
            offset = struct.unpack_from("<I", raw, i + 42)[0]
            name = raw[i + 46:i + 46 + nl].decode()
            out[name] = (method, csize, usize, offset)
            i += 46 + nl + xl + cl
        return out

    def chunks(self, name):
        """The member's bytes, piece by piece."""
        method, csize, usize, offset = self.entries[name]
        nl, xl = struct.unpack_from("<26xHH", self.part(offset, 30).read())
        stream = self.part(offset + 30 + nl + xl, csize)
        z = zlib.decompressobj(-15)
        while True:
            raw = stream.read(1 << 20)
            if not raw:
                break
            yield z.decompress(raw) if method == 8 else raw
        if method == 8:
            yield z.flush()

    def read(self, name, head=None):
        if self.entries[name][2] == 0:
            return b""
        data = bytearray()
        for c in self.chunks(name):
            data += c
            if head is not None and len(data) >= head:
                return bytes(data[:head])
        return bytes(data)

    def digest(self, name):
        if self._record is None:
            record = next(n for n in self.entries if n.endswith(".dist-info/RECORD"))
            self._record = {}
            for line in self.read(record).decode().splitlines():
                path, _, rest = line.rpartition(",sha256=")
                if path:
                    self._record[path.strip('"')] = rest.split(",")[0]
        b = self._record.get(name, "")
        return base64.urlsafe_b64decode(b + "=" * (-len(b) % 4)).hex() if b else ""


def main():
    a = argparse.ArgumentParser()
    for name in ("distribution", "version", "tag", "glob"):
        a.add_argument(name)
    a.add_argument("--head", type=int)
    a.add_argument("--out", default=".")
    a = a.parse_args()
    w = Wheel(a.distribution, a.version, a.tag)
    for name in w.entries:
        if fnmatch.fnmatch(name, a.glob) and not name.endswith("/"):
            path = os.path.join(a.out, w.filename, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(w.read(name, a.head))
            print(w.entries[name][2], w.digest(name), path)


if __name__ == "__main__":
    main()
