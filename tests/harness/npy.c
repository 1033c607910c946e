/* Reads .npy files: magic, version, header text with descr, fortran_order and shape, then
 * values. */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(char *err, size_t n, const char *path, const char *what) {
    if (n > 0) {
        snprintf(err, n, "%s: %s", path, what);
    }
    return -1;
}

/* The header text of the file, NUL terminated; NULL where it is not an npy file. */
static char *read_header(FILE *f) {
    unsigned char head[12];
    if (fread(head, 1, 8, f) != 8 || memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 ||
        head[6] > 2) {
        return NULL;
    }
    size_t width = head[6] == 1 ? 2 : 4, len = 0;
    if (fread(head + 8, 1, width, f) != width) {
        return NULL;
    }
    for (size_t b = 0; b < width; b++) {
        len |= (size_t)head[8 + b] << (8 * b);
    }
    char *text = len < 1 << 20 ? malloc(len + 1) : NULL;
    if (text != NULL && fread(text, 1, len, f) != len) {
        free(text);
        return NULL;
    }
    if (text != NULL) {
        text[len] = '\0';
    }
    return text;
}

static int parse_header(const char *text, kzt_npy *a) {
    const char *descr = strstr(text, "'descr': '");
    const char *shape = strstr(text, "'shape': (");
    if (descr == NULL || shape == NULL || strstr(text, "'fortran_order': False") == NULL) {
        return -1;
    }
    descr += strlen("'descr': '");
    if ((descr[0] != '<' && descr[0] != '|') || strchr("fiub", descr[1]) == NULL) {
        return -1;
    }
    a->kind = descr[1];
    a->item = descr[2] - '0';
    if (a->item != 1 && a->item != 2 && a->item != 4 && a->item != 8) {
        return -1;
    }
    a->count = 1;
    for (const char *p = shape + strlen("'shape': ("); *p != ')';) {
        char *end;
        unsigned long long v = strtoull(p, &end, 10);
        if (end == p || a->dims == KZT_NPY_MAX_DIMS || (v != 0 && a->count > SIZE_MAX / 8 / v)) {
            return -1;
        }
        a->shape[a->dims++] = (size_t)v;
        a->count *= (size_t)v;
        p = end + strspn(end, ", ");
    }
    return 0;
}

int kzt_npy_read(const char *path, kzt_npy *a, char *err, size_t n) {
    *a = (kzt_npy){0};
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return fail(err, n, path, "cannot be opened");
    }
    const char *wrong = NULL;
    char *text = read_header(f);
    if (text == NULL || parse_header(text, a) != 0) {
        wrong = "not an npy file of a known kind";
    } else {
        size_t bytes = a->count * (size_t)a->item;
        a->data = malloc(bytes > 0 ? bytes : 1);
        if (a->data == NULL) {
            wrong = "out of memory";
        } else if (fread(a->data, 1, bytes, f) != bytes || fgetc(f) != EOF) {
            wrong = "wrong length";
        }
    }
    free(text);
    fclose(f);
    if (wrong != NULL) {
        kzt_npy_free(a);
        return fail(err, n, path, wrong);
    }
    return 0;
}

int kzt_npy_read_as(const char *path, char kind, int item, kzt_npy *a, char *err, size_t n) {
    if (kzt_npy_read(path, a, err, n) != 0) {
        return -1;
    }
    if (a->kind != kind || a->item != item) {
        kzt_npy_free(a);
        return fail(err, n, path, "holds values of another type");
    }
    return 0;
}

void kzt_npy_free(kzt_npy *a) {
    free(a->data);
    *a = (kzt_npy){0};
}
