/* Groups of pods in berth schedule: the pending pods of a PodGroup, or of all PodGroups below a
 * composite one, are placed as a whole, at the turn of the first of them. */
#ifndef BERTH_TOOLS_SCHEDULE_GROUPS_H
#define BERTH_TOOLS_SCHEDULE_GROUPS_H

#include "commands/schedule.h"

/* A pending pod of a group; the list is sorted by namespace, kind, group and turn. */
typedef struct grouped_outcome {
    berth_str namespace_name, group; /* the engine's: the composite group, or the PodGroup */
    bool composite;
    uint64_t at; /* index of the outcome */
} grouped_outcome;

typedef struct schedule_groups {
    grouped_outcome *items;
    uint64_t count;
    bool *decided; /* by outcome: with its group, before its own turn */
} schedule_groups;

/* Find the groups among the outcomes, whose pods are set. Errors: those of
 * berth_engine_pod_info. */
berth_status schedule_groups_find(schedule_groups *groups, const schedule *s, berth_error *error);
void schedule_groups_free(schedule_groups *groups);

/* Place the group of an outcome. `*alone` is set if the pod has none. Errors: those of
 * berth_engine_schedule_pod_group. */
berth_status schedule_groups_place(schedule_groups *groups, schedule *s, uint64_t at, bool *alone,
                                   berth_error *error);

#endif
