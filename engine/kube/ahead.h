/* Reading ahead: a helper thread reads a JSON input and cuts it into pieces. The further it is in
 * front, the more it does with them: it parses them, then it also decodes them. The calling thread
 * takes the pieces in order. So both threads have work, whichever stage takes the longest for this
 * input. Replicas of earlier pods are recognized by their text (pattern.h) and need no parsing.
 *
 * The helper only prepares and judges nothing. If it could not parse or decode a piece, for lack of
 * time or memory or because of a fault, the caller gets the bare piece and does what it would have
 * done alone. So objects, errors and their order are the same with and without a helper.
 *
 * Pieces pass from helper to caller in batches, through a ring of BATCHES of them. A batch is being
 * filled by the helper, then full, then being taken by the caller, and so on. The ring's two
 * counters, `filled` and `taken`, say which; one lock guards them:
 *   AHEAD-1  the helper writes a batch, then counts it as filled under the lock; the caller reads
 *            the counter under the lock before it reads the batch.
 *   AHEAD-2  the caller finishes a batch, then counts it as taken under the lock; the helper
 *            reads the counter under the lock before it writes the batch again.
 * The last batch is marked as last; after it the helper touches nothing more. To stop early, the
 * caller sets `stopped` under the lock and joins the helper. The helper checks `stopped` whenever
 * it hands over a batch, so the join waits at most for the rest of one batch. Progress: the caller
 * waits only while no batch is full, the helper only while none is free. Memory: BATCHES times the
 * trees of one batch, about six times the batch's text; a value larger than a batch is a batch of
 * its own. The caller of berth__ahead_run frees all of it. */
#ifndef BERTH_KUBE_AHEAD_H
#define BERTH_KUBE_AHEAD_H

#include "kube/ready_piece.h"

enum { BERTH__AHEAD_BATCH_BYTES = 64 << 10 };

typedef struct berth__ahead_options {
    const berth_allocator *allocator; /* called from both threads */
    const char *default_kind;         /* or NULL */
    berth__patterns *patterns;        /* used by the helper until the call returns; or NULL */
    uint32_t threads;                 /* as in berth_read_options */
    size_t batch_bytes;
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* or NULL */
    void *progress_context;
} berth__ahead_options;

/* Whether starting a helper pays: threads and cores allow one, reading the source never waits for
 * long (a regular file or memory), and the window, which was filled once, holds more than one
 * batch. */
bool berth__ahead_is_due(const berth__ahead_options *options, const berth__window *window);

/* Cut the rest of the input as berth__split does. Pass each piece to `each`, and report progress,
 * both on this thread. If there is no thread or no memory for a helper, `*begun` is false and
 * nothing was done. Errors: those of berth__split and of `each`. */
berth_status berth__ahead_run(const berth__ahead_options *options, berth__window *window,
                              berth__ready_fn each, void *context, bool *begun, berth_error *error);

#endif
