#!/usr/bin/env bash
# Root never runs the user's code (promise 16, design 6.10): traps wherever a user could plant one, each shown to spring
# without tenon; then every looking command (looking.txt) is run by root among them. None may fire; what ld.so itself put into
# tenon before main is named and goes no further. A table "trap -> not fired" and the count are printed (root_traps.py).
. "$(dirname "$0")/driver_machine.sh"
enter_machine "$0"
. "$(dirname "$0")/lib.sh"
for tool in cc setpriv strace; do command -v $tool >/dev/null || skip "$tool is not installed"; done
apt_conf || true
driver_machine
looking_about
V=535.183.01
kernel_with_module $V
mknod -m 666 /dev/nvidia0 c 195 0
seen=$(state)
mkdir "$WORK/lib" "$WORK/user"
looking "${about[@]:0:4}" "$WORK/user/root" "$WORK/user/venv" >"$WORK/all"
python3 "$TENON_SOURCE/tests/real/root_traps.py" "$TENON" "$WORK" "$V" "${TENON_TRIES:-200}" || fail "see above"
nothing_appeared "traps" || fail "see above"
