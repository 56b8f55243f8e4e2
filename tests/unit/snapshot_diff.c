/* snapshot_diff.c - comparing snapshots: by identity, with weight, in a fixed order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "snapshot/diff.h"
#include "snapshot/read.h"
#include "snapshot/write.h"
#include "snapshot_random.h"

static void add_gpu(struct tn_snap *s, const char *bus, const char *name)
{
    struct tn_rec_gpu *g = TN_ADD(s, gpu);
    g->bus = tn_fact_str(s, 0, bus);
    g->name = tn_fact_str(s, 0, name);
}

static void add_env(struct tn_snap *s, const char *id, const char *path, const char *tf)
{
    struct tn_rec_env *e = TN_ADD(s, env);
    e->id = tn_fact_str(s, 0, id);
    e->path = tn_fact_str(s, 0, path);
    struct tn_rec_dist *d = TN_ADD(s, dist);
    d->env = tn_fact_str(s, 0, id);
    d->name = tn_fact_str(s, 0, "tensorflow");
    d->version = tn_fact_str(s, 0, tf);
}

static void expect(const struct tn_change *c, const char *fact, const char *before, const char *after, bool matters)
{
    assert_string_equal(c->fact, fact);
    assert_true(tn_str_eq(c->old_text, before));
    assert_true(tn_str_eq(c->new_text, after));
    assert_int_equal(c->matters, matters);
}

static void one_of_each(void **state)
{
    struct tn_snap a, b;
    struct tn_diff d;
    (void)state;
    tn_snap_init(&a);
    tn_snap_init(&b);
    TN_THE(&a, driver)->version = tn_fact_str(&a, 0, "470.256.02");
    TN_THE(&b, driver)->version = tn_fact_str(&b, 0, "535.183.01");
    TN_THE(&a, host)->name = tn_fact_str(&a, 0, "alpha");
    TN_THE(&b, host)->name = tn_fact_nostr(0, TN_DENIED);
    add_gpu(&a, "0000:01:00.0", "A");
    add_gpu(&a, "0000:02:00.0", "B");
    add_gpu(&b, "0000:03:00.0", "C");
    add_gpu(&b, "0000:02:00.0", "B2");
    add_env(&a, "env1", "/venv/x", "2.10.0");
    add_env(&a, "env2", "/venv/y", "2.11.0");
    add_env(&b, "env1", "/venv/y", "2.11.0");
    add_env(&b, "env2", "/venv/x", "2.12.0");
    b.env.listed = TN_KNOWN;
    tn_snapshot_diff(&a, &b, &d);
    assert_int_equal(d.n, 7);
    expect(&d.v[0], "host.name", "alpha", "(denied)", false);
    expect(&d.v[1], "gpu[0000:01:00.0]", "0000:01:00.0", NULL, true);
    expect(&d.v[2], "gpu[0000:02:00.0].name", "B", "B2", true);
    expect(&d.v[3], "gpu[0000:03:00.0]", NULL, "0000:03:00.0", true);
    expect(&d.v[4], "driver.version", "470.256.02", "535.183.01", true);
    expect(&d.v[5], "env", "(unasked)", "(known)", true);
    expect(&d.v[6], "dist[/venv/x tensorflow].version", "2.10.0", "2.12.0", true);
    assert_int_equal(d.n_matters, 6);
    assert_int_equal(d.v[6].before.row, 0);
    assert_int_equal(d.v[6].after.row, 1);
    tn_diff_deinit(&d);
    tn_snap_deinit(&a);
    tn_snap_deinit(&b);
}

/* A snapshot never differs from itself, nor from what a file made of it; the reverse has the same number of changes. */
static void equal_and_reverse(void **state)
{
    (void)state;
    for (unsigned i = 0; i < random_count(100); i++) {
        struct tn_snap a, b, c;
        struct tn_diff d, e;
        struct tn_buf text;
        random_seed(i + 7);
        random_snap(&a);
        random_snap(&c);
        tn_buf_init(&text);
        tn_snapshot_write(&a, &text);
        assert_int_equal(tn_snapshot_read(tn_span_of(text.p, text.n), &b, NULL), 0);
        tn_snapshot_diff(&a, &b, &d);
        if (d.n)
            fail_msg("seed %u: %s: %s -> %s", i + 7, d.v[0].fact, d.v[0].old_text, d.v[0].new_text);
        tn_diff_deinit(&d);
        tn_snapshot_diff(&a, &c, &d);
        tn_snapshot_diff(&c, &a, &e);
        assert_int_equal(d.n, e.n);
        assert_int_equal(d.n_matters, e.n_matters);
        for (size_t k = 0; k < d.n; k++) {
            assert_string_equal(d.v[k].fact, e.v[k].fact);
            assert_true(tn_str_eq(d.v[k].old_text, e.v[k].new_text));
        }
        tn_diff_deinit(&d);
        tn_diff_deinit(&e);
        tn_buf_deinit(&text);
        tn_snap_deinit(&a);
        tn_snap_deinit(&b);
        tn_snap_deinit(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_each), cmocka_unit_test(equal_and_reverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
