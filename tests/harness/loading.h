/* A test of something that reads files: an account of memory that must be empty at the end, a
 * folder of its own (*state), and what was told on the way. */
#ifndef KZT_HARNESS_LOADING_H
#define KZT_HARNESS_LOADING_H

#include "base/mem.h"

extern kz__mem kzt_mem;
extern char kzt_notices[2048]; /* since the test began, a line each */

/* For cmocka_unit_test_setup_teardown. */
int kzt_loading_begin(void **state);
int kzt_loading_end(void **state);

/* One line that holds all three. */
void kzt_expect_text(const char *text, const char *first, const char *second, const char *third);
/* Opening the folder's weights fails with such a sentence, and leaves nothing. */
void kzt_expect_no_weights(const char *folder, const char *first, const char *second,
                           const char *third);

#endif
