/* What sessions of a model have worked out and others can take over: entries of several kinds in
 * one store (prefix.h: rows of a prompt; primed.h: states of the codec decoder). They are found by
 * what they were made of, never by names.
 *
 * Bounded in entries and bytes, the one that was not used for longest leaves. Losing an entry, or
 * not getting memory for one, costs time only. Copies are made without the lock; an entry that is
 * dropped meanwhile goes when its last user does. Any thread.
 */
#ifndef KZ_ENGINE_KEEP_H
#define KZ_ENGINE_KEEP_H

#include "base/mem.h"

#define KZ__KEEP_ENTRIES 32
#define KZ__KEEP_BYTES ((size_t)96 << 20)

typedef struct kz__keep kz__keep;
typedef struct kz__kept kz__kept;

/* How many of the wanted units (rows, frames) the entry has, from the first on. */
typedef size_t kz__kept_match(const kz__kept *entry, const void *wanted);

/* How an entry begins. Who makes one says what it matches, how many units it has, and its bytes. */
struct kz__kept {
    kz__kept_match *match; /* which is its kind too */
    size_t units, bytes;
    uint64_t used; /* when */
    size_t users;
    bool dropped;
};

/* entries <= KZ__KEEP_ENTRIES. The store has an account of its own, over the allocator of mem. */
kz_status kz__keep_open(kz__mem *mem, size_t entries, size_t bytes, kz__keep **keep,
                        kz__err *err);
/* Takes NULL. Nobody uses it any more. */
void kz__keep_close(kz__keep *keep);

/* The entry of a kind that has most of the units, at least one (*shared), until kz__keep_leave;
 * NULL where there is none. */
kz__kept *kz__keep_find(kz__keep *keep, kz__kept_match *match, const void *wanted, size_t units,
                        size_t *shared);
void kz__keep_leave(kz__keep *keep, kz__kept *entry);
/* Whether an entry has all of them. */
bool kz__keep_has(kz__keep *keep, kz__kept_match *match, const void *wanted, size_t units);

/* Bytes that an entry may have: half of all, so that no entry is alone. */
size_t kz__keep_room(const kz__keep *keep);
/* A block for an entry of at most that, its head filled; NULL without memory. */
kz__kept *kz__keep_make(kz__keep *keep, kz__kept_match *match, size_t units, size_t bytes);
/* Takes the entry over. wanted: what it has all of. */
void kz__keep_put(kz__keep *keep, kz__kept *entry, const void *wanted);

/* Bytes that entries take now. */
size_t kz__keep_bytes(kz__keep *keep);

#endif
