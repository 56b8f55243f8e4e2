#!/usr/bin/env bash
# driver.sh - what `tenon doctor` costs where a driver is loaded, apart from what the vendor's libraries cost by themselves:
# doctor without any driver library, with real ones (no card answers them) and with the stand-in of the tests (cards that
# answer at once), beside a bare program that loads the same files, initialises them and counts the cards.
#
# usage, as root: [RUNS=41] [TENON=build/tenon] bash bench/driver.sh      own = doctor - doctor without a driver - bare
TENON_SOURCE=$(realpath "$(dirname "$0")/..")
TENON=$(realpath "${TENON:-$TENON_SOURCE/build/tenon}")
export TENON_SOURCE TENON
. "$TENON_SOURCE/tests/real/driver_machine.sh"
enter_machine "$0"
. "$TENON_SOURCE/tests/real/lib.sh"
driver_machine
RUNS=${RUNS:-41}
cc -O2 -o "$WORK/time" "$TENON_SOURCE/bench/time.c" && cc -O2 -o "$WORK/bare" "$TENON_SOURCE/bench/driver.c" -ldl || exit 2
L=$WORK/lib
mkdir "$L"
cpu() { "$WORK/time" "$RUNS" "$@" | awk '{print $1 * 1000, $2 * 1000}'; }
# row NAME : doctor as things are, and the bare program on the libraries in $L
row() {
    doctor=$(LD_LIBRARY_PATH=$L cpu "$TENON" doctor)
    nvml="0 0" cuda="0 0"
    if [ -e "$L/libcuda.so.1" ]; then
        LD_LIBRARY_PATH=$L "$WORK/bare" nvml "$L/libnvidia-ml.so.1" && LD_LIBRARY_PATH=$L "$WORK/bare" cuda "$L/libcuda.so.1"
        nvml=$(LD_LIBRARY_PATH=$L cpu "$WORK/bare" nvml "$L/libnvidia-ml.so.1")
        cuda=$(LD_LIBRARY_PATH=$L cpu "$WORK/bare" cuda "$L/libcuda.so.1")
    else
        without=$doctor
    fi
    echo "$doctor $without $nvml $cuda" | awk -v n="$1" '{
        printf "%-44s %6.1f ms %6.1f ms CPU; bare %5.1f, %5.1f; own %5.1f, %5.1f\n", n, $1, $2, $5 + $7, $6 + $8, $1 - $3 - $5 - $7, $2 - $4 - $6 - $8}'
}
kernel_with_module 535.309.01
row "kernel module alone, no library"
for package in libcuda1 libnvidia-ml1 libnvidia-ptxjitcompiler1; do
    for f in $(debs "$package"); do dpkg-deb -x "$f" "$WORK/real"; done
done
find "$WORK/real" -name 'lib*.so*' -exec cp -a {} "$L" \;
row "real libraries of 535.309.01, no card"
for m in laptop-1060 h100-nvswitch; do
    rm -f "$L"/*
    text=$TENON_SOURCE/tests/standin/machines/$m.txt
    V=$(sed -n 's/^driver //p' "$text")
    cc -shared -fPIC -O1 -Wl,-soname,libnvidia-ml.so.1 -o "$L/libnvidia-ml.so.$V" "$TENON_SOURCE/tests/standin/standin.c"
    cc -DCUDA -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$L/libcuda.so.$V" "$TENON_SOURCE/tests/standin/standin.c"
    ln -s "libnvidia-ml.so.$V" "$L/libnvidia-ml.so.1"
    ln -s "libcuda.so.$V" "$L/libcuda.so.1"
    kernel_with_module "$V"
    export TENON_STANDIN=$text
    mv "$L" "$L.aside" && mkdir "$L"
    row "kernel module alone, $m"
    rmdir "$L" && mv "$L.aside" "$L"
    row "stand-in, $m"
done
