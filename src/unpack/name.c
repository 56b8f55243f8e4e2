/* name.c - see judge.h: names that nobody gives a file in good faith. */
#include "unpack/judge.h"

#include <string.h>

#include "base/str.h"

struct range {
    uint32_t first, last;
};

/* Invisible or turning the text around it: what is shown is not what is there. */
static const struct range hidden[] = {
    {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfff9, 0xffff}, {0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < TN_LEN(hidden); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return false;
}

/* CON, NUL, COM1 ..., with whatever ending. */
static bool is_device(const char *name, size_t n)
{
    static const char list[][4] = {"con", "prn", "aux", "nul"}, numbered[][4] = {"com", "lpt"};
    char head[5] = "";
    size_t k = 0;
    for (; k < n && k < 5 && name[k] != '.' && name[k] != ' '; k++)
        if (k < 4)
            head[k] = tn_lower(name[k]);
    for (size_t i = 0; i < TN_LEN(list); i++)
        if (k == 3 && memcmp(head, list[i], 3) == 0)
            return true;
    for (size_t i = 0; i < TN_LEN(numbered); i++)
        if (k == 4 && memcmp(head, numbered[i], 3) == 0 && tn_is_digit(head[3]))
            return true;
    return false;
}

static const char *bad_on_windows(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("<>:\"|?*", name[i]))
            return "a character that Windows has no names with";
    if (name[n - 1] == '.' || name[n - 1] == ' ')
        return "Windows drops the end of that name";
    return is_device(name, n) ? "the name of a Windows device" : NULL;
}

const char *tn_unpack_bad_name(const struct tn_unpack_caps *caps, enum tn_unpack_target target, const char *name,
                               size_t n)
{
    if (!n || (n == 1 && name[0] == '.'))
        return "an empty name";
    if (n == 2 && name[0] == '.' && name[1] == '.')
        return "'..' in its path";
    if (n > caps->name)
        return "too long a name";
    if (!tn_utf8_valid(name, n))
        return "a name that is not UTF-8";
    for (size_t i = 0; i < n;) {
        uint32_t c;
        i += tn_utf8_next(name + i, n - i, &c);
        if (is_hidden(c))
            return "a control or invisible character in its name";
        if (c == '\\')
            return "a backslash in its name";
        if (target != TN_UNPACK_POSIX && c >= 0x300 && c <= 0x36f)
            return "a combining mark, by which two spellings are one name there";
    }
    return target == TN_UNPACK_WINDOWS ? bad_on_windows(name, n) : NULL;
}
