/* os_beneath.c - a folder that is worked in and never left, by openat2 and by the walk: links, mounts and ".." on the
 * way, and while another thread swaps a folder of the way with a link out of it. TENON_RACES: how many tries (200,000;
 * check-long: 1,000,000). */
#ifdef _WIN32
int main(void)
{
    return 0; /* nothing is unpacked there */
}
#else
#include "os_help.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "os/posix/beneath.h"

static struct tn_beneath b;

static void test_ways_out(void **state)
{
    static const char *const out[] = {"l/x",  "up/x", "../x",      "d/../../x", "d/../x",     "/tmp/tenon-x",
                                      "d/..", "..",   "d/in/up/x", "file/x",    "d/back/file"};
    bool walk = *state != NULL;
    if (!b.walk)
        b.walk = walk;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        assert_int_equal(tn_beneath_create(&b, out[i], 0600), -1);
        assert_true(errno == ELOOP || errno == ENOTDIR || errno == EXDEV);
        assert_int_equal(tn_beneath_mkdir(&b, out[i], 0700), -1);
        assert_int_equal(tn_beneath_symlink(&b, "x", out[i]), -1);
        assert_int_equal(tn_beneath_link(&b, "d/in/f", out[i]), -1);
        assert_int_equal(tn_beneath_link(&b, out[i], "d/in/new"), -1);
        assert_int_equal(tn_beneath_unlink(&b, out[i], false), -1);
        assert_int_equal(tn_beneath_open(&b, out[i]), -1);
    }
    assert_int_equal(tn_beneath_create(&b, "l", 0600), -1); /* a link at the end is there, and stays */
    assert_int_equal(errno, EEXIST);
    assert_int_equal(tn_beneath_open(&b, "l"), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(tn_beneath_open(&b, "fifo"), -1); /* and does not wait */
    assert_int_equal(tn_beneath_open(&b, "d"), -1);
    int fd = tn_beneath_create(&b, "d/in/new", 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(tn_beneath_unlink(&b, "d/in/new", false), 0);
    assert_int_equal(tn_beneath_mkdir(&b, "./d//in/more", 0700), 0);
    assert_int_equal(tn_beneath_unlink(&b, "d/in/more", true), 0);
}

/* --- the race --- */

static atomic_bool stop;
static unsigned long swaps;
static int inside, real; /* the folder of the way, whatever its name is at the moment */

static void *swap(void *ctx)
{
    uint32_t dice = 1;
    (void)ctx;
    while (!stop) {
        swaps += renameat2(inside, "race", inside, "way", RENAME_EXCHANGE) == 0;
        dice = dice * 1664525u + 1013904223u;
        for (volatile uint32_t i = dice >> 20; i; i--) { /* else it is almost always the link that is met */
        }
    }
    return NULL;
}

static unsigned entries(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

/* What was made lies in the folder, or was not made. */
static void race(unsigned tries, unsigned *ret_made)
{
    char name[64];
    unsigned made = 0;
    for (unsigned i = 0; i < tries; i++) {
        snprintf(name, sizeof name, "race/f%u", i % 512);
        int fd = i % 4 == 1   ? tn_beneath_mkdir(&b, name, 0700)
                 : i % 4 == 2 ? tn_beneath_symlink(&b, "x", name)
                              : tn_beneath_create(&b, name, 0600);
        if (i % 4 == 3) /* and nothing outside is taken away */
            tn_beneath_unlink(&b, "race/victim", false);
        if (fd < 0)
            continue;
        made++;
        if (fd > 0)
            close(fd);
        assert_int_equal(unlinkat(real, name + 5, i % 4 == 1 ? AT_REMOVEDIR : 0), 0);
    }
    *ret_made = made;
}

static void test_race(void **state)
{
    const char *want = getenv("TENON_RACES");
    unsigned tries = want ? (unsigned)atol(want) : 200000, made;
    pthread_t t;
    if (*state)
        b.walk = true;
    stop = false;
    swaps = 0;
    assert_int_equal(pthread_create(&t, NULL, swap, NULL), 0);
    race(tries / 2, &made);
    stop = true;
    pthread_join(t, NULL);
    assert_int_equal(entries(in("outside")), 1); /* the victim */
    assert_true(made > 0);
    print_message("%u tries, %lu swaps, %u made inside, 0 outside\n", tries / 2, swaps, made);
}

static int setup(void **state)
{
    if (help_setup(state))
        return 1;
    make_dir(in("outside"));
    make_dir(in("tree"));
    make_dir(in("tree/d"));
    make_dir(in("tree/d/in"));
    make_dir(in("tree/race"));
    close(open(in("outside/victim"), O_CREAT | O_WRONLY, 0600));
    close(open(in("tree/d/in/f"), O_CREAT | O_WRONLY, 0600));
    close(open(in("tree/file"), O_CREAT | O_WRONLY, 0600));
    inside = open(in("tree"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    real = openat(inside, "race", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(symlinkat("../outside", inside, "l"), 0);
    assert_int_equal(symlinkat("..", inside, "up"), 0);
    assert_int_equal(symlinkat("../..", inside, "d/in/up"), 0);
    assert_int_equal(symlinkat("..", inside, "d/back"), 0);
    assert_int_equal(symlinkat("../outside", inside, "way"), 0);
    assert_int_equal(mkfifoat(inside, "fifo", 0600), 0);
    assert_int_equal(tn_beneath_init(&b, inside), 0);
    return 0;
}

int main(void)
{
    static int walk;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ways_out), cmocka_unit_test(test_race),
                                       cmocka_unit_test_prestate(test_ways_out, &walk),
                                       cmocka_unit_test_prestate(test_race, &walk)};
    return cmocka_run_group_tests(tests, setup, help_teardown);
}
#endif
