/* Named tensors of one folder: `model.safetensors`, or the shards that
 * `model.safetensors.index.json` lists. Files are mapped read-only; every header is checked
 * completely on opening (lengths, overlaps, gaps, types, duplicate names, file size), so that a
 * tensor that was handed out can be read.
 */
#ifndef KZ_WEIGHTS_WEIGHTS_H
#define KZ_WEIGHTS_WEIGHTS_H

#include "base/mem.h"
#include "tensor/tensor.h"

typedef struct kz__weights kz__weights;

/* Opens the folder's files. Errors (KZ_ERR_MODEL) name file, tensor, got and wanted. */
kz_status kz__weights_open(kz__mem *mem, const char *folder, kz__weights **weights, kz__err *err);
void kz__weights_close(kz__weights *weights);

/* Any thread after opening, but for kz__weights_need, which marks the tensor as used. */
bool kz__weights_has(const kz__weights *weights, const char *name);

/* The tensor of that name with exactly this rank and shape and a float type, or KZ_ERR_MODEL. */
kz_status kz__weights_need(kz__weights *weights, const char *name, int rank, const size_t *shape,
                           kz__tensor *tensor, kz__err *err);

/* Name of the index-th tensor (of those whose name starts with prefix) that nobody needed, or
 * NULL. */
const char *kz__weights_unused(const kz__weights *weights, const char *prefix, size_t index);

/* Values of the tensors that were needed. */
uint64_t kz__weights_values(const kz__weights *weights);

/* Bytes of the mapped files. */
uint64_t kz__weights_mapped(const kz__weights *weights);

/* The checkpoint folder that `path` means: itself where it holds config.json; the newest snapshot
 * (refs/main first) where it is a Hugging Face cache repository root. Symbolic links are followed
 * by the system. A sentence for: nothing there, a file, a folder without config.json, a broken
 * link. *folder is to be freed with kz__free. */
kz_status kz__locate_checkpoint(kz__mem *mem, const char *path, char **folder, kz__err *err);

#endif
