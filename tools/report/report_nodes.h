/* The nodes of a report: which ones accept pods, and how much is free where. */
#ifndef BERTH_TOOLS_REPORT_NODES_H
#define BERTH_TOOLS_REPORT_NODES_H

#include "cli/output.h"
#include "plans/cluster_side.h"
#include "plans/node_state.h"

/* The nodes of a side; zeroed before the first use. */
typedef struct report_nodes {
    berth_node_id *ids; /* in search order */
    uint32_t count;
    node_state *states; /* one for each of them */
    uint32_t state_nodes[NODE_STATE_COUNT];
} report_nodes;

/* The free amounts of one resource. */
typedef struct report_free {
    int64_t amounts[NODE_STATE_COUNT]; /* total over the nodes of each state */
    int64_t most;                      /* on one node that is open */
} report_free;

/* Errors: those of berth_engine_node_order and berth_engine_node_object. Release in any case. */
berth_status report_nodes_make(report_nodes *n, const cluster_side *side, berth_error *error);
void report_nodes_release(report_nodes *n);

report_free report_nodes_free(const report_nodes *n, const cluster_side *side, uint32_t resource);

/* Write an array of the reasons that keep pods off a node: "cordoned", "taint
 * dedicated=infra:NoSchedule". Errors: those of berth_engine_node_object; the array stays open
 * then. */
berth_status report_nodes_notes(const cluster_side *side, berth_node_id node, output *o,
                                berth_error *error);

#endif
