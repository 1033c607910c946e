/* Kernels: every level against the scalar reference, the reference against doubles, the functions
 * of ref/math.h against libm, the emulated fused multiply-add against libm's.
 */
#define _GNU_SOURCE
#include "base/fpenv.h"
#include "harness/tests.h"
#include "kernels/check.h"
#include "kernels/kernels.h"
#include "kernels/ref/math.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEED 20240731u

static uint64_t random_state = SEED;

static uint32_t draw(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static float uniform(void) {
    return (float)(int32_t)draw() * 0x1p-31f;
}

static void fill(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = uniform();
    }
}

static int same_bits(float a, float b) {
    return kz__bits_of(a) == kz__bits_of(b) || (a != a && b != b);
}

/* The one tolerance: a sum of `terms` products in float, each step off by half a unit in the last
 * place of what has come together so far, at most `magnitude` (the sum of absolute values). */
static double tolerance(size_t terms, double magnitude) {
    return ((double)terms + 2) * 0x1p-24 * magnitude + 0x1p-140;
}

/* ---- fused multiply-add ------------------------------------------------------------------- */

/* Products near cancellation, halfway cases and subnormal results do not come up by chance. */
static void triple(int kind, float *a, float *b, float *c) {
    uint32_t u = draw();
    uint32_t v = draw();
    uint32_t w = draw();
    *a = kz__float_of(u);
    *b = kz__float_of(v);
    *c = kz__float_of(w);
    switch (kind) {
    case 1: /* cancels to the rounding error of the product */
        *c = -(*a * *b);
        break;
    case 2: /* and nearly so */
        *c = kz__float_of(kz__bits_of(-(*a * *b)) ^ (w & 3));
        break;
    case 3: /* subnormal results */
        *a = kz__float_of((u & 0x807fffffu) | 0x20000000u);
        *b = kz__float_of((v & 0x807fffffu) | 0x1f000000u | (w & 0x800000u));
        *c = kz__float_of(w & 0x80ffffffu);
        break;
    case 4: /* few bits: exact halves */
        *a = kz__float_of(u & 0xfff00000u);
        *b = kz__float_of(v & 0xff000000u);
        break;
    case 5: /* half a unit in the last place of c, and a little more or less */
        *a = 1.0f + (float)(u % 3) * 0x1p-23f;
        *b = ldexpf(v % 2 ? 1.0f : -1.0f, -24 + (int)(v % 5) * -24);
        *c = 1.0f + (float)(w % 4096) * 0x1p-23f;
        break;
    case 6: /* near overflow */
        *a = kz__float_of((u & 0x807fffffu) | 0x5f000000u);
        *b = kz__float_of((v & 0x807fffffu) | 0x5f800000u);
        *c = kz__float_of((w & 0x807fffffu) | 0x7f000000u);
        break;
    default:
        break;
    }
}

static void test_fma_emulated_equals_libm(void **state) {
    (void)state;
    random_state = SEED;
    for (long i = 0; i < 24000000; i++) {
        float a = 0;
        float b = 0;
        float c = 0;
        triple((int)(i & 7), &a, &b, &c);
        float want = fmaf(a, b, c);
        float got = kz__fma_emulated(a, b, c);
        if (!same_bits(want, got)) {
            fail_msg("fma(%a, %a, %a): %a, want %a", (double)a, (double)b, (double)c, (double)got,
                     (double)want);
        }
    }
}

static void test_fma_emulated_special_values(void **state) {
    (void)state;
    static const uint32_t bits[] = {
        0,          0x80000000u, 1,           0x80000001u, 0x007fffffu, 0x00800000u, 0x80800000u,
        0x3f800000, 0xbf800000u, 0x7f7fffffu, 0xff7fffffu, 0x7f800000u, 0xff800000u, 0x7fc00000u,
        0x3f800001, 0x33800000u, 0xb3800000u, 0x4b800000u, 0x1f800000u, 0x5f800000u,
    };
    size_t n = sizeof bits / sizeof bits[0];
    for (size_t i = 0; i < n * n * n; i++) {
        float a = kz__float_of(bits[i % n]);
        float b = kz__float_of(bits[i / n % n]);
        float c = kz__float_of(bits[i / n / n]);
        assert_true(same_bits(fmaf(a, b, c), kz__fma_emulated(a, b, c)));
    }
}

/* ---- math --------------------------------------------------------------------------------- */

/* Primes: every exponent, both signs, changing mantissas. */
#define SWEEP (KZT_SLOW > 1 ? 4999u : 499u)

static void test_exp_within_two_units(void **state) {
    (void)state;
    double worst = 0;
    for (uint32_t bits = 0; bits < 0xffffffffu - SWEEP; bits += SWEEP) {
        float x = kz__float_of(bits);
        float y = kz__expf(x);
        double want = exp((double)x);
        if (x != x) {
            assert_true(y != y);
        } else if (want < 0x1p-126) {
            assert_true(y == 0 || (double)y < 0x1.00002p-126);
        } else if (want > 0x1.ffffffp127) {
            assert_true(isinf(y));
        } else if (want < 0x1.0001p-126 && y == 0) {
            continue; /* the limit is a float */
        } else {
            int exponent = 0;
            frexp(want, &exponent);
            double error = fabs((double)y - want) / ldexp(1, exponent - 24);
            worst = error > worst ? error : worst;
        }
    }
    print_message("exp: %.3f units in the last place\n", worst);
    assert_true(worst <= 2);
    assert_true(kz__expf(0.0f) == 1.0f && kz__expf(-0.0f) == 1.0f);
    assert_true(kz__expf(-INFINITY) == 0.0f && isinf(kz__expf(INFINITY)));
    assert_true(kz__expf(-87.4f) == 0.0f && isfinite(kz__expf(88.72283f)));
}

static void test_erf_absolute_error(void **state) {
    (void)state;
    double worst = 0;
    float previous = 0;
    for (uint32_t bits = 0; bits <= 0x7f800000u; bits += KZT_SLOW > 1 ? 613 : 61) {
        float x = kz__float_of(bits);
        float y = kz__erff(x);
        double error = fabs((double)y - erf((double)x));
        worst = error > worst ? error : worst;
        assert_true(y >= previous - 0x1p-23f && y <= 1.0f);
        assert_true(kz__bits_of(kz__erff(-x)) == (kz__bits_of(y) ^ 0x80000000u));
        previous = y;
    }
    print_message("erf: %.3g\n", worst);
    assert_true(worst <= 2e-7);
    float nan = kz__erff(NAN);
    assert_true(nan != nan);
}

static void test_sine_absolute_error(void **state) {
    (void)state;
    double worst = 0;
    for (uint32_t bits = 0; bits < 0xffffffffu - SWEEP; bits += SWEEP) {
        float x = kz__float_of(bits);
        float y = kz__sinf(x);
        if (fabsf(x) <= 1e4f) {
            double error = fabs((double)y - sin((double)x));
            worst = error > worst ? error : worst;
        }
        assert_true(isfinite(x) ? fabsf(y) <= 1.0000002f : y != y);
    }
    print_message("sine: %.3g\n", worst);
    assert_true(worst <= 2e-7);
}

/* ---- levels against the reference --------------------------------------------------------- */

/* Pages with no access on both sides. */
static void *fenced(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (bytes + page - 1) / page * page;
    char *p = mmap(NULL, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + page, whole, PROT_READ | PROT_WRITE), 0);
    return p + page + (whole - bytes);
}

static void hear(void *user, const char *kernel, int equal) {
    const char *level = user;
    if (!equal) {
        print_error("%s/%s differs from the reference\n", level, kernel);
    }
}

/* B208: what is wrong on one device is seen before it speaks. */
static void test_levels_equal_reference(void **state) {
    (void)state;
    kz__check check = {.report = hear};
    for (size_t i = 0; i < KZ__CHECK_SLOTS; i++) {
        check.slots[i] = fenced(KZ__CHECK_SLOT_BYTES);
    }
    int different = 0;
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) {
            print_message("%s: not here\n", kz__level_name((kz__level)level));
            continue;
        }
        print_message("%s: seeds %u to %u\n", kz__level_name((kz__level)level), SEED, SEED + 11);
        check.level = (kz__level)level;
        check.user = (void *)(uintptr_t)kz__level_name(check.level);
        for (check.seed = SEED; check.seed < SEED + 12; check.seed++) {
            different += kz__kernels_check(&check);
        }
    }
    assert_int_equal(different, 0);
}

/* All floats at a stride through the functions that hold polynomials. */
static void test_levels_equal_reference_over_all_floats(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    static float x[COUNT];
    static float ones[COUNT];
    static float want[COUNT];
    static float got[COUNT];
    kz__kernels reference;
    kz__kernels_fill(&reference, KZ__SCALAR);
    for (size_t i = 0; i < COUNT; i++) {
        ones[i] = 1.0f;
    }
    for (int level = 1; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) {
            continue;
        }
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)level);
        for (uint32_t block = 0; block < 200; block++) {
            for (uint32_t i = 0; i < COUNT; i++) {
                x[i] = kz__float_of((block * COUNT + i) * 5243u);
            }
            for (int which = 0; which < 4; which++) {
                if (which == 3) {
                    reference.snake(want, COUNT, x, COUNT, ones, ones, 1, COUNT);
                    k.snake(got, COUNT, x, COUNT, ones, ones, 1, COUNT);
                } else {
                    kz__unary_fn *const wanted[] = {reference.silu, reference.gelu, reference.elu};
                    kz__unary_fn *const given[] = {k.silu, k.gelu, k.elu};
                    wanted[which](want, x, COUNT);
                    given[which](got, x, COUNT);
                }
                for (size_t i = 0; i < COUNT; i++) {
                    if (!same_bits(want[i], got[i])) {
                        fail_msg("%s, function %d of %a: %a, want %a",
                                 kz__level_name((kz__level)level), which, (double)x[i],
                                 (double)got[i], (double)want[i]);
                    }
                }
            }
        }
    }
}

/* What design promises of the panel product, said directly: one row alone, any range of panels
 * and any cut of k with resume give the bits of the whole; bfloat16 weights those of the same
 * values in float. */
static void test_product_does_not_depend_on_grouping(void **state) {
    (void)state;
    enum { ROWS = 37, K = 70, PANELS = 5, WIDTH = PANELS * 16 };
    static float x[ROWS * K];
    static float w[PANELS * K * 16];
    static uint16_t half[PANELS * K * 16];
    static float whole[ROWS * WIDTH];
    static float parts[ROWS * WIDTH];
    fill(x, ROWS * K);
    for (size_t i = 0; i < PANELS * K * 16; i++) {
        half[i] = (uint16_t)(kz__bits_of(uniform()) >> 16);
        w[i] = kz__float_of((uint32_t)half[i] << 16);
    }
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) {
            continue;
        }
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)level);
        kz__mm_args all = {.y = whole, .ldy = WIDTH, .x = x, .ldx = K, .w = w,
                           .panel_stride = K * 16, .rows = ROWS, .panels = PANELS, .k = K,
                           .taps = 1};
        k.mm_f32(&all);
        memset(parts, 0x55, sizeof parts);
        for (size_t row = 0; row < ROWS; row++) {
            for (size_t panel = 0; panel < PANELS; panel += 2) {
                kz__mm_args a = all;
                size_t cut = 1 + draw() % (K - 1);
                a.y = parts + row * WIDTH + panel * 16;
                a.x = x + row * K;
                a.w = half + panel * K * 16;
                a.rows = 1;
                a.panels = panel + 2 < PANELS ? 2 : PANELS - panel;
                a.k = cut;
                k.mm_bf16(&a);
                a.resume = 1;
                a.x += cut;
                a.w = half + panel * K * 16 + cut * 16;
                a.k = K - cut;
                k.mm_bf16(&a);
            }
        }
        assert_memory_equal(whole, parts, sizeof whole);
    }
}

/* ---- the bits themselves ------------------------------------------------------------------ */

static uint64_t add_hash(uint64_t hash, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ kz__bits_of(x[i])) * 0x100000001b3u;
    }
    return hash;
}

/* Every kernel once, each on what the one before made. */
static uint64_t hash_of_level(kz__level level) {
    enum { N = 96, ROWS = 8 };
    static float x[ROWS * N];
    static float y[ROWS * N];
    static float w[N / 16 * N * 16];
    static float a[N];
    static float b[N];
    static uint16_t half[N / 16 * N * 16];
    kz__kernels k;
    kz__kernels_fill(&k, level);
    random_state = SEED;
    fill(x, ROWS * N);
    fill(w, N * N);
    fill(a, N);
    fill(b, N);
    for (size_t i = 0; i < N * N; i++) {
        half[i] = (uint16_t)(kz__bits_of(w[i] + uniform()) >> 16);
    }
    kz__mm_args mm = {.y = y, .ldy = N, .x = x, .ldx = N, .w = w, .panel_stride = N * 16,
                      .bias = b, .rows = ROWS, .panels = N / 16, .k = N, .taps = 1};
    k.mm_f32(&mm);
    mm.x = y;
    mm.y = x;
    mm.w = half;
    k.mm_bf16(&mm);
    uint64_t hash = add_hash(add_hash(0xcbf29ce484222325u, y, ROWS * N), x, ROWS * N);
    for (size_t r = 0; r < ROWS; r++) {
        k.layer_norm(y + r * N, y + r * N, a, b, N, 1e-5f);
        k.rms_norm(x + r * N, x + r * N, b, N, 1e-6f);
        k.rope(x + r * N, a, b, N / 2);
    }
    k.silu_mul(y, y, x, ROWS * N);
    k.gelu(x, x, ROWS * N);
    k.add(x, x, y, ROWS * N);
    k.snake(x, N, x, N, a, b, ROWS, N);
    hash = add_hash(hash, x, ROWS * N);
    k.depthwise(y, N, x, N, w, b, ROWS - 6, N, 7);
    k.scale_add(y, y, a, x, N);
    k.silu(y, y, ROWS * N);
    k.softmax(y, 5, ROWS * N - 3, 3.0f);
    hash = add_hash(hash, y, ROWS * N);
    k.clamp(x, x, ROWS * N);
    return add_hash(hash, x, ROWS * N) + (uint64_t)k.finite(x, ROWS * N);
}

/* The same on every machine: a change of this number is a change of the arithmetic. */
static void test_bits_are_those_of_every_machine(void **state) {
    (void)state;
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (kz__kernels_usable((kz__level)level)) {
            uint64_t hash = hash_of_level((kz__level)level);
            print_message("%-7s %016llx\n", kz__level_name((kz__level)level),
                          (unsigned long long)hash);
            assert_true(hash == 0x4ff73c1c5dfeb2a9u);
        }
    }
}

/* ---- the reference against doubles -------------------------------------------------------- */

static void near(const char *what, double got, double want, double limit) {
    if (!(fabs(got - want) <= limit)) {
        fail_msg("%s: %.9g, want %.9g within %.3g", what, got, want, limit);
    }
}

static void test_reference_product(void **state) {
    (void)state;
    enum { ROWS = 5, K = 40, TAPS = 3, DILATION = 2, PANELS = 2, WIDTH = 32 };
    enum { INPUTS = ROWS + (TAPS - 1) * DILATION };
    static float x[INPUTS * K];
    static float w[PANELS * TAPS * K * 16];
    static float bias[WIDTH];
    static float y[ROWS * WIDTH];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(x, INPUTS * K);
    fill(w, PANELS * TAPS * K * 16);
    fill(bias, WIDTH);
    kz__mm_args a = {.y = y, .ldy = WIDTH, .x = x, .ldx = K, .w = w,
                     .panel_stride = TAPS * K * 16, .bias = bias, .rows = ROWS, .panels = PANELS,
                     .k = K, .taps = TAPS, .tap_stride = DILATION * K};
    k.mm_f32(&a);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t o = 0; o < WIDTH; o++) {
            double sum = (double)bias[o];
            double size = fabs(sum);
            for (size_t t = 0; t < TAPS; t++) {
                for (size_t c = 0; c < K; c++) {
                    double term = (double)x[(r + t * DILATION) * K + c] *
                                  (double)w[((o / 16 * TAPS + t) * K + c) * 16 + o % 16];
                    sum += term;
                    size += fabs(term);
                }
            }
            near("product", (double)y[r * WIDTH + o], sum, tolerance(TAPS * K, size));
        }
    }
}

static void test_reference_norms(void **state) {
    (void)state;
    enum { N = 1027, PADDED = 1040 };
    static float x[N];
    static float w[N];
    static float b[N];
    static float y[PADDED];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(x, N);
    fill(w, N);
    fill(b, N);
    double squares = 0;
    double sum = 0;
    double variance = 0;
    for (size_t i = 0; i < N; i++) {
        squares += (double)x[i] * (double)x[i];
        sum += (double)x[i];
    }
    for (size_t i = 0; i < N; i++) {
        variance += ((double)x[i] - sum / N) * ((double)x[i] - sum / N) / N;
    }
    memset(y, 0x55, sizeof y);
    k.rms_norm(y, x, w, N, 1e-5f);
    double scale = 1 / sqrt(squares / N + 1e-5);
    for (size_t i = 0; i < N; i++) {
        double want = (double)x[i] * scale * (double)w[i];
        near("rms_norm", (double)y[i], want, tolerance(N / 8 + 8, fabs(want)));
    }
    memset(y + N, 0x55, (PADDED - N) * sizeof(float));
    k.layer_norm(y, x, w, b, N, 1e-5f);
    scale = 1 / sqrt(variance + 1e-5);
    for (size_t i = 0; i < N; i++) {
        double want = ((double)x[i] - sum / N) * scale * (double)w[i] + (double)b[i];
        near("layer_norm", (double)y[i], want, tolerance(N / 8 + 8, 2 + fabs(want)));
    }
    for (size_t i = N; i < PADDED; i++) {
        assert_int_equal(kz__bits_of(y[i]), 0);
    }
}

static void test_reference_softmax(void **state) {
    (void)state;
    enum { N = 300, FIRST = 13, END = 290 };
    static float s[N];
    static float before[N];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(s, N);
    for (size_t i = 0; i < N; i++) {
        s[i] *= 100;
    }
    memcpy(before, s, sizeof s);
    const float scale = 0.125f;
    k.softmax(s, FIRST, END, scale);
    double largest = -1e9;
    for (size_t i = FIRST; i < END; i++) {
        largest = fmax(largest, (double)before[i] * (double)scale);
    }
    double sum = 0;
    for (size_t i = FIRST; i < END; i++) {
        sum += exp((double)before[i] * (double)scale - largest);
    }
    for (size_t i = FIRST; i < END; i++) {
        double power = (double)before[i] * (double)scale - largest;
        double want = exp(power) / sum;
        /* the rounding of s - m, at most half a unit of it, comes back as a relative error */
        near("softmax", (double)s[i], want, tolerance((END - FIRST) / 8 + 8 + 32, want));
    }
    for (size_t i = 0; i < N; i++) {
        if (i < FIRST || i >= END) {
            assert_int_equal(kz__bits_of(s[i]), kz__bits_of(before[i]));
        }
    }
}

static void test_reference_rope(void **state) {
    (void)state;
    enum { HALF = 33 };
    float v[2 * HALF];
    float before[2 * HALF];
    float cosine[HALF];
    float sine[HALF];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(v, 2 * HALF);
    fill(cosine, HALF);
    fill(sine, HALF);
    memcpy(before, v, sizeof v);
    k.rope(v, cosine, sine, HALF);
    for (size_t i = 0; i < HALF; i++) {
        double a = (double)before[i];
        double b = (double)before[i + HALF];
        double c = (double)cosine[i];
        double s = (double)sine[i];
        double size = fabs(a) + fabs(b);
        near("rope, first half", (double)v[i], a * c - b * s, tolerance(2, size));
        near("rope, second half", (double)v[i + HALF], b * c + a * s, tolerance(2, size));
    }
}

static void test_reference_activations(void **state) {
    (void)state;
    enum { N = 4096 };
    static float x[N];
    static float u[N];
    static float silu[N];
    static float gelu[N];
    static float elu[N];
    static float product[N];
    static float relu[N];
    static float power[N];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(u, N);
    for (size_t i = 0; i < N; i++) {
        x[i] = uniform() * 20;
    }
    x[7] = NAN;
    k.relu(relu, x, N);
    assert_true(relu[7] != relu[7]);
    x[7] = 0;
    k.relu(relu, x, N);
    k.exp(power, x, N);
    k.silu(silu, x, N);
    k.gelu(gelu, x, N);
    k.elu(elu, x, N);
    k.silu_mul(product, x, u, N);
    for (size_t i = 0; i < N; i++) {
        double v = (double)x[i];
        near("relu", (double)relu[i], fmax(v, 0), 0);
        near("exp", (double)power[i], exp(v), tolerance(2, exp(v)));
        double want = v / (1 + exp(-v));
        near("silu", (double)silu[i], want, tolerance(4, fabs(want)));
        near("silu_mul", (double)product[i], want * (double)u[i], tolerance(5, fabs(want)));
        want = 0.5 * v * (1 + erf(v * 0.7071067811865476));
        /* erf's own 2e-7 on top of its argument's rounding and the sum's */
        near("gelu", (double)gelu[i], want, 0.5 * fabs(v) * 2e-7 + tolerance(4, fabs(v)));
        want = v > 0 ? v : expm1(v);
        near("elu", (double)elu[i], want, tolerance(4, fabs(want)));
    }
    static const float points[16] = {-0x1p-20f, -0x1p-60f, -0.0f, 0.0f, -0.35f, -17.4f, -88.0f,
                                     -3e38f, -INFINITY, INFINITY, NAN, 0x1p-60f, 88.8f, 3e38f};
    k.elu(elu, points, 16);
    for (size_t i = 0; i < 14; i++) {
        double v = (double)points[i];
        double want = v > 0 ? v : expm1(v);
        if (!isfinite(v)) {
            assert_true(v < 0 ? elu[i] == -1.0f : isnan(v) ? isnan(elu[i]) : isinf(elu[i]));
        } else {
            near("elu, points", (double)elu[i], want, tolerance(4, fabs(want)));
        }
    }
}

static void test_reference_convolution_parts(void **state) {
    (void)state;
    enum { ROWS = 3, C = 32, TAPS = 7 };
    float x[(ROWS + TAPS - 1) * C];
    float w[TAPS * C];
    float bias[C];
    float y[ROWS * C];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    fill(x, (ROWS + TAPS - 1) * C);
    fill(w, TAPS * C);
    fill(bias, C);
    k.depthwise(y, C, x, C, w, bias, ROWS, C, TAPS);
    for (size_t i = 0; i < ROWS * C; i++) {
        double sum = (double)bias[i % C];
        double size = fabs(sum);
        for (size_t t = 0; t < TAPS; t++) {
            double term = (double)w[t * C + i % C] * (double)x[i + t * C];
            sum += term;
            size += fabs(term);
        }
        near("depthwise", (double)y[i], sum, tolerance(TAPS, size));
    }
    k.snake(y, C, x, C, w, bias, ROWS, C);
    for (size_t i = 0; i < ROWS * C; i++) {
        double v = (double)x[i];
        double q = sin(v * (double)w[i % C]);
        double want = v + (double)bias[i % C] * q * q;
        near("snake", (double)y[i], want, tolerance(4, fabs(v) + fabs((double)bias[i % C])) + 4e-7);
    }
}

static void test_reference_small_ones(void **state) {
    (void)state;
    float x[16] = {-2, 2, 0.5f, -0.0f, NAN, INFINITY, -INFINITY, 1, -1, 1.0000001f, -1.0000001f};
    float y[16] = {0};
    float want[16] = {-1, 1, 0.5f, -0.0f, NAN, 1, -1, 1, -1, 1, -1};
    float one[16];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    k.clamp(y, x, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_true(same_bits(y[i], want[i]));
        one[i] = (float)i;
    }
    assert_false(k.finite(x, 5));
    assert_true(k.finite(x, 4));
    assert_false(k.finite(x + 5, 1));
    k.add(y, one, one, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_true(y[i] == 2 * (float)i);
    }
    k.scale_add(y, one, one, one, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_true(y[i] == (float)i * (float)i + (float)i);
    }
}

/* ---- dispatch ----------------------------------------------------------------------------- */

static void test_dispatch(void **state) {
    (void)state;
    assert_true(kz__kernels_usable(KZ__SCALAR));
    assert_false(kz__kernels_usable(KZ__LEVELS));
    assert_true(kz__kernels_usable(kz__kernels_best()));
    assert_int_equal(kz__kernels_parse("avx512"), KZ__AVX512);
    assert_int_equal(kz__kernels_parse("scalar"), KZ__SCALAR);
    assert_int_equal(kz__kernels_parse("mmx"), KZ__LEVELS);
    for (int level = 0; level < KZ__LEVELS; level++) {
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)level);
        assert_true((int)k.level <= level && kz__kernels_usable(k.level));
        if (kz__kernels_usable((kz__level)level)) {
            assert_int_equal(k.level, level);
        }
        float sink = 0;
        assert_true(kz__kernels_burn((kz__level)level, 1, &sink) >= 2 * 16 * 1024);
        assert_true(isfinite(sink) && sink != 0);
        sink = 0;
        assert_true(kz__kernels_burn8((kz__level)level, 1, &sink) >= 2 * 16 * 1024);
        assert_true(isfinite(sink) && sink != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fma_emulated_equals_libm),
        cmocka_unit_test(test_fma_emulated_special_values),
        cmocka_unit_test(test_exp_within_two_units),
        cmocka_unit_test(test_erf_absolute_error),
        cmocka_unit_test(test_sine_absolute_error),
        cmocka_unit_test(test_levels_equal_reference),
        cmocka_unit_test(test_levels_equal_reference_over_all_floats),
        cmocka_unit_test(test_product_does_not_depend_on_grouping),
        cmocka_unit_test(test_bits_are_those_of_every_machine),
        cmocka_unit_test(test_reference_product),
        cmocka_unit_test(test_reference_norms),
        cmocka_unit_test(test_reference_softmax),
        cmocka_unit_test(test_reference_rope),
        cmocka_unit_test(test_reference_activations),
        cmocka_unit_test(test_reference_convolution_parts),
        cmocka_unit_test(test_reference_small_ones),
        cmocka_unit_test(test_dispatch),
    };
    kz__fpenv saved = kz__fpenv_set();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kz__fpenv_restore(saved);
    return failed;
}
