/* supposed.c - is a match told as something that happened, or as something that could? See signs.h.
 *
 * "If you run into an out of memory error, reduce the batch" stands in every guide and is no report. Only the words
 * between the beginning of the sentence and the match count; a name, a number or a path in the match is a machine's, of
 * which only plain phrases ("to avoid", "if you see") make a supposition. */
#include <string.h>

#include "base/str.h"
#include "explain/signs.h"

#define MAX_BEFORE 160u

static bool ends_sentence(struct tn_span t, size_t at)
{
    static const char *const stop[] = {"。", "！", "？", "；"};
    if (t.p[at] == '\n')
        return true;
    if (strchr(".!?;", t.p[at]) && at + 1 < t.n && (t.p[at + 1] == ' ' || t.p[at + 1] == '\n'))
        return true;
    for (unsigned i = 0; i < TN_LEN(stop); i++)
        if (at >= 2 && memcmp(t.p + at - 2, stop[i], 3) == 0)
            return true;
    return false;
}

/* Nothing but words: no digit, no sign, no path. */
static bool is_plain(struct tn_span t, size_t from, size_t to)
{
    for (; from < to; from++)
        if (!tn_is_alpha((char)t.p[from]) && t.p[from] < 0x80 && !strchr(" \n", t.p[from]))
            return false;
    return true;
}

static bool has_one(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

/* "When I run it, ..." tells what happened to the one who tells. */
static void without_own(char *before)
{
    static const char own[][12] = {" when i ", " when we ", " if i ", " when my ", " if we "};
    for (unsigned i = 0; i < TN_LEN(own); i++)
        for (char *p = strstr(before, own[i]); p; p = strstr(p, own[i]))
            p[1] = '.';
}

bool tn_signs_supposed(struct tn_span t, size_t from, size_t to)
{
    static const char *const phrase[] = {" if you run into ",
                                         " if you see ",
                                         " if you get ",
                                         " if you encounter ",
                                         " if there is ",
                                         " in case of ",
                                         " to avoid ",
                                         " to prevent ",
                                         " avoids ",
                                         " until you ",
                                         "如果遇到",
                                         "如果出现",
                                         "若遇到",
                                         "若出现",
                                         "如遇",
                                         "以免",
                                         "避免",
                                         "防止",
                                         "直到出现",
                                         NULL};
    static const char *const word[] = {" if ", " may ", " might ", " could ", " can ", " whether ", " when ", " until ",
                                       "直到", "如果",  "若",      "可能会",  "容易",  "万一",      "一旦",   NULL};
    static const char *const after[] = {"时可", "时请", "时将", "时会", "时，可", "时，请", "的话", NULL};
    char before[MAX_BEFORE + 3], behind[16];
    size_t start = from, n = 0;
    while (start > 0 && from - start < MAX_BEFORE && !ends_sentence(t, start - 1))
        start--;
    before[n++] = ' ';
    for (size_t i = start; i < from; i++)
        before[n++] = tn_lower(t.p[i] && !strchr("\t\"'`*_(,#/", t.p[i]) ? (char)t.p[i] : ' ');
    before[n++] = ' ';
    before[n] = 0;
    if (has_one(before, phrase))
        return true;
    if (!is_plain(t, from, to))
        return false;
    for (n = 0; to + n < t.n && n < sizeof behind - 1 && t.p[to + n] && t.p[to + n] != '\n'; n++)
        behind[n] = (char)t.p[to + n];
    behind[n] = 0;
    for (unsigned i = 0; after[i]; i++)
        if (tn_str_starts(behind, after[i]))
            return true;
    without_own(before);
    return has_one(before, word);
}
