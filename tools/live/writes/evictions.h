/* Evicts pods for others: writes the condition DisruptionTarget, then a deletion that is valid only
 * for this pod's uid. Both are repeated until the server has accepted them.
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
    bool deleted; /* deleted by us; else it was gone, or the server refuses for good */
    bool failed;  /* the server refuses for good: see `why` */
    const char *why;
    /* The last eviction for this preemptor: */
    bool over;
    bool all_good;   /* none of them failed */
    int64_t took_ns; /* since the first was put */
} eviction_outcome;

typedef void (*eviction_settled_fn)(void *context, const eviction_outcome *outcome);

/* Whether the preemptor's nomination is written; nothing is deleted before. */
typedef bool (*eviction_ready_fn)(void *context, const write_pod *preemptor);

typedef struct evictions evictions;

/* Owner: `gate` must outlive it. `settled` is called once for each eviction that was put and not
 * dropped; `ready` may be NULL. */
evictions *evictions_create(write_gate *gate, bool observed_generation, eviction_ready_fn ready,
                            eviction_settled_fn settled, void *context);
void evictions_destroy(evictions *e);

/* Evict `victim` from `node` for `preemptor`; does nothing if that is in progress. Owner:
 * copied. */
void evictions_put(evictions *e, const write_pod *victim, const write_pod *preemptor,
                   berth_str node);

/* The pod is gone: neither it nor pods for it have to be evicted any more. Cost:
 * linear in the evictions in progress. */
void evictions_pod_gone(evictions *e, berth_str namespace_name, berth_str name, berth_str uid);

/* The pod has a node: evictions for it that were not sent are dropped. Cost: as above. */
void evictions_pod_placed(evictions *e, const write_pod *pod);

/* Begin nothing more; evictions not sent are dropped. */
void evictions_end(evictions *e);

size_t evictions_count(const evictions *e);
bool evictions_denied(const evictions *e);

#endif
