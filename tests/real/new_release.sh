#!/usr/bin/env bash
# A new release enters by one command: an index on this machine gets a TensorFlow that nobody published, mine.py writes its
# rows, and the program built from that tree shows them. The real index: a published wheel is read in ranges and agrees.
. "$(dirname "$0")/lib.sh"
T=$WORK/tree
mkdir -p "$T"
(cd "$TENON_SOURCE" && git ls-files -co --exclude-standard -z | xargs -0 tar c --ignore-failed-read 2>/dev/null) | tar x -C "$T"
cat >"$WORK/serve.py" <<'X'
import os, sys, time
sys.path.insert(0, os.path.join(sys.argv[1], "tests/mine"))
from index import Index, wheel
info = "import collections\nbuild_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_80', 'compute_120']), ('cuda_version', '13.1.0'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n"
data = wheel("tensorflow", "2.99.0", {"tensorflow/python/platform/build_info.py": info, "tensorflow/x.so": os.urandom(2 << 20)},
             requires=("nvidia-nccl-cu13<3,>=2.30; extra == 'and-cuda'",))
index = Index()
index.add("tensorflow", "tensorflow-2.99.0-cp313-cp313-manylinux_2_27_x86_64.whl", data, requires_python=">=3.10")
with open(sys.argv[2] + ".part", "w") as f:
    f.write(index.url)
os.rename(sys.argv[2] + ".part", sys.argv[2])
time.sleep(600)
X
python3 "$WORK/serve.py" "$T" "$WORK/url" &
SERVER=$!
trap 'kill $SERVER 2>/dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -s "$WORK/url" ] && break; sleep 0.1; done
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
PIP_INDEX_URL=$(cat "$WORK/url") python3 "$T/tools/mine.py" tensorflow==2.99.0 --write >"$WORK/mine.log" 2>&1 || { cat "$WORK/mine.log"; fail "the command"; }
(cd "$T" && make BUILD="$T/b" >"$WORK/make.log" 2>&1) || { tail -30 "$WORK/make.log"; fail "the tree does not build"; }
"$T/b/tenon" table wheels tensorflow 2.99 --format csv | has 'tensorflow,2.99.0,linux,x86_64,3.13,3.13,2.27,20.3' || fail "no wheel row"
"$T/b/tenon" table --tf 2.99 --json >"$WORK/t.json"
same "$(json "$WORK/t.json" "d['rows'][0]['cuda']")" 13.1 "cuda of the new release"
"$T/b/tenon" table tensorflow_pins --tf 2.99 | has 'nvidia-nccl-cu13' || fail "no pin"
"$T/b/tenon" table tf_wheel_arch 2.99.0 | has 'sm_80 compute_120' || fail "no architectures"
if "$TENON" table --tf 2.99 >/dev/null 2>&1; then fail "the test's release is in the real tables"; fi

# The shell that tensorflow 2.12.0 is on Windows: 2 KB, real. What the tables hold of it is what the index says now.
if ! python3 "$T/tools/mine.py" tensorflow==2.12.0 --names >"$WORK/real.log" 2>&1; then
    has -e 'not on the index' -e 'Errno' -e 'timed out' -e 'no package index' -e unreachable <"$WORK/real.log" && skip "the package index"
    cat "$WORK/real.log"; fail "a published release"
fi
has '^0 rows new or changed' <"$WORK/real.log" || { cat "$WORK/real.log"; fail "the tables and the index differ on 2.12.0"; }
