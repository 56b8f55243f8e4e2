/* plan_removal.c - the answers of package managers in tests/simulated: each is judged as its first lines say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "os/os.h"
#include "plan/removal.h"

static const char *line_of(struct tn_arena *mem, const char *text, const char *key)
{
    char head[32];
    snprintf(head, sizeof head, "# %s: ", key);
    const char *p = strstr(text, head);
    return p ? tn_arena_strndup(mem, p + strlen(head), strcspn(p + strlen(head), "\r\n")) : NULL;
}

static const char *const *words_of(struct tn_arena *mem, const char *text)
{
    const char **list = tn_arena_array(mem, 32, sizeof *list);
    for (unsigned n = 0; text && *text && n < 31; text += strspn(text, " ")) {
        size_t k = strcspn(text, " ");
        list[n++] = tn_arena_strndup(mem, text, k);
        text += k;
    }
    return list;
}

static unsigned judge_file(struct tn_arena *mem, const char *path, const char *name)
{
    struct tn_buf b;
    struct tn_err err;
    struct tn_transaction t;
    struct tn_removal_answer a;
    uint64_t size;
    tn_buf_init(&b);
    assert_int_equal(tn_os_read(NULL, path, 0, 4u << 20, &b, &size, &err), 0);
    const char *text = b.p, *want = line_of(mem, text, "want");
    while (*text == '#')
        text += strcspn(text, "\n"), text += *text == '\n';
    tn_transaction_read(mem, tn_span_of(text, b.n - (size_t)(text - b.p)), &t);
    struct tn_removal_bound bound = {.named = words_of(mem, line_of(mem, b.p, "named")),
                                     .held = words_of(mem, line_of(mem, b.p, "held")),
                                     .running = line_of(mem, b.p, "running"),
                                     .goes = line_of(mem, b.p, "goes") != NULL};
    tn_removal_judge(&t, &bound, &a);
    const char *blank = want ? strchr(want, ' ') : NULL;
    size_t n = want ? strcspn(want, " ") : 0;
    bool ok = want && strlen(tn_removal_word(a.kind)) == n && strncmp(want, tn_removal_word(a.kind), n) == 0 &&
              (!blank || strcmp(blank + 1, a.package) == 0);
    if (!ok)
        printf("%s: %s %s, wanted %s\n", name, tn_removal_word(a.kind), a.package, want ? want : "?");
    tn_buf_deinit(&b);
    return ok ? 0 : 1;
}

static void test_files(void **state)
{
    (void)state;
    struct tn_arena mem;
    struct tn_os_entry *e;
    struct tn_err err;
    size_t n;
    static const char ends[][8] = {".apt", ".dnf", ".zypper", ".pacman"};
    unsigned seen = 0, wrong = 0, of[4] = {0};
    const char *source = getenv("TENON_SOURCE");
    assert_non_null(source);
    tn_arena_init(&mem);
    const char *folder = tn_arena_printf(&mem, "%s/tests/simulated", source);
    assert_int_equal(tn_os_list(NULL, folder, &mem, &e, &n, &err), 0);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(e[i].name);
        const char *end = strrchr(e[i].name, '.');
        unsigned kind = 0;
        while (end && kind < TN_LEN(ends) && strcmp(end, ends[kind]) != 0)
            kind++;
        if (len < 5 || !end || kind == TN_LEN(ends))
            continue;
        of[kind]++;
        struct tn_arena one;
        tn_arena_init(&one);
        wrong += judge_file(&one, tn_arena_printf(&mem, "%s/%s", folder, e[i].name), e[i].name);
        tn_arena_deinit(&one);
        seen++;
    }
    tn_arena_deinit(&mem);
    assert_int_equal(wrong, 0);
    printf("simulations judged: %u (apt %u, dnf %u, zypper %u, pacman %u)\n", seen, of[0], of[1], of[2], of[3]);
    assert_true(of[0] >= 60);
    assert_true(of[1] >= 20);
    assert_true(of[2] >= 12);
    assert_true(of[3] >= 12);
}

/* Debian Policy 5.6.12; the order "~~", "~~a", "~", "", "a" is its own example. */
static void test_versions(void **state)
{
    (void)state;
    static const char *const rising[] = {"1.0~~",  "1.0~~a",      "1.0~",     "1.0",     "1.0-1~deb12u1",
                                         "1.0-1",  "1.0-1.1",     "1.0a-1",   "1.0+b-1", "1.2-1",
                                         "1.10-1", "535.54.03-1", "550.54-1", "1:0.1-1", "2:0-1"};
    for (unsigned i = 0; i < TN_LEN(rising); i++)
        for (unsigned k = 0; k < TN_LEN(rising); k++) {
            int c = tn_removal_deb_cmp(rising[i], rising[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
    assert_int_equal(tn_removal_deb_cmp("1.0-0", "1.0"), 0);
    assert_int_equal(tn_removal_deb_cmp("0:1.00-1", "1.0-01"), 0);
}

static void test_names(void **state)
{
    (void)state;
    assert_true(tn_removal_is_driver("nvidia-driver-535"));
    assert_true(tn_removal_is_driver("libnvidia-gl-535"));
    assert_true(tn_removal_is_driver("linux-modules-nvidia-535-6.8.0-31-generic"));
    assert_true(tn_removal_is_driver("nvidia-384"));
    assert_false(tn_removal_is_driver("nvidia-cuda-toolkit"));
    assert_false(tn_removal_is_driver("libnvidia-container1"));
    assert_false(tn_removal_is_driver("nvidia-container-toolkit"));
    assert_false(tn_removal_is_driver("linux-image-6.8.0-31-generic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
