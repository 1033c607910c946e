/* Reads .npy files (versions 1.0 and 2.0, little endian, C order) into memory, for tests. */
#ifndef KZT_NPY_H
#define KZT_NPY_H

#include <stddef.h>

enum { KZT_NPY_MAX_DIMS = 8 };

typedef struct {
    char kind;   /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool */
    int item;    /* bytes of a value: 1, 2, 4 or 8 */
    int dims;    /* 0 for a scalar */
    size_t shape[KZT_NPY_MAX_DIMS];
    size_t count; /* number of values */
    void *data;   /* count values; free with kzt_npy_free() */
} kzt_npy;

/* Returns 0, or -1 with a sentence in err[n]; *a is then empty. */
int kzt_npy_read(const char *path, kzt_npy *a, char *err, size_t n);

/* As kzt_npy_read(), and -1 unless the values have this kind and size. */
int kzt_npy_read_as(const char *path, char kind, int item, kzt_npy *a, char *err, size_t n);

void kzt_npy_free(kzt_npy *a);

#endif
