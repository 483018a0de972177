/* Transactions: nested, on a decider and its cluster.
 *
 * While one is open the cluster's undo log records; a mark tells where it stood, and what the
 * decider had besides (rotation, random numbers, picks among equals). Rolling back undoes the
 * log to the mark; committing drops the mark, and with the last one keeps everything for good.
 *
 * What is kept by class or by epoch (prepared states, search trees, counters) is left alone: it
 * follows the cluster, back as forth. Populations of held terms stay while a transaction is
 * open, as the pods that hold them may come back.
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
    uint64_t reservation_serial; /* of the store of volumes; UINT64_MAX: a branch without one */
    berth__random random;
} berth__mark;

typedef struct berth__transactions {
    berth__decider *decider;
    berth__mark *marks; /* of open ones, the innermost last */
    uint32_t depth;
    uint32_t capacity;
    bool held; /* berth__pod_counts_hold before the first */
} berth__transactions;

void berth__transactions_init(berth__transactions *transactions, berth__decider *decider);
/* What is open is neither committed nor rolled back: the cluster goes next. */
void berth__transactions_destroy(berth__transactions *transactions);

/* Errors: E_NOMEM; nothing has changed then. */
berth_status berth__transaction_begin(berth__transactions *transactions);

/* End the innermost one; there is one. */
void berth__transaction_commit(berth__transactions *transactions);
void berth__transaction_rollback(berth__transactions *transactions);

#endif
