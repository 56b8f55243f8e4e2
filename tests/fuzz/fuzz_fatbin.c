/* fuzz_fatbin.c - hostile libraries: lists stay sorted and within their bounds, the work within the file's size. */
#include <stdlib.h>

#include "image/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct tn_fatbin_list *l)
{
    if (l->n > TN_FATBIN_ARCHS)
        abort();
    for (unsigned i = 0; i < l->n; i++) {
        const struct tn_fatbin_arch *a = &l->v[i];
        if (!a->n || a->isa > a->isa_last ||
            (i && (a->number < a[-1].number || (a->number == a[-1].number && a->mark <= a[-1].mark))))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int where = 0; where < 2; where++) {
        struct tn_span s = tn_span_of(data, size);
        struct tn_view v = tn_view_of_span(&s);
        struct tn_fatbin f;
        if (tn_image_fatbin_read(&v, where ? TN_FATBIN_ANYWHERE : TN_FATBIN_SECTIONS, &f, NULL) != 0)
            continue;
        for (unsigned k = 0; k < TN_FATBIN_KINDS; k++) {
            check(&f.code[k]);
            check(&f.parts[k]);
        }
        if (f.reads > 64 + size / 4)
            abort();
    }
    return 0;
}
