/* layers.h - what was seen of each layer, before findings are weighed. Only verdict.c needs it. */
#ifndef TN_FINDING_LAYERS_H
#define TN_FINDING_LAYERS_H

#include "finding/verdict.h"

enum { TN_HARDWARE, TN_DRIVER, TN_CONTAINER, TN_PLATFORM, TN_CUDA, TN_CUDNN, TN_FRAMEWORK, TN_PYTHON };

/* Fills name, status, say, arg and fact of all layers. Texts that are not the snapshot's are in mem. */
void tn_layers_see(const struct tn_judge *j, struct tn_arena *mem, struct tn_layer layer[TN_LAYERS]);

/* The framework that the verdict speaks of: a GPU build before others, TensorFlow before PyTorch before JAX. NULL: none
 * (with gpu: no GPU build). */
const struct tn_rec_framework *tn_layers_framework(const struct tn_judge *j, bool gpu);
/* Did anybody look for frameworks? Only then "no framework" means that there is none. */
bool tn_layers_looked(const struct tn_judge *j);

#endif
