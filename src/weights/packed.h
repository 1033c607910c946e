/* The packed model file `.kz`: everything that is needed to speak and, of Base models, to clone a
 * voice, laid out as the kernels read it, to be mapped and shared. docs/FORMATS.md has the table of
 * its bytes.
 *
 *     page 0      header: magic, version, where the table is, weight type, decoder, checksum
 *     then        what the entries hold, each from a multiple of 64 on, zeros up to the next
 *     the end     table of contents: a record for each entry, in the order of the data
 * Nothing lies between or beyond, and each byte is under a checksum. Little endian.
 */
#ifndef KZ_WEIGHTS_PACKED_H
#define KZ_WEIGHTS_PACKED_H

#include "base/mapfile.h"
#include "base/mem.h"
#include "tensor/tensor.h"

#define KZ__PACKED_MAJOR 2 /* another one is refused */
#define KZ__PACKED_MINOR 0 /* a newer one only adds */
#define KZ__PACKED_PAGE ((size_t)4096) /* of the header */
#define KZ__PACKED_ALIGN ((size_t)64)  /* of all that follows */
#define KZ__PACKED_NAME 160   /* bytes of a name with its zero */
#define KZ__PACKED_DECODER 32 /* of the decoder's */

typedef enum kz__packed_kind {
    KZ__PACKED_FILE = 1,   /* a configuration or tokenizer file as it was */
    KZ__PACKED_TENSOR = 2, /* as stored in the checkpoint, read value by value or row by row */
    KZ__PACKED_SHAPE = 3,  /* a tensor of which only type and shape are kept: panels hold it */
    KZ__PACKED_PANELS = 4  /* of a kz__linear: shape is panels, taps, inner size */
} kz__packed_kind;

typedef struct kz__packed_entry {
    const char *name;
    kz__packed_kind kind;
    kz__dtype type; /* KZ__OTHER for files */
    int rank;
    size_t shape[KZ__MAX_RANK];
    float factor; /* of the scales of quantised panels, else 0 */
    uint64_t offset, bytes; /* bytes 0: only a shape */
    uint64_t checksum;      /* of the bytes with their zeros */
} kz__packed_entry;

/* Names of the codec decoder's arithmetic, by kz_decoder. */
extern const char *const kz__packed_decoders[KZ_DECODER_INT8 + 1];

/* What the header says of the whole. */
typedef struct kz__packed_header {
    uint32_t major, minor;
    uint32_t arithmetic;
    kz_type type; /* KZ_TYPE_STORED: tensors of several types, as they were stored */
    char decoder[KZ__PACKED_DECODER];
} kz__packed_header;

/* ---- reading ------------------------------------------------------------------------------- */

/* Not changed after opening: any number of threads. */
typedef struct kz__packed {
    kz__mem *mem;
    char *path;
    kz__mapfile map;
    kz__packed_header header;
    kz_decoder decoder;        /* as the header names it */
    kz__packed_entry *entries; /* by name */
    char *names;               /* theirs, which outlive a file that is cut */
    size_t count;
} kz__packed;

/* True where path is a file that begins as a packed model, or whose name says so. */
bool kz__packed_is(const char *path);

/* Maps the file and checks header and table completely: sizes, offsets, names, types, shapes and
 * their checksums. *packed is zeroed before; close it also after a failure. */
kz_status kz__packed_open(kz__mem *mem, const char *path, kz__packed *packed, kz__err *err);
/* The same for bytes that stay where they are (from a multiple of 64 on). */
kz_status kz__packed_parse(kz__mem *mem, const unsigned char *bytes, size_t size, const char *path,
                           kz__packed *packed, kz__err *err);
void kz__packed_close(kz__packed *packed);

/* NULL where there is none. */
const kz__packed_entry *kz__packed_find(const kz__packed *packed, const char *name);
const void *kz__packed_data(const kz__packed *packed, const kz__packed_entry *entry);

/* A file, its checksum compared; KZ_ERR_MODEL where there is none, or *data NULL where `optional`.
 * *path is what sentences call it, for kz__free (NULL where there is none). */
kz_status kz__packed_file(const kz__packed *packed, const char *name, bool optional, char **path,
                          const char **data, size_t *size, kz__err *err);

/* A comparison of checksums, which is not part of opening. */
typedef struct kz__packed_check {
    kz__mem *mem;
    const kz__packed *packed;
    struct kz__packed_part *parts; /* [items] */
    size_t items;
} kz__packed_check;

/* begin lists what is to be done for the entries in use (`used`, by their index), item does one
 * of its items on any thread and brings its pages into memory, end tells the first entry that is
 * damaged and frees the list. Tables that are read row by row are not left in memory. */
kz_status kz__packed_check_begin(kz__mem *mem, const kz__packed *packed, const bool *used,
                                 kz__packed_check *check, kz__err *err);
void kz__packed_check_item(const kz__packed_check *check, size_t item);
kz_status kz__packed_check_end(kz__packed_check *check, kz__err *err);

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct kz__packed_writer kz__packed_writer;

/* write gets blocks, in order, then the header's page again, which is zeros before: what is cut
 * short is no packed file. */
kz_status kz__packed_writer_create(kz__mem *mem, kz_write_fn write, void *user,
                                   kz__packed_writer **writer, kz__err *err);
void kz__packed_writer_free(kz__packed_writer *writer);

/* Adds an entry; offset and checksum are the writer's. data NULL: only its shape. KZ_ERR_OUTPUT
 * where `write` said stop. */
kz_status kz__packed_write(kz__packed_writer *writer, const kz__packed_entry *entry,
                           const void *data, kz__err *err);

/* Table and header: the file is complete. bytes: its size. */
kz_status kz__packed_finish(kz__packed_writer *writer, const kz__packed_header *header,
                            uint64_t *bytes, size_t *entries, kz__err *err);

/* ---- both ---------------------------------------------------------------------------------- */

extern const unsigned char kz__packed_magic[8];

enum { /* offsets in the header and in a record of the table */
    KZ__HEAD_MAJOR = 8,
    KZ__HEAD_MINOR = 12,
    KZ__HEAD_FILE_BYTES = 16,
    KZ__HEAD_TABLE_OFFSET = 24,
    KZ__HEAD_TABLE_CHECKSUM = 32,
    KZ__HEAD_ENTRIES = 40,
    KZ__HEAD_ARITHMETIC = 44,
    KZ__HEAD_TYPE = 48,
    KZ__HEAD_DECODER = 64,
    KZ__HEAD_CHECKSUM = 4088, /* of what stands before it, with 8 zeros in its place */
    KZ__TOC_OFFSET = 160,
    KZ__TOC_BYTES = 168,
    KZ__TOC_CHECKSUM = 176,
    KZ__TOC_KIND = 184,
    KZ__TOC_TYPE = 188,
    KZ__TOC_RANK = 192,
    KZ__TOC_FACTOR = 196,
    KZ__TOC_SHAPE = 200,
    KZ__TOC_SIZE = 256
};

/* Bytes with the zeros behind them. */
static inline uint64_t kz__packed_padded(uint64_t bytes) {
    return (bytes + KZ__PACKED_ALIGN - 1) / KZ__PACKED_ALIGN * KZ__PACKED_ALIGN;
}

#endif
