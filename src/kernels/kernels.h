/* The table of kernels. A kernel is a pure function: no allocation, threads, globals or libc. Every
 * level (base/cpu.h) gives the same bits as ref/, which defines them.
 *
 * Layout: rows of float32, each padded to a multiple of 16 (KZ__LANES) floats; pointers to rows and
 * to packed weights are 64-byte aligned. "n16" arguments are multiples of 16. Padding lanes hold 0
 * in and out. A packed matrix is panels of 16 output rows with k inside: element (row 16 p + i,
 * column k) stands at w[p * panel_stride + k * 16 + i].
 *
 * fma(a, b, c) below is the fused multiply-add of fma.h; other operations round one by one.
 */
#ifndef KZ_KERNELS_KERNELS_H
#define KZ_KERNELS_KERNELS_H

#include "base/cpu.h"
#include "tensor/blocks.h"

#define KZ__LANES 16

/* Arguments of the panel product.
 *     y[r * ldy + 16 p + i] = acc, where acc starts at y (resume), bias[16 p + i], or 0 (no
 *     bias),
 *     for t in 0..taps-1, for c in 0..k-1, in this order:
 *         acc = fma(w[p * panel_stride + (t * k + c) * 16 + i], x[r * ldx + t * tap_stride + c],
 *                   acc)
 * for r in 0..rows-1, p in 0..panels-1, i in 0..15. A linear layer has taps 1; a causal convolution
 * over channels-last rows has a tap_stride of dilation * ldx; keys and values of attention are
 * panels too. y may not overlap x or w. x needs no alignment and no padding: only k floats per tap
 * are read.
 */
typedef struct kz__mm_args {
    float *y;
    size_t ldy;
    const float *x;
    size_t ldx;
    const void *w; /* float or bfloat16 (uint16_t) */
    size_t panel_stride; /* elements */
    const float *bias;
    size_t rows, panels, k, taps, tap_stride;
    int resume;
} kz__mm_args;

typedef void kz__mm_fn(const kz__mm_args *args);

/* Rows of floats as 8-bit codes. Block b of row r is number n = b * ld + r: its codes begin at
 * codes[32 * n]. So the rows that are multiplied together lie side by side at fixed distances. */
typedef struct kz__codes {
    int8_t *codes;
    float *scales;
    int32_t *sums;
    size_t ld; /* at least the rows */
} kz__codes;

/* Quantises one row, blocks of 32 along k, to the blocks 0, ld, 2 ld, ... of `to`: for a block,
 * most = the largest absolute value; scale = (most / 127) * factor, rounded twice; inverse =
 * 127 / most; code = x * inverse to the nearest integer, ties to even (-127..127); sum = -8 times
 * the sum of the codes, which is what products with weights stored plus 8 lack. A block whose most
 * is below 2^-100 has scale and codes 0; one with a value that is not finite has scale NaN and
 * codes 0. k values of x are read (no alignment), the rest up to `blocks` blocks counts as 0.
 * Nothing overlaps. */
typedef void kz__quantize_fn(const kz__codes *to, const float *x, size_t k, size_t blocks,
                             float factor);

/* Arguments of the panel product with quantised weights (tensor/blocks.h) and rows.
 *     y[r * ldy + 16 p + i] = acc, where acc starts at y (resume), bias[16 p + i], or 0 (no bias),
 *     for each block b in 0..2 * pairs - 1, in order:
 *         dot = sum over the 32 k of block b of code(p, i, k) * x.codes[32 * (b * x.ld + r) + k],
 *               exact
 *         acc = fma((float)dot, scale(p, i, b) * x.scales[b * x.ld + r], acc)
 * x is what quantize made, the weights' power of two in its scales. w is [panels][pairs], aligned
 * to 64 bytes. y may not overlap anything else. */
typedef struct kz__mmq_args {
    float *y;
    size_t ldy;
    kz__codes x;
    const void *w; /* kz__q8_pair or kz__q4_pair */
    const float *bias;
    size_t rows, panels, pairs;
    int resume;
} kz__mmq_args;

typedef void kz__mmq_fn(const kz__mmq_args *args);

/* y[i] = x[i] * scale * w[i], scale = 1 / sqrt(sum(x^2) / n + eps): the sum has 8 lanes, element i
 * in lane i mod 8, each lane acc = fma(x, x, acc) in order; lanes are added as ((0+4)+(2+6)) +
 * ((1+5)+(3+7)). (x * scale) is rounded, then multiplied by w. n values; y's padding up to the next
 * multiple of 16 is set to 0. y may be x. */
typedef void kz__rms_norm_fn(float *y, const float *x, const float *w, size_t n, float eps);

/* mean = sum(x) / n; var = sum((x - mean)^2) / n, sums as above (the first by addition, the second
 * by fma(d, d, acc)); y = fma((x - mean) * (1 / sqrt(var + eps)), w, b). */
typedef void kz__layer_norm_fn(float *y, const float *x, const float *w, const float *b, size_t n,
                               float eps);

/* Split-half rotation of one head, in place: a = v[i], b = v[i + half];
 * v[i] = fma(-b, sine[i], a * cosine[i]); v[i + half] = fma(a, sine[i], b * cosine[i]). Any half,
 * no alignment. */
typedef void kz__rope_fn(float *v, const float *cosine, const float *sine, size_t half);

/* Softmax over s[first..end), written in place; first < end. s[j] is first multiplied by scale; m =
 * maximum (compare and select, from s[first] on); e = exp(s - m); sum in 8 lanes, s[j] in lane j
 * mod 8 (j is the index from the array's start, whose position is a multiple of 16), lanes added as
 * in rms_norm; s = e / sum (a true division). Values outside first..end are left alone. */
typedef void kz__softmax_fn(float *s, size_t first, size_t end, float scale);

/* y = silu(g) * u, silu(x) = x / (1 + exp(-x)). y may be g or u. */
typedef void kz__silu_mul_fn(float *y, const float *g, const float *u, size_t n16);
/* y = silu(x), in place allowed. */
typedef void kz__unary_fn(float *y, const float *x, size_t n16);
/* y = 0.5 * x * (1 + erf(x * 0.70710678)) is kz__unary_fn too (gelu), y = x < 0 ? 0 : x (relu),
 * y = x > 0 ? x : exp(x) - 1 (elu; what is taken off is not lost in rounding near 0), and
 * y = exp(x), 0 where that would be subnormal. */

/* y = x + z; y may be either. */
typedef void kz__add_fn(float *y, const float *x, const float *z, size_t n16);
/* y[i] = fma(s[i], z[i], x[i]); y may be x or z (layer scale, ConvNeXt's gamma). */
typedef void kz__scale_add_fn(float *y, const float *x, const float *s, const float *z, size_t n16);

/* SnakeBeta over rows: q = sin(x * a[c]); y = fma(b[c], q * q, x). a = exp(alpha), b = 1 /
 * (exp(beta) + 1e-9). x is [rows][ldx], y is [rows][ldy], c16 channels each. y may be x. */
typedef void kz__snake_fn(float *y, size_t ldy, const float *x, size_t ldx, const float *a,
                          const float *b, size_t rows, size_t c16);

/* Depthwise causal convolution, channels last: acc = bias[c]; for t in 0..taps-1:
 * acc = fma(w[t * c16 + c], x[(r + t) * ldx + c], acc); y[r * ldy + c] = acc. x starts taps-1 rows
 * before the first output's own row. */
typedef void kz__depthwise_fn(float *y, size_t ldy, const float *x, size_t ldx, const float *w,
                              const float *bias, size_t rows, size_t c16, size_t taps);

/* A causal convolution of 7 taps, 6 outputs (a tile) at a time, by 12 products in place of 42. With
 * winograd_constants.h: points p (and -p), ends e, others o, powers w; k counts the 5 pairs.
 *
 * Input: the tile's rows x_i = x[i * ldx + c] for i < count, 0 for the others up to 12; v_j goes to
 * v[j * ldv + c], for c < c16:
 *     v_0 = a, a = x_10, for i = 4..0: a = fma(e[i], x_2i, a)
 *     v_11 = a, a = x_11, for i = 4..0: a = fma(e[i], x_2i+1, a)
 *     even = x_10, for i = 3..0: even = fma(o[k][i], x_2i+2, even)
 *     odd = x_9, for i = 3..0: odd = fma(o[k][i], x_2i+1, odd)
 *     v_1+2k = fma(p[k], odd, even), v_2+2k = fma(-p[k], odd, even)
 * x needs no alignment. */
#define KZ__WINOGRAD_TAPS 7
#define KZ__WINOGRAD_OUTS 6
#define KZ__WINOGRAD_PAIRS 5
#define KZ__WINOGRAD_POINTS 12
typedef void kz__winograd_in_fn(float *v, size_t ldv, const float *x, size_t ldx, size_t count,
                                size_t c16);

/* Output: from the products m_j = m[j * ldm + c] to y_i = y[i * ldy + c], i < count (1 to 6):
 *     sum_k = m_1+2k + m_2+2k, difference_k = m_1+2k - m_2+2k
 *     even i: a = sum_0 * w[0][i], for k = 1..4: a = fma(w[k][i], sum_k, a); odd i: the same with
 *     the differences; i = 0: a = a + m_0; i = 5: a = a + m_11; y_i = a + bias[c] */
typedef void kz__winograd_out_fn(float *y, size_t ldy, size_t count, const float *m, size_t ldm,
                                 const float *bias, size_t c16);

/* y = x < -1 ? -1 : x > 1 ? 1 : x (n of any size, in place allowed). */
typedef void kz__clamp_fn(float *y, const float *x, size_t n);

/* 1 if all n values are finite, any n, no alignment. */
typedef int kz__finite_fn(const float *x, size_t n);

typedef struct kz__kernels {
    kz__level level;
    kz__mm_fn *mm_f32, *mm_bf16;
    kz__mmq_fn *mm_q8, *mm_q4;
    kz__quantize_fn *quantize;
    kz__rms_norm_fn *rms_norm;
    kz__layer_norm_fn *layer_norm;
    kz__rope_fn *rope;
    kz__softmax_fn *softmax;
    kz__silu_mul_fn *silu_mul;
    kz__unary_fn *silu, *gelu, *relu, *elu, *exp;
    kz__add_fn *add;
    kz__scale_add_fn *scale_add;
    kz__snake_fn *snake;
    kz__depthwise_fn *depthwise;
    kz__winograd_in_fn *winograd_in;
    kz__winograd_out_fn *winograd_out;
    kz__clamp_fn *clamp;
    kz__finite_fn *finite;
} kz__kernels;

/* Fills the table with the fastest variants up to and including `highest` that this machine has. */
void kz__kernels_fill(kz__kernels *table, kz__level highest);

/* The highest level compiled in and usable here. */
kz__level kz__kernels_best(void);
/* True where the level is compiled in and usable here. */
int kz__kernels_usable(kz__level level);
/* A name as `--cpu` takes it; returns KZ__LEVELS where it is unknown. */
kz__level kz__kernels_parse(const char *name);

/* Keeps every FMA port busy for `rounds` times 1024 vector steps; returns the operations done (two
 * for each multiply-add of a lane). For the probe. *sink keeps the result alive. */
double kz__kernels_burn(kz__level level, size_t rounds, float *sink);
/* The same for 8-bit multiply-adds, in the inner step of the product with 4-bit weights. */
double kz__kernels_burn8(kz__level level, size_t rounds, float *sink);

#endif
