#!/usr/bin/env bash
# The layouts and numbers by which NVML and the CUDA driver interface are asked are those of NVIDIA's own headers: nvml.h of Debian's
# package (11.8) and of PyPI's nvidia-nvml-dev-cu12 (12.9, which has the fabric and the newest forms), cuda.h of the toolkit. Sizes and
# offsets are compared by the compiler.
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || skip "cc is not installed"
nvml=
cuda=
if command -v dpkg-deb >/dev/null && apt_conf && f=$(debs nvidia-cuda-dev:none 2>/dev/null || debs libnvidia-ml-dev 2>/dev/null || debs nvidia-nvml-dev 2>/dev/null); then
    dpkg-deb -x "$f" "$WORK/dev"
    nvml=$(find "$WORK/dev" -name nvml.h | sed -n 1p)
fi
mkdir -p "$PARTS/wheels"
wheel() { ls "$PARTS"/wheels/nvidia_nvml_dev_cu12-12.9.79-*.whl 2>/dev/null | sed -n 1p || true; }
[ -n "$(wheel)" ] || one python3 -m pip download -q --no-deps --only-binary :all: -d "$PARTS/wheels" nvidia-nvml-dev-cu12==12.9.79 >/dev/null 2>&1 || true
if [ -n "$(wheel)" ] && python3 -m zipfile -e "$(wheel)" "$WORK/nvml12"; then
    nvml="$nvml $(find "$WORK/nvml12" -name nvml.h | sed -n 1p)"
else
    echo "skipped: nvml.h of CUDA 12.9 cannot be had"
fi
for f in /usr/local/cuda*/include/cuda.h; do [ ! -f "$f" ] || cuda=$f; done
[ -n "$nvml$cuda" ] || skip "neither nvml.h nor cuda.h can be had"
if [ -n "$nvml" ]; then
    cat >"$WORK/nvml.c" <<'C'
#include <stddef.h>
#include "nvml.h"
#include "world/ask_nvml.h"
#define SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
#define AT(ours, a, theirs, b) \
    _Static_assert(offsetof(struct ours, a) == offsetof(theirs, b) && sizeof(((struct ours *)0)->a) == sizeof(((theirs *)0)->b), #theirs "." #b)
SIZE(tn_nvml_pci, nvmlPciInfo_t);
AT(tn_nvml_pci, legacy, nvmlPciInfo_t, busIdLegacy);
AT(tn_nvml_pci, domain, nvmlPciInfo_t, domain);
AT(tn_nvml_pci, bus, nvmlPciInfo_t, bus);
AT(tn_nvml_pci, device, nvmlPciInfo_t, device);
AT(tn_nvml_pci, device_id, nvmlPciInfo_t, pciDeviceId);
AT(tn_nvml_pci, subsystem_id, nvmlPciInfo_t, pciSubSystemId);
AT(tn_nvml_pci, text, nvmlPciInfo_t, busId);
SIZE(tn_nvml_memory, nvmlMemory_t);
AT(tn_nvml_memory, total, nvmlMemory_t, total);
AT(tn_nvml_memory, free, nvmlMemory_t, free);
AT(tn_nvml_memory, used, nvmlMemory_t, used);
SIZE(tn_nvml_memory2, nvmlMemory_v2_t);
AT(tn_nvml_memory2, version, nvmlMemory_v2_t, version);
AT(tn_nvml_memory2, total, nvmlMemory_v2_t, total);
AT(tn_nvml_memory2, reserved, nvmlMemory_v2_t, reserved);
AT(tn_nvml_memory2, free, nvmlMemory_v2_t, free);
AT(tn_nvml_memory2, used, nvmlMemory_v2_t, used);
_Static_assert(nvmlMemory_v2 == (sizeof(struct tn_nvml_memory2) | 2u << 24), "version of nvmlMemory_v2_t");
SIZE(tn_nvml_process, nvmlProcessInfo_t);
AT(tn_nvml_process, pid, nvmlProcessInfo_t, pid);
AT(tn_nvml_process, bytes, nvmlProcessInfo_t, usedGpuMemory);
AT(tn_nvml_process, instance, nvmlProcessInfo_t, gpuInstanceId);
AT(tn_nvml_process, compute_instance, nvmlProcessInfo_t, computeInstanceId);
SIZE(tn_nvml_process, nvmlProcessInfo_v2_t);
_Static_assert(sizeof(nvmlProcessInfo_v1_t) == 16, "nvmlProcessInfo_v1_t");
AT(tn_nvml_process, pid, nvmlProcessInfo_v1_t, pid);
AT(tn_nvml_process, bytes, nvmlProcessInfo_v1_t, usedGpuMemory);
_Static_assert(sizeof(nvmlDevice_t) == sizeof(void *) && sizeof(nvmlReturn_t) == sizeof(int) && sizeof(nvmlEnableState_t) == sizeof(unsigned), "types");
#ifdef NVML_GPU_FABRIC_STATE_COMPLETED
SIZE(tn_nvml_fabric, nvmlGpuFabricInfo_t);
AT(tn_nvml_fabric, cluster, nvmlGpuFabricInfo_t, clusterUuid);
AT(tn_nvml_fabric, status, nvmlGpuFabricInfo_t, status);
AT(tn_nvml_fabric, clique, nvmlGpuFabricInfo_t, cliqueId);
AT(tn_nvml_fabric, state, nvmlGpuFabricInfo_t, state);
_Static_assert(NVML_GPU_FABRIC_STATE_NOT_STARTED == 1 && NVML_GPU_FABRIC_STATE_COMPLETED == 3, "fabric");
#else
#pragma message("no fabric")
#endif
_Static_assert(NVML_ERROR_NOT_SUPPORTED == 3 && NVML_ERROR_INSUFFICIENT_SIZE == 7 && NVML_ERROR_GPU_IS_LOST == 15 && NVML_ERROR_RESET_REQUIRED == 16, "errors");
_Static_assert(NVML_TEMPERATURE_GPU == 0 && NVML_CLOCK_SM == 1, "which temperature, which clock");
_Static_assert(NVML_MEMORY_ERROR_TYPE_UNCORRECTED == 1 && NVML_VOLATILE_ECC == 0 && NVML_AGGREGATE_ECC == 1, "which errors");
_Static_assert(NVML_COMPUTEMODE_PROHIBITED == 2 && NVML_COMPUTEMODE_EXCLUSIVE_PROCESS == 3, "compute modes");
_Static_assert(nvmlClocksThrottleReasonSwPowerCap == 4 && nvmlClocksThrottleReasonHwSlowdown == 8 && nvmlClocksThrottleReasonSwThermalSlowdown == 0x20 &&
               nvmlClocksThrottleReasonHwThermalSlowdown == 0x40 && nvmlClocksThrottleReasonHwPowerBrakeSlowdown == 0x80, "throttle reasons");
_Static_assert(nvmlClocksThrottleReasonGpuIdle == 1 && nvmlClocksThrottleReasonApplicationsClocksSetting == 2 && nvmlClocksThrottleReasonSyncBoost == 0x10 &&
               nvmlClocksThrottleReasonDisplayClockSetting == 0x100, "the other reasons");
_Static_assert(NVML_DRIVER_WDDM == 0 && NVML_DRIVER_WDM == 1, "driver models");
_Static_assert(NVML_NVLINK_MAX_LINKS <= 18, "links");
/* How the calls look: a result that is a number, and as many arguments as ours. */
#define CALL(f, ...) static void *of_##f(void) { return (void *)(sizeof(f(__VA_ARGS__)) == sizeof(int) ? f : 0); }
static nvmlDevice_t d;
static unsigned a, b, c, e;
static unsigned long long w;
static char text[96];
static nvmlEnableState_t s, s2;
CALL(nvmlDeviceGetMinorNumber, d, &a)
CALL(nvmlDeviceGetPowerUsage, d, &a)
CALL(nvmlDeviceGetMigMode, d, &a, &b)
CALL(nvmlDeviceGetEccMode, d, &s, &s2)
CALL(nvmlDeviceGetTemperature, d, NVML_TEMPERATURE_GPU, &a)
CALL(nvmlDeviceGetClockInfo, d, NVML_CLOCK_SM, &a)
CALL(nvmlDeviceGetTotalEccErrors, d, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, &w)
CALL(nvmlDeviceGetRemappedRows, d, &a, &b, &c, &e)
CALL(nvmlDeviceGetCurrentClocksThrottleReasons, d, &w)
CALL(nvmlDeviceGetMigDeviceHandleByIndex, d, 0, &d)
CALL(nvmlDeviceGetNvLinkState, d, 0, &s)
CALL(nvmlDeviceGetUUID, d, text, sizeof text)
C
    for f in $nvml; do
        echo "$(sed -n 's/.*NVML_API_VERSION_STR *"\([^"]*\)".*/NVML \1/p' "$f"): ${f#"$WORK"/}"
        cc -fsyntax-only -I"$(dirname "$f")" -I"$TENON_SOURCE/src" "$WORK/nvml.c" 2>"$WORK/said" || { cat "$WORK/said"; fail "$f has other layouts or numbers"; }
        # The test can fail.
        if echo 'SIZE(tn_nvml_memory, nvmlPciInfo_t);' | cat "$WORK/nvml.c" - >"$WORK/x.c" && cc -fsyntax-only -I"$(dirname "$f")" -I"$TENON_SOURCE/src" "$WORK/x.c" 2>/dev/null; then fail "nothing is compared"; fi
    done
    if grep -q 'no fabric' "$WORK/said"; then echo "skipped: fabric in nvml.h (the newest is older)"; fi
else
    echo "skipped: nvml.h cannot be had"
fi
if [ -n "$cuda" ]; then
    cat >"$WORK/cuda.c" <<'C'
#include "cuda.h"
_Static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75 && CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == 76, "capability");
_Static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE == 20 && CU_DEVICE_ATTRIBUTE_INTEGRATED == 18 && CU_DEVICE_ATTRIBUTE_ECC_ENABLED == 32, "a");
_Static_assert(CU_DEVICE_ATTRIBUTE_TCC_DRIVER == 35 && CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY == 83 && CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16, "b");
_Static_assert(sizeof(CUdevice) == sizeof(int) && sizeof(CUuuid) == 16, "types");
_Static_assert(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH == 803 && CUDA_ERROR_SYSTEM_NOT_READY == 802 && CUDA_ERROR_UNKNOWN == 999, "errors");
C
    cc -fsyntax-only -I"$(dirname "$cuda")" "$WORK/cuda.c" || fail "cuda.h has other numbers"
else
    echo "skipped: cuda.h is not here"
fi
