/* Texts of the status codes, and the error sentence. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *kz_status_text(kz_status code) {
    switch (code) {
    case KZ_OK: return "success";
    case KZ_DONE: return "the utterance is complete";
    case KZ_NEED_TEXT: return "waiting for text";
    case KZ_TIMEOUT: return "nothing was ready in time";
    case KZ_ERR_FAILED: return "computation failed";
    case KZ_ERR_USAGE: return "wrong call or option";
    case KZ_ERR_MODEL: return "model missing, damaged or not supported";
    case KZ_ERR_INPUT: return "input cannot be used";
    case KZ_ERR_OUTPUT: return "output could not be written";
    case KZ_ERR_MEMORY: return "out of memory";
    case KZ_ERR_CANCELLED: return "cancelled";
    case KZ_ERR_STATE: return "call not allowed in this state";
    }
    return "unknown status";
}

const char *kz_finish_text(kz_finish finish) {
    switch (finish) {
    case KZ_FINISH_NONE: return "none";
    case KZ_FINISH_STOP: return "stop";
    case KZ_FINISH_LENGTH: return "length";
    case KZ_FINISH_GUARD: return "guard";
    case KZ_FINISH_CANCELLED: return "cancelled";
    case KZ_FINISH_ERROR: return "error";
    }
    return "unknown";
}

kz_status kz__fail(kz__err *err, kz_status code, const char *format, ...) {
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

void kz__err_copy(const kz__err *err, char *buffer, size_t capacity) {
    if (!buffer || capacity == 0) return;
    snprintf(buffer, capacity, "%s", err ? err->text : "");
}
