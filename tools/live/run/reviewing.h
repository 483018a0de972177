/* Asks the API server which clients may read what the running scheduler serves (live/reviews), with
 * the session's own credentials or with those of another kubeconfig.
 *
 * Threads: the network's. */
#ifndef BERTH_LIVE_REVIEWING_H
#define BERTH_LIVE_REVIEWING_H

#include "live/credentials/kubeconfig.h"
#include "live/reviews/reviews.h"
#include "live/serving/permission.h"
#include "live/transport/event_loop.h"

/* Whom to ask, and how long answers are kept: as in review_options. */
typedef struct reviewing_options {
    const kubeconfig *authentication, *authorization; /* NULL: as the session itself */
    int64_t token_ns, allowed_ns, denied_ns;
    const char *always_allowed;
} reviewing_options;

typedef struct reviewing reviewing;

/* Owner: `loop`, `own` and what the options point to outlive it. */
reviewing *reviewing_create(const reviewing_options *options, event_loop *loop,
                            const live_transport *own);

/* The rule for the server that serves the pages. */
permission_rule reviewing_rule(reviewing *r);

/* Call it when the loop was woken. */
void reviewing_turn(reviewing *r);

/* Call reviewing_stop before the server stops, and reviewing_destroy after that. Both accept
 * NULL. */
void reviewing_stop(reviewing *r);
void reviewing_destroy(reviewing *r);

#endif
