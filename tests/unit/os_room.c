/* os_room.c - processors and memory of this machine: what is busy, and blocks for large arrays. */
#include "os_help.h"

#include "os/os.h"

static void blocks(void **state)
{
    static const uint64_t sizes[] = {1, 4096, (2u << 20) - 1, 2u << 20, (2u << 20) + 1, 9999999};
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p = tn_os_block(sizes[i]);
        assert_non_null(p);
        for (uint64_t k = 0; k < sizes[i]; k += 4095) {
            assert_int_equal(p[k], 0);
            p[k] = 1;
        }
        p[sizes[i] - 1] = 1;
        tn_os_block_free(p, sizes[i]);
    }
    assert_null(tn_os_block(1ull << 60));
    tn_os_block_free(NULL, 1);
}

/* What we do ourselves is ours, and no more than everybody's together. */
static void busy(void **state)
{
    double all, own, all_later, own_later;
    volatile unsigned sum = 0;
    (void)state;
    if (!tn_os_busy(&all, &own))
        skip();
    do {
        for (unsigned i = 0; i < 1000000; i++)
            sum = sum + i;
        assert_true(tn_os_busy(&all_later, &own_later));
    } while (own_later < own + 0.2);
    assert_true(all_later - all > 0.1); /* counted in ticks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks), cmocka_unit_test(busy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
