/* What kz_model is: configuration, tokenizer and packed weights; immutable after opening. How it is
 * loaded: from a folder (model.c), from a packed file (unpack.c), or from a folder into a packed
 * file (convert.c), with the same binding of weights. */
#ifndef KZ_ENGINE_MODEL_H
#define KZ_ENGINE_MODEL_H

#include "engine/keep.h"
#include "model/code_predictor.h"
#include "model/codec_decoder.h"
#include "model/codec_encoder.h"
#include "model/speaker_encoder.h"
#include "model/talker.h"
#include "text/tokenizer.h"

struct kz_model {
    kz__mem mem;
    kz__config config;
    kz__kernels kernels;
    kz__packed packed; /* where it comes from a packed file, which holds all weights */
    kz__weights *weights, *codec_weights; /* the codec's NULL where they are the model's */
    char *codec_folder; /* NULL: no codec, or in the packed file */
    kz__tokenizer *tokenizer;
    bool has_talker, has_codec, has_speaker_encoder;
    kz_type type;
    kz__talker talker;
    kz__predictor predictor;
    kz__codec_decoder decoder;
    kz__speaker_encoder speaker_encoder; /* where has_speaker_encoder */
    kz__keep *keep; /* what sessions share; has a lock of its own */
};

/* Whether these are values of their enums. */
kz_status kz__model_check_format(kz_type type, kz_decoder decoder, kz__err *err);
/* Where what is loaded goes, made by so many threads; compact: the codec is left as stored. */
typedef struct kz__sink {
    kz__packed_writer *writer;
    int threads;
    bool compact;
} kz__sink;

/* Fills a model that is zeroed but for its memory and kernels. sink: what is loaded goes there and
 * cannot be used; NULL: it stays. */
kz_status kz__model_load(kz_model *model, const char *path, const kz_model_options *options,
                         const kz__sink *sink, kz__err *err);
/* The same from a packed file. */
kz_status kz__model_unpack(kz_model *model, const char *path, const kz_model_options *options,
                           kz__err *err);
/* What both do once configuration and weights are there. */
kz_status kz__model_bind_talker(kz_model *model, kz_type type, kz__err *err);
kz_status kz__model_bind_codec(kz_model *model, kz_decoder decoder, kz__err *err);
/* The tokenizer's ids are inside the text embedding. */
kz_status kz__model_check_tokenizer(const kz_model *model, kz__err *err);
/* The codec's folder: as given, or inside `base`. NULL in *folder: there is none. For kz__free. */
kz_status kz__model_find_codec(kz_model *model, const char *base, const char *codec_path,
                               char **folder, kz__err *err);
/* The codec encoder, which a model that clones no voice does without: it is read anew from the
 * codec's folder, or stays in the packed file, where its checksums are compared now. It belongs to
 * the caller and its memory, and lives as long as the model at most. The model is only looked at:
 * any thread. KZ_ERR_MODEL where there is none. Needs kz__fpenv_set. */
kz_status kz__model_load_encoder(const kz_model *model, kz__mem *mem, kz__codec_encoder *encoder,
                                 kz__err *err);
/* Frees what is in it. */
void kz__model_clear(kz_model *model);

/* The ids of a text as kz_tokenize gives them: cleaned and without control tokens, or (flags
 * KZ_AS_REFERENCE) as the official package would. Appends to ids. */
kz_status kz__model_encode(const kz_model *model, kz__mem *mem, const char *text, size_t length,
                           unsigned flags, kz__ints *ids, kz__err *err);

#endif
