/* One pod's decision in full: every node's verdict, every score, preemption, and what would
 * help. */
#ifndef BERTH_TOOLS_EXPLAINED_H
#define BERTH_TOOLS_EXPLAINED_H

#include <stdio.h>

#include "cli/output.h"
#include "explain/remedies.h"
#include "explain/taken_devices.h"

/* A feasible node. */
typedef struct ranked_node {
    uint32_t i;    /* its number in the explanation */
    uint32_t rank; /* nodes with a higher total, plus one */
} ranked_node;

typedef struct explained {
    berth_engine *engine;
    berth_pod_id pod;
    berth_str namespace_name;
    berth_str name;
    berth_object *object;
    berth_node_id was_on; /* the node that it runs on; BERTH_NODE_NONE: it is pending */
    uint64_t ahead;       /* pending pods that a scheduler takes before it */
    uint32_t node_count;
    berth_placement placement;
    berth_explanation *why;
    ranked_node *ranked; /* the one taken first, then by total */
    uint32_t feasible_count;
    shortfalls lacks;
    remedies remedies;
    char *cause; /* what kube-scheduler's message leaves open; NULL: nothing */
} explained;

/* Decide about a pod, taken off its node first if it is on one, and gather all there is to say.
 * `seek` also looks for what would help, should it fit nowhere. The engine keeps objects. Errors:
 * those of the engine; E_NOT_FOUND names a pod that no profile serves. Owner: `*out` is the
 * caller's, also after a failure. */
berth_status explained_make(explained *out, berth_engine *engine, berth_pod_id pod, bool seek,
                            berth_error *error);
void explained_free(explained *e);

/* The number of a node among the feasible ones of `why`, or UINT32_MAX. */
uint32_t explained_feasible(const explained *e, berth_node_id node);

/* How many nodes the pod's required node affinity allows by their names, as the DaemonSet
 * controller writes it; all nodes if it names none. */
uint32_t explained_named_nodes(const explained *e);

/* Tell of the devices that the pod would be given on the node that it goes to; of one that goes
 * nowhere or needs none nothing is told. Errors: those of putting it there. */
typedef void (*explained_devices_fn)(const taken_devices *devices, berth_str node, void *context);
berth_status explained_devices(explained *e, explained_devices_fn tell, void *context,
                               berth_error *error);

/* What refused a node that was looked at, or NULL. */
const refused_node *explained_refused(const explained *e, berth_node_id node);

/* How it is shown. */
typedef struct explained_view {
    uint32_t nodes;     /* of each list, at most */
    berth_node_id node; /* tell of this one alone; BERTH_NODE_NONE: of all */
    berth_str note;     /* why no scheduler takes the pod up; absent: one does */
    bool refused;       /* with a note: an API server would not create it */
    uint64_t enough;    /* feasible nodes that end a search early, at the least */
    bool wide;          /* every score of every node that is listed */
} explained_view;

/* Write it, as text or as a value of a document. Errors: those of asking about a node that was not
 * looked at. */
berth_status explained_print(explained *e, const explained_view *view, FILE *file,
                             berth_error *error);
berth_status explained_write(explained *e, const explained_view *view, output *o,
                             berth_error *error);

#endif
