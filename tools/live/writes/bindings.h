/* Bindings: many under way, each repeated, the same, until its outcome is definite.
 *
 * A request without an answer may take effect 34 seconds later. Until then the pod is assumed where
 * it was to go, so nobody else gets its room; the server binds only a pod that has no node, so a
 * repetition is harmless. Only when the server goes on to answer with errors is it asked for the
 * pod, once no try can take effect any more.
 *
 *   posts: 201, 409 "already assigned" to our node, or seen there  -> BOUND
 *          404, other 409                                          -> REFUSED
 *          400, 422, 500 "target."                                 -> FAILED
 *          429, 401, 403, not sent                                 -> posts again
 *          other errors, no answer: again; after many errors       -> asks
 *   asks:  the pod on our node -> BOUND; on another, gone          -> REFUSED; no node -> FAILED
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_BINDINGS_H
#define BERTH_LIVE_BINDINGS_H

#include "live/writes/flow_window.h"
#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef enum bind_verdict {
    BIND_BOUND = 0,
    BIND_REFUSED, /* the pod is gone, going, gated, or somebody else's: events tell */
    BIND_FAILED,  /* not done, for certain: to be tried again after a while */
    BIND_VERDICT_COUNT
} bind_verdict;

/* Borrowed during the callback. */
typedef struct bind_outcome {
    uint64_t id;
    bind_verdict verdict;
    const write_pod *pod;
    berth_str node;
    const char *why;     /* unless BOUND */
    const char *plugin;  /* whose work failed before a request was sent; NULL: the binding's */
    unsigned tries;      /* requests */
    int64_t duration_ns; /* from bindings_put on */
} bind_outcome;

typedef void (*bind_settled_fn)(void *context, const bind_outcome *outcome);

typedef struct bindings bindings;

/* Owner: `gate` outlives it. `settled` is called once for each binding that was put and not
 * dropped; it may put others. */
bindings *bindings_create(write_gate *gate, bind_settled_fn settled, void *context);
void bindings_destroy(bindings *b);

/* `id` is not 0 and not under way. Owner: copied. */
void bindings_put(bindings *b, uint64_t id, const write_pod *pod, berth_str node);

/* Nobody wants to know any more (the pod is gone, or elsewhere): not sent, or not sent again. */
void bindings_drop(bindings *b, uint64_t id);

/* The watch shows the pod on `node`. Cost: linear in what is under way, as all below. */
void bindings_pod_seen(bindings *b, berth_str namespace_name, berth_str name, berth_str uid,
                       berth_str node);

/* The watch has shown that a node is gone: nothing more is sent for it. */
void bindings_node_gone(bindings *b, berth_str node);

/* Begin no new ones: those never sent are dropped, without a word. */
void bindings_end(bindings *b);

/* Put and not settled. */
size_t bindings_count(const bindings *b);
/* Sent, and without a definite outcome. */
size_t bindings_unsettled(const bindings *b);
size_t bindings_window(const bindings *b);
bool bindings_denied(const bindings *b);
/* Requests ever sent, repetitions included. */
uint64_t bindings_requests(const bindings *b);

#endif
