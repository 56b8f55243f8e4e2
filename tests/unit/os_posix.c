/* os_posix.c - what only POSIX systems have: links inside another root, by the kernel and by our own walk, also while
 * somebody swaps folders under us; and what root may read of other users. */
#include "os_help.h"

#include "base/str.h"
#include "world/world.h"

#ifdef _WIN32
int main(void)
{
    return 0; /* nothing of it exists here */
}
#else
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct tn_err err;

static void link_to(const char *target, const char *name)
{
    assert_int_equal(symlink(target, in(name)), 0);
}

static void own(const char *name, uid_t uid)
{
    assert_int_equal(lchown(in(name), uid, uid), 0);
}

/* The scratch folder: host/secret outside, root/ inside. */
static void make_tree(void)
{
    make_dir(in("host"));
    make_file(in("host/secret"), "host");
    make_dir(in("root"));
    make_dir(in("root/usr"));
    make_dir(in("root/usr/lib"));
    make_file(in("root/usr/lib/libx.so.1"), "inside");
    make_dir(in("root/etc"));
    make_file(in("root/etc/passwd"), "of the root");
    link_to("libx.so.1", "root/usr/lib/libx.so");
    link_to("usr/lib", "root/lib");
    link_to("/usr/lib", "root/abs");
    link_to("abs", "root/chain");
    link_to("../../../../../usr", "root/up");
    link_to("/etc/passwd", "root/passwd");
    link_to(in("host/secret"), "root/out-abs");
    link_to("../host/secret", "root/out-rel");
    link_to(in("host"), "root/out-dir");
    link_to("loop2", "root/loop");
    link_to("/loop", "root/loop2");
    link_to("usr/lib/libx.so.1/", "root/slash");
    link_to("nowhere", "root/dangling");
    link_to("..", "root/usr/parent");
    assert_int_equal(mkfifo(in("root/fifo"), 0666), 0);
    link_to("fifo", "root/to-fifo");
    char name[16] = "root/c";
    for (int i = 0; i < 45; i++) { /* c44 -> ... -> c0 */
        char target[16];
        snprintf(target, sizeof target, "c%d", i - 1);
        snprintf(name, sizeof name, "root/c%d", i);
        if (i)
            link_to(target, name);
        else
            make_file(in("root/c0"), "end of the chain");
    }
}

struct row {
    const char *path;
    bool follow;
    int code;
    char type;
    const char *text; /* of the file, or the target of the link */
};

static const struct row rows[] = {
    {"/usr/lib/libx.so", true, 0, 'f', "inside"},
    {"usr/lib/libx.so", true, 0, 'f', "inside"},
    {"/usr/lib/libx.so", false, 0, 'l', "libx.so.1"},
    {"/lib/libx.so", true, 0, 'f', "inside"},
    {"/abs/libx.so", true, 0, 'f', "inside"},
    {"/chain/libx.so", true, 0, 'f', "inside"},
    {"/up/lib/libx.so.1", true, 0, 'f', "inside"},
    {"/passwd", true, 0, 'f', "of the root"}, /* not the machine's */
    {"/passwd", false, 0, 'l', "/etc/passwd"},
    {"/../../etc/passwd", true, 0, 'f', "of the root"},
    {"//usr///lib/./libx.so.1", true, 0, 'f', "inside"},
    {"/abs/../lib/libx.so.1", true, 0, 'f', "inside"}, /* .. of where the link leads */
    {"/usr/parent/usr/parent/usr/lib/libx.so", true, 0, 'f', "inside"},
    {"/c40", true, 0, 'f', "end of the chain"},
    {"/c41", true, TN_E_LIMIT, 0, NULL},
    {"/loop", true, TN_E_LIMIT, 0, NULL},
    {"/loop", false, 0, 'l', "loop2"},
    {"/out-abs", true, TN_E_NOTFOUND, 0, NULL},
    {"/out-rel", true, TN_E_NOTFOUND, 0, NULL},
    {"/out-dir/secret", true, TN_E_NOTFOUND, 0, NULL},
    {"/../host/secret", true, TN_E_NOTFOUND, 0, NULL},
    {"/usr/../../host/secret", true, TN_E_NOTFOUND, 0, NULL},
    {"/dangling", true, TN_E_NOTFOUND, 0, NULL},
    {"/dangling", false, 0, 'l', "nowhere"},
    {"/slash", true, TN_E_NOTFOUND, 0, NULL},
    {"/usr/lib/libx.so.1/", true, TN_E_NOTFOUND, 0, NULL},
    {"/usr/lib/libx.so.1/.", true, TN_E_NOTFOUND, 0, NULL},
    {"/usr/lib/libx.so.1/..", true, TN_E_NOTFOUND, 0, NULL},
    {"/usr/lib/libx.so/", false, TN_E_NOTFOUND, 0, NULL},
    {"", true, TN_E_NOTFOUND, 0, NULL},
    {"/", true, 0, 'd', NULL},
    {"/..", true, 0, 'd', NULL},
    {"/lib", true, 0, 'd', NULL},
    {"/lib", false, 0, 'l', "usr/lib"},
    {"/lib/", false, 0, 'd', NULL},
    {"/lib/.", false, 0, 'd', NULL},
    {"/fifo", true, 0, 'p', NULL},
    {"/to-fifo", true, 0, 'p', NULL},
};

static void check_row(struct tn_os_root *root, const struct row *r)
{
    struct tn_os_stat st;
    struct tn_buf b;
    tn_buf_init(&b);
    int rc = tn_os_stat(root, r->path, r->follow, &st, &err);
    if (rc != r->code || (rc == 0 && st.type != r->type))
        fail_msg("stat %s (follow %d): %d %c %s", r->path, r->follow, rc, rc ? ' ' : st.type, rc ? err.text : "");
    if (r->type == 'l')
        rc = tn_os_readlink(root, r->path, &b, &err);
    else if (r->follow && r->type != 'd')
        rc = tn_os_read(root, r->path, 0, 100, &b, NULL, &err);
    if (r->type == 'p' ? rc != TN_E_REFUSED : rc != r->code)
        fail_msg("read %s: %d %s", r->path, rc, err.text);
    if (r->text)
        assert_string_equal(b.p, r->text);
    tn_buf_deinit(&b);
}

static void check_rows(void)
{
    struct tn_os_root *root;
    struct tn_os_entry *list;
    struct tn_buf b;
    size_t n;
    assert_int_equal(tn_os_root_open(in("root"), &root, &err), 0);
    for (size_t i = 0; i < TN_LEN(rows); i++)
        check_row(root, &rows[i]);
    assert_int_equal(tn_os_list(root, "/abs", &mem, &list, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_string_equal(list[1].name, "libx.so.1");
    assert_int_equal(list[0].type, 'l');
    assert_int_equal(tn_os_list(root, "/passwd", &mem, &list, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_list(root, "/fifo", &mem, &list, &n, &err), TN_E_NOTFOUND);
    assert_int_equal(tn_os_list(root, "/out-dir", &mem, &list, &n, &err), TN_E_NOTFOUND);
    tn_buf_init(&b);
    assert_int_equal(tn_os_readlink(root, "/etc/passwd", &b, &err), TN_E_FORMAT);
    assert_int_equal(tn_os_readlink(root, "/etc", &b, &err), TN_E_FORMAT);
    assert_int_equal(tn_os_read(root, "/lib", 0, 10, &b, NULL, &err), TN_E_FORMAT);
    char *deep = tn_arena_alloc(&mem, 5001);
    memset(deep, '/', 5000);
    assert_int_equal(tn_os_stat(root, deep, true, &(struct tn_os_stat){0}, &err), TN_E_LIMIT);
    memset(deep, 'x', 300);
    deep[300] = 0; /* longer than a name may be */
    assert_int_equal(tn_os_stat(root, deep, true, &(struct tn_os_stat){0}, &err), TN_E_LIMIT);
    tn_buf_deinit(&b);
    tn_os_root_close(root);
}

static unsigned open_descriptors(void)
{
    struct tn_os_entry *list;
    size_t n;
    assert_int_equal(tn_os_list(NULL, "/proc/self/fd", &mem, &list, &n, &err), 0);
    return (unsigned)n;
}

static void by_the_kernel(void **state)
{
    (void)state;
    unsetenv("TENON_TEST_NO_OPENAT2");
    unsigned before = open_descriptors();
    check_rows();
    assert_int_equal(open_descriptors(), before);
}

static void by_our_walk(void **state)
{
    (void)state;
    setenv("TENON_TEST_NO_OPENAT2", "1", 1);
    unsigned before = open_descriptors();
    check_rows();
    assert_int_equal(open_descriptors(), before);
    unsetenv("TENON_TEST_NO_OPENAT2");
}

/* A folder and a link to the host change places as fast as they can. */
static _Atomic bool stop;

static void *swapper(void *names)
{
    const char *const *n = names, *d = n[0], *l = n[1], *t = n[2];
    while (!stop) {
        if (rename(d, t) || rename(l, d) || rename(t, l)) /* folder away, link in its place */
            break;
        if (rename(d, t) || rename(l, d) || rename(t, l))
            break;
    }
    return NULL;
}

static void race(const char *path, unsigned tries)
{
    struct tn_os_root *root;
    struct tn_buf b;
    pthread_t t;
    unsigned inside = 0, escaped = 0;
    tn_buf_init(&b);
    assert_int_equal(tn_os_root_open(in("root"), &root, &err), 0);
    stop = false;
    const char *names[] = {in("root/swap"), in("root/swap-link"), in("root/swap-aside")};
    assert_int_equal(pthread_create(&t, NULL, swapper, names), 0);
    for (unsigned i = 0; i < tries; i++) {
        if (tn_os_read(root, path, 0, 100, &b, NULL, NULL))
            continue;
        inside += strcmp(b.p, "inside") == 0;
        escaped += strcmp(b.p, "inside") != 0;
    }
    stop = true;
    pthread_join(t, NULL);
    tn_buf_deinit(&b);
    tn_os_root_close(root);
    assert_int_equal(escaped, 0);
    assert_true(inside > 0); /* the race was run at all */
}

static void swapped_while_walking(void **state)
{
    (void)state;
    make_dir(in("root/swap"));
    make_file(in("root/swap/secret"), "inside");
    link_to(in("host"), "root/swap-link");
    race("/swap/secret", 20000);
    race("/swap/../swap/secret", 20000);
    setenv("TENON_TEST_NO_OPENAT2", "1", 1);
    race("/swap/secret", 20000);
    race("/swap/../swap/secret", 20000);
    unsetenv("TENON_TEST_NO_OPENAT2");
}

/* As root: the rights of the user whose folder it is. 65000 and 65001 are nobody's. */
static void others_folders(void **state)
{
    struct tn_buf b;
    struct tn_os_root *root;
    (void)state;
    if (geteuid() != 0)
        skip();
    tn_buf_init(&b);
    make_dir(in("home"));
    make_dir(in("home/user"));
    make_file(in("shadow"), "only for root");
    assert_int_equal(chmod(in("shadow"), 0600), 0);
    make_file(in("home/user/own"), "the user's");
    assert_int_equal(chmod(in("home/user/own"), 0600), 0);
    link_to(in("shadow"), "home/user/link");
    link_to("../../shadow", "home/user/rel");
    make_file(in("home/user/rooted"), "a file of root in the user's folder");
    assert_int_equal(chmod(in("home/user/rooted"), 0600), 0);
    link_to(in("home/user"), "opt");              /* root's own link into the user's folder */
    make_dir(in("home/user/sub"));                /* root's folder there, that the user may replace */
    link_to(in("home/user/sub/x"), "opt-deeper"); /* and root's link through it */
    link_to(in("shadow"), "home/user/sub/x");
    link_to(in("shadow"), "roots-link");
    own("home/user", 65000);
    own("home/user/own", 65000);
    own("home/user/link", 65000);
    own("home/user/rel", 65000);
    assert_int_equal(tn_os_read(NULL, in("shadow"), 0, 100, &b, NULL, &err), 0);
    assert_int_equal(tn_os_read(NULL, in("roots-link"), 0, 100, &b, NULL, &err), 0);
    assert_int_equal(tn_os_read(NULL, in("home/user/own"), 0, 100, &b, NULL, &err), 0);
    assert_string_equal(b.p, "the user's");
    static const char *const denied[] = {"home/user/link",  "home/user/rel", "home/user/rooted", "opt/link",
                                         "opt/../shadow-x", "opt-deeper",    "opt/sub/x"};
    for (size_t i = 0; i < TN_LEN(denied); i++) {
        int want = strstr(denied[i], "shadow-x") ? TN_E_NOTFOUND : TN_E_DENIED;
        if (tn_os_read(NULL, in(denied[i]), 0, 100, &b, NULL, &err) != want)
            fail_msg("%s: %s", denied[i], err.code ? err.text : b.p);
    }
    char *dots = tn_arena_printf(&mem, "/proc/..%s", in("home/user/link"));
    assert_int_equal(tn_os_read(NULL, dots, 0, 100, &b, NULL, &err), TN_E_DENIED);
    char *back = tn_os_cwd(&mem);
    assert_int_equal(chdir(in("home/user")), 0);
    assert_int_equal(tn_os_read(NULL, "link", 0, 100, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(tn_os_read(NULL, "rooted", 0, 100, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(tn_os_root_open(scratch, &root, &err), 0);
    assert_int_equal(tn_os_read(root, "/home/user/rooted", 0, 100, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(tn_os_read(root, "/home/user/own", 0, 100, &b, NULL, &err), 0);
    assert_int_equal(tn_os_read(root, "/shadow", 0, 100, &b, NULL, &err), 0);
    assert_int_equal(tn_os_read(root, "/home/user/rel", 0, 100, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(tn_os_read(root, "/proc/../home/user/rel", 0, 100, &b, NULL, &err), TN_E_NOTFOUND); /* no /proc */
    tn_os_root_close(root);
    assert_int_equal(setfsuid(0), 0); /* the rights came back */
    tn_buf_deinit(&b);
}

/* Whoever reads a link of the user's and goes on by the path behind it goes on as that user (as tn_world_real does). */
static void lent_by_a_link(void **state)
{
    struct tn_buf b;
    struct tn_os_stat st;
    struct tn_os_root *root;
    (void)state;
    if (geteuid() != 0)
        skip();
    tn_buf_init(&b);
    make_dir(in("closed"));
    make_dir(in("closed/sub"));
    make_file(in("closed/sub/x"), "root's");
    assert_int_equal(chmod(in("closed"), 0700), 0);
    make_dir(in("public"));
    make_file(in("public/key"), "root's");
    assert_int_equal(chmod(in("public/key"), 0600), 0);
    link_to(in("closed"), "home/user/closed");
    link_to("../../public/./key", "home/user/key");
    own("home/user/closed", 65000);
    own("home/user/key", 65000);
    assert_int_equal(tn_os_read(NULL, in("closed/sub/x"), 0, 9, &b, NULL, &err), 0);
    assert_int_equal(tn_os_read(NULL, in("public/key"), 0, 9, &b, NULL, &err), 0);
    assert_int_equal(tn_os_readlink(NULL, in("home/user/closed"), &b, &err), 0);
    assert_int_equal(tn_os_readlink(NULL, in("home/user/key"), &b, &err), 0);
    assert_int_equal(tn_os_read(NULL, in("closed/sub/x"), 0, 9, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(tn_os_stat(NULL, in("closed/sub"), true, &st, &err), TN_E_DENIED);
    assert_int_equal(tn_os_read(NULL, in("public/key"), 0, 9, &b, NULL, &err), TN_E_DENIED);
    assert_int_equal(tn_os_read(NULL, in("public/../public/key"), 0, 9, &b, NULL, &err), TN_E_DENIED);
    make_file(in("public/beside"), "root's");
    assert_int_equal(chmod(in("public/beside"), 0600), 0);
    assert_int_equal(tn_os_read(NULL, in("public/beside"), 0, 9, &b, NULL, &err), 0);
    /* The same below another root. */
    make_dir(in("root/closed"));
    make_file(in("root/closed/x"), "root's");
    assert_int_equal(chmod(in("root/closed"), 0700), 0);
    make_dir(in("root/user"));
    link_to("/closed", "root/user/link");
    own("root/user", 65000);
    own("root/user/link", 65000);
    assert_int_equal(tn_os_root_open(in("root"), &root, &err), 0);
    assert_int_equal(tn_os_read(root, "/closed/x", 0, 9, &b, NULL, &err), 0);
    assert_int_equal(tn_os_readlink(root, "/user/link", &b, &err), 0);
    assert_string_equal(b.p, "/closed");
    assert_int_equal(tn_os_read(root, "/closed/x", 0, 9, &b, NULL, &err), TN_E_DENIED);
    tn_os_root_close(root);
    tn_buf_deinit(&b);
}

/* In the live file system: the user swaps the own folder for a link to root's while root looks. */
static void swapped_while_root_looks(void **state)
{
    struct tn_buf b;
    pthread_t t;
    unsigned inside = 0, other = 0;
    (void)state;
    if (geteuid() != 0)
        skip();
    tn_buf_init(&b);
    make_dir(in("private"));
    make_file(in("private/secret"), "only for root");
    assert_int_equal(chmod(in("private/secret"), 0600), 0);
    make_dir(in("home/user/swap"));
    make_file(in("home/user/swap/secret"), "inside");
    link_to(in("private"), "home/user/swap-link");
    own("home/user/swap", 65000);
    own("home/user/swap/secret", 65000);
    own("home/user/swap-link", 65000);
    stop = false;
    const char *names[] = {in("home/user/swap"), in("home/user/swap-link"), in("home/user/swap-aside")};
    assert_int_equal(pthread_create(&t, NULL, swapper, names), 0);
    for (unsigned i = 0; i < 20000; i++) {
        if (tn_os_read(NULL, in("home/user/swap/secret"), 0, 100, &b, NULL, NULL))
            continue;
        inside += strcmp(b.p, "inside") == 0;
        other += strcmp(b.p, "inside") != 0;
    }
    stop = true;
    pthread_join(t, NULL);
    tn_buf_deinit(&b);
    assert_int_equal(other, 0);
    assert_true(inside > 0);
}

/* A process of another user holds a door open: /proc/N/cwd and /proc/N/fd/M jump where paths would not. */
static void doors_in_proc(void **state)
{
    struct tn_buf b;
    int ready[2];
    (void)state;
    if (geteuid() != 0)
        skip();
    tn_buf_init(&b);
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setgid(65000) || setuid(65000) || chdir(in("home/user")))
            _exit(1);
        prctl(PR_SET_PDEATHSIG, SIGKILL);    /* a failed test leaves nobody behind */
        dup2(open(in("shadow"), O_PATH), 9); /* needs no right to read it */
        if (write(ready[1], "x", 1) < 0)
            _exit(1);
        pause();
        _exit(0);
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    const char *cwd = tn_arena_printf(&mem, "/proc/%d/cwd/rooted", (int)pid);
    const char *fd = tn_arena_printf(&mem, "/proc/%d/fd/9", (int)pid);
    const char *root = tn_arena_printf(&mem, "/proc/%d/root%s", (int)pid, in("shadow"));
    assert_true(tn_os_read(NULL, cwd, 0, 100, &b, NULL, &err) < 0);
    assert_true(tn_os_read(NULL, fd, 0, 100, &b, NULL, &err) < 0);
    assert_true(tn_os_read(NULL, root, 0, 100, &b, NULL, &err) < 0);
    assert_int_equal(tn_os_read(NULL, tn_arena_printf(&mem, "/proc/%d/maps", (int)pid), 0, 100, &b, NULL, &err), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    tn_buf_deinit(&b);
}

/* Below another user's folder a FIFO or a device is not even opened; a node of ours is not read either. */
static void nodes_refused(void **state)
{
    struct tn_buf b;
    (void)state;
    if (geteuid() != 0)
        skip();
    tn_buf_init(&b);
    assert_int_equal(mkfifo(in("home/user/fifo"), 0666), 0);
    own("home/user/fifo", 65000);
    assert_int_equal(tn_os_read(NULL, in("home/user/fifo"), 0, 10, &b, NULL, &err), TN_E_REFUSED);
    link_to("/dev/zero", "home/user/zero");
    own("home/user/zero", 65000);
    assert_int_equal(tn_os_read(NULL, in("home/user/zero"), 0, 10, &b, NULL, &err), TN_E_REFUSED);
    if (mknod(in("home/user/node"), S_IFCHR | 0666, 1 << 8 | 5) == 0) /* not allowed everywhere */
        assert_int_equal(tn_os_read(NULL, in("home/user/node"), 0, 10, &b, NULL, &err), TN_E_REFUSED);
    tn_buf_deinit(&b);
}

static int64_t size_of(struct tn_world *w, const char *path)
{
    struct tn_answer a = tn_world_stat(w, path);
    return a.got == TN_KNOWN ? (int64_t)a.st.size : -1;
}

/* One process looks twice, and the machine has changed between: links, files, owners. */
static void looks_twice(void **state)
{
    struct tn_world *w, *other;
    gid_t groups[2] = {0, 42}, got[64];
    (void)state;
    bool root = geteuid() == 0 && setgroups(2, groups) == 0;
    make_dir(in("twice"));
    make_dir(in("twice/sub"));
    make_file(in("twice/sub/one"), "1");
    make_file(in("twice/sub/three"), "333");
    make_file(in("twice/sub/secret"), "secret");
    chmod(in("twice/sub/secret"), 0600);
    link_to("sub/one", "twice/link");
    for (int i = 0; i < 2; i++) { /* this machine, another root */
        const char *base = i ? "" : in("twice");
        const char *link = tn_arena_printf(&mem, "%s/link", base),
                   *secret = tn_arena_printf(&mem, "%s/sub/secret", base);
        assert_int_equal(i ? tn_world_root(in("twice"), &w, &err) : tn_world_live(&w, &err), 0);
        assert_int_equal(size_of(w, link), 1);
        assert_int_equal(size_of(w, link), 1);
        assert_int_equal(tn_world_read(w, &mem, secret, 100).got, TN_KNOWN);
        tn_world_close(w);
        assert_int_equal(unlink(in("twice/link")), 0);
        link_to("sub/three", "twice/link");
        if (root)
            own("twice/sub", 65000); /* from now on through another user's folder */
        assert_int_equal(i ? tn_world_root(in("twice"), &w, &err) : tn_world_live(&w, &err), 0);
        assert_int_equal(size_of(w, link), 3);
        if (root)
            assert_int_equal(tn_world_read(w, &mem, secret, 100).got, TN_DENIED);
        assert_int_equal(tn_world_live(&other, &err), 0); /* beside it */
        tn_world_close(other);
        if (root)
            assert_int_equal(tn_world_read(w, &mem, secret, 100).got, TN_DENIED);
        tn_world_close(w);
        if (root) { /* the program's own groups are its own again */
            assert_int_equal(getgroups(64, got), 2);
            own("twice/sub", 0);
        }
        assert_int_equal(unlink(in("twice/link")), 0);
        link_to("sub/one", "twice/link");
    }
}

static int setup(void **state)
{
    int rc = help_setup(state);
    if (rc == 0)
        make_tree();
    return rc;
}

/* /dev/null as root: a rename would make a file of the machine's device. */
static void write_keeps_what_is_no_file(void **state)
{
    struct tn_os_stat st;
    struct tn_os_entry *list;
    char got[8] = "";
    size_t n;
    (void)state;
    make_dir(in("streams"));
    assert_int_equal(mkfifo(in("streams" SEP "pipe"), 0600), 0);
    int fd = open(in("streams" SEP "pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(tn_os_write_file(in("streams" SEP "pipe"), "text", 4, false, &err), 0);
    assert_int_equal(read(fd, got, sizeof got), 4);
    assert_string_equal(got, "text");
    close(fd);
    assert_int_equal(tn_os_list(NULL, in("streams"), &mem, &list, &n, &err), 0);
    assert_int_equal(n, 1);
    assert_int_equal(tn_os_stat(NULL, in("streams" SEP "pipe"), true, &st, &err), 0);
    assert_int_equal(st.type, 'p');
    assert_int_equal(symlink("/dev/full", in("streams" SEP "full")), 0);
    assert_true(tn_os_write_file(in("streams" SEP "full"), "x", 1, false, &err) < 0);
    assert_int_equal(tn_os_stat(NULL, in("streams" SEP "full"), false, &st, &err), 0);
    assert_int_equal(st.type, 'l');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_kernel),
        cmocka_unit_test(by_our_walk),
        cmocka_unit_test(swapped_while_walking),
        cmocka_unit_test(others_folders),
        cmocka_unit_test(doors_in_proc),
        cmocka_unit_test(nodes_refused),
        cmocka_unit_test(swapped_while_root_looks),
        cmocka_unit_test(lent_by_a_link),
        cmocka_unit_test(looks_twice),
        cmocka_unit_test(write_keeps_what_is_no_file),
    };
    return cmocka_run_group_tests_name("os_posix", tests, setup, help_teardown);
}
#endif
