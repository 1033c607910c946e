/* Prompt rows that have been run before: keys and values of the talker for the rows that begin
 * every utterance of a voice (instruction, role, language, speaker, the transcript of a reference),
 * as entries of what a model keeps. A row depends on nothing but the rows in front of it, so any
 * common beginning can be taken.
 */
#ifndef KZ_ENGINE_PREFIX_H
#define KZ_ENGINE_PREFIX_H

#include "engine/keep.h"
#include "model/prompt.h"
#include "nn/kvcache.h"

/* Rows and what their negative codec ids stand for. */
typedef struct kz__prefix_rows {
    const kz_prompt_row *rows;
    size_t count;
    const float *vector; /* [width], of KZ__ROW_SPEAKER */
    size_t width;
    const int32_t *codes; /* [frames][groups], of KZ__ROW_REFERENCE in their order */
    size_t groups;
} kz__prefix_rows;

/* Sets the cache to as many of the rows as are known and returns their number; 0 where none is, or
 * where the cache has no room. */
size_t kz__prefix_fetch(kz__keep *keep, const kz__prefix_rows *rows, kz__kvcache *cache);

/* Remembers the rows, which the cache begins with; of too many for an entry, the first. */
void kz__prefix_keep(kz__keep *keep, const kz__prefix_rows *rows, const kz__kvcache *cache);

#endif
