/* Pods that have to go for others: the condition DisruptionTarget, then a deletion that holds for
 * this very pod alone (its uid), both repeated until the server has taken them.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_EVICTIONS_H
#define BERTH_LIVE_EVICTIONS_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

/* Borrowed during the callback. */
typedef struct eviction_outcome {
    const write_pod *victim, *preemptor;
    berth_str node;
    bool deleted; /* by us; else it was gone, or the server will never do it */
    bool failed;  /* the server will never do it: `why` */
    const char *why;
} eviction_outcome;

typedef void (*eviction_settled_fn)(void *context, const eviction_outcome *outcome);

/* Whether what the preemptor is nominated for is written: nobody is deleted before. */
typedef bool (*eviction_ready_fn)(void *context, const write_pod *preemptor);

typedef struct evictions evictions;

/* Owner: `gate` outlives it. `settled` is called once for each that was put and not dropped;
 * `ready` may be NULL. */
evictions *evictions_create(write_gate *gate, bool observed_generation, eviction_ready_fn ready,
                            eviction_settled_fn settled, void *context);
void evictions_destroy(evictions *e);

/* Evict `victim` from `node` for `preemptor`; nothing if that is under way. Owner: copied. */
void evictions_put(evictions *e, const write_pod *victim, const write_pod *preemptor,
                   berth_str node);

/* A pod is gone: neither does it need to go, nor does anybody for it. Cost: linear in what is under
 * way. */
void evictions_pod_gone(evictions *e, berth_str namespace_name, berth_str name, berth_str uid);

/* A pod has a node: nobody needs to go for it any more, but who was asked to go already. Cost: as
 * above. */
void evictions_pod_placed(evictions *e, const write_pod *pod);

/* Begin nothing more: what was not sent is dropped. */
void evictions_end(evictions *e);

size_t evictions_count(const evictions *e);
bool evictions_denied(const evictions *e);

#endif
