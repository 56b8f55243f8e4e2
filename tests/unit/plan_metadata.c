/* METADATA of wheels: what is read, extras that ask for extras, circles, and what is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "plan/metadata.h"

static const struct tn_marker_env linux311 = {.python_version = "3.11",
                                              .python_full_version = "3.11.9",
                                              .os_name = "posix",
                                              .sys_platform = "linux",
                                              .platform_system = "Linux",
                                              .platform_machine = "x86_64",
                                              .implementation = "cpython"};
static const char text[] = "Metadata-Version: 2.1\n"
                           "Name: Tensor_Flow\n"
                           "Version: 2.20.0\r\n"
                           "Author: somebody\n"
                           "  Requires-Dist: folded\n"
                           "Requires-Python: >=3.9\n"
                           "Requires-Dist: numpy<2.2.0,>=1.26.0\n"
                           "Requires-Dist: tensorflow-intel; platform_system == \"Windows\"\n"
                           "Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.3; extra == \"and-cuda\"\n"
                           "Requires-Dist: tensor-flow[more]; extra == \"and-cuda\"\n"
                           "Requires-Dist: tensor.flow[and_cuda]; extra == \"more\"\n"
                           "Requires-Dist: nvidia-nccl-cu12; extra == \"more\"\n"
                           "Requires-Dist: !!!\n"
                           "Provides-Extra: And_Cuda\n"
                           "Provides-Extra: more\n"
                           "\n"
                           "Requires-Dist: of-the-description\n";

static void reads(void **state)
{
    struct tn_arena mem;
    struct tn_metadata m;
    bool holds[16];
    (void)state;
    tn_arena_init(&mem);
    assert_int_equal(tn_metadata_read(&mem, tn_span_str(text), &m, NULL), 0);
    assert_string_equal(m.name, "tensor-flow");
    assert_string_equal(m.version, "2.20.0");
    assert_string_equal(m.requires_python, ">=3.9");
    assert_int_equal(m.n, 6);
    assert_int_equal(m.broken, 1);
    assert_true(tn_metadata_has_extra(&m, "and-cuda"));
    assert_false(tn_metadata_has_extra(&m, "cuda"));
    tn_metadata_wanted(&mem, &m, &linux311, "", holds);
    assert_true(holds[0] && !holds[1] && !holds[2] && !holds[3] && !holds[4] && !holds[5]);
    tn_metadata_wanted(&mem, &m, &linux311, "and_cuda", holds); /* in a circle with "more" */
    assert_true(holds[0] && !holds[1] && holds[2] && holds[3] && holds[4] && holds[5]);
    tn_arena_deinit(&mem);
}

static void refuses(void **state)
{
    struct tn_arena mem;
    struct tn_metadata m;
    struct tn_err err;
    struct tn_buf b;
    (void)state;
    tn_arena_init(&mem);
    tn_buf_init(&b);
    assert_int_equal(tn_metadata_read(&mem, tn_span_str(""), &m, &err), TN_E_FORMAT);
    assert_int_equal(tn_metadata_read(&mem, tn_span_str("<html>"), &m, &err), TN_E_FORMAT);
    assert_int_equal(tn_metadata_read(&mem, tn_span_str("Name: x\n\nVersion: 1\n"), &m, &err), TN_E_FORMAT);
    assert_int_equal(tn_metadata_read(&mem, tn_span_of("Name: x\nVersion: 1\0\n", 20), &m, &err), TN_E_FORMAT);
    for (unsigned i = 0; i < TN_METADATA_MAX_REQUIRES + 1; i++)
        tn_buf_str(&b, "Requires-Dist: a\n");
    assert_int_equal(tn_metadata_read(&mem, tn_span_of(b.p, b.n), &m, &err), TN_E_LIMIT);
    tn_buf_clear(&b);
    for (unsigned i = 0; i < TN_METADATA_MAX_LINE + 1; i++)
        tn_buf_ch(&b, 'a');
    assert_int_equal(tn_metadata_read(&mem, tn_span_of(b.p, b.n), &m, &err), TN_E_LIMIT);
    tn_buf_deinit(&b);
    tn_arena_deinit(&mem);
}

static void specs(void **state)
{
    struct tn_arena mem;
    (void)state;
    tn_arena_init(&mem);
    assert_true(tn_metadata_same_spec(&mem, "<2.2.0,>=1.26.0", " (>=1.26.0, <2.2.0)"));
    assert_false(tn_metadata_same_spec(&mem, "<2.2.0,>=1.26.0", "<2.1.0,>=1.26.0"));
    assert_true(tn_metadata_same_spec(&mem, "", ""));
    tn_arena_deinit(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses), cmocka_unit_test(specs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
