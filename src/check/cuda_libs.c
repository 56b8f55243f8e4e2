/* cuda_libs.c - see look.h: the CUDA run time that a framework asks for by name, against what lies on the machine.
 *
 * A name is a promise of one CUDA major: libcudart.so.11.0 serves 11.0 to 11.8, libcudart.so.12 all of 12
 * (table cuda_libs). */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "check/look.h"
#include "facts/cuda.h"
#include "facts/cudnn.h"
#include "version/dotted.h"
#include "version/soname.h"

/* Members of the CUDA toolkit that frameworks open before they register a GPU. */
static const char *const component[] = {"cudart",   "cublas",   "cublaslt", "cufft",     "curand",
                                        "cusolver", "cusparse", "nvrtc",    "nvjitlink", NULL};

/* "cudart" of "libcudart.so.11.0", "cudart64_110.dll", or of a stem; false if it is none of them. */
static bool component_of(const char *name, char *buf, size_t size)
{
    struct tn_soname so;
    const char *stem = tn_version_soname_parse(name, &so, NULL) == 0 ? so.stem : name;
    size_t n = 0;
    if (tn_str_starts(stem, "lib"))
        stem += 3;
    for (; stem[n] && n + 1 < size; n++)
        buf[n] = tn_lower(stem[n]);
    buf[n] = '\0';
    return tn_str_in(buf, component);
}

/* A name that begins otherwise is of another component; most are, and need not be cut up. */
static bool may_be(const char *name, const char *want)
{
    if (tn_str_starts(name, "lib"))
        name += 3;
    while (*want && tn_lower(*name) == *want)
        name++, want++;
    return *want == 0;
}

static size_t other_version(const struct tn_judge *j, const char *name)
{
    char want[32], have[32];
    size_t best = j->s->library.n, row = 0;
    if (!component_of(name, want, sizeof want))
        return best;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));) {
        if (!tn_known(l->soname) || !may_be(l->soname.v, want) || !tn_look_usable(j, l) ||
            !component_of(l->soname.v, have, sizeof have) || strcmp(want, have) != 0)
            continue;
        if (best == j->s->library.n || (tn_look_found(j, l) && !tn_look_found(j, &j->s->library.v[best])))
            best = row - 1;
    }
    return best;
}

static void look_at(const struct tn_judge *j, const struct tn_rec_framework *f, const char *name,
                    struct tn_look_cuda_libs *ret)
{
    size_t row = tn_look_library(j, f, name);
    bool exists = row < j->s->library.n;
    size_t load = tn_look_load(j, f, name);
    bool loads = load < j->s->load.n && tn_says(j->s->load.v[load].outcome, "found");
    bool found = loads || (exists && tn_look_found(j, &j->s->library.v[row]));
    char what[32];
    /* On Windows only PATH leads to a DLL outside the environment; still, a copy in a toolkit is not "missing". */
    if (!exists && !loads) {
        ret->other[ret->n_missing] = other_version(j, name);
        ret->missing[ret->n_missing++] = name;
    } else if (!found) {
        ret->unreached[ret->n_unreached++] = row;
    }
    if (found && exists && component_of(name, what, sizeof what) && strcmp(what, "cudart") == 0)
        ret->cudart = row;
}

bool tn_look_cuda_libs(const struct tn_judge *j, struct tn_sink *out, size_t framework_row,
                       struct tn_look_cuda_libs *ret)
{
    const char *ask[TN_MAX_ASKS];
    char what[32];
    const struct tn_rec_framework *f = &j->s->framework.v[framework_row];
    unsigned n = tn_look_asks(j->s, f, ask);
    memset(ret, 0, sizeof *ret);
    ret->cudart = j->s->library.n;
    if (n == 0 && f->asks.k == TN_KNOWN)
        return true; /* it opens none: all is linked in */
    if (n == 0 || j->s->library.listed != TN_KNOWN) {
        tn_untestable(out, n == 0 ? TN_REF(framework, framework_row, asks) : TN_REF_REC(library));
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!component_of(ask[i], what, sizeof what))
            continue;
        ret->n_asked++;
        look_at(j, f, ask[i], ret);
    }
    return true;
}

void tn_look_cuda_line(const char *name, const char *built_for, char *buf, size_t size)
{
    struct tn_facts_lib_range range;
    const char *first = built_for;
    if (tn_facts_cuda_of_lib(name, &range) == TN_ANSWER_YES)
        first = range.first;
    uint64_t major = tn_version_dotted_major(first);
    if (major >= 11)
        snprintf(buf, size, "%u.x", (unsigned)major);
    else
        snprintf(buf, size, "%s", first);
}

void tn_look_cudnn_name(const struct tn_judge *j, const struct tn_rec_framework *f, char *buf, size_t size)
{
    const char *ask[TN_MAX_ASKS];
    unsigned n = tn_look_asks(j->s, f, ask);
    buf[0] = '\0';
    for (unsigned i = 0; i < n; i++)
        if (tn_facts_cudnn_major(ask[i]) > 0) {
            snprintf(buf, size, "%s", ask[i]);
            return;
        }
    unsigned major = (unsigned)tn_version_dotted_major(tn_look_cudnn(j->s, f));
    if (n == 0 && f->asks.k != TN_KNOWN && major > 0)
        snprintf(buf, size, tn_look_platform(j->s) == TN_PLATFORM_WINDOWS ? "cudnn64_%u.dll" : "libcudnn.so.%u", major);
}

size_t tn_look_any_cudnn(const struct tn_judge *j)
{
    size_t best = j->s->library.n, row = 0;
    for (const struct tn_rec_library *l; (l = tn_judge_library(j, &row));)
        if ((tn_says(l->stem, "libcudnn") || tn_says(l->stem, "cudnn")) && tn_look_usable(j, l) &&
            (best == j->s->library.n || (tn_look_found(j, l) && !tn_look_found(j, &j->s->library.v[best]))))
            best = row - 1;
    return best;
}
