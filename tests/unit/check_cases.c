/* check_cases.c - tests/cases/CAUSE/hit*.json and miss*.json: snapshots in which a cause is, or is not, the matter.
 *
 * A case is one file; dropping it there adds it. hit: the cause is confirmed, likely or possible, and no note. miss: it
 * is not. Every finding of every case is held to the rules that all share (check_machine.h). */
#include "check_machine.h"

#include <dirent.h>

#include "snapshot/read.h"

static char *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    *n = 0;
    for (size_t got = 1; f && got;) {
        text = realloc(text, *n + 65536);
        got = fread(text + *n, 1, 65536, f);
        *n += got;
    }
    if (f)
        fclose(f);
    return text;
}

static bool is_matter(const struct machine *m, const char *cause)
{
    for (size_t i = 0; i < m->out.n; i++) {
        const struct tn_finding *f = &m->out.v[i];
        if (strcmp(f->cause, cause) == 0 && f->status <= TN_POSSIBLE && f->severity <= TN_WARNING)
            return true;
    }
    return false;
}

static void run_case(const char *path, const char *cause, bool hit)
{
    struct machine m;
    struct tn_err err;
    size_t n;
    char *text = read_all(path, &n);
    assert_non_null(text);
    memset(&m, 0, sizeof m);
    if (tn_snapshot_read(tn_span_of(text, n), &m.s, &err) != 0)
        fail_msg("%s: %s: %s", path, err.place, err.text);
    free(text);
    tn_arena_init(&m.mem);
    judge(&m, NULL);
    if (is_matter(&m, cause) != hit)
        fail_msg("%s: %s is %s", path, cause, hit ? "not found" : "found");
    finish(&m);
}

static unsigned run_folder(const char *folder, const char *cause)
{
    unsigned n = 0;
    char path[1024];
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        bool hit = tn_str_starts(e->d_name, "hit");
        if (!tn_str_ends(e->d_name, ".json"))
            continue;
        if (!hit && !tn_str_starts(e->d_name, "miss"))
            fail_msg("%s/%s is neither hit*.json nor miss*.json", folder, e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        run_case(path, cause, hit);
        n++;
    }
    closedir(d);
    return n;
}

static void cases(void **state)
{
    const char *root = getenv("TENON_SOURCE");
    char path[768];
    unsigned n = 0;
    (void)state;
    if (root == NULL)
        skip();
    for (unsigned i = 0; i < tn_n_causes; i++) {
        snprintf(path, sizeof path, "%s/tests/cases/%s", root, tn_causes[i].slug);
        DIR *d = opendir(path);
        if (d == NULL)
            continue;
        closedir(d);
        n += run_folder(path, tn_causes[i].slug);
    }
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
