/* Finds nodes that could be removed because their pods fit elsewhere.
 *
 * Nodes are tried one after the other, the emptiest first. A node that can be removed stays removed
 * for the next one, so all nodes reported as removable can be removed together. That their pods fit
 * is decided, but the largest such set of nodes is not searched. */
#ifndef BERTH_TOOLS_SHRINK_H
#define BERTH_TOOLS_SHRINK_H

#include "berth/berth.h"
#include "loading/engine_setup.h"

typedef enum shrink_verdict {
    SHRINK_GOES,
    SHRINK_NO_ROOM,       /* not all of its pods fit elsewhere */
    SHRINK_BARE,          /* a pod without a controller would be lost */
    SHRINK_FORBIDDEN,     /* a disruption budget protects a pod */
    SHRINK_FOREIGN,       /* a pod of another scheduler, which decides where it goes */
    SHRINK_CONTROL_PLANE, /* by its role label */
    SHRINK_VERDICTS,
} shrink_verdict;

extern const char *const shrink_verdict_names[SHRINK_VERDICTS]; /* "goes", "noRoom", ... */
extern const char *const shrink_verdict_texts[SHRINK_VERDICTS];

typedef struct shrink_node {
    berth_node_id node;
    uint32_t pods; /* pods that need another node */
    shrink_verdict verdict;
    double use; /* the largest share of a resource that is requested */
} shrink_node;

/* A pod of a removed node. A pod that moves more than once appears once. */
typedef struct shrink_move {
    berth_pod_id pod;
    berth_node_id from; /* its node before any was removed */
    berth_node_id to;   /* its node after all were removed */
} shrink_move;

typedef struct shrink {
    shrink_node *nodes; /* in the order in which they were tried */
    uint32_t count;
    uint32_t going;
    shrink_move *moves; /* grouped by node, in the order of `nodes` */
    size_t move_count;
    size_t move_capacity;
} shrink;

/* Try `nodes`, inside a transaction of the caller's. Afterwards the removable ones are closed and
 * their pods are elsewhere. Errors: those of the engine. */
berth_status shrink_make(shrink *s, berth_engine *engine, const engine_setup *setup,
                         const berth_node_id *nodes, uint32_t count, berth_error *error);
void shrink_free(shrink *s);

#endif
