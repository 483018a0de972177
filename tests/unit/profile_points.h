/* Profiles whose plugin lists a test can change. */
#ifndef PROFILE_POINTS_H
#define PROFILE_POINTS_H

#include <string.h>

#include "berth/profile.h"

typedef struct profile_points {
    berth_plugin_list lists[BERTH_POINT_COUNT];
} profile_points;

/* Copy the profile's lists into `points` and make the profile use them. Returns the lists. */
static inline berth_plugin_list *own_points(berth_profile *profile, profile_points *points)
{
    for (int p = 0; p < BERTH_POINT_COUNT; p++)
        points->lists[p] = berth_profile_list(profile, (berth_point)p);
    profile->points = points->lists;
    profile->point_count = BERTH_POINT_COUNT;
    return points->lists;
}

#endif
