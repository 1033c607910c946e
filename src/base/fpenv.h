/* Rounding to nearest and no flush to zero, for the duration of a call. Rounding mode and flushing
 * belong to the thread; audio programs flush. Every entry that computes does
 *     kz__fpenv saved = kz__fpenv_set();  ...  kz__fpenv_restore(saved);
 */
#ifndef KZ_BASE_FPENV_H
#define KZ_BASE_FPENV_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef uint32_t kz__fpenv;
static inline kz__fpenv kz__fpenv_set(void) {
    kz__fpenv saved = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return saved;
}
static inline void kz__fpenv_restore(kz__fpenv saved) {
    _mm_setcsr(saved);
}

#elif defined(__aarch64__)

typedef uint64_t kz__fpenv;
static inline kz__fpenv kz__fpenv_set(void) {
    kz__fpenv saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return saved;
}
static inline void kz__fpenv_restore(kz__fpenv saved) {
    __asm__ volatile("msr fpcr, %0" : : "r"(saved));
}

#else
#include <fenv.h>

typedef int kz__fpenv;
static inline kz__fpenv kz__fpenv_set(void) {
    kz__fpenv saved = fegetround();
    fesetround(FE_TONEAREST);
    return saved;
}
static inline void kz__fpenv_restore(kz__fpenv saved) {
    fesetround(saved);
}
#endif

#endif
