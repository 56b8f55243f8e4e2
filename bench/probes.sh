#!/bin/sh
# probes.sh - what each probe costs on the machine at hand, with the environments of this home. Prints; judges nothing.
#
# usage: [BUILD=build] [RUNS=21] sh bench/probes.sh
set -u
BUILD=${BUILD:-$(dirname "$0")/../build}
ninja -C "$BUILD" tests/bench-probes >/dev/null || exit 2
"$BUILD/tests/bench-probes" "${RUNS:-21}"
