/* Nested transactions on a decider and its cluster.
 *
 * While a transaction is open, the cluster's undo log records. A mark stores the log's position and
 * the decider's other state (rotation, random numbers, picks among equals). A rollback undoes the
 * log to the mark. A commit drops the mark; committing the outermost transaction makes everything
 * permanent.
 *
 * State that is kept by class or by epoch (prepared states, search trees, counters) needs no undo,
 * because it follows the cluster in either direction. Populations of held terms stay while a
 * transaction is open, because the pods that hold them may return.
 *
 * Threads: the decider's. */
#ifndef BERTH_DECIDE_TRANSACTION_H
#define BERTH_DECIDE_TRANSACTION_H

#include "decide/decide.h"

typedef struct berth__mark {
    uint32_t log_top;
    uint32_t rotation;
    uint32_t round_robin;
    uint64_t cycle;              /* of the images, model/images.h */
    uint64_t names_epoch;        /* of the model */
    uint64_t reservation_serial; /* of the volume store; UINT64_MAX: a branch without one */
    berth__random random;
} berth__mark;

typedef struct berth__transactions {
    berth__decider *decider;
    berth__mark *marks; /* of open transactions, the innermost last */
    uint32_t depth;
    uint32_t capacity;
    bool held; /* berth__pod_counts_hold before the first transaction */
} berth__transactions;

void berth__transactions_init(berth__transactions *transactions, berth__decider *decider);
/* Free the marks without a commit or rollback, because the cluster is destroyed next. */
void berth__transactions_destroy(berth__transactions *transactions);

/* Errors: BERTH_E_NOMEM; nothing has changed then. */
berth_status berth__transaction_begin(berth__transactions *transactions);

/* End the innermost transaction; there must be one. */
void berth__transaction_commit(berth__transactions *transactions);
void berth__transaction_rollback(berth__transactions *transactions);

#endif
