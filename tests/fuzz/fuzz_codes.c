/* Fuzz target: a byte that says which, then a file of codes (.npy or text) or a golden run. What is
 * accepted keeps every promise; what is refused leaves nothing behind and says why.
 */
#include "common/golden.h"

#include <stdlib.h>
#include <string.h>

#define PER_FRAME 4
#define ENTRIES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static void check(const kz__codes *codes) {
    for (size_t i = 0; i < codes->frames * codes->per_frame; i++) {
        need(codes->values[i] >= 0 && codes->values[i] < ENTRIES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__mem mem;
    kz__err err = {""};
    if (size < 1 || kz__mem_init(&mem, NULL, NULL) != KZ_OK) return 0;
    const char *bytes = (const char *)data + 1;
    if (data[0] == 'g') {
        kz__golden golden;
        kz_request request;
        kz_status status = kz__golden_parse(&mem, bytes, size - 1, "no/such/g.json", PER_FRAME,
                                            ENTRIES, &golden, &err);
        need(status == KZ_OK || (status == KZ_ERR_INPUT && err.text[0]));
        if (status == KZ_OK) {
            need(golden.text && golden.codes.frames > 0);
            check(&golden.codes);
            check(&golden.reference_codes);
            kz__golden_request(&golden, &request);
            need(request.max_frames > 0);
            kz__golden_free(&golden);
        }
    } else {
        kz__codes codes;
        kz_status status = kz__codes_parse(&mem, bytes, size - 1, "x", PER_FRAME, ENTRIES, &codes,
                                           &err);
        need(status == KZ_OK || (status == KZ_ERR_INPUT && err.text[0]));
        if (status == KZ_OK) {
            need(codes.frames > 0);
            check(&codes);
        }
        kz__free(&mem, codes.values);
    }
    need(atomic_load(&mem.current) == 0);
    return 0;
}
