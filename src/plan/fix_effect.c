/* fix_effect.c - see fix.h: what each remedy promises, as facts; of the others, why that cannot be told.
 *
 * Invariant: a fact is only put where the remedy's own command makes it true; what else would change is left as it
 * was, so that a remedy is never believed to mend more than it says. Every remedy of the catalogue stands in the table
 * (tests/unit/plan_fix.c): one that is added says here what it does. */
#include "plan/fix_effect.h"

#include <string.h>

#include "base/str.h"

static const struct {
    char id[28];
    unsigned char effect;
} table[] = {
    {"activate-environment", TN_EFFECT_ANEW},
    {"add-rpmfusion", TN_EFFECT_CHOICE},
    {"allow-longer-kernels", TN_EFFECT_BY_HAND},
    {"allow-profile", TN_EFFECT_SHELL},
    {"ascii-environment", TN_EFFECT_ANEW},
    {"ask-doctor", TN_EFFECT_LOOKS},
    {"ask-why", TN_EFFECT_LOOKS},
    {"blacklist-nouveau", TN_EFFECT_LOAD},
    {"blocking-launches", TN_EFFECT_LOOKS},
    {"choose-alternative", TN_EFFECT_SAME},
    {"closed-module", TN_EFFECT_FLAVOUR},
    {"companion-flavour", TN_EFFECT_PACKAGE},
    {"complete-driver", TN_EFFECT_SAME},
    {"confirm-key", TN_EFFECT_KEY},
    {"conda-forge-build", TN_EFFECT_ANEW},
    {"cuda-by-conda", TN_EFFECT_CHOICE},
    {"default-compute-mode", TN_EFFECT_MODE},
    {"device-file-mode", TN_EFFECT_LOOKS},
    {"distro-driver", TN_EFFECT_DRIVER},
    {"driver-capabilities", TN_EFFECT_GIVEN},
    {"driver-of-branch", TN_EFFECT_DRIVER},
    {"drop-compat", TN_EFFECT_LOOKS},
    {"drop-pythonhome", TN_EFFECT_UNSET},
    {"drop-pythonpath", TN_EFFECT_PYTHONPATH},
    {"drop-search-folder", TN_EFFECT_LIBRARY_PATH},
    {"drop-stubs-folder", TN_EFFECT_LIBRARY_PATH},
    {"enrol-key", TN_EFFECT_KEY},
    {"enrol-build-key", TN_EFFECT_KEY},
    {"env-cuda-conda", TN_EFFECT_CUDA},
    {"env-cuda-requires", TN_EFFECT_CUDA},
    {"env-cuda-wheels", TN_EFFECT_CUDA},
    {"env-cuda11-wheels", TN_EFFECT_CUDA},
    {"expandable-segments", TN_EFFECT_SET},
    {"expect-cpu", TN_EFFECT_CPU},
    {"fabric-manager-host", TN_EFFECT_ELSEWHERE},
    {"find-stubs-line", TN_EFFECT_LOOKS},
    {"finish-packages", TN_EFFECT_BUILD},
    {"fit-fabric-manager", TN_EFFECT_FABRIC},
    {"fitting-companion", TN_EFFECT_PACKAGE},
    {"fitting-tensorflow", TN_EFFECT_BUILD_OF},
    {"fitting-torch", TN_EFFECT_BUILD_OF},
    {"free-space-build", TN_EFFECT_LOOKS},
    {"generate-cdi", TN_EFFECT_CDI},
    {"gpu-build", TN_EFFECT_BUILD_OF},
    {"gpu-build-conda", TN_EFFECT_CHOICE},
    {"gpu-build-wheels", TN_EFFECT_BUILD_OF},
    {"gsp-firmware", TN_EFFECT_BUILD},
    {"hand-in-gpu", TN_EFFECT_LOOKS},
    {"ignore-user-site", TN_EFFECT_USER_SITE},
    {"image-driver", TN_EFFECT_LOOKS},
    {"import-first", TN_EFFECT_PROGRAM},
    {"import-framework-first", TN_EFFECT_PROGRAM},
    {"init-shell", TN_EFFECT_SHELL},
    {"install-container-toolkit", TN_EFFECT_TOOLKIT},
    {"install-driver", TN_EFFECT_DRIVER},
    {"install-headers", TN_EFFECT_BUILD},
    {"install-toolkit-podman", TN_EFFECT_TOOLKIT},
    {"jax-no-preallocation", TN_EFFECT_SET},
    {"join-group", TN_EFFECT_NODES},
    {"judge-environment", TN_EFFECT_LOOKS},
    {"keep-compute-cache", TN_EFFECT_SET},
    {"keep-device-rules", TN_EFFECT_ELSEWHERE},
    {"keep-one-build", TN_EFFECT_REMOVED},
    {"keep-video-memory", TN_EFFECT_UVM},
    {"larger-pagefile", TN_EFFECT_BY_HAND},
    {"leave-mig", TN_EFFECT_MIG},
    {"lift-memlock", TN_EFFECT_ELSEWHERE},
    {"list-gpus", TN_EFFECT_LOOKS},
    {"load-module", TN_EFFECT_LOAD},
    {"look-as-root", TN_EFFECT_LOOKS},
    {"look-closer", TN_EFFECT_LOOKS},
    {"lxc-device-rules", TN_EFFECT_ELSEWHERE},
    {"make-mig-devices", TN_EFFECT_LOOKS},
    {"memory-growth", TN_EFFECT_SET},
    {"mend-variable", TN_EFFECT_SET},
    {"module-compiler", TN_EFFECT_BUILD},
    {"more-shared-memory", TN_EFFECT_ELSEWHERE},
    {"msvc-redistributable", TN_EFFECT_MSVC},
    {"nccl-debug", TN_EFFECT_LOOKS},
    {"nccl-without-p2p", TN_EFFECT_SET},
    {"neighbour-release", TN_EFFECT_BUILD_OF},
    {"newer-driver", TN_EFFECT_CHOICE},
    {"newer-system-container", TN_EFFECT_ELSEWHERE},
    {"no-sysmem-fallback", TN_EFFECT_PROGRAM},
    {"nvcc-wheel", TN_EFFECT_PACKAGE},
    {"nvidia-repository", TN_EFFECT_CHOICE},
    {"nvidia-tensorflow-container", TN_EFFECT_ELSEWHERE},
    {"older-host-compiler", TN_EFFECT_SET},
    {"older-python", TN_EFFECT_ANEW},
    {"open-module", TN_EFFECT_FLAVOUR},
    {"other-driver", TN_EFFECT_CHOICE},
    {"other-kernel", TN_EFFECT_CHOICE},
    {"pass-host-cpu", TN_EFFECT_ELSEWHERE},
    {"pin-numpy", TN_EFFECT_PACKAGE},
    {"pin-package", TN_EFFECT_PACKAGE},
    {"pip-choice", TN_EFFECT_CHOICE},
    {"plan", TN_EFFECT_LOOKS},
    {"plan-companions", TN_EFFECT_LOOKS},
    {"pod-shared-memory", TN_EFFECT_ELSEWHERE},
    {"preload-dlls", TN_EFFECT_PROGRAM},
    {"prime-select", TN_EFFECT_LOAD},
    {"python-64-bit", TN_EFFECT_LOOKS},
    {"python-org", TN_EFFECT_ANEW},
    {"reboot", TN_EFFECT_RESTART},
    {"reboot-off", TN_EFFECT_TRY},
    {"rebuild-module", TN_EFFECT_BUILD},
    {"recreate-container", TN_EFFECT_GIVEN},
    {"register-kernel", TN_EFFECT_ANEW},
    {"reinstall-files", TN_EFFECT_RESTORED},
    {"release-card", TN_EFFECT_RELEASE},
    {"release-card-cmdline", TN_EFFECT_RELEASE},
    {"release-card-line", TN_EFFECT_RELEASE},
    {"relink-driver", TN_EFFECT_SAME},
    {"reload-module", TN_EFFECT_RESTART},
    {"reload-uvm", TN_EFFECT_UVM},
    {"remove-linux-driver", TN_EFFECT_TRY},
    {"remove-old-libcuda", TN_EFFECT_LOOKS},
    {"remove-other-driver", TN_EFFECT_SAME},
    {"remove-runfile-driver", TN_EFFECT_TRY},
    {"rename-shadow", TN_EFFECT_SHADOW},
    {"renew-image", TN_EFFECT_IMAGE},
    {"replace-package", TN_EFFECT_REMOVED},
    {"request-job-gpu", TN_EFFECT_GIVEN},
    {"request-pod-gpu", TN_EFFECT_GIVEN},
    {"reset-gpu", TN_EFFECT_TRY},
    {"new-terminal", TN_EFFECT_TRY},
    {"restart-windows", TN_EFFECT_TRY},
    {"same-version", TN_EFFECT_SAME},
    {"runfile-driver", TN_EFFECT_CHOICE},
    {"search-cuda-folder", TN_EFFECT_LIBRARY_PATH},
    {"search-driver-folder", TN_EFFECT_LIBRARY_PATH},
    {"search-wheel-folders", TN_EFFECT_LIBRARY_PATH},
    {"see-branches", TN_EFFECT_LOOKS},
    {"see-build-log", TN_EFFECT_LOOKS},
    {"see-builds", TN_EFFECT_LOOKS},
    {"see-card", TN_EFFECT_LOOKS},
    {"see-cgroup", TN_EFFECT_LOOKS},
    {"see-compilers", TN_EFFECT_LOOKS},
    {"see-dkms", TN_EFFECT_LOOKS},
    {"see-driver-for-cuda", TN_EFFECT_LOOKS},
    {"see-driver-need", TN_EFFECT_LOOKS},
    {"see-envs", TN_EFFECT_LOOKS},
    {"see-kernel-log", TN_EFFECT_LOOKS},
    {"see-loaded-version", TN_EFFECT_LOOKS},
    {"see-memory-errors", TN_EFFECT_LOOKS},
    {"see-nodes", TN_EFFECT_LOOKS},
    {"see-nvml-copies", TN_EFFECT_LOOKS},
    {"see-processes", TN_EFFECT_LOOKS},
    {"see-secure-boot", TN_EFFECT_LOOKS},
    {"see-vfio", TN_EFFECT_LOOKS},
    {"see-windows-device", TN_EFFECT_LOOKS},
    {"separate-environments", TN_EFFECT_RESTORED},
    {"set-wsl-2", TN_EFFECT_ELSEWHERE},
    {"show-all-gpus", TN_EFFECT_UNSET},
    {"shut-down-kernels", TN_EFFECT_PROGRAM},
    {"sign-module", TN_EFFECT_KEY},
    {"start-container", TN_EFFECT_GIVEN},
    {"start-fabric-manager", TN_EFFECT_FABRIC},
    {"stop-display", TN_EFFECT_TRY},
    {"swap-nouveau", TN_EFFECT_LOAD},
    {"tensorflow-2-4-1", TN_EFFECT_BUILD_OF},
    {"toolkit-without-driver", TN_EFFECT_CHOICE},
    {"unblock-cmdline", TN_EFFECT_UNBLOCK},
    {"unblock-module", TN_EFFECT_UNBLOCK},
    {"uninstall-runfile", TN_EFFECT_SAME},
    {"unset-index", TN_EFFECT_INDEX},
    {"unset-variable", TN_EFFECT_UNSET},
    {"update-driver", TN_EFFECT_DRIVER},
    {"update-host-driver", TN_EFFECT_ELSEWHERE},
    {"update-windows-driver", TN_EFFECT_DRIVER},
    {"update-wsl", TN_EFFECT_ELSEWHERE},
    {"upgrade-code", TN_EFFECT_PROGRAM},
    {"upgrade-pip", TN_EFFECT_CHOICE},
    {"upgrade-venv", TN_EFFECT_ANEW},
    {"use-cpu-build", TN_EFFECT_BUILD_OF},
    {"use-other-gpu", TN_EFFECT_SET},
    {"use-system-python", TN_EFFECT_ANEW},
    {"use-tensorflow-2-10", TN_EFFECT_ANEW},
    {"use-wsl2", TN_EFFECT_ELSEWHERE},
    {"uvm-on-host", TN_EFFECT_UVM},
    {"vgpu-driver", TN_EFFECT_LOOKS},
    {"why-all", TN_EFFECT_LOOKS},
    {"without-hmm", TN_EFFECT_UVM},
    {"wsl-loader-path", TN_EFFECT_WSL_PATH},
    {"xla-data-dir", TN_EFFECT_SET},
};

enum tn_effect tn_effect_find(const char *remedy)
{
    for (unsigned i = 0; i < TN_LEN(table); i++)
        if (strncmp(table[i].id, remedy, sizeof table[i].id) == 0)
            return (enum tn_effect)table[i].effect;
    return TN_EFFECT_NONE;
}

const char *tn_effect_arg(const struct tn_remedy *r, const char *key)
{
    for (unsigned i = 0; i < r->n_arg; i++)
        if (tn_str_eq(r->arg[i].key, key))
            return r->arg[i].value;
    return "";
}

static enum tn_fix_told told_of(enum tn_effect kind)
{
    switch (kind) {
    case TN_EFFECT_NONE:
    case TN_EFFECT_TRY: return TN_FIX_TOLD_TRY;
    case TN_EFFECT_LOOKS: return TN_FIX_TOLD_LOOKS;
    case TN_EFFECT_ELSEWHERE: return TN_FIX_TOLD_ELSEWHERE;
    case TN_EFFECT_PROGRAM: return TN_FIX_TOLD_PROGRAM;
    case TN_EFFECT_CHOICE: return TN_FIX_TOLD_CHOICE;
    case TN_EFFECT_BY_HAND: return TN_FIX_TOLD_BY_HAND;
    case TN_EFFECT_ANEW: return TN_FIX_TOLD_ANEW;
    default: return TN_FIX_TOLD;
    }
}

enum tn_fix_told tn_fix_told_of(const char *remedy)
{
    return told_of(tn_effect_find(remedy));
}

enum tn_fix_told tn_fix_effect(struct tn_arena *mem, struct tn_snap *s, const struct tn_fix *fix,
                               struct tn_fix_after *ret)
{
    enum tn_effect kind = tn_effect_find(fix->chosen.id);
    enum tn_fix_told told = told_of(kind);
    memset(ret, 0, sizeof *ret);
    ret->cuda = ret->cudnn = "";
    if (told != TN_FIX_TOLD)
        return told;
    struct tn_effect_of e = {mem, s, fix, &fix->chosen, ret, tn_snap_src(s, TN_KNOWN, NULL, "the plan")};
    if (kind == TN_EFFECT_CPU) {
        ret->cpu = true;
        return TN_FIX_TOLD;
    }
    return kind < TN_EFFECT_UNSET ? tn_effect_system(&e, kind) : tn_effect_env(&e, kind);
}
