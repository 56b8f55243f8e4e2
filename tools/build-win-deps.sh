#!/bin/sh
# Builds the Windows x86_64 libraries that Debian 12 lacks as mingw packages, static, into PREFIX:
# jansson, cmocka, libzstd, liblzma (zlib and libgcrypt are Debian packages).
# Sources are Debian's own source packages, fetched by apt with its signature checks through a
# private apt state: the machine's package sources are read, never changed.
# usage: build-win-deps.sh PREFIX [WORKDIR]      (needs root only for DEPS=install)
# skips what PREFIX already has; remove PREFIX/.stamp-NAME to rebuild one.
set -eu
prefix=${1:?usage: build-win-deps.sh PREFIX [WORKDIR]}
mkdir -p "$prefix"; prefix=$(cd "$prefix" && pwd)
work=${2:-$prefix/.work}; mkdir -p "$work"; work=$(cd "$work" && pwd)
host=x86_64-w64-mingw32
jobs=${JOBS:-$(nproc)}

tools='gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev libgcrypt-mingw-w64-dev libgpg-error-mingw-w64-dev
       cmake ninja-build pkg-config dpkg-dev xz-utils'
if [ "${DEPS:-}" = install ]; then
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $tools >/dev/null
fi

# --- sources -----------------------------------------------------------------------------------
apt_dir=$work/apt
mkdir -p "$apt_dir/parts" "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial" "$work/dl" "$work/src"
for f in /etc/apt/sources.list.d/*.sources; do
    [ -f "$f" ] && sed 's/^Types:.*/Types: deb-src/' "$f" >"$apt_dir/parts/$(basename "$f")"
done
[ -f /etc/apt/sources.list ] && sed -n 's/^deb \(.*\)/deb-src \1/p' /etc/apt/sources.list >"$apt_dir/parts/machine.list"
apt_src() {
    c=$1; shift
    "$c" -qq -o APT::Sandbox::User=root -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_dir/parts" \
        -o Dir::State::lists="$apt_dir/lists" -o Dir::Cache="$apt_dir/cache" "$@"
}
get() { # NAME: leaves the patched tree in $work/src/NAME
    [ -d "$work/src/$1" ] && return 0
    [ -f "$apt_dir/updated" ] || { apt_src apt-get update && : >"$apt_dir/updated"; }
    # newest first; a mirror may list a security version whose files it does not hold, so try the next
    for v in $(apt_src apt-cache showsrc "$1" | awk -v p="$1" '/^Package:/{k=$2} /^Version:/&&k==p{print $2}' | sort -u -Vr); do
        if (cd "$work/dl" && apt_src apt-get source --download-only "$1=$v" >"$work/dl/$1.log" 2>&1); then
            dsc=$(find "$work/dl" -name "${1}_${v#*:}.dsc")
            dpkg-source --no-check -x "$dsc" "$work/src/$1" >>"$work/dl/$1.log" 2>&1
            echo "source $1 $v"
            return 0
        fi
    done
    echo "no source package of $1 could be had" >&2; cat "$work/dl/$1.log" >&2; return 1
}

# --- build -------------------------------------------------------------------------------------
cat >"$work/mingw.cmake" <<X
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER $host-gcc-win32)
set(CMAKE_RC_COMPILER $host-windres)
set(CMAKE_FIND_ROOT_PATH $prefix /usr/$host)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
X
build() { # NAME SUBDIR OPTIONS...
    name=$1 sub=$2; shift 2
    [ -f "$prefix/.stamp-$name" ] && return 0
    t0=$(date +%s)
    get "$name"
    rm -rf "$work/b-$name"
    if { cmake -G Ninja -S "$work/src/$name/$sub" -B "$work/b-$name" --toolchain "$work/mingw.cmake" -DCMAKE_BUILD_TYPE=Release \
             -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=OFF \
             -DZLIB_LIBRARY=/usr/$host/lib/libz.a -DZLIB_INCLUDE_DIR=/usr/$host/include \
             -DCMAKE_C_FLAGS="-D_WIN32_WINNT=0x0A00 -ffunction-sections -fdata-sections" "$@" &&
         ninja -C "$work/b-$name" -j "$jobs" "${target:-install}"; } >"$work/$name.log" 2>&1
    then : >"$prefix/.stamp-$name"; echo "built $name in $(($(date +%s) - t0)) s"
    else tail -30 "$work/$name.log" >&2; return 1
    fi
}

build_files() { # NAME LIB SRCDIR 'C FILES' 'HEADERS' CFLAGS... : where a package's own build is for the host, wants C++ or is mostly configure checks
    name=$1 lib=$2 dir=$3 files=$4 headers=$5; shift 5
    [ -f "$prefix/.stamp-$name" ] && return 0
    t0=$(date +%s)
    get "$name"
    rm -rf "$work/b-$name"; mkdir -p "$work/b-$name" "$prefix/lib" "$prefix/include"
    (
        cd "$work/src/$name/$dir"
        # shellcheck disable=SC2086
        for f in $files; do printf '%s %s\n' "$f" "$work/b-$name/$(echo "$f" | tr / _).o"; done |
            xargs -P "$jobs" -L 1 sh -c "$host-gcc-win32 -O2 -ffunction-sections -fdata-sections $* -c \$0 -o \$1"
        # shellcheck disable=SC2086
        if [ -n "$headers" ]; then cp $headers "$prefix/include"; fi
    )
    rm -f "$prefix/lib/$lib"; $host-ar rcs "$prefix/lib/$lib" "$work/b-$name"/*.o
    : >"$prefix/.stamp-$name"; echo "built $name in $(($(date +%s) - t0)) s"
}

pc() { # NAME VERSION CFLAGS LIBS: one .pc per library with what a static link needs, so meson.build is the same on both systems
    mkdir -p "$prefix/lib/pkgconfig"
    printf 'prefix=%s\nName: %s\nDescription: static, for tenon\nVersion: %s\nCflags: -I${prefix}/include %s\nLibs: -L${prefix}/lib %s\n' \
        "$prefix" "$1" "$2" "$3" "$4" >"$prefix/lib/pkgconfig/$1.pc"
}

build jansson . -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
build cmocka . -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF -DWITH_STATIC_LIB=ON
pc cmocka 1.1.5 -DCMOCKA_STATIC '-lcmocka-static'
build_files libzstd libzstd.a lib 'common/*.c compress/*.c decompress/*.c' 'zstd.h zstd_errors.h' \
    -DZSTD_DISABLE_ASM=1 -DZSTD_LEGACY_SUPPORT=0 -DZSTDLIB_VISIBILITY= -DXXH_NAMESPACE=ZSTD_
target=liblzma.a build xz-utils . -DBUILD_TESTING=OFF
if [ -f "$work/b-xz-utils/liblzma.a" ]; then
    cp "$work/b-xz-utils/liblzma.a" "$prefix/lib"; cp -r "$work/src/xz-utils/src/liblzma/api/lzma" "$work/src/xz-utils/src/liblzma/api/lzma.h" "$prefix/include"
fi
pc libzstd 1.5.4 '' '-lzstd'
pc liblzma 5.4.1 -DLZMA_API_STATIC '-llzma'
