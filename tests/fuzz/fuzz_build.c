/* fuzz_build.c - logs of module builds: compilers and scripts of anybody write them; the list of NVIDIA's installer. */
#include <stdint.h>

#include "probe/build_text.h"
#include "probe/owner.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    struct tn_arena mem;
    struct tn_build_log log;
    tn_arena_init(&mem);
    tn_build_log_read(tn_span_of(p, n), &mem, &log);
    tn_build_installer_read(tn_span_of(p, n), &mem, &log);
    tn_runfile_version(tn_span_of(p, n), &mem);
    tn_runfile_lists(tn_span_of(p, n), "/usr/lib64/libcuda.so.535.309.01");
    tn_owner_is_mount(tn_span_of(p, n), "/usr/lib64/libcuda.so.535.309.01");
    tn_arena_deinit(&mem);
    return 0;
}
