/* Any text: pieces follow each other inside it, are not empty, and do not depend on what else is
 * asked. The first two bytes are limit and target. */
#include "kazeia.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    kz_split_options options;
    kz_split_options_init(&options);
    options.limit = data[0];
    options.target = data[1] & 0x7F;
    options.whole = data[1] >> 7;
    const char *text = (const char *)data + 2;
    size_t length = size - 2;
    size_t count = 0;
    size_t again = 0;
    if (kz_split(text, length, &options, NULL, 0, &count, NULL, 0) != KZ_OK) return 0;
    kz_piece *pieces = calloc(count + 1, sizeof *pieces);
    if (!pieces) return 0;
    if (kz_split(text, length, &options, pieces, count, &again, NULL, 0) != KZ_OK) abort();
    if (again != count) abort();
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const kz_piece *p = &pieces[i];
        if (p->offset < end || p->length == 0 || p->offset + p->length > length) abort();
        if ((p->after == KZ_BOUNDARY_END) != (i + 1 == count)) abort();
        end = p->offset + p->length;
    }
    free(pieces);
    return 0;
}
