/* Rows of a table from its file. */
#include "weights/rows.h"

#include "base/path.h"

kz_status kz__rows_read(const kz__rows *rows, size_t index, void *buffer, kz__err *err) {
    kz__shown path;
    kz__shown name;
    int error = 0;
    size_t bytes = rows->width * kz__dtype_bytes(rows->type);
    size_t got = kz__mapfile_read(rows->file, rows->offset + (uint64_t)index * bytes, buffer, bytes,
                                  &error);
    if (got == bytes) return KZ_OK;
    return kz__fail(err, KZ_ERR_MODEL,
                    "'%s': row %zu of tensor '%s' cannot be read, %zu of its %zu bytes are there: "
                    "%s",
                    kz__show_path(&path, rows->path), index, kz__show_name(&name, rows->name), got,
                    bytes, error ? "the system could not read the file"
                                 : "the file was cut while in use");
}
