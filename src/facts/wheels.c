/* wheels.c - look-ups in table wheels.
 *
 * Invariant: rows of one package stand together (tools/lint_tables.py), so a look-up reads the names once. */
#include "facts/wheels.h"

#include "base/limits.h"
#include "base/str.h"
#include "version/dotted.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

struct block {
    const struct tn_table *t;
    uint32_t first, end, version, platform, arch;
};

static uint32_t offset(const struct tn_table *t, uint32_t row, uint32_t column)
{
    return tn_facts_cells[t->cells + row * t->ncolumns + column];
}

/* The rows of a package. Equal texts have equal offsets, so that a name is compared once. */
static enum tn_found block_of(const char *package, struct block *b)
{
    char name[TN_MAX_VERSION_TEXT];
    struct tn_err err;
    b->t = tn_facts_find("wheels");
    if (b->t == NULL || tn_version_normal_name(package, name, sizeof name, &err) != 0)
        return TN_ANSWER_BAD;
    uint32_t column = (uint32_t)tn_facts_column(b->t, "package"), seen = UINT32_MAX;
    b->version = (uint32_t)tn_facts_column(b->t, "version");
    b->platform = (uint32_t)tn_facts_column(b->t, "platform");
    b->arch = (uint32_t)tn_facts_column(b->t, "arch");
    for (b->first = 0; b->first < b->t->nrows; b->first++) {
        uint32_t at = offset(b->t, b->first, column);
        if (at == seen)
            continue;
        if (tn_str_eq(tn_facts_text(at), name))
            break;
        seen = at;
    }
    if (b->first == b->t->nrows)
        return TN_ANSWER_OPEN;
    for (b->end = b->first; b->end < b->t->nrows; b->end++)
        if (offset(b->t, b->end, column) != offset(b->t, b->first, column))
            break;
    return TN_ANSWER_YES;
}

static bool parse(const char *version, struct tn_pep440 *ret)
{
    struct tn_err err;
    return tn_version_pep440_parse(tn_span_str(version), ret, &err) == 0;
}

static bool serves(const struct block *b, uint32_t row, enum tn_platform platform, const char *arch)
{
    const char *p = tn_facts_cell(b->t, row, b->platform);
    if (tn_str_eq(p, "any"))
        return true;
    return tn_str_eq(p, platform == TN_PLATFORM_WINDOWS ? "windows" : "linux") &&
           tn_str_ieq(tn_facts_cell(b->t, row, b->arch), arch);
}

static void fill(const struct block *b, uint32_t row, struct tn_facts_wheel *ret)
{
    ret->version = tn_facts_cell(b->t, row, b->version);
    ret->python_min = tn_facts_get(b->t, row, "python_min");
    ret->python_max = tn_facts_get(b->t, row, "python_max");
    ret->glibc_min = tn_facts_get(b->t, row, "glibc_min");
    ret->pip_min = tn_facts_get(b->t, row, "pip_min");
    ret->yanked = tn_str_eq(tn_facts_get(b->t, row, "yanked"), "yes");
    ret->row = row;
    ret->cite = tn_facts_cite(b->t, row);
}

enum tn_found tn_facts_wheel(const char *package, const char *version, enum tn_platform platform, const char *arch,
                             struct tn_facts_wheel *ret)
{
    struct block b;
    struct tn_pep440 want, have;
    enum tn_found found = block_of(package, &b);
    if (found == TN_ANSWER_BAD || !parse(version, &want))
        return TN_ANSWER_BAD;
    if (found != TN_ANSWER_YES || want.local[0])
        return TN_ANSWER_OPEN;
    bool newer = true, there = false;
    uint32_t seen = UINT32_MAX;
    int cmp = 0;
    for (uint32_t r = b.first; r < b.end; r++) {
        uint32_t at = offset(b.t, r, b.version);
        if (at != seen)
            cmp = parse(tn_facts_text(at), &have) ? tn_version_pep440_cmp(&have, &want) : -1;
        seen = at;
        newer = newer && cmp < 0;
        if (cmp != 0)
            continue;
        there = true;
        if (serves(&b, r, platform, arch)) {
            fill(&b, r, ret);
            return TN_ANSWER_YES;
        }
    }
    return there ? TN_ANSWER_NO : newer ? TN_ANSWER_NEWER : TN_ANSWER_OPEN;
}

enum tn_found tn_facts_wheel_takes_python(const struct tn_facts_wheel *w, const char *python)
{
    if (tn_version_dotted_count(python) < 2)
        return TN_ANSWER_BAD;
    if (!*w->python_min && !*w->python_max)
        return TN_ANSWER_OPEN;
    if (*w->python_min && tn_version_dotted_cmp_parts(python, w->python_min, 2) < 0)
        return TN_ANSWER_NO;
    return *w->python_max && tn_version_dotted_cmp_parts(python, w->python_max, 2) > 0 ? TN_ANSWER_NO : TN_ANSWER_YES;
}

static enum tn_found at_least(const char *have, const char *least)
{
    if (!tn_version_dotted_ok(have))
        return TN_ANSWER_BAD;
    if (!*least)
        return TN_ANSWER_OPEN;
    return tn_version_dotted_cmp(have, least) >= 0 ? TN_ANSWER_YES : TN_ANSWER_NO;
}

enum tn_found tn_facts_wheel_takes_glibc(const struct tn_facts_wheel *w, const char *glibc)
{
    return at_least(glibc, w->glibc_min);
}

enum tn_found tn_facts_wheel_takes_pip(const struct tn_facts_wheel *w, const char *pip)
{
    return at_least(pip, w->pip_min);
}

enum tn_found tn_facts_wheel_newest(const char *package, enum tn_platform platform, const char *arch,
                                    const char *python, const char *glibc, const char *pip, struct tn_facts_wheel *ret)
{
    struct block b;
    struct tn_pep440 best, v;
    enum tn_found found = block_of(package, &b);
    if (found != TN_ANSWER_YES)
        return found;
    found = TN_ANSWER_NO;
    for (uint32_t r = b.first; r < b.end; r++) {
        struct tn_facts_wheel w;
        if (!serves(&b, r, platform, arch))
            continue;
        fill(&b, r, &w);
        if (w.yanked || (python && tn_facts_wheel_takes_python(&w, python) == TN_ANSWER_NO) ||
            (glibc && tn_facts_wheel_takes_glibc(&w, glibc) == TN_ANSWER_NO) ||
            (pip && tn_facts_wheel_takes_pip(&w, pip) == TN_ANSWER_NO) || !parse(w.version, &v))
            continue;
        if (found == TN_ANSWER_YES && tn_version_pep440_cmp(&v, &best) <= 0)
            continue;
        best = v;
        *ret = w;
        found = TN_ANSWER_YES;
    }
    return found;
}
