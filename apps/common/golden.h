/* A recorded run: the request and the codes that the reference made of it, as JSON:
 *
 *   {"format": "kazeia-golden", "version": 1, "checkpoint": "name",
 *    "request": {"text": "...", "language": "english", "voice": "ada", "instruct": null,
 *                "live_text": false, "as_reference": true, "max_frames": 40,
 *                "reference_text": "..."},
 *    "finish": "stop", "codes": [[16 integers], ...] or "codes.npy",
 *    "speaker_vector": "vector.npy", "reference_codes": "codes.npy"}
 *
 * Only format, version, request.text and codes must be there; other keys are allowed and ignored.
 * Without a voice the run had no speaker.
 * Files are named relative to the JSON's folder.
 */
#ifndef KZ_COMMON_GOLDEN_H
#define KZ_COMMON_GOLDEN_H

#include "common/codes.h"

typedef struct kz__golden {
    kz__mem *mem;
    char *checkpoint, *text, *language, *voice, *instruct, *reference_text, *finish; /* or NULL */
    size_t text_length;
    int live_text;    /* -1: not said */
    int as_reference; /* 0 or 1 */
    int max_frames;   /* 0: not said */
    kz__codes codes;
    kz__codes reference_codes; /* values NULL: none */
    float *speaker_vector;     /* NULL: none */
    size_t speaker_vector_length;
} kz__golden;

/* Reads and checks everything. KZ_ERR_INPUT with a sentence where it is damaged. On failure golden
 * is empty; else it is for kz__golden_free. */
kz_status kz__golden_read(kz__mem *mem, const char *path, size_t per_frame, int entries,
                          kz__golden *golden, kz__err *err);
/* The same from bytes in memory; path is for messages and for the files that it names. */
kz_status kz__golden_parse(kz__mem *mem, const char *bytes, size_t length, const char *path,
                           size_t per_frame, int entries, kz__golden *golden, kz__err *err);
void kz__golden_free(kz__golden *golden);

/* The request that replays it greedily; it points into golden. */
void kz__golden_request(const kz__golden *golden, kz_request *request);

#endif
