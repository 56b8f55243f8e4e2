#!/usr/bin/env python3
"""The ways that lead to an index, as pip's and uv's settings name them: proxies, certificates, trusted hosts, named indexes with their
users, redirections, PyTorch's own index behind a proxy; and that plans side by side and `fits` take them. No password is printed or
goes to another host. Each case prints what it proves when it fails."""
import base64
import http.server
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from index_server import HERE, LINUX, NEW, PORT, Index, check, failed, plan, release, serve, tenon, wheel

WORK = tempfile.mkdtemp()
os.chdir(WORK)
TF = {"tensorflow": release("tensorflow", "2.15.1") + release("tensorflow", "2.20.0") + release("tensorflow", "2.18.0")}
PIP = ("tensorflow==2.20.0", "--python", "3.11", "--method", "pip", "--machine", NEW)
UV = ("tensorflow==2.20.0", "--python", "3.11", "--method", "uv", "--machine", NEW)


def basic(text):
    return "Basic " + base64.b64encode(text.encode()).decode()


def asked_with(part, what, want):
    """Who was let in at the paths that hold the part."""
    got = {a for p, a in Index.asked if part in p}
    if got != want:
        failed.append(f"{what}: {got}, wanted {want}: {Index.asked}")


# --- proxies ---
Index.pages = TF
proxy = f"http://me:s3cr@{HERE}"
for env in ({"PIP_PROXY": proxy, "NO_PROXY": "index.invalid"}, {"PIP_CONFIG_FILE": os.path.join(WORK, "pip.conf"), "http_proxy": "http://127.0.0.1:1"}):
    with open("pip.conf", "w") as f:
        f.write(f"[global]\nproxy = {proxy}\n")
    Index.proxied = set()
    check("pip's proxy", plan(*PIP, index="http://index.invalid/simple", **env), 0, "fits: tensorflow 2.20.0", no=("s3cr",))
    if Index.proxied != {basic("me:s3cr")}:
        failed.append(f"pip's proxy: {Index.proxied}")
with socket.socket() as dead:
    dead.bind(("127.0.0.1", 0))
    port = dead.getsockname()[1]
    check("a dead proxy of pip", plan(*PIP, PIP_PROXY=f"http://me:s3cr@127.0.0.1:{port}"), 5, f"proxy 127.0.0.1:{port}", no=("s3cr", "fits:"))
    check("uv does not take it", plan(*UV, PIP_PROXY=f"http://127.0.0.1:{port}"), 0)

    dead.listen()
    start = time.monotonic()
    check("a proxy that never answers", plan(*PIP, "--deadline", "5", PIP_PROXY=f"http://me:s3cr@127.0.0.1:{port}"), 5, f"proxy 127.0.0.1:{port}", "timed out", no=("s3cr",))
    if time.monotonic() - start > 15:
        failed.append(f"a proxy that never answers: {time.monotonic() - start:.0f} s")
# The deadline is the resolver's, too.
with open("uv", "w") as f:
    f.write("#!/bin/sh\nexec sleep 60\n")
os.chmod("uv", 0o755)
start = time.monotonic()
check("a slow resolver", plan("tensorflow==2.15.1", *PIP[1:], "--deadline", "6", PATH=f"{WORK}:/usr/bin:/bin"), 0, "uv could not tell whether the rest fits: \"no answer in time\"")
if time.monotonic() - start > 20:
    failed.append(f"a slow resolver: {time.monotonic() - start:.0f} s")
# uv asks as the plan's own installer would: pip's settings in uv's words, its own with the users of named indexes.
with open("uv", "w") as f:
    f.write(f"#!/bin/sh\nenv >{WORK}/said\necho a==1\n")
PATH = f"{WORK}:/usr/bin:/bin"
with open("pip.conf", "w") as f:
    f.write(f"[global]\nindex-url = http://me:s3cr@{HERE}/simple\nextra-index-url = http://{HERE}/more\ntrusted-host = 127.0.0.1\ncert = {WORK}/ca.pem\n")
check("uv in the place of pip", plan(*PIP, PATH=PATH, PIP_INDEX_URL=None, PIP_CONFIG_FILE=f"{WORK}/pip.conf", UV_INDEX_URL="http://trap/simple", SSL_CERT_FILE="/trap"), 0,
      "uv resolves it: 1 packages in all", no=("s3cr",))
said = open("said").read()
for line in (f"UV_DEFAULT_INDEX=http://me:s3cr@{HERE}/simple", f"UV_INDEX=http://{HERE}/more", "UV_INSECURE_HOST=127.0.0.1", f"SSL_CERT_FILE={WORK}/ca.pem", "UV_NO_CONFIG=1"):
    if line + "\n" not in said:
        failed.append(f"uv in the place of pip: no {line} in\n{said}")
if "trap" in said:
    failed.append(f"uv in the place of pip:\n{said}")
check("uv itself", plan(*UV, PATH=PATH, UV_INDEX=f"my-company=http://{HERE}/private", UV_INDEX_MY_COMPANY_USERNAME="me", UV_INDEX_MY_COMPANY_PASSWORD="s3cr"), 0, no=("s3cr",))
said = open("said").read()
for line in (f"UV_INDEX_URL=http://{HERE}/simple/", f"UV_INDEX=my-company=http://{HERE}/private", "UV_INDEX_MY_COMPANY_USERNAME=me", "UV_INDEX_MY_COMPANY_PASSWORD=s3cr"):
    if line + "\n" not in said:
        failed.append(f"uv itself: no {line} in\n{said}")
os.unlink("uv")

# --- redirections ---
Index.odd = f"elsewhere http://localhost:{PORT}"
check("to another host", plan(*PIP, index=f"http://me:s3cr@{HERE}/simple"), 0, "fits: tensorflow 2.20.0", no=("s3cr",))
asked_with("/new/", "a password goes to another host", {None})
if basic("me:s3cr") not in {a for p, a in Index.asked if not p.startswith("/new")}:
    failed.append(f"the password does not go to its own host: {Index.asked}")
Index.odd = None

# --- named indexes of uv ---
check("UV_INDEX", plan(*UV, UV_INDEX=f"my-company=http://{HERE}/private", UV_INDEX_MY_COMPANY_USERNAME="me", UV_INDEX_MY_COMPANY_PASSWORD="s3cr"), 0, no=("s3cr",))
asked_with("/private/", "UV_INDEX", {basic("me:s3cr")})
asked_with("/simple/", "UV_INDEX", {None})
os.makedirs("config/uv")
with open("config/uv/uv.toml", "w") as f:
    f.write(f'[[index]]\nurl = "http://{HERE}/first"\nname = "first"\n\n[[index]]\nname = "only-pinned"\nurl = "http://{HERE}/pinned"\nexplicit = true\n\n'
            f'[[index]]\nname = "main"\nurl = "http://{HERE}/main"\ndefault = true\n')
check("uv.toml", plan(*UV, UV_NO_CONFIG=None, UV_INDEX_URL=None, XDG_CONFIG_HOME=os.path.join(WORK, "config"), UV_INDEX_MAIN_USERNAME="me", UV_INDEX_MAIN_PASSWORD="s3cr",
                      UV_INDEX_FIRST_USERNAME="you", UV_INDEX_FIRST_PASSWORD="pw"), 0, f"http://{HERE}/main", no=("s3cr", "pypi.org"))
asked_with("/main/tensorflow", "uv.toml", {basic("me:s3cr")})
asked_with("/first/tensorflow", "uv.toml", {basic("you:pw")})
asked_with("/pinned/", "an explicit index", set())

# --- certificates ---


def certificate(name, san):
    ok = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + san,
                         "-keyout", name + ".key", "-out", name + ".pem"], capture_output=True)
    return ok.returncode == 0


def serve_tls(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(name + ".pem", name + ".key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Connect(http.server.BaseHTTPRequestHandler):
    """A proxy that leads every CONNECT to one port."""
    to = 0
    hosts = []

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        type(self).hosts.append(self.path)
        with socket.create_connection(("127.0.0.1", self.to)) as other:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=self.pump, args=(other, self.connection), daemon=True)
            back.start()
            self.pump(self.connection, other)
            back.join(5)

    @staticmethod
    def pump(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass


if shutil.which("openssl") and certificate("local", "IP:127.0.0.1") and certificate("torch", "DNS:download.pytorch.org"):
    tls, other = serve_tls("local"), serve_tls("torch")
    url = f"https://127.0.0.1:{tls}/simple"
    check("unknown certificate", plan(*PIP, index=url), 5, f"127.0.0.1:{tls}", "certificate", no=("fits:",))
    check("PIP_CERT", plan(*PIP, index=url, PIP_CERT=os.path.join(WORK, "local.pem")), 0)
    check("uv does not take PIP_CERT", plan(*UV, index=url, PIP_CERT=os.path.join(WORK, "local.pem")), 5, "certificate")
    check("SSL_CERT_FILE", plan(*UV, index=url, SSL_CERT_FILE=os.path.join(WORK, "local.pem")), 0)
    check("trusted-host", plan(*PIP, index=url, PIP_TRUSTED_HOST="example.org 127.0.0.1"), 0)
    check("trusted-host with its port", plan(*PIP, index=url, PIP_TRUSTED_HOST=f"127.0.0.1:{tls}"), 0)
    check("trusted-host with another port", plan(*PIP, index=url, PIP_TRUSTED_HOST="127.0.0.1:1"), 5, "certificate")
    check("UV_INSECURE_HOST", plan(*UV, index=url, UV_INSECURE_HOST="127.0.0.1"), 0)
    Index.odd = f"elsewhere https://127.0.0.1:{other}"
    check("trust in one host is none in the next", plan(*PIP, index=url, PIP_TRUSTED_HOST=f"127.0.0.1:{tls}"), 5, f"127.0.0.1:{other}", "certificate")
    if any("/new/" in p for p, _ in Index.asked):
        failed.append(f"a redirection was followed to a host that is not trusted: {Index.asked}")
    Index.odd = None

    # --- PyTorch's own index: asked where the user's has no such build, through the proxy, without the user's password ---
    Connect.to = other
    connect = f"http://127.0.0.1:{serve(Connect)}"
    CU126 = ("torch==2.7.1", "--cuda", "11.8", "--python", "3.11", "--machine", LINUX)
    here = dict(https_proxy=connect, SSL_CERT_FILE=os.path.join(WORK, "torch.pem"), index=f"http://me:s3cr@{HERE}/simple")
    Index.pages = {"torch": [wheel("torch", "2.7.1+cu118", "311", "manylinux_2_28_x86_64")]}
    check("on the user's own index", plan(*CU126, **here), 0, "torch-2.7.1+cu118-cp311")
    if Connect.hosts:
        failed.append(f"PyTorch's index was asked for what is there: {Connect.hosts}")
    Index.own = {"torch": []}
    check("on PyTorch's", plan(*CU126, **here), 0, "torch-2.7.1+cu118-cp311", "its METADATA read", no=("s3cr",))
    asked_with("/whl/cu118/torch/", "PyTorch's index", {None})
    asked_with("/simple/torch/", "the user's index", {basic("me:s3cr")})
    if set(Connect.hosts) != {"download.pytorch.org:443"}:
        failed.append(f"PyTorch's index: {Connect.hosts}")
    Index.pages = {"torch": [wheel("torch", "2.7.0+cu118", "311", "manylinux_2_28_x86_64")]}
    check("not even there", plan(*CU126, **here), 1, "the package index has no file of torch 2.7.1")
    check("PyTorch's index is dead", plan(*CU126, index=f"http://{HERE}/simple", https_proxy="http://127.0.0.1:1"), 5, "proxy 127.0.0.1:1")
    Index.own = None
else:
    print("skipped: certificates (openssl)")

# --- side by side, and fits ---
Index.pages = TF
got = plan("--side-by-side", "2.20,2.18", "--python", "3.11", "--machine", NEW)
check("side by side", got, 0, "tensorflow-2.20.0-cp311", "tensorflow-2.18.0-cp311")
if sum(p.endswith("/tensorflow/") for p, _ in Index.asked) != 1:
    failed.append(f"side by side asks for a page twice: {Index.asked}")
check("side by side, one is not there", plan("--side-by-side", "2.20,2.19", "--python", "3.11", "--machine", NEW), 1, "the package index has no file of tensorflow 2.19.0")
check("side by side, dead", plan("--side-by-side", "2.20,2.19", "--machine", NEW, index="http://127.0.0.1:1/simple"), 5, "127.0.0.1:1", no=("fits:",))
for line, status, text in (("tensorflow==2.20.0", 0, "tensorflow-2.20.0-cp311"), ("tensorflow==2.19.0", 1, "the package index has no file of tensorflow 2.19.0"),
                           ("tensorflow==2.20.0\nnvidia-cudnn-cu12==0.1", 1, "no nvidia-cudnn-cu12==0.1")):
    with open("requirements.txt", "w") as f:
        f.write(line + "\n")
    check("fits " + line, tenon("fits", "requirements.txt", "--online", "--python", "3.11", "--machine", NEW), status, text, "Asked")
Index.meta = {"tensorflow": "Name: tensorflow\nVersion: VERSION\nProvides-Extra: and-cuda\nRequires-Dist: nvidia-cudnn-cu12>=9.3; extra == 'and-cuda'\n"}
Index.pages["nvidia-cudnn-cu12"] = [wheel("nvidia_cudnn_cu12", v, None, "manylinux2014_x86_64") for v in ("9.1.0.70", "9.3.0.75")]
for version, status, text in (("9.1.0.70", 1, "asks for nvidia-cudnn-cu12>=9.3, so that no installer takes it together with nvidia-cudnn-cu12==9.1.0.70"), ("9.3.0.75", 0, "fits")):
    with open("requirements.txt", "w") as f:
        f.write(f"tensorflow[and-cuda]==2.20.0\nnvidia-cudnn-cu12=={version}\n")
    check("fits with cuDNN " + version, tenon("fits", "requirements.txt", "--online", "--python", "3.11", "--machine", NEW), status, text)
check("fits, dead", tenon("fits", "requirements.txt", "--online", "--machine", NEW, index="http://127.0.0.1:1/simple"), 5, "127.0.0.1:1", no=(": fits",))

os.chdir("/")
shutil.rmtree(WORK)
for f in failed:
    print(f, file=sys.stderr)
sys.exit(bool(failed))
