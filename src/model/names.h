/* Tensor names of the published checkpoints, and binding with the checks that go with it. */
#ifndef KZ_MODEL_NAMES_H
#define KZ_MODEL_NAMES_H

#include "model/config.h"
#include "nn/block.h"
#include "weights/weights.h"

/* Sequences that are stepped together at most. */
#define KZ__SLOTS 16

/* Formats a name and binds the tensor: shape sizes follow rank. */
kz_status kz__bind(kz__weights *weights, kz__tensor *tensor, kz__err *err, int rank,
                   const size_t *shape, const char *format, ...) KZ__PRINTF(6, 7);

/* The same for a table of rows that are read one by one (kz__weights_rows). */
kz_status kz__bind_rows(kz__weights *weights, kz__rows *rows, kz__err *err, size_t count,
                        size_t width, const char *format, ...) KZ__PRINTF(6, 7);

/* The same for what panels are made of (kz__weights_source): data may be NULL. */
kz_status kz__bind_source(kz__weights *weights, kz__tensor *tensor, kz__err *err, int rank,
                          const size_t *shape, const char *format, ...) KZ__PRINTF(6, 7);

/* Binds a vector of n floats and loads it padded. */
kz_status kz__bind_vector(kz__mem *mem, kz__weights *weights, float **vector, size_t n,
                          kz__err *err, const char *format, ...) KZ__PRINTF(6, 7);

/* Binds prefix + ".weight" [out, in] (and ".bias" [out] where has_bias) and packs it. */
kz_status kz__bind_linear(kz__mem *mem, kz__weights *weights, kz__linear *linear, kz__dtype type,
                          size_t out, size_t in, bool has_bias, kz__err *err, const char *format,
                          ...) KZ__PRINTF(9, 10);

/* Types of a layer's matrices. */
typedef struct kz__layer_types {
    kz__dtype qkv, o, gate_up, down;
} kz__layer_types;

/* Binds and packs `config->layers` layers under prefix + "layers.N." and, where the stack is not
 * plain, prefix + "norm.weight". */
kz_status kz__bind_stack(kz__mem *mem, kz__weights *weights, kz__stack *stack,
                         const kz__stack_config *config, const kz__layer_types *types,
                         const char *prefix, kz__err *err);

/* Bytes of the panels of a stack, and its multiply-adds per row (attention excluded). */
size_t kz__stack_bytes(const kz__stack *stack);
/* The width of scratch that its products need (kz__linear_scratch). */
size_t kz__stack_scratch(const kz__stack *stack);
size_t kz__stack_macs(const kz__stack *stack);

#endif
