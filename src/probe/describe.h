/* describe.h - a machine described in words on the command line, instead of looked at: --machine KEY=VALUE,...
 *
 * What is not said stays "not asked"; no default is invented. Facts that were said have the source "described", facts
 * that a compatibility table adds to them name that table. No world is asked. */
#ifndef TN_PROBE_DESCRIBE_H
#define TN_PROBE_DESCRIBE_H

#include "snapshot/snapshot.h"

/* Keys (each once, but for gpu and cpu):
 *   os          linux, windows, wsl2, macos
 *   os_build    Windows build number, 19045; with wsl2 that of the Windows below
 *   os_release  distribution and version: ubuntu-22.04, debian-12, arch
 *   kernel      kernel release: 5.15.0-91-generic
 *   arch        x86_64, aarch64 ...
 *   libc        glibc, musl
 *   glibc       version, 2.31; implies libc=glibc
 *   driver      NVIDIA driver version, or none: looked, and it is not there
 *   gpu         name ("RTX 3090"), PCI id (10de:2204, 0x2204: vendor 10de), compute capability (8.6), or none
 *   cpu         newest instruction set that it has (avx2: all before it as well, and no later one), or the first one
 *               that it lacks (noavx); others are added one by one (sve, avx512_vnni)
 *   python      version of the judged interpreter
 *   container   docker, podman, kubernetes, apptainer, lxc, other; none
 * A backslash takes the next character as it is (a comma in a value). TN_E_USAGE names the key or value and, where one
 * is near, what was probably meant. *ret needs no tn_snap_init and is untouched on failure. */
int tn_describe(const char *spec, struct tn_snap *ret, struct tn_err *err);

/* The same over a machine that was looked at: what is known of its cards and driver goes, environments and files stay.
 * On failure s holds nothing certain. */
int tn_describe_over(const char *spec, struct tn_snap *s, struct tn_err *err);

/* One line for the help: "os, os_build, ...". */
const char *tn_describe_keys(void);

#endif
