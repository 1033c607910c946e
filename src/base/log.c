/* The log hook: the library's only global. Silent unless set. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
    kz_log_fn fn;
    void *user;
} hook;

void kz_set_log(kz_log_fn fn, void *user) {
    hook.fn = fn;
    hook.user = user;
}

void kz__log(int level, const char *format, ...) {
    if (!hook.fn) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hook.fn(hook.user, level, text);
}
