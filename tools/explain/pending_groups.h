/* The pending pods of an input, placed in the order in which a scheduler takes them. Pods that find
 * no node are grouped by the reasons; pods that no scheduler takes up, by why not. */
#ifndef BERTH_TOOLS_PENDING_GROUPS_H
#define BERTH_TOOLS_PENDING_GROUPS_H

#include "explain/reason_sets.h"
#include "loading/cluster_input.h"

/* Pods with the same answer. */
typedef struct pending_group {
    uint64_t pods;
    uint64_t preempting;  /* of these, pods for which preemption would make room */
    berth_pod_id example; /* the first */
    char *message;        /* kube-scheduler's, of the example */
    bool refused;         /* passed over as an API server would not create them */
} pending_group;

/* Zeroed but for the first two members: nothing was placed yet. */
typedef struct pending_groups {
    berth_engine *engine;
    cluster_input *input;
    uint64_t pending;
    uint64_t placed;
    uint64_t unplaced, passed_over, refused;
    reason_sets sets;
    pending_group *groups; /* by number of the set */
    size_t group_capacity;
    pending_group *skips; /* by number of the reason in the input's skip_reasons */
} pending_groups;

/* Place all pending pods; those of `chosen`, ascending (NULL: all), are counted. Errors: the
 * engine's. Owner: `*out` is the caller's, also after a failure. */
berth_status pending_groups_place(pending_groups *out, const berth_pod_id *chosen,
                                  uint32_t chosen_count, berth_error *error);
void pending_groups_free(pending_groups *g);

/* The members of a document that tell all of it. `command` is called to write the command that
 * explains a group's example; NULL: none is written. */
typedef void (*pending_command_fn)(void *context, berth_pod_id pod, output *o);
void pending_groups_write(const pending_groups *g, pending_command_fn command, void *context,
                          output *o);

/* As text. `command` prints the command that explains a group's example, in a line of its own
 * whose first `at` columns are taken. */
typedef void (*pending_hint_fn)(void *context, berth_pod_id pod, uint32_t at, FILE *file);
void pending_groups_print(const pending_groups *g, size_t most, pending_hint_fn hint, void *context,
                          FILE *file);

#endif
