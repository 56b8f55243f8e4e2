/* reg_change.c - there is no registry here. */
#include "os/change.h"

int tn_os_reg_get(const char *key, const char *value, struct tn_arena *mem, struct tn_os_reg_raw *ret,
                  struct tn_err *err)
{
    (void)value;
    (void)mem;
    (void)ret;
    return tn_err_set(err, TN_E_UNSUPPORTED, key, "no registry on this system");
}

int tn_os_reg_set(const char *key, const char *value, const struct tn_os_reg_raw *is, struct tn_err *err)
{
    (void)value;
    (void)is;
    return tn_err_set(err, TN_E_UNSUPPORTED, key, "no registry on this system");
}

bool tn_os_reg_may_set(const char *key)
{
    (void)key;
    return false;
}

const char *tn_os_reg_text(struct tn_arena *mem, const struct tn_os_reg_raw *v)
{
    (void)mem;
    (void)v;
    return NULL;
}

struct tn_os_reg_raw tn_os_reg_with(struct tn_arena *mem, const struct tn_os_reg_raw *v, const char *text)
{
    (void)mem;
    (void)text;
    return *v;
}

void tn_os_reg_announce(void)
{
}
