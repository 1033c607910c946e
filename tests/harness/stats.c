/* Pearson's chi-square with small cells pooled. */
#include "harness/stats.h"

#include <math.h>

static double chance_limit(double degrees) {
    const double deviation = 4.7534; /* of the normal distribution, one in a million above */
    double spread = 2 / (9 * degrees);
    return degrees * pow(1 - spread + deviation * sqrt(spread), 3);
}

double kzt_misfit(const size_t *seen, const double *probability, size_t cells, size_t total) {
    double sum = 0;
    double pooled_seen = 0;
    double pooled = 0;
    double terms = 0;
    for (size_t i = 0; i < cells; i++) {
        double expected = probability[i] * (double)total;
        if (probability[i] == 0) {
            if (seen[i] > 0) {
                return HUGE_VAL;
            }
        } else if (expected < 5) {
            pooled += expected;
            pooled_seen += (double)seen[i];
        } else {
            sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
            terms++;
        }
    }
    if (pooled > 0) {
        /* a pool that expects next to nothing may still hold one by chance */
        double divisor = pooled < 1 ? 1 : pooled;
        sum += (pooled_seen - pooled) * (pooled_seen - pooled) / divisor;
        terms++;
    }
    return terms < 2 ? 0 : sum / chance_limit(terms - 1);
}
