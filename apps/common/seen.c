/* A table with open addresses that doubles when it is two thirds full. */
#include "common/seen.h"

#include <openssl/evp.h>
#include <string.h>

static const unsigned char nothing[KZ__SEEN_BYTES];

static unsigned char *find(const kz__seen *seen, const unsigned char *mark) {
    size_t at = 0;
    memcpy(&at, mark, sizeof at);
    for (;; at++) {
        unsigned char *entry = seen->table[at & (seen->capacity - 1)];
        if (!memcmp(entry, mark, KZ__SEEN_BYTES) || !memcmp(entry, nothing, KZ__SEEN_BYTES)) {
            return entry;
        }
    }
}

static bool grow(kz__seen *seen) {
    kz__seen larger = *seen;
    larger.capacity = seen->capacity ? 2 * seen->capacity : 64;
    larger.table = kz__calloc(seen->mem, larger.capacity, sizeof *larger.table);
    if (!larger.table) return false;
    for (size_t i = 0; i < seen->capacity; i++) {
        if (!memcmp(seen->table[i], nothing, KZ__SEEN_BYTES)) continue;
        memcpy(find(&larger, seen->table[i]), seen->table[i], KZ__SEEN_BYTES);
    }
    kz__free(seen->mem, seen->table);
    *seen = larger;
    return true;
}

kz_status kz__seen_add(kz__seen *seen, const char *name) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (!EVP_Digest(name, strlen(name), digest, &length, EVP_sha256(), NULL)) return KZ_ERR_MEMORY;
    if (3 * (seen->count + 1) > 2 * seen->capacity && !grow(seen)) return KZ_ERR_MEMORY;
    unsigned char *entry = find(seen, digest);
    if (memcmp(entry, nothing, KZ__SEEN_BYTES) != 0) return KZ_ERR_INPUT;
    memcpy(entry, digest, KZ__SEEN_BYTES);
    seen->count++;
    return KZ_OK;
}

void kz__seen_free(kz__seen *seen) {
    if (seen->mem) kz__free(seen->mem, seen->table);
    memset(seen, 0, sizeof *seen);
}
