/* The resources that a resource score considers, and the pod's request for each.
 * Used by NodeResourcesFit, NodeResourcesBalancedAllocation and the v1.15 resource priorities.
 * Source: kube-scheduler v1.32, plugins/noderesources/resource_allocation.go. */
#ifndef BERTH_PLUGINS_RESOURCE_SCORE_H
#define BERTH_PLUGINS_RESOURCE_SCORE_H

#include "plugins/plugin.h"
#include "store/device_facts.h"

/* A resource as a profile's arguments name it. */
typedef struct berth__scored_resource {
    berth__sym name;
    int64_t weight;
} berth__scored_resource;

typedef struct berth__scored_resources {
    const berth__scored_resource *items;
    uint32_t count;
} berth__scored_resources;

/* NULL `resources`: cpu and memory, weight 1. Returns false when out of memory. */
bool berth__scored_resources_make(berth__model *model, berth__arena *arena,
                                  const berth_weighted_resource *resources, uint32_t count,
                                  berth__scored_resources *out);

/* The score at a utilization, interpolated along the shape's points (at least one) in integers
 * truncated toward zero. */
int64_t berth__shape_at(const berth_shape_point *shape, uint32_t count, int64_t utilization);

/* A resource that counts in the score of a pod class, by column. */
typedef struct berth__asked_resource {
    uint32_t resource;
    bool nonzero; /* usage is read from the non-zero columns */
    int64_t weight;
    int64_t ask;
    const berth__device_class
        *backing; /* the class that replaces it on nodes that lack the resource; NULL: none */
} berth__asked_resource;

typedef struct berth__asked_resources {
    const berth__asked_resource *items;
    uint32_t count;
    bool wide;   /* some request is above BERTH__SMALL_AMOUNT */
    bool backed; /* devices back one of them, so amounts do not come from the columns alone */
} berth__asked_resources;

/* Which of a pod's amounts a score uses. */
typedef enum berth__asked_amounts {
    BERTH__ASK_REAL,    /* the requests that a node must have free */
    BERTH__ASK_NONZERO, /* those of the containers, with defaults for cpu and memory */
} berth__asked_amounts;

/* Leaves out resources without a column and scalars that the pod does not request. Returns false
 * when out of memory. */
bool berth__asked_resources_make(const berth__question *cycle, berth__arena *arena,
                                 const berth__scored_resources *scored,
                                 berth__asked_amounts amounts, berth__asked_resources *out);

/* How much of a resource (a column) the containers of a pod request, with defaults for cpu and
 * memory. */
int64_t berth__scored_ask(const berth__request *request, uint32_t resource);

/* How much of a resource the node of a slot has, and how much of that is in use. */
typedef struct berth__asked_amount {
    int64_t capacity, used;
} berth__asked_amount;
berth__asked_amount berth__asked_amount_of(const berth__view *view,
                                           const berth__asked_resource *item, uint32_t slot);

static inline const int64_t *berth__asked_used(berth__tile *tile, const berth__asked_resource *item)
{
    if (!item->nonzero)
        return berth__tile_used(tile, item->resource);
    return item->resource == BERTH__CPU ? tile->nonzero_cpu : tile->nonzero_memory;
}

#endif
