/* check_refused.c - an installed driver that does not run the card: by the log, by its branch and flavour. */
#include "check_machine.h"

static void start_stopped(struct machine *m, const char *gpu, const char *capability, const char *version,
                          const char *flavour)
{
    start_healthy(m);
    m->s.gpu.v[0].name = T(gpu);
    m->s.gpu.v[0].capability = T(capability);
    m->s.gpu.v[0].bound = tn_fact_nostr(0, TN_ABSENT);
    m->s.gpu.v[0].bus = T("0000:01:00.0");
    m->s.module.v[0].version = T(version);
    m->s.module.v[0].flavour = T(flavour);
    TN_THE(&m->s, driver)->loaded = N(0);
    TN_THE(&m->s, driver)->version = tn_fact_nostr(0, TN_ABSENT);
    TN_THE(&m->s, driver)->library_version = T(version);
}

static void add_event(struct machine *m, const char *kind, int code)
{
    struct tn_rec_event *e = TN_ADD(&m->s, event);
    e->kind = T(kind);
    e->code = code < 0 ? tn_fact_noint(0, TN_ABSENT) : N(code);
    e->gpu = T("0000:01:00.0");
    e->text = T("NVRM: ...");
}

static void by_facts(void **state)
{
    static const struct {
        const char *gpu, *capability, *version, *flavour, *variant;
    } cases[] = {{"NVIDIA GeForce GTX 1080", "6.1", "595.58.03", "proprietary", "legacy"},
                 {"NVIDIA GeForce GTX 1080", "6.1", "580.95.05", "proprietary", NULL},
                 {"NVIDIA GeForce GTX 1080", "6.1", "580.95.05", "open", "closed"},
                 {"NVIDIA GeForce GTX 780", "3.5", "535.183.01", "proprietary", "legacy"},
                 {"NVIDIA GeForce RTX 3060", "8.6", "580.95.05", "open", NULL},
                 {"NVIDIA GeForce RTX 5090", "12.0", "580.95.05", "proprietary", "open"},
                 {"NVIDIA GeForce RTX 5090", "12.0", "580.95.05", "open", NULL}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct machine mm, *m = &mm;
        start_stopped(m, cases[i].gpu, cases[i].capability, cases[i].version, cases[i].flavour);
        const struct tn_finding *f = expect_problem(m, "driver-not-loaded", cases[i].variant);
        if (cases[i].variant && strcmp(cases[i].variant, "legacy") == 0)
            assert_string_equal(f->remedy[0].id, "driver-of-branch");
        finish(m);
    }
}

/* A second card that runs: the module stays in. */
static void one_of_two(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_stopped(m, "NVIDIA GeForce GTX 1080", "6.1", "595.58.03", "proprietary");
    add_gpu(m, "NVIDIA GeForce RTX 3060", "8.6");
    m->s.gpu.v[1].bound = tn_fact_nostr(0, TN_ABSENT);
    expect_problem(m, "driver-not-loaded", NULL);
    finish(m);
}

static void by_log(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    start_stopped(m, "NVIDIA GeForce GTX 1050", "6.1", "595.58.03", "open");
    add_event(m, "legacy", 580);
    const struct tn_finding *f = expect_problem(m, "driver-not-loaded", "legacy");
    assert_int_equal(f->status, TN_CONFIRMED);
    expect_sentence(f, TN_ZH, "580");
    finish(m);
    start_stopped(m, "NVIDIA GeForce RTX 3060", "8.6", "535.183.01", "proprietary");
    add_event(m, "rejected", -1);
    f = expect_problem(m, "driver-not-loaded", "rejected");
    assert_string_equal(f->remedy[0].id, "sign-module");
    finish(m);
    start_stopped(m, "NVIDIA GeForce RTX 3060", "8.6", "470.57.02", "proprietary");
    add_event(m, "unsupported", -1);
    expect_problem(m, "driver-not-loaded", "unsupported");
    finish(m);
    static const struct {
        const char *kind;
        int has_signature, enrolled;
        const char *variant, *remedy;
    } keys[] = {
        {"key_rejected", -1, 0, "rejected-key", "enrol-key"}, {"key_rejected", 1, 1, "rejected-key", "sign-module"},
        {"rejected", 1, 0, "rejected-key", "enrol-key"}, /* lockdown's line is the same for both */
        {"rejected", 0, 0, "rejected", "sign-module"},        {"vgpu_guest", -1, -1, "vgpu-guest", "vgpu-driver"},
        {"vgpu_host", -1, -1, "vgpu-host", "vgpu-driver"}};
    for (size_t i = 0; i < TN_LEN(keys); i++) {
        start_stopped(m, "NVIDIA A40", "8.6", "535.183.01", "open");
        add_event(m, keys[i].kind, -1);
        if (keys[i].has_signature >= 0)
            m->s.module.v[0].has_signature = N(keys[i].has_signature);
        if (keys[i].enrolled >= 0) {
            TN_THE(&m->s, host)->mok_key = T("/var/lib/dkms/mok.pub");
            TN_THE(&m->s, host)->mok_enrolled = N(keys[i].enrolled);
        }
        f = expect_problem(m, "driver-not-loaded", keys[i].variant);
        assert_string_equal(f->remedy[0].id, keys[i].remedy);
        finish(m);
    }
    start_healthy(m); /* an old line of a driver that runs now */
    add_event(m, "rejected", -1);
    expect_ok(m, 0);
    finish(m);
}

/* The driver runs one card and leaves the other alone. */
static void beside(void **state)
{
    struct machine mm, *m = &mm;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        start_healthy(m);
        TN_THE(&m->s, driver)->flavour = T("proprietary");
        add_gpu(m, "NVIDIA GeForce GTX 780", "3.5");
        if (i < 2)
            m->s.gpu.v[1].bound = tn_fact_nostr(0, TN_ABSENT);
        if (i == 1)
            TN_THE(&m->s, driver)->version = T("470.256.02");
        judge(m, NULL);
        size_t n = 0;
        for (size_t k = 0; k < m->out.n; k++) {
            const struct tn_finding *f = &m->out.v[k];
            if (strcmp(f->cause, "driver-not-loaded") != 0 || f->status != TN_LIKELY)
                continue;
            n++;
            assert_int_equal(f->severity, TN_WARNING);
            assert_string_equal(f->variant, "legacy");
            expect_sentence(f, TN_EN, "470");
        }
        assert_int_equal(n, i == 0);
        finish(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beside), cmocka_unit_test(by_facts),
                                       cmocka_unit_test(one_of_two), cmocka_unit_test(by_log)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
