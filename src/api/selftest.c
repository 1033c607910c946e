/* The public self-test of the kernels: every level that this build and machine can use against the
 * scalar reference. */
#include "base/fpenv.h"
#include "base/mem.h"
#include "kernels/check.h"
#include "kernels/kernels.h"
#include "kazeia.h"

#include <stdio.h>

typedef struct listener {
    kz_selftest_fn report;
    void *user;
    kz__level level;
} listener;

static void pass_on(void *user, const char *kernel, int equal) {
    const listener *l = user;
    char name[64];
    if (l->report) {
        snprintf(name, sizeof name, "%s/%s", kz__level_name(l->level), kernel);
        l->report(l->user, name, equal);
    }
}

kz_status kz_selftest_kernels(kz_selftest_fn report, void *user) {
    kz__mem mem;
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) {
        return KZ_ERR_FAILED;
    }
    char *memory = kz__alloc(&mem, KZ__CHECK_SLOTS * KZ__CHECK_SLOT_BYTES);
    if (!memory) {
        return KZ_ERR_MEMORY;
    }
    listener l = {report, user, KZ__SCALAR};
    kz__check check = {.seed = 1, .report = pass_on, .user = &l};
    for (size_t i = 0; i < KZ__CHECK_SLOTS; i++) {
        check.slots[i] = memory + i * KZ__CHECK_SLOT_BYTES;
    }
    int different = 0;
    kz__fpenv saved = kz__fpenv_set();
    for (int level = KZ__SCALAR + 1; level < KZ__LEVELS; level++) {
        check.level = (kz__level)level;
        l.level = check.level;
        if (kz__kernels_usable(check.level)) {
            different += kz__kernels_check(&check);
        }
    }
    kz__fpenv_restore(saved);
    kz__free(&mem, memory);
    return different ? KZ_ERR_FAILED : KZ_OK;
}
