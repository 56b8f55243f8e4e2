/* env_count.c - how many distributions an environment's own folders hold, of any kind: what "pip list" counts there.
 *
 * Source: pip, _internal/metadata/importlib/_envs.py: every .dist-info and .egg-info (folder or file), .egg folder and
 * .egg-link of a folder, each name once, the first wins; the name is that of the file, normalised (PEP 503), and names
 * that begin with "~" are invalid. Only for who asked to see everything: each folder is listed once more, and whole. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "probe/env.h"
#include "version/wheeltag.h"

static const char *const endings[] = {".dist-info", ".egg-info", ".egg-link", ".egg"};

/* The normalised name; NULL for what is no distribution. */
static const char *name_of(struct tn_arena *mem, const char *entry)
{
    char raw[256], normal[256];
    size_t n = strlen(entry), cut = 0;
    for (unsigned i = 0; i < TN_LEN(endings) && !cut; i++)
        if (tn_str_ends(entry, endings[i]))
            cut = strlen(endings[i]);
    if (!cut || cut >= n)
        return NULL;
    const char *dash =
        cut == strlen(".egg-link") && tn_str_ends(entry, ".egg-link") ? NULL : memchr(entry, '-', n - cut);
    size_t len = dash ? (size_t)(dash - entry) : n - cut;
    if (len == 0 || len >= sizeof raw)
        return NULL;
    memcpy(raw, entry, len);
    raw[len] = 0;
    return tn_version_normal_name(raw, normal, sizeof normal, NULL) == 0 ? tn_arena_strdup(mem, normal) : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_unique(const char **name, size_t n)
{
    size_t unique = 0;
    if (n > 1)
        qsort(name, n, sizeof *name, by_name);
    for (size_t i = 0; i < n; i++)
        unique += i == 0 || strcmp(name[i], name[i - 1]) != 0;
    return unique;
}

static struct tn_int count_dists(struct tn_py *p, const struct tn_pyenv *e)
{
    struct tn_arena mem;
    const char **name = NULL;
    size_t n = 0, cap = 0;
    uint32_t src = 0;
    enum tn_know got = TN_UNASKED;
    tn_arena_init(&mem);
    for (size_t s = 0; s < e->n_site && got <= TN_KNOWN; s++) {
        if (strcmp(tn_pyenv_place(e, s), "env") != 0 || e->site[s]->got == TN_ABSENT)
            continue;
        struct tn_answer a = tn_world_list(p->w, &mem, e->site[s]->path);
        got = a.got;
        src = e->site[s]->src;
        for (size_t i = 0; i < a.n_entry; i++) {
            const char *one = name_of(&mem, a.entry[i].name);
            if (!one)
                continue;
            name = tn_arena_grow(&mem, (void *)name, n, &cap, sizeof *name);
            name[n++] = one;
        }
    }
    size_t unique = count_unique(name, n);
    tn_arena_deinit(&mem);
    return got == TN_KNOWN ? tn_fact_int(src, (int64_t)unique) : tn_fact_noint(src, got);
}

static struct tn_int count_conda(struct tn_py *p, const struct tn_pyenv *e)
{
    struct tn_arena mem;
    int64_t n = 0;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_list(p->w, &mem, e->meta->path);
    for (size_t i = 0; i < a.n_entry; i++)
        n += tn_str_ends(a.entry[i].name, ".json");
    tn_arena_deinit(&mem);
    return a.got == TN_KNOWN ? tn_fact_int(e->meta->src, n) : tn_fact_noint(e->meta->src, a.got);
}

/* Python reads pyvenv.cfg at each start of a virtual environment, the kernel the interpreter's file at any. File
 * systems that are mounted relatime write the time down once a day (mount(8)); a record composed by hand has none. What
 * is no regular file is not read by Python, so its times say nothing. */
static struct tn_int last_used(struct tn_py *p, const struct tn_pyenv *e)
{
    const char *file = e->venv ? tn_pyenv_join(p, e->real, "pyvenv.cfg") : e->interpreter;
    if (!file)
        return (struct tn_int){0};
    struct tn_answer a = tn_world_stat(p->w, file);
    uint32_t src = tn_probe_src(p->s, "stat", file, &a);
    if (a.got == TN_KNOWN && a.st.type == 'f' && a.st.atime > 0)
        return tn_fact_int(src, a.st.atime > a.st.mtime ? a.st.atime : a.st.mtime);
    return tn_fact_noint(src, a.got == TN_KNOWN ? TN_UNASKED : a.got);
}

void tn_pyenv_count(struct tn_py *p, const struct tn_pyenv *e, struct tn_rec_env *r)
{
    if (p->want && p->want->plain)
        return;
    r->used_s = last_used(p, e);
    r->dists = count_dists(p, e);
    if (e->meta)
        r->conda_packages = count_conda(p, e);
}
