/* The filters that rejected a pod, which it has to wait for. */
#ifndef BERTH_QUEUE_REJECTORS_H
#define BERTH_QUEUE_REJECTORS_H

#include "decide/decide.h"
#include "queue/queue_item.h"

/* The filters that were the first to refuse some node in the decider's last attempt, or that
 * refused the pod before any node was visited. The attempt ended with BERTH_VERDICT_UNSCHEDULABLE,
 * and nothing has changed since. If a node would take the pod but is kept for nominated pods, every
 * filter that depends on other pods counts. Cost: visits every node.
 * Source: kube-scheduler v1.32, framework.Diagnosis.UnschedulablePlugins. */
berth__stage_set berth__rejectors(const berth__decider *decider);

#endif
