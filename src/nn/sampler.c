/* The processors in their order, one function each, then the two ways to choose. */
#include "nn/sampler.h"

#include "base/dmath.h"
#include "base/rng.h"

#include <float.h>
#include <math.h>

void kz__sample_rules_init(kz__sample_rules *rules, const kz_sampling *settings) {
    *rules = (kz__sample_rules){
        .settings = *settings, .history_stride = 1, .keep = -1, .forbid = -1};
}

/* NaN fails the comparison too. */
static bool usable(const float *logits, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good &= logits[i] <= FLT_MAX;
    }
    return good;
}

/* The penalised value comes from an untouched copy, so a repeated id is not penalised twice. */
static void penalise(const kz__sample_rules *rules, float *logits, size_t count,
                     kz__sample_slot *copy) {
    size_t first = 0;
    size_t window = (size_t)rules->settings.repetition_window;
    if (window > 0 && rules->history_count > window) {
        first = rules->history_count - window;
    }
    if (first == rules->history_count) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        copy[i].value = logits[i];
    }
    float penalty = (float)rules->settings.repetition_penalty;
    for (size_t i = first; i < rules->history_count; i++) {
        int32_t id = rules->history[i * rules->history_stride];
        if (id < 0 || (size_t)id >= count) {
            continue;
        }
        float value = copy[id].value;
        logits[id] = value < 0 ? value * penalty : value / penalty;
    }
}

static void remove_ids(const kz__sample_rules *rules, float *logits, size_t count) {
    if (rules->forbid >= 0 && (size_t)rules->forbid < count) {
        logits[rules->forbid] = -INFINITY;
    }
    size_t end = rules->suppress_to < count ? rules->suppress_to : count;
    for (size_t i = rules->suppress_from; i < end; i++) {
        if (rules->keep < 0 || i != (size_t)rules->keep) {
            logits[i] = -INFINITY;
        }
    }
}

static bool slot_less(kz__sample_slot a, kz__sample_slot b) {
    return a.value < b.value || (a.value == b.value && a.id < b.id);
}

/* Restores the min-heap after heap[at] was changed to something larger. */
static void sift_down(kz__sample_slot *heap, size_t size, size_t at) {
    kz__sample_slot moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= size) {
            break;
        }
        if (child + 1 < size && slot_less(heap[child + 1], heap[child])) {
            child++;
        }
        if (!slot_less(heap[child], moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void make_heap(kz__sample_slot *heap, size_t size) {
    for (size_t i = size / 2; i-- > 0;) {
        sift_down(heap, size, i);
    }
}

/* A heap of the k best so far has the threshold at its root; most values end at that comparison. */
static void keep_top_k(size_t k, float *logits, size_t count, kz__sample_slot *heap) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        float value = logits[i];
        if (size == k) {
            if (value > heap[0].value) {
                heap[0].value = value;
                sift_down(heap, size, 0);
            }
        } else if (value > -INFINITY) {
            heap[size].value = value;
            heap[size].id = 0;
            size++;
            if (size == k) {
                make_heap(heap, size);
            }
        }
    }
    if (size < k) {
        return;
    }
    float threshold = heap[0].value;
    for (size_t i = 0; i < count; i++) {
        logits[i] = logits[i] < threshold ? -INFINITY : logits[i];
    }
}

/* Taking the least off a min-heap again and again leaves the slots in descending order. */
static void sort_descending(kz__sample_slot *slots, size_t size) {
    make_heap(slots, size);
    for (size_t last = size; last-- > 1;) {
        kz__sample_slot least = slots[0];
        slots[0] = slots[last];
        slots[last] = least;
        sift_down(slots, last, 0);
    }
}

static void keep_top_p(double top_p, float *logits, size_t count, kz__sample_slot *slots) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (logits[i] > -INFINITY) {
            slots[size].value = logits[i];
            slots[size].id = (uint32_t)i;
            size++;
        }
    }
    if (size == 0) {
        return;
    }
    sort_descending(slots, size);
    double best = slots[0].value;
    double total = 0;
    for (size_t i = size; i-- > 0;) {
        slots[i].value = (float)kz__exp(slots[i].value - best);
        total += slots[i].value;
    }
    float limit = (float)(1 - top_p);
    double sum = 0;
    for (size_t i = size; i-- > 1;) {
        sum += (float)(slots[i].value / total);
        if ((float)sum > limit) {
            break;
        }
        logits[slots[i].id] = -INFINITY;
    }
}

/* False for values that are not usable; what is left may be nothing. */
static bool process(const kz__sample_rules *rules, float *logits, size_t count,
                    kz__sample_slot *scratch) {
    const kz_sampling *settings = &rules->settings;
    if (!usable(logits, count)) {
        return false;
    }
    if (settings->repetition_penalty != 1) {
        penalise(rules, logits, count, scratch);
    }
    remove_ids(rules, logits, count);
    if (settings->temperature > 0 && settings->temperature != 1) {
        float temperature = (float)settings->temperature;
        for (size_t i = 0; i < count; i++) {
            logits[i] /= temperature;
        }
    }
    /* an overflow is no better than one that came from the model */
    if (!usable(logits, count)) {
        return false;
    }
    if (settings->temperature > 0) {
        if (settings->top_k > 0 && (size_t)settings->top_k < count) {
            keep_top_k((size_t)settings->top_k, logits, count, scratch);
        }
        if (settings->top_p < 1) {
            keep_top_p(settings->top_p, logits, count, scratch);
        }
    }
    return true;
}

bool kz__sample_process(const kz__sample_rules *rules, float *logits, size_t count,
                        kz__sample_slot *scratch) {
    return process(rules, logits, count, scratch) && kz__sample_argmax(logits, count) >= 0;
}

int32_t kz__sample_argmax(const float *logits, size_t count) {
    int32_t best = -1;
    float top = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (logits[i] > top) {
            top = logits[i];
            best = (int32_t)i;
        }
    }
    return best;
}

/* No noise from this u is larger: -ln(-ln u) <= -ln(1 - u), and 1 - u >= 2^-bits. */
static double noise_bound(uint32_t word) {
    uint32_t rest = (UINT32_C(1) << 23) - 1 - (word >> 9);
    int bits = 1;
    for (uint32_t half = UINT32_C(1) << 22; half > rest; half >>= 1) {
        bits++;
    }
    return 0.6932 * bits;
}

int32_t kz__sample_draw(const kz__draw_key *key, const float *logits, size_t count) {
    const uint32_t philox_key[2] = {(uint32_t)key->seed, (uint32_t)(key->seed >> 32)};
    int32_t best = -1;
    double top = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(logits[i] > -INFINITY)) {
            continue;
        }
        uint32_t words[4] = {(uint32_t)i, key->codebook, key->frame, key->piece};
        kz__philox(words, philox_key, words);
        /* two logarithms are saved where they could not change the outcome */
        if (best >= 0 && logits[i] + noise_bound(words[0]) < top) {
            continue;
        }
        double score = logits[i] - kz__ln(-kz__ln(kz__rng_unit(words[0])));
        if (best < 0 || score > top) {
            top = score;
            best = (int32_t)i;
        }
    }
    return best;
}

int32_t kz__sample(const kz__sample_rules *rules, const kz__draw_key *key, float *logits,
                   size_t count, kz__sample_slot *scratch) {
    if (!process(rules, logits, count, scratch)) {
        return -1;
    }
    if (rules->settings.temperature > 0) {
        return kz__sample_draw(key, logits, count);
    }
    return kz__sample_argmax(logits, count);
}
