/* Writing of packed files: entries as they come, then the table, then the header. */
#include "weights/packed.h"

#include "base/checksum.h"

#include <string.h>

#define NAMES_AT_ONCE 256

struct kz__packed_writer {
    kz__mem *mem;
    kz_write_fn write;
    void *user;
    uint64_t at;          /* where the next entry goes */
    unsigned char *table; /* [capacity][KZ__TOC_SIZE] */
    size_t count, capacity;
};

static void put_u32(unsigned char *bytes, uint32_t value) {
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static void put_u64(unsigned char *bytes, uint64_t value) {
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

kz_status kz__packed_writer_create(kz__mem *mem, kz_write_fn write, void *user,
                                   kz__packed_writer **writer, kz__err *err) {
    kz__packed_writer *w = kz__calloc(mem, 1, sizeof *w);
    *writer = w;
    if (!w) return kz__fail_memory(err);
    w->mem = mem;
    w->write = write;
    w->user = user;
    w->at = KZ__PACKED_PAGE;
    return KZ_OK;
}

void kz__packed_writer_free(kz__packed_writer *writer) {
    if (!writer) return;
    kz__free(writer->mem, writer->table);
    kz__free(writer->mem, writer);
}

static kz_status put(kz__packed_writer *w, uint64_t offset, const void *data, size_t bytes,
                     kz__err *err) {
    if (w->write(w->user, offset, data, bytes) == 0) return KZ_OK;
    return kz__fail(err, KZ_ERR_OUTPUT, "the packed file could not be written");
}

/* Zeros from offset up to the next page. */
static kz_status put_zeros(kz__packed_writer *w, uint64_t offset, kz__err *err) {
    static const unsigned char zeros[KZ__PACKED_PAGE];
    uint64_t missing = kz__packed_pages(offset) - offset;
    return missing ? put(w, offset, zeros, (size_t)missing, err) : KZ_OK;
}

/* A chunk at a time, so that a caller who stops is heard soon. */
static kz_status put_data(kz__packed_writer *w, const unsigned char *data, uint64_t bytes,
                          uint64_t *sums, kz__err *err) {
    size_t count = kz__checksum_chunks(kz__packed_pages(bytes));
    for (size_t i = 0; i < count; i++) {
        uint64_t from = (uint64_t)i * KZ__CHECKSUM_CHUNK;
        uint64_t left = bytes - from;
        size_t here = left < KZ__CHECKSUM_CHUNK ? (size_t)left : KZ__CHECKSUM_CHUNK;
        sums[i] = kz__checksum(data + from, here, (size_t)kz__packed_pages(here));
        kz_status status = put(w, w->at + from, data + from, here, err);
        if (status != KZ_OK) return status;
    }
    return put_zeros(w, w->at + bytes, err);
}

static kz_status make_room(kz__packed_writer *w, kz__err *err) {
    if (w->count < w->capacity) return KZ_OK;
    size_t capacity = w->capacity + NAMES_AT_ONCE;
    unsigned char *grown = kz__grow(w->mem, w->table, capacity * KZ__TOC_SIZE);
    if (!grown) return kz__fail_memory(err);
    w->table = grown;
    w->capacity = capacity;
    return KZ_OK;
}

static void put_row(unsigned char *row, const kz__packed_entry *entry) {
    uint32_t factor = 0;
    memcpy(&factor, &entry->factor, sizeof factor);
    memset(row, 0, KZ__TOC_SIZE);
    memcpy(row, entry->name, strlen(entry->name));
    put_u64(row + KZ__TOC_OFFSET, entry->offset);
    put_u64(row + KZ__TOC_BYTES, entry->bytes);
    put_u64(row + KZ__TOC_CHECKSUM, entry->checksum);
    put_u32(row + KZ__TOC_KIND, (uint32_t)entry->kind);
    put_u32(row + KZ__TOC_TYPE, (uint32_t)entry->type);
    put_u32(row + KZ__TOC_RANK, (uint32_t)entry->rank);
    put_u32(row + KZ__TOC_FACTOR, factor);
    for (int i = 0; i < entry->rank; i++) {
        put_u64(row + KZ__TOC_SHAPE + 8 * (size_t)i, entry->shape[i]);
    }
}

kz_status kz__packed_write(kz__packed_writer *w, const kz__packed_entry *entry, const void *data,
                           kz__err *err) {
    kz__packed_entry row = *entry;
    kz_status status = make_room(w, err);
    if (status != KZ_OK) return status;
    if (strlen(entry->name) >= KZ__PACKED_NAME) {
        return kz__fail(err, KZ_ERR_MODEL, "the name '%.60s...' is longer than %d bytes",
                        entry->name, KZ__PACKED_NAME - 1);
    }
    row.offset = data ? w->at : 0;
    row.bytes = data ? entry->bytes : 0;
    row.checksum = 0;
    if (data) {
        size_t count = kz__checksum_chunks(kz__packed_pages(row.bytes));
        uint64_t *sums = kz__calloc(w->mem, count, sizeof *sums);
        if (!sums) return kz__fail_memory(err);
        status = put_data(w, data, row.bytes, sums, err);
        row.checksum = kz__checksum_join(sums, count);
        kz__free(w->mem, sums);
        if (status != KZ_OK) return status;
        w->at += kz__packed_pages(row.bytes);
    }
    put_row(w->table + w->count * KZ__TOC_SIZE, &row);
    w->count++;
    return KZ_OK;
}

kz_status kz__packed_finish(kz__packed_writer *w, const kz__packed_header *header, uint64_t *bytes,
                            size_t *entries, kz__err *err) {
    unsigned char page[KZ__PACKED_PAGE] = {0};
    size_t size = w->count * KZ__TOC_SIZE;
    size_t padded = (size_t)kz__packed_pages(size);
    kz_status status = put(w, w->at, w->table, size, err);
    if (status == KZ_OK) status = put_zeros(w, w->at + size, err);
    if (status != KZ_OK) return status;
    memcpy(page, kz__packed_magic, sizeof kz__packed_magic);
    put_u32(page + KZ__HEAD_MAJOR, header->major);
    put_u32(page + KZ__HEAD_MINOR, header->minor);
    put_u64(page + KZ__HEAD_FILE_BYTES, w->at + padded);
    put_u64(page + KZ__HEAD_TABLE_OFFSET, w->at);
    put_u64(page + KZ__HEAD_TABLE_CHECKSUM, kz__checksum(w->table, size, padded));
    put_u32(page + KZ__HEAD_ENTRIES, (uint32_t)w->count);
    put_u32(page + KZ__HEAD_ARITHMETIC, header->arithmetic);
    put_u32(page + KZ__HEAD_TYPE, (uint32_t)header->type);
    memcpy(page + KZ__HEAD_DECODER, header->decoder, sizeof header->decoder);
    put_u64(page + KZ__HEAD_CHECKSUM, kz__checksum(page, KZ__HEAD_CHECKSUM, sizeof page));
    *bytes = w->at + padded;
    *entries = w->count;
    return put(w, 0, page, sizeof page, err);
}
