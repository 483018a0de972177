/* The library's version: the numbers of the headers. The build checks them against
 * project(VERSION). */
#include "berth/status.h"

#ifdef BERTH_PROJECT_MAJOR
#define CHECKED(part)                                            \
    _Static_assert(BERTH_VERSION_##part == BERTH_PROJECT_##part, \
                   "berth/status.h has not the version of project(VERSION)")
CHECKED(MAJOR);
CHECKED(MINOR);
CHECKED(PATCH);
#endif

#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

const char *berth_version(void)
{
    return DIGITS(BERTH_VERSION_MAJOR) "." DIGITS(BERTH_VERSION_MINOR) "." DIGITS(
        BERTH_VERSION_PATCH);
}

uint32_t berth_version_number(void)
{
    return BERTH_VERSION_NUMBER;
}
