/* driver_ways.c - see driver.h: NVIDIA's own repository, and its installer.
 *
 * Repository, packages and streams: NVIDIA Driver Installation Guide, "Kernel Modules" (nvidia-open is the newest
 * driver with the open module, cuda-drivers with the closed one; streams nvidia-driver:open-dkms and
 * nvidia-driver:580-open of RHEL 8 and 9 and their kin) and "Version locking" (nvidia-driver-pinning-580 for apt, from
 * branch 580 on). A card whose last branch lies below that is not served from there. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "plan/driver.h"
#include "version/dotted.h"

#define FIRST_PINNED 580

static void arg(struct tn_arena *mem, struct tn_remedy *r, const char *key, const char *value)
{
    if (r->n_arg < TN_MAX_ARGS)
        r->arg[r->n_arg++] = (struct tn_arg){key, tn_arena_strdup(mem, value)};
}

/* The lowest last branch of the cards, "" while drivers support all of them. */
static const char *last_branch(const struct tn_plan_machine *m)
{
    const char *last = "";
    for (unsigned i = 0; i < m->n_card; i++)
        if (*m->card[i].last_branch && (!*last || tn_version_dotted_cmp(m->card[i].last_branch, last) < 0))
            last = m->card[i].last_branch;
    return last;
}

/* All cards take the open module: -1 not known. */
static int all_open(const struct tn_plan_machine *m)
{
    int open = m->n_card ? 1 : -1;
    for (unsigned i = 0; i < m->n_card && open > 0; i++)
        open = !*m->card[i].capability ? -1 : tn_version_dotted_cmp(m->card[i].capability, "7.5") >= 0;
    return open;
}

/* The name of the folder of a distribution: "ubuntu2204", "debian12", "rhel9", "fedora41", "sles15". */
static bool repository_of(const struct tn_rec_host *h, char *ret, size_t size, const char **ret_tool)
{
    static const char *const rhel[] = {"rhel", "rocky", "almalinux", "centos", "ol", NULL};
    const char *distro = tn_known(h->distro) ? h->distro.v : "";
    const char *release = tn_known(h->distro_version) ? h->distro_version.v : "";
    unsigned major = *release ? (unsigned)tn_version_dotted_major(release) : 0;
    if (!major)
        return false;
    *ret_tool = "apt";
    if (tn_str_eq(distro, "ubuntu")) {
        const char *dot = strchr(release, '.');
        return dot && snprintf(ret, size, "ubuntu%u%s", major, dot + 1) < (int)size && strlen(dot + 1) == 2;
    }
    if (tn_str_eq(distro, "debian"))
        return snprintf(ret, size, "debian%u", major) < (int)size;
    *ret_tool = tn_str_in(distro, rhel) && major < 10 ? "modules" : "dnf";
    if (tn_str_in(distro, rhel) && major >= 8)
        return snprintf(ret, size, "rhel%u", major) < (int)size;
    if (tn_str_eq(distro, "fedora")) {
        *ret_tool = major >= 41 ? "dnf5" : "dnf"; /* Fedora 41 changed to dnf5 */
        return snprintf(ret, size, "fedora%u", major) < (int)size;
    }
    *ret_tool = "zypper";
    if (tn_str_eq(distro, "sles") || tn_str_eq(distro, "opensuse-leap"))
        return snprintf(ret, size, "%s%u",
                        major >= 16                 ? "suse"
                        : tn_str_eq(distro, "sles") ? "sles"
                                                    : "opensuse",
                        major) < (int)size;
    return false;
}

bool tn_fix_nvidia_repository(struct tn_arena *mem, const struct tn_snap *s, const struct tn_plan_machine *m,
                              const struct tn_fix_driver_want *want, struct tn_remedy *ret)
{
    const struct tn_rec_host *h = TN_THE(s, host);
    char repo[32];
    const char *tool, *last = want->branch ? want->branch : last_branch(m);
    int open = all_open(m);
    bool arm = tn_says(h->arch, "aarch64");
    if (!repository_of(h, repo, sizeof repo, &tool) || open < 0 ||
        (!arm && tn_known(h->arch) && !tn_says(h->arch, "x86_64")))
        return false;
    bool pinned = *last, apt = tn_str_eq(tool, "apt"), modules = tn_str_eq(tool, "modules");
    if (pinned && (tn_version_dotted_major(last) < FIRST_PINNED || (!apt && !modules)))
        return false;
    if (pinned && want->need && tn_version_dotted_cmp_parts(want->need, last, 1) > 0)
        return false;
    *ret = (struct tn_remedy){.id = "nvidia-repository", .variant = apt && pinned ? "apt-pinned" : tool};
    arg(mem, ret, "repo", repo);
    arg(mem, ret, "arch", arm ? "sbsa" : "x86_64");
    arg(mem, ret, "package", open ? "nvidia-open" : "cuda-drivers");
    if (pinned)
        arg(mem, ret, "branch", last);
    if (modules)
        arg(mem, ret, "stream",
            pinned ? tn_arena_printf(mem, "%s-%s", last, open ? "open" : "dkms")
                   : (open ? "open-dkms" : "latest-dkms"));
    return true;
}

/* The branch that NVIDIA keeps longest among those that serve, by the version that the tables have seen. */
bool tn_fix_runfile(struct tn_arena *mem, const struct tn_snap *s, const struct tn_plan_machine *m,
                    const struct tn_fix_driver_want *want, struct tn_remedy *ret)
{
    const struct tn_table *t = tn_facts_find("driver_branches");
    const struct tn_rec_host *h = TN_THE(s, host);
    const char *last = want->branch ? want->branch : last_branch(m), *found = "";
    const struct tn_filter f[] = {{"rank", TN_FILTER_EQ, "1"}};
    if (tn_known(h->arch) && !tn_says(h->arch, "x86_64") && !tn_says(h->arch, "aarch64"))
        return false;
    for (uint32_t r = 0; t && (r = tn_facts_next(t, r, f, TN_LEN(f))) < t->nrows; r++) {
        const char *version = tn_facts_get(t, r, "newest_open_module_tag_seen"), *branch = tn_facts_get(t, r, "branch");
        if (!*version || !tn_str_starts(tn_facts_get(t, r, "status"), "LTS"))
            continue;
        if (*last && tn_version_dotted_cmp(branch, last) > 0)
            continue;
        if (want->need && tn_version_dotted_cmp(version, want->need) < 0)
            continue;
        if (!*found || tn_version_dotted_cmp(version, found) > 0)
            found = version;
    }
    if (!*found)
        return false;
    *ret = (struct tn_remedy){.id = "runfile-driver"};
    arg(mem, ret, "version", found);
    arg(mem, ret, "arch", tn_known(h->arch) ? h->arch.v : "x86_64"); /* of a machine that was only described */
    return true;
}
