/* clean_variable.c - a variable of Windows' environment loses what leads to what goes, and not a byte more. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "clean/setting.h"

#define CUDA "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.6"

static void test_variable(void **state)
{
    (void)state;
    static const struct {
        const char *text, *after; /* after NULL: the variable goes; text again: nothing to do with it */
    } all[] = {{CUDA "\\bin;" CUDA "\\libnvvp;C:\\Windows", "C:\\Windows"},
               {"C:\\Windows;;%SystemRoot%;" CUDA "\\bin", "C:\\Windows;;%SystemRoot%"},
               {"C:\\a; " CUDA "\\BIN ;\"C:\\b;c\";", "C:\\a;\"C:\\b;c\";"},
               {"\"" CUDA "\\bin\";C:\\a", "C:\\a"},
               {"C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.6/bin;C:\\a", "C:\\a"},
               {"%CUDA_PATH_V11_6%\\bin;%CUDA_PATH_V11_60%\\bin", "%CUDA_PATH_V11_60%\\bin"},
               {CUDA, NULL},
               {CUDA "0\\bin;C:\\a", CUDA "0\\bin;C:\\a"},
               {"C:\\Windows", "C:\\Windows"},
               {"", ""},
               {"v11.6", "v11.6"}};
    static const char *const folder[] = {CUDA}, *const name[] = {"Cuda_Path_V11_6"};
    const struct tn_setting_goes goes = {.folder = folder, .name = name, .n_folder = 1, .n_name = 1};
    struct tn_arena mem;
    tn_arena_init(&mem);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct tn_setting is;
        bool any = tn_setting_variable(&mem, tn_span_of(all[i].text, strlen(all[i].text)), &goes, &is);
        bool same = all[i].after && strcmp(all[i].after, all[i].text) == 0;
        assert_int_equal(any, !same);
        if (same)
            continue;
        assert_string_equal(is.line->before, all[i].text);
        assert_int_equal(is.empty, !all[i].after);
        if (all[i].after) {
            assert_string_equal(is.line->after, all[i].after);
            assert_string_equal(is.text, all[i].after);
            assert_int_equal(is.size, strlen(all[i].after));
        } else {
            assert_null(is.line->after);
        }
    }
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
