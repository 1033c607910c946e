/* A view of a tensor in a file: it owns nothing. data has no alignment beyond a byte. */
#ifndef KZ_TENSOR_TENSOR_H
#define KZ_TENSOR_TENSOR_H

#include "tensor/dtype.h"

#define KZ__MAX_RANK 4

typedef struct kz__tensor {
    const char *name;
    const void *data;
    kz__dtype type;
    int rank;
    size_t shape[KZ__MAX_RANK]; /* row-major */
} kz__tensor;

/* Element i as float (exact). */
static inline float kz__tensor_at(const kz__tensor *tensor, size_t i) {
    const unsigned char *bytes = tensor->data;
    float value = 0;
    uint16_t bits = 0;
    if (tensor->type == KZ__F32) {
        memcpy(&value, bytes + 4 * i, 4);
        return value;
    }
    memcpy(&bits, bytes + 2 * i, 2);
    return tensor->type == KZ__BF16 ? kz__bf16_to_f32(bits) : kz__f16_to_f32(bits);
}

#endif
