# lib.sh - what the tests over real parts share: a place to keep downloads, apt without touching the system, ways to end.
# Sourced, not run. A part that cannot be had here prints "skipped: WHAT" and the test passes without it.
set -Eeuo pipefail
# A test never ends without a word of where.
trap '[ $BASH_SUBSHELL != 0 ] || echo "FAILED: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR
: "${TENON:?}" "${TENON_SOURCE:?}"
CACHE=${TENON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tenon}
PARTS=$CACHE/parts
mkdir -p "$PARTS"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# A copy of the tree that a test builds meets what the compiler cache holds of the tree itself.
export CCACHE_BASEDIR=$WORK CCACHE_NOHASHDIR=1

fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 0; }

# one COMMAND... : runs what puts something among the parts, while no other test does; the tests run side by side.
one() { (flock 8; "$@") 8>>"$PARTS/lock"; }

# apt with its own state below $PARTS/apt, Debian's non-free parts included; the machine's own lists are read, not changed.
apt_conf() {
    export APT_CONFIG=$PARTS/apt/apt.conf
    [ -f "$PARTS/apt/ready" ] || one apt_conf_made
}
apt_conf_made() {
    local a=$PARTS/apt
    [ ! -f "$a/ready" ] || return 0
    mkdir -p "$a/parts" "$a/lists/partial" "$a/cache/archives/partial"
    {
        if [ -f /etc/apt/sources.list ]; then sed -n 's/^deb \(.*\)$/deb \1/p' /etc/apt/sources.list; fi
        for f in /etc/apt/sources.list.d/*.sources; do
            [ -f "$f" ] || continue
            awk '/^URIs:/{u=$2} /^Suites:/{$1="";s=$0} /^Signed-By:/{k=$2} /^$/||0{out()} END{out()}
                 function out(  i,n,a){n=split(s,a," ");for(i=1;i<=n;i++)if(u!="")print "deb "(k!=""?"[signed-by="k"] ":"") u" "a[i]" main";u="";s=""}' "$f"
        done
    } | sed -E 's/ main( contrib| non-free(-firmware)?)*$/ main contrib non-free non-free-firmware/' >"$a/sources.list"
    cat >"$a/apt.conf" <<X
APT::Sandbox::User "root";
Dir::Etc::sourcelist "$a/sources.list";
Dir::Etc::sourceparts "$a/parts";
Dir::State::lists "$a/lists";
Dir::Cache "$a/cache";
X
    apt-get update -qq >/dev/null 2>&1 || return 1
    : >"$a/ready"
}

# debs NAME... : downloads packages into $PARTS/debs (once) and prints their files. NAME=VERSION has a folder of its own.
debs() { one debs_had "$@"; }
debs_had() {
    local p f to
    for p in "$@"; do
        to=$PARTS/debs
        case $p in *=*) to=$PARTS/debs/${p#*=} ;; esac
        mkdir -p "$to"
        f=$(ls "$to/${p%%=*}"_*.deb 2>/dev/null | sed -n 1p || true)
        if [ -z "$f" ]; then
            (cd "$to" && apt-get download -qq "$p" >/dev/null 2>&1) || return 1
            f=$(ls "$to/${p%%=*}"_*.deb | sed -n 1p)
        fi
        echo "$f"
    done
}

# A Python with venv that TensorFlow 2.15 has wheels for.
python_of_tf215() {
    local p
    for p in python3.11 python3.10 python3.9 "$HOME"/.pyenv/versions/3.11.*/bin/python "$HOME"/.pyenv/versions/3.10.*/bin/python; do
        if "$p" -c 'import venv, ensurepip, sys; assert (3, 9) <= sys.version_info[:2] <= (3, 11)' 2>/dev/null; then
            echo "$p"
            return 0
        fi
    done
    return 1
}

# json FILE PATH : a value of a JSON document, by a Python expression over d.
json() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
same() { [ "$1" = "$2" ] || fail "$3: got '$1', wanted '$2'"; }
# Behind a pipe: reads to the end, so that the writer does not die of it.
has() { grep "$@" >/dev/null; }

# looking SNAP RECORD SMI XML ROOT ENV : the argument lines of looking.txt with these files in them.
looking() {
    local list=$TENON_SOURCE/tests/real/looking.txt name
    for name in $("$TENON" --help | awk '/^  [a-z]/ {print $1}'); do
        grep -qE "^(changes )?$name( |\$)" "$list" || fail "tests/real/looking.txt has no line for the command $name"
    done
    sed -e '/^#/d' -e '/^changes /d' -e "s|@SNAP|$1|g" -e "s|@RECORD|$2|g" -e "s|@SMI|$3|g" -e "s|@XML|$4|g" -e "s|@ROOT|$5|g" -e "s|@ENV|$6|g" "$list"
}
# What they are about, where a test has nothing of its own: fills the array "about".
looking_about() {
    local m=$TENON_SOURCE/tests/machines
    mkdir -p "$WORK/about/root/etc"
    printf 'ID=debian\nVERSION_ID="12"\n' >"$WORK/about/root/etc/os-release"
    about=("$WORK/about/snap.json" "$(ls "$m"/*.json | sed -n 1p)" "$WORK/about/smi.txt" "$WORK/about/smi.xml" "$WORK/about/root" /usr)
    "$TENON" snapshot --from "${about[1]}" >"${about[0]}"
    printf '%s\n' 'Thu Oct  9 10:00:00 2025' "$(printf -- '-%.0s' {1..91})" \
        '| NVIDIA-SMI 535.183.01             Driver Version: 535.183.01   CUDA Version: 12.2     |' \
        'Failed to initialize NVML: Driver/library version mismatch' >"${about[2]}"
    printf '<?xml version="1.0" ?>\n<nvidia_smi_log>\n<driver_version>535.183.01</driver_version>\n<cuda_version>12.2</cuda_version>\n</nvidia_smi_log>\n' >"${about[3]}"
}

# The members of a wheel that count, once: single members by ranges, not the wheel.
members() { one members_had "$@"; } # NAME VERSION TAG FOLDER GLOB...
members_had() {
    mkdir -p "$4"
    python3 - "$@" <<'P' >"$WORK/members.log" 2>&1
import fnmatch, os, sys
sys.path.insert(0, os.path.join(os.environ["TENON_SOURCE"], "tools"))
import wheelpart
name, version, tag, out, *globs = sys.argv[1:]
if os.path.exists(os.path.join(out, "ready")):
    sys.exit(0)
w = wheelpart.Wheel(name, version, tag)
for member in w.entries:
    if not any(fnmatch.fnmatch(member, g) for g in globs) or member.endswith("/"):
        continue
    path = os.path.join(out, member)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "wb") as f:
        for c in w.chunks(member):
            f.write(c)
    os.rename(path + ".part", path)
open(os.path.join(out, "ready"), "w").close()
P
}

# thing_wheels FOLDER [FILES] : what the tests of apply install: versions 1.0 and 2.0 of a package with a module, a script, and
# so many files besides, by which an installer takes its time.
thing_wheels() {
    local v
    mkdir -p "$1"
    for v in 1.0 2.0; do
        python3 - "$1" $v "${2:-0}" <<'P'
import sys, zipfile
folder, v, more = sys.argv[1:]
info = "thing-%s.dist-info" % v
files = {"thing/__init__.py": "V = '%s'\ndef main():\n    print(V)\n" % v, "thing/v%s.txt" % v[0]: v, info + "/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: %s\n" % v,
         info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n", info + "/entry_points.txt": "[console_scripts]\nthing-run = thing:main\n"}
files.update({"thing/data/%d.txt" % i: v + "\n" + "x" * 37 * i for i in range(int(more))})
with zipfile.ZipFile("%s/thing-%s-py3-none-any.whl" % (folder, v), "w") as z:
    for n, t in files.items():
        z.writestr(n, t)
    z.writestr(info + "/RECORD", "".join("%s,,\n" % n for n in list(files) + [info + "/RECORD"]))
P
    done
}
