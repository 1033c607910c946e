/* Activations and element-wise arithmetic. */
#include "kernels/ref/math.h"
#include "kernels/variants.h"

void KZ__NAME(silu_mul)(float *y, const float *g, const float *u, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__siluf(g[i]) * u[i];
    }
}

void KZ__NAME(silu)(float *y, const float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__siluf(x[i]);
    }
}

void KZ__NAME(gelu)(float *y, const float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__geluf(x[i]);
    }
}

void KZ__NAME(relu)(float *y, const float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}

void KZ__NAME(exp)(float *y, const float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__expf(x[i]);
    }
}

void KZ__NAME(elu)(float *y, const float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__eluf(x[i]);
    }
}

void KZ__NAME(add)(float *y, const float *x, const float *z, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = x[i] + z[i];
    }
}

void KZ__NAME(scale_add)(float *y, const float *x, const float *s, const float *z, size_t n16) {
    for (size_t i = 0; i < n16; i++) {
        y[i] = kz__fma(s[i], z[i], x[i]);
    }
}
