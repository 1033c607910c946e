/* Clamping, the test for finite values, and the burn of the probe. */
#include "kernels/fma.h"
#include "kernels/variants.h"

void KZ__NAME(clamp)(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i];
    }
}

int KZ__NAME(finite)(const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if ((kz__bits_of(x[i]) & 0x7f800000u) == 0x7f800000u) {
            return 0;
        }
    }
    return 1;
}

double KZ__NAME(burn)(size_t rounds, float *sink) {
    float acc[KZ__LANES];
    for (size_t i = 0; i < KZ__LANES; i++) {
        acc[i] = (float)i;
    }
    for (size_t step = 0; step < rounds * 1024; step++) {
        for (size_t i = 0; i < KZ__LANES; i++) {
            acc[i] = kz__fma(acc[i], 0.75f, 0.5f);
        }
    }
    for (size_t i = 0; i < KZ__LANES; i++) {
        *sink += acc[i];
    }
    return 2.0 * KZ__LANES * 1024.0 * (double)rounds;
}
