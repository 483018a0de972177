/* The abort hook behind BERTH_ASSERT. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void berth__assert_failed(const char *expression, const char *file, int line)
{
    fprintf(stderr, "berth: assertion failed: %s (%s:%d)\n", expression, file, line);
    abort();
}
