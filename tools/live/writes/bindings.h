/* Bindings: many are in progress at once, each repeated unchanged until its outcome is certain.
 *
 * A request without an answer may take effect up to 34 seconds later. Until then the pod is assumed
 * to be on its node, so no other pod gets the room. Repetition is harmless, because the server
 * binds only pods without a node. If the server keeps answering with errors, the pod itself is read
 * once no attempt can take effect any more.
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
    BIND_REFUSED, /* the pod is gone, being deleted, gated, or bound elsewhere: events report it */
    BIND_FAILED,  /* certainly not done: try again later */
    BIND_VERDICT_COUNT
} bind_verdict;

/* Borrowed during the callback. */
typedef struct bind_outcome {
    uint64_t id;
    bind_verdict verdict;
    const write_pod *pod;
    berth_str node;
    const char *why;     /* unless BOUND */
    const char *plugin;  /* whose work failed before the request; NULL: the binding failed */
    unsigned tries;      /* requests */
    int64_t duration_ns; /* from bindings_put on */
} bind_outcome;

typedef void (*bind_settled_fn)(void *context, const bind_outcome *outcome);

typedef struct bindings bindings;

/* An extender that binds pods (write_pod.by_extender) in place of the API server. It is asked once:
 * if it refuses or does not answer, the binding fails.
 * Source: kube-scheduler v1.37, extender.go, Bind; schedule_one.go, extendersBinding. */
typedef struct bind_extender {
    const live_transport *transport; /* NULL: there is none */
    const char *path;                /* of its bindVerb */
    int64_t timeout_ns;
    bool ignorable; /* if it fails, the API server binds the pod */
} bind_extender;

/* `settled` is called once for each binding that was put and not dropped; it may put others. Owner:
 * `gate` must outlive the bindings. */
bindings *bindings_create(write_gate *gate, bind_settled_fn settled, void *context);
void bindings_destroy(bindings *b);

/* Set it before the first binding. Owner: copied; the transport must outlive the bindings. */
void bindings_use_extender(bindings *b, const bind_extender *extender);

/* Move the fence of the extender's requests, as write_gate_fence. */
void bindings_fence(bindings *b, int64_t fence_ns);

/* `id` must not be 0 and not be in progress. Owner: copied. */
void bindings_put(bindings *b, uint64_t id, const write_pod *pod, berth_str node);

/* The outcome does not matter any more (the pod is gone, or elsewhere): send nothing more for
 * it. */
void bindings_drop(bindings *b, uint64_t id);

/* The watch shows the pod on `node`. Cost: linear in the bindings in progress, as for all functions
 * below. */
void bindings_pod_seen(bindings *b, berth_str namespace_name, berth_str name, berth_str uid,
                       berth_str node);

/* The watch has shown that a node is gone: nothing more is sent for it. */
void bindings_node_gone(bindings *b, berth_str node);

/* Begin no new bindings; those never sent are dropped without a callback. */
void bindings_end(bindings *b);

/* Number of bindings put and not settled. */
size_t bindings_count(const bindings *b);
/* Number of bindings sent without a certain outcome. */
size_t bindings_unsettled(const bindings *b);
size_t bindings_window(const bindings *b);
bool bindings_denied(const bindings *b);
/* Requests sent so far, including repetitions. */
uint64_t bindings_requests(const bindings *b);

#endif
