#!/usr/bin/env python3
"""Pure folders make no system call: every symbol that their static library takes from outside must be tn_*, a
function of a linked library, or one of the C library's that neither asks the machine nor prints nor ends.
usage: lint_purity.py SOURCE_ROOT BUILD_DIR [STAMP]"""
import os
import re
import subprocess
import sys

# Memory, text, sorting, arithmetic. No stdio streams, no files, no clock, no environment, no locale.
PURE = set("""bcmp malloc calloc realloc free abort memcpy memmove memset memcmp memchr memrchr mempcpy strlen strnlen strcmp strncmp
strchr strrchr strstr strspn strcspn strpbrk strdup strndup strtol strtoul strtoll strtoull strtod snprintf vsnprintf
qsort bsearch longjmp _setjmp stpcpy strcasestr rawmemchr
__stack_chk_fail __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __vsnprintf_chk __strcpy_chk __strcat_chk
__mempcpy_chk __strncpy_chk __stpcpy_chk __assert_fail __tls_get_addr _GLOBAL_OFFSET_TABLE_ __isoc23_strtol __longjmp_chk""".split())
LIBRARIES = re.compile(r"^(json_|jsonp_|inflate|zlib|crc32|ZSTD_|lzma_)")


def pure_folders(root):
    with open(os.path.join(root, "doc/layers.txt"), encoding="utf-8") as f:
        for line in f:
            line = line.split("#")[0].strip()
            if line:
                folder, rest = line.split(":")
                if "pure" in rest.split():
                    yield folder


def main():
    root, build = sys.argv[1], sys.argv[2]
    bad = []
    for folder in pure_folders(root):
        lib = os.path.join(build, f"libtn_{folder}.a")
        if not os.path.exists(lib):
            continue
        member = "?"
        for line in subprocess.run(["nm", "-u", lib], capture_output=True, text=True, check=True).stdout.splitlines():
            if line.endswith(":"):
                member = line[:-1]
            m = re.match(r"\s+[Uwv] (\S+)", line)
            if m:
                name = m.group(1).split("@")[0]
                if not (name.startswith("tn_") or name in PURE or LIBRARIES.match(name)):
                    bad.append(f"src/{folder}: {member}: {name} is not for a pure folder")
    for line in bad:
        print(line, file=sys.stderr)
    if not bad and len(sys.argv) > 3:
        open(sys.argv[3], "w").close()
    return 1 if bad else 0


sys.exit(main())
