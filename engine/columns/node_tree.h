/* Nodes by zone in order of arrival, and the zone-interleaved order that searches follow.
 * Source: kube-scheduler v1.32, backend/cache/node_tree.go. */
#ifndef BERTH_COLUMNS_NODE_TREE_H
#define BERTH_COLUMNS_NODE_TREE_H

#include "base/history.h"
#include "base/intern.h"

typedef struct berth__tree_zone {
    berth__sym zone; /* zone key, 0: none */
    uint32_t *nodes; /* node ids in order of arrival */
    uint32_t count;
    uint32_t capacity;
} berth__tree_zone;

typedef struct berth__node_tree {
    const berth_allocator *allocator;
    uint64_t stamp; /* of the copy-on-write owner that may change it; see base/cow_owner.h */
    uint64_t epoch; /* of the order of its nodes */
    berth__tree_zone *zones; /* in order of first appearance */
    uint32_t zone_count;
    uint32_t zone_capacity;
    uint32_t node_count;
} berth__node_tree;

void berth__node_tree_init(berth__node_tree *tree, const berth_allocator *allocator);
void berth__node_tree_destroy(berth__node_tree *tree);

/* A new tree, freed by berth__node_tree_free; the same with the contents of another tree. NULL when
 * out of memory. Cost of a copy: linear in the nodes. */
berth__node_tree *berth__node_tree_create(const berth_allocator *allocator);
berth__node_tree *berth__node_tree_copy(const berth__node_tree *tree);
void berth__node_tree_free(berth__node_tree *tree);

/* Release a tree; see base/cow_owner.h. */
berth__release berth__node_tree_release;

/* Append a node that is not in the tree to its zone. Returns false when out of memory. */
bool berth__node_tree_add(berth__node_tree *tree, berth__sym zone, uint32_t node);

/* Remove a node; an empty zone is removed, too. Cost: linear in the zone. */
void berth__node_tree_remove(berth__node_tree *tree, berth__sym zone, uint32_t node);

/* The same with a record for undoing, newest removal first: the node's place, and the zone's memory
 * if the zone was removed. `put_back` undoes the removal without needing memory; making the removal
 * permanent frees the zone. */
typedef struct berth__tree_place {
    berth__sym zone;
    uint32_t zone_index;
    uint32_t index;
    berth__tree_zone gone; /* nodes NULL: the zone still exists */
} berth__tree_place;
void berth__node_tree_take(berth__node_tree *tree, berth__sym zone, uint32_t node,
                           berth__tree_place *place);
void berth__node_tree_put_back(berth__node_tree *tree, uint32_t node,
                               const berth__tree_place *place);
void berth__tree_place_free(const berth__node_tree *tree, berth__tree_place *place);

/* Write all nodes, taking the zones in turn, to `out` (node_count entries). */
void berth__node_tree_list(const berth__node_tree *tree, uint32_t *out);

#endif
