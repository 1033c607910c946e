/* Goodness of fit for tests that draw random numbers with fixed seeds. */
#ifndef KZT_STATS_H
#define KZT_STATS_H

#include <stddef.h>

/* Pearson's statistic of seen[cells] against total * probability[cells] divided by the value that
 * chance alone exceeds once in a million (Wilson and Hilferty's approximation): a fit is below 1.
 * Cells that expect fewer than 5 are taken together; a cell of probability 0 that was seen gives
 * infinity. */
double kzt_misfit(const size_t *seen, const double *probability, size_t cells, size_t total);

#endif
