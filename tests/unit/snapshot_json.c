/* snapshot_json.c - reading and writing snapshots: round trips, unknown members, hostile and wrong files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json_shape.h"
#include "base/limits.h"
#include "snapshot/json.h"
#include "snapshot/read.h"
#include "snapshot/write.h"
#include "snapshot_random.h"

#define HEAD "{\"schema_version\": 1, \"command\": \"snapshot\""

static int read_text(const char *text, struct tn_snap *ret, struct tn_err *err)
{
    return tn_snapshot_read(tn_span_str(text), ret, err);
}

static void same_facts(const struct tn_snap *a, const struct tn_snap *b)
{
    struct tn_buf x, y;
    tn_buf_init(&x);
    tn_buf_init(&y);
    for (unsigned rec = 0; rec < TN_REC_COUNT; rec++) {
        const struct tn_rec_desc *d = &tn_schema[rec];
        struct tn_rows *r = tn_snap_rows(a, rec), *q = tn_snap_rows(b, rec);
        assert_int_equal(r->n, q->n);
        assert_int_equal(r->listed, q->listed);
        for (size_t i = 0; i < r->n; i++)
            for (unsigned k = 0; k < d->n_field; k++) {
                uint32_t sx, sy;
                const void *ra = tn_snap_row(a, rec, i), *rb = tn_snap_row(b, rec, i);
                assert_int_equal(tn_field_know(ra, &d->field[k], &sx), tn_field_know(rb, &d->field[k], &sy));
                tn_field_text(ra, &d->field[k], &x);
                tn_field_text(rb, &d->field[k], &y);
                assert_string_equal(x.p, y.p);
                assert_string_equal(a->src[sx].asked, b->src[sy].asked);
                assert_true(tn_str_eq(a->src[sx].note, b->src[sy].note));
                assert_true(sx == 0 || a->src[sx].got == b->src[sy].got);
            }
    }
    tn_buf_deinit(&x);
    tn_buf_deinit(&y);
}

static void round_trip(void **state)
{
    (void)state;
    for (unsigned i = 0; i < random_count(300); i++) {
        struct tn_snap s, t;
        struct tn_buf a, b;
        struct tn_err err;
        random_seed(i + 1);
        random_snap(&s);
        tn_buf_init(&a);
        tn_buf_init(&b);
        tn_snapshot_write(&s, &a);
        if (tn_snapshot_read(tn_span_of(a.p, a.n), &t, &err))
            fail_msg("seed %u: %s: %s", i + 1, err.place, err.text);
        tn_snapshot_write(&t, &b);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.p, b.p, a.n);
        assert_int_equal(s.redacted, t.redacted);
        same_facts(&s, &t);
        for (size_t k = 0; k < a.n; k++) /* nothing that acts on a terminal leaves */
            assert_true((unsigned char)a.p[k] >= 0x20 || a.p[k] == '\n');
        assert_null(strstr(a.p, "\xC2\x9B"));
        assert_null(strstr(a.p, "\xE2\x80\xAE"));
        tn_snap_deinit(&s);
        tn_snap_deinit(&t);
        tn_buf_deinit(&a);
        tn_buf_deinit(&b);
    }
}

static void form(void **state)
{
    struct tn_snap s;
    struct tn_buf b;
    (void)state;
    tn_snap_init(&s);
    tn_buf_init(&b);
    uint32_t src = tn_snap_src(&s, TN_KNOWN, NULL, "read /etc/os-release");
    uint32_t no = tn_snap_src(&s, TN_DENIED, "Permission denied", "list /sys/bus/pci/devices");
    TN_THE(&s, host)->os = tn_fact_str(&s, src, "linux");
    TN_THE(&s, host)->root = tn_fact_int(0, 0);
    TN_THE(&s, host)->distro = tn_fact_str(&s, src, NULL);
    s.gpu.listed = TN_DENIED;
    s.gpu.src = no;
    tn_snapshot_write(&s, &b);
    assert_non_null(
        strstr(b.p, "{\n \"schema_version\": 1,\n \"command\": \"snapshot\",\n \"redacted\": false,\n"
                    " \"host\": {\n"
                    "  \"os\": {\"is\": \"known\", \"value\": \"linux\", \"from\": \"read /etc/os-release\"},\n"
                    "  \"distro\": {\"is\": \"absent\", \"from\": \"read /etc/os-release\", \"got\": \"known\"},\n"
                    "  \"root\": {\"is\": \"known\", \"value\": false}\n },\n \"cpu\": {},\n"));
    assert_non_null(strstr(b.p,
                           " \"gpu\": {\n  \"listed\": {\"is\": \"denied\", \"from\": \"list /sys/bus/pci/devices\", "
                           "\"note\": \"Permission denied\"},\n  \"rows\": []\n },\n"));
    assert_int_equal(b.p[b.n - 1], '\n');
    tn_snap_deinit(&s);
    tn_buf_deinit(&b);
}

static void unknown_survives(void **state)
{
    static const char text[] =
        "{\"schema_version\": 7, \"command\": \"snapshot\", \"tenon\": \"9.1\", \"quantum\": {\"rows\": [1, 2.5, "
        "null]},"
        "\"host\": {\"os\": {\"is\": \"known\", \"value\": \"linux\", \"unit\": \"x\"}, \"planet\": {\"is\": "
        "\"absent\"},"
        "\"arch\": {\"is\": \"unasked\", \"later\": 1}},"
        "\"gpu\": {\"listed\": {\"is\": \"known\", \"age\": 3}, \"order\": [\"a\"], \"rows\": [{}, {\"tensor_cores\":"
        "{\"is\": \"known\", \"value\": 336}}]}}";
    static const char *const kept[] = {"\"tenon\": \"9.1\"",
                                       "\"quantum\": {\"rows\": [1, 2.5, null]}",
                                       "\"value\": \"linux\", \"unit\": \"x\"}",
                                       "\"planet\": {\"is\": \"absent\"}",
                                       "{\"is\": \"unasked\", \"later\": 1}",
                                       "{\"is\": \"known\", \"age\": 3}",
                                       "\"order\": [\"a\"]",
                                       "\"tensor_cores\": {\"is\": \"known\", \"value\": 336}",
                                       "\"schema_version\": 7"};
    struct tn_snap s, t;
    struct tn_err err;
    struct tn_buf a, b;
    (void)state;
    tn_buf_init(&a);
    tn_buf_init(&b);
    assert_int_equal(read_text(text, &s, &err), 0);
    assert_int_equal(s.schema, 7);
    assert_true(tn_says(TN_THE(&s, host)->os, "linux"));
    tn_snapshot_write(&s, &a);
    for (size_t i = 0; i < TN_LEN(kept); i++)
        if (!strstr(a.p, kept[i]))
            fail_msg("lost: %s in\n%s", kept[i], a.p);
    assert_int_equal(read_text(a.p, &t, &err), 0);
    tn_snapshot_write(&t, &b);
    assert_string_equal(a.p, b.p);
    tn_snap_deinit(&s);
    tn_snap_deinit(&t);
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
}

static void wrong_files(void **state)
{
    static const struct {
        const char *text, *place, *part;
        int code;
    } rows[] = {
        {"", "1:0", "expected", TN_E_FORMAT},
        {"[]", "", "no snapshot", TN_E_FORMAT},
        {"{}", "schema_version", "no snapshot", TN_E_FORMAT},
        {"{\"schema_version\": \"1\"}", "schema_version", "no snapshot", TN_E_FORMAT},
        {"{\"schema_version\": 0, \"command\": \"snapshot\"}", "schema_version", "number", TN_E_FORMAT},
        {"{\"schema_version\": 1, \"command\": \"doctor\"}", "command", "snapshot", TN_E_FORMAT},
        {HEAD ",\n \"host\": {]}", "2:11", "expected", TN_E_FORMAT},
        {HEAD ", \"host\": {}, \"host\": {}}", "1:63", "duplicate", TN_E_FORMAT},
        {HEAD ", \"redacted\": 1}", "redacted", "true or false", TN_E_FORMAT},
        {HEAD ", \"host\": []}", "host", "expected an object", TN_E_FORMAT},
        {HEAD ", \"gpu\": []}", "gpu", "listed", TN_E_FORMAT},
        {HEAD ", \"gpu\": {\"rows\": {}}}", "gpu", "rows", TN_E_FORMAT},
        {HEAD ", \"gpu\": {\"rows\": [{}, 3]}}", "gpu[1]", "expected an object", TN_E_FORMAT},
        {HEAD ", \"gpu\": {\"listed\": true}}", "gpu", "expected a fact", TN_E_FORMAT},
        {HEAD ", \"gpu\": {\"listed\": {\"is\": \"maybe\"}}}", "gpu", "is none of", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": \"linux\"}}", "host.os", "expected a fact", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {}}}", "host.os", "is none of", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"known\"}}}", "host.os", "without a value", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"absent\", \"value\": \"x\"}}}", "host.os", "with a value", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"known\", \"value\": 3}}}", "host.os", "a text", TN_E_FORMAT},
        {HEAD ", \"host\": {\"wsl\": {\"is\": \"known\", \"value\": \"2\"}}}", "host.wsl", "whole number", TN_E_FORMAT},
        {HEAD ", \"host\": {\"wsl\": {\"is\": \"known\", \"value\": 2.0}}}", "host.wsl", "whole number", TN_E_FORMAT},
        {HEAD ", \"host\": {\"root\": {\"is\": \"known\", \"value\": 1}}}", "host.root", "true or false", TN_E_FORMAT},
        {HEAD ", \"cpu\": {\"flags\": {\"is\": \"known\", \"value\": \"avx\"}}}", "cpu.flags", "list", TN_E_FORMAT},
        {HEAD ", \"cpu\": {\"flags\": {\"is\": \"known\", \"value\": [1]}}}", "cpu.flags", "a text", TN_E_FORMAT},
        {HEAD ", \"host\": {\"home\": {\"is\": \"known\", \"value\": {\"bytes\": \"abc\"}}}}", "host.home", "base64",
         TN_E_FORMAT},
        {HEAD ", \"host\": {\"home\": {\"is\": \"known\", \"value\": {\"bytes\": \"YQBi\"}}}}", "host.home", "NUL",
         TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"known\", \"value\": \"x\", \"from\": 3}}}", "host.os", "a text",
         TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"known\", \"value\": \"x\", \"note\": \"y\"}}}", "host.os",
         "without from", TN_E_FORMAT},
        {HEAD ", \"host\": {\"os\": {\"is\": \"known\", \"value\": \"a\\u0000b\"}}}", "1:95", "not allowed",
         TN_E_FORMAT},
        {HEAD ", \"host\": {\"wsl\": {\"is\": \"known\", \"value\": 99999999999999999999}}}", "1:106", "integer",
         TN_E_FORMAT},
        {HEAD ", \"env\": {\"rows\": [{}, {}, {\"site\": {\"is\": \"known\", \"value\": [{}]}}]}}", "env[2].site",
         "a text", TN_E_FORMAT},
        {"\xFF\xFE{\0", "1:1", "UTF-16", TN_E_FORMAT},
        {HEAD ", \"x\": \"\xFF\"}", "1:51", "unable to decode", TN_E_FORMAT},
    };
    (void)state;
    for (size_t i = 0; i < TN_LEN(rows); i++) {
        struct tn_snap s;
        struct tn_err err;
        memset(&s, 0xA5, sizeof s);
        int rc = read_text(rows[i].text, &s, &err);
        if (rc != rows[i].code || !strstr(err.text, rows[i].part) || strcmp(err.place, rows[i].place) != 0)
            fail_msg("%s\ngave %d %s: %s", rows[i].text, rc, err.place, err.text);
        assert_int_equal(((unsigned char *)&s)[0], 0xA5); /* untouched */
        assert_int_equal(read_text(rows[i].text, &s, NULL), rows[i].code);
    }
}

static void repeat(struct tn_buf *b, const char *text, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        tn_buf_str(b, text);
}

static void limits(void **state)
{
    struct tn_buf b;
    struct tn_snap s;
    struct tn_err err;
    (void)state;
    tn_buf_init(&b);
    repeat(&b, "[", 100000);
    assert_int_equal(read_text(b.p, &s, &err), TN_E_LIMIT);
    assert_string_equal(err.place, "1:65");
    tn_buf_clear(&b);
    tn_buf_str(&b, HEAD ", \"gpu\": {\"rows\": [{}");
    repeat(&b, ",{}", TN_MAX_ROWS);
    tn_buf_str(&b, "]}}");
    assert_int_equal(read_text(b.p, &s, &err), TN_E_LIMIT);
    assert_string_equal(err.place, "gpu");
    tn_buf_clear(&b);
    tn_buf_str(&b, HEAD ", \"cpu\": {\"flags\": {\"is\": \"known\", \"value\": [\"\"");
    repeat(&b, ",\"\"", TN_MAX_LIST);
    tn_buf_str(&b, "]}}}");
    assert_int_equal(read_text(b.p, &s, &err), TN_E_LIMIT);
    assert_string_equal(err.place, "cpu.flags");
    tn_buf_deinit(&b);
}

static void byte_order_mark(void **state)
{
    struct tn_snap s;
    struct tn_err err;
    (void)state;
    assert_int_equal(read_text("\xEF\xBB\xBF" HEAD "}", &s, &err), 0);
    assert_int_equal(s.gpu.listed, TN_UNASKED);
    assert_int_equal(TN_THE(&s, host)->os.k, TN_UNASKED);
    tn_snap_deinit(&s);
}

/* A few bytes of text cost hundreds of memory: refused before anything is built. What stands in strings counts not. */
static void cost(void **state)
{
    struct tn_err err;
    struct tn_buf b;
    (void)state;
    static const char *const part[] = {",0", ",{}", ",[]"};
    static const unsigned most[] = {TN_MAX_JSON_VALUES, TN_MAX_JSON_OBJECTS, TN_MAX_JSON_OBJECTS};
    for (unsigned k = 0; k < 3; k++) {
        tn_buf_init(&b);
        tn_buf_str(&b, "[0");
        for (unsigned i = 0; i <= most[k]; i++)
            tn_buf_str(&b, part[k]);
        tn_buf_str(&b, "]");
        assert_int_equal(tn_json_shape(tn_span_of(b.p, b.n), &err), TN_E_LIMIT);
        assert_int_equal(tn_json_shape(tn_span_of(b.p, b.n / 2), &err), 0);
        b.p[0] = '"';
        assert_int_equal(tn_json_shape(tn_span_of(b.p, b.n), &err), 0);
        tn_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form),        cmocka_unit_test(round_trip), cmocka_unit_test(unknown_survives),
        cmocka_unit_test(wrong_files), cmocka_unit_test(limits),     cmocka_unit_test(byte_order_mark),
        cmocka_unit_test(cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
