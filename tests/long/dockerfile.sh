#!/usr/bin/env bash
# A plan exported as a Dockerfile: its lines are run, one after the other, as a builder would run them, in a root of their own: the
# system's files read-only, a Python of the release in /usr/local as the image python:X.Y has it, no network, packages from a folder.
# The real onnxruntime of the index computes afterwards; TensorFlow's links lead to every library (its packages and NVIDIA's are small
# ones of the same names and versions). Built twice, a plan for a venv in an image and one into the image's own Python.
. "$TENON_SOURCE/tests/real/lib.sh"
[ "$(id -u)" = 0 ] && unshare -mn true 2>/dev/null || skip "mounts (not root)"
pythons=()
for v in 3.10 3.11; do
    p=$(ls -d "$HOME"/.pyenv/versions/$v.*/bin/python$v 2>/dev/null | tail -1 || true)
    [ -n "$p" ] || skip "a Python $v that can be moved"
    pythons+=("$v=${p%/bin/*}")
done
mkdir -p "$WORK/small"

# Wheels of the names and versions that a Dockerfile asks for, with a library each where they are NVIDIA's.
small_wheels() { # DOCKERFILE FOLDER
    python3 - "$@" <<'P'
import re, shlex, sys, zipfile
file, folder = sys.argv[1:]
for line in open(file):
    if not (line.startswith("RUN ") and " install " in line):
        continue
    for word in shlex.split(line[4:].split(" install ")[1]):
        m = re.match(r"([A-Za-z0-9_-]+)(\[[^]]*\])?(==|<|>=)?([0-9.]*)", word)
        if word.startswith("-") or not m:
            continue
        name, v = m.group(1), m.group(4) if m.group(3) in ("==", ">=") else "0.1"
        under = name.replace("-", "_")
        part = re.sub(r"^nvidia-|-cu\d+$", "", name).replace("-", "_")
        files = {("nvidia/%s/lib/lib%s.so.1" % (part, part)) if name.startswith("nvidia-") else under + "/__init__.py": "V = '%s'\n" % v}
        info = "%s-%s.dist-info/" % (under, v)
        files.update({info + "METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\nProvides-Extra: and-cuda\n" % (name, v),
                      info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"})
        with zipfile.ZipFile("%s/%s-%s-py3-none-any.whl" % (folder, under, v), "w") as z:
            for n, t in files.items():
                z.writestr(n, t)
            z.writestr(info + "RECORD", "".join("%s,,\n" % n for n in files))
P
}
cat >"$WORK/build.py" <<'P'
"""build.py DOCKERFILE ROOT WHEELS PYTHON-FOLDER CHECK: each RUN in ROOT, with what ENV has set so far, then the CMD with CHECK."""
import json, os, re, shutil, subprocess, sys
file, root, wheels, python, check = sys.argv[1:]
chroot = shutil.which("chroot")
sh = lambda *a: subprocess.run(a, check=True)
for d in ("usr", "proc", "dev", "tmp", "opt", "root", "etc", "wheels", "up", "work"):
    os.makedirs(root + "/" + d)
for d in ("bin", "sbin", "lib", "lib64"):
    os.symlink("usr/" + d, root + "/" + d)
sh("mount", "--bind", "/usr", root + "/usr")
sh("mount", "-o", "remount,bind,ro", root + "/usr")
sh("mount", "-t", "overlay", "-o", "lowerdir=%s,upperdir=%s/up,workdir=%s/work" % (python, root, root), "none", root + "/usr/local")
sh("mount", "-t", "proc", "none", root + "/proc")
sh("mount", "--bind", "/dev", root + "/dev")
sh("mount", "--bind", wheels, root + "/wheels")
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels",
       "LD_LIBRARY_PATH": "/usr/local/lib",  # of the image: by ldconfig
       "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
image, last = None, ["python"]
for line in open(file):
    word, _, rest = line.strip().partition(" ")
    if word == "FROM":
        image = rest
    elif word == "ENV":
        name, _, value = rest.partition("=")
        env[name] = re.sub(r"\$(\w+)", lambda m: env.get(m.group(1), ""), value)
    elif word == "RUN":
        r = subprocess.run([chroot, root, "/bin/sh", "-c", rest], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if r.returncode:
            sys.exit("RUN %s: %d\n%s" % (rest, r.returncode, r.stdout.decode(errors="replace")))
    elif word == "CMD":
        last = json.loads(rest)
    elif word and not word.startswith("#"):
        sys.exit("a line that a builder would not know: " + line)
if not image or not image.startswith("python:" + re.search(r"python(3\.\d+)", " ".join(os.listdir(python + "/lib"))).group(1)):
    sys.exit("FROM %s" % image)
r = subprocess.run([chroot, root, *last, "-c", check], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
sys.stdout.write(r.stdout.decode(errors="replace"))
sys.exit(r.returncode)
P
build() { # WHAT PYTHON WHEELS CHECK ARGUMENTS-OF-PLAN...
    local what=$1 minor=$2 wheels=$3 check=$4 folder= x
    shift 4
    for x in "${pythons[@]}"; do [ "${x%%=*}" != "$minor" ] || folder=${x#*=}; done
    "$TENON" plan "$@" --python "$minor" --export dockerfile >"$WORK/Dockerfile" || fail "$what: $(cat "$WORK/Dockerfile")"
    [ "$wheels" != "$WORK/small" ] || small_wheels "$WORK/Dockerfile" "$wheels"
    mkdir "$WORK/root"
    unshare -mn --propagation private python3 "$WORK/build.py" "$WORK/Dockerfile" "$WORK/root" "$wheels" "$folder" "$check" >"$WORK/out" 2>&1 || fail "$what: $(cat "$WORK/Dockerfile" "$WORK/out")"
    echo "$what: $(grep -c '^RUN' "$WORK/Dockerfile") lines run: $(tail -1 "$WORK/out")"
    rm -rf "$WORK/root"
}
links='
import glob, os, sys, tensorflow
where = os.path.dirname(tensorflow.__file__)
have = glob.glob(where + "/lib*.so*")
want = glob.glob(os.path.join(os.path.dirname(where), "nvidia", "*", "lib", "lib*.so*"))
assert want and len(have) == len(want) and all(os.path.exists(p) for p in have), (have, want)
print(sys.prefix, len(have), "links lead to libraries")'
if ls "$PARTS"/wheels/onnxruntime-1.20.1-cp311-*.whl >/dev/null 2>&1; then
    build "onnxruntime" 3.11 "$PARTS/wheels" 'import onnxruntime as o, numpy; print(o.__version__, numpy.__version__, o.get_available_providers())' onnxruntime==1.20.1 --cpu
    same "$(sed 's/ .*//' "$WORK/out" | tail -1)" 1.20.1 "onnxruntime"
else
    echo "skipped: onnxruntime (its wheel is not among the parts)"
fi
build "TensorFlow 2.10, a venv in the image" 3.10 "$WORK/small" "$links" tensorflow==2.10 --machine os=linux,gpu="RTX 3090",driver=535.54.03 --method pip
has '^/opt/env ' "$WORK/out" || fail "where: $(cat "$WORK/out")"
build "TensorFlow 2.10, the image's own Python" 3.10 "$WORK/small" "$links" tensorflow==2.10 --machine os=linux,gpu="RTX 3090",driver=535.54.03 --method docker
has '^/usr/local ' "$WORK/out" || fail "where: $(cat "$WORK/out")"
build "made by virtualenv at home, by venv in the image" 3.11 "$WORK/small" 'import sys; print(sys.prefix)' onnxruntime==1.20.1 --cpu --method virtualenv
! has virtualenv "$WORK/Dockerfile" || fail "the image has no virtualenv"
