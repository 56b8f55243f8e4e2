/* removal.c - see removal.h: the judgement. */
#include "plan/removal.h"

#include <string.h>

#include "base/str.h"

/* The driver's packages of Debian and Ubuntu, and of NVIDIA's repository for both (their package lists; NVIDIA Driver
 * Installation Guide, "Meta-packages"). Not: the toolkit (nvidia-cuda-*), the container tools (nvidia-container-*,
 * libnvidia-container*), whose removal is nobody's wish. */
static const char *const driver[] = {"nvidia-driver*",
                                     "nvidia-dkms-*",
                                     "nvidia-kernel-*",
                                     "nvidia-open*",
                                     "nvidia-headless-*",
                                     "nvidia-utils-*",
                                     "nvidia-compute-utils-*",
                                     "nvidia-firmware-*",
                                     "nvidia-fabricmanager-*",
                                     "nvidia-legacy-*",
                                     "nvidia-tesla-*",
                                     "nvidia-alternative*",
                                     "nvidia-egl-*",
                                     "nvidia-vulkan-*",
                                     "nvidia-vdpau-driver*",
                                     "nvidia-opencl-*",
                                     "nvidia-libopencl1*",
                                     "nvidia-persistenced*",
                                     "nvidia-suspend-common*",
                                     "nvidia-settings*",
                                     "nvidia-smi",
                                     "nvidia-modprobe",
                                     "nvidia-prime",
                                     "nvidia-support",
                                     "nvidia-installer-cleanup",
                                     "nvidia-xconfig*",
                                     "nvidia-detect",
                                     "nvidia-#",
                                     "libnvidia-*",
                                     "libcuda1*",
                                     "libcuda1-*",
                                     "libcudadebugger1",
                                     "libnvcuvid1",
                                     "libnvoptix1",
                                     "libnvfbc1",
                                     "libxnvctrl0",
                                     "libegl-nvidia*",
                                     "libgl1-nvidia-*",
                                     "libgles-nvidia*",
                                     "libglx-nvidia*",
                                     "libgles1-nvidia*",
                                     "libgles2-nvidia*",
                                     "xserver-xorg-video-nvidia*",
                                     "linux-modules-nvidia-*",
                                     "linux-objects-nvidia-*",
                                     "linux-signatures-nvidia-*",
                                     "firmware-nvidia-*",
                                     "glx-alternative-nvidia",
                                     "cuda-drivers*",
                                     NULL};
/* Those of RPM Fusion, of NVIDIA's repositories for RPM (its installation guide), of openSUSE
 * (openSUSE/nvidia-driver-G06) and of Arch. */
static const char *const driver_rpm[] = {"akmod-nvidia*",
                                         "kmod-nvidia*",
                                         "dkms-nvidia*",
                                         "xorg-x11-drv-nvidia*",
                                         "xorg-x11-nvidia*",
                                         "nvidia-kmod-common*",
                                         "nvidia-libXNVCtrl*",
                                         "nvidia-gfxG*",
                                         "nvidia-video-G*",
                                         "nvidia-compute-G*",
                                         "nvidia-gl-G*",
                                         "nvidia-utils-G*",
                                         "nvidia-compute-utils-G*",
                                         "nvidia-common-G*",
                                         "nvidia-userspace-meta-G*",
                                         "nvidia-imex*",
                                         "kernel-firmware-nvidia*",
                                         "nvidia",
                                         "nvidia-dkms",
                                         "nvidia-lts*",
                                         "nvidia-utils",
                                         "lib32-nvidia-*",
                                         "opencl-nvidia*",
                                         "lib32-opencl-nvidia*",
                                         "libxnvctrl*",
                                         "cuda-cloud-opengpu",
                                         NULL};
static const char *const no_driver[] = {"libnvidia-container*", "nvidia-kernel-headers-*", NULL};
static const char *const kernel_side[] = {"nvidia-dkms-*",
                                          "nvidia-kernel-dkms*",
                                          "nvidia-open-kernel-dkms",
                                          "nvidia-open-*dkms",
                                          "nvidia-legacy-*kernel-dkms",
                                          "nvidia-tesla-*kernel-dkms",
                                          "linux-modules-nvidia-*",
                                          NULL};
static const char *const library_side[] = {"libnvidia-compute-*", "libcuda1*", "nvidia-driver-libs*", NULL};
static const char *const kernel_side_rpm[] = {"akmod-nvidia*",
                                              "kmod-nvidia*",
                                              "dkms-nvidia*",
                                              "nvidia-gfxG*-kmp*",
                                              "nvidia-driver-G*-kmp*",
                                              "nvidia-open-driver-G*",
                                              "nvidia",
                                              "nvidia-dkms",
                                              "nvidia-lts*",
                                              "nvidia-open",
                                              "nvidia-open-dkms",
                                              "nvidia-open-lts",
                                              "nvidia-*xx-dkms",
                                              NULL};
static const char *const library_side_rpm[] = {"nvidia-driver-cuda-libs*", "xorg-x11-drv-nvidia-cuda-libs*",
                                               "nvidia-compute-G*",        "nvidia-utils",
                                               "nvidia-*xx-utils",         NULL};

/* "#" at the end of a pattern: a digit and whatever follows. */
static bool any(const char *const *patterns, const char *name)
{
    for (; *patterns; patterns++) {
        size_t n = strlen(*patterns);
        if ((*patterns)[n - 1] == '#' ? strncmp(name, *patterns, n - 1) == 0 && tn_is_digit(name[n - 1])
                                      : tn_str_glob(*patterns, name))
            return true;
    }
    return false;
}

bool tn_removal_is_driver(const char *name)
{
    return (any(driver, name) || any(driver_rpm, name)) && !any(no_driver, name);
}

static bool is_kernel_rpm(const char *name)
{
    static const char *const globs[] = {
        "kernel",     "kernel-core",      "kernel-modules*", "kernel-devel*",  "kernel-headers",  "kernel-default*",
        "kernel-rt*", "kernel-longterm*", "kernel-64k*",     "kernel-uek*",    "linux",           "linux-lts*",
        "linux-zen*", "linux-hardened*",  "linux-headers",   "linux-cachyos*", "linux-firmware*", NULL};
    return any(globs, name);
}

static bool is_kernel(const struct tn_transaction *t, const char *name)
{
    if (t->by != TN_MANAGER_APT)
        return is_kernel_rpm(name) && !any(driver_rpm, name);
    static const char *const globs[] = {
        "linux-image-*",  "linux-headers-*",   "linux-modules-#", "linux-modules-extra-*",
        "linux-generic*", "linux-lowlatency*", "linux-kernel-*",  "linux-virtual*",
        "linux-oem-*",    "linux-aws*",        "linux-azure*",    "linux-gcp*",
        "linux-signed-*", "linux-base",        "linux-hwe-*",     NULL};
    return any(globs, name) && !any(driver, name);
}

/* "generic" of "linux-image-6.8.0-31-generic" and of "6.8.0-31-generic". */
static const char *flavour(const char *release)
{
    const char *p = strrchr(release, '-');
    return p ? p + 1 : "";
}

static bool is_foreign_kernel(const struct tn_transaction_item *i, const char *running)
{
    static const char *const image[] = {"linux-image-#", NULL};
    if (!running || !*flavour(running) || i->removed || *i->old || !any(image, i->name))
        return false;
    return !tn_str_eq(flavour(i->name), flavour(running));
}

/* A package that only makes room for itself: it comes again in the same run. */
static bool comes_again(const struct tn_transaction *t, const struct tn_transaction_item *gone)
{
    for (unsigned i = 0; i < t->n; i++)
        if (!t->v[i].removed && tn_str_eq(t->v[i].name, gone->name) && tn_str_eq(t->v[i].arch, gone->arch))
            return true;
    return false;
}

static bool goes(const struct tn_transaction *t, const struct tn_transaction_item *i)
{
    return i->removed && !comes_again(t, i);
}

/* Would this side of the driver go, and nothing of it come? */
static bool loses(const struct tn_transaction *t, const char *const *side)
{
    bool gone = false, comes = false;
    for (unsigned i = 0; i < t->n; i++) {
        bool of = any(side, t->v[i].name);
        gone = gone || (of && goes(t, &t->v[i]));
        comes = comes || (of && !t->v[i].removed);
    }
    return gone && !comes;
}

static enum tn_removal kind_of(const struct tn_transaction *t, const struct tn_transaction_item *i,
                               const struct tn_removal_bound *b)
{
    bool gone = goes(t, i), named = b->named && tn_str_in(i->name, b->named);
    bool apt = t->by == TN_MANAGER_APT;
    const char *const *kernels = apt ? kernel_side : kernel_side_rpm, *const *libraries =
                                                                          apt ? library_side : library_side_rpm;
    if (gone && !named && is_kernel(t, i->name))
        return TN_REMOVAL_KERNEL;
    if (gone && !named && !tn_removal_is_driver(i->name))
        return TN_REMOVAL_OTHER;
    if (gone && !b->goes &&
        ((any(kernels, i->name) && loses(t, kernels)) || (any(libraries, i->name) && loses(t, libraries))))
        return TN_REMOVAL_LAST;
    if (b->held && tn_str_in(i->name, b->held) && (gone || !tn_str_eq(i->old, i->now)))
        return TN_REMOVAL_HELD;
    if (apt && !i->removed && *i->old && tn_removal_deb_cmp(i->now, i->old) < 0)
        return TN_REMOVAL_DOWNGRADE;
    if (apt && is_foreign_kernel(i, b->running))
        return TN_REMOVAL_NEW_KERNEL;
    return TN_REMOVAL_FINE;
}

static bool agrees(const struct tn_transaction *t)
{
    unsigned removed = 0, changed = 0;
    for (unsigned i = 0; i < t->n; i++) {
        changed += !t->v[i].removed;
        removed += !t->v[i].replaced && goes(t, &t->v[i]);
    }
    return t->counted && !t->cut && removed == t->removed && changed == t->changed;
}

void tn_removal_judge(const struct tn_transaction *t, const struct tn_removal_bound *bound,
                      struct tn_removal_answer *ret)
{
    static const enum tn_removal order[] = {TN_REMOVAL_KERNEL, TN_REMOVAL_OTHER,     TN_REMOVAL_LAST,
                                            TN_REMOVAL_HELD,   TN_REMOVAL_DOWNGRADE, TN_REMOVAL_NEW_KERNEL};
    *ret = (struct tn_removal_answer){.kind = TN_REMOVAL_FINE, .package = ""};
    if (t->failed || !agrees(t) || t->essential) {
        ret->kind = t->failed ? TN_REMOVAL_FAILED : t->essential ? TN_REMOVAL_ESSENTIAL : TN_REMOVAL_UNCLEAR;
        return;
    }
    for (unsigned o = 0; o < TN_LEN(order) && !ret->n; o++)
        for (unsigned i = 0; i < t->n; i++)
            if (kind_of(t, &t->v[i], bound) == order[o] && !ret->n++) {
                ret->kind = order[o];
                ret->package = t->v[i].name;
            }
    if (ret->kind == TN_REMOVAL_FINE && (t->held || t->downgrade))
        ret->kind = t->held ? TN_REMOVAL_HELD : TN_REMOVAL_DOWNGRADE;
}

const char *tn_removal_word(enum tn_removal kind)
{
    static const char *const word[] = {"fine",      "unclear", "failed", "essential", "held",
                                       "downgrade", "kernel",  "other",  "last",      "new-kernel"};
    return word[kind];
}

/* --- versions --- */

static int order_of(char c)
{
    return c == '~' ? -1 : tn_is_alpha(c) ? (unsigned char)c : c && !tn_is_digit(c) ? (unsigned char)c + 256 : 0;
}

/* verrevcmp of lib/dpkg/version.c: parts without digits by letter, "~" before the end; digits by number. */
static int part_cmp(const char *a, size_t na, const char *b, size_t nb)
{
    size_t i = 0, k = 0;
    while (i < na || k < nb) {
        while ((i < na && !tn_is_digit(a[i])) || (k < nb && !tn_is_digit(b[k]))) {
            int x = i < na ? order_of(a[i]) : 0, y = k < nb ? order_of(b[k]) : 0;
            if (x != y)
                return x < y ? -1 : 1;
            i += i < na;
            k += k < nb;
        }
        while (i < na && a[i] == '0')
            i++;
        while (k < nb && b[k] == '0')
            k++;
        int first = 0;
        while (i < na && k < nb && tn_is_digit(a[i]) && tn_is_digit(b[k])) {
            first = first ? first : a[i] - b[k];
            i++, k++;
        }
        if (i < na && tn_is_digit(a[i]))
            return 1;
        if (k < nb && tn_is_digit(b[k]))
            return -1;
        if (first)
            return first;
    }
    return 0;
}

static void cut(const char *v, size_t n, size_t *epoch, size_t *revision)
{
    const char *colon = memchr(v, ':', n);
    *epoch = colon ? (size_t)(colon - v) : 0;
    *revision = n;
    for (size_t i = n; i > (colon ? *epoch + 1 : 0); i--)
        if (v[i - 1] == '-') {
            *revision = i - 1;
            break;
        }
}

int tn_removal_deb_cmp(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), ea, eb, ra, rb;
    cut(a, na, &ea, &ra);
    cut(b, nb, &eb, &rb);
    int c = part_cmp(a, ea, b, eb);
    size_t sa = ea + (a[ea] == ':'), sb = eb + (b[eb] == ':');
    if (!c)
        c = part_cmp(a + sa, ra - sa, b + sb, rb - sb);
    size_t ta = ra + (a[ra] == '-'), tb = rb + (b[rb] == '-');
    return c ? c : part_cmp(a + ta, na - ta, b + tb, nb - tb);
}
