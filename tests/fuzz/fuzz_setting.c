/* fuzz_setting.c - start files of shells and the loader's configuration: what is told to change is all that changes. */
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "clean/setting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const folder[] = {"/usr/local/cuda-11.6", "/usr/local/cuda"};
    struct tn_arena mem;
    struct tn_setting s;
    struct tn_buf b;
    if (size < 1 || size > 65536)
        return 0;
    struct tn_span text = tn_span_of(data + 1, size - 1);
    tn_arena_init(&mem);
    tn_buf_init(&b);
    tn_setting_make(&mem, data[0] & 1 ? TN_SETTING_LOADER : TN_SETTING_SHELL, text, folder, 2, &s);
    size_t at = 0, k = 0;
    for (unsigned number = 1; at < text.n; number++) { /* the file again, from what is told */
        const uint8_t *feed = memchr(text.p + at, '\n', text.n - at);
        size_t end = feed ? (size_t)(feed - text.p) : text.n, whole = end + (feed != NULL);
        bool told = k < s.n && s.line[k].number == number;
        if (!told || s.line[k].stays)
            tn_buf_add(&b, text.p + at, whole - at);
        else if (s.line[k].after) {
            tn_buf_str(&b, s.line[k].after);
            tn_buf_add(&b, "\n", feed != NULL);
        }
        k += told;
        at = whole;
    }
    if (k != s.n || b.n != s.size || (b.n && memcmp(b.p, s.text, b.n) != 0))
        __builtin_trap();
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
    return 0;
}
