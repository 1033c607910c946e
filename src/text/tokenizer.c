/* The tokenizer of a checkpoint. A whole text is a stream pushed at once. */
#include "text/tokenizer.h"

#include "text/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

struct kz__tokenizer {
    kz__mem *mem;
    kz__bpe bpe;
    kz__specials specials;
    size_t count;
};

/* ---- open -------------------------------------------------------------------------------- */

kz_status kz__tokenizer_make(kz__mem *mem, const kz__text_file *vocab, const kz__text_file *merges,
                             const kz__text_file *config, kz__tokenizer **tokenizer, kz__err *err) {
    *tokenizer = NULL;
    kz__tokenizer *t = kz__calloc(mem, 1, sizeof *t);
    if (!t) return kz__fail_memory(err);
    t->mem = mem;
    t->bpe.mem = mem;
    t->specials.mem = mem;
    kz_status status = kz__bpe_parse(&t->bpe, vocab, merges, err);
    if (status == KZ_OK) status = kz__specials_parse(&t->specials, &t->bpe, config, err);
    if (status != KZ_OK) {
        kz__tokenizer_free(t);
        return status;
    }
    t->count = t->bpe.count;
    for (size_t i = 0; i < t->specials.count; i++) {
        size_t end = (size_t)t->specials.list[i].id + 1;
        if (t->count < end) t->count = end;
    }
    *tokenizer = t;
    return KZ_OK;
}

void kz__tokenizer_free(kz__tokenizer *tokenizer) {
    if (!tokenizer) return;
    kz__bpe_clear(&tokenizer->bpe);
    kz__specials_clear(&tokenizer->specials);
    kz__free(tokenizer->mem, tokenizer);
}

static kz_status read_open(kz__mem *mem, FILE *stream, const char *path, char **data, size_t *size,
                           kz__err *err) {
    size_t capacity = 0;
    for (;;) {
        if (*size == capacity) {
            if (capacity >= FILE_LIMIT) {
                return kz__fail(err, KZ_ERR_MODEL, "%s is larger than %zu bytes", path, FILE_LIMIT);
            }
            capacity = capacity ? 2 * capacity : (size_t)1 << 16;
            char *grown = kz__grow(mem, *data, capacity);
            if (!grown) return kz__fail_memory(err);
            *data = grown;
        }
        size_t count = fread(*data + *size, 1, capacity - *size, stream);
        *size += count;
        if (count == 0) break;
    }
    if (ferror(stream)) {
        return kz__fail(err, KZ_ERR_MODEL, "%s cannot be read: %s", path, strerror(errno));
    }
    return KZ_OK;
}

/* Reads FOLDER/NAME; file->name becomes the path. Both are the caller's to free,
 * also on failure. */
static kz_status read_file(kz__mem *mem, const char *folder, const char *name, char **path,
                           char **data, kz__text_file *file, kz__err *err) {
    size_t length = strlen(folder) + strlen(name) + 2;
    *path = kz__alloc(mem, length);
    if (!*path) return kz__fail_memory(err);
    snprintf(*path, length, "%s/%s", folder, name);
    FILE *stream = fopen(*path, "rb");
    if (!stream && errno == ENOMEM) return kz__fail_memory(err);
    if (!stream) {
        return kz__fail(err, KZ_ERR_MODEL, "the tokenizer needs %s: %s", *path, strerror(errno));
    }
    kz_status status = read_open(mem, stream, *path, data, &file->size, err);
    fclose(stream);
    file->name = *path;
    file->data = *data;
    return status;
}

kz_status kz__tokenizer_open(kz__mem *mem, const char *folder, kz__tokenizer **tokenizer,
                             kz__err *err) {
    static const char *const names[] = {"vocab.json", "merges.txt", "tokenizer_config.json"};
    kz__text_file files[3] = {{0}};
    char *paths[3] = {NULL, NULL, NULL};
    char *data[3] = {NULL, NULL, NULL};
    kz_status status = KZ_OK;
    *tokenizer = NULL;
    for (int i = 0; i < 3 && status == KZ_OK; i++) {
        status = read_file(mem, folder, names[i], &paths[i], &data[i], &files[i], err);
    }
    if (status == KZ_OK) {
        status = kz__tokenizer_make(mem, &files[0], &files[1], &files[2], tokenizer, err);
    }
    for (int i = 0; i < 3; i++) {
        kz__free(mem, paths[i]);
        kz__free(mem, data[i]);
    }
    return status;
}

/* ---- tokens ------------------------------------------------------------------------------ */

static const kz__special *special_by_id(const kz__tokenizer *tokenizer, int32_t id) {
    for (size_t i = 0; i < tokenizer->specials.count; i++) {
        if (tokenizer->specials.list[i].id == id) return &tokenizer->specials.list[i];
    }
    return NULL;
}

bool kz__tokenizer_token(const kz__tokenizer *tokenizer, int32_t id, const char **bytes,
                         size_t *length) {
    const kz__bpe *bpe = &tokenizer->bpe;
    if (id >= 0 && (size_t)id < bpe->count && bpe->tokens[id].length) {
        *bytes = bpe->bytes + bpe->tokens[id].offset;
        *length = bpe->tokens[id].length;
        return true;
    }
    const kz__special *special = special_by_id(tokenizer, id);
    if (!special) return false;
    *bytes = special->text;
    *length = special->length;
    return true;
}

size_t kz__tokenizer_count(const kz__tokenizer *tokenizer) {
    return tokenizer->count;
}

int32_t kz__tokenizer_special(const kz__tokenizer *tokenizer, const char *literal) {
    size_t length = strlen(literal);
    for (size_t i = 0; i < tokenizer->specials.count; i++) {
        const kz__special *special = &tokenizer->specials.list[i];
        if (special->length == length && !memcmp(special->text, literal, length)) {
            return special->id;
        }
    }
    return -1;
}

bool kz__tokenizer_is_special(const kz__tokenizer *tokenizer, int32_t id) {
    return special_by_id(tokenizer, id) != NULL;
}

const kz__bpe *kz__tokenizer_bpe(const kz__tokenizer *tokenizer) {
    return &tokenizer->bpe;
}

/* ---- encode ------------------------------------------------------------------------------ */

static const kz__special *special_at(const kz__specials *specials, const char *text,
                                     size_t length) {
    for (size_t i = 0; i < specials->count; i++) {
        const kz__special *special = &specials->list[i];
        if (special->length <= length && !memcmp(special->text, text, special->length)) {
            return special;
        }
    }
    return NULL;
}

/* The first control token in text, the longest one there; *at is its offset, length if none. */
static const kz__special *next_special(const kz__tokenizer *tokenizer, const char *text,
                                       size_t length, size_t *at) {
    for (*at = 0; *at < length; (*at)++) {
        const kz__special *special = special_at(&tokenizer->specials, text + *at, length - *at);
        if (special) return special;
    }
    return NULL;
}

static kz_status encode(const kz__tokenizer *tokenizer, kz__textstream *stream, const char *text,
                        size_t length, unsigned flags, kz__ints *out, kz__err *err) {
    size_t at = 0;
    kz_status status = KZ_OK;
    while (at < length && status == KZ_OK) {
        size_t size = length - at;
        const kz__special *special = NULL;
        if (flags & KZ__TEXT_SPECIALS) special = next_special(tokenizer, text + at, size, &size);
        status = kz__textstream_push(stream, text + at, size, out, err);
        if (status == KZ_OK) status = kz__textstream_finish(stream, out, err);
        at += size;
        if (!special || status != KZ_OK) continue;
        if (!kz__ints_push(out, special->id)) return kz__fail_memory(err);
        at += special->length;
    }
    return status;
}

kz_status kz__tokenizer_encode(const kz__tokenizer *tokenizer, const char *text, size_t length,
                               unsigned flags, kz__ints *out, kz__err *err) {
    size_t before = out->count;
    kz__textstream *stream = NULL;
    kz_status status = kz__utf8_check(text, length, err);
    if (status != KZ_OK) return status;
    status = kz__textstream_open(&tokenizer->bpe, out->mem, flags | KZ__TEXT_AS_IS, &stream, err);
    if (status == KZ_OK) status = encode(tokenizer, stream, text, length, flags, out, err);
    if (status != KZ_OK) out->count = before;
    kz__textstream_close(stream);
    return status;
}
