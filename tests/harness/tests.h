/* cmocka with the headers it wants in front. */
#ifndef KZT_TESTS_H
#define KZT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
