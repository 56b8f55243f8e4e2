/* fuzz_build.c - logs of module builds: compilers and scripts of anybody write them. */
#include <stdint.h>

#include "probe/build_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_arena mem;
    struct tn_build_log log;
    tn_arena_init(&mem);
    tn_build_log_read(tn_span_of(p, n), &mem, &log);
    tn_build_installer_read(tn_span_of(p, n), &mem, &log);
    tn_arena_deinit(&mem);
    return 0;
}
