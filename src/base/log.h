/* The process's log hook. */
#ifndef KZ_BASE_LOG_H
#define KZ_BASE_LOG_H

#include "base/status.h"

enum { KZ__NOTICE = 0, KZ__DEBUG = 1 };

void kz__log(int level, const char *format, ...) KZ__PRINTF(2, 3);

#endif
