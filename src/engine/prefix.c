/* Entries in an array, looked through one by one: they are few and differ in their first rows. Rows
 * are copied without the lock; an entry that is dropped meanwhile goes when its last user does. */
#include "engine/prefix.h"

#include <pthread.h>
#include <string.h>

typedef struct entry {
    kz__prefix_rows rows; /* points into the same block */
    float *values;        /* [layers][heads][rows][key, value] */
    size_t bytes;
    uint64_t used; /* when */
    size_t users;
    bool dropped;
} entry;

struct kz__prefix_store {
    kz__mem *owner;
    kz__mem mem;
    pthread_mutex_t lock;
    size_t most_entries, most_bytes;
    entry *entries[KZ__PREFIX_ENTRIES];
    size_t count, bytes;
    uint64_t clock;
};

kz_status kz__prefix_open(kz__mem *mem, size_t entries, size_t bytes, kz__prefix_store **store,
                          kz__err *err) {
    kz__prefix_store *s = kz__calloc(mem, 1, sizeof *s);
    *store = s;
    if (!s) return kz__fail_memory(err);
    s->owner = mem;
    kz__mem_init_like(&s->mem, mem);
    s->most_entries = entries;
    s->most_bytes = bytes;
    pthread_mutex_init(&s->lock, NULL);
    return KZ_OK;
}

void kz__prefix_close(kz__prefix_store *s) {
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) kz__free(&s->mem, s->entries[i]);
    pthread_mutex_destroy(&s->lock);
    kz__free(s->owner, s);
}

/* Rows that both begin with. */
static size_t common(const kz__prefix_rows *a, const kz__prefix_rows *b) {
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

/* The entry that has most of the rows; NULL where none has any. */
static entry *find(const kz__prefix_store *s, const kz__prefix_rows *rows, size_t *shared) {
    entry *best = NULL;
    *shared = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t now = common(&s->entries[i]->rows, rows);
        if (now <= *shared) continue;
        *shared = now;
        best = s->entries[i];
    }
    return best;
}

static float *values_at(const kz__kvcache *cache, const entry *e, size_t layer, size_t head) {
    return e->values + (layer * cache->kv_heads + head) * e->rows.count * 2 * cache->head_dim;
}

size_t kz__prefix_fetch(kz__prefix_store *s, const kz__prefix_rows *rows, kz__kvcache *cache) {
    size_t shared = 0;
    pthread_mutex_lock(&s->lock);
    entry *e = find(s, rows, &shared);
    if (e) {
        if (shared == rows->count) e->used = ++s->clock; /* else others would do as well */
        e->users++;
    }
    pthread_mutex_unlock(&s->lock);
    kz__kvcache_reset(cache);
    if (!e) return 0;
    if (kz__kvcache_reserve(cache, shared, NULL) != KZ_OK) shared = 0;
    for (size_t l = 0; l < cache->layers; l++) {
        for (size_t h = 0; h < cache->kv_heads; h++) {
            const float *from = values_at(cache, e, l, h);
            for (size_t i = 0; i < shared; i++, from += 2 * cache->head_dim) {
                kz__kvcache_store(cache, l, h, i, from, from + cache->head_dim);
            }
        }
    }
    cache->length = shared;
    pthread_mutex_lock(&s->lock);
    bool free_it = --e->users == 0 && e->dropped;
    pthread_mutex_unlock(&s->lock);
    if (free_it) kz__free(&s->mem, e);
    return shared;
}

/* Sizes of the parts of an entry's block; false where they do not fit the bound. */
static bool measure(const kz__prefix_store *s, const kz__prefix_rows *rows,
                    const kz__kvcache *cache, size_t *frames, size_t *bytes) {
    size_t each = cache->layers * cache->kv_heads * 2 * cache->head_dim * sizeof(float);
    *frames = 0;
    for (size_t i = 0; i < rows->count; i++) {
        *frames += rows->rows[i].codec_id == KZ__ROW_REFERENCE;
    }
    if (rows->count > s->most_bytes / each) return false;
    *bytes = sizeof(entry) + rows->count * (each + sizeof(kz_prompt_row)) +
             rows->width * sizeof(float) + *frames * rows->groups * sizeof(int32_t);
    return *bytes <= s->most_bytes;
}

static entry *make_entry(kz__prefix_store *s, const kz__prefix_rows *rows,
                         const kz__kvcache *cache) {
    size_t frames = 0;
    size_t bytes = 0;
    if (!measure(s, rows, cache, &frames, &bytes)) return NULL;
    entry *e = kz__alloc(&s->mem, bytes);
    if (!e) return NULL;
    memset(e, 0, sizeof *e);
    kz_prompt_row *list = (kz_prompt_row *)(e + 1);
    e->values = (float *)(list + rows->count);
    float *vector = e->values + rows->count * cache->layers * cache->kv_heads * 2 * cache->head_dim;
    int32_t *codes = (int32_t *)(void *)(vector + rows->width);
    memcpy(list, rows->rows, rows->count * sizeof *list);
    if (rows->width) memcpy(vector, rows->vector, rows->width * sizeof *vector);
    if (frames) memcpy(codes, rows->codes, frames * rows->groups * sizeof *codes);
    e->rows = *rows;
    e->rows.rows = list;
    e->rows.vector = vector;
    e->rows.codes = codes;
    e->bytes = bytes;
    for (size_t l = 0; l < cache->layers; l++) {
        for (size_t h = 0; h < cache->kv_heads; h++) {
            float *to = values_at(cache, e, l, h);
            for (size_t i = 0; i < rows->count; i++, to += 2 * cache->head_dim) {
                kz__kvcache_load(cache, l, h, i, to, to + cache->head_dim);
            }
        }
    }
    return e;
}

/* Takes out the entry that was not used for longest. */
static void drop_oldest(kz__prefix_store *s) {
    size_t oldest = 0;
    for (size_t i = 1; i < s->count; i++) {
        if (s->entries[i]->used < s->entries[oldest]->used) oldest = i;
    }
    entry *e = s->entries[oldest];
    s->entries[oldest] = s->entries[--s->count];
    s->bytes -= e->bytes;
    e->dropped = true;
    if (e->users == 0) kz__free(&s->mem, e);
}

static bool is_known(const kz__prefix_store *s, const kz__prefix_rows *rows) {
    size_t shared = 0;
    find(s, rows, &shared);
    return shared == rows->count;
}

void kz__prefix_keep(kz__prefix_store *s, const kz__prefix_rows *rows, const kz__kvcache *cache) {
    if (rows->count == 0 || s->most_entries == 0) return;
    pthread_mutex_lock(&s->lock);
    bool known = is_known(s, rows);
    pthread_mutex_unlock(&s->lock);
    entry *e = known ? NULL : make_entry(s, rows, cache);
    if (!e) return;
    pthread_mutex_lock(&s->lock);
    if (is_known(s, rows)) { /* another thread was faster */
        kz__free(&s->mem, e);
    } else {
        while (s->count == s->most_entries || s->bytes > s->most_bytes - e->bytes) drop_oldest(s);
        e->used = ++s->clock;
        s->bytes += e->bytes;
        s->entries[s->count++] = e;
    }
    pthread_mutex_unlock(&s->lock);
}

size_t kz__prefix_bytes(kz__prefix_store *s) {
    pthread_mutex_lock(&s->lock);
    size_t bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}
