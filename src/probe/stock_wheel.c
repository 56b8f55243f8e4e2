/* stock_wheel.c - see stock.h: NVIDIA's wheels and conda's packages of the same libraries, and what there asks for
 * each.
 *
 * Invariant: every record of the environment is read for what it requires, not only those of the public list: a package
 * that nobody else knows may be the one that asks. An extra or a marker counts as asking. Sources: PyPA "Core metadata
 * specifications" (Requires-Dist), "Recording installed projects" (REQUESTED: PEP 376; RECORD); conda's PrefixRecord
 * (depends, requested_spec, requested_specs). */
#include <jansson.h>
#include <string.h>

#include "base/keys.h"
#include "base/limits.h"
#include "base/str.h"
#include "probe/stock.h"
#include "version/wheeltag.h"

#define HEADER_BYTES (256u << 10)
#define RECORD_BYTES (8u << 20)
#define MAX_ASKERS 64u
#define BLOCK 4096u

struct found {
    size_t row;
    const char *asker[MAX_ASKERS];
    unsigned n;
};

struct env {
    struct tn_stock *k;
    struct found *v;
    size_t n, cap;
};

/* A wheel of NVIDIA's that is nothing but libraries. */
static bool is_wheel(const char *name)
{
    static const char *const bare[] = {"nvidia-cublas",
                                       "nvidia-cuda-runtime",
                                       "nvidia-cuda-nvrtc",
                                       "nvidia-cuda-cupti",
                                       "nvidia-cufft",
                                       "nvidia-cufile",
                                       "nvidia-curand",
                                       "nvidia-cusolver",
                                       "nvidia-cusparse",
                                       "nvidia-nvjitlink",
                                       "nvidia-cuda-nvcc",
                                       "nvidia-nvvm",
                                       "nvidia-cuda-crt",
                                       "nvidia-nvtx",
                                       "nvidia-cuda-cccl",
                                       "nvidia-nvshmem",
                                       NULL};
    size_t n = strlen(name);
    bool numbered = n > 5 && tn_str_starts(name + n - 5, "-cu1") && tn_is_digit(name[n - 1]);
    return tn_str_starts(name, "nvidia-") && (numbered || tn_str_in(name, bare));
}

bool tn_stock_is_conda(const char *name)
{
    static const char *const whole[] = {"cudatoolkit",  "cudnn",          "nccl",        "cuda-toolkit",
                                        "cuda-runtime", "cuda-libraries", "cuda-cudart", "cuda-nvrtc",
                                        "cuda-cupti",   "cuda-nvtx",      "cuda-nvcc",   NULL};
    static const char *const head[] = {"libcublas",    "libcufft",    "libcufile", "libcurand",
                                       "libcusolver",  "libcusparse", "libcudnn",  "libnpp",
                                       "libnvjitlink", "libnvjpeg",   NULL};
    for (unsigned i = 0; head[i]; i++)
        if (tn_str_starts(name, head[i]))
            return true;
    return tn_str_in(name, whole);
}

static void asks(struct env *e, const char *asker, const char *name)
{
    const struct tn_snap *s = e->k->c->s;
    for (size_t i = 0; i < e->n; i++) {
        struct found *f = &e->v[i];
        bool again = strcmp(asker, s->stock.v[f->row].name.v) == 0;
        for (unsigned n = 0; n < f->n && !again; n++)
            again = strcmp(f->asker[n], asker) == 0;
        if (!again && f->n < MAX_ASKERS && tn_says(s->stock.v[f->row].name, name))
            f->asker[f->n++] = asker;
    }
}

/* The name at the head of a requirement, normalised. */
static const char *required(struct tn_stock *k, const char *text, size_t n)
{
    char raw[256], name[256];
    size_t m = 0;
    while (m < n && m + 1 < sizeof raw && text[m] &&
           (tn_is_alpha(text[m]) || tn_is_digit(text[m]) || strchr("-_.", text[m])))
        raw[m] = text[m], m++;
    raw[m] = 0;
    return m && tn_version_normal_name(raw, name, sizeof name, NULL) == 0 ? tn_arena_strdup(k->c->tmp, name) : NULL;
}

/* "torch-2.1.0.dist-info" */
static const char *name_of(struct tn_stock *k, const char *entry)
{
    const char *dash = strchr(entry, '-');
    return dash ? required(k, entry, (size_t)(dash - entry)) : NULL;
}

static void read_metadata(struct env *e, const char *site, const char *entry)
{
    struct tn_arena mem;
    const char *asker = name_of(e->k, entry);
    if (!asker)
        return;
    tn_arena_init(&mem);
    const char *path =
        tn_path_join3(&mem, e->k->c->w->style, site, entry, tn_str_ends(entry, ".egg-info") ? "PKG-INFO" : "METADATA");
    struct tn_answer a = tn_world_read(e->k->c->w, &mem, path, HEADER_BYTES);
    struct tn_span rest = a.data, line;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line) && line.n) {
        static const char head[] = "Requires-Dist:";
        if (!tn_span_starts(line, head))
            continue;
        line = tn_span_trim(tn_span_from(line, sizeof head - 1));
        const char *name = required(e->k, (const char *)line.p, line.n);
        if (name)
            asks(e, asker, name);
    }
    tn_arena_deinit(&mem);
}

/* Sizes as RECORD states them, each rounded up to a block. */
static int64_t recorded_bytes(struct tn_stock *k, const char *info)
{
    struct tn_arena mem;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_read(k->c->w, &mem, tn_path_join(&mem, k->c->w->style, info, "RECORD"), RECORD_BYTES);
    struct tn_span rest = a.data, line;
    int64_t sum = a.got == TN_KNOWN ? 0 : -1;
    while (a.got == TN_KNOWN && tn_span_line(&rest, &line)) {
        size_t at = line.n;
        uint64_t size;
        while (at && line.p[at - 1] != ',')
            at--;
        struct tn_span number = tn_span_trim(tn_span_from(line, at));
        if (at && number.n && tn_str_u64((const char *)number.p, number.n, 10, &size) && size < (uint64_t)1 << 40)
            sum += (int64_t)((size + BLOCK - 1) / BLOCK * BLOCK);
    }
    tn_arena_deinit(&mem);
    return sum;
}

static void note(struct env *e)
{
    e->v = tn_arena_grow(e->k->c->tmp, e->v, e->n, &e->cap, sizeof *e->v);
    memset(&e->v[e->n], 0, sizeof *e->v);
    e->v[e->n++].row = e->k->c->s->stock.n - 1;
}

static void add_wheel(struct env *e, const struct tn_rec_dist *d)
{
    struct tn_stock *k = e->k;
    struct tn_rec_stock *r = tn_stock_add(k, "wheel", d->name.v, d->path.v, d->path.src);
    int64_t bytes = recorded_bytes(k, d->path.v);
    struct tn_answer a = tn_world_stat(k->c->w, tn_stock_join(k, d->path.v, "REQUESTED"));
    r->version = d->version;
    r->env = d->env;
    r->by = tn_fact_str(k->c->s, d->installer.src, tn_says(d->installer, "uv") ? "uv" : "pip");
    r->requested = a.got == TN_KNOWN || a.got == TN_ABSENT ? tn_fact_int(d->path.src, a.got == TN_KNOWN)
                                                           : tn_fact_noint(d->path.src, a.got);
    r->bytes = r->freed_bytes = bytes >= 0 ? tn_fact_int(d->path.src, bytes) : tn_fact_noint(d->path.src, TN_FAILED);
    note(e);
}

static void add_conda(struct env *e, const struct tn_rec_dist *d)
{
    struct tn_rec_stock *r = tn_stock_add(e->k, "conda", d->name.v, d->path.v, d->path.src);
    r->version = d->version;
    r->env = d->env;
    r->by = tn_fact_str(e->k->c->s, d->path.src, "conda");
    note(e);
}

/* conda-meta/NAME-VERSION-BUILD.json of any package: what it depends on; of ours: was it named, and what it takes. */
static void read_conda(struct env *e, const char *file)
{
    struct tn_probe_ctx *c = e->k->c;
    struct tn_arena mem;
    size_t i;
    json_t *one;
    tn_arena_init(&mem);
    struct tn_answer a = tn_world_read(c->w, &mem, file, RECORD_BYTES);
    json_object_seed(1);
    json_t *j = a.got == TN_KNOWN ? json_loadb((const char *)a.data.p, a.data.n, 0, NULL) : NULL;
    const char *name = json_string_value(json_object_get(j, "name"));
    const char *asker = name ? required(e->k, name, strlen(name)) : NULL;
    json_array_foreach(json_object_get(j, "depends"), i, one)
    {
        const char *need = json_string_value(one), *want = need ? required(e->k, need, strcspn(need, " ")) : NULL;
        if (want && asker)
            asks(e, asker, want);
    }
    for (size_t n = 0; j && n < e->n; n++) {
        struct tn_rec_stock *r = &c->s->stock.v[e->v[n].row];
        if (!tn_says(r->path, file))
            continue;
        const char *spec = json_string_value(json_object_get(j, "requested_spec"));
        bool named = (spec && *spec) || json_array_size(json_object_get(j, "requested_specs")) > 0;
        int64_t bytes = 0;
        json_array_foreach(json_object_get(json_object_get(j, "paths_data"), "paths"), i, one)
        {
            json_int_t size = json_integer_value(json_object_get(one, "size_in_bytes"));
            bytes += size > 0 && size < (json_int_t)1 << 40 ? (size + BLOCK - 1) / BLOCK * BLOCK : 0;
        }
        r->requested = tn_fact_int(r->path.src, named);
        r->bytes = tn_fact_int(r->path.src, bytes);
    }
    json_decref(j);
    tn_arena_deinit(&mem);
}

/* dists: rows of dist, by env.id */
static void look_env(struct tn_stock *k, const struct tn_rec_env *row, const struct tn_keys *dists)
{
    struct env e = {.k = k};
    struct tn_snap *s = k->c->s;
    const struct tn_key *key;
    for (size_t left = tn_keys_find(dists, row->id.v, &key); left; left--, key++) {
        const struct tn_rec_dist *d = &s->dist.v[key->row];
        if (!tn_known(d->name) || !tn_known(d->path))
            continue;
        if (tn_says(d->place, "env") && tn_str_ends(d->path.v, ".dist-info") && is_wheel(d->name.v))
            add_wheel(&e, d);
        else if (tn_says(d->place, "conda") && tn_stock_is_conda(d->name.v))
            add_conda(&e, d);
    }
    if (!e.n)
        return;
    for (size_t i = 0; row->site.k == TN_KNOWN && i < row->site.n; i++) {
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, row->site.v[i]);
        for (size_t n = 0; a.got == TN_KNOWN && n < a.n_entry; n++)
            if (tn_str_ends(a.entry[n].name, ".dist-info") || tn_str_ends(a.entry[n].name, ".egg-info"))
                read_metadata(&e, row->site.v[i], a.entry[n].name);
    }
    if (tn_says(row->kind, "conda") && tn_known(row->path)) {
        const char *meta = tn_stock_join(k, row->path.v, "conda-meta");
        struct tn_answer a = tn_world_list(k->c->w, k->c->tmp, meta);
        for (size_t n = 0; a.got == TN_KNOWN && n < a.n_entry; n++)
            if (tn_str_ends(a.entry[n].name, ".json"))
                read_conda(&e, tn_stock_join(k, meta, a.entry[n].name));
    }
    for (size_t i = 0; i < e.n; i++) {
        struct tn_rec_stock *r = &s->stock.v[e.v[i].row];
        r->wanted_by = tn_fact_list(s, r->path.src, e.v[i].asker, e.v[i].n);
    }
}

void tn_stock_wheels(struct tn_stock *k)
{
    const struct tn_snap *s = k->c->s;
    struct tn_keys dists = {0};
    for (size_t i = 0; i < s->dist.n; i++)
        if (tn_known(s->dist.v[i].env))
            tn_keys_add(&dists, k->c->tmp, s->dist.v[i].env.v, i);
    tn_keys_sort(&dists);
    for (size_t i = 0; i < s->env.n; i++)
        if (tn_known(s->env.v[i].id) && !tn_says(s->env.v[i].kind, "system"))
            look_env(k, &s->env.v[i], &dists);
}
