/* The transforms around the products of a Winograd convolution. */
#include "kernels/fma.h"
#include "kernels/variants.h"
#include "kernels/winograd_constants.h"

#define PAIRS KZ__WINOGRAD_PAIRS
#define POINTS KZ__WINOGRAD_POINTS

/* x[last], and below it every second value times a factor. */
static float every_second(const float *x, size_t last, const float *factors, size_t count) {
    float acc = x[last];
    for (size_t i = count; i-- > 0;) {
        acc = kz__fma(factors[i], x[last - 2 * (count - i)], acc);
    }
    return acc;
}

void KZ__NAME(winograd_in)(float *v, size_t ldv, const float *x, size_t ldx, size_t count,
                           size_t c16) {
    for (size_t c = 0; c < c16; c++) {
        float in[POINTS] = {0};
        for (size_t i = 0; i < count; i++) {
            in[i] = x[i * ldx + c];
        }
        v[c] = every_second(in, POINTS - 2, kz__winograd_ends, PAIRS);
        v[(POINTS - 1) * ldv + c] = every_second(in, POINTS - 1, kz__winograd_ends, PAIRS);
        for (size_t k = 0; k < PAIRS; k++) {
            float p = kz__winograd_points[k];
            float even = every_second(in, POINTS - 2, kz__winograd_others[k], PAIRS - 1);
            float odd = every_second(in, POINTS - 3, kz__winograd_others[k], PAIRS - 1);
            v[(1 + 2 * k) * ldv + c] = kz__fma(p, odd, even);
            v[(2 + 2 * k) * ldv + c] = kz__fma(-p, odd, even);
        }
    }
}

void KZ__NAME(winograd_out)(float *y, size_t ldy, size_t count, const float *m, size_t ldm,
                            const float *bias, size_t c16) {
    for (size_t c = 0; c < c16; c++) {
        float part[2][PAIRS];
        for (size_t k = 0; k < PAIRS; k++) {
            part[0][k] = m[(1 + 2 * k) * ldm + c] + m[(2 + 2 * k) * ldm + c];
            part[1][k] = m[(1 + 2 * k) * ldm + c] - m[(2 + 2 * k) * ldm + c];
        }
        for (size_t i = 0; i < count; i++) {
            float acc = part[i % 2][0] * kz__winograd_powers[0][i];
            for (size_t k = 1; k < PAIRS; k++) {
                acc = kz__fma(kz__winograd_powers[k][i], part[i % 2][k], acc);
            }
            if (i == 0) acc = acc + m[c];
            if (i == KZ__WINOGRAD_OUTS - 1) acc = acc + m[(POINTS - 1) * ldm + c];
            y[i * ldy + c] = acc + bias[c];
        }
    }
}
