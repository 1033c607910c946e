/* PortAudio's blocking interface on a thread. ALSA writes its findings straight to descriptor 2, so
 * that is turned away while devices are looked for. */
#include "common/player.h"

#ifdef KZ_HAVE_PORTAUDIO

#include <fcntl.h>
#include <portaudio.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_SECONDS 4
#define PIECE 1024 /* samples written at once: how soon a stop is seen */

struct kz__player {
    kz__mem *mem;
    PaStream *stream;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    float *samples; /* [capacity], round and round */
    size_t first, count, capacity;
    bool ended;   /* nothing more will come */
    bool dropped; /* do not play what is left */
    bool done;    /* the thread has returned */
    PaError failed;
};

static int hush(void) {
    int saved = dup(STDERR_FILENO);
    int nothing = open("/dev/null", O_WRONLY);
    if (saved >= 0 && nothing >= 0) dup2(nothing, STDERR_FILENO);
    if (nothing >= 0) close(nothing);
    return saved;
}

static void unhush(int saved) {
    if (saved < 0) return;
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void *play(void *user) {
    kz__player *p = user;
    float piece[PIECE];
    pthread_mutex_lock(&p->lock);
    while (!p->dropped && p->failed == paNoError) {
        if (p->count == 0 && p->ended) break;
        if (p->count == 0) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        size_t take = p->capacity - p->first;
        if (take > p->count) take = p->count;
        if (take > PIECE) take = PIECE;
        memcpy(piece, p->samples + p->first, take * sizeof *piece);
        p->first = (p->first + take) % p->capacity;
        p->count -= take;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
        PaError error = Pa_WriteStream(p->stream, piece, (unsigned long)take);
        pthread_mutex_lock(&p->lock);
        /* An underflow is heard as a gap; the sound goes on. */
        if (error != paNoError && error != paOutputUnderflowed) p->failed = error;
    }
    p->done = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static PaError open_stream(kz__player *p, int rate) {
    PaError error = Pa_Initialize();
    if (error != paNoError) return error;
    PaStreamParameters output;
    memset(&output, 0, sizeof output);
    output.device = Pa_GetDefaultOutputDevice();
    if (output.device == paNoDevice) {
        error = paDeviceUnavailable;
    } else {
        output.channelCount = 1;
        output.sampleFormat = paFloat32;
        output.suggestedLatency = Pa_GetDeviceInfo(output.device)->defaultHighOutputLatency;
        error = Pa_OpenStream(&p->stream, NULL, &output, rate, paFramesPerBufferUnspecified,
                              paNoFlag, NULL, NULL);
    }
    if (error == paNoError) error = Pa_StartStream(p->stream);
    if (error != paNoError) Pa_Terminate();
    return error;
}

kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, kz__err *err) {
    *player = NULL;
    kz__player *p = kz__calloc(mem, 1, sizeof *p);
    if (!p) return kz__fail_memory(err);
    p->mem = mem;
    p->capacity = QUEUE_SECONDS * (size_t)rate;
    p->samples = kz__calloc(mem, p->capacity, sizeof *p->samples);
    if (!p->samples) {
        kz__free(mem, p);
        return kz__fail_memory(err);
    }
    int saved = hush();
    PaError error = open_stream(p, rate);
    unhush(saved);
    if (error != paNoError) {
        kz__free(mem, p->samples);
        kz__free(mem, p);
        return kz__fail(err, KZ_ERR_MEMORY, "no sound device can be used (%s)",
                        Pa_GetErrorText(error));
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, play, p) != 0) {
        Pa_Terminate();
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->lock);
        kz__free(mem, p->samples);
        kz__free(mem, p);
        return kz__fail(err, KZ_ERR_MEMORY, "no thread could be made for playback");
    }
    *player = p;
    return KZ_OK;
}

static void wait_a_moment(kz__player *p) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

kz_status kz__player_write(kz__player *p, const float *samples, size_t count, bool (*stop)(void),
                           kz__err *err) {
    kz_status status = KZ_OK;
    pthread_mutex_lock(&p->lock);
    while (count > 0 && p->failed == paNoError && status == KZ_OK) {
        size_t to = (p->first + p->count) % p->capacity;
        size_t room = p->capacity - p->count;
        if (room > p->capacity - to) room = p->capacity - to;
        if (room > count) room = count;
        memcpy(p->samples + to, samples, room * sizeof *samples);
        p->count += room;
        samples += room;
        count -= room;
        pthread_cond_broadcast(&p->changed);
        if (count == 0 || p->count < p->capacity) continue;
        wait_a_moment(p);
        if (stop && stop()) status = kz__fail(err, KZ_ERR_CANCELLED, "interrupted");
    }
    if (p->failed != paNoError) {
        status = kz__fail(err, KZ_ERR_MEMORY, "the sound device failed (%s)",
                          Pa_GetErrorText(p->failed));
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

bool kz__player_ready(kz__player *p) {
    pthread_mutex_lock(&p->lock);
    bool ready = p->count + PIECE <= p->capacity || p->done;
    pthread_mutex_unlock(&p->lock);
    return ready;
}

static void wait_done(kz__player *p, bool (*stop)(void)) {
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_broadcast(&p->changed);
    while (!p->done) {
        wait_a_moment(p);
        if (stop && stop()) p->dropped = true;
        if (p->dropped) pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
}

kz_status kz__player_close(kz__player *p, bool (*stop)(void), kz__err *err) {
    if (!p) return KZ_OK;
    wait_done(p, stop);
    pthread_join(p->thread, NULL);
    int saved = hush();
    if (p->dropped) {
        Pa_AbortStream(p->stream);
    } else {
        Pa_StopStream(p->stream);
    }
    Pa_Terminate();
    unhush(saved);
    kz_status status = KZ_OK;
    if (p->failed != paNoError) {
        status = kz__fail(err, KZ_ERR_MEMORY, "the sound device failed (%s)",
                          Pa_GetErrorText(p->failed));
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    kz__mem *mem = p->mem;
    kz__free(mem, p->samples);
    kz__free(mem, p);
    return status;
}

#else

kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, kz__err *err) {
    (void)mem;
    (void)rate;
    *player = NULL;
    return kz__fail(err, KZ_ERR_MEMORY, "this build of kazeia has no playback");
}

kz_status kz__player_write(kz__player *player, const float *samples, size_t count,
                           bool (*stop)(void), kz__err *err) {
    (void)player;
    (void)stop;
    (void)samples;
    (void)count;
    return kz__fail(err, KZ_ERR_MEMORY, "this build of kazeia has no playback");
}

bool kz__player_ready(kz__player *player) {
    (void)player;
    return true;
}

kz_status kz__player_close(kz__player *player, bool (*stop)(void), kz__err *err) {
    (void)player;
    (void)stop;
    (void)err;
    return KZ_OK;
}

#endif
