/* The table is made by scripts/known_hashes.sh from the voice in the tree. */
#include "cli/known.h"

#include "base/in_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 24)

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

static bool add_file(kz__mem *mem, EVP_MD_CTX *digest, const char *folder, const char *name) {
    char path[PATH_MAX + 64];
    char *bytes = NULL;
    size_t length = 0;
    kz__err err = {""};
    int used = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (used < 0 || (size_t)used >= sizeof path) return false;
    if (kz__in_file(mem, path, FILE_MAX, &bytes, &length, &err) != KZ_OK) return false;
    bool added = EVP_DigestUpdate(digest, bytes, length) == 1;
    kz__free(mem, bytes);
    return added;
}

void kz__known_mark(kz__mem *mem, const char *folder, const kz_model_info *info, char mark[65]) {
    static const char *const files[] = {"config.json", "speech_tokenizer/config.json",
                                        "vocab.json", "merges.txt", "tokenizer_config.json"};
    unsigned char hash[EVP_MAX_MD_SIZE];
    char sizes[64];
    unsigned length = 0;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    mark[0] = 0;
    bool good = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1;
    for (size_t i = 0; good && i < sizeof files / sizeof *files; i++) {
        good = add_file(mem, digest, folder, files[i]);
    }
    int used = snprintf(sizes, sizeof sizes, "%llu %llu", (unsigned long long)info->parameters,
                        (unsigned long long)info->mapped_bytes);
    good = good && EVP_DigestUpdate(digest, sizes, (size_t)used) == 1 &&
           EVP_DigestFinal_ex(digest, hash, &length) == 1 && length == 32;
    for (unsigned i = 0; good && i < length; i++) snprintf(mark + 2 * i, 3, "%02x", hash[i]);
    EVP_MD_CTX_free(digest);
}

bool kz__known_is_voice(const char *mark) {
    return !strcmp(mark, voice_mark);
}
