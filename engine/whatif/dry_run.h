/* Dry runs: would the pod pass the filters on one node if other pods came or went?
 *
 * A dry run changes the engine's own view for a moment. It begins on a slot, takes pods off it and
 * puts pods on it, runs the filters on that slot, and ends when everything is as before. Filters
 * that do not take part in the attempt do not take part here; static filters do not run again if
 * all of them pass. The view's journal gets no entry.
 *
 * Threads: the deciding thread, while no scan runs.
 *
 * There are three mechanisms for what-ifs. Choose by this list:
 *
 *   dry run      (here) one slot, for one question within a decision in progress. Preemption needs
 *                thousands of them in one attempt, and so do searches while pods are nominated.
 *                So a dry run changes only the sums and counters that filters read: no pod record,
 *                no list, no journal, and nothing derived from these. It cannot decide a pod, and
 *                nothing outlasts the question.
 *   transaction  (decide/transaction.h, on base/undo_log.h) the whole engine, for as long as the
 *                caller wants: any changes and decisions, nested, undone or kept. Everything really
 *                changes, and each change leaves an undo record. So the cost is that of the
 *                changes, regardless of the cluster's size, and answers are those of the engine.
 *                But there is only one state: one thread, one plan at a time, and nothing is
 *                published meanwhile.
 *   branch       (versions/branch.h) a separate engine based on a snapshot that others still read,
 *                on any thread, any number at once, while their engine continues. A branch copies
 *                what it changes (base/cow_owner.h), and its counters must be brought to the
 *                snapshot's state. So it costs memory, and more to begin than a transaction.
 *
 * None of them can be built on another one at the same cost. An undo record for every pod of every
 * dry run costs more than the filters. Dry runs or transactions on copied pages would copy pages
 * only to discard them. An undo log cannot serve two readers. They share what they can: a branch
 * has transactions, decisions in a transaction or on a branch use dry runs, and all three leave
 * derived data to follow the journal and epochs. */
#ifndef BERTH_WHATIF_DRY_RUN_H
#define BERTH_WHATIF_DRY_RUN_H

#include "cluster/nominations.h"
#include "model/disruption.h"
#include "whatif/dry_run_memo.h"

/* A slot other than that of the dry run. Its host ports are saved in the same way. */
typedef struct berth__other_slot {
    struct berth__other_slot *next;
    uint32_t slot;
    uint32_t port_count;
    berth__host_port *ports;
    bool writable; /* false: memory ran out, so its pods do not move */
} berth__other_slot;

typedef struct berth__dry_run {
    const berth_allocator *allocator;
    const berth__pods *pods;
    const berth__nominations *nominations;
    const berth__disruption *disruption;
    berth__dry_run_memos memos;
    /* the question */
    berth__decision decision;
    int32_t priority;  /* the pod's priority */
    uint32_t own_slot; /* the slot for which the pod itself is nominated, or BERTH__SLOT_NONE */
    berth__dry_run_memo *memo;     /* for attempts of this kind, or NULL */
    berth__prepared_stage *stages; /* by filter: the attempt's, or prepared again */
    uint32_t stage_capacity;
    uint32_t *asked;      /* filters that are neither skipped nor static */
    uint64_t passed_over; /* filters that let every slot pass: a bit for each of the first 64 */
    uint32_t asked_count, asked_capacity;
    bool renews;  /* some filter is prepared again when pods come or go */
    bool adjusts; /* some filter's adjust is called for each pod */
    /* the slot */
    uint32_t slot;
    bool statics_pass;
    bool stale;                     /* pods came or went since filters were prepared again */
    bool wide;                      /* the view's value before the dry run */
    bool failed;                    /* a filter failed in the last berth__dry_run_passes */
    int32_t balance;                /* pods put on the slot minus pods taken off */
    const berth__class **nominated; /* nominated pods that count on the slot */
    uint32_t nominated_count;
    uint32_t nominated_capacity;
    uint32_t nominated_in;   /* how many of them are on the slot now */
    berth__host_port *ports; /* in use on the slot when the dry run began */
    uint32_t port_count;
    uint32_t port_capacity;
    berth__arena arena;               /* emptied when a dry run begins */
    struct berth__other_slot *others; /* slots that lost or gained pods */
    bool others_full;                 /* memory ran out: this dry run adds no more of them */
    bool ok;                          /* false: memory ran out, answers are invalid */
} berth__dry_run;

void berth__dry_run_init(berth__dry_run *dry_run, const berth_allocator *allocator,
                         const berth__pods *pods, const berth__nominations *nominations,
                         const berth__disruption *disruption);
void berth__dry_run_destroy(berth__dry_run *dry_run);

/* Set the attempt for the following dry runs, until the next call; what it was prepared with must
 * live that long. The caller may set `passed_over` afterwards. Errors: BERTH_E_NOMEM. */
berth_status berth__dry_run_ask(berth__dry_run *dry_run, const berth__decision *decision);
/* The same without a memo. This costs less if few slots will be asked about. */
berth_status berth__dry_run_ask_few(berth__dry_run *dry_run, const berth__decision *decision);

/* Whether other pods of the same or a higher priority are nominated for the slot's node. */
bool berth__dry_run_concerns(const berth__dry_run *dry_run, uint32_t slot);

/* Begin on a slot; if this succeeds, `end` must follow. Before `end`, put back what was taken and
 * take back what was put. `end` returns BERTH_E_NOMEM if memory ran out meanwhile; answers are then
 * invalid. Errors: BERTH_E_NOMEM. */
berth_status berth__dry_run_begin(berth__dry_run *dry_run, uint32_t slot);
/* Call this before taking pods off the slot. Errors: BERTH_E_NOMEM; there is nothing to put back
 * then. */
berth_status berth__dry_run_make_writable(const berth__dry_run *dry_run);
berth_status berth__dry_run_end(berth__dry_run *dry_run);

/* Take one of the slot's pods off it, or put it back, which needs no memory. */
void berth__dry_run_take(berth__dry_run *dry_run, const berth__class *cls);
void berth__dry_run_put_back(berth__dry_run *dry_run, const berth__class *cls);

/* The same for a pod of any slot; the filters still look only at the dry run's slot. If memory runs
 * out at the first change of another slot, that slot stays as it is until the end, and calls for it
 * do nothing.
 * Source: kube-scheduler v1.37, plugins/defaultpreemption, SelectVictimsOnNode. */
void berth__dry_run_take_from(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot);
void berth__dry_run_put_back_on(berth__dry_run *dry_run, const berth__class *cls, uint32_t slot);

/* Put the slot's nominated pods on it, or take them off again. */
void berth__dry_run_put_nominated(berth__dry_run *dry_run);
void berth__dry_run_take_nominated(berth__dry_run *dry_run);

/* The first filter, from index `from` on, that refuses the slot in its current state; the number of
 * filters if there is none. */
uint32_t berth__dry_run_refuser(berth__dry_run *dry_run, uint32_t from);

/* Add the reasons why that filter refuses. */
void berth__dry_run_explain(const berth__dry_run *dry_run, uint32_t filter,
                            berth__reasons *reasons);

/* The verdict on the slot in its current state: first with the nominated pods, then without them.
 * `reasons` (optional) receives the reasons of a refusal; dry_run->failed shows whether it is an
 * error.
 * Source: kube-scheduler v1.32, framework/runtime, RunFilterPluginsWithNominatedPods. */
bool berth__dry_run_passes(berth__dry_run *dry_run, berth__reasons *reasons);

/* How nominated pods affect a slot. No dry run may be in progress. Errors: BERTH_E_NOMEM. */
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
