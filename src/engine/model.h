/* What kz_model is: configuration, tokenizer and packed weights; immutable after opening. */
#ifndef KZ_ENGINE_MODEL_H
#define KZ_ENGINE_MODEL_H

#include "engine/prefix.h"
#include "model/code_predictor.h"
#include "model/codec_decoder.h"
#include "model/talker.h"
#include "text/tokenizer.h"

struct kz_model {
    kz__mem mem;
    kz__config config;
    kz__kernels kernels;
    kz__weights *weights, *codec_weights;
    kz__tokenizer *tokenizer;
    bool has_talker, has_codec, has_speaker_encoder;
    kz_type type;
    kz__talker talker;
    kz__predictor predictor;
    kz__codec_decoder decoder;
    kz__prefix_store *prefixes; /* what sessions share; has a lock of its own */
};

/* The ids of a text as kz_tokenize gives them: cleaned and without control tokens, or (flags
 * KZ_AS_REFERENCE) as the official package would. Appends to ids. */
kz_status kz__model_encode(const kz_model *model, kz__mem *mem, const char *text, size_t length,
                           unsigned flags, kz__ints *ids, kz__err *err);

/* Ids of a piece of the template, where control tokens count. Appends. */
kz_status kz__model_encode_template(const kz_model *model, const char *text, kz__ints *ids,
                                    kz__err *err);

#endif
