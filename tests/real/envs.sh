#!/usr/bin/env bash
# Environments made by the tools themselves: venv of every interpreter that is here, virtualenv, uv, and conda by its own solver
# (py-rattler, a local channel of tiny packages): kinds, versions, names, packages against what each tool says.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
facts() { "$TENON" snapshot --env "$1" --include-identifiers >"$WORK/s.json" || fail "snapshot of $1"; }
of() { json "$WORK/s.json" "[{k: f.get('value') for k, f in e.items()} for e in d['env']['rows'] if e['path']['value'] == '$1'][0]$2"; }
dists() { json "$WORK/s.json" "' '.join(sorted(r['name']['value']+'='+r['version']['value'] for r in d['dist']['rows'] if r['env']['value'] == [e['id']['value'] for e in d['env']['rows'] if e['path']['value'] == '$1'][0]))"; }

n=0
for p in /usr/bin/python3 "$HOME"/.pyenv/versions/*/bin/python3; do
    "$p" -c 'import venv' 2>/dev/null || continue
    v=$WORK/venv$((n += 1))
    "$p" -m venv --without-pip "$v" 2>/dev/null || continue
    facts "$v"
    same "$(of "$v" "['kind']")" venv "kind of a venv by $p"
    same "$(of "$v" "['python']")" "$("$v/bin/python" -c 'import platform; print(platform.python_version())')" "version of a venv by $p"
    same "$(of "$v" "['base']")" "$("$v/bin/python" -c 'import sys; print(sys.base_prefix)')" "base of a venv by $p"
    same "$(of "$v" "['site'][0]")" "$("$v/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')" "site folder of a venv by $p"
    same "$(of "$v" "['judged']")" True "judged"
    base=$("$v/bin/python" -c 'import sys, os; print(os.path.realpath(sys.base_prefix))')
    case $base in */.pyenv/versions/*) same "$(of "$base" "['kind']")" pyenv "kind of $base" ;; esac
done
[ $n -gt 0 ] || skip "a Python with venv"

# The other tools, from pip's index; kept by their versions.
tools=$PARTS/python-tools-1
if [ ! -f "$tools/ready" ]; then
    rm -rf "$tools"
    python=
    for p in python3.11 "$HOME"/.pyenv/versions/3.1[1-9]*/bin/python3 /usr/bin/python3; do if "$p" -c 'import venv, ensurepip' 2>/dev/null; then python=$p; break; fi; done
    [ -n "$python" ] && "$python" -m venv "$tools" && "$tools/bin/python" -m pip install -q uv virtualenv py-rattler >"$WORK/pip.log" 2>&1 || { rm -rf "$tools"; skip "uv, virtualenv and py-rattler cannot be had"; }
    : >"$tools/ready"
fi

"$tools/bin/virtualenv" -q --no-download "$WORK/virtualenv" >/dev/null 2>&1 || fail "virtualenv"
facts "$WORK/virtualenv"
same "$(of "$WORK/virtualenv" "['kind']")" venv "kind of a virtualenv"
same "$(of "$WORK/virtualenv" "['python']")" "$("$WORK/virtualenv/bin/python" -c 'import platform; print(platform.python_version())')" "version of a virtualenv"
"$tools/bin/virtualenv" -q --no-download --system-site-packages "$WORK/seeing" >/dev/null 2>&1 || fail "virtualenv"
facts "$WORK/seeing"
same "$(of "$WORK/seeing" "['system_site']")" True "a virtualenv that sees its base"

py=$(for p in "$HOME"/.pyenv/versions/3.1*/bin/python3 /usr/bin/python3; do if [ -x "$p" ]; then echo "$p"; fi; done | sed -n 1p)
(cd "$WORK" && UV_CACHE_DIR=$WORK/uv-cache "$tools/bin/uv" venv -q --no-config --offline -p "$py" "$WORK/project/.venv") >"$WORK/uv.log" 2>&1 || fail "uv venv: $(cat "$WORK/uv.log")"
facts "$WORK/project/.venv"
same "$(of "$WORK/project/.venv" "['kind']")" venv "kind of an environment by uv"
same "$(of "$WORK/project/.venv" "['python']")" "$("$WORK/project/.venv/bin/python" -c 'import platform; print(platform.python_version())')" "version of an environment by uv"
mkdir -p "$WORK/wheel/numpy" "$WORK/wheel/numpy-2.1.3.dist-info" # a tiny wheel, so that uv writes the metadata
printf 'Metadata-Version: 2.1\nName: numpy\nVersion: 2.1.3\n' >"$WORK/wheel/numpy-2.1.3.dist-info/METADATA"
printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' >"$WORK/wheel/numpy-2.1.3.dist-info/WHEEL"
printf 'numpy/__init__.py,,\nnumpy-2.1.3.dist-info/METADATA,,\nnumpy-2.1.3.dist-info/WHEEL,,\nnumpy-2.1.3.dist-info/RECORD,,\n' >"$WORK/wheel/numpy-2.1.3.dist-info/RECORD"
: >"$WORK/wheel/numpy/__init__.py"
(cd "$WORK/wheel" && python3 -c 'import zipfile,os; z=zipfile.ZipFile("../numpy-2.1.3-py3-none-any.whl","w"); [z.write(os.path.join(b,f)) for b,_,n in os.walk(".") for f in n]')
UV_CACHE_DIR=$WORK/uv-cache "$tools/bin/uv" pip install -q --no-config --offline -p "$WORK/project/.venv" "$WORK/numpy-2.1.3-py3-none-any.whl" >"$WORK/uv.log" 2>&1 || fail "uv pip: $(cat "$WORK/uv.log")"
facts "$WORK/project/.venv"
same "$(dists "$WORK/project/.venv")" "numpy=2.1.3" "packages by uv"
same "$(json "$WORK/s.json" "[r['installer']['value'] for r in d['dist']['rows'] if r['path']['value'].startswith('$WORK/project/')]")" "['uv']" "installer"
# From inside the project the environment beside it is found without being named.
(cd "$WORK/project" && VIRTUAL_ENV= "$TENON" snapshot --include-identifiers) >"$WORK/s.json"
same "$(of "$WORK/project/.venv" "['active']")" False "not activated"

cat >"$WORK/channel.py" <<'X'
"""channel.py DIR : DIR/env, a conda environment solved and installed by rattler out of a local channel of tiny packages."""
import asyncio, hashlib, io, json, os, pathlib, sys, tarfile
from rattler import BuildString, Channel, Gateway, GenericVirtualPackage, PackageName, Version, install, solve
root = pathlib.Path(sys.argv[1])
repo = {"info": {"subdir": "linux-64"}, "packages": {}, "packages.conda": {}, "repodata_version": 1}
folder = root / "channel/linux-64"
folder.mkdir(parents=True)
def pkg(name, version, build, depends=(), files=None):
    files = files or {}
    index = dict(name=name, version=version, build=build, build_number=0, depends=list(depends), subdir="linux-64", license="x", timestamp=1700000000000)
    paths = [dict(_path=p, path_type="hardlink", sha256=hashlib.sha256(b).hexdigest(), size_in_bytes=len(b)) for p, b in files.items()]
    info = {"info/index.json": json.dumps(index), "info/paths.json": json.dumps(dict(paths=paths, paths_version=1)), "info/files": "\n".join(files) + "\n", "info/about.json": "{}"}
    out = folder / f"{name}-{version}-{build}.tar.bz2"
    with tarfile.open(out, "w:bz2") as t:
        for p, b in {**{k: v.encode() for k, v in info.items()}, **files}.items():
            i = tarfile.TarInfo(p)
            i.size, i.mode = len(b), 0o755 if p.startswith("bin/") else 0o644
            t.addfile(i, io.BytesIO(b))
    b = out.read_bytes()
    repo["packages"][out.name] = dict(index, md5=hashlib.md5(b).hexdigest(), sha256=hashlib.sha256(b).hexdigest(), size=len(b))
dist = "lib/python3.11/site-packages/tensorflow-2.17.0.dist-info/"
pkg("python", "3.11.9", "hb806964_0_cpython", (), {"bin/python3.11": b"#!/bin/sh\n", "bin/python": b"#!/bin/sh\n"})
pkg("cuda-version", "12.4", "h3060b56_3")
pkg("cudnn", "8.9.7.29", "h092f7fd_3", ["cuda-version >=12.0,<13", "__cuda"], {"lib/libcudnn.so.8.9.7": b"stand-in"})
pkg("numpy", "1.26.4", "py311h64a7726_0", ["python 3.11.*"])
pkg("tensorflow", "2.17.0", "cuda120py311h5cbd639_203", ["python 3.11.*", "cudnn", "numpy >=1.23,<2"],
    {dist + "METADATA": b"Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.17.0\n", dist + "INSTALLER": b"conda\n"})
(folder / "repodata.json").write_text(json.dumps(repo))
(root / "channel/noarch").mkdir()
(root / "channel/noarch/repodata.json").write_text('{"info":{"subdir":"noarch"},"packages":{},"packages.conda":{},"repodata_version":1}')
async def main():
    virtual = [GenericVirtualPackage(PackageName(n), Version(v), BuildString("0")) for n, v in (("__glibc", "2.36"), ("__unix", "0"), ("__cuda", "12.4"))]
    records = await solve([Channel((root / "channel").as_uri())], ["tensorflow"], platforms=["linux-64", "noarch"], gateway=Gateway(cache_dir=root / "cache"), virtual_packages=virtual)
    await install(records, root / "env", cache_dir=root / "pkgs", show_progress=False)
asyncio.run(main())
os._exit(0)  # rattler's own threads may end after the interpreter, which then dies of it
X
"$tools/bin/python" "$WORK/channel.py" "$WORK/conda" >"$WORK/conda.log" 2>&1 || fail "rattler: $(tail -3 "$WORK/conda.log")"
E=$WORK/conda/env
facts "$E"
same "$(of "$E" "['kind']")" conda "kind of a conda environment"
same "$(of "$E" "['python']")" 3.11.9 "version of Python in a conda environment"
want=$(python3 -c 'import glob,json,sys; print(*sorted("%(name)s=%(version)s=%(build)s" % json.load(open(f)) for f in glob.glob(sys.argv[1]+"/conda-meta/*.json") if "/python-" not in f))' "$E")
got=$(json "$WORK/s.json" "' '.join(sorted('='.join(r[k]['value'] for k in ('name','version','build')) for r in d['dist']['rows'] if r.get('installer',{}).get('value') == 'conda' and '/conda-meta/' in r['path']['value'] and r['name']['value'] != 'python'))")
same "$got" "$want" "conda packages"
id=$(of "$E" "['id']")
same "$(json "$WORK/s.json" "[(f['name']['value'], f['version']['value']) for f in d['framework']['rows'] if f['env']['value'] == '$id']")" "[('tensorflow', '2.17.0')]" "one TensorFlow, though two records name it"
(CONDA_PREFIX=$E "$TENON" doctor --json || true) >"$WORK/d.json"
same "$(json "$WORK/d.json" "(d['judged']['environment'], d['judged']['kind'], d['judged']['chosen_by'])")" "('$E', 'conda', 'CONDA_PREFIX')" "judged by CONDA_PREFIX"
