/* requires.c - look-ups in table requires.
 *
 * Invariant: rows of one package stand together, newest run of releases first (tools/lint_tables.py): a look-up reads
 * the block of its package and ends where the runs are older than the release. */
#include "facts/requires.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "version/dotted.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

enum { PACKAGE, FROM, TO, NEEDS, EXTRA, SPEC, PLATFORMS, PYTHON_MIN, PYTHON_MAX, COLUMNS };

_Static_assert(COLUMNS == TN_LEN(((struct tn_facts_requires_it *)0)->column), "a number for each column");

static uint32_t offset(const struct tn_table *t, uint32_t row, uint32_t column)
{
    return tn_facts_cells[t->cells + row * t->ncolumns + column];
}

static enum tn_found block_of(const char *package, struct tn_facts_requires_it *b)
{
    static const char *const names[COLUMNS] = {"package", "version_from", "version_to", "needs",     "extra",
                                               "spec",    "platforms",    "python_min", "python_max"};
    char name[TN_MAX_VERSION_TEXT];
    struct tn_err err;
    b->t = tn_facts_find("requires");
    if (b->t == NULL || tn_version_normal_name(package, name, sizeof name, &err) != 0)
        return TN_ANSWER_BAD;
    for (unsigned i = 0; i < COLUMNS; i++) {
        int c = tn_facts_column(b->t, names[i]);
        if (c < 0)
            return TN_ANSWER_BAD;
        b->column[i] = (uint32_t)c;
    }
    return tn_facts_run(b->t, b->column[PACKAGE], name, &b->first, &b->end) ? TN_ANSWER_YES : TN_ANSWER_OPEN;
}

static const char *cell(const struct tn_facts_requires_it *b, uint32_t row, unsigned column)
{
    return tn_facts_cell(b->t, row, b->column[column]);
}

/* Releases only (numbers and .postN): the table holds no others. */
static uint64_t post_of(const char *version)
{
    const char *post = strstr(version, ".post");
    uint64_t n = 0;
    return post && tn_str_u64(post + 5, strlen(post + 5), 10, &n) ? n + 1 : 0;
}

static int compare(const char *a, const char *b)
{
    int cmp = tn_version_dotted_cmp(a, b);
    if (cmp)
        return cmp;
    uint64_t x = post_of(a), y = post_of(b);
    return x < y ? -1 : x > y;
}

static enum tn_found release(const char *version)
{
    struct tn_pep440 v;
    struct tn_err err;
    if (tn_version_pep440_parse(tn_span_str(version), &v, &err) != 0)
        return TN_ANSWER_BAD;
    return v.local[0] || v.epoch || tn_version_pep440_is_pre(&v) || !tn_is_digit(*version) ? TN_ANSWER_OPEN
                                                                                           : TN_ANSWER_YES;
}

/* The first row at or after `from` whose run of releases takes the version; b->end if none. */
static uint32_t next_run(const struct tn_facts_requires_it *b, const char *version, uint32_t from)
{
    uint32_t to_seen = UINT32_MAX, from_seen = UINT32_MAX;
    bool above = false;
    for (uint32_t r = from; r < b->end; r++) {
        uint32_t at = offset(b->t, r, b->column[TO]);
        if (at != to_seen && compare(tn_facts_text(at), version) < 0)
            return b->end; /* newest runs first */
        to_seen = at;
        at = offset(b->t, r, b->column[FROM]);
        if (at != from_seen)
            above = compare(tn_facts_text(at), version) > 0;
        from_seen = at;
        if (!above)
            return r;
    }
    return b->end;
}

static bool names_place(const char *platforms, const struct tn_facts_place *where)
{
    const char *system = where->platform == TN_PLATFORM_WINDOWS ? "windows/" : "linux/";
    char word[64];
    while (tn_facts_list_next(&platforms, word, sizeof word))
        if (tn_str_starts(word, system) && tn_str_ieq(word + strlen(system), where->arch))
            return true;
    return false;
}

static bool holds(const struct tn_facts_requires_it *b, uint32_t row, const struct tn_facts_place *where)
{
    const char *platforms = cell(b, row, PLATFORMS);
    const char *least = cell(b, row, PYTHON_MIN), *most = cell(b, row, PYTHON_MAX);
    if (where->arch && *platforms && !names_place(platforms, where))
        return false;
    return !where->python || ((!*least || tn_version_dotted_cmp_parts(where->python, least, 2) >= 0) &&
                              (!*most || tn_version_dotted_cmp_parts(where->python, most, 2) <= 0));
}

enum tn_found tn_facts_requires(const char *package, const char *version)
{
    struct tn_facts_requires_it b;
    enum tn_found found = block_of(package, &b), ok = release(version);
    if (found == TN_ANSWER_BAD || ok == TN_ANSWER_BAD)
        return TN_ANSWER_BAD;
    if (found != TN_ANSWER_YES || ok != TN_ANSWER_YES)
        return TN_ANSWER_OPEN;
    if (next_run(&b, version, b.first) < b.end)
        return TN_ANSWER_YES;
    return compare(cell(&b, b.first, TO), version) < 0 ? TN_ANSWER_NEWER : TN_ANSWER_OPEN;
}

bool tn_facts_requires_again(const char *version, struct tn_facts_requires_it *it)
{
    it->row = it->first;
    return release(version) == TN_ANSWER_YES;
}

bool tn_facts_requires_begin(const char *package, const char *version, struct tn_facts_requires_it *ret)
{
    return block_of(package, ret) == TN_ANSWER_YES && tn_facts_requires_again(version, ret);
}

bool tn_facts_requires_step(struct tn_facts_requires_it *it, const char *version, const struct tn_facts_place *where,
                            struct tn_facts_require *ret)
{
    uint32_t r = next_run(it, version, it->row);
    while (r < it->end && !holds(it, r, where))
        r = next_run(it, version, r + 1);
    it->row = r + 1;
    if (r >= it->end)
        return false;
    *ret = (struct tn_facts_require){
        .needs = cell(it, r, NEEDS),
        .spec = cell(it, r, SPEC),
        .extra = cell(it, r, EXTRA),
        .platforms = cell(it, r, PLATFORMS),
        .python_min = cell(it, r, PYTHON_MIN),
        .python_max = cell(it, r, PYTHON_MAX),
        .row = r,
        .cite = tn_facts_cite(it->t, r),
    };
    return true;
}

bool tn_facts_requires_next(const char *package, const char *version, const struct tn_facts_place *where, uint32_t *row,
                            struct tn_facts_require *ret)
{
    struct tn_facts_requires_it b;
    if (block_of(package, &b) != TN_ANSWER_YES || release(version) != TN_ANSWER_YES)
        return false;
    b.row = *row < b.first ? b.first : *row;
    bool found = tn_facts_requires_step(&b, version, where, ret);
    *row = b.row;
    return found;
}

enum tn_found tn_facts_requires_of(const char *package, const char *version, const struct tn_facts_place *where,
                                   const char *needs, char *spec, uint32_t size)
{
    struct tn_facts_require q;
    struct tn_facts_requires_it it;
    size_t used = 0;
    enum tn_found found = tn_facts_requires(package, version);
    if (found != TN_ANSWER_YES)
        return found;
    if (size == 0)
        return TN_ANSWER_BAD;
    spec[0] = '\0';
    found = TN_ANSWER_NO;
    for (bool any = tn_facts_requires_begin(package, version, &it);
         any && tn_facts_requires_step(&it, version, where, &q);) {
        size_t n = strlen(q.spec);
        if (*q.extra || !tn_str_eq(q.needs, needs))
            continue;
        found = TN_ANSWER_YES;
        if (n == 0)
            continue;
        if (used + (used > 0) + n >= size)
            return TN_ANSWER_BAD;
        if (used > 0)
            spec[used++] = ',';
        memcpy(spec + used, q.spec, n + 1);
        used += n;
    }
    return found;
}
