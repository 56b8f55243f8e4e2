/* loader_redact.c - a simulation over a copy for strangers comes to the same as one over the original. */
#include "loader_disk.h"
#include "snapshot/redact.h"

#define SITE "/home/ann/venv/lib/python3.11/site-packages"

/* A private extension that needs a private library beside it, which needs NVIDIA's by a run path upwards, and one whose
 * symbol version is missing. */
static void fill(struct machine *m)
{
    struct tn_rec_env *e = TN_ADD(&m->s, env);
    e->id = tn_fact_str(&m->s, 0, "env1");
    e->path = tn_fact_str(&m->s, 0, "/home/ann/venv");
    struct tn_rec_host *h = TN_THE(&m->s, host);
    h->os = tn_fact_str(&m->s, 0, "linux");
    h->user = tn_fact_str(&m->s, 0, "ann");
    h->home = tn_fact_str(&m->s, 0, "/home/ann");
    m->p.program = "/home/ann/venv/bin/python";
    m_program(m, "", "$ORIGIN/../lib", NULL);
    m_last(m)->real = tn_fact_str(&m->s, 0, "/usr/bin/python3.11");
    m_last(m)->interp = tn_fact_str(&m->s, 0, m->p.self);
    m_lib(m, SITE "/acme_secret/_core.so", NULL, "libacme_private.so.3,libhome_made.so", NULL, "$ORIGIN/.libs");
    m_lib(m, "/usr/lib/libhome_made.so", NULL, "", NULL, NULL);
    m_lib(m, SITE "/acme_secret/.libs/libacme_private.so.3", "libacme_private.so.3", "libcusparseLt.so.0,libold.so",
          NULL, "$ORIGIN/../../nvidia/cusparselt/lib:/home/ann/old/$LIB");
    m_last(m)->requires = m_list(m, "libold.so:ACME_2?", ',');
    m_lib(m, SITE "/acme_secret/.libs/../../nvidia/cusparselt/lib/libcusparseLt.so.0", "libcusparseLt.so.0", "", NULL,
          "$ORIGIN");
    m_lib(m, "/home/ann/old/lib/x86_64-linux-gnu/libold.so", "libold.so", "", NULL, NULL);
    m_last(m)->provides = m_list(m, "ACME_1", ',');
    m_lib(m, SITE "/acme_secret/strict.so", NULL, "libold.so", NULL, "/home/ann/old/${LIB}");
    m_last(m)->requires = m_list(m, "libold.so:ACME_2", ',');
    m_cache(m, "libthird_party.so.1", "/srv/acme/libthird_party.so.1", NULL);
    m_lib(m, "/srv/acme/libthird_party.so.1", NULL, "", NULL, NULL);
}

/* The path of the row by its number: the same in both. */
static const char *at(const struct tn_snap *s, unsigned row)
{
    return s->image.v[row].path.v;
}

static void look(struct machine *m, const struct tn_snap *s, struct tn_loader *l, struct tn_process *p)
{
    struct tn_disk *rows = tn_arena_alloc(&m->mem, sizeof *rows);
    tn_disk_snapshot(rows, s, &m->mem);
    m->rows = *rows; /* m_image and its like ask these, and say "not there" of the rest */
    *p = m->p;
    p->program = at(s, 0);
    tn_loader_start(l, p, &m->disk, &m->mem, 0);
    tn_loader_open(l, TN_PROGRAM, at(s, 1));
    tn_loader_open(l, TN_PROGRAM, at(s, 6));
    tn_loader_open(l, TN_PROGRAM, s->cached.v[0].soname.v);
}

static enum tn_know any_folder(void *ctx, const char *path)
{
    (void)ctx, (void)path;
    return TN_KNOWN;
}

static void same(void **state)
{
    struct machine m;
    struct tn_snap copy;
    struct tn_loader a, b;
    struct tn_process pa, pb;
    struct tn_err err;
    (void)state;
    m_init(&m);
    m.disk.folder = any_folder;
    fill(&m);
    look(&m, &m.s, &a, &pa);
    assert_int_equal(tn_snapshot_redact(&m.s, &copy, NULL, &err), 0);
    look(&m, &copy, &b, &pb);
    assert_int_equal(a.n_object, 8); /* with the program and the loader */
    assert_int_equal(a.n_object, b.n_object);
    assert_int_equal(a.n_search, b.n_search);
    for (size_t i = 0; i < a.n_search; i++) {
        assert_int_equal(a.search[i].outcome, b.search[i].outcome);
        assert_int_equal(a.search[i].object, b.search[i].object);
    }
    assert_int_equal(a.n_lack, 2);
    assert_int_equal(b.n_lack, 2);
    for (size_t i = 0; i < copy.image.n; i++)
        assert_null(strstr(copy.image.v[i].path.v, "acme"));
    assert_null(strstr(copy.image.v[1].needed.v[0], "acme"));
    assert_string_equal(copy.image.v[3].needed.v[0], "libcusparseLt.so.0");
    tn_snap_deinit(&copy);
    m_deinit(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
