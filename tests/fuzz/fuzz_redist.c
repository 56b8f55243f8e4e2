/* fuzz_redist.c - hostile lists of digests, names of archives, and lists of what was placed. The first byte says which.
 * Beyond memory safety: every listed archive has a name without a slash and a digest; what was read as placed is
 * written as it was read, and lies below its folder. */
#include <stdlib.h>
#include <string.h>

#include "place/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void list(struct tn_arena *mem, struct tn_span s)
{
    struct tn_redist_list l;
    if (tn_redist_read(mem, s, &l, NULL))
        return;
    for (size_t i = 0; i < l.n; i++)
        if (strlen(l.v[i].sha256) != 64 || strchr(l.v[i].file, '/') || !l.v[i].component || !l.v[i].cuda)
            abort();
}

static void placed(struct tn_arena *mem, struct tn_span s)
{
    struct tn_placed p, again;
    struct tn_buf b;
    if (tn_placed_read(mem, s, &p, NULL))
        return;
    tn_buf_init(&b);
    tn_placed_write(&p, &b);
    if (tn_placed_read(mem, tn_span_of(b.p, b.n), &again, NULL) || again.n != p.n)
        abort();
    for (size_t i = 0; i < p.n; i++)
        if (strcmp(p.v[i].path, again.v[i].path) != 0 || strcmp(p.v[i].target, again.v[i].target) != 0 ||
            *p.v[i].path == '/' || strstr(p.v[i].path, "/../") || strncmp(p.v[i].path, "../", 3) == 0)
            abort();
    tn_buf_deinit(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_arena mem;
    struct tn_redist one;
    if (!size)
        return 0;
    tn_arena_init(&mem);
    if (data[0] % 3 == 0)
        list(&mem, tn_span_of(data + 1, size - 1));
    else if (data[0] % 3 == 1)
        placed(&mem, tn_span_of(data + 1, size - 1));
    else if (tn_redist_name(&mem, tn_arena_strndup(&mem, (const char *)data + 1, size - 1), &one) &&
             (!one.component || !one.version || !one.platform || !one.cuda || !one.sha256))
        abort();
    tn_arena_deinit(&mem);
    return 0;
}
