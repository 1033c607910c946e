/* Encoding of blocks, 16 side by side: vectors of compilers hold different blocks. A sum over a
 * block has 8 lanes (element i in lane i mod 8), added in a fixed order. */
#include "tensor/quant.h"

#define LANES 8

static uint32_t bits_of(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t kz__f32_to_f16(float value) {
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* rounds to 2^16 or more */
    if (size < 0x38800000u) { /* subnormal: adding 1/2 leaves a unit of 2^-24 */
        uint32_t half = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
        return (uint16_t)(sign | half);
    }
    uint32_t rounded = size + 0xfffu + (size >> 13 & 1u);
    return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

float kz__quant_factor(kz__dtype type, float largest) {
    int exponent = (int)(bits_of(largest) >> 23 & 0xffu) - 127; /* largest < 2^(exponent + 1) */
    exponent -= type == KZ__Q8 ? 20 : 16;
    if (exponent < -100) exponent = -100;
    return float_of((uint32_t)(exponent + 127) << 23);
}

/* A number for each of the blocks. */
typedef kz__quant_row many;

/* What codes of a block are worth: with the scale product / square their squared error is that of
 * all zeros less product^2 / square. */
typedef struct fits {
    many product, square; /* sums of value * code and code * code */
    many inverse;         /* the codes are the nearest to value * inverse */
} fits;

/* The codes of a format, from low to high. */
typedef struct range {
    float low, high;
} range;

/* Nearest code, ties to even. */
static inline float code_of(float value, float inverse, range r) {
    float code = (value * inverse + 0x1.8p23f) - 0x1.8p23f;
    code = code < r.low ? r.low : code;
    return code < r.high ? code : r.high;
}

/* Lanes as a tree. */
static void sum_lanes(const many *lane, float *sum) {
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        sum[n] = ((lane[0][n] + lane[4][n]) + (lane[2][n] + lane[6][n])) +
                 ((lane[1][n] + lane[5][n]) + (lane[3][n] + lane[7][n]));
    }
}

static void find_codes(const many *values, const float *inverse, range r, many *codes) {
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            codes[i][n] = code_of(values[i][n], inverse[n], r);
        }
    }
}

/* The sums for the inverses that stand in `fit`. */
static void try_inverses(const many *values, range r, fits *fit) {
    many code[KZ__BLOCK];
    many product[LANES];
    many square[LANES];
    find_codes(values, fit->inverse, r, code);
    for (size_t j = 0; j < LANES; j++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            float p = 0;
            float q = 0;
#pragma GCC unroll 4
            for (size_t i = j; i < KZ__BLOCK; i += LANES) {
                p += values[i][n] * code[i][n];
                q += code[i][n] * code[i][n];
            }
            product[j][n] = p;
            square[j][n] = q;
        }
    }
    sum_lanes((const many *)product, fit->product);
    sum_lanes((const many *)square, fit->square);
}

/* The value of largest size, the first of them, and the size. Sizes are compared as their bits,
 * which are in the same order. */
static void largest_of(const many *values, float *largest, float *size) {
    int32_t bits[KZ__BLOCK][KZ__PANEL_ROWS];
    int32_t most[KZ__PANEL_ROWS] = {0};
    int32_t first[KZ__PANEL_ROWS] = {0};
    memcpy(bits, values, sizeof bits);
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            int32_t here = bits[i][n] & 0x7fffffff;
            most[n] = here > most[n] ? here : most[n];
        }
    }
    for (size_t i = KZ__BLOCK; i-- > 0;) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            first[n] = (bits[i][n] & 0x7fffffff) == most[n] ? bits[i][n] : first[n];
        }
    }
    memcpy(largest, first, sizeof first);
    memcpy(size, most, sizeof most);
}

/* Keeps in `best` what is better: product^2 / square is larger. */
static void keep_better(fits *best, const fits *other) {
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        float p = other->product[n];
        float q = other->square[n];
        int better = (q > 0) & (p * p * best->square[n] >
                                best->product[n] * best->product[n] * q);
        best->product[n] = better ? p : best->product[n];
        best->square[n] = better ? q : best->square[n];
        best->inverse[n] = better ? other->inverse[n] : best->inverse[n];
    }
}

/* Units that the largest value may come to. With four bits the steps are coarse: clipping it, or
 * leaving room, often pays; negative ones put it on the side that has a code more. */
static const float units8[] = {127.0f};
static const float units4[] = {-8.0f, -7.2f, -7.6f, -8.4f, -8.8f, 7.0f, 6.4f, 7.6f};

/* The fits of least error among the units', for values of the size that `largest` says. */
static fits fit_blocks(kz__dtype type, const many *values, const float *largest, range r) {
    const float *units = type == KZ__Q8 ? units8 : units4;
    size_t tries = type == KZ__Q8 ? 1 : sizeof units4 / sizeof units4[0];
    fits best;
    fits tried;
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        best.product[n] = best.inverse[n] = 0;
        best.square[n] = 1;
    }
    for (size_t t = 0; t < tries; t++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) tried.inverse[n] = units[t] / largest[n];
        try_inverses(values, r, &tried);
        keep_better(&best, &tried);
    }
    /* codes nearest for the scale just found, once more */
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        tried.inverse[n] = best.square[n] / (best.product[n] == 0 ? 1.0f : best.product[n]);
    }
    try_inverses(values, r, &tried);
    keep_better(&best, &tried);
    return best;
}

void kz__quant_blocks(kz__dtype type, float factor, const kz__quant_row *values, uint16_t *scales,
                      kz__quant_codes *codes) {
    range r = {type == KZ__Q8 ? -127.0f : -8.0f, type == KZ__Q8 ? 127.0f : 7.0f};
    float up = 1.0f / factor; /* both are powers of two */
    float least = factor * 0x1p-14f;
    many scaled[KZ__BLOCK];
    many largest;
    many size;
    many code[KZ__BLOCK];
    largest_of(values, largest, size);
    /* by the factor sums stay inside the floats' range; blocks of next to nothing go along */
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        largest[n] = size[n] >= least ? largest[n] * up : 1.0f;
    }
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) scaled[i][n] = values[i][n] * up;
    }
    fits best = fit_blocks(type, (const many *)scaled, largest, r);
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        uint16_t half = kz__f32_to_f16(best.product[n] / best.square[n]);
        int some = size[n] >= least && (half & 0x7c00u);
        scales[n] = some ? half : 0;
        best.inverse[n] = some ? best.inverse[n] : 0.0f;
    }
    find_codes((const many *)scaled, best.inverse, r, code);
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) codes[i][n] = (int8_t)code[i][n];
    }
}

void kz__quant_put(kz__dtype type, void *pair, size_t block, const uint16_t *scales,
                   const kz__quant_codes *codes) {
    kz__q8_pair *wide = pair;
    kz__q4_pair *narrow = pair;
    memcpy(type == KZ__Q8 ? wide->scale[block] : narrow->scale[block], scales,
           KZ__PANEL_ROWS * sizeof *scales);
    for (size_t i = 0; type == KZ__Q8 && i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            wide->code[block][i / 4][n][i % 4] = codes[i][n];
        }
    }
    for (size_t i = 0; type == KZ__Q4 && i < KZ__BLOCK / 2; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            unsigned both = (unsigned)(codes[i][n] + 8) |
                            (unsigned)(codes[i + KZ__BLOCK / 2][n] + 8) << 4;
            narrow->code[block][i / 4][n][i % 4] = (uint8_t)both;
        }
    }
}

void kz__quant_get(kz__dtype type, const void *pair, size_t block, size_t row, uint16_t *scale,
                   int8_t *codes) {
    const kz__q8_pair *wide = pair;
    const kz__q4_pair *narrow = pair;
    if (type == KZ__Q8) {
        *scale = wide->scale[block][row];
        for (size_t g = 0; g < KZ__GROUPS; g++) {
            memcpy(codes + 4 * g, wide->code[block][g][row], 4);
        }
        return;
    }
    *scale = narrow->scale[block][row];
    for (size_t i = 0; i < KZ__BLOCK / 2; i++) {
        int both = narrow->code[block][i / 4][row][i % 4];
        codes[i] = (int8_t)((both & 15) - 8);
        codes[i + 16] = (int8_t)((both >> 4) - 8);
    }
}
