/* container_cuda_requirement.c - the image demands a newer driver than the host has.
 *
 * NVIDIA_REQUIRE_CUDA holds constraints, and so does every other NVIDIA_REQUIRE_ variable but that of JetPack; all of
 * them must hold (NVIDIA Container Toolkit, internal/config/image, GetRequirements): words with a blank between are
 * alternatives, a comma joins what must hold together; "cuda>=12.4" speaks of the driver's ceiling, "driver>=535" of
 * its version, "arch>=7.0" of the cards' compute capability, "brand=geforce" of their brand (libnvidia-container,
 * src/cli/dsl.c and configure.c: names without regard to case, every card must satisfy the whole; NVIDIA Container
 * Toolkit, internal/requirements: other names are passed over). GeForce cards of any kind have the brand geforce
 * (nvml.h: those of RTX are "unused"). An image that has CUDA_VERSION and no NVIDIA_REQUIRE_CUDA demands that release
 * (IsLegacy and legacyVersion of the same file); people set that name for reasons of their own, so it is a note where
 * nobody was refused. Names with other endings are not read: the environment is asked by exact names alone. The runtime
 * refuses to start such a container; inside one it means that the check was switched off (NVIDIA_DISABLE_REQUIRE), or
 * that another runtime started it. */
#include <string.h>

#include "base/str.h"
#include "check/container_gpu.h"
#include "version/dotted.h"

enum { PASSED_OVER = -2, UNCLEAR, NO, YES };

struct term {
    char *word;
    const char *op, *than;
    size_t n_op;
};

static bool is_op(const struct term *t, const char *op)
{
    return t->n_op == strlen(op) && strncmp(t->op, op, t->n_op) == 0;
}

static int compare(const struct term *t, int order)
{
    if (is_op(t, ">=") || is_op(t, "<=") || is_op(t, "!="))
        return t->op[0] == '>' ? order >= 0 : t->op[0] == '<' ? order <= 0 : order != 0;
    if (is_op(t, ">") || is_op(t, "<") || is_op(t, "="))
        return t->op[0] == '>' ? order > 0 : t->op[0] == '<' ? order < 0 : order == 0;
    return UNCLEAR;
}

static int version_holds(const struct term *t, const char *have)
{
    if (!have || !*have || !tn_version_dotted_ok(t->than))
        return UNCLEAR;
    return compare(t, tn_version_dotted_cmp(have, t->than));
}

/* One card that does not is enough. */
static int arch_holds(const struct tn_judge *j, const struct term *t)
{
    size_t row = 0;
    int all = UNCLEAR;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        int one = version_holds(t, tn_look_capability(g));
        if (one == NO)
            return NO;
        all = row == 1 || all == YES ? one : UNCLEAR;
    }
    return all;
}

/* Known of cards for players alone: which brand a driver gives to others has changed. */
static int brand_holds(const struct tn_judge *j, const struct term *t)
{
    size_t row = 0;
    bool any = false;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row)); any = true) {
        const char *name = tn_look_gpu_name(g);
        if (!tn_str_starts(tn_str_starts(name, "NVIDIA ") ? name + 7 : name, "GeForce"))
            return UNCLEAR;
    }
    return any ? compare(t, !tn_str_ieq(t->than, "geforce")) : UNCLEAR;
}

static int holds(const struct tn_judge *j, const char *text, size_t n, struct tn_arena *mem)
{
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    struct term t = {.word = tn_arena_strndup(mem, text, n)};
    size_t at = strcspn(t.word, "<>=!");
    if (!t.word[at])
        return UNCLEAR;
    t.n_op = strspn(t.word + at, "<>=!");
    t.op = tn_arena_strndup(mem, t.word + at, t.n_op);
    t.than = t.word + at + t.n_op;
    t.word[at] = 0;
    if (tn_str_ieq(t.word, "cuda"))
        return version_holds(&t, tn_look_text(d->cuda, NULL));
    if (tn_str_ieq(t.word, "driver"))
        return version_holds(&t, tn_look_text(d->version, NULL));
    if (tn_str_ieq(t.word, "arch"))
        return arch_holds(j, &t);
    return tn_str_ieq(t.word, "brand") ? brand_holds(j, &t) : PASSED_OVER;
}

/* Of one alternative: NO as soon as one part does not hold. */
static int all_hold(const struct tn_judge *j, const char *word, size_t n, struct tn_arena *mem)
{
    int all = PASSED_OVER;
    for (size_t i = 0, len; i < n; i += len + 1) {
        for (len = 0; i + len < n && word[i + len] != ',';)
            len++;
        int one = len ? holds(j, word + i, len, mem) : PASSED_OVER;
        if (one == NO)
            return NO;
        if (one != PASSED_OVER)
            all = one == UNCLEAR || all == UNCLEAR ? UNCLEAR : YES;
    }
    return all;
}

/* The first alternative of a requirement of which none holds, or may; else NULL. */
static const char *unmet(const struct tn_judge *j, struct tn_str text, struct tn_arena *mem)
{
    const char *need = NULL;
    for (const char *p = tn_known(text) ? text.v : ""; *p;) {
        p += strspn(p, " ");
        size_t n = strcspn(p, " ");
        int all = n ? all_hold(j, p, n, mem) : PASSED_OVER;
        if (all == YES || all == UNCLEAR)
            return NULL;
        if (all == NO && !need)
            need = tn_arena_strndup(mem, p, n);
        p += n;
    }
    return need;
}

/* "12.4.1" -> "cuda>=12.4"; what is no version of two or three plain numbers demands nothing. */
static struct tn_str of_version(struct tn_str version, struct tn_arena *mem)
{
    struct tn_str none = {0};
    char two[TN_DOTTED_TEXT];
    size_t dots = 0;
    for (const char *p = tn_known(version) ? version.v : ""; *p; p++)
        dots += *p == '.';
    if (!tn_known(version) || dots < 1 || dots > 2 || !tn_version_dotted_ok(version.v) ||
        !tn_version_dotted_head(version.v, 2, two, sizeof two))
        return none;
    version.v = tn_arena_printf(mem, "cuda>=%s", two);
    return version;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_container *r = TN_THE(j->s, container);
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    const struct {
        struct tn_str wish;
        struct tn_ref ref;
    } all[] = {{r->requires, TN_REF(container, 0, requires)},
               {r->requires_driver, TN_REF(container, 0, requires_driver)},
               {r->requires_arch, TN_REF(container, 0, requires_arch)},
               {r->requires_brand, TN_REF(container, 0, requires_brand)},
               {of_version(r->legacy_cuda, out->mem), TN_REF(container, 0, legacy_cuda)}};
    const char *need = NULL;
    size_t i = 0;
    if (!tn_known(r->kind))
        return;
    while (i < TN_LEN(all) && !(need = unmet(j, all[i].wish, out->mem)))
        i++;
    if (!need)
        return;
    bool off = tn_is(r->requires_off, 1);
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, all[i].ref);
    f->variant = off ? "off" : NULL;
    tn_find_arg(out, f, "need", "%s", need);
    tn_find_arg(out, f, "driver", "%s", tn_look_text(d->version, "?"));
    tn_find_arg(out, f, "cuda", "%s", tn_look_text(d->cuda, "?"));
    tn_find_evidence(f, all[i].ref);
    tn_find_evidence(f, TN_REF(driver, 0, cuda));
    if (off)
        tn_find_evidence(f, TN_REF(container, 0, requires_off));
    /* It started all the same: minor releases of one major are compatible. Where somebody has switched the check off,
     * that is what was meant. */
    if (tn_says(d->cuda_start, "CUDA_SUCCESS") || (off && !tn_known(d->cuda_start)))
        f->severity = TN_WARNING;
    if (i == TN_LEN(all) - 1)
        f->severity = TN_NOTE;
    tn_find_remedy(out, f, "see-driver-for-cuda", NULL);
}

TN_CHECK(container_cuda_requirement, "container-cuda-requirement", run,
         .needs = TN_HAS(container) | TN_HAS(driver) | TN_HAS(gpu));
