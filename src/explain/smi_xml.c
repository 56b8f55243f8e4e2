/* smi_xml.c - "nvidia-smi -q -x": the few elements of its XML that tenon has facts for, byte by byte.
 *
 * Reading begins at <nvidia_smi_log: what stands before it, a DTD among it, is never looked at. No entity is replaced
 * by anything: a text that holds one is left as it is written. Everything is bounded: depth, names, texts. Forms:
 * schemas nvsmi_device_v10 to v13 (influxdata/telegraf, plugins/inputs/nvidia_smi/testdata). */
#include <string.h>

#include "base/str.h"
#include "explain/smi.h"

#define ROOT "nvidia_smi_log"
#define CARD ROOT "/gpu/"

static void driver_value(struct tn_explain *e, const char *key, const char *text, unsigned line)
{
    if (strcmp(key, "attached_gpus") == 0)
        tn_smi_attached(e, text);
    bool version = tn_is_digit(*text) && strlen(text) < 24 && strchr(text, '.') && !strpbrk(text, " &");
    if (strcmp(key, "driver_version") == 0 || strcmp(key, "kmd_version") == 0) {
        if (!version)
            return;
        tn_explain_driver(e, text, line);
        tn_explain_answered(e, line);
    } else if (strcmp(key, "cuda_version") == 0 || strcmp(key, "cuda_umd_version") == 0) {
        if (version || strcmp(text, "N/A") == 0 || strcmp(text, "Not Found") == 0)
            tn_explain_cuda(e, version ? text : NULL, line);
    }
}

static void leaf(struct tn_explain *e, const char *path, const char *text, unsigned line)
{
    const char *key = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (tn_str_starts(path, CARD "processes/process_info/"))
        tn_smi_process_value(e, key, text, line);
    else if (tn_str_starts(path, CARD))
        tn_smi_value(e, path + strlen(CARD), text, line);
    else if (tn_str_starts(path, ROOT "/") && key == path + strlen(ROOT "/"))
        driver_value(e, key, text, line);
}

static void opened(struct tn_explain *e, const char *path, const char *tag, unsigned line)
{
    char bus[TN_SMI_BUS];
    const char *id;
    if (strcmp(path, ROOT "/gpu") == 0) {
        tn_smi_close(e);
        if ((id = strstr(tag, " id=\"")) && tn_smi_bus(id + 5, bus))
            tn_smi_open_next(e, bus, line);
    } else if (strcmp(path, CARD "mig_devices/mig_device") == 0 && e->has_card) {
        struct tn_int *n = &e->s->gpu.v[e->card].mig_devices;
        *n = tn_fact_int(tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line),
                         n->k == TN_KNOWN ? n->v + 1 : 1);
    }
}

static void closed(struct tn_explain *e, const char *path, unsigned line)
{
    if (strcmp(path, CARD "mig_devices") == 0 && e->has_card && tn_is(e->s->gpu.v[e->card].mig, 1) &&
        e->s->gpu.v[e->card].mig_devices.k != TN_KNOWN)
        tn_smi_number(e, "mig_devices", 0, line);
    else if (strcmp(path, CARD "processes/process_info") == 0)
        tn_smi_process_add(e);
    else if (strcmp(path, ROOT "/gpu") == 0)
        tn_smi_close(e);
}

/* --- the reader ------------------------------------------------------------------------------------------------- */

static void push(struct tn_explain_xml *x, const char *name, size_t n)
{
    if (x->over || x->depth == TN_LEN(x->open) || x->n_path + n + 2 > sizeof x->path) {
        x->over++;
        return;
    }
    if (x->depth)
        x->path[x->n_path++] = '/';
    x->open[x->depth++] = x->n_path;
    memcpy(x->path + x->n_path, name, n);
    x->n_path += n;
    x->path[x->n_path] = 0;
}

static void pop(struct tn_explain *e, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    if (x->over) {
        x->over--;
        return;
    }
    closed(e, x->path, line);
    x->n_path = x->open[--x->depth];
    x->n_path -= x->n_path > 0;
    x->path[x->n_path] = 0;
    x->on = x->depth > 0;
}

static void end_text(struct tn_explain *e, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    struct tn_span t = tn_span_trim(tn_span_of(x->text, x->n_text));
    if (t.n && !x->over && x->n_text < sizeof x->text)
        leaf(e, x->path, tn_arena_strndup(&e->mem, (const char *)t.p, t.n), line);
}

/* </name>: closes the innermost element of that name and what was left open in it; another one is passed over. */
static void end_tag(struct tn_explain *e, const char *name, size_t n, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    unsigned at = x->depth;
    if (x->over) {
        x->over--;
        return;
    }
    while (at && !(strncmp(x->path + x->open[at - 1], name, n) == 0 &&
                   (x->path[x->open[at - 1] + n] == '/' || !x->path[x->open[at - 1] + n])))
        at--;
    if (at == x->depth)
        end_text(e, line);
    while (at && x->depth >= at)
        pop(e, line);
}

static void tag(struct tn_explain *e, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    size_t n;
    x->tag[x->n_tag] = 0;
    if (x->tag[0] == '/') {
        n = strcspn(x->tag + 1, " \t");
        end_tag(e, x->tag + 1, n, line);
    } else {
        n = strcspn(x->tag, " \t/");
        push(x, x->tag, n);
        if (!x->over)
            opened(e, x->path, x->tag, line);
        if (x->last[1] == '/')
            pop(e, line);
    }
    x->n_text = 0;
}

/* Is this '>' the end of what began with '<'? A comment and a CDATA section have ends of their own. */
static bool ends_tag(const struct tn_explain_xml *x)
{
    if (x->n_tag >= 3 && memcmp(x->tag, "!--", 3) == 0)
        return x->last[0] == '-' && x->last[1] == '-' && x->n_tag > 4;
    if (x->n_tag >= 8 && memcmp(x->tag, "![CDATA[", 8) == 0)
        return x->last[0] == ']' && x->last[1] == ']';
    return true;
}

static void in_tag(struct tn_explain *e, char c, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    if (c != '>' || !ends_tag(x)) {
        if (x->n_tag + 1 < sizeof x->tag)
            x->tag[x->n_tag++] = c;
        x->last[0] = x->last[1];
        x->last[1] = c;
        return;
    }
    x->in_tag = false;
    if (x->n_tag && x->tag[0] != '!' && x->tag[0] != '?')
        tag(e, line);
}

static void byte(struct tn_explain *e, char c, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    if (x->in_tag) {
        in_tag(e, c, line);
    } else if (c == '<') {
        x->in_tag = true;
        x->n_tag = 0;
        x->last[0] = x->last[1] = 0;
    } else if (x->n_text < sizeof x->text) {
        x->text[x->n_text++] = c;
    }
}

void tn_smi_xml_line(struct tn_explain *e, struct tn_span text, unsigned line)
{
    struct tn_explain_xml *x = &e->xml;
    size_t from = tn_span_find(text, 0, "<" ROOT, strlen("<" ROOT));
    if (!x->on && from == SIZE_MAX)
        return;
    if (from != SIZE_MAX) { /* also when an earlier one was cut off */
        memset(x, 0, sizeof *x);
        x->on = true;
        tn_smi_process_add(e);
        tn_smi_frame(e);
    } else {
        from = 0;
    }
    for (size_t i = from; i < text.n && x->on; i++)
        byte(e, (char)text.p[i], line);
    if (x->on)
        byte(e, '\n', line);
}
