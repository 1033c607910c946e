/* What kz_batch is: sessions that make their frames together, on one pool. */
#ifndef KZ_ENGINE_BATCH_H
#define KZ_ENGINE_BATCH_H

#include "engine/session.h"

struct kz_batch {
    kz__mem mem;
    const kz_model *model;
    kz__work work;
    kz_session *sessions[KZ__SLOTS];
    size_t count;
};

/* A session takes a slot when it is made and leaves it when it is freed. */
kz_status kz__batch_join(kz_batch *batch, kz_session *session, kz__err *err);
void kz__batch_leave(kz_batch *batch, const kz_session *session);

#endif
