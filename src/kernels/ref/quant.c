/* Rows as 8-bit codes, and panel products of quantised weights with them. */
#include "kernels/fma.h"
#include "kernels/variants.h"

void KZ__NAME(quantize)(const kz__codes *to, const float *x, size_t k, size_t blocks,
                        float factor) {
    for (size_t b = 0; b < blocks; b++) {
        float values[KZ__BLOCK];
        uint32_t most = 0; /* bits of absolute values are ordered as the values are */
        for (size_t i = 0; i < KZ__BLOCK; i++) {
            values[i] = b * KZ__BLOCK + i < k ? x[b * KZ__BLOCK + i] : 0.0f;
            uint32_t size = kz__bits_of(values[i]) & 0x7fffffffu;
            if (size > most) most = size;
        }
        int finite = most < 0x7f800000u;
        int zero = !finite || most < kz__bits_of(0x1p-100f);
        size_t n = b * to->ld;
        to->scales[n] = zero ? 0.0f : kz__float_of(most) / 127.0f * factor;
        if (!finite) to->scales[n] = kz__float_of(0x7fc00000u);
        float inverse = zero ? 0.0f : 127.0f / kz__float_of(most);
        to->sums[n] = 0;
        for (size_t i = 0; i < KZ__BLOCK; i++) {
            /* adding 1.5 * 2^23 leaves no place for a fraction */
            float code = zero ? 0.0f : (values[i] * inverse + 0x1.8p23f) - 0x1.8p23f;
            to->codes[n * KZ__BLOCK + i] = (int8_t)code;
            to->sums[n] -= 8 * (int8_t)code;
        }
    }
}

/* Code of k = 0..31 of row i in a block of a pair. */
static int code8(const void *pair, size_t block, size_t row, size_t k) {
    const kz__q8_pair *w = pair;
    return w->code[block][k / 4][row][k % 4];
}

static int code4(const void *pair, size_t block, size_t row, size_t k) {
    const kz__q4_pair *w = pair;
    int both = w->code[block][k % 16 / 4][row][k % 4];
    return (k < 16 ? both & 15 : both >> 4) - 8;
}

typedef int code_fn(const void *pair, size_t block, size_t row, size_t k);

/* One output; both kinds of pairs begin with their scales. */
static float product(const kz__mmq_args *a, size_t bytes, code_fn *code, size_t row, size_t panel,
                     size_t i, float acc) {
    for (size_t b = 0; b < 2 * a->pairs; b++) {
        size_t n = b * a->x.ld + row;
        const char *pair = (const char *)a->w + (panel * a->pairs + b / 2) * bytes;
        const uint16_t *scales = (const uint16_t *)(const void *)pair;
        int32_t dot = 0;
        for (size_t k = 0; k < KZ__BLOCK; k++) {
            dot += code(pair, b % 2, i, k) * a->x.codes[n * KZ__BLOCK + k];
        }
        float scale = kz__f16_to_f32(scales[b % 2 * KZ__LANES + i]) * a->x.scales[n];
        acc = kz__fma((float)dot, scale, acc);
    }
    return acc;
}

static void run(const kz__mmq_args *a, size_t bytes, code_fn *code) {
    for (size_t row = 0; row < a->rows; row++) {
        for (size_t column = 0; column < a->panels * KZ__LANES; column++) {
            float *y = a->y + row * a->ldy + column;
            float start = a->resume ? *y : a->bias ? a->bias[column] : 0.0f;
            *y = product(a, bytes, code, row, column / KZ__LANES, column % KZ__LANES, start);
        }
    }
}

void KZ__NAME(mm_q8)(const kz__mmq_args *a) {
    run(a, sizeof(kz__q8_pair), code8);
}

void KZ__NAME(mm_q4)(const kz__mmq_args *a) {
    run(a, sizeof(kz__q4_pair), code4);
}
