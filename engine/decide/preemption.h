/* DefaultPreemption: which pods of lower priority would have to go so that a refused pod fits.
 *
 * Every node whose refusal other pods' leaving might turn around is dry-run (dry_run.h): its pods
 * of lower priority leave, the filters are asked, and pods come back one by one, most important
 * first, as long as the pod still fits. Those that do not come back are the victims; the node
 * whose victims weigh least is nominated. Beyond a hundred such nodes only some are tried, from a
 * random one on.
 * Source: kube-scheduler v1.32, framework/preemption/preemption.go, plugins/defaultpreemption;
 * v1.15.3, core/generic_scheduler.go. */
#ifndef BERTH_DECIDE_PREEMPTION_H
#define BERTH_DECIDE_PREEMPTION_H

#include "decide/decide.h"

typedef enum berth__preemption_outcome {
    /* Not enabled, or the attempt did not come that far, or another plugin failed before. */
    BERTH__PREEMPTION_OFF,
    BERTH__PREEMPTION_INELIGIBLE, /* the pod may not preempt, or its victims are still leaving */
    /* No node would take the pod, or nobody looks for one: a nomination it has is void. */
    BERTH__PREEMPTION_HOPELESS,
    BERTH__PREEMPTION_FAILED, /* dry runs ended with errors, and none well: nominations stay */
    BERTH__PREEMPTION_NOMINATED,
} berth__preemption_outcome;

typedef struct berth__preemption {
    berth__preemption_outcome outcome;
    uint32_t node;           /* nominated node's id, or BERTH_NODE_NONE */
    const uint32_t *victims; /* pod indexes, most important first; valid until the next call */
    uint32_t victim_count;
} berth__preemption;

/* What the decider's last attempt, which came to BERTH_VERDICT_UNSCHEDULABLE, makes of preemption.
 * Nothing has changed since that attempt, and nothing changes here. The explanation (optional),
 * filled by that attempt, is completed: its message, nominated node and victims. Errors: E_NOMEM.
 * Cost: the potential nodes, those that are tried times the pods of lower priority there. */
berth_status berth__preempt(berth__decider *decider, berth_explanation *explanation,
                            berth__preemption *out);

#endif
