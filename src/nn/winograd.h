/* Causal convolutions of 7 taps by tiles of 6 outputs: a Winograd transform (kernels.h:
 * winograd_in), 12 products in place of 42.
 *
 * Where a tile begins is a matter of the frame alone: the rows of a frame are taken apart into
 * `dilation` phases, each is cut into tiles from its first row on, the last tile of a phase may be
 * short. Rows behind the frame's end count as 0 even where they are there already. So neither
 * frames in a call nor threads can change a bit.
 */
#ifndef KZ_NN_WINOGRAD_H
#define KZ_NN_WINOGRAD_H

#include "nn/conv1d.h"

/* The weights, transformed in double and rounded once, as a product with 12 taps. */
kz_status kz__winograd_pack(kz__mem *mem, kz__linear *linear, const kz__tensor *weight,
                            const kz__tensor *bias, kz__err *err);

/* Floats that a thread needs for inputs and products of some tiles (kz__scratch_add_tiles); 0 for a
 * convolution of another kind. */
size_t kz__winograd_floats(const kz__conv *conv);

/* Convolves whole frames of rows that stand in the state (kz__conv_run). */
void kz__winograd_run(const kz__run *run, const kz__conv_state *state, float *y, size_t ldy,
                      size_t rows, const kz__after *after);

#endif
