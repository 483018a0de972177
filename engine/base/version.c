/* The library's version: the headers' numbers, which the build holds to project(VERSION). */
#include "berth/status.h"

#ifdef BERTH_PROJECT_MAJOR
_Static_assert(BERTH_VERSION_MAJOR == BERTH_PROJECT_MAJOR &&
                   BERTH_VERSION_MINOR == BERTH_PROJECT_MINOR &&
                   BERTH_VERSION_PATCH == BERTH_PROJECT_PATCH,
               "berth/status.h has not the version of project(VERSION)");
#endif

#define DIGITS_OF(number) #number
#define DIGITS(number) DIGITS_OF(number)

const char *berth_version(void)
{
    return DIGITS(BERTH_VERSION_MAJOR) "." DIGITS(BERTH_VERSION_MINOR) "." DIGITS(
        BERTH_VERSION_PATCH);
}
