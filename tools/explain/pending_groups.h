/* Places the pending pods of an input in a scheduler's order. Pods that fit nowhere are grouped by
 * their reasons; pods that no scheduler takes, by why not. */
#ifndef BERTH_TOOLS_PENDING_GROUPS_H
#define BERTH_TOOLS_PENDING_GROUPS_H

#include "explain/reason_sets.h"
#include "loading/cluster_input.h"

/* Pods with the same answer. */
typedef struct pending_group {
    uint64_t pods;
    uint64_t preempting;  /* number of pods for which preemption would make room */
    berth_pod_id example; /* the first */
    char *message;        /* kube-scheduler's message for the example */
    bool refused;         /* skipped, because an API server would not create them */
} pending_group;

/* A pod that finds a node. */
typedef struct pending_found {
    berth_pod_id pod;
    berth_node_id node;
} pending_found;

/* Set the first two members; the rest starts zeroed. */
typedef struct pending_groups {
    berth_engine *engine;
    cluster_input *input;
    uint64_t pending;
    uint64_t placed;
    uint64_t unplaced, passed_over, refused;
    reason_sets sets;
    pending_found *found; /* `placed` pods, in the order of the queue */
    size_t found_capacity;
    pending_group *groups; /* by number of the reason set */
    size_t group_capacity;
    pending_group *skips; /* by number of the reason in the input's skip_reasons */
} pending_groups;

/* Place all pending pods. Only those of `chosen` (ascending; NULL: all) are counted. Errors: the
 * engine's. Owner: the caller frees `*out`, even after a failure. */
berth_status pending_groups_place(pending_groups *out, const berth_pod_id *chosen,
                                  uint32_t chosen_count, berth_error *error);
void pending_groups_free(pending_groups *g);

/* Write the results as members of a document. `command` writes the command that explains a group's
 * example; NULL: none. */
typedef void (*pending_command_fn)(void *context, berth_pod_id pod, output *o);
void pending_groups_write(const pending_groups *g, pending_command_fn command, void *context,
                          output *o);

/* Write the pods that find a node as an array of {namespace, name, node}. */
void pending_groups_write_found(const pending_groups *g, output *o);

/* Print the results as text, at most `most` groups and, with a hint, at most `most` pods that find
 * a node. `hint` prints the command that explains a group's example, on a line of its own whose
 * first `at` columns are used. */
typedef void (*pending_hint_fn)(void *context, berth_pod_id pod, uint32_t at, FILE *file);
void pending_groups_print(const pending_groups *g, size_t most, pending_hint_fn hint, void *context,
                          FILE *file);

#endif
