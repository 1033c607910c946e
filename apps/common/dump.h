/* The stages' intermediate values as files: FOLDER/NAME.npy holds all rows of a stage, prefill
 * first, then frame after frame. FOLDER/index.csv says which rows belong to which frame. Bytes of
 * a name other than letters, digits, '.', '_' and '-' become '_'. A stage whose row shape changes
 * goes on in NAME.2.npy and so on. */
#ifndef KZ_COMMON_DUMP_H
#define KZ_COMMON_DUMP_H

#include "base/mem.h"

typedef struct kz__dump kz__dump;

/* Makes the folder where it is missing. */
kz_status kz__dump_open(kz__dump **dump, kz__mem *mem, const char *folder, kz__err *err);
/* A kz_tap_fn; user is the kz__dump. An error is kept for kz__dump_close. */
void kz__dump_tap(void *user, const char *name, long frame, const float *data,
                  const size_t *shape, int rank);
/* Writes the final headers. Takes NULL; closed in any case. */
kz_status kz__dump_close(kz__dump *dump, kz__err *err);

#endif
