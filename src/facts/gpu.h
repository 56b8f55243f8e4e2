/* gpu.h - a GPU by PCI id or name, and what drivers and CUDA releases do for its capability.
 *
 * Invariant: where rows disagree a field is "", never a guess. Knows nothing of how a card was found. */
#ifndef TN_FACTS_GPU_H
#define TN_FACTS_GPU_H

#include "facts/table.h"

/* Fields that differ between the rows found are "". */
struct tn_facts_gpu {
    const char *name, *chip, *architecture;
    const char *capability; /* "8.6" */
    const char *memory_gb;  /* "12", or "8 12" where one id was sold with either; "" if not established */
    uint32_t rows;          /* how many rows fit */
    uint32_t row;           /* the first of them, in table "gpus" */
    struct tn_cite cite;    /* of that row */
};

/* By PCI device id (vendor 0x10de). One id may carry several names (subsystems). NO: not in the tables, which
 * for a device that works means "newer than my tables" or an integrated one. */
enum tn_found tn_facts_gpu_by_pci(unsigned device, struct tn_facts_gpu *ret);

/* By marketing name, as nvidia-smi, a shop or a person writes it: case, blanks, "NVIDIA", "GeForce", "Tesla", "Quadro"
 * do not count ("NVIDIA GeForce RTX 3060 Ti", "rtx3090", "gtx1660"). First the whole name, then a name that goes
 * on with a new word ("H100" of "H100 PCIe"), then one that the text goes on from with words that tell no other
 * chip ("Laptop GPU", "80GB", "PCIe", "MIG 1g.10gb"). Names used for different chips give capability "". */
enum tn_found tn_facts_gpu_by_name(const char *name, struct tn_facts_gpu *ret);

struct tn_facts_capability {
    const char *architecture;       /* "Pascal"; "" if no row tells */
    const char *first_cuda;         /* first CUDA release that compiles for it */
    const char *last_cuda;          /* last one that does */
    bool cuda_current;              /* last_cuda is the newest in the tables: not dropped */
    const char *last_driver_branch; /* "580"; "" if not established */
    bool driver_current;            /* that is the newest branch in the tables: not dropped */
};

/* By compute capability ("6.1"). NO: in no row. Sources: tables cuda_arch and driver_branches. */
enum tn_found tn_facts_capability(const char *capability, struct tn_facts_capability *ret);

/* Last driver branch that runs an architecture ("Kepler": 470); *current: it is the newest in the tables. */
enum tn_found tn_facts_last_branch(const char *architecture, const char **branch, bool *current);

#endif
