/* The table is made by scripts/known_hashes.sh from the voice in the box. */
#include "cli/known.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define TOKENS 256

#define KNOWN_VOICE(hex) static const char voice_mark[] = hex;
#define KNOWN_ARITHMETIC(number) enum { VOICE_ARITHMETIC = number };
#define KNOWN_STAGE(name, first, all)
#include "cli/known.def"
#undef KNOWN_VOICE
#undef KNOWN_ARITHMETIC
#undef KNOWN_STAGE

static const kz__stage_hash voice_stages[] = {
#define KNOWN_VOICE(hex)
#define KNOWN_ARITHMETIC(number)
#define KNOWN_STAGE(name, first, all) {name, first, all},
#include "cli/known.def"
};

const kz__known kz__known_voice = {VOICE_ARITHMETIC, voice_stages,
                                   sizeof voice_stages / sizeof *voice_stages};

static bool add(EVP_MD_CTX *digest, const char *text) {
    return EVP_DigestUpdate(digest, text, strlen(text) + 1) == 1; /* the zero parts them */
}

static bool add_sizes(EVP_MD_CTX *digest, const kz_model_info *info) {
    const unsigned long long sizes[] = {
        (unsigned long long)info->kind, (unsigned long long)info->type,
        (unsigned long long)info->decoder, (unsigned long long)info->sample_rate,
        (unsigned long long)info->samples_per_frame, (unsigned long long)info->codes_per_frame,
        (unsigned long long)info->codebook_size, (unsigned long long)info->talker_layers,
        (unsigned long long)info->talker_width, (unsigned long long)info->predictor_layers,
        (unsigned long long)info->predictor_width, (unsigned long long)info->max_positions,
        info->parameters, info->decoder_macs_per_frame, info->lm_bytes_per_frame};
    bool good = add(digest, info->size_name);
    for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
        char text[32];
        snprintf(text, sizeof text, "%llu", sizes[i]);
        good = add(digest, text);
    }
    return good;
}

static bool add_names(EVP_MD_CTX *digest, const kz_model *model) {
    const char *name;
    bool good = true;
    for (size_t i = 0; good && (name = kz_model_speaker(model, i, NULL)); i++) {
        good = add(digest, name);
    }
    good = good && add(digest, "");
    for (size_t i = 0; good && (name = kz_model_language(model, i)); i++) {
        good = add(digest, name);
    }
    return good;
}

/* Letters, marks and numbers, so that another vocabulary has other tokens. */
static bool add_tokens(EVP_MD_CTX *digest, const kz_model *model) {
    static const char text[] = "The quick brown fox jumps over the lazy dog. Voix ambigu\xc3\xab "
                               "d'un c\xc5\x93ur qui pr\xc3\xa9" "f\xc3\xa8re 1234567890!";
    int32_t ids[TOKENS];
    size_t count = 0;
    if (kz_tokenize(model, text, sizeof text - 1, 0, ids, TOKENS, &count, NULL, 0) != KZ_OK ||
        count > TOKENS) {
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)ids[i]);
        good = add(digest, number);
    }
    return good;
}

void kz__known_mark(const kz_model *model, const kz_model_info *info, char mark[65]) {
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    mark[0] = 0;
    bool good = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1 &&
                add_sizes(digest, info) && add_names(digest, model) && add_tokens(digest, model) &&
                EVP_DigestFinal_ex(digest, hash, &length) == 1 && length == 32;
    for (unsigned i = 0; good && i < length; i++) snprintf(mark + 2 * i, 3, "%02x", hash[i]);
    EVP_MD_CTX_free(digest);
}

bool kz__known_is_voice(const char *mark) {
    return !strcmp(mark, voice_mark);
}
