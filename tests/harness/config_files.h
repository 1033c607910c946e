/* Configurations of a model with one value changed, and what reading them answers. */
#ifndef KZT_CONFIG_FILES_H
#define KZT_CONFIG_FILES_H

#include "model/config.h"

typedef enum kzt_which {
    MAIN,
    GENERATION,
    CODEC
} kzt_which;

extern const char *const kzt_config_names[3]; /* by kzt_which */

/* The three files in folder, one of them with the value at path changed (NULL: removed); path NULL:
 * none. */
void kzt_write_mutated(const char *folder, kzt_which file, const char *path, const char *value);

/* Reads them. On failure nothing is left behind. */
kz_status kzt_load(const char *folder, kz__config *config, kz__err *err);
/* The same; a failure fails the test. */
void kzt_load_good(const char *folder, kz__config *config);

typedef struct kzt_row {
    kzt_which file;
    const char *path, *value;
    const char *first, *second; /* words of the error; NULL: loads */
} kzt_row;

void kzt_run_rows(const char *folder, const kzt_row *rows, size_t count);

#define RUN(folder, rows) kzt_run_rows(folder, rows, sizeof rows / sizeof *rows)

#endif
