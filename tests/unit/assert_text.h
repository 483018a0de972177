/* Compares a text that has a length, and no terminating zero, with a string. */
#ifndef BERTH_TESTS_ASSERT_TEXT_H
#define BERTH_TESTS_ASSERT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "berth/status.h"

static inline void assert_text(berth_str found, const char *expected)
{
    if (found.len != strlen(expected) ||
        (found.len > 0 && memcmp(found.data, expected, found.len) != 0))
        fail_msg("found '%.*s', expected '%s'", (int)found.len,
                 found.data != NULL ? found.data : "", expected);
}

#endif
