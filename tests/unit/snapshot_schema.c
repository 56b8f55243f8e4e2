/* snapshot_schema.c - the JSON Schema and the Markdown table are whole and well formed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "snapshot/json.h"
#include "snapshot/jsonschema.h"
#include "snapshot/schema.h"

static void json_schema(void **state)
{
    struct tn_buf b;
    struct tn_err err;
    (void)state;
    tn_buf_init(&b);
    tn_snapshot_json_schema(&b);
    json_t *j = tn_json_load(tn_span_of(b.p, b.n), &err), *props = json_object_get(j, "properties");
    assert_non_null(j);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        json_t *o = json_object_get(props, tn_schema[rec].name);
        json_t *row = tn_schema[rec].one
                          ? o
                          : json_object_get(json_object_get(json_object_get(o, "properties"), "rows"), "items");
        for (unsigned i = 0; i < tn_schema[rec].n_field; i++) {
            json_t *f = json_object_get(json_object_get(row, "properties"), tn_schema[rec].field[i].name);
            const char *ref = json_string_value(json_object_get(f, "$ref"));
            assert_non_null(ref);
            assert_true(strncmp(ref, "#/$defs/", 8) == 0);
            assert_non_null(json_object_get(json_object_get(j, "$defs"), ref + 8));
            assert_string_equal(json_string_value(json_object_get(f, "x-privacy")),
                                tn_class_word(tn_schema[rec].field[i].privacy));
        }
    }
    json_decref(j);
    tn_buf_deinit(&b);
}

static void markdown(void **state)
{
    struct tn_buf b;
    (void)state;
    tn_buf_init(&b);
    tn_snapshot_schema_markdown(&b);
    assert_non_null(strstr(b.p, "\n## gpu\n"));
    assert_non_null(strstr(b.p, "| `capability` | version | public | yes | compute capability, 8.6 |\n"));
    assert_non_null(strstr(b.p, "| `name` | text | never | no | its program |\n"));
    tn_buf_deinit(&b);
}

/* A field of these names is needed by name elsewhere (tools/lint_redaction.py, diff's keys, env.id). */
static void environments_are_named(void **state)
{
    (void)state;
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++)
        for (unsigned i = 0; i < tn_schema[rec].n_field; i++)
            if (strcmp(tn_schema[rec].field[i].name, "env") == 0)
                assert_int_equal(tn_schema[rec].field[i].privacy, TN_CLASS_PSEUDONYM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_schema),
        cmocka_unit_test(markdown),
        cmocka_unit_test(environments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
