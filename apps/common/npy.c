/* The header is a Python dictionary with three keys; it is read by a small scanner of just that
 * form, never searched for substrings. */
#include "common/npy.h"

#include "audio/pcm.h"
#include "base/out_file.h"

#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct scan {
    const char *at, *end;
} scan;

static void skip_blanks(scan *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')) s->at++;
}

static bool take(scan *s, char c) {
    skip_blanks(s);
    if (s->at == s->end || *s->at != c) return false;
    s->at++;
    return true;
}

/* A quoted word into text; false where there is none or it is too long. */
static bool take_string(scan *s, char *text, size_t capacity) {
    skip_blanks(s);
    if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) return false;
    char quote = *s->at++;
    size_t used = 0;
    while (s->at < s->end && *s->at != quote) {
        if (used + 1 >= capacity) return false;
        text[used++] = *s->at++;
    }
    text[used] = 0;
    return take(s, quote);
}

static bool take_word(scan *s, const char *word) {
    skip_blanks(s);
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

static bool take_size(scan *s, size_t *value) {
    skip_blanks(s);
    const char *first = s->at;
    *value = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        size_t scaled = 0;
        if (!kz__mul(*value, 10, &scaled)) return false;
        if (!kz__add(scaled, (size_t)(*s->at - '0'), value)) return false;
        s->at++;
    }
    return s->at > first;
}

static bool take_shape(scan *s, kz__npy *npy) {
    if (!take(s, '(')) return false;
    npy->rank = 0;
    npy->count = 1;
    while (!take(s, ')')) {
        size_t size = 0;
        if (npy->rank == KZ__NPY_RANK_MAX || !take_size(s, &size)) return false;
        if (!kz__mul(npy->count, size, &npy->count)) return false;
        npy->shape[npy->rank++] = size;
        if (!take(s, ',')) return take(s, ')');
    }
    return true;
}

static bool take_dictionary(scan *s, kz__npy *npy, char type[16], bool *fortran) {
    bool seen_type = false, seen_order = false, seen_shape = false;
    if (!take(s, '{')) return false;
    while (!take(s, '}')) {
        char key[32];
        if (!take_string(s, key, sizeof key) || !take(s, ':')) return false;
        if (!strcmp(key, "descr")) {
            seen_type = take_string(s, type, 16);
            if (!seen_type) return false;
        } else if (!strcmp(key, "fortran_order")) {
            *fortran = take_word(s, "True");
            if (!*fortran && !take_word(s, "False")) return false;
            seen_order = true;
        } else if (!strcmp(key, "shape")) {
            seen_shape = take_shape(s, npy);
            if (!seen_shape) return false;
        } else {
            return false;
        }
        if (!take(s, ',')) {
            if (!take(s, '}')) return false;
            break;
        }
    }
    skip_blanks(s);
    return seen_type && seen_order && seen_shape && s->at == s->end;
}

static bool known_type(const char *type, kz__npy *npy) {
    static const uint16_t one = 1;
    if (strlen(type) != 3 || !strchr("<>|=", type[0])) return false;
    npy->kind = type[1];
    npy->width = type[2] - '0';
    npy->big = type[0] == '>' || (type[0] == '=' && *(const unsigned char *)&one == 0);
    if (npy->kind == 'f') return npy->width == 4;
    bool whole = npy->kind == 'i' || npy->kind == 'u';
    return whole && (npy->width == 1 || npy->width == 2 || npy->width == 4 || npy->width == 8);
}

kz_status kz__npy_parse(const void *bytes, size_t length, const char *name, kz__npy *npy,
                        kz__err *err) {
    const unsigned char *file = bytes;
    memset(npy, 0, sizeof *npy);
    if (length < 10 || memcmp(file, magic, sizeof magic) != 0) {
        return kz__fail(err, KZ_ERR_INPUT, "%s is not a .npy file", name);
    }
    int version = file[6];
    size_t prefix = version == 1 ? 10 : 12;
    if (version < 1 || version > 3 || length < prefix) {
        return kz__fail(err, KZ_ERR_INPUT, "%s has .npy version %d; 1 to 3 can be read", name,
                        version);
    }
    size_t header = (size_t)file[8] | (size_t)file[9] << 8;
    if (version > 1) header |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (header > length - prefix) {
        return kz__fail(err, KZ_ERR_INPUT, "%s ends inside its .npy header", name);
    }
    scan s = {(const char *)file + prefix, (const char *)file + prefix + header};
    char type[16] = "";
    bool fortran = false;
    if (!take_dictionary(&s, npy, type, &fortran)) {
        return kz__fail(err, KZ_ERR_INPUT, "%s has a .npy header that cannot be understood", name);
    }
    if (!known_type(type, npy)) {
        return kz__fail(err, KZ_ERR_INPUT, "%s holds elements of type '%s'; integers or float32 "
                        "can be read", name, type);
    }
    if (fortran) {
        return kz__fail(err, KZ_ERR_INPUT, "%s is in Fortran order; C order is needed", name);
    }
    size_t need = 0;
    size_t have = length - prefix - header;
    if (!kz__mul(npy->count, (size_t)npy->width, &need) || need != have) {
        return kz__fail(err, KZ_ERR_INPUT, "%s has %zu bytes of data, which is not what its shape "
                        "says", name, have);
    }
    npy->data = file + prefix + header;
    return KZ_OK;
}

static uint64_t element(const kz__npy *npy, size_t i) {
    const unsigned char *at = npy->data + i * (size_t)npy->width;
    uint64_t value = 0;
    for (int b = 0; b < npy->width; b++) {
        int from = npy->big ? b : npy->width - 1 - b;
        value = value << 8 | at[from];
    }
    return value;
}

bool kz__npy_integer(const kz__npy *npy, size_t i, int64_t *value) {
    uint64_t raw = element(npy, i);
    if (npy->kind == 'u') {
        *value = (int64_t)(raw & INT64_MAX);
        return raw <= INT64_MAX;
    }
    uint64_t sign = (uint64_t)1 << (8 * npy->width - 1);
    *value = (raw & sign) ? -(int64_t)((sign - 1) - (raw & (sign - 1))) - 1 : (int64_t)raw;
    return true;
}

float kz__npy_float(const kz__npy *npy, size_t i) {
    uint32_t bits = (uint32_t)element(npy, i);
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void kz__npy_header(unsigned char header[KZ__NPY_HEADER], const char *type, const size_t *shape,
                    int rank) {
    char text[KZ__NPY_HEADER * 2];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < rank; i++) {
        const char *after = i == 0 && rank == 1 ? "," : i + 1 < rank ? ", " : "";
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu%s", shape[i], after);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "), }");
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (KZ__NPY_HEADER - 10) & 0xff;
    header[9] = (KZ__NPY_HEADER - 10) >> 8;
    memset(header + 10, ' ', KZ__NPY_HEADER - 10);
    if (used > KZ__NPY_HEADER - 11) used = KZ__NPY_HEADER - 11;
    memcpy(header + 10, text, used);
    header[KZ__NPY_HEADER - 1] = '\n';
}

void kz__npy_put_i32(const int32_t *values, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++) {
        for (int b = 0; b < 4; b++) {
            bytes[4 * i + (size_t)b] = (unsigned char)((uint32_t)values[i] >> 8 * b & 0xff);
        }
    }
}

kz_status kz__npy_write_f32(kz__mem *mem, const char *path, const float *data,
                            const size_t *shape, int rank, kz__err *err) {
    size_t count = 1;
    size_t bytes = 0;
    for (int i = 0; i < rank; i++) {
        if (!kz__mul(count, shape[i], &count)) return kz__fail_memory(err);
    }
    if (!kz__mul(count, 4, &bytes) || !kz__add(bytes, KZ__NPY_HEADER, &bytes)) {
        return kz__fail_memory(err);
    }
    unsigned char *file = kz__alloc(mem, bytes);
    if (!file) return kz__fail_memory(err);
    kz__npy_header(file, "<f4", shape, rank);
    kz__pcm_write_f32(data, count, file + KZ__NPY_HEADER);
    kz_status status = kz__out_file(mem, path, file, bytes, err);
    kz__free(mem, file);
    return status;
}
