/* One lock for queue and flags. It is never held while the session computes: `busy` and `held` say
 * whose the session is, so that a caller who only takes samples never waits for a frame. */
#include "engine/pipeline.h"

#include "base/clock.h"
#include "base/fpenv.h"
#include "engine/session.h"

#include <pthread.h>

struct kz__pipeline {
    kz_session *session;
    kz__mem *mem;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy;        /* the thread is in a step */
    bool held;        /* the caller has the session, or waits for it */
    bool quit;
    kz_status status; /* what comes behind the samples that are queued; KZ_OK: more of them */
    float *samples;   /* [capacity], round and round */
    size_t capacity, first, count;
};

/* Moves what fits from the session's last packet. */
static void move_samples(kz__pipeline *p) {
    kz_session *s = p->session;
    while (s->sample_begin < s->sample_end && p->count < p->capacity) {
        size_t to = (p->first + p->count) % p->capacity;
        size_t room = p->capacity - p->count;
        size_t n = s->sample_end - s->sample_begin;
        if (n > room) n = room;
        if (n > p->capacity - to) n = p->capacity - to;
        memcpy(p->samples + to, s->samples + s->sample_begin, n * sizeof *p->samples);
        s->sample_begin += n;
        p->count += n;
    }
}

static bool may_work(const kz__pipeline *p) {
    const kz_session *s = p->session;
    if (p->held || p->status || atomic_load(&s->cancel)) return false;
    return s->sample_begin == s->sample_end || p->count < p->capacity;
}

static void *thread_main(void *arg) {
    kz__pipeline *p = arg;
    kz_session *s = p->session;
    kz__fpenv_set();
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (!may_work(p)) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        if (s->sample_begin < s->sample_end) {
            move_samples(p);
        } else {
            p->busy = true;
            pthread_mutex_unlock(&p->lock);
            kz_status status = kz__session_advance(s, true);
            pthread_mutex_lock(&p->lock);
            p->busy = false;
            p->status = status;
        }
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Waits that are measured on the steady clock. */
static void init_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
#if !defined(__APPLE__)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

kz_status kz__pipeline_create(kz_session *s, size_t samples, kz__pipeline **pipeline,
                              kz__err *err) {
    *pipeline = NULL;
    kz__pipeline *p = kz__calloc(&s->mem, 1, sizeof *p);
    float *queue = kz__calloc(&s->mem, samples, sizeof *queue);
    if (!p || !queue) {
        kz__free(&s->mem, p);
        kz__free(&s->mem, queue);
        return kz__fail_memory(err);
    }
    p->session = s;
    p->mem = &s->mem;
    p->status = KZ_ERR_STATE;
    p->samples = queue;
    p->capacity = samples;
    pthread_mutex_init(&p->lock, NULL);
    init_condition(&p->changed);
    if (pthread_create(&p->thread, NULL, thread_main, p) != 0) {
        pthread_cond_destroy(&p->changed);
        pthread_mutex_destroy(&p->lock);
        kz__free(&s->mem, queue);
        kz__free(&s->mem, p);
        return kz__fail(err, KZ_ERR_MEMORY, "the thread that runs ahead could not be started");
    }
    *pipeline = p;
    return KZ_OK;
}

void kz__pipeline_free(kz__pipeline *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    kz__free(p->mem, p->samples);
    kz__free(p->mem, p);
}

void kz__pipeline_hold(kz__pipeline *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->held = true;
    while (p->busy) pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void kz__pipeline_release(kz__pipeline *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->held = false;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void kz__pipeline_reset(kz__pipeline *p, kz_status status) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->first = p->count = 0;
    p->status = status;
    pthread_mutex_unlock(&p->lock);
}

void kz__pipeline_resume(kz__pipeline *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    if (p->status == KZ_NEED_TEXT) p->status = KZ_OK;
    pthread_mutex_unlock(&p->lock);
}

/* Until something changes, or until then. */
static void await(kz__pipeline *p, double deadline) {
    if (deadline < 0) {
        pthread_cond_wait(&p->changed, &p->lock);
        return;
    }
    struct timespec until;
#if defined(__APPLE__)
    double left = deadline - kz__now_ms();
    if (left < 0) left = 0;
    until.tv_sec = (time_t)(left / 1e3);
    until.tv_nsec = (long)((left - (double)until.tv_sec * 1e3) * 1e6);
    pthread_cond_timedwait_relative_np(&p->changed, &p->lock, &until);
#else
    until.tv_sec = (time_t)(deadline / 1e3);
    until.tv_nsec = (long)((deadline - (double)until.tv_sec * 1e3) * 1e6);
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
#endif
}

kz_status kz__pipeline_take(kz__pipeline *p, double deadline, const float **samples,
                            size_t *count) {
    kz_status status = KZ_OK;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        if (atomic_load(&p->session->cancel)) {
            status = KZ_ERR_CANCELLED;
            break;
        }
        if (p->count > 0) {
            size_t straight = p->capacity - p->first;
            *samples = p->samples + p->first;
            *count = p->count < straight ? p->count : straight;
            break;
        }
        status = p->status;
        if (status == KZ_OK && deadline >= 0 && kz__now_ms() >= deadline) status = KZ_TIMEOUT;
        if (status) break;
        await(p, deadline);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

void kz__pipeline_took(kz__pipeline *p, size_t count) {
    pthread_mutex_lock(&p->lock);
    if (count > p->count) count = p->count; /* the sink has started something else */
    p->first = (p->first + count) % p->capacity;
    p->count -= count;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void kz__pipeline_wake(kz__pipeline *p) {
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}
