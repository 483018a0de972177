/* The extenders' answers in one attempt. An attempt may be decided twice, the second time to get
 * its message, and preemption is tried twice then. Extenders are nevertheless asked only once.
 *
 * A decision that is no repetition forgets the answers of the one before. A repetition asks the
 * same questions in the same order, so the answers to each kind of question are repeated in order.
 * A question that was not asked before is passed to the extender. */
#ifndef BERTH_DECIDE_EXTENDER_MEMO_H
#define BERTH_DECIDE_EXTENDER_MEMO_H

#include "base/arena.h"
#include "berth/extender.h"

typedef enum berth__extender_question {
    BERTH__EXTENDER_FILTER = 0,
    BERTH__EXTENDER_PRIORITIZE,
    BERTH__EXTENDER_PREEMPT,
    BERTH__EXTENDER_QUESTIONS
} berth__extender_question;

typedef struct berth__extender_memo {
    berth__arena arena; /* holds the answers */
    struct berth__extender_answer *first[BERTH__EXTENDER_QUESTIONS];
    struct berth__extender_answer **next[BERTH__EXTENDER_QUESTIONS]; /* answers to be repeated */
} berth__extender_memo;

void berth__extender_memo_init(berth__extender_memo *memo, const berth_allocator *allocator);
void berth__extender_memo_destroy(berth__extender_memo *memo);

/* Begin an attempt, or its repetition. Begin preemption's questions, which may come twice. */
void berth__extender_memo_forget(berth__extender_memo *memo);
void berth__extender_memo_rewind(berth__extender_memo *memo);
void berth__extender_memo_rewind_preemption(berth__extender_memo *memo);

/* Ask an extender, or repeat its answer: see berth/extender.h for the arguments. Texts and lists
 * that are returned live until the attempt is forgotten. Errors: those of the extender,
 * BERTH_E_NOMEM. */
berth_status berth__extender_memo_filter(berth__extender_memo *memo, const berth_extender *extender,
                                         berth_pod_id pod, const berth_node_id *nodes,
                                         uint32_t count, berth_extender_verdict *verdicts,
                                         berth_str *reasons, berth_error *error);
berth_status berth__extender_memo_prioritize(berth__extender_memo *memo,
                                             const berth_extender *extender, berth_pod_id pod,
                                             const berth_node_id *nodes, uint32_t count,
                                             int64_t *scores, berth_error *error);
berth_status berth__extender_memo_preempt(berth__extender_memo *memo,
                                          const berth_extender *extender, berth_pod_id pod,
                                          const berth_extender_victims *candidates, uint32_t count,
                                          const berth_extender_victims **kept, uint32_t *kept_count,
                                          berth_error *error);

#endif
