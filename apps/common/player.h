/* Sound to the loudspeaker. A thread of its own feeds the device from a queue of four seconds,
 * which bridges what the caller does between two writes. */
#ifndef KZ_COMMON_PLAYER_H
#define KZ_COMMON_PLAYER_H

#include "base/mem.h"

#include <stdbool.h>

typedef struct kz__player kz__player;

/* KZ_ERR_MEMORY (a resource is missing) where there is no device, or this build has no playback. */
kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, kz__err *err);

/* Queues samples, waiting for room; fails where the device has gone. KZ_ERR_CANCELLED as soon as
 * stop() says true (asked every few milliseconds). */
kz_status kz__player_write(kz__player *player, const float *samples, size_t count,
                           bool (*stop)(void), kz__err *err);

/* False while there is no room for some 40 ms, so that a write would wait. */
bool kz__player_ready(kz__player *player);

/* Waits until all is heard or stop() says true (asked every few milliseconds), and closes. Takes
 * NULL. */
kz_status kz__player_close(kz__player *player, bool (*stop)(void), kz__err *err);

#endif
