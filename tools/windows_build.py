"""windows_build.py - configures the Windows build: libraries cached by the script that builds them, then Meson.

Used by tools/check.py and tools/windows_zip.py."""
import hashlib
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "tenon")


def sh(argv, env=None):
    r = subprocess.run(argv, cwd=ROOT, env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace")
    return r.returncode, r.stdout


def libraries():
    """The prefix of the static libraries, built when it is not there; None and the output when that failed."""
    script = os.path.join(ROOT, "tools/build-win-deps.sh")
    with open(script, "rb") as f:
        prefix = os.path.join(CACHE, "win-deps-" + hashlib.sha256(f.read()).hexdigest()[:16])
    if not os.path.exists(os.path.join(prefix, "lib/pkgconfig/liblzma.pc")) or not os.path.exists(os.path.join(prefix, "lib/liblzma.a")):
        os.makedirs(prefix, exist_ok=True)
        code, out = sh(["sh", script, prefix])
        if code:
            return None, out
    return prefix, ""


def configure(folder):
    """(0, "") or a status and the output of what failed."""
    prefix, out = libraries()
    if not prefix:
        return 1, out
    path = os.path.join(ROOT, folder)
    if os.path.exists(os.path.join(path, "build.ninja")):
        return sh(["meson", "setup", "--reconfigure", path])
    os.makedirs(path, exist_ok=True)
    cross = os.path.join(CACHE, "deps.cross")
    with open(cross, "w", encoding="utf-8") as f:
        f.write(f"[constants]\ndeps = '{prefix}'\n")
    files = [cross, os.path.join(ROOT, "tools/mingw-w64.cross")]
    if shutil.which("ccache"):  # Meson takes it by itself for this machine's compiler alone
        files.append(os.path.join(CACHE, "ccache.cross"))
        with open(files[-1], "w", encoding="utf-8") as f:
            f.write("[binaries]\nc = ['ccache', 'x86_64-w64-mingw32-gcc-win32']\n")
    return sh(["meson", "setup", path] + [w for f in files for w in ("--cross-file", f)])
