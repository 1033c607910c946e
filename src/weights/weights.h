/* Named tensors of one folder: `model.safetensors`, or the shards that
 * `model.safetensors.index.json` lists. Files are mapped read-only; every header is checked
 * completely on opening (lengths, overlaps, gaps, types, duplicate names, file size), so that a
 * tensor that was handed out can be read.
 *
 * Or those of a packed file, where most matrices are panels already. Loading is one path for both:
 * whoever makes panels binds the tensors they come from (kz__weights_source), asks for the panels
 * (kz__weights_panels), and makes them where there are none. Converting is the same path again: a
 * writer takes what was made (kz__weights_keep).
 */
#ifndef KZ_WEIGHTS_WEIGHTS_H
#define KZ_WEIGHTS_WEIGHTS_H

#include "base/mem.h"
#include "tensor/tensor.h"
#include "weights/packed.h"
#include "weights/rows.h"

typedef struct kz__weights kz__weights;

/* Opens the folder's files. Errors (KZ_ERR_MODEL) name file, tensor, got and wanted. */
kz_status kz__weights_open(kz__mem *mem, const char *folder, kz__weights **weights, kz__err *err);
/* Those of a packed file, which must outlive them. One file may serve several, each with its own
 * account of what was needed. KZ_ERR_MODEL where it has been cut since it was opened. */
kz_status kz__weights_from_packed(kz__mem *mem, const kz__packed *packed, kz__weights **weights,
                                  kz__err *err);
/* Takes NULL. */
void kz__weights_close(kz__weights *weights);

/* Any thread after opening, but for the calls that mark a tensor as used: need, rows, source,
 * panels. */
bool kz__weights_has(const kz__weights *weights, const char *name);

/* The tensor of that name with exactly this rank and shape and a float type, or KZ_ERR_MODEL. */
kz_status kz__weights_need(kz__weights *weights, const char *name, int rank, const size_t *shape,
                           kz__tensor *tensor, kz__err *err);

/* The same for a table of `count` rows that are read one by one. The weights must outlive it. */
kz_status kz__weights_rows(kz__weights *weights, const char *name, size_t count, size_t width,
                           kz__rows *rows, kz__err *err);

/* The same for what panels are made of: data is NULL where a packed file has the panels. */
kz_status kz__weights_source(kz__weights *weights, const char *name, int rank, const size_t *shape,
                             kz__tensor *tensor, kz__err *err);

/* ---- panels -------------------------------------------------------------------------------- */

/* How a packed file has the panels of a kz__linear. */
typedef struct kz__panels {
    const char *name;
    kz__dtype type;
    size_t panels, taps, in;
    float factor;
} kz__panels;

bool kz__weights_are_packed(const kz__weights *weights);

/* The panels of that name with exactly this type and these sizes, and their factor. */
kz_status kz__weights_panels(kz__weights *weights, kz__panels *wanted, const void **data,
                             kz__err *err);

/* Begins the comparison (packed.h) of all that was needed of a packed file so far; _check does the
 * whole of it, on this thread. */
kz_status kz__weights_check_begin(const kz__weights *weights, kz__packed_check *check,
                                  kz__err *err);
kz_status kz__weights_check(const kz__weights *weights, kz__err *err);

/* Sends what is loaded from here on to a writer, made with so many threads (0: all). */
void kz__weights_write_to(kz__weights *weights, kz__packed_writer *writer, int threads);
bool kz__weights_are_written(const kz__weights *weights);
int kz__weights_threads(const kz__weights *weights);

/* Writes panels. Their sources are named to kz__weights_packed_into first: only their shapes are
 * kept. */
void kz__weights_packed_into(kz__weights *weights, const char *source);
kz_status kz__weights_keep(kz__weights *weights, const kz__panels *panels, const void *data,
                           size_t bytes, kz__err *err);
/* Writes every other tensor in use. */
kz_status kz__weights_keep_rest(kz__weights *weights, kz__err *err);

/* ---- the whole ----------------------------------------------------------------------------- */

/* The type that all matrices and tables in use are stored in, or KZ__OTHER. */
kz__dtype kz__weights_type(const kz__weights *weights);

/* Name of the index-th tensor (of those whose name starts with prefix) that nobody needed, or
 * NULL. */
const char *kz__weights_unused(const kz__weights *weights, const char *prefix, size_t index);

/* Values of the tensors that were needed. */
uint64_t kz__weights_values(const kz__weights *weights);

/* What was read of a folder's files leaves the memory of this process; it can be read again. */
void kz__weights_forget(const kz__weights *weights);

/* Bytes of the mapped files. */
uint64_t kz__weights_mapped(const kz__weights *weights);

/* The checkpoint folder that `path` means: itself where it holds config.json; the newest snapshot
 * (refs/main first) where it is a Hugging Face cache repository root. Symbolic links are followed
 * by the system. A sentence for: nothing there, a file, a folder without config.json, a broken
 * link. *folder is to be freed with kz__free. */
kz_status kz__locate_checkpoint(kz__mem *mem, const char *path, char **folder, kz__err *err);

#endif
