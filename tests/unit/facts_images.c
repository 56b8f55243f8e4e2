/* facts_images.c - which container holds a framework for a card and a driver. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "facts/images.h"

static void image_for(void **state)
{
    struct tn_facts_image i;
    (void)state;
    /* TensorFlow 1.15 on an RTX 3090 or 4090: the wheels cannot, NVIDIA's container can. */
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", "550.54", "8.6", &i), TN_ANSWER_YES);
    assert_string_equal(i.tag, "23.03-tf1-py3");
    assert_string_equal(i.cuda, "12.1.0");
    assert_string_equal(i.python, "3.8");
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", "525.147.05", "8.9", &i), TN_ANSWER_YES);
    assert_string_equal(i.tag, "23.01-tf1-py3"); /* the newer one asks for 530 */
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", "450.80.02", "8.6", &i), TN_ANSWER_NO);
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", "580.65", "12.0", &i),
                     TN_ANSWER_NO); /* no CUDA of 2023 knows it */
    /* Trap: 23.03's notes name no least capability; those of 23.01 name 6.0, and that counts. */
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", NULL, "5.2", &i), TN_ANSWER_NO);
    assert_int_equal(tn_facts_image_for("tensorflow", "1.15", NULL, "6.1", &i), TN_ANSWER_YES);
    assert_int_equal(tn_facts_image_for("tensorflow", "2.99", NULL, NULL, &i), TN_ANSWER_NO);
    assert_int_equal(tn_facts_image_for("caffe", NULL, NULL, NULL, &i), TN_ANSWER_NO);
}

/* What no source establishes stays empty: a row without its CUDA is found, but never answers for a card. */
static void empty_is_not_said(void **state)
{
    struct tn_facts_image i;
    unsigned n = 0, silent = 0;
    (void)state;
    for (uint32_t row = 0; tn_facts_image_next("tensorflow", NULL, &row, &i); n++)
        silent += *i.cuda == '\0';
    assert_true(n > 15 && silent > 0);
    for (uint32_t row = 0; tn_facts_image_next("tensorflow", "1.15", &row, &i);)
        assert_string_equal(i.version, "1.15.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_for),
        cmocka_unit_test(empty_is_not_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
