#!/usr/bin/env bash
# Everything that a machine with an NVIDIA card can show of tenon, into one folder: snapshot, doctor, verify (full), bench, and the
# same matrix product by cuBLAS called directly. Nothing on the machine is changed.
# usage: tools/on-a-card.sh [FOLDER [GPU]]     TENON: the program (default: build/tenon); ENV: an environment to be judged
# Exit status: that of verify: 0 all was tried and is right, 1 something is wrong, 3 something, such as the GPU, was not tried.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
TENON=${TENON:-$here/../build/tenon}
out=${1:-on-a-card-$(date +%Y%m%d-%H%M%S)} gpu=${2:-0}
[ -x "$TENON" ] || { echo "on-a-card: there is no $TENON: build it, or set TENON" >&2; exit 2; }
mkdir -p "$out"
env=()
[ -z "${ENV:-}" ] || env=(--env "$ENV")

# step NAME COMMAND... : its output, its errors, its status and time; a failure does not end the rest.
step() {
    local name=$1 status=0 begin
    shift
    begin=$(date +%s%N)
    "$@" >"$out/$name" 2>"$out/$name.err" || status=$?
    [ -s "$out/$name.err" ] || rm -f "$out/$name.err"
    printf '%-22s exit %3d %7d ms\n' "$name" $status $((($(date +%s%N) - begin) / 1000000)) | tee -a "$out/summary.txt"
    return 0
}
status_of() { awk -v n="$1" '$1 == n {print $3}' "$out/summary.txt"; }

: >"$out/summary.txt"
"$TENON" --version >"$out/version.txt"
step snapshot.json "$TENON" snapshot
step doctor.txt "$TENON" doctor "${env[@]}"
step verify.txt "$TENON" verify --level full --gpu "$gpu" --placement --verbose "${env[@]}"
step verify.json "$TENON" verify --level full --gpu "$gpu" --json "${env[@]}"
step verify-quick.json "$TENON" verify --gpu "$gpu" --json "${env[@]}"
step bench.txt "$TENON" bench "${env[@]}"
step bench.json "$TENON" bench --device gpu --gpu "$gpu" --work all --json "${env[@]}"
step bench-large.json "$TENON" bench --device gpu --gpu "$gpu" --n 1024,2048,4096,8192 --json "${env[@]}"
step bench.html "$TENON" bench --gpu "$gpu" --html "${env[@]}"
command -v nvidia-smi >/dev/null && step nvidia-smi.txt nvidia-smi -q

# The files that verify says did the work, so that both sides measure the same library.
if command -v python3 >/dev/null; then
    files=$(python3 - "$out/verify.json" <<'P'
import json, sys
try:
    layers = json.load(open(sys.argv[1]))["layers"]
except (OSError, ValueError):
    layers = []
worked = {l["name"]: l["library"]["path"] for l in layers if l["status"] == "pass" and l["device"] == "gpu"}
if "driver" in worked and "cublas" in worked:
    print(worked["driver"], worked["cublas"])
P
    )
    if [ -n "$files" ]; then
        read -r cuda cublas <<<"$files"
        for precision in fp32 tf32 fp16 fp64; do
            step "direct-$precision.json" python3 "$here/direct_cublas.py" "$cuda" "$cublas" --gpu "$gpu" --precision $precision 1024 2048 4096 8192
        done
    else
        echo "direct cuBLAS          not measured: verify had no cuBLAS at work on a GPU" | tee -a "$out/summary.txt"
    fi
else
    echo "direct cuBLAS          not measured: no python3" | tee -a "$out/summary.txt"
fi
head -3 "$out/verify.txt"
echo "all of it: $out"
exit "$(status_of verify.txt)"
