/* vocab.json and merges.txt. The vocabulary is one flat object of 150 thousand short strings, read
 * by a strict parser of just that, straight into the tables.
 *
 * Tokens are spelled with one printable character per byte: 21..7E, A1..AC and AE..FF stand for
 * themselves, the other 68 bytes in increasing order for U+0100, U+0101, ...
 */
#include "text/vocab.h"

#include "text/utf8.h"

#include <string.h>

#define ALPHABET (256 + 68)
#define FREE (-1)

typedef struct reader {
    const kz__text_file *file;
    size_t at;
    kz__err *err;
    kz__bpe *bpe;
    size_t used;            /* of bpe->bytes */
    size_t capacity;        /* of bpe->tokens */
    int32_t *index;         /* hash table of token texts -> id */
    size_t mask;            /* its size - 1 */
    int16_t byte[ALPHABET]; /* character -> byte, -1: none */
} reader;

static void alphabet(int16_t byte[ALPHABET]) {
    for (int i = 0; i < ALPHABET; i++) {
        byte[i] = -1;
    }
    int next = 256;
    for (int b = 0; b < 256; b++) {
        bool printable = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b != 0xAD);
        byte[printable ? b : next++] = (int16_t)b;
    }
}

/* ---- index of token texts ---------------------------------------------------------------- */

static size_t index_slot(const reader *r, const char *text, size_t length) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    }
    size_t at = (size_t)(hash ^ hash >> 29) & r->mask;
    while (r->index[at] != FREE) {
        const kz__bpe_token *token = &r->bpe->tokens[r->index[at]];
        if (token->length == length && !memcmp(r->bpe->bytes + token->offset, text, length)) break;
        at = (at + 1) & r->mask;
    }
    return at;
}

static int32_t index_find(const reader *r, const char *text, size_t length) {
    return length ? r->index[index_slot(r, text, length)] : FREE;
}

/* ---- vocab.json -------------------------------------------------------------------------- */

static kz_status broken(const reader *r, const char *what) {
    return kz__fail(r->err, KZ_ERR_MODEL, "%s: %s at byte %zu", r->file->name, what, r->at);
}

static void skip_white(reader *r) {
    while (r->at < r->file->size && strchr(" \t\r\n", r->file->data[r->at]) &&
           r->file->data[r->at]) {
        r->at++;
    }
}

static bool take(reader *r, char c) {
    skip_white(r);
    if (r->at >= r->file->size || r->file->data[r->at] != c) return false;
    r->at++;
    return true;
}

static kz_status read_hex(reader *r, int32_t *c) {
    if (r->file->size - r->at < 4) return broken(r, "cut escape");
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        char ch = r->file->data[r->at];
        if (ch >= 'A' && ch <= 'F') ch = (char)(ch - 'A' + 'a');
        const char *digit = ch ? strchr(digits, ch) : NULL;
        if (!digit) return broken(r, "bad escape");
        value = value * 16 + (int32_t)(digit - digits);
        r->at++;
    }
    *c = value;
    return KZ_OK;
}

/* One character of a string; the alphabet has none that would need two escapes. */
static kz_status read_character(reader *r, int32_t *c) {
    const char *data = r->file->data;
    if (data[r->at] != '\\') {
        int size = kz__utf8_decode(data + r->at, r->file->size - r->at, c);
        if (size <= 0) return broken(r, "not valid UTF-8");
        if (*c < 0x20) return broken(r, "control character in a string");
        r->at += (size_t)size;
        return KZ_OK;
    }
    r->at++;
    char letter = r->at < r->file->size ? data[r->at] : 0;
    r->at++;
    if (letter == 'u') return read_hex(r, c);
    if (letter != '"' && letter != '\\' && letter != '/') {
        r->at--;
        return broken(r, "bad escape or one that is not of the byte alphabet");
    }
    *c = (unsigned char)letter;
    return KZ_OK;
}

/* Appends the bytes of a token's spelling to bpe->bytes, which has room for the whole file. */
static kz_status read_token(reader *r, size_t *length) {
    size_t start = r->used;
    if (!take(r, '"')) return broken(r, "no string where a token should begin");
    for (;;) {
        if (r->at >= r->file->size) return broken(r, "the file ends inside a token");
        if (r->file->data[r->at] == '"') break;
        int32_t c = 0;
        kz_status status = read_character(r, &c);
        if (status != KZ_OK) return status;
        if (c >= ALPHABET || r->byte[c] < 0) {
            return kz__fail(r->err, KZ_ERR_MODEL,
                            "%s: U+%04X before byte %zu is not of the byte alphabet", r->file->name,
                            (unsigned)c, r->at);
        }
        r->bpe->bytes[r->used++] = (char)r->byte[c];
    }
    r->at++;
    *length = r->used - start;
    return *length ? KZ_OK : broken(r, "empty token");
}

static kz_status read_id(reader *r, int32_t *id) {
    if (!take(r, ':')) return broken(r, "no colon after a token");
    skip_white(r);
    const char *data = r->file->data;
    size_t start = r->at;
    int32_t value = 0;
    while (r->at < r->file->size && data[r->at] >= '0' && data[r->at] <= '9') {
        value = value * 10 + (data[r->at] - '0');
        if (value >= KZ__TOKEN_LIMIT) {
            return kz__fail(r->err, KZ_ERR_MODEL, "%s: the id at byte %zu is not below %d",
                            r->file->name, start, KZ__TOKEN_LIMIT);
        }
        r->at++;
    }
    if (r->at == start || (data[start] == '0' && r->at > start + 1)) {
        r->at = start;
        return broken(r, "no id");
    }
    *id = value;
    return KZ_OK;
}

static kz_status add_token(reader *r, int32_t id, size_t offset, size_t length) {
    kz__bpe *bpe = r->bpe;
    size_t at = index_slot(r, bpe->bytes + offset, length);
    if (r->index[at] != FREE) {
        return kz__fail(r->err, KZ_ERR_MODEL,
                        "%s: the token before byte %zu is there twice (id %d)", r->file->name,
                        r->at, (int)r->index[at]);
    }
    if (bpe->tokens[id].length) {
        return kz__fail(r->err, KZ_ERR_MODEL, "%s: id %d is given twice", r->file->name, (int)id);
    }
    bpe->tokens[id] = (kz__bpe_token){(uint32_t)offset, (uint32_t)length};
    if (bpe->count <= (size_t)id) bpe->count = (size_t)id + 1;
    r->index[at] = id;
    if (length == 1) bpe->symbols[(unsigned char)bpe->bytes[offset]] = id;
    return KZ_OK;
}

static bool tokens_grow(reader *r, int32_t id) {
    if ((size_t)id < r->capacity) return true;
    size_t capacity = 1024;
    while (capacity <= (size_t)id) {
        capacity *= 2;
    }
    kz__bpe_token *tokens = kz__calloc(r->bpe->mem, capacity, sizeof *tokens);
    if (!tokens) return false;
    if (r->capacity) memcpy(tokens, r->bpe->tokens, r->capacity * sizeof *tokens);
    kz__free(r->bpe->mem, r->bpe->tokens);
    r->bpe->tokens = tokens;
    r->capacity = capacity;
    return true;
}

static kz_status read_vocab(reader *r) {
    if (!take(r, '{')) return broken(r, "no JSON object");
    do {
        size_t offset = r->used;
        size_t length = 0;
        int32_t id = 0;
        kz_status status = read_token(r, &length);
        if (status == KZ_OK) status = read_id(r, &id);
        if (status == KZ_OK && !tokens_grow(r, id)) status = kz__fail_memory(r->err);
        if (status == KZ_OK) status = add_token(r, id, offset, length);
        if (status != KZ_OK) return status;
    } while (take(r, ','));
    if (!take(r, '}')) return broken(r, "neither a comma nor the end of the object");
    skip_white(r);
    if (r->at != r->file->size) return broken(r, "something behind the object");
    for (int b = 0; b < 256; b++) {
        if (r->bpe->symbols[b] < 0) {
            return kz__fail(r->err, KZ_ERR_MODEL, "%s: the token of byte 0x%02X is missing",
                            r->file->name, (unsigned)b);
        }
    }
    return KZ_OK;
}

/* ---- merges.txt -------------------------------------------------------------------------- */

static kz_status bad_line(const reader *r, size_t line, const char *what) {
    return kz__fail(r->err, KZ_ERR_MODEL, "%s: line %zu %s", r->file->name, line, what);
}

/* The bytes of a line's half; false where a character is not of the alphabet. */
static bool decode_part(const reader *r, const char *text, size_t size, char *bytes,
                        size_t *length) {
    size_t at = 0;
    while (at < size) {
        int32_t c = 0;
        int taken = kz__utf8_decode(text + at, size - at, &c);
        if (taken <= 0 || c >= ALPHABET || r->byte[c] < 0) return false;
        bytes[(*length)++] = (char)r->byte[c];
        at += (size_t)taken;
    }
    return true;
}

/* made: by token, whether an earlier line or a single byte makes it. scratch has room for the line.
 */
static kz_status read_merge(reader *r, size_t line, const char *text, size_t size, char *scratch,
                            unsigned char *made) {
    const char *space = memchr(text, ' ', size);
    if (!space || memchr(space + 1, ' ', size - (size_t)(space + 1 - text))) {
        return bad_line(r, line, "is not two parts with one space between them");
    }
    size_t half = 0;
    size_t length = 0;
    bool good = decode_part(r, text, (size_t)(space - text), scratch, &length);
    half = length;
    good = good && decode_part(r, space + 1, size - (size_t)(space + 1 - text), scratch, &length);
    if (!good) return bad_line(r, line, "has a character that is not of the byte alphabet");
    int32_t left = index_find(r, scratch, half);
    int32_t right = index_find(r, scratch + half, length - half);
    int32_t merged = index_find(r, scratch, length);
    if (left < 0 || right < 0) return bad_line(r, line, "has a part that is not in the vocabulary");
    if (merged < 0) return bad_line(r, line, "makes a token that is not in the vocabulary");
    if (!made[left] || !made[right]) {
        return bad_line(r, line, "uses a token that no earlier line makes");
    }
    if (made[merged]) return bad_line(r, line, "makes a token that an earlier line makes");
    made[merged] = 1;
    kz__bpe_add(r->bpe, left, right, merged);
    return KZ_OK;
}

static kz_status read_lines(reader *r, char *scratch, unsigned char *made) {
    const char *data = r->file->data;
    size_t line = 0;
    size_t at = 0;
    while (at < r->file->size) {
        const char *end = memchr(data + at, '\n', r->file->size - at);
        size_t size = end ? (size_t)(end - (data + at)) : r->file->size - at;
        const char *text = data + at;
        at += size + (end ? 1 : 0);
        line++;
        if (size && text[size - 1] == '\r') size--;
        bool version = line == 1 && size >= 9 && !memcmp(text, "#version:", 9);
        if (size == 0 || version) continue;
        kz_status status = read_merge(r, line, text, size, scratch, made);
        if (status != KZ_OK) return status;
    }
    return KZ_OK;
}

static kz_status read_merges(reader *r) {
    kz__bpe *bpe = r->bpe;
    size_t lines = 1;
    for (size_t i = 0; i < r->file->size; i++) {
        lines += r->file->data[i] == '\n';
    }
    /* Each token is made at most once, so that a file of empty lines does not make a large
     * table. */
    kz_status status = kz__bpe_reserve(bpe, lines < bpe->count ? lines : bpe->count, r->err);
    if (status != KZ_OK) return status;
    char *scratch = kz__alloc(bpe->mem, r->file->size);
    unsigned char *made = kz__calloc(bpe->mem, bpe->count, 1);
    if (scratch && made) {
        for (int b = 0; b < 256; b++) {
            made[bpe->symbols[b]] = 1;
        }
        status = read_lines(r, scratch, made);
    } else {
        status = kz__fail_memory(r->err);
    }
    kz__free(bpe->mem, scratch);
    kz__free(bpe->mem, made);
    return status;
}

/* ---- both -------------------------------------------------------------------------------- */

/* What is found in the place of a file after a download that went wrong. */
static kz_status check_kind(const kz__text_file *file, kz__err *err) {
    static const char pointer[] = "version https://git-lfs";
    if (file->size == 0) return kz__fail(err, KZ_ERR_MODEL, "%s is empty", file->name);
    if (file->size > UINT32_MAX) return kz__fail(err, KZ_ERR_MODEL, "%s is too large", file->name);
    if (file->size >= sizeof pointer - 1 && !memcmp(file->data, pointer, sizeof pointer - 1)) {
        return kz__fail(err, KZ_ERR_MODEL, "%s is a Git LFS pointer, not the file itself",
                        file->name);
    }
    size_t at = 0;
    while (at < file->size && (file->data[at] == ' ' || file->data[at] == '\n' ||
                               file->data[at] == '\r' || file->data[at] == '\t')) {
        at++;
    }
    if (file->size - at >= 5 &&
        (!memcmp(file->data + at, "<!DOC", 5) || !memcmp(file->data + at, "<!doc", 5) ||
         !memcmp(file->data + at, "<html", 5) || !memcmp(file->data + at, "<HTML", 5))) {
        return kz__fail(err, KZ_ERR_MODEL, "%s is a web page, not the file itself", file->name);
    }
    return KZ_OK;
}

static bool begin(reader *r) {
    kz__bpe *bpe = r->bpe;
    /* An entry has at least 6 bytes: two quotes, a character, colon, digit, comma. */
    size_t size = 64;
    while (size < r->file->size / 3) {
        size *= 2;
    }
    alphabet(r->byte);
    for (int b = 0; b < 256; b++) {
        bpe->symbols[b] = -1;
    }
    r->mask = size - 1;
    r->index = kz__calloc(bpe->mem, size, sizeof *r->index);
    bpe->bytes = kz__alloc(bpe->mem, r->file->size);
    if (!r->index || !bpe->bytes) return false;
    for (size_t i = 0; i < size; i++) {
        r->index[i] = FREE;
    }
    return true;
}

/* The text of all tokens is smaller than their spelling: keep what is used. */
static bool shrink(reader *r) {
    char *bytes = kz__alloc(r->bpe->mem, r->used);
    if (!bytes) return false;
    memcpy(bytes, r->bpe->bytes, r->used);
    kz__free(r->bpe->mem, r->bpe->bytes);
    r->bpe->bytes = bytes;
    return true;
}

kz_status kz__bpe_parse(kz__bpe *bpe, const kz__text_file *vocab, const kz__text_file *merges,
                        kz__err *err) {
    reader r = {.file = vocab, .err = err, .bpe = bpe};
    kz_status status = check_kind(vocab, err);
    if (status == KZ_OK) status = check_kind(merges, err);
    if (status != KZ_OK) return status;
    status = begin(&r) ? read_vocab(&r) : kz__fail_memory(err);
    if (status == KZ_OK && !shrink(&r)) status = kz__fail_memory(err);
    if (status == KZ_OK) {
        r.file = merges;
        status = read_merges(&r);
    }
    kz__free(bpe->mem, r.index);
    return status;
}
