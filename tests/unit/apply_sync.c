/* apply_sync.c - what a transaction waits for: each of its waits for the disk is seen here, since this program's fsync,
 * fdatasync and syncfs stand before libc's. A line of the journal is on the disk before what it announces is done, what
 * was built before the commit, a rename before the last line; and each wait may fail. */
#include "os_help.h"

#ifndef __linux__
int main(void)
{
    return 0; /* nothing is changed elsewhere yet */
}
#else
#include <errno.h>
#include <sys/syscall.h>

#include "apply/tx.h"
#include "base/str.h"

static struct tn_err err;

#define MAX_SEEN 200u

/* What the world was like at a wait. */
static struct seen {
    char kind; /* 'F' fsync, 'D' fdatasync, 'S' syncfs */
    bool there, built;
    const char *last; /* the last word of the journal: "begin", "item", ..., "" */
} seen[MAX_SEEN];
static unsigned n_seen, fails_at; /* counted from 1; 0: none fails */

static bool is_there(const char *name)
{
    struct tn_os_stat st;
    return tn_os_stat(NULL, in(name), false, &st, NULL) == 0;
}

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

static const char *last_word(void)
{
    static const char *const words[] = {"begin", "item", "step", "commit", "done", "cancelled", "undo", "undone"};
    struct tn_buf b;
    uint64_t size;
    const char *r = "";
    size_t at = 0;
    tn_buf_init(&b);
    if (tn_os_read(NULL, in("state/transactions/1/journal"), 0, 65536, &b, &size, NULL) == 0)
        for (size_t i = 0; i < TN_LEN(words); i++) {
            const char *form = tn_arena_printf(&mem, "\"do\": \"%s\"", words[i]);
            for (const char *p = b.p; p && (p = strstr(p, form)); p++)
                if ((size_t)(p - b.p) >= at) {
                    at = (size_t)(p - b.p);
                    r = words[i];
                }
        }
    tn_buf_deinit(&b);
    return r;
}

static int waited(char kind, long number, int fd)
{
    if (scratch && n_seen < MAX_SEEN) {
        seen[n_seen++] = (struct seen){kind, is_there("place"), twins() > 0, last_word()};
        if (n_seen == fails_at) {
            errno = EIO;
            return -1;
        }
    }
    return (int)syscall(number, fd);
}

int fsync(int fd)
{
    return waited('F', SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return waited('D', SYS_fdatasync, fd);
}

int syncfs(int fd)
{
    return waited('S', SYS_syncfs, fd);
}

/* A folder "place" with a file in it is made. Returns whether tenon calls it done. */
static bool make(void)
{
    struct tn_state *s = NULL;
    struct tn_tx *t = NULL;
    const char *stage;
    long holder;
    n_seen = 0;
    int rc = tn_state_open(&mem, in("state"), NULL, NULL, &s, &holder, &err);
    if (!rc)
        rc = tn_tx_begin(s, "apply", "a place", &t, &err);
    if (!rc)
        rc = tn_tx_put(t, in("place"), &stage, &err);
    if (!rc) {
        FILE *f = fopen(tn_arena_printf(&mem, "%s/file", stage), "w"); /* as an installer: it waits for nothing */
        assert_non_null(f);
        fputs("content", f);
        fclose(f);
        rc = tn_tx_commit(t, &err);
    }
    tn_tx_end(t);
    tn_state_close(s);
    return rc == 0;
}

/* The first wait of a kind, from one on, at which the journal says so; n_seen: none. */
static unsigned at(unsigned from, char kind, const char *last)
{
    while (from < n_seen && !(seen[from].kind == kind && tn_str_eq(seen[from].last, last)))
        from++;
    return from;
}

static void test_order(void **state)
{
    (void)state;
    fails_at = 0;
    assert_true(make());
    unsigned item = at(0, 'D', "item"), all = at(item, 'S', "item"), commit = at(all, 'D', "commit");
    unsigned renamed = at(commit, 'F', "commit"), done = at(renamed, 'D', "done");
    assert_true(done < n_seen);
    assert_false(seen[item].built); /* announced, then built */
    assert_true(seen[all].built && !seen[all].there);
    assert_false(seen[commit].there); /* committed, then renamed */
    assert_true(seen[renamed].there && !seen[renamed].built);
    assert_true(seen[done].there);
}

/* Whichever wait fails, what is left is the old state or the new one, and it is taken up again. */
static void test_each_fails(void **state)
{
    (void)state;
    unsigned many = 1, made = 0;
    for (unsigned k = 1; k <= many; k++) {
        struct tn_state *s;
        long holder;
        fails_at = k;
        bool done = make();
        many = k == 1 ? 60 : many;
        fails_at = 0;
        bool there = is_there("place");
        assert_true(there || !done);
        assert_int_equal(tn_state_open(&mem, in("state"), NULL, NULL, &s, &holder, &err), 0);
        tn_state_close(s);
        there = is_there("place");
        assert_true(there || !done);
        assert_int_equal(twins(), 0);
        if (there) {
            assert_true(is_there("place/file"));
            made++;
        }
        remove_tree(in("place"));
        remove_tree(in("state"));
    }
    assert_true(made > 1 && made < many); /* some are before the commit, some behind it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_order, help_setup, help_teardown),
                                       cmocka_unit_test_setup_teardown(test_each_fails, help_setup, help_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
