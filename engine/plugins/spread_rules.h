/* The topology spread constraints of a pod: its own, or the profile's defaults, resolved to
 * counters. */
#ifndef BERTH_PLUGINS_SPREAD_RULES_H
#define BERTH_PLUGINS_SPREAD_RULES_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

/* PodTopologySpread's arguments. */
typedef struct berth__spread_defaults {
    bool system; /* defaultingType System: nodes without a topology key still count */
    const berth__spread_rule *rules; /* their selectors are not used */
    uint32_t count;
    bool any_hard, any_soft;
} berth__spread_defaults;

/* One constraint of a pod. */
typedef struct berth__spread {
    int64_t max_skew;
    int64_t min_domains;
    int64_t self;    /* 1 if the pod counts itself */
    bool everything; /* empty selector: counts no pods, but in what-ifs all */
    bool by_node;    /* the key is kubernetes.io/hostname: scores count the node's own pods */
    bool shared;     /* another constraint has the same key */
    bool repeats;    /* an earlier constraint has the same key */
    const berth__domain_counts *counts;
} berth__spread;

/* Body of a plan. */
typedef struct berth__spreads {
    const berth__spread *items;
    uint32_t count;
    bool require_all;  /* nodes that lack the key of any constraint are ignored */
    berth_str problem; /* kube-scheduler's message about the pod's invalid selector */
} berth__spreads;

berth_status berth__spread_configure(berth__model *model, berth__arena *arena,
                                     const berth_plugin_args *args, void *instance,
                                     berth_error *error);

/* Store the pod's DoNotSchedule (`hard`) or ScheduleAnyway constraints in `*out`, with counters up
 * to date; NULL if it has none. Returns false when out of memory. */
bool berth__spread_resolve(const berth__question *cycle, const berth__spread_defaults *defaults,
                           bool hard, const berth__spreads **out);

/* Whether the node of a slot has the key of every constraint. */
static inline bool berth__spread_has_all_keys(const berth__spreads *spreads, uint32_t slot)
{
    for (uint32_t i = 0; i < spreads->count; i++)
        if (!berth__bit_get(spreads->items[i].counts->topology->present, slot))
            return false;
    return true;
}

#endif
