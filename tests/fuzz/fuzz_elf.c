/* fuzz_elf.c - hostile ELF files through everything that reads them. */
#include <stdlib.h>

#include "image/elf.h"
#include "image/elf_version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const stems[] = {"libcudart", "libcuda", "libnvrtc", "libcudnn_ops", "libcudnn", "libnccl"};
    struct tn_span s = tn_span_of(data, size), bytes;
    struct tn_view v = tn_view_of_span(&s);
    struct tn_elf_section sec;
    struct tn_elf_symbol sym;
    struct tn_elf_note *notes;
    const char *version, *how;
    struct tn_arena a;
    struct tn_elf e;
    size_t n;
    tn_arena_init(&a);
    if (tn_image_elf_open(&v, &a, &e, NULL) == 0) {
        tn_image_elf_section(&e, &v, ".rodata", &sec, NULL);
        tn_image_elf_notes(&e, &v, &a, &notes, &n, NULL);
        tn_image_elf_symbol(&e, &v, "cuInit", &sym, NULL);
        tn_image_elf_symbol_bytes(&e, &v, "f", 4096, &bytes, NULL);
        tn_image_elf_cuda_lib(&e, &v);
        for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
            if (tn_image_elf_product_version(&e, &v, stems[i], &a, &version, &how, NULL) == 0 && !*version)
                abort();
        for (size_t i = 0; i < e.n_needed; i++)
            if (!e.needed[i])
                abort();
    }
    tn_arena_deinit(&a);
    return 0;
}
