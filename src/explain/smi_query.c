/* smi_query.c - "nvidia-smi -q" and "-L": keys and values by indentation.
 *
 * Form (public copies, drivers 384 to 595): "GPU 00000000:01:00.0" begins a card, below it "    Product Name    : ..."
 * and sections without a value whose members stand four columns further in. The keys are those of the XML with other
 * letters: "FB Memory Usage", "Total" is fb_memory_usage/total. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/smi.h"

#define PATH 160

/* "Sram Uncorrectable SEC-DED" -> "sram_uncorrectable_sec_ded" */
static void plain_key(const char *p, size_t n, char *buf, size_t size)
{
    while (n && p[n - 1] == ' ')
        n--;
    if (n >= size)
        n = size - 1;
    for (size_t i = 0; i < n; i++)
        buf[i] = p[i] == ' ' || p[i] == '-' ? '_' : tn_lower(p[i]);
    buf[n] = 0;
}

/* "GPU 0: Tesla T4 (UUID: GPU-...)" */
static void listed(struct tn_explain *e, const char *p, unsigned line)
{
    char *name;
    long long index = strtoll(p, &name, 10);
    const char *end = strstr(name, " (UUID: GPU-");
    if (!tn_is_digit(*p) || index > 999 || strncmp(name, ": ", 2) != 0 || !end)
        return;
    tn_smi_open(e, NULL, index, line);
    tn_smi_text(e, "name", tn_arena_strndup(&e->mem, name + 2, (size_t)(end - name - 2)), line);
    end += strlen(" (UUID: ");
    tn_smi_text(e, "uuid", tn_arena_strndup(&e->mem, end, strcspn(end, ")")), line);
    tn_smi_close(e);
}

static bool opens(struct tn_explain *e, const char *p, unsigned indent, unsigned line)
{
    char bus[TN_SMI_BUS];
    if (!tn_str_starts(p, "GPU "))
        return false;
    const char *end = tn_smi_bus(p + 4, bus);
    if (!end || end[strspn(end, " ")]) {
        listed(e, p + 4, line);
        return false;
    }
    tn_smi_process_add(e);
    tn_smi_open_next(e, bus, line);
    e->query.on = e->has_card;
    e->query.base = indent;
    e->query.depth = 0;
    return true;
}

static void close_query(struct tn_explain *e)
{
    tn_smi_process_add(e);
    tn_smi_close(e);
    e->query.on = false;
}

/* The sections that a line of this indentation stands in, and its own key, as a path. */
static void place(struct tn_explain_query *q, unsigned indent, const char *key, char path[PATH])
{
    size_t n = 0;
    while (q->depth && q->open[q->depth - 1].indent >= indent)
        q->depth--;
    for (unsigned i = 0; i < q->depth; i++) {
        size_t m = strlen(q->open[i].name);
        memcpy(path + n, q->open[i].name, m);
        n += m;
        path[n++] = '/';
    }
    size_t m = strlen(key);
    if (n + m >= PATH)
        m = PATH - 1 - n;
    memcpy(path + n, key, m);
    path[n + m] = 0;
    if (q->depth < TN_LEN(q->open) && n + m < PATH / 2) {
        q->open[q->depth].indent = indent;
        memcpy(q->open[q->depth++].name, key, strlen(key) + 1);
    }
}

void tn_smi_query_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    char path[PATH], key[sizeof e->query.open[0].name];
    unsigned indent = (unsigned)strspn(l->text, " \t");
    const char *p = l->text + indent, *value = strstr(p, " : ");
    if (value && (tn_str_starts(p, "Attached GPUs") || tn_str_starts(p, "Attached vGPUs")))
        tn_smi_attached(e, value + 3);
    if (!*p || opens(e, p, indent, l->number) || !e->query.on)
        return;
    if (indent <= e->query.base) {
        close_query(e);
        return;
    }
    plain_key(p, value ? (size_t)(value - p) : strlen(p), key, sizeof key);
    place(&e->query, indent, key, path);
    if (!value)
        return;
    struct tn_span v = tn_span_trim(tn_span_of(value + 3, strlen(value + 3)));
    const char *text = tn_arena_strndup(&e->mem, (const char *)v.p, v.n);
    if (tn_str_starts(path, "processes/"))
        tn_smi_process_value(e, key, text, l->number);
    else
        tn_smi_value(e, path, text, l->number);
}
