/* gpu_hidden_by_env.c - a variable keeps CUDA (or JAX) from the GPU that is there.
 *
 * CUDA_VISIBLE_DEVICES is a list of numbers and UUIDs; CUDA shows those before the first that names no device, so that
 * an empty text, "all", or a number beyond the last card hides every one (CUDA C++ Programming Guide, "CUDA Environment
 * Variables"). JAX_PLATFORMS without cuda or gpu keeps JAX on the CPU (JAX documentation, configuration options). What
 * a batch system set is the batch system's matter. Where the CPU is expected, hiding is meant. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

#define VISIBLE "CUDA_VISIBLE_DEVICES"

/* How many devices there are to number; -1: not known. In a container the bus shows the host's cards as well. */
static long long devices(const struct tn_judge *j)
{
    const struct tn_snap *s = j->s;
    long long asked = 0, seen = 0;
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        asked += tn_known(g->nvml);
        seen++;
        if (tn_is(g->mig, 1))
            return -1; /* MIG devices are numbered in their own way */
    }
    if (tn_says(TN_THE(s, driver)->nvml, "NVML_SUCCESS"))
        return asked;
    bool plain = s->gpu.listed == TN_KNOWN && TN_THE(s, container)->kind.k == TN_ABSENT && !tn_look_wsl(s);
    return plain && seen ? seen : -1;
}

/* Does the entry name a device? A UUID that cannot be compared is taken for one; in a shared snapshot a whole one is
 * masked alike in both places, and the beginning of one cannot be compared. */
static bool names_device(const struct tn_judge *j, const char *entry, size_t n, long long count)
{
    uint64_t number;
    size_t row = 0, compared = 0;
    if (tn_str_u64(entry, n, 10, &number))
        return count < 0 || number < (uint64_t)count;
    if (n > 4 && strncmp(entry, "MIG-", 4) == 0)
        return true;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));)
        if (tn_known(g->uuid) && strlen(g->uuid.v) == n && strncmp(g->uuid.v, entry, n) == 0)
            return true;
    if (n < 4 || strncmp(entry, "GPU-", 4) != 0)
        return false;
    row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        if (!tn_known(g->uuid) || !tn_str_starts(g->uuid.v, "GPU-"))
            return true;
        compared++;
        if (strncmp(g->uuid.v, entry, n) == 0)
            return true;
    }
    return compared == 0;
}

/* Entries before the first that names nothing; *ret_bad: that one, or NULL. */
static unsigned shown(const struct tn_judge *j, const char *value, struct tn_arena *mem, const char **ret_bad)
{
    long long count = devices(j);
    unsigned good = 0;
    *ret_bad = NULL;
    for (const char *p = value;; p++) {
        size_t n = strcspn(p, ","), skip = strspn(p, " ");
        const char *entry = p + (skip < n ? skip : n);
        size_t len = n - (size_t)(entry - p);
        while (len && entry[len - 1] == ' ')
            len--;
        if (!names_device(j, entry, len, count)) {
            *ret_bad = tn_arena_strndup(mem, entry, len);
            return good;
        }
        good++;
        p += n;
        if (!*p)
            return good;
    }
}

static void unset(struct tn_sink *out, struct tn_finding *f, const char *name)
{
    tn_remedy_arg(out, tn_find_remedy(out, f, "unset-variable", NULL), "name", "%s", name);
}

static void check_cuda(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = tn_look_variable(s, VISIBLE);
    const char *bad;
    if (row == s->variable.n || tn_known(TN_THE(s, scheduler)->kind))
        return;
    const char *value = s->variable.v[row].value.v;
    unsigned good = shown(j, value, out->mem, &bad);
    if (!bad || (good && good >= j->gpus))
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(variable, row, value));
    tn_find_arg(out, f, "name", "%s", VISIBLE);
    tn_find_arg(out, f, "value", "%s", value);
    tn_find_evidence(f, TN_REF(variable, row, value));
    long long count = devices(j);
    if (*value && count > 0) {
        f->variant = "names-none";
        tn_find_arg(out, f, "entry", "%s", bad);
        tn_find_arg(out, f, "count", "%lld", count);
        tn_find_evidence(f, TN_REF_REC(gpu));
    } else if (*value) {
        f->variant = "no-device";
        tn_find_arg(out, f, "entry", "%s", bad);
    }
    unset(out, f, VISIBLE);
}

static void check_jax(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    size_t row = tn_look_variable(s, "JAX_PLATFORMS"), at = 0;
    const char *name = "JAX_PLATFORMS";
    if (row == s->variable.n)
        row = tn_look_variable(s, name = "JAX_PLATFORM_NAME");
    if (row == s->variable.n)
        return;
    const char *value = s->variable.v[row].value.v;
    if (!*value || strstr(value, "cuda") || strstr(value, "gpu"))
        return;
    for (const struct tn_rec_framework *fw; (fw = tn_judge_framework(j, &at));) {
        if (!tn_says(fw->name, "jax") || !tn_is(fw->gpu_build, 1))
            continue;
        struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(variable, row, value));
        f->variant = "jax";
        f->severity = TN_WARNING; /* other frameworks of the environment see the GPU */
        tn_find_arg(out, f, "name", "%s", name);
        tn_find_arg(out, f, "value", "%s", value);
        tn_find_evidence(f, TN_REF(variable, row, value));
        tn_find_evidence(f, TN_REF(framework, at - 1, name));
        unset(out, f, name);
        return;
    }
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    if (j->expect == TN_EXPECT_CPU)
        return;
    check_cuda(j, out);
    check_jax(j, out);
}

TN_CHECK(gpu_hidden_by_env, "gpu-hidden-by-env", run,
         .needs = TN_HAS(variable) | TN_HAS(gpu) | TN_HAS(driver) | TN_HAS(container) | TN_HAS(scheduler) |
                  TN_HAS(framework));
