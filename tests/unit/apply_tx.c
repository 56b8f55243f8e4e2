/* apply_tx.c - a transaction is made whole or not at all, whatever line of its journal is the last, and undone to the
 * byte; trees are never left through links. */
#include "os_help.h"

#include "apply/settle.h"
#include "apply/tx.h"
#include "base/sha256.h"
#include "base/str.h"

#ifdef _WIN32
#include <io.h>
#include <unistd.h>
#endif

static struct tn_err err;

static struct tn_state *open_state(void)
{
    struct tn_state *s;
    long holder;
    int rc = tn_state_open(&mem, in("state"), NULL, NULL, &s, &holder, &err);
    if (rc)
        fail_msg("%s: %s", err.place, err.text);
    return s;
}

static bool is_there(const char *name)
{
    struct tn_os_stat st;
    return tn_os_stat(NULL, in(name), false, &st, NULL) == 0;
}

static const char *content(const char *name)
{
    struct tn_buf b;
    uint64_t size;
    tn_buf_init(&b);
    if (tn_os_read(NULL, in(name), 0, 4096, &b, &size, NULL))
        return "(none)";
    const char *r = tn_arena_strdup(&mem, b.n ? b.p : "");
    tn_buf_deinit(&b);
    return r;
}

/* Entries of the scratch folder that are no part of what a test made. */
static unsigned twins(void)
{
    struct tn_os_entry *e;
    size_t n;
    unsigned r = 0;
    assert_int_equal(tn_os_list(NULL, scratch, &mem, &e, &n, NULL), 0);
    for (size_t i = 0; i < n; i++)
        r += strstr(e[i].name, ".tenon-") != NULL;
    return r;
}

static void test_put(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx *t;
    const char *stage;
    struct tn_tx_rest rest = {NULL, NULL};
    assert_int_equal(tn_tx_begin(s, "apply", "a goal", &t, &err), 0);
    assert_int_equal(tn_tx_put(t, in("env"), &stage, &err), 0);
    assert_false(is_there("env"));
    make_file(tn_arena_printf(&mem, "%s/x", stage), "new");
    assert_int_equal(tn_tx_commit(t, &err), 0);
    unsigned id = tn_tx_id_of(t);
    tn_tx_end(t);
    assert_string_equal(content("env/x"), "new");
    assert_int_equal(twins(), 0);
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), 0);
    assert_null(rest.kept);
    assert_false(is_there("env"));
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), TN_E_USAGE);
    tn_state_close(s);
}

static void test_there_already(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx *t;
    const char *stage;
    make_dir(in("mine"));
    assert_int_equal(tn_tx_begin(s, "apply", "a goal", &t, &err), 0);
    assert_int_equal(tn_tx_put(t, in("mine"), &stage, &err), TN_E_EXISTS);
    tn_tx_end(t);
    /* and somebody makes it while we build */
    assert_int_equal(tn_tx_begin(s, "apply", "a goal", &t, &err), 0);
    assert_int_equal(tn_tx_put(t, in("late"), &stage, &err), 0);
    make_file(in("late"), "theirs");
    assert_int_equal(tn_tx_commit(t, &err), TN_E_EXISTS);
    tn_tx_end(t);
    assert_string_equal(content("late"), "theirs");
    assert_int_equal(twins(), 0);
    tn_state_close(s);
}

static void test_swap(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx *t;
    const char *stage;
    struct tn_tx_rest rest = {NULL, NULL};
    make_dir(in("env"));
    make_file(in("env/same"), "same");
    make_file(in("env/old"), "old");
    assert_int_equal(tn_tx_begin(s, "apply", "a change", &t, &err), 0);
    assert_int_equal(tn_tx_swap(t, in("env"), &stage, &err), 0);
    make_file(tn_arena_printf(&mem, "%s/old", stage), "new"); /* through a rename */
    assert_int_equal(tn_tx_commit(t, &err), 0);
    unsigned id = tn_tx_id_of(t);
    tn_tx_end(t);
    assert_string_equal(content("env/old"), "new");
    assert_string_equal(content("env/same"), "same");
    assert_int_equal(twins(), 1);
    make_file(in("env/theirs"), "precious"); /* since then */
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), 0);
    assert_string_equal(content("env/old"), "old");
    assert_non_null(rest.kept);
    struct tn_buf b;
    uint64_t size;
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, tn_arena_printf(&mem, "%s/theirs", rest.kept), 0, 99, &b, &size, &err), 0);
    assert_string_equal(b.p, "precious");
    tn_buf_deinit(&b);
    tn_state_close(s);
}

static void test_changed_meanwhile(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx *t;
    const char *stage;
    make_dir(in("env"));
    assert_int_equal(tn_tx_begin(s, "apply", "a change", &t, &err), 0);
    assert_int_equal(tn_tx_swap(t, in("env"), &stage, &err), 0);
    make_file(in("env/theirs"), "precious");
    assert_int_equal(tn_tx_commit(t, &err), TN_E_EXISTS);
    tn_tx_end(t);
    assert_string_equal(content("env/theirs"), "precious");
    assert_int_equal(twins(), 0);
    tn_state_close(s);
}

static void test_away(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx *t;
    struct tn_tx_rest rest = {NULL, NULL};
    make_dir(in("cuda"));
    make_file(in("cuda/lib"), "lib");
    assert_int_equal(tn_tx_begin(s, "clean", "cuda", &t, &err), 0);
    assert_int_equal(tn_tx_away(t, in("cuda"), &err), 0);
    assert_true(is_there("cuda"));
    assert_int_equal(tn_tx_commit(t, &err), 0);
    unsigned id = tn_tx_id_of(t);
    tn_tx_end(t);
    assert_false(is_there("cuda"));
    make_file(in("cuda"), "another one");
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), TN_E_REFUSED);
    unlink(in("cuda"));
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), 0);
    assert_string_equal(content("cuda/lib"), "lib");
    assert_int_equal(twins(), 0);
    tn_state_close(s);
}

/* The journal of a put, a swap and two that go, cut after each line, and in the middle of each: recovery comes to the
 * old state or the new one, whole, and says the same when it runs again. */
static void make_start(void)
{
    make_dir(in("w"));
    make_dir(in("w/env"));
    make_file(in("w/env/v"), "old");
    make_dir(in("w/gone"));
    make_file(in("w/gone/v"), "old");
}

static const char *world(void)
{
    const char *v[] = {"w/new/v", "w/env/v", "w/gone/v"};
    const char *r = "";
    for (unsigned i = 0; i < 3; i++)
        r = tn_arena_printf(&mem, "%s%s ", r, content(v[i]));
    struct tn_os_entry *e;
    size_t n;
    assert_int_equal(tn_os_list(NULL, in("w"), &mem, &e, &n, NULL), 0);
    return tn_arena_printf(&mem, "%s%zu", r, n);
}

static struct tn_tx *build(struct tn_state *s)
{
    struct tn_tx *t;
    const char *stage;
    assert_int_equal(tn_tx_begin(s, "apply", "all at once", &t, &err), 0);
    assert_int_equal(tn_tx_put(t, in("w/new"), &stage, &err), 0);
    make_file(tn_arena_printf(&mem, "%s/v", stage), "new");
    assert_int_equal(tn_tx_swap(t, in("w/env"), &stage, &err), 0);
    make_file(tn_arena_printf(&mem, "%s/v", stage), "new");
    assert_int_equal(tn_tx_away(t, in("w/gone"), &err), 0);
    return t;
}

/* As a process that is killed: nothing is cancelled. */
static void killed(struct tn_state *s, struct tn_tx *t)
{
    tn_os_dir_close(tn_tx_folder(t));
    tn_state_close(s);
}

static void cut_journal(const char *state, unsigned id, size_t bytes)
{
    const char *path = tn_arena_printf(&mem, "%s/transactions/%u/journal", state, id);
    assert_int_equal(truncate(path, (off_t)bytes), 0);
}

static void test_edit(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_os_stat was, now;
    struct tn_tx_rest rest = {NULL, NULL};
    struct tn_tx *t;
    make_file(in("rc"), "one\ntwo\n");
    assert_int_equal(chmod(in("rc"), 0640), 0);
    assert_int_equal(tn_os_stat(NULL, in("rc"), false, &was, NULL), 0);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(tn_tx_begin(s, "clean", "rc", &t, &err), 0);
        assert_int_equal(tn_tx_edit(t, in("rc"), "two\n", 4, &err), 0);
        if (k == 2) { /* and somebody saves it meanwhile */
            make_file(in("rc"), "three\n");
            assert_int_equal(tn_tx_commit(t, &err), TN_E_EXISTS);
            tn_tx_end(t);
            assert_string_equal(content("rc"), "three\n");
            break;
        }
        assert_int_equal(tn_tx_commit(t, &err), 0);
        unsigned id = tn_tx_id_of(t);
        tn_tx_end(t);
        assert_string_equal(content("rc"), "two\n");
        assert_int_equal(tn_os_stat(NULL, in("rc"), false, &now, NULL), 0);
        assert_int_equal(now.mode, was.mode);
        if (k == 1) /* written to since */
            make_file(in("rc"), "two\nmine\n");
        assert_int_equal(tn_tx_undo(s, id, &rest, &err), 0);
        assert_string_equal(content("rc"), k == 1 ? "two\nmine\n" : "one\ntwo\n");
        assert_true(k == 1 ? rest.left != NULL : rest.left == NULL);
        if (k == 0) {
            assert_int_equal(tn_os_stat(NULL, in("rc"), false, &now, NULL), 0);
            assert_true(now.ino == was.ino && now.mtime == was.mtime);
            assert_int_equal(twins(), 0);
        }
    }
    tn_state_close(s);
}

static void test_forget(void **state)
{
    (void)state;
    struct tn_state *s = open_state();
    struct tn_tx_rest rest = {NULL, NULL};
    struct tn_tx *t;
    make_dir(in("cuda"));
    make_file(in("cuda/lib"), "lib");
    make_dir(in("mine"));
    assert_int_equal(tn_tx_begin(s, "clean", "cuda", &t, &err), 0);
    unsigned id = tn_tx_id_of(t);
    assert_int_equal(tn_tx_away(t, in("cuda"), &err), 0);
    assert_int_equal(tn_tx_away(t, in("mine"), &err), 0);
    const char *twin = tn_arena_strdup(&mem, tn_tx_record_of(t)->item[1].twin);
    assert_int_equal(tn_tx_commit(t, &err), 0);
    tn_tx_end(t);
    /* what has a twin's name by now and is not what went */
    assert_int_equal(rename(in(twin), in("elsewhere")), 0);
    make_dir(in(twin));
    make_file(in(tn_arena_printf(&mem, "%s/thesis", twin)), "precious");
    assert_int_equal(tn_tx_forget(s, id, &err), 0);
    assert_int_equal(twins(), 1);
    assert_string_equal(content(tn_arena_printf(&mem, "%s/thesis", twin)), "precious");
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), TN_E_USAGE);
    assert_int_equal(tn_tx_forget(s, id, &err), TN_E_REFUSED);
    tn_state_close(s);
}

static void test_cut(void **state)
{
    (void)state;
    struct tn_buf whole;
    uint64_t size;
    unsigned cuts = 0, id;
    make_start();
    struct tn_state *s = open_state();
    struct tn_tx *t = build(s);
    assert_int_equal(tn_tx_commit(t, &err), 0);
    id = tn_tx_id_of(t);
    tn_tx_end(t);
    tn_state_close(s);
    assert_string_equal(world(), "new new (none) 4"); /* two twins are kept */
    tn_buf_init(&whole);
    assert_int_equal(tn_os_read(NULL, tn_arena_printf(&mem, "%s/transactions/%u/journal", in("state"), id), 0, 1 << 20,
                                &whole, &size, &err),
                     0);
    /* Everything was renamed already, "done" is lost: it is finished again. */
    size_t done = 0;
    for (size_t i = 0; i + 1 < whole.n; i++)
        done = whole.p[i] == '\n' ? i + 1 : done;
    for (size_t n = done; n < whole.n; n++) {
        cut_journal(in("state"), id, n);
        s = open_state();
        struct tn_tx_record *r = tn_arena_alloc(&mem, sizeof *r);
        assert_int_equal(tn_state_read(s, id, r, &err), 0);
        assert_int_equal(r->state, TN_TX_DONE);
        tn_state_close(s);
        assert_string_equal(world(), "new new (none) 4");
        cuts++;
    }
    tn_buf_deinit(&whole);
    assert_true(cuts > 10);
}

/* The same before the commit: what was built goes, all is as before. */
static void test_cut_open(void **state)
{
    (void)state;
    make_start();
    const char *before = world();
    for (unsigned k = 0; k < 3; k++) {
        struct tn_state *s = open_state();
        struct tn_tx *t = build(s);
        unsigned id = tn_tx_id_of(t);
        killed(s, t);
        if (k) { /* and the last line is half a line, or not even begun */
            const char *path = tn_arena_printf(&mem, "%s/transactions/%u/journal", in("state"), id);
            struct tn_os_stat st;
            assert_int_equal(tn_os_stat(NULL, path, false, &st, &err), 0);
            cut_journal(in("state"), id, st.size - (k == 1 ? 5 : 1));
        }
        s = open_state();
        assert_string_equal(world(), before);
        struct tn_tx_record *r = tn_arena_alloc(&mem, sizeof *r);
        assert_int_equal(tn_state_read(s, id, r, &err), 0);
        assert_int_equal(r->state, TN_TX_CANCELLED);
        tn_state_close(s);
    }
}

/* A damaged line that is not the last: nobody knows what was done, and nothing is. */
static void test_damaged(void **state)
{
    (void)state;
    make_start();
    struct tn_state *s = open_state();
    struct tn_tx *t = build(s);
    unsigned id = tn_tx_id_of(t);
    killed(s, t);
    const char *path = tn_arena_printf(&mem, "%s/transactions/%u/journal", in("state"), id), *was = world();
    struct tn_buf b;
    uint64_t size;
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, path, 0, 1 << 20, &b, &size, &err), 0);
    char *goal = strstr(b.p, "all at once"); /* still JSON, still a known record: the sum alone tells */
    assert_non_null(goal);
    *goal ^= 1;
    assert_int_equal(tn_os_write_file(path, b.p, b.n, true, &err), 0);
    tn_buf_deinit(&b);
    s = open_state();
    assert_string_equal(world(), was);
    struct tn_tx_rest rest = {NULL, NULL};
    assert_int_equal(tn_tx_undo(s, id, &rest, &err), TN_E_FORMAT);
    tn_state_close(s);
}

static void test_one_at_a_time(void **state)
{
    (void)state;
    struct tn_state *s = open_state(), *other;
    long holder = 0;
    assert_int_equal(tn_state_open(&mem, in("state"), NULL, NULL, &other, &holder, &err), TN_E_TIMEOUT);
    assert_int_equal(holder, getpid());
    tn_state_close(s);
    s = open_state();
    tn_state_close(s);
}

#ifndef _WIN32
/* Links in a tree lead nowhere: what is behind them stays. */
static void test_links(void **state)
{
    (void)state;
    struct tn_os_dir *d;
    make_dir(in("outside"));
    make_file(in("outside/precious"), "precious");
    make_dir(in("tree"));
    assert_int_equal(symlink(in("outside"), in("tree/out")), 0);
    assert_int_equal(symlink("../outside", in("tree/out2")), 0);
    assert_int_equal(symlink(in("outside"), in("top")), 0);
    assert_int_equal(tn_os_dir_open(scratch, &d, &err), 0);
    assert_int_equal(tn_os_tree_copy(d, "tree", "copy", &err), 0);
    assert_int_equal(tn_os_tree_remove(d, "tree", &err), 0);
    assert_int_equal(tn_os_tree_remove(d, "copy", &err), 0);
    assert_int_equal(tn_os_tree_remove(d, "top", &err), 0);
    assert_string_equal(content("outside/precious"), "precious");
    assert_false(is_there("tree"));
    assert_false(is_there("top"));
    struct tn_os_dir *in_it;
    assert_int_equal(symlink("outside", in("again")), 0);
    assert_int_not_equal(tn_os_dir_enter(d, "again", &in_it, &err), 0);
    assert_int_equal(tn_os_dir_enter(d, "..", &in_it, &err), TN_E_USAGE);
    assert_int_equal(tn_os_dir_enter(d, "outside/x", &in_it, &err), TN_E_USAGE);
    tn_os_dir_close(d);
}

/* Deeper than descriptors last. */
static void test_deep(void **state)
{
    (void)state;
    struct tn_os_dir *d;
    assert_int_equal(tn_os_dir_open(scratch, &d, &err), 0);
    make_dir(in("deep"));
    assert_int_equal(chdir(in("deep")), 0);
    for (int i = 0; i < 1500; i++) {
        assert_int_equal(mkdir("d", 0755), 0);
        assert_int_equal(chdir("d"), 0);
    }
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(tn_os_tree_remove(d, "deep", &err), 0);
    assert_false(is_there("deep"));
    tn_os_dir_close(d);
}

#endif

static void test_settle(void **state)
{
    (void)state;
    struct tn_buf b;
    tn_buf_init(&b);
    const char *text = "#!/a/.env.tenon-1/bin/python\nx = '/a/.env.tenon-1'\n";
    assert_true(tn_apply_replaced(tn_span_of(text, strlen(text)), "/a/.env.tenon-1", "/a/env", &b));
    assert_string_equal(b.p, "#!/a/env/bin/python\nx = '/a/env'\n");
    tn_buf_clear(&b);
    assert_false(tn_apply_replaced(tn_span_of("abc", 3), "/a/.env.tenon-1", "/a/env", &b));
    const char *record = "x/__init__.py,sha256=aaa,1\n../../../bin/x,sha256=bbb,2\nx/RECORD,,\n";
    struct tn_prefix_file is = {.path = "bin/x", .size = 3};
    struct tn_sha256 sum;
    tn_sha256_start(&sum);
    tn_sha256_add(&sum, "abc", 3);
    tn_sha256_end(&sum, is.sha256);
    /* printf abc | sha256sum, as urlsafe base64 */
    assert_true(tn_apply_rerecorded(tn_span_of(record, strlen(record)), "../../../bin/x", &is, &b));
    assert_string_equal(b.p, "x/__init__.py,sha256=aaa,1\n"
                             "../../../bin/x,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\nx/RECORD,,\n");
    tn_buf_clear(&b);
    assert_false(tn_apply_rerecorded(tn_span_of(record, strlen(record)), "../../../bin/y", &is, &b));
    tn_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_put, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_there_already, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_swap, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_changed_meanwhile, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_away, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_edit, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_forget, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_cut, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_cut_open, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_damaged, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_one_at_a_time, help_setup, help_teardown),
#ifndef _WIN32
        cmocka_unit_test_setup_teardown(test_links, help_setup, help_teardown),
        cmocka_unit_test_setup_teardown(test_deep, help_setup, help_teardown),
#endif
        cmocka_unit_test_setup_teardown(test_settle, help_setup, help_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
