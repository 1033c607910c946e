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

#define PIECE 1024 /* samples written at once: how soon a stop is seen */
#define QUEUE_SECONDS 30
#define LOOK_NS 50000000 /* how often a wait looks whether to stop */

struct kz__player {
    kz__mem *mem;
    PaStream *stream;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    float *samples; /* a ring of capacity samples */
    size_t capacity;
    size_t begin, count; /* of what is queued */
    bool (*stop)(void);
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
        size_t left = p->capacity - p->begin; /* up to the ring's end */
        if (left > p->count) left = p->count;
        if (left == 0 && p->ended) break;
        if (left == 0) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        size_t take = left < PIECE ? left : PIECE;
        memcpy(piece, p->samples + p->begin, take * sizeof *piece);
        p->begin = (p->begin + take) % p->capacity;
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

static kz_status fail_device(const char *what, PaError error, kz__err *err) {
    return kz__fail(err, KZ_ERR_MEMORY, "%s (%s)", what, Pa_GetErrorText(error));
}

kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, bool (*stop)(void),
                          kz__err *err) {
    *player = NULL;
    kz__player *p = kz__calloc(mem, 1, sizeof *p);
    if (!p) return kz__fail_memory(err);
    p->mem = mem;
    p->stop = stop;
    p->capacity = (size_t)rate * QUEUE_SECONDS;
    p->samples = kz__calloc(mem, p->capacity, sizeof *p->samples);
    int saved = hush();
    PaError error = p->samples ? open_stream(p, rate) : paInsufficientMemory;
    unhush(saved);
    if (error != paNoError) {
        kz__free(mem, p->samples);
        kz__free(mem, p);
        return fail_device("no sound device can be used", error, err);
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

/* With the lock held; returns after a change or a moment. */
static void wait_change(kz__player *p) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
    if (p->stop && p->stop()) p->dropped = true;
    if (p->dropped) pthread_cond_broadcast(&p->changed);
}

static bool has_room(const kz__player *p) {
    return p->count + PIECE <= p->capacity;
}

bool kz__player_ready(kz__player *p) {
    pthread_mutex_lock(&p->lock);
    bool ready = has_room(p) || p->done;
    pthread_mutex_unlock(&p->lock);
    return ready;
}

kz_status kz__player_write(kz__player *p, const float *samples, size_t count, kz__err *err) {
    kz_status status = KZ_OK;
    pthread_mutex_lock(&p->lock);
    while (count > 0 && !p->dropped && p->failed == paNoError) {
        if (!has_room(p)) {
            wait_change(p);
            continue;
        }
        size_t at = (p->begin + p->count) % p->capacity;
        size_t take = p->capacity - at;
        if (take > PIECE) take = PIECE;
        if (take > count) take = count;
        memcpy(p->samples + at, samples, take * sizeof *samples);
        p->count += take;
        samples += take;
        count -= take;
        pthread_cond_broadcast(&p->changed);
    }
    if (p->failed != paNoError) status = fail_device("the sound device failed", p->failed, err);
    pthread_mutex_unlock(&p->lock);
    return status;
}

kz_status kz__player_close(kz__player *p, kz__err *err) {
    if (!p) return KZ_OK;
    pthread_mutex_lock(&p->lock);
    p->ended = true;
    pthread_cond_broadcast(&p->changed);
    while (!p->done) wait_change(p);
    pthread_mutex_unlock(&p->lock);
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
    if (p->failed != paNoError) status = fail_device("the sound device failed", p->failed, err);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    kz__mem *mem = p->mem;
    kz__free(mem, p->samples);
    kz__free(mem, p);
    return status;
}

#else

kz_status kz__player_open(kz__player **player, kz__mem *mem, int rate, bool (*stop)(void),
                          kz__err *err) {
    (void)mem;
    (void)rate;
    (void)stop;
    *player = NULL;
    return kz__fail(err, KZ_ERR_MEMORY, "this build of kazeia has no playback");
}

bool kz__player_ready(kz__player *player) {
    (void)player;
    return true;
}

kz_status kz__player_write(kz__player *player, const float *samples, size_t count, kz__err *err) {
    (void)player;
    (void)samples;
    (void)count;
    return kz__fail(err, KZ_ERR_MEMORY, "this build of kazeia has no playback");
}

kz_status kz__player_close(kz__player *player, kz__err *err) {
    (void)player;
    (void)err;
    return KZ_OK;
}

#endif
