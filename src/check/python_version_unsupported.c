/* python_version_unsupported.c - the framework has no build for this Python.
 *
 * What the wheels carry decides: Requires-Python of the installed record (PyPA core metadata), then the wheel's tags
 * (PEP 425: cp311 loads into 3.11 alone, abi3 into later ones as well, py3 into any 3). pip looks at both; a folder
 * that was copied, or that PYTHONPATH leads to, did not pass it. Where nothing is installed but a GPU is asked for, a
 * Python newer than that of every wheel of every framework (table wheels) has most likely no build yet. */
#include <string.h>

#include "base/span.h"
#include "base/str.h"
#include "check/look.h"
#include "strings.gen.h"
#include "version/dotted.h"
#include "version/pep440.h"

/* "3.11" may be any 3.11.x: both ends must fail. */
static bool is_refused(const char *python, const char *spec, struct tn_arena *mem)
{
    bool ok = true;
    if (tn_version_pep440_match(python, spec, &ok, NULL) != 0 || ok)
        return false;
    if (tn_version_dotted_count(python) > 2)
        return true;
    return tn_version_pep440_match(tn_arena_printf(mem, "%s.99", python), spec, &ok, NULL) == 0 && !ok;
}

/* "cp311", "py3", "py2.py3" is expanded in a record: the version's numbers; false for other interpreters. */
static bool parse_python_tag(struct tn_span tag, bool *ret_any, unsigned *ret_major, int *ret_minor)
{
    if (!tn_span_starts(tag, "cp") && !tn_span_starts(tag, "py"))
        return false;
    *ret_any = tag.p[0] == 'p';
    if (tag.n < 3 || !tn_is_digit((char)tag.p[2]))
        return false;
    *ret_major = (unsigned)(tag.p[2] - '0');
    *ret_minor = tag.n == 3 ? -1 : 0;
    for (size_t i = 3; i < tag.n && i < 6; i++) {
        if (!tn_is_digit((char)tag.p[i]))
            return false;
        *ret_minor = *ret_minor * 10 + (tag.p[i] - '0');
    }
    return true;
}

/* Does one tag, "cp311-cp311-manylinux_2_17_x86_64", fit this Python? Also true for one that says nothing. */
static bool fits(const char *text, unsigned major, unsigned minor)
{
    struct tn_span tag = tn_span_str(text);
    const char *dash = strchr(text, '-');
    bool any = false;
    unsigned of_major;
    int of_minor;
    if (!dash)
        return true;
    tag.n = (size_t)(dash - text);
    if (!parse_python_tag(tag, &any, &of_major, &of_minor))
        return true;
    if (of_major != major)
        return false;
    if (of_minor < 0)
        return true;
    if (any || strncmp(dash, "-abi3-", 6) == 0)
        return (unsigned)of_minor <= minor;
    return (unsigned)of_minor == minor;
}

static bool no_tag_fits(const struct tn_rec_dist *d, const char *python)
{
    uint64_t major = 0, minor = 0;
    if (d->tags.k != TN_KNOWN || d->tags.n == 0 || !tn_version_dotted_part(python, 0, &major) ||
        !tn_version_dotted_part(python, 1, &minor))
        return false;
    for (uint32_t i = 0; i < d->tags.n; i++)
        if (fits(d->tags.v[i], (unsigned)major, (unsigned)minor))
            return false;
    return true;
}

static bool judge_dist(const struct tn_judge *j, struct tn_sink *out, size_t row, const char *name)
{
    const struct tn_rec_framework *fw = &j->s->framework.v[row];
    const struct tn_rec_dist *d = tn_judge_dist(j, name);
    const char *python = j->env->python.v;
    if (!d)
        return false;
    bool refused = tn_known(d->requires_python) && is_refused(python, d->requires_python.v, out->mem);
    if (!refused && !no_tag_fits(d, python))
        return false;
    size_t at = (size_t)(d - j->s->dist.v);
    struct tn_finding *f =
        tn_find(out, TN_CONFIRMED, refused ? TN_REF(dist, at, requires_python) : TN_REF(dist, at, tags));
    f->variant = refused ? NULL : "tag";
    tn_find_arg(out, f, "package", "%s", name);
    tn_find_arg(out, f, "version", "%s", tn_look_text(d->version, ""));
    tn_find_arg(out, f, "python", "%s", python);
    tn_find_arg(out, f, "need", "%s", refused ? d->requires_python.v : d->tags.v[0]);
    tn_find_evidence(f, TN_REF(env, j->env_row, python));
    tn_find_evidence(f, refused ? TN_REF(dist, at, requires_python) : TN_REF(dist, at, tags));
    tn_find_evidence(f, TN_REF(framework, row, version));
    tn_look_remedy_pip_choice(j, out, f, fw);
    return true;
}

static const char *const packages[] = {"tensorflow", "torch", "jaxlib"};

/* The newest Python of any wheel of this package. */
static const char *newest(const char *package)
{
    const struct tn_table *t = tn_facts_find("wheels");
    const struct tn_filter f = {"package", TN_FILTER_EQ, package};
    const char *best = "";
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, &f, 1)) < t->nrows; r++) {
        const char *v = tn_facts_get(t, r, "python_max");
        if (*v && (!*best || tn_version_dotted_cmp(v, best) > 0))
            best = v;
    }
    return best;
}

static void judge_wish(const struct tn_judge *j, struct tn_sink *out)
{
    const char *best = "", *python = j->env->python.v;
    for (unsigned i = 0; i < TN_LEN(packages); i++) {
        const char *v = newest(packages[i]);
        if (!*v)
            return;
        if (!*best || tn_version_dotted_cmp_parts(v, best, 2) > 0)
            best = v;
    }
    if (tn_version_dotted_cmp_parts(python, best, 2) <= 0)
        return;
    struct tn_finding *f = tn_find(out, TN_LIKELY, TN_REF(env, j->env_row, python));
    f->variant = "newer";
    tn_find_arg(out, f, "python", "%s", python);
    tn_find_arg(out, f, "need", "%s", best);
    tn_find_arg(out, f, "date", "%s", tn_facts_date);
    tn_find_evidence(f, TN_REF(env, j->env_row, python));
    struct tn_remedy *r = tn_find_remedy(out, f, "older-python", tn_says(j->env->kind, "conda") ? "conda" : NULL);
    tn_remedy_arg(out, r, "python", "%s", newest("tensorflow")); /* the last of the three to follow: all have it */
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    size_t row = 0, seen = 0;
    if (j->env == NULL)
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &row)); seen++) {
        if (!tn_known(j->env->python)) {
            tn_untestable(out, TN_REF(env, j->env_row, python));
            continue;
        }
        if (!judge_dist(j, out, row - 1, tn_look_package(fw)) && tn_says(fw->name, "jax"))
            judge_dist(j, out, row - 1, "jaxlib");
    }
    if (seen == 0 && j->expect == TN_EXPECT_GPU && strcmp(j->why, TN_S_expect_option) == 0 &&
        tn_known(j->env->python) && (j->s->framework.listed == TN_KNOWN || j->s->framework.listed == TN_UNASKED))
        judge_wish(j, out);
}

TN_CHECK(python_version_unsupported, "python-version-unsupported", run, .needs = TN_NEEDS_EXPECT);
