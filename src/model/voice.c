/* The form of a saved voice (.kzv): a header, chunks, a checksum of all that. Numbers are little
 * endian. Every count is compared with the bytes that are left before anything is read. */
#include "model/voice.h"

#include "base/checksum.h"
#include "text/utf8.h"

#include <math.h>
#include <string.h>

#define FAMILY "qwen3-tts-12hz" /* of the models that voices are for */
#define HEADER 32
#define CHUNK 8  /* tag and bytes in front of a chunk's data, which fills up to 8 */
#define TRAILER 8
#define CHUNKS_MOST 64

static const unsigned char magic[8] = {0x89, 'K', 'Z', 'V', 0x0D, 0x0A, 0x1A, 0x0A};

enum { FAMI, FITS, CLIP, VECT, CODE, SAID, LANG, NOTE, WITH, VERS, NAME, KINDS };
static const char tags[KINDS][5] = {"FAMI", "FITS", "CLIP", "VECT", "CODE", "SAID",
                                    "LANG", "NOTE", "WITH", "VERS", "NAME"};

/* ---- numbers ------------------------------------------------------------------------------- */

static void put(unsigned char *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static size_t padded(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

static uint64_t checksum(const unsigned char *bytes, size_t length) {
    return kz__checksum(bytes, length, padded(length, 64));
}

/* ---- writing ------------------------------------------------------------------------------- */

/* bytes NULL: only counts. */
typedef struct writer {
    unsigned char *bytes;
    size_t length, chunks;
} writer;

/* The chunk's data, to be filled in; NULL while counting. */
static unsigned char *begin(writer *w, const char *tag, size_t bytes) {
    unsigned char *at = w->bytes ? w->bytes + w->length : NULL;
    if (at) {
        memcpy(at, tag, 4);
        put(at + 4, bytes, 4);
    }
    w->length += CHUNK + padded(bytes, 8);
    w->chunks++;
    return at ? at + CHUNK : NULL;
}

static void write_text(writer *w, int kind, const char *text) {
    if (!text || !text[0]) return;
    unsigned char *at = begin(w, tags[kind], strlen(text));
    if (at) memcpy(at, text, strlen(text));
}

static void write_numbers(writer *w, const kz_voice_info *i) {
    unsigned char *at = begin(w, tags[FITS], 20);
    if (at) {
        put(at, (uint64_t)i->vector_length, 4);
        put(at + 4, (uint64_t)i->sample_rate, 4);
        put(at + 8, (uint64_t)i->samples_per_frame, 4);
        put(at + 12, (uint64_t)i->codes_per_frame, 4);
        put(at + 16, (uint64_t)i->codebook_size, 4);
    }
    at = begin(w, tags[CLIP], 12);
    if (at) {
        put(at, i->samples, 8);
        put(at + 8, (uint64_t)i->tail_ms, 4);
    }
}

static void write_values(writer *w, const kz__voice_parts *p) {
    size_t floats = (size_t)p->info.vector_length;
    size_t codes = p->codes ? p->info.frames * (size_t)p->info.codes_per_frame : 0;
    unsigned char *at = begin(w, tags[VECT], 4 * floats);
    for (size_t i = 0; at && i < floats; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &p->vector[i], sizeof bits);
        put(at + 4 * i, bits, 4);
    }
    if (!codes) return;
    at = begin(w, tags[CODE], 2 * codes);
    for (size_t i = 0; at && i < codes; i++) put(at + 2 * i, (uint64_t)p->codes[i], 2);
}

static void write_parts(writer *w, const kz__voice_parts *p) {
    write_text(w, FAMI, FAMILY);
    write_numbers(w, &p->info);
    write_values(w, p);
    write_text(w, SAID, p->info.transcript);
    write_text(w, LANG, p->info.language);
    write_text(w, NOTE, p->info.consent);
    write_text(w, WITH, p->info.made_with);
    write_text(w, VERS, p->info.version);
    write_text(w, NAME, p->info.name);
}

/* Room for what was counted, header and trailer included. */
static kz_status room(kz__mem *mem, writer *w, kz__err *err) {
    size_t length = HEADER + w->length + TRAILER;
    if (length > KZ__VOICE_BYTES) {
        kz__fail(err, KZ_ERR_INPUT, "the voice takes %zu bytes, at most %zu are allowed: take a "
                 "shorter recording", length, KZ__VOICE_BYTES);
        return KZ_ERR_INPUT;
    }
    w->bytes = kz__calloc(mem, 1, length);
    if (!w->bytes) return kz__fail_memory(err);
    w->length = HEADER;
    w->chunks = 0;
    return KZ_OK;
}

static void finish(writer *w, uint32_t minor) {
    memcpy(w->bytes, magic, sizeof magic);
    put(w->bytes + 8, KZ__VOICE_MAJOR, 4);
    put(w->bytes + 12, minor, 4);
    put(w->bytes + 16, w->length + TRAILER, 8);
    put(w->bytes + 24, w->chunks, 4);
    put(w->bytes + w->length, checksum(w->bytes, w->length), TRAILER);
    w->length += TRAILER;
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct chunk {
    const unsigned char *data; /* NULL: is not there */
    size_t bytes;
} chunk;

typedef struct reader {
    const unsigned char *bytes;
    size_t length;
    const char *name;
    kz__err *err;
    chunk chunks[KINDS];
} reader;

static kz_status bad(const reader *r, const char *what) {
    return kz__fail(r->err, KZ_ERR_INPUT, "'%s' cannot be used as a voice: %s", r->name, what);
}

static kz_status read_header(const reader *r) {
    const unsigned char *b = r->bytes;
    if (r->length < sizeof magic || memcmp(b, magic, sizeof magic) != 0) {
        return bad(r, "it is no saved voice (.kzv)");
    }
    if (r->length < HEADER + TRAILER) return bad(r, "it is cut short");
    uint32_t major = (uint32_t)get(b + 8, 4);
    if (major != KZ__VOICE_MAJOR) {
        return kz__fail(r->err, KZ_ERR_INPUT,
                        "'%s' is a voice of version %lu, this build reads version %d: %s", r->name,
                        (unsigned long)major, KZ__VOICE_MAJOR,
                        major > KZ__VOICE_MAJOR ? "a newer Kazeia is needed" : "make it anew");
    }
    uint64_t length = get(b + 16, 8);
    if (length > r->length) return bad(r, "it is cut short");
    if (length < r->length) return bad(r, "there is more in the file than the voice");
    if (length % 8) return bad(r, "its length is wrong");
    if (get(b + length - TRAILER, TRAILER) != checksum(b, (size_t)length - TRAILER)) {
        return bad(r, "it was changed or damaged (the checksum differs)");
    }
    return KZ_OK;
}

/* Behind the checksum: what is wrong from here on was written so. */
static kz_status read_chunks(reader *r) {
    size_t at = HEADER;
    size_t end = r->length - TRAILER;
    size_t count = (size_t)get(r->bytes + 24, 4);
    if (count > CHUNKS_MOST) return bad(r, "it has too many parts");
    for (size_t i = 0; i < count; i++) {
        if (end - at < CHUNK) return bad(r, "a part is missing");
        const unsigned char *tag = r->bytes + at;
        size_t bytes = (size_t)get(tag + 4, 4);
        at += CHUNK;
        if (bytes > end - at || padded(bytes, 8) > end - at) return bad(r, "a part is too long");
        for (size_t k = 0; k < KINDS; k++) {
            if (memcmp(tag, tags[k], 4) != 0) continue;
            if (r->chunks[k].data) return bad(r, "a part is there twice");
            r->chunks[k] = (chunk){r->bytes + at, bytes};
        }
        at += padded(bytes, 8);
    }
    return at == end ? KZ_OK : bad(r, "there is something behind its parts");
}

/* The text of a chunk, "" where it is not there. */
static kz_status read_text(const reader *r, kz_voice *v, int kind, size_t most, const char **text) {
    const chunk *c = &r->chunks[kind];
    const char *bytes = (const char *)c->data;
    *text = "";
    if (!c->data) return KZ_OK;
    if (c->bytes == 0 || c->bytes > most || kz__utf8_check(bytes, c->bytes, NULL)) {
        return kz__fail(r->err, KZ_ERR_INPUT, "'%s' cannot be used as a voice: its text %s is not "
                        "1 to %zu bytes of UTF-8", r->name, tags[kind], most);
    }
    *text = kz__strndup(&v->mem, bytes, c->bytes);
    return *text ? KZ_OK : kz__fail_memory(r->err);
}

static kz_status read_texts(const reader *r, kz_voice *v) {
    const struct {
        int kind;
        size_t most;
        const char **text;
    } texts[] = {
        {SAID, KZ__VOICE_TRANSCRIPT, &v->info.transcript},
        {LANG, KZ__VOICE_LANGUAGE, &v->info.language},
        {NOTE, KZ__VOICE_CONSENT, &v->info.consent},
        {WITH, KZ__VOICE_LABEL, &v->info.made_with},
        {VERS, KZ__VOICE_LABEL, &v->info.version},
        {NAME, KZ_VOICE_NAME_MOST, &v->info.name},
    };
    kz_status status = KZ_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++) {
        status = read_text(r, v, texts[i].kind, texts[i].most, texts[i].text);
    }
    if (status || !v->info.name[0]) return status;
    char name[KZ_VOICE_NAME_MOST + 1];
    kz__err err = {""};
    status = kz__voice_name(&v->mem, v->info.name, name, &err);
    if (status == KZ_ERR_MEMORY) return kz__fail_memory(r->err);
    if (status) return bad(r, err.text);
    return strcmp(name, v->info.name) ? bad(r, "its name is not in normalisation form C") : KZ_OK;
}

static kz_status read_number(const reader *r, const chunk *c, size_t at, uint64_t most,
                             int *value) {
    uint64_t given = get(c->data + at, 4);
    if (given < 1 || given > most) return bad(r, "one of its numbers is out of range");
    *value = (int)given;
    return KZ_OK;
}

static kz_status read_numbers(const reader *r, kz_voice_info *i) {
    const chunk *family = &r->chunks[FAMI];
    const chunk *fits = &r->chunks[FITS];
    const chunk *clip = &r->chunks[CLIP];
    if (!family->data || !fits->data || !clip->data || !r->chunks[VECT].data) {
        return bad(r, "a part is missing");
    }
    if (family->bytes != strlen(FAMILY) || memcmp(family->data, FAMILY, family->bytes) != 0) {
        return bad(r, "it was made for another family of models than " FAMILY);
    }
    if (fits->bytes < 20 || clip->bytes < 12) return bad(r, "a part is too short");
    kz_status status = read_number(r, fits, 0, 65536, &i->vector_length);
    if (!status) status = read_number(r, fits, 4, 768000, &i->sample_rate);
    if (!status) status = read_number(r, fits, 8, 1 << 20, &i->samples_per_frame);
    if (!status) status = read_number(r, fits, 12, 64, &i->codes_per_frame);
    if (!status) status = read_number(r, fits, 16, 65536, &i->codebook_size);
    if (status) return status;
    i->samples = get(clip->data, 8);
    uint64_t tail = get(clip->data + 8, 4);
    if (tail > 5000) return bad(r, "one of its numbers is out of range");
    i->tail_ms = (int)tail;
    return KZ_OK;
}

static kz_status read_vector(const reader *r, kz_voice *v) {
    const chunk *c = &r->chunks[VECT];
    size_t count = (size_t)v->info.vector_length;
    if (c->bytes != 4 * count) return bad(r, "its speaker vector has another length than it says");
    v->vector = kz__calloc(&v->mem, count, sizeof *v->vector);
    if (!v->vector) return kz__fail_memory(r->err);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)get(c->data + 4 * i, 4);
        memcpy(&v->vector[i], &bits, sizeof bits);
        if (!isfinite(v->vector[i])) {
            return bad(r, "its speaker vector has a value that is not finite");
        }
    }
    return KZ_OK;
}

static kz_status read_codes(const reader *r, kz_voice *v) {
    const chunk *c = &r->chunks[CODE];
    size_t groups = (size_t)v->info.codes_per_frame;
    size_t count = c->bytes / 2;
    if (!c->data != !r->chunks[SAID].data) {
        return bad(r, "of codes and transcript it has one without the other");
    }
    if (!c->data) return KZ_OK;
    if (!count || c->bytes % (2 * groups)) return bad(r, "its codes are no whole frames");
    v->codes = kz__calloc(&v->mem, count, sizeof *v->codes);
    if (!v->codes) return kz__fail_memory(r->err);
    for (size_t i = 0; i < count; i++) {
        v->codes[i] = (int32_t)get(c->data + 2 * i, 2);
        if (v->codes[i] >= v->info.codebook_size) return bad(r, "a code is out of range");
    }
    v->info.frames = count / groups;
    return KZ_OK;
}

/* Of vector, codes and transcript. */
static uint64_t contents(const reader *r) {
    static const int kinds[] = {VECT, CODE, SAID};
    uint64_t sums[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        const chunk *c = &r->chunks[kinds[i]];
        if (c->data) sums[i] = checksum(c->data, c->bytes);
    }
    return kz__checksum_join(sums, 3);
}

static kz_status read_all(kz_voice *v, const char *name, kz__err *err) {
    reader r = {.bytes = v->bytes, .length = v->length, .name = name, .err = err};
    kz_status status = read_header(&r);
    if (!status) status = read_chunks(&r);
    if (!status) status = read_numbers(&r, &v->info);
    if (!status) status = read_vector(&r, v);
    if (!status) status = read_codes(&r, v);
    if (!status) status = read_texts(&r, v);
    if (!status) v->info.checksum = contents(&r);
    return status;
}

/* ---- life ---------------------------------------------------------------------------------- */

static kz_voice *create(const kz__mem *like, kz__err *err) {
    kz__mem boot;
    kz__mem_init_like(&boot, like);
    kz_voice *v = kz__calloc(&boot, 1, sizeof *v);
    if (!v) {
        kz__fail_memory(err);
        return NULL;
    }
    kz__mem_init_like(&v->mem, like);
    v->info.size = sizeof v->info;
    return v;
}

static void free_text(kz_voice *v, const char *text) {
    if (text && text[0]) kz__free(&v->mem, (char *)(uintptr_t)text);
}

void kz_voice_free(kz_voice *v) {
    if (!v) return;
    free_text(v, v->info.name);
    free_text(v, v->info.language);
    free_text(v, v->info.transcript);
    free_text(v, v->info.consent);
    free_text(v, v->info.made_with);
    free_text(v, v->info.version);
    kz__free(&v->mem, v->vector);
    kz__free(&v->mem, v->codes);
    kz__free(&v->mem, v->bytes);
    kz__mem last;
    kz__mem_init_like(&last, &v->mem);
    kz__free(&last, v);
}

/* Ends the making of a voice that has its bytes. */
static kz_status settle(kz_voice *v, kz_status status, const char *name, kz_voice **voice,
                        kz__err *err) {
    if (!status) status = read_all(v, name, err);
    if (status) {
        kz_voice_free(v);
        return status;
    }
    *voice = v;
    return KZ_OK;
}

kz_status kz__voice_make(const kz__mem *like, const kz__voice_parts *parts, kz_voice **voice,
                         kz__err *err) {
    writer w = {NULL, 0, 0};
    *voice = NULL;
    kz_voice *v = create(like, err);
    if (!v) return KZ_ERR_MEMORY;
    write_parts(&w, parts);
    kz_status status = room(&v->mem, &w, err);
    if (!status) {
        write_parts(&w, parts);
        finish(&w, KZ__VOICE_MINOR);
        v->bytes = w.bytes;
        v->length = w.length;
    }
    return settle(v, status, "recording", voice, err);
}

kz_status kz__voice_read(const kz__mem *like, const void *bytes, size_t length, const char *name,
                         kz_voice **voice, kz__err *err) {
    *voice = NULL;
    if (length > KZ__VOICE_BYTES) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "'%s' has more than %zu bytes: it is no saved voice (.kzv)", name,
                        KZ__VOICE_BYTES);
    }
    kz_voice *v = create(like, err);
    if (!v) return KZ_ERR_MEMORY;
    v->bytes = kz__alloc(&v->mem, length);
    v->length = length;
    kz_status status = v->bytes ? KZ_OK : kz__fail_memory(err);
    if (v->bytes && length) memcpy(v->bytes, bytes, length);
    return settle(v, status, name, voice, err);
}

/* All chunks but the name, and those that this version does not know too. */
static void write_renamed(writer *w, const kz_voice *v, const char *name) {
    const unsigned char *end = v->bytes + v->length - TRAILER;
    for (const unsigned char *at = v->bytes + HEADER; at < end;) {
        size_t bytes = (size_t)get(at + 4, 4);
        if (memcmp(at, tags[NAME], 4) != 0) {
            unsigned char *to = begin(w, (const char *)at, bytes);
            if (to) memcpy(to, at + CHUNK, bytes);
        }
        at += CHUNK + padded(bytes, 8);
    }
    write_text(w, NAME, name);
}

kz_status kz__voice_renamed(const kz_voice *voice, const char *name, kz_voice **renamed,
                            kz__err *err) {
    writer w = {NULL, 0, 0};
    *renamed = NULL;
    kz_voice *v = create(&voice->mem, err);
    if (!v) return KZ_ERR_MEMORY;
    write_renamed(&w, voice, name);
    kz_status status = room(&v->mem, &w, err);
    if (!status) {
        write_renamed(&w, voice, name);
        finish(&w, (uint32_t)get(voice->bytes + 12, 4));
        v->bytes = w.bytes;
        v->length = w.length;
    }
    return settle(v, status, name, renamed, err);
}
