/* container_cuda_requirement.c - the image demands a newer driver than the host has.
 *
 * NVIDIA_REQUIRE_CUDA holds constraints: words with a blank between are alternatives, a comma joins what must hold
 * together; "cuda>=12.4" speaks of the driver's ceiling, "driver>=535" of its version, "brand=tesla" of the card; other
 * names are passed over (NVIDIA Container Toolkit, "Constraints"). The runtime refuses to start such a container;
 * inside one it means that the check was switched off (NVIDIA_DISABLE_REQUIRE), or that another runtime started it. */
#include <string.h>

#include "base/str.h"
#include "check/container_gpu.h"
#include "version/dotted.h"

/* 1 holds, 0 does not, -1 cannot be told. */
static int holds(const struct tn_rec_driver *d, const char *term, size_t n, struct tn_arena *mem)
{
    char *copy = tn_arena_strndup(mem, term, n);
    size_t at = strcspn(copy, "<>=!");
    const char *value = copy + at + strspn(copy + at, "<>=!");
    struct tn_str have = strncmp(copy, "cuda", at) == 0 && at == 4     ? d->cuda
                         : strncmp(copy, "driver", at) == 0 && at == 6 ? d->version
                                                                       : (struct tn_str){0};
    if (!copy[at] || !tn_known(have) || !tn_version_dotted_ok(value))
        return -1;
    int order = tn_version_dotted_cmp(have.v, value);
    size_t len = (size_t)(value - copy) - at;
    if (len == 2 && copy[at + 1] == '=')
        return copy[at] == '>' ? order >= 0 : copy[at] == '<' ? order <= 0 : order != 0;
    if (len == 1)
        return copy[at] == '>' ? order > 0 : copy[at] == '<' ? order < 0 : order == 0;
    return -1;
}

/* Of one alternative: 0 as soon as one part does not hold. */
static int all_hold(const struct tn_rec_driver *d, const char *word, size_t n, struct tn_arena *mem)
{
    int all = 1;
    for (size_t i = 0, len; i < n; i += len + 1) {
        for (len = 0; i + len < n && word[i + len] != ',';)
            len++;
        int one = holds(d, word + i, len, mem);
        if (one == 0)
            return 0;
        if (one < 0)
            all = -1;
    }
    return all;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_rec_container *r = TN_THE(j->s, container);
    const struct tn_rec_driver *d = TN_THE(j->s, driver);
    const char *need = NULL;
    if (!tn_known(r->kind) || !tn_known(r->requires) || !*r->requires.v)
        return;
    for (const char *p = r->requires.v; *p;) {
        p += strspn(p, " ");
        size_t n = strcspn(p, " ");
        if (n && all_hold(d, p, n, out->mem) != 0)
            return; /* an alternative holds, or may */
        if (n && !need)
            need = tn_arena_strndup(out->mem, p, n);
        p += n;
    }
    if (!need)
        return;
    struct tn_finding *f = tn_find(out, TN_CONFIRMED, TN_REF(container, 0, requires));
    tn_find_arg(out, f, "need", "%s", need);
    tn_find_arg(out, f, "driver", "%s", tn_look_text(d->version, "?"));
    tn_find_arg(out, f, "cuda", "%s", tn_look_text(d->cuda, "?"));
    tn_find_evidence(f, TN_REF(container, 0, requires));
    tn_find_evidence(f, TN_REF(driver, 0, cuda));
    if (tn_says(d->cuda_start, "CUDA_SUCCESS"))
        f->severity = TN_WARNING; /* it started all the same: minor releases of one major are compatible */
    tn_find_remedy(out, f, "see-driver-for-cuda", NULL);
}

TN_CHECK(container_cuda_requirement, "container-cuda-requirement", run, .needs = TN_HAS(container) | TN_HAS(driver));
