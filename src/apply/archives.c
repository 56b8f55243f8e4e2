/* archives.c - see archives.h.
 *
 * A place of archives is laid out as NVIDIA's own, "cuda/redist/redistrib_12.5.1.json" with
 * "cuda/redist/cuda_cudart/linux-x86_64/...", or is a folder in which they lie side by side. What is fetched lies in
 * tenon's state until the change is made, so that a run that was cut short goes on where it was. */
#include "apply/archives.h"

#include <string.h>

#include "apply/fetch.h"
#include "apply/inner.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/str.h"
#include "facts/redist.h"
#include "place/place.h"
#include "version/dotted.h"

#define TOP "cuda"           /* in the environment */
#define TEMPORARY ".placing" /* in that */
#define MAX_NAME 200u

struct getting {
    struct tn_apply *a;
    const struct tn_plan_step *s;
    struct tn_arena *mem;
    struct tn_os_dir *kept;      /* of tenon's state */
    const char *product;         /* "cuda", "cudnn" */
    const char *platform;        /* "linux-x86_64" */
    struct tn_facts_redist fact; /* if known */
    bool known;
    const char *list;   /* path of the list; NULL: none */
    const char *folder; /* where it was found: archives lie there; NULL: they are fetched */
    const char *url;    /* the list's own folder */
    const struct tn_redist *part[TN_REDIST_PARTS];
    unsigned n;
    const char *archive[TN_REDIST_PARTS]; /* paths */
};

/* --- where the list is --- */

static bool is_url(const char *place)
{
    return tn_str_starts(place, "http://") || tn_str_starts(place, "https://");
}

static bool is_file(const char *path)
{
    struct tn_os_stat st;
    return tn_os_stat(NULL, path, true, &st, NULL) == 0 && st.type == 'f';
}

static bool in_folder(struct getting *g, const char *place, const char *name)
{
    const char *const folder[] = {tn_arena_printf(g->mem, "%s/%s/redist", place, g->product), place};
    for (unsigned i = 0; i < TN_LEN(folder) && !g->list; i++) {
        const char *path = tn_arena_printf(g->mem, "%s/%s", folder[i], name);
        if (is_file(path)) {
            g->list = path;
            g->folder = folder[i];
        }
    }
    return g->list != NULL;
}

/* An archive that lies in a folder by itself: as the step names it. */
static bool archive_alone(struct getting *g, const char *place)
{
    const char *slash = strrchr(g->s->image, '/'), *file = slash ? slash + 1 : g->s->image;
    struct tn_redist is;
    const char *path = tn_arena_printf(g->mem, "%s/%s", place, file);
    if (!tn_str_eq(g->product, "cudnn") || !*file || !tn_redist_name(g->mem, file, &is) || !is_file(path))
        return false;
    g->archive[g->n++] = path;
    return true;
}

static int fetch_list(struct getting *g, const char *folder, const char *name, struct tn_err *err)
{
    const struct tn_fetch f = {.a = g->a,
                               .into = g->kept,
                               .url = tn_arena_printf(g->mem, "%s/%s", folder, name),
                               .name = name,
                               .max = TN_MAX_REDIST_BYTES};
    int rc = tn_fetch_file(&f, err);
    g->url = folder;
    g->list = rc ? NULL : tn_arena_printf(g->mem, "%s/%s", tn_os_dir_path(g->kept), name);
    return rc;
}

static const char *list_name(const struct getting *g)
{
    return g->known ? strrchr(g->fact.url, '/') + 1 : tn_arena_printf(g->mem, "redistrib_%s.json", g->s->version);
}

static int not_known(struct getting *g, struct tn_err *err)
{
    return tn_err_set(err, TN_E_REFUSED, g->s->version,
                      g->a->n_archives ? "neither the list %s nor an archive of it is where --archives leads"
                                       : "no digest of NVIDIA's list %s is known: give the folder of the archives",
                      list_name(g));
}

/* Folders first, then places of the network that the user names, then NVIDIA's own. */
static int find_list(struct getting *g, struct tn_err *err)
{
    const char *name = list_name(g);
    for (unsigned i = 0; i < g->a->n_archives; i++)
        if (!is_url(g->a->archives[i]) &&
            (in_folder(g, g->a->archives[i], name) || archive_alone(g, g->a->archives[i])))
            return 0;
    if (g->a->offline)
        return not_known(g, err);
    for (unsigned i = 0; i < g->a->n_archives; i++)
        if (is_url(g->a->archives[i])) {
            size_t n = strlen(g->a->archives[i]);
            for (; n && g->a->archives[i][n - 1] == '/'; n--) {
            }
            int rc = fetch_list(g, tn_arena_printf(g->mem, "%.*s/%s/redist", (int)n, g->a->archives[i], g->product),
                                name, err);
            if (rc != TN_E_NOTFOUND)
                return rc;
        }
    if (!g->known)
        return not_known(g, err);
    return fetch_list(g, tn_arena_strndup(g->mem, g->fact.url, (size_t)(name - 1 - g->fact.url)), name, err);
}

/* --- what it lists --- */

/* NVIDIA's own, where its digest is known. */
static int is_nvidias(struct getting *g, const struct tn_buf *text, struct tn_err *err)
{
    char hex[TN_SHA256_HEX];
    tn_sha256_hex(text->p, text->n, hex);
    if (!g->known)
        g->a->unlisted = true;
    else if (!tn_str_eq(hex, g->fact.sha256))
        return tn_err_set(err, TN_E_REFUSED, g->list, "not NVIDIA's list: its sha256 is %s, NVIDIA's is %s", hex,
                          g->fact.sha256);
    return 0;
}

static int read_list(struct getting *g, struct tn_err *err)
{
    struct tn_redist_list *l = tn_arena_alloc(g->mem, sizeof *l);
    struct tn_buf text;
    char major[TN_DOTTED_TEXT];
    tn_buf_init(&text);
    int rc = tn_os_read(NULL, g->list, 0, TN_MAX_REDIST_BYTES + 1, &text, NULL, err);
    if (!rc)
        rc = is_nvidias(g, &text, err);
    if (!rc && tn_redist_read(g->mem, tn_span_of(text.p, text.n), l, err))
        rc = TN_E_REFUSED;
    tn_buf_deinit(&text);
    if (rc)
        return rc;
    if (tn_str_eq(g->product, "cuda"))
        return tn_redist_toolkit(l, g->platform, g->part, &g->n, err);
    if (!tn_version_dotted_head(g->a->cuda, 1, major, sizeof major))
        major[0] = 0;
    g->n = 1;
    return tn_redist_cudnn(l, g->platform, major, &g->part[0], err);
}

/* --- the archives --- */

static const char *beside_list(struct getting *g, const struct tn_redist *e)
{
    const char *path = *e->path ? tn_arena_printf(g->mem, "%s/%s", g->folder, e->path) : NULL;
    if (path && is_file(path))
        return path;
    path = tn_arena_printf(g->mem, "%s/%s", g->folder, e->file);
    return is_file(path) ? path : NULL;
}

static int have(struct getting *g, unsigned i, struct tn_err *err)
{
    const struct tn_redist *e = g->part[i];
    if (g->folder) {
        g->archive[i] = beside_list(g, e);
        return g->archive[i] ? 0 : tn_err_set(err, TN_E_REFUSED, e->file, "the list names it, and it is not there");
    }
    if (!*e->path || !e->size || strlen(e->file) > MAX_NAME || e->file[0] == '.')
        return tn_err_set(err, TN_E_REFUSED, g->list, "%s has no size or no plain path there", e->component);
    const struct tn_fetch f = {.a = g->a,
                               .into = g->kept,
                               .url = tn_arena_printf(g->mem, "%s/%s", g->url, e->path),
                               .name = e->file,
                               .size = e->size};
    g->archive[i] = tn_arena_printf(g->mem, "%s/%s", tn_os_dir_path(g->kept), e->file);
    return tn_fetch_file(&f, err);
}

/* Packed and unpacked lie side by side for a while; libraries are packed to about a half. */
static int room(struct getting *g, struct tn_err *err)
{
    uint64_t need = 0, free = 0, total;
    for (unsigned i = 0; i < g->n; i++)
        need += g->part[i] ? g->part[i]->size : 0;
    if (need >> 20 == 0 || tn_os_disk(NULL, g->a->stage, &free, &total, NULL) != 0 || free / 3 >= need)
        return 0;
    return tn_err_set(err, TN_E_FULL, g->a->stage, "about %llu MB are needed, %llu MB are free",
                      (unsigned long long)(need * 3 / 1000000), (unsigned long long)(free / 1000000));
}

static int get_all(struct getting *g, struct tn_err *err)
{
    int rc = find_list(g, err);
    if (!rc && g->list)
        rc = read_list(g, err);
    if (!rc && g->list)
        rc = room(g, err);
    for (unsigned i = 0; i < g->n && !rc && g->list; i++)
        rc = have(g, i, err);
    return rc;
}

/* --- placing --- */

/* Nobody else's folder of that name is touched; a toolkit takes the place of the one before, as a whole. */
static int top_folder(struct getting *g, struct tn_os_dir **ret, struct tn_err *err)
{
    struct tn_os_dir *stage, *top;
    struct tn_os_stat st;
    bool anew = g->s->kind == TN_STEP_TOOLKIT;
    int rc = tn_os_dir_open(g->a->stage, &stage, err);
    if (rc)
        return rc;
    if (tn_os_dir_stat(stage, TOP, &st, NULL) == 0 && !(rc = tn_os_dir_enter(stage, TOP, &top, err))) {
        if (tn_os_dir_stat(top, ".placed-cuda", &st, NULL))
            rc = tn_err_set(err, TN_E_REFUSED, TOP, "a folder of that name is in the environment and is not tenon's");
        tn_os_dir_close(top);
        if (!rc && anew)
            rc = tn_os_tree_remove(stage, TOP, err);
    }
    if (!rc && (rc = tn_os_dir_make(stage, TOP, 0755, err)) == TN_E_EXISTS)
        rc = 0;
    if (!rc)
        rc = tn_os_dir_enter(stage, TOP, ret, err);
    tn_os_dir_close(stage);
    return rc;
}

static int unpack(struct getting *g, struct tn_os_dir *top, struct tn_err *err)
{
    const char *part[TN_REDIST_PARTS + 1] = {NULL};
    struct tn_place_part is[TN_REDIST_PARTS];
    struct tn_placed placed;
    struct tn_os_dir *into;
    struct tn_buf list;
    char three[TN_DOTTED_TEXT];
    bool cudnn = g->s->kind == TN_STEP_CUDNN;
    if (!tn_version_dotted_head(g->s->version, 3, three, sizeof three))
        return tn_err_set(err, TN_E_REFUSED, g->s->version, "not a version");
    for (unsigned i = 0; i < g->n && g->list; i++)
        part[i] = g->part[i]->component;
    int rc = tn_os_dir_ensure(top, TEMPORARY, &into, err);
    if (rc)
        return rc;
    const struct tn_place how = {.archive = g->archive,
                                 .n_archive = g->n,
                                 .list = g->list ? &g->list : NULL,
                                 .n_list = g->list ? 1 : 0,
                                 .cudnn = cudnn ? three : NULL,
                                 .part = part,
                                 .into = into};
    rc = tn_place_archives(g->mem, &how, &placed, is, err);
    tn_os_dir_close(into);
    if (rc)
        return rc;
    for (unsigned i = 0; i < g->n; i++)
        g->a->unlisted = g->a->unlisted || !is[i].listed;
    tn_buf_init(&list);
    tn_placed_write(&placed, &list);
    rc = tn_os_tree_merge(top, TEMPORARY, err);
    if (!rc)
        rc = tn_os_dir_replace(top, cudnn ? ".placed-cudnn" : ".placed-cuda", list.p, list.n, 0644, err);
    tn_buf_deinit(&list);
    return rc;
}

/* What was refused is not kept: the next run fetches it again. */
static void throw_away(struct getting *g)
{
    for (unsigned i = 0; i < g->n && !g->folder && g->list; i++)
        tn_os_tree_remove(g->kept, g->part[i]->file, NULL);
}

static int start(struct getting *g, struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err)
{
    struct tn_os_sys sys;
    memset(g, 0, sizeof *g);
    tn_os_sys(a->mem, &sys);
    g->a = a;
    g->s = s;
    g->mem = a->mem;
    g->product = s->kind == TN_STEP_CUDNN ? "cudnn" : "cuda";
    g->platform = tn_str_eq(sys.arch, "aarch64") ? "linux-sbsa" : tn_arena_printf(a->mem, "linux-%s", sys.arch);
    g->known = tn_facts_redist(g->product, s->version, &g->fact) == TN_ANSWER_YES;
    if (s->kind == TN_STEP_TOOLKIT)
        a->cuda = s->version;
    return tn_os_dir_ensure(a->tx->state->top, TN_STATE_ARCHIVES, &g->kept, err);
}

int tn_archives_place(struct tn_apply *a, const struct tn_plan_step *s, struct tn_err *err)
{
    struct getting *g = tn_arena_alloc(a->mem, sizeof *g);
    struct tn_os_dir *top;
    int rc = start(g, a, s, err);
    if (rc)
        return rc;
    rc = get_all(g, err);
    if (!rc && !(rc = top_folder(g, &top, err))) {
        rc = unpack(g, top, err);
        if (rc == TN_E_REFUSED)
            throw_away(g);
        tn_os_dir_close(top);
    }
    tn_os_dir_close(g->kept);
    return rc;
}

/* Is it what the list says? A bundle of what is not would be refused where it is applied, too late. */
static int compare(struct getting *g, unsigned i, struct tn_err *err)
{
    struct tn_os_held *f;
    struct tn_sha256 sum;
    char hex[TN_SHA256_HEX];
    uint64_t at = 0, size = 1;
    int rc = tn_os_hold(NULL, g->archive[i], &f, err);
    if (rc)
        return rc;
    tn_sha256_start(&sum);
    while (!rc && at < size) {
        struct tn_buf piece;
        tn_buf_init(&piece);
        rc = tn_os_read_held(f, at, 1u << 20, &piece, &size, err);
        tn_sha256_add(&sum, piece.p, piece.n);
        at += piece.n;
        size = piece.n ? size : at;
        tn_buf_deinit(&piece);
    }
    tn_os_release(f);
    tn_sha256_end_hex(&sum, hex);
    if (rc || !*g->part[i]->sha256 || tn_str_eq(hex, g->part[i]->sha256))
        return rc;
    if (!g->folder)
        tn_os_tree_remove(g->kept, g->part[i]->file, NULL);
    return tn_err_set(err, TN_E_REFUSED, g->part[i]->file, "its sha256 is %s, the list says %s", hex,
                      g->part[i]->sha256);
}

int tn_apply_get_archives(struct tn_apply *a, const struct tn_plan_step *s, const char *const **ret, unsigned *ret_n,
                          struct tn_err *err)
{
    struct getting *g = tn_arena_alloc(a->mem, sizeof *g);
    int rc = start(g, a, s, err);
    if (rc)
        return rc;
    rc = get_all(g, err);
    for (unsigned i = 0; i < g->n && !rc && g->list; i++)
        rc = compare(g, i, err);
    const char **all = tn_arena_array(a->mem, TN_REDIST_PARTS + 1, sizeof *all);
    *ret = all;
    *ret_n = 0;
    for (unsigned i = 0; i < g->n && !rc; i++)
        all[(*ret_n)++] = g->archive[i];
    if (!rc && g->list)
        all[(*ret_n)++] = g->list;
    a->unlisted = a->unlisted || !g->list;
    tn_os_dir_close(g->kept);
    return rc;
}

void tn_apply_forget_archives(struct tn_apply *a)
{
    tn_os_tree_remove(a->tx->state->top, TN_STATE_ARCHIVES, NULL);
}
