/* os_seek.c - searching folders for names, with everything that may go wrong there; its lines as a world answers them;
 * and which file systems are searched. */
#include "os_help.h"

#include "base/str.h"
#include "version/wanted.h"
#include "world/seek.h"
#include "world/world.h"

static void test_lines(void **state)
{
    struct tn_buf b;
    struct tn_seek_line l;
    (void)state;
    tn_buf_init(&b);
    tn_seek_add_hit(&b, "/a\tb\\c\nd", NULL, 7, 2, 5, 99);
    tn_buf_str(&b, "nonsense\nfile\t/x\tnumber\t1\t1:1\nfile\t\t1\t1\t1:1\n");
    tn_seek_add_hit(&b, "/l", "../x", 0, 0, 0, 0);
    tn_seek_add_tree(&b, "/mnt", "nfs4", "network", 3, 1);
    struct tn_span rest = tn_span_of(b.p, b.n);
    assert_true(tn_seek_next(&mem, &rest, &l));
    assert_string_equal(l.path, "/a\tb\\c\nd");
    assert_true(l.type == 'f' && l.size == 7 && l.links == 2 && l.dev == 5 && l.ino == 99);
    assert_true(tn_seek_next(&mem, &rest, &l));
    assert_true(l.type == 'l' && strcmp(l.path, "/l") == 0 && strcmp(l.other, "../x") == 0);
    assert_true(tn_seek_next(&mem, &rest, &l));
    assert_true(l.type == 't' && strcmp(l.other, "nfs4") == 0 && strcmp(l.state, "network") == 0);
    assert_true(l.folders == 3 && l.unreadable == 1);
    assert_false(tn_seek_next(&mem, &rest, &l));
    tn_buf_deinit(&b);
}

/* The hits below the scratch folder's root, as "type path target;". */
static const char *sought(const char *name, struct tn_seek_line *ret_tree)
{
    struct tn_world *w;
    struct tn_wanted wanted;
    struct tn_seek_line l;
    const char *s = "";
    assert_int_equal(tn_version_wanted_init(&wanted, name, false, NULL), 0);
    assert_int_equal(tn_world_root(in("root"), &w, NULL), 0);
    struct tn_question q = {.kind = TN_Q_SEEK, .name = name, .keep = tn_version_wanted, .ctx = &wanted};
    struct tn_answer a = tn_world_ask(w, &mem, &q);
    assert_int_equal(a.got, TN_KNOWN);
    memset(ret_tree, 0, sizeof *ret_tree);
    for (struct tn_span rest = a.data; tn_seek_next(&mem, &rest, &l);)
        if (l.type == 't')
            *ret_tree = l;
        else
            s = tn_arena_printf(&mem, "%s%c %s %s;", s, l.type, l.path, l.other);
    tn_world_close(w);
    return s;
}

static void test_walk(void **state)
{
    struct tn_seek_line tree;
    (void)state;
    make_dir(in("root"));
    make_dir(in("root/usr"));
    make_dir(in("root/usr/lib"));
    make_dir(in("root/usr/libx.so.1")); /* a folder of that name is no file */
    make_file(in("root/usr/lib/libx.so.1.2"), "x");
    make_file(in("root/usr/lib/liby.so.1"), "y");
    make_file(in("root/libx.so.1"), "z");
    assert_string_equal(sought("libx.so.1", &tree), "f /libx.so.1 ;f /usr/lib/libx.so.1.2 ;");
    assert_string_equal(tree.state, "whole");
    assert_int_equal(tree.folders, 4);
    assert_int_equal(tree.unreadable, 0);
    assert_string_equal(sought("libz.so.1", &tree), "");
}

#ifndef _WIN32
#include <fcntl.h>

#include "os/posix/mounts.h"

static void test_links(void **state)
{
    struct tn_seek_line tree;
    (void)state;
    make_dir(in("host"));
    make_file(in("host/libx.so.1"), "not of the root");
    assert_int_equal(symlink(".", in("root/usr/loop")), 0);
    assert_int_equal(symlink("../../host", in("root/usr/out")), 0);
    assert_int_equal(symlink("libx.so.1.2", in("root/usr/lib/libx.so.1")), 0);
    assert_int_equal(symlink(in("host/libx.so.1"), in("root/usr/libx.so.1.9")), 0);
    assert_int_equal(mkfifo(in("root/usr/lib/libx.so.1.7"), 0600), 0);
    const char *all = sought("libx.so.1", &tree);
    assert_non_null(strstr(all, "l /usr/lib/libx.so.1 libx.so.1.2;"));
    assert_non_null(strstr(all, "l /usr/libx.so.1.9 "));
    assert_null(strstr(all, "1.7"));   /* a pipe */
    assert_null(strstr(all, "/out/")); /* links are not followed */
    assert_null(strstr(all, "/loop/"));
    assert_int_equal(tree.folders, 4);
}

#define DEEP 600

/* Deeper than any path can be, and than there are descriptors for. */
static void test_deep(void **state)
{
    struct tn_seek_line tree;
    char name[201];
    (void)state;
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = 0;
    int fd = open(in("root"), O_RDONLY | O_DIRECTORY);
    for (int depth = 0; depth < DEEP; depth++) {
        const char *n = depth < 20 ? name : "d";
        assert_int_equal(mkdirat(fd, n, 0700), 0);
        int next = openat(fd, n, O_RDONLY | O_DIRECTORY);
        close(fd);
        fd = next;
        if (depth == 100)
            close(openat(fd, "libdeep.so.1", O_CREAT | O_WRONLY, 0600));
    }
    close(fd);
    const char *all = sought("libdeep.so.1", &tree);
    assert_int_equal(strncmp(all, "f /ddd", 6), 0);
    assert_true(strlen(all) > 4096);
    assert_true(tree.folders >= 300);
    assert_int_equal(tree.unreadable, 1); /* where it ended */
    int down[DEEP];
    for (int i = 0; i < DEEP; i++)
        down[i] = openat(i ? down[i - 1] : AT_FDCWD,
                         i == 0    ? in("root")
                         : i <= 20 ? name
                                   : "d",
                         O_RDONLY | O_DIRECTORY);
    for (int i = DEEP - 1; i >= 0; i--) {
        unlinkat(down[i], "libdeep.so.1", 0);
        unlinkat(down[i], i < 20 ? name : "d", AT_REMOVEDIR);
        close(down[i]);
    }
}

static void test_denied(void **state)
{
    struct tn_seek_line tree;
    (void)state;
    if (geteuid() == 0) /* nothing is denied to root */
        skip();
    make_dir(in("root/shut"));
    assert_int_equal(chmod(in("root/shut"), 0), 0);
    sought("libx.so.1", &tree);
    assert_int_equal(tree.unreadable, 2);
    chmod(in("root/shut"), 0700);
}

static void test_mounts(void **state)
{
    static const char text[] = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                               "23 22 0:5 / /proc rw - proc proc rw\n"
                               "24 22 0:40 / /mnt/my\\040disk rw - nfs4 host:/x rw\n"
                               "25 22 8:1 /var/lib/x /srv rw - ext4 /dev/sda1 rw\n"
                               "26 22 8:2 /@home /home rw - btrfs /dev/sdb rw\n"
                               "27 22 8:2 /@ /old rw - btrfs /dev/sdb rw\n"
                               "28 22 0:41 / /mnt/auto rw shared:1 - autofs systemd-1 rw\n"
                               "29 22 0:42 / /mnt/auto rw - fuseblk /dev/sdc rw\n"
                               "broken line\n";
    struct tn_posix_mount *m;
    (void)state;
    size_t n = tn_posix_mounts(&mem, text, "/", &m);
    assert_int_equal(n, 7);
    assert_string_equal(m[0].path, "/");
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(m[i].pseudo, tn_str_eq(m[i].path, "/proc"));
        assert_int_equal(m[i].network, tn_str_eq(m[i].path, "/mnt/my disk"));
        assert_int_equal(m[i].twice, tn_str_eq(m[i].path, "/srv"));
    }
    n = tn_posix_mounts(&mem, text, "/srv/image", &m);
    assert_int_equal(n, 1);
    assert_string_equal(m[0].path, "/srv/image");
    assert_string_equal(m[0].root, "/var/lib/x/image");
    assert_string_equal(m[0].type, "ext4");
    assert_int_equal(tn_posix_mounts(&mem, text, "/mnt", &m), 3);
    assert_int_equal(tn_posix_mounts(&mem, "", "/", &m), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_walk),
#ifndef _WIN32
        cmocka_unit_test(test_links), cmocka_unit_test(test_denied),
        cmocka_unit_test(test_deep),  cmocka_unit_test(test_mounts),
#endif
    };
    return cmocka_run_group_tests(tests, help_setup, help_teardown);
}
