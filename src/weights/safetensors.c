/* Parser of safetensors headers; every number in them is hostile until it is checked. */
#include "weights/safetensors.h"

#include "base/path.h"
#include "weights/foreign.h"
#include "weights/jsonfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the checks of one header share. */
typedef struct parser {
    kz__mem *mem;
    const char *file; /* shown path */
    kz__err *err;
    uint64_t data_begin; /* from the start of the file */
    uint64_t file_size;
} parser;

static const struct type_row {
    const char *name;
    unsigned bits;
    kz__dtype type;
} type_rows[] = {
    {"F32", 32, KZ__F32},      {"BF16", 16, KZ__BF16},    {"F16", 16, KZ__F16},
    {"F64", 64, KZ__OTHER},    {"I64", 64, KZ__OTHER},    {"U64", 64, KZ__OTHER},
    {"I32", 32, KZ__OTHER},    {"U32", 32, KZ__OTHER},    {"I16", 16, KZ__OTHER},
    {"U16", 16, KZ__OTHER},    {"I8", 8, KZ__OTHER},      {"U8", 8, KZ__OTHER},
    {"BOOL", 8, KZ__OTHER},    {"F8_E5M2", 8, KZ__OTHER}, {"F8_E4M3", 8, KZ__OTHER},
    {"F8_E8M0", 8, KZ__OTHER}, {"F6_E2M3", 6, KZ__OTHER}, {"F6_E3M2", 6, KZ__OTHER},
    {"F4", 4, KZ__OTHER},      {"C64", 64, KZ__OTHER},
};

static const struct type_row *find_type(const char *name) {
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
        if (!strcmp(type_rows[i].name, name)) return &type_rows[i];
    }
    return NULL;
}

static kz_status bad_tensor(const parser *p, const char *name, const char *problem) {
    kz__shown shown;
    return kz__fail(p->err, KZ_ERR_MODEL, "'%s': tensor '%s' %s", p->file,
                    kz__show_name(&shown, name), problem);
}

static uint64_t read_u64(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

/* Length of the header's JSON, after everything that can be said before reading it. */
static kz_status read_length(const parser *p, const unsigned char *bytes, size_t available,
                             uint64_t *length) {
    if (p->file_size == 0) return kz__fail(p->err, KZ_ERR_MODEL, "'%s' is empty", p->file);
    const char *foreign = kz__foreign(bytes, available);
    if (foreign) return kz__fail(p->err, KZ_ERR_MODEL, "'%s' is %s", p->file, foreign);
    if (p->file_size < 8 || available < 8) {
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' is truncated: %" PRIu64 " bytes, the header needs at least 8",
                        p->file, p->file_size);
    }
    *length = read_u64(bytes);
    if (*length > KZ__ST_MAX_HEADER) {
        if (bytes[0] == '{') {
            return kz__fail(p->err, KZ_ERR_MODEL, "'%s' is JSON text, not a safetensors file",
                            p->file);
        }
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' is not a safetensors file: its header length reads %" PRIu64
                        ", at most %" PRIu64 " is allowed",
                        p->file, *length, KZ__ST_MAX_HEADER);
    }
    if (*length > p->file_size - 8 || *length > available - 8) {
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' is truncated: %" PRIu64 " bytes, the header needs %" PRIu64, p->file,
                        p->file_size, *length + 8);
    }
    if (*length < 2 || bytes[8] != '{') {
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' is not a safetensors file: its header is not a JSON object", p->file);
    }
    return KZ_OK;
}

static kz_status parse_json(const parser *p, const unsigned char *bytes, size_t length,
                            json_t **root) {
    json_error_t error;
    *root = json_loadb((const char *)bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (*root) return KZ_OK;
    return kz__json_fail(&error, p->file, p->err);
}

static bool read_count(const json_t *value, uint64_t *count) {
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static kz_status read_shape(const parser *p, const json_t *value, kz__st_tensor *tensor) {
    if (!json_is_array(value)) return bad_tensor(p, tensor->name, "has no shape");
    size_t rank = json_array_size(value);
    if (rank > KZ__ST_MAX_RANK) {
        return bad_tensor(p, tensor->name, "has more dimensions than the 8 allowed");
    }
    tensor->rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        uint64_t size = 0;
        if (!read_count(json_array_get(value, i), &size) || size > SIZE_MAX) {
            return bad_tensor(p, tensor->name,
                              "has a size in its shape that is not a whole number from 0");
        }
        tensor->shape[i] = (size_t)size;
    }
    return KZ_OK;
}

static kz_status read_offsets(const parser *p, const json_t *value, kz__st_tensor *tensor) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (!json_is_array(value) || json_array_size(value) != 2 ||
        !read_count(json_array_get(value, 0), &begin) ||
        !read_count(json_array_get(value, 1), &end)) {
        return bad_tensor(p, tensor->name, "needs two data_offsets that are whole numbers from 0");
    }
    if (begin > end) return bad_tensor(p, tensor->name, "ends before it begins (data_offsets)");
    tensor->offset = begin + p->data_begin;
    tensor->bytes = end - begin;
    return KZ_OK;
}

/* Bytes that shape and type need; false where the product overflows. */
static bool needed_bytes(const kz__st_tensor *tensor, unsigned bits, uint64_t *bytes) {
    uint64_t product = bits;
    bool zero = false;
    for (int i = 0; i < tensor->rank; i++) zero = zero || tensor->shape[i] == 0;
    *bytes = 0;
    if (zero) return true;
    for (int i = 0; i < tensor->rank; i++) {
        if (product > UINT64_MAX / tensor->shape[i]) return false;
        product *= tensor->shape[i];
    }
    *bytes = product / 8;
    return product % 8 == 0;
}

static kz_status read_tensor(const parser *p, const char *name, const json_t *value,
                             kz__st_tensor *tensor) {
    tensor->name = kz__strndup(p->mem, name, strlen(name));
    if (!tensor->name) return kz__fail_memory(p->err);
    if (!json_is_object(value)) return bad_tensor(p, name, "is not described by an object");
    const char *type_name = json_string_value(json_object_get(value, "dtype"));
    if (!type_name) return bad_tensor(p, name, "has no dtype");
    if (strlen(type_name) >= sizeof tensor->type_name) {
        return bad_tensor(p, name, "has a dtype with more than 15 letters");
    }
    memcpy(tensor->type_name, type_name, strlen(type_name) + 1);
    kz_status status = read_shape(p, json_object_get(value, "shape"), tensor);
    if (status != KZ_OK) return status;
    status = read_offsets(p, json_object_get(value, "data_offsets"), tensor);
    if (status != KZ_OK) return status;
    const struct type_row *row = find_type(type_name);
    tensor->type = row ? row->type : KZ__OTHER;
    uint64_t bytes = tensor->bytes;
    if (row && !needed_bytes(tensor, row->bits, &bytes)) {
        return bad_tensor(p, name, "has a shape whose size in bytes cannot be");
    }
    if (bytes != tensor->bytes) {
        kz__shown shown;
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s': tensor '%s' has %" PRIu64
                        " bytes of data, its shape and type need %" PRIu64,
                        p->file, kz__show_name(&shown, name), tensor->bytes, bytes);
    }
    return KZ_OK;
}

static int by_offset(const void *a, const void *b) {
    const kz__st_tensor *x = a;
    const kz__st_tensor *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The sorted tensors cover the data exactly. */
static kz_status check_cover(const parser *p, const kz__safetensors *table) {
    kz__shown shown;
    kz__shown shown_last;
    uint64_t end = p->data_begin;
    for (size_t i = 0; i < table->count; i++) {
        uint64_t own_end = table->tensors[i].offset + table->tensors[i].bytes;
        if (own_end > end) end = own_end;
    }
    if (end > p->file_size) {
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' is truncated: %" PRIu64 " bytes, the header needs %" PRIu64, p->file,
                        p->file_size, end);
    }
    end = p->data_begin;
    for (size_t i = 0; i < table->count; i++) {
        const kz__st_tensor *tensor = &table->tensors[i];
        if (tensor->offset < end) {
            return kz__fail(p->err, KZ_ERR_MODEL, "'%s': tensors '%s' and '%s' overlap", p->file,
                            kz__show_name(&shown_last, table->tensors[i - 1].name),
                            kz__show_name(&shown, tensor->name));
        }
        if (tensor->offset > end) {
            return kz__fail(p->err, KZ_ERR_MODEL,
                            "'%s': %" PRIu64 " bytes before tensor '%s' belong to no tensor",
                            p->file, tensor->offset - end, kz__show_name(&shown, tensor->name));
        }
        end = tensor->offset + tensor->bytes;
    }
    if (end < p->file_size) {
        return kz__fail(p->err, KZ_ERR_MODEL,
                        "'%s' has %" PRIu64 " bytes after its last tensor: %" PRIu64
                        " bytes, the header needs %" PRIu64,
                        p->file, p->file_size - end, p->file_size, end);
    }
    return KZ_OK;
}

static kz_status read_tensors(const parser *p, json_t *root, kz__safetensors *table) {
    const char *name = NULL;
    json_t *value = NULL;
    table->tensors = kz__calloc(p->mem, json_object_size(root) + 1, sizeof *table->tensors);
    if (!table->tensors) return kz__fail_memory(p->err);
    json_object_foreach(root, name, value) {
        if (!strcmp(name, "__metadata__")) {
            if (json_is_object(value)) continue;
            return kz__fail(p->err, KZ_ERR_MODEL, "'%s': __metadata__ is not an object", p->file);
        }
        kz__st_tensor *tensor = &table->tensors[table->count++];
        kz_status status = read_tensor(p, name, value, tensor);
        if (status != KZ_OK) return status;
    }
    qsort(table->tensors, table->count, sizeof *table->tensors, by_offset);
    return check_cover(p, table);
}

kz_status kz__safetensors_parse(kz__mem *mem, const unsigned char *bytes, size_t available,
                                uint64_t file_size, const char *path, kz__safetensors *table,
                                kz__err *err) {
    kz__shown shown;
    parser p = {mem, kz__show_path(&shown, path), err, 0, file_size};
    memset(table, 0, sizeof *table);
    uint64_t length = 0;
    kz_status status = read_length(&p, bytes, available, &length);
    if (status != KZ_OK) return status;
    p.data_begin = length + 8;
    json_t *root = NULL;
    status = parse_json(&p, bytes + 8, (size_t)length, &root);
    if (status != KZ_OK) return status;
    status = read_tensors(&p, root, table);
    json_decref(root);
    if (status != KZ_OK) kz__safetensors_clear(mem, table);
    return status;
}

void kz__safetensors_clear(kz__mem *mem, kz__safetensors *table) {
    for (size_t i = 0; i < table->count; i++) kz__free(mem, table->tensors[i].name);
    kz__free(mem, table->tensors);
    memset(table, 0, sizeof *table);
}
