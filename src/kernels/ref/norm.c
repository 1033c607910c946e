/* Root-mean-square and layer norm of one row. */
#include "kernels/fma.h"
#include "kernels/ref/sum8.h"
#include "kernels/variants.h"

static void clear_padding(float *y, size_t n) {
    for (size_t i = n; i % KZ__LANES; i++) {
        y[i] = 0.0f;
    }
}

void KZ__NAME(rms_norm)(float *y, const float *x, const float *w, size_t n, float eps) {
    float lanes[KZ__SUM_LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        lanes[i % KZ__SUM_LANES] = kz__fma(x[i], x[i], lanes[i % KZ__SUM_LANES]);
    }
    float scale = 1.0f / kz__sqrt(kz__sum8(lanes) / (float)n + eps);
    for (size_t i = 0; i < n; i++) {
        y[i] = (x[i] * scale) * w[i];
    }
    clear_padding(y, n);
}

void KZ__NAME(layer_norm)(float *y, const float *x, const float *w, const float *b, size_t n,
                          float eps) {
    float lanes[KZ__SUM_LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        lanes[i % KZ__SUM_LANES] = lanes[i % KZ__SUM_LANES] + x[i];
    }
    float mean = kz__sum8(lanes) / (float)n;
    for (size_t i = 0; i < KZ__SUM_LANES; i++) {
        lanes[i] = 0.0f;
    }
    for (size_t i = 0; i < n; i++) {
        float d = x[i] - mean;
        lanes[i % KZ__SUM_LANES] = kz__fma(d, d, lanes[i % KZ__SUM_LANES]);
    }
    float scale = 1.0f / kz__sqrt(kz__sum8(lanes) / (float)n + eps);
    for (size_t i = 0; i < n; i++) {
        y[i] = kz__fma((x[i] - mean) * scale, w[i], b[i]);
    }
    clear_padding(y, n);
}
