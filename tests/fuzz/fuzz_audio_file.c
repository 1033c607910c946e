/* Fuzz target: any bytes as a recording; the first byte chooses rate and trimming. What is read has
 * samples, all of them finite, and facts that fit; what is refused is told with its name, and
 * leaves nothing behind.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef KZ_HAVE_AUDIO

#include <kazeia-audio.h>

#include <math.h>

static size_t blocks;

static void need(bool holds) {
    if (!holds) abort();
}

static void *count_alloc(void *user, size_t bytes, size_t alignment) {
    (void)user;
    blocks++;
    return aligned_alloc(alignment, bytes);
}

static void count_release(void *user, void *ptr) {
    (void)user;
    blocks--;
    free(ptr);
}

static void look(const kz_audio *audio, const kz_audio_options *options) {
    kz_audio_info info;
    size_t count = 0;
    const float *samples = kz_audio_samples(audio, &count);
    info.size = sizeof info;
    need(kz_audio_get_info(audio, &info) == KZ_OK);
    need(count > 0 && info.source_frames > 0 && info.format[0]);
    need(info.source_seconds <= options->max_seconds);
    need(info.rate == (options->rate ? options->rate : info.source_rate));
    need(info.seconds == (double)count / info.rate && info.seconds <= info.source_seconds + 1);
    need(isfinite(info.peak) && isfinite(info.rms) && info.rms <= info.peak * 1.0001);
    need(info.clipped >= 0 && info.clipped <= 1);
    need(info.silence_before >= 0 && info.silence_after >= 0);
    for (size_t i = 0; i < count; i++) need(isfinite(samples[i]));
    for (size_t i = 0; i < info.notices; i++) need(kz_audio_notice(audio, i)[0]);
    need(!kz_audio_notice(audio, info.notices));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int rates[] = {0, 0, 0, 24000, 8000, 0, 0, 16000};
    const kz_allocator allocator = {sizeof allocator, count_alloc, count_release, NULL};
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_audio_options options;
    if (size == 0) return 0;
    kz_audio_options_init(&options);
    options.rate = rates[data[0] & 7];
    options.trim = data[0] >> 3 & 1;
    options.max_seconds = 20;
    options.allocator = &allocator;
    kz_status status = kz_audio_read_memory(data + 1, size - 1, "x.wav", &options, &audio, error,
                                            sizeof error);
    need((status == KZ_OK) == (audio != NULL));
    if (audio) {
        look(audio, &options);
        kz_audio_free(audio);
    } else {
        need(status == KZ_ERR_INPUT || status == KZ_ERR_MEMORY || status == KZ_ERR_FAILED);
        need(status != KZ_ERR_INPUT || strstr(error, "'x.wav'"));
    }
    need(blocks == 0);
    return 0;
}

#else /* without libsndfile or libsoxr there is nothing to call */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)data;
    (void)size;
    return 0;
}

#endif
