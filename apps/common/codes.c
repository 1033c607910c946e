/* Both forms end in the same check of every value. */
#include "common/codes.h"

#include "base/in_file.h"
#include "common/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FILE_MAX ((size_t)1 << 28)
#define DIGITS_MAX 12 /* of a code and its separator in text */

typedef struct reader {
    const char *name;
    int entries;
    kz__codes *codes;
    kz__err *err;
} reader;

static kz_status put(const reader *r, size_t index, int64_t value) {
    if (value < 0 || value >= r->entries) {
        return kz__fail(r->err, KZ_ERR_INPUT,
                        "%s: frame %zu, codebook %zu holds %" PRId64 "; 0 to %d is allowed",
                        r->name, index / r->codes->per_frame, index % r->codes->per_frame, value,
                        r->entries - 1);
    }
    r->codes->values[index] = (int32_t)value;
    return KZ_OK;
}

static kz_status make_room(kz__mem *mem, const reader *r, size_t frames) {
    size_t count = 0;
    if (!kz__mul(frames, r->codes->per_frame, &count)) return kz__fail_memory(r->err);
    r->codes->values = kz__calloc(mem, count, sizeof *r->codes->values);
    if (!r->codes->values) return kz__fail_memory(r->err);
    r->codes->frames = frames;
    return KZ_OK;
}

static kz_status read_npy(kz__mem *mem, const reader *r, const char *bytes, size_t length) {
    kz__npy npy;
    kz_status status = kz__npy_parse(bytes, length, r->name, &npy, r->err);
    if (status != KZ_OK) return status;
    if (npy.kind == 'f') {
        return kz__fail(r->err, KZ_ERR_INPUT, "%s holds float32; codes are integers", r->name);
    }
    if (npy.rank != 2 || npy.shape[1] != r->codes->per_frame) {
        return kz__fail(r->err, KZ_ERR_INPUT, "%s has %d dimension%s, the last of size %zu; codes "
                        "are [frames, %zu]", r->name, npy.rank, npy.rank == 1 ? "" : "s",
                        npy.rank ? npy.shape[npy.rank - 1] : 0, r->codes->per_frame);
    }
    status = make_room(mem, r, npy.shape[0]);
    for (size_t i = 0; status == KZ_OK && i < npy.count; i++) {
        int64_t value = 0;
        if (!kz__npy_integer(&npy, i, &value)) value = INT64_MAX;
        status = put(r, i, value);
    }
    return status;
}

/* One number of a line; false where it is none. */
static bool number(const char **at, const char *end, int64_t *value) {
    const char *p = *at;
    bool minus = p < end && *p == '-';
    if (minus) p++;
    const char *first = p;
    int64_t sum = 0;
    while (p < end && *p >= '0' && *p <= '9') {
        if (sum < INT64_MAX / 16) sum = 10 * sum + (*p - '0');
        p++;
    }
    bool ended = p == end || *p == ' ' || *p == '\t' || *p == '\r';
    if (p == first || !ended) return false;
    *value = minus ? -sum : sum;
    *at = p;
    return true;
}

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static kz_status read_line(const reader *r, const char *at, const char *end, size_t line,
                           size_t frame, size_t *found) {
    *found = 0;
    for (;;) {
        while (at < end && blank(*at)) at++;
        if (at == end) break;
        int64_t value = 0;
        if (!number(&at, end, &value)) {
            return kz__fail(r->err, KZ_ERR_INPUT, "%s: line %zu holds something that is not a "
                            "whole number", r->name, line);
        }
        if (*found < r->codes->per_frame) {
            kz_status status = put(r, frame * r->codes->per_frame + *found, value);
            if (status != KZ_OK) return status;
        }
        (*found)++;
    }
    if (*found != 0 && *found != r->codes->per_frame) {
        return kz__fail(r->err, KZ_ERR_INPUT, "%s: line %zu has %zu numbers; a frame is %zu",
                        r->name, line, *found, r->codes->per_frame);
    }
    return KZ_OK;
}

static kz_status read_text(kz__mem *mem, const reader *r, const char *bytes, size_t length) {
    size_t lines = 1;
    for (size_t i = 0; i < length; i++) lines += bytes[i] == '\n';
    /* A code takes a digit and a separator at least, so blank lines need no room. */
    size_t most = length / (2 * r->codes->per_frame) + 2;
    kz_status status = make_room(mem, r, lines < most ? lines : most);
    size_t frame = 0;
    const char *at = bytes;
    const char *end = bytes + length;
    for (size_t line = 1; status == KZ_OK && line <= lines; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        size_t found = 0;
        status = read_line(r, at, stop, line, frame, &found);
        if (found) frame++;
        at = stop < end ? stop + 1 : end;
    }
    r->codes->frames = frame;
    return status;
}

kz_status kz__codes_parse(kz__mem *mem, const char *bytes, size_t length, const char *name,
                          size_t per_frame, int entries, kz__codes *codes, kz__err *err) {
    memset(codes, 0, sizeof *codes);
    codes->per_frame = per_frame;
    reader r = {name, entries, codes, err};
    bool npy = length >= 6 && !memcmp(bytes, "\x93NUMPY", 6);
    kz_status status = npy ? read_npy(mem, &r, bytes, length) : read_text(mem, &r, bytes, length);
    if (status == KZ_OK && codes->frames == 0) {
        status = kz__fail(err, KZ_ERR_INPUT, "%s holds no frames", r.name);
    }
    if (status != KZ_OK) {
        kz__free(mem, codes->values);
        codes->values = NULL;
    }
    return status;
}

kz_status kz__codes_read(kz__mem *mem, const char *path, size_t per_frame, int entries,
                         kz__codes *codes, kz__err *err) {
    char *bytes = NULL;
    size_t length = 0;
    memset(codes, 0, sizeof *codes);
    kz_status status = kz__in_file(mem, path, FILE_MAX, &bytes, &length, err);
    if (status != KZ_OK) return status;
    const char *name = strcmp(path, "-") ? path : "standard input";
    status = kz__codes_parse(mem, bytes, length, name, per_frame, entries, codes, err);
    kz__free(mem, bytes);
    return status;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t tail = strlen(ending);
    return length > tail && !strcasecmp(path + length - tail, ending);
}

bool kz__codes_known(const char *path) {
    return ends_with(path, ".npy") || ends_with(path, ".txt");
}

static kz_status format_text(kz__mem *mem, const int32_t *values, size_t frames,
                             size_t per_frame, unsigned char **bytes, size_t *length,
                             kz__err *err) {
    size_t capacity = 0;
    if (!kz__mul(frames * per_frame + 1, DIGITS_MAX, &capacity)) return kz__fail_memory(err);
    char *text = kz__alloc(mem, capacity);
    if (!text) return kz__fail_memory(err);
    size_t used = 0;
    for (size_t i = 0; i < frames * per_frame; i++) {
        char after = (i + 1) % per_frame == 0 ? '\n' : ' ';
        used += (size_t)snprintf(text + used, capacity - used, "%" PRId32 "%c", values[i], after);
    }
    *bytes = (unsigned char *)text;
    *length = used;
    return KZ_OK;
}

kz_status kz__codes_format(kz__mem *mem, const char *path, const int32_t *values, size_t frames,
                           size_t per_frame, unsigned char **bytes, size_t *length, kz__err *err) {
    if (ends_with(path, ".txt")) {
        return format_text(mem, values, frames, per_frame, bytes, length, err);
    }
    size_t shape[2] = {frames, per_frame};
    size_t count = frames * per_frame;
    size_t total = KZ__NPY_HEADER + 4 * count;
    unsigned char *file = kz__alloc(mem, total);
    if (!file) return kz__fail_memory(err);
    kz__npy_header(file, "<i4", shape, 2);
    kz__npy_put_i32(values, count, file + KZ__NPY_HEADER);
    *bytes = file;
    *length = total;
    return KZ_OK;
}
