#!/usr/bin/env bash
# Debian's whole driver built for real: nvidia-kernel-dkms in a root of its own, five modules, signed with DKMS' own key. What
# tenon --root reads of them is what modinfo and dkms say; a source that is broken then fails, and its own error is named.
# Only in `make check-long`: minutes on idle cores.
. "$TENON_SOURCE/tests/real/lib.sh"
[ "$(id -u)" = 0 ] || skip "a root of its own needs root"
for tool in chroot unshare; do command -v $tool >/dev/null || skip "$tool is not installed"; done
unshare -m true 2>/dev/null || skip "mount namespaces are not allowed here"
kept=$(ls -t "$PARTS"/root-driver-*.tar.gz 2>/dev/null | sed -n 1p || true)
[ -n "$kept" ] || skip "the root of tests/real/root_driver.sh"
tar -C "$WORK" -xzf "$kept"
R=$WORK/root
inside() { # COMMAND : in the root, with /proc and /dev
    nice unshare -m sh -c "mount -t proc proc '$R/proc' && mount --rbind /dev '$R/dev' && DEBIAN_FRONTEND=noninteractive chroot '$R' sh -c '$1'" 2>&1 </dev/null
}
began=$(date +%s)
inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends linux-headers-amd64 nvidia-kernel-dkms && apt-get clean" >"$WORK/build.log" || { tail -5 "$WORK/build.log"; skip "the packages cannot be had, or did not build"; }
took=$(($(date +%s) - began))

K=$(ls "$R/lib/modules" | sed -n 1p)
main=$(ls "$R/lib/modules/$K/updates/dkms"/nvidia-current.ko* | sed -n 1p)
of_module() { chroot "$R" modinfo -F "$1" "${main#"$R"}"; }
version=$(of_module version)
"$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
row() { json "$WORK/s.json" "[r for r in d['module']['rows'] if r['name']['value']=='nvidia-current'][0]['$1']['value']"; }
same "$(row version)" "$version" "version of the module"
same "$(row kernel)" "$K" "its kernel"
same "$(row flavour)" proprietary "its flavour ($(of_module license))"
same "$(row has_signature)" "$(python3 -c 'import sys; print(open(sys.argv[1],"rb").read().endswith(b"~Module signature appended~\n"))' "$main")" "its signature"
same "$(json "$WORK/s.json" "' '.join(sorted(r['name']['value'] for r in d['module']['rows'] if r['name']['value'].startswith('nvidia')))")" \
    "$(ls "$R/lib/modules/$K/updates/dkms" | sed 's/\.ko.*//' | sort | paste -sd' ')" "modules of the kernel"
case $(inside "dkms status") in "nvidia-current/$version, $K, "*": installed"*) ;; *) fail "dkms status: $(inside "dkms status")" ;; esac
same "$(json "$WORK/s.json" "' '.join(r['state']['value']+' '+r['kernel']['value'] for r in d['build']['rows'])")" "installed $K" "the build's row"
"$TENON" doctor --root "$R" --json --expect gpu >"$WORK/d.json" || true
! json "$WORK/d.json" "[f['cause'] for f in d['findings'] if f['status'] in ('confirmed','likely')]" | has driver-install-failed || fail "a build that went well is named a failure"
# The same source fails: its own error is named.
echo 'this is no C' >>"$R/usr/src/nvidia-current-$version/nvidia/nv-caps.c"
! inside "dkms remove nvidia-current/$version --all && dkms build nvidia-current/$version -k $K" >"$WORK/again.log" || fail "a broken source was built"
"$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
same "$(json "$WORK/s.json" "' '.join(r['state']['value']+' '+r['kernel'].get('value','-') for r in d['build']['rows'])")" "failed $K" "the failed build's row"
case $(json "$WORK/s.json" "d['build']['rows'][0]['error']['value']") in *nv-caps.c*) ;; *) fail "the error is not named: $(json "$WORK/s.json" "d['build']['rows'][0]['error']")" ;; esac
echo "built $version for $K in $took s"
