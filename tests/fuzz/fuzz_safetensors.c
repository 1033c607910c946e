/* Fuzz target: 4 bytes with the size of the data that follow, then the beginning of a file. What is
 * accepted must lie inside the file, in order, without overlap and gap.
 */
#include "weights/safetensors.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__mem mem;
    kz__safetensors table;
    kz__err err;
    if (size < 4) return 0;
    kz__mem_init(&mem, NULL, NULL);
    uint64_t beyond = data[0] | (uint64_t)data[1] << 8 | (uint64_t)data[2] << 16 |
                      (uint64_t)data[3] << 24;
    uint64_t file_size = size - 4 + beyond;
    if (kz__safetensors_parse(&mem, data + 4, size - 4, file_size, "fuzz.safetensors", &table,
                              &err) == KZ_OK) {
        uint64_t end = table.count ? table.tensors[0].offset : file_size;
        for (size_t i = 0; i < table.count; i++) {
            if (table.tensors[i].offset != end || table.tensors[i].offset > file_size) abort();
            if (table.tensors[i].rank < 0 || table.tensors[i].rank > KZ__ST_MAX_RANK) abort();
            end += table.tensors[i].bytes;
        }
        if (end != file_size) abort();
        kz__safetensors_clear(&mem, &table);
    }
    if (atomic_load(&mem.current)) abort();
    return 0;
}
