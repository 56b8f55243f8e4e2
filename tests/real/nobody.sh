#!/usr/bin/env bash
# Looking needs no root: a folder that all may read gives nobody and root the same facts and verdict. And root does not read for
# a user what that user may not read: a link of the user's to a private file of root's is reported as denied, its text is nowhere.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "to become nobody needs root"
command -v setpriv >/dev/null || skip "setpriv is not installed"
chmod 755 "$WORK"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
nobody test -x "$TENON" || { cp "$TENON" "$WORK/tenon"; TENON=$WORK/tenon; }
cd /
R=$WORK/root
mkdir -p "$R/etc" "$R/usr/bin" "$R/usr/lib/x86_64-linux-gnu" "$R/usr/local/cuda-12.4/lib64" "$R/proc/driver/nvidia" "$R/sys/bus/pci/devices/0000:01:00.0" "$R/sys/module/nvidia" "$R/dev"
printf 'ID=debian\nVERSION_ID="12"\n' >"$R/etc/os-release"
printf '0x10de\n' >"$R/sys/bus/pci/devices/0000:01:00.0/vendor"
printf '0x2204\n' >"$R/sys/bus/pci/devices/0000:01:00.0/device"
printf '0x030000\n' >"$R/sys/bus/pci/devices/0000:01:00.0/class"
printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Thu May  1 00:00:00 UTC 2025\n' >"$R/proc/driver/nvidia/version"
printf '{"cuda": {"version": "12.4.1"}}' >"$R/usr/local/cuda-12.4/version.json"
printf '#!/bin/sh\n' >"$R/usr/bin/python3.11"
V=$R/srv/user/venv
site=$V/lib/python3.11/site-packages
mkdir -p "$V/bin" "$site/numpy-2.1.0.dist-info" "$site/tensorflow-2.15.1.dist-info"
printf 'home = /usr/bin\nversion = 3.11.2\n' >"$V/pyvenv.cfg"
ln -s /usr/bin/python3.11 "$V/bin/python3"
printf 'Metadata-Version: 2.1\nName: numpy\nVersion: 2.1.0\n' >"$site/numpy-2.1.0.dist-info/METADATA"
printf 'Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.15.1\nRequires-Dist: numpy<2.0.0,>=1.23.5\n' >"$site/tensorflow-2.15.1.dist-info/METADATA"
ln -s libcuda.so.535.183.01 "$R/usr/lib/x86_64-linux-gnu/libcuda.so.1"
chown -R 65534:65534 "$R/srv/user"
look() { # WHO OUT ARGUMENTS... ; both statuses must be the same later
    local who=$1 out=$2 status=0
    shift 2
    $who "$TENON" "$@" >"$out" 2>"$out.err" </dev/null || status=$?
    echo "exit $status" >>"$out.err"
}
for args in "doctor --root $R --env /srv/user/venv --json" "snapshot --root $R --include-identifiers" "snapshot --root $R" "doctor --root $R --expect cpu --json --env /srv/user/venv"; do
    # shellcheck disable=SC2086
    look env "$WORK/root.out" $args
    # shellcheck disable=SC2086
    look nobody "$WORK/nobody.out" $args
    for f in root nobody; do sed -i '/"root": {"is": "known"/d' "$WORK/$f.out"; done # "does tenon look as root" is a fact of its own
    cmp -s "$WORK/root.out" "$WORK/nobody.out" || { diff "$WORK/root.out" "$WORK/nobody.out" | sed -n 1,10p; fail "root and nobody see different things: $args"; }
    cmp -s "$WORK/root.out.err" "$WORK/nobody.out.err" || fail "root and nobody end differently: $args"
done
grep -q '"cause": "numpy-abi"' <(env "$TENON" doctor --root "$R" --env /srv/user/venv --expect cpu --json) || fail "the verdict is not the one to compare"

# The user's links to what is root's alone: in a root folder, and in the live file system.
secret=tenon-secret-$$
mkdir -p "$R/private"
printf 'Metadata-Version: 2.1\nName: torch\nVersion: 2.5.1+%s\nversion = %s\nhome = /%s\n' $secret $secret $secret >"$R/private/key"
chmod 600 "$R/private/key"
plant() { # TARGET-OF-THE-LINKS
    mkdir -p "$site/torch-2.5.1.dist-info" "$V/two"
    ln -sfn "$1" "$site/torch-2.5.1.dist-info/METADATA"
    ln -sfn "$1" "$V/two/pyvenv.cfg"
    ln -sfn "$1" "$site/tensorflow-2.15.1.dist-info/METADATA"
    chown -hR 65534:65534 "$R/srv/user"
}
for how in root live; do
    if [ $how = root ]; then
        plant /private/key
        where="--root $R --env /srv/user/venv"
    else
        plant "$R/private/key"
        where="--env $V"
    fi
    # shellcheck disable=SC2086
    for args in "snapshot --include-identifiers" "doctor --json --verbose" "snapshot --raw -o $WORK/record.json"; do
        "$TENON" $args $where >"$WORK/out" 2>&1 </dev/null || [ $? -le 3 ] || fail "$args, $how"
        if grep -qa "$secret" "$WORK/out"; then fail "$args ($how): root read its own file for a user"; fi
        case $args in *raw*) if grep -qa "$secret\|$(printf 'Version: 2.5.1+%s' $secret | base64 | cut -c5-20)" "$WORK/record.json"; then fail "the record holds the private file ($how)"; fi ;; esac
    done
    # shellcheck disable=SC2086
    "$TENON" snapshot --include-identifiers $where >"$WORK/s.json"
    n=$(json "$WORK/s.json" "sum(1 for r in d['dist']['rows'] for k, f in r.items() if f['is'] == 'denied' and 'tensorflow-2.15.1' in f.get('from', ''))")
    [ "$n" -gt 0 ] || fail "what may not be read is not reported as denied ($how)"
    # shellcheck disable=SC2086
    nobody "$TENON" snapshot --include-identifiers $where >"$WORK/n.json"
    n=$(json "$WORK/n.json" "sum(1 for r in d['dist']['rows'] for k, f in r.items() if f['is'] == 'denied' and 'tensorflow-2.15.1' in f.get('from', ''))")
    [ "$n" -gt 0 ] || fail "nobody is not denied ($how)"
done
# The same file as root's own link is read: it is the owner that counts.
chown -hR 0:0 "$R/srv/user"
"$TENON" snapshot --include-identifiers --env "$V" >"$WORK/s.json"
grep -q "$secret" "$WORK/s.json" || fail "root may read its own files"
