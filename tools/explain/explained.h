/* One pod's decision in full: every node's verdict, every score, preemption, and possible
 * remedies. */
#ifndef BERTH_TOOLS_EXPLAINED_H
#define BERTH_TOOLS_EXPLAINED_H

#include <stdio.h>

#include "cli/output.h"
#include "explain/remedies.h"
#include "explain/taken_devices.h"

/* A feasible node. */
typedef struct ranked_node {
    uint32_t i;    /* index in the explanation */
    uint32_t rank; /* 1 + number of nodes with a higher total */
} ranked_node;

typedef struct explained {
    berth_engine *engine;
    berth_snapshot *state; /* the snapshot of the engine if it is a branch; else NULL */
    berth_pod_id pod;
    berth_str namespace_name;
    berth_str name;
    berth_object *object;
    berth_node_id was_on; /* the node that it runs on; BERTH_NODE_NONE: it is pending */
    uint64_t ahead;       /* pending pods that a scheduler takes before it */
    uint32_t node_count;
    berth_placement placement;
    berth_explanation *why;
    ranked_node *ranked; /* the chosen node first, then by total */
    uint32_t feasible_count;
    shortfalls lacks;
    remedies remedies;
    char *cause; /* a cause that kube-scheduler's message leaves open; NULL: none */
} explained;

/* Decide about a pod, after taking it off its node if it is on one, and collect everything about
 * the decision. With `seek`, also look for remedies if the pod fits nowhere. `state` is NULL, or
 * the snapshot of the branch that `engine` is and on which nothing was changed. The engine keeps
 * objects. Errors: those of the engine; BERTH_E_NOT_FOUND: no profile serves the pod. Owner: the
 * caller frees `*out`, even after a failure. */
berth_status explained_make(explained *out, berth_engine *engine, berth_snapshot *state,
                            berth_pod_id pod, bool seek, berth_error *error);
void explained_free(explained *e);

/* The index of a node among the feasible nodes of the explanation, or UINT32_MAX. */
uint32_t explained_feasible(const explained *e, berth_node_id node);

/* How many nodes the pod's required node affinity allows by name, as the DaemonSet controller
 * writes it; all nodes if it names none. */
uint32_t explained_named_nodes(const explained *e);

/* Call `tell` with the devices that the pod would get on its node; not called if the pod has no
 * node or needs no devices. Errors: those of putting the pod there. */
typedef void (*explained_devices_fn)(const taken_devices *devices, berth_str node, void *context);
berth_status explained_devices(explained *e, explained_devices_fn tell, void *context,
                               berth_error *error);

/* Why a visited node was refused, or NULL. */
const refused_node *explained_refused(const explained *e, berth_node_id node);

/* How an explanation is shown. */
typedef struct explained_view {
    uint32_t nodes;     /* largest number of nodes in each list */
    berth_node_id node; /* show only this node; BERTH_NODE_NONE: all */
    berth_str note;     /* why no scheduler takes the pod; absent: one does */
    bool refused;       /* with a note: an API server would not create it */
    uint64_t enough;    /* smallest number of feasible nodes that ends a search early */
    bool wide;          /* show every score of every listed node */
} explained_view;

/* Show an explanation, as text or as a value of a document. Errors: those of asking about a node
 * that was not visited. */
berth_status explained_print(explained *e, const explained_view *view, FILE *file,
                             berth_error *error);
berth_status explained_write(explained *e, const explained_view *view, output *o,
                             berth_error *error);

#endif
