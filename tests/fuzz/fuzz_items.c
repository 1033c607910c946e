/* Fuzz target: a line of a batch. What is accepted has a text (or a file) and a path below the
 * folder; what is refused has a sentence and an exit code, and nothing is left behind.
 */
#include "cli/item.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER "/base/sounds"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static const char *no_variable(const char *name) {
    (void)name;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__cli cli;
    const char *words[1];
    memset(&cli, 0, sizeof cli);
    if (kz__mem_init(&cli.mem, NULL, NULL) != KZ_OK) return 0;
    kz__settings_init(&cli.set);
    need(kz__args_parse(&cli.args, &kz__option_table, KZ__BATCH, "batch", &cli.set, 0, NULL, words,
                        no_variable, &(kz__err){""}) == KZ_OK);
    kz__item *item = kz__calloc(&cli.mem, 1, sizeof *item);
    if (!item) return 0;
    int code = kz__item_read(item, &cli, 1, (const char *)data, size, "sounds", FOLDER);
    if (code == KZ__EXIT_DONE) {
        need(item->target && !strncmp(item->target, FOLDER "/", sizeof FOLDER));
        need(!strstr(item->target, "/../") && item->set.temperature <= 100);
    } else {
        need(code > 0 && cli.said[0]);
    }
    kz__item_free(item, &cli);
    need(atomic_load(&cli.mem.current) == 0);
    return 0;
}
