/* removal_rpm.c - see removal.h: the answers of dnf, yum and zypper.
 *
 * dnf and yum print a table under headings ("Installing:", "Removing dependent packages:" ...), then "Transaction
 * Summary" with a count of each kind (dnf 4: dnf/cli/output.py, list_transaction; dnf 5:
 * dnf5/include/transaction-table). dnf 5 names what a new package replaces in lines of their own, dnf 4 what it makes
 * obsolete. zypper lists names under "The following ... are going to be ...:" and ends with one line of counts
 * (zypper/src/Summary.cc). */
#include <string.h>

#include "base/str.h"
#include "plan/removal_inner.h"

static bool blank_or_rule(struct tn_span line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != '=' && line.p[i] != '-' && line.p[i] != ' ')
            return false;
    return true;
}

static struct tn_transaction_item *add(struct tn_transaction *ret)
{
    if (ret->n == TN_REMOVAL_MAX) {
        ret->cut = true;
        return NULL;
    }
    struct tn_transaction_item *i = &ret->v[ret->n++];
    *i = (struct tn_transaction_item){.name = "", .arch = "", .old = "", .now = ""};
    return i;
}

static bool is_arch(struct tn_span w)
{
    static const char *const archs[] = {"x86_64", "aarch64", "noarch", "i686", "i586",
                                        "i386",   "ppc64le", "s390x",  "src"};
    for (unsigned i = 0; i < TN_LEN(archs); i++)
        if (tn_span_eq(w, archs[i]))
            return true;
    return false;
}

/* "name arch version ...": false for a line that is none. */
static bool row(struct tn_arena *mem, struct tn_span line, bool removed, struct tn_transaction *ret)
{
    struct tn_span name = tn_removal_word_of(&line), arch = tn_removal_word_of(&line),
                   version = tn_removal_word_of(&line);
    if (!tn_removal_made_of(name, "+-._") || !is_arch(arch) || !tn_removal_made_of(version, ".+-~:^_"))
        return false;
    struct tn_transaction_item *i = add(ret);
    if (!i)
        return true;
    i->name = tn_arena_strndup(mem, (const char *)name.p, name.n);
    i->arch = tn_arena_strndup(mem, (const char *)arch.p, arch.n);
    const char *v = tn_arena_strndup(mem, (const char *)version.p, version.n);
    *(removed ? &i->old : &i->now) = v;
    i->removed = removed;
    return true;
}

enum part { NONE, COMES, GOES, OLDER, PASSED };

static enum part part_of(struct tn_span line)
{
    static const struct {
        char text[40];
        enum part part;
    } heads[] = {{"Installing", COMES},
                 {"Upgrading", COMES},
                 {"Updating", COMES},
                 {"Reinstalling", COMES},
                 {"Downgrading", OLDER},
                 {"Removing", GOES},
                 {"Skipping", PASSED},
                 {"Enabling module streams", PASSED},
                 {"Switching module streams", PASSED},
                 {"Installing group", PASSED},
                 {"Disabling module", PASSED},
                 {"Resetting module", PASSED},
                 {"Not installing", PASSED}};
    if (!line.n || line.p[line.n - 1] != ':')
        return NONE;
    for (unsigned i = TN_LEN(heads); i-- > 0;)
        if (tn_span_starts(line, heads[i].text))
            return heads[i].part;
    return NONE;
}

/* "Install  46 Packages (+3 Dependent packages)", " Installing:   5 packages". */
static void count(struct tn_span line, struct tn_transaction *ret)
{
    static const struct {
        char word[16];
        bool removed, older, passed;
    } kinds[] = {{"Install", false, false, false},       {"Upgrade", false, false, false},
                 {"Update", false, false, false},        {"Reinstall", false, false, false},
                 {"Downgrade", false, true, false},      {"Remove", true, false, false},
                 {"Installing:", false, false, false},   {"Upgrading:", false, false, false},
                 {"Reinstalling:", false, false, false}, {"Downgrading:", false, true, false},
                 {"Removing:", true, false, false},      {"Replacing:", false, false, true},
                 {"Skip", false, false, true},           {"Skipping:", false, false, true}};
    struct tn_span word = tn_removal_word_of(&line), w;
    unsigned sum = 0;
    bool numbers = false;
    while ((w = tn_removal_word_of(&line)).n) {
        size_t i = w.p[0] == '(' && w.n > 1 ? 1 + (w.p[1] == '+') : 0;
        if (i >= w.n || !tn_is_digit((char)w.p[i]))
            continue;
        unsigned n = 0;
        for (; i < w.n && tn_is_digit((char)w.p[i]) && n < 1000000; i++)
            n = n * 10 + (unsigned)(w.p[i] - '0');
        sum += n;
        numbers = true;
    }
    for (unsigned k = 0; k < TN_LEN(kinds) && numbers; k++) {
        if (!tn_span_eq(word, kinds[k].word))
            continue;
        ret->counted = true;
        ret->downgrade = ret->downgrade || (kinds[k].older && sum);
        if (!kinds[k].passed)
            *(kinds[k].removed ? &ret->removed : &ret->changed) += sum;
    }
}

void tn_transaction_read_dnf(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    struct tn_span line, rest, pending = {0};
    enum part part = NONE;
    bool summary = false;
    while (tn_span_line(&text, &line)) {
        while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
            line.n--;
        if (tn_span_starts(line, "Inst ") || tn_span_starts(line, "Remv ") || tn_span_starts(line, "Purg "))
            ret->cut = true; /* another one's answer */
        if (tn_span_starts(line, "Error:") || tn_span_starts(line, "Failed to resolve") ||
            tn_span_starts(line, "No match for argument"))
            ret->failed = true;
        if (tn_span_starts(line, "Nothing to do"))
            ret->counted = true;
        if (tn_span_starts(line, "Transaction Summary")) {
            ret->cut = ret->cut || summary; /* two answers in one */
            summary = true;
            part = NONE;
            continue;
        }
        if (summary && !blank_or_rule(line))
            count(line, ret);
        if (summary || blank_or_rule(line))
            continue;
        enum part head = line.p[0] != ' ' ? part_of(line) : NONE;
        if (head != NONE || line.p[0] != ' ') {
            part = head;
            pending.n = 0;
            continue;
        }
        if (part == NONE || part == PASSED)
            continue;
        rest = line;
        struct tn_span first = tn_removal_word_of(&rest);
        if (tn_span_eq(first, "replacing")) {
            struct tn_span dotted = rest, name = tn_removal_word_of(&dotted);
            unsigned was = ret->n;
            if (!row(mem, rest, true, ret)) { /* dnf 4: "replacing  name.arch version" */
                size_t dot = name.n;
                while (dot > 0 && name.p[dot - 1] != '.')
                    dot--;
                struct tn_transaction_item *i = dot > 1 ? add(ret) : NULL;
                if (!i || !tn_removal_made_of(tn_span_of(name.p, dot - 1), "+-._"))
                    ret->cut = true;
                else
                    i->name = tn_arena_strndup(mem, (const char *)name.p, dot - 1);
                if (i) {
                    i->arch = tn_arena_strndup(mem, (const char *)name.p + dot, name.n - dot);
                    i->removed = true;
                }
            }
            if (ret->n > was)
                ret->v[ret->n - 1].replaced = true;
            continue;
        }
        if (!pending.n && !tn_removal_word_of(&rest).n && tn_removal_made_of(first, "+-._")) {
            pending = first; /* a long name stands alone, the rest in the next line */
            continue;
        }
        if (pending.n) {
            const char *joined = tn_arena_printf(mem, "%.*s %.*s", (int)pending.n, (const char *)pending.p, (int)line.n,
                                                 (const char *)line.p);
            line = tn_span_of(joined, strlen(joined));
            pending.n = 0;
        }
        if (!row(mem, line, part == GOES, ret))
            ret->cut = true;
        ret->downgrade = ret->downgrade || part == OLDER;
    }
    ret->cut = ret->cut || pending.n;
}

/* --- zypper --- */

static bool has(struct tn_span line, const char *text)
{
    return tn_span_find(line, 0, text, strlen(text)) < line.n;
}

static enum part zypper_part(struct tn_span line)
{
    if (!tn_span_starts(line, "The following ") || !line.n || line.p[line.n - 1] != ':')
        return NONE;
    bool package = has(line, " package ") || has(line, " packages ");
    if (!package || has(line, "recommended") || has(line, "suggested") || has(line, "support") || has(line, "vendor") ||
        has(line, "NOT be") || has(line, "locked") || has(line, "source package") || has(line, "architecture") ||
        has(line, "reboot"))
        return PASSED;
    if (has(line, "REMOVED"))
        return GOES;
    if (has(line, "downgraded"))
        return OLDER;
    return has(line, "installed") || has(line, "upgraded") ? COMES : PASSED;
}

/* "2 packages to upgrade, 5 new, 1 to remove." */
static bool zypper_counts(struct tn_span line, struct tn_transaction *ret)
{
    unsigned changed = 0, removed = 0, seen = 0;
    bool older = false;
    if (!line.n || !tn_is_digit((char)line.p[0]))
        return false;
    while (line.n) {
        size_t end = tn_span_find(line, 0, ",", 1);
        struct tn_span piece = tn_span_of(line.p, end < line.n ? end : line.n), rest = piece;
        struct tn_span w = tn_removal_word_of(&rest);
        unsigned n = 0;
        for (size_t i = 0; i < w.n && tn_is_digit((char)w.p[i]) && n < 1000000; i++)
            n = n * 10 + (unsigned)(w.p[i] - '0');
        bool source = has(piece, "source"), vendor = has(piece, "vendor") || has(piece, "arch");
        if (!w.n || !tn_is_digit((char)w.p[0]))
            return false;
        if (has(piece, "to remove"))
            removed += n, seen++;
        else if (!source && !vendor &&
                 (has(piece, "new") || has(piece, "to upgrade") || has(piece, "to downgrade") ||
                  has(piece, "to reinstall")))
            changed += n, seen++;
        older = older || (has(piece, "to downgrade") && n);
        line = end < line.n ? tn_span_from(line, end + 1) : tn_span_of("", 0);
    }
    if (!seen)
        return false;
    ret->cut = ret->cut || ret->counted;
    ret->counted = true;
    ret->changed += changed;
    ret->removed += removed;
    ret->downgrade = ret->downgrade || older;
    return true;
}

void tn_transaction_read_zypper(struct tn_arena *mem, struct tn_span text, struct tn_transaction *ret)
{
    struct tn_span line;
    enum part part = NONE;
    while (tn_span_line(&text, &line)) {
        while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '))
            line.n--;
        enum part head = zypper_part(line);
        if (tn_span_starts(line, "Inst ") || tn_span_starts(line, "Remv ") || tn_span_starts(line, "Purg "))
            ret->cut = true;
        if (tn_span_starts(line, "Problem: ") || tn_span_starts(line, "No provider of") ||
            has(line, "not found in package names"))
            ret->failed = true;
        if (tn_span_starts(line, "Nothing to do."))
            ret->counted = true;
        if (head != NONE || !line.n || zypper_counts(line, ret)) {
            part = head;
            continue;
        }
        if (part == NONE || part == PASSED)
            continue;
        for (struct tn_span w; (w = tn_removal_word_of(&line)).n;) {
            struct tn_transaction_item *i = tn_removal_made_of(w, "+-._") ? add(ret) : NULL;
            if (!i) {
                ret->cut = true;
                break;
            }
            i->name = tn_arena_strndup(mem, (const char *)w.p, w.n);
            i->removed = part == GOES;
            ret->downgrade = ret->downgrade || part == OLDER;
        }
    }
}
