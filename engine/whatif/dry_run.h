/* What-ifs on one node: would the pod pass the filters there if other pods came or went?
 *
 * A what-if is a transaction on the engine's own view. It begins on a slot, takes pods off it and
 * puts pods on it, asks the filters about that slot, and ends when all is as it was. Filters that
 * take no part in the attempt take no part here; static ones are not asked again where they all
 * pass. Nothing goes into the view's journal.
 *
 * Threads: the deciding thread, while no scan runs.
 *
 * Why there are three machines that ask "what if", and which one to take:
 *
 *   dry run      (here) one slot, for the length of one question, within a decision that is under
 *                way. Preemption asks thousands in one attempt, and every search asks where pods
 *                are nominated, so it changes nothing but the sums and counters that filters
 *                read: no pod's record, no list, no journal, so nothing that is derived from
 *                these. It cannot decide a pod, and nothing outlives the question.
 *   transaction  (decide/transaction.h, on base/undo_log.h) the whole engine, for as long as the
 *                caller likes: any changes and decisions, nested, taken back or kept. Everything
 *                changes truly, and each change leaves what takes it back, so the cost is that of
 *                what is done, whatever the cluster's size, and answers are those that the engine
 *                would give. But there is one state: one thread, one line of thought at a time,
 *                and nothing is published meanwhile.
 *   branch       (versions/branch.h) an engine of its own rooted in a snapshot that others go on
 *                reading, on any thread, any number at a time beside their engine, which goes on
 *                too. What it changes it copies first (base/cow_owner.h); its counters must be
 *                brought to the snapshot. So it costs memory, and more to begin than a transaction.
 *
 * None can be made of another at its price: an undo record for every pod of every dry run costs
 * more than the filters that are asked; a dry run or a transaction made of copied pages would copy
 * pages to throw them away; and an undo log cannot serve two readers. They share what can be
 * shared: a branch has transactions, in a transaction and on a branch decisions make dry runs, and
 * all three leave what is derived to follow by journal and epochs. */
#ifndef BERTH_WHATIF_DRY_RUN_H
#define BERTH_WHATIF_DRY_RUN_H

#include "cluster/nominated.h"
#include "model/disruption.h"
#include "whatif/dry_run_memo.h"

typedef struct berth__dry_run {
    const berth_allocator *allocator;
    const berth__pods *pods;
    const berth__nominations *nominations;
    const berth__disruption *disruption;
    berth__dry_run_memos memos;
    /* the question */
    berth__decision decision;
    int32_t priority;  /* of the pod in question */
    uint32_t own_slot; /* of the node that it is nominated for itself, or BERTH__SLOT_NONE */
    berth__dry_run_memo *memo;     /* of such attempts, or NULL */
    berth__prepared_stage *stages; /* by filter: the attempt's, or prepared anew */
    uint32_t stage_capacity;
    uint32_t *asked; /* filters that are neither skipped nor static */
    uint32_t asked_count, asked_capacity;
    bool renews;  /* some filter is prepared anew when pods have come or gone */
    bool adjusts; /* some filter is told of each pod */
    /* the slot */
    uint32_t slot;
    bool statics_pass;
    bool stale;                     /* pods have come or gone since filters were prepared anew */
    bool wide;                      /* of the view, as it was */
    bool failed;                    /* a filter ended with an error when last asked to pass */
    int32_t balance;                /* pods on the slot, compared with what there were */
    const berth__class **nominated; /* pods that count on the slot beside those that are there */
    uint32_t nominated_count;
    uint32_t nominated_capacity;
    uint32_t nominated_in;   /* of those, how many are there now */
    berth__host_port *ports; /* in use on the slot when the what-if began */
    uint32_t port_count;
    uint32_t port_capacity;
    berth__arena arena; /* emptied when a what-if begins */
    bool ok;            /* false: memory ran out, answers are void */
    uint32_t forfeited; /* nodes that gave up their slots; whoever keeps count takes them over */
} berth__dry_run;

void berth__dry_run_init(berth__dry_run *dry_run, const berth_allocator *allocator,
                         const berth__pods *pods, const berth__nominations *nominations,
                         const berth__disruption *disruption);
void berth__dry_run_destroy(berth__dry_run *dry_run);

/* The attempt that what-ifs are about, until the next call; what it was prepared with must live
 * that long. Errors: E_NOMEM. */
berth_status berth__dry_run_ask(berth__dry_run *dry_run, const berth__decision *decision);

/* Whether pods of at least the pod's priority are nominated for the slot's node, itself aside. */
bool berth__dry_run_concerns(const berth__dry_run *dry_run, uint32_t slot);

/* Begin on a slot: fails (E_NOMEM) or has its end. What was taken must be back and what was put
 * must be gone before `end`, which gives E_NOMEM when memory ran out on the way: answers are void
 * then. */
berth_status berth__dry_run_begin(berth__dry_run *dry_run, uint32_t slot);
/* Before pods of the slot leave. Errors: E_NOMEM; there is nothing to put back then. */
berth_status berth__dry_run_make_writable(const berth__dry_run *dry_run);
berth_status berth__dry_run_end(berth__dry_run *dry_run);

/* One of the slot's pods leaves, or is back; `put` returns false, the pod still away, when out of
 * memory. */
void berth__dry_run_take(berth__dry_run *dry_run, const berth__class *cls);
bool berth__dry_run_put(berth__dry_run *dry_run, const berth__class *cls);

/* All pods have been taken and can't be put back: the node gives up its slot, the next layout
 * counts them anew. To be followed by `end`. */
void berth__dry_run_forfeit(berth__dry_run *dry_run);

/* The slot's nominated pods come, or leave again. */
void berth__dry_run_put_nominated(berth__dry_run *dry_run);
void berth__dry_run_take_nominated(berth__dry_run *dry_run);

/* The first filter, from the one of index `from` on, that refuses the slot as it now is; the
 * number of filters if there is none. */
uint32_t berth__dry_run_refuser(berth__dry_run *dry_run, uint32_t from);

/* Why that filter does. */
void berth__dry_run_explain(const berth__dry_run *dry_run, uint32_t filter,
                            berth__reasons *reasons);

/* The verdict on the slot as it now is: first with the nominated pods, then without them.
 * `reasons` (optional) receives those of a refusal; dry_run->failed tells whether it is an error.
 * Source: kube-scheduler v1.32, framework/runtime, RunFilterPluginsWithNominatedPods. */
bool berth__dry_run_passes(berth__dry_run *dry_run, berth__reasons *reasons);

/* How nominated pods bear on a slot, no what-if being under way. Errors: E_NOMEM. */
berth_status berth__dry_run_ask_kept(berth__dry_run *dry_run, uint32_t slot,
                                     berth__kept_verdict *out);

static inline bool berth__dry_run_remembers(const berth__dry_run *dry_run, uint32_t slot)
{
    return dry_run->memo != NULL && slot != dry_run->own_slot;
}

static inline berth_status berth__dry_run_kept(berth__dry_run *dry_run, uint32_t slot,
                                               berth__kept_verdict *out)
{
    if (berth__dry_run_remembers(dry_run, slot) &&
        dry_run->memo->kept[slot] != BERTH__KEPT_UNKNOWN) {
        *out = (berth__kept_verdict)dry_run->memo->kept[slot];
        return BERTH_OK;
    }
    return berth__dry_run_ask_kept(dry_run, slot, out);
}

#endif
