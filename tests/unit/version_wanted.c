/* version_wanted.c - which file names somebody means who asks for a library. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "version/wanted.h"

static void names(void **state)
{
    static const struct {
        const char *asked, *name;
        bool fold, yes;
    } rows[] = {
        {"libcudnn.so.8", "libcudnn.so.8", false, true},
        {"libcudnn.so.8", "libcudnn.so.8.9.7", false, true},
        {"libcudnn.so.8", "libcudnn-81a7ce31.so.8.1.1", false, true}, /* renamed by auditwheel */
        {"libcudnn.so.8", "libcudnn.so.80", false, false},
        {"libcudnn.so.8", "libcudnn.so", false, false},
        {"libcudnn.so.8", "libcudnn_ops_infer.so.8", false, false},
        {"libcudnn.so.8", "LIBCUDNN.SO.8", false, false},
        {"libcudnn.so", "libcudnn.so.9", false, true},
        {"libcudnn-81a7ce31.so.8", "libcudnn.so.8", false, false},
        {"cudart64_110.dll", "CUDART64_110.DLL", false, true}, /* a name of Windows has no case */
        {"cudart64_110.dll", "cudart64_11.dll", false, false},
        {"cudart64_110.dll", "cudart32_110.dll", false, false},
        {"cudnn", "libcudnn.so.8", false, true},
        {"cudnn", "cudnn64_8.dll", false, true},
        {"CUDNN", "cudnn64_8.dll", false, true},
        {"cudnn", "libcudnn_adv.so.9", false, false},
        {"cudnn", "cudnn", false, true},
        {"libcudnn", "libcudnn.so", false, true},
        {"libcudnn", "cudnn64_8.dll", false, false},
        {"libdevice.10.bc", "libdevice.10.bc", false, true},
        {"ptxas", "ptxas", false, true},
        {"ptxas", "ptxas.1", false, false},
        {"libcu*.so.12", "libcublas.so.12", false, true},
        {"libcu*.so.12", "libcublas.so.12.4", false, false},
        {"CUDNN*.dll", "cudnn64_8.dll", true, true},
        {"CUDNN*.dll", "cudnn64_8.dll", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_wanted w;
        assert_int_equal(tn_version_wanted_init(&w, rows[i].asked, rows[i].fold, NULL), 0);
        if (tn_version_wanted(&w, rows[i].name) != rows[i].yes)
            fail_msg("%s for %s", rows[i].name, rows[i].asked);
    }
}

static void refused(void **state)
{
    char longer[TN_MAX_NAME_BYTES + 2];
    struct tn_wanted w;
    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    const char *const bad[] = {"", "/usr/lib/libcuda.so.1", "C:\\x.dll", longer};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tn_version_wanted_init(&w, bad[i], false, NULL), TN_E_USAGE);
    longer[TN_MAX_NAME_BYTES] = 0;
    assert_int_equal(tn_version_wanted_init(&w, longer, true, NULL), 0);
    assert_true(tn_version_wanted(&w, longer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
