/* One lookup over all files of a folder: tensors of every file, sorted by name. */
#include "weights/weights.h"

#include "base/log.h"
#include "base/mapfile.h"
#include "base/path.h"
#include "weights/safetensors.h"
#include "weights/shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SINGLE "model.safetensors"
#define INDEX "model.safetensors.index.json"

typedef struct file {
    char *path;
    kz__mapfile map;
    kz__safetensors table;
} file;

typedef struct entry {
    const char *name;
    kz__dtype type;
    const char *type_name; /* for sentences */
    int rank;
    const size_t *shape;
    const void *data; /* NULL: only a shape */
    uint64_t bytes;
    const char *path; /* of the file */
    const kz__mapfile *map;
    const kz__packed_entry *packed;
    bool used, in_panels;
} entry;

struct kz__weights {
    kz__mem *mem;
    char *path; /* the single file or the index, for sentences */
    file *files;
    size_t file_count;
    const kz__packed *packed; /* in place of files */
    bool *needed;             /* [packed->count] */
    entry *entries; /* by name */
    size_t entry_count;
    kz__packed_writer *writer;
    int threads;
};

/* ---- opening ------------------------------------------------------------------------------- */

/* Maps folder/name as the next file; room for it is there. */
static kz_status add_file(kz__weights *w, const char *folder, const char *name, kz__err *err) {
    file *f = &w->files[w->file_count];
    f->path = kz__path_join(w->mem, folder, name);
    if (!f->path) return kz__fail_memory(err);
    w->file_count++;
    kz_status status = kz__mapfile_open(&f->map, f->path, err);
    if (status != KZ_OK) return status;
    return kz__safetensors_parse(w->mem, f->map.data, f->map.size, f->map.size, f->path, &f->table,
                                 err);
}

static int by_name(const void *a, const void *b) {
    const entry *x = a;
    const entry *y = b;
    return strcmp(x->name, y->name);
}

static void fill_entry(entry *e, const kz__st_tensor *tensor, const file *f) {
    e->name = tensor->name;
    e->type = tensor->type;
    e->type_name = tensor->type_name;
    e->rank = tensor->rank;
    e->shape = tensor->shape;
    e->data = f->map.data + tensor->offset;
    e->bytes = tensor->bytes;
    e->path = f->path;
    e->map = &f->map;
}

/* Fills the sorted list; a name may stand in one file only. */
static kz_status collect(kz__weights *w, kz__err *err) {
    size_t count = 0;
    for (size_t i = 0; i < w->file_count; i++) count += w->files[i].table.count;
    w->entries = kz__calloc(w->mem, count + 1, sizeof *w->entries);
    if (!w->entries) return kz__fail_memory(err);
    for (size_t i = 0; i < w->file_count; i++) {
        for (size_t j = 0; j < w->files[i].table.count; j++) {
            fill_entry(&w->entries[w->entry_count++], &w->files[i].table.tensors[j], &w->files[i]);
        }
    }
    qsort(w->entries, count, sizeof *w->entries, by_name);
    for (size_t i = 1; i < count; i++) {
        kz__shown name;
        kz__shown path;
        if (strcmp(w->entries[i].name, w->entries[i - 1].name)) continue;
        return kz__fail(err, KZ_ERR_MODEL, "'%s': tensor '%s' stands in two files",
                        kz__show_path(&path, w->path),
                        kz__show_name(&name, w->entries[i].name));
    }
    return KZ_OK;
}

static entry *find(const kz__weights *w, const char *name) {
    size_t low = 0;
    size_t high = w->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(w->entries[middle].name, name);
        if (order == 0) return &w->entries[middle];
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Index and files name the same tensors in the same places. */
static kz_status check_index(const kz__weights *w, const kz__shards *shards, kz__err *err) {
    kz__shown path;
    kz__shown name;
    kz__shown file_name;
    const char *tensor = NULL;
    json_t *value = NULL;
    uint64_t bytes = 0;
    kz__show_path(&path, w->path);
    json_object_foreach(shards->weight_map, tensor, value) {
        const entry *e = find(w, tensor);
        if (e && !strcmp(base_name(e->path), json_string_value(value))) continue;
        return kz__fail(err, KZ_ERR_MODEL, "'%s' says that tensor '%s' is in '%s', and it is not",
                        path.text, kz__show_name(&name, tensor),
                        kz__show_name(&file_name, json_string_value(value)));
    }
    for (size_t i = 0; i < w->entry_count; i++) {
        const entry *e = &w->entries[i];
        bytes += e->bytes;
        if (kz__shards_file(shards, e->name)) continue;
        return kz__fail(err, KZ_ERR_MODEL, "'%s' does not list tensor '%s', which is in '%s'",
                        path.text, kz__show_name(&name, e->name),
                        kz__show_name(&file_name, base_name(e->path)));
    }
    const json_t *total = json_object_get(json_object_get(shards->root, "metadata"), "total_size");
    if (json_is_integer(total) && json_integer_value(total) != (json_int_t)bytes) {
        kz__log(KZ__NOTICE,
                "'%s': total_size is %" JSON_INTEGER_FORMAT ", the tensors have %" PRIu64 " bytes",
                path.text, json_integer_value(total), bytes);
    }
    return KZ_OK;
}

static kz_status open_files(kz__weights *w, const char *folder, const kz__shards *shards,
                            kz__err *err) {
    size_t count = shards ? shards->count : 1;
    w->files = kz__calloc(w->mem, count, sizeof *w->files);
    if (!w->files) return kz__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        kz_status status = add_file(w, folder, shards ? shards->files[i] : SINGLE, err);
        if (status != KZ_OK) return status;
    }
    kz_status status = collect(w, err);
    if (status == KZ_OK && shards) status = check_index(w, shards, err);
    return status;
}

static kz_status open_sharded(kz__weights *w, const char *folder, kz__err *err) {
    kz__mapfile map;
    kz__shards shards;
    kz_status status = kz__mapfile_open(&map, w->path, err);
    if (status != KZ_OK) return status;
    status = kz__shards_parse(map.data, map.size, w->path, &shards, err);
    kz__mapfile_close(&map);
    if (status != KZ_OK) return status;
    status = open_files(w, folder, &shards, err);
    kz__shards_clear(&shards);
    return status;
}

/* The single file goes first where both are there, as in the reference. */
static kz_status open_folder(kz__weights *w, const char *folder, kz__err *err) {
    kz__shown shown;
    w->path = kz__path_join(w->mem, folder, SINGLE);
    if (!w->path) return kz__fail_memory(err);
    if (kz__path_look(w->path) != KZ__PATH_MISSING) return open_files(w, folder, NULL, err);
    kz__free(w->mem, w->path);
    w->path = kz__path_join(w->mem, folder, INDEX);
    if (!w->path) return kz__fail_memory(err);
    if (kz__path_look(w->path) != KZ__PATH_MISSING) return open_sharded(w, folder, err);
    if (kz__path_look(folder) != KZ__PATH_FOLDER) return kz__path_fail_look(err, folder);
    return kz__fail(err, KZ_ERR_MODEL, "the folder '%s' has no " SINGLE " and no " INDEX,
                    kz__show_path(&shown, folder));
}

kz_status kz__weights_open(kz__mem *mem, const char *folder, kz__weights **weights, kz__err *err) {
    *weights = NULL;
    kz__weights *w = kz__calloc(mem, 1, sizeof *w);
    if (!w) return kz__fail_memory(err);
    w->mem = mem;
    kz_status status = open_folder(w, folder, err);
    if (status != KZ_OK) {
        kz__weights_close(w);
        return status;
    }
    *weights = w;
    return KZ_OK;
}

/* What lies behind the end of a file that was cut must not be touched. */
static kz_status check_whole(const kz__packed *packed, kz__err *err) {
    kz__shown path;
    if (kz__mapfile_whole(&packed->map)) return KZ_OK;
    return kz__fail(err, KZ_ERR_MODEL, "'%s' was cut while in use",
                    kz__show_path(&path, packed->path));
}

/* The packed table is sorted by name already. */
static kz_status list_packed(kz__weights *w, const kz__packed *packed, kz__err *err) {
    w->packed = packed;
    w->path = kz__strndup(w->mem, packed->path, strlen(packed->path));
    w->entries = kz__calloc(w->mem, packed->count + 1, sizeof *w->entries);
    w->needed = kz__calloc(w->mem, packed->count + 1, sizeof *w->needed);
    if (!w->path || !w->entries || !w->needed) return kz__fail_memory(err);
    for (size_t i = 0; i < packed->count; i++) {
        const kz__packed_entry *from = &packed->entries[i];
        if (from->kind != KZ__PACKED_TENSOR && from->kind != KZ__PACKED_SHAPE) continue;
        entry *e = &w->entries[w->entry_count++];
        e->name = from->name;
        e->type = from->type;
        e->type_name = "";
        e->rank = from->rank;
        e->shape = from->shape;
        e->data = kz__packed_data(packed, from);
        e->bytes = from->bytes;
        e->path = w->path;
        e->map = &packed->map;
        e->packed = from;
    }
    return KZ_OK;
}

kz_status kz__weights_from_packed(kz__mem *mem, const kz__packed *packed, kz__weights **weights,
                                  kz__err *err) {
    *weights = NULL;
    kz__weights *w = kz__calloc(mem, 1, sizeof *w);
    if (!w) return kz__fail_memory(err);
    w->mem = mem;
    kz_status status = check_whole(packed, err);
    if (status == KZ_OK) status = list_packed(w, packed, err);
    if (status != KZ_OK) {
        kz__weights_close(w);
        return status;
    }
    *weights = w;
    return KZ_OK;
}

void kz__weights_close(kz__weights *weights) {
    if (!weights) return;
    kz__mem *mem = weights->mem;
    for (size_t i = 0; i < weights->file_count; i++) {
        kz__safetensors_clear(mem, &weights->files[i].table);
        kz__mapfile_close(&weights->files[i].map);
        kz__free(mem, weights->files[i].path);
    }
    kz__free(mem, weights->files);
    kz__free(mem, weights->entries);
    kz__free(mem, weights->needed);
    kz__free(mem, weights->path);
    kz__free(mem, weights);
}

/* ---- lookup -------------------------------------------------------------------------------- */

bool kz__weights_has(const kz__weights *weights, const char *name) {
    return find(weights, name) != NULL;
}

/* True where one is the other behind a prefix that ends in a dot. */
static bool is_tail(const char *longer, const char *shorter) {
    size_t a = strlen(longer);
    size_t b = strlen(shorter);
    return a > b + 1 && longer[a - b - 1] == '.' && !strcmp(longer + a - b, shorter);
}

static kz_status fail_missing(const kz__weights *w, const char *name, kz__err *err) {
    kz__shown path;
    kz__shown wanted;
    kz__shown found;
    kz__show_path(&path, w->path);
    kz__show_name(&wanted, name);
    for (size_t i = 0; i < w->entry_count; i++) {
        const char *other = w->entries[i].name;
        bool longer = is_tail(other, name);
        if (!longer && !is_tail(name, other)) continue;
        /* a short last part like "weight" alone says nothing */
        if (!longer && !strchr(other, '.')) continue;
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s': tensor '%s' is missing; found '%s': another prefix than expected",
                        path.text, wanted.text, kz__show_name(&found, other));
    }
    return kz__fail(err, KZ_ERR_MODEL, "'%s': tensor '%s' is missing", path.text, wanted.text);
}

/* "[3, 4]" */
static const char *shape_text(char text[120], int rank, const size_t *shape) {
    size_t used = 0;
    text[used++] = '[';
    for (int i = 0; i < rank && used < 90; i++) {
        used += (size_t)snprintf(text + used, 120 - used, "%s%zu", i ? ", " : "", shape[i]);
    }
    snprintf(text + used, 120 - used, "]");
    return text;
}

static void need(kz__weights *w, const kz__packed_entry *packed) {
    w->needed[packed - w->packed->entries] = true;
}

kz_status kz__weights_source(kz__weights *weights, const char *name, int rank, const size_t *shape,
                             kz__tensor *tensor, kz__err *err) {
    kz__shown path;
    kz__shown shown;
    char got[120];
    char wanted[120];
    entry *e = find(weights, name);
    if (!e) return fail_missing(weights, name, err);
    bool same = e->rank == rank && rank <= KZ__MAX_RANK;
    for (int i = 0; same && i < rank; i++) same = e->shape[i] == shape[i];
    if (!same) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s': tensor '%s' has shape %s, wanted %s",
                        kz__show_path(&path, e->path), kz__show_name(&shown, name),
                        shape_text(got, e->rank, e->shape),
                        shape_text(wanted, rank, shape));
    }
    if (e->type == KZ__OTHER) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s': tensor '%s' has type %s, wanted F32, BF16 or F16",
                        kz__show_path(&path, e->path), kz__show_name(&shown, name),
                        e->type_name);
    }
    e->used = true;
    memset(tensor, 0, sizeof *tensor);
    tensor->name = e->name;
    tensor->data = e->data;
    tensor->type = e->type;
    tensor->rank = rank;
    for (int i = 0; i < rank; i++) tensor->shape[i] = shape[i];
    if (e->packed) need(weights, e->packed);
    return KZ_OK;
}

kz_status kz__weights_need(kz__weights *weights, const char *name, int rank, const size_t *shape,
                           kz__tensor *tensor, kz__err *err) {
    kz__shown path;
    kz__shown shown;
    kz_status status = kz__weights_source(weights, name, rank, shape, tensor, err);
    if (status != KZ_OK || tensor->data) return status;
    return kz__fail(err, KZ_ERR_MODEL, "'%s' has only the shape of tensor '%s'",
                    kz__show_path(&path, weights->path), kz__show_name(&shown, name));
}

kz_status kz__weights_rows(kz__weights *weights, const char *name, size_t count, size_t width,
                           kz__rows *rows, kz__err *err) {
    const size_t shape[2] = {count, width};
    kz__tensor tensor = {0};
    kz_status status = kz__weights_need(weights, name, 2, shape, &tensor, err);
    if (status != KZ_OK) return status;
    const entry *e = find(weights, name);
    rows->name = e->name;
    rows->path = e->path;
    rows->file = e->map;
    rows->offset = (uint64_t)((const unsigned char *)e->data - e->map->data);
    rows->type = e->type;
    rows->count = count;
    rows->width = width;
    return KZ_OK;
}

/* ---- panels -------------------------------------------------------------------------------- */

static const char *type_text(kz__dtype type) {
    static const char *const texts[] = {"f32", "bf16", "f16", "of no type", "q8", "q4"};
    return texts[type];
}

bool kz__weights_are_packed(const kz__weights *weights) {
    return weights->packed != NULL;
}

kz_status kz__weights_panels(kz__weights *weights, kz__panels *wanted, const void **data,
                             kz__err *err) {
    kz__shown path;
    kz__shown name;
    const kz__packed_entry *e = kz__packed_find(weights->packed, wanted->name);
    kz__show_path(&path, weights->path);
    kz__show_name(&name, wanted->name);
    if (!e || e->kind != KZ__PACKED_PANELS) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s': the panels '%s' are missing", path.text,
                        name.text);
    }
    if (e->type != wanted->type || e->shape[0] != wanted->panels || e->shape[1] != wanted->taps ||
        e->shape[2] != wanted->in) {
        const size_t sizes[3] = {wanted->panels, wanted->taps, wanted->in};
        char got[120];
        char needed[120];
        return kz__fail(err, KZ_ERR_MODEL, "'%s': the panels '%s' are %s, %s; wanted %s, %s",
                        path.text, name.text, type_text(e->type), shape_text(got, 3, e->shape),
                        type_text(wanted->type), shape_text(needed, 3, sizes));
    }
    wanted->factor = e->factor;
    *data = kz__packed_data(weights->packed, e);
    need(weights, e);
    return KZ_OK;
}

kz_status kz__weights_check_begin(const kz__weights *weights, kz__packed_check *check,
                                  kz__err *err) {
    return kz__packed_check_begin(weights->mem, weights->packed, weights->needed, check, err);
}

kz_status kz__weights_check(const kz__weights *weights, kz__err *err) {
    kz__packed_check check;
    kz_status status = kz__weights_check_begin(weights, &check, err);
    if (status != KZ_OK) return status;
    for (size_t i = 0; i < check.items; i++) kz__packed_check_item(&check, i);
    return kz__packed_check_end(&check, err);
}

void kz__weights_write_to(kz__weights *weights, kz__packed_writer *writer, int threads) {
    weights->writer = writer;
    weights->threads = threads;
}

bool kz__weights_are_written(const kz__weights *weights) {
    return weights->writer != NULL;
}

int kz__weights_threads(const kz__weights *weights) {
    return weights->threads;
}

void kz__weights_packed_into(kz__weights *weights, const char *source) {
    entry *e = find(weights, source);
    if (e) e->in_panels = true;
}

kz_status kz__weights_keep(kz__weights *weights, const kz__panels *panels, const void *data,
                           size_t bytes, kz__err *err) {
    kz__packed_entry row = {.name = panels->name, .kind = KZ__PACKED_PANELS, .type = panels->type};
    row.rank = 3;
    row.shape[0] = panels->panels;
    row.shape[1] = panels->taps;
    row.shape[2] = panels->in;
    row.factor = panels->factor;
    row.bytes = bytes;
    return kz__packed_write(weights->writer, &row, data, err);
}

kz_status kz__weights_keep_rest(kz__weights *weights, kz__err *err) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < weights->entry_count && status == KZ_OK; i++) {
        const entry *e = &weights->entries[i];
        kz__packed_entry row = {.name = e->name, .type = e->type, .rank = e->rank};
        if (!e->used) continue;
        for (int d = 0; d < e->rank; d++) row.shape[d] = e->shape[d];
        row.kind = e->in_panels ? KZ__PACKED_SHAPE : KZ__PACKED_TENSOR;
        row.bytes = e->bytes;
        status = kz__packed_write(weights->writer, &row, e->in_panels ? NULL : e->data, err);
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------- */

kz__dtype kz__weights_type(const kz__weights *weights) {
    kz__dtype type = KZ__OTHER;
    bool first = true;
    for (size_t i = 0; i < weights->entry_count; i++) {
        const entry *e = &weights->entries[i];
        if (!e->used || e->rank < 2) continue;
        if (!first && e->type != type) return KZ__OTHER;
        type = e->type;
        first = false;
    }
    return type;
}

const char *kz__weights_unused(const kz__weights *weights, const char *prefix, size_t index) {
    size_t length = strlen(prefix);
    for (size_t i = 0; i < weights->entry_count; i++) {
        const entry *e = &weights->entries[i];
        if (e->used || strncmp(e->name, prefix, length)) continue;
        if (index-- == 0) return e->name;
    }
    return NULL;
}

uint64_t kz__weights_values(const kz__weights *weights) {
    uint64_t values = 0;
    for (size_t i = 0; i < weights->entry_count; i++) {
        const entry *e = &weights->entries[i];
        uint64_t count = e->used ? 1 : 0;
        for (int d = 0; d < e->rank; d++) count *= e->shape[d];
        values += count;
    }
    return values;
}

void kz__weights_forget(const kz__weights *weights) {
    for (size_t i = 0; i < weights->file_count; i++) {
        kz__mapfile_forget(weights->files[i].map.data, weights->files[i].map.size);
    }
}

uint64_t kz__weights_mapped(const kz__weights *weights) {
    uint64_t bytes = weights->packed ? weights->packed->map.size : 0;
    for (size_t i = 0; i < weights->file_count; i++) bytes += weights->files[i].map.size;
    return bytes;
}
