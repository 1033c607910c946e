/* Sound to the loudspeaker. A thread of its own feeds the device from a queue of half a minute, so
 * that the caller need not wait for sound to be heard, and a long text takes no more memory than a
 * short one. */
#ifndef KZ_COMMON_PLAYER_H
#define KZ_COMMON_PLAYER_H

#include "base/mem.h"

#include <stdbool.h>

typedef struct kz__player kz__player;

/* KZ_ERR_MEMORY (a resource is missing) where there is no device, or this build has no playback.
 * stop is asked every few milliseconds in a call that waits: true drops what was not heard. */
kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, bool (*stop)(void),
                          kz__err *err);

/* False while the queue is so full that a write would wait. */
bool kz__player_ready(kz__player *player);

/* Queues samples, waits for room where there is none; fails where the device has gone. */
kz_status kz__player_write(kz__player *player, const float *samples, size_t count, kz__err *err);

/* Waits until all is heard or stop() says true, and closes. Takes NULL. */
kz_status kz__player_close(kz__player *player, kz__err *err);

#endif
