/* Fills the table of kernels by level: what CMake compiled in (KZ__HAVE_LEVEL) and the machine
 * runs. A level is a set of float kernels and a set of quantised ones; where an instruction set
 * brings only one of them, the other is that of the level below. */
#include "kernels/kernels.h"
#include "kernels/variants.h"

#include <string.h>

typedef struct level_entry {
    kz__kernels table;
    kz__burn_fn *burn; /* NULL: not compiled in */
    kz__burn_fn *burn8;
} level_entry;

static const level_entry levels[KZ__LEVELS] = {
#define KZ__KERNEL(op, type) .table.op = kz__##op##_scalar,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_scalar,
    [KZ__SCALAR] = {.table.level = KZ__SCALAR, .burn = kz__burn_scalar,
                   .burn8 = kz__burn8_scalar,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#if defined(KZ__HAVE_fma)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_fma,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_fma,
    [KZ__FMA] = {.table.level = KZ__FMA, .burn = kz__burn_fma,
                   .burn8 = kz__burn8_fma,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_avx2)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_avx2,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_avx2,
    [KZ__AVX2] = {.table.level = KZ__AVX2, .burn = kz__burn_avx2,
                   .burn8 = kz__burn8_avx2,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_avxvnni)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_avx2,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_avxvnni,
    [KZ__AVXVNNI] = {.table.level = KZ__AVXVNNI, .burn = kz__burn_avx2,
                   .burn8 = kz__burn8_avxvnni,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_avx512)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_avx512,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_avx2,
    [KZ__AVX512] = {.table.level = KZ__AVX512, .burn = kz__burn_avx512,
                   .burn8 = kz__burn8_avx2,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_avx512vnni)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_avx512,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_avx512vnni,
    [KZ__AVX512VNNI] = {.table.level = KZ__AVX512VNNI, .burn = kz__burn_avx512,
                   .burn8 = kz__burn8_avx512vnni,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_neon)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_neon,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_neon,
    [KZ__NEON] = {.table.level = KZ__NEON, .burn = kz__burn_neon,
                   .burn8 = kz__burn8_neon,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_dotprod)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_neon,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_dotprod,
    [KZ__DOTPROD] = {.table.level = KZ__DOTPROD, .burn = kz__burn_neon,
                   .burn8 = kz__burn8_dotprod,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
#if defined(KZ__HAVE_i8mm)
#define KZ__KERNEL(op, type) .table.op = kz__##op##_neon,
#define KZ__QUANTIZED(op, type) .table.op = kz__##op##_i8mm,
    [KZ__I8MM] = {.table.level = KZ__I8MM, .burn = kz__burn_neon,
                   .burn8 = kz__burn8_i8mm,
#include "kernels/kernels.def"
    },
#undef KZ__KERNEL
#undef KZ__QUANTIZED
#endif
};

int kz__kernels_usable(kz__level level) {
    return (unsigned)level < KZ__LEVELS && levels[level].burn && kz__cpu_has(level);
}

static kz__level best_up_to(kz__level highest) {
    int level = (int)highest < KZ__LEVELS ? (int)highest : KZ__LEVELS - 1;
    while (level > KZ__SCALAR && !kz__kernels_usable((kz__level)level)) {
        level--;
    }
    return (kz__level)level;
}

kz__level kz__kernels_best(void) {
    return best_up_to((kz__level)(KZ__LEVELS - 1));
}

void kz__kernels_fill(kz__kernels *table, kz__level highest) {
    *table = levels[best_up_to(highest)].table;
}

kz__level kz__kernels_parse(const char *name) {
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!strcmp(name, kz__level_name((kz__level)level))) {
            return (kz__level)level;
        }
    }
    return KZ__LEVELS;
}

double kz__kernels_burn(kz__level level, size_t rounds, float *sink) {
    return levels[best_up_to(level)].burn(rounds, sink);
}

double kz__kernels_burn8(kz__level level, size_t rounds, float *sink) {
    return levels[best_up_to(level)].burn8(rounds, sink);
}
