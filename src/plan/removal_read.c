/* removal_read.c - see removal.h: whose answer a text is. Marks of two package managers in one make it no answer. */
#include <string.h>

#include "base/str.h"
#include "plan/removal_inner.h"

#define MAX_NAME 256u

struct tn_span tn_removal_word_of(struct tn_span *rest)
{
    size_t i = 0, n;
    while (i < rest->n && rest->p[i] == ' ')
        i++;
    for (n = i; n < rest->n && rest->p[n] != ' ';)
        n++;
    struct tn_span w = tn_span_of(rest->p + i, n - i);
    *rest = tn_span_from(*rest, n);
    return w;
}

bool tn_removal_made_of(struct tn_span s, const char *marks)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = (char)s.p[i];
        if (!c || (!tn_is_alpha(c) && !tn_is_digit(c) && !strchr(marks, c)))
            return false;
    }
    return s.n > 0 && s.n <= MAX_NAME;
}

bool tn_removal_has_digit(struct tn_span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (tn_is_digit((char)s.p[i]))
            return true;
    return false;
}

/* "nvidia-utils-590.48.01-1" alone in a line, as pacman -Rp prints it. */
static bool is_target(struct tn_span line)
{
    size_t marks = 0;
    for (size_t i = 0; i < line.n; i++)
        marks += line.p[i] == '-';
    return marks >= 2 && tn_removal_made_of(line, "@._+-:~") && tn_removal_has_digit(line);
}

static unsigned mark_of(struct tn_span line)
{
    static const struct {
        char text[32];
        unsigned char by;
    } marks[] = {{"Inst ", TN_MANAGER_APT},
                 {"Remv ", TN_MANAGER_APT},
                 {"Purg ", TN_MANAGER_APT},
                 {"E: ", TN_MANAGER_APT},
                 {"Reading package lists...", TN_MANAGER_APT},
                 {"Transaction Summary", TN_MANAGER_DNF},
                 {"No match for argument", TN_MANAGER_DNF},
                 {"Error:", TN_MANAGER_DNF},
                 {"Dependencies resolved.", TN_MANAGER_DNF},
                 {"Loading repository data...", TN_MANAGER_ZYPPER},
                 {"Reading installed packages...", TN_MANAGER_ZYPPER},
                 {"Resolving package dependencies", TN_MANAGER_ZYPPER},
                 {"Packages (", TN_MANAGER_PACMAN},
                 {"error: ", TN_MANAGER_PACMAN},
                 {" there is nothing to do", TN_MANAGER_PACMAN},
                 {"looking for conflicting", TN_MANAGER_PACMAN}};
    for (unsigned i = 0; i < TN_LEN(marks); i++)
        if (tn_span_starts(line, marks[i].text))
            return 1u << marks[i].by;
    bool address =
        tn_span_starts(line, "http://") || tn_span_starts(line, "https://") || tn_span_starts(line, "file://");
    return address && tn_span_find(line, 0, ".pkg.tar", 8) < line.n ? 1u << TN_MANAGER_PACMAN : 0;
}

static unsigned marks_of(struct tn_span text)
{
    struct tn_span line;
    unsigned seen = 0, first = 0;
    while (tn_span_line(&text, &line)) {
        while (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        seen |= mark_of(line);
        if (!first && line.n)
            first = is_target(line) ? 2 : 1;
    }
    return seen || first != 2 ? seen : 1u << TN_MANAGER_PACMAN;
}

void tn_transaction_read(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    unsigned marks = marks_of(text);
    memset(ret, 0, sizeof *ret);
    ret->v = tn_arena_array(mem, TN_REMOVAL_MAX, sizeof *ret->v);
    if (marks == 1u << TN_MANAGER_DNF) {
        ret->by = TN_MANAGER_DNF;
        tn_transaction_read_dnf(mem, text, ret);
    } else if (marks == 1u << TN_MANAGER_ZYPPER) {
        ret->by = TN_MANAGER_ZYPPER;
        tn_transaction_read_zypper(mem, text, ret);
    } else if (marks == 1u << TN_MANAGER_PACMAN) {
        ret->by = TN_MANAGER_PACMAN;
        tn_transaction_read_pacman(mem, text, ret);
    } else {
        tn_transaction_read_apt(mem, text, ret);
        ret->cut = ret->cut || (marks & (marks - 1)); /* two of them */
    }
}

const char *tn_removal_manager(const struct tn_transaction *t)
{
    static const char word[][8] = {"apt-get", "dnf", "zypper", "pacman"};
    return word[t->by];
}
