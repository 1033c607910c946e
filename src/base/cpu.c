/* CPU levels from CPUID and the state the system saves (XGETBV); processor count. */
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "base/cpu.h"

#include "base/pool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#endif
#include <unistd.h>

static const char *const names[KZ__LEVELS] = {
    "scalar", "fma", "avx2", "avxvnni", "avx512", "avx512vnni", "neon", "dotprod", "i8mm",
};

const char *kz__level_name(kz__level level) {
    return names[level];
}

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t xgetbv0(void) {
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
}

bool kz__cpu_has(kz__level level) {
    if (level == KZ__SCALAR) return true;
    if (level >= KZ__NEON) return false;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
    bool osxsave = (c >> 27) & 1;
    bool fma = (c >> 12) & 1;
    bool avx = (c >> 28) & 1;
    bool f16c = (c >> 29) & 1;
    if (!osxsave || !fma || !avx) return false;
    uint64_t state = xgetbv0();
    if ((state & 0x6) != 0x6) return false;
    if (level == KZ__FMA) return true;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    if (!((b >> 5) & 1) || !f16c) return false;
    if (level == KZ__AVX2) return true;
    if (level == KZ__AVXVNNI) {
        return a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && ((a >> 4) & 1);
    }
    bool avx512 = ((b >> 16) & 1) && ((b >> 17) & 1) && ((b >> 30) & 1) && ((b >> 31) & 1);
    if (!avx512 || (state & 0xe6) != 0xe6) return false;
    return level == KZ__AVX512 || ((c >> 11) & 1);
}

#elif defined(__aarch64__)

/* i8mm takes its rows alone from the dot products, so it needs both. */
bool kz__cpu_has(kz__level level) {
    bool dotprod = false;
    bool i8mm = false;
#if defined(__linux__)
    dotprod = (getauxval(AT_HWCAP) >> 20) & 1;
    i8mm = dotprod && ((getauxval(AT_HWCAP2) >> 13) & 1);
#elif defined(__APPLE__)
    dotprod = true; /* every processor of a Mac */
#endif
    if (level == KZ__DOTPROD) return dotprod;
    if (level == KZ__I8MM) return i8mm;
    return level == KZ__SCALAR || level == KZ__NEON;
}

#else

bool kz__cpu_has(kz__level level) {
    return level == KZ__SCALAR;
}

#endif

#if defined(__linux__)
/* The quota of the container's cgroup (version 2, then 1), in processors; 0: none. */
static double cgroup_quota(void) {
    char quota[32] = "";
    long period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file) {
        int got = fscanf(file, "%31s %ld", quota, &period);
        fclose(file);
        if (got == 2 && quota[0] != 'm' && period > 0) return strtod(quota, NULL) / (double)period;
        return 0;
    }
    long limit = -1;
    file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r");
    if (!file) return 0;
    int got = fscanf(file, "%ld", &limit);
    fclose(file);
    file = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r");
    if (!file) return 0;
    got += fscanf(file, "%ld", &period);
    fclose(file);
    return got == 2 && limit > 0 && period > 0 ? (double)limit / (double)period : 0;
}
#endif

int kz__cpu_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
    double quota = cgroup_quota();
    if (quota > 0 && quota < (double)count) count = (long)(quota + 0.999);
#endif
    if (count < 1) count = 1;
    return count > KZ__THREADS_MAX ? KZ__THREADS_MAX : (int)count;
}

int kz_default_threads(void) {
    return kz__cpu_count();
}
