/* A clip from a formula: a triangle whose pitch and loudness wander, and noise where it is low. */
#ifndef KZT_CLIP_H
#define KZT_CLIP_H

#include <stddef.h>
#include <stdint.h>

/* Samples of 16 bits, as floats, by the formula of clip() in scripts/reference/make_encoder.py; to
 * be freed. */
float *kzt_clip(size_t samples, uint64_t seed);

#endif
