/* An entry is one block: rows, keys and values, and what negative ids stand for. */
#include "engine/prefix.h"

#include <string.h>

typedef struct entry {
    kz__kept kept;
    kz__prefix_rows rows; /* points into the same block */
    float *values;        /* [layers][heads][rows][key, value] */
} entry;

/* Rows that both begin with. */
static size_t common(const kz__kept *kept, const void *wanted) {
    const kz__prefix_rows *a = &((const entry *)kept)->rows;
    const kz__prefix_rows *b = wanted;
    size_t frames = 0;
    size_t most = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < most; i++) {
        int32_t codec = a->rows[i].codec_id;
        if (codec != b->rows[i].codec_id || a->rows[i].text_id != b->rows[i].text_id) return i;
        if (codec == KZ__ROW_SPEAKER &&
            (a->width != b->width || memcmp(a->vector, b->vector, a->width * sizeof(float)))) {
            return i;
        }
        if (codec != KZ__ROW_REFERENCE) continue;
        size_t at = frames++ * a->groups;
        if (a->groups != b->groups ||
            memcmp(a->codes + at, b->codes + at, a->groups * sizeof(int32_t))) {
            return i;
        }
    }
    return most;
}

size_t kz__prefix_fetch(kz__keep *keep, const kz__prefix_rows *rows, kz__kvcache *cache) {
    size_t shared = 0;
    kz__kept *kept = kz__keep_find(keep, common, rows, rows->count, &shared);
    kz__kvcache_reset(cache);
    if (!kept) return 0;
    const entry *e = (const entry *)kept;
    if (kz__kvcache_restore(cache, 0, shared, e->values, e->rows.count, NULL)) shared = 0;
    kz__keep_leave(keep, kept);
    return shared;
}

/* Bytes of an entry for `count` rows, as many of them of the reference as there could be. */
static size_t entry_bytes(const kz__prefix_rows *rows, const kz__kvcache *cache, size_t count) {
    size_t each = sizeof(kz_prompt_row) + kz__kvcache_floats(cache) * sizeof(float) +
                  rows->groups * sizeof(int32_t);
    return sizeof(entry) + rows->width * sizeof(float) + count * each;
}

static void fill_entry(entry *e, const kz__prefix_rows *rows, const kz__kvcache *cache) {
    kz_prompt_row *list = (kz_prompt_row *)(e + 1);
    e->values = (float *)(list + rows->count);
    float *vector = e->values + rows->count * kz__kvcache_floats(cache);
    int32_t *codes = (int32_t *)(void *)(vector + rows->width);
    size_t frames = 0;
    for (size_t i = 0; i < rows->count; i++) {
        frames += rows->rows[i].codec_id == KZ__ROW_REFERENCE;
    }
    memcpy(list, rows->rows, rows->count * sizeof *list);
    if (rows->width) memcpy(vector, rows->vector, rows->width * sizeof *vector);
    if (frames) memcpy(codes, rows->codes, frames * rows->groups * sizeof *codes);
    e->rows = *rows;
    e->rows.rows = list;
    e->rows.vector = vector;
    e->rows.codes = codes;
    kz__kvcache_save(cache, 0, rows->count, e->values);
}

void kz__prefix_keep(kz__keep *keep, const kz__prefix_rows *rows, const kz__kvcache *cache) {
    kz__prefix_rows first = *rows;
    size_t none = entry_bytes(rows, cache, 0);
    size_t each = entry_bytes(rows, cache, 1) - none;
    size_t most = kz__keep_room(keep) > none ? (kz__keep_room(keep) - none) / each : 0;
    if (first.count > most) first.count = most;
    if (first.count == 0 || kz__keep_has(keep, common, &first, first.count)) return;
    kz__kept *kept = kz__keep_make(keep, common, first.count,
                                   entry_bytes(rows, cache, first.count));
    if (!kept) return;
    fill_entry((entry *)kept, &first, cache);
    kz__keep_put(keep, kept, &first);
}
