/* The fixed order in which eight partial sums are added. */
#ifndef KZ_KERNELS_REF_SUM8_H
#define KZ_KERNELS_REF_SUM8_H

#define KZ__SUM_LANES 8

static inline float kz__sum8(const float *s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

#endif
