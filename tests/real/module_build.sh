#!/usr/bin/env bash
# DKMS itself (the real script) adds, builds and fails to build a module named like NVIDIA's: its tree and its logs are read as
# they are. The module is a small one; what is tested is DKMS' layout, its log's head and the compiler's own words.
. "$(dirname "$0")/lib.sh"
for tool in make cc dpkg-deb; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || skip "no package index"
deb=$(debs dkms) || skip "dkms cannot be had"
dpkg-deb -x "$deb" "$WORK/dkms"
R=$WORK/root K=6.1.0-28-amd64
SRC=$R/usr/src/nvidia-current-535.309.01
mkdir -p "$SRC" "$R/var/lib/dkms" "$R/lib/modules/$K" "$R/etc" "$WORK/kernel/include"
ln -s /usr/src/linux-headers-$K "$R/lib/modules/$K/build"
printf 'ID=debian\nVERSION_ID="12"\n' >"$R/etc/os-release"
cat >"$SRC/dkms.conf" <<'C'
PACKAGE_NAME="nvidia-current"
PACKAGE_VERSION="535.309.01"
MAKE[0]="make"
BUILT_MODULE_NAME[0]="nvidia-current"
DEST_MODULE_LOCATION[0]="/updates/dkms"
C
printf 'nvidia-current.ko: nv-caps.c\n\tcc -Werror=implicit-function-declaration -c -o $@ $<\nclean:\n\trm -f *.ko\n' >"$SRC/Makefile"
printf 'int nv_cap_close_fd(int fd);\nint nv_cap_close_fd(int fd)\n{\n    sys_close(fd);\n    return 0;\n}\n' >"$SRC/nv-caps.c"
dkms() {
    bash "$WORK/dkms/usr/sbin/dkms" "$@" --dkmstree "$R/var/lib/dkms" --sourcetree "$R/usr/src" --installtree "$R/lib/modules" \
        -m nvidia-current -v 535.309.01 >"$WORK/dkms.log" 2>&1 </dev/null
}
state() { # prints the rows of builds: state kernel kind
    "$TENON" snapshot --root "$R" --include-identifiers >"$WORK/s.json"
    json "$WORK/s.json" '";".join(" ".join(str(r.get(k, {}).get("value", "-")) for k in ("state", "kernel", "kind")) for r in d["build"]["rows"])'
}
dkms add || { cat "$WORK/dkms.log"; skip "this dkms does not run here"; }
same "$(state)" "added - -" "a source that is only added"
! dkms build -k $K --kernelsourcedir "$WORK/kernel" || fail "the broken source was built"
[ -f "$R/var/lib/dkms/nvidia-current/535.309.01/build/make.log" ] || { cat "$WORK/dkms.log"; skip "this dkms left no log"; }
same "$(state)" "failed $K kernel" "a build that failed"
"$TENON" doctor --root "$R" --json >"$WORK/d.json" || true
json "$WORK/d.json" '[f["summary"] for f in d["findings"] if f["cause"] == "driver-install-failed"]' | has "sys_close" || fail "doctor --root does not name the build's error"
sed -i '/sys_close/d' "$SRC/nv-caps.c"
dkms build --force -k $K --kernelsourcedir "$WORK/kernel" || { cat "$WORK/dkms.log"; fail "the mended source was not built"; }
same "$(state)" "built $K -" "a build that went well"
"$TENON" doctor --root "$R" --json >"$WORK/d.json" || true
! json "$WORK/d.json" '[f["cause"] for f in d["findings"]]' | has driver-install-failed || fail "a build that went well is named a failure"
