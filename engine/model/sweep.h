/* Sweeping: texts that nobody holds any more are given up, so that what comes and goes for good
 * leaves nothing behind.
 *
 * Nobody counts uses of texts: knowing a text again stays as cheap as it was. Instead, once as many
 * texts have come as were in use after the last sweep, all that the engine's present state holds
 * are marked, and the others given up: a constant for each text that comes.
 *
 * Who may hold an id, and why it is safe:
 *   the engine's state    nodes, surrounding objects, budgets, the store of volumes: marked by the
 *                         engine's thread, between two operations, with no transaction open (its
 *                         records hold what may come back)
 *   pods, anybody's       parts of pod classes, which live as long as any state, snapshot or branch
 *                         has a pod of them, are marked whoever holds them
 *   snapshots             a text that is not marked is *condemned*: a batch of such is retired as
 *                         blocks are (base/cow_owner.h), born when the oldest of its texts was, and
 *                         given up at a sweep after no snapshot that may show it is left
 *   branches              what a branch adds, or finds in adding, counts as born with its snapshot,
 *                         which the branch has pinned
 *   whoever adds          a condemned text that is met again is acquitted: its batch says nothing
 *                         of it any more
 *   finders on other      read the table of texts without a lock: INTERN-3 (base/intern.h)
 *     threads
 *   texts of profiles     and all else that is interned before the first object: kept for good
 *   resources, and lists  a column of amounts goes with the text of its name, a list of taints with
 *                         a
 *     of taints           text made of its own; so what is said of texts is said of them, and their
 *                         numbers are given again
 *   whatever is derived   counters, columns, indexes by id need not be marked. A text that some
 *                         state holds has one id, and an id that some state holds one text; so what
 *                         is kept by id, and follows the objects of its state, is right for the
 *                         text that has the id now, whatever other text had it before. What was
 *                         worked out from the letters of a text must not outlast it: it goes with
 *                         the class, or the store is made anew (berth__model.removals).
 *
 * Nothing that is decided depends on ids, so neither does it on when a sweep happens.
 *
 * Threads: the engine's, under the model's lock. Batches come back on whatever thread reclaims.
 * Ordering:
 *   SWEEP-1  a batch that comes back is pushed on the model's stack (release); who sweeps takes
 *            the whole stack (acquire) before he looks at one. */
#ifndef BERTH_MODEL_SWEEP_H
#define BERTH_MODEL_SWEEP_H

#include "base/cow_owner.h"
#include "model/labels.h"
#include "model/model.h"

struct berth__disruption;
struct berth__related;
struct berth__storage;
struct berth__stored;

/* Tests: a sweep at every opportunity. */
extern bool berth__sweep_always;

typedef struct berth__sweep {
    berth__model *model;
    uint64_t *marks;                               /* a bit an id */
    uint32_t end;                                  /* ids below were there when it began */
    uint64_t resources[BERTH__RESOURCES_MAX / 64]; /* a bit a column */
} berth__sweep;

/* Whether there are so many new texts that a sweep is due. */
static inline bool berth__sweep_is_due(const berth__model *model)
{
    return BERTH_UNLIKELY(model->strings.in_use >= model->sweep_at);
}

/* All texts that there are now are kept for good; sweeps begin. */
void berth__sweep_keep_all(berth__model *model);

/* Begin: marks what the model's own tables hold. Returns false when out of memory: there is no
 * sweep then, and the next is due later. */
bool berth__sweep_begin(berth__sweep *sweep, berth__model *model);

static inline void berth__sweep_mark(berth__sweep *sweep, berth__sym id)
{
    if (id < sweep->end)
        sweep->marks[id / 64] |= UINT64_C(1) << id % 64;
}
static inline void berth__sweep_resource(berth__sweep *sweep, uint32_t resource)
{
    sweep->resources[resource / 64] |= UINT64_C(1) << resource % 64;
}
void berth__sweep_taints(berth__sweep *sweep, const berth__taint_list *list);
void berth__sweep_labels(berth__sweep *sweep, berth__labels labels);
void berth__sweep_selector(berth__sweep *sweep, const berth__selector *selector);
void berth__sweep_node_selector(berth__sweep *sweep, const berth__interned_node_selector *selector);
void berth__sweep_node_term(berth__sweep *sweep, const berth__node_term *term);

/* Mark what these hold. */
void berth__sweep_related(berth__sweep *sweep, const struct berth__related *related);
void berth__sweep_disruption(berth__sweep *sweep, const struct berth__disruption *disruption);
void berth__sweep_storage(berth__sweep *sweep, const struct berth__storage *storage);
void berth__sweep_devices(berth__sweep *sweep, const struct berth__stored *record); /* of theirs */

/* End: give up, or condemn, what is not marked. */
void berth__sweep_end(berth__sweep *sweep, berth__cow_owner *cow);

/* Batches that came back and were not looked at: at the model's end. */
void berth__sweep_drop_batches(berth__model *model);

#endif
