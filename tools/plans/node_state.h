/* Whether a node accepts pods, and why not: the same answer for every command. */
#ifndef BERTH_TOOLS_NODE_STATE_H
#define BERTH_TOOLS_NODE_STATE_H

#include "berth/berth.h"

/* Whether a node accepts a pod without tolerations. If there are several reasons against it, the
 * last one in this list counts. */
#define NODE_STATES(X)                                     \
    X(OPEN, "open")          /* it does */                 \
    X(TAINTED, "tainted")    /* NoSchedule or NoExecute */ \
    X(CORDONED, "cordoned")  /* spec.unschedulable */      \
    X(NOT_READY, "notReady") /* the condition, or a taint */

typedef enum node_state {
#define X(name, text) NODE_STATE_##name,
    NODE_STATES(X)
#undef X
        NODE_STATE_COUNT
} node_state;

extern const char *const node_state_names[NODE_STATE_COUNT];

node_state node_state_of(const berth_node *node);

/* The same for a node of an engine. Errors: those of berth_engine_node_object. */
berth_status node_state_read(const berth_engine *engine, berth_node_id node, node_state *out,
                             berth_error *error);

/* Call `each` with every reason that keeps pods off a node: "cordoned", "taint
 * dedicated=infra:NoSchedule". Errors: those of berth_engine_node_object; `each` is not called
 * then. */
berth_status node_state_notes(const berth_engine *engine, berth_node_id node,
                              void (*each)(void *context, const char *note), void *context,
                              berth_error *error);

#endif
