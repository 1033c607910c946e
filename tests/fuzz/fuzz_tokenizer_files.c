/* Any bytes as the tokenizer's files. The first byte says which file they replace; the others are
 * those of a small made tokenizer. What loads must encode. */
#include "harness/tok.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static kzt_small small;
    if (!small.memory[0]) kzt_small_make(&small, 7);
    if (size == 0) return 0;
    kz__text_file file = {"file", (const char *)data + 1, size - 1};
    kz__mem mem;
    kz__err err;
    kz__tokenizer *tokenizer = NULL;
    kz__mem_init(&mem, NULL, NULL);
    kz_status status = kz__tokenizer_make(
        &mem, data[0] % 3 == 0 ? &file : &small.vocab, data[0] % 3 == 1 ? &file : &small.merges,
        data[0] % 3 == 2 ? &file : &small.config, &tokenizer, &err);
    if ((status == KZ_OK) != (tokenizer != NULL)) abort();
    if (status == KZ_OK) {
        kz__ints ids;
        kz__ints_init(&ids, &mem);
        status =
            kz__tokenizer_encode(tokenizer, "aab bcc<|a|>dee", 15, KZ__TEXT_SPECIALS, &ids, &err);
        if (status != KZ_OK) abort();
        kz__ints_clear(&ids);
    }
    kz__tokenizer_free(tokenizer);
    if (atomic_load(&mem.current) != 0) abort();
    return 0;
}
