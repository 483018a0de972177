/* Nodes from a template: what a cloud would add, for what-ifs, with the pods that come up on each.
 *
 *     berth_engine_begin(engine, &error);
 *     berth_engine_add_nodes(engine, &group, 3, nodes, &error);   a branch does as well
 *     berth_engine_schedule_pods(engine, pods, count, NULL, placements, &fitted, &error);
 *     berth_engine_rollback(engine, &error);
 */
#ifndef BERTH_TEMPLATE_H
#define BERTH_TEMPLATE_H

#include "berth/transaction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of node. Owner: the caller's, borrowed until the call returns. */
typedef struct berth_node_template {
    uint32_t size;                  /* set by the caller: sizeof(berth_node_template) */
    uint32_t pod_count;             /* pods that each node has from the beginning, */
    const berth_pod *pods;          /* as those of DaemonSets */
    const berth_node *node;         /* its name is what the nodes' names begin with */
    const berth_csi_node *csi_node; /* NULL, or what each node has, named as the node */
} berth_node_template;

/* Add `count` nodes of a template, each named as the template with -1, -2 and so on behind it,
 * names that are taken passed over; the label kubernetes.io/hostname, where the template has it,
 * says each node's own name. Each node has the template's pods on it, whatever room that leaves:
 * each is named POD-NODE, whatever its node_name, phase and uid in the template, and counts as
 * running. `nodes` (optional, `count` entries) receives the ids.
 * Errors: E_ARG (the struct's size, no node), and those of berth_engine_add, naming the object; the
 * engine is unchanged then. Threads: the engine's. Cost: that of adding each node and pod, and undo
 * records for them; of pods with a template_id one look at a pod for all. */
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
