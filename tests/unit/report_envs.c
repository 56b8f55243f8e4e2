/* report_envs.c - the table of environments fits its terminal: frameworks below each other, then fewer columns; figures
 * of the disk in their order and words. */
#include "base/str.h"
#include "base/buf.h"
#include "report/envs.h"

#include "check_machine.h"

static void four(struct machine *m)
{
    static const char *const name[] = {"torch", "tensorflow", "onnxruntime", "jax"};
    start_healthy(m);
    add_env(m, "env2", false);
    add_env(m, "env3", false);
    for (unsigned i = 0; i < TN_LEN(name); i++)
        add_framework(m, "env2", name[i], "2.15.1", true);
    add_framework(m, "env3", "tensorflow", "2.15.1", true);
    for (size_t i = 0; i < m->s.env.n; i++) {
        m->s.env.v[i].bytes = N(((int64_t)i + 1) << 30);
        m->s.env.v[i].unreadable = N(i == 1);
        m->s.env.v[i].used_s = N(1764547200);
    }
    TN_THE(&m->s, envs)->bytes = N((int64_t)4 << 30);
    TN_THE(&m->s, envs)->doubled_bytes = N((int64_t)1 << 30);
    tn_judge_init(&m->j, &m->s, NULL, NULL);
}

static const char *text(struct machine *m, unsigned width, enum tn_envs_sort sort, struct tn_buf *b)
{
    struct tn_envs e = {.mem = &m->mem, .judge = &m->j, .all = true, .width = width, .sort = sort};
    tn_envs_make(&e);
    tn_buf_clear(b);
    tn_envs_text(&e, b);
    return b->p;
}

static void fits(void **state)
{
    struct machine box, *m = &box;
    struct tn_buf b;
    (void)state;
    four(m);
    tn_buf_init(&b);
    for (unsigned width = 50; width <= 140; width++) {
        const char *s = text(m, width, TN_SORT_DEFAULT, &b);
        for (const char *line = s; *line;) {
            size_t n = strcspn(line, "\n");
            if (tn_utf8_width(tn_arena_strndup(&m->mem, line, n)) > width)
                fail_msg("%u columns: %.*s", width, (int)n, line);
            line += n + (line[n] != 0);
        }
        assert_non_null(strstr(s, "onnxruntime 2.15.1")); /* none is lost */
        assert_non_null(strstr(s, "jax 2.15.1"));
    }
    tn_buf_deinit(&b);
    finish(m);
}

static void disk(void **state)
{
    struct machine box, *m = &box;
    struct tn_buf b;
    (void)state;
    four(m);
    tn_buf_init(&b);
    const char *s = text(m, 0, TN_SORT_SIZE, &b);
    const char *three = strstr(s, "3.0 GiB"), *two = strstr(s, "2.0 GiB+"), *one = strstr(s, "1.0 GiB ");
    assert_true(three && two && one && three < two && two < one);
    assert_non_null(strstr(s, "4.0 GiB on the disk, each file counted once; 2.0 GiB more without the links"));
    assert_non_null(strstr(s, "1.0 GiB are second copies"));
    assert_non_null(strstr(s, "+: 1 folders could not be read"));
    m->s.env.v[1].unreadable = N(0);
    m->s.env.v[2].bytes = tn_fact_noint(0, TN_FAILED); /* a file system that hangs */
    TN_THE(&m->s, envs)->doubled_bytes = N(5);
    s = text(m, 0, TN_SORT_SIZE, &b);
    assert_null(strstr(s, "second copies"));
    assert_null(strstr(s, "+: "));
    assert_null(strstr(s, "3.0 GiB"));
    tn_buf_deinit(&b);
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
