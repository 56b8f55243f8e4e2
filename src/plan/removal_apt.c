/* removal_apt.c - see removal.h: the answer of apt-get -s. */
#include <string.h>

#include "base/str.h"
#include "plan/removal_inner.h"

/* Debian Policy 5.6.1 and 5.6.12: what names and versions are made of. */
static bool name_of(struct tn_arena *mem, struct tn_span w, struct tn_transaction_item *ret)
{
    size_t colon = tn_span_find(w, 0, ":", 1);
    struct tn_span name = tn_span_of(w.p, colon < w.n ? colon : w.n);
    struct tn_span arch = colon < w.n ? tn_span_from(w, colon + 1) : tn_span_of("", 0);
    if (!tn_removal_made_of(name, "+-.") || (arch.n ? !tn_removal_made_of(arch, "-") : colon < w.n))
        return false;
    ret->name = tn_arena_strndup(mem, (const char *)name.p, name.n);
    ret->arch = tn_arena_strndup(mem, (const char *)arch.p, arch.n);
    return true;
}

/* "[1.2-3]" or "(1.2-3" behind its opening mark. */
static bool version_of(struct tn_arena *mem, struct tn_span w, char opens, const char **ret)
{
    if (w.n < 2 || w.p[0] != (uint8_t)opens)
        return false;
    size_t end = opens == '[' && w.p[w.n - 1] == ']' ? w.n - 1 : opens == '(' ? w.n : 0;
    if (end < 2)
        return false;
    struct tn_span v = tn_span_of(w.p + 1, end - 1);
    if (!tn_removal_made_of(v, ".+-~:"))
        return false;
    *ret = tn_arena_strndup(mem, (const char *)v.p, v.n);
    return true;
}

static bool item(struct tn_arena *mem, struct tn_span line, bool removed, struct tn_transaction_item *ret)
{
    *ret = (struct tn_transaction_item){.name = "", .arch = "", .old = "", .now = "", .removed = removed};
    tn_removal_word_of(&line);
    if (!name_of(mem, tn_removal_word_of(&line), ret))
        return false;
    struct tn_span w = tn_removal_word_of(&line);
    if (version_of(mem, w, '[', &ret->old)) {
        if (removed)
            return true;
        w = tn_removal_word_of(&line);
    }
    return removed ? w.n == 0 : version_of(mem, w, '(', &ret->now);
}

/* "5 upgraded, 2 newly installed, 1 reinstalled, 1 downgraded, 3 to remove and 4 not upgraded." */
static bool counts(struct tn_span line, struct tn_transaction *ret)
{
    unsigned long number = 0;
    unsigned seen = 0;
    struct tn_transaction was = *ret;
    if (!line.n || !tn_is_digit((char)line.p[0]))
        return false;
    for (struct tn_span w; (w = tn_removal_word_of(&line)).n;) {
        if (tn_is_digit((char)w.p[0])) {
            number = 0;
            for (size_t i = 0; i < w.n && i < 7 && tn_is_digit((char)w.p[i]); i++)
                number = number * 10 + (unsigned long)(w.p[i] - '0');
        } else if (tn_span_eq(w, "upgraded,") || tn_span_eq(w, "newly") || tn_span_eq(w, "reinstalled,") ||
                   tn_span_eq(w, "downgraded,")) {
            ret->changed += (unsigned)number;
            ret->downgrade = ret->downgrade || (tn_span_eq(w, "downgraded,") && number);
            seen++;
        } else if (tn_span_eq(w, "remove")) {
            ret->removed += (unsigned)number;
            seen++;
        }
    }
    if (seen < 3) {
        *ret = was;
        return false;
    }
    ret->cut = ret->cut || ret->counted; /* two answers in one */
    ret->counted = true;
    return true;
}

static void head(struct tn_span line, struct tn_transaction *ret)
{
    static const struct {
        const char *text;
        size_t at;
    } heads[] = {
        {"WARNING: The following essential packages will be removed", offsetof(struct tn_transaction, essential)},
        {"The following held packages will be changed:", offsetof(struct tn_transaction, held)},
        {"The following packages will be DOWNGRADED:", offsetof(struct tn_transaction, downgrade)},
        {"E: ", offsetof(struct tn_transaction, failed)}};
    for (unsigned i = 0; i < TN_LEN(heads); i++)
        if (tn_span_starts(line, heads[i].text))
            *(bool *)((char *)ret + heads[i].at) = true;
}

void tn_transaction_read_apt(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    struct tn_span line;
    while (tn_span_line(&text, &line)) {
        bool removed = tn_span_starts(line, "Remv ") || tn_span_starts(line, "Purg ");
        if (!removed && !tn_span_starts(line, "Inst ")) {
            if (!counts(line, ret))
                head(line, ret);
            continue;
        }
        if (ret->n == TN_REMOVAL_MAX || !item(mem, line, removed, &ret->v[ret->n])) {
            ret->cut = true;
            continue;
        }
        ret->n++;
    }
}
