/* Prompt rows that have been run before: keys and values of the talker for the rows that begin
 * every utterance of a voice (instruction, role, language, speaker, the transcript of a reference),
 * shared by all sessions of a model. Entries are found by what their rows hold, never by names; a
 * row depends on nothing but the rows in front of it, so any common beginning can be taken.
 *
 * Bounded in entries and bytes, the one that was not used for longest leaves. Losing an entry, or
 * not getting memory for one, costs time only. Any thread.
 */
#ifndef KZ_ENGINE_PREFIX_H
#define KZ_ENGINE_PREFIX_H

#include "model/prompt.h"
#include "nn/kvcache.h"

#define KZ__PREFIX_ENTRIES 16
#define KZ__PREFIX_BYTES ((size_t)64 << 20)

/* Rows and what their negative codec ids stand for. */
typedef struct kz__prefix_rows {
    const kz_prompt_row *rows;
    size_t count;
    const float *vector; /* [width], of KZ__ROW_SPEAKER */
    size_t width;
    const int32_t *codes; /* [frames][groups], of KZ__ROW_REFERENCE in their order */
    size_t groups;
} kz__prefix_rows;

typedef struct kz__prefix_store kz__prefix_store;

/* entries <= KZ__PREFIX_ENTRIES. The store has an account of its own, over the allocator of mem. */
kz_status kz__prefix_open(kz__mem *mem, size_t entries, size_t bytes, kz__prefix_store **store,
                          kz__err *err);
/* Takes NULL. Nobody uses it any more. */
void kz__prefix_close(kz__prefix_store *store);

/* Sets the cache to as many of the rows as are known and returns their number; 0 where none is, or
 * where the cache has no room. */
size_t kz__prefix_fetch(kz__prefix_store *store, const kz__prefix_rows *rows, kz__kvcache *cache);

/* Remembers the rows, which the cache begins with. */
void kz__prefix_keep(kz__prefix_store *store, const kz__prefix_rows *rows,
                     const kz__kvcache *cache);

/* Bytes that entries take now. */
size_t kz__prefix_bytes(kz__prefix_store *store);

#endif
