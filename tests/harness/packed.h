/* Packed files for tests: made in memory, looked at and sealed again after a change, by a reading
 * of docs/FORMATS.md of its own. Needs no test library. */
#ifndef KZT_PACKED_H
#define KZT_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* What was written. */
typedef struct kzt_file {
    unsigned char *bytes; /* malloc'ed */
    size_t size, room;
    size_t calls, stop_at; /* the call that is refused, counted from 1; 0: none */
} kzt_file;

/* A kz_write_fn; user is a kzt_file. */
int kzt_file_take(void *user, uint64_t offset, const void *data, size_t bytes);
void kzt_file_free(kzt_file *file);

/* The checksum of whole pages, byte by byte. */
uint64_t kzt_checksum(const unsigned char *bytes, uint64_t size);

/* Little-endian numbers. */
uint64_t kzt_get(const unsigned char *bytes, size_t at, int width);
void kzt_put(unsigned char *bytes, size_t at, int width, uint64_t value);

/* Where the record of an entry begins, 0 where there is none. */
size_t kzt_packed_row(const kzt_file *file, const char *name);

/* Makes the checksums of table and header right where table and header can be found. */
void kzt_packed_seal(unsigned char *bytes, size_t size);
/* And that of what an entry holds. */
void kzt_packed_seal_entry(kzt_file *file, size_t row);

#endif
