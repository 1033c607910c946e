/* Writes a test checkpoint: small files are copied, weights come from a formula.
 *
 * Value i of a tensor, bit for bit as scripts/reference/ckpt.py has it:
 *     s = seed XOR fnv1a64(name),  z = s + (i + 1) * 0x9E3779B97F4A7C15        (modulo 2^64)
 *     z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9,  z = (z ^ z >> 27) * 0x94D049BB133111EB,
 *     z = z ^ z >> 31,  u = (z >> 40) - 2^23
 *     x = f32(f32(u) * f32(std * sqrt(3) / 2^23)) + f32(mean)
 *     x = f32(x * f32(gain)) in rows that have a gain
 * then rounded to the tensor's type, nearest even. No fused multiply-add may be made of it: build
 * with -ffp-contract=off.
 *
 * tensors.json: {"copy":[[to,from]..], "files":[{"path","seed","tensors":[{"name","dtype","shape",
 * "mean","std","rows":[[row,gain]..]}..]}..]}
 */
#include "ckpt.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 1024, MAX_DIMS = 4, CHUNK = 4096 };

typedef enum { DT_F32, DT_F16, DT_BF16 } dtype;

typedef struct {
    const char *name;
    dtype type;
    size_t shape[MAX_DIMS];
    int dims;
    size_t count;
    size_t bytes;
    size_t row; /* values in one row of the first dimension */
    float mean;
    float scale;
    json_t *gains; /* [[row, gain]..] or NULL */
} tensor;

typedef struct {
    char *text;
    size_t room;
} errbuf;

static int fail(errbuf *e, const char *what, const char *which) {
    if (e->room > 0) {
        snprintf(e->text, e->room, "%s: %s", which, what);
    }
    return -1;
}

static int join(char out[PATH_ROOM], const char *dir, const char *name, errbuf *e) {
    int len = snprintf(out, PATH_ROOM, "%s/%s", dir, name);
    return len > 0 && len < PATH_ROOM ? 0 : fail(e, "path too long", name);
}

/* Makes the folders above path, and path itself where it ends with a slash. */
static int make_folders(const char *path, errbuf *e) {
    char part[PATH_ROOM];
    size_t len = strlen(path);
    if (len >= sizeof part) {
        return fail(e, "path too long", path);
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i < len; i++) {
        if (part[i] != '/') {
            continue;
        }
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return fail(e, strerror(errno), part);
        }
        part[i] = '/';
    }
    return 0;
}

static int copy_file(const char *from, const char *to, errbuf *e) {
    char block[CHUNK];
    size_t got;
    FILE *in = fopen(from, "rb");
    if (in == NULL) {
        return fail(e, strerror(errno), from);
    }
    FILE *out = fopen(to, "wb");
    if (out == NULL) {
        fclose(in);
        return fail(e, strerror(errno), to);
    }
    int bad = 0;
    while ((got = fread(block, 1, sizeof block, in)) > 0) {
        bad |= fwrite(block, 1, got, out) != got;
    }
    bad |= ferror(in);
    fclose(in);
    bad |= fclose(out) != 0;
    return bad ? fail(e, "copy failed", to) : 0;
}

/* ------------------------------------------------------------------ the formula */

static uint64_t fnv1a64(const char *text) {
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (; *text != '\0'; text++) {
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return h;
}

static float value(uint64_t start, size_t i, float scale, float mean) {
    uint64_t z = start + ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    float x = (float)((int32_t)(z >> 40) - (1 << 23));
    x = x * scale;
    x = x + mean;
    return x;
}

static uint32_t f32_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static uint16_t to_bf16(float x) {
    uint32_t u = f32_bits(x);
    return (uint16_t)((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
}

/* Finite values only. */
static uint16_t to_f16(float x) {
    uint32_t u = f32_bits(x), sign = (u >> 16) & 0x8000, mag = u & 0x7FFFFFFF;
    if (mag >= 0x477FF000) { /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7C00);
    }
    if (mag < 0x38800000) { /* subnormal half: units of 2^-24 */
        float a = x < 0 ? -x : x;
        float scaled = a * 16777216.0f;
        uint32_t whole = (uint32_t)scaled;
        float rest = scaled - (float)whole;
        whole += rest > 0.5f || (rest == 0.5f && (whole & 1) != 0);
        return (uint16_t)(sign | whole);
    }
    mag += 0xFFF + ((mag >> 13) & 1);
    return (uint16_t)(sign | ((mag - 0x38000000) >> 13));
}

static size_t put(unsigned char *out, dtype type, float x) {
    uint32_t u = type == DT_F32 ? f32_bits(x) : type == DT_F16 ? to_f16(x) : to_bf16(x);
    size_t bytes = type == DT_F32 ? 4 : 2;
    for (size_t b = 0; b < bytes; b++) {
        out[b] = (unsigned char)(u >> (8 * b));
    }
    return bytes;
}

/* ------------------------------------------------------------------ tensors.json */

static int read_tensor(json_t *j, tensor *t, errbuf *e) {
    static const char *const names[] = {"F32", "F16", "BF16"};
    const char *type = NULL;
    json_t *shape = NULL;
    double mean, std;
    *t = (tensor){.name = "tensor", .count = 1};
    if (json_unpack(j, "{s:s,s:s,s:o,s:F,s:F}", "name", &t->name, "dtype", &type, "shape", &shape,
                    "mean", &mean, "std", &std) != 0) {
        return fail(e, "keys are missing", t->name);
    }
    int k = 0;
    while (k < 3 && strcmp(type, names[k]) != 0) {
        k++;
    }
    size_t dims = json_array_size(shape);
    if (k == 3 || dims < 1 || dims > MAX_DIMS) {
        return fail(e, "unknown type or shape", t->name);
    }
    t->type = (dtype)k;
    t->dims = (int)dims;
    for (size_t d = 0; d < dims; d++) {
        json_int_t v = json_integer_value(json_array_get(shape, d));
        if (v < 1 || v > 1 << 20 || t->count > (size_t)1 << 28) {
            return fail(e, "bad shape", t->name);
        }
        t->shape[d] = (size_t)v;
        t->count *= (size_t)v;
    }
    t->bytes = t->count * (t->type == DT_F32 ? 4 : 2);
    t->row = t->count / t->shape[0];
    t->mean = (float)mean;
    t->scale = (float)(std * sqrt(3.0) / 8388608.0);
    t->gains = json_object_get(j, "rows");
    return 0;
}

static float gain_of(const tensor *t, size_t row, int *found) {
    for (size_t i = 0; i < json_array_size(t->gains); i++) {
        json_t *pair = json_array_get(t->gains, i);
        if ((size_t)json_integer_value(json_array_get(pair, 0)) == row) {
            *found = 1;
            return (float)json_number_value(json_array_get(pair, 1));
        }
    }
    *found = 0;
    return 1.0f;
}

static int write_tensor(FILE *f, const tensor *t, uint64_t seed) {
    unsigned char block[4 * CHUNK];
    uint64_t start = seed ^ fnv1a64(t->name);
    size_t used = 0;
    for (size_t row = 0; row < t->shape[0]; row++) {
        int found;
        float gain = gain_of(t, row, &found);
        for (size_t i = row * t->row; i < (row + 1) * t->row; i++) {
            float x = value(start, i, t->scale, t->mean);
            if (found) {
                x = x * gain;
            }
            used += put(block + used, t->type, x);
            if (used > sizeof block - 4) {
                if (fwrite(block, 1, used, f) != used) {
                    return -1;
                }
                used = 0;
            }
        }
    }
    return fwrite(block, 1, used, f) == used ? 0 : -1;
}

/* ------------------------------------------------------------------ safetensors */

static size_t header_entry(char *out, size_t room, const tensor *t, size_t at) {
    static const char *const names[] = {"F32", "F16", "BF16"};
    size_t len = (size_t)snprintf(out, room, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name,
                                  names[t->type]);
    for (int d = 0; d < t->dims && len < room; d++) {
        len += (size_t)snprintf(out + len, room - len, "%s%zu", d > 0 ? "," : "", t->shape[d]);
    }
    if (len < room) {
        len += (size_t)snprintf(out + len, room - len, "],\"data_offsets\":[%zu,%zu]}", at,
                                at + t->bytes);
    }
    return len;
}

/* The header padded with spaces to a multiple of 8, after its length; NULL: err is set. */
static char *make_header(json_t *list, size_t *len, errbuf *e) {
    size_t room = 64 + 512 * json_array_size(list), at = 0;
    char *head = malloc(room);
    if (head == NULL) {
        fail(e, "out of memory", "header");
        return NULL;
    }
    size_t used = (size_t)snprintf(head, room, "%s", "{\"__metadata__\":{\"format\":\"pt\"}");
    for (size_t i = 0; i < json_array_size(list); i++) {
        tensor t;
        if (read_tensor(json_array_get(list, i), &t, e) != 0) {
            free(head);
            return NULL;
        }
        used += header_entry(head + used, room - used, &t, at);
        at += t.bytes;
        if (used + 16 > room) {
            fail(e, "header too long", t.name);
            free(head);
            return NULL;
        }
    }
    head[used++] = '}';
    while (used % 8 != 0) {
        head[used++] = ' ';
    }
    *len = used;
    return head;
}

static int write_safetensors(const char *path, uint64_t seed, json_t *list, errbuf *e) {
    size_t len;
    char *head = make_header(list, &len, e);
    if (head == NULL) {
        return -1;
    }
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        free(head);
        return fail(e, strerror(errno), path);
    }
    unsigned char count[8];
    for (int b = 0; b < 8; b++) {
        count[b] = (unsigned char)((uint64_t)len >> (8 * b));
    }
    int bad = fwrite(count, 1, 8, f) != 8 || fwrite(head, 1, len, f) != len;
    free(head);
    for (size_t i = 0; i < json_array_size(list) && !bad; i++) {
        tensor t;
        bad = read_tensor(json_array_get(list, i), &t, e) != 0 || write_tensor(f, &t, seed) != 0;
    }
    bad |= fclose(f) != 0;
    return bad ? fail(e, "write failed", path) : 0;
}

/* ------------------------------------------------------------------ the whole folder */

static int make_all(json_t *spec, const char *spec_dir, const char *out_dir, errbuf *e) {
    char from[PATH_ROOM], to[PATH_ROOM];
    json_t *item;
    size_t i;
    json_array_foreach(json_object_get(spec, "copy"), i, item) {
        const char *dst, *src;
        if (json_unpack(item, "[s,s]", &dst, &src) != 0) {
            return fail(e, "bad copy entry", spec_dir);
        }
        if (join(from, spec_dir, src, e) != 0 || join(to, out_dir, dst, e) != 0 ||
            make_folders(to, e) != 0 || copy_file(from, to, e) != 0) {
            return -1;
        }
    }
    json_array_foreach(json_object_get(spec, "files"), i, item) {
        const char *path;
        json_int_t seed;
        json_t *list;
        if (json_unpack(item, "{s:s,s:I,s:o}", "path", &path, "seed", &seed, "tensors", &list) !=
            0) {
            return fail(e, "bad file entry", spec_dir);
        }
        if (join(to, out_dir, path, e) != 0 || make_folders(to, e) != 0 ||
            write_safetensors(to, (uint64_t)seed, list, e) != 0) {
            return -1;
        }
    }
    return 0;
}

int kzt_make_checkpoint(const char *spec_dir, const char *out_dir, char *err, size_t n) {
    errbuf e = {err, n};
    char path[PATH_ROOM];
    json_error_t why;
    if (join(path, spec_dir, "tensors.json", &e) != 0) {
        return -1;
    }
    json_t *spec = json_load_file(path, 0, &why);
    if (spec == NULL) {
        return fail(&e, why.text, path);
    }
    int status = make_all(spec, spec_dir, out_dir, &e);
    json_decref(spec);
    return status;
}
