/* Any text: clean-up and encoding of the whole equal the stream cut into parts, for both patterns.
 * The first byte chooses the flags and the length of the parts. */
#include "harness/tok.h"
#include "text/cleanup.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static kz__mem mem;
static kz__tokenizer *tokenizer;

static kz_status encode_whole(const char *text, size_t length, unsigned flags, kz__ints *ids) {
    char *clean = NULL;
    size_t clean_length = 0;
    if (flags & KZ__TEXT_AS_IS) {
        return kz__tokenizer_encode(tokenizer, text, length, flags, ids, NULL);
    }
    kz_status status = kz__cleanup_text(&mem, text, length, &clean, &clean_length, NULL);
    if (status == KZ_OK) {
        status = kz__tokenizer_encode(tokenizer, clean, clean_length, flags, ids, NULL);
    }
    kz__free(&mem, clean);
    return status;
}

static kz_status encode_parts(const char *text, size_t length, unsigned flags, size_t part,
                              kz__ints *ids) {
    kz__textstream *stream = NULL;
    kz_status status =
        kz__textstream_open(kz__tokenizer_bpe(tokenizer), &mem, flags, &stream, NULL);
    for (size_t at = 0; at < length && status == KZ_OK; at += part) {
        size_t count = length - at < part ? length - at : part;
        status = kz__textstream_push(stream, text + at, count, ids, NULL);
    }
    if (status == KZ_OK) status = kz__textstream_finish(stream, ids, NULL);
    kz__textstream_close(stream);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!tokenizer) {
        kz__mem_init(&mem, NULL, NULL);
        tokenizer = kzt_small_tokenizer(&mem, 7);
    }
    if (size == 0) return 0;
    unsigned flags = (data[0] & 1 ? KZ__TEXT_SECOND : 0) | (data[0] & 2 ? KZ__TEXT_AS_IS : 0);
    const char *text = (const char *)data + 1;
    kz__ints whole;
    kz__ints parts;
    kz__ints_init(&whole, &mem);
    kz__ints_init(&parts, &mem);
    kz_status a = encode_whole(text, size - 1, flags, &whole);
    kz_status b = encode_parts(text, size - 1, flags, 1 + (data[0] >> 4), &parts);
    if (a != b) abort();
    if (a == KZ_OK && whole.count != parts.count) abort();
    if (a == KZ_OK && whole.count &&
        memcmp(whole.data, parts.data, whole.count * sizeof *whole.data) != 0) {
        abort();
    }
    kz__ints_clear(&whole);
    kz__ints_clear(&parts);
    return 0;
}
