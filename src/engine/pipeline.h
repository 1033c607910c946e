/* A session that runs ahead: a thread of its own makes frames and packets into a queue of samples,
 * and the calls of the session take them out. The queue is one block that is made once: a full one
 * stops the thread, and nothing grows.
 *
 * The session belongs to the thread for a step (a frame, a packet, or a piece of the prompt) at a
 * time; between two steps the caller may hold it. Calls are those of the session's one caller, but
 * for kz__pipeline_wake.
 */
#ifndef KZ_ENGINE_PIPELINE_H
#define KZ_ENGINE_PIPELINE_H

#include "kazeia.h"

#include "base/status.h"

#include <stddef.h>

typedef struct kz__pipeline kz__pipeline;

/* samples: what the queue holds, more than 0. The thread waits until kz__pipeline_reset. */
kz_status kz__pipeline_create(kz_session *session, size_t samples, kz__pipeline **pipeline,
                              kz__err *err);
/* Returns when the thread has ended, within a step. Takes NULL. */
void kz__pipeline_free(kz__pipeline *pipeline);

/* From hold (which waits for the end of a step) to release the session is the caller's alone. Both
 * take NULL: the session has no thread then. */
void kz__pipeline_hold(kz__pipeline *pipeline);
void kz__pipeline_release(kz__pipeline *pipeline);

/* While held: empties the queue; the thread goes on where status is KZ_OK. Takes NULL. */
void kz__pipeline_reset(kz__pipeline *pipeline, kz_status status);
/* While held: text came, which the thread may have waited for. Takes NULL. */
void kz__pipeline_resume(kz__pipeline *pipeline);

/* The oldest samples of the queue, those that lie in one piece, until kz__pipeline_took; waits for
 * them until the clock says deadline (ms; < 0: for ever). KZ_OK, KZ_TIMEOUT, what the session came
 * to behind its last sample, or KZ_ERR_CANCELLED as soon as the session is cancelled. */
kz_status kz__pipeline_take(kz__pipeline *pipeline, double deadline, const float **samples,
                            size_t *count);
void kz__pipeline_took(kz__pipeline *pipeline, size_t count);

/* Both sides look at the session's cancel. Any thread; takes NULL. */
void kz__pipeline_wake(kz__pipeline *pipeline);

#endif
