/* Byte-level byte-pair encoding: the tables of a tokenizer and the merging of one piece. */
#ifndef KZ_TEXT_BPE_H
#define KZ_TEXT_BPE_H

#include "text/ints.h"

#define KZ__TOKEN_LIMIT (1 << 20) /* ids are below */

typedef struct kz__bpe_token {
    uint32_t offset; /* in bytes of kz__bpe */
    uint32_t length; /* 0: no token has this id */
} kz__bpe_token;

typedef struct kz__bpe_slot {
    int32_t left, right; /* ids; right -1: free */
    uint32_t rank;
} kz__bpe_slot;

/* Immutable once built (vocab.h). */
typedef struct kz__bpe {
    kz__mem *mem;
    char *bytes;           /* of all tokens */
    kz__bpe_token *tokens; /* by id */
    size_t count;          /* highest id + 1 */
    int32_t symbols[256];  /* token of each byte */
    kz__bpe_slot *slots;   /* hash table of the merges */
    size_t mask;           /* its size - 1, a power of two less one */
    int32_t *merged;       /* by rank: the token that the merge makes */
    size_t merges;
} kz__bpe;

void kz__bpe_clear(kz__bpe *bpe);

/* Makes room for so many merges, then adds them from the lowest rank on. */
kz_status kz__bpe_reserve(kz__bpe *bpe, size_t merges, kz__err *err);
/* False where the pair has a rank already. */
bool kz__bpe_add(kz__bpe *bpe, int32_t left, int32_t right, int32_t merged);

/* Working memory of kz__bpe_piece, kept from piece to piece. */
typedef struct kz__bpe_scratch {
    kz__mem *mem;
    struct kz__bpe_symbol *symbols;
    uint64_t *heap;
    size_t capacity; /* symbols */
} kz__bpe_scratch;

void kz__bpe_scratch_init(kz__bpe_scratch *scratch, kz__mem *mem);
void kz__bpe_scratch_clear(kz__bpe_scratch *scratch);

/* Appends the tokens of bytes[0..length), length < 2^31, in O(length log length). */
kz_status kz__bpe_piece(const kz__bpe *bpe, kz__bpe_scratch *scratch, const char *bytes,
                        size_t length, kz__ints *out, kz__err *err);

#endif
