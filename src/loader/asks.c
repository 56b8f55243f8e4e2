/* asks.c - see asks.h: what the rules share. */
#include "loader/asks.h"

#include <string.h>

#include "base/str.h"
#include "loader/loader.h"
#include "version/dotted.h"
#include "version/soname.h"

const char *const tn_ask_parts[] = {"gpu", "import",    "driver",   "dnn",      "linalg",
                                    "jit", "multi-gpu", "profiler", "tensorrt", NULL};

static const struct tn_rec_env *env_of(const struct tn_snap *s, const struct tn_rec_framework *f)
{
    return tn_known(f->env) ? tn_snap_env(s, f->env.v) : NULL;
}

bool tn_asks_make(struct tn_asks *a, struct tn_arena *mem, const struct tn_snap *s, const struct tn_rec_framework *f)
{
    return tn_asks_make_call(a, mem, s, f, NULL);
}

bool tn_asks_make_call(struct tn_asks *a, struct tn_arena *mem, const struct tn_snap *s,
                       const struct tn_rec_framework *f, const char *call)
{
    enum tn_path_style style = tn_snap_style(s);
    memset(a, 0, sizeof *a);
    a->mem = mem;
    a->s = s;
    a->f = f;
    a->env = env_of(s, f);
    if (!tn_known(f->name) || !tn_is(f->gpu_build, 1) || !tn_known(f->path))
        return false;
    a->site = tn_path_dir(mem, style, f->path.v);
    for (const struct tn_asks_rule *const *r = tn_asks_rules; *r; r++)
        if (strcmp((*r)->framework, f->name.v) == 0 && tn_str_eq((*r)->call, call) &&
            (*r)->windows == (style == TN_PATH_WINDOWS))
            (*r)->run(a);
    return a->n > 0;
}

const char *tn_asks_path(struct tn_asks *a, const char *below_site)
{
    return tn_path_join(a->mem, tn_snap_style(a->s), a->site, below_site);
}

static struct tn_ask *add(struct tn_asks *a, enum tn_ask_how how, enum tn_ask_class is, const char *part)
{
    static struct tn_ask dropped; /* written, never read */
    struct tn_ask *r = a->n < TN_MAX_REQUESTS ? &a->v[a->n++] : &dropped;
    memset(r, 0, sizeof *r);
    r->how = how;
    r->is = is;
    r->part = part;
    return r;
}

const char *tn_asks_own(struct tn_asks *a, const char *below_package)
{
    return tn_path_join(a->mem, tn_snap_style(a->s), a->f->path.v, below_package);
}

static struct tn_ask *file(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *const *path,
                           unsigned n)
{
    struct tn_ask *r = add(a, TN_ASK_FILE, is, part);
    r->name = tn_path_base(tn_snap_style(a->s), path[0]);
    r->path = tn_arena_memdup(a->mem, path, (n + 1) * sizeof path[0]);
    r->flags = tn_asks_import_flags(a);
    return r;
}

struct tn_ask *tn_asks_file(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *path)
{
    const char *const one[] = {path, NULL};
    return file(a, is, part, one, 1);
}

struct tn_ask *tn_asks_module(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *path)
{
    const char *python = a->env && tn_known(a->env->python) ? a->env->python.v : "";
    const char *machine = a->env && tn_known(a->env->machine) ? a->env->machine.v : "x86_64";
    uint64_t minor = 0;
    const char *candidate[4];
    unsigned n = 0;
    if (tn_snap_style(a->s) == TN_PATH_WINDOWS) { /* CPython Python/dynload_win.c */
        const char *tag = strcmp(machine, "aarch64") == 0 ? "arm64" : strcmp(machine, "i386") == 0 ? "32" : "amd64";
        if (tn_version_dotted_part(python, 1, &minor))
            candidate[n++] = tn_arena_printf(a->mem, "%s.cp3%u-win%s%s.pyd", path, (unsigned)minor,
                                             strcmp(tag, "32") == 0 ? "" : "_", tag);
        candidate[n++] = tn_arena_printf(a->mem, "%s.pyd", path);
        candidate[n] = NULL;
        return file(a, is, part, candidate, n);
    }
    if (tn_version_dotted_part(python, 1, &minor))
        candidate[n++] = tn_arena_printf(a->mem, "%s.cpython-3%u%s-%s-linux-gnu.so", path, (unsigned)minor,
                                         minor < 8 ? "m" : "", machine);
    candidate[n++] = tn_arena_printf(a->mem, "%s.abi3.so", path);
    candidate[n++] = tn_arena_printf(a->mem, "%s.so", path);
    candidate[n] = NULL;
    return file(a, is, part, candidate, n);
}

struct tn_ask *tn_asks_name(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *from,
                            const char *name)
{
    struct tn_ask *r = add(a, TN_ASK_NAME, is, part);
    r->from = from;
    r->name = tn_arena_strdup(a->mem, name);
    return r;
}

struct tn_ask *tn_asks_preload(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *name,
                               const char *const *dirs)
{
    const char *dir[8];
    unsigned n = 0;
    struct tn_ask *r = add(a, TN_ASK_PRELOAD, is, part);
    for (; dirs[n] && n < TN_LEN(dir) - 1; n++)
        dir[n] = tn_asks_path(a, dirs[n]);
    dir[n++] = NULL;
    r->name = tn_arena_strdup(a->mem, name);
    r->path = tn_arena_memdup(a->mem, dir, n * sizeof dir[0]);
    return r;
}

struct tn_ask *tn_asks_preload_in(struct tn_asks *a, enum tn_ask_class is, const char *part, const char *name,
                                  const char *folder)
{
    const char *const dir[] = {folder, NULL};
    struct tn_ask *r = add(a, TN_ASK_PRELOAD, is, part);
    r->name = tn_arena_strdup(a->mem, name);
    r->path = tn_arena_memdup(a->mem, dir, sizeof dir);
    return r;
}

void tn_asks_add(struct tn_asks *a, const char *folder)
{
    const char *const one[] = {folder, NULL};
    struct tn_ask *r = add(a, TN_ASK_ADD, TN_ASK_HARMLESS, "");
    r->name = folder;
    r->path = tn_arena_memdup(a->mem, one, sizeof one);
}

/* Is its Python 3.8 or newer? One that is not known is. */
static bool is_38(const struct tn_asks *a)
{
    uint64_t minor = 8;
    if (a->env && tn_known(a->env->python))
        (void)tn_version_dotted_part(a->env->python.v, 1, &minor);
    return minor >= 8;
}

/* CPython Python/dynload_win.c, bpo-36085. */
unsigned tn_asks_import_flags(const struct tn_asks *a)
{
    return is_38(a) ? TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR : TN_LOAD_ALTERED;
}

/* CPython Lib/ctypes/__init__.py: CDLL, winmode. */
unsigned tn_asks_ctypes_flags(const struct tn_asks *a, bool by_path)
{
    return !is_38(a) ? 0 : by_path ? TN_LOAD_DEFAULT | TN_LOAD_DLL_DIR : TN_LOAD_DEFAULT;
}

const char *tn_asks_variable(const struct tn_asks *a, const char *name)
{
    for (size_t i = 0; i < a->s->variable.n; i++)
        if (tn_known(a->s->variable.v[i].name) && tn_str_ieq(a->s->variable.v[i].name.v, name) &&
            tn_known(a->s->variable.v[i].value))
            return a->s->variable.v[i].value.v;
    return NULL;
}

const char *tn_asks_named(const struct tn_asks *a, const char *stem)
{
    struct tn_soname so;
    for (uint32_t i = 0; a->f->asks.k == TN_KNOWN && i < a->f->asks.n; i++)
        if (tn_version_soname_parse(a->f->asks.v[i], &so, NULL) == 0 && strcmp(so.stem, stem) == 0)
            return a->f->asks.v[i];
    return NULL;
}

unsigned tn_asks_release(const struct tn_asks *a)
{
    uint64_t major = 0, minor = 0;
    if (!tn_known(a->f->version) || !tn_version_dotted_part(a->f->version.v, 0, &major) || major > 99)
        return 0;
    tn_version_dotted_part(a->f->version.v, 1, &minor);
    return (unsigned)major * 100 + (unsigned)(minor > 99 ? 99 : minor);
}

unsigned tn_asks_cuda(const struct tn_asks *a)
{
    uint64_t major = tn_known(a->f->cuda) ? tn_version_dotted_major(a->f->cuda.v) : 0;
    return major > 99 ? 0 : (unsigned)major;
}

void tn_asks_driver(struct tn_asks *a, const char *from)
{
    tn_asks_name(a, TN_ASK_REQUIRED, "driver", from, "libcuda.so.1");
}

const char *tn_ask_class_word(enum tn_ask_class c)
{
    static const char *const word[] = {"required", "optional", "harmless"};
    return word[c];
}

const char *tn_ask_how_word(enum tn_ask_how h)
{
    static const char *const word[] = {"file", "name", "preload", "add"};
    return word[h];
}
