/* facts_gpu.c - GPUs by id and name, capabilities, last driver branches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"

static void by_pci(void **state)
{
    static const struct {
        unsigned id;
        const char *name, *chip, *architecture, *cc, *memory;
    } rows[] = {
        {0x1B80, "GeForce GTX 1080", "GP104", "Pascal", "6.1", "8"},
        {0x2204, "GeForce RTX 3090", "GA102", "Ampere", "8.6", "24"},
        {0x2184, "GeForce GTX 1660", "TU116", "Turing", "7.5", "6"},
        {0x1D10, "GeForce MX150", "GP108M", "Pascal", "6.1", ""},
        {0x2B85, "GeForce RTX 5090", "GB202", "Blackwell", "12.0", "32"},
        {0x2330, "H100 SXM5 80GB", "GH100", "Hopper", "9.0", "80"},
        {0x2501, "GeForce RTX 3060", "GA106", "Ampere", "8.6", "8 12"},
        {0x2E12, "GB10", "GB20B", "Blackwell", "12.1", ""},
        {0x3182, "B300 SXM6 AC", "GB110", "Blackwell", "10.3", ""},
    };
    struct tn_facts_gpu gpu;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_gpu_by_pci(rows[i].id, &gpu), TN_ANSWER_YES);
        assert_string_equal(gpu.name, rows[i].name);
        assert_string_equal(gpu.chip, rows[i].chip);
        assert_string_equal(gpu.architecture, rows[i].architecture);
        assert_string_equal(gpu.capability, rows[i].cc);
        assert_string_equal(gpu.memory_gb, rows[i].memory);
        assert_true(*gpu.cite.source && *gpu.cite.date);
    }
    assert_int_equal(tn_facts_gpu_by_pci(0xFFFE, &gpu), TN_ANSWER_NO);
    assert_int_equal(tn_facts_gpu_by_pci(0, &gpu), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_gpu_by_pci(0x10000, &gpu), TN_ANSWER_BAD);
}

/* Each row is found by its own name, with the maker's words or without, in any case; of equal names the first row. */
static void every_name(void **state)
{
    const struct tn_table *t = tn_facts_find("gpus");
    (void)state;
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *name = tn_facts_get(t, r, "name");
        char other[128] = "NVIDIA ";
        struct tn_facts_gpu gpu, same;
        for (size_t i = 0, n = strlen(other); i <= strlen(name); i++)
            other[n + i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 32) : name[i];
        assert_int_equal(tn_facts_gpu_by_name(name, &gpu), TN_ANSWER_YES);
        assert_int_equal(tn_facts_gpu_by_name(other, &same), TN_ANSWER_YES);
        assert_true(gpu.row <= r && gpu.row == same.row && gpu.rows == same.rows);
        assert_string_equal(gpu.name, same.name);
        assert_string_equal(gpu.capability, same.capability);
    }
    assert_int_equal(tn_facts_ncard_names, t->nrows);
}

static void by_name(void **state)
{
    static const char *const rows[][2] = {
        {"NVIDIA GeForce RTX 3060 Ti", "8.6"},
        {"RTX 3090", "8.6"},
        {"gtx1660", "7.5"},
        {"MX150", "6.1"},
        {"GeForce MX150", "6.1"},
        {"nvidia geforce rtx 5090", "12.0"},
        {"NVIDIA H100 80GB HBM3", "9.0"},
        {"H100", "9.0"},
        {"A100", "8.0"},
        {"NVIDIA A100-SXM4-40GB", "8.0"},
        {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", "8.0"},
        {"Tesla V100-SXM2-16GB", "7.0"},
        {"Tesla T4", "7.5"},
        {"GTX 1080 Ti", "6.1"},
        {"RTX 4090", "8.9"},
        {"RTX4090 Laptop GPU", "8.9"},
        {"NVIDIA GeForce RTX 3060 Laptop GPU", "8.6"},
        {"GB10", "12.1"},
        {"NVIDIA Thor", "11.0"},
        {"NVIDIA Jetson T5000", "11.0"},
        {"Tesla K80", "3.7"},
        {"NVIDIA L4", "8.9"},
        {"NVIDIA B200", "10.0"},
        {"GeForce GTX 1650", "7.5"},
        {"GeForce GTX 960M", "5.0"},
        {"GeForce GTX TITAN X", "5.2"},
    };
    struct tn_facts_gpu gpu;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        enum tn_found answer = tn_facts_gpu_by_name(rows[i][0], &gpu);
        if (answer != TN_ANSWER_YES || strcmp(gpu.capability, rows[i][1]) != 0)
            fail_msg("%s: %d %s", rows[i][0], (int)answer, answer == TN_ANSWER_YES ? gpu.capability : "-");
    }
}

static void several_and_none(void **state)
{
    struct tn_facts_gpu gpu;
    (void)state;
    /* One name, two chips: the capability is shared, the chip is not named. */
    assert_int_equal(tn_facts_gpu_by_name("RTX 3060", &gpu), TN_ANSWER_YES);
    assert_true(gpu.rows > 1);
    assert_string_equal(gpu.capability, "8.6");
    assert_string_equal(gpu.chip, "");
    /* One name, chips of different capability: no guess. */
    assert_int_equal(tn_facts_gpu_by_name("GeForce GT 730", &gpu), TN_ANSWER_YES);
    assert_string_equal(gpu.capability, "");
    assert_int_equal(tn_facts_gpu_by_name("Radeon RX 7900 XTX", &gpu), TN_ANSWER_NO);
    assert_int_equal(tn_facts_gpu_by_name("RTX 3090 Hyper", &gpu), TN_ANSWER_NO);
    assert_int_equal(tn_facts_gpu_by_name("RTX 6090", &gpu), TN_ANSWER_NO);
    assert_int_equal(tn_facts_gpu_by_name("NVIDIA", &gpu), TN_ANSWER_BAD);
    assert_int_equal(tn_facts_gpu_by_name("", &gpu), TN_ANSWER_BAD);
}

static void capabilities(void **state)
{
    static const struct {
        const char *cc, *architecture, *first, *last, *branch;
        bool cuda_current, driver_current;
    } rows[] = {
        {"3.0", "Kepler", "7.0", "10.2", "470", false, false},
        {"3.5", "Kepler", "7.0", "11.8", "470", false, false},
        {"5.2", "Maxwell", "7.0", "12.9", "580", false, false},
        {"6.1", "Pascal", "8.0", "12.9", "580", false, false},
        {"7.0", "Volta", "9.0", "12.9", "580", false, false},
        {"7.5", "Turing", "10.0", "13.5", "620", true, true},
        {"8.6", "Ampere", "11.1", "13.5", "620", true, true},
        {"8.9", "Ada Lovelace", "11.8", "13.5", "620", true, true},
        {"9.0", "Hopper", "11.8", "13.5", "620", true, true},
        {"12.0", "Blackwell", "12.8", "13.5", "620", true, true},
        {"2.1", "Fermi", "7.0", "8.0", "390", false, false},
        {"10.1", "Blackwell", "12.8", "12.9", "620", false, true},
        {"10.7", "Rubin", "13.4", "13.5", "620", true, true},
        {"8.8", "", "13.0", "13.5", "", true, false},
    };
    struct tn_facts_capability got;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_capability(rows[i].cc, &got), TN_ANSWER_YES);
        assert_string_equal(got.architecture, rows[i].architecture);
        assert_string_equal(got.first_cuda, rows[i].first);
        assert_string_equal(got.last_cuda, rows[i].last);
        assert_string_equal(got.last_driver_branch, rows[i].branch);
        assert_int_equal(got.cuda_current, rows[i].cuda_current);
        assert_int_equal(got.driver_current, rows[i].driver_current);
    }
    assert_int_equal(tn_facts_capability("4.2", &got), TN_ANSWER_NO);
    assert_int_equal(tn_facts_capability("x", &got), TN_ANSWER_BAD);
}

static void last_branches(void **state)
{
    static const char *const rows[][2] = {{"Fermi", "390"}, {"Kepler", "470"}, {"Maxwell", "580"},  {"pascal", "580"},
                                          {"Volta", "580"}, {"Turing", "620"}, {"Blackwell", "620"}};
    const char *branch = NULL;
    bool current = false;
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        assert_int_equal(tn_facts_last_branch(rows[i][0], &branch, &current), TN_ANSWER_YES);
        assert_string_equal(branch, rows[i][1]);
        assert_int_equal(current, rows[i][1][0] == '6');
    }
    assert_int_equal(tn_facts_last_branch("RDNA3", &branch, &current), TN_ANSWER_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_pci),       cmocka_unit_test(by_name),
                                       cmocka_unit_test(every_name),   cmocka_unit_test(several_and_none),
                                       cmocka_unit_test(capabilities), cmocka_unit_test(last_branches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
