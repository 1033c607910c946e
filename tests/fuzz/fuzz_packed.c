/* Fuzz target: a packed file, whose checksums of header and table are made right first, so that
 * what lies behind them is reached. What is accepted must lie inside the file, and
 * every entry can be read to its end.
 */
#include "harness/packed.h"
#include "weights/weights.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static uint64_t read_all(const kz__packed *p, const kz__packed_entry *e, size_t size) {
    const unsigned char *bytes = kz__packed_data(p, e);
    uint64_t sum = 0;
    need((bytes == NULL) == (e->bytes == 0));
    if (!bytes) return 0;
    need(e->offset % 64 == 0 && e->offset >= 4096 && e->offset < size);
    need(e->bytes <= size - e->offset);
    for (uint64_t i = 0; i < e->bytes; i++) sum += bytes[i];
    return sum;
}

static void look_up(kz__mem *mem, const kz__packed *p) {
    kz__weights *w = NULL;
    need(kz__weights_from_packed(mem, p, &w, NULL) == KZ_OK);
    for (size_t i = 0; i < p->count; i++) {
        const kz__packed_entry *e = &p->entries[i];
        kz__tensor tensor;
        const void *panels = NULL;
        kz__panels wanted = {e->name, e->type, e->shape[0], e->shape[1], e->shape[2], 0};
        need(kz__packed_find(p, e->name) == e);
        kz_status source = kz__weights_source(w, e->name, e->rank, e->shape, &tensor, NULL);
        kz_status values = kz__weights_need(w, e->name, e->rank, e->shape, &tensor, NULL);
        kz_status taken = kz__weights_panels(w, &wanted, &panels, NULL);
        need((source == KZ_OK) ==
             (e->kind == KZ__PACKED_TENSOR || e->kind == KZ__PACKED_SHAPE));
        need((values == KZ_OK) == (e->kind == KZ__PACKED_TENSOR));
        need((taken == KZ_OK) == (e->kind == KZ__PACKED_PANELS));
    }
    (void)kz__weights_type(w);
    (void)kz__weights_check(w, NULL);
    kz__weights_close(w);
}

static void check(const kz__packed *p) {
    kz__packed_check all;
    bool *used = malloc(p->count + 1);
    char *path = NULL;
    const char *data = NULL;
    size_t length = 0;
    if (kz__packed_file(p, "config.json", true, &path, &data, &length, NULL) == KZ_OK) {
        need(!data == !path);
    }
    kz__free(p->mem, path);
    need(used);
    memset(used, true, p->count);
    need(kz__packed_check_begin(p->mem, p, used, &all, NULL) == KZ_OK);
    for (size_t i = 0; i < all.items; i++) kz__packed_check_item(&all, i);
    (void)kz__packed_check_end(&all, NULL);
    free(used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__mem mem;
    kz__packed p;
    kz__err err;
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    kzt_packed_seal(bytes, size);
    kz__mem_init(&mem, NULL, NULL);
    memset(&p, 0, sizeof p);
    if (kz__packed_parse(&mem, bytes, size, "fuzz.kz", &p, &err) == KZ_OK) {
        uint64_t sum = 0;
        for (size_t i = 0; i < p.count; i++) sum += read_all(&p, &p.entries[i], size);
        look_up(&mem, &p);
        check(&p);
        need(sum != 1 || size > 0);
    }
    kz__packed_close(&p);
    need(atomic_load(&mem.current) == 0);
    free(bytes);
    return 0;
}
