/* gpu.c - look-ups in gpus, cuda_arch and driver_branches.
 *
 * Invariant: several rows are merged field by field; a field on which they differ is emptied. */
#include "facts/gpu.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "facts/arch.h"
#include "version/dotted.h"

struct columns {
    uint32_t pci, name, chip, architecture, capability, memory;
};

static const struct tn_table *gpus(struct columns *c)
{
    const struct tn_table *t = tn_facts_find("gpus");
    if (t == NULL)
        return NULL;
    c->pci = (uint32_t)tn_facts_column(t, "pci_device_id");
    c->name = (uint32_t)tn_facts_column(t, "name");
    c->chip = (uint32_t)tn_facts_column(t, "chip");
    c->architecture = (uint32_t)tn_facts_column(t, "architecture");
    c->capability = (uint32_t)tn_facts_column(t, "compute_capability");
    c->memory = (uint32_t)tn_facts_column(t, "memory_gb");
    return t;
}

static void merge_field(const char **field, const char *cell)
{
    if (!tn_str_eq(*field, cell))
        *field = "";
}

static void merge(const struct tn_table *t, const struct columns *c, uint32_t r, struct tn_facts_gpu *gpu)
{
    if (gpu->rows++ == 0) {
        gpu->name = tn_facts_cell(t, r, c->name);
        gpu->chip = tn_facts_cell(t, r, c->chip);
        gpu->architecture = tn_facts_cell(t, r, c->architecture);
        gpu->capability = tn_facts_cell(t, r, c->capability);
        gpu->memory_gb = tn_facts_cell(t, r, c->memory);
        gpu->row = r;
        gpu->cite = tn_facts_cite(t, r);
        return;
    }
    merge_field(&gpu->name, tn_facts_cell(t, r, c->name));
    merge_field(&gpu->chip, tn_facts_cell(t, r, c->chip));
    merge_field(&gpu->architecture, tn_facts_cell(t, r, c->architecture));
    merge_field(&gpu->capability, tn_facts_cell(t, r, c->capability));
    merge_field(&gpu->memory_gb, tn_facts_cell(t, r, c->memory));
}

enum tn_found tn_facts_gpu_by_pci(unsigned device, struct tn_facts_gpu *ret)
{
    struct columns c;
    const struct tn_table *t = gpus(&c);
    if (t == NULL || device == 0 || device > 0xffff)
        return TN_ANSWER_BAD;
    char id[8];
    snprintf(id, sizeof id, "0x%04X", device & 0xffffu);
    struct tn_facts_gpu gpu = {0};
    for (uint32_t r = 0; r < t->nrows; r++)
        if (tn_str_eq(tn_facts_cell(t, r, c.pci), id))
            merge(t, &c, r, &gpu);
    if (gpu.rows == 0)
        return TN_ANSWER_NO;
    /* pci.ids gives the usual name first, subsystem names follow. */
    gpu.name = tn_facts_cell(t, gpu.row, c.name);
    *ret = gpu;
    return TN_ANSWER_YES;
}

/* A name without blanks, signs, case and maker's words; starts[i]: a word of the original begins at s[i]. */
struct plain {
    char s[96];
    bool starts[97];
    size_t n;
};

static bool is_maker_word(const char *word, size_t n)
{
    static const char *const words[] = {"nvidia", "geforce", "tesla", "quadro"};
    for (size_t i = 0; i < TN_LEN(words); i++)
        if (strlen(words[i]) == n && memcmp(words[i], word, n) == 0)
            return true;
    return false;
}

static void plain_of(const char *text, struct plain *ret)
{
    memset(ret, 0, sizeof *ret);
    while (*text) {
        char word[64];
        size_t n = 0;
        while (*text && !tn_is_digit(*text) && !tn_is_alpha(*text))
            text++;
        while (n < sizeof word && (tn_is_digit(*text) || tn_is_alpha(*text)))
            word[n++] = tn_lower(*text++);
        if (n == 0 || is_maker_word(word, n) || ret->n + n >= sizeof ret->s)
            continue;
        ret->starts[ret->n] = true;
        memcpy(ret->s + ret->n, word, n);
        ret->n += n;
    }
    ret->starts[ret->n] = true;
}

/* Is the rest of a text made of words that name no other chip? */
static bool harmless_rest(const struct plain *p, size_t from)
{
    static const char *const words[] = {"laptop", "gpu",  "mobile", "maxq", "max",   "q",    "with", "design",
                                        "pcie",   "pci",  "e",      "sxm",  "sxm2",  "sxm3", "sxm4", "sxm5",
                                        "sxm6",   "hbm2", "hbm2e",  "hbm3", "hbm3e", "oem",  "mig",  NULL};
    while (from < p->n) {
        char word[32];
        size_t n = 0;
        do {
            if (n + 1 >= sizeof word)
                return false;
            word[n++] = p->s[from++];
        } while (from < p->n && !p->starts[from]);
        word[n] = '\0';
        size_t digits = strspn(word, "0123456789");
        bool size = digits > 0 && (tn_str_eq(word + digits, "gb") || tn_str_eq(word + digits, "g"));
        if (!size && !tn_str_in(word, words))
            return false;
    }
    return true;
}

/* Where names begin that are not before these n letters. */
static uint32_t first_name(const char *letters, size_t n)
{
    uint32_t from = 0, to = tn_facts_ncard_names;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (strncmp(tn_facts_text(tn_facts_card_names[mid].text), letters, n) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* Does the name begin with these n letters, and end there or (more) go on with a new word? */
static bool is_meant(const struct tn_card_name *m, size_t n, bool more)
{
    return more ? m->n > n && (m->starts >> n & 1) : m->n == n;
}

/* Merges the names that are meant, the one that stands first in the table before all: it gives the fields that differ
 * nowhere, and the citation. */
static void merge_names(const struct tn_table *t, const struct columns *c, const char *letters, size_t n, bool more,
                        struct tn_facts_gpu *gpu)
{
    uint32_t from = first_name(letters, n), to = from, first = UINT32_MAX;
    for (; to < tn_facts_ncard_names; to++) {
        const struct tn_card_name *m = &tn_facts_card_names[to];
        if (strncmp(tn_facts_text(m->text), letters, n) != 0 || (!more && m->n != n))
            break;
        if (is_meant(m, n, more) && m->row < first)
            first = m->row;
    }
    if (first != UINT32_MAX)
        merge(t, c, first, gpu);
    for (uint32_t i = from; i < to; i++)
        if (is_meant(&tn_facts_card_names[i], n, more) && tn_facts_card_names[i].row != first)
            merge(t, c, tn_facts_card_names[i].row, gpu);
}

enum tn_found tn_facts_gpu_by_name(const char *name, struct tn_facts_gpu *ret)
{
    struct columns c;
    const struct tn_table *t = gpus(&c);
    struct plain asked;
    plain_of(name, &asked);
    if (t == NULL || asked.n < 2)
        return TN_ANSWER_BAD;
    struct tn_facts_gpu gpu = {0};
    merge_names(t, &c, asked.s, asked.n, false, &gpu); /* the same name, else names that go on with a new word, ... */
    if (gpu.rows == 0)
        merge_names(t, &c, asked.s, asked.n, true, &gpu);
    for (size_t n = asked.n - 1; gpu.rows == 0 && n >= 2; n--) /* ... else the longest with which the text begins */
        if (asked.starts[n] && harmless_rest(&asked, n))
            merge_names(t, &c, asked.s, n, false, &gpu);
    if (gpu.rows == 0)
        return TN_ANSWER_NO;
    *ret = gpu;
    return TN_ANSWER_YES;
}

/* In order of appearance; a driver branch drops from the front. */
static const char *const architectures[] = {"Fermi",  "Kepler",       "Maxwell", "Pascal",    "Volta", "Turing",
                                            "Ampere", "Ada Lovelace", "Hopper",  "Blackwell", "Rubin"};

static int age(const char *architecture)
{
    for (int i = 0; i < (int)TN_LEN(architectures); i++)
        if (tn_str_ieq(architectures[i], architecture))
            return i;
    return -1;
}

enum tn_found tn_facts_last_branch(const char *architecture, const char **branch, bool *current)
{
    const struct tn_table *t = tn_facts_find("driver_branches");
    int wanted = age(architecture);
    if (t == NULL || wanted < 0)
        return TN_ANSWER_BAD;
    uint64_t best = 0, newest = 0;
    const char *found = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *text = tn_facts_get(t, r, "branch");
        uint64_t number = tn_version_dotted_major(text);
        int oldest = age(tn_facts_get(t, r, "oldest_gpu_architecture"));
        if (tn_facts_rank(t, r) != 1)
            continue;
        newest = number > newest ? number : newest;
        if (oldest >= 0 && oldest <= wanted && number > best) {
            best = number;
            found = text;
        }
    }
    if (best == 0)
        return TN_ANSWER_OPEN;
    *branch = found;
    *current = best == newest;
    return TN_ANSWER_YES;
}

/* The architecture of a capability that no row of gpus has: the one that came into cuda_arch with it. */
static const char *new_architecture(const struct tn_table *t, const char *capability)
{
    const char *before = "", *found = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        if (tn_facts_rank(t, r) != 1)
            continue;
        const char *now = tn_facts_get(t, r, "architectures");
        if (tn_facts_list_has(tn_facts_get(t, r, "added"), capability)) {
            for (size_t i = 0; i < TN_LEN(architectures); i++)
                if (tn_facts_list_has(now, architectures[i]) && !tn_facts_list_has(before, architectures[i]))
                    found = architectures[i];
        }
        before = now;
    }
    return found;
}

static const char *architecture_of(const char *capability)
{
    struct columns c;
    const struct tn_table *t = gpus(&c);
    for (uint32_t r = 0; t != NULL && r < t->nrows; r++)
        if (tn_str_eq(tn_facts_cell(t, r, c.capability), capability))
            return tn_facts_cell(t, r, c.architecture);
    return "";
}

enum tn_found tn_facts_capability(const char *capability, struct tn_facts_capability *ret)
{
    const struct tn_table *t = tn_facts_find("cuda_arch");
    struct tn_arch arch;
    if (t == NULL || !tn_facts_arch_parse(capability, &arch) || arch.suffix)
        return TN_ANSWER_BAD;
    char cc[16];
    snprintf(cc, sizeof cc, "%u.%u", arch.major, arch.minor);
    struct tn_facts_capability got = {architecture_of(cc), "", "", false, "", false};
    const char *newest = "";
    for (uint32_t r = 0; r < t->nrows; r++) {
        const char *release = tn_facts_get(t, r, "cuda_release");
        if (tn_facts_rank(t, r) != 1)
            continue;
        if (tn_version_dotted_cmp(release, newest) > 0)
            newest = release;
        if (!tn_facts_list_has(tn_facts_get(t, r, "all_cc"), cc))
            continue;
        if (!*got.first_cuda || tn_version_dotted_cmp(release, got.first_cuda) < 0)
            got.first_cuda = release;
        if (tn_version_dotted_cmp(release, got.last_cuda) > 0)
            got.last_cuda = release;
    }
    if (!*got.first_cuda && !*got.architecture)
        return TN_ANSWER_NO;
    got.cuda_current = *got.last_cuda && tn_str_eq(got.last_cuda, newest);
    if (!*got.architecture)
        got.architecture = new_architecture(t, cc);
    if (*got.architecture)
        (void)tn_facts_last_branch(got.architecture, &got.last_driver_branch, &got.driver_current);
    *ret = got;
    return TN_ANSWER_YES;
}
