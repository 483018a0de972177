/* Phases of plugins that v1.15's predicates of the same rule reuse (legacy/). plugin.h describes
 * their parameters and results. */
#ifndef BERTH_PLUGINS_PHASES_H
#define BERTH_PLUGINS_PHASES_H

#include "plugins/plugin.h"

berth__outcome berth__node_name_prepare(berth__prepare *prepare);
void berth__node_name_filter(const berth__question *cycle, const void *instance, const void *state,
                             uint32_t tile, berth__mask *mask);

berth__outcome berth__node_ports_prepare(berth__prepare *prepare);
void berth__node_ports_filter(const berth__question *cycle, const void *instance, const void *state,
                              uint32_t tile, berth__mask *mask);
bool berth__node_ports_filter_slot(const berth__question *cycle, const void *instance,
                                   const void *state, uint32_t slot);
BERTH__EXPLAIN_ALWAYS(berth__node_ports_explain, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) didn't have free ports for the requested pod ports")
bool berth__node_ports_wakes(berth__wake *wake, const berth__waiter *waiter, const void *instance);

berth__outcome berth__node_unschedulable_prepare(berth__prepare *prepare);
void berth__node_unschedulable_filter(const berth__question *cycle, const void *instance,
                                      const void *state, uint32_t tile, berth__mask *mask);
BERTH__EXPLAIN_ALWAYS(berth__node_unschedulable_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) were unschedulable")
bool berth__node_unschedulable_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *instance);

#endif
