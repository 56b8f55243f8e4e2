/* helper.c - see helper.h. */
#include "place/helper.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

const char *tn_helper_path(struct tn_arena *mem, const char *name)
{
    struct tn_buf b;
    struct tn_err err;
    struct tn_os_stat st;
    const char *path = NULL;
    tn_buf_init(&b);
    if (tn_os_readlink(NULL, "/proc/self/exe", &b, &err) == 0) {
        path = tn_path_join(mem, TN_PATH_POSIX, tn_path_dir(mem, TN_PATH_POSIX, b.p), name);
        if (tn_os_stat(NULL, path, true, &st, &err) || st.type != 'f')
            path = NULL;
    }
    tn_buf_deinit(&b);
    return path;
}

void tn_placed_name(struct tn_buf *ret, const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p < 0x20 || *p == 0x7f || *p == '%')
            tn_buf_printf(ret, "%%%02X", *p);
        else
            tn_buf_ch(ret, (char)*p);
}

const char *tn_placed_unname(struct tn_arena *mem, struct tn_span s)
{
    char *ret = tn_arena_alloc(mem, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        uint64_t c = s.p[i];
        if (c == '%' && i + 2 < s.n && tn_str_u64((const char *)s.p + i + 1, 2, 16, &c))
            i += 2;
        ret[n++] = (char)c;
    }
    ret[n] = 0;
    return ret;
}

/* Takes the next word off the line; the last one keeps its blanks. */
static struct tn_span word(struct tn_span *rest, bool last)
{
    struct tn_span w = *rest;
    for (w.n = 0; w.n < rest->n && (last || rest->p[w.n] != ' '); w.n++) {
    }
    rest->p += w.n + (w.n < rest->n);
    rest->n -= w.n + (w.n < rest->n);
    return w;
}

static uint64_t number(struct tn_span s, int base)
{
    uint64_t n = 0;
    return tn_str_u64((const char *)s.p, s.n, base, &n) ? n : 0;
}

/* Mode bits are octal. */
static uint32_t mode(struct tn_span s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s.n && i < 5 && s.p[i] >= '0' && s.p[i] <= '7'; i++)
        n = n * 8 + (uint32_t)(s.p[i] - '0');
    return n;
}

static const char *copy(struct tn_helped *h, struct tn_span s)
{
    return tn_arena_strndup(h->mem, (const char *)s.p, s.n);
}

static void entry(struct tn_helped *h, struct tn_span s, char type, bool digest)
{
    struct tn_placed *p = &h->placed;
    p->v = tn_arena_grow(h->mem, p->v, p->n, &h->cap, sizeof *p->v);
    struct tn_placed_entry *e = &p->v[p->n++];
    *e = (struct tn_placed_entry){.type = type, .sha256 = "", .target = ""};
    if (!digest)
        e->mode = mode(word(&s, false));
    e->size = number(word(&s, false), 10);
    struct tn_span sum = word(&s, false);
    if (type == 'f')
        e->sha256 = copy(h, sum);
    if (!digest)
        word(&s, false); /* number of the archive */
    e->path = tn_placed_unname(h->mem, word(&s, true));
    p->bytes += e->size;
}

static void heard(void *ctx, const char *p, size_t n)
{
    struct tn_helped *h = ctx;
    struct tn_span s = tn_span_of(p, n), w = word(&s, false);
    if (tn_span_eq(w, "at") && h->told)
        h->told(h->ctx, number(s, 10), h->of);
    else if (tn_span_eq(w, "archive") && h->n_archive < TN_OS_MAX_GIVEN) {
        word(&s, false);
        h->archive_size[h->n_archive] = number(word(&s, false), 10);
        h->archive_sha256[h->n_archive++] = copy(h, s);
    } else if (tn_span_eq(w, "refused"))
        h->refused = copy(h, s);
    else if (tn_span_eq(w, "failed"))
        h->failed = copy(h, s);
    else if (tn_span_eq(w, ">") && h->placed.n)
        h->placed.v[h->placed.n - 1].target = tn_placed_unname(h->mem, s);
    else if (w.n == 1 && memchr("fdl", *w.p, 3))
        entry(h, s, (char)*w.p, h->n_archive == 0);
    else if (tn_span_eq(w, "done"))
        h->done = true;
}

/* "2 d/x: '..' in its path", "28 lib/x". */
static int why(struct tn_helped *h, const char *const *names, size_t n_names, const char *program, int status,
               struct tn_err *err)
{
    if (h->refused) {
        struct tn_span s = tn_span_str(h->refused);
        uint64_t k = number(word(&s, false), 10);
        const char *file = k >= 1 && k <= n_names ? names[k - 1] : program;
        const char *text = (const char *)s.p;
        return tn_err_set(err, TN_E_REFUSED, file, "%s", tn_str_starts(text, ": ") ? text + 2 : text);
    }
    if (h->failed) {
        struct tn_span s = tn_span_str(h->failed);
        uint64_t e = number(word(&s, false), 10);
        return tn_err_set(err, e == 28 || e == 122 ? TN_E_FULL : TN_E_IO, (const char *)s.p,
                          "tenon-unpack: error %u of the system", (unsigned)e);
    }
    return tn_err_set(err, TN_E_IO, program, "ended without an answer (status %d)", status);
}

int tn_helper_ask(struct tn_helped *h, const char *program, const struct tn_buf *request, struct tn_os_dir *folder,
                  struct tn_os_held *const *file, size_t n_file, const char *const *names, struct tn_err *err)
{
    static const char *const env[] = {"LC_ALL=C", NULL};
    const char *argv[] = {program ? program : tn_helper_path(h->mem, "tenon-unpack"), NULL};
    int status = 0;
    if (!argv[0])
        return tn_err_set(err, TN_E_UNSUPPORTED, "tenon-unpack", "the program that unpacks is not beside tenon");
    h->archive_size = tn_arena_array(h->mem, TN_OS_MAX_GIVEN, sizeof *h->archive_size);
    h->archive_sha256 = tn_arena_array(h->mem, TN_OS_MAX_GIVEN, sizeof *h->archive_sha256);
    const struct tn_os_install how = {.argv = argv,
                                      .env = env,
                                      .folder = folder,
                                      .file = file,
                                      .n_file = n_file,
                                      .in = request->p,
                                      .n_in = request->n,
                                      .said = heard,
                                      .ctx = h};
    int rc = tn_os_install(&how, &status, err);
    if (rc)
        return rc;
    return status == 0 && h->done ? 0 : why(h, names, n_file, argv[0], status, err);
}
