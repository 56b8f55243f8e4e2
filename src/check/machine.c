/* machine.c - see look.h: for which machine an interpreter and a build are made. */
#include <string.h>

#include "base/str.h"
#include "check/look.h"

/* One name for each machine: "AMD64" and "x86-64" are x86_64, "i686" and "x86" are i386, "arm64" is aarch64. */
static const char *plain(struct tn_str machine)
{
    static const struct {
        const char *name, *plain;
    } names[] = {{"amd64", "x86_64"}, {"x86-64", "x86_64"}, {"i686", "i386"},    {"i586", "i386"},
                 {"x86", "i386"},     {"arm64", "aarch64"}, {"armv8l", "armv7l"}};
    if (!tn_known(machine))
        return "";
    for (unsigned i = 0; i < TN_LEN(names); i++)
        if (tn_str_ieq(machine.v, names[i].name))
            return names[i].plain;
    return machine.v;
}

const char *tn_look_machine(const struct tn_judge *j, struct tn_ref *ret)
{
    bool own = j->env && tn_known(j->env->machine);
    if (ret)
        *ret = own ? TN_REF(env, j->env_row, machine) : TN_REF(host, 0, arch);
    return plain(own ? j->env->machine : TN_THE(j->s, host)->arch);
}

bool tn_look_other_machine(const struct tn_judge *j, const struct tn_rec_framework *f)
{
    const char *build = plain(f->machine), *here = tn_look_machine(j, NULL);
    return *build && *here && strcmp(build, here) != 0;
}

bool tn_look_is_tegra(const struct tn_snap *s)
{
    struct tn_str kernel = TN_THE(s, host)->kernel;
    for (size_t i = 0; i < s->gpu.n; i++) /* a GPU that is part of the chip; a shared report has no names of kernels */
        if (tn_says(s->gpu.v[i].bus, "platform"))
            return true;
    return tn_known(kernel) && strstr(kernel.v, "tegra") != NULL;
}
