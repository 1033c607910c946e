/* Merging of a piece. The rule: as long as some adjacent pair has a rank, merge the pair of the
 * lowest rank, the leftmost first. Here: symbols in a linked list, candidates in a heap ordered by
 * (rank, position), so that no pass over the piece is made twice. A candidate whose pair has
 * changed meanwhile is recognised by its rank, since a new pair never has an old rank again (each
 * token is made by one merge, and only of tokens that lower ranks make: vocab.c sees to that).
 */
#include "text/bpe.h"

#include <string.h>

#define NONE UINT32_MAX
#define FIRST_CAPACITY 128

struct kz__bpe_symbol {
    int32_t id;
    uint32_t previous, next; /* positions, NONE at the ends */
    uint32_t rank;           /* of the pair with the next one, NONE: no merge, or gone */
};

void kz__bpe_clear(kz__bpe *bpe) {
    kz__free(bpe->mem, bpe->bytes);
    kz__free(bpe->mem, bpe->tokens);
    kz__free(bpe->mem, bpe->slots);
    kz__free(bpe->mem, bpe->merged);
    *bpe = (kz__bpe){.mem = bpe->mem};
}

/* ---- table of merges --------------------------------------------------------------------- */

static size_t slot_of(const kz__bpe *bpe, int32_t left, int32_t right) {
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & bpe->mask;
    while (bpe->slots[at].right >= 0 &&
           (bpe->slots[at].left != left || bpe->slots[at].right != right)) {
        at = (at + 1) & bpe->mask;
    }
    return at;
}

kz_status kz__bpe_reserve(kz__bpe *bpe, size_t merges, kz__err *err) {
    size_t size = 16;
    while (size / 3 * 2 < merges) {
        size *= 2;
    }
    bpe->slots = kz__calloc(bpe->mem, size, sizeof *bpe->slots);
    bpe->merged = kz__calloc(bpe->mem, merges, sizeof *bpe->merged);
    if (!bpe->slots || !bpe->merged) return kz__fail_memory(err);
    for (size_t i = 0; i < size; i++) {
        bpe->slots[i].right = -1;
    }
    bpe->mask = size - 1;
    return KZ_OK;
}

bool kz__bpe_add(kz__bpe *bpe, int32_t left, int32_t right, int32_t merged) {
    size_t at = slot_of(bpe, left, right);
    if (bpe->slots[at].right >= 0) return false;
    bpe->slots[at] = (kz__bpe_slot){left, right, (uint32_t)bpe->merges};
    bpe->merged[bpe->merges++] = merged;
    return true;
}

static uint32_t rank_of(const kz__bpe *bpe, int32_t left, int32_t right) {
    const kz__bpe_slot *slot = &bpe->slots[slot_of(bpe, left, right)];
    return slot->right >= 0 ? slot->rank : NONE;
}

/* ---- working memory ---------------------------------------------------------------------- */

void kz__bpe_scratch_init(kz__bpe_scratch *scratch, kz__mem *mem) {
    *scratch = (kz__bpe_scratch){.mem = mem};
}

void kz__bpe_scratch_clear(kz__bpe_scratch *scratch) {
    kz__free(scratch->mem, scratch->symbols);
    kz__free(scratch->mem, scratch->heap);
    kz__bpe_scratch_init(scratch, scratch->mem);
}

/* Each symbol starts at most one candidate, each merge adds at most two: the first goes, so the
 * heap never holds more than two per symbol. */
static bool scratch_grow(kz__bpe_scratch *scratch, size_t length) {
    if (length <= scratch->capacity) return true;
    size_t capacity = FIRST_CAPACITY;
    while (capacity < length) {
        capacity *= 2;
    }
    kz__bpe_scratch_clear(scratch);
    scratch->symbols = kz__calloc(scratch->mem, capacity, sizeof *scratch->symbols);
    scratch->heap = kz__calloc(scratch->mem, capacity, 2 * sizeof *scratch->heap);
    if (!scratch->symbols || !scratch->heap) {
        kz__bpe_scratch_clear(scratch);
        return false;
    }
    scratch->capacity = capacity;
    return true;
}

/* ---- heap of candidates, smallest first: rank in the high half, position in the low one ---- */

static void sift_down(uint64_t *heap, size_t count, size_t at) {
    uint64_t value = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= value) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

static void sift_up(uint64_t *heap, size_t at) {
    uint64_t value = heap[at];
    while (at > 0 && heap[(at - 1) / 2] > value) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = value;
}

static uint64_t candidate(uint32_t rank, size_t position) {
    return (uint64_t)rank << 32 | (uint32_t)position;
}

/* ---- a piece ----------------------------------------------------------------------------- */

/* Sets the symbols of the bytes; returns the number of candidates. */
static size_t begin(const kz__bpe *bpe, kz__bpe_scratch *scratch, const char *bytes,
                    size_t length) {
    struct kz__bpe_symbol *s = scratch->symbols;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        s[i].id = bpe->symbols[(unsigned char)bytes[i]];
        s[i].previous = i ? (uint32_t)(i - 1) : NONE;
        s[i].next = i + 1 < length ? (uint32_t)(i + 1) : NONE;
        s[i].rank = NONE;
    }
    for (size_t i = 0; i + 1 < length; i++) {
        s[i].rank = rank_of(bpe, s[i].id, s[i + 1].id);
        if (s[i].rank != NONE) scratch->heap[count++] = candidate(s[i].rank, i);
    }
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(scratch->heap, count, i);
    }
    return count;
}

/* Ranks the pair that begins at a position anew. */
static void renew(const kz__bpe *bpe, kz__bpe_scratch *scratch, uint32_t at, size_t *count) {
    struct kz__bpe_symbol *s = scratch->symbols;
    s[at].rank = s[at].next == NONE ? NONE : rank_of(bpe, s[at].id, s[s[at].next].id);
    if (s[at].rank == NONE) return;
    scratch->heap[*count] = candidate(s[at].rank, at);
    sift_up(scratch->heap, (*count)++);
}

kz_status kz__bpe_piece(const kz__bpe *bpe, kz__bpe_scratch *scratch, const char *bytes,
                        size_t length, kz__ints *out, kz__err *err) {
    if (length == 0) return KZ_OK;
    if (length >= INT32_MAX) {
        return kz__fail(err, KZ_ERR_INPUT, "a word of the text has %zu bytes, the limit is %d",
                        length, INT32_MAX - 1);
    }
    if (!scratch_grow(scratch, length)) return kz__fail_memory(err);
    struct kz__bpe_symbol *s = scratch->symbols;
    size_t count = begin(bpe, scratch, bytes, length);
    while (count) {
        uint64_t top = scratch->heap[0];
        scratch->heap[0] = scratch->heap[--count];
        if (count) sift_down(scratch->heap, count, 0);
        uint32_t at = (uint32_t)top;
        if (s[at].rank != (uint32_t)(top >> 32)) continue;
        uint32_t gone = s[at].next;
        s[at].id = bpe->merged[s[at].rank];
        s[at].next = s[gone].next;
        s[gone].rank = NONE;
        if (s[at].next != NONE) s[s[at].next].previous = at;
        renew(bpe, scratch, at, &count);
        if (s[at].previous != NONE) renew(bpe, scratch, s[at].previous, &count);
    }
    for (uint32_t at = 0; at != NONE; at = s[at].next) {
        if (!kz__ints_push(out, s[at].id)) return kz__fail_memory(err);
    }
    return KZ_OK;
}
