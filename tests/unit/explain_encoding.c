/* Which code page a text is written in, and what it says: the same characters from GB 18030, UTF-16 with and without a
 * mark, Windows' Western and Russian pages; UTF-8 stays; pieces of a stream may be cut anywhere. Messages of the system
 * in other languages become English, lines keep their number. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/encoding.h"
#include "explain/english.h"
#include "explain/explain.h"
#include "explain/long.h"

static const struct {
    enum tn_encoding e;
    const char *bytes;
    size_t n;
    const char *text;
} written[] = {
#define W(e, bytes, text)                                                                                              \
    {                                                                                                                  \
        e, bytes, sizeof bytes - 1, text                                                                               \
    }
    W(TN_UTF8, "plain", "plain"),
    W(TN_UTF8, "\xE6\x89\xBE", "\xE6\x89\xBE"),
    W(TN_UTF8, "\xEF\xBB\xBFmark", "mark"),
    W(TN_UTF8, "\xE6\x89\xBE \xFF", "\xE6\x89\xBE \xFF"),
    /* "cannot find a.dll" in Chinese */
    W(TN_GB18030, "\xD5\xD2\xB2\xBB\xB5\xBD a.dll\xA3\xAC\xCF\xB5\xCD\xB3",
      "\xE6\x89\xBE\xE4\xB8\x8D\xE5\x88\xB0 a.dll\xEF\xBC\x8C\xE7\xB3\xBB\xE7\xBB\x9F"),
    /* four bytes: U+00E9, and beyond the first plane U+20000 */
    W(TN_GB18030, "\xCF\xB5\xCD\xB3\xB2\xBB\x81\x30\x86\x30 \x95\x32\x82\x36",
      "\xE7\xB3\xBB\xE7\xBB\x9F\xE4\xB8\x8D\xC2\xB8 \xF0\xA0\x80\x80"),
    W(TN_CP1252,
      "n'est pas ex\xE9"
      "cutable",
      "n'est pas ex\xC3\xA9"
      "cutable"),
    W(TN_CP1252,
      "nicht \xF6"
      "ffnen \x80",
      "nicht \xC3\xB6"
      "ffnen \xE2\x82\xAC"),
    W(TN_CP1251, "\xEE\xF2\xEA\xE0\xE7\xE0\xED\xEE \xE2 \xE4\xEE\xF1\xF2\xF3\xEF\xE5",
      "\xD0\xBE\xD1\x82\xD0\xBA\xD0\xB0\xD0\xB7\xD0\xB0\xD0\xBD\xD0\xBE \xD0\xB2 "
      "\xD0\xB4\xD0\xBE\xD1\x81\xD1\x82\xD1\x83\xD0\xBF\xD0\xB5"),
    W(TN_UTF16,
      "\xFF\xFE"
      "a\0\x7E\x62",
      "a\xE6\x89\xBE"),
    W(TN_UTF16_BE, "\xFE\xFF\0a\x62\x7E", "a\xE6\x89\xBE"),
    W(TN_UTF16, "a\0b\0c\0d\0\x7E\x62\x0D\x4E\x30\x52\xFB\x7C\xDF\x7E",
      "abcd\xE6\x89\xBE\xE4\xB8\x8D\xE5\x88\xB0\xE7\xB3\xBB\xE7\xBB\x9F"),
    W(TN_UTF16_BE, "\0a\0b\0c\0d\x62\x7E", "abcd\xE6\x89\xBE"),
};

static void test_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_LEN(written); i++) {
        struct tn_buf b;
        size_t skip;
        struct tn_span s = tn_span_of(written[i].bytes, written[i].n);
        if (tn_encoding_of(s, &skip) != written[i].e)
            fail_msg("%s: encoding %d", written[i].text, (int)tn_encoding_of(s, &skip));
        tn_buf_init(&b);
        tn_encoding_decode(tn_span_from(s, skip), written[i].e, &b);
        if (strcmp(b.p, written[i].text) != 0)
            fail_msg("%s became %s", written[i].text, b.p);
        tn_buf_deinit(&b);
    }
}

/* However the pieces are cut, the text is the same; a surrogate pair may lie across. */
static void test_pieces(void **state)
{
    static unsigned char raw[4002] = {0xFF, 0xFE};
    (void)state;
    for (size_t i = 2; i < sizeof raw; i += 4)
        memcpy(raw + i, "\x40\xD8\x00\xDC", 4);
    for (size_t step = 1; step < 9; step++) {
        struct tn_long *l = tn_xmalloc(sizeof *l);
        tn_long_init(l);
        for (size_t i = 0; i < sizeof raw; i += step)
            tn_long_add(l, tn_span_of(raw + i, sizeof raw - i < step ? sizeof raw - i : step));
        tn_long_end(l);
        assert_int_equal(l->n_piece, 1);
        assert_int_equal(l->piece[0].n, 4001); /* and a line feed */
        for (size_t i = 0; i < 4000; i += 4)
            assert_memory_equal(l->text.p + i, "\xF0\xA0\x80\x80", 4);
        tn_long_deinit(l);
        free(l);
    }
}

static void check_english(const char *text, const char *want, unsigned line)
{
    struct tn_english *e = tn_xmalloc(sizeof *e);
    tn_buf_init(&e->text);
    bool any = tn_english_read(tn_span_str(text), e);
    assert_int_equal(any, want != NULL);
    if (want && strcmp(e->text.p, want) != 0)
        fail_msg("%s became %s", text, e->text.p);
    if (want)
        assert_true(tn_english_changed(e, line, line) && !tn_english_changed(e, line + 1, line + 9));
    tn_buf_deinit(&e->text);
    free(e);
}

static void test_english(void **state)
{
    (void)state;
    check_english("a\nx.so: "
                  "\xE6\x97\xA0\xE6\xB3\x95\xE6\x89\x93\xE5\xBC\x80\xE5\x85\xB1\xE4\xBA\xAB\xE7\x9B\xAE\xE6\xA0\x87\xE6"
                  "\x96\x87\xE4\xBB\xB6\xEF\xBC\x9A\xE6\xB2\xA1\xE6\x9C\x89\xE9\x82\xA3\xE4\xB8\xAA\xE6\x96\x87\xE4\xBB"
                  "\xB6\xE6\x88\x96\xE7\x9B\xAE\xE5\xBD\x95\nb",
                  "a\nx.so: cannot open shared object file: No such file or directory\nb", 2);
    check_english("bash: nvcc: Kommando nicht gefunden.", "bash: nvcc: command not found.", 1);
    check_english("nvcc\xEF\xBC\x9A\xE6\x9C\xAA\xE6\x89\xBE\xE5\x88\xB0\xE5\x91\xBD\xE4\xBB\xA4",
                  "nvcc: command not found", 1);
    check_english("bash: nvcc : commande introuvable", "bash: nvcc : command not found", 1);
    check_english("[WinError 126] Das angegebene Modul wurde nicht gefunden.",
                  "[WinError 126] The specified module could not be found.", 1);
    check_english("the command was found", NULL, 0);
    check_english("Fichier introuvables", NULL, 0);
    check_english("", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_written), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_english)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
