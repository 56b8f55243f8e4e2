/* file.c - see file.h: which kind of file it is, its lines, and the wishes that they make. */
#include "plan/file.h"

#include <string.h>

#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "version/dotted.h"
#include "version/pep440.h"
#include "version/wheeltag.h"

static const char *const kind_words[TN_FILE_KINDS] = {"requirements", "environment", "pyproject", "lock",
                                                      "dockerfile",   "image",       "wheel"};

const char *tn_file_kind_word(enum tn_file_kind k)
{
    return kind_words[k];
}

static bool has_line(struct tn_span text, const char *const *starts)
{
    struct tn_span line;
    for (unsigned i = 0; i < 4096 && tn_span_line(&text, &line); i++)
        for (unsigned k = 0; starts[k]; k++)
            if (tn_span_starts(line, starts[k]))
                return true;
    return false;
}

enum tn_file_kind tn_wish_file_kind(const char *name, struct tn_span text)
{
    static const char *const from[] = {"FROM ", "from ", NULL}, *const conda[] = {"dependencies:", NULL};
    static const char *const toml[] = {"[project]", "[tool.", "[build-system]", NULL};
    const char *base = tn_path_base(TN_PATH_POSIX, name);
    if (strrchr(base, '\\'))
        base = strrchr(base, '\\') + 1;
    if (tn_str_ends(base, ".whl") || tn_span_starts(text, "PK\3\4"))
        return TN_FILE_WHEEL;
    if (tn_str_eq(base, "uv.lock") || tn_str_eq(base, "poetry.lock") ||
        (tn_str_starts(base, "pylock") && tn_str_ends(base, ".toml")))
        return TN_FILE_LOCK;
    if (tn_str_ends(base, ".toml"))
        return TN_FILE_PYPROJECT;
    if (tn_str_ends(base, ".yml") || tn_str_ends(base, ".yaml"))
        return TN_FILE_CONDA;
    if (tn_str_starts(base, "Dockerfile") || tn_str_starts(base, "Containerfile") || tn_str_ends(base, ".dockerfile") ||
        tn_str_ends(base, ".Dockerfile"))
        return TN_FILE_DOCKER;
    if (tn_str_ends(base, ".json"))
        return TN_FILE_IMAGE;
    if (tn_str_ends(base, ".txt") || tn_str_ends(base, ".in"))
        return TN_FILE_REQUIREMENTS;
    struct tn_span s = tn_span_trim(text);
    if (s.n && (s.p[0] == '{' || (s.p[0] == '[' && !has_line(text, toml))))
        return TN_FILE_IMAGE;
    return has_line(text, from)    ? TN_FILE_DOCKER
           : has_line(text, toml)  ? TN_FILE_PYPROJECT
           : has_line(text, conda) ? TN_FILE_CONDA
                                   : TN_FILE_REQUIREMENTS;
}

int tn_wish_file_read(const struct tn_wish_reader *r, enum tn_file_kind kind, struct tn_span text,
                      struct tn_wish_file *ret, struct tn_err *err)
{
    typedef int (*reader)(const struct tn_wish_reader *, struct tn_span, struct tn_wish_file *, struct tn_err *);
    static const reader readers[TN_FILE_KINDS] = {
        [TN_FILE_REQUIREMENTS] = tn_file_requirements,
        [TN_FILE_CONDA] = tn_file_environment,
        [TN_FILE_PYPROJECT] = tn_file_pyproject,
        [TN_FILE_LOCK] = tn_file_lock,
        [TN_FILE_DOCKER] = tn_file_docker,
        [TN_FILE_IMAGE] = tn_file_image,
    };
    memset(ret, 0, sizeof *ret);
    ret->kind = kind;
    if (text.n > TN_MAX_TEXT_FILE)
        return tn_err_set(err, TN_E_LIMIT, r->name, "larger than %u MB", TN_MAX_TEXT_FILE >> 20);
    if (tn_span_starts(text, "\xEF\xBB\xBF"))
        text = tn_span_from(text, 3);
    bool lines = kind != TN_FILE_REQUIREMENTS && kind != TN_FILE_IMAGE; /* those two say it of the line themselves */
    if (lines && text.n && memchr(text.p, 0, text.n))
        return tn_err_set(err, TN_E_FORMAT, r->name, "it holds a NUL character: no text");
    if (!readers[kind])
        return tn_err_set(err, TN_E_UNSUPPORTED, r->name, "files of this kind are not read");
    return readers[kind](r, text, ret, err);
}

/* --- lines --- */

struct tn_wish_line *tn_wish_line_add(const struct tn_wish_reader *r, struct tn_wish_file *f, enum tn_line_what what,
                                      unsigned line, struct tn_span text)
{
    text = tn_span_trim(text);
    if (f->n >= TN_MAX_WISH_LINES) { /* the last one is written over: what is cut is said */
        f->cut = true;
        f->n--;
    } else if (f->n == f->cap) {
        f->v = tn_arena_grow(r->mem, f->v, f->n, &f->cap, sizeof *f->v);
    }
    size_t n = text.n > TN_MAX_WISH_TEXT ? TN_MAX_WISH_TEXT : text.n;
    struct tn_wish_line *l = &f->v[f->n++];
    *l = (struct tn_wish_line){.what = what,
                               .file = r->name,
                               .text = tn_arena_strndup(r->mem, (const char *)text.p, n),
                               .line = line,
                               .spec = "",
                               .marker = TN_MARKER_YES,
                               .note = "",
                               .wish = -1,
                               .other = -1,
                               .say = -1};
    return l;
}

void tn_wish_line_broken(const struct tn_wish_reader *r, struct tn_wish_file *f, unsigned line, struct tn_span text,
                         const char *why)
{
    tn_wish_line_add(r, f, TN_LINE_BROKEN, line, text)->note = why;
}

/* "torch @ https://host/torch-2.3.0%2Bcu121-cp311-cp311-linux_x86_64.whl" is "torch==2.3.0+cu121". */
static const char *of_url(struct tn_arena *mem, struct tn_span url)
{
    struct tn_wheel wheel;
    struct tn_err err;
    char *s = tn_arena_strndup(mem, (const char *)url.p, url.n);
    s[strcspn(s, "#?; \t")] = '\0';
    const char *slash = strrchr(s, '/');
    char *base = tn_arena_strdup(mem, slash ? slash + 1 : s), *plus = strstr(base, "%2B");
    plus = plus ? plus : strstr(base, "%2b");
    if (plus) {
        *plus = '+';
        memmove(plus + 1, plus + 3, strlen(plus + 3) + 1);
    }
    if (tn_version_wheel_parse(base, mem, &wheel, &err) != 0)
        return "";
    return tn_arena_printf(mem, "%s==%s", wheel.name, wheel.version);
}

static size_t url_at(struct tn_span s)
{
    size_t at = s.p ? tn_span_find(s, 0, "://", 3) : SIZE_MAX;
    while (at != SIZE_MAX && at > 0 && tn_is_alpha((char)s.p[at - 1]))
        at--;
    return at;
}

void tn_wish_line_requirement(const struct tn_wish_reader *r, struct tn_wish_file *f, enum tn_line_what what,
                              unsigned line, struct tn_span text, struct tn_span requirement)
{
    struct tn_requirement q;
    struct tn_err err;
    requirement = tn_span_trim(requirement);
    if (memchr(requirement.p ? (const char *)requirement.p : "", 0, requirement.n)) {
        tn_wish_line_broken(r, f, line, text, "a NUL character");
        return;
    }
    const char *s = tn_arena_strndup(r->mem, (const char *)requirement.p, requirement.n);
    size_t url = url_at(requirement);
    if (url != SIZE_MAX) {
        const char *spec = of_url(r->mem, tn_span_from(requirement, url));
        struct tn_wish_line *l = tn_wish_line_add(r, f, *spec ? what : TN_LINE_FILE, line, text);
        l->spec = spec;
        l->note = *spec ? "" : "an address whose name tells no version";
        l->open = !*spec;
        size_t semi = tn_span_find(requirement, url, " ;", 2);
        if (semi != SIZE_MAX)
            l->marker = tn_version_marker(tn_span_from(requirement, semi + 2), &r->env);
        return;
    }
    if (tn_version_requirement_parse(s, &q, &err) != 0) {
        tn_wish_line_broken(r, f, line, text, tn_arena_strdup(r->mem, err.text));
        return;
    }
    if (!tn_version_marker_ok(q.marker)) {
        tn_wish_line_broken(r, f, line, text, "what stands behind ';' is no marker");
        return;
    }
    struct tn_wish_line *l = tn_wish_line_add(r, f, what, line, text);
    l->marker = q.marker.n ? tn_version_marker(q.marker, &r->env) : TN_MARKER_YES;
    const char *plus = strchr(q.spec, '+');
    if (tn_str_starts(q.spec, "==") && plus && !strchr(q.spec, ',') && !tn_str_eq(q.name, "torch"))
        q.spec[plus - q.spec] = '\0'; /* who built it decides nothing here; of PyTorch it says for which CUDA */
    l->spec = *q.extras ? tn_arena_printf(r->mem, "%s[%s]%s", q.name, q.extras, q.spec)
                        : tn_arena_printf(r->mem, "%s%s", q.name, q.spec);
    for (char *p = strchr((char *)l->spec, '['); p && *p && *p != ']'; p++)
        if (*p == ' ')
            *p = ',';
}

/* --- wishes --- */

static void note_kind(const struct tn_wish_line *l, struct tn_plan_wishes *w)
{
    if (l->wish < 0)
        return;
    w->v[l->wish].gpu = w->v[l->wish].gpu || (l->gpu && !w->v[l->wish].cpu);
    w->v[l->wish].cpu = w->v[l->wish].cpu || (l->cpu && !w->v[l->wish].gpu);
}

static void make_wish(struct tn_arena *mem, struct tn_wish_line *l, struct tn_plan_wishes *w)
{
    struct tn_err err;
    struct tn_plan_wishes before = *w;
    if (tn_plan_wish(mem, w, l->spec, &err) != 0) {
        *w = before;
        l->what = TN_LINE_BROKEN;
        l->note = tn_arena_strdup(mem, err.text);
        return;
    }
    for (unsigned i = 0; i < w->n; i++)
        if (i >= before.n || w->v[i].asked != before.v[i].asked)
            l->wish = (int)i;
    if (w->n_other > before.n_other)
        l->other = (int)w->n_other - 1;
    if (w->say.n > before.say.n) {
        l->say = (int)before.say.n;
        l->n_say = (int)(w->say.n - before.say.n);
    }
    note_kind(l, w);
}

/* The kind of wish that a constraint binds; false if nothing wanted has its name. */
static bool is_wanted(struct tn_arena *mem, const char *spec, const struct tn_plan_wishes *w,
                      struct tn_plan_wishes *one)
{
    struct tn_err err;
    tn_plan_wishes_init(one);
    if (tn_plan_wish(mem, one, spec, &err) != 0)
        return true; /* it is broken: say so */
    for (unsigned i = 0; i < w->n; i++)
        if (one->n && one->v[0].kind == w->v[i].kind)
            return true;
    for (unsigned i = 0; i < w->n_other; i++)
        if (one->n_other && tn_str_eq(one->other[0].name, w->other[i].name))
            return true;
    return false;
}

/* "3.10", "3.10.4", ">=3.9,<3.13" */
static bool is_python(const char *spec)
{
    bool met;
    struct tn_err err;
    return *spec &&
           (tn_is_digit(*spec) ? tn_version_dotted_ok(spec) : tn_version_pep440_match("3.10", spec, &met, &err) == 0);
}

void tn_wish_file_wishes(struct tn_arena *mem, struct tn_wish_file *f, struct tn_plan_wishes *w)
{
    for (size_t i = 0; i < f->n; i++) {
        struct tn_wish_line *l = &f->v[i];
        if (l->what == TN_LINE_WANT && l->marker != TN_MARKER_NO)
            make_wish(mem, l, w);
        else if (l->marker == TN_MARKER_NO)
            continue;
        else if (l->what == TN_LINE_PYTHON && !is_python(l->spec))
            *l = (struct tn_wish_line){.what = TN_LINE_BROKEN,
                                       .file = l->file,
                                       .text = l->text,
                                       .line = l->line,
                                       .spec = "",
                                       .marker = l->marker,
                                       .note = "no version of Python",
                                       .wish = -1,
                                       .other = -1,
                                       .say = -1};
        else if (l->what == TN_LINE_PYTHON && !*w->python)
            w->python = l->spec;
        else if (l->what == TN_LINE_CUDA && !*w->cuda)
            w->cuda = l->spec;
    }
    struct tn_plan_wishes *one = tn_arena_alloc(mem, sizeof *one);
    for (size_t i = 0; i < f->n; i++) {
        struct tn_wish_line *l = &f->v[i];
        if (l->what == TN_LINE_CONSTRAINT && l->marker != TN_MARKER_NO && is_wanted(mem, l->spec, w, one))
            make_wish(mem, l, w);
    }
}

void tn_wish_markers(struct tn_arena *mem, const struct tn_plan_machine *m, const char *python,
                     struct tn_marker_env *ret)
{
    char minor[TN_DOTTED_TEXT];
    *ret = (struct tn_marker_env){.implementation = "cpython",
                                  .extra = "",
                                  .os_name = m->windows ? "nt" : "posix",
                                  .sys_platform = m->windows ? "win32"
                                                  : m->macos ? "darwin"
                                                             : "linux",
                                  .platform_system = m->windows ? "Windows"
                                                     : m->macos ? "Darwin"
                                                                : "Linux",
                                  .platform_machine = m->arch};
    if (m->windows && tn_str_eq(m->arch, "x86_64"))
        ret->platform_machine = "AMD64";
    if (m->macos && tn_str_eq(m->arch, "aarch64"))
        ret->platform_machine = "arm64";
    if (tn_version_dotted_head(python, 2, minor, sizeof minor))
        ret->python_version = tn_arena_strdup(mem, minor);
    if (tn_version_dotted_ok(python) && tn_version_dotted_count(python) >= 3)
        ret->python_full_version = python;
}
