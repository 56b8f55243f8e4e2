/* reg.c - there is no registry here. */
#include "os/os.h"

int tn_os_reg_value(const char *key, const char *value, struct tn_arena *mem, const char **ret, struct tn_err *err)
{
    (void)value, (void)mem, (void)ret;
    return tn_err_set(err, TN_E_UNSUPPORTED, key, "no registry on this system");
}

int tn_os_reg_list(const char *key, struct tn_arena *mem, struct tn_os_entry **ret, size_t *ret_n, struct tn_err *err)
{
    (void)mem, (void)ret, (void)ret_n;
    return tn_err_set(err, TN_E_UNSUPPORTED, key, "no registry on this system");
}

int tn_os_device(const char *instance, unsigned *ret_problem, struct tn_err *err)
{
    (void)ret_problem;
    return tn_err_set(err, TN_E_UNSUPPORTED, instance, "no Plug and Play manager here");
}
