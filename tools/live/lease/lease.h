/* Leader election by a Lease, as client-go does it: a kube-scheduler and this program can stand by
 * for each other.
 *
 *   started -> waits: tries every 2 to 4.4 s; another's lease is respected until it was not changed
 *              for as long as it says, by our clock alone
 *           -> leads: renews every 2 s; each renewal moves the deadline, after which nothing may be
 *              sent, to 10 s after it was sent
 *           -> lost: somebody else has it, or no renewal came through for 10 s. For good.
 *   release: gives it up for the next one to take at once.
 *
 * The API server knows no leases: a leader that was asleep could still write. So whoever writes
 * keeps to the deadline (writes_fence), which is before anybody else may take over.
 *
 * Threads: the network loop's; callbacks come from within it. */
#ifndef BERTH_LIVE_LEASE_H
#define BERTH_LIVE_LEASE_H

#include "live/transport/transport.h"

/* Owner: texts are copied. Initialise with lease_options_init. */
typedef struct lease_options {
    const live_transport *transport; /* outlives it */
    const char *namespace_name, *name;
    const char *identity; /* who we are: HOST_UUID */
    int64_t duration_ns;  /* 15 s; of whole seconds */
    int64_t deadline_ns;  /* 10 s; less than the duration */
    int64_t retry_ns;     /* 2 s; 1.2 of it is less than the deadline */
} lease_options;

void lease_options_init(lease_options *options);

/* What is wrong with the three times; NULL: nothing. */
const char *lease_options_wrong(const lease_options *options);

/* Each may be NULL. */
typedef struct lease_callbacks {
    void *context;
    /* We have it, for the first time or still: write until then. */
    void (*renewed)(void *context, int64_t deadline_ns);
    /* We lead, since the lease's resourceVersion `version`: decide once the pods' watch has passed
     * it, or after 2 s. Comes after the first `renewed`. */
    void (*acquired)(void *context, uint64_t version);
    /* It is over; the lease does nothing any more. */
    void (*lost)(void *context, const char *why);
    /* Somebody else leads, or nobody (""). */
    void (*leader)(void *context, const char *holder);
} lease_callbacks;

typedef struct lease lease;

/* Owner: the callbacks' context outlives it. */
lease *lease_create(const lease_options *options, const lease_callbacks *callbacks);
/* A request under way is cut off; the lease stays as it is on the server. Accepts NULL. */
void lease_destroy(lease *l);

void lease_start(lease *l);

/* Give it up, if we have it, then call `done` once: from within the loop, 10 s later at the latest.
 * Nothing is called afterwards. */
void lease_release(lease *l, void (*done)(void *context), void *context);

bool lease_is_held(const lease *l);
/* When the last good renewal was sent; 0: there was none. */
int64_t lease_renewed_ns(const lease *l);
/* 401 or 403 was the server's last word. */
bool lease_is_denied(const lease *l);

#endif
