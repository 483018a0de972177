/* The groups that are placed together: a PodGroup alone, or a CompositePodGroup and all groups
 * below it. */
#ifndef BERTH_API_GROUP_TREE_H
#define BERTH_API_GROUP_TREE_H

#include "base/arena.h"
#include "berth/engine.h"
#include "model/related.h"

/* A group of the tree, and the outcome of the last attempt to place it. */
typedef struct berth__group_part {
    const berth__group_facts *facts;
    berth__sym name;
    bool composite;
    uint32_t parent;   /* index; the root is its own */
    uint32_t end;      /* the parts from its own index to here are it and those below it */
    uint32_t *members; /* of a PodGroup: indexes into the cycle's members, in their order */
    uint32_t count;
    uint32_t already; /* pods of these groups that are on nodes, */
    berth__sym
        domain;      /* and the one domain of their nodes: a value of the group's topology; or 0 */
    berth_str stray; /* why there is none; absent: there is one, or none is needed */
    /* The outcome. */
    bool judged; /* it has one of its own */
    berth_verdict verdict;
    berth_str message;
    uint32_t placed; /* pods */
    uint32_t source; /* the part whose verdict this is: its own, or that of a part above it */
    /* After preemption, of a part that is such a source: for how many parts, and their message. */
    uint32_t sharing;
    berth_str whole;
} berth__group_part;

typedef struct berth__group_tree {
    berth__sym namespace_name;
    berth__group_part *parts; /* the root first; each before those below it, in the order in which
                                 they are placed */
    uint32_t count;
    uint32_t *leaves; /* the PodGroups by name */
    uint32_t leaf_count;
} berth__group_tree;

/* Make the tree that has this PodGroup. Groups below too many others are left out. Memory comes
 * from `arena`.
 * Errors: BERTH_E_NOT_FOUND (a group), BERTH_E_INVALID (too many levels), BERTH_E_NOMEM.
 * Cost: linear in the groups of the tree, which are sorted. */
berth_status berth__group_tree_make(berth__group_tree *tree, const berth__model *model,
                                    const berth__related *related, berth__arena *arena,
                                    berth__sym namespace_name, berth__sym pod_group,
                                    berth_error *error);

/* The index of the PodGroup of this name; UINT32_MAX: it is not in the tree. */
uint32_t berth__group_tree_leaf(const berth__group_tree *tree, berth__sym name);

#endif
