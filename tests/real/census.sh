#!/usr/bin/env bash
# What `tenon doctor --json` and --verbose count in each environment is what the environment's own pip lists (importlib.metadata
# where there is no pip), what conda-meta holds, and what dpkg says of the system: interpreters of this machine, venv, virtualenv,
# uv, pipx, poetry, a conda prefix; a Jupyter kernel registered and really started; damage done by hand to what pip installed.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX CONDA_EXE PYTHONPATH PYTHONHOME JUPYTER_PATH
[ ! -d "$HOME/.pyenv" ] || export PYENV_ROOT=${PYENV_ROOT:-$HOME/.pyenv}
python=
for p in "$HOME"/.pyenv/versions/3.1[1-9]*/bin/python3 /usr/bin/python3; do if "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$p; break; fi; done
[ -n "$python" ] || skip "a Python with venv"
tools=$PARTS/python-tools-1 # kept by envs.sh
more=$PARTS/python-tools-2
if [ ! -f "$more/ready" ]; then
    rm -rf "$more"
    if "$python" -m venv "$more" && "$more/bin/python" -m pip install -q poetry pipx ipykernel jupyter-client >"$WORK/pip.log" 2>&1; then : >"$more/ready"; else rm -rf "$more"; echo "skipped: poetry, pipx and ipykernel cannot be had"; fi
fi

export HOME=$WORK/home
mkdir -p "$HOME/.virtualenvs"
"$python" -m venv "$HOME/.virtualenvs/plain"
if [ -f "$tools/ready" ]; then
    "$tools/bin/virtualenv" -q --no-download --system-site-packages -p "$python" "$HOME/.virtualenvs/seeing"
    UV_CACHE_DIR=$WORK/uv "$tools/bin/uv" venv -q --no-config --offline -p "$python" "$HOME/work/.venv"
fi
cat >"$WORK/wheel.py" <<'X'
"""wheel.py FOLDER NAME VERSION : a tiny wheel, so that the tools write the metadata."""
import sys, zipfile
work, name, version = sys.argv[1:]
d = f"{name}-{version}.dist-info"
files = {f"{name}/__init__.py": "VALUE = 1\n", f"{name}/lib.so": "ELF", d + "/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
         d + "/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
if name == "app":
    files[d + "/entry_points.txt"] = "[console_scripts]\napp = app:VALUE\n"
files[d + "/RECORD"] = "".join(f"{k},,{len(v)}\n" for k, v in files.items()) + f"{d}/RECORD,,\n"
with zipfile.ZipFile(f"{work}/{name}-{version}-py3-none-any.whl", "w") as z:
    for k, v in files.items():
        z.writestr(k, v)
X
for w in "torch 2.4.0" "numpy 1.26.4" "app 1.0"; do python3 "$WORK/wheel.py" "$WORK" $w; done
pip() { "$HOME/.virtualenvs/plain/bin/python" -m pip --disable-pip-version-check -q --no-input "$@" --no-index; }
pip install "$WORK/torch-2.4.0-py3-none-any.whl" "$WORK/numpy-1.26.4-py3-none-any.whl"
[ ! -f "$tools/ready" ] || UV_CACHE_DIR=$WORK/uv "$tools/bin/uv" pip install -q --no-config --offline -p "$HOME/work/.venv" "$WORK/numpy-1.26.4-py3-none-any.whl"
if [ -f "$more/ready" ]; then
    PIPX_DEFAULT_PYTHON=$python "$more/bin/pipx" install --pip-args=--no-index "$WORK/app-1.0-py3-none-any.whl" >"$WORK/pipx.log" 2>&1 || echo "skipped: pipx: $(tail -1 "$WORK/pipx.log")"
    mkdir -p "$HOME/proj"
    printf '[project]\nname = "proj"\nversion = "0.1"\nrequires-python = ">=3.9"\n[tool.poetry]\npackage-mode = false\n' >"$HOME/proj/pyproject.toml"
    (cd "$HOME/proj" && "$more/bin/poetry" env use -n -q "$python") >"$WORK/poetry.log" 2>&1 || echo "skipped: poetry: $(tail -1 "$WORK/poetry.log")"
fi
C=$HOME/miniforge3/envs/c
mkdir -p "$C/conda-meta" "$C/bin"
for n in python-3.11.9-h_0 numpy-1.26.4-py_0 zlib-1.3-h_0 _libgcc_mutex-0.1-main; do echo '{"depends": []}' >"$C/conda-meta/$n.json"; done

cd "$WORK"
"$TENON" doctor --json >"$WORK/d.json" || [ $? = 1 ] || [ $? = 3 ] || fail "doctor"
python3 - "$WORK/d.json" <<'X' || fail "see above"
import glob, json, os, subprocess, sys
d, bad, seen = json.load(open(sys.argv[1])), 0, 0
CODE = """
import sys
try:
    import importlib.metadata as m
except ImportError:
    print(-1); sys.exit()
print(len({x.metadata['Name'].lower().replace('_', '-').replace('.', '-') for x in m.distributions(path=sys.argv[1:])}))
"""
def text(argv):
    return subprocess.run(argv, capture_output=True, text=True, env=dict(os.environ, PYTHONNOUSERSITE="1")).stdout
for e in d["environments"]:
    path, got, conda = e["path"], e["distributions"], e["conda_packages"]
    if conda is not None and conda != len(glob.glob(path + "/conda-meta/*.json")):
        print(path, "conda", conda); bad += 1
    programs = [p for p in (path + "/bin/python3", path + "/bin/python") if os.path.exists(p)]
    if not programs:
        continue
    if path == "/usr":
        want = int(text([programs[0], "-c", CODE] + glob.glob("/usr/local/lib/python3.*/dist-packages") + ["/usr/lib/python3/dist-packages"]) or -1)
    else:
        try:
            want = len(json.loads(text([programs[0], "-m", "pip", "list", "--local", "--format=json", "--disable-pip-version-check"])))
        except ValueError: # no pip in it
            want = int(text([programs[0], "-c", CODE] + glob.glob(path + "/lib/python*/site-packages")) or -1)
    if want < 0:
        continue
    seen += 1
    if got != want:
        print(f"{path}: tenon counts {got}, its own tools {want}"); bad += 1
print(f"{seen} environments compared")
status = "/var/lib/dpkg/status"
if os.path.exists(status) and d.get("system_packages") is not None:
    want = sum(l.startswith("Status: ") and l.split()[-1] == "installed" for l in open(status, encoding="utf-8", errors="replace"))
    if want != d["system_packages"]:
        print(f"dpkg has {want}, tenon counts {d['system_packages']}"); bad += 1
sys.exit(1 if bad or seen < 2 else 0)
X
val() { json "$WORK/d.json" "[e['$2'] for e in d['environments'] if '$1' in e['path']][0]"; }
same "$(val /.virtualenvs/plain tool)" venv "what made a venv"
same "$(val /miniforge3/envs/c conda_packages)" 4 "records of conda"
[ ! -f "$tools/ready" ] || { same "$(val /.virtualenvs/seeing tool)" virtualenv "what made a virtualenv"; same "$(val /work/.venv tool)" uv "what made uv's"; }
[ ! -d "$HOME/.local/share/pipx/venvs/app" ] || same "$(val /pipx/venvs/app tool)" pipx "what made pipx's"
[ ! -d "$HOME/.cache/pypoetry/virtualenvs" ] || same "$(val /pypoetry/virtualenvs/ tool)" poetry "what made poetry's"
("$TENON" doctor --verbose || true) | has "/.virtualenvs/plain: venv, .* packages" || fail "--verbose does not say what an environment holds"

# A kernel that was registered by its own tool, and answers; then its environment goes.
if [ -f "$more/ready" ]; then
    K=$WORK/kernel-env
    "$python" -m venv --without-pip "$K" && echo "$(ls -d "$more"/lib/python*/site-packages)" >"$(ls -d "$K"/lib/python*/site-packages)/all.pth"
    "$K/bin/python" -m ipykernel install --user --name gpu1 >/dev/null 2>&1 || fail "ipykernel"
    "$K/bin/python" - <<'X' >"$WORK/kernel.out" 2>&1 || fail "the kernel does not start: $(tail -2 "$WORK/kernel.out")"
from jupyter_client.manager import start_new_kernel
m, c = start_new_kernel(kernel_name="gpu1")
c.execute_interactive("import sys; print(sys.prefix)", timeout=60)
m.shutdown_kernel(now=True)
X
    has "$K" <"$WORK/kernel.out" || fail "the kernel runs elsewhere"
    "$TENON" snapshot --include-identifiers >"$WORK/s.json"
    id=$(json "$WORK/s.json" "[r['env']['value'] for r in d['choice']['rows'] if r['by']['value'] == 'jupyter' and r['name']['value'] == 'gpu1'][0]")
    same "$(json "$WORK/s.json" "[e['path']['value'] for e in d['env']['rows'] if e['id']['value'] == '$id'][0]")" "$K" "the kernel's environment"
    rm -rf "$K"
    "$TENON" snapshot --include-identifiers >"$WORK/s.json"
    same "$(json "$WORK/s.json" "[r['exists']['value'] for r in d['choice']['rows'] if r['name'].get('value') == 'gpu1'][0]")" False "a kernel whose environment is gone"
fi

# Damage to what pip installed.
E=$HOME/.virtualenvs/plain
S=$(ls -d "$E"/lib/python*/site-packages)
damage() { "$TENON" snapshot --env "$E" --include-identifiers >"$WORK/s.json"; json "$WORK/s.json" "' '.join(sorted(r['name']['value']+'='+r['damage']['value'] for r in d['dist']['rows'] if r['env']['value'] == 'env1' and r.get('damage', {}).get('value')))"; }
verdict() { ("$TENON" doctor --env "$E" --expect cpu --json || true) >"$WORK/v.json"; json "$WORK/v.json" "d['verdict']['cause']"; }
same "$(damage)" "" "an installation that is whole"
rm "$S/torch/lib.so"
same "$(damage)" "torch=files-missing" "a library that is gone"
same "$(verdict)" framework-corrupt "the verdict on it"
: >"$S/torch/lib.so"
same "$(damage)" "torch=files-empty" "a library that is empty"
pip install --force-reinstall "$WORK/torch-2.4.0-py3-none-any.whl" # what the remedy says
same "$(damage)" "" "installed anew"
rm -rf "$S/torch"
same "$(damage)" "torch=files-missing" "half removed"
cp -a "$S/numpy-1.26.4.dist-info" "$S/numpy-1.25.0.dist-info"
mv "$S/torch-2.4.0.dist-info" "$S/~orch-2.4.0.dist-info"
same "$(damage)" "numpy=doubled numpy=doubled torch=leftover" "two records, and what pip left behind"
rm -rf "$S/numpy-1.25.0.dist-info" "$S/~orch-2.4.0.dist-info"
for l in "$E"/bin/python*; do ln -sfn /gone/bin/python3 "$l"; done
same "$(verdict)" framework-corrupt "an environment without its interpreter"
