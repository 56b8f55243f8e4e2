/* version_pep440.c - order, normal forms and specifier sets of PEP 440. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "version/pep440.h"

static struct tn_pep440 parsed(const char *s)
{
    struct tn_pep440 v;
    struct tn_err err;
    if (tn_version_pep440_parse(tn_span_str(s), &v, &err))
        fail_msg("%s: %s", s, err.text);
    return v;
}

static void normal_forms(void **state)
{
    static const char *const rows[][2] = {
        {"1.0", "1.0"},
        {" v1.0-Beta.3\n", "1.0b3"},
        {"1.0alpha", "1.0a0"},
        {"1.0c2", "1.0rc2"},
        {"1.0-preview_4", "1.0rc4"},
        {"1.0-1", "1.0.post1"},
        {"1.0.r5", "1.0.post5"},
        {"1.0rev", "1.0.post0"},
        {"1.0DEV", "1.0.dev0"},
        {"2!01.02.rc1.post3.dev4", "2!1.2rc1.post3.dev4"},
        {"1.0a-", "1.0a0"},
        {"2.1.0+CU121", "2.1.0+cu121"},
        {"1+ubuntu-01_b", "1+ubuntu.1.b"},
        {"2.15.0.post1", "2.15.0.post1"},
        {"2.21.0.dev20251115", "2.21.0.dev20251115"},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_pep440 v = parsed(rows[i][0]);
        char buf[2 * TN_MAX_VERSION_TEXT];
        assert_true(tn_version_pep440_text(&v, buf, sizeof buf));
        assert_string_equal(buf, rows[i][1]);
        assert_false(tn_version_pep440_text(&v, buf, strlen(rows[i][1])));
    }
}

static void malformed(void **state)
{
    static const char *const rows[] = {"",          " ",      "v",        "a",       "1.",
                                       "1..0",      "1.0+",   "1.0+a..b", "1.0+a+b", "1.0 1",
                                       "1.0rc1rc2", "1!",     "!1",       "1.0.x",   "1.0.post1.post2",
                                       "1.0-",      "1.0--1", "1.0*"};
    struct tn_pep440 v;
    struct tn_err err;
    char longest[TN_MAX_VERSION_TEXT + 2];
    (void)state;
    memset(&v, 0x5a, sizeof v);
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_version_pep440_parse(tn_span_str(rows[i]), &v, &err), TN_E_FORMAT);
        assert_int_equal(v.n_release, 0x5a5a5a5a); /* untouched */
    }
    assert_int_equal(tn_version_pep440_parse(tn_span_str("18446744073709551616"), &v, &err), TN_E_LIMIT);
    memset(longest, '1', sizeof longest);
    assert_int_equal(tn_version_pep440_parse(tn_span_of(longest, sizeof longest), &v, &err), TN_E_LIMIT);
    assert_int_equal(tn_version_pep440_parse(tn_span_of("1\0"
                                                        "2",
                                                        3),
                                             &v, &err),
                     TN_E_FORMAT);
}

/* The list of PEP 440, "Summary of permitted suffixes and relative ordering", and locals. */
static void total_order(void **state)
{
    static const char *const rows[] = {"1.0.dev456",
                                       "1.0a1.dev1",
                                       "1.0a1",
                                       "1.0a2.dev456",
                                       "1.0a12.dev456",
                                       "1.0a12",
                                       "1.0b1.dev456",
                                       "1.0b2",
                                       "1.0b2.post345.dev456",
                                       "1.0b2.post345",
                                       "1.0rc1.dev456",
                                       "1.0rc1",
                                       "1.0",
                                       "1.0+abc.5",
                                       "1.0+abc.7",
                                       "1.0+5",
                                       "1.0+5.1",
                                       "1.0+10",
                                       "1.0+99999999999999999999999",
                                       "1.0.post456.dev34",
                                       "1.0.post456",
                                       "1.0.15",
                                       "1.1.dev1",
                                       "2.9",
                                       "2.10",
                                       "1!0.1"};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        for (size_t j = 0; j < TN_LEN(rows); j++) {
            struct tn_pep440 a = parsed(rows[i]), b = parsed(rows[j]);
            int r = tn_version_pep440_cmp(&a, &b);
            if ((r > 0) - (r < 0) != (i > j) - (i < j))
                fail_msg("%s ? %s: %d", rows[i], rows[j], r);
        }
    struct tn_pep440 a = parsed("1.0.0"), b = parsed("1");
    assert_int_equal(tn_version_pep440_cmp(&a, &b), 0);
}

static void specifiers(void **state)
{
    static const struct {
        const char *version, *spec;
        bool want;
    } rows[] = {
        {"1.26.4", ">=1.23,<2.0", true},
        {"2.0.0", " >= 1.23 , < 2.0 ", false},
        {"2.15.1", "==2.15.*", true},
        {"2.16.0", "==2.15.*", false},
        {"2.15rc1", "==2.15.*", true},
        {"2.15.0.post1", "==2.15.0", false},
        {"2.15.0.post1", "==2.15.0.*", true},
        {"2.1.0+cu121", "==2.1.0", true},
        {"2.1.0+cu121", "==2.1.0+cu118", false},
        {"2.1.0", "==2.1.0+cu121", false},
        {"2.1.0+cu121", "===2.1.0", false},
        {"2.1.0+cu121", "=== 2.1.0+CU121", true},
        {"2.1.0+cu121", ">2.1.0", false},
        {"2.1.0+cu121", "<=2.1.0", true},
        {"2.0rc1", "<2.0", false},
        {"2.0rc1", "<2.0rc2", true},
        {"1.9.dev3", "<2.0", true},
        {"1.0.post1", ">1.0", false},
        {"1.0.post2", ">1.0.post1", true},
        {"1.0.1", ">1.0", true},
        {"2.2.5", "~=2.2", true},
        {"3.0", "~=2.2", false},
        {"2.2.post3", "~=2.2.0", true},
        {"2.3", "~=2.2.0", false},
        {"1.4.5", "~=1.4.5a4", true},
        {"2.0rc1", ">=1.0", true},
        {"3.20.3", "!=4.21.0,!=4.21.1,<6,>=3.20.3", true},
        {"4.21.1", "!=4.21.*", false},
        {"1.0", "", true},
        {"garbage", "", true},
        {"garbage", "===GARBAGE", true},
        {"1.21", "(>=1.20)", true},
        {"1.21", ">=1.20,", true},
        {"1!1.0", "<2", false},
    };
    struct tn_err err;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        bool got = !rows[i].want;
        assert_int_equal(tn_version_pep440_match(rows[i].version, rows[i].spec, &got, &err), 0);
        if (got != rows[i].want)
            fail_msg("%s in %s: %d", rows[i].version, rows[i].spec, got);
    }
}

static void malformed_specifiers(void **state)
{
    static const char *const rows[] = {"1.0",
                                       "^1.0",
                                       "=1.0",
                                       ">=",
                                       ">=1.0.*",
                                       "~=1",
                                       "==1.0a1.*",
                                       ">=1.0+local",
                                       "==1.0 ==2.0",
                                       "=== a b",
                                       ">=1.0;python_version>'3'",
                                       "==.*"};
    struct tn_err err;
    bool ok = true;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_version_pep440_match("1.0", rows[i], &ok, &err) != TN_E_FORMAT)
            fail_msg("%s was taken", rows[i]);
    assert_int_equal(tn_version_pep440_match("garbage", ">=1", &ok, &err), TN_E_FORMAT);
    assert_true(ok);
}

static void pre_releases(void **state)
{
    struct tn_pep440 v = parsed("2.0.dev1");
    (void)state;
    assert_true(tn_version_pep440_is_pre(&v));
    v = parsed("2.0.post1");
    assert_false(tn_version_pep440_is_pre(&v));
    assert_true(tn_version_pep440_spec_names_pre(">=2.0rc1,<3"));
    assert_true(tn_version_pep440_spec_names_pre("===2.0a1"));
    assert_false(tn_version_pep440_spec_names_pre("!=2.0rc1,<3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_forms),         cmocka_unit_test(malformed),
        cmocka_unit_test(total_order),          cmocka_unit_test(specifiers),
        cmocka_unit_test(malformed_specifiers), cmocka_unit_test(pre_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
