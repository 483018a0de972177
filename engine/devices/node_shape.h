/* Node shapes: what a kind of claims sees of a node, apart from the devices in use. Searches on
 * nodes of one shape have the same result as long as the same of their devices are in use, so one
 * result holds for all these nodes. Nodes of one model (devices/node_model.h) have one shape. Other
 * nodes may have the same shape, too, if they do not differ in anything that the claims read.
 *
 * A shape consists of everything that a search reads and that changes only with the catalog and the
 * classes: for each device, in order, the results of each line's selectors, tolerations and
 * capacities, the attributes that constraints compare, and the counters that it consumes; for each
 * pool its state and its counters. A node has no shape if it has no model, if a selector fails, or
 * if there are too many verdicts. Threads: those of the devices that it belongs to. */
#ifndef BERTH_DEVICES_NODE_SHAPE_H
#define BERTH_DEVICES_NODE_SHAPE_H

#include "base/keymap.h"
#include "devices/device_search.h"

enum {
    BERTH__SHAPE_VERDICTS = 1024,  /* maximum number of verdicts: devices times lines */
    BERTH__SHAPE_STATES = 1 << 14, /* maximum number of states kept for a kind of claims */
};

/* The result of a search on a node. */
typedef struct berth__outcome_kept {
    uint8_t value; /* the caller's value, not 0 */
    bool fits;
    bool bad; /* the result is an error */
    int16_t score;
} berth__outcome_kept;

/* A shape with a certain set of devices in use. */
typedef struct berth__node_state {
    berth__keymap_entry entry;
    struct {
        uint64_t in_use; /* bits by device, in the order of the search */
        uint64_t shape;
    } key;
    berth__outcome_kept outcome; /* value 0: unknown */
} berth__node_state;

typedef struct berth__node_shapes {
    berth__arena arena;
    berth__keymap shapes; /* by words */
    berth__keymap states;
    uint32_t *by_model; /* numbers of shapes; 0: not examined yet */
    uint32_t model_capacity;
} berth__node_shapes;

berth_status berth__node_shapes_init(berth__node_shapes *shapes, const berth_allocator *allocator);
/* Accepts a zeroed struct and one whose init failed. */
void berth__node_shapes_destroy(berth__node_shapes *shapes);

/* The state of a node; the caller may fill in its outcome. NULL if the node has no shape, or out of
 * memory: then search the node. Cost: the first time, each line's verdict on each device; later, a
 * look-up. */
berth__node_state *berth__node_shapes_state(berth__node_shapes *shapes,
                                            berth__device_search *search,
                                            const berth__listed_node *node);

#endif
