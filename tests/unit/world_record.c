/* world_record.c - records: what they answer, what they do not pretend to know, and that they survive a rewrite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "world/record.h"

static struct tn_arena mem;

static struct tn_world *open_record(struct tn_record *r, const char *json)
{
    struct tn_world *w;
    struct tn_err err;
    int rc = tn_record_read(tn_span_str(json), r, &err);
    if (rc)
        fail_msg("%s: %s", err.place, err.text);
    assert_int_equal(tn_world_replay(r, &w, &err), 0);
    return w;
}

static void shut(struct tn_world *w, struct tn_record *r)
{
    tn_world_close(w);
    tn_record_deinit(r);
}

static const char linux_record[] =
    "{\"tenon_record\":1,\"os\":\"linux\",\"sys\":{\"clock\":\"1796160000\"},\"env\":{\"HOME\":\"/"
    "root\",\"GONE\":null},\"files\":{"
    "\"/usr/lib\":{\"list\":{\"f\":[\"real.so.1.2\"],\"l\":[\"lib.so\",\"abs\",\"loop\"]}},"
    "\"/usr/lib/lib.so\":{\"link\":\"real.so.1.2\"},\"/usr/lib/abs\":{\"link\":\"/etc/alternatives/x\"},\"/usr/lib/"
    "loop\":{\"link\":\"loop\"},"
    "\"/etc/alternatives/x\":{\"link\":\"../../usr/lib/lib.so\"},"
    "\"/usr/lib/"
    "real.so.1.2\":{\"size\":1000,\"parts\":[{\"at\":0,\"text\":\"abcdef\"},{\"at\":100,\"base64\":\"AAEC\"}]},"
    "\"/secret\":{\"error\":\"denied\",\"note\":\"Permission denied\"},"
    "\"/lib64\":{\"link\":\"usr/lib\"},\"/proc/x\":{\"lines\":[\"one\",\"two\"]},\"/dev/"
    "nvidia0\":{\"type\":\"c\",\"device\":[195,0],\"mode\":\"0666\"}}}";

static void answers(void **state)
{
    (void)state;
    struct tn_record r;
    struct tn_world *w = open_record(&r, linux_record);
    struct tn_answer a = tn_world_read(w, &mem, "/proc/x", 100);
    assert_int_equal(a.got, TN_KNOWN);
    assert_string_equal((const char *)a.data.p, "one\ntwo\n");
    assert_int_equal(a.size, 0); /* as the kernel states it below /proc */
    a = tn_world_part(w, &mem, "/usr/lib/real.so.1.2", 2, 3);
    assert_true(a.got == TN_KNOWN && tn_span_eq(a.data, "cde"));
    assert_int_equal(tn_world_part(w, &mem, "/usr/lib/real.so.1.2", 4, 10).got,
                     TN_UNASKED); /* bytes that it does not hold */
    assert_int_equal(tn_world_part(w, &mem, "/usr/lib/real.so.1.2", 101, 2).got, TN_KNOWN);
    a = tn_world_stat(w, "/dev/nvidia0");
    assert_true(a.got == TN_KNOWN && a.st.type == 'c' && a.st.major == 195 && a.st.mode == 0666);
    assert_int_equal(tn_world_read(w, &mem, "/dev/nvidia0", 10).got, TN_FAILED); /* no regular file */
    assert_int_equal(tn_world_env(w, &mem, "HOME").got, TN_KNOWN);
    assert_int_equal(tn_world_env(w, &mem, "GONE").got, TN_ABSENT);
    assert_int_equal(tn_world_env(w, &mem, "OTHER").got, TN_UNASKED);
    shut(w, &r);
}

static void not_there_or_not_asked(void **state)
{
    (void)state;
    struct tn_record r;
    struct tn_world *w = open_record(&r, linux_record);
    assert_int_equal(tn_world_stat(w, "/usr/lib/other.so").got, TN_ABSENT); /* its folder was listed */
    assert_int_equal(tn_world_stat(w, "/opt/cuda").got, TN_UNASKED);
    assert_int_equal(tn_world_stat(w, "/secret").got, TN_DENIED);
    assert_int_equal(tn_world_stat(w, "/secret/below").got, TN_DENIED);
    assert_int_equal(tn_world_list(w, &mem, "/opt").got, TN_UNASKED);
    struct tn_answer a = tn_world_list(w, &mem, "/usr/lib");
    assert_true(a.got == TN_KNOWN && a.n_entry == 4);
    assert_string_equal(a.entry[0].name, "abs");
    assert_int_equal(tn_world_stat(w, "/usr/lib/real.so.1.2/x").got, TN_ABSENT); /* a file is no folder */
    shut(w, &r);
    w = open_record(&r, "{\"tenon_record\":1,\"complete\":[\"files\",\"env\"],\"files\":{\"/a/b\":{\"text\":\"\"}}}");
    assert_int_equal(tn_world_stat(w, "/opt/cuda").got, TN_ABSENT);
    assert_int_equal(tn_world_env(w, &mem, "HOME").got, TN_ABSENT);
    assert_int_equal(tn_world_list(w, &mem, "/a").n_entry, 1);
    shut(w, &r);
}

static void links(void **state)
{
    (void)state;
    struct tn_record r;
    enum tn_know got;
    struct tn_world *w = open_record(&r, linux_record);
    assert_string_equal(tn_world_real(w, &mem, "/lib64/abs", &got), "/usr/lib/real.so.1.2");
    assert_int_equal(tn_world_stat(w, "/lib64/abs").st.type, 'f');
    assert_int_equal(tn_world_lstat(w, "/lib64/abs").st.type, 'l');
    assert_int_equal(tn_world_stat(w, "/usr/lib/loop").got, TN_FAILED);
    assert_null(tn_world_real(w, &mem, "/usr/lib/loop", &got));
    assert_int_equal(got, TN_FAILED);
    assert_string_equal(tn_world_real(w, &mem, "/usr/lib/../lib/./lib.so", &got), "/usr/lib/real.so.1.2");
    assert_string_equal(tn_world_real(w, &mem, "/../../usr/lib/lib.so", &got), "/usr/lib/real.so.1.2");
    shut(w, &r);
}

static void windows(void **state)
{
    (void)state;
    struct tn_record r;
    struct tn_world *w = open_record(
        &r, "{\"tenon_record\":1,\"os\":\"windows\",\"complete\":[\"files\",\"reg\"],\"env\":{\"Path\":\"C:\\\\bin\"},"
            "\"files\":{\"C:\\\\Windows\\\\System32\\\\nvcuda.dll\":{\"size\":10,\"text\":\"0123456789\"}},"
            "\"reg\":{\"HKLM\\\\SOFTWARE\\\\NVIDIA\":{\"values\":{\"Version\":\"472.12\"}},"
            "\"HKLM\\\\SOFTWARE\\\\NVIDIA\\\\Sub\":{\"values\":{}}}}");
    assert_int_equal(tn_world_stat(w, "c:/windows/SYSTEM32/NVCUDA.DLL").got, TN_KNOWN);
    assert_int_equal(tn_world_stat(w, "D:\\x").got, TN_ABSENT);
    struct tn_answer a = tn_world_reg(w, &mem, "HKLM\\software\\nvidia", "version");
    assert_true(a.got == TN_KNOWN && tn_span_eq(a.data, "472.12"));
    assert_int_equal(tn_world_reg(w, &mem, "HKLM\\SOFTWARE\\NVIDIA", "Other").got, TN_ABSENT);
    assert_int_equal(tn_world_reg(w, &mem, "HKLM\\SOFTWARE\\AMD", "x").got, TN_ABSENT);
    a = tn_world_reg_list(w, &mem, "HKLM\\SOFTWARE\\NVIDIA");
    assert_true(a.got == TN_KNOWN && a.n_entry == 2);
    assert_int_equal(tn_world_env(w, &mem, "PATH").got, TN_KNOWN); /* names of variables fold case there */
    shut(w, &r);
}

static void rewrite(void **state)
{
    (void)state;
    struct tn_record r, again;
    struct tn_buf a, b;
    struct tn_err err;
    tn_buf_init(&a);
    tn_buf_init(&b);
    assert_int_equal(tn_record_read(tn_span_str(linux_record), &r, &err), 0);
    tn_record_write(&r, &a);
    assert_int_equal(tn_record_read(tn_span_of(a.p, a.n), &again, &err), 0);
    tn_record_write(&again, &b);
    assert_string_equal(a.p, b.p);
    assert_true(tn_record_looks_like(tn_span_of(a.p, a.n)));
    tn_record_deinit(&r);
    tn_record_deinit(&again);
    tn_buf_deinit(&a);
    tn_buf_deinit(&b);
}

/* What is recorded of a world and replayed answers the same, through links that the recorder had to learn by itself. */
static void recorder(void **state)
{
    (void)state;
    static const char *const paths[] = {"/lib64/abs", "/usr/lib/lib.so", "/usr/lib/other.so", "/secret",
                                        "/proc/x",    "/dev/nvidia0",    "/usr/lib/loop"};
    struct tn_record source, copy;
    struct tn_world *inner = open_record(&source, linux_record), *w;
    struct tn_err err;
    tn_record_init(&copy, "linux");
    assert_int_equal(tn_world_recorder(inner, &copy, &w, &err), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        tn_world_stat(w, paths[i]);
        tn_world_part(w, &mem, paths[i], 0, 4);
    }
    tn_world_list(w, &mem, "/usr/lib");
    tn_world_env(w, &mem, "HOME");
    assert_int_equal(tn_world_sys(w, &mem, "clock").got, TN_KNOWN);
    tn_world_close(w); /* closes inner too */
    struct tn_buf json;
    tn_buf_init(&json);
    tn_record_write(&copy, &json);
    tn_record_deinit(&copy);
    struct tn_world *replayed = open_record(&copy, json.p);
    struct tn_record once;
    struct tn_world *first = open_record(&once, linux_record);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct tn_answer a = tn_world_stat(first, paths[i]), b = tn_world_stat(replayed, paths[i]);
        assert_int_equal(a.got, b.got);
        assert_int_equal(a.st.type, b.st.type);
        a = tn_world_part(first, &mem, paths[i], 0, 4);
        b = tn_world_part(replayed, &mem, paths[i], 0, 4);
        assert_int_equal(a.got, b.got);
        assert_int_equal(a.data.n, b.data.n);
    }
    assert_int_equal(tn_world_list(replayed, &mem, "/usr/lib").n_entry, 4);
    assert_int_equal(tn_world_env(replayed, &mem, "HOME").got, TN_KNOWN);
    struct tn_answer clock = tn_world_sys(replayed, &mem, "clock"); /* the time of the recording */
    assert_true(clock.got == TN_KNOWN && tn_span_eq(clock.data, "1796160000"));
    assert_int_equal(tn_world_stat(replayed, "/never/asked").got, TN_UNASKED);
    tn_buf_deinit(&json);
    shut(replayed, &copy);
    shut(first, &once);
    tn_record_deinit(&source);
}

static void live_clock(void **state)
{
    (void)state;
    struct tn_world *w;
    struct tn_err err;
    uint64_t now = 0;
    assert_int_equal(tn_world_live(&w, &err), 0);
    struct tn_answer a = tn_world_sys(w, &mem, "clock");
    assert_true(a.got == TN_KNOWN && tn_str_u64((const char *)a.data.p, a.data.n, 10, &now));
    assert_true(now > 1700000000u && now < 4000000000u);
    tn_world_close(w);
}

static void hostile(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "{\"tenon_record\":2}",
                                      "{\"tenon_record\":\"1\"}",
                                      "{\"tenon_record\":1,\"files\":[]}",
                                      "{\"tenon_record\":1,\"files\":{\"/a\":1}}",
                                      "{\"tenon_record\":1,\"files\":{\"/a\":{\"base64\":\"!\"}}}",
                                      "{\"tenon_record\":1,\"files\":{\"/a\":{\"parts\":[{\"text\":\"x\"}]}}}",
                                      "{\"tenon_record\":1,\"files\":{\"/a\":{\"error\":\"healthy\"}}}",
                                      "{\"tenon_record\":1,\"complete\":[\"everything\"]}",
                                      "{\"tenon_record\":1,\"env\":{\"A\":1}}",
                                      "{\"tenon_record\":1,\"files\":{\"/a\":{\"list\":{\"x\":[]}}}}",
                                      "{\"tenon_record\":1,\"tenon_record\":1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tn_record r;
        struct tn_err err = {0, "", ""};
        int rc = tn_record_read(tn_span_str(bad[i]), &r, &err);
        if (rc == 0)
            fail_msg("taken: %s", bad[i]);
        assert_true(err.text[0] != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),    cmocka_unit_test(not_there_or_not_asked),
        cmocka_unit_test(links),      cmocka_unit_test(windows),
        cmocka_unit_test(rewrite),    cmocka_unit_test(recorder),
        cmocka_unit_test(live_clock), cmocka_unit_test(hostile),
    };
    tn_arena_init(&mem);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    tn_arena_deinit(&mem);
    return rc;
}
