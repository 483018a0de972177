/* Reading ahead: a helper thread reads and cuts a JSON input and, the further it is in front,
 * the more it does with the pieces: it parses them, it decodes them; the calling thread takes
 * them in order. So both have enough to do, whichever stage the input makes the longest.
 * Replicas of pods that came before are told by their text (pattern.h), and need neither.
 *
 * The helper only prepares. It judges nothing: a piece that it could not parse or decode, for
 * want of time or memory or because it is wrong, goes to the caller bare, who then does what it
 * would have done alone. So objects, errors and their order are the same with a helper and
 * without.
 *
 * Pieces go from one to the other in batches, through a ring of BATCHES of them. A batch is the
 * helper's (being filled), full, or the caller's (being taken), in turn; the ring's two
 * counters, `filled` and `taken`, say which, and one lock guards them:
 *   AHEAD-1  the helper writes a batch, then counts it as filled under the lock; the caller reads
 *            the counter under the lock before it reads the batch.
 *   AHEAD-2  the caller is done with a batch, then counts it as taken under the lock; the helper
 *            reads the counter under the lock before it writes the batch anew.
 * The last batch is marked as such; behind it the helper touches nothing more. A caller that
 * wants no more sets `stopped` under the lock and joins; the helper looks at it whenever it
 * hands over a batch, so that the join waits for the rest of one batch at most.
 * Progress: the caller waits only while nothing is full, the helper only while nothing is free.
 * Memory: BATCHES times what one batch of text becomes as trees, about six times its text; a
 * value larger than a batch is a batch of its own. The caller of berth__ahead_run frees all. */
#ifndef BERTH_KUBE_AHEAD_H
#define BERTH_KUBE_AHEAD_H

#include "kube/ready_piece.h"

enum { BERTH__AHEAD_BATCH_BYTES = 64 << 10 };

typedef struct berth__ahead_options {
    const berth_allocator *allocator; /* called from both threads */
    const char *default_kind;         /* or NULL */
    berth__patterns *patterns;        /* the helper's until the call returns; or NULL */
    uint32_t threads;                 /* as in berth_read_options */
    size_t batch_bytes;
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* or NULL */
    void *progress_context;
} berth__ahead_options;

/* Whether a helper is worth its start: threads and cores allow one, reading the source never
 * waits for long (a regular file or memory), and what is in the window, which has been filled
 * once, is more than one batch. */
bool berth__ahead_is_due(const berth__ahead_options *options, const berth__window *window);

/* Cut the rest of the input as berth__split does and hand each piece to `each`, on this thread, and
 * progress to its function, on this thread too. `*begun` is false, and nothing is done, if there is
 * no thread or no memory for a helper. Errors: berth__split's, `each`'s. */
berth_status berth__ahead_run(const berth__ahead_options *options, berth__window *window,
                              berth__ready_fn each, void *context, bool *begun, berth_error *error);

#endif
