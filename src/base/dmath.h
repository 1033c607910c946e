/* exp, log, sin and cos in double for tables and random draws: no libm in any path that touches
 * samples, so that they have the same bits everywhere. Plain IEEE operations, no contraction.
 * Errors are a few units in the last place of a double, far below the float they are rounded to.
 */
#ifndef KZ_BASE_DMATH_H
#define KZ_BASE_DMATH_H

double kz__exp(double x); /* 0 below -745, infinity above 709.7 */
double kz__ln(double x); /* x > 0, finite and normal */
/* |x| < 1e6 */
void kz__sincos(double x, double *sine, double *cosine);

#endif
