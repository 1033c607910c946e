/* The variants of a study: which there are, which are equal, which is best. */
#include "cli/bench.h"

#include <string.h>

#define ENOUGH 0.97 /* of the baseline's time: less is noise */
#define FEW 8       /* threads: each number up to it, then doubled */

static size_t add(kz__variant *list, size_t count, kz__variant v) {
    for (size_t i = 0; i < count; i++) {
        const kz__variant *o = &list[i];
        bool same = o->type == v.type && !strcmp(o->cpu, v.cpu) && o->threads == v.threads &&
                    o->oracle == v.oracle && o->placement == v.placement;
        if (same) return count;
    }
    if (count < KZ__VARIANTS) list[count++] = v;
    return count;
}

/* Of `threads` processors, what number comes after n; 0: none. */
static int next_threads(int n, int threads) {
    if (n >= threads) return 0;
    int next = n < FEW ? n + 1 : 2 * n;
    return next < threads ? next : threads;
}

static size_t add_placements(kz__variant *list, size_t count, kz__variant v) {
    v.placement = KZ_PLACEMENT_FREE;
    count = add(list, count, v);
    v.placement = KZ_PLACEMENT_STRICT;
    return v.threads > 1 ? add(list, count, v) : count;
}

static bool has_vectors(const char *level) {
    return strcmp(level, "scalar") != 0 && strcmp(level, "fma") != 0;
}

size_t kz__variants_list(kz__variant *list, size_t count, kz_type type, const char *highest,
                         int threads, bool all, bool slow) {
    kz__variant base = {.type = type, .cpu = highest, .threads = threads,
                        .placement = KZ_PLACEMENT_FREE};
    count = add(list, count, base);
    for (size_t i = 0; kz_cpu_level(i); i++) {
        kz__variant v = base;
        v.cpu = kz_cpu_level(i);
        bool counts = has_vectors(v.cpu) || slow || !has_vectors(highest);
        for (v.threads = 1; all && counts && v.threads;
             v.threads = next_threads(v.threads, threads)) {
            count = add_placements(list, count, v);
        }
        v.threads = threads;
        if (counts && !all) count = add(list, count, v);
        if (!strcmp(v.cpu, highest)) break;
    }
    kz__variant v = base;
    for (v.threads = 1; !all && v.threads; v.threads = next_threads(v.threads, threads)) {
        count = add_placements(list, count, v);
    }
    v = base;
    v.oracle = true;
    return all ? count : add(list, count, v);
}

size_t kz__variants_judge(kz__variant *list, size_t count) {
    size_t different = 0;
    kz__variant *first = NULL;
    kz__variant *best = NULL;
    for (size_t i = 0; i < count; i++) {
        kz__variant *v = &list[i];
        if (!first || v->type != first->type) first = best = v;
        v->codes_equal = !strcmp(v->codes, first->codes);
        v->samples_equal = !strcmp(v->samples, first->samples);
        different += !v->codes_equal || !v->samples_equal;
        if (v->rtf < best->rtf) {
            best->best = false;
            best = v;
        }
        best->best = true;
    }
    return different;
}

const kz__variant *kz__variants_choose(const kz__variant *list, size_t count) {
    const kz__variant *best = list;
    for (size_t i = 1; i < count; i++) {
        if (list[i].rtf < best->rtf) best = &list[i];
    }
    return best->rtf < ENOUGH * list->rtf ? best : list;
}
