"""A package index on this machine: wheels in the real format, made in memory, served with ranges; and every way to answer badly.

Index().add(project, FILE, ...) then url. A file's mode: ok, whole (200 to a range), short (less than promised), other (another
range than asked), flaky (503 twice, then ok), metadata (offers FILE.metadata).
"""
import http.server
import io
import json
import re
import threading
import zipfile


def wheel(name, version, members, requires_python=None, requires=(), filler=0):
    """A wheel: its members, dist-info last as wheels have it, `filler` small members before and after."""
    out = io.BytesIO()
    lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version]
    lines += ["Requires-Python: " + requires_python] if requires_python else []
    lines += ["Requires-Dist: " + r for r in requires]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(filler):
            z.writestr("%s/headers/a_rather_long_name_of_a_header_%06d.h" % (name, i), "x")
        for path, text in members.items():
            z.writestr(path, text)
        for i in range(filler):
            z.writestr("%s/include/a_rather_long_name_of_a_header_%06d.h" % (name, i), "x")
        z.writestr("%s-%s.dist-info/METADATA" % (name.replace("-", "_"), version), "\n".join(lines) + "\n\nText.\n")
        z.writestr("%s-%s.dist-info/RECORD" % (name.replace("-", "_"), version), "")
    return out.getvalue()


class Index:
    def __init__(self, html=False):
        self.projects, self.files, self.html, self.asked, self.flaky = {}, {}, html, [], {}
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def log_message(self, *args):
                pass

            def do_GET(self):
                index.asked.append((self.path, self.headers.get("Range")))
                try:
                    index.answer(self)
                except ConnectionError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = "http://127.0.0.1:%d/simple" % self.server.server_port

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def add(self, project, name, data=b"", mode="ok", requires_python=None, date="2026-11-20", yanked=False, metadata=None):
        self.files[name] = (data, mode, metadata)
        entry = {"filename": name, "url": "../../files/" + name, "size": len(data), "upload-time": date + "T10:00:00Z", "yanked": yanked, "hashes": {}}
        if requires_python:
            entry["requires-python"] = requires_python
        if metadata is not None:
            entry["core-metadata"] = {"sha256": "0"}
        self.projects.setdefault(project, []).append(entry)

    def send(self, h, status, body, headers=()):
        h.send_response(status)
        for k, v in headers:
            h.send_header(k, v)
        h.end_headers()
        h.wfile.write(body)

    def answer(self, h):
        m = re.fullmatch(r"/simple/([^/]+)/", h.path)
        if m and m.group(1) in self.projects:
            return self.listing(h, self.projects[m.group(1)])
        name = h.path.rsplit("/", 1)[-1]
        if name.endswith(".metadata") and self.files.get(name[:-9], ("", "", None))[2] is not None:
            return self.send(h, 200, self.files[name[:-9]][2])
        if name not in self.files:
            return self.send(h, 404, b"no such file")
        data, mode, _ = self.files[name]
        if mode == "flaky" and self.flaky.setdefault(name, 0) < 2:
            self.flaky[name] += 1
            return self.send(h, 503, b"later")
        r = re.fullmatch(r"bytes=(\d*)-(\d*)", h.headers.get("Range", ""))
        if not r or mode == "whole":
            return self.send(h, 200, data, [("Content-Length", str(len(data)))])
        if r.group(1):
            first, last = int(r.group(1)), min(int(r.group(2) or len(data) - 1), len(data) - 1)
        else:
            first, last = max(0, len(data) - int(r.group(2))), len(data) - 1
        if first >= len(data):
            return self.send(h, 416, b"", [("Content-Range", "bytes */%d" % len(data))])
        body = data[first:last + 1]
        if mode == "other":
            first, last = first + 1, last + 1
        if mode == "short":
            body = body[:-1]
        return self.send(h, 206, body, [("Content-Range", "bytes %d-%d/%d" % (first, last, len(data)))])

    def listing(self, h, entries):
        if not self.html:
            body = json.dumps({"meta": {"api-version": "1.1"}, "name": "x", "files": entries}).encode()
            return self.send(h, 200, body, [("Content-Type", "application/vnd.pypi.simple.v1+json")])
        rows = []
        for e in entries:
            more = ' data-requires-python="%s"' % e["requires-python"].replace(">", "&gt;").replace("<", "&lt;") if "requires-python" in e else ""
            more += ' data-yanked=""' if e["yanked"] else ""
            rows.append('<a href="%s#sha256=0"%s>%s</a><br/>' % (e["url"], more, e["filename"]))
        return self.send(h, 200, ("<!DOCTYPE html><html><body>%s</body></html>" % "\n".join(rows)).encode(), [("Content-Type", "text/html")])
