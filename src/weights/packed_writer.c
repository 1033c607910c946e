/* Writing of packed files: entries as they come, then the table, then the header. In blocks of the
 * size of a huge page: systems keep a file in memory in pieces as large as it was written in. */
#include "weights/packed.h"

#include "base/checksum.h"

#include <string.h>

#define ROWS_AT_ONCE 256
#define BLOCK ((size_t)2 << 20)

struct kz__packed_writer {
    kz__mem *mem;
    kz_write_fn write;
    void *user;
    uint64_t at;          /* where the next byte goes */
    unsigned char *block; /* [BLOCK]: what is not written yet, up to `at` */
    size_t filled;
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
    w->block = kz__calloc(mem, BLOCK, 1);
    w->at = KZ__PACKED_PAGE; /* the header's place */
    w->filled = KZ__PACKED_PAGE;
    return w->block ? KZ_OK : kz__fail_memory(err);
}

void kz__packed_writer_free(kz__packed_writer *writer) {
    if (!writer) return;
    kz__free(writer->mem, writer->block);
    kz__free(writer->mem, writer->table);
    kz__free(writer->mem, writer);
}

static kz_status put(kz__packed_writer *w, uint64_t offset, const void *data, size_t bytes,
                     kz__err *err) {
    if (w->write(w->user, offset, data, bytes) == 0) return KZ_OK;
    return kz__fail(err, KZ_ERR_OUTPUT, "the packed file could not be written");
}

static kz_status flush(kz__packed_writer *w, kz__err *err) {
    kz_status status = put(w, w->at - w->filled, w->block, w->filled, err);
    w->filled = 0;
    return status;
}

static kz_status append(kz__packed_writer *w, const unsigned char *data, size_t bytes,
                        kz__err *err) {
    kz_status status = KZ_OK;
    while (bytes && status == KZ_OK) {
        size_t room = BLOCK - w->filled;
        size_t here = bytes < room ? bytes : room;
        memcpy(w->block + w->filled, data, here);
        w->filled += here;
        w->at += here;
        data += here;
        bytes -= here;
        if (w->filled == BLOCK) status = flush(w, err);
    }
    return status;
}

/* The bytes and zeros up to where the next may begin; their checksum. */
static kz_status append_padded(kz__packed_writer *w, const unsigned char *data, uint64_t bytes,
                              uint64_t *checksum, kz__err *err) {
    static const unsigned char zeros[KZ__PACKED_ALIGN];
    size_t count = kz__checksum_chunks(kz__packed_padded(bytes));
    uint64_t *sums = kz__calloc(w->mem, count, sizeof *sums);
    kz_status status = sums ? KZ_OK : kz__fail_memory(err);
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        uint64_t from = (uint64_t)i * KZ__CHECKSUM_CHUNK;
        uint64_t left = bytes - from;
        size_t here = left < KZ__CHECKSUM_CHUNK ? (size_t)left : KZ__CHECKSUM_CHUNK;
        sums[i] = kz__checksum(data + from, here, (size_t)kz__packed_padded(here));
        status = append(w, data + from, here, err);
    }
    if (status == KZ_OK) {
        *checksum = kz__checksum_join(sums, count);
        status = append(w, zeros, (size_t)(kz__packed_padded(bytes) - bytes), err);
    }
    kz__free(w->mem, sums);
    return status;
}

static kz_status make_room(kz__packed_writer *w, kz__err *err) {
    if (w->count < w->capacity) return KZ_OK;
    size_t capacity = w->capacity + ROWS_AT_ONCE;
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
    if (data) status = append_padded(w, data, row.bytes, &row.checksum, err);
    if (status != KZ_OK) return status;
    put_row(w->table + w->count * KZ__TOC_SIZE, &row);
    w->count++;
    return KZ_OK;
}

kz_status kz__packed_finish(kz__packed_writer *w, const kz__packed_header *header, uint64_t *bytes,
                            size_t *entries, kz__err *err) {
    unsigned char page[KZ__PACKED_PAGE] = {0};
    uint64_t table = w->at;
    uint64_t checksum = 0;
    kz_status status = append_padded(w, w->table, w->count * KZ__TOC_SIZE, &checksum, err);
    if (status == KZ_OK && w->filled) status = flush(w, err);
    if (status != KZ_OK) return status;
    memcpy(page, kz__packed_magic, sizeof kz__packed_magic);
    put_u32(page + KZ__HEAD_MAJOR, header->major);
    put_u32(page + KZ__HEAD_MINOR, header->minor);
    put_u64(page + KZ__HEAD_FILE_BYTES, w->at);
    put_u64(page + KZ__HEAD_TABLE_OFFSET, table);
    put_u64(page + KZ__HEAD_TABLE_CHECKSUM, checksum);
    put_u32(page + KZ__HEAD_ENTRIES, (uint32_t)w->count);
    put_u32(page + KZ__HEAD_ARITHMETIC, header->arithmetic);
    put_u32(page + KZ__HEAD_TYPE, (uint32_t)header->type);
    memcpy(page + KZ__HEAD_DECODER, header->decoder, sizeof header->decoder);
    put_u64(page + KZ__HEAD_CHECKSUM, kz__checksum(page, KZ__HEAD_CHECKSUM, sizeof page));
    *bytes = w->at;
    *entries = w->count;
    return put(w, 0, page, sizeof page, err);
}
