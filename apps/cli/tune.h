/* What `bench --auto` found best, kept for each machine and model in one file of the user's cache
 * folder, and taken as default by `say` and the others. It only holds what never changes a sample:
 * threads, kernel level, placement. */
#ifndef KZ_CLI_TUNE_H
#define KZ_CLI_TUNE_H

#include "cli/cli.h"

typedef struct kz__choice {
    int threads;
    const char *cpu; /* of kz_cpu_level */
    kz_placement placement;
    double rtf; /* when it was found */
} kz__choice;

/* The file: $XDG_CACHE_HOME/kazeia/tune.json, else ~/.cache/kazeia/tune.json. False: there is no
 * such folder to be named. */
bool kz__tune_file(char *path, size_t capacity);

/* Looks for this machine, this version and this model. False where there is nothing that can be
 * used; *why (may be NULL) then says it, "" where nothing was ever kept. */
bool kz__tune_find(kz__cli *cli, const kz_model_info *info, kz__choice *choice, kz__err *why);

/* Puts a choice into the file, in place of an older one. */
kz_status kz__tune_keep(kz__cli *cli, const kz_model_info *info, const kz__choice *choice,
                        kz__err *err);

/* Fills threads, placement and cli->session_cpu where the options leave them open and --tune is not
 * off. Threads are cut to what the process may use now. Tells with --verbose. */
void kz__tune_apply(kz__cli *cli, kz_model_info *info);

#endif
