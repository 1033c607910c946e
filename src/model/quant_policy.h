/* Which tensor takes which type: the one table. Embedding rows and the speaker encoder stay as
 * stored, norms and biases are f32, the codec decoder is f32 throughout; the others are here. */
#ifndef KZ_MODEL_QUANT_POLICY_H
#define KZ_MODEL_QUANT_POLICY_H

#include "kazeia.h"
#include "tensor/dtype.h"

typedef enum kz__part {
    KZ__TALKER_QKV,
    KZ__TALKER_O,
    KZ__TALKER_GATE_UP,
    KZ__TALKER_DOWN,
    KZ__TALKER_HEAD,
    KZ__TEXT_PROJECTION,
    KZ__PREDICTOR_QKV,
    KZ__PREDICTOR_O,
    KZ__PREDICTOR_GATE_UP,
    KZ__PREDICTOR_DOWN,
    KZ__PREDICTOR_HEADS,
    KZ__PREDICTOR_INPUT, /* small_to_mtp_projection */
    KZ__PARTS
} kz__part;

typedef struct kz__policy {
    kz__dtype type[KZ__PARTS]; /* KZ__OTHER: as stored */
    kz__dtype rows;            /* embedding rows are rounded to this (KZ__OTHER: not at all) */
} kz__policy;

/* The policy of a weight format. */
kz__policy kz__policy_of(kz_type format);

/* A short name of a part, for tables. */
const char *kz__part_name(kz__part part);

#endif
