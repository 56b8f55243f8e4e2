#!/usr/bin/env bash
# plan --online on the real package index, as pip's own settings name it: METADATA of the chosen wheels is read in parts, says what the
# tables say, and every version that the plan pins is there; 300 KiB and five requests are enough for the wheel of TensorFlow.
. "$(dirname "$0")/lib.sh"
get=$(dirname "$TENON")/tenon-get
[ -x "$get" ] || skip "tenon-get (built where libcurl is)"
machine='os=linux,gpu=RTX 3090,driver=580.95.05'

tools=/nonexistent # no resolver, but where it is the subject
# ask NAME WORDS... : the JSON document $WORK/NAME
ask() {
    local name=$1 rc=0
    shift
    PATH=$tools "$TENON" plan "$@" --online --machine "$machine" --json >"$WORK/$name" 2>"$WORK/$name.err" || rc=$?
    if [ $rc = 5 ] && has -iE 'resolve|connect|timed out|no time left|reset|answered 5' <"$WORK/$name.err"; then
        skip "the package index: $(cat "$WORK/$name.err")"
    fi
    [ $rc = 0 ] || fail "$name: exit $rc: $(cat "$WORK/$name" "$WORK/$name.err")"
}
for one in tensorflow==2.20.0 tensorflow==2.15.1 torch==2.9.1 'jax[cuda12]==0.7.2'; do
    ask "$one" "$one"
    ids=$(json "$WORK/$one" '" ".join(r["id"] for r in d["online"]["read"])')
    case " $ids " in
    *' pl_online_read_meta '*) ;;
    *) fail "$one: METADATA was not read: $(cat "$WORK/$one")" ;;
    esac
    case $ids in
    *pl_meta_*) fail "$one: METADATA and the tables or the plan disagree: $(cat "$WORK/$one")" ;;
    esac
    kib=$(json "$WORK/$one" '[int(r["text"].split("(")[-1].split(" KiB")[0].split()[-1]) for r in d["online"]["read"] if "METADATA" in r["text"]][0]')
    [ "$kib" -le 300 ] || fail "$one: $kib KiB for METADATA"
    echo "$one: METADATA in $kib KiB; $(json "$WORK/$one" 'd["online"]["requests"]') requests, $(json "$WORK/$one" 'd["online"]["bytes"]') bytes in all"
done
# And the real uv takes the plan.
uv=$PARTS/python-tools-1/bin
if [ -x "$uv/uv" ]; then
    tools=$uv:/usr/bin:/bin
    ask uv onnxruntime==1.20.1 --cpu
    case $(json "$WORK/uv" '[r["text"] for r in d["online"]["read"] if r["id"].startswith("pl_dry")][0]') in
    'uv resolves it: '*' packages in all') ;;
    *) fail "uv: $(cat "$WORK/uv")" ;;
    esac
else
    echo "skipped: uv's dry run"
fi
echo "online: the real index agrees with the tables"
