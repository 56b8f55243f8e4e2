/* fuzz_metadata.c - hostile METADATA, and hostile parts of a wheel's directory. The first byte says which. Beyond
 * memory safety it holds that names are normal ones and that a member found lies in the part and is METADATA of one
 * folder. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "image/zip.h"
#include "plan/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_normal(const char *s)
{
    for (; *s; s++)
        if (!tn_is_digit(*s) && (*s < 'a' || *s > 'z') && *s != '-')
            abort();
}

static void text(struct tn_arena *mem, struct tn_span s)
{
    static const struct tn_marker_env env = {.python_version = "3.11", .sys_platform = "linux"};
    struct tn_metadata *m = tn_arena_alloc(mem, sizeof *m);
    if (tn_metadata_read(mem, s, m, NULL) != 0)
        return;
    is_normal(m->name);
    bool *holds = tn_arena_array(mem, m->n + 1, sizeof *holds);
    tn_metadata_wanted(mem, m, &env, m->n_extra ? m->extra[0] : "x", holds);
    for (size_t i = 0; i < m->n; i++) {
        is_normal(m->v[i].name);
        if (!tn_metadata_same_spec(mem, m->v[i].spec, m->v[i].spec))
            abort();
    }
}

static void directory(struct tn_arena *mem, struct tn_span s)
{
    struct tn_view v = tn_view_of_span(&s);
    struct tn_zip_member m;
    uint64_t off, n;
    uint32_t crc;
    for (int first = 0; first < 2; first++)
        if (tn_image_zip_metadata(s, first != 0, mem, &m, &crc)) {
            struct tn_buf b;
            tn_buf_init(&b);
            if (!tn_str_ends(m.name, ".dist-info/METADATA") || strlen(m.name) > s.n)
                abort();
            if (tn_image_zip_read(&v, &m, 1u << 20, &b, NULL) == 0 && b.n != m.size)
                abort();
            tn_buf_deinit(&b);
        }
    if (tn_image_zip_place(&v, &off, &n, NULL) == 0 && (off > s.n || n > s.n - off))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_arena mem;
    if (!size)
        return 0;
    tn_arena_init(&mem);
    (data[0] & 1 ? text : directory)(&mem, tn_span_of(data + 1, size - 1));
    tn_arena_deinit(&mem);
    return 0;
}
