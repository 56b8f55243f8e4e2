/* limits.h - every bound on sizes that come from outside, in one place.
 *
 * A parser that meets a larger thing says TN_E_LIMIT; it never grows without bound. */
#ifndef TN_BASE_LIMITS_H
#define TN_BASE_LIMITS_H

#define TN_MAX_PATH_BYTES 4096u      /* PATH_MAX of Linux; longer names are refused by the kernel anyway */
#define TN_MAX_SMALL_FILE (1u << 20) /* /proc, /sys, METADATA, pyvenv.cfg */
#define TN_MAX_TEXT_FILE (16u << 20) /* RECORD of a large wheel is 1 MB, a full dpkg status some 10 */
#define TN_MAX_DIR_ENTRIES 200000u   /* one folder */
#define TN_MAX_LINKS 40u             /* MAXSYMLINKS of Linux */
#define TN_MAX_JSON_BYTES (64u << 20)
#define TN_MAX_JSON_DEPTH 64u
#define TN_MAX_JSON_OBJECTS                                                                                            \
    1000000u /* and arrays: a snapshot has thousands; an empty one costs 300 bytes of memory                           \
              */
#define TN_MAX_JSON_VALUES 4000000u
#define TN_MAX_LIST 65536u             /* items of one list fact */
#define TN_MAX_ROWS 200000u            /* rows of one record */
#define TN_MAX_ELF_STRINGS (64u << 20) /* .dynstr; TensorFlow's is about 20 MB */
#define TN_MAX_VERSION_TEXT 128u
#define TN_MAX_VERSION_PARTS 64u /* numbers of one version: half of its text */
#define TN_MAX_SPEC_TEXT 4096u   /* one version specifier set; long != lists reach a few hundred bytes */
#define TN_MAX_NAME_BYTES 255u   /* one path component (NAME_MAX of Linux) */
#define TN_MAX_ELF_PHDRS 4096u
#define TN_MAX_ELF_DYNAMIC 65536u /* entries of .dynamic; real ones have under 200 */
#define TN_MAX_ELF_SECTIONS 65536u
#define TN_MAX_ELF_VERSIONS 16384u /* nodes of .gnu.version_r and .gnu.version_d together */
#define TN_MAX_ELF_NOTES 1024u
#define TN_MAX_ELF_CHAIN 4096u     /* symbols of one hash bucket */
#define TN_MAX_ELF_TEXT (4u << 20) /* text copied out of one file */
#define TN_MAX_RUNPATH (64u << 10) /* TensorFlow 2.20 has 21 KB */
#define TN_MAX_SYMBOL_NAME 4096u
#define TN_MAX_VERSION_SCAN (6u << 20) /* bytes of .rodata read for a version text */
#define TN_MAX_DRIVER_SCAN (10u << 20) /* the same in libcuda, which is 30 MB */
#define TN_MAX_PE_SECTIONS 96u         /* the Windows loader's own limit */
#define TN_MAX_PE_IMPORTS 4096u
#define TN_MAX_PE_EXPORTS 65536u      /* ordinals have 16 bits */
#define TN_MAX_PE_RESOURCES 4096u     /* directory entries visited */
#define TN_MAX_PE_VERSION (64u << 10) /* VS_VERSIONINFO; its length field has 16 bits */
#define TN_MAX_LDCACHE_ENTRIES 200000u
#define TN_MAX_FATBIN_CONTAINERS (1u << 20) /* of one file; cuFFT has 24,000 */
#define TN_MAX_FATBIN_ENTRIES (1u << 22)
#define TN_MAX_MODULE_RATIO 100u  /* decoded to compressed size; real modules stay below 10 */
#define TN_MAX_MODINFO (1u << 20) /* .modinfo; nvidia.ko has about 4 KB */
#define TN_MAX_CONF_ITEMS 4096u   /* settings of one configuration file */
#define TN_MAX_CONF_LINE 8192u    /* one of its lines or values */
#define TN_MAX_PASTE (16u << 20)  /* of a text that somebody pasted */
#define TN_MAX_PASTE_LINE 8191u   /* of one of its lines; the rest is not read */
#define TN_MAX_RIVALS 16u         /* different statements of one fact in one text */
#define TN_MAX_CHILD_OUTPUT (8u << 20)
#define TN_MAX_ENV_DIRS 20000u         /* environments on one machine */
#define TN_MAX_LOADER_OBJECTS 4096u    /* in one process; the largest real ones have some hundred */
#define TN_MAX_LOADER_SEARCHES 65536u  /* names that one process asks for */
#define TN_MAX_LOADER_STEPS (1u << 20) /* places that are looked at for all of them */
#define TN_MAX_SEEK_HITS 100000u       /* files of a wanted name on one machine */
#define TN_MAX_SOLVE_VARS 64u          /* packages and properties of one plan; the largest has about 30 */
#define TN_MAX_SOLVE_VALUES 4096u      /* versions and builds of one of them; torch has some 300 */
#define TN_MAX_SOLVE_REASONS 4096u
#define TN_MAX_SOLVE_LITERALS (1u << 20)
#define TN_MAX_SOLVE_STEPS (1u << 17) /* decisions of one search; real plans take under a hundred */
#define TN_MAX_SOLVE_WAYS 16u
#define TN_MAX_WISH_LINES 16384u /* requirements of one file with those that it names */
#define TN_MAX_WISH_LINE 65536u  /* one of them with its hashes; pip-compile writes some thousand bytes */
#define TN_MAX_WISH_SPECS 4096u  /* bytes of what one package's versions have to meet */
#define TN_MAX_WISH_TEXT 200u    /* of it shown */
#define TN_MAX_WISH_FILES 64u    /* that name each other */
#define TN_MAX_WISH_DEPTH 8u
#define TN_MAX_WHEEL_LIBRARY (768u << 20) /* one library of a wheel unpacked to look for GPU code */
#define TN_MAX_WHEEL_BYTES (1536u << 20)  /* all of them */
#define TN_MAX_MODULE_BYTES (256u << 20)  /* a decompressed kernel module: nvidia.ko is about 65 MB */

#endif
