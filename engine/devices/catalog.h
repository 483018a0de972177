/* The catalog of offered devices: ResourceSlices by pool and by node, in the order in which an
 * allocator examines them, and for each node the pools that it sees.
 *
 * A pool is open while its devices are listed. It is opened when a node's offers are first asked
 * for, or when many slices come at once. A changed slice closes its pool, and the lists of the
 * nodes that see the pool are dropped: those that its slices name or, if some slice is for several
 * nodes, all. So a change costs what its pool costs.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating/pools_incubating.go. */
#ifndef BERTH_DEVICES_CATALOG_H
#define BERTH_DEVICES_CATALOG_H

#include "base/cow_array.h"
#include "devices/contents.h"
#include "devices/uses.h"
#include "model/model.h"

struct berth__offer_pool;
struct berth__offer_slice;

/* One device of a slice. */
typedef struct berth__offer {
    const berth__device *device;
    const struct berth__offer_slice *slice;
    berth__device_use *use;
    uint32_t content; /* number of its contents (devices/contents.h) */
} berth__offer;

/* The slices that name one node. */
typedef struct berth__named_node {
    berth__keymap_entry entry;
    berth__sym name;
    struct berth__offer_slice *first;
    bool emptied; /* it is among those that lost their last slice in this change */
    struct berth__named_node *next_emptied;
} berth__named_node;

/* Lists that a slice is in. */
enum { BERTH__OF_POOL, BERTH__OF_NODE, BERTH__OF_MANY, BERTH__SLICE_LISTS };

typedef struct berth__slice_link {
    struct berth__offer_slice *next;
    struct berth__offer_slice **from; /* what points at the slice; NULL: it is not listed */
} berth__slice_link;

typedef struct berth__offer_slice {
    const berth__slice_facts *facts;
    berth__sym name;
    uint32_t offer_count;
    berth__offer *offers;           /* in the slice's order; only while the pool is open */
    struct berth__offer_pool *pool; /* NULL: there is no such slice now */
    berth__named_node *node;        /* NULL: the slice names no node */
    berth__slice_link links[BERTH__SLICE_LISTS];
    int64_t generation; /* copied from the facts */
    bool left_out;      /* copied from the facts */
    bool everywhere;    /* every node sees it, perhaps only for its counters */
    bool many;          /* several nodes may see it */
    uint64_t seen;      /* used while the slices of a node are collected */
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
    uint32_t model; /* devices/node_model.h */
} berth__pool_view;

typedef struct berth__offer_pool {
    berth__keymap_entry entry;
    struct {
        berth__sym driver, name;
    } key;
    berth__offer_slice *first; /* of its slices, in no order */
    uint32_t slice_count;
    uint32_t many_count; /* slices that several nodes may see */
    uint64_t seen;       /* used while slices are collected */
    bool emptied;        /* it is among those that lost their last slice in this change */
    struct berth__offer_pool *next_emptied;
    /* The rest holds while the pool is open. */
    bool open;
    berth__arena arena;          /* holds offers and views */
    berth__offer_slice **slices; /* by name */
    berth__used_pool *used;      /* of its devices; NULL: it has none */
    berth__pool_view *views;
    /* The nodes that see devices of the pool, as far as lists of views were made. */
    uint32_t watcher; /* the node's id, if it is a single node */
    bool watched, watched_by_many;
} berth__offer_pool;

/* The pools that a node sees, in order (devices/node_offers.h). */
typedef struct berth__node_offers {
    const berth__pool_view *const *pools;
    uint32_t count;
    uint32_t model;    /* devices/node_model.h */
    berth_str problem; /* why the offers can't be determined */
} berth__node_offers;

/* What is kept for a node by its id. */
typedef struct berth__listed_node {
    const berth__node_offers *offers; /* NULL: no list was made */
    uint64_t used_at; /* equal to the catalog's `use_changes`: the following members hold */
    uint64_t in_use;  /* bits by device, in the order of the list */
    uint32_t model;   /* devices/node_model.h; 0: none, or the bits do not tell all */
} berth__listed_node;

/* DeviceTaintRules that select devices, in the order of their records. */
typedef struct berth__taint_rules {
    const berth__taint_rule_facts **items;
    uint32_t count;
} berth__taint_rules;

typedef struct berth__catalog {
    berth__model *model;
    berth__device_uses *uses;
    berth__taint_rules rules; /* of the owner; see berth__catalog_taint */
    berth__arena arena;       /* holds the slices' places */
    berth__arena many_arena;  /* holds the lists of slices for many nodes */
    berth__arena nodes_arena; /* holds lists of views */
    berth__arena models_arena;
    berth__arena scratch;
    berth__keymap pools;
    berth__keymap models;
    berth__keymap nodes;         /* berth__named_node */
    berth__offer_slice **slices; /* by the store's number; NULL: none yet */
    uint32_t slice_capacity;
    berth__contents contents;
    /* During a change. */
    berth__offer_pool *emptied_pools;
    berth__named_node *emptied_nodes;
    bool all_stale; /* any node may see other devices than before */
    /* Slices that several nodes may see. */
    berth__offer_slice *many; /* in no order */
    uint32_t many_count;
    bool many_changed;           /* the following lists must be made */
    berth__offer_slice **choosy; /* by name: slices for some nodes */
    uint32_t choosy_count;
    berth__offer_slice **unnamed; /* those that name no node, or select by device */
    uint32_t unnamed_count;
    berth__offer_pool **everywhere; /* pools with slices that every node sees */
    uint32_t everywhere_count;
    /* Lists of views. */
    const berth__node_offers *common; /* for nodes without slices of their own; NULL: not made */
    berth__listed_node *by_node;      /* by node id */
    uint32_t node_capacity;
    uint64_t use_changes;             /* changed uses of devices that several nodes see; from 1 */
    uint32_t dropped;                 /* lists that are dropped, but still in memory */
    uint64_t layout_epoch;            /* the epoch of lists that labels decide */
    const berth__cow_array *node_ids; /* by the sym of a node's name: its id + 1; 0: none */
    uint64_t mark;                    /* last number assigned to `seen` of slices and pools */
    uint64_t name_mark;               /* last number assigned to `seen` of uses */
    /* What those who keep results have to follow. */
    uint64_t build;     /* changes after which any node may see other devices */
    uint64_t closings;  /* pools closed: their offers are gone */
    uint64_t numbering; /* how often numbers of contents and models began anew */
    uint32_t *stale;    /* ids of nodes that see other devices than before */
    uint32_t stale_count, stale_capacity;
} berth__catalog;

/* The catalog is empty. It counts offers in `uses`, which must live longer. */
berth_status berth__catalog_init(berth__catalog *catalog, berth__model *model,
                                 berth__device_uses *uses);
void berth__catalog_destroy(berth__catalog *catalog);

/* A slice that is new, changed or (`facts` NULL) gone. */
typedef struct berth__changed_slice {
    uint32_t id; /* the store's number */
    berth__sym name;
    const berth__slice_facts *facts;
} berth__changed_slice;

/* The ids of nodes are in that array from now on. Call it before the first change; the array must
 * live until the next call. */
static inline void berth__catalog_name_nodes(berth__catalog *catalog,
                                             const berth__cow_array *node_ids)
{
    catalog->node_ids = node_ids;
}

/* Take over changes. The former facts may be freed already. Returns false when out of memory; call
 * again with the same changes before anything else. Cost: linear in the slices and devices of the
 * pools that were open. */
bool berth__catalog_change(berth__catalog *catalog, const berth__changed_slice *changes,
                           uint32_t count);

/* The rules have changed; their facts must live until the next call. */
void berth__catalog_taint(berth__catalog *catalog, berth__taint_rules rules);

/* The node facts have a new epoch: drop the lists of views if labels decide about them. */
void berth__catalog_follow(berth__catalog *catalog, uint64_t layout_epoch);

/* The pool of that driver and name; NULL: no slice belongs to it. */
berth__offer_pool *berth__catalog_pool(const berth__catalog *catalog, berth__sym driver,
                                       berth__sym name);

/* The first of the slices that name this node, of any generation, left out or not; NULL: there are
 * none. Those that select nodes by device are among `unnamed`, too. */
const berth__offer_slice *berth__catalog_named(const berth__catalog *catalog, berth__sym node);

/* Open the pool of the slice with that number, if there is such a slice. If its slices name a
 * single node, make the view that this node will have. Returns false when out of memory. */
bool berth__catalog_foresee(berth__catalog *catalog, uint32_t id);

/* Make the list of the node of that name, with its devices in use, if it has an id, slices name it,
 * and no labels decide what nodes see. Returns false when out of memory. */
bool berth__catalog_foresee_node(berth__catalog *catalog, berth__sym name);

/* Open the pool if it is closed. Returns false when out of memory. */
bool berth__offer_pool_open(berth__catalog *catalog, berth__offer_pool *pool);

/* ---- internal to this module ---- */

/* Close the pool if it is open. Does not read facts. */
void berth__offer_pool_close(berth__catalog *catalog, berth__offer_pool *pool);

/* Sort slices by name. */
void berth__slices_sort(const berth__catalog *catalog, berth__offer_slice **items, uint32_t count);

/* The view of an open pool that consists of these slices, sorted by name; NULL when out of
 * memory. */
const berth__pool_view *berth__pool_view_get(berth__catalog *catalog, berth__offer_pool *pool,
                                             const berth__offer_slice *const *kept, uint32_t count);

/* A text in an arena, printf style; absent when out of memory. */
berth_str berth__device_text(berth__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
