/* Which filters stood in a pod's way: those whose change of mind it has to wait for. */
#ifndef BERTH_QUEUE_REJECTORS_H
#define BERTH_QUEUE_REJECTORS_H

#include "decide/decide.h"
#include "queue/queue_item.h"

/* The filters that refused some node first, or the pod before any node was visited, in the
 * decider's last attempt, which came to BERTH_VERDICT_UNSCHEDULABLE; nothing has changed since. Of
 * nodes that would take the pod but are kept for nominated pods, every filter that other
 * pods bear on. Cost: a look at every node.
 * Source: kube-scheduler v1.32, framework.Diagnosis.UnschedulablePlugins. */
berth__stage_set berth__rejectors(const berth__decider *decider);

#endif
