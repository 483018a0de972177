/* The profiles under which the v1.15 decision vectors were recorded (tests/vectors/README.md).
 * Every predicate is evaluated on its own; one profile has the priorities that count in the total,
 * the other those that were only recorded. */
#ifndef BERTH_TOOLS_LEGACY_PROFILE_H
#define BERTH_TOOLS_LEGACY_PROFILE_H

#include "berth/profile.h"

/* The default priorities with their weights. */
extern const berth_profile legacy_profile_counted;

/* MostRequestedPriority, and ServiceAntiAffinityPriority on the label "rack". */
extern const berth_profile legacy_profile_recorded;

#endif
