/* wsl_driver.c - WSL without GPU support: WSL 1, or a WSL 2 into which Windows passes no GPU.
 *
 * GPU support is in WSL 2 alone; it shows as /dev/dxg and as the driver's libraries in /usr/lib/wsl/lib, which the
 * Windows driver brings (CUDA on WSL User Guide, "Getting Started"; microsoft/WSL, dxgkrnl). */
#include <string.h>

#include "check/look.h"

static bool has_wsl_libcuda(const struct tn_snap *s)
{
    for (size_t i = 0; i < s->library.n; i++)
        if (tn_look_is_libcuda(&s->library.v[i]) && tn_says(s->library.v[i].place, "driver") &&
            tn_known(s->library.v[i].path) && strncmp(s->library.v[i].path.v, "/usr/lib/wsl/", 13) == 0)
            return true;
    return false;
}

static struct tn_finding *report(struct tn_sink *out, enum tn_status status, const char *variant, struct tn_ref ref)
{
    struct tn_finding *f = tn_find(out, status, ref);
    f->variant = variant;
    tn_find_evidence(f, TN_REF(host, 0, wsl));
    tn_find_evidence(f, ref);
    return f;
}

static void run(const struct tn_judge *j, struct tn_sink *out)
{
    const struct tn_snap *s = j->s;
    if (!tn_look_wsl(s))
        return;
    if (tn_is(TN_THE(s, host)->wsl, 1)) {
        tn_find_remedy(out, report(out, TN_CONFIRMED, "one", TN_REF(host, 0, wsl)), "set-wsl-2", NULL);
        return;
    }
    if (s->node.listed != TN_KNOWN)
        return; /* described: what is not said is not known */
    if (!tn_judge_node(s, "/dev/dxg")) {
        tn_find_remedy(out, report(out, TN_CONFIRMED, NULL, TN_REF_REC(node)), "update-wsl", NULL);
        return;
    }
    if (TN_THE(s, driver)->library_version.k == TN_ABSENT && s->library.listed == TN_KNOWN && !has_wsl_libcuda(s))
        tn_find_remedy(out, report(out, TN_CONFIRMED, "library", TN_REF_REC(library)), "update-windows-driver", NULL);
}

TN_CHECK(wsl_driver, "wsl-driver", run, .needs = TN_HAS(node) | TN_HAS(library) | TN_HAS(driver));
