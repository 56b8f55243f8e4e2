/* What apt-get says that it would do for `clean`: the item's own packages and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clean/package.h"

#define HEAD "Reading package lists...\nBuilding dependency tree...\nReading state information...\n"

static enum tn_removal judged(const char *answer, const char *in_the_way, size_t gone)
{
    static const char *names[] = {"cuda-nvcc-11-6", "cuda-cudart-11-6"};
    struct tn_snap s;
    struct tn_arena mem;
    struct tn_rec_stock row;
    struct tn_clean_item item = {.how = TN_CLEAN_COMMAND, .r = &row};
    struct tn_clean_package p = {.item = &item};
    memset(&row, 0, sizeof row);
    tn_snap_init(&s);
    tn_arena_init(&mem);
    uint32_t src = tn_snap_src(&s, TN_KNOWN, NULL, "test");
    row.by = tn_fact_str(&s, src, "dpkg");
    row.packages = tn_fact_list(&s, src, names, 2);
    tn_clean_package_judge(&mem, &s, tn_span_str(answer), &p);
    assert_string_equal(p.package, in_the_way);
    assert_int_equal(p.n_gone, gone);
    tn_snap_deinit(&s);
    tn_arena_deinit(&mem);
    return p.kind;
}

static void its_own_packages_may_go(void **state)
{
    (void)state;
    assert_int_equal(judged(HEAD "The following packages will be REMOVED:\n  cuda-cudart-11-6 cuda-nvcc-11-6\n"
                                 "0 upgraded, 0 newly installed, 2 to remove and 0 not upgraded.\n"
                                 "Remv cuda-cudart-11-6 [11.6.55-1]\nRemv cuda-nvcc-11-6 [11.6.124-1]\n",
                            "", 2),
                     TN_REMOVAL_FINE);
}

static void no_other_package_and_no_driver(void **state)
{
    (void)state;
    assert_int_equal(judged(HEAD "The following packages will be REMOVED:\n  cuda-nvcc-11-6 blender\n"
                                 "0 upgraded, 0 newly installed, 2 to remove and 0 not upgraded.\n"
                                 "Remv blender [3.4]\nRemv cuda-nvcc-11-6 [11.6.124-1]\n",
                            "blender", 2),
                     TN_REMOVAL_OTHER);
    /* a part that another takes the place of is within the bounds of work on the driver, not of cleaning */
    assert_int_equal(judged(HEAD "The following packages will be REMOVED:\n  cuda-nvcc-11-6 nvidia-settings\n"
                                 "0 upgraded, 0 newly installed, 2 to remove and 0 not upgraded.\n"
                                 "Remv nvidia-settings [535.1]\nRemv cuda-nvcc-11-6 [11.6.124-1]\n",
                            "nvidia-settings", 2),
                     TN_REMOVAL_LAST);
    assert_int_equal(judged(HEAD "The following NEW packages will be installed:\n  nvidia-cuda-toolkit\n"
                                 "The following packages will be REMOVED:\n  cuda-nvcc-11-6\n"
                                 "0 upgraded, 1 newly installed, 1 to remove and 0 not upgraded.\n"
                                 "Remv cuda-nvcc-11-6 [11.6.124-1]\n"
                                 "Inst nvidia-cuda-toolkit (11.8 Debian:12/stable [amd64])\n"
                                 "Conf nvidia-cuda-toolkit (11.8 Debian:12/stable [amd64])\n",
                            "nvidia-cuda-toolkit", 1),
                     TN_REMOVAL_OTHER);
}

static void what_is_no_answer_is_refused(void **state)
{
    (void)state;
    assert_int_equal(judged("", "", 0), TN_REMOVAL_UNCLEAR);
    assert_int_equal(judged(HEAD "0 upgraded, 0 newly installed, 0 to remove and 0 not upgraded.\n", "", 0),
                     TN_REMOVAL_UNCLEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(its_own_packages_may_go),
                                       cmocka_unit_test(no_other_package_and_no_driver),
                                       cmocka_unit_test(what_is_no_answer_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
