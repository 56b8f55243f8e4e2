# wine_prefix.sh - sourced: a wine prefix of one's own in $PREFIX over the Windows of $WINEPREFIX, whose System32 may be
# changed; without drive Z:, which is this whole machine, /proc included. Ends with the script.
: "${TENON:?}" "${TENON_SOURCE:?}" "${TENON_CACHE:?}"
fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 0; }
cross=x86_64-w64-mingw32
prefix_make() { # WHAT the test is about
    command -v $cross-gcc >/dev/null || skip "$1 (no mingw)"
    command -v wine >/dev/null || skip "$1 (no wine)"
    [ -d "${WINEPREFIX:-/nonexistent}/drive_c" ] || skip "$1 (no wine prefix)"
    export WINEDEBUG=-all DISPLAY=
    PREFIX=$(mktemp -d)
    trap prefix_end EXIT
    mkdir -p "$PREFIX/drive_c/t" "$PREFIX/dosdevices"
    cp "$WINEPREFIX"/*.reg "$WINEPREFIX/.update-timestamp" "$PREFIX"
    cp -as "$WINEPREFIX/drive_c/windows" "$PREFIX/drive_c/windows"
    ln -s ../drive_c "$PREFIX/dosdevices/c:"
    export WINEPREFIX=$PREFIX
    WORK=$PREFIX/drive_c/t
    cp "$TENON" "$WORK/tenon.exe"
    cd "$WORK" # a folder that Windows knows
    wineserver -p60 </dev/null >/dev/null 2>&1 # else each program starts one, and would leave it our pipes
}
prefix_end() {
    wineserver -k 2>/dev/null || true
    rm -rf "$PREFIX"
}
