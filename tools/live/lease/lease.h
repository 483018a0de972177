/* Leader election by a Lease, compatible with client-go: a kube-scheduler and this program can
 * stand by for each other.
 *
 *   started -> waits: tries every 2 to 4.4 s; respects another holder's lease until the lease has
 *              not changed for its own duration, measured by our clock alone
 *           -> leads: renews every 2 s; after each renewal, requests may be sent until 10 s after
 *              the renewal was sent (the deadline)
 *           -> lost: another holder has the lease, or no renewal succeeded for 10 s; final
 *   release: gives the lease up, so that the next candidate can take it at once
 *
 * The API server does not check leases: a leader that was suspended could still write. Writers must
 * therefore observe the deadline (writes_fence), which passes before anybody else may take over.
 *
 * Threads: the network loop's; callbacks are called from it. */
#ifndef BERTH_LIVE_LEASE_H
#define BERTH_LIVE_LEASE_H

#include "live/transport/transport.h"

/* Owner: texts are copied. Initialise with lease_options_init. */
typedef struct lease_options {
    const live_transport *transport; /* outlives the lease */
    const char *namespace_name, *name;
    const char *identity; /* our name in the record: HOST_UUID */
    int64_t duration_ns;  /* 15 s; whole seconds */
    int64_t deadline_ns;  /* 10 s; less than the duration */
    int64_t retry_ns;     /* 2 s; 1.2 times this is less than the deadline */
} lease_options;

void lease_options_init(lease_options *options);

/* Describes what is wrong with the three times; NULL if they are valid. */
const char *lease_options_wrong(const lease_options *options);

/* Each callback may be NULL. */
typedef struct lease_callbacks {
    void *context;
    /* The lease is ours, newly or still: writing is allowed until the deadline. */
    void (*renewed)(void *context, int64_t deadline_ns);
    /* We lead, as of resourceVersion `version` of the lease. Start to decide when the pods' watch
     * has passed that version, or after 2 s. Called after the first `renewed`. */
    void (*acquired)(void *context, uint64_t version);
    /* The lease is lost; no callback follows. */
    void (*lost)(void *context, const char *why);
    /* Another holder leads, or nobody (""). */
    void (*leader)(void *context, const char *holder);
} lease_callbacks;

typedef struct lease lease;

/* Owner: the callbacks' context outlives the lease. */
lease *lease_create(const lease_options *options, const lease_callbacks *callbacks);
/* Cancels the current request; the lease on the server stays as it is. Accepts NULL. */
void lease_destroy(lease *l);

void lease_start(lease *l);

/* Give the lease up if it is ours, then call `done` once, from the loop, after 10 s at most. No
 * other callback follows. */
void lease_release(lease *l, void (*done)(void *context), void *context);

bool lease_is_held(const lease *l);
/* When the last successful renewal was sent; 0: never. */
int64_t lease_renewed_ns(const lease *l);
/* Whether the server's last answer was 401 or 403. */
bool lease_is_denied(const lease *l);

#endif
