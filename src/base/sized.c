/* Structs of another version: copied in with defaults, copied out as far as there is room. */
#include "base/sized.h"

#include <string.h>

/* No version of a struct is as long: a size that was never set. */
#define MOST_BYTES 65536

static size_t size_of(const void *given) {
    size_t size = 0;
    if (given) memcpy(&size, given, sizeof size);
    return size;
}

static bool possible(size_t size) {
    return size >= sizeof size && size <= MOST_BYTES && size % sizeof size == 0;
}

kz_status kz__sized_check(const kz__sized *shape, const void *given, kz__err *err) {
    size_t size = size_of(given);
    if (!given) return kz__fail(err, KZ_ERR_USAGE, "there is no %s, but NULL", shape->name);
    if (possible(size) && size >= shape->least) return KZ_OK;
    return kz__fail(err, KZ_ERR_USAGE,
                    "a %s of %zu bytes: its size is %zu or more, in steps of %zu, and set by its "
                    "init call, or to sizeof where it has none",
                    shape->name, size, shape->least, sizeof size);
}

kz_status kz__sized_take(const kz__sized *shape, const void *given, void *full, kz__err *err) {
    kz_status status = kz__sized_check(shape, given, err);
    if (status) return status;
    const unsigned char *bytes = given;
    size_t size = size_of(given);
    for (size_t i = shape->full; i < size; i++) {
        if (!bytes[i]) continue;
        return kz__fail(err, KZ_ERR_USAGE,
                        "byte %zu of a %s is not 0, and this version of the library knows %zu: it "
                        "was not made by its init call, or asks for what a later version has",
                        i, shape->name, shape->full);
    }
    memcpy(full, given, size < shape->full ? size : shape->full);
    memcpy(full, &shape->full, sizeof shape->full);
    return KZ_OK;
}

void kz__sized_give(void *given, size_t size, const void *full, size_t full_size) {
    if (!given || !possible(size)) return;
    size_t known = size < full_size ? size : full_size;
    unsigned char *bytes = given;
    memcpy(bytes, full, known);
    memset(bytes + known, 0, size - known);
    memcpy(bytes, &size, sizeof size);
}
