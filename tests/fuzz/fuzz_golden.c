/* Fuzz target: a golden run. What is accepted has a text, codes within the codebooks and makes a
 * request; what is refused leaves nothing behind and says why.
 */
#include "common/golden.h"

#include <stdlib.h>

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
    kz__golden golden;
    kz_request request;
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) return 0;
    kz_status status = kz__golden_parse(&mem, (const char *)data, size, "no/such/g.json",
                                        PER_FRAME, ENTRIES, &golden, &err);
    need(status == KZ_OK || (status == KZ_ERR_INPUT && err.text[0]));
    if (status == KZ_OK) {
        need(golden.text && golden.codes.frames > 0);
        check(&golden.codes);
        check(&golden.reference_codes);
        kz__golden_request(&golden, &request);
        need(request.max_frames > 0);
        kz__golden_free(&golden);
    }
    need(atomic_load(&mem.current) == 0);
    return 0;
}
