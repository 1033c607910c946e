/* Two marks, so that the pieces do not stop and go with every packet, which is 0.64 s. */
#include "cli/pace.h"

#define LEAD_LOW 1.0
#define LEAD_HIGH 1.6
#define FRAMES_TO_JUDGE 16

void kz__pace_turn(kz__pace *pace) {
    pace->alone_ms = 0;
    pace->alone_frames = pace->last_frames = 0;
    pace->round_ms = -1;
}

bool kz__pace_round(kz__pace *pace, double now_ms, uint64_t frames, double frame_ms, double lead) {
    if (pace->alone && pace->round_ms >= 0) {
        pace->alone_ms += now_ms - pace->round_ms;
        pace->alone_frames += frames - pace->last_frames;
    }
    pace->round_ms = now_ms;
    pace->last_frames = frames;
    bool slow = pace->alone_frames >= FRAMES_TO_JUDGE &&
                pace->alone_ms > frame_ms * (double)pace->alone_frames;
    pace->alone = !slow && lead < (pace->alone ? LEAD_HIGH : LEAD_LOW);
    return pace->alone;
}

void kz__pace_free_round(kz__pace *pace) {
    pace->alone = false;
    pace->round_ms = -1;
}
