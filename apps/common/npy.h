/* NumPy's .npy files: written as version 1.0, little endian, C order; read in versions 1 to 3 with
 * any integer type or float32.
 */
#ifndef KZ_COMMON_NPY_H
#define KZ_COMMON_NPY_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define KZ__NPY_RANK_MAX 8
#define KZ__NPY_HEADER 192 /* bytes of every header written here: a multiple of 64 */

typedef struct kz__npy {
    char kind;      /* 'i', 'u' or 'f' */
    int width;      /* bytes of an element: 1, 2, 4, 8 */
    bool big;       /* big endian */
    int rank;
    size_t shape[KZ__NPY_RANK_MAX];
    size_t count;   /* product of the shape */
    const unsigned char *data; /* inside the buffer given to kz__npy_parse */
} kz__npy;

/* Looks at a whole file in memory. KZ_ERR_INPUT with a sentence that begins with name where it is
 * not such a file, its shape does not fit its length, or its type is another. */
kz_status kz__npy_parse(const void *bytes, size_t length, const char *name, kz__npy *npy,
                        kz__err *err);

/* Element i of an integer array; false where it does not fit 64 signed bits. */
bool kz__npy_integer(const kz__npy *npy, size_t i, int64_t *value);
/* Element i of a float32 array. */
float kz__npy_float(const kz__npy *npy, size_t i);

/* The header of exactly KZ__NPY_HEADER bytes; type is "<i4" or "<f4", rank up to
 * KZ__NPY_RANK_MAX. */
void kz__npy_header(unsigned char header[KZ__NPY_HEADER], const char *type, const size_t *shape,
                    int rank);

/* The data part for "<i4". */
void kz__npy_put_i32(const int32_t *values, size_t count, unsigned char *bytes);

/* A whole file. */
kz_status kz__npy_write_f32(kz__mem *mem, const char *path, const float *data,
                            const size_t *shape, int rank, kz__err *err);

#endif
