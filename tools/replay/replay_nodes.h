/* Handles nodes in a replay; called by replay.c. */
#ifndef BERTH_TOOLS_REPLAY_NODES_H
#define BERTH_TOOLS_REPLAY_NODES_H

#include "replay/replay.h"

berth_status replay_node_add(replay *r, const trace_event *event, const berth_error *origin,
                             berth_error *error);
berth_status replay_node_update(replay *r, const trace_event *event, const berth_error *origin,
                                berth_error *error);
/* Apply TRACE_REMOVE, TRACE_FAIL and TRACE_RETURN. */
berth_status replay_node_change(replay *r, const trace_event *event, const berth_error *origin,
                                berth_error *error);

/* Let a node fail at random; let a failed node return. */
berth_status replay_node_fail_by_chance(replay *r, berth_node_id node, berth_error *error);
berth_status replay_node_return(replay *r, berth_node_id node, berth_error *error);

#endif
