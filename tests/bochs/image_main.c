/* Checks the AVX2 and AVX-512 kernels on a machine without operating system; prints to port 0xe9.
 */
#include "kernels/check.h"
#include "kernels/fma.h"
#include "kernels/kernels.h"

#include <cpuid.h>

void image_main(void);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *one, const void *two, size_t bytes);
int strcmp(const char *one, const char *two);

static _Alignas(64) char slots[KZ__CHECK_SLOTS][KZ__CHECK_SLOT_BYTES];

static void out(uint16_t port, char c) {
    __asm__ volatile("outb %0, %1" : : "a"(c), "Nd"(port));
}

static void print(const char *text) {
    while (*text) {
        out(0xe9, *text++);
    }
}

/* What the kernels and compilers need of a libc. */
void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    char *t = to;
    const char *f = from;
    __asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(bytes) : : "memory");
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    char *t = to;
    __asm__ volatile("rep stosb" : "+D"(t), "+c"(bytes) : "a"(value) : "memory");
    return to;
}

int memcmp(const void *one, const void *two, size_t bytes) {
    const unsigned char *a = one;
    const unsigned char *b = two;
    for (size_t i = 0; i < bytes; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

int strcmp(const char *one, const char *two) {
    while (*one && *one == *two) {
        one++;
        two++;
    }
    return (unsigned char)*one - (unsigned char)*two;
}

/* ... and of base/cpu.c; entry.S has switched everything on. */
const char *kz__level_name(kz__level level) {
    static const char *const names[KZ__LEVELS] = {
        [KZ__AVX2] = "avx2",
        [KZ__AVX512] = "avx512",
        [KZ__AVX512VNNI] = "avx512vnni",
    };
    return names[level];
}

bool kz__cpu_has(kz__level level) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    __cpuid_count(7, 0, a, b, c, d);
    int avx2 = (b >> 5) & 1;
    int avx512 = (b >> 16 & 1) && (b >> 17 & 1) && (b >> 30 & 1) && (b >> 31 & 1);
    int vnni = avx512 && (c >> 11 & 1);
    return level == KZ__SCALAR || (level == KZ__AVX2 && avx2) || (level == KZ__AVX512 && avx512) ||
           (level == KZ__AVX512VNNI && vnni);
}

static void report(void *user, const char *kernel, int equal) {
    const kz__level *level = user;
    print(kz__level_name(*level));
    print("/");
    print(kernel);
    print(equal ? " equal\n" : " DIFFERENT\n");
}

/* (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 rounded once and 0 rounded twice. */
static int rounds_once(kz__level level) {
    float s[KZ__LANES];
    float x[KZ__LANES];
    float y[KZ__LANES];
    kz__kernels k;
    kz__kernels_fill(&k, level);
    for (int i = 0; i < KZ__LANES; i++) {
        s[i] = 1.0f + 0x1p-12f;
        x[i] = -1.0f - 0x1p-11f;
    }
    k.scale_add(y, x, s, s, KZ__LANES);
    return y[0] == 0x1p-24f && y[KZ__LANES - 1] == 0x1p-24f;
}

void image_main(void) {
    static const kz__level levels[] = {KZ__AVX2, KZ__AVX512, KZ__AVX512VNNI};
    int bad = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        kz__level level = levels[i];
        if (!kz__kernels_usable(level)) {
            print(kz__level_name(level));
            print(" is not there\n");
            bad++;
            continue;
        }
        int once = rounds_once(level);
        bad += !once;
        report(&level, "fma_rounds_once", once);
        kz__check check = {.level = level, .seed = 1, .report = report, .user = &level};
        for (size_t slot = 0; slot < KZ__CHECK_SLOTS; slot++) {
            check.slots[slot] = slots[slot];
        }
        bad += kz__kernels_check(&check);
    }
    print(bad ? "result: DIFFERENT\n" : "result: equal\n");
    for (const char *p = "Shutdown"; *p; p++) {
        out(0x8900, *p);
    }
}
