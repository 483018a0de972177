/* The library's version, as the build gives it. */
#include "berth/status.h"

#ifndef BERTH_VERSION
#error "the build defines BERTH_VERSION from project(VERSION)"
#endif

const char *berth_version(void)
{
    return BERTH_VERSION;
}
