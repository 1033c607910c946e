/* States of the codec decoder behind the frames of a reference, as entries of what a model keeps:
 * a decoder that is set to one goes on as if it had decoded them.
 */
#ifndef KZ_ENGINE_PRIMED_H
#define KZ_ENGINE_PRIMED_H

#include "engine/keep.h"
#include "model/codec_decoder.h"

typedef struct kz__primed_codes {
    const int32_t *codes; /* [frames][groups] */
    size_t frames, groups;
} kz__primed_codes;

/* Sets the state behind as many of the frames as is known and returns their number; 0 where none
 * is, or where there is no memory: the state is a fresh one then. */
size_t kz__primed_fetch(kz__keep *keep, const kz__primed_codes *codes, kz__codec_state *state);

/* Remembers the state, which has taken these frames and no others. */
void kz__primed_keep(kz__keep *keep, const kz__primed_codes *codes, const kz__codec_state *state);

#endif
