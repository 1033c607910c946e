/* Element types of tensors and exact conversions between them. */
#ifndef KZ_TENSOR_DTYPE_H
#define KZ_TENSOR_DTYPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum kz__dtype {
    KZ__F32 = 0,
    KZ__BF16 = 1,
    KZ__F16 = 2,
    KZ__OTHER = 3,
    KZ__Q8 = 4, /* panels of blocks: blocks.h */
    KZ__Q4 = 5
} kz__dtype;

/* Bytes of one element; 0 for KZ__OTHER and for types that come in blocks. */
static inline size_t kz__dtype_bytes(kz__dtype type) {
    return type == KZ__F32 ? 4 : type == KZ__BF16 || type == KZ__F16 ? 2 : 0;
}

static inline float kz__bf16_to_f32(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value = 0;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Round to nearest even; NaN stays NaN. */
static inline uint16_t kz__f32_to_bf16(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((bits >> 16) | 0x40u);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

static inline float kz__f16_to_f32(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu;
    uint32_t fraction = half & 0x3ffu;
    uint32_t bits = 0;
    if (exponent == 0x1fu) {
        bits = sign | 0x7f800000u | (fraction << 13);
    } else if (exponent) {
        bits = sign | ((exponent + 112u) << 23) | (fraction << 13);
    } else { /* zero or subnormal: fraction * 2^-24, exact */
        float value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
