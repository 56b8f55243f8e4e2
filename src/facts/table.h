/* table.h - the compiled-in compatibility tables: rows of text cells, read by name and number.
 *
 * Invariant: every row has a rank, a source and a date. Rows that differ only in rank are rival claims of
 * the same fact: rank 1 is the one that tenon uses, 2 and up are kept and shown. A cell is never NULL; ""
 * means "not established". Nothing here knows what a table means: see cuda.h, gpu.h, tensorflow.h ... */
#ifndef TN_FACTS_TABLE_H
#define TN_FACTS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum tn_column_type {
    TN_COL_TEXT,
    TN_COL_VERSION, /* 12.4, 2.15.0.post1: ordered as versions */
    TN_COL_SPEC,    /* 9.8,<10.0 */
    TN_COL_CC,      /* compute capability, 8.9 */
    TN_COL_INT,
    TN_COL_NUM,
    TN_COL_BOOL, /* yes or no */
    TN_COL_LIST, /* words with one blank between */
    TN_COL_DATE  /* 2026-12 or 2026-12-01 */
};

/* Offsets into the pool, not pointers: no relocation at start. */
struct tn_column {
    uint32_t name;
    uint16_t type; /* enum tn_column_type */
    uint16_t key;  /* 1 if part of the key */
};

struct tn_table {
    uint32_t name, title_en, title_zh, about;
    uint32_t columns, ncolumns;         /* into tn_facts_columns */
    uint32_t cells, nrows;              /* into tn_facts_cells, row by row */
    uint16_t rank, source, date, notes; /* columns that every table has; ncolumns: it has none */
};

/* A card's name as it is looked up: small letters and digits alone, without the maker's words. In order of text and
 * row. */
struct tn_card_name {
    uint32_t text; /* into the pool */
    uint16_t row;  /* of the table gpus */
    uint16_t n;
    uint64_t starts; /* bit i: a word of the name begins at i, or the name ends there */
};

/* What a look-up in the tables found. Not an error code: each of these is an answer. */
enum tn_found {
    TN_ANSWER_YES = 0, /* known, outputs filled */
    TN_ANSWER_NEWER,   /* newer than every row: "newer than my tables of DATE", no alarm */
    TN_ANSWER_OPEN,    /* there is such a row, but no source establishes this fact */
    TN_ANSWER_NO,      /* there is no such thing in the tables */
    TN_ANSWER_BAD      /* the question is no version, capability or name at all */
};

enum tn_platform { TN_PLATFORM_LINUX, TN_PLATFORM_WINDOWS };

/* From tables.gen.c. */
extern const struct tn_table tn_facts_tables[];
extern const struct tn_column tn_facts_columns[];
extern const uint32_t tn_facts_cells[];
extern const uint32_t tn_facts_ntables;
extern const struct tn_card_name tn_facts_card_names[];
extern const uint32_t tn_facts_ncard_names;
extern const char tn_facts_date[]; /* newest date of any row, ISO */
const char *tn_facts_text(uint32_t offset);

/* NULL if there is no table of this name (exact). */
const struct tn_table *tn_facts_find(const char *name);
const char *tn_facts_name(const struct tn_table *t);
/* One line; zh if lang is "zh", else English. */
const char *tn_facts_title(const struct tn_table *t, const char *lang);

/* Number of a column, or -1. */
int tn_facts_column(const struct tn_table *t, const char *name);
const char *tn_facts_column_name(const struct tn_table *t, uint32_t column);
enum tn_column_type tn_facts_column_type(const struct tn_table *t, uint32_t column);
bool tn_facts_column_is_key(const struct tn_table *t, uint32_t column);

/* "" outside the table. */
const char *tn_facts_cell(const struct tn_table *t, uint32_t row, uint32_t column);
/* The same by name; "" for a column that the table lacks. */
const char *tn_facts_get(const struct tn_table *t, uint32_t row, const char *column);
/* The first rows that stand together and have this text in the column: *first up to, not with, *end; false: none. */
bool tn_facts_run(const struct tn_table *t, uint32_t column, const char *text, uint32_t *first, uint32_t *end);
/* Where a row comes from; every look-up of this folder hands it on. */
struct tn_cite {
    const char *source, *date, *notes;
};
struct tn_cite tn_facts_cite(const struct tn_table *t, uint32_t row);
/* 1 for the row that tenon uses. */
unsigned tn_facts_rank(const struct tn_table *t, uint32_t row);

enum tn_filter_op {
    TN_FILTER_EQ,      /* ASCII case ignored */
    TN_FILTER_VERSION, /* equal as far as the value goes: 2.10 takes 2.10.0 and 2.10.1, not 2.1.0 */
    TN_FILTER_HAS,     /* one word of a list */
    TN_FILTER_PART     /* anywhere in the cell, ASCII case ignored */
};

struct tn_filter {
    const char *column;
    enum tn_filter_op op;
    const char *value;
};

/* The first row at or after `from` that all filters accept; nrows if none. An unknown column accepts no row, nor do
 * more than TN_MAX_FILTERS. */
#define TN_MAX_FILTERS 8u
uint32_t tn_facts_next(const struct tn_table *t, uint32_t from, const struct tn_filter *filters, uint32_t n);
/* The first row at or after `from` with the same key as `row` and another rank; nrows if none. */
uint32_t tn_facts_rival(const struct tn_table *t, uint32_t row, uint32_t from);

/* Is `version` equal to `prefix` as far as prefix goes ("2.10" and "2.10.1")? Both dotted numbers; what follows
 * the numbers (.post1, +cu121, rc0) is not looked at. */
bool tn_facts_version_within(const char *version, const char *prefix);
/* Does a list cell hold this word? */
bool tn_facts_list_has(const char *list, const char *word);
/* Copies the next word of a list cell and moves *list behind it; false at the end or if it does not fit. */
bool tn_facts_list_next(const char **list, char *word, uint32_t size);

#endif
