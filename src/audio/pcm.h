/* Float samples to integers, saturating. A sample x becomes x * 32768 (16 bits) or x * 8388608
 * (24 bits), rounded to nearest with ties to even, then held within the integer's range. NaN
 * becomes 0. So 1.0 gives the largest value and -1.0 the smallest, and samples inside the range
 * are never changed by the clamp. The result does not depend on the thread's rounding mode.
 */
#ifndef KZ_AUDIO_PCM_H
#define KZ_AUDIO_PCM_H

#include <stddef.h>
#include <stdint.h>

int16_t kz__pcm_i16(float x);
int32_t kz__pcm_i24(float x);

/* count samples as little-endian bytes: 2, 3 or 4 (IEEE float, unchanged) bytes each. bytes must
 * not overlap samples. */
void kz__pcm_write_i16(const float *samples, size_t count, unsigned char *bytes);
void kz__pcm_write_i24(const float *samples, size_t count, unsigned char *bytes);
void kz__pcm_write_f32(const float *samples, size_t count, unsigned char *bytes);

#endif
