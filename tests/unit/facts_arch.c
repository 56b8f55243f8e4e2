/* facts_arch.c - machine code and PTX against devices; peer mistakes 2, 3, 10, 11, 13 and story 28. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "facts/arch.h"
#include "facts/pytorch.h"
#include "facts/tensorflow.h"

#define TF221 "6.0 7.0 8.0 8.9 9.0"
#define CU124 "5.0 6.0 7.0 7.5 8.0 8.6 9.0"
#define CU118 "3.7 5.0 6.0 7.0 7.5 8.0 8.6 9.0"

static void parse(void **state)
{
    static const struct {
        const char *text;
        unsigned major, minor;
        char suffix;
    } good[] = {{"8.9", 8, 9, 0},          {"89", 8, 9, 0},    {"100f", 10, 0, 'f'},  {"sm_90a", 9, 0, 'a'},
                {"compute_120", 12, 0, 0}, {"12.1", 12, 1, 0}, {"10.3f", 10, 3, 'f'}, {"3.0", 3, 0, 0}};
    static const char *const bad[] = {"",     "8",      "8.",  ".8",  "8.x",  "sm_",    "8.90",
                                      "1200", "12.0.1", "90b", "0.1", "90aa", "gfx90a", "9.0 "};
    (void)state;
    for (size_t i = 0; i < TN_LEN(good); i++) {
        struct tn_arch a = {0, 0, 'x'};
        assert_true(tn_facts_arch_parse(good[i].text, &a));
        if (a.major != good[i].major || a.minor != good[i].minor || a.suffix != good[i].suffix)
            fail_msg("%s", good[i].text);
    }
    for (size_t i = 0; i < TN_LEN(bad); i++) {
        struct tn_arch a;
        if (tn_facts_arch_parse(bad[i], &a))
            fail_msg("%s", bad[i]);
    }
}

static void rule(void **state)
{
    static const struct {
        const char *cc, *sass, *ptx;
        enum tn_code how;
        const char *entry;
    } rows[] = {
        {"8.9", CU124, "", TN_CODE_NATIVE, "8.6"},               /* peer 2 */
        {"10.3", "8.0 10.0", "", TN_CODE_NATIVE, "10.0"},        /* peer 3 */
        {"10.3", "100a", "", TN_CODE_NONE, ""},                  /* peer 3, the other half */
        {"6.1", "75 80 86 90 100 120", "120", TN_CODE_NONE, ""}, /* peer 10 */
        {"6.1", CU124, "", TN_CODE_NATIVE, "6.0"},               /* peer 10: cu126's list */
        {"12.0", CU118, "", TN_CODE_NONE, ""},                   /* peer 11 */
        {"8.7", "8.0 8.6", "", TN_CODE_NONE, ""},                /* Jetson: nothing is promised */
        {"8.7", "8.0 8.7", "", TN_CODE_NATIVE, "8.7"},
        {"8.7", "8.0", "8.0", TN_CODE_JIT, "8.0"},
        {"8.9", "8.7", "", TN_CODE_NONE, ""},     /* nor the other way round */
        {"12.0", "90a", "90a", TN_CODE_NONE, ""}, /* peer 13 */
        {"9.0", "90a", "90a", TN_CODE_NATIVE, "90a"},
        {"12.0", TF221, "9.0", TN_CODE_JIT, "9.0"}, /* story 28: TF 2.21 on Blackwell */
        {"8.6", TF221, "9.0", TN_CODE_NATIVE, "8.0"},
        {"7.5", TF221, "9.0", TN_CODE_NATIVE, "7.0"},
        {"5.2", TF221, "9.0", TN_CODE_NONE, ""},
        {"9.0", "5.0 6.0 7.0 7.5 8.0", "8.0", TN_CODE_JIT, "8.0"}, /* TF 2.15 on Hopper */
        {"8.9", "80 86 90a 100f", "90", TN_CODE_NATIVE, "86"},
        {"10.3", "80 86 90a 100f", "90", TN_CODE_NATIVE, "100f"},
        {"12.1", "12.0f", "", TN_CODE_NATIVE, "12.0f"},
        {"10.1", "10.0f", "", TN_CODE_NONE, ""},
        {"10.1", "10.0", "", TN_CODE_NONE, ""},
        {"10.0", "10.3f", "", TN_CODE_NONE, ""},
        {"8.7", "8.0 8.6", "", TN_CODE_NONE, ""},
        {"8.0", "8.6", "", TN_CODE_NONE, ""}, /* never downwards */
        {"8.0", "", "8.6", TN_CODE_NONE, ""},
        {"11.0", "10.0 12.0", "10.0", TN_CODE_JIT, "10.0"},
        {"12.0", "sm_50,sm_60,compute_90", "compute_90", TN_CODE_JIT, "compute_90"},
        {"3.5", "3.7", "3.7", TN_CODE_NONE, ""}, /* TF 1.12.3 below 3.7 */
        {"7.5", "3.7", "3.7", TN_CODE_JIT, "3.7"},
        {"8.6", "", "", TN_CODE_NONE, ""},
        {"8.6", "gfx90a junk", "x", TN_CODE_NONE, ""},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_facts_code code;
        assert_int_equal(tn_facts_arch_code(rows[i].cc, rows[i].sass, rows[i].ptx, &code), TN_ANSWER_YES);
        if (code.how != rows[i].how || strcmp(code.entry, rows[i].entry) != 0)
            fail_msg("%s on \"%s\" + \"%s\": %d by %s", rows[i].cc, rows[i].sass, rows[i].ptx, (int)code.how,
                     code.entry);
    }
}

static void older_and_newer(void **state)
{
    struct tn_facts_code code;
    (void)state;
    assert_int_equal(tn_facts_arch_code("6.1", "7.5 8.0", "12.0", &code), TN_ANSWER_YES);
    assert_true(code.older && !code.newer);
    assert_int_equal(tn_facts_arch_code("12.0", CU118, "", &code), TN_ANSWER_YES);
    assert_true(code.newer && !code.older);
    assert_int_equal(tn_facts_arch_code("12.0", TF221, "9.0", &code), TN_ANSWER_YES);
    assert_true(code.newer && !code.older);
    assert_int_equal(tn_facts_arch_code("8.9", CU124, "", &code), TN_ANSWER_YES);
    assert_false(code.newer || code.older);
    assert_int_equal(tn_facts_arch_code("8.6", "7.5 9.0", "", &code), TN_ANSWER_YES);
    assert_false(code.newer || code.older); /* between */
    assert_int_equal(tn_facts_arch_code("8.6", "", "", &code), TN_ANSWER_YES);
    assert_false(code.newer || code.older);
    assert_int_equal(tn_facts_arch_code("9.0a", "9.0a", "", &code), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_arch_code("", "9.0", "", &code), TN_ANSWER_BAD);
}

/* Story 28 with lists out of the tables. */
static void real_lists(void **state)
{
    struct tn_facts_tf_code tf;
    struct tn_facts_torch torch;
    struct tn_facts_code code;
    (void)state;
    assert_int_equal(tn_facts_tf_code("2.21.0", TN_PLATFORM_LINUX, &tf), TN_ANSWER_YES);
    assert_int_equal(tn_facts_arch_code("12.0", tf.sass, tf.ptx, &code), TN_ANSWER_YES);
    assert_int_equal(code.how, TN_CODE_JIT);
    assert_int_equal(tn_facts_arch_code("5.0", tf.sass, tf.ptx, &code), TN_ANSWER_YES);
    assert_true(code.how == TN_CODE_NONE && code.older);
    assert_int_equal(tn_facts_tf_code("1.15.5", TN_PLATFORM_LINUX, &tf), TN_ANSWER_YES);
    assert_int_equal(tn_facts_arch_code("8.6", tf.sass, tf.ptx, &code), TN_ANSWER_YES);
    assert_int_equal(code.how, TN_CODE_JIT); /* RTX 30xx on 1.15: minutes of compilation */
    assert_int_equal(tn_facts_torch_build("2.6.0", "cu124", TN_PLATFORM_LINUX, &torch), TN_ANSWER_YES);
    assert_int_equal(tn_facts_torch_build("2.8.0", NULL, TN_PLATFORM_LINUX, &torch), TN_ANSWER_YES);
    assert_int_equal(tn_facts_arch_code("6.1", torch.sass, torch.ptx, &code), TN_ANSWER_YES);
    assert_true(code.how == TN_CODE_NONE && code.older);
    assert_int_equal(tn_facts_torch_build("2.8.0", "cu126", TN_PLATFORM_LINUX, &torch), TN_ANSWER_YES);
    assert_int_equal(tn_facts_arch_code("6.1", torch.sass, torch.ptx, &code), TN_ANSWER_YES);
    assert_int_equal(code.how, TN_CODE_NATIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parse), cmocka_unit_test(rule),
                                       cmocka_unit_test(older_and_newer), cmocka_unit_test(real_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
