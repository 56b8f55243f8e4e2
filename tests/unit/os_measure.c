/* os_measure.c - what folders take on the disk: links once, groups, what is left out; the lines of the answer; and what
 * the probe asks for and keeps. */
#include "os_help.h"

#include "base/str.h"
#include "probe/probe.h"
#include "world/record.h"
#include "world/seek.h"

static void test_lines(void **state)
{
    struct tn_buf b;
    struct tn_seek_line l = {.type = 's', .path = "/a\tb", .state = "late", .size = 7, .freed = 6, .shared = 5};
    (void)state;
    l.doubled = 4, l.files = 3, l.folders = 2, l.unreadable = 1, l.youngest = 99;
    tn_buf_init(&b);
    tn_seek_add_size(&b, &l);
    tn_buf_str(&b, "size\t/x\twhole\t1\t2\t3\nall\t-1\t0\nsize\t/x\twhole\t9999999999999999999\t1\t1\t1\t1\t1\t1\n");
    tn_seek_add_size(&b, &(struct tn_seek_line){.type = 'a', .size = 70, .doubled = 8});
    struct tn_span rest = tn_span_of(b.p, b.n);
    memset(&l, 0, sizeof l);
    assert_true(tn_seek_next(&mem, &rest, &l));
    assert_string_equal(l.path, "/a\tb");
    assert_string_equal(l.state, "late");
    assert_true(l.type == 's' && l.size == 7 && l.freed == 6 && l.shared == 5 && l.doubled == 4);
    assert_true(l.files == 3 && l.folders == 2 && l.unreadable == 1 && l.youngest == 99);
    assert_true(tn_seek_next(&mem, &rest, &l));
    assert_true(l.type == 'a' && l.size == 70 && l.doubled == 8);
    assert_false(tn_seek_next(&mem, &rest, &l));
    tn_buf_deinit(&b);
}

/* A record made by hand: two environments; its answer names one of them, and one that is not there. */
static void test_probe(void **state)
{
    static const char text[] =
        "{\"tenon_record\":1,\"origin\":\"made\",\"os\":\"linux\",\"complete\":[\"files\",\"env\"],"
        "\"env\":{\"HOME\":\"/home/a\",\"VIRTUAL_ENV\":\"/home/a/v\"},\"files\":{"
        "\"/home/a/v/pyvenv.cfg\":{\"text\":\"home = /usr/bin\\nversion = 3.11.2\\n\"},"
        "\"/home/a/.virtualenvs/w/pyvenv.cfg\":{\"text\":\"home = /usr/bin\\nversion = 3.11.2\\n\"}},"
        "\"measure\":{\"environments\":{\"text\":"
        "\"size\\t/none\\twhole\\t1\\t1\\t1\\t1\\t1\\t1\\t1\\nsize\\t/home/a/v\\twhole\\t9\\t8\\t7\\t6\\t5\\t4\\t3\\n"
        "size\\t/home/a/.virtualenvs/w\\tlate\\t9\\t8\\t7\\t6\\t5\\t4\\t3\\nall\\t10\\t2\\n\"}}}";
    struct tn_record r;
    struct tn_world *w;
    struct tn_snap s;
    struct tn_err err;
    (void)state;
    assert_int_equal(tn_record_read(tn_span_str(text), &r, &err), 0);
    assert_int_equal(tn_world_replay(&r, &w, &err), 0);
    for (unsigned sizes = 0; sizes < 2; sizes++) {
        struct tn_want want = {.sizes = sizes == 1};
        unsigned whole = 0, late = 0;
        tn_snap_init(&s);
        tn_probe_all(w, &want, &s);
        assert_true(s.env.n >= 2);
        for (size_t i = 0; i < s.env.n; i++) {
            const struct tn_rec_env *e = &s.env.v[i];
            if (tn_says(e->path, "/home/a/v") && e->bytes.k == TN_KNOWN)
                whole += e->bytes.v == 9 && e->freed_bytes.v == 8 && e->shared_bytes.v == 7 &&
                         e->doubled_bytes.v == 6 && e->unreadable.v == 3;
            if (tn_says(e->path, "/home/a/.virtualenvs/w"))
                late += e->bytes.k == TN_FAILED;
        }
        assert_int_equal(whole, sizes);
        assert_int_equal(late, sizes);
        assert_int_equal(TN_THE(&s, envs)->bytes.k, sizes ? TN_KNOWN : TN_UNASKED);
        tn_snap_deinit(&s);
    }
    tn_world_close(w);
    tn_record_deinit(&r);
}

#ifdef _WIN32
/* What the system says that the file takes. */
static uint64_t blocks(const char *path)
{
    FILE_STANDARD_INFO s;
    HANDLE h;
    assert_int_equal(tn_win32_open(NULL, path, FILE_READ_ATTRIBUTES, false, &h, NULL), 0);
    assert_true(GetFileInformationByHandleEx(h, FileStandardInfo, &s, sizeof s));
    CloseHandle(h);
    return (uint64_t)s.AllocationSize.QuadPart;
}

static uint64_t fill(const char *path, size_t n)
{
    char *p = tn_arena_alloc(&mem, n + 1);
    memset(p, 'x', n);
    p[n] = 0;
    make_file(path, p);
    uint64_t got = blocks(path);
    assert_true(got >= n / 2); /* else nothing would be tested */
    return got;
}

static void make_link(const char *from, const char *to)
{
    wchar_t *a, *b;
    assert_int_equal(tn_win32_native(&mem, from, &a, NULL), 0);
    assert_int_equal(tn_win32_native(&mem, to, &b, NULL), 0);
    assert_true(CreateHardLinkW(b, a, NULL));
}
#else
#include <fcntl.h>

/* A file whose blocks are there. */
static uint64_t fill(const char *path, size_t n)
{
    struct stat st;
    char *p = tn_arena_alloc(&mem, n);
    memset(p, 'x', n);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && write(fd, p, n) == (ssize_t)n && fsync(fd) == 0 && fstat(fd, &st) == 0);
    close(fd);
    return (uint64_t)st.st_blocks * 512;
}

static uint64_t blocks(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return (uint64_t)st.st_blocks * 512;
}

static void make_link(const char *from, const char *to)
{
    assert_int_equal(link(from, to), 0);
}
#endif

static struct tn_os_measured measured(const struct tn_os_folder *f, size_t n, unsigned groups)
{
    struct tn_os_seek how = {0};
    struct tn_os_measured m;
    struct tn_err err;
    assert_int_equal(tn_os_measure(NULL, f, n, groups, &how, &mem, &m, &err), 0);
    return m;
}

static void test_links(void **state)
{
    (void)state;
    make_dir(in("a"));
    make_dir(in("a/lib"));
    make_dir(in("b"));
    make_dir(in("store"));
    uint64_t own = fill(in("a/own"), 5000), twice = fill(in("a/twice"), 9000);
    make_link(in("a/twice"), in("a/lib/twice"));
    uint64_t both = fill(in("a/both"), 70000), stored = fill(in("store/stored"), 30000);
    make_link(in("a/both"), in("b/both"));
    make_link(in("store/stored"), in("b/stored"));
    uint64_t folders = blocks(in("a")) + blocks(in("a/lib")), of_b = blocks(in("b"));
    unsigned links = 0;
#ifndef _WIN32
    assert_int_equal(symlink("../b", in("a/link")), 0); /* not followed */
    folders += blocks(in("a/link"));
    links = 1;
#endif
    const struct tn_os_folder f[] = {{in("a"), 0}, {in("b"), 1}};
    struct tn_os_measured m = measured(f, 2, 2);
    assert_int_equal(m.group[0].bytes, folders + own + twice + both);
    assert_int_equal(m.group[0].freed, folders + own + twice);
    assert_int_equal(m.group[0].shared, both);
    assert_int_equal(m.group[1].bytes, of_b + both + stored);
    assert_int_equal(m.group[1].freed, of_b); /* the store keeps its file */
    assert_int_equal(m.bytes, folders + own + twice + both + of_b + stored);
    assert_int_equal(m.group[0].folders, 2);
    assert_int_equal(m.group[0].files, 4 + links);
#ifndef _WIN32
    const struct timespec at[2] = {{.tv_sec = 5000000000}, {.tv_sec = 5000000000}};
    assert_true(m.group[0].youngest >= 1700000000 && m.group[0].youngest < 5000000000);
    assert_int_equal(utimensat(AT_FDCWD, in("a/lib/twice"), at, 0), 0);
    m = measured(f, 2, 2);
    assert_true(m.group[0].youngest == 5000000000 && m.group[1].youngest < 5000000000);
#endif
    assert_int_equal(m.doubled, 0);
}

/* A folder in a folder, one that is left out, one folder of two groups, two folders of one group. */
static void test_groups(void **state)
{
    (void)state;
    make_dir(in("g"));
    make_dir(in("g/inner"));
    make_dir(in("g/pkgs"));
    make_dir(in("h"));
    uint64_t outer = blocks(in("g")) + fill(in("g/x"), 4000);
    uint64_t inner = blocks(in("g/inner")) + fill(in("g/inner/y"), 8000), h = blocks(in("h"));
    fill(in("g/pkgs/z"), 4000);
    const struct tn_os_folder f[] = {
        {in("g"), 0}, {in("g/pkgs"), TN_OS_NO_GROUP}, {in("g/inner"), 1}, {in("g/inner"), 2}, {in("h"), 2}};
    struct tn_os_measured m = measured(f, TN_LEN(f), 3);
    assert_int_equal(m.group[0].bytes, outer);
    assert_int_equal(m.group[1].bytes, inner);
    assert_int_equal(m.group[1].shared, inner);
    assert_int_equal(m.group[1].freed, 0);
    assert_int_equal(m.group[2].bytes, inner + h);
    assert_int_equal(m.bytes, outer + inner + h);
}

static void test_twins(void **state)
{
    (void)state;
    make_dir(in("p"));
    make_dir(in("q"));
    make_dir(in("r"));
    uint64_t big = fill(in("p/libx.so"), 3 << 20);
    assert_int_equal(fill(in("q/libx.so"), 3 << 20), big);
    fill(in("q/liby.so"), 3 << 20); /* another name */
    make_link(in("p/libx.so"), in("r/libx.so"));
    fill(in("p/small"), 4096);
    fill(in("q/small"), 4096);
    const struct tn_os_folder f[] = {{in("p"), 0}, {in("q"), 1}, {in("r"), 2}};
    struct tn_os_measured m = measured(f, 3, 3);
    assert_int_equal(m.doubled, big);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(m.group[i].doubled, big);
    struct tn_os_measured linked = measured(f + 2, 1, 3); /* alone */
    assert_int_equal(linked.doubled, 0);
    const struct tn_os_folder pr[] = {{in("p"), 0}, {in("r"), 1}};
    assert_int_equal(measured(pr, 2, 2).doubled, 0); /* a link is no copy */
}

#ifndef _WIN32
/* Two files of one content by two names, one of them with a link in a third group; one of the same name and size that
 * differs in the middle, one that differs at its end. */
static void test_content(void **state)
{
    struct tn_err err;
    struct tn_world *w;
    struct tn_seek_line line;
    (void)state;
    static const char *const dirs[] = {"c1", "c2", "c3", "c4"};
    for (unsigned i = 0; i < TN_LEN(dirs); i++)
        make_dir(in(dirs[i]));
    uint64_t big = fill(in("c1/liba.so"), 3 << 20);
    fill(in("c2/liba.so.1"), 3 << 20);
    make_link(in("c1/liba.so"), in("c3/liba.so"));
    fill(in("c3/libb.so"), 3 << 20);
    fill(in("c4/liba.so"), 3 << 20);
    int fd = open(in("c3/libb.so"), O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, "y", 1, (3 << 20) - 1) == 1 && close(fd) == 0);
    fd = open(in("c4/liba.so"), O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, "y", 1, 1 << 20) == 1 && close(fd) == 0);
    const char *argv[] = {in("c1"), "", in("c2"), "", in("c3"), "", in("c4"), NULL};
    assert_int_equal(tn_world_live(&w, &err), 0);
    for (unsigned content = 0; content < 2; content++) {
        struct tn_question q = {.kind = TN_Q_MEASURE, .name = "x", .sub = content ? "content" : NULL, .argv = argv};
        struct tn_answer a = tn_world_ask(w, &mem, &q);
        uint64_t of[4] = {0}, all = 0;
        unsigned n = 0;
        for (struct tn_span rest = a.data; tn_seek_next(&mem, &rest, &line);) {
            if (line.type == 's' && n < 4)
                of[n++] = line.doubled;
            all = line.type == 'a' ? line.doubled : all;
        }
        assert_int_equal(n, 4);
        if (content)
            assert_true(all == big && of[0] == big && of[1] == big && of[2] == big && of[3] == 0);
        else
            assert_true(all == big && of[0] == big && of[1] == 0 && of[2] == big && of[3] == big);
    }
    tn_world_close(w);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_probe), cmocka_unit_test(test_links),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_twins),
#ifndef _WIN32
        cmocka_unit_test(test_content),
#endif
    };
    return cmocka_run_group_tests(tests, help_setup, help_teardown);
}
