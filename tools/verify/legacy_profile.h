/* The profiles under which the v1.15 decision vectors were recorded (tests/vectors/README.md):
 * every predicate judged on its own; what counts in the total, and what was recorded without
 * counting. */
#ifndef BERTH_TOOLS_LEGACY_PROFILE_H
#define BERTH_TOOLS_LEGACY_PROFILE_H

#include "berth/profile.h"

/* The default priorities with their weights. */
extern const berth_profile legacy_profile_counted;

/* MostRequestedPriority, and ServiceAntiAffinityPriority on the label "rack". */
extern const berth_profile legacy_profile_recorded;

#endif
