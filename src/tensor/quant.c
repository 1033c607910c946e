/* Encoding of blocks. Sums have 8 lanes (element i in lane i mod 8), added in a fixed order, so
 * that compilers may use vectors without changing a bit. */
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

static float sum_lanes(const float *s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* What codes of a block are worth: with the scale product / square their squared error is that of
 * all zeros less product^2 / square. */
typedef struct fit {
    float product, square; /* sums of value * code and code * code */
} fit;

/* Nearest codes, ties to even, for values * inverse. */
static fit round_codes(const float *values, float inverse, float low, float high, float *codes) {
    float product[LANES] = {0};
    float square[LANES] = {0};
    for (size_t i = 0; i < KZ__BLOCK; i += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            float code = (values[i + j] * inverse + 0x1.8p23f) - 0x1.8p23f;
            code = code < low ? low : code;
            code = code > high ? high : code;
            product[j] += values[i + j] * code;
            square[j] += code * code;
            codes[i + j] = code;
        }
    }
    fit result = {sum_lanes(product), sum_lanes(square)};
    return result;
}

/* The value of largest size, the first of them. */
static float largest_of(const float *values) {
    float largest = 0;
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        float size = values[i] < 0 ? -values[i] : values[i];
        float most = largest < 0 ? -largest : largest;
        if (size > most) largest = values[i];
    }
    return largest;
}

static int better(fit a, fit b) {
    return a.product * a.product * b.square > b.product * b.product * a.square;
}

/* Units that the largest value may come to. With four bits the steps are coarse: clipping it, or
 * leaving room, often pays; negative ones put it on the side that has a code more. */
static const float units8[] = {127.0f};
static const float units4[] = {-8.0f, -7.2f, -7.6f, -8.4f, -8.8f, 7.0f, 6.4f, 7.6f};

void kz__quant_block(kz__dtype type, float factor, const float *values, uint16_t *scale,
                     int8_t *codes) {
    const float *units = type == KZ__Q8 ? units8 : units4;
    size_t tries = type == KZ__Q8 ? 1 : sizeof units4 / sizeof units4[0];
    float low = type == KZ__Q8 ? -127.0f : -8.0f;
    float high = type == KZ__Q8 ? 127.0f : 7.0f;
    float best_codes[KZ__BLOCK] = {0};
    float largest = largest_of(values);
    float small = largest < 0 ? -largest : largest;
    *scale = 0;
    memset(codes, 0, KZ__BLOCK);
    /* by the factor sums stay inside the floats' range */
    if (!(small >= factor * 0x1p-14f)) return;
    float scaled[KZ__BLOCK];
    for (size_t i = 0; i < KZ__BLOCK; i++) scaled[i] = values[i] / factor;
    largest /= factor;
    fit best = {0, 1};
    for (size_t t = 0; t < tries; t++) {
        float tried[KZ__BLOCK];
        fit this = round_codes(scaled, units[t] / largest, low, high, tried);
        if (this.square > 0 && better(this, best)) {
            best = this;
            memcpy(best_codes, tried, sizeof tried);
        }
    }
    /* codes nearest for the scale just found, once more */
    float tried[KZ__BLOCK];
    if (best.product == 0) return;
    fit again = round_codes(scaled, best.square / best.product, low, high, tried);
    if (again.square > 0 && better(again, best)) {
        best = again;
        memcpy(best_codes, tried, sizeof tried);
    }
    uint16_t half = kz__f32_to_f16(best.product / best.square);
    if (!(half & 0x7c00u)) return;
    *scale = half;
    for (size_t i = 0; i < KZ__BLOCK; i++) codes[i] = (int8_t)best_codes[i];
}

void kz__quant_put(kz__dtype type, void *pair, size_t block, size_t row, uint16_t scale,
                   const int8_t *codes) {
    kz__q8_pair *wide = pair;
    kz__q4_pair *narrow = pair;
    if (type == KZ__Q8) {
        wide->scale[block][row] = scale;
        for (size_t g = 0; g < KZ__GROUPS; g++) {
            memcpy(wide->code[block][g][row], codes + 4 * g, 4);
        }
        return;
    }
    narrow->scale[block][row] = scale;
    for (size_t i = 0; i < KZ__BLOCK / 2; i++) {
        unsigned both = (unsigned)(codes[i] + 8) | (unsigned)(codes[i + 16] + 8) << 4;
        narrow->code[block][i / 4][row][i % 4] = (uint8_t)both;
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
