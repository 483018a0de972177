/* Remedies that change nodes, or add one. */
#ifndef BERTH_TOOLS_NODE_REMEDIES_H
#define BERTH_TOOLS_NODE_REMEDIES_H

#include "explain/remedies.h"

/* Labels on a node; the end of a cordon. */
berth_status node_remedies_change(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error);

/* One more node like one that is there, with what its DaemonSets run; where no such node helps, one
 * made for the pod. */
berth_status node_remedies_add(const remedy_search *s, trial *t, remedies *out, berth_error *error);

#endif
