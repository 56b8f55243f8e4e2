/* forward_compat_unsupported.c - a forward-compatibility libcuda over a card or driver that does not allow it.
 *
 * The package cuda-compat brings a newer libcuda over an older kernel module, for data centre cards alone (CUDA
 * Compatibility guide, "Forward Compatibility", "Support": not on GeForce). CUDA then gives 804. What such a library
 * does not fit it refuses, so 804 is proof; before a program ran, a GeForce card and a compat libcuda in front are. */
#include "base/str.h"
#include "check/look.h"

/* The libcuda that programs meet, if it is a compatibility copy; library.n otherwise. */
static size_t compat_in_front(const struct tn_snap *s)
{
    size_t row = tn_look_libcuda(s);
    return row < s->library.n && tn_says(s->library.v[row].kind, "compat") ? row : s->library.n;
}

/* Cards by their names: GeForce and TITAN are no data centre cards. */
static size_t consumer_card(const struct tn_judge *j)
{
    size_t row = 0;
    for (const struct tn_rec_gpu *g; (g = tn_judge_gpu(j, &row));) {
        const char *name = tn_look_gpu_name(g);
        if (tn_str_starts(name, "NVIDIA "))
            name += 7;
        if (tn_str_starts(name, "GeForce") || tn_str_starts(name, "TITAN"))
            return row - 1;
    }
    return j->s->gpu.n;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    const struct tn_rec_driver *d = TN_THE(s, driver);
    bool refused = tn_says(d->cuda_start, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE");
    size_t library = compat_in_front(s), card = consumer_card(j);
    if (!refused && (library == s->library.n || card == s->gpu.n || tn_says(d->cuda_start, "CUDA_SUCCESS")))
        return;
    struct tn_finding *f = tn_find(out, refused ? TN_CONFIRMED : TN_LIKELY,
                                   refused ? TN_REF(driver, 0, cuda_start) : TN_REF(library, library, kind));
    tn_find_arg(out, f, "gpu", "%s", card < s->gpu.n ? tn_look_gpu_name(&s->gpu.v[card]) : "GPU");
    tn_find_arg(out, f, "driver", "%s", tn_look_text(d->version, "?"));
    tn_find_arg(out, f, "path", "%s",
                library < s->library.n ? tn_look_text(s->library.v[library].path, "libcuda.so.1") : "libcuda.so.1");
    if (refused)
        tn_find_evidence(f, TN_REF(driver, 0, cuda_start));
    if (library < s->library.n)
        tn_find_evidence(f, TN_REF(library, library, kind));
    if (card < s->gpu.n)
        tn_find_evidence(f, TN_REF(gpu, card, name));
    if (library < s->library.n && tn_known(s->library.v[library].version)) { /* then the copy is not needed */
        const char *id = tn_known(TN_THE(s, container)->kind) ? "update-host-driver" : "update-driver";
        tn_remedy_arg(out, tn_find_remedy(out, f, id, NULL), "need", "%s", s->library.v[library].version.v);
    }
    tn_find_remedy(out, f, "drop-compat", NULL);
}

TN_CHECK(forward_compat_unsupported, "forward-compat-unsupported", run,
         .needs = TN_HAS(driver) | TN_HAS(gpu) | TN_HAS(library) | TN_HAS(container));
