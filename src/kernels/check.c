/* Inputs: sizes around the widths of vectors, panels and tiles; values plain, of all magnitudes,
 * extreme, and not finite. Outputs of reference and variant start from the same random bytes,
 * with a guard before them.
 */
#include "kernels/check.h"

#include "kernels/fma.h"
#include "kernels/variants.h"

#define SLOT_FLOATS (KZ__CHECK_SLOT_BYTES / sizeof(float))
#define GUARD ((size_t)64)

enum { Y_REFERENCE, Y_VARIANT, X, W, B, Z };
enum { PLAIN, MAGNITUDES, EXTREME, NOT_FINITE, ANY_BITS, MODES };

typedef struct state {
    kz__kernels reference, variant;
    float *slots[KZ__CHECK_SLOTS];
    uint64_t random;
    int quick;
} state;

static uint32_t draw(state *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = s->random ^ (s->random >> 29);
    return (uint32_t)((x * 0x9e3779b97f4a7c15u) >> 32);
}

static size_t below(state *s, size_t n) {
    return draw(s) % n;
}

/* Trials of a kernel: every mode of value() and place in memory also comes in the quick check. */
static size_t times(const state *s, size_t all) {
    return s->quick ? all / 4 : all;
}

static float plain(state *s) {
    return (float)(int32_t)draw(s) * 0x1p-30f;
}

static float special(state *s, int finite) {
    static const uint32_t bits[] = {
        0x00000000u, 0x80000000u, 0x00000001u, 0x807fffffu, 0x00800000u, 0x3f800000u, 0xbf800000u,
        0x7f7fffffu, 0xff7fffffu, 0x42b17218u, 0xc2aeac50u, 0x4b400000u, 0x7f800000u, 0xff800000u,
        0x7fc00000u, 0xffc00001u,
    };
    return kz__float_of(bits[below(s, finite ? 12 : 16)]);
}

static float value(state *s, int mode) {
    uint32_t bits = draw(s);
    switch (mode) {
    case MAGNITUDES: /* 2^-24 to 2^24 */
        return kz__float_of((bits & 0x807fffffu) | (uint32_t)(103 + below(s, 48)) << 23);
    case EXTREME:
        return bits % 8 ? plain(s) : special(s, 1);
    case NOT_FINITE:
        return bits % 64 ? plain(s) : special(s, 0);
    case ANY_BITS:
        return kz__float_of(bits);
    default:
        return plain(s);
    }
}

/* The last `count` floats of a slot, filled. */
static float *input(state *s, int slot, size_t count, int mode) {
    float *p = s->slots[slot] + (SLOT_FLOATS - count);
    for (size_t i = 0; i < count; i++) {
        p[i] = value(s, mode);
    }
    return p;
}

/* The same random contents for both outputs, guard included. */
static void outputs(state *s, float *y[2], size_t count, int mode) {
    for (int i = 0; i < 2; i++) {
        y[i] = s->slots[Y_REFERENCE + i] + (SLOT_FLOATS - count);
    }
    for (float *p = y[0] - GUARD, *q = y[1] - GUARD; p != y[0] + count; p++, q++) {
        *p = value(s, mode);
        *q = *p;
    }
}

static int equal(float *const y[2], size_t count) {
    for (const float *p = y[0] - GUARD, *q = y[1] - GUARD; p != y[0] + count; p++, q++) {
        if (kz__bits_of(*p) != kz__bits_of(*q) && (*p == *p || *q == *q)) {
            return 0;
        }
    }
    return 1;
}

/* ---- panel product ------------------------------------------------------------------------ */

typedef struct mm_shape {
    size_t rows, panels, k, taps;
} mm_shape;

static int check_mm_shape(state *s, mm_shape shape, int bf16) {
    int mode = (int)below(s, MODES - 1);
    int start = (int)below(s, 3); /* zero, bias, resume */
    kz__mm_args a = {.rows = shape.rows, .panels = shape.panels, .k = shape.k, .taps = shape.taps,
                     .resume = start == 2};
    a.ldy = (shape.panels + below(s, 2)) * KZ__LANES;
    a.ldx = shape.k + below(s, 4);
    a.tap_stride = a.ldx * (1 + below(s, 3));
    a.panel_stride = (shape.taps * shape.k + below(s, 2)) * KZ__LANES;
    float *y[2];
    size_t outs = (a.rows - 1) * a.ldy + a.panels * KZ__LANES;
    outputs(s, y, outs, start == 2 ? mode : PLAIN);
    a.x = input(s, X, (a.rows - 1) * a.ldx + (a.taps - 1) * a.tap_stride + a.k, mode);
    size_t weights = (a.panels - 1) * a.panel_stride + a.taps * a.k * KZ__LANES;
    a.w = input(s, W, bf16 ? weights / 2 : weights, mode);
    if (start == 1) {
        a.bias = input(s, B, a.panels * KZ__LANES, mode);
    }
    a.y = y[0];
    (bf16 ? s->reference.mm_bf16 : s->reference.mm_f32)(&a);
    a.y = y[1];
    (bf16 ? s->variant.mm_bf16 : s->variant.mm_f32)(&a);
    return equal(y, outs);
}

static int check_mm(state *s, int bf16) {
    /* more rows, more steps than a block or a cut of the vector levels; no steps at all */
    static const mm_shape shapes[] = {
        {300, 2, 3, 1}, {257, 1, 2, 3}, {17, 3, 300, 1}, {15, 2, 100, 7}, {29, 1, 300, 2},
        {1, 4, 513, 1}, {2, 5, 129, 2}, {5, 3, 0, 1},    {3, 9, 7, 1},
    };
    int good = 1;
    for (size_t rows = 1; s->quick && rows <= 18; rows++) {
        mm_shape shape = {rows, 1 + rows % 4, 1 + below(s, 9), 1 + below(s, 2)};
        good &= check_mm_shape(s, shape, bf16);
    }
    if (s->quick) {
        return good & check_mm_shape(s, shapes[5], bf16);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        good &= check_mm_shape(s, shapes[i], bf16);
    }
    for (size_t rows = 1; rows <= 18; rows++) {
        for (size_t panels = 1; panels <= 7; panels++) {
            mm_shape shape = {rows, panels, 1 + below(s, panels < 4 ? 40 : 12), 1 + below(s, 7)};
            if (shape.k > 20) {
                shape.taps = 1 + below(s, 2);
            }
            good &= check_mm_shape(s, shape, bf16);
        }
    }
    return good;
}

static int check_mm_f32(state *s) {
    return check_mm(s, 0);
}

static int check_mm_bf16(state *s) {
    return check_mm(s, 1);
}

/* ---- quantised panel product ----------------------------------------------------------------- */

enum { ANY_CODES, ALL_MOST, ALL_LEAST, BOTH_ENDS, ALL_ZERO, CODE_MODES };

static int8_t code(state *s, int mode, size_t i) {
    switch (mode) {
    case ALL_MOST: return 127;
    case ALL_LEAST: return -127;
    case BOTH_ENDS: return i % 2 ? 127 : -127;
    case ALL_ZERO: return 0;
    default: return (int8_t)((int)(draw(s) % 255) - 127);
    }
}

/* Codes of four bits: 0x00 is -8 twice, 0xff is 7 twice. */
static uint8_t two_codes(state *s, int mode) {
    switch (mode) {
    case ALL_MOST: return 0xff;
    case ALL_LEAST: return 0x00;
    case BOTH_ENDS: return 0x0f;
    case ALL_ZERO: return 0x88;
    default: return (uint8_t)draw(s);
    }
}

/* Scales of a pair: any f16 that is neither subnormal nor infinite. */
static void fill_scales(state *s, uint16_t *scales) {
    for (size_t i = 0; i < 2 * KZ__LANES; i++) {
        uint32_t bits = draw(s);
        unsigned exponent = bits % 8 ? 12 + bits / 8 % 8 : 1 + bits / 8 % 30;
        scales[i] = (uint16_t)((bits >> 16 & 0x83ffu) | exponent << 10);
        if (bits >> 8 & 0x80 && bits % 16 == 0) scales[i] = 0;
    }
}

static void fill_pairs(state *s, void *w, size_t count, int q8, int mode) {
    for (size_t p = 0; p < count; p++) {
        kz__q8_pair *wide = (kz__q8_pair *)w + p;
        kz__q4_pair *narrow = (kz__q4_pair *)w + p;
        fill_scales(s, q8 ? wide->scale[0] : narrow->scale[0]);
        int8_t *codes = &wide->code[0][0][0][0];
        uint8_t *halves = &narrow->code[0][0][0][0];
        for (size_t i = 0; q8 && i < sizeof wide->code; i++) codes[i] = code(s, mode, i / 2);
        for (size_t i = 0; !q8 && i < sizeof narrow->code; i++) halves[i] = two_codes(s, mode);
    }
}

static void fill_codes(state *s, int8_t *codes, int32_t *sums, size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        int mode = (int)below(s, 2) ? ANY_CODES : (int)below(s, CODE_MODES);
        sums[b] = 0;
        for (size_t i = 0; i < KZ__BLOCK; i++) {
            codes[b * KZ__BLOCK + i] = code(s, mode, i);
            sums[b] -= 8 * codes[b * KZ__BLOCK + i];
        }
    }
}

static int check_mmq_shape(state *s, size_t rows, size_t panels, size_t pairs, int q8) {
    int mode = (int)below(s, MODES - 1);
    int start = (int)below(s, 3); /* zero, bias, resume */
    size_t bytes = q8 ? sizeof(kz__q8_pair) : sizeof(kz__q4_pair);
    kz__mmq_args a = {.rows = rows, .panels = panels, .pairs = pairs, .resume = start == 2};
    a.x.ld = rows + below(s, 2);
    size_t blocks = a.x.ld * pairs * 2;
    a.ldy = (panels + below(s, 2)) * KZ__LANES;
    float *y[2];
    size_t outs = (rows - 1) * a.ldy + panels * KZ__LANES;
    outputs(s, y, outs, start == 2 ? mode : PLAIN);
    int8_t *codes = (int8_t *)(s->slots[X] + SLOT_FLOATS) - blocks * KZ__BLOCK;
    int32_t *sums = (int32_t *)(void *)(s->slots[Z] + (SLOT_FLOATS - blocks));
    fill_codes(s, codes, sums, blocks);
    char *w = (char *)s->slots[W] + (KZ__CHECK_SLOT_BYTES - panels * pairs * bytes);
    fill_pairs(s, w, panels * pairs, q8, (int)below(s, 2) ? ANY_CODES : (int)below(s, CODE_MODES));
    size_t bias = start == 1 ? panels * KZ__LANES : 0;
    a.x.scales = input(s, B, blocks + bias, mode);
    if (start == 1) a.bias = a.x.scales + blocks;
    a.x.codes = codes;
    a.x.sums = sums;
    a.w = w;
    for (int i = 0; i < 2; i++) {
        const kz__kernels *k = i ? &s->variant : &s->reference;
        a.y = y[i];
        (q8 ? k->mm_q8 : k->mm_q4)(&a);
    }
    return equal(y, outs);
}

static int check_mmq(state *s, int q8) {
    int good = check_mmq_shape(s, 3, 2, 0, q8);
    for (size_t rows = 1; s->quick && rows <= 18; rows++) {
        good &= check_mmq_shape(s, rows, 1 + rows % 2, 1 + below(s, 2), q8);
    }
    if (s->quick) {
        return good & check_mmq_shape(s, 1, 3, 5, q8);
    }
    for (size_t rows = 1; rows <= 30; rows += rows < 14 ? 1 : 5) {
        for (size_t panels = 1; panels <= 3; panels++) {
            good &= check_mmq_shape(s, rows, panels, 1 + below(s, rows < 9 ? 12 : 4), q8);
        }
    }
    return good & check_mmq_shape(s, 1, 5, 33, q8) & check_mmq_shape(s, 70, 3, 2, q8);
}

static int check_mm_q8(state *s) {
    return check_mmq(s, 1);
}

static int check_mm_q4(state *s) {
    return check_mmq(s, 0);
}

/* Codes, scales and sums of a variant stand in one output, one after the other. */
static int check_quantize(state *s) {
    static const float factors[] = {1.0f, 0x1p-20f, 0x1p-100f, 0x1p60f};
    int good = 1;
    for (size_t k = 1; k <= 200; k += k < 70 ? 1 : 13) {
        size_t blocks = 2 * ((k + KZ__PAIR_K - 1) / KZ__PAIR_K);
        size_t ld = 1 + below(s, 3);
        size_t outs = blocks * ld * (KZ__BLOCK / sizeof(float) + 2);
        float factor = factors[below(s, 4)];
        float *y[2];
        outputs(s, y, outs, PLAIN);
        float *x = input(s, X, k, (int)(k % MODES));
        for (size_t i = 0; k % 3 == 0 && i < k; i++) { /* sizes on both sides of the zero block */
            x[i] *= i < 32 ? 0x1p-100f : 0x1p-126f;
        }
        for (size_t i = 0; k % 4 == 0 && i < k; i++) { /* halves: ties */
            x[i] = i % KZ__BLOCK ? ((float)below(s, 254) - 127.0f) + 0.5f : 127.0f;
        }
        for (int i = 0; i < 2; i++) {
            const kz__kernels *kernels = i ? &s->variant : &s->reference;
            float *scales = y[i] + blocks * ld * (KZ__BLOCK / sizeof(float));
            kz__codes to = {(int8_t *)y[i], scales, (int32_t *)(void *)(scales + blocks * ld), ld};
            kernels->quantize(&to, x, k, blocks, factor);
        }
        good &= equal(y, outs);
    }
    return good;
}

/* ---- rows --------------------------------------------------------------------------------- */

static size_t padded(size_t n) {
    return (n + KZ__LANES - 1) / KZ__LANES * KZ__LANES;
}

static int check_norm(state *s, int layer) {
    int good = 1;
    for (size_t n = 1; n <= 70; n++) {
        int mode = (int)(n % MODES);
        int in_place = (int)below(s, 2);
        float eps = n % 3 ? 1e-6f : 0.0f;
        float *y[2];
        outputs(s, y, padded(n), mode);
        const float *x = input(s, X, n, mode);
        const float *w = input(s, W, n, PLAIN);
        const float *b = input(s, B, n, PLAIN);
        for (int i = 0; i < 2; i++) {
            const kz__kernels *k = i ? &s->variant : &s->reference;
            if (layer) {
                k->layer_norm(y[i], in_place ? y[i] : x, w, b, n, eps);
            } else {
                k->rms_norm(y[i], in_place ? y[i] : x, w, n, eps);
            }
        }
        good &= equal(y, padded(n));
    }
    return good;
}

static int check_rms_norm(state *s) {
    return check_norm(s, 0);
}

static int check_layer_norm(state *s) {
    return check_norm(s, 1);
}

static int check_rope(state *s) {
    int good = 1;
    for (size_t half = 1; half <= 66; half++) {
        int mode = (int)(half % MODES);
        float *y[2];
        outputs(s, y, 2 * half, mode);
        const float *cosine = input(s, X, half, mode);
        const float *sine = input(s, W, half, mode);
        s->reference.rope(y[0], cosine, sine, half);
        s->variant.rope(y[1], cosine, sine, half);
        good &= equal(y, 2 * half);
    }
    return good;
}

static int check_softmax(state *s) {
    int good = 1;
    for (size_t i = 0; i < times(s, 160); i++) {
        int mode = (int)(i % MODES);
        size_t first = below(s, 3) ? below(s, 40) : 0;
        size_t end = first + 1 + below(s, i % 2 ? 20 : 80);
        float scale = i % 5 ? 0.125f : value(s, mode);
        float *y[2];
        outputs(s, y, end, mode);
        s->reference.softmax(y[0], first, end, scale);
        s->variant.softmax(y[1], first, end, scale);
        good &= equal(y, end);
    }
    return good;
}

/* ---- element by element ------------------------------------------------------------------- */

/* Calls one kernel of k on n16 values, with those of the inputs that it takes. */
typedef void apply_fn(const kz__kernels *k, float *y, const float *x, const float *w,
                      const float *z, size_t n16);

/* in_place: how many of x and z may be y */
static int check_elements(state *s, apply_fn *apply, int in_place) {
    int good = 1;
    for (size_t i = 0; i < times(s, 60); i++) {
        int mode = (int)(i % MODES);
        size_t n16 = KZ__LANES * (1 + below(s, 9));
        float *y[2];
        outputs(s, y, n16, mode);
        const float *x = input(s, X, n16, mode);
        const float *w = input(s, W, n16, mode);
        const float *z = input(s, Z, n16, mode);
        int which = in_place ? (int)below(s, (size_t)in_place + 1) : 0;
        for (int j = 0; j < 2; j++) {
            apply(j ? &s->variant : &s->reference, y[j], which == 1 ? y[j] : x, w,
                  which == 2 ? y[j] : z, n16);
        }
        good &= equal(y, n16);
    }
    return good;
}

static void apply_silu_mul(const kz__kernels *k, float *y, const float *x, const float *w,
                           const float *z, size_t n16) {
    (void)w;
    k->silu_mul(y, x, z, n16);
}

static void apply_silu(const kz__kernels *k, float *y, const float *x, const float *w,
                       const float *z, size_t n16) {
    (void)w;
    (void)z;
    k->silu(y, x, n16);
}

static void apply_gelu(const kz__kernels *k, float *y, const float *x, const float *w,
                       const float *z, size_t n16) {
    (void)w;
    (void)z;
    k->gelu(y, x, n16);
}

static void apply_relu(const kz__kernels *k, float *y, const float *x, const float *w,
                       const float *z, size_t n16) {
    (void)w;
    (void)z;
    k->relu(y, x, n16);
}

static void apply_exp(const kz__kernels *k, float *y, const float *x, const float *w,
                      const float *z, size_t n16) {
    (void)w;
    (void)z;
    k->exp(y, x, n16);
}

static void apply_elu(const kz__kernels *k, float *y, const float *x, const float *w,
                       const float *z, size_t n16) {
    (void)w;
    (void)z;
    k->elu(y, x, n16);
}

static void apply_add(const kz__kernels *k, float *y, const float *x, const float *w,
                      const float *z, size_t n16) {
    (void)w;
    k->add(y, x, z, n16);
}

static void apply_scale_add(const kz__kernels *k, float *y, const float *x, const float *w,
                            const float *z, size_t n16) {
    k->scale_add(y, x, w, z, n16);
}

static int check_silu_mul(state *s) {
    return check_elements(s, apply_silu_mul, 2);
}

static int check_silu(state *s) {
    return check_elements(s, apply_silu, 1);
}

static int check_gelu(state *s) {
    return check_elements(s, apply_gelu, 1);
}

static int check_relu(state *s) {
    return check_elements(s, apply_relu, 1);
}

static int check_exp(state *s) {
    return check_elements(s, apply_exp, 1);
}

static int check_elu(state *s) {
    return check_elements(s, apply_elu, 1);
}

static int check_add(state *s) {
    return check_elements(s, apply_add, 2);
}

static int check_scale_add(state *s) {
    return check_elements(s, apply_scale_add, 2);
}

/* ---- channels last ------------------------------------------------------------------------ */

static int check_snake(state *s) {
    int good = 1;
    for (size_t i = 0; i < times(s, 60); i++) {
        int mode = (int)(i % MODES);
        size_t rows = 1 + below(s, 5);
        size_t c16 = KZ__LANES * (1 + below(s, 5));
        size_t ldx = c16 + KZ__LANES * below(s, 2);
        size_t ldy = c16 + KZ__LANES * below(s, 2);
        int in_place = (int)below(s, 2);
        float *y[2];
        size_t outs = (rows - 1) * ldy + c16;
        outputs(s, y, outs, mode);
        const float *x = input(s, X, (rows - 1) * ldx + c16, mode);
        const float *a = input(s, W, c16, i % 2 ? mode : MAGNITUDES);
        const float *b = input(s, B, c16, mode);
        for (int j = 0; j < 2; j++) {
            const kz__kernels *k = j ? &s->variant : &s->reference;
            k->snake(y[j], ldy, in_place ? y[j] : x, in_place ? ldy : ldx, a, b, rows, c16);
        }
        good &= equal(y, outs);
    }
    return good;
}

static int check_depthwise(state *s) {
    int good = 1;
    for (size_t i = 0; i < times(s, 60); i++) {
        int mode = (int)(i % MODES);
        size_t rows = 1 + below(s, 9);
        size_t taps = 1 + i % 7;
        size_t c16 = KZ__LANES * (1 + below(s, 5));
        size_t ldx = c16 + KZ__LANES * below(s, 2);
        size_t ldy = c16 + KZ__LANES * below(s, 2);
        float *y[2];
        size_t outs = (rows - 1) * ldy + c16;
        outputs(s, y, outs, PLAIN);
        const float *x = input(s, X, (rows + taps - 2) * ldx + c16, mode);
        const float *w = input(s, W, taps * c16, mode);
        const float *b = input(s, B, c16, mode);
        s->reference.depthwise(y[0], ldy, x, ldx, w, b, rows, c16, taps);
        s->variant.depthwise(y[1], ldy, x, ldx, w, b, rows, c16, taps);
        good &= equal(y, outs);
    }
    return good;
}

static int check_winograd_in(state *s) {
    int good = 1;
    for (size_t i = 0; i < times(s, 60); i++) {
        int mode = (int)(i % MODES);
        size_t count = 1 + i % KZ__WINOGRAD_POINTS;
        size_t c16 = KZ__LANES * (1 + below(s, 3));
        size_t ldx = c16 + below(s, 20);
        size_t ldv = c16 * (1 + below(s, 3));
        float *y[2];
        size_t outs = (KZ__WINOGRAD_POINTS - 1) * ldv + c16;
        outputs(s, y, outs, mode);
        const float *x = input(s, X, (count - 1) * ldx + c16, mode);
        s->reference.winograd_in(y[0], ldv, x, ldx, count, c16);
        s->variant.winograd_in(y[1], ldv, x, ldx, count, c16);
        good &= equal(y, outs);
    }
    return good;
}

static int check_winograd_out(state *s) {
    int good = 1;
    for (size_t i = 0; i < times(s, 60); i++) {
        int mode = (int)(i % MODES);
        size_t count = 1 + i % KZ__WINOGRAD_OUTS;
        size_t c16 = KZ__LANES * (1 + below(s, 3));
        size_t ldy = c16 * (1 + below(s, 3));
        size_t ldm = c16 * (1 + below(s, 3));
        float *y[2];
        size_t outs = (count - 1) * ldy + c16;
        outputs(s, y, outs, mode);
        const float *m = input(s, X, (KZ__WINOGRAD_POINTS - 1) * ldm + c16, mode);
        const float *b = input(s, B, c16, mode);
        s->reference.winograd_out(y[0], ldy, count, m, ldm, b, c16);
        s->variant.winograd_out(y[1], ldy, count, m, ldm, b, c16);
        good &= equal(y, outs);
    }
    return good;
}

static int check_clamp(state *s) {
    int good = 1;
    for (size_t n = 0; n <= 70; n++) {
        int mode = (int)(n % MODES);
        int in_place = (int)below(s, 2);
        float *y[2];
        outputs(s, y, n, mode);
        const float *x = input(s, X, n, mode);
        s->reference.clamp(y[0], in_place ? y[0] : x, n);
        s->variant.clamp(y[1], in_place ? y[1] : x, n);
        good &= equal(y, n);
    }
    return good;
}

/* Every length, and a value that is not finite at every place. */
static int check_finite(state *s) {
    int good = 1;
    for (size_t n = 0; n <= 70; n++) {
        float *x = input(s, X, n, n % 2 ? EXTREME : MAGNITUDES);
        good &= s->reference.finite(x, n) && s->variant.finite(x, n);
        for (size_t i = 0; i < n; i++) {
            float kept = x[i];
            x[i] = kz__float_of(0x7f800000u | (draw(s) & 0x80400000u));
            good &= !s->reference.finite(x, n) && !s->variant.finite(x, n);
            x[i] = kept;
        }
    }
    return good;
}

int kz__kernels_check(const kz__check *check) {
    state s;
    int different = 0;
    kz__kernels_fill(&s.reference, KZ__SCALAR);
    if (check->variant) {
        s.variant = *check->variant;
    } else {
        kz__kernels_fill(&s.variant, check->level);
    }
    s.quick = check->quick;
    for (int i = 0; i < KZ__CHECK_SLOTS; i++) {
        s.slots[i] = check->slots[i];
    }
#define KZ__KERNEL(op, type) \
    { \
        s.random = check->seed; \
        int good = check_##op(&s); \
        different += !good; \
        if (check->report) { \
            check->report(check->user, #op, good); \
        } \
    }
#define KZ__QUANTIZED KZ__KERNEL
#include "kernels/kernels.def"
#undef KZ__KERNEL
#undef KZ__QUANTIZED
    return different;
}
