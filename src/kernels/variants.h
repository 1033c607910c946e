/* Declares every variant of every kernel: kz__OP_LEVEL. */
#ifndef KZ_KERNELS_VARIANTS_H
#define KZ_KERNELS_VARIANTS_H

#include "kernels/kernels.h"

/* The level that a file is built for; the plain build of ref/ defines none. */
#ifndef KZ__LEVEL_NAME
#define KZ__LEVEL_NAME scalar
#endif
#define KZ__JOIN_(op, level) kz__##op##_##level
#define KZ__JOIN(op, level) KZ__JOIN_(op, level)
#define KZ__NAME(op) KZ__JOIN(op, KZ__LEVEL_NAME)

typedef double kz__burn_fn(size_t rounds, float *sink);

#define KZ__KERNEL(op, type) \
    type kz__##op##_scalar, kz__##op##_fma, kz__##op##_avx2, kz__##op##_avx512, kz__##op##_neon;
#define KZ__QUANTIZED(op, type) \
    type kz__##op##_scalar, kz__##op##_fma, kz__##op##_avx2, kz__##op##_avxvnni, \
        kz__##op##_avx512vnni, kz__##op##_neon, kz__##op##_dotprod, kz__##op##_i8mm;
#include "kernels/kernels.def"
#undef KZ__KERNEL
#undef KZ__QUANTIZED
kz__burn_fn kz__burn_scalar, kz__burn_fma, kz__burn_avx2, kz__burn_avx512, kz__burn_neon;
kz__burn_fn kz__burn8_scalar, kz__burn8_fma, kz__burn8_avx2, kz__burn8_avxvnni,
    kz__burn8_avx512vnni, kz__burn8_neon, kz__burn8_dotprod, kz__burn8_i8mm;

#endif
