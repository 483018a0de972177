/* What is offered: ResourceSlices by pool and by node, in the order in which an allocator looks at
 * them, and of each node the pools that it sees.
 *
 * Made anew whenever a slice has changed. A view of a pool is made once for each set of its slices
 * that some node sees, a list of views once for each node, both when first asked for. Source:
 * dynamic-resource-allocation v0.36, structured/internal/incubating/pools_incubating.go. */
#ifndef BERTH_DEVICES_CATALOG_H
#define BERTH_DEVICES_CATALOG_H

#include "devices/uses.h"
#include "model/model.h"

struct berth__offer_pool;

/* One device of a slice. */
typedef struct berth__offer {
    const berth__device *device;
    const struct berth__offer_slice *slice;
    berth__device_use *use;
    uint32_t content; /* its number (devices/contents.h), below the catalog's content_count */
} berth__offer;

typedef struct berth__offer_slice {
    const berth__slice_facts *facts;
    berth__sym name;
    struct berth__offer_pool *pool;
    berth__offer *offers;                    /* as listed */
    struct berth__offer_slice *next_on_node; /* another that is for the same node alone */
    bool everywhere;                         /* every node sees it, be it for its counters only */
    uint64_t seen;                           /* while the slices of a node are collected */
} berth__offer_slice;

/* A counter of a set. */
typedef struct berth__pool_counter {
    berth__sym set, name;
    __int128 value;
} berth__pool_counter;

/* A pool as some nodes see it. */
typedef struct berth__pool_view {
    struct berth__pool_view *next; /* of the pool */
    const struct berth__offer_pool *pool;
    const berth__offer_slice **counter_slices; /* those with counters that the devices share */
    uint32_t counter_slice_count;
    const berth__offer_slice *const *kept; /* by name: what it was made of */
    uint32_t kept_count;
    bool obsolete;   /* a newer generation exists: it is left out */
    bool incomplete; /* slices are missing */
    bool invalid;
    bool binding; /* some device has binding conditions */
    const berth__offer *const *offers;
    uint32_t offer_count;
    const berth__offer *const *others; /* on slices that these nodes do not see */
    uint32_t other_count;
    const berth__pool_counter *counters;
    uint32_t counter_count;
} berth__pool_view;

typedef struct berth__offer_pool {
    berth__keymap_entry entry;
    struct {
        berth__sym driver, name;
    } key;
    berth__offer_slice **slices; /* by name */
    uint32_t slice_count;
    berth__pool_view *views;
    uint64_t seen; /* while slices are collected */
    /* Who is offered something of it, as far as lists of views were made. */
    uint32_t watcher; /* the node's id, where it is one */
    bool watched, watched_by_many;
} berth__offer_pool;

/* The pools that a node sees, in order. */
typedef struct berth__node_offers {
    const berth__pool_view *const *pools;
    uint32_t count;
    uint32_t model;    /* devices/node_model.h */
    berth_str problem; /* why that can't be told */
} berth__node_offers;

typedef struct berth__catalog {
    berth__model *model;
    berth__arena arena;       /* of everything but lists of views */
    berth__arena nodes_arena; /* of these */
    berth__arena scratch;
    berth__keymap pools;
    berth__keymap models;
    berth__keymap nodes;        /* by name: slices that are for it alone */
    berth__offer_slice *slices; /* by name */
    uint32_t slice_count;
    berth__offer_slice **choosy; /* slices that are for some nodes */
    uint32_t choosy_count;
    berth__offer_pool **everywhere; /* pools with slices that every node sees */
    uint32_t everywhere_count;
    const berth__node_offers *common; /* what nodes see that have nothing of their own; NULL: not
                                         asked yet */
    uint32_t offer_count, content_count;
    uint64_t mark;                      /* numbers given to `seen` of slices and pools */
    uint64_t name_mark;                 /* and of uses */
    const berth__node_offers **by_node; /* by node id; NULL: not asked yet */
    uint32_t node_capacity;
    uint64_t layout_epoch; /* that `by_node` is of */
    uint64_t build;        /* how often it was made */
} berth__catalog;

berth_status berth__catalog_init(berth__catalog *catalog, berth__model *model);
void berth__catalog_destroy(berth__catalog *catalog);

/* One slice and its name. */
typedef struct berth__named_slice {
    berth__sym name;
    const berth__slice_facts *facts;
} berth__named_slice;

/* DeviceTaintRules that select devices. */
typedef struct berth__taint_rules {
    const berth__taint_rule_facts **items;
    uint32_t count;
} berth__taint_rules;

/* Make the catalog anew. `slices` is sorted here. Returns false when out of memory; the catalog is
 * empty then. Cost: a look at every device. */
bool berth__catalog_build(berth__catalog *catalog, berth__device_uses *uses,
                          berth__named_slice *slices, uint32_t count,
                          const berth__taint_rules *rules);

/* The node facts have another epoch: lists of views are void. */
void berth__catalog_follow(berth__catalog *catalog, uint64_t layout_epoch);

/* Which node. */
typedef struct berth__offer_node {
    uint32_t id;
    berth__sym name;
    berth__labels labels;
} berth__offer_node;

/* The pool of that driver and name; NULL: no slice is of it. */
berth__offer_pool *berth__catalog_pool(const berth__catalog *catalog, berth__sym driver,
                                       berth__sym name);

/* What the node sees; NULL when out of memory. Valid until the catalog changes. */
const berth__node_offers *berth__catalog_of(berth__catalog *catalog, const berth__offer_node *node);

/* Whether devices reach a node. `*problem` is set where the selector can't be read. */
bool berth__reach_meets(const berth__model *model, const berth__device_reach *reach,
                        const berth__offer_node *node, berth_str *problem);

/* ---- between the files of this module ---- */

/* The view of a pool that these slices make, by name; NULL when out of memory. */
const berth__pool_view *berth__pool_view_get(berth__catalog *catalog, berth__offer_pool *pool,
                                             const berth__offer_slice *const *kept, uint32_t count);

/* A text in an arena, printf style; absent when out of memory. */
berth_str berth__device_text(berth__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
