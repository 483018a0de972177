/* Nodes made from a template, for what-ifs: nodes as a cloud would add them, with the pods that
 * start on each.
 *
 *     berth_engine_begin(engine, &error);                 or use a branch
 *     berth_engine_add_nodes(engine, &group, 3, nodes, &error);
 *     berth_engine_schedule_pods(engine, pods, count, NULL, placements, &fitted, &error);
 *     berth_engine_rollback(engine, &error); */
#ifndef BERTH_TEMPLATE_H
#define BERTH_TEMPLATE_H

#include "berth/transaction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of node. Owner: the caller's, borrowed until the call returns. */
typedef struct berth_node_template {
    uint32_t size;                  /* set by the caller: sizeof(berth_node_template) */
    uint32_t pod_count;             /* pods that run on each node from the start, */
    const berth_pod *pods;          /* for example those of DaemonSets */
    const berth_node *node;         /* its name is the prefix of the nodes' names */
    const berth_csi_node *csi_node; /* NULL, or the CSINode of each node */
} berth_node_template;

/* Add `count` nodes like the template. They are named after it, with -1, -2 and so on appended;
 * names that are taken are skipped. If the template has the label kubernetes.io/hostname, each
 * node's label is its own name. The template's pods run on each node, whether or not there is room:
 * each is named POD-NODE and counts as running, regardless of its node_name, phase and uid in the
 * template. `nodes` (optional, `count` entries) receives the ids.
 * Errors: BERTH_E_ARG (the struct's size, no node), and those of berth_engine_add, naming the
 * object; the engine is unchanged. Threads: the engine's. Cost: adding each node and pod, with undo
 * records; pods that have a template_id are read once for all nodes. */
static inline berth_status berth_engine_add_nodes(berth_engine *engine,
                                                  const berth_node_template *from, uint32_t count,
                                                  berth_node_id *nodes, berth_error *error)
{
    return berth_engine_add_nodes_sized(engine, from, berth_object_sizes(), count, nodes, error);
}

#ifdef __cplusplus
}
#endif

#endif
