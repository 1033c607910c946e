/* Matrices of 8- and 4-bit weights: packing, and the room for quantised rows. */
#ifndef KZ_NN_QUANTIZED_H
#define KZ_NN_QUANTIZED_H

#include "nn/linear.h"

/* Packs the sources like kz__linear_pack_in, which calls this for quantised types. Fails where a
 * weight is not finite. linear->panels and the bias are there already. */
kz_status kz__quantized_pack(kz__mem *mem, kz__store *store, kz__linear *linear,
                             const kz__pack_source *sources, size_t count, kz__err *err);

/* Quantises rows of x into the scratch. */
void kz__quantized_rows(const kz__run *run, const float *x, size_t ldx, size_t k, size_t rows);

#endif
