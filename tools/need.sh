#!/bin/sh
# Installs the Debian or Ubuntu packages that a step needs: sh tools/need.sh build|check
# Without root it changes nothing and prints the one command to run.
set -eu
build='gcc make meson ninja-build pkg-config python3 libc6-dev libjansson-dev zlib1g-dev libzstd-dev liblzma-dev'
check="$build ccache git g++ libcmocka-dev clang clang-format clang-tidy libclang-rt-dev strace hwdata binutils dpkg-dev xz-utils cmake
  gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev wine64 wine python3-venv python3-pip python3-jsonschema debootstrap
  libcurl4-gnutls-dev libarchive-dev libgcrypt20-dev"
case ${1:?usage: need.sh build|check} in
build) want=$build ;;
check) want=$check ;;
*) echo "need.sh: build or check" >&2; exit 2 ;;
esac
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "need.sh: this is no Debian or Ubuntu; please install what corresponds to: $want" >&2
    exit 0
fi
missing=
for p in $want; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep 'ok installed' >/dev/null || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
    echo "Some packages are missing. Please run:" >&2
    echo "  sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
