/* probe_event_windows.c - events of Windows' System log in the form that EvtRender writes, with the words as posted. */
#include "probe_world.h"

#include "base/limits.h"
#include "os/os.h"
#include "probe/event_text.h"

#define XMLNS "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>"
#define EVENT(provider, id, time, data)                                                                                \
    XMLNS "<Provider Name='" provider "'/><EventID Qualifiers='0'>" id                                                 \
          "</EventID><Version>0</Version><Level>2</Level><Task>0</Task><Opcode>0</Opcode>"                             \
          "<Keywords>0x80000000000000</Keywords><TimeCreated SystemTime='" time                                        \
          "'/><EventRecordID>9</EventRecordID><Correlation/><Execution ProcessID='4' ThreadID='404'/>"                 \
          "<Channel>System</Channel><Computer>PC</Computer><Security/></System><EventData>" data                       \
          "</EventData></Event>\n"
#define WER "Microsoft-Windows-WER-SystemErrorReporting"
#define AT "2023-02-09T15:15:31.3464479Z" /* 1675955731 */
#define NOW 1675955791

static void kinds(void **state)
{
    static const struct {
        const char *xml, *kind, *card;
        int code;
        const char *text;
    } cases[] = {
        {EVENT("nvlddmkm", "153", AT,
               "<Data>\\Device\\Video3</Data><Data>Resetting TDR occurred on GPUID:100</Data><Binary>00</Binary>"),
         "tdr", "0000:01:00.0", 153, "nvlddmkm 153: \\Device\\Video3 Resetting TDR occurred on GPUID:100"},
        {EVENT("nvlddmkm", "153", AT, "<Data>\\Device\\Video3</Data><Data>Error occurred on GPUID: 4100</Data>"),
         "nvlddmkm", "0000:41:00.0", 153, "nvlddmkm 153: \\Device\\Video3 Error occurred on GPUID: 4100"},
        {EVENT("nvlddmkm", "153", AT, "<Data>Reset TDR occurred on GPUID:6</Data>"), "tdr", NULL, 153,
         "nvlddmkm 153: Reset TDR occurred on GPUID:6"},
        {EVENT("nvlddmkm", "13", AT,
               "<Data>\\Device\\Video3</Data><Data>Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Out Of Range "
               "Address</Data>"),
         "xid", NULL, 13,
         "nvlddmkm 13: \\Device\\Video3 Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Out Of Range Address"},
        {EVENT("nvlddmkm", "14", AT, "<Data>\\Device\\Video5</Data><Data>0cec(3098) 00000000 00000000</Data>"),
         "nvlddmkm", NULL, 14, "nvlddmkm 14: \\Device\\Video5 0cec(3098) 00000000 00000000"},
        {EVENT("nvlddmkm", "0", AT,
               "<Data>\\Device\\Video3</Data><Data>GPU has fallen off the bus &amp; is gone</Data>"),
         "lost", NULL, -1, "nvlddmkm 0: \\Device\\Video3 GPU has fallen off the bus & is gone"},
        {EVENT("Display", "4101", AT, "<Data>nvlddmkm</Data><Data></Data>"), "tdr", NULL, 4101,
         "Display 4101: nvlddmkm"},
        {EVENT(WER, "1001", AT,
               "<Data Name='param1'>0x00000116 (0xffffb30b0c8e7010, 0xfffff8054a5b0e80)</Data><Data Name='param2'/>"),
         "bugcheck", NULL, 0x116, WER " 1001: 0x00000116 (0xffffb30b0c8e7010, 0xfffff8054a5b0e80)"},
        {"<Event><System><Provider Name=\"nvlddmkm\"/><EventID>14</EventID></System></Event>\n", "nvlddmkm", NULL, 14,
         "nvlddmkm 14:"}};
    (void)state;
    for (size_t i = 0; i < TN_LEN(cases); i++) {
        struct tn_snap s;
        tn_snap_init(&s);
        tn_event_read_windows(&s, tn_span_str(cases[i].xml), NOW, 0);
        assert_int_equal(s.event.n, 1);
        const struct tn_rec_event *e = s.event.v;
        assert_fact(e->kind, cases[i].kind);
        assert_fact(e->text, cases[i].text);
        if (cases[i].card)
            assert_fact(e->gpu, cases[i].card);
        else
            assert_state(e->gpu, TN_ABSENT);
        if (cases[i].code >= 0)
            assert_number(e->code, cases[i].code);
        else
            assert_state(e->code, TN_ABSENT);
        if (i + 1 < TN_LEN(cases))
            assert_number(e->age_s, 60);
        else
            assert_state(e->age_s, TN_ABSENT);
        tn_snap_deinit(&s);
    }
}

/* In whatever order they stand, the newest of equal ones is kept. */
static void newest(void **state)
{
    static const char later[] = EVENT("Display", "4101", "2023-02-09T15:15:51Z", "<Data>nvlddmkm</Data><Data>b</Data>");
    static const char early[] = EVENT("Display", "4101", AT, "<Data>nvlddmkm</Data><Data>a</Data>");
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct tn_snap s;
        char log[4096];
        tn_snap_init(&s);
        snprintf(log, sizeof log, "%s%s", order ? early : later, order ? later : early);
        tn_event_read_windows(&s, tn_span_str(log), NOW, 0);
        assert_int_equal(s.event.n, 1);
        assert_number(s.event.v->count, 2);
        assert_number(s.event.v->age_s, 40);
        assert_fact(s.event.v->text, "Display 4101: nvlddmkm b");
        tn_snap_deinit(&s);
    }
}

static void nothing_of_ours(void **state)
{
    static const char *const logs[] = {
        "",
        "<Event",
        "<Event><System><Provider Name='nvlddmkm",
        "<Event><System><Provider Name='nvlddmkm'/><EventID>x</EventID>\n",
        "<Event><System><Provider Name='nvlddmkm'/><EventID>99999999999999999999</EventID>\n",
        "<Event><System><Provider Name='nvlddmkm'/><EventID>13\n",
        EVENT("Display", "4101", AT, "<Data>amdkmdap</Data>"),
        EVENT("Display", "4102", AT, "<Data>nvlddmkm</Data>"),
        EVENT("disk", "153", AT, "<Data>nvlddmkm</Data>"),
        EVENT(WER, "1001", AT, "<Data Name='param1'>0x0000007e (0x1)</Data>"),
        EVENT(WER, "1001", AT, "<Data Name='param1'>116</Data>")};
    (void)state;
    for (size_t i = 0; i < TN_LEN(logs); i++) {
        struct tn_snap s;
        tn_snap_init(&s);
        tn_event_read_windows(&s, tn_span_str(logs[i]), NOW, 0);
        assert_int_equal(s.event.n, 0);
        tn_snap_deinit(&s);
    }
}

/* Times that are none, or of tomorrow, give no age. */
static void odd_times(void **state)
{
    static const char *const times[] = {
        "", "Z", "2023-02-09T15:15:31", "2023-13-09T15:15:31Z", "2024-02-09T15:15:31Z", "20x3-02-09T15:15:31Z"};
    (void)state;
    for (size_t i = 0; i < TN_LEN(times); i++) {
        struct tn_snap s;
        char log[512];
        tn_snap_init(&s);
        snprintf(log, sizeof log,
                 "<Event><System><Provider Name='nvlddmkm'/><EventID>14</EventID><TimeCreated SystemTime='%s'/>\n",
                 times[i]);
        tn_event_read_windows(&s, tn_span_str(log), NOW, 0);
        assert_int_equal(s.event.n, 1);
        assert_state(s.event.v->age_s, TN_ABSENT);
        tn_snap_deinit(&s);
    }
}

/* A text longer than what is kept, and more kinds than rows. */
static void bounds(void **state)
{
    struct tn_snap s;
    struct tn_buf b;
    (void)state;
    tn_snap_init(&s);
    tn_buf_init(&b);
    tn_buf_str(&b, "<Event><System><Provider Name='nvlddmkm'/><EventID>14</EventID></System><EventData><Data>");
    for (int i = 0; i < 5000; i++)
        tn_buf_str(&b, "&lt;");
    tn_buf_str(&b, "</Data><Data>end</Data>\n");
    for (int i = 0; i < 1000; i++)
        tn_buf_printf(&b, "<Event><Provider Name='nvlddmkm'/><EventID>%d</EventID>\n", 1000 + i);
    tn_event_read_windows(&s, tn_span_of(b.p, b.n), NOW, 0);
    assert_int_equal(s.event.n, TN_MAX_EVENTS);
    assert_int_equal(strlen(s.event.v->text.v), 299);
    tn_buf_deinit(&b);
    tn_snap_deinit(&s);
}

/* The live log: what this system answers is a log or a reason, never a crash; wine has no such log. */
static void live(void **state)
{
    struct tn_buf b;
    struct tn_err err;
    (void)state;
    tn_buf_init(&b);
    int rc = tn_os_kernel_log(TN_MAX_CHILD_OUTPUT, &b, &err);
    assert_true(rc == 0 || rc == TN_E_UNSUPPORTED || rc == TN_E_DENIED);
    assert_true(b.n <= TN_MAX_CHILD_OUTPUT);
    tn_buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds),           cmocka_unit_test(newest),
                                       cmocka_unit_test(nothing_of_ours), cmocka_unit_test(odd_times),
                                       cmocka_unit_test(bounds),          cmocka_unit_test(live)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
