/* smi_rows.c - readings of nvidia-smi into rows: the words that it uses for values, whatever form they stand in.
 *
 * Words: nvidia-smi(1) and copies of its output (schemas v10 to v13 of its XML). "N/A", "[N/A]" and "Requested
 * functionality has been deprecated" are no values. Errors: nvmlErrorString, as the program prints them. */
#include "explain/smi.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "facts/gpu.h"

#define MAX_CARDS 64u
#define MAX_PROCESSES 4096u
#define MAX_MIB (1LL << 28)

static uint32_t source(struct tn_explain *e, unsigned line)
{
    return tn_snap_src(e->s, TN_KNOWN, NULL, "line %u of the text", line);
}

/* --- cards ------------------------------------------------------------------------------------------------------ */

static bool is_hex(char c)
{
    return tn_is_digit(c) || (tn_lower(c) >= 'a' && tn_lower(c) <= 'f');
}

static size_t hex_run(const char *p)
{
    size_t n = 0;
    while (n < 9 && is_hex(p[n]))
        n++;
    return n;
}

/* "00000000:0C:00.0" and "0000:0c:00.0" are one: of the domain the last four digits count. */
const char *tn_smi_bus(const char *p, char bus[TN_SMI_BUS])
{
    size_t domain = hex_run(p);
    const char *at = p + domain;
    if ((domain != 4 && domain != 8) || *at != ':' || hex_run(at + 1) != 2 || at[3] != ':' || hex_run(at + 4) != 2 ||
        at[6] != '.' || !tn_is_digit(at[7]) || is_hex(at[8]))
        return NULL;
    for (unsigned i = 0; i < 12; i++)
        bus[i] = tn_lower(at[(int)i - 4]);
    bus[12] = 0;
    return at + 8;
}

static struct tn_rec_gpu *find_card(struct tn_explain *e, const char *bus, long long index)
{
    struct tn_rows_gpu *g = &e->s->gpu;
    for (size_t i = 0; bus && i < g->n; i++)
        if (tn_says(g->v[i].bus, bus))
            return &g->v[i];
    for (size_t i = 0; index >= 0 && i < g->n; i++)
        if (tn_is(g->v[i].index, index) && !(bus && tn_known(g->v[i].bus)))
            return &g->v[i];
    return NULL;
}

void tn_smi_open(struct tn_explain *e, const char *bus, long long index, unsigned line)
{
    struct tn_rec_gpu *g = find_card(e, bus, index);
    e->has_card = false;
    if (!g && e->s->gpu.n >= MAX_CARDS)
        return;
    uint32_t src = source(e, line);
    if (!g) {
        g = TN_ADD(e->s, gpu);
        g->vendor = tn_fact_str(e->s, src, "nvidia");
    }
    if (bus && !tn_known(g->bus))
        g->bus = tn_fact_str(e->s, src, bus);
    if (index >= 0 && index < 1000)
        g->index = tn_fact_int(src, index);
    e->card = (size_t)(g - e->s->gpu.v);
    e->has_card = e->seen = true;
    e->ecc = -1;
    tn_explain_answered(e, line);
}

void tn_smi_close(struct tn_explain *e)
{
    e->has_card = false;
}

void tn_smi_attached(struct tn_explain *e, const char *count)
{
    uint64_t v;
    e->n_order = 0;
    e->attached = tn_str_u64(count, strlen(count), 10, &v) && v <= MAX_CARDS ? (long long)v : 0;
}

void tn_smi_open_next(struct tn_explain *e, const char *bus, unsigned line)
{
    tn_smi_open(e, bus, -1, line);
    if (e->has_card && e->n_order < TN_LEN(e->order))
        e->order[e->n_order++] = (unsigned char)e->card;
}

/* One card asked for by -i would be number 0 by its place: only a whole list tells. */
static void number_cards(struct tn_explain *e)
{
    for (unsigned i = 0; e->attached == (long long)e->n_order && i < e->n_order; i++) {
        struct tn_rec_gpu *g = e->order[i] < e->s->gpu.n ? &e->s->gpu.v[e->order[i]] : NULL;
        if (g && g->index.k == TN_UNASKED)
            g->index = tn_fact_int(g->bus.src, i);
    }
}

static const struct tn_field_desc *field_of(const char *name)
{
    const struct tn_rec_desc *d = &tn_schema[TN_REC_gpu];
    for (unsigned i = 0; i < d->n_field; i++)
        if (strcmp(d->field[i].name, name) == 0)
            return &d->field[i];
    return NULL;
}

/* An observation of what may be shared as it is; a serial number of a card is not written down a second time. */
static void observe(struct tn_explain *e, const struct tn_field_desc *f, const char *value, unsigned line)
{
    if (f->privacy == TN_CLASS_PUBLIC)
        tn_explain_say(e, tn_arena_printf(&e->mem, "gpu[%u].%s", (unsigned)e->card, f->name), value, line);
}

void tn_smi_text(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    const struct tn_field_desc *f = field_of(field);
    if (e->has_card && tn_str_starts(text, "GPU is lost") && strcmp(field, "nvml") != 0)
        tn_smi_text(e, "nvml", "NVML_ERROR_GPU_IS_LOST", line);
    if (tn_str_starts(text, "GPU is lost") || strstr(text, "Unknown Error"))
        return;
    if (!e->has_card || !f || !*text || strcmp(text, "N/A") == 0 || strcmp(text, "[N/A]") == 0 ||
        tn_str_starts(text, "Requested functionality") || strcmp(text, "ERR!") == 0)
        return;
    void *row = &e->s->gpu.v[e->card];
    *(struct tn_str *)((char *)row + f->offset) = tn_fact_str(e->s, source(e, line), text);
    observe(e, f, text, line);
}

void tn_smi_number(struct tn_explain *e, const char *field, long long v, unsigned line)
{
    const struct tn_field_desc *f = field_of(field);
    if (!e->has_card || !f || v < 0)
        return;
    void *row = &e->s->gpu.v[e->card];
    *(struct tn_int *)((char *)row + f->offset) = tn_fact_int(source(e, line), v);
    observe(e, f, tn_arena_printf(&e->mem, "%lld", v), line);
}

/* --- values ----------------------------------------------------------------------------------------------------- */

/* "38MiB", "38 MiB": bytes, or -1. */
static long long mebibytes(const char *text)
{
    char *end;
    if (!tn_is_digit(*text))
        return -1;
    long long v = strtoll(text, &end, 10);
    end += *end == ' ';
    return v >= 0 && v < MAX_MIB && strncmp(end, "MiB", 3) == 0 ? v << 20 : -1;
}

void tn_smi_memory(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    tn_smi_number(e, field, mebibytes(text), line);
}

void tn_smi_no_memory(struct tn_explain *e, unsigned line)
{
    if (!e->has_card)
        return;
    struct tn_rec_gpu *g = &e->s->gpu.v[e->card];
    g->memory_bytes = g->used_bytes = g->free_bytes = tn_fact_noint(source(e, line), TN_ABSENT);
}

/* "71W", "72.02 W": of the part behind the point three digits at most count. */
void tn_smi_watts(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    char *end;
    long long unit = 100, v;
    if (!tn_is_digit(*text) || (v = strtoll(text, &end, 10)) > 100000)
        return;
    v *= 1000;
    if (*end == '.')
        for (end++; tn_is_digit(*end); end++, unit /= 10)
            v += unit * (*end - '0');
    end += *end == ' ';
    if (*end == 'W')
        tn_smi_number(e, field, v, line);
}

void tn_smi_switch(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    static const char *const on[] = {"On", "Enabled", "Yes", NULL}, *const off[] = {"Off", "Disabled", "No", NULL};
    char word[12];
    size_t n = strcspn(text, " *"); /* "Disabled*": another mode comes with the next reset */
    if (n >= sizeof word)
        return;
    memcpy(word, text, n);
    word[n] = 0;
    if (tn_str_in(word, on))
        tn_smi_number(e, field, 1, line);
    else if (tn_str_in(word, off))
        tn_smi_number(e, field, 0, line);
}

void tn_smi_mode(struct tn_explain *e, const char *text, unsigned line)
{
    static const char words[][2][24] = {{"Default", "default"},
                                        {"E. Process", "exclusive_process"},
                                        {"Exclusive_Process", "exclusive_process"},
                                        {"E. Thread", "exclusive_thread"},
                                        {"Exclusive_Thread", "exclusive_thread"},
                                        {"Prohibited", "prohibited"}};
    for (unsigned i = 0; i < TN_LEN(words); i++)
        if (strcmp(text, words[i][0]) == 0)
            tn_smi_text(e, "compute_mode", words[i][1], line);
}

static void fabric(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    static const char words[][2][24] = {
        {"Not Started", "not_started"}, {"In Progress", "in_progress"}, {"Completed", "completed"}};
    for (unsigned i = 0; i < TN_LEN(words); i++)
        if (strcmp(text, words[i][0]) == 0)
            tn_smi_text(e, field, words[i][1], line);
}

static void degrees(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    char *end;
    long long v = tn_is_digit(*text) ? strtoll(text, &end, 10) : -1;
    if (v >= 0 && v < 1000 && strcmp(end, " C") == 0)
        tn_smi_number(e, field, v, line);
}

static void plain(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    uint64_t v;
    if (tn_str_u64(text, strlen(text), 10, &v) && v < 1u << 31)
        tn_smi_number(e, field, (long long)v, line);
}

/* "221610DE", "0x221610DE": device and vendor. */
static void device(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    uint64_t v;
    if (tn_str_u64(text, strlen(text), 16, &v) && (v & 0xFFFF) == 0x10DE && v >> 32 == 0)
        tn_smi_text(e, field, tn_arena_printf(&e->mem, "0x%04x", (unsigned)(v >> 16)), line);
}

static void model(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    static const char words[][2][24] = {{"WDDM", "wddm"}, {"TCC", "tcc"}, {"MCDM", "mcdm"}};
    for (unsigned i = 0; i < TN_LEN(words); i++)
        if (strcmp(text, words[i][0]) == 0) {
            tn_smi_text(e, field, words[i][1], line);
            tn_explain_system(e, "windows", line);
        }
}

/* Several counts make the number of errors since the driver was loaded: parity and SEC-DED, SRAM and DRAM. */
static void errors(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    uint64_t v;
    if (!e->has_card || !tn_str_u64(text, strlen(text), 10, &v) || v >= 1u << 31)
        return;
    e->ecc = (e->ecc < 0 ? 0 : e->ecc) + (long long)v;
    e->s->gpu.v[e->card].ecc_errors = tn_fact_int(source(e, line), e->ecc);
    if (v)
        observe(e, field_of(field), tn_arena_printf(&e->mem, "%lld", e->ecc), line);
}

/* "Licensed (Expiry: 2026-7-1 0:0:0 GMT)", "Unlicensed (Unrestricted)", before the first request "Unlicensed". */
static void license(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    static const char *const words[] = {"licensed", "unlicensed", NULL};
    char word[12];
    size_t n = strcspn(text, " (");
    if (n >= sizeof word)
        return;
    for (size_t i = 0; i < n; i++)
        word[i] = tn_lower(text[i]);
    word[n] = 0;
    if (tn_str_in(word, words))
        tn_smi_text(e, field, word, line);
}

/* What stands there without a virtual machine is "None" and says nothing that another fact does not. */
static void virtualization(struct tn_explain *e, const char *field, const char *text, unsigned line)
{
    static const char words[][2][24] = {{"None", "none"},
                                        {"Pass-Through", "passthrough"},
                                        {"VGPU", "vgpu"},
                                        {"Host VGPU", "host_vgpu"},
                                        {"VSGA", "host_vsga"}};
    for (unsigned i = 0; i < TN_LEN(words); i++)
        if (tn_str_ieq(text, words[i][0]))
            tn_smi_text(e, field, words[i][1], line);
}

static const struct {
    char path[48], field[36]; /* in place: a pointer would be a relocation at every start */
    void (*put)(struct tn_explain *e, const char *field, const char *text, unsigned line);
} values[] = {
    {"product_name", "name", tn_smi_text},
    {"uuid", "uuid", tn_smi_text},
    {"gpu_uuid", "uuid", tn_smi_text},
    {"minor_number", "minor", plain},
    {"gsp_firmware_version", "firmware", tn_smi_text},
    {"persistence_mode", "persistence", tn_smi_switch},
    {"mig_mode/current_mig", "mig", tn_smi_switch},
    {"mig_mode/current", "mig", tn_smi_switch},
    {"driver_model/current_dm", "driver_model", model},
    {"driver_model/current", "driver_model", model},
    {"fb_memory_usage/total", "memory_bytes", tn_smi_memory},
    {"fb_memory_usage/used", "used_bytes", tn_smi_memory},
    {"fb_memory_usage/free", "free_bytes", tn_smi_memory},
    {"ecc_mode/current_ecc", "ecc", tn_smi_switch},
    {"ecc_mode/current", "ecc", tn_smi_switch},
    {"ecc_errors/volatile/double_bit/total", "ecc_errors", errors},
    {"ecc_errors/volatile/sram_uncorrectable", "ecc_errors", errors},
    {"ecc_errors/volatile/sram_uncorrectable_parity", "ecc_errors", errors},
    {"ecc_errors/volatile/sram_uncorrectable_secded", "ecc_errors", errors},
    {"ecc_errors/volatile/sram_uncorrectable_sec_ded", "ecc_errors", errors},
    {"ecc_errors/volatile/dram_uncorrectable", "ecc_errors", errors},
    {"retired_pages/pending_retirement", "pages_pending", tn_smi_switch},
    {"retired_pages/pending_blacklist", "pages_pending", tn_smi_switch},
    {"retired_pages/pending_page_blacklist", "pages_pending", tn_smi_switch},
    {"retired_pages/pending", "pages_pending", tn_smi_switch},
    {"remapped_rows/remapped_row_pending", "rows_pending", tn_smi_switch},
    {"remapped_rows/pending", "rows_pending", tn_smi_switch},
    {"remapped_rows/remapped_row_failure", "rows_failed", tn_smi_switch},
    {"remapped_rows/remapping_failure_occurred", "rows_failed", tn_smi_switch},
    {"temperature/gpu_temp", "temperature_c", degrees},
    {"temperature/gpu_current_temp", "temperature_c", degrees},
    {"power_readings/power_draw", "power_mw", tn_smi_watts},
    {"gpu_power_readings/power_draw", "power_mw", tn_smi_watts},
    {"gpu_power_readings/instant_power_draw", "power_mw", tn_smi_watts},
    {"gpu_power_readings/instantaneous_power_draw", "power_mw", tn_smi_watts},
    {"power_readings/enforced_power_limit", "power_limit_mw", tn_smi_watts},
    {"gpu_power_readings/current_power_limit", "power_limit_mw", tn_smi_watts},
    {"fabric/state", "fabric", fabric},
    {"gpu_virtualization_mode/virtualization_mode", "virtual", virtualization},
    {"vgpu_software_licensed_product/license_status", "license", license},
    {"grid_licensed_product/license_status", "license", license},
    {"pci/pci_device_id", "device_id", device},
    {"pci/device_id", "device_id", device},
};

void tn_smi_value(struct tn_explain *e, const char *path, const char *text, unsigned line)
{
    if (strcmp(path, "compute_mode") == 0)
        tn_smi_mode(e, text, line);
    for (unsigned i = 0; i < TN_LEN(values); i++)
        if (strcmp(path, values[i].path) == 0)
            values[i].put(e, values[i].field, text, line);
}

/* --- processes -------------------------------------------------------------------------------------------------- */

void tn_smi_process_value(struct tn_explain *e, const char *key, const char *text, unsigned line)
{
    uint64_t pid;
    if (strcmp(key, "pid") == 0 || strcmp(key, "process_id") == 0) {
        tn_smi_process_add(e);
        if (!tn_str_u64(text, strlen(text), 10, &pid) || pid == 0 || pid >= 1u << 31)
            return;
        e->process.pid = (long long)pid;
        e->process.memory = -1;
        e->process.line = line;
        e->process.kind[0] = e->process.name[0] = 0;
    } else if (strcmp(key, "type") == 0 && strlen(text) < sizeof e->process.kind) {
        memcpy(e->process.kind, text, strlen(text) + 1);
    } else if (strcmp(key, "process_name") == 0 || strcmp(key, "name") == 0) {
        size_t n = strlen(text) < sizeof e->process.name ? strlen(text) : sizeof e->process.name - 1;
        memcpy(e->process.name, text, n);
        e->process.name[n] = 0;
    } else if (strcmp(key, "used_memory") == 0 || strcmp(key, "used_gpu_memory") == 0) {
        e->process.memory = mebibytes(text);
    }
}

/* MPS shares a card in exclusive mode: its server holds the card, its clients (M) come through it. */
static const char *kind_of(const char *type, const char *name)
{
    if (strchr(type, 'M') || strstr(name, "nvidia-cuda-mps-server"))
        return "mps";
    return strchr(type, 'C') ? "compute" : strchr(type, 'G') ? "graphics" : NULL;
}

void tn_smi_process_add(struct tn_explain *e)
{
    if (e->process.pid > 0 && e->has_card && e->s->process.n < MAX_PROCESSES) {
        uint32_t src = source(e, e->process.line);
        struct tn_rec_process *p = TN_ADD(e->s, process);
        const char *kind = kind_of(e->process.kind, e->process.name);
        p->pid = tn_fact_int(src, e->process.pid);
        p->gpu = e->s->gpu.v[e->card].bus;
        if (*e->process.name)
            p->name = tn_fact_str(e->s, src, e->process.name);
        if (kind)
            p->kind = tn_fact_str(e->s, src, kind);
        if (e->process.memory >= 0)
            p->memory_bytes = tn_fact_int(src, e->process.memory);
    }
    e->process.pid = 0;
}

/* --- the whole -------------------------------------------------------------------------------------------------- */

const char *tn_smi_error(const char *words)
{
    static const char *const errors[][2] = {
        {"Unknown Error", "NVML_ERROR_UNKNOWN"},
        {"GPU is lost", "NVML_ERROR_GPU_IS_LOST"},
        {"Driver/library version mismatch", "NVML_ERROR_LIB_RM_VERSION_MISMATCH"},
        {"Insufficient Permissions", "NVML_ERROR_NO_PERMISSION"},
        {"Driver Not Loaded", "NVML_ERROR_DRIVER_NOT_LOADED"},
        {"Not Found", "NVML_ERROR_NOT_FOUND"},
        {"Insufficient External Power", "NVML_ERROR_INSUFFICIENT_POWER"},
        {"Timeout", "NVML_ERROR_TIMEOUT"},
        {"GPU requires reset", "NVML_ERROR_RESET_REQUIRED"},
        {"The operating system has blocked the request", "NVML_ERROR_OPERATING_SYSTEM"},
        {"GPU access blocked by the operating system", "NVML_ERROR_OPERATING_SYSTEM"}};
    for (unsigned i = 0; i < TN_LEN(errors); i++)
        if (tn_str_starts(words, errors[i][0]))
            return errors[i][1];
    return NULL;
}

void tn_smi_frame(struct tn_explain *e)
{
    size_t kept = 0;
    e->part = 0;
    e->mig_told = e->has_card = false;
    e->process.pid = 0;
    e->attached = e->n_order = 0;
    if (!e->seen)
        return;
    e->seen = false;
    e->s->gpu.n = e->s->process.n = 0;
    for (size_t i = 0; i < e->s->observation.n; i++)
        if (!tn_str_starts(e->s->observation.v[i].fact.v, "gpu["))
            e->s->observation.v[kept++] = e->s->observation.v[i];
    e->s->observation.n = kept;
}

/* What the tables know of a card by its name: not of one that is cut ("Tesla V100-SXM2..."). */
static void of_table(struct tn_explain *e, struct tn_rec_gpu *g)
{
    struct tn_facts_gpu t = {0};
    if (!tn_known(g->name) || tn_str_ends(g->name.v, "...") || tn_facts_gpu_by_name(g->name.v, &t) != TN_ANSWER_YES)
        return;
    uint32_t src = tn_snap_src(e->s, TN_KNOWN, NULL, "table gpus");
    if (*t.architecture)
        g->architecture = tn_fact_str(e->s, src, t.architecture);
    if (*t.capability)
        g->capability = tn_fact_str(e->s, src, t.capability);
}

void tn_explain_smi_end(struct tn_explain *e)
{
    tn_smi_process_add(e);
    number_cards(e);
    if (e->wsl)
        TN_THE(e->s, host)->wsl = tn_fact_int(source(e, e->wsl), 2);
    for (size_t i = 0; i < e->s->gpu.n; i++)
        of_table(e, &e->s->gpu.v[i]);
}
