/* path_variable_malformed.c - a variable that holds folders holds something that no reader of it takes for one.
 *
 * Rules: ld.so(8): LD_LIBRARY_PATH is cut at colons and semicolons, an empty item is the current folder, only $ORIGIN,
 * $LIB and $PLATFORM are expanded; POSIX, "Environment Variables": PATH is cut at colons, and nobody expands $ or ~ in
 * it (bash alone does ~); on Windows %NAME% stands where a value of type REG_SZ took it literally. XLA takes
 * --xla_gpu_cuda_data_dir as it is written (xla/debug_options_flags.cc). CUDA_HOME and its kin name one folder, the one
 * above bin (torch/utils/cpp_extension.py: os.path.join(CUDA_HOME, "bin", "nvcc")).
 * In PATH only what names CUDA matters here. A folder that is merely not there is a note: nothing reads it. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "version/dotted.h"

static bool has_word(const char *text, const char *word) /* ASCII case ignored; word is lower case */
{
    size_t n = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tn_lower(text[i]) == word[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

static bool names_cuda(const char *path)
{
    return has_word(path, "cuda") || has_word(path, "cudnn") || has_word(path, "nvidia") || has_word(path, "tensorrt");
}

/* $ that the loader itself expands. */
static bool is_loader_token(const char *at)
{
    static const char *const token[] = {"$ORIGIN", "${ORIGIN}", "$LIB", "${LIB}", "$PLATFORM", "${PLATFORM}"};
    for (unsigned i = 0; i < TN_LEN(token); i++)
        if (tn_str_starts(at, token[i]))
            return true;
    return false;
}

static bool has_literal(const char *e, bool windows, bool loader)
{
    if (windows) {
        const char *a = strchr(e, '%'), *b = a ? strchr(a + 1, '%') : NULL;
        return b && b > a + 1;
    }
    for (const char *at = e; (at = strchr(at, '$')); at++)
        if (!(loader && is_loader_token(at)) && (tn_is_alpha(at[1]) || at[1] == '_' || at[1] == '{' || at[1] == '('))
            return true;
    return false;
}

/* What is wrong with one folder of a variable: a variant of the cause; NULL when it is well written. */
static const char *fault(const struct tn_judge *j, const char *e, bool loader)
{
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    size_t n = strlen(e);
    if (has_literal(e, windows, loader))
        return "literal";
    if (!windows && e[0] == '~' && (e[1] == '/' || e[1] == '\0') && !j->s->redacted) /* a report writes home as ~ */
        return "home";
    if (strchr(e, '"') || (!windows && strchr(e, '\'')))
        return "quotes";
    if (tn_str_starts(e, "PATH=") || tn_str_starts(e, "LD_LIBRARY_PATH=") || tn_str_starts(e, "export "))
        return "assignment";
    if (!windows && strchr(e, ';'))
        return "separator";
    if (n && (e[0] == ' ' || e[n - 1] == ' '))
        return "blank";
    return NULL;
}

/* The list without these elements, to type. */
static const char *without_faults(const struct tn_judge *j, struct tn_arena *mem, const char *by)
{
    const char *all = "";
    for (size_t i = 0; i < j->s->search.n; i++) {
        const struct tn_rec_search *r = &j->s->search.v[i];
        if (tn_says(r->by, by) && tn_known(r->path) && !tn_says(r->path, ".") &&
            !fault(j, r->path.v, strcmp(by, "LD_LIBRARY_PATH") == 0))
            all = tn_arena_printf(mem, "%s%s%s", all, *all ? ":" : "", r->path.v);
    }
    return all;
}

static struct tn_finding *report(const struct tn_judge *j, struct tn_sink *out, enum tn_severity severity,
                                 const char *name, const char *variant, const char *what)
{
    size_t row = tn_look_variable(j->s, name);
    struct tn_finding *f = tn_find(out, severity == TN_NOTE ? TN_POSSIBLE : TN_CONFIRMED, TN_REF(variable, row, value));
    f->severity = severity;
    f->variant = variant;
    tn_find_arg(out, f, "name", "%s", name);
    tn_find_arg(out, f, "what", "%s", what);
    tn_find_evidence(f, TN_REF(variable, row, value));
    return f;
}

static void remedy(const struct tn_judge *j, struct tn_sink *out, struct tn_finding *f, const char *name,
                   const char *value)
{
    bool windows = tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    struct tn_remedy *r = tn_find_remedy(out, f, "mend-variable", windows ? "windows" : *value ? "set" : "unset");
    tn_remedy_arg(out, r, "name", "%s", name);
    if (!windows && *value)
        tn_remedy_arg(out, r, "value", "%s", value);
}

/* Does the judged environment want libraries that lie where no loader looks? Then this is why. */
static bool misses_libraries(const struct tn_judge *j)
{
    struct tn_look_cuda_libs libs;
    struct tn_arena tmp;
    struct tn_sink aside;
    size_t row = 0;
    bool yes = false;
    tn_arena_init(&tmp);
    tn_sink_init(&aside, &tmp);
    aside.cause = "path-variable-malformed";
    while (!yes && tn_look_gpu_build(j, &aside, &row))
        yes = tn_look_cuda_libs(j, &aside, row - 1, &libs) && libs.n_unreached > 0;
    tn_arena_deinit(&tmp);
    return yes;
}

static void judge_list(const struct tn_judge *j, struct tn_sink *out, const char *by)
{
    bool loader = strcmp(by, "LD_LIBRARY_PATH") == 0;
    bool decides = loader || tn_look_platform(j->s) == TN_PLATFORM_WINDOWS;
    if (tn_look_variable(j->s, by) == j->s->variable.n)
        return;
    for (size_t i = 0; i < j->s->search.n; i++) {
        const struct tn_rec_search *r = &j->s->search.v[i];
        const char *why = tn_says(r->by, by) && tn_known(r->path) ? fault(j, r->path.v, loader) : NULL;
        if (!why || (!loader && !names_cuda(r->path.v)))
            continue;
        enum tn_severity severity = decides && names_cuda(r->path.v) && misses_libraries(j) ? TN_ERROR : TN_WARNING;
        struct tn_finding *f = report(j, out, severity, by, why, r->path.v);
        tn_find_evidence(f, TN_REF(search, i, path));
        remedy(j, out, f, by, without_faults(j, out->mem, by));
        return; /* the value is mended as a whole */
    }
}

static size_t dir_of(const struct tn_snap *s, const char *path)
{
    for (size_t i = 0; i < s->dir.n; i++)
        if (tn_says(s->dir.v[i].path, path))
            return i;
    return s->dir.n;
}

/* The toolkit that this path leads to, or toolkit.n. */
static size_t toolkit_of(const struct tn_snap *s, const char *path)
{
    enum tn_path_style style = tn_snap_style(s);
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        if (tn_known(t->path) && tn_path_same(style, t->path.v, path))
            return i;
        for (size_t k = 0; t->names.k == TN_KNOWN && k < t->names.n; k++)
            if (tn_path_same(style, t->names.v[k], path))
                return i;
    }
    return s->toolkit.n;
}

/* The nvcc that PATH finds is of another release than the toolkit that the variable names: builds may mix them. */
static void judge_other(const struct tn_judge *j, struct tn_sink *out, const char *name, const char *value)
{
    const struct tn_snap *s = j->s;
    size_t t = toolkit_of(s, value), p = 0;
    while (p < s->program.n && !(tn_says(s->program.v[p].name, "nvcc") && tn_is(s->program.v[p].rank, 0)))
        p++;
    if (t == s->toolkit.n || p == s->program.n || !tn_known(s->toolkit.v[t].version) ||
        !tn_known(s->program.v[p].version) || tn_version_dotted_count(s->toolkit.v[t].version.v) < 2 ||
        tn_version_dotted_cmp_parts(s->toolkit.v[t].version.v, s->program.v[p].version.v, 2) == 0)
        return;
    struct tn_finding *f = report(j, out, TN_NOTE, name, "other", value);
    tn_find_arg(out, f, "cuda", "%s", s->toolkit.v[t].version.v);
    tn_find_arg(out, f, "nvcc", "%s", s->program.v[p].version.v);
    tn_find_evidence(f, TN_REF(toolkit, t, version));
    tn_find_evidence(f, TN_REF(program, p, version));
}

static void judge_folder(const struct tn_judge *j, struct tn_sink *out, const char *name)
{
    size_t row = tn_look_variable(j->s, name);
    const char *value = row < j->s->variable.n ? j->s->variable.v[row].value.v : "";
    enum tn_path_style style = tn_snap_style(j->s);
    const char *why = *value ? fault(j, value, false) : NULL, *base = tn_path_base(style, value);
    if (!*value)
        return;
    if (!why && style == TN_PATH_POSIX && strchr(value, ':'))
        why = "list";
    if (!why && style == TN_PATH_WINDOWS && strchr(value, ';'))
        why = "list";
    if (!why && strcmp(name, "CUDNN_PATH") != 0 && toolkit_of(j->s, value) == j->s->toolkit.n &&
        (tn_str_ieq(base, "bin") || tn_str_ieq(base, "nvcc") || tn_str_ieq(base, "nvcc.exe")))
        why = "bin";
    if (why) {
        remedy(j, out, report(j, out, TN_WARNING, name, why, value), name, "");
        return;
    }
    size_t d = dir_of(j->s, value);
    if (d < j->s->dir.n && tn_is(j->s->dir.v[d].exists, 0)) {
        struct tn_finding *f = report(j, out, TN_NOTE, name, "absent", value);
        tn_find_evidence(f, TN_REF(dir, d, exists));
        remedy(j, out, f, name, "");
        return;
    }
    if (strcmp(name, "CUDNN_PATH") != 0)
        judge_other(j, out, name, value);
}

static void judge_xla(const struct tn_judge *j, struct tn_sink *out)
{
    static const char option[] = "--xla_gpu_cuda_data_dir=";
    size_t row = tn_look_variable(j->s, "XLA_FLAGS");
    const char *at = row < j->s->variable.n ? strstr(j->s->variable.v[row].value.v, option) : NULL;
    if (!at)
        return;
    at += sizeof option - 1;
    const char *value = tn_arena_strndup(out->mem, at, strcspn(at, " \t")), *why = fault(j, value, false);
    if (why && strcmp(why, "quotes") != 0) /* XLA's own reader knows quotes */
        remedy(j, out, report(j, out, TN_WARNING, "XLA_FLAGS", why, value), "XLA_FLAGS", "");
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    static const char *const folder[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDNN_PATH"};
    if (j->s->variable.listed != TN_KNOWN)
        return; /* another root: there is no shell whose variables could be wrong */
    if (tn_look_platform(j->s) == TN_PLATFORM_LINUX)
        judge_list(j, out, "LD_LIBRARY_PATH");
    judge_list(j, out, "PATH");
    for (unsigned i = 0; i < TN_LEN(folder); i++)
        judge_folder(j, out, folder[i]);
    judge_xla(j, out);
}

TN_CHECK(path_variable_malformed, "path-variable-malformed", run,
         .needs = TN_NEEDS_LIBRARY | TN_HAS(search) | TN_HAS(dir) | TN_HAS(toolkit) | TN_HAS(program));
