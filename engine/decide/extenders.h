/* Extenders (berth/extender.h) in a decision: which of them concern a pod, and what they answer. */
#ifndef BERTH_DECIDE_EXTENDERS_H
#define BERTH_DECIDE_EXTENDERS_H

#include "berth/extender.h"
#include "cluster/cluster.h"
#include "decide/extender_memo.h"
#include "explain/explanation.h"

/* The extenders of an engine, ignorable ones last. */
typedef struct berth__extenders {
    const berth_extender *items;
    uint32_t count;
    bool rank; /* some extender filters or prioritizes: nodes are compared even without scorers */
} berth__extenders;

/* Copy the tables, of any struct size, into `arena` and validate them. Errors: BERTH_E_ARG,
 * BERTH_E_NOMEM; error->field names the table. */
berth_status berth__extenders_read(berth__arena *arena, const berth_extender *const *tables,
                                   uint32_t count, berth__extenders *out, berth_error *error);

/* Whether some extender that filters or prioritizes, or one that takes part in preemption, concerns
 * the pods of a class. */
bool berth__extenders_concern(const berth__extenders *extenders, const berth__model *model,
                              const berth__class *cls);
bool berth__extenders_preempt(const berth__extenders *extenders, const berth__model *model,
                              const berth__class *cls);

/* One decision that extenders take part in, and what they have changed so far. Memory comes from
 * `arena`, and lives as long as the decision. */
typedef struct berth__extended {
    const berth__extenders *extenders;
    const berth__cluster *cluster;
    berth__search *search; /* after the walk */
    berth__extender_memo *memo;
    berth__arena *arena;
    berth_explanation *explanation; /* NULL: not requested */
    berth_pod_id pod;
    berth_str failure; /* why the attempt failed; absent: it did not */
    uint32_t *refused; /* slots whose refusal preemption may change */
    uint32_t refused_count;
    bool lost_nodes;  /* some node was refused or left out */
    uint64_t *scored; /* by slot: nodes that some extender has scored; NULL: none */
    /* The node for which the pod is nominated, if it was tried first and refused with a reason. */
    struct {
        uint32_t slot; /* BERTH__SLOT_NONE: it was not */
        berth_extender_verdict verdict;
        berth_str extender, reason;
    } alone;
} berth__extended;

/* Ask about the nodes that the search found, and keep only those in the search and in the
 * explanation that the extenders keep. */
berth_status berth__extended_filter(berth__extended *extended);

/* After a second walk, over all nodes: restore the extenders' refusal of the node that was tried
 * alone. The filter follows. */
berth_status berth__extended_keep_alone(berth__extended *extended);

/* After berth__search_score: add the extenders' scores to the totals, and find the best again. The
 * explanation gets a scorer for each extender; call this after berth__explanation_scores, whose
 * totals it updates. */
berth_status berth__extended_prioritize(berth__extended *extended);

/* Ask about the nodes on which preemption found victims. `*candidates` and `*count` receive those
 * that are left, in the extenders' memory. */
berth_status berth__extended_preempt(berth__extended *extended,
                                     const berth_extender_victims **candidates, uint32_t *count);

#endif
