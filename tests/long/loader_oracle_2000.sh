#!/usr/bin/env bash
# loader_oracle_2000.sh - tests/real/loader_oracle.sh with ten times the trees.
set -eu
TN_ORACLE_TREES=2000 exec bash "${TENON_SOURCE:?}/tests/real/loader_oracle.sh"
