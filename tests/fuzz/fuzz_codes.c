/* Fuzz target: a file of codes, .npy or text. What is accepted keeps every promise; what is refused
 * leaves nothing behind and says why.
 */
#include "common/codes.h"

#include <stdlib.h>

#define PER_FRAME 4
#define ENTRIES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__mem mem;
    kz__err err = {""};
    kz__codes codes;
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) return 0;
    kz_status status = kz__codes_parse(&mem, (const char *)data, size, "x", PER_FRAME, ENTRIES,
                                       &codes, &err);
    need(status == KZ_OK || (status == KZ_ERR_INPUT && err.text[0]));
    if (status == KZ_OK) {
        need(codes.frames > 0);
        for (size_t i = 0; i < codes.frames * codes.per_frame; i++) {
            need(codes.values[i] >= 0 && codes.values[i] < ENTRIES);
        }
    }
    kz__free(&mem, codes.values);
    need(atomic_load(&mem.current) == 0);
    return 0;
}
