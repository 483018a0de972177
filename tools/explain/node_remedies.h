/* Remedies that change nodes, or add one. */
#ifndef BERTH_TOOLS_NODE_REMEDIES_H
#define BERTH_TOOLS_NODE_REMEDIES_H

#include "explain/remedies.h"

/* Try labels on a node, and uncordoning one. */
berth_status node_remedies_change(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error);

/* Try one more node like an existing one, with its DaemonSets' pods; if none helps, a node made for
 * the pod. */
berth_status node_remedies_add(const remedy_search *s, trial *t, remedies *out, berth_error *error);

#endif
