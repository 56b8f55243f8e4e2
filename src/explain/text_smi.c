/* text_smi.c - the table of nvidia-smi, and the lines with which it fails.
 *
 * Forms, each in public copies of its output (the tests name them): boxes of three cells and two or three lines a card
 * from 3xx to 6xx (the third, "MIG M.", since 450); MIG devices since 450; processes with GI and CI since 450. A GPU
 * that shares the machine's memory has "Not Supported" in the place of its own (GB10, Jetson), that of a Jetson no bus.
 * Failures: what the program prints in place of a table (driver 470, 525, 535 observed without a module, with a foreign
 * or missing library, without rights; public reports for lost cards). Messages are matched as they stand: NVIDIA does
 * not translate them. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "explain/smi.h"

enum { CARDS, MIG, PROCESSES };

#define MAX_CELLS 6

struct cells {
    struct tn_span v[MAX_CELLS];
    unsigned n;
};

/* What stands between the bars of a line of the table. */
static bool cut(const char *text, struct cells *ret)
{
    const char *p = text + strspn(text, " \t");
    ret->n = 0;
    if (*p++ != '|')
        return false;
    for (const char *bar; (bar = strchr(p, '|')) && ret->n < MAX_CELLS; p = bar + 1)
        ret->v[ret->n++] = tn_span_trim(tn_span_of(p, (size_t)(bar - p)));
    return ret->n > 0;
}

/* The next word of *rest as text; "" at the end. */
static const char *word(struct tn_explain *e, struct tn_span *rest)
{
    size_t a = 0, b;
    while (a < rest->n && (rest->p[a] == ' ' || rest->p[a] == '\t'))
        a++;
    for (b = a; b < rest->n && rest->p[b] != ' ' && rest->p[b] != '\t';)
        b++;
    const char *w = tn_arena_strndup(&e->mem, (const char *)rest->p + a, b - a);
    *rest = tn_span_from(*rest, b);
    return w;
}

static const char *text_of(struct tn_explain *e, struct tn_span s)
{
    return s.n ? tn_arena_strndup(&e->mem, (const char *)s.p, s.n) : "";
}

static bool number(const char *w, long long *ret)
{
    uint64_t v;
    if (!tn_str_u64(w, strlen(w), 10, &v) || v >= 1u << 31)
        return false;
    *ret = (long long)v;
    return true;
}

/* --- cards ------------------------------------------------------------------------------------------------------ */

/* "0  NVIDIA A100-PCIE-40GB  Off": between number and mode stands the name. */
static void name_cell(struct tn_explain *e, struct tn_span s, unsigned line)
{
    size_t n = s.n;
    while (n && s.p[n - 1] != ' ')
        n--;
    const char *mode = text_of(e, tn_span_from(s, n));
    static const char *const models[][2] = {{"WDDM", "wddm"}, {"TCC", "tcc"}, {"MCDM", "mcdm"}};
    for (unsigned i = 0; i < TN_LEN(models); i++)
        if (strcmp(mode, models[i][0]) == 0)
            tn_smi_text(e, "driver_model", models[i][1], line);
    tn_smi_switch(e, "persistence", mode, line);
    tn_smi_text(e, "name", text_of(e, tn_span_trim(tn_span_of(s.p, n))), line);
}

/* "0" errors, "Off", "N/A", or "On" beside MIG. */
static void ecc_cell(struct tn_explain *e, const char *text, unsigned line)
{
    long long errors;
    if (number(text, &errors)) {
        tn_smi_number(e, "ecc", 1, line);
        tn_smi_number(e, "ecc_errors", errors, line);
    } else {
        tn_smi_switch(e, "ecc", text, line);
    }
}

static bool first_line(struct tn_explain *e, const struct cells *c, unsigned line)
{
    char bus[TN_SMI_BUS];
    long long index;
    struct tn_span rest = c->v[0], at = c->v[1];
    if (c->n != 3 || !number(word(e, &rest), &index))
        return false;
    const char *id = word(e, &at);
    bool integrated = strcmp(id, "N/A") == 0 && tn_span_eq(tn_span_trim(at), "N/A"); /* Jetson: on no bus */
    if (!integrated && !tn_smi_bus(id, bus))
        return false;
    tn_smi_open(e, integrated ? NULL : bus, index, line);
    struct tn_span name = tn_span_trim(rest);
    if (tn_span_starts(name, "ERR!"))
        tn_smi_text(e, "nvml", "NVML_ERROR_UNKNOWN", line);
    else if (tn_span_find(name, 0, "GPU is lost", 11) != SIZE_MAX)
        tn_smi_text(e, "nvml", "NVML_ERROR_GPU_IS_LOST", line);
    else
        name_cell(e, name, line);
    ecc_cell(e, text_of(e, c->v[2]), line);
    return true;
}

/* "N/A   51C    P0   71W / 250W" */
static void state_cell(struct tn_explain *e, struct tn_span rest, unsigned line)
{
    const char *w, *before = "";
    for (bool limit = false; *(w = word(e, &rest)); before = w) {
        size_t n = strlen(w);
        long long v;
        if (n > 1 && w[n - 1] == 'C' && number(tn_arena_strndup(&e->mem, w, n - 1), &v))
            tn_smi_number(e, "temperature_c", v, line);
        else if (n > 1 && w[n - 1] == 'W')
            tn_smi_watts(e, limit && strcmp(before, "/") == 0 ? "power_limit_mw" : "power_mw", w, line);
        limit = limit || strcmp(w, "/") == 0;
    }
}

/* "0%  E. Process": the mode is behind the load, which is a number or "N/A". */
static const char *mode_of(struct tn_explain *e, struct tn_span s)
{
    word(e, &s);
    return text_of(e, tn_span_trim(s));
}

static bool second_line(struct tn_explain *e, const struct cells *c, unsigned line)
{
    struct tn_span rest = c->v[1];
    if (c->n != 3)
        return false;
    const char *used = word(e, &rest), *slash = word(e, &rest), *total = word(e, &rest);
    if (tn_span_starts(c->v[1], "Not Supported")) { /* it shares the machine's memory */
        tn_smi_no_memory(e, line);
    } else if (strcmp(slash, "/") != 0) {
        return false;
    } else {
        tn_smi_memory(e, "used_bytes", used, line);
        tn_smi_memory(e, "memory_bytes", total, line);
    }
    state_cell(e, c->v[0], line);
    tn_smi_mode(e, mode_of(e, c->v[2]), line);
    return true;
}

static void card_line(struct tn_explain *e, const struct cells *c, unsigned line)
{
    if (first_line(e, c, line) || !e->has_card || second_line(e, c, line))
        return;
    if (c->n == 3 && c->v[0].n == 0 && c->v[1].n == 0)
        tn_smi_switch(e, "mig", text_of(e, c->v[2]), line);
}

/* --- MIG devices and processes ---------------------------------------------------------------------------------- */

/* The table of MIG devices lists those of every card: a card in MIG mode that has none in it has none. */
static void none_yet(struct tn_explain *e, unsigned line)
{
    for (size_t i = 0; i < e->s->gpu.n; i++)
        if (tn_is(e->s->gpu.v[i].mig, 1) && e->s->gpu.v[i].mig_devices.k != TN_KNOWN) {
            e->card = i;
            e->has_card = true;
            tn_smi_number(e, "mig_devices", 0, line);
        }
    tn_smi_close(e);
}

static bool open_number(struct tn_explain *e, long long index, unsigned line)
{
    tn_smi_close(e);
    for (size_t i = 0; i < e->s->gpu.n; i++)
        if (tn_is(e->s->gpu.v[i].index, index))
            tn_smi_open(e, NULL, index, line);
    return e->has_card;
}

/* "0    7   0   0": GPU, GPU instance, compute instance, MIG device. */
static void mig_line(struct tn_explain *e, const struct cells *c, unsigned line)
{
    struct tn_span rest = c->v[0];
    long long v[4];
    if (tn_span_starts(rest, "No MIG devices found")) {
        none_yet(e, line);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        if (!number(word(e, &rest), &v[i]))
            return;
    if (!open_number(e, v[0], line))
        return;
    struct tn_int *n = &e->s->gpu.v[e->card].mig_devices;
    *n = tn_fact_int(tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line), n->k == TN_KNOWN ? n->v + 1 : 1);
    tn_smi_close(e);
}

/* "0   N/A  N/A    122792      C   nvidia-cuda-mps-server             25MiB", before 450 without the two. */
static void process_line(struct tn_explain *e, const struct cells *c, unsigned line)
{
    static const char *const types[] = {"C", "G", "C+G", "M", "M+C", NULL};
    struct tn_span rest = c->v[0];
    const char *w[5] = {"", "", "", "", ""};
    long long index;
    unsigned n = 0;
    if (c->n != 1 || !number(word(e, &rest), &index))
        return;
    while (n < 4 && !tn_str_in(n ? w[n - 1] : "", types))
        w[n++] = word(e, &rest);
    if ((n != 2 && n != 4) || !tn_str_in(w[n - 1], types) || !open_number(e, index, line))
        return;
    struct tn_span name = tn_span_trim(rest);
    size_t last = name.n;
    while (last && name.p[last - 1] != ' ')
        last--;
    tn_smi_process_value(e, "pid", w[n - 2], line);
    tn_smi_process_value(e, "type", w[n - 1], line);
    tn_smi_process_value(e, "used_memory", text_of(e, tn_span_from(name, last)), line);
    tn_smi_process_value(e, "name", text_of(e, tn_span_trim(tn_span_of(name.p, last))), line);
    tn_smi_process_add(e);
    tn_smi_close(e);
}

static bool heading(struct tn_explain *e, const struct cells *c, unsigned line)
{
    struct tn_span s = c->v[0];
    if (tn_span_starts(s, "NVIDIA-SMI ") && s.n > 11 && tn_is_digit((char)s.p[11])) {
        tn_smi_frame(e);
    } else if (tn_span_starts(s, "MIG devices:")) {
        e->part = MIG;
        e->mig_told = true;
    } else if (tn_span_starts(s, "Processes:")) {
        if (e->mig_told)
            none_yet(e, line);
        e->mig_told = false;
        e->part = PROCESSES;
    } else {
        return false;
    }
    tn_smi_close(e);
    return true;
}

void tn_smi_table_line(struct tn_explain *e, const struct tn_explain_line *l)
{
    struct cells c;
    if (!cut(l->text, &c) || heading(e, &c, l->number))
        return;
    if (e->part == CARDS)
        card_line(e, &c, l->number);
    else if (e->part == MIG)
        mig_line(e, &c, l->number);
    else
        process_line(e, &c, l->number);
}

/* --- failures --------------------------------------------------------------------------------------------------- */

static void nvml(struct tn_explain *e, const char *name, unsigned line)
{
    struct tn_rec_driver *d = TN_THE(e->s, driver);
    if (!name)
        return;
    d->nvml = tn_fact_str(e->s, tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line), name);
    d->loaded = (struct tn_int){0, 0, TN_UNASKED}; /* the last word counts; what failed proves no module ... */
    if (strcmp(name, "NVML_ERROR_LIB_RM_VERSION_MISMATCH") == 0) /* ... but this is the module's own answer */
        d->loaded = tn_fact_int(d->nvml.src, 1);
    tn_explain_say(e, "driver.nvml", name, line);
}

/* "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot ...", "... GPU0000:07:00.0: ...",
 * "... gpu 0000:01:00.0: ...", "... GPU1: 0000:0B:00.0: ..." */
static void handle(struct tn_explain *e, const char *p, unsigned line)
{
    char bus[TN_SMI_BUS];
    for (const char *end; *p; p++) {
        if (!(end = tn_smi_bus(p, bus)) || *end != ':')
            continue;
        const char *name = tn_smi_error(end + 1 + strspn(end + 1, " "));
        tn_smi_open(e, bus, -1, line);
        if (name)
            tn_smi_text(e, "nvml", name, line);
        tn_smi_close(e);
        return;
    }
}

static void failures(struct tn_explain *e, const struct tn_explain_line *l)
{
    static const char *const init = "Failed to initialize NVML: ", *const card =
                                                                       "Unable to determine the device handle for ";
    const char *p;
    if (strstr(l->text, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver"))
        nvml(e, "NVML_ERROR_DRIVER_NOT_LOADED", l->number);
    else if (strstr(l->text, "NVIDIA-SMI couldn't find libnvidia-ml.so") ||
             strstr(l->text, "NVIDIA-SMI couldn't find nvml.dll"))
        nvml(e, "NVML_ERROR_LIBRARY_NOT_FOUND", l->number);
    else if ((p = strstr(l->text, init)))
        nvml(e, tn_smi_error(p + strlen(init)), l->number);
    else if ((p = strstr(l->text, card)))
        handle(e, p + strlen(card), l->number);
    else if (strstr(l->text, "Mismatch in versions between nvidia-smi and NVML"))
        nvml(e, "other", l->number);
    else if (strstr(l->text, "No devices were found")) {
        tn_explain_say(e, "gpu.nvml", "NVML_ERROR_NOT_FOUND", l->number);
        tn_explain_answered(e, l->number);
    }
}

void tn_explain_smi_line(struct tn_explain *e, const struct tn_explain_line *line, struct tn_span whole)
{
    failures(e, line);
    tn_smi_table_line(e, line);
    tn_smi_query_line(e, line);
    tn_smi_xml_line(e, whole, line->number);
}
