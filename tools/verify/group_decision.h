/* Decisions about PodGroups in vectors: a group is decided as a whole, compared, and then put where
 * the vector put it. Source: tests/vectors/README.md, "Groups". */
#ifndef BERTH_TOOLS_GROUP_DECISION_H
#define BERTH_TOOLS_GROUP_DECISION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"

/* The members of a decision about a group; NULL: it is about a single pod. */
const json_t *group_decision_members(const json_t *decision);

/* Schedule the pods of a group. `*expected` and `*found` receive what to compare; the caller
 * releases them. Errors: those of berth_engine_schedule_pod_group. */
berth_status group_decision_take(berth_engine *engine, const json_t *decision,
                                 const berth_pod_id *pods, json_t **expected, json_t **found,
                                 berth_error *error);

/* Bind the members, nominate them or end their nominations as the vector did. Errors: those of the
 * engine; BERTH_E_NOT_FOUND: a node does not exist. */
berth_status group_decision_follow(berth_engine *engine, const json_t *decision,
                                   const berth_pod_id *pods, berth_error *error);

#endif
