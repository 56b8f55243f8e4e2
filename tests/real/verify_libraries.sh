#!/usr/bin/env bash
# `tenon verify` over the real CUDA libraries of this machine without a GPU: each is loaded and says its version, NVRTC compiles,
# cuRAND's host generator draws; what needs a card is "not tried", exit 3, never "ok". A library that is cut, another one of that
# name, or one that ends its process is a clear error of that layer alone.
. "$(dirname "$0")/lib.sh"
unset VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME LD_LIBRARY_PATH
! grep -l 0x10de /sys/bus/pci/devices/*/vendor >/dev/null 2>&1 || skip "a machine without an NVIDIA GPU: here is one"
verify() { # STATUS
    local got=0
    "$TENON" verify --json >"$WORK/v.json" 2>"$WORK/err" || got=$?
    same "$got" "$1" "exit status of verify: $(cat "$WORK/err")"
}
of() { json "$WORK/v.json" "' '.join(sorted(set('%s:%s:%s' % (l['what'], l['device'], l['status']) for l in d['layers'] if l['name'] == '$1')))"; }
error() { json "$WORK/v.json" "[(l['what'], l['error'].rstrip('0123456789').rstrip('-')) for l in d['layers'] if l['name'] == '$1' and l['status'] == 'fail']"; }
verify 3
libs=$(json "$WORK/v.json" "' '.join(sorted(set(l['name'] for l in d['layers'] if (l['library']['path'] or '').startswith('/'))))")
case " $libs " in *" cublas "*) ;; *) skip "CUDA libraries that every program finds" ;; esac
same "$(json "$WORK/v.json" "d['status']")" partly "status"
same "$(of cublas)" "compute:gpu:not_tried load:None:pass" "cuBLAS"
for l in $libs; do
    version=$(json "$WORK/v.json" "[l['library']['version'] for l in d['layers'] if l['name'] == '$l'][0]")
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "version of $l: $version"
    path=$(json "$WORK/v.json" "[l['library']['path'] for l in d['layers'] if l['name'] == '$l'][0]")
    [ -e "$path" ] || fail "file of $l: $path"
done
case " $libs " in *" nvrtc "*) same "$(of nvrtc)" "compile:cpu:pass compute:gpu:not_tried load:None:pass" "NVRTC" ;; esac
case " $libs " in *" cudnn-graph "*) same "$(of cudnn-graph)" "compute:gpu:not_tried descriptors:cpu:pass load:None:pass" "graph of cuDNN" ;; esac
case " $libs " in *" curand "*) same "$(of curand)" "compute:gpu:not_tried load:None:pass random:cpu:pass" "cuRAND" ;; esac

# Bad ones, before the good one in the search.
cublas=$(json "$WORK/v.json" "[l['library']['path'] for l in d['layers'] if l['name'] == 'cublas'][0]")
name=$(basename "$cublas")
mkdir "$WORK/lib"
export LD_LIBRARY_PATH=$WORK/lib
head -c 1000000 "$cublas" >"$WORK/lib/$name"
verify 1
case "$(error cublas)" in "[('load', 'crashed')]" | "[('load', 'unloadable')]") ;; *) fail "a library that is cut: $(error cublas)" ;; esac
command -v cc >/dev/null || skip "cc: libraries made to fail"
bad() { # WHAT SOURCE
    cc -w -shared -fPIC -Wl,-soname,"$name" -o "$WORK/lib/$name" -xc - <<<"$2"
    verify 1
    same "$(error cublas)" "$1" "$2"
    case "$(of cudart)" in *fail*) fail "another layer failed with it" ;; esac
}
bad "[('load', 'missing')]" 'void cublasCreate_v2(void) {}'
bad "[('load', 'crashed')]" '__attribute__((constructor)) static void x(void) { *(volatile int *)0 = 1; }'
bad "[('load', 'quit')]" '#include <unistd.h>
__attribute__((constructor)) static void x(void) { _exit(0); }'
echo "verified without a GPU: $libs; 4 bad libraries told apart"
