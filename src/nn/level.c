/* Choosing a kernel level, and the quick check that it has to pass. */
#include "nn/level.h"

#include "base/fpenv.h"
#include "base/log.h"
#include "kernels/check.h"

#include <stdio.h>
#include <string.h>

kz__levels kz__process_levels = {.fill = kz__kernels_fill};

typedef struct finding {
    char kernel[32]; /* the first one that differs */
} finding;

static void note(void *user, const char *kernel, int equal) {
    finding *f = user;
    if (!equal && !f->kernel[0]) snprintf(f->kernel, sizeof f->kernel, "%s", kernel);
}

/* KZ_ERR_FAILED with a sentence where a kernel of the table differs. */
static kz_status check(const kz__kernels *table, const kz__mem *like, kz__err *err) {
    kz__mem mem;
    finding found = {""};
    kz__check work = {.level = table->level, .variant = table, .quick = 1, .seed = 1,
                      .report = note, .user = &found};
    kz__mem_init_like(&mem, like);
    char *memory = kz__alloc(&mem, KZ__CHECK_SLOTS * KZ__CHECK_SLOT_BYTES);
    if (!memory) return kz__fail_memory(err);
    for (size_t i = 0; i < KZ__CHECK_SLOTS; i++) {
        work.slots[i] = memory + i * KZ__CHECK_SLOT_BYTES;
    }
    kz__fpenv saved = kz__fpenv_set();
    int different = kz__kernels_check(&work);
    kz__fpenv_restore(saved);
    kz__free(&mem, memory);
    if (!different) return KZ_OK;
    return kz__fail(err, KZ_ERR_FAILED,
                    "kernel level %s computes wrong on this machine (%s and %d more differ from "
                    "the scalar reference)", kz__level_name(table->level), found.kernel,
                    different - 1);
}

/* Two threads may check the same level at once; they find the same. */
static kz_status proven(kz__levels *levels, const kz__kernels *table, const kz__mem *mem,
                        kz__err *err) {
    atomic_int *verdict = &levels->verdict[table->level];
    int known = atomic_load(verdict);
    if (table->level == KZ__SCALAR || known > 0) return KZ_OK;
    if (known < 0) {
        return kz__fail(err, KZ_ERR_FAILED, "kernel level %s computes wrong on this machine, its "
                        "self-test found", kz__level_name(table->level));
    }
    kz_status status = check(table, mem, err);
    if (!status || status == KZ_ERR_FAILED) atomic_store(verdict, status ? -1 : 1);
    return status;
}

static kz_status fail_name(const char *wanted, kz__err *err) {
    char list[96] = "";
    const char *name = NULL;
    for (size_t i = 0; (name = kz_cpu_level(i)) != NULL; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name);
    }
    return kz__fail(err, KZ_ERR_USAGE,
                    "kernel level \"%.20s\" cannot be used here, these can: %s", wanted, list);
}

kz_status kz__level_choose(kz__levels *levels, const kz__mem *mem, const char *wanted,
                           kz__kernels *table, kz__err *err) {
    kz__level level = wanted ? kz__kernels_parse(wanted) : kz__kernels_best();
    if (level == KZ__LEVELS || !kz__kernels_usable(level)) return fail_name(wanted, err);
    for (;;) {
        kz__err reason = {""};
        levels->fill(table, level);
        bool known = atomic_load(&levels->verdict[table->level]) < 0;
        kz_status status = proven(levels, table, mem, &reason);
        if (!status) return KZ_OK;
        if (status != KZ_ERR_FAILED || wanted) {
            return kz__fail(err, status, "%s", reason.text);
        }
        if (!known) kz__log(KZ__NOTICE, "%s; the next lower one is used", reason.text);
        level = (kz__level)(table->level - 1);
    }
}
