/* Softmax over a window of scores. */
#include "kernels/ref/math.h"
#include "kernels/ref/sum8.h"
#include "kernels/variants.h"

void KZ__NAME(softmax)(float *s, size_t first, size_t end, float scale) {
    for (size_t j = first; j < end; j++) {
        s[j] = s[j] * scale;
    }
    float largest = s[first];
    for (size_t j = first; j < end; j++) {
        largest = s[j] > largest ? s[j] : largest;
    }
    float lanes[KZ__SUM_LANES] = {0};
    for (size_t j = first; j < end; j++) {
        s[j] = kz__expf(s[j] - largest);
        lanes[j % KZ__SUM_LANES] = lanes[j % KZ__SUM_LANES] + s[j];
    }
    float sum = kz__sum8(lanes);
    for (size_t j = first; j < end; j++) {
        s[j] = s[j] / sum;
    }
}
