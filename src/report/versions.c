/* versions.c - which versions there are, and which one a framework uses by what it was built for.
 *
 * A toolkit's own run time is part of the toolkit and no row of its own. Equal copies in other environments are one row
 * that counts them. Which copy would be loaded is the loader's business: here the name that the build asks for decides,
 * else its CUDA release. */
#include "report/versions.h"

#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/cuda.h"
#include "strings.gen.h"
#include "version/dotted.h"

void tn_versions_init(struct tn_versions *v, struct tn_arena *mem, enum tn_lang lang)
{
    memset(v, 0, sizeof *v);
    v->mem = mem;
    v->lang = lang;
}

static const char *fill(struct tn_versions *v, const char *id, const struct tn_arg *a, unsigned n)
{
    struct tn_buf b;
    const char *form = tn_string(id, v->lang);
    tn_buf_init(&b);
    tn_text_fill(&b, form ? form : id, a, n);
    const char *s = tn_arena_strndup(v->mem, b.p ? b.p : "", b.n);
    tn_buf_deinit(&b);
    return s;
}

static const char *say(struct tn_versions *v, const char *id)
{
    return fill(v, id, NULL, 0);
}

static const char *say1(struct tn_versions *v, const char *id, const char *key, const char *value)
{
    struct tn_arg a[] = {{key, value}};
    return fill(v, id, a, 1);
}

static struct tn_version_row *add(struct tn_versions *v, const char *name, const char *component, const char *version,
                                  const char *meaning, const char *from)
{
    v->v = tn_arena_grow(v->mem, v->v, v->n, &v->cap, sizeof *v->v);
    struct tn_version_row *r = &v->v[v->n++];
    memset(r, 0, sizeof *r);
    r->name = name;
    r->component = component;
    r->version = version && *version ? tn_arena_strdup(v->mem, version) : NULL;
    r->meaning = meaning;
    r->from = tn_arena_strdup(v->mem, from ? from : "");
    return r;
}

static const char *from_of(const struct tn_snap *s, uint32_t src)
{
    return src < s->n_src && s->src[src].asked ? s->src[src].asked : "";
}

/* --- driver ----------------------------------------------------------------------------------------------------- */

static void minimum(struct tn_versions *v, const char *cuda, enum tn_platform platform, const char *os)
{
    struct tn_facts_driver_need need;
    enum tn_found found = tn_facts_cuda_driver(cuda, platform, &need);
    if ((found == TN_ANSWER_YES || found == TN_ANSWER_NEWER) && *need.floor && v->n_minimum < TN_LEN(v->minimum))
        v->minimum[v->n_minimum++] =
            (struct tn_minimum){tn_arena_strdup(v->mem, cuda), tn_arena_strdup(v->mem, need.floor), os};
}

static void minima(struct tn_versions *v, const struct tn_snap *s, const char *cuda)
{
    bool known = tn_known(TN_THE(s, host)->os);
    if (!known || tn_look_driver_platform(s) == TN_PLATFORM_WINDOWS)
        minimum(v, cuda, TN_PLATFORM_WINDOWS, "Windows");
    if (!known || tn_look_driver_platform(s) == TN_PLATFORM_LINUX)
        minimum(v, cuda, TN_PLATFORM_LINUX, "Linux");
}

static void ceiling(struct tn_versions *v, const struct tn_snap *s, struct tn_str cuda, struct tn_str driver)
{
    struct tn_facts_branch b;
    const char *version = NULL, *from = from_of(s, cuda.src), *meaning = say(v, TN_S_vs_ceiling);
    if (tn_known(cuda)) {
        version = cuda.v;
    } else if (tn_known(driver)) {
        enum tn_found found = tn_facts_driver_branch(driver.v, &b);
        from = "table driver_branches";
        if (found == TN_ANSWER_YES)
            version = b.max_cuda;
        else
            meaning = say1(v, TN_S_vs_ceiling_newer, "date", tn_facts_date);
    } else {
        return;
    }
    add(v, "driver_ceiling", "cuda", version, meaning, from);
    if (version)
        minima(v, s, version);
}

static void driver(struct tn_versions *v, const struct tn_snap *s)
{
    const struct tn_rec_driver *d = TN_THE(s, driver);
    struct tn_str number = d->version;
    if (tn_known(d->version)) {
        add(v, "driver", "cuda", d->version.v, say(v, tn_is(d->loaded, 1) ? TN_S_vs_driver_loaded : TN_S_vs_driver),
            from_of(s, d->version.src));
        if (tn_known(d->library_version) && !tn_look_wsl(s) &&
            tn_version_dotted_cmp(d->version.v, d->library_version.v) != 0)
            add(v, "driver", "cuda", d->library_version.v, say(v, TN_S_vs_driver_library_differs),
                from_of(s, d->library_version.src))
                ->path = tn_look_text(d->library_path, NULL);
    } else if (tn_known(d->library_version)) {
        number = d->library_version;
        add(v, "driver", "cuda", number.v, say(v, tn_look_wsl(s) ? TN_S_vs_driver : TN_S_vs_driver_library),
            from_of(s, number.src))
            ->path = tn_look_text(d->library_path, NULL);
    } else if (d->version.k == TN_ABSENT || (d->version.k == TN_UNASKED && d->library_version.k == TN_ABSENT)) {
        add(v, "driver", "cuda", NULL, say(v, TN_S_vs_driver_none), from_of(s, d->version.src));
    } else {
        const char *why = d->version.k == TN_DENIED   ? TN_S_vs_why_denied
                          : d->version.k == TN_FAILED ? TN_S_vs_why_failed
                                                      : TN_S_vs_why_unasked;
        add(v, "driver", "cuda", NULL, say1(v, TN_S_vs_driver_unknown, "why", say(v, why)), from_of(s, d->version.src));
    }
    ceiling(v, s, d->cuda, number);
}

/* --- toolkits --------------------------------------------------------------------------------------------------- */

static bool in_toolkit(const struct tn_snap *s, const struct tn_rec_toolkit *t, const char *path)
{
    bool in = tn_known(t->path) && tn_path_under(tn_snap_style(s), path, t->path.v);
    for (uint32_t i = 0; !in && t->names.k == TN_KNOWN && i < t->names.n; i++)
        in = tn_path_under(tn_snap_style(s), path, t->names.v[i]);
    return in;
}

/* The toolkit whose nvcc PATH finds: toolkit.n if none. By the program itself where it was looked for, else by the
 * first folder of PATH that belongs to one. */
static size_t on_path(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->program.n; i++) {
        const struct tn_rec_program *p = &s->program.v[i];
        if (!tn_says(p->name, "nvcc") || !tn_is(p->rank, 0) || !tn_says(p->by, "PATH"))
            continue;
        for (size_t k = 0; k < s->toolkit.n; k++)
            if ((tn_known(p->path) && in_toolkit(s, &s->toolkit.v[k], p->path.v)) ||
                (tn_known(p->found) && in_toolkit(s, &s->toolkit.v[k], p->found.v)))
                return k;
        return s->toolkit.n;
    }
    for (size_t i = 0; i < s->search.n; i++) {
        const struct tn_rec_search *r = &s->search.v[i];
        for (size_t k = 0; tn_says(r->by, "PATH") && tn_known(r->path) && k < s->toolkit.n; k++)
            if (tn_is(s->toolkit.v[k].on_path, 1) && tn_known(s->toolkit.v[k].nvcc) &&
                in_toolkit(s, &s->toolkit.v[k], r->path.v))
                return k;
    }
    return s->toolkit.n;
}

static void toolkits(struct tn_versions *v, const struct tn_snap *s)
{
    size_t first = on_path(s);
    for (size_t i = 0; i < s->toolkit.n; i++) {
        const struct tn_rec_toolkit *t = &s->toolkit.v[i];
        const char *nvcc = tn_look_text(t->nvcc, NULL);
        const char *meaning = nvcc ? say1(v, i == first ? TN_S_vs_toolkit_path : TN_S_vs_toolkit_nvcc, "nvcc", nvcc)
                                   : say(v, TN_S_vs_toolkit_bare);
        add(v, "toolkit", "cuda", tn_look_text(t->version, nvcc), meaning, from_of(s, t->version.src))->path =
            tn_look_text(t->path, NULL);
    }
    if (s->toolkit.n == 0 && s->toolkit.listed == TN_KNOWN)
        add(v, "toolkit", "cuda", NULL, say(v, TN_S_vs_toolkit_none), from_of(s, s->toolkit.src));
}

/* --- run times -------------------------------------------------------------------------------------------------- */

static const char *component_of(const struct tn_rec_library *l)
{
    if (!tn_known(l->stem) || tn_is(l->bits, 32) || (tn_known(l->kind) && !tn_says(l->kind, "real")))
        return NULL;
    const char *s = tn_str_starts(l->stem.v, "lib") ? l->stem.v + 3 : l->stem.v;
    return strcmp(s, "cudart") == 0 ? "cuda" : strcmp(s, "cudnn") == 0 ? "cudnn" : NULL;
}

static bool of_a_toolkit(const struct tn_snap *s, const struct tn_rec_library *l)
{
    for (size_t k = 0; tn_known(l->path) && k < s->toolkit.n; k++)
        if (in_toolkit(s, &s->toolkit.v[k], l->path.v))
            return true;
    return false;
}

/* Behind "site-packages/" or "dist-packages/"; NULL if it is not there. */
static const char *in_site(const char *path)
{
    static const char *const names[] = {"site-packages", "dist-packages"};
    for (unsigned i = 0; i < TN_LEN(names); i++) {
        const char *p = strstr(path, names[i]);
        if (p && p[strlen(names[i])])
            return p + strlen(names[i]) + 1;
    }
    return NULL;
}

static const char *copy_meaning(struct tn_versions *v, const struct tn_snap *s, const struct tn_rec_library *l,
                                const char *component, const struct tn_rec_env *e)
{
    const char *what = strcmp(component, "cuda") == 0 ? "cudart" : "cuDNN", *path = tn_look_text(l->path, "");
    const char *site = in_site(path), *id = TN_S_vs_runtime_env;
    struct tn_arg a[] = {{"what", what}, {"env", e ? tn_look_text(e->path, "?") : ""}, {"package", ""}};
    if (!e) {
        id = of_a_toolkit(s, l) ? TN_S_vs_runtime_toolkit : TN_S_vs_runtime_system;
    } else if (site && (tn_str_starts(site, "nvidia/") || tn_str_starts(site, "nvidia\\"))) {
        id = TN_S_vs_runtime_wheel;
    } else if (site) {
        id = TN_S_vs_runtime_bundled;
        a[2].value = tn_arena_strndup(v->mem, site, strcspn(site, "/\\"));
    } else if (tn_says(e->kind, "conda")) {
        id = TN_S_vs_runtime_conda;
    }
    return fill(v, id, a, TN_LEN(a));
}

/* The judged environment's copies and those of none; of other environments so many that a page holds them. */
#define MAX_COPIES 16u

static bool is_listed(const struct tn_versions *v, size_t from, const char *path)
{
    for (size_t k = from; k < v->n; k++)
        if (tn_str_eq(v->v[k].path, path))
            return true;
    return false;
}

static void runtimes(struct tn_versions *v, const struct tn_judge *j, const char *component)
{
    const struct tn_snap *s = j->s;
    bool cuda = strcmp(component, "cuda") == 0;
    size_t before = v->n;
    unsigned more = 0;
    for (size_t i = 0; i < 2 * s->library.n; i++) {
        bool others = i >= s->library.n;
        const struct tn_rec_library *l = &s->library.v[others ? i - s->library.n : i];
        const char *mine = component_of(l);
        bool foreign = tn_known(l->env) && !tn_judge_sees(j, l->env);
        if (!mine || strcmp(mine, component) != 0 || foreign != others ||
            (cuda && !tn_known(l->env) && of_a_toolkit(s, l)))
            continue;
        if (v->n - before >= MAX_COPIES) {
            more++;
            continue;
        }
        const struct tn_rec_env *e = tn_known(l->env) ? tn_snap_env(s, l->env.v) : NULL;
        const char *version = tn_look_text(l->version, tn_look_text(l->soname, "")),
                   *path = tn_look_text(l->path, NULL);
        if (is_listed(v, before, path))
            continue;
        struct tn_version_row *r = add(v, "runtime", component, version, copy_meaning(v, s, l, component, e),
                                       from_of(s, tn_known(l->version) ? l->version.src : l->path.src));
        r->path = path;
        r->env = e ? tn_look_text(e->path, NULL) : NULL;
    }
    if (v->n == before && cuda && s->library.listed == TN_KNOWN)
        add(v, "runtime", component, NULL, say(v, TN_S_vs_runtime_none), from_of(s, s->library.src));
    struct tn_arg a[] = {{"n", tn_arena_printf(v->mem, "%u", more)}, {"what", cuda ? "cudart" : "cuDNN"}};
    if (more && v->n_note < TN_LEN(v->note))
        v->note[v->n_note++] = fill(v, TN_S_vs_more, a, TN_LEN(a));
}

/* --- frameworks ------------------------------------------------------------------------------------------------- */

/* The row of the run time that the framework uses; library.n if there is none. */
static size_t runtime_of(const struct tn_judge *j, const struct tn_rec_framework *f, const char *cuda)
{
    const char *asks[TN_MAX_ASKS];
    unsigned n = tn_look_asks(j->s, f, asks);
    for (unsigned i = 0; i < n; i++)
        if (tn_str_starts(asks[i], "libcudart") || tn_str_starts(asks[i], "cudart"))
            return tn_look_library(j, f, asks[i]);
    size_t row = 0, best = j->s->library.n;
    for (const struct tn_rec_library *l; *cuda && (l = tn_judge_library(j, &row));) {
        const char *c = component_of(l);
        if (!c || strcmp(c, "cuda") != 0 || !tn_known(l->version) || !tn_look_found(j, l) ||
            tn_version_dotted_cmp_parts(l->version.v, cuda, tn_version_dotted_major(cuda) >= 11 ? 1 : 2) != 0)
            continue;
        if (best == j->s->library.n || (tn_known(l->env) && !tn_known(j->s->library.v[best].env)))
            best = row - 1;
    }
    return best;
}

static void mark(struct tn_versions *v, const struct tn_snap *s, const struct tn_rec_framework *f, size_t library,
                 const char *cuda)
{
    const char *package = tn_look_package(f), *path = NULL, *runtime = NULL;
    if (library < s->library.n) {
        const struct tn_rec_library *l = &s->library.v[library];
        path = tn_look_text(l->path, "?");
        runtime = tn_look_text(l->version, tn_look_text(l->soname, "?"));
        for (size_t i = 0; i < v->n; i++) /* a toolkit's run time has no row of its own: then the toolkit's */
            if (v->v[i].path && ((strcmp(v->v[i].name, "runtime") == 0 && strcmp(v->v[i].path, path) == 0) ||
                                 (strcmp(v->v[i].name, "toolkit") == 0 && !tn_known(l->env) &&
                                  tn_path_under(tn_snap_style(s), path, v->v[i].path))))
                v->v[i].used = v->v[i].used ? tn_arena_printf(v->mem, "%s, %s", v->v[i].used, package) : package;
    }
    struct tn_arg a[] = {{"package", package},
                         {"version", tn_look_text(f->version, "")},
                         {"runtime", runtime ? runtime : ""},
                         {"path", path ? path : ""},
                         {"cuda", cuda}};
    if (v->n_note < TN_LEN(v->note))
        v->note[v->n_note++] = fill(v, path ? TN_S_vs_uses : TN_S_vs_uses_nothing, a, TN_LEN(a));
}

static void built_for(struct tn_versions *v, const struct tn_judge *j, bool cudnn)
{
    const struct tn_snap *s = j->s;
    size_t row = 0;
    unsigned n = 0;
    for (const struct tn_rec_framework *f; (f = tn_judge_framework(j, &row)); n++) {
        const char *version = cudnn ? tn_look_cudnn(s, f) : tn_look_cuda(s, f);
        struct tn_arg a[] = {{"package", tn_look_package(f)}, {"version", tn_look_text(f->version, "")}};
        bool cpu = tn_is(f->gpu_build, 0);
        if (cudnn && !*version)
            continue;
        struct tn_str fact = cudnn ? f->cudnn : f->cuda;
        struct tn_version_row *r = add(v, "framework_built_for", cudnn ? "cudnn" : "cuda", cpu ? NULL : version,
                                       fill(v,
                                            cpu        ? TN_S_vs_built_cpu
                                            : *version ? TN_S_vs_built_for
                                                       : TN_S_vs_built_unknown,
                                            a, TN_LEN(a)),
                                       tn_known(fact) ? from_of(s, fact.src) : "tables");
        r->path = tn_look_text(f->path, NULL);
        r->env = j->env ? tn_look_text(j->env->path, NULL) : NULL;
        if (!cudnn && !cpu && *version)
            mark(v, s, f, runtime_of(j, f, version), version);
    }
    if (!n && !cudnn && s->framework.listed == TN_KNOWN)
        add(v, "framework_built_for", "cuda", NULL, say(v, TN_S_vs_built_none), from_of(s, s->framework.src));
}

void tn_versions_of_machine(struct tn_versions *v, const struct tn_judge *j)
{
    driver(v, j->s);
    toolkits(v, j->s);
    runtimes(v, j, "cuda");
    built_for(v, j, false);
    runtimes(v, j, "cudnn");
    built_for(v, j, true);
}

/* --- a text ----------------------------------------------------------------------------------------------------- */

void tn_versions_of_text(struct tn_versions *v, const struct tn_snap *s)
{
    static const struct {
        const char *fact, *name, *meaning;
    } rows[] = {{"driver.version", "driver", TN_S_vs_driver},
                {"driver.nvml_version", "driver", TN_S_vs_driver_library_text},
                {"driver.cuda", "driver_ceiling", TN_S_vs_ceiling},
                {"toolkit.nvcc", "toolkit", TN_S_vs_toolkit_text},
                {"toolkit.version", "toolkit", TN_S_vs_toolkit_file},
                {"library.version", "runtime", TN_S_vs_runtime_text}};
    bool have_ceiling = false;
    for (unsigned k = 0; k < TN_LEN(rows); k++)
        for (size_t i = 0; i < s->observation.n; i++) {
            const struct tn_rec_observation *o = &s->observation.v[i];
            if (!tn_says(o->fact, rows[k].fact))
                continue;
            bool is_ceiling = strcmp(rows[k].name, "driver_ceiling") == 0;
            const char *id = is_ceiling && !tn_known(o->value) ? TN_S_vs_ceiling_none : rows[k].meaning;
            unsigned line = o->line.k == TN_KNOWN ? (unsigned)o->line.v : 0;
            add(v, rows[k].name, "cuda", tn_look_text(o->value, NULL), say(v, id), from_of(s, o->line.src))->line =
                line;
            if (is_ceiling && tn_known(o->value) && !have_ceiling)
                minima(v, s, o->value.v);
            have_ceiling |= is_ceiling;
        }
    for (size_t i = 0; i < s->observation.n && !have_ceiling; i++) /* an old banner: the tables know */
        if (tn_says(s->observation.v[i].fact, "driver.version") && tn_known(s->observation.v[i].value)) {
            struct tn_str none = {NULL, 0, TN_UNASKED};
            ceiling(v, s, none, s->observation.v[i].value);
            have_ceiling = true;
        }
}

bool tn_versions_any(const struct tn_versions *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->v[i].version)
            return true;
    return false;
}
