#!/usr/bin/env bash
# What `pip check` says of a real environment, and what doctor says of it: the same bounds of metadata, each a warning or
# more; what pip itself resolved is silent.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME
TF=2.15.1
python=$(python_of_tf215) || skip "a Python 3.9 to 3.11 with venv"
mkdir -p "$PARTS/wheels"
V=$WORK/venv
"$python" -m venv "$V"
get() { one "$V/bin/python" -m pip download -q --no-deps --only-binary :all: --find-links "$PARTS/wheels" -d "$PARTS/wheels" "$@" >/dev/null 2>"$WORK/err"; }
get tensorflow-cpu==$TF || skip "the wheel of tensorflow-cpu $TF"
# Three that are out of order, two that are in order, one that nobody bounds.
get protobuf==5.29.5 keras==3.3.3 wrapt==1.16.0 ml-dtypes==0.3.2 numpy==1.26.4 scipy==1.13.1 || skip "small wheels"
"$V/bin/python" -m pip install -q --no-deps --no-compile --no-index --find-links "$PARTS/wheels" tensorflow-cpu==$TF protobuf==5.29.5 \
    keras==3.3.3 wrapt==1.16.0 ml-dtypes==0.3.2 numpy==1.26.4 scipy==1.13.1 >"$WORK/pip.log" 2>&1 || fail "pip: $(cat "$WORK/pip.log")"
pip_says=$({ "$V/bin/python" -m pip check 2>/dev/null || true; } | sed -n 's/^tensorflow-cpu [^ ]* has requirement \([A-Za-z0-9_-]*\).*/\1/p' | tr 'A-Z_' 'a-z-' | sort -u | tr '\n' ' ')
"$TENON" doctor --json --env "$V" --expect cpu >"$WORK/d.json" 2>"$WORK/err" || true
we_say=$(json "$WORK/d.json" "'\n'.join(sorted({f['summary'].split(' ')[0] for f in d['findings'] if f['cause'] in ('protobuf-mismatch','python-dependency-conflict')}))" | tr '\n' ' ')
same "$we_say" "$pip_says" "what pip check says of tensorflow-cpu"
[ -n "$we_say" ] || fail "nothing was out of order"
get protobuf==4.25.8 keras==2.15.0 wrapt==1.14.1 || skip "small wheels in order"
"$V/bin/python" -m pip install -q --no-deps --no-compile --no-index --find-links "$PARTS/wheels" protobuf==4.25.8 keras==2.15.0 wrapt==1.14.1 >/dev/null 2>&1 || fail "pip in order"
"$TENON" doctor --json --env "$V" --expect cpu >"$WORK/d.json" 2>"$WORK/err" || true
same "$(json "$WORK/d.json" "' '.join(f['cause'] for f in d['findings'] if f['severity'] != 'note')")" "" "findings where pip check has none"
echo "pip check and doctor agree: $we_say"
