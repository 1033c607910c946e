/* What frames are made with: threads and scratch, for one session or for all sessions of a batch.
 * No state of an utterance is in here. */
#ifndef KZ_ENGINE_WORK_H
#define KZ_ENGINE_WORK_H

#include "engine/model.h"
#include "nn/sampler.h"

typedef struct kz__work {
    kz__mem *mem;
    const kz_model *model;
    int threads;
    size_t slots; /* sessions in a step at most */
    kz__kernels kernels;
    kz__pool *pool;
    kz__scratch scratch; /* quantised activations */
    kz__run run;
    kz__talker_work talker;
    kz__predictor_work predictor;
    kz__sample_slot *draws; /* scratch of the sampler */
    double mark;            /* of the last lap (generate.c) */
    kz_session *owners[KZ__TALKER_ROWS]; /* of the talker's rows in this step */
} kz__work;

typedef struct kz__work_options {
    size_t slots; /* 1 to KZ__SLOTS */
    int threads;
    kz_placement placement;
    const char *cpu; /* NULL: the model's level */
} kz__work_options;

kz_status kz__work_init(kz__work *work, kz__mem *mem, const kz_model *model,
                        const kz__work_options *options, kz__err *err);
void kz__work_clear(kz__work *work);

#endif
