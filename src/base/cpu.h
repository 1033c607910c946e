/* Which kernel levels this processor and system can run. */
#ifndef KZ_BASE_CPU_H
#define KZ_BASE_CPU_H

#include <stdbool.h>

/* From slowest to fastest within an architecture. Every level gives the same bits. */
typedef enum kz__level {
    KZ__SCALAR = 0,     /* plain C, fused multiply-add emulated exactly */
    KZ__FMA = 1,        /* the same C built with the fma instruction */
    KZ__AVX2 = 2,       /* x86: AVX2, FMA, F16C */
    KZ__AVXVNNI = 3,    /* and AVX-VNNI */
    KZ__AVX512 = 4,     /* x86: AVX-512 F, VL, BW, DQ */
    KZ__AVX512VNNI = 5, /* and AVX-512 VNNI */
    KZ__NEON = 6,       /* 64-bit ARM */
    KZ__DOTPROD = 7,    /* and 8-bit dot products */
    KZ__I8MM = 8,       /* and 8-bit matrix products */
    KZ__LEVELS = 9
} kz__level;

const char *kz__level_name(kz__level level);

/* True where processor and operating system can run it (compiled in or not). */
bool kz__cpu_has(kz__level level);

/* Processors that affinity and container quota leave to this process, 1 to KZ__THREADS_MAX. */
int kz__cpu_count(void);

#endif
