#!/usr/bin/env python3
"""Makes the list of checks, probes or commands from the constants in a folder's files: adding one is adding a file.

usage: gen_registry.py KIND OUT FILE...      KIND: check, probe, cmd, loader or measure
"""
import os
import re
import sys

KINDS = {"check": ("TN_CHECK", "tn_check", "check/check.h"), "probe": ("TN_PROBE", "tn_probe", "probe/probe.h"),
         "cmd": ("TN_CMD", "tn_cmd", "cmd/cmd.h")}
# A folder that holds more than its constants: how the list is called there.
SPECIAL = {"loader": ("TN_ASKS", "tn_asks_rule", "tn_asks", "loader/asks.h", "tn_asks_rules"),
           "measure": ("TN_WORK", "tn_work", "tn_work", "measure/worker.h", "tn_works")}


def main():
    kind, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    if kind in SPECIAL:
        macro, struct, name, header, plural = SPECIAL[kind]
    else:
        macro, name, header = KINDS[kind]
        struct, plural = name, name + "s"
    found = []
    for path in files:
        with open(path, encoding="utf-8") as f:
            for ident in re.findall(r"^%s\((\w+)," % macro, f.read(), re.M):
                found.append((ident, path))
    found.sort()
    for (a, pa), (b, pb) in zip(found, found[1:]):
        if a == b:
            sys.exit(f"{pb}: {macro}({b}) is already in {pa}")
    with open(out, "w", encoding="utf-8") as f:
        f.write(f"/* Made by tools/gen_registry.py from {len(found)} files. */\n#include \"{header}\"\n\n")
        for ident, _ in found:
            f.write(f"extern const struct {struct} {name}_{ident};\n")
        f.write(f"const struct {struct} *const {plural}[] = {{\n")
        for ident, _ in found:
            f.write(f"    &{name}_{ident},\n")
        f.write("    0};\n" if kind in SPECIAL else f"    0}};\nconst unsigned tn_n_{kind}s = {len(found)};\n")


main()
