/* Panel products: one accumulator per output, taps outside, k inside, in order. */
#include "kernels/fma.h"
#include "kernels/variants.h"

static float start_value(const kz__mm_args *a, size_t row, size_t column) {
    if (a->resume) return a->y[row * a->ldy + column];
    return a->bias ? a->bias[column] : 0.0f;
}

void KZ__NAME(mm_f32)(const kz__mm_args *a) {
    const float *weights = a->w;
    for (size_t row = 0; row < a->rows; row++) {
        for (size_t panel = 0; panel < a->panels; panel++) {
            float acc[KZ__LANES];
            for (size_t i = 0; i < KZ__LANES; i++) {
                acc[i] = start_value(a, row, panel * KZ__LANES + i);
            }
            const float *w = weights + panel * a->panel_stride;
            for (size_t t = 0; t < a->taps; t++) {
                const float *x = a->x + row * a->ldx + t * a->tap_stride;
                for (size_t c = 0; c < a->k; c++, w += KZ__LANES) {
                    for (size_t i = 0; i < KZ__LANES; i++) {
                        acc[i] = kz__fma(w[i], x[c], acc[i]);
                    }
                }
            }
            for (size_t i = 0; i < KZ__LANES; i++) {
                a->y[row * a->ldy + panel * KZ__LANES + i] = acc[i];
            }
        }
    }
}

void KZ__NAME(mm_bf16)(const kz__mm_args *a) {
    const uint16_t *weights = a->w;
    for (size_t row = 0; row < a->rows; row++) {
        for (size_t panel = 0; panel < a->panels; panel++) {
            float acc[KZ__LANES];
            for (size_t i = 0; i < KZ__LANES; i++) {
                acc[i] = start_value(a, row, panel * KZ__LANES + i);
            }
            const uint16_t *w = weights + panel * a->panel_stride;
            for (size_t t = 0; t < a->taps; t++) {
                const float *x = a->x + row * a->ldx + t * a->tap_stride;
                for (size_t c = 0; c < a->k; c++, w += KZ__LANES) {
                    for (size_t i = 0; i < KZ__LANES; i++) {
                        acc[i] = kz__fma(kz__float_of((uint32_t)w[i] << 16), x[c], acc[i]);
                    }
                }
            }
            for (size_t i = 0; i < KZ__LANES; i++) {
                a->y[row * a->ldy + panel * KZ__LANES + i] = acc[i];
            }
        }
    }
}
