/* The header of a safetensors file: 8 bytes little-endian length, that many bytes of JSON, data.
 *
 * The whole header is checked: its length, JSON without duplicate keys, for each tensor a type, a
 * shape and offsets that agree with each other, and that the tensors cover the data without overlap
 * and without gap. The data must end where the file ends: a shorter file is truncated, bytes after
 * the data are refused (the rule of the format itself).
 */
#ifndef KZ_WEIGHTS_SAFETENSORS_H
#define KZ_WEIGHTS_SAFETENSORS_H

#include "base/mem.h"
#include "tensor/dtype.h"

#define KZ__ST_MAX_RANK 8
#define KZ__ST_MAX_HEADER ((uint64_t)16 << 20) /* bytes; the published models have under 60,000 */

typedef struct kz__st_tensor {
    char *name;
    char type_name[16]; /* as in the file */
    kz__dtype type;     /* KZ__OTHER for all but F32, BF16, F16 */
    int rank;
    size_t shape[KZ__ST_MAX_RANK];
    uint64_t offset, bytes; /* offset from the start of the file */
} kz__st_tensor;

typedef struct kz__safetensors {
    kz__st_tensor *tensors; /* in the order of the data */
    size_t count;
} kz__safetensors;

/* bytes: the first `available` bytes of a file of file_size bytes, at least its header where there
 * is one (the mapped file as a rule). path is for the sentence. On failure *table is empty. */
kz_status kz__safetensors_parse(kz__mem *mem, const unsigned char *bytes, size_t available,
                                uint64_t file_size, const char *path, kz__safetensors *table,
                                kz__err *err);
/* Takes an empty (zeroed) one. */
void kz__safetensors_clear(kz__mem *mem, kz__safetensors *table);

#endif
