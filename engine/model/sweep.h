/* Sweeping removes texts that nobody holds any more, so that objects that come and go leave nothing
 * behind.
 *
 * Uses of texts are not counted, so finding a known text stays cheap. Instead, a sweep is due once
 * as many texts were added as were in use after the last sweep. It marks all texts that the
 * engine's current state holds and removes the others: a constant cost for each new text.
 *
 * Who may hold an id, and why removal is safe:
 *   the engine's state    nodes, Services and the like, budgets, the store of volumes: the engine's
 *                         thread marks them between two operations, with no transaction open (its
 *                         records may restore texts)
 *   pods, anybody's       a part of a pod class lives as long as any state, snapshot or branch has
 *                         a pod of it; all parts are marked, no matter which state holds them
 *   snapshots             an unmarked text is *condemned*: a batch of such texts is retired as
 *                         blocks are (base/cow_owner.h). Its birth is that of its oldest text. A
 *                         sweep removes it once no snapshot is left that may show it
 *   branches              texts that a branch adds, or finds while adding, count as born with its
 *                         snapshot, which the branch has pinned
 *   threads that add      a condemned text that is met again is acquitted: its batch no longer
 *                         concerns it
 *   finders on other      read the table of texts without a lock: INTERN-3 (base/intern.h)
 *     threads
 *   texts of profiles     and all others interned before the first object: kept forever
 *   resources, and lists  a column of amounts is removed with the text of its name, a list of
 *     of taints           taints with a text made of its own. So the rules for texts hold for them,
 *                         and their numbers are used again
 *   derived data          counters, columns, indexes by id need not be marked. A text that some
 *                         state holds has one id, and an id that some state holds has one text. So
 *                         data that is kept by id, and follows the objects of its state, is right
 *                         for the id's current text, whatever text had the id before. Data computed
 *                         from the characters of a text must not outlive the text: it is freed with
 *                         the class, or the store is rebuilt (berth__model.removals).
 *
 * No decision depends on ids, so none depends on when a sweep happens.
 *
 * Threads: the engine's, under the model's lock. Batches are returned on any thread that reclaims.
 * Ordering:
 *   SWEEP-1  a returned batch is pushed on the model's stack (release); the sweeping thread takes
 *            the whole stack (acquire) before it looks at a batch. */
#ifndef BERTH_MODEL_SWEEP_H
#define BERTH_MODEL_SWEEP_H

#include "base/cow_owner.h"
#include "model/labels.h"
#include "model/model.h"

struct berth__disruption;
struct berth__related;
struct berth__storage;
struct berth__stored;

/* For tests: sweep at every opportunity. */
extern bool berth__sweep_always;

typedef struct berth__sweep {
    berth__model *model;
    uint64_t *marks;                               /* a bit for each id */
    uint32_t end;                                  /* ids below existed when the sweep began */
    uint64_t resources[BERTH__RESOURCES_MAX / 64]; /* a bit for each column */
} berth__sweep;

/* Whether enough texts are new for a sweep to be due. */
static inline bool berth__sweep_is_due(const berth__model *model)
{
    return BERTH_UNLIKELY(model->strings.in_use >= model->sweep_at);
}

/* Keep all texts that exist now forever, and allow sweeps from now on. */
void berth__sweep_keep_all(berth__model *model);

/* Begin a sweep: mark what the model's own tables hold. Returns false when out of memory: then
 * there is no sweep, and the next is due later. */
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

/* Mark the texts that an object of each type holds. */
void berth__sweep_related(berth__sweep *sweep, const struct berth__related *related);
void berth__sweep_disruption(berth__sweep *sweep, const struct berth__disruption *disruption);
void berth__sweep_storage(berth__sweep *sweep, const struct berth__storage *storage);
void berth__sweep_devices(berth__sweep *sweep, const struct berth__stored *record); /* devices */

/* End a sweep: remove or condemn the unmarked texts. */
void berth__sweep_end(berth__sweep *sweep, berth__cow_owner *cow);

/* Free the returned batches that no sweep has seen: at the model's end. */
void berth__sweep_drop_batches(berth__model *model);

#endif
