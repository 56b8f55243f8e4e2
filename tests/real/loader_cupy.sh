#!/usr/bin/env bash
# CuPy's own modules, out of the real wheel: the files that the real loader takes when the environment's Python opens them
# (LD_DEBUG=libs), and NVRTC by its name, against "why"; the GPU code of its libraries against NVIDIA's cuobjdump.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME LD_LIBRARY_PATH LD_PRELOAD CUDA_HOME CUDA_PATH
[ "$(uname -sm)" = "Linux x86_64" ] || skip "an x86-64 Linux"
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
V=$WORK/v
"$python" -m venv --without-pip "$V"
SITE=$(echo "$V"/lib/python3*/site-packages)
tag=$("$V/bin/python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
compared=0
for p in cupy-cuda13x:13 cupy-cuda12x:12; do
    d=$PARTS/members/${p%:*}-14.2.0-$tag
    members "${p%:*}" 14.2.0 "$tag*manylinux*x86_64" "$d" 'cupy/.data/_wheel.json' cupy/_version.py cupy/__init__.py '*.dist-info/METADATA' \
        'cupy_backends/cuda/api/runtime*.so' 'cupy_backends/cuda/libs/*.so' 'cupy/random/_generator_api*.so' ||
        { echo "skipped: the members of ${p%:*} 14.2.0"; continue; }
    rm -rf "${SITE:?}"/*
    cp -a "$d"/cupy "$d"/cupy_backends "$d"/*.dist-info "$SITE/"
    "$TENON" why --env "$V" --for cupy --json >"$WORK/why.json" || [ $? = 1 ] || fail "why --for cupy"
    cat >"$WORK/open.py" <<'P'
import ctypes, glob, sys
for m in ["api/runtime", "libs/nvrtc", "libs/cublas", "libs/cusolver", "libs/cusparse", "libs/curand"]:
    try:
        ctypes.CDLL(glob.glob(f"{sys.argv[1]}/cupy_backends/cuda/{m}.*.so")[0])
    except OSError as e:
        print(e)
try:
    ctypes.CDLL(f"libnvrtc.so.{sys.argv[2]}")
except OSError as e:
    print(e)
P
    LD_DEBUG=libs "$V/bin/python" "$WORK/open.py" "$SITE" "${p#*:}" >"$WORK/said" 2>"$WORK/log" || fail "$(cat "$WORK/log")"
    sed -n 's/^ *[0-9]*:[[:space:]]*calling init: //p' "$WORK/log" | sort -u >"$WORK/loaded"
    n=$(python3 - "$WORK/why.json" "$WORK/loaded" <<'P'
import json, os, sys
rows = [r for a in json.load(open(sys.argv[1]))["askers"] for r in a["loads"] if r["how"] != "preload"]
loaded = {os.path.basename(l.rstrip("\n")): l.rstrip("\n") for l in open(sys.argv[2])}
bad = 0
for r in rows:
    ours = r["path"] if r["outcome"] == "found" else None
    if ours != loaded.get(r["name"]):
        bad += 1
        print(f"{r['name']}: ours {r['outcome']} {r['path']}, the loader's {loaded.get(r['name'])}", file=sys.stderr)
print(len(rows))
sys.exit(bad != 0 or len(rows) < 7)
P
    ) || fail "${p%:*}: another file than the real loader's: $(cat "$WORK/said")"
    compared=$((compared + n))
    json "$WORK/why.json" "[r['name'] for a in d['askers'] for r in a['loads']]" | has "libnvrtc.so.${p#*:}" || fail "${p%:*}: no NVRTC"
    bash "$TENON_SOURCE/tests/real/fatbins.sh" "$SITE"/cupy/random/_generator_api*.so >"$WORK/code" || fail "$(cat "$WORK/code")"
    sed -n '$p' "$WORK/code"
done
[ $compared -gt 0 ] || skip "members of CuPy's wheels"
echo "CuPy 14.2.0: libraries compared with the real loader: $compared, differences 0"
