/* Which nodes of a cluster could go: their pods fit elsewhere.
 *
 * The nodes are asked about one after the other, the emptiest first, and a node that can go is gone
 * for the next: all nodes that are said to go can go together. That their pods then fit is decided;
 * which set of nodes is largest is not searched. */
#ifndef BERTH_TOOLS_SHRINK_H
#define BERTH_TOOLS_SHRINK_H

#include "berth/berth.h"
#include "loading/engine_setup.h"

typedef enum shrink_verdict {
    SHRINK_GOES,
    SHRINK_NO_ROOM,       /* its pods do not all fit elsewhere */
    SHRINK_BARE,          /* a pod of no controller would be lost */
    SHRINK_FORBIDDEN,     /* a disruption budget keeps a pod */
    SHRINK_FOREIGN,       /* a pod of another scheduler: nobody knows where it would go */
    SHRINK_CONTROL_PLANE, /* its role label says so */
    SHRINK_VERDICTS,
} shrink_verdict;

extern const char *const shrink_verdict_names[SHRINK_VERDICTS]; /* "goes", "noRoom", ... */
extern const char *const shrink_verdict_texts[SHRINK_VERDICTS];

typedef struct shrink_node {
    berth_node_id node;
    uint32_t pods; /* that have to find another node */
    shrink_verdict verdict;
    double use; /* the largest share of a resource that is requested */
} shrink_node;

/* A pod of a node that goes. A pod that moves more than once appears once. */
typedef struct shrink_move {
    berth_pod_id pod;
    berth_node_id from; /* its node before any node went */
    berth_node_id to;   /* its node after all of them went */
} shrink_move;

typedef struct shrink {
    shrink_node *nodes; /* in the order in which they were asked about */
    uint32_t count;
    uint32_t going;
    shrink_move *moves; /* by node, in the order of `nodes` */
    size_t move_count;
    size_t move_capacity;
} shrink;

/* Ask about `nodes`, and leave the engine with those closed that go and their pods elsewhere: in a
 * transaction of the caller's. Errors: those of the engine. */
berth_status shrink_make(shrink *s, berth_engine *engine, const engine_setup *setup,
                         const berth_node_id *nodes, uint32_t count, berth_error *error);
void shrink_free(shrink *s);

#endif
