/* Values are hashed as they come, in the bytes of little-endian float32. */
#include "cli/stages.h"

#include "audio/pcm.h"

#include <string.h>

#define PIECE 1024

void kz__stages_init(kz__stages *stages, kz__mem *mem) {
    memset(stages, 0, sizeof *stages);
    stages->mem = mem;
}

static bool begin(kz__stage *s) {
    for (int i = 0; i < 2; i++) {
        s->digests[i] = EVP_MD_CTX_new();
        if (!s->digests[i] || !EVP_DigestInit_ex(s->digests[i], EVP_sha256(), NULL)) return false;
    }
    return s->name != NULL;
}

static kz__stage *find_or_add(kz__stages *stages, const char *name) {
    for (size_t i = 0; i < stages->count; i++) {
        if (!strcmp(stages->list[i].name, name)) return &stages->list[i];
    }
    if (stages->count == KZ__STAGES_MAX) return NULL;
    kz__stage *s = &stages->list[stages->count];
    s->name = kz__strndup(stages->mem, name, strlen(name));
    if (!begin(s)) {
        for (int i = 0; i < 2; i++) EVP_MD_CTX_free(s->digests[i]);
        kz__free(stages->mem, s->name);
        memset(s, 0, sizeof *s);
        return NULL;
    }
    stages->count++;
    return s;
}

static void add_bytes(kz__stage *s, bool first, const unsigned char *bytes, size_t length) {
    if (first) EVP_DigestUpdate(s->digests[0], bytes, length);
    EVP_DigestUpdate(s->digests[1], bytes, length);
}

static void add_floats(kz__stages *stages, const char *name, bool first, const float *data,
                       size_t count) {
    unsigned char bytes[4 * PIECE];
    kz__stage *s = stages->failed ? NULL : find_or_add(stages, name);
    if (!s) stages->failed = true;
    while (s && count > 0) {
        size_t take = count < PIECE ? count : PIECE;
        kz__pcm_write_f32(data, take, bytes);
        add_bytes(s, first, bytes, 4 * take);
        data += take;
        count -= take;
    }
}

void kz__stages_tap(void *user, const char *name, long frame, const float *data,
                    const size_t *shape, int rank) {
    kz__stages *stages = user;
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= shape[i];
    /* The codes are told at the end, and have their place before the decoder. */
    bool decoder = !strncmp(name, "decoder.", 8);
    if (decoder && !stages->failed && !find_or_add(stages, KZ__STAGE_CODES)) stages->failed = true;
    add_floats(stages, name, frame <= 0, data, count);
}

void kz__stages_samples(kz__stages *stages, uint64_t from, size_t samples_per_frame,
                        const float *samples, size_t count) {
    size_t head = from < samples_per_frame ? samples_per_frame - (size_t)from : 0;
    if (head > count) head = count;
    if (head) add_floats(stages, KZ__STAGE_SAMPLES, true, samples, head);
    if (count > head) add_floats(stages, KZ__STAGE_SAMPLES, false, samples + head, count - head);
}

void kz__stages_codes(kz__stages *stages, const int32_t *codes, size_t frames, size_t per_frame) {
    kz__stage *s = stages->failed ? NULL : find_or_add(stages, KZ__STAGE_CODES);
    if (!s) stages->failed = true;
    for (size_t i = 0; s && i < frames * per_frame; i++) {
        uint32_t code = (uint32_t)codes[i];
        unsigned char bytes[4];
        for (int b = 0; b < 4; b++) bytes[b] = (unsigned char)(code >> 8 * b);
        add_bytes(s, i < per_frame, bytes, sizeof bytes);
    }
}

void kz__stages_end(kz__stages *stages) {
    for (size_t i = 0; i < stages->count; i++) {
        kz__stage *s = &stages->list[i];
        for (int d = 0; d < 2; d++) {
            unsigned char hash[EVP_MAX_MD_SIZE] = {0};
            unsigned length = 0;
            if (!s->digests[d]) continue;
            EVP_DigestFinal_ex(s->digests[d], hash, &length);
            memcpy(s->hashes[d], hash, sizeof s->hashes[d]);
            EVP_MD_CTX_free(s->digests[d]);
            s->digests[d] = NULL;
        }
    }
}

void kz__stages_free(kz__stages *stages) {
    kz__stages_end(stages);
    for (size_t i = 0; i < stages->count; i++) kz__free(stages->mem, stages->list[i].name);
    stages->count = 0;
}

const kz__stage *kz__stages_find(const kz__stages *stages, const char *name) {
    for (size_t i = 0; i < stages->count; i++) {
        if (!strcmp(stages->list[i].name, name)) return &stages->list[i];
    }
    return NULL;
}

static uint64_t leading(const unsigned char hash[32]) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | hash[i];
    return value;
}

kz__stage_hash kz__stage_short(const kz__stage *stage) {
    kz__stage_hash hash = {stage->name, leading(stage->hashes[0]), leading(stage->hashes[1])};
    return hash;
}

const char *kz__stages_differ(const kz__stages *stages, const kz__stage_hash *known,
                              size_t known_count, bool *later) {
    for (int pass = 0; pass < 2; pass++) {
        *later = pass == 1;
        for (size_t i = 0; i < known_count; i++) {
            const kz__stage *s = kz__stages_find(stages, known[i].name);
            if (!s) return known[i].name;
            kz__stage_hash hash = kz__stage_short(s);
            bool equal = pass == 0 ? hash.first == known[i].first : hash.all == known[i].all;
            if (!equal) return known[i].name;
        }
    }
    for (size_t i = 0; i < stages->count; i++) {
        bool listed = false;
        for (size_t k = 0; k < known_count && !listed; k++) {
            listed = !strcmp(stages->list[i].name, known[k].name);
        }
        if (!listed) return stages->list[i].name;
    }
    return NULL;
}
