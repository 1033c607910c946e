/* Channels-last operations: depthwise causal convolution and the snake activation. */
#include "kernels/ref/math.h"
#include "kernels/variants.h"

void KZ__NAME(depthwise)(float *y, size_t ldy, const float *x, size_t ldx, const float *w,
                         const float *bias, size_t rows, size_t c16, size_t taps) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < c16; c++) {
            float acc = bias[c];
            for (size_t t = 0; t < taps; t++) {
                acc = kz__fma(w[t * c16 + c], x[(r + t) * ldx + c], acc);
            }
            y[r * ldy + c] = acc;
        }
    }
}

void KZ__NAME(snake)(float *y, size_t ldy, const float *x, size_t ldx, const float *a,
                     const float *b, size_t rows, size_t c16) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < c16; c++) {
            float v = x[r * ldx + c];
            float q = kz__sinf(v * a[c]);
            y[r * ldy + c] = kz__fma(b[c], q * q, v);
        }
    }
}
