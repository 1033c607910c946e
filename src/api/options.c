/* Option structs with their defaults, and what the library says about itself. */
#include "base/sized.h"
#include "kernels/kernels.h"

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

void kz_model_options_init_sized(kz_model_options *options, size_t size) {
    const kz_model_options defaults = {0};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_convert_options_init_sized(kz_convert_options *options, size_t size) {
    const kz_convert_options defaults = {.threads = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_session_options_init_sized(kz_session_options *options, size_t size) {
    const kz_session_options defaults = {.threads = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_batch_options_init_sized(kz_batch_options *options, size_t size) {
    const kz_batch_options defaults = {.threads = KZ_DEFAULT, .slots = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_split_options_init_sized(kz_split_options *options, size_t size) {
    const kz_split_options defaults = {.limit = KZ_DEFAULT, .target = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_encode_options_init_sized(kz_encode_options *options, size_t size) {
    const kz_encode_options defaults = {.threads = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_voice_options_init_sized(kz_voice_options *options, size_t size) {
    const kz_voice_options defaults = {.threads = KZ_DEFAULT, .tail_ms = KZ_DEFAULT};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

void kz_request_init_sized(kz_request *request, size_t size) {
    const kz_sampling sampling = {KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT, KZ_DEFAULT};
    const kz_request defaults = {.talker = sampling,
                                 .predictor = sampling,
                                 .min_frames = KZ_DEFAULT,
                                 .max_frames = KZ_DEFAULT,
                                 .exact_frames = KZ_DEFAULT,
                                 .packet = KZ_DEFAULT};
    kz__sized_give(request, size, &defaults, sizeof defaults);
}
