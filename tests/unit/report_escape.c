/* report_escape.c - nothing from outside reaches a terminal, a table or a spreadsheet as more than text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "report/escape.h"

static void check(void (*fn)(struct tn_buf *, const char *), const char *in, const char *want)
{
    struct tn_buf b;
    tn_buf_init(&b);
    fn(&b, in);
    assert_string_equal(b.p, want);
    tn_buf_deinit(&b);
}

static void terminal(void **state)
{
    (void)state;
    check(tn_escape_terminal, "plain \xE9\xA9\xB1\xE5\x8A\xA8", "plain \xE9\xA9\xB1\xE5\x8A\xA8");
    check(tn_escape_terminal, "\033[31mred\033]0;title\a", "\\x1B[31mred\\x1B]0;title\\x07");
    check(tn_escape_terminal, "a\nb\r\tc", "a\\x0Ab\\x0D\\x09c");
    check(tn_escape_terminal,
          "\xC2\x9B"
          "31m",
          "\\u{009B}31m"); /* C1: one-character CSI */
    check(tn_escape_terminal,
          "\xE2\x80\xAE"
          "gpj",
          "\\u{202E}gpj"); /* right-to-left override */
    check(tn_escape_terminal, "\xFF\xFE", "\\xFF\\xFE");
}

static void csv(void **state)
{
    (void)state;
    check(tn_escape_csv, "a,b", "\"a,b\"");
    check(tn_escape_csv, "say \"x\"", "\"say \"\"x\"\"\"");
    check(tn_escape_csv, "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
    check(tn_escape_csv, "-1.5", "-1.5");
}

static void markdown(void **state)
{
    (void)state;
    check(tn_escape_markdown, "a|b", "a\\|b");
    check(tn_escape_markdown, "<script>", "\\<script\\>");
    check(tn_escape_markdown, "[x](y)", "\\[x\\](y)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(terminal), cmocka_unit_test(csv), cmocka_unit_test(markdown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
