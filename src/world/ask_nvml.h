/* ask_nvml.h - layouts that NVML fills in. Members in the order of nvml.h (CUDA 12 and 13 agree). */
#ifndef TN_WORLD_ASK_NVML_H
#define TN_WORLD_ASK_NVML_H

struct tn_nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char text[32];
};

struct tn_nvml_memory {
    unsigned long long total, free, used;
};

struct tn_nvml_memory2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

struct tn_nvml_process { /* the first form (no suffix) ends behind bytes */
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, compute_instance;
};

struct tn_nvml_fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};

#endif
