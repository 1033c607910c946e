/* Set-up of loading tests, and how refusals are looked at. */
#include "harness/loading.h"

#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "weights/weights.h"

#include <stdio.h>
#include <string.h>

kz__mem kzt_mem;
char kzt_notices[2048];

static void on_log(void *user, int level, const char *text) {
    size_t used = strlen(kzt_notices);
    (void)user;
    (void)level;
    snprintf(kzt_notices + used, sizeof kzt_notices - used, "%s\n", text);
}

int kzt_loading_begin(void **state) {
    kz__mem_init(&kzt_mem, NULL, NULL);
    kz_set_log(on_log, NULL);
    kzt_notices[0] = 0;
    *state = kzt_tmpdir_make();
    return 0;
}

int kzt_loading_end(void **state) {
    kzt_tmpdir_remove(*state);
    assert_int_equal(atomic_load(&kzt_mem.current), 0);
    return 0;
}

void kzt_expect_text(const char *text, const char *first, const char *second, const char *third) {
    if (!strstr(text, first) || !strstr(text, second) || !strstr(text, third)) {
        fail_msg("got: %s; wanted: '%s', '%s', '%s'", text, first, second, third);
    }
    const char *end = strchr(text, '\n');
    if (end && end[1]) fail_msg("more than one line: %s", text);
}

void kzt_expect_no_weights(const char *folder, const char *first, const char *second,
                           const char *third) {
    kz__weights *weights = NULL;
    kz__err err = {""};
    kz_status status = kz__weights_open(&kzt_mem, folder, &weights, &err);
    if (status != KZ_ERR_MODEL) fail_msg("status %d, wanted a refusal with '%s'", status, first);
    assert_null(weights);
    kzt_expect_text(err.text, first, second, third);
    assert_int_equal(atomic_load(&kzt_mem.current), 0);
}
