/* Option structs with their defaults, and what the library says about itself. */
#include "kernels/kernels.h"
#include "kazeia.h"

#include <stdio.h>
#include <string.h>

/* Raised whenever samples change for equal inputs. */
#define ARITHMETIC 2

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *kz_version(void) {
    return VERSION(KZ_VERSION_MAJOR, KZ_VERSION_MINOR, KZ_VERSION_PATCH);
}

int kz_arithmetic(void) {
    return ARITHMETIC;
}

const char *kz_cpu_level(size_t index) {
    size_t seen = 0;
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) continue;
        if (seen++ == index) return kz__level_name((kz__level)level);
    }
    return NULL;
}

/* One text for each level that can be the best, so that nothing is written at run time. */
const char *kz_features(void) {
#define FEATURES(level) \
    "kernels up to " level "; weights f32, bf16, q8, q4; decoder direct, winograd, int8; " \
    "arithmetic " TEXT_OF(ARITHMETIC)
#define TEXT_OF(x) TEXT(x)
    switch (kz__kernels_best()) {
    case KZ__FMA: return FEATURES("fma");
    case KZ__AVX2: return FEATURES("avx2");
    case KZ__AVXVNNI: return FEATURES("avxvnni");
    case KZ__AVX512: return FEATURES("avx512");
    case KZ__AVX512VNNI: return FEATURES("avx512vnni");
    case KZ__NEON: return FEATURES("neon");
    case KZ__DOTPROD: return FEATURES("dotprod");
    case KZ__I8MM: return FEATURES("i8mm");
    case KZ__SCALAR:
    case KZ__LEVELS: break;
    }
    return FEATURES("scalar");
}

void kz_model_options_init(kz_model_options *options) {
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
}

void kz_session_options_init(kz_session_options *options) {
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->threads = KZ_DEFAULT;
}

void kz_batch_options_init(kz_batch_options *options) {
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->threads = KZ_DEFAULT;
    options->slots = KZ_DEFAULT;
}

void kz_split_options_init(kz_split_options *options) {
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    options->limit = KZ_DEFAULT;
    options->target = KZ_DEFAULT;
}

void kz_request_init(kz_request *request) {
    memset(request, 0, sizeof *request);
    request->size = sizeof *request;
    const kz_sampling defaults = {KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT};
    request->talker = defaults;
    request->predictor = defaults;
    request->min_frames = KZ_DEFAULT;
    request->max_frames = KZ_DEFAULT;
    request->exact_frames = KZ_DEFAULT;
    request->packet = KZ_DEFAULT;
}
