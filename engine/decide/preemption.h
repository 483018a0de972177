/* DefaultPreemption: which pods of lower priority to evict so that a refused pod fits.
 *
 * Every node whose refusal evictions might change is dry-run (dry_run.h): its pods of lower
 * priority are taken off, the filters run, and pods are put back one by one, most important first,
 * as long as the pod still fits. The pods that are not put back are the victims. The node whose
 * victims cost least is nominated. If there are more than a hundred potential nodes, only some are
 * tried, beginning with a random one.
 * Source: kube-scheduler v1.32, framework/preemption/preemption.go, plugins/defaultpreemption;
 * v1.15.3, core/generic_scheduler.go. */
#ifndef BERTH_DECIDE_PREEMPTION_H
#define BERTH_DECIDE_PREEMPTION_H

#include "decide/decide.h"

typedef enum berth__preemption_outcome {
    /* Not enabled, or the attempt did not reach this point, or another plugin failed before. */
    BERTH__PREEMPTION_OFF,
    BERTH__PREEMPTION_INELIGIBLE, /* the pod may not preempt, or its victims are still leaving */
    /* No node would take the pod, or no plugin preempts: the pod's nomination ends. */
    BERTH__PREEMPTION_HOPELESS,
    BERTH__PREEMPTION_FAILED, /* dry runs failed and none succeeded: nominations stay */
    BERTH__PREEMPTION_NOMINATED,
} berth__preemption_outcome;

typedef struct berth__preemption {
    berth__preemption_outcome outcome;
    uint32_t node;           /* the nominated node's id, or BERTH_NODE_NONE */
    const uint32_t *victims; /* pod indexes, most important first; valid until the next call */
    uint32_t victim_count;
} berth__preemption;

/* Whether DynamicResources must run at postFilter although it did not run at preFilter, because
 * another plugin before it refused the pod permanently. The attempt must have reached the
 * filters. */
bool berth__attempt_misses_claims(const berth__attempt *attempt);

/* Preempt for the decider's last attempt, which must have ended with BERTH_VERDICT_UNSCHEDULABLE,
 * with no change since. Changes nothing. The explanation (optional), filled by that attempt, is
 * completed with the message, the nominated node and the victims. Errors: BERTH_E_NOMEM. Cost: the
 * potential nodes; for nodes that are tried, also their pods of lower priority. */
berth_status berth__preempt(berth__decider *decider, berth_explanation *explanation,
                            berth__preemption *out);

#endif
