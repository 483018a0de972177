/* What an engine is made of, for the files that make up its public functions. */
#ifndef BERTH_VERSIONS_ENGINE_STATE_H
#define BERTH_VERSIONS_ENGINE_STATE_H

#include "base/heap.h"
#include "decide/decide.h"
#include "decide/transaction.h"

struct berth_engine {
    berth__heap *heap;                     /* NULL: the allocator is the caller's */
    berth__heap *homes[BERTH__GROUPS_MAX]; /* near each group of workers, where there are several */
    berth_allocator memory;           /* an engine's: a copy of the heap's table, or the caller's */
    const berth_allocator *allocator; /* `memory`; of a branch: its engine's */
    berth__machine *machine;
    berth__workers *workers;
    berth__cluster cluster;
    berth__decider decider;
    berth__transactions transactions;
    berth__arena arena; /* profiles */
    berth__ready_profile *profiles;
    uint32_t profile_count;
    berth__history history;           /* snapshots of the cluster */
    struct berth__branches *branches; /* versions/branch.h; NULL: it never had one, or is one */
    struct berth__branch *branch;     /* of a branch; NULL: it is none */
};

/* Around whatever decides or changes something. Errors: E_ARG (NULL), E_STATE (it is in use, or
 * closed). */
static inline berth_status berth__engine_enter(berth_engine *engine, berth_error *error)
{
    return BERTH_LIKELY(engine != NULL)
               ? berth__use_enter(&engine->decider.use, error)
               : berth__error_set(error, BERTH_E_ARG, "the engine is NULL");
}

/* Returns the status that it is given. */
static inline berth_status berth__engine_leave(berth_engine *engine, berth_status status)
{
    return berth__use_leave(&engine->decider.use, status);
}

/* The engine's history, before anything is published. */
void berth__published_init(berth_engine *engine);

#endif
