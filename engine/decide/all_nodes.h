/* One pending pod and all nodes: those that fit, however few of them a decision would look at. */
#ifndef BERTH_DECIDE_ALL_NODES_H
#define BERTH_DECIDE_ALL_NODES_H

#include "decide/decide.h"

/* List the nodes that a pending pod fits in layout order, from the first on, nominated pods
 * included; totals are those of a decision that looks at all nodes. By index where that has the
 * answer, else by a scan of all nodes. Errors: those of berth__decide; E_INVALID (totals are asked
 * for, and a score plugin fails on this pod). */
berth_status berth__decider_list(berth__decider *decider, uint32_t pod, berth__node_list *out,
                                 berth_error *error);

#endif
