/* facts_table.c - the compiled-in tables as tables: names, columns, ranks, filters, citations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "facts/table.h"

static const char *const names[] = {
    "cuda_arch",         "cuda_driver_min", "cuda_libs", "cudnn_support",          "driver_branches",
    "env_vars",          "error_codes",     "gpus",      "host_compilers",         "jax_builds",
    "pytorch_builds",    "tf_sonames",      "xid",       "tensorflow_python_pins", "tensorflow_pins",
    "tensorflow_builds", "tf_wheel_arch"};

static const struct tn_table *table(const char *name)
{
    const struct tn_table *t = tn_facts_find(name);
    assert_non_null(t);
    return t;
}

static void all_are_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_LEN(names); i++)
        assert_string_equal(tn_facts_name(table(names[i])), names[i]);
    assert_true(tn_facts_ntables >= TN_LEN(names));
    assert_null(tn_facts_find("Xid"));
    assert_null(tn_facts_find(""));
    assert_string_equal(tn_facts_text(0), "");
}

static void every_row_is_cited(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tn_facts_ntables; i++) {
        const struct tn_table *t = &tn_facts_tables[i];
        assert_true(*tn_facts_title(t, "en") && *tn_facts_title(t, "zh"));
        assert_string_not_equal(tn_facts_title(t, "en"), tn_facts_title(t, "zh"));
        assert_true(tn_facts_column(t, "rank") >= 0 && tn_facts_column(t, "notes") >= 0);
        assert_true(t->nrows > 0);
        for (uint32_t r = 0; r < t->nrows; r++) {
            struct tn_cite cite = tn_facts_cite(t, r);
            if (strlen(cite.source) <= 8 || strlen(cite.date) < 7 || tn_facts_rank(t, r) == 0)
                fail_msg("%s row %u", tn_facts_name(t), (unsigned)r);
            if (tn_facts_rank(t, r) > 1 && (!*cite.notes || tn_facts_rival(t, r, 0) == t->nrows))
                fail_msg("%s row %u: a rival alone or without reason", tn_facts_name(t), (unsigned)r);
            assert_true(strncmp(cite.date, tn_facts_date, strlen(cite.date)) <= 0);
        }
    }
}

static void date(void **state)
{
    (void)state;
    assert_string_equal(tn_facts_date, "2026-12-03");
}

static void cells(void **state)
{
    const struct tn_table *t = table("xid");
    struct tn_filter f = {"xid", TN_FILTER_EQ, "79"};
    uint32_t r = tn_facts_next(t, 0, &f, 1);
    (void)state;
    assert_true(r < t->nrows);
    assert_string_equal(tn_facts_get(t, r, "xid"), "79");
    assert_string_equal(tn_facts_get(t, r, "no such"), "");
    assert_string_equal(tn_facts_cell(t, t->nrows, 0), "");
    assert_string_equal(tn_facts_cell(t, 0, t->ncolumns), "");
    assert_int_equal(tn_facts_column(t, "no such"), -1);
    assert_string_equal(tn_facts_column_name(t, 0), "xid");
    assert_string_equal(tn_facts_column_name(t, t->ncolumns), "");
    assert_int_equal(tn_facts_column_type(t, 0), TN_COL_INT);
    assert_true(tn_facts_column_is_key(t, 0));
    assert_false(tn_facts_column_is_key(t, 1));
    f.column = "no such";
    assert_int_equal(tn_facts_next(t, 0, &f, 1), t->nrows);
    assert_int_equal(tn_facts_next(t, 5, NULL, 0), 5);
}

static void filters(void **state)
{
    const struct tn_table *t = table("tensorflow_builds");
    const struct tn_filter gpu[] = {{"version", TN_FILTER_VERSION, "2.1"},
                                    {"platform", TN_FILTER_EQ, "Windows"},
                                    {"gpu", TN_FILTER_EQ, "yes"},
                                    {"package", TN_FILTER_PART, "FLOW"}};
    const struct tn_filter has = {"all_cc", TN_FILTER_HAS, "8.9"};
    const struct tn_table *arch = table("cuda_arch");
    unsigned n = 0;
    (void)state;
    for (uint32_t r = 0; (r = tn_facts_next(t, r, gpu, 4)) < t->nrows; r++, n++)
        assert_string_equal(tn_facts_get(t, r, "version"), "2.1.0");
    assert_int_equal(n, 2);
    /* Releases come oldest first: the first with 8.9 is 11.8. */
    assert_string_equal(tn_facts_get(arch, tn_facts_next(arch, 0, &has, 1), "cuda_release"), "11.8");
}

static void rivals(void **state)
{
    const struct tn_table *t = table("tensorflow_builds");
    const struct tn_filter f[] = {{"version", TN_FILTER_VERSION, "2.21"},
                                  {"platform", TN_FILTER_EQ, "linux"},
                                  {"package", TN_FILTER_EQ, "tensorflow"},
                                  {"rank", TN_FILTER_EQ, "1"}};
    uint32_t r = tn_facts_next(t, 0, f, 4), rival = tn_facts_rival(t, r, 0);
    (void)state;
    assert_string_equal(tn_facts_get(t, r, "cuda"), "12.5");
    assert_true(rival < t->nrows);
    assert_int_equal(tn_facts_rank(t, rival), 2);
    assert_string_equal(tn_facts_get(t, rival, "cuda"), "12.3");
    assert_string_equal(tn_facts_get(t, rival, "cudnn"), "8.9.7");
    assert_string_equal(tn_facts_get(t, rival, "python_min"), "3.9");
    assert_string_equal(tn_facts_get(t, rival, "python_max"), "3.12");
    assert_non_null(strstr(tn_facts_get(t, rival, "source"), "pip.md"));
    assert_int_equal(tn_facts_rival(t, r, rival + 1), t->nrows);
}

static void within(void **state)
{
    static const struct {
        const char *version, *prefix;
        bool want;
    } rows[] = {{"2.10.1", "2.10", true},
                {"2.1.0", "2.10", false},
                {"2.10.0", "2.1", false},
                {"2.10", "2.10.0", false},
                {"2.15.0.post1", "2.15", true},
                {"2.5.1+cu121", "2.5.1", true},
                {"535.054", "535.54", true},
                {"", "2", false},
                {"2", "", false},
                {"12", "12", true},
                {"120", "12", false},
                {"2.0rc1", "2.0", true}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++)
        if (tn_facts_version_within(rows[i].version, rows[i].prefix) != rows[i].want)
            fail_msg("%s %s", rows[i].version, rows[i].prefix);
}

static void lists(void **state)
{
    const char *list = "8.0 8.6  9.0a";
    char word[8];
    (void)state;
    assert_true(tn_facts_list_has(list, "8.6"));
    assert_true(tn_facts_list_has(list, "9.0a"));
    assert_false(tn_facts_list_has(list, "9.0"));
    assert_false(tn_facts_list_has(list, ""));
    assert_false(tn_facts_list_has("", "8.0"));
    assert_true(tn_facts_list_next(&list, word, sizeof word));
    assert_string_equal(word, "8.0");
    assert_true(tn_facts_list_next(&list, word, sizeof word) && tn_facts_list_next(&list, word, sizeof word));
    assert_string_equal(word, "9.0a");
    assert_false(tn_facts_list_next(&list, word, sizeof word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_there), cmocka_unit_test(every_row_is_cited),
        cmocka_unit_test(date),          cmocka_unit_test(cells),
        cmocka_unit_test(filters),       cmocka_unit_test(rivals),
        cmocka_unit_test(within),        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
