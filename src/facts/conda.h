/* conda.h - which builds of TensorFlow, PyTorch, jaxlib, cudatoolkit and cuDNN conda channels have.
 *
 * Invariant: what the recipes build; whether each upload came and is still there only the channel's index says. A build
 * is asked for as package=version=build (the star of `build` is conda's own). Source: table conda_builds
 * (tools/mineconda.py). */
#ifndef TN_FACTS_CONDA_H
#define TN_FACTS_CONDA_H

#include "facts/table.h"

struct tn_facts_conda {
    const char *package, *version, *channel, *platform; /* "conda-forge", "linux-64" */
    const char *cuda;    /* "11.2"; "none": a CPU build; for cudatoolkit and cuda-version their own */
    const char *cudnn;   /* the build's pin, "8"; "" where none is named */
    const char *needs;   /* cuDNN: "cudatoolkit 11.*", "cuda-version >=12,<13"; "": the run time of its own CUDA */
    const char *pythons; /* "3.9 3.10 3.11"; "" for packages without Python, and where no source names them */
    const char *build;   /* "cuda118py*h*_*"; "" where the recipe names no form of its own */
    uint32_t row;
    struct tn_cite cite;
};

/* "linux-64", "linux-aarch64", "win-64"; NULL for what the table leaves out. */
const char *tn_facts_conda_platform(enum tn_platform platform, const char *arch);

/* The next build at or after *row (start with 0), which is advanced past it; newest version first. version: as far as
 * it goes
 * ("2.15" takes 2.15.0); python: "3.11" or "3.11.4"; NULL: any. Rows that name no
 * Python are not left out. */
bool tn_facts_conda_next(const char *package, const char *version, const char *platform, const char *python,
                         uint32_t *row, struct tn_facts_conda *ret);

/* The newest build for CUDA (gpu) or the newest CPU build. channel: "conda-forge", "defaults" (TensorFlow 1.13 to 2.4);
 * NULL: any. NO: none for this version, channel, platform or Python. OPEN: a package that the table does not hold. */
enum tn_found tn_facts_conda_newest(const char *package, const char *version, const char *channel, const char *platform,
                                    const char *python, bool gpu, struct tn_facts_conda *ret);

/* The newest cudatoolkit of this CUDA ("11.2"; up to 11.8: later ones are single packages held by cuda-version). */
enum tn_found tn_facts_conda_toolkit(const char *platform, const char *cuda, struct tn_facts_conda *ret);

/* The newest cuDNN that goes with the run time of this CUDA. cudnn: as far as it goes ("8", "8.1"), NULL: any. */
enum tn_found tn_facts_conda_cudnn(const char *platform, const char *cuda, const char *cudnn,
                                   struct tn_facts_conda *ret);

#endif
