/* Matrices of 8- and 4-bit weights: packing, and the room for quantised rows. */
#ifndef KZ_NN_QUANTIZED_H
#define KZ_NN_QUANTIZED_H

#include "nn/linear.h"

/* Packs the sources like kz__linear_pack, which calls this for quantised types. Fails where a
 * weight is not finite. linear->panels and the bias are there already. */
kz_status kz__quantized_pack(const kz__pack_place *place, kz__linear *linear,
                             const kz__pack_source *sources, size_t count, kz__err *err);

/* Quantises rows of x into the scratch (kernels.h: kz__codes, ld = rows). factor: the weights'. */
void kz__quantized_rows(const kz__run *run, const float *x, size_t ldx, size_t k, size_t rows,
                        float factor);
/* The scratch's codes from a block on, where `rows` rows lie side by side. */
kz__codes kz__quantized_codes(const kz__scratch *scratch, size_t block, size_t rows);

#endif
