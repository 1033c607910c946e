/* Fuzz target: any bytes as a .npy file. What is accepted describes numbers that all lie inside
 * the bytes, and every one of them can be read; what is refused is told with the file's name.
 */
#include "common/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__npy npy;
    kz__err err = {""};
    kz_status status = kz__npy_parse(data, size, "x.npy", &npy, &err);
    if (status != KZ_OK) {
        need(status == KZ_ERR_INPUT && strncmp(err.text, "x.npy", 5) == 0);
        return 0;
    }
    need(npy.rank >= 0 && npy.rank <= KZ__NPY_RANK_MAX);
    size_t count = 1;
    for (int i = 0; i < npy.rank; i++) count *= npy.shape[i];
    need(count == npy.count);
    need(npy.width == 1 || npy.width == 2 || npy.width == 4 || npy.width == 8);
    need(count == 0 || npy.data >= data);
    need(count <= size && count * (size_t)npy.width <= size);
    need(count == 0 || npy.data + count * (size_t)npy.width <= data + size);
    volatile float sum = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        if (npy.kind == 'f') {
            sum = kz__npy_float(&npy, i);
        } else if (!kz__npy_integer(&npy, i, &value)) {
            need(npy.kind == 'u' && npy.width == 8);
        }
    }
    (void)sum;
    return 0;
}
