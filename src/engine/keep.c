/* Entries in an array, looked through one by one: they are few and differ in their first units. */
#include "engine/keep.h"

#include <pthread.h>
#include <string.h>

struct kz__keep {
    kz__mem *owner;
    kz__mem mem;
    pthread_mutex_t lock;
    size_t most_entries, most_bytes;
    kz__kept *entries[KZ__KEEP_ENTRIES];
    size_t count, bytes;
    uint64_t clock;
};

kz_status kz__keep_open(kz__mem *mem, size_t entries, size_t bytes, kz__keep **keep,
                        kz__err *err) {
    kz__keep *k = kz__calloc(mem, 1, sizeof *k);
    *keep = k;
    if (!k) return kz__fail_memory(err);
    k->owner = mem;
    kz__mem_init_like(&k->mem, mem);
    k->most_entries = entries;
    k->most_bytes = bytes;
    pthread_mutex_init(&k->lock, NULL);
    return KZ_OK;
}

void kz__keep_close(kz__keep *k) {
    if (!k) return;
    for (size_t i = 0; i < k->count; i++) kz__free(&k->mem, k->entries[i]);
    pthread_mutex_destroy(&k->lock);
    kz__free(k->owner, k);
}

/* NULL where none has any. */
static kz__kept *best_of(const kz__keep *k, kz__kept_match *match, const void *wanted,
                         size_t *shared) {
    kz__kept *best = NULL;
    *shared = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (k->entries[i]->match != match) continue;
        size_t now = match(k->entries[i], wanted);
        if (now <= *shared) continue;
        *shared = now;
        best = k->entries[i];
    }
    return best;
}

kz__kept *kz__keep_find(kz__keep *k, kz__kept_match *match, const void *wanted, size_t units,
                        size_t *shared) {
    pthread_mutex_lock(&k->lock);
    kz__kept *e = best_of(k, match, wanted, shared);
    if (e) {
        /* else others would do as well */
        if (*shared == units || *shared == e->units) e->used = ++k->clock;
        e->users++;
    }
    pthread_mutex_unlock(&k->lock);
    return e;
}

void kz__keep_leave(kz__keep *k, kz__kept *e) {
    pthread_mutex_lock(&k->lock);
    bool free_it = --e->users == 0 && e->dropped;
    pthread_mutex_unlock(&k->lock);
    if (free_it) kz__free(&k->mem, e);
}

bool kz__keep_has(kz__keep *k, kz__kept_match *match, const void *wanted, size_t units) {
    size_t shared = 0;
    pthread_mutex_lock(&k->lock);
    best_of(k, match, wanted, &shared);
    pthread_mutex_unlock(&k->lock);
    return shared == units;
}

size_t kz__keep_room(const kz__keep *k) {
    return k->most_bytes / 2;
}

kz__kept *kz__keep_make(kz__keep *k, kz__kept_match *match, size_t units, size_t bytes) {
    if (k->most_entries == 0 || bytes > kz__keep_room(k)) return NULL;
    kz__kept *e = kz__alloc(&k->mem, bytes);
    if (e) *e = (kz__kept){.match = match, .units = units, .bytes = bytes};
    return e;
}

/* Takes out the entry that was not used for longest. */
static void drop_oldest(kz__keep *k) {
    size_t oldest = 0;
    for (size_t i = 1; i < k->count; i++) {
        if (k->entries[i]->used < k->entries[oldest]->used) oldest = i;
    }
    kz__kept *e = k->entries[oldest];
    k->entries[oldest] = k->entries[--k->count];
    k->bytes -= e->bytes;
    e->dropped = true;
    if (e->users == 0) kz__free(&k->mem, e);
}

void kz__keep_put(kz__keep *k, kz__kept *e, const void *wanted) {
    size_t shared = 0;
    pthread_mutex_lock(&k->lock);
    best_of(k, e->match, wanted, &shared);
    if (shared == e->units) { /* another thread was faster */
        kz__free(&k->mem, e);
    } else {
        while (k->count == k->most_entries || k->bytes > k->most_bytes - e->bytes) drop_oldest(k);
        e->used = ++k->clock;
        k->bytes += e->bytes;
        k->entries[k->count++] = e;
    }
    pthread_mutex_unlock(&k->lock);
}

size_t kz__keep_bytes(kz__keep *k) {
    pthread_mutex_lock(&k->lock);
    size_t bytes = k->bytes;
    pthread_mutex_unlock(&k->lock);
    return bytes;
}
