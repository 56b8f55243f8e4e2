/* jsonschema.c - see jsonschema.h. */
#include "snapshot/jsonschema.h"

#include "base/limits.h"
#include "base/str.h"
#include "snapshot/json.h"
#include "snapshot/schema.h"

static json_t *pack(json_t *j)
{
    return tn_json_must(j);
}

static const char *def_of(enum tn_kind k)
{
    switch (k) {
    case TN_KIND_INT: return "integer";
    case TN_KIND_BOOL: return "boolean";
    case TN_KIND_LIST:
    case TN_KIND_PATHS: return "list";
    default: return "text";
    }
}

static json_t *ref(const char *prefix, const char *name)
{
    return pack(json_pack("{s:s++}", "$ref", "#/$defs/", prefix, name));
}

/* A state with its source; a value is asked for exactly when it is known. */
static json_t *fact_def(const char *name)
{
    json_t *o =
        pack(json_pack("{s:s, s:[s], s:{s:o, s:o, s:o, s:o}, s:{s:[s], s:[s]}}", "type", "object", "required", "is",
                       "properties", "is", ref("", "state"), "from", ref("", "text"), "note", ref("", "text"), "got",
                       ref("", "state"), "dependentRequired", "note", "from", "got", "from"));
    if (!name)
        return o;
    tn_json_set(o, "if", json_pack("{s:{s:{s:s}}, s:[s]}", "properties", "is", "const", "known", "required", "is"));
    tn_json_set(o, "then", json_pack("{s:[s], s:{s:o}}", "required", "value", "properties", "value", ref("", name)));
    tn_json_set(o, "else", json_pack("{s:{s:{s:s}}}", "properties", "value", "type", "null"));
    return o;
}

static json_t *defs(void)
{
    static const char *const names[] = {"text", "integer", "boolean", "list"};
    json_t *d = pack(json_object());
    tn_json_set(d, "state", json_pack("{s:[s,s,s,s,s]}", "enum", "known", "absent", "denied", "failed", "unasked"));
    tn_json_set(d, "text",
                json_pack("{s:s, s:[{s:s}, {s:s, s:[s], s:{s:{s:s, s:s}, s:{s:s}}}]}", "description",
                          "a string, or where the bytes are no valid UTF-8 their base64 and a form for people", "anyOf",
                          "type", "string", "type", "object", "required", "bytes", "properties", "bytes", "type",
                          "string", "pattern", "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$", "text",
                          "type", "string"));
    tn_json_set(d, "integer",
                json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)INT64_MIN, "maximum",
                          (json_int_t)INT64_MAX));
    tn_json_set(d, "boolean", json_pack("{s:s}", "type", "boolean"));
    tn_json_set(
        d, "list",
        json_pack("{s:s, s:o, s:I}", "type", "array", "items", ref("", "text"), "maxItems", (json_int_t)TN_MAX_LIST));
    tn_json_set(d, "listing", fact_def(NULL));
    for (size_t i = 0; i < TN_LEN(names); i++) {
        struct tn_buf b;
        tn_buf_init(&b);
        tn_buf_printf(&b, "fact_%s", names[i]);
        tn_json_set(d, b.p, fact_def(names[i]));
        tn_buf_deinit(&b);
    }
    return d;
}

static json_t *row_schema(const struct tn_rec_desc *d)
{
    json_t *props = pack(json_object());
    for (unsigned i = 0; i < d->n_field; i++) {
        json_t *f = ref("fact_", def_of(d->field[i].kind));
        tn_json_set(f, "description", json_string(tn_schema_doc(d->field[i].doc)));
        tn_json_set(f, "x-kind", json_string(tn_kind_word(d->field[i].kind)));
        tn_json_set(f, "x-privacy", json_string(tn_class_word(d->field[i].privacy)));
        tn_json_set(f, "x-matters", json_boolean(d->field[i].weight == TN_WEIGHT_MATTERS));
        tn_json_set(props, d->field[i].name, f);
    }
    return pack(json_pack("{s:s, s:o}", "type", "object", "properties", props));
}

static json_t *record_schema(const struct tn_rec_desc *d)
{
    json_t *row = row_schema(d), *o = row;
    if (!d->one)
        o = pack(json_pack("{s:s, s:{s:o, s:{s:s, s:I, s:o}}}", "type", "object", "properties", "listed",
                           ref("", "listing"), "rows", "type", "array", "maxItems", (json_int_t)TN_MAX_ROWS, "items",
                           row));
    tn_json_set(o, "description", json_string(tn_schema_doc(d->doc)));
    return o;
}

void tn_snapshot_json_schema(struct tn_buf *ret)
{
    tn_json_seed();
    json_t *props = pack(json_object());
    tn_json_set(props, "schema_version", json_pack("{s:s, s:i}", "type", "integer", "minimum", 1));
    tn_json_set(props, "command", json_pack("{s:s}", "const", "snapshot"));
    tn_json_set(props, "redacted", json_pack("{s:s}", "type", "boolean"));
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++)
        tn_json_set(props, tn_schema[rec].name, record_schema(&tn_schema[rec]));
    json_t *o = pack(json_pack("{s:s, s:s, s:s, s:s, s:[s,s], s:o, s:o}", "$schema",
                               "https://json-schema.org/draft/2020-12/schema", "title", "tenon snapshot", "description",
                               "What is known of one machine. Members that are not named here come from newer versions "
                               "and are kept.",
                               "type", "object", "required", "schema_version", "command", "properties", props, "$defs",
                               defs()));
    tn_json_dump(ret, o, 1);
    tn_buf_ch(ret, '\n');
    json_decref(o);
}

static void cell(struct tn_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            tn_buf_ch(b, '\\');
        tn_buf_ch(b, *text);
    }
}

void tn_snapshot_schema_markdown(struct tn_buf *ret)
{
    tn_buf_str(ret, "# Facts of a snapshot\n\n"
                    "Made from `src/snapshot/schema.def`. Class: what a shared report may show. Matters: whether a "
                    "change may change a verdict.\n");
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        const struct tn_rec_desc *d = &tn_schema[rec];
        tn_buf_printf(ret, "\n## %s\n\n%s; %s.\n\n", d->name, tn_schema_doc(d->doc),
                      d->one ? "one for a machine" : "any number");
        tn_buf_str(ret, "| field | kind | class | matters | meaning |\n|---|---|---|---|---|\n");
        for (unsigned i = 0; i < d->n_field; i++) {
            const struct tn_field_desc *f = &d->field[i];
            tn_buf_printf(ret, "| `%s` | %s | %s | %s | ", f->name, tn_kind_word(f->kind), tn_class_word(f->privacy),
                          f->weight == TN_WEIGHT_MATTERS ? "yes" : "no");
            cell(ret, tn_schema_doc(f->doc));
            tn_buf_str(ret, " |\n");
        }
    }
}
