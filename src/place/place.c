/* place.c - see place.h.
 *
 * What a full set is: cuDNN's libraries by table cudnn_support, its headers, on Windows its import libraries (cuDNN
 * Installation Guide, "Tar File Installation" and "Zip File Installation": bin, include and lib are all copied); of a
 * toolkit the components that are asked for, all of the versions of one list. */
#include "place/place.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "facts/cudnn.h"
#include "place/helper.h"
#include "place/minisign.h"
#include "version/dotted.h"

const char *const tn_place_toolkit[] = {"cuda_cudart", "cuda_cupti",  "cuda_nvcc",   "cuda_nvrtc", "libcublas",
                                        "libcufft",    "libcusolver", "libcusparse", NULL};

#define MAX_LISTS 16u
#define MAX_ENTRIES 500u /* names in a folder that are looked at for lists */

struct placing {
    struct tn_arena *mem;
    const struct tn_place *how;
    struct tn_placed *placed;
    struct tn_place_part *part;
    const char **name; /* of the archives */
    struct tn_redist_list list[MAX_LISTS];
    unsigned n_list;
    bool windows;
};

/* --- what the archives are --- */

static int read_list(struct placing *p, const char *path, struct tn_err *err)
{
    struct tn_buf text;
    tn_buf_init(&text);
    int rc = tn_os_read(NULL, path, 0, TN_MAX_REDIST_BYTES + 1, &text, NULL, err);
    if (!rc && p->n_list == MAX_LISTS)
        rc = tn_err_set(err, TN_E_LIMIT, path, "more than %u lists", MAX_LISTS);
    if (!rc && (rc = tn_redist_read(p->mem, tn_span_of(text.p, text.n), &p->list[p->n_list], err))) {
        struct tn_err why = err ? *err : (struct tn_err){0};
        rc = tn_err_set(err, TN_E_REFUSED, path, "%s", why.text); /* asked for by name: a damaged list is no list */
    }
    p->n_list += !rc;
    tn_buf_deinit(&text);
    return rc;
}

static bool is_list(const void *ctx, const char *name)
{
    (void)ctx;
    return (tn_str_starts(name, "redistrib_") && tn_str_ends(name, ".json")) || tn_str_eq(name, "SHA256SUMS") ||
           tn_str_ends(name, ".sha256");
}

/* NVIDIA's lists that lie beside an archive, and what sha256sum(1) wrote; one that cannot be read is as if it were not
 * there. */
static void lists_beside(struct placing *p, const char *archive)
{
    const char *folder = tn_path_dir(p->mem, tn_os_path_style(), archive);
    struct tn_os_entry *e;
    size_t n;
    if (tn_os_list_some(NULL, folder, is_list, NULL, p->mem, &e, &n, NULL))
        return;
    for (size_t i = 0; i < n && i < MAX_ENTRIES && p->n_list < MAX_LISTS; i++)
        read_list(p, tn_path_join(p->mem, tn_os_path_style(), folder, e[i].name), NULL);
}

static const struct tn_redist *listed(const struct placing *p, const char *file)
{
    const struct tn_redist *e = NULL;
    for (unsigned i = 0; i < p->n_list && !e; i++)
        e = tn_redist_find(&p->list[i], file);
    return e;
}

static int know(struct placing *p, size_t i, struct tn_err *err)
{
    const char *file = p->name[i];
    const struct tn_redist *e = listed(p, file);
    struct tn_place_part *part = &p->part[i];
    part->listed = e != NULL;
    if (e && *e->component) {
        part->is = *e;
        return 0;
    }
    if (p->how->n_list && !e)
        return tn_err_set(err, TN_E_REFUSED, file, "not in the list of digests that was given");
    if (!tn_redist_name(p->mem, file, &part->is)) {
        if (!p->how->cudnn || p->how->n_archive > 1)
            return tn_err_set(err, TN_E_REFUSED, file,
                              "its name is none of NVIDIA's archives, so what it holds is unknown");
        part->is = (struct tn_redist){.component = "cudnn",
                                      .version = p->how->cudnn,
                                      .cuda = "",
                                      .file = file,
                                      .platform = tn_str_ends(file, ".zip") ? "windows-x86_64" : "linux-x86_64"};
    }
    part->is.sha256 = e ? e->sha256 : "";
    return 0;
}

static int agree(const struct placing *p, size_t i, struct tn_err *err)
{
    const struct tn_redist *a = &p->part[i].is;
    for (size_t k = 0; k < i; k++) {
        const struct tn_redist *b = &p->part[k].is;
        if (tn_str_eq(a->component, b->component))
            return tn_err_set(err, TN_E_REFUSED, p->name[i], "%s is given twice", a->component);
        if (!tn_str_eq(a->platform, b->platform))
            return tn_err_set(err, TN_E_REFUSED, p->name[i], "for %s, %s is for %s", a->platform, b->component,
                              b->platform);
    }
    if (*a->cuda && p->how->cuda && *p->how->cuda && !tn_str_eq(a->cuda, p->how->cuda))
        return tn_err_set(err, TN_E_REFUSED, p->name[i], "for CUDA %s, not %s", a->cuda, p->how->cuda);
    if (tn_str_eq(a->component, "cudnn") && p->how->cudnn && *p->how->cudnn && *a->version &&
        tn_version_dotted_cmp_parts(a->version, p->how->cudnn, tn_version_dotted_count(p->how->cudnn)) != 0)
        return tn_err_set(err, TN_E_REFUSED, p->name[i], "cuDNN %s, not %s", a->version, p->how->cudnn);
    return 0;
}

/* Components of one release are those of one list: without one nothing says that they belong together. */
static int parts_there(const struct placing *p, struct tn_err *err)
{
    const struct tn_redist_list *list = NULL;
    for (const char *const *want = p->how->part; want && *want; want++) {
        const struct tn_place_part *found = NULL;
        for (size_t i = 0; i < p->how->n_archive; i++)
            if (tn_str_eq(p->part[i].is.component, *want))
                found = &p->part[i];
        if (!found)
            return tn_err_set(err, TN_E_REFUSED, *want, "missing: no archive of it was given");
        for (unsigned k = 0; k < p->n_list; k++)
            if (tn_redist_find(&p->list[k], found->is.file)) {
                if (list && list != &p->list[k] && !tn_redist_find(list, found->is.file))
                    return tn_err_set(err, TN_E_REFUSED, found->is.file, "of another release than the others");
                list = list ? list : &p->list[k];
                break;
            }
    }
    for (size_t i = 0; p->how->cudnn && i <= p->how->n_archive; i++) {
        if (i == p->how->n_archive)
            return tn_err_set(err, TN_E_REFUSED, "cudnn", "missing: no archive of it was given");
        if (tn_str_eq(p->part[i].is.component, "cudnn"))
            break;
    }
    return 0;
}

static int identify(struct placing *p, struct tn_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < p->how->n_archive; i++)
        p->name[i] = tn_path_base(tn_os_path_style(), p->how->archive[i]);
    for (size_t i = 0; i < p->how->n_list && !rc; i++)
        rc = read_list(p, p->how->list[i], err);
    for (size_t i = 0; i < p->how->n_archive && !rc && !p->how->n_list; i++)
        if (!listed(p, p->name[i]))
            lists_beside(p, p->how->archive[i]);
    for (size_t i = 0; i < p->how->n_archive && !rc; i++)
        if (!(rc = know(p, i, err)))
            rc = agree(p, i, err);
    p->windows = !rc && tn_str_starts(p->part[0].is.platform, "windows-");
    return rc ? rc : parts_there(p, err);
}

/* --- unpacking --- */

static void close_all(struct tn_os_held **file, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tn_os_release(file[i]);
}

static int hold_all(const char *const *path, size_t n, struct tn_os_held **file, uint64_t *ret_bytes,
                    struct tn_err *err)
{
    struct tn_buf none;
    size_t k = 0;
    int rc = 0;
    *ret_bytes = 0;
    tn_buf_init(&none);
    for (; k < n && !rc; k += !rc) {
        uint64_t size = 0;
        rc = tn_os_hold(NULL, path[k], &file[k], err);
        if (!rc && tn_os_read_held(file[k], 0, 1, &none, &size, NULL) == 0)
            *ret_bytes += size;
    }
    tn_buf_deinit(&none);
    if (rc)
        close_all(file, k);
    return rc;
}

/* A name goes into a line of the request: what could end it is taken out, the ending tells the form. */
static void add_archive(struct tn_buf *b, size_t i, const char *sha256, const char *name)
{
    tn_buf_printf(b, "archive %u %s ", TN_OS_GIVEN_FILE + (unsigned)i, *sha256 ? sha256 : "-");
    for (const char *c = name; *c; c++)
        tn_buf_ch(b, (unsigned char)*c < 0x20 || *c == 0x7f ? '_' : *c);
    tn_buf_ch(b, '\n');
}

static void empty(struct tn_arena *mem, struct tn_os_dir *d)
{
    struct tn_os_entry *e;
    size_t n;
    if (tn_os_dir_list(d, mem, &e, &n, NULL) == 0)
        for (size_t i = 0; i < n; i++)
            tn_os_tree_remove(d, e[i].name, NULL);
}

/* What is emptied when something fails must have been empty before. */
static int is_empty(struct tn_arena *mem, struct tn_os_dir *d, struct tn_err *err)
{
    struct tn_os_entry *e;
    size_t n;
    int rc = tn_os_dir_list(d, mem, &e, &n, err);
    return rc || !n ? rc
                    : tn_err_set(err, TN_E_REFUSED, tn_os_dir_path(d), "not empty: archives go into an empty folder");
}

static int unpack(struct placing *p, struct tn_err *err)
{
    struct tn_os_held *file[TN_OS_MAX_GIVEN];
    struct tn_helped h = {.mem = p->mem, .told = p->how->told, .ctx = p->how->ctx};
    struct tn_buf request;
    size_t n = p->how->n_archive;
    int rc = hold_all(p->how->archive, n, file, &h.of, err);
    if (rc)
        return rc;
    tn_buf_init(&request);
    tn_buf_printf(&request, "root %d\ntarget %s\n", TN_OS_GIVEN_FOLDER, p->windows ? "windows" : "posix");
    for (size_t i = 0; i < n; i++) {
        tn_buf_str(&request, "strip 1\n"); /* every one of them has one folder */
        if (!p->windows)
            tn_buf_printf(&request, "rename lib %s\n", p->how->lib ? p->how->lib : "lib64");
        tn_buf_printf(&request, "rename LICENSE LICENSE.%s\nrename LICENSE.txt LICENSE.%s.txt\n",
                      p->part[i].is.component, p->part[i].is.component);
        add_archive(&request, i, p->part[i].is.sha256, p->name[i]);
    }
    tn_buf_str(&request, "sync\ngo\n");
    rc = tn_helper_ask(&h, p->how->helper, &request, p->how->into, file, n, p->name, err);
    tn_buf_deinit(&request);
    close_all(file, n);
    for (size_t i = 0; !rc && i < n; i++)
        if (p->part[i].is.size && p->part[i].is.size != h.archive_size[i])
            rc = tn_err_set(err, TN_E_REFUSED, p->name[i], "not of the size that the list says");
    if (!rc)
        *p->placed = h.placed;
    return rc;
}

/* --- the full set --- */

static const struct tn_placed_entry *at(const struct tn_placed *p, const char *path)
{
    for (size_t i = 0; i < p->n; i++)
        if (tn_str_eq(p->v[i].path, path))
            return &p->v[i];
    return NULL;
}

/* The file behind an entry, through links in its own folder, as the archives have them. */
static bool is_file(struct placing *p, const struct tn_placed_entry *e)
{
    for (unsigned i = 0; e && e->type == 'l' && i < TN_MAX_LINKS; i++)
        e = at(p->placed, tn_path_norm(p->mem, TN_PATH_POSIX,
                                       tn_path_join(p->mem, TN_PATH_POSIX, tn_path_dir(p->mem, TN_PATH_POSIX, e->path),
                                                    e->target)));
    return e && e->type == 'f' && e->size > 0;
}

/* A file of that name, or one that ends so, in a folder or below it. */
static bool has(struct placing *p, const char *folder, const char *name, const char *end)
{
    for (size_t i = 0; i < p->placed->n; i++) {
        const struct tn_placed_entry *e = &p->placed->v[i];
        const char *base = tn_path_base(TN_PATH_POSIX, e->path);
        if (tn_path_under(TN_PATH_POSIX, e->path, folder) && (name ? tn_str_eq(base, name) : tn_str_ends(base, end)) &&
            is_file(p, e))
            return true;
    }
    return false;
}

static unsigned define(const char *text, const char *name)
{
    const char *p = strstr(text, name);
    unsigned n = 0;
    for (p = p ? p + strlen(name) : ""; *p == ' ' || *p == '\t'; p++) {
    }
    for (; tn_is_digit(*p) && n < 100000; p++)
        n = n * 10 + (unsigned)(*p - '0');
    return n;
}

/* include/cudnn_version.h; before 8, cudnn.h. */
static int header_version(struct placing *p, char *ret, size_t size)
{
    static const char *const names[] = {"cudnn_version.h", "cudnn_version_v9.h", "cudnn.h"};
    struct tn_os_dir *include;
    struct tn_buf text;
    int rc = tn_os_dir_enter(p->how->into, "include", &include, NULL);
    *ret = 0;
    tn_buf_init(&text);
    for (unsigned i = 0; !rc && !*ret && i < TN_LEN(names); i++)
        if (tn_os_dir_read(include, names[i], TN_MAX_SMALL_FILE, &text, NULL) == 0 &&
            strstr(text.p, "#define CUDNN_MAJOR"))
            snprintf(ret, size, "%u.%u.%u", define(text.p, "#define CUDNN_MAJOR"),
                     define(text.p, "#define CUDNN_MINOR"), define(text.p, "#define CUDNN_PATCHLEVEL"));
    tn_buf_deinit(&text);
    if (!rc)
        tn_os_dir_close(include);
    return *ret ? 0 : TN_E_NOTFOUND;
}

static int cudnn_full(struct placing *p, const struct tn_place_part *part, const char *file, struct tn_err *err)
{
    struct tn_facts_cudnn f = {0};
    char header[48], name[64];
    const char *version = part->is.version, *lib = p->windows ? "bin" : p->how->lib ? p->how->lib : "lib64";
    if (header_version(p, header, sizeof header))
        return tn_err_set(err, TN_E_REFUSED, file, "not a full cuDNN: no header with its version in include");
    if (*version &&
        tn_version_dotted_cmp_parts(version, header,
                                    tn_version_dotted_count(version) < 3 ? tn_version_dotted_count(version) : 3) != 0)
        return tn_err_set(err, TN_E_REFUSED, file, "its header says cuDNN %s, not %s", header, version);
    enum tn_platform on = p->windows ? TN_PLATFORM_WINDOWS : TN_PLATFORM_LINUX;
    enum tn_found found = tn_facts_cudnn(header, on, &f);
    for (const char *list = f.files; found == TN_ANSWER_YES && list && tn_facts_list_next(&list, name, sizeof name);)
        if (!has(p, lib, name, NULL))
            return tn_err_set(err, TN_E_REFUSED, file, "not a full cuDNN %s: %s is not in %s", header, name, lib);
    if (found != TN_ANSWER_YES && !has(p, lib, NULL, p->windows ? ".dll" : ".so"))
        return tn_err_set(err, TN_E_REFUSED, file, "not a full cuDNN: no library in %s", lib);
    if (p->windows && !has(p, "lib", NULL, ".lib"))
        return tn_err_set(err, TN_E_REFUSED, file, "not a full cuDNN: no import library in lib");
    return 0;
}

static int full(struct placing *p, struct tn_err *err)
{
    for (size_t i = 0; i < p->placed->n; i++)
        if (p->placed->v[i].type == 'l' && tn_str_starts(tn_path_base(TN_PATH_POSIX, p->placed->v[i].path), "lib") &&
            !is_file(p, &p->placed->v[i]) && strstr(p->placed->v[i].path, ".so"))
            return tn_err_set(err, TN_E_REFUSED, p->placed->v[i].path,
                              "a library's link leads to no file of the archives");
    for (size_t i = 0; i < p->how->n_archive; i++)
        if (tn_str_eq(p->part[i].is.component, "cudnn")) {
            int rc = cudnn_full(p, &p->part[i], p->name[i], err);
            if (rc)
                return rc;
        }
    return 0;
}

int tn_place_archives(struct tn_arena *mem, const struct tn_place *how, struct tn_placed *ret,
                      struct tn_place_part *ret_part, struct tn_err *err)
{
    struct tn_placed placed = {0};
    struct placing *p = tn_arena_alloc(mem, sizeof *p);
    if (!how->n_archive || how->n_archive > TN_OS_MAX_GIVEN)
        return tn_err_set(err, TN_E_USAGE, NULL, "1 to %u archives", TN_OS_MAX_GIVEN);
    p->mem = mem;
    p->how = how;
    p->placed = &placed;
    p->part = tn_arena_array(mem, how->n_archive, sizeof *p->part);
    p->name = tn_arena_array(mem, how->n_archive, sizeof *p->name);
    int rc = is_empty(mem, how->into, err);
    if (rc || (rc = identify(p, err)))
        return rc;
    rc = unpack(p, err);
    if (!rc)
        rc = full(p, err);
    if (rc) {
        empty(mem, how->into);
        return rc;
    }
    *ret = placed;
    memcpy(ret_part, p->part, how->n_archive * sizeof *ret_part);
    return 0;
}

int tn_place_extract(struct tn_arena *mem, const char *archive, const char *sha256, const struct tn_minisign *by,
                     const char *helper, struct tn_os_dir *into, struct tn_placed *ret, struct tn_err *err)
{
    struct tn_os_held *file;
    struct tn_helped h = {.mem = mem};
    const char *name = tn_path_base(tn_os_path_style(), archive);
    struct tn_buf request;
    int rc = is_empty(mem, into, err);
    if (rc || (rc = hold_all(&archive, 1, &file, &h.of, err)))
        return rc;
    tn_buf_init(&request);
    tn_buf_printf(&request, "root %d\n", TN_OS_GIVEN_FOLDER);
    if (by)
        tn_minisign_request(by, &request);
    add_archive(&request, 0, sha256, name);
    tn_buf_str(&request, "sync\ngo\n");
    rc = tn_helper_ask(&h, helper, &request, into, &file, 1, &name, err);
    tn_buf_deinit(&request);
    tn_os_release(file);
    if (rc)
        empty(mem, into);
    else
        *ret = h.placed;
    return rc;
}

int tn_place_members(struct tn_arena *mem, const char *archive, const char *sha256, const char *helper,
                     struct tn_placed *ret, char ret_sha256[65], struct tn_err *err)
{
    struct tn_os_held *file;
    struct tn_helped h = {.mem = mem};
    const char *name = tn_path_base(tn_os_path_style(), archive);
    struct tn_buf request;
    int rc = hold_all(&archive, 1, &file, &h.of, err);
    if (rc)
        return rc;
    tn_buf_init(&request);
    add_archive(&request, 0, sha256, name);
    tn_buf_str(&request, "go\n");
    rc = tn_helper_ask(&h, helper, &request, NULL, &file, 1, &name, err);
    tn_buf_deinit(&request);
    tn_os_release(file);
    if (!rc) {
        *ret = h.placed;
        if (ret_sha256)
            snprintf(ret_sha256, 65, "%s", h.archive_sha256[0]);
    }
    return rc;
}
