/* cmocka with the headers it wants in front, and how slow the build is. */
#ifndef KZT_TESTS_H
#define KZT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Sanitizers make everything several times slower: long tests do a part of their work there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KZT_SLOW 10
#else
#define KZT_SLOW 1
#endif

#endif
