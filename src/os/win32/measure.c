/* measure.c - what folders take on the disk: nobody asks Windows yet. */
#include "os/os.h"

int tn_os_measure(struct tn_os_root *at, const struct tn_os_folder *folder, size_t n, unsigned n_group,
                  const struct tn_os_seek *how, struct tn_arena *mem, struct tn_os_measured *ret, struct tn_err *err)
{
    (void)at, (void)folder, (void)n, (void)n_group, (void)how, (void)mem, (void)ret;
    return tn_err_set(err, TN_E_UNSUPPORTED, NULL, "not on Windows");
}
