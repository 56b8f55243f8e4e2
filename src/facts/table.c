/* table.c - reading the compiled-in tables.
 *
 * Invariant: a number out of range gives "", never a read outside the arrays of tables.gen.c.
 * Must not know what any table or column means. */
#include "facts/table.h"

#include <string.h>

#include "base/str.h"

const struct tn_table *tn_facts_find(const char *name)
{
    for (uint32_t i = 0; i < tn_facts_ntables; i++)
        if (strcmp(tn_facts_text(tn_facts_tables[i].name), name) == 0)
            return &tn_facts_tables[i];
    return NULL;
}

const char *tn_facts_name(const struct tn_table *t)
{
    return tn_facts_text(t->name);
}

const char *tn_facts_title(const struct tn_table *t, const char *lang)
{
    return tn_facts_text(tn_str_eq(lang, "zh") ? t->title_zh : t->title_en);
}

int tn_facts_column(const struct tn_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->ncolumns; i++) {
        const char *have = tn_facts_text(tn_facts_columns[t->columns + i].name);
        if (have[0] == name[0] && strcmp(have, name) == 0)
            return (int)i;
    }
    return -1;
}

const char *tn_facts_column_name(const struct tn_table *t, uint32_t column)
{
    return column < t->ncolumns ? tn_facts_text(tn_facts_columns[t->columns + column].name) : "";
}

enum tn_column_type tn_facts_column_type(const struct tn_table *t, uint32_t column)
{
    return column < t->ncolumns ? (enum tn_column_type)tn_facts_columns[t->columns + column].type : TN_COL_TEXT;
}

bool tn_facts_column_is_key(const struct tn_table *t, uint32_t column)
{
    return column < t->ncolumns && tn_facts_columns[t->columns + column].key;
}

const char *tn_facts_cell(const struct tn_table *t, uint32_t row, uint32_t column)
{
    if (row >= t->nrows || column >= t->ncolumns)
        return "";
    return tn_facts_text(tn_facts_cells[t->cells + row * t->ncolumns + column]);
}

const char *tn_facts_get(const struct tn_table *t, uint32_t row, const char *column)
{
    int c = tn_facts_column(t, column);
    return c < 0 ? "" : tn_facts_cell(t, row, (uint32_t)c);
}

/* Equal texts have one place in the pool: a text is compared once a run. */
bool tn_facts_run(const struct tn_table *t, uint32_t column, const char *text, uint32_t *first, uint32_t *end)
{
    const uint32_t *cell = &tn_facts_cells[t->cells + column];
    uint32_t n = column < t->ncolumns ? t->nrows : 0, seen = UINT32_MAX, r = 0;
    for (; r < n && (cell[r * t->ncolumns] == seen || !tn_str_eq(tn_facts_text(cell[r * t->ncolumns]), text)); r++)
        seen = cell[r * t->ncolumns];
    *first = r;
    while (r < n && cell[r * t->ncolumns] == cell[*first * t->ncolumns])
        r++;
    *end = r;
    return *first < *end;
}

struct tn_cite tn_facts_cite(const struct tn_table *t, uint32_t row)
{
    return (struct tn_cite){tn_facts_cell(t, row, t->source), tn_facts_cell(t, row, t->date),
                            tn_facts_cell(t, row, t->notes)};
}

unsigned tn_facts_rank(const struct tn_table *t, uint32_t row)
{
    const char *text = tn_facts_cell(t, row, t->rank);
    uint64_t n = 0;
    return tn_str_u64(text, strlen(text), 10, &n) ? (unsigned)n : 0;
}

bool tn_facts_version_within(const char *version, const char *prefix)
{
    if (!tn_is_digit(*version) || !tn_is_digit(*prefix))
        return false;
    for (;;) {
        while (*version == '0' && tn_is_digit(version[1]))
            version++;
        while (*prefix == '0' && tn_is_digit(prefix[1]))
            prefix++;
        while (tn_is_digit(*prefix))
            if (*version++ != *prefix++)
                return false;
        if (tn_is_digit(*version))
            return false;
        if (*prefix != '.' || !tn_is_digit(prefix[1]))
            return true;
        if (*version != '.' || !tn_is_digit(version[1]))
            return false;
        version++;
        prefix++;
    }
}

bool tn_facts_list_next(const char **list, char *word, uint32_t size)
{
    const char *s = *list;
    while (*s == ' ')
        s++;
    const char *end = s + strcspn(s, " ");
    if (end == s || (size_t)(end - s) >= size)
        return false;
    memcpy(word, s, (size_t)(end - s));
    word[end - s] = '\0';
    *list = end;
    return true;
}

bool tn_facts_list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = list; n > 0 && *s;) {
        size_t len = strcspn(s, " ");
        if (len == n && memcmp(s, word, n) == 0)
            return true;
        s += len;
        s += strspn(s, " ");
    }
    return false;
}

static bool has_part(const char *s, const char *part)
{
    for (; *s; s++) {
        size_t i = 0;
        while (part[i] && tn_lower(s[i]) == tn_lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return *part == '\0';
}

static bool accepts(const char *cell, const struct tn_filter *f)
{
    switch (f->op) {
    case TN_FILTER_EQ: return tn_str_ieq(cell, f->value);
    case TN_FILTER_VERSION: return tn_facts_version_within(cell, f->value);
    case TN_FILTER_HAS: return tn_facts_list_has(cell, f->value);
    case TN_FILTER_PART: return has_part(cell, f->value);
    }
    return false;
}

/* Equal texts are one text in the pool, and equal cells often follow one another: each is looked at once. */
struct memo {
    const char *cell;
    bool accepted;
};

static bool accepts_again(const struct tn_table *t, uint32_t row, uint32_t column, const struct tn_filter *f,
                          struct memo *m)
{
    const char *cell = tn_facts_cell(t, row, column);
    if (m->cell != cell)
        *m = (struct memo){cell, accepts(cell, f)};
    return m->accepted;
}

uint32_t tn_facts_next(const struct tn_table *t, uint32_t from, const struct tn_filter *filters, uint32_t n)
{
    uint32_t column[TN_MAX_FILTERS];
    struct memo memo[TN_MAX_FILTERS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        int c = i < TN_MAX_FILTERS ? tn_facts_column(t, filters[i].column) : -1;
        if (c < 0)
            return t->nrows;
        column[i] = (uint32_t)c;
    }
    for (uint32_t row = from; row < t->nrows; row++) {
        uint32_t i = 0;
        while (i < n && accepts_again(t, row, column[i], &filters[i], &memo[i]))
            i++;
        if (i == n)
            return row;
    }
    return t->nrows;
}

static bool same_key(const struct tn_table *t, uint32_t a, uint32_t b, uint32_t rank)
{
    for (uint32_t c = 0; c < t->ncolumns; c++)
        if (c != rank && tn_facts_column_is_key(t, c) && !tn_str_eq(tn_facts_cell(t, a, c), tn_facts_cell(t, b, c)))
            return false;
    return true;
}

uint32_t tn_facts_rival(const struct tn_table *t, uint32_t row, uint32_t from)
{
    int rank = tn_facts_column(t, "rank");
    for (uint32_t r = from; rank >= 0 && r < t->nrows; r++)
        if (r != row && same_key(t, row, r, (uint32_t)rank))
            return r;
    return t->nrows;
}
