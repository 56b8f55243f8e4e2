#!/usr/bin/env bash
# What the READMEs show over files of this tree is what the program prints.
. "$(dirname "$0")/lib.sh"
cd "$TENON_SOURCE"
python3 tools/transcripts.py "$TENON" README.md README.zh.md
