/* An entry is one block: the state and the codes that led to it. */
#include "engine/primed.h"

#include <string.h>

typedef struct entry {
    kz__kept kept;
    kz__primed_codes codes; /* points into the same block */
    float *state;
} entry;

/* A state is behind all its frames or not at all. */
static size_t common(const kz__kept *kept, const void *wanted) {
    const kz__primed_codes *a = &((const entry *)kept)->codes;
    const kz__primed_codes *b = wanted;
    if (a->groups != b->groups || a->frames > b->frames) return 0;
    return memcmp(a->codes, b->codes, a->frames * a->groups * sizeof *a->codes) ? 0 : a->frames;
}

size_t kz__primed_fetch(kz__keep *keep, const kz__primed_codes *codes, kz__codec_state *state) {
    size_t frames = 0;
    kz__kept *kept = kz__keep_find(keep, common, codes, codes->frames, &frames);
    kz_status status = KZ_OK;
    if (kept) {
        status = kz__codec_state_restore(state, frames, ((const entry *)kept)->state, NULL);
        kz__keep_leave(keep, kept);
    }
    if (kept && !status) return frames;
    kz__codec_state_reset(state);
    return 0;
}

void kz__primed_keep(kz__keep *keep, const kz__primed_codes *codes, const kz__codec_state *state) {
    size_t floats = kz__codec_state_floats(state, codes->frames);
    size_t cells = codes->frames * codes->groups;
    if (kz__keep_has(keep, common, codes, codes->frames)) return;
    kz__kept *kept = kz__keep_make(keep, common, codes->frames,
                                   sizeof(entry) + floats * sizeof(float) +
                                       cells * sizeof *codes->codes);
    if (!kept) return;
    entry *e = (entry *)kept;
    e->state = (float *)(void *)(e + 1);
    int32_t *own = (int32_t *)(void *)(e->state + floats);
    memcpy(own, codes->codes, cells * sizeof *own);
    e->codes = *codes;
    e->codes.codes = own;
    kz__codec_state_save(state, e->state);
    kz__keep_put(keep, kept, codes);
}
