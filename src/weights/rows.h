/* A table whose rows are read from its file one by one, when they are needed. Through the mapping a
 * row would bring all that the system has in one page with it, up to some megabytes, into the
 * memory of the process, and a file that was cut would end it.
 */
#ifndef KZ_WEIGHTS_ROWS_H
#define KZ_WEIGHTS_ROWS_H

#include "base/mapfile.h"
#include "tensor/dtype.h"

typedef struct kz__rows {
    const char *name, *path;
    const kz__mapfile *file; /* name, path and file belong to the weights */
    uint64_t offset;         /* of row 0 in the file */
    kz__dtype type;
    size_t count, width;
} kz__rows;

/* The bytes of row `index` < count, as stored: buffer[width]. Any thread; allocates nothing.
 * KZ_ERR_MODEL where they cannot be read. */
kz_status kz__rows_read(const kz__rows *rows, size_t index, void *buffer, kz__err *err);

#endif
