/* When the pieces behind the one that is heard must wait, so that its listener does not run out of
 * sound. A machine that makes one piece faster than it is heard may be too slow for several at the
 * same time: then they wait while the listener's lead is small, and go on when it has grown. On one
 * that is too slow even for a piece alone, waiting would not help, and they never do. */
#ifndef KZ_CLI_PACE_H
#define KZ_CLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kz__pace {
    bool alone;          /* the others wait */
    double round_ms;     /* when the last round began */
    double alone_ms;     /* time and frames of the piece by itself */
    uint64_t alone_frames, last_frames;
} kz__pace;

/* Another piece is heard now. */
void kz__pace_turn(kz__pace *pace);

/* At the beginning of a round; frames of the piece so far, each frame_ms long; lead: seconds of
 * sound that the listener has not heard yet. True where the others have to wait. */
bool kz__pace_round(kz__pace *pace, double now_ms, uint64_t frames, double frame_ms, double lead);

/* The same for a round in which nobody need be waited for. */
void kz__pace_free_round(kz__pace *pace);

#endif
