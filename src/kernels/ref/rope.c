/* Rotary position of one head, halves split. */
#include "kernels/fma.h"
#include "kernels/variants.h"

void KZ__NAME(rope)(float *v, const float *cosine, const float *sine, size_t half) {
    for (size_t i = 0; i < half; i++) {
        float a = v[i];
        float b = v[i + half];
        v[i] = kz__fma(-b, sine[i], a * cosine[i]);
        v[i + half] = kz__fma(a, sine[i], b * cosine[i]);
    }
}
