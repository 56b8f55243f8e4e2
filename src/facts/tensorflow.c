/* tensorflow.c - look-ups in the TensorFlow tables.
 *
 * Invariant: only rows of rank 1; a release stands in for another only within the same minor. */
#include "facts/tensorflow.h"

#include <string.h>

#include "base/str.h"
#include "version/dotted.h"

#define MINOR_TEXT 48

static const char *platform_word(enum tn_platform platform)
{
    return platform == TN_PLATFORM_WINDOWS ? "windows" : "linux";
}

/* "2.15.0.post1" -> "2.15"; false if there are no two numbers. */
static bool minor_of(const char *version, char buf[MINOR_TEXT])
{
    return tn_version_dotted_head(version, 2, buf, MINOR_TEXT);
}

void tn_facts_tf_range(const char **oldest, const char **newest)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    *oldest = *newest = "";
    for (uint32_t r = 0; t != NULL && r < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "version");
        if (!**oldest || tn_version_dotted_cmp(v, *oldest) < 0)
            *oldest = v;
        if (tn_version_dotted_cmp(v, *newest) > 0)
            *newest = v;
    }
}

static bool newer_than_tables(const char *version)
{
    const char *oldest, *newest;
    tn_facts_tf_range(&oldest, &newest);
    return tn_version_dotted_cmp_parts(version, newest, 2) > 0;
}

enum tn_found tn_facts_tf_known(const char *version)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    char minor[MINOR_TEXT];
    if (t == NULL || !minor_of(version, minor))
        return TN_ANSWER_BAD;
    struct tn_filter f = {"version", TN_FILTER_VERSION, minor};
    if (tn_facts_next(t, 0, &f, 1) < t->nrows)
        return TN_ANSWER_YES;
    return newer_than_tables(version) ? TN_ANSWER_NEWER : TN_ANSWER_NO;
}

void tn_facts_tf_last_windows_gpu(char *buf, size_t size)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    const struct tn_filter f[] = {{"platform", TN_FILTER_EQ, "windows"}, {"gpu", TN_FILTER_EQ, "yes"}};
    const char *last = "";
    if (size > 0)
        buf[0] = '\0';
    for (uint32_t r = 0; t != NULL && (r = tn_facts_next(t, r, f, 2)) < t->nrows; r++)
        if (tn_version_dotted_cmp(tn_facts_get(t, r, "version"), last) > 0)
            last = tn_facts_get(t, r, "version");
    if (!tn_version_dotted_head(last, 2, buf, size) && size > 0)
        buf[0] = '\0';
}

/* How far a row is from the asked release; 0 is that release. */
static int distance(const char *row, const char *asked)
{
    size_t n = strcspn(asked, "+");
    if (strlen(row) == n && memcmp(row, asked, n) == 0)
        return 0;
    int cmp = tn_version_dotted_cmp(row, asked);
    return cmp == 0 ? 1 : cmp < 0 ? 2 : 3;
}

/* The plain name first: it is what people install. */
static int package_order(const char *package)
{
    static const char *const names[] = {"tensorflow", "tensorflow[and-cuda]", "tensorflow-gpu"};
    for (int i = 0; i < (int)TN_LEN(names); i++)
        if (tn_str_eq(names[i], package))
            return i;
    return (int)TN_LEN(names);
}

static bool better_build(const struct tn_table *t, uint32_t a, uint32_t b, const char *asked)
{
    const char *va = tn_facts_get(t, a, "version"), *vb = tn_facts_get(t, b, "version");
    /* A row that says nothing about Python loses to one that does. */
    bool empty_a = !*tn_facts_get(t, a, "python_max"), empty_b = !*tn_facts_get(t, b, "python_max");
    if (empty_a != empty_b)
        return empty_b;
    int da = distance(va, asked), db = distance(vb, asked);
    if (da != db)
        return da < db;
    int cmp = tn_version_dotted_cmp(va, vb);
    if (cmp != 0)
        return da == 3 ? cmp < 0 : cmp > 0;
    return package_order(tn_facts_get(t, a, "package")) < package_order(tn_facts_get(t, b, "package"));
}

enum tn_found tn_facts_tf_build(const char *version, enum tn_platform platform, bool gpu, struct tn_facts_tf *ret)
{
    const struct tn_table *t = tn_facts_find("tensorflow_builds");
    char minor[MINOR_TEXT];
    if (t == NULL || !minor_of(version, minor))
        return TN_ANSWER_BAD;
    const struct tn_filter f[] = {
        {"version", TN_FILTER_VERSION, minor},
        {"platform", TN_FILTER_EQ, platform_word(platform)},
        {"gpu", TN_FILTER_EQ, gpu ? "yes" : "no"},
        {"rank", TN_FILTER_EQ, "1"},
    };
    uint32_t row = t->nrows;
    for (uint32_t r = 0; (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++)
        if (row == t->nrows || better_build(t, r, row, version))
            row = r;
    if (row == t->nrows)
        return newer_than_tables(version) ? TN_ANSWER_NEWER : TN_ANSWER_NO;
    ret->version = tn_facts_get(t, row, "version");
    ret->exact = distance(ret->version, version) == 0;
    ret->package = tn_facts_get(t, row, "package");
    ret->python_min = tn_facts_get(t, row, "python_min");
    ret->python_max = tn_facts_get(t, row, "python_max");
    ret->cuda = tn_facts_get(t, row, "cuda");
    ret->cudnn = tn_facts_get(t, row, "cudnn");
    ret->row = row;
    ret->cite = tn_facts_cite(t, row);
    return TN_ANSWER_YES;
}

/* from <= version <= to, where to counts only as far as it goes (2.21 takes 2.21.1). */
static bool in_range(const char *version, const char *from, const char *to)
{
    return tn_version_dotted_cmp(version, from) >= 0 &&
           (tn_version_dotted_cmp(version, to) <= 0 || tn_facts_version_within(version, to));
}

/* The rank-1 row whose range holds the version; the one with the most exact first end wins. nrows if none. */
static uint32_t range_row(const struct tn_table *t, const char *version, const char *from, const char *to,
                          const struct tn_filter *f, uint32_t n)
{
    uint32_t best = t->nrows, from_column = (uint32_t)tn_facts_column(t, from);
    uint32_t to_column = (uint32_t)tn_facts_column(t, to);
    for (uint32_t r = 0; (r = tn_facts_next(t, r, f, n)) < t->nrows; r++) {
        const char *first = tn_facts_cell(t, r, from_column);
        if (in_range(version, first, tn_facts_cell(t, r, to_column)) && tn_facts_rank(t, r) == 1 &&
            (best == t->nrows ||
             tn_version_dotted_count(first) > tn_version_dotted_count(tn_facts_cell(t, best, from_column))))
            best = r;
    }
    return best;
}

/* A GPU build that a second table lacks is an open question, not a thing that does not exist. */
static enum tn_found no_row(const char *version, enum tn_platform platform)
{
    struct tn_facts_tf tf;
    enum tn_found found = tn_facts_tf_build(version, platform, true, &tf);
    return found == TN_ANSWER_YES ? TN_ANSWER_OPEN : found;
}

enum tn_found tn_facts_tf_code(const char *version, enum tn_platform platform, struct tn_facts_tf_code *ret)
{
    const struct tn_table *t = tn_facts_find("tf_wheel_arch");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const struct tn_filter f[] = {
        {"platform", TN_FILTER_EQ, platform_word(platform)},
        {"builder", TN_FILTER_EQ, "official"},
    };
    uint32_t r = range_row(t, version, "version_from", "version_to", f, TN_LEN(f));
    if (r == t->nrows) {
        *ret = (struct tn_facts_tf_code){"", "", "", "", {"", "", ""}};
        return no_row(version, platform);
    }
    ret->sass = tn_facts_get(t, r, "sass");
    ret->ptx = tn_facts_get(t, r, "ptx");
    ret->min_cc = tn_facts_get(t, r, "min_cc");
    ret->as_built = tn_facts_get(t, r, "capabilities_as_built");
    ret->cite = tn_facts_cite(t, r);
    return *ret->sass ? TN_ANSWER_YES : TN_ANSWER_OPEN;
}

enum tn_found tn_facts_tf_libs(const char *version, enum tn_platform platform, struct tn_facts_tf_libs *ret)
{
    static const char *const components[TN_FACTS_TF_LIBS] = {"cudart", "cublas",   "cublaslt", "cufft",
                                                             "curand", "cusolver", "cusparse", "cudnn"};
    const struct tn_table *t = tn_facts_find("tf_sonames");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const struct tn_filter f = {"platform", TN_FILTER_EQ, platform_word(platform)};
    uint32_t r = range_row(t, version, "tf_from", "tf_to", &f, 1);
    if (r == t->nrows)
        return no_row(version, platform);
    ret->n = 0;
    for (unsigned i = 0; i < TN_FACTS_TF_LIBS; i++) {
        const char *file = tn_facts_get(t, r, components[i]);
        if (!*file)
            continue;
        ret->component[ret->n] = components[i];
        ret->file[ret->n++] = file;
    }
    ret->cuda = tn_facts_get(t, r, "cuda");
    ret->cudnn = tn_facts_get(t, r, "cudnn_build");
    ret->cite = tn_facts_cite(t, r);
    return TN_ANSWER_YES;
}

enum tn_found tn_facts_tf_pin(const char *version, const char *package, const char **spec, struct tn_cite *cite)
{
    const struct tn_table *t = tn_facts_find("tensorflow_python_pins");
    if (t == NULL || tn_version_dotted_count(version) < 2)
        return TN_ANSWER_BAD;
    const struct tn_filter f = {"package", TN_FILTER_EQ, package};
    uint32_t r = range_row(t, version, "tf_from", "tf_to", &f, 1);
    if (r == t->nrows)
        return TN_ANSWER_NO;
    *spec = tn_facts_get(t, r, "spec");
    if (cite)
        *cite = tn_facts_cite(t, r);
    return TN_ANSWER_YES;
}
