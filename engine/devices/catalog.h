/* The catalog of offered devices: ResourceSlices by pool and by node, in the order in which an
 * allocator examines them, and for each node the pools that it sees.
 *
 * The catalog is rebuilt whenever a slice has changed. A view of a pool is made once for each
 * set of its slices that some node sees, and a list of views once for each node, both at first use.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating/pools_incubating.go. */
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
    uint32_t content; /* number of its contents (devices/contents.h), below content_count */
} berth__offer;

typedef struct berth__offer_slice {
    const berth__slice_facts *facts;
    berth__sym name;
    struct berth__offer_pool *pool;
    berth__offer *offers;                    /* in the slice's order */
    struct berth__offer_slice *next_on_node; /* the next slice for the same single node */
    struct berth__offer_slice *next_named;   /* the next one that berth__catalog_named returns */
    bool everywhere;                         /* every node sees it, perhaps only for its counters */
    uint64_t seen;                           /* used while the slices of a node are collected */
} berth__offer_slice;

/* A counter of a set. */
typedef struct berth__pool_counter {
    berth__sym set, name;
    __int128 value;
} berth__pool_counter;

/* A pool as some nodes see it. */
typedef struct berth__pool_view {
    struct berth__pool_view *next; /* next view of the pool */
    const struct berth__offer_pool *pool;
    const berth__offer_slice **counter_slices; /* slices with counters that the devices share */
    uint32_t counter_slice_count;
    const berth__offer_slice *const *kept; /* by name: the slices that make the view */
    uint32_t kept_count;
    bool obsolete;   /* a newer generation exists: the view is left out */
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
    uint64_t seen; /* used while slices are collected */
    /* The nodes that see devices of the pool, as far as lists of views were made. */
    uint32_t watcher; /* the node's id, if it is a single node */
    bool watched, watched_by_many;
} berth__offer_pool;

/* The pools that a node sees, in order. */
typedef struct berth__node_offers {
    const berth__pool_view *const *pools;
    uint32_t count;
    uint32_t model;    /* devices/node_model.h */
    berth_str problem; /* why the offers can't be determined */
} berth__node_offers;

typedef struct berth__catalog {
    berth__model *model;
    berth__arena arena;       /* holds everything except lists of views */
    berth__arena nodes_arena; /* holds lists of views */
    berth__arena scratch;
    berth__keymap pools;
    berth__keymap models;
    berth__keymap nodes;        /* by name: slices for one node alone */
    berth__offer_slice *slices; /* by name */
    uint32_t slice_count;
    berth__offer_slice **choosy; /* slices for some nodes */
    uint32_t choosy_count;
    berth__offer_slice **unnamed; /* all except those that berth__catalog_named returns */
    uint32_t unnamed_count;
    berth__offer_pool **everywhere; /* pools with slices that every node sees */
    uint32_t everywhere_count;
    /* The list for nodes without slices of their own; NULL: not made yet. */
    const berth__node_offers *common;
    uint32_t offer_count, content_count;
    uint64_t mark;                      /* last number assigned to `seen` of slices and pools */
    uint64_t name_mark;                 /* last number assigned to `seen` of uses */
    const berth__node_offers **by_node; /* by node id; NULL: not made yet */
    uint32_t node_capacity;
    uint64_t layout_epoch; /* the epoch of `by_node` */
    uint64_t build;        /* how often the catalog was built */
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

/* Rebuild the catalog; sorts `slices`. Returns false when out of memory; the catalog is then empty.
 * Cost: reads every device. */
bool berth__catalog_build(berth__catalog *catalog, berth__device_uses *uses,
                          berth__named_slice *slices, uint32_t count,
                          const berth__taint_rules *rules);

/* The node facts have a new epoch: drop the lists of views. */
void berth__catalog_follow(berth__catalog *catalog, uint64_t layout_epoch);

/* The facts of a node by which offers are selected. */
typedef struct berth__offer_node {
    uint32_t id;
    berth__sym name;
    berth__labels labels;
} berth__offer_node;

/* The pool of that driver and name; NULL: no slice belongs to it. */
berth__offer_pool *berth__catalog_pool(const berth__catalog *catalog, berth__sym driver,
                                       berth__sym name);

/* The first of the slices that are for this node alone, of any generation, left out or not;
 * NULL: there are none. */
const berth__offer_slice *berth__catalog_named(const berth__catalog *catalog, berth__sym node);

/* The offers that the node sees; NULL when out of memory. Valid until the catalog changes. */
const berth__node_offers *berth__catalog_of(berth__catalog *catalog, const berth__offer_node *node);

/* Whether devices reach a node. `*problem` is set if the selector is invalid. */
bool berth__reach_meets(const berth__model *model, const berth__device_reach *reach,
                        const berth__offer_node *node, berth_str *problem);

/* ---- internal to this module ---- */

/* The view of a pool that consists of these slices, sorted by name; NULL when out of memory. */
const berth__pool_view *berth__pool_view_get(berth__catalog *catalog, berth__offer_pool *pool,
                                             const berth__offer_slice *const *kept, uint32_t count);

/* A text in an arena, printf style; absent when out of memory. */
berth_str berth__device_text(berth__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
