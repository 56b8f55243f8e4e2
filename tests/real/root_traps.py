"""root_traps.py TENON WORK DRIVER TRIES : plants the traps below WORK/user (uid 1000), springs each one without tenon, runs the lines
of WORK/all as root among them and prints what fired. Called by root_traps.sh inside its own mount namespace.

A trap is a number: its code counts up its byte of WORK/marks through a shared mapping, which works even where a process may
write no file. Traps that are no code (FIFOs, secrets, files that must stay as they are) have a look of their own."""
import ctypes, glob, json, os, re, shutil, stat, subprocess, sys, threading, time

TENON, WORK, DRIVER, TRIES = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
UID = 1000
U = WORK + "/user"
MARKS = WORK + "/marks"
LINES = [x.split() for x in open(WORK + "/all").read().split("\n") if x]
MACHINE = [x for x in LINES if x[0] in ("doctor", "snapshot", "versions", "diff") and not {"--from", "--machine", "--list", "--schema"} & set(x)] # what looks at this machine
traps, results, bad = [], {}, []
SECRET = "tenon-secret-%d" % os.getpid()


def trap(name):
    traps.append(name)
    return len(traps) - 1


def write(path, text, mode=0o644, uid=UID):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w" if isinstance(text, str) else "wb") as f:
        f.write(text)
    os.chmod(path, mode)
    os.chown(path, uid, uid)
    return path


SO = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <dlfcn.h>
#include <unistd.h>
__attribute__((constructor)) static void fired(void) {
    int fd = open(MARKS, O_RDWR);
    unsigned char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED && p[N] < 255) p[N]++;
    close(fd);
}
unsigned la_version(unsigned v) { return v; }
void *gconv_init(void) { return 0; }
int gconv(void) { return 0; }
"""


def library(path, name, extra=(), uid=UID, mode=0o644, soname=None, more=""):
    """A shared object that fires when it is loaded."""
    n = trap(name) if name else 4095
    os.makedirs(os.path.dirname(path), exist_ok=True)
    src = WORK + "/trap.c"
    with open(src, "w") as f:
        f.write(SO + more)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-DN={n}", f'-DMARKS="{MARKS}"', f"-Wl,-soname,{soname or os.path.basename(path)}",
                    "-o", path, src, *extra], check=True)
    os.chmod(path, mode)
    os.chown(path, uid, uid)
    return n


TOUCH = WORK + "/touch" # a program that fires trap argv[1]


def script(path, name):
    n = trap(name)
    write(path, f"#!/bin/sh\n{TOUCH} {n}\n", 0o755)
    return n


def python(path, name):
    n = trap(name)
    write(path, f"import os\nos.system('{TOUCH} {n}')\n")
    return n


def marks():
    with open(MARKS, "rb") as f:
        return f.read()


def clear():
    with open(MARKS, "r+b") as f:
        f.write(bytes(4096))


def spring(n, argv, env=None, cwd="/", shell=False):
    """The trap works: without tenon this fires it."""
    clear()
    try:
        subprocess.run(argv, env=dict({"PATH": "/usr/bin:/bin"}, **(env or {})), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=20, shell=shell)
    except (OSError, subprocess.TimeoutExpired):
        pass
    if marks()[n] == 0:
        bad.append(f"the trap does not work at all: {traps[n]}")
    clear()


def look(args, env, cwd, user=False, tenon=None):
    argv = (["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"] if user else []) + [tenon or TENON] + args
    smi = open(WORK + "/about/smi.txt")
    try:
        r = subprocess.run(argv, env=env, cwd=cwd, stdin=smi, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    except subprocess.TimeoutExpired:
        bad.append(f"tenon {' '.join(args)} hangs")
        return 124, b"", b""
    finally:
        smi.close()
    if r.returncode not in (0, 1, 3):
        bad.append(f"tenon {' '.join(args)} ended with {r.returncode}: {r.stderr[:200]}")
    return r.returncode, r.stdout, r.stderr


def among(what, env, numbers, cwd="/", user=False, allowed=(), every=None):
    """All ways of looking with this environment: of these traps none fires (allowed: may, in tenon itself, once a process)."""
    clear()
    lines = every or LINES
    for args in lines:
        before = marks()
        rc, out, err = look(args, env, cwd, user)
        after = marks()
        for n in range(len(traps)):
            more = after[n] - before[n]
            if n in allowed and more <= 1:
                continue
            if more and results.get(n) != "FIRED":
                bad.append(f"FIRED: {traps[n]} ({what}, {'user' if user else 'root'}): tenon {' '.join(args)}")
                results[n] = "FIRED"
        if SECRET.encode() in out + err:
            bad.append(f"a secret of root's in the output ({what}): tenon {' '.join(args)}")
        if max(after) > 200:
            clear()
    for n in numbers:
        results.setdefault(n, "not fired")


def asked(env, want, subject="nvml"):
    """The test is about something: is the driver's library asked in this environment (want: known), or denied?"""
    _, out, _ = look(["snapshot", "--include-identifiers"], env, "/")
    d = json.loads(out)["driver"]
    got = d[subject]["is"], d[subject].get("value")
    if (got[0] == "known") != want:
        bad.append(f"the child was {'not ' if want else ''}asked: {got}")
    return got


# --- the bed -------------------------------------------------------------------------------------------------------------------
with open(MARKS, "wb") as f:
    f.write(bytes(4096))
os.chmod(MARKS, 0o666)
with open(WORK + "/touch.c", "w") as f:
    f.write('#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/mman.h>\nint main(int c, char **v) { int fd = open("%s", O_RDWR); unsigned char *p = mmap(0, 4096, 3,'
            ' MAP_SHARED, fd, 0); if (c > 1 && p[atoi(v[1])] < 255) p[atoi(v[1])]++; return 0; }\n' % MARKS)
subprocess.run(["cc", "-o", TOUCH, WORK + "/touch.c"], check=True)
os.chown(U, UID, UID)
LIB = WORK + "/lib" # root's own: the driver's libraries

VENDOR = r"""
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
/* What a real driver library does: opens others by name, and what a variable names. */
static void more(void) {
    const char *v = getenv("CUDA_INJECTION64_PATH");
    dlopen("libnvidia-trap-by-name.so.1", RTLD_NOW);
    if (v) dlopen(v, RTLD_NOW);
}
int nvmlInit_v2(void) { more(); return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *p, unsigned n) { strncpy(p, DRIVER, n); return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 0; return 0; }
int cuInit(unsigned f) { (void)f; more(); return 0; }
int cuDriverGetVersion(int *v) { *v = 12020; return 0; }
int cuDeviceGetCount(int *n) { *n = 0; return 0; }
"""


def vendor(folder, needs=(), rpath=None, uid=0):
    """libnvidia-ml and libcuda of a driver, root's unless said otherwise."""
    os.makedirs(folder, exist_ok=True)
    src = WORK + "/vendor.c"
    with open(src, "w") as f:
        f.write(VENDOR)
    for stem in "libnvidia-ml", "libcuda":
        real = f"{folder}/{stem}.so.{DRIVER}"
        for p in real, f"{folder}/{stem}.so.1":
            if os.path.lexists(p):
                os.unlink(p)
        extra = [x for n in needs for x in ("-Wl,--no-as-needed", n)]
        if rpath:
            extra.append(f"-Wl,--enable-new-dtags,-rpath,{rpath}")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", f'-DDRIVER="{DRIVER}"', f"-Wl,-soname,{stem}.so.1", "-o", real, src, *extra], check=True)
        os.symlink(os.path.basename(real), f"{folder}/{stem}.so.1")
        os.chown(real, uid, uid)


BASE = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
vendor(LIB)
asked(dict(BASE, LD_LIBRARY_PATH=LIB), True)

# --- 1. programs on PATH, and beside us ----------------------------------------------------------------------------------------
programs = []
for name in ("nvidia-smi nvidia-modprobe nvidia-detect nvidia-ctk nvidia-container-cli modinfo modprobe lsmod dkms ldconfig ldd lspci lshw dmesg mokutil systemctl journalctl "
             "systemd-detect-virt nvcc ptxas gcc cc g++ clang dpkg dpkg-query apt rpm dnf python python3 pip pip3 conda mamba micromamba pixi uv poetry pdm pipx pyenv docker podman "
             "runc kubectl sinfo scontrol sacct bjobs qstat module sh bash env uname lsb_release hostname which cat ls getent git wslpath cmd.exe").split():
    n = script(f"{U}/bin/{name}", f"PATH: {name}")
    spring(n, [f"{U}/bin/{name}"])
    programs.append(n)
relative = [script(f"{U}/cwd/{name}", f"the current folder: ./{name}") for name in ("nvidia-smi", "python3", "nvcc")]
for n, name in zip(relative, ("nvidia-smi", "python3", "nvcc")):
    spring(n, name, {"PATH": ":/bin"}, U + "/cwd", True)
named = {}
for variable, path in {"CONDA_EXE": "conda/bin/conda", "CONDA_PYTHON_EXE": "conda/bin/python", "MAMBA_EXE": "mamba/micromamba", "CUDACXX": "cuda/bin/nvcc", "CC": "tools/cc",
                       "CXX": "tools/c++", "CUDAHOSTCXX": "tools/g++-11", "NVCC_CCBIN": "tools/clang++", "SHELL": "tools/shell", "PAGER": "tools/pager", "EDITOR": "tools/editor",
                       "BROWSER": "tools/browser", "LESSOPEN": "tools/lessopen", "SSH_ASKPASS": "tools/askpass", "UV_PYTHON": "tools/uvpython",
                       "PIPX_DEFAULT_PYTHON": "tools/pipxpython", "JUPYTER": "tools/jupyter", "TRITON_PTXAS_PATH": "tools/ptxas"}.items():
    n = script(f"{U}/{path}", f"a program that {variable} names")
    spring(n, [f"{U}/{path}"])
    named[variable] = (f"{U}/{path}", n)
envvars = {v: p for v, (p, n) in named.items()}
shell_env = trap("BASH_ENV and ENV of a shell")
write(f"{U}/shellenv", f"{TOUCH} {shell_env}\n")
spring(shell_env, ["bash", "-c", ":"], {"BASH_ENV": U + "/shellenv"})
envvars.update({"BASH_ENV": U + "/shellenv", "ENV": U + "/shellenv", "CUDA_HOME": U + "/cuda", "CUDA_PATH": U + "/cuda", "PYENV_ROOT": U + "/pyenv", "PROMPT_COMMAND": f"{TOUCH} {shell_env}"})
pyenv = script(f"{U}/pyenv/shims/python", "a shim of pyenv")
spring(pyenv, [f"{U}/pyenv/shims/python"])

# --- 2. Python -----------------------------------------------------------------------------------------------------------------
py = []
V = U + "/venv"
version = "%d.%d" % sys.version_info[:2]
site = f"{V}/lib/python{version}/site-packages"
os.makedirs(site)
write(V + "/pyvenv.cfg", f"home = {os.path.dirname(os.path.realpath(sys.executable))}\nversion = {version}\ninclude-system-site-packages = false\n")
os.makedirs(V + "/bin")
os.symlink(os.path.realpath(sys.executable), V + "/bin/python3")
for n, path, name, argv, env in [
        (None, f"{U}/pypath/sitecustomize.py", "PYTHONPATH: sitecustomize", None, {"PYTHONPATH": U + "/pypath"}),
        (None, f"{U}/pyuser/lib/python{version}/site-packages/usercustomize.py", "PYTHONUSERBASE: usercustomize", None, {"PYTHONUSERBASE": U + "/pyuser", "HOME": U}),
        (None, f"{U}/startup.py", "PYTHONSTARTUP", ["python3", "-i"], {"PYTHONSTARTUP": U + "/startup.py"}),
        (None, f"{U}/pyhome/lib/python{version}/encodings/__init__.py", "PYTHONHOME", None, {"PYTHONHOME": U + "/pyhome"}),
        (None, f"{site}/torch/__init__.py", "a framework in the environment", [V + "/bin/python3", "-c", "import torch"], {}),
        (None, f"{site}/tensorflow/__init__.py", "another framework there", [V + "/bin/python3", "-c", "import tensorflow"], {}),
        (None, f"{U}/cwd/tensorflow.py", "a file named like the module, here", ["python3", "-c", "import tensorflow"], {})]:
    n = python(path, name)
    py.append(n)
    spring(n, argv or ["python3", "-c", "pass"], env, U + "/cwd")
n = trap("a .pth file with an import line")
write(site + "/zz.pth", f"import os; os.system('{TOUCH} {n}')\n")
spring(n, [V + "/bin/python3", "-c", "pass"])
py.append(n)
for dist, v in ("torch", "2.5.1"), ("tensorflow", "2.15.1"):
    write(f"{site}/{dist}-{v}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {dist}\nVersion: {v}\n")
activate = trap("conda: etc/conda/activate.d")
write(V + "/etc/conda/activate.d/trap.sh", f"{TOUCH} {activate}\n", 0o755)
spring(activate, ["sh", V + "/etc/conda/activate.d/trap.sh"])
py.append(activate)
act2 = trap("bin/activate of the environment")
write(V + "/bin/activate", f"{TOUCH} {act2}\n", 0o755)
spring(act2, ["sh", "-c", f". {V}/bin/activate"])
py.append(act2)
hook = trap("a shell's start files below HOME")
for name in ".bashrc", ".profile", ".bash_profile", ".zshrc":
    write(f"{U}/{name}", f"{TOUCH} {hook}\n")
spring(hook, ["bash", "-ic", ":"], {"HOME": U})
py.append(hook)
ext = library(f"{site}/torch/_C.cpython-{version.replace('.', '')}-x86_64-linux-gnu.so", "an extension module of the environment")
spring(ext, ["python3", "-c", f"import ctypes; ctypes.CDLL('{site}/torch/_C.cpython-{version.replace('.', '')}-x86_64-linux-gnu.so')"])
py.append(ext)

# --- 3. libraries that the user put somewhere -----------------------------------------------------------------------------------
load = lambda path, env=None: ([sys.executable, "-c", f"import ctypes; ctypes.CDLL('{path}')"], env or {})
libs = []
for name in ("libcuda.so.1 libnvidia-ml.so.1 libcudart.so.12 libcudnn.so.9 libnvidia-ptxjitcompiler.so.1 libnvidia-gpucomp.so.1 libnvidia-tls.so.1 libdl.so.2 libpthread.so.0 librt.so.1 "
             "libm.so.6 libz.so.1 libzstd.so.1 liblzma.so.5 libgcrypt.so.20 libjansson.so.4 libgcc_s.so.1 libstdc++.so.6 libnss_files.so.2").split():
    n = library(f"{U}/lib/{name}", f"LD_LIBRARY_PATH: {name}")
    spring(n, *load(f"{U}/lib/{name}"))
    libs.append(n)
wheel = library(f"{site}/nvidia/cuda_runtime/lib/libcudart.so.12", "a wheel's library in the environment")
envlib = library(f"{V}/lib/libcuda.so.1", "libcuda in the environment's lib")
for n, p in (wheel, f"{site}/nvidia/cuda_runtime/lib/libcudart.so.12"), (envlib, f"{V}/lib/libcuda.so.1"):
    spring(n, *load(p))
here = library(f"{U}/cwd/libnvidia-ml.so.1", "the current folder: an empty entry of LD_LIBRARY_PATH")
spring(here, [sys.executable, "-c", "import ctypes; ctypes.CDLL('libnvidia-ml.so.1')"], {"LD_LIBRARY_PATH": ":"}, U + "/cwd")

everything = dict(BASE, **envvars, HOME=U, XDG_CONFIG_HOME=U + "/xdg/config", XDG_CACHE_HOME=U + "/xdg/cache", XDG_DATA_HOME=U + "/xdg/data", XDG_STATE_HOME=U + "/xdg/state",
                  XDG_RUNTIME_DIR=U + "/xdg/run", XDG_DATA_DIRS=U + "/xdg/dirs", TMPDIR=U + "/tmp", TMP=U + "/tmp", TEMP=U + "/tmp", PATH=f"{U}/bin:{U}/conda/bin:{V}/bin:{BASE['PATH']}",
                  LD_LIBRARY_PATH=U + "/lib", VIRTUAL_ENV=V, CONDA_PREFIX=V, PYTHONPATH=U + "/pypath", PYTHONUSERBASE=U + "/pyuser", PYTHONSTARTUP=U + "/startup.py", PYTHONHOME=U + "/pyhome",
                  PYTHONINSPECT="1", PYTHONBREAKPOINT="os.system", PYTHONPYCACHEPREFIX=U + "/tmp", NLSPATH=U + "/nls/%N.cat", LOCPATH=U + "/locale", LANGUAGE="zh", OPENSSL_CONF=U + "/ssl.cnf",
                  CUDA_CACHE_PATH=U + "/cudacache", CUDA_MODULE_LOADING="EAGER", LD_DEBUG_OUTPUT=U + "/tmp/lddebug", MALLOC_TRACE=U + "/tmp/mtrace", SSLKEYLOGFILE=U + "/tmp/keys",
                  TENON_CACHE=U + "/tmp", HISTFILE=U + "/tmp/hist", PIP_CONFIG_FILE=U + "/pip.conf", CONDARC=U + "/condarc", OCL_ICD_VENDORS=U + "/icd", VK_LAYER_PATH=U + "/icd")
for d in "xdg/config", "xdg/cache", "xdg/data", "xdg/state", "xdg/run", "xdg/dirs", "tmp", "cudacache", "locale", "nls", "root/etc", "cwd":
    os.makedirs(f"{U}/{d}", exist_ok=True)
fifo_names = ["locale/locale-archive", "nls/libc.cat", "ssl.cnf", "pip.conf", "condarc", ".condarc", "xdg/config/pip/pip.conf", "xdg/config/uv/uv.toml", ".config/pip/pip.conf", "root/etc/ld.so.conf",
              "root/etc/ld.so.cache", "icd/trap.icd"]
fifos = []
for name in fifo_names:
    os.makedirs(os.path.dirname(f"{U}/{name}"), exist_ok=True)
    os.mkfifo(f"{U}/{name}", 0o666)
    fifos.append(trap(f"a FIFO as {name}"))
write(f"{U}/root/etc/os-release", 'ID=debian\nVERSION_ID="12"\n')
for base, folders, names in os.walk(U):
    for x in folders + names:
        os.lchown(os.path.join(base, x), UID, UID)


def tree(folder):
    return {os.path.join(b, n): (os.lstat(os.path.join(b, n)).st_size, os.lstat(os.path.join(b, n)).st_mtime_ns) for b, d, f in os.walk(folder) for n in d + f}


before = tree(U)
mine = programs + [n for p, n in named.values()] + [shell_env, pyenv] + py + libs + [wheel, envlib]
among("everything at once", everything, mine + fifos)
among("everything, from the user's folder", dict(everything, PATH=":" + BASE["PATH"], LD_LIBRARY_PATH=""), relative + [here], cwd=U + "/cwd")
among("everything, LD_LIBRARY_PATH with an empty entry", dict(everything, PATH=".:" + BASE["PATH"], LD_LIBRARY_PATH=f"{LIB}:"), relative + [here], cwd=U + "/cwd")
appeared = trap("files in TMPDIR, HOME, XDG_* and where LD_DEBUG_OUTPUT, MALLOC_TRACE, CUDA_CACHE_PATH ... point")
results[appeared] = "not fired"
for p in sorted(set(tree(U)) - set(before)) + [p for p in before if tree(U).get(p) != before[p]]:
    bad.append(f"FIRED: written below the user's folder: {p}")
    results[appeared] = "FIRED"

# --- 4. into the asking child ---------------------------------------------------------------------------------------------------
# The library itself is root's; what it loads is the user's, by each way that ld.so knows.
byname = library(f"{U}/more/libnvidia-trap-by-name.so.1", "a library that the driver's opens by name, through LD_LIBRARY_PATH")
env = dict(BASE, LD_LIBRARY_PATH=f"{LIB}:{U}/more")
spring(byname, [sys.executable, "-c", "import ctypes; ctypes.CDLL('libnvidia-ml.so.1').nvmlInit_v2()"], {"LD_LIBRARY_PATH": env["LD_LIBRARY_PATH"]})
among("by name", env, [byname], every=MACHINE)
got = asked(env, False)
print("asked where a library would be the user's:", got)
injection = library(f"{U}/more2/injection.so", "CUDA_INJECTION64_PATH")
env = dict(BASE, LD_LIBRARY_PATH=LIB, CUDA_INJECTION64_PATH=f"{U}/more2/injection.so")
spring(injection, [sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0)"], env)
among("injection", env, [injection], every=MACHINE)
needed = library(f"{U}/needed/libtrapneeded.so.1", "a library that the driver's needs, through LD_LIBRARY_PATH")
os.symlink("libtrapneeded.so.1", f"{U}/needed/libtrapneeded.so")
vendor(LIB, [f"-L{U}/needed", "-ltrapneeded"])
env = dict(BASE, LD_LIBRARY_PATH=f"{LIB}:{U}/needed")
spring(needed, *load(f"{LIB}/libcuda.so.1", env))
among("needed", env, [needed], every=MACHINE)
runpath = library(f"{U}/runpath/libtraprunpath.so.1", "a library that the driver's needs, through its RUNPATH")
os.symlink("libtraprunpath.so.1", f"{U}/runpath/libtraprunpath.so")
vendor(LIB, [f"-L{U}/runpath", "-ltraprunpath"], U + "/runpath")
env = dict(BASE, LD_LIBRARY_PATH=LIB)
spring(runpath, *load(f"{LIB}/libcuda.so.1", env))
among("RUNPATH", env, [runpath], every=MACHINE)
asked(env, False)
cached = library(f"{U}/cached/libtrapcached.so.1", "a library that the driver's needs, from a folder in ld.so.cache")
os.symlink("libtrapcached.so.1", f"{U}/cached/libtrapcached.so")
vendor(LIB, [f"-L{U}/cached", "-ltrapcached"])
with open(WORK + "/ld.so.conf", "w") as f:
    f.write(f"{U}/cached\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n/lib\n/usr/lib\n")
subprocess.run(["ldconfig", "-X", "-f", WORK + "/ld.so.conf", "-C", WORK + "/ld.so.cache"], stderr=subprocess.DEVNULL)
if subprocess.run(["mount", "--bind", WORK + "/ld.so.cache", "/etc/ld.so.cache"]).returncode == 0:
    spring(cached, *load(f"{LIB}/libcuda.so.1", env))
    among("ld.so.cache", env, [cached], every=MACHINE)
    subprocess.run(["umount", "/etc/ld.so.cache"])
else:
    print("skipped: ld.so.cache cannot be replaced here")
    traps[cached] = None

# The library itself: somebody else may write it, or put another one there.
vendor(LIB)
ways = []
for what, make in {
    "of the user's in a folder of root's": lambda d, p: os.chown(p, UID, UID),
    "of root's that all may write": lambda d, p: os.chmod(p, 0o666),
    "of root's that its group may write": lambda d, p: os.chmod(p, 0o664),
    "of root's in a folder that all may write": lambda d, p: os.chmod(d, 0o777),
    "of root's in a folder that its group may write": lambda d, p: os.chmod(d, 0o775),
    "of root's in a folder of the user's": lambda d, p: os.chown(d, UID, UID),
    "of the user's in a folder like /tmp": lambda d, p: (os.chmod(d, 0o1777), os.chown(p, UID, UID)),
    "of the user's behind a link of root's": lambda d, p: (shutil.move(p, f"{U}/moved.so"), os.chown(f"{U}/moved.so", UID, UID), os.symlink(f"{U}/moved.so", p)),
    "of root's below a folder of the user's": lambda d, p: os.chown(os.path.dirname(d), UID, UID),
}.items():
    d = f"{WORK}/ways{len(ways)}/lib"
    n = library(f"{d}/libnvidia-ml.so.1", f"libnvidia-ml {what}", uid=0)
    os.chmod(os.path.dirname(d), 0o755)
    os.chmod(d, 0o755)
    make(d, f"{d}/libnvidia-ml.so.1")
    spring(n, *load(f"{d}/libnvidia-ml.so.1"))
    among(what, dict(BASE, LD_LIBRARY_PATH=d), [n], every=[["doctor"], ["doctor", "--json", "--verbose"], ["snapshot"], ["versions"]])
    ways.append(n)
# The control: where all is root's own, it is loaded.
n = library(f"{WORK}/fine/libnvidia-ml.so.1", None, uid=0)
clear()
look(["doctor"], dict(BASE, LD_LIBRARY_PATH=WORK + "/fine"), "/")
if marks()[4095] == 0:
    bad.append("the control did not fire: root's own library is not asked at all")

# While the library is changed for another one.
swap = library(f"{WORK}/swap/trap.so", "a library swapped while it is looked at (renameat2 RENAME_EXCHANGE)", soname="libnvidia-ml.so.1")
os.makedirs(WORK + "/swap/lib")
good = WORK + "/swap/lib/libnvidia-ml.so.1"
shutil.copy(f"{LIB}/libnvidia-ml.so.{DRIVER}", good)
os.chmod(WORK + "/swap", 0o755)
stop = False
libc = ctypes.CDLL(None)


def exchange():
    while not stop:
        libc.syscall(316, -100, good.encode(), -100, (WORK + "/swap/trap.so").encode(), 2)
        libc.syscall(316, -100, good.encode(), -100, (WORK + "/swap/trap.so").encode(), 2)


spring(swap, *load(f"{WORK}/swap/trap.so"))
t = threading.Thread(target=exchange)
t.start()
env = dict(BASE, LD_LIBRARY_PATH=WORK + "/swap/lib")
loaded = 0
for i in range(TRIES):
    rc, out, err = look(["snapshot"], env, "/")
    loaded += b'"value": "NVML_SUCCESS"' in out
stop = True
t.join()
if marks()[swap]:
    bad.append(f"FIRED: {traps[swap]}: {marks()[swap]} of {TRIES}")
results[swap] = "FIRED" if marks()[swap] else "not fired"
print(f"swapped libraries: {TRIES} looks, root's own asked in {loaded}, the user's loaded in {marks()[swap]}")

# --- 5. character sets ----------------------------------------------------------------------------------------------------------
gconv = [f for f in glob.glob("/usr/lib/*/gconv") if os.path.exists(f + "/EUC-KR.so")]
if gconv:
    sets = []
    for charset, lib in ("ko_KR.EUC-KR", "libKSC.so"), ("zh_CN.EUC-CN", "libGB.so"), ("zh_TW.EUC-TW", "libCNS.so"), ("ja_JP.EUC-JP", "libJIS.so"):
        # The symbols that the module asks for, as empty tables.
        names = [x.split() for x in subprocess.run(["nm", "-DS", "--defined-only", f"{gconv[0]}/{lib}"], stdout=subprocess.PIPE, text=True).stdout.split("\n")]
        more = "".join(f"char {x[3]}[{int(x[1], 16)}];\n" for x in names if len(x) == 4)
        n = library(f"{U}/gconv/{lib}", f"what iconv's module needs: {lib}, through LD_LIBRARY_PATH", more=more)
        env = dict(BASE, LC_ALL=charset, LD_LIBRARY_PATH=U + "/gconv")
        spring(n, ["iconv", "-f", "UTF-8", "-t", charset[6:], "/etc/os-release"], env)
        among(charset, env, [n], every=MACHINE[:3] + [["causes"], ["--help"]])
    n = library(f"{U}/gconvpath/TRAP.so", "GCONV_PATH")
    write(f"{U}/gconvpath/gconv-modules", "module TRAP// INTERNAL TRAP 1\nmodule INTERNAL TRAP// TRAP 1\n")
    env = dict(BASE, LC_ALL="xx_XX.TRAP", GCONV_PATH=U + "/gconvpath")
    spring(n, ["iconv", "-f", "UTF-8", "-t", "TRAP", "/etc/os-release"], env)
    among("GCONV_PATH", env, [n], every=MACHINE[:3] + [["causes"], ["--help"]])
else:
    print("skipped: iconv's modules are not installed")

# --- 6. what ld.so does before main: named, and no further ----------------------------------------------------------------------
for variable in "LD_PRELOAD", "LD_AUDIT":
    path = f"{U}/before/{variable.lower()}.so"
    n = library(path, f"{variable}: only by ld.so, named, not passed on")
    env = dict(BASE, LD_LIBRARY_PATH=LIB, **{variable: path})
    spring(n, ["/bin/true"], env)
    clear()
    for args in LINES:
        before_n = marks()[n]
        rc, out, err = look(args, env, "/")
        if marks()[n] - before_n != 1:
            bad.append(f"{variable}: loaded {marks()[n] - before_n} times by tenon {' '.join(args)}")
        if path.encode() not in err and args[0] not in ("--help", "--version"):
            bad.append(f"{variable} is not named by tenon {' '.join(args)}: {err[:200]}")
        clear()
    results[n] = "named"

# --- 7. secrets of root's behind what the user may plant -------------------------------------------------------------------------
secret = write(WORK + "/secret", f"{SECRET}\nVersion: {SECRET}\nhome = /{SECRET}\nversion = {SECRET}\nName: torch\n", 0o600, 0)
os.makedirs(WORK + "/private", mode=0o700)
write(WORK + "/private/pyvenv.cfg", f"home = /{SECRET}\nversion = {SECRET}\n", 0o644, 0)
places = {"a link as pyvenv.cfg": "s1/pyvenv.cfg", "a link as METADATA": f"venv/lib/python{version}/site-packages/torch-2.5.1.dist-info/METADATA", "a link as pip.conf": ".pip/pip.conf",
          "a link as .condarc": "s2/.condarc", "a link as libcuda": "s3/libcuda.so.1", "a link as ld.so.conf": "root2/etc/ld.so.conf", "a link as os-release": "root2/etc/os-release",
          "a link as environments.txt": ".conda/environments.txt"}
planted = []
for what, name in places.items():
    for kind in "symbolic", "hard":
        p = f"{U}/{kind}/{name}"
        os.makedirs(os.path.dirname(p), exist_ok=True)
        (os.symlink if kind == "symbolic" else os.link)(secret, p)
        planted.append(trap(f"{what}, {kind}, to a private file of root's"))
folder_link = trap("a link as environment to a private folder of root's")
os.symlink(WORK + "/private", f"{U}/envlink")
planted.append(folder_link)
for x in ("/etc/shadow", "/proc/1/environ", "/proc/self/mem", "/proc/kcore", "/dev/mem", "/dev/zero", "/dev/random", "/proc/kmsg"):
    os.makedirs(f"{U}/devs{x.replace('/', '-')}", exist_ok=True)
    os.symlink(x, f"{U}/devs{x.replace('/', '-')}/pyvenv.cfg")
    planted.append(trap(f"a link as pyvenv.cfg to {x}"))
for base, folders, names in os.walk(U):
    for x in folders + names:
        p = os.path.join(base, x)
        if os.path.islink(p) or os.lstat(p).st_nlink == 1 or os.path.isdir(p):
            os.lchown(p, UID, UID)
for kind in "symbolic", "hard":
    home = f"{U}/{kind}"
    env = dict(BASE, HOME=home, CONDARC=home + "/s2/.condarc", PIP_CONFIG_FILE=home + "/.pip/pip.conf", LD_LIBRARY_PATH=f"{home}/s3", VIRTUAL_ENV=home + "/venv", LC_ALL="C.UTF-8")
    every = [["doctor", "--json", "--verbose"], ["snapshot", "--include-identifiers"], ["versions", "--json"]]
    for e in "s1", "venv":
        every += [["doctor", "--env", f"{home}/{e}", "--json", "--verbose"], ["snapshot", "--env", f"{home}/{e}", "--include-identifiers"]]
    every += [["doctor", "--root", home + "/root2", "--json", "--verbose"], ["snapshot", "--root", home + "/root2", "--include-identifiers"], ["doctor", "--from", f"{home}/s1/pyvenv.cfg"],
              ["versions", f"{home}/s1/pyvenv.cfg"], ["explain", f"{home}/s1/pyvenv.cfg"]]
    if kind == "symbolic":
        every += [["snapshot", "--env", U + "/envlink", "--include-identifiers"], ["doctor", "--env", U + "/envlink", "--json", "--verbose"]]
        every += [["snapshot", "--include-identifiers", "--env", d] for d in glob.glob(U + "/devs*")]
    for args in every:
        rc, out, err = look(args, env, "/")
        if SECRET.encode() in out + err:
            bad.append(f"FIRED: a private file of root's is shown ({kind}): tenon {' '.join(args)}")
            for n in planted:
                results[n] = "FIRED?"
for n in planted:
    results.setdefault(n, "not fired")
# Root names its own secret: that is read.
_, out, err = look(["snapshot", "--env", WORK + "/private", "--include-identifiers"], BASE, "/")
if SECRET.encode() not in out:
    bad.append("the control did not work: root's own environment is not read")

# A file that root writes where the user has planted a link.
target = write(WORK + "/target", "untouched", 0o600, 0)
os.makedirs(WORK + "/sticky")
os.chmod(WORK + "/sticky", 0o1777)
for name, args in ("out.json", ["snapshot", "-o"]), ("raw.json", ["snapshot", "--raw", "-o"]), ("debug.json", ["doctor", "--debug"]):
    p = f"{WORK}/sticky/{name}"
    n = trap(f"a link in a folder like /tmp where root writes {name}")
    os.symlink(target, p)
    os.lchown(p, UID, UID)
    look(args + [p], BASE, "/")
    fired = open(target).read() != "untouched" or os.path.islink(p) and os.path.exists(p) and open(p).read() != "untouched"
    results[n] = "FIRED" if fired else "not fired"
    if fired:
        bad.append(f"FIRED: {traps[n]}")

# --- 8. a setuid tenon -----------------------------------------------------------------------------------------------------------
for what, arm in ("a setuid bit on tenon", lambda p: os.chmod(p, 0o4755)), ("file capabilities on tenon", lambda p: subprocess.run(["setcap", "cap_dac_read_search,cap_dac_override+ep", p]).returncode):
    n = trap(what)
    for program, control in (shutil.which("cat"), True), (TENON, False):
        p = f"{WORK}/armed-{'cat' if control else 'tenon'}"
        shutil.copy(program, p)
        os.chmod(p, 0o755)
        if arm(p):
            traps[n] = None
            print("skipped:", what, "cannot be had here")
            break
        if control:
            r = subprocess.run(["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", p, secret], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if SECRET.encode() not in r.stdout:
                traps[n] = None
                print("skipped:", what, "has no effect here")
                break
            continue
        for args in LINES + [["doctor", "--from", secret], ["snapshot", "--include-identifiers", "--env", WORK + "/private"], ["explain", secret], ["versions", secret]]:
            rc, out, err = look(args, BASE, "/", user=True, tenon=p)
            if SECRET.encode() in out + err:
                bad.append(f"FIRED: {what}: tenon {' '.join(args)}")
                results[n] = "FIRED"
        results.setdefault(n, "not fired")

# --- the same once as the user: the programs, Python and files, and nothing below the own folder changes -------------------------
among("as the user", dict(everything, LD_LIBRARY_PATH=""), [], user=True)

count = 0
for n, name in enumerate(traps):
    if name is None:
        continue
    if n not in results:
        bad.append(f"not tried: {name}")
        continue
    count += 1
    print(f"{name:84} -> {results[n]}")
print(f"{count} traps")
for b in list(dict.fromkeys(bad))[:40]:
    print("WRONG:", b)
sys.exit(1 if bad or count < 40 else 0)
