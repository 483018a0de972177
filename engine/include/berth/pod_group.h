/* Groups of pods as Kubernetes defines them: PodGroups (scheduling.k8s.io/v1beta1), which kube-
 * scheduler 1.37 follows under the feature gate GenericWorkload. Pods name their group in
 * spec.schedulingGroup. A group is placed when at least the minCount of its gang fit (1 pod, if its
 * policy is basic), and otherwise none of its pods is placed. A group that does not fit may preempt
 * as a whole, and pods of a group whose disruption mode is All are evicted together.
 *
 * An engine follows groups if it was made with feature_gates "GenericWorkload=true". Then PodGroups
 * are added, updated and removed as other objects are.
 *
 *     berth_pod_group_outcome outcome = {.size = sizeof(outcome), .nodes = nodes};
 *     berth_engine_schedule_pod_group(engine, pods, count, &outcome, &error);
 *     if (outcome.verdict == BERTH_VERDICT_PLACED)
 *         ... pod i is on node nodes[i], or pending if that is BERTH_NODE_NONE
 *
 * With "TopologyAwareWorkloadScheduling=true" in addition, the pods of a group whose
 * schedulingConstraints name a topology (for example the label of a rack) are all placed on nodes
 * with the same value of that label: every value is tried, and the one with the best score is
 * chosen, among equals the first by name. That costs an attempt for each value, and one more.
 *
 * With "CompositePodGroup=true" in addition, groups that name a CompositePodGroup
 * (scheduling.k8s.io/v1alpha3) as their parent are placed together, at least minGroupCount of them
 * or none. Composite groups may be parts of others, in up to four levels.
 *
 * To place any set of pods regardless of groups, use berth_engine_schedule_pods (transaction.h).
 *
 * Threads: the engine's. */
#ifndef BERTH_POD_GROUP_H
#define BERTH_POD_GROUP_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome for one PodGroup of a CompositePodGroup, or for the only one. Texts are valid during
 * the call. */
typedef struct berth_pod_group_result {
    berth_str namespace_name, name;
    berth_str message;     /* kube-scheduler's, if it was not placed */
    berth_verdict verdict; /* UNSCHEDULABLE is possible although the composite group was placed */
    uint32_t placed;       /* pods that were placed */
    uint32_t already;      /* pods that were on nodes before */
} berth_pod_group_result;

/* The outcome for a group. The caller sets `size` and the arrays to be filled; the others are NULL.
 * Arrays by pod have one entry for each pod passed to the call. */
typedef struct berth_pod_group_outcome {
    uint32_t size;            /* set by the caller: sizeof(berth_pod_group_outcome) */
    uint32_t victim_capacity; /* entries of `victims` */
    berth_node_id *nodes;     /* by pod: its node, or BERTH_NODE_NONE */
    /* By pod: the node for which it must be nominated until the victims have left, or
     * BERTH_NODE_NONE. */
    berth_node_id *nominated;
    bool *ended;               /* by pod: its former nomination, if any, must end now */
    berth_pod_id *victims;     /* the pods to evict, most important first */
    char *message;             /* kube-scheduler's message about a group that was not placed */
    uint32_t message_capacity; /* bytes of `message`, which is cut to fit and ends with a zero */
    /* PLACED: enough pods were placed. UNSCHEDULABLE: none was. ERROR: none was, because the group
     * contradicts itself or a plugin failed. */
    berth_verdict verdict;
    uint32_t placed; /* pods that were placed */
    /* How many pods of the group must be on nodes; of a composite group: how many of the groups
     * right below it must be placed. */
    uint32_t minimum;
    uint32_t already;      /* how many pods were on nodes before */
    bool preempts;         /* the group waits for victims to leave */
    uint32_t victim_count; /* number of victims, including those that `victims` had no room for */
    uint32_t start, next;  /* the rotation index before and after */
    /* May be NULL: called with `context` for each PodGroup at the end of the cycle, in the order in
     * which they were placed. It must not call the engine. */
    void (*of_group)(void *context, const berth_pod_group_result *result);
    void *context;
    /* Set by the caller: while fewer pods of the group are on nodes or passed than its minimum, or
     * fewer groups below it have theirs, nothing is decided, as kube-scheduler's queue keeps such a
     * group back. It is UNSCHEDULABLE then, and `message` says for what it waits. */
    bool waits;
} berth_pod_group_outcome;

/* Run one scheduling cycle for these pending pods of one group, in this order: decide them one
 * after the other, each with the earlier ones placed, and place all that fit if they are enough.
 * Otherwise nothing is placed, and if the profile preempts, victims are sought: all pods of lower
 * priority are removed in a simulation, the group is placed again, and as many victims as possible
 * are spared, the most important ones first. Victims and nominations are only reported: remove the
 * victims (berth_engine_remove), nominate the pods and end nominations (berth_engine_nominate),
 * then call again. The pods of a composite group are those of all PodGroups below it, which are
 * placed one after the other, the oldest first.
 * Errors: BERTH_E_ARG (no pods, a pod twice, NULL, a size), BERTH_E_NOT_FOUND (a pod, its group, a
 * group above that, or a profile for it), BERTH_E_STATE (a pod is on a node; the engine does not
 * follow groups), BERTH_E_INVALID (the pods are of several groups or of none, or below too many),
 * BERTH_E_UNSUPPORTED (the profile has more than 64 filters), BERTH_E_NOMEM. After an error nothing
 * has changed, and `outcome` says ERROR. The arrays are the caller's.
 * Cost: a visit to every pod of the cluster; for each pod of the group, a decision and an undo
 * record. Preemption: sorting all pods of lower priority, and a check of each of the group's pods
 * for each of them.
 * Source: kube-scheduler v1.37, schedule_one_podgroup.go, plugins/gangscheduling,
 * framework/preemption/podgrouppreemption.go. */
BERTH_API berth_status berth_engine_schedule_pod_group(berth_engine *engine,
                                                       const berth_pod_id *pods, uint32_t count,
                                                       berth_pod_group_outcome *outcome,
                                                       berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
