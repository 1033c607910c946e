/* Argument reduction and Taylor or atanh series, evaluated in a fixed order. */
#include "base/dmath.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

static double from_bits(uint64_t bits) {
    double x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x) {
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ln 2 and pi/2 as a head with trailing zeros (products with small integers are exact) and a
 * tail */
static const double ln2_head = 0x1.62e42fefa3800p-1;
static const double ln2_tail = 0x1.ef35793c76730p-45;
static const double half_pi_1 = 0x1.921fb54400000p+0;
static const double half_pi_2 = 0x1.0b4611a600000p-34;
static const double half_pi_3 = 0x1.3198a2e037073p-69;

static double round_nearest(double x) {
    const double magic = 0x1.8p52;
    return (x + magic) - magic;
}

double kz__exp(double x) {
    if (x != x) return x;
    if (x > 709.7) return DBL_MAX * 2;
    if (x < -745.0) return 0;
    double n = round_nearest(x * 0x1.71547652b82fep+0);
    double r = (x - n * ln2_head) - n * ln2_tail;
    double sum = 1;
    for (int i = 14; i >= 1; i--) sum = 1 + sum * r / i;
    int half = (int)n / 2;
    int rest = (int)n - half;
    sum *= from_bits((uint64_t)(1023 + half) << 52);
    return sum * from_bits((uint64_t)(1023 + rest) << 52);
}

double kz__ln(double x) {
    uint64_t bits = to_bits(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    /* ln m = 2 atanh((m - 1) / (m + 1)), |argument| < 0.172 */
    double z = (m - 1) / (m + 1);
    double zz = z * z;
    double sum = 0;
    for (int i = 23; i >= 3; i -= 2) sum = (sum + 1.0 / i) * zz;
    double n = exponent;
    return n * ln2_head + (2 * z + (2 * z * sum + n * ln2_tail));
}

void kz__sincos(double x, double *sine, double *cosine) {
    double n = round_nearest(x * 0x1.45f306dc9c883p-1);
    double r = ((x - n * half_pi_1) - n * half_pi_2) - n * half_pi_3;
    double rr = r * r;
    double s = 0;
    for (int i = 19; i >= 3; i -= 2) s = (1 + s) * -rr / (double)((i - 1) * i);
    s = r + r * s;
    double c = 0;
    for (int i = 20; i >= 2; i -= 2) c = (1 + c) * -rr / (double)((i - 1) * i);
    c = 1 + c;
    switch ((int64_t)n & 3) {
    case 0: *sine = s; *cosine = c; break;
    case 1: *sine = c; *cosine = -s; break;
    case 2: *sine = -s; *cosine = -c; break;
    default: *sine = -c; *cosine = s; break;
    }
}
