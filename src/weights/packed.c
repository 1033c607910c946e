/* Reading of packed files. Every number in them is hostile until it is checked; what was handed out
 * can be read. */
#include "weights/packed.h"

#include "base/checksum.h"
#include "base/path.h"
#include "tensor/blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const unsigned char kz__packed_magic[8] = {0x89, 'K', 'A', 'Z', 'E', 'I', 'A', '\n'};

const char *const kz__packed_decoders[KZ_DECODER_INT8 + 1] = {"default", "direct", "winograd",
                                                              "int8"};

static uint32_t read_u32(const unsigned char *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t read_u64(const unsigned char *bytes) {
    return read_u32(bytes) | (uint64_t)read_u32(bytes + 4) << 32;
}

bool kz__packed_is(const char *path) {
    size_t length = strlen(path);
    kz__mapfile map = {0};
    if (kz__path_look(path) != KZ__PATH_FILE) return false;
    if (length > 3 && !strcmp(path + length - 3, ".kz")) return true;
    if (kz__mapfile_open(&map, path, NULL) != KZ_OK) return false;
    bool is = map.size >= sizeof kz__packed_magic &&
              !memcmp(map.data, kz__packed_magic, sizeof kz__packed_magic);
    kz__mapfile_close(&map);
    return is;
}

/* ---- checksums ----------------------------------------------------------------------------- */

/* A chunk of an entry. */
typedef struct kz__packed_part {
    const kz__packed_entry *entry;
    uint64_t offset;
    size_t bytes;
    uint64_t sum;
} part;

static size_t chunks_of(const kz__packed_entry *entry) {
    return kz__checksum_chunks(kz__packed_padded(entry->bytes));
}

static void cut_entry(const kz__packed_entry *entry, part *parts) {
    uint64_t padded = kz__packed_padded(entry->bytes);
    for (size_t i = 0; i < chunks_of(entry); i++) {
        uint64_t from = (uint64_t)i * KZ__CHECKSUM_CHUNK;
        uint64_t left = padded - from;
        parts[i].entry = entry;
        parts[i].offset = entry->offset + from;
        parts[i].bytes = left < KZ__CHECKSUM_CHUNK ? (size_t)left : KZ__CHECKSUM_CHUNK;
    }
}

static void sum_part(const kz__packed *packed, part *p) {
    const unsigned char *from = packed->map.data + p->offset;
    p->sum = kz__checksum(from, p->bytes, p->bytes);
    bool by_rows = p->entry->kind == KZ__PACKED_TENSOR && p->entry->rank > 1;
    if (packed->map.descriptor >= 0 && by_rows) kz__mapfile_forget(from, p->bytes);
}

static kz_status damaged(const kz__packed *packed, const char *what, kz__err *err) {
    kz__shown path;
    kz__shown name;
    return kz__fail(err, KZ_ERR_MODEL,
                    "'%s' is damaged: the checksum of '%s' does not fit; copy or convert it again",
                    kz__show_path(&path, packed->path), kz__show_name(&name, what));
}

/* The sums of all chunks of an entry against its checksum. */
static kz_status compare(kz__mem *mem, const kz__packed *packed, const part *parts,
                         kz__err *err) {
    const kz__packed_entry *entry = parts[0].entry;
    size_t count = chunks_of(entry);
    uint64_t *sums = kz__calloc(mem, count, sizeof *sums);
    if (!sums) return kz__fail_memory(err);
    for (size_t i = 0; i < count; i++) sums[i] = parts[i].sum;
    bool equal = kz__checksum_join(sums, count) == entry->checksum;
    kz__free(mem, sums);
    return equal ? KZ_OK : damaged(packed, entry->name, err);
}

static kz_status check_alone(const kz__packed *packed, const kz__packed_entry *entry,
                             kz__err *err) {
    size_t count = chunks_of(entry);
    part *parts = kz__calloc(packed->mem, count, sizeof *parts);
    if (!parts) return kz__fail_memory(err);
    cut_entry(entry, parts);
    for (size_t i = 0; i < count; i++) sum_part(packed, &parts[i]);
    kz_status status = compare(packed->mem, packed, parts, err);
    kz__free(packed->mem, parts);
    return status;
}

/* ---- header -------------------------------------------------------------------------------- */

typedef struct reader {
    kz__packed *packed;
    const unsigned char *bytes;
    size_t size;
    const char *file; /* shown path */
    kz__err *err;
    uint64_t table_offset, table_bytes;
    uint64_t end; /* of the data seen so far */
} reader;

/* What can be said before the checksum, which a newer version may place elsewhere. */
static kz_status read_version(reader *r) {
    kz__packed_header *h = &r->packed->header;
    if (r->size < sizeof kz__packed_magic ||
        memcmp(r->bytes, kz__packed_magic, sizeof kz__packed_magic)) {
        return kz__fail(r->err, KZ_ERR_MODEL,
                        "'%s' is not a packed model: it does not begin like one", r->file);
    }
    if (r->size < KZ__PACKED_PAGE) {
        return kz__fail(r->err, KZ_ERR_MODEL,
                        "'%s' is cut: %zu bytes, its header alone has %zu", r->file, r->size,
                        KZ__PACKED_PAGE);
    }
    h->major = read_u32(r->bytes + KZ__HEAD_MAJOR);
    h->minor = read_u32(r->bytes + KZ__HEAD_MINOR);
    if (h->major == KZ__PACKED_MAJOR) return KZ_OK;
    return kz__fail(r->err, KZ_ERR_MODEL,
                    "'%s' has version %" PRIu32 ".%" PRIu32 " of the packed form, this Kazeia "
                    "reads %d: %s",
                    r->file, h->major, h->minor, KZ__PACKED_MAJOR,
                    h->major > KZ__PACKED_MAJOR ? "use a newer Kazeia, or convert the model again"
                                                : "convert the model again");
}

static kz_status read_header(reader *r) {
    kz__packed_header *h = &r->packed->header;
    kz_status status = read_version(r);
    if (status != KZ_OK) return status;
    if (kz__checksum(r->bytes, KZ__HEAD_CHECKSUM, KZ__PACKED_PAGE) !=
        read_u64(r->bytes + KZ__HEAD_CHECKSUM)) {
        return damaged(r->packed, "header", r->err);
    }
    uint64_t file = read_u64(r->bytes + KZ__HEAD_FILE_BYTES);
    uint32_t type = read_u32(r->bytes + KZ__HEAD_TYPE);
    r->packed->count = read_u32(r->bytes + KZ__HEAD_ENTRIES);
    r->table_offset = read_u64(r->bytes + KZ__HEAD_TABLE_OFFSET);
    r->table_bytes = (uint64_t)r->packed->count * KZ__TOC_SIZE;
    h->arithmetic = read_u32(r->bytes + KZ__HEAD_ARITHMETIC);
    memcpy(h->decoder, r->bytes + KZ__HEAD_DECODER, sizeof h->decoder);
    if (file != r->size) {
        return kz__fail(r->err, KZ_ERR_MODEL, "'%s' %s: %zu bytes, its header says %" PRIu64,
                        r->file, r->size < file ? "is cut" : "has something behind its end",
                        r->size, file);
    }
    bool placed = r->table_offset % KZ__PACKED_ALIGN == 0 && r->table_offset >= KZ__PACKED_PAGE &&
                  r->table_offset <= r->size &&
                  kz__packed_padded(r->table_bytes) == r->size - r->table_offset;
    if (!placed || type > KZ_TYPE_Q4 || h->decoder[sizeof h->decoder - 1] || !h->decoder[0]) {
        return kz__fail(r->err, KZ_ERR_MODEL, "'%s': its header contradicts itself", r->file);
    }
    h->type = (kz_type)type;
    for (int d = KZ_DECODER_DIRECT; d <= KZ_DECODER_INT8; d++) {
        if (!strcmp(h->decoder, kz__packed_decoders[d])) r->packed->decoder = (kz_decoder)d;
    }
    if (r->packed->decoder == KZ_DECODER_DEFAULT) {
        kz__shown shown;
        return kz__fail(r->err, KZ_ERR_MODEL,
                        "'%s' is packed for the decoder '%s', which this Kazeia does not have",
                        r->file, kz__show_name(&shown, h->decoder));
    }
    kz__packed_entry table = {.offset = r->table_offset, .bytes = r->table_bytes};
    table.checksum = read_u64(r->bytes + KZ__HEAD_TABLE_CHECKSUM);
    table.name = "table of contents";
    return check_alone(r->packed, &table, r->err);
}

/* ---- table --------------------------------------------------------------------------------- */

static kz_status bad_entry(const reader *r, const kz__packed_entry *entry, const char *problem) {
    kz__shown name;
    return kz__fail(r->err, KZ_ERR_MODEL, "'%s': the table's entry '%s' %s", r->file,
                    kz__show_name(&name, entry->name), problem);
}

/* Bytes that kind, type and shape need; false where there cannot be so many. */
static bool needed_bytes(const kz__packed_entry *entry, uint64_t *bytes) {
    size_t product = kz__dtype_bytes(entry->type);
    const size_t *shape = entry->shape;
    for (int i = 0; i < entry->rank; i++) {
        if (shape[i] == 0) return false;
    }
    if (entry->kind == KZ__PACKED_PANELS) {
        if (entry->rank != 3) return false;
        if (kz__is_quantized(entry->type)) {
            if (shape[2] > SIZE_MAX - KZ__PAIR_K) return false;
            if (!kz__mul(kz__pairs(shape[2]), kz__pair_bytes(entry->type), &product)) return false;
            if (!kz__mul(product, shape[0], &product)) return false;
            if (!kz__mul(product, shape[1], &product)) return false;
            *bytes = product;
            return true;
        }
        product *= KZ__PANEL_ROWS;
    }
    for (int i = 0; i < entry->rank; i++) {
        if (!kz__mul(product, shape[i], &product)) return false;
    }
    *bytes = product;
    return product != 0;
}

static bool type_fits(const kz__packed_entry *entry) {
    switch (entry->kind) {
    case KZ__PACKED_FILE: return entry->type == KZ__OTHER && entry->rank == 0;
    case KZ__PACKED_TENSOR:
    case KZ__PACKED_SHAPE: return kz__dtype_bytes(entry->type) != 0;
    case KZ__PACKED_PANELS:
        return entry->type == KZ__F32 || entry->type == KZ__BF16 || kz__is_quantized(entry->type);
    }
    return false;
}

static bool name_fits(const unsigned char *row) {
    size_t length = 0;
    while (length < KZ__PACKED_NAME && row[length] > 0x20 && row[length] < 0x7f) length++;
    if (length == 0 || length == KZ__PACKED_NAME) return false;
    for (size_t i = length; i < KZ__PACKED_NAME; i++) {
        if (row[i]) return false;
    }
    return true;
}

/* A record of the table; what it holds begins where the last one's ended. */
static kz_status read_entry(reader *r, const unsigned char *row, char *name,
                            kz__packed_entry *entry) {
    uint32_t kind = read_u32(row + KZ__TOC_KIND);
    uint32_t type = read_u32(row + KZ__TOC_TYPE);
    uint32_t rank = read_u32(row + KZ__TOC_RANK);
    uint32_t factor = read_u32(row + KZ__TOC_FACTOR);
    if (!name_fits(row)) {
        return kz__fail(r->err, KZ_ERR_MODEL, "'%s': the table has an entry without a plain name",
                        r->file);
    }
    entry->name = memcpy(name, row, KZ__PACKED_NAME);
    entry->kind = (kz__packed_kind)kind;
    entry->type = (kz__dtype)type;
    entry->rank = (int)rank;
    memcpy(&entry->factor, &factor, sizeof factor);
    entry->offset = read_u64(row + KZ__TOC_OFFSET);
    entry->bytes = read_u64(row + KZ__TOC_BYTES);
    entry->checksum = read_u64(row + KZ__TOC_CHECKSUM);
    if (kind < KZ__PACKED_FILE || kind > KZ__PACKED_PANELS || rank > KZ__MAX_RANK ||
        type > KZ__Q4 || !type_fits(entry)) {
        return bad_entry(r, entry, "has a kind, type or rank that cannot be");
    }
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t size = read_u64(row + KZ__TOC_SHAPE + 8 * i);
        if (size > SIZE_MAX / 8) return bad_entry(r, entry, "has a size that cannot be");
        entry->shape[i] = (size_t)size;
    }
    uint64_t needed = entry->bytes;
    if (kind != KZ__PACKED_FILE && !needed_bytes(entry, &needed)) {
        return bad_entry(r, entry, "has a shape that cannot be");
    }
    if (kind == KZ__PACKED_SHAPE) {
        return entry->bytes || entry->offset ? bad_entry(r, entry, "has data and should have none")
                                             : KZ_OK;
    }
    if (entry->bytes != needed) {
        return bad_entry(r, entry, "has another number of bytes than its shape and type need");
    }
    uint64_t left = r->table_offset - r->end;
    if (entry->offset != r->end || entry->bytes == 0 || entry->bytes > left ||
        kz__packed_padded(entry->bytes) > left) {
        return bad_entry(r, entry, "does not lie behind the one before it and inside the file");
    }
    r->end += kz__packed_padded(entry->bytes);
    return KZ_OK;
}

static int by_name(const void *a, const void *b) {
    const kz__packed_entry *x = a;
    const kz__packed_entry *y = b;
    return strcmp(x->name, y->name);
}

static kz_status read_table(reader *r) {
    kz__packed *p = r->packed;
    p->entries = kz__calloc(p->mem, p->count + 1, sizeof *p->entries);
    p->names = kz__calloc(p->mem, p->count + 1, KZ__PACKED_NAME);
    if (!p->entries || !p->names) return kz__fail_memory(r->err);
    r->end = KZ__PACKED_PAGE;
    for (size_t i = 0; i < p->count; i++) {
        kz_status status = read_entry(r, r->bytes + r->table_offset + i * KZ__TOC_SIZE,
                                      p->names + i * KZ__PACKED_NAME, &p->entries[i]);
        if (status != KZ_OK) return status;
    }
    if (r->end != r->table_offset) {
        return kz__fail(r->err, KZ_ERR_MODEL,
                        "'%s': %" PRIu64 " bytes before its table belong to no entry", r->file,
                        r->table_offset - r->end);
    }
    qsort(p->entries, p->count, sizeof *p->entries, by_name);
    for (size_t i = 1; i < p->count; i++) {
        if (!strcmp(p->entries[i].name, p->entries[i - 1].name)) {
            return bad_entry(r, &p->entries[i], "is there twice");
        }
    }
    return KZ_OK;
}

static kz_status parse(kz__mem *mem, const kz__mapfile *map, const char *path, kz__packed *packed,
                       kz__err *err) {
    kz__shown shown;
    reader r = {.packed = packed, .bytes = map->data, .size = map->size, .err = err};
    r.file = kz__show_path(&shown, path);
    packed->mem = mem;
    packed->path = kz__strndup(mem, path, strlen(path));
    packed->map = *map;
    if (!packed->path) return kz__fail_memory(err);
    kz_status status = read_header(&r);
    return status == KZ_OK ? read_table(&r) : status;
}

kz_status kz__packed_parse(kz__mem *mem, const unsigned char *bytes, size_t size, const char *path,
                           kz__packed *packed, kz__err *err) {
    const kz__mapfile map = {bytes, size, -1};
    return parse(mem, &map, path, packed, err);
}

/* Panels lie together and are read whole. Of a table a row would bring a large page each. */
static void enlarge_panels(const kz__packed *packed) {
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    for (size_t i = 0; i < packed->count; i++) {
        const kz__packed_entry *entry = &packed->entries[i];
        if (entry->kind != KZ__PACKED_PANELS) continue;
        if (entry->offset < begin) begin = entry->offset;
        if (entry->offset + entry->bytes > end) end = entry->offset + entry->bytes;
    }
    if (end) kz__mapfile_large(packed->map.data + begin, (size_t)(end - begin));
}

kz_status kz__packed_open(kz__mem *mem, const char *path, kz__packed *packed, kz__err *err) {
    kz__mapfile map = {0};
    kz_status status = kz__mapfile_open(&map, path, err);
    if (status != KZ_OK) return status;
    status = parse(mem, &map, path, packed, err);
    if (status == KZ_OK) enlarge_panels(packed);
    return status;
}

void kz__packed_close(kz__packed *packed) {
    if (!packed->mem) return;
    kz__mapfile_close(&packed->map);
    kz__free(packed->mem, packed->entries);
    kz__free(packed->mem, packed->names);
    kz__free(packed->mem, packed->path);
    memset(packed, 0, sizeof *packed);
}

const kz__packed_entry *kz__packed_find(const kz__packed *packed, const char *name) {
    kz__packed_entry key = {.name = name};
    if (!packed->count) return NULL;
    return bsearch(&key, packed->entries, packed->count, sizeof key, by_name);
}

const void *kz__packed_data(const kz__packed *packed, const kz__packed_entry *entry) {
    return entry->bytes ? packed->map.data + entry->offset : NULL;
}

/* ---- the check of what is in use ----------------------------------------------------------- */

kz_status kz__packed_check_begin(kz__mem *mem, const kz__packed *packed, const bool *used,
                                 kz__packed_check *check, kz__err *err) {
    size_t count = 0;
    for (size_t i = 0; i < packed->count; i++) {
        if (used[i]) count += chunks_of(&packed->entries[i]);
    }
    memset(check, 0, sizeof *check);
    check->mem = mem;
    check->packed = packed;
    check->parts = kz__calloc(mem, count + 1, sizeof *check->parts);
    if (!check->parts) return kz__fail_memory(err);
    for (size_t i = 0; i < packed->count; i++) {
        const kz__packed_entry *entry = &packed->entries[i];
        if (!used[i]) continue;
        cut_entry(entry, check->parts + check->items);
        check->items += chunks_of(entry);
    }
    return KZ_OK;
}

void kz__packed_check_item(const kz__packed_check *check, size_t item) {
    sum_part(check->packed, &check->parts[item]);
}

kz_status kz__packed_check_end(kz__packed_check *check, kz__err *err) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < check->items && status == KZ_OK;) {
        status = compare(check->mem, check->packed, check->parts + i, err);
        i += chunks_of(check->parts[i].entry);
    }
    kz__free(check->mem, check->parts);
    memset(check, 0, sizeof *check);
    return status;
}

kz_status kz__packed_file(const kz__packed *packed, const char *name, bool optional, char **path,
                          const char **data, size_t *size, kz__err *err) {
    kz__shown shown;
    const kz__packed_entry *entry = kz__packed_find(packed, name);
    *path = NULL;
    *data = NULL;
    *size = 0;
    if (!entry && optional) return KZ_OK;
    if (!entry || entry->kind != KZ__PACKED_FILE) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' holds no %s", kz__show_path(&shown, packed->path),
                        name);
    }
    kz_status status = check_alone(packed, entry, err);
    if (status != KZ_OK) return status;
    *path = kz__path_join(packed->mem, packed->path, name);
    if (!*path) return kz__fail_memory(err);
    *data = kz__packed_data(packed, entry);
    *size = (size_t)entry->bytes;
    return KZ_OK;
}
