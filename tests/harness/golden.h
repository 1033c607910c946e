/* Golden runs of the official package (tests/data/golden) and the checkpoints they were made
 * with. */
#ifndef KZT_GOLDEN_H
#define KZT_GOLDEN_H

#include "harness/npy.h"
#include "kazeia.h"

#include <jansson.h>

typedef struct kzt_golden {
    char name[64];
    char folder[512];
    json_t *root;
    const char *checkpoint, *finish;
    kz_request request; /* greedy, as the run was; points into root and the arrays below */
    int32_t *codes;     /* [frames][16] */
    size_t frames;
    kzt_npy speaker, reference;
} kzt_golden;

#define KZT_MAX_CASES 64

/* Names of all cases, sorted; returns their number. */
size_t kzt_golden_list(char names[KZT_MAX_CASES][64]);

/* Loads a case; fails the running test where something is wrong. */
void kzt_golden_load(const char *name, kzt_golden *golden);
void kzt_golden_free(kzt_golden *golden);
/* An array of the case: float32, dims as stored. */
void kzt_golden_array(const kzt_golden *golden, const char *file, kzt_npy *array);

/* Folder of a tiny checkpoint, written on first use; valid until the next call. */
const char *kzt_checkpoint(const char *name);
/* The checkpoint opened; options may be NULL. Fails the running test where it cannot be. */
kz_model *kzt_open(const char *checkpoint, const kz_model_options *options);
kz_session *kzt_session(const kz_model *model, int threads);

/* Starts the request and reads all samples; returns the status that ended it (KZ_DONE where well).
 * *samples is malloc'ed. */
kz_status kzt_speak(kz_session *session, const kz_request *request, float **samples,
                    size_t *count);

/* Reads until the end; samples and count as above, may be NULL. */
kz_status kzt_drain(kz_session *session, float **samples, size_t *count);

/* SHA-256 as 64 hex digits and a zero. */
void kzt_sha256(const void *data, size_t bytes, char hex[65]);

#endif
