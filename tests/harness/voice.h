/* Saved voices for tests: a small one made without a model, and files with something changed. */
#ifndef KZT_VOICE_H
#define KZT_VOICE_H

#include "model/voice.h"

enum { KZT_VOICE_WIDTH = 24, KZT_VOICE_FRAMES = 5, KZT_VOICE_GROUPS = 4 };

/* Parts with a vector, and where transcript is not NULL codes, by a formula. Static memory. */
kz__voice_parts kzt_voice_parts(const char *transcript);

/* Writes the length and the checksum that fit the bytes, where there is room for them. */
void kzt_voice_seal(unsigned char *bytes, size_t length);

/* Where a chunk's data lies, its bytes in *count; NULL where it is not there. */
unsigned char *kzt_voice_chunk(unsigned char *bytes, size_t length, const char *tag,
                               size_t *count);

#endif
