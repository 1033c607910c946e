/* Clamping, the test for finite values, and the burns of the probe. */
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

double KZ__NAME(burn8)(size_t rounds, float *sink) {
    int32_t sum[KZ__LANES] = {0};
    int8_t w[KZ__LANES * 4];
    for (size_t i = 0; i < KZ__LANES * 4; i++) {
        w[i] = (int8_t)(i * 37 % 16 - 8);
    }
    for (size_t step = 0; step < rounds * 1024; step++) {
        for (size_t i = 0; i < KZ__LANES; i++) {
            for (size_t k = 0; k < 4; k++) {
                sum[i] = (sum[i] + w[i * 4 + k] * (int32_t)(step % 16)) & 0xffffff;
            }
        }
    }
    for (size_t i = 0; i < KZ__LANES; i++) {
        *sink += (float)sum[i];
    }
    return 2.0 * KZ__LANES * 4 * 1024.0 * (double)rounds;
}
