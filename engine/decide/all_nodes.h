/* Lists all nodes that a pending pod fits, even if a decision would visit fewer of them. */
#ifndef BERTH_DECIDE_ALL_NODES_H
#define BERTH_DECIDE_ALL_NODES_H

#include "decide/decide.h"

/* List the nodes that a pending pod fits, in layout order, nominated pods included. Totals are
 * those of a decision that visits all nodes. Uses the index if that has the answer, otherwise a
 * scan of all nodes. Errors: those of berth__decide; BERTH_E_INVALID (totals are requested, and a
 * score plugin fails for this pod). */
berth_status berth__decider_list(berth__decider *decider, uint32_t pod, berth__node_list *out,
                                 berth_error *error);

#endif
