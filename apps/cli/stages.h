/* SHA-256 of every stage of a run: of what it gave up to the first frame, and of all it gave. The
 * first of the two tells where a fault begins, before it has gone round through the codes. */
#ifndef KZ_CLI_STAGES_H
#define KZ_CLI_STAGES_H

#include "base/mem.h"
#include "kazeia.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#define KZ__STAGES_MAX 1024
#define KZ__STAGE_SAMPLES "samples"
#define KZ__STAGE_CODES "codes"

typedef struct kz__stage {
    char *name;
    EVP_MD_CTX *digests[2]; /* first frame, all frames */
    unsigned char hashes[2][32];
} kz__stage;

/* In the order in which the stages came first. */
typedef struct kz__stages {
    kz__mem *mem;
    kz__stage list[KZ__STAGES_MAX];
    size_t count;
    bool failed; /* out of memory, or too many stages */
} kz__stages;

/* The leading 64 bits of the two hashes of a stage. */
typedef struct kz__stage_hash {
    const char *name;
    uint64_t first, all;
} kz__stage_hash;

void kz__stages_init(kz__stages *stages, kz__mem *mem);
void kz__stages_free(kz__stages *stages);

/* A kz_tap_fn; user is the kz__stages. */
void kz__stages_tap(void *user, const char *name, long frame, const float *data,
                    const size_t *shape, int rank);
/* Sound of the frames from `from` samples on, with samples_per_frame of them a frame. */
void kz__stages_samples(kz__stages *stages, uint64_t from, size_t samples_per_frame,
                        const float *samples, size_t count);
/* Codes of all frames. */
void kz__stages_codes(kz__stages *stages, const int32_t *codes, size_t frames, size_t per_frame);
/* Ends the hashes; nothing is added after it. */
void kz__stages_end(kz__stages *stages);

/* NULL where there is none. */
const kz__stage *kz__stages_find(const kz__stages *stages, const char *name);
kz__stage_hash kz__stage_short(const kz__stage *stage);

/* The name of the first stage that differs from known, or NULL. *later: only after the first
 * frame. */
const char *kz__stages_differ(const kz__stages *stages, const kz__stage_hash *known,
                              size_t known_count, bool *later);

#endif
