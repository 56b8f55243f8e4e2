/* setting_variable.c - see setting.h: what becomes of an environment variable of Windows when folders that it names go.
 *
 * A list has ";" between its elements, which may stand in quotes (a folder may have a ";" in its name); %NAME% stands
 * for another variable. Only elements that lie in what goes, or begin with a variable that goes, are taken out, each
 * with one separator: everything else stays, empty elements and doubled separators included. */
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/str.h"
#include "clean/setting.h"

/* The element without quotes and blanks around it. */
static const char *bare(struct tn_arena *mem, struct tn_span e)
{
    char *s = tn_arena_alloc(mem, e.n + 1), *to = s;
    e = tn_span_trim(e);
    for (size_t i = 0; i < e.n; i++)
        if (e.p[i] != '"')
            *to++ = (char)e.p[i];
    *to = 0;
    return s;
}

/* "%CUDA_PATH_V11_6%\bin" of a variable that goes. */
static bool begins_with(const char *e, const char *const *name, size_t n)
{
    const char *end = *e == '%' ? strchr(e + 1, '%') : NULL;
    for (size_t i = 0; end && i < n; i++)
        if (strlen(name[i]) == (size_t)(end - e - 1)) {
            size_t k = 0;
            while (name[i][k] && tn_lower(name[i][k]) == tn_lower(e[1 + k]))
                k++;
            if (!name[i][k])
                return true;
        }
    return false;
}

static const char *leads_to(const struct tn_setting_goes *goes, const char *e)
{
    for (size_t i = 0; i < goes->n_folder; i++)
        if (tn_path_is_abs(TN_PATH_WINDOWS, e) && tn_path_under(TN_PATH_WINDOWS, e, goes->folder[i]))
            return goes->folder[i];
    return begins_with(e, goes->name, goes->n_name) && goes->n_folder ? goes->folder[0] : NULL;
}

static struct tn_span next_element(struct tn_span text, size_t *at)
{
    size_t from = *at;
    bool quoted = false;
    while (*at < text.n && (quoted || text.p[*at] != ';'))
        quoted = quoted != (text.p[(*at)++] == '"');
    return tn_span_of(text.p + from, *at - from);
}

bool tn_setting_variable(struct tn_arena *mem, struct tn_span text, const struct tn_setting_goes *goes,
                         struct tn_setting *ret)
{
    struct tn_buf b;
    const char *lead = NULL;
    bool any = false;
    tn_buf_init(&b);
    tn_buf_str(&b, "");
    for (size_t at = 0; at <= text.n; at++) { /* over the separator */
        size_t from = at;
        struct tn_span e = next_element(text, &at);
        const char *to = leads_to(goes, bare(mem, e));
        lead = to ? to : lead;
        if (to)
            continue;
        if (any)
            tn_buf_ch(&b, ';');
        tn_buf_add(&b, text.p + from, e.n);
        any = true;
    }
    memset(ret, 0, sizeof *ret);
    if (lead) {
        ret->line = tn_arena_alloc(mem, sizeof *ret->line);
        *ret->line = (struct tn_setting_line){.number = 1,
                                              .before = tn_arena_strndup(mem, (const char *)text.p, text.n),
                                              .after = any ? tn_arena_strndup(mem, b.p, b.n) : NULL,
                                              .leads_to = lead};
        ret->n = ret->n_changed = 1;
        ret->text = tn_arena_memdup(mem, b.p, b.n + 1);
        ret->size = b.n;
        ret->empty = !any;
    }
    tn_buf_deinit(&b);
    return lead != NULL;
}
