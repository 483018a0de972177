/* What a kind of claims sees of a node, the devices in use apart. Nodes of one shape come to the
 * same while the same of their devices are in use, so that what a search came to on one of them
 * holds for all. Nodes of one model (devices/node_model.h) are of one shape; so are others, where
 * they differ in nothing that the claims read.
 *
 * A shape is all that a search reads that does not change with the catalog and the classes: of each
 * device, in order, what each line's selectors, tolerations and capacities say, what constraints
 * compare, what counters it takes; of each pool its state and its counters. A node has none where
 * it is of no model, where a selector fails, and where there are too many verdicts. Threads: as of
 * the devices that it belongs to. */
#ifndef BERTH_DEVICES_NODE_SHAPE_H
#define BERTH_DEVICES_NODE_SHAPE_H

#include "base/keymap.h"
#include "devices/device_search.h"

enum {
    BERTH__SHAPE_VERDICTS = 1024,  /* of its devices, by line, at most */
    BERTH__SHAPE_STATES = 1 << 14, /* kept of a kind of claims, at most */
};

/* What a search came to on a node. */
typedef struct berth__outcome_kept {
    uint8_t value; /* the asker's, not 0 */
    bool fits;
    bool bad; /* it is an error */
    int16_t score;
} berth__outcome_kept;

/* A shape with certain devices in use. */
typedef struct berth__node_state {
    berth__keymap_entry entry;
    struct {
        uint64_t in_use; /* bits by device, in the order of the search */
        uint64_t shape;
    } key;
    berth__outcome_kept outcome; /* value 0: not known */
} berth__node_state;

typedef struct berth__node_shapes {
    berth__arena arena;
    berth__keymap shapes; /* by words */
    berth__keymap states;
    uint32_t *by_model; /* numbers of shapes; 0: not looked at yet */
    uint32_t model_capacity;
} berth__node_shapes;

berth_status berth__node_shapes_init(berth__node_shapes *shapes, const berth_allocator *allocator);
/* Accepts what init has left when it failed, and zeros. */
void berth__node_shapes_destroy(berth__node_shapes *shapes);

/* The state of a node, whose outcome may be filled in; NULL where it has no shape, or out of
 * memory: the node is searched then. Cost: of the first time, each line's verdict about each
 * device; then a look at each use. */
berth__node_state *berth__node_shapes_state(berth__node_shapes *shapes,
                                            berth__device_search *search,
                                            const berth__node_offers *offers);

#endif
