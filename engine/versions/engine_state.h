/* The parts of an engine, for the files that implement its public functions. */
#ifndef BERTH_VERSIONS_ENGINE_STATE_H
#define BERTH_VERSIONS_ENGINE_STATE_H

#include "base/heap.h"
#include "base/memory_limit.h"
#include "decide/decide.h"
#include "decide/transaction.h"

struct berth_engine {
    berth__heap *heap;                     /* NULL: the caller's allocator is used */
    berth__heap *homes[BERTH__GROUPS_MAX]; /* one for each of several groups of workers */
    berth_allocator memory; /* of an engine: a copy of the heap's or the caller's table */
    /* `memory`, or `limited`, which takes from it; on a branch, that of its engine */
    const berth_allocator *allocator;
    berth__memory_limit limit; /* 0 bytes: none */
    berth__limited limited, limited_homes[BERTH__GROUPS_MAX];
    berth__machine *machine;
    berth__workers *workers;
    berth__cluster cluster;
    berth__decider decider;
    berth__transactions transactions;
    berth__arena arena; /* profiles */
    berth__ready_profile *profiles;
    uint32_t profile_count;
    berth__extenders extenders;
    berth__history history;           /* snapshots of the cluster */
    struct berth__branches *branches; /* versions/branch.h; NULL: none yet, or a branch itself */
    struct berth__branch *branch;     /* NULL: this is not a branch */
};

/* Reject NULL in place of an engine, a snapshot, or an output. Returns BERTH_E_ARG. */
static inline berth_status berth__no_engine(berth_error *error)
{
    return berth__error_set(error, BERTH_E_ARG, "the engine is NULL");
}

static inline berth_status berth__no_snapshot(berth_error *error)
{
    return berth__error_set(error, BERTH_E_ARG, "the snapshot is NULL");
}

static inline berth_status berth__need(const void *output, const char *name, berth_error *error)
{
    return BERTH_LIKELY(output != NULL)
               ? BERTH_OK
               : berth__error_set(error, BERTH_E_ARG, "`%s` is NULL", name);
}

/* Begin a call that decides or changes something. Errors: BERTH_E_ARG (NULL), BERTH_E_STATE (the
 * engine is in use, or closed). */
static inline berth_status berth__engine_enter(berth_engine *engine, berth_error *error)
{
    return BERTH_LIKELY(engine != NULL) ? berth__use_enter(&engine->decider.use, error)
                                        : berth__no_engine(error);
}

/* End the call. Returns `status`. */
static inline berth_status berth__engine_leave(berth_engine *engine, berth_status status)
{
    return berth__use_leave(&engine->decider.use, status);
}

/* Prepare the engine's history, before any publication. */
void berth__published_init(berth_engine *engine);

#endif
