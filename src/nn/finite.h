/* Whether what a stage made can be used: a value that is not finite would spread to all that
 * follows. */
#ifndef KZ_NN_FINITE_H
#define KZ_NN_FINITE_H

#include "nn/linear.h"

/* KZ_ERR_FAILED, which names network and stage, unless the first `width` values of all rows
 * [rows][ld] are finite. */
kz_status kz__check_finite(const kz__run *run, const char *network, const char *stage,
                           const float *x, size_t ld, size_t rows, size_t width, kz__err *err);

#endif
