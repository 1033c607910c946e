/* A steady clock. */
#ifndef KZ_BASE_CLOCK_H
#define KZ_BASE_CLOCK_H

#include <time.h>

/* Milliseconds since some fixed moment. */
static inline double kz__now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

#endif
