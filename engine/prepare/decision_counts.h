/* Counters of decisions; berth/statistics.h explains each. */
#ifndef BERTH_PREPARE_DECISION_COUNTS_H
#define BERTH_PREPARE_DECISION_COUNTS_H

#include <assert.h>
#include <stddef.h>

#include "berth/statistics.h"

/* The counters of a decider. */
typedef struct berth__decision_counts {
    uint64_t decisions, placed, errors, indexed, early_stops, visited, questions;
    uint64_t scans[BERTH_SCAN_REASON_COUNT];
} berth__decision_counts;

/* The counters of an index. */
typedef struct berth__tree_counts {
    uint64_t built, dropped, repairs;
} berth__tree_counts;

static_assert((int)BERTH_SCAN_REASON_COUNT <=
                  (int)(sizeof(((berth_statistics *)NULL)->scans) / sizeof(uint64_t)),
              "more reasons than berth_statistics has room for");

#endif
