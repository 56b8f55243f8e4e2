/* bundle.c - see bundle.h. The digests tell damage and mixing-up; who made the bundle only a signature tells. */
#include "apply/bundle.h"

#include <string.h>

#include "apply/inner.h"
#include "base/limits.h"
#include "base/str.h"
#include "place/place.h"

#define LIST "SHA256SUMS"

/* The digest that the list has for a path; NULL: it is not listed. */
static const char *listed(struct tn_arena *mem, struct tn_span list, const char *path, unsigned *count)
{
    struct tn_span line;
    const char *found = NULL;
    *count = 0;
    while (tn_span_line(&list, &line)) {
        if (line.n < 67 || line.p[64] != ' ' || line.p[65] != ' ')
            continue;
        *count += 1;
        if (tn_span_eq(tn_span_from(line, 66), path))
            found = tn_arena_strndup(mem, (const char *)line.p, 64);
    }
    return found;
}

/* Every file is listed with its digest, and every listed file is there. */
static int compare(struct tn_arena *mem, const struct tn_placed *p, struct tn_span list, struct tn_err *err)
{
    unsigned lines = 0, files = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct tn_placed_entry *e = &p->v[i];
        if (e->type == 'd' || tn_str_eq(e->path, LIST))
            continue;
        const char *sum = e->type == 'f' ? listed(mem, list, e->path, &lines) : NULL;
        if (!sum)
            return tn_err_set(err, TN_E_REFUSED, e->path, "not in the bundle's list of digests");
        if (!tn_str_eq(sum, e->sha256))
            return tn_err_set(err, TN_E_REFUSED, e->path,
                              "not the file that the bundle's list names: its digest differs");
        files++;
    }
    if (!files || files != lines)
        return tn_err_set(err, TN_E_REFUSED, LIST, "%u files are listed, %u are there", lines, files);
    return 0;
}

int tn_bundle_open(struct tn_arena *mem, const char *file, const struct tn_minisign *by, struct tn_state *s,
                   struct tn_apply *ret, struct tn_buf *ret_plan, struct tn_err *err)
{
    struct tn_os_dir *into;
    struct tn_placed placed;
    struct tn_buf list;
    int rc = tn_os_dir_ensure(s->top, TN_STATE_BUNDLE, &into, err);
    if (rc)
        return rc;
    s->bundle = true;
    tn_buf_init(&list);
    rc = tn_place_extract(mem, file, "", by, NULL, into, &placed, err);
    if (!rc && tn_os_dir_read(into, LIST, TN_MAX_SMALL_FILE, &list, err))
        rc = tn_err_set(err, TN_E_REFUSED, file, "not a bundle: it has no " LIST);
    if (!rc)
        rc = compare(mem, &placed, tn_span_of(list.p, list.n), err);
    if (!rc)
        rc = tn_os_dir_read(into, "plan.json", TN_MAX_SMALL_FILE, ret_plan, err);
    if (!rc) {
        const char **archives = tn_arena_array(mem, 1, sizeof *archives);
        struct tn_os_stat st;
        *archives = tn_arena_printf(mem, "%s/" TN_BUNDLE_ARCHIVES, tn_os_dir_path(into));
        ret->wheels = tn_arena_printf(mem, "%s/wheels", tn_os_dir_path(into));
        ret->archives = archives;
        ret->n_archives = tn_os_dir_stat(into, TN_BUNDLE_ARCHIVES, &st, NULL) == 0 && st.type == 'd';
    }
    tn_buf_deinit(&list);
    tn_os_dir_close(into);
    return rc;
}
