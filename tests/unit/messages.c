/* Every message form matches its samples and not its near samples; no two causes are proven by the same sample; the
 * matcher's rules for blanks, line ends, holes and whole words; linear time on hostile text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "explain/form.h"
#include "messages_samples.gen.h"

struct seen {
    unsigned form, n, proves;
    const char *proven;
    char hole[64];
};

static bool on_hit(void *ctx, const struct tn_form_hit *h)
{
    struct seen *s = ctx;
    const struct tn_form *f = &tn_forms[h->form];
    s->n += h->form == s->form;
    for (unsigned i = 0; i < f->n_mean; i++) {
        const struct tn_form_mean *m = &tn_form_means[f->mean + i];
        const char *cause = tn_form_pool + m->cause;
        if (m->weight < 90 || m->n_cond || (s->proven && strcmp(s->proven, cause) == 0))
            continue;
        s->proven = cause;
        s->proves++;
    }
    return true;
}

static struct seen scan(unsigned form, const char *text)
{
    struct seen s = {.form = form};
    tn_form_scan(tn_span_str(text), on_hit, &s);
    return s;
}

static void samples_match(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct seen s = scan(samples[i].form, samples[i].text);
        const char *name = tn_form_pool + tn_forms[samples[i].form].name;
        if ((s.n > 0) != (samples[i].yes != 0)) {
            fprintf(stderr, "form %s %s: %s\n", name, samples[i].yes ? "misses its sample" : "matches its near sample",
                    samples[i].text);
            bad++;
        }
        if (samples[i].yes && s.proves > 1) {
            fprintf(stderr, "form %s: two causes are proven by: %s\n", name, samples[i].text);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static unsigned form_named(const char *name)
{
    for (unsigned i = 0; i < tn_n_forms; i++)
        if (strcmp(tn_form_pool + tn_forms[i].name, name) == 0)
            return i;
    fail_msg("no form %s", name);
    return 0;
}

static void blanks_and_ends(void **state)
{
    (void)state;
    unsigned f = form_named("torch-driver-too-old");
    assert_int_equal(scan(f, "The NVIDIA  driver on your\tsystem is too old (found version 10010)").n, 1);
    assert_int_equal(scan(f, "the nvidia driver on your\n> system is too old (found version 10010)").n, 1);
    assert_int_equal(scan(f, "The NVIDIA driver on your\n\nsystem is too old (found version 10010)").n, 0);
    assert_int_equal(scan(f, "The NVIDIA driver on your system is too old (found version x)").n, 0);
    assert_int_equal(scan(f, "XThe NVIDIA driver on your system is too old (found version 10010)").n, 0);
    assert_int_equal(scan(f, "The NVIDIA driver on your system is too old (found version 10010").n, 0);
}

/* Text made of beginnings alone: the work is bounded at each place. */
static void hostile_text(void **state)
{
    (void)state;
    static char text[1 << 18];
    const char *piece = "the nvidia driver on your system is too old (found version ";
    size_t n = 0;
    while (n + strlen(piece) < sizeof text - 1) {
        memcpy(text + n, piece, strlen(piece));
        n += strlen(piece);
    }
    assert_int_equal(scan(form_named("torch-driver-too-old"), text).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_match), cmocka_unit_test(blanks_and_ends),
                                       cmocka_unit_test(hostile_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
