/* The description of each metric: name, labels, buckets. */
#ifndef BERTH_LIVE_METRIC_FAMILIES_H
#define BERTH_LIVE_METRIC_FAMILIES_H

#include <stddef.h>

#include "live/serving/metrics.h"

typedef enum metric_type { METRIC_COUNTER = 0, METRIC_GAUGE, METRIC_HISTOGRAM } metric_type;

enum { METRIC_BUCKETS_MAX = 24 };

typedef struct metric_family {
    const char *name, *help;
    metric_type type;
    const char *labels[METRIC_LABELS_MAX];
    /* bounds first, first * factor, ..., or those of `bounds` */
    double first, factor;
    unsigned count;
    const double *bounds;
    /* The only series of a metric that is not measured. */
    const char *zero[METRIC_LABELS_MAX];
    double zero_value;
} metric_family;

extern const metric_family metric_families[METRIC_COUNT];

/* kube-scheduler's metrics without a counterpart here. They are shown at 0, so that dashboards and
 * alerts find every name. */
extern const metric_family metric_unmeasured[];
extern const size_t metric_unmeasured_count;

#endif
