/* probe_code.c - machine code and PTX of a build out of the object that holds it, and when that is read at all. */
#include <stdio.h>

#include "probe_python_toy.h"

#define SP "/v/lib/python3.11/site-packages/"

enum { PTX = 1, CUBIN = 2, A = 0x100000 };

static char object[4096];
static size_t n_object;

static void put(size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        object[at + i] = (char)(unsigned char)(v >> 8 * i);
}

static void entry(unsigned kind, unsigned arch, uint32_t flags, unsigned isa)
{
    size_t at = n_object;
    put(at, kind, 2);
    put(at + 4, 64, 4);
    put(at + 8, 8, 8);
    put(at + 24, isa % 100, 2);
    put(at + 26, isa / 100, 2);
    put(at + 28, arch, 4);
    put(at + 40, flags, 8);
    n_object += 72;
}

/* A fatbin by itself: five containers, each with sm_86 and PTX for 9.0, one of them with sm_90a, two with sm_75, too.
 */
static void make_object(void)
{
    memset(object, 0, sizeof object);
    n_object = 0;
    for (unsigned i = 0; i < 5; i++) {
        size_t at = n_object;
        put(at, 0xBA55ED50, 4);
        put(at + 4, 1, 2);
        put(at + 6, 16, 2);
        n_object += 16;
        entry(CUBIN, 86, 0, 107);
        if (i == 1)
            entry(CUBIN, 90, A, 107);
        if (i > 2)
            entry(CUBIN, 75, 0, 107);
        entry(PTX, 90, 0, i ? 900 : 803);
        put(at + 8, n_object - at - 16, 8);
    }
}

/* 1: a card, 0: none, -1: not asked for */
static const struct tn_rec_framework *look(const char *version, bool plain, int cards, struct tn_snap *s)
{
    static struct tn_want want;
    static char text[128], meta[128];
    static struct toy_item items[8];
    struct tn_arena tmp;
    snprintf(text, sizeof text, "__version__ = '%s'\ncuda: Optional[str] = '13.0'\n", version);
    snprintf(meta, sizeof meta, "Name: torch\nVersion: %s\n", version);
    const struct toy_item all[] = {{'f', "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", 0},
                                   {'f', SP "torch-1.dist-info/METADATA", meta, 0},
                                   {'f', SP "torch/__init__.py", "x", 0},
                                   {'f', SP "torch/version.py", text, 0},
                                   {'f', SP "torch/lib/libtorch_cuda.so", object, n_object},
                                   {0, NULL, NULL, 0}};
    memcpy(items, all, sizeof all);
    struct toy t = toy_make(items, false);
    want = (struct tn_want){.env = "/v", .plain = plain};
    tn_arena_init(&tmp);
    tn_snap_init(s);
    TN_THE(s, host)->os = tn_fact_str(s, 0, t.w.os);
    if (cards > 0)
        TN_ADD(s, gpu)->vendor = tn_fact_str(s, 0, "nvidia");
    if (cards >= 0)
        s->gpu.listed = TN_KNOWN;
    struct tn_probe_ctx c = {&t.w, s, &tmp, &want};
    tn_probe_python.run(&c);
    tn_arena_deinit(&tmp);
    assert_int_equal(s->framework.n, 1);
    return &s->framework.v[0];
}

static void from_the_object(void **state)
{
    struct tn_snap s;
    (void)state;
    make_object();
    const struct tn_rec_framework *f = look("99.1.0+cu130", false, 1, &s);
    toy_assert_list(f->sass, "75 86"); /* one container of five is not the build */
    toy_assert_list(f->ptx, "90");
    toy_assert_str(f->ptx_isa, "9.0");
    assert_string_equal(s.src[f->sass.src].asked, "read " SP "torch/lib/libtorch_cuda.so");
    tn_snap_deinit(&s);
    f = look("2.14.0+cu130", false, 1, &s); /* what the object says wins over a table */
    toy_assert_list(f->sass, "75 86");
    tn_snap_deinit(&s);
}

static void for_a_verdict_alone(void **state)
{
    struct tn_snap s;
    (void)state;
    make_object();
    const struct tn_rec_framework *f = look("2.14.0+cu130", true, 1, &s);
    toy_assert_list(f->sass, "75 80 86 90 100 120"); /* the table's: nothing is read */
    assert_int_equal(f->ptx_isa.k, TN_UNASKED);
    tn_snap_deinit(&s);
    f = look("99.1.0+cu130", true, 1, &s);
    toy_assert_list(f->sass, "75 86");
    tn_snap_deinit(&s);
    f = look("99.1.0+cu130", true, -1, &s);
    toy_assert_list(f->sass, "75 86");
    tn_snap_deinit(&s);
    f = look("99.1.0+cu130", true, 0, &s); /* no card could run it */
    assert_int_equal(f->sass.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

static void damaged(void **state)
{
    struct tn_snap s;
    (void)state;
    make_object();
    put(160 + 16 + 72 + 8, 1 << 20, 4); /* an entry longer than the file */
    const struct tn_rec_framework *f = look("99.1.0+cu130", false, 1, &s);
    assert_int_equal(f->sass.k, TN_FAILED);
    tn_snap_deinit(&s);
    f = look("2.14.0+cu130", false, 1, &s);
    toy_assert_list(f->sass, "75 80 86 90 100 120");
    tn_snap_deinit(&s);
    memset(object, 0, sizeof object); /* sparse, or no object at all */
    f = look("99.1.0+cu130", false, 1, &s);
    assert_int_equal(f->sass.k, TN_FAILED);
    tn_snap_deinit(&s);
}

/* An extension module by whatever suffix Python gave it; for a verdict alone nobody reads it. */
static void of_a_module(void **state)
{
    (void)state;
    make_object();
    for (unsigned plain = 0; plain < 2; plain++) {
        const struct toy_item items[] = {
            {'f', "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", 0},
            {'f', SP "cupy_cuda13x-14.2.0.dist-info/METADATA", "Name: cupy-cuda13x\nVersion: 14.2.0\n", 0},
            {'f', SP "cupy/__init__.py", "x", 0},
            {'f', SP "cupy/.data/_wheel.json", "{\"cuda\": \"13.x\", \"packaging\": \"pip\"}", 0},
            {'f', SP "cupy/cuda/thrust.py", "x", 0},
            {'f', SP "cupy/cuda/thrust.cpython-311-x86_64-linux-gnu.so", object, n_object},
            {0, NULL, NULL, 0}};
        struct toy t = toy_make(items, false);
        struct tn_want want = {.env = "/v", .plain = plain};
        struct tn_arena tmp;
        struct tn_snap s;
        tn_arena_init(&tmp);
        tn_snap_init(&s);
        TN_THE(&s, host)->os = tn_fact_str(&s, 0, t.w.os);
        TN_ADD(&s, gpu)->vendor = tn_fact_str(&s, 0, "nvidia");
        s.gpu.listed = TN_KNOWN;
        struct tn_probe_ctx c = {&t.w, &s, &tmp, &want};
        tn_probe_python.run(&c);
        assert_int_equal(s.framework.n, 1);
        if (plain)
            assert_int_not_equal(s.framework.v[0].sass.k, TN_KNOWN);
        else
            toy_assert_list(s.framework.v[0].sass, "75 86");
        tn_arena_deinit(&tmp);
        tn_snap_deinit(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_the_object), cmocka_unit_test(of_a_module),
                                       cmocka_unit_test(for_a_verdict_alone), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
