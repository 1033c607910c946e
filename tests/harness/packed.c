/* A second reading of the packed form, in plain steps. */
#include "packed.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u /* the header */
#define ALIGN 64u
#define CHUNK (1u << 20)
#define ROW 256u

int kzt_file_take(void *user, uint64_t offset, const void *data, size_t bytes) {
    kzt_file *file = user;
    size_t end = (size_t)offset + bytes;
    if (++file->calls == file->stop_at) return 1;
    if (end > file->room) {
        size_t room = 2 * end;
        unsigned char *grown = realloc(file->bytes, room);
        if (!grown) abort();
        memset(grown + file->size, 0, room - file->size);
        file->bytes = grown;
        file->room = room;
    }
    memcpy(file->bytes + offset, data, bytes);
    if (end > file->size) file->size = end;
    return 0;
}

void kzt_file_free(kzt_file *file) {
    free(file->bytes);
    memset(file, 0, sizeof *file);
}

uint64_t kzt_get(const unsigned char *bytes, size_t at, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; i++) value |= (uint64_t)bytes[at + (size_t)i] << (8 * i);
    return value;
}

void kzt_put(unsigned char *bytes, size_t at, int width, uint64_t value) {
    for (int i = 0; i < width; i++) bytes[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

/* size is a multiple of 64. */
static uint64_t chunk_sum(const unsigned char *bytes, uint64_t size) {
    const uint64_t k = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t h[8];
    for (uint64_t j = 0; j < 8; j++) h[j] = (j + 1) * k;
    for (uint64_t word = 0; word < size / 8; word++) {
        uint64_t x = h[word % 8] ^ kzt_get(bytes, (size_t)(8 * word), 8);
        h[word % 8] = (x << 29 | x >> 35) * k;
    }
    uint64_t r = size;
    for (int j = 0; j < 8; j++) {
        r = (r ^ h[j]) * UINT64_C(0xD6E8FEB86659FD93);
        r = r ^ r >> 32;
    }
    return r;
}

uint64_t kzt_checksum(const unsigned char *bytes, uint64_t size) {
    size_t count = (size_t)((size + CHUNK - 1) / CHUNK);
    if (count == 1) return chunk_sum(bytes, size);
    unsigned char *sums = calloc(count + 8, 8);
    if (!sums) abort();
    for (size_t i = 0; i < count; i++) {
        uint64_t left = size - (uint64_t)i * CHUNK;
        kzt_put(sums, 8 * i, 8, chunk_sum(bytes + i * CHUNK, left < CHUNK ? left : CHUNK));
    }
    uint64_t sum = chunk_sum(sums, (8 * count + 63) / 64 * 64);
    free(sums);
    return sum;
}

size_t kzt_packed_row(const kzt_file *file, const char *name) {
    size_t row = (size_t)kzt_get(file->bytes, 24, 8);
    for (uint64_t i = kzt_get(file->bytes, 40, 4); i > 0; i--, row += ROW) {
        if (!strcmp((const char *)file->bytes + row, name)) return row;
    }
    return 0;
}

void kzt_packed_seal(unsigned char *bytes, size_t size) {
    unsigned char head[PAGE];
    if (size < PAGE) return;
    uint64_t table = kzt_get(bytes, 24, 8);
    if (table < size && (size - table) % ALIGN == 0) {
        kzt_put(bytes, 32, 8, kzt_checksum(bytes + table, size - table));
    }
    memcpy(head, bytes, PAGE);
    memset(head + PAGE - 8, 0, 8);
    kzt_put(bytes, PAGE - 8, 8, kzt_checksum(head, PAGE));
}

void kzt_packed_seal_entry(kzt_file *file, size_t row) {
    uint64_t offset = kzt_get(file->bytes, row + 160, 8);
    uint64_t padded = (kzt_get(file->bytes, row + 168, 8) + ALIGN - 1) / ALIGN * ALIGN;
    kzt_put(file->bytes, row + 176, 8, kzt_checksum(file->bytes + offset, padded));
    kzt_packed_seal(file->bytes, file->size);
}
