/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes and the checks that every translation unit relies on. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#ifdef __FAST_MATH__
#error "plateau judges NaN and boundaries: never build it with -ffast-math"
#endif

#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK             __attribute__((warn_unused_result))

__extension__ typedef unsigned __int128 u128;

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

#define NSEC_PER_USEC UINT64_C(1000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_SEC  UINT64_C(1000000000)

#endif
