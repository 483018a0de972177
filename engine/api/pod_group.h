/* A scheduling cycle of a PodGroup, or of a CompositePodGroup and the groups below it: the
 * pods, their placements, and the messages. */
#ifndef BERTH_API_POD_GROUP_H
#define BERTH_API_POD_GROUP_H

#include "api/engine_calls.h"
#include "api/group_tree.h"
#include "berth/pod_group.h"
#include "decide/one_node.h"
#include "model/related.h"
#include "plugins/spread_hooks.h"

typedef struct berth__group_member {
    uint32_t pod; /* index */
    berth_pod_id id;
    uint32_t part;             /* its PodGroup, of the tree's parts */
    uint32_t node;             /* where it was placed, or BERTH_NODE_NONE */
    uint32_t proposed;         /* where it fitted, though its group did not; or BERTH_NODE_NONE */
    bool tried;                /* in the first attempt */
    bool fits;                 /* it was placed in the first attempt, or would have been */
    berth_placement placement; /* of the first attempt; `node` is none unless it was placed */
    /* The filters that preFilter skipped when the pod was last placed. */
    berth__filter_set skipped;
    berth__spread_hooks spread; /* its counts at that time; only during preemption */
    uint32_t kept;       /* during preemption: the node for which it is nominated, and a pod that */
    berth_pod_id shadow; /* has the nomination while it is on a node; or BERTH_POD_NONE */
} berth__group_member;

typedef struct berth__group_cycle {
    berth_engine *engine;
    const berth__group_facts *facts; /* of the root */
    berth__group_tree tree;
    berth__group_member *members;
    uint32_t *order; /* indexes of members: the order in which they are placed */
    uint32_t count;
    uint32_t placed;
    berth_verdict verdict;       /* of the root */
    berth__arena arena;          /* holds messages, members and victims */
    berth_str message;           /* of the root, if the attempt failed */
    berth_str more;              /* what preemption adds to the messages */
    berth__group_part *outcomes; /* of the first attempt, if the root was refused; else NULL */
    berth_str failure;           /* the message of a member that failed with an error */
    bool keeps;   /* set by the caller: members that are placed stay on their nodes */
    bool first;   /* set by the caller: no pod of the group is on a node yet */
    bool waits;   /* set by the caller: the group is not tried while pods are missing */
    bool refused; /* the group was refused, whether or not preemption helps */
    bool trying;  /* a domain is being tried: placements will be undone */
    bool preempts;
    bool sees_claims; /* DynamicResources ran for a member in the first attempt */
    berth_pod_id *victims;
    uint32_t victim_count;
    /* May be NULL: called in the first attempt for a member that fits nowhere, right after its
     * decision. Errors end the cycle. */
    berth_status (*unplaced)(void *context, uint32_t member);
    void *context;
    berth_error *error;
} berth__group_cycle;

/* Run the whole cycle for `count` pending pods. The caller has entered the engine, and has set the
 * engine, `count`, the arena, `keeps`, `first`, `unplaced` and `error`; it destroys the arena.
 * Fills the rest. Errors: those of berth_engine_schedule_pod_group; nothing has changed then. */
berth_status berth__pod_group_run(berth__group_cycle *cycle, const berth_pod_id *pods);

/* Whether the cycle ends a member's nomination. It does not if the member itself did not fit. */
bool berth__pod_group_ends_nomination(const berth__group_cycle *cycle,
                                      const berth__group_member *member);

/* The outcome for a group of the tree after the cycle. */
const berth__group_part *berth__pod_group_outcome(const berth__group_cycle *cycle, uint32_t part);

/* The message for a group that was not placed. */
berth_str berth__pod_group_message(const berth__group_cycle *cycle, uint32_t part);

/* Decide and bind the members, one after the other. The caller has opened a transaction, and rolls
 * it back unless the verdict is PLACED. Fills verdict, placed, message, the outcome of each group
 * and each member. Errors: those of a decision. */
berth_status berth__pod_group_place(berth__group_cycle *cycle);

/* Find victims for a group that was just refused, with no change since (pod_group_preemption.c).
 * Completes the message; fills `preempts`, the victims, and the nodes of members, for which they
 * must be nominated. Nothing has changed afterwards. Errors: BERTH_E_NOMEM and those of a
 * decision. */
berth_status berth__pod_group_preempt(berth__group_cycle *cycle);

/* ---- between the files of the cycle ---- */

/* Decide and bind the members of a PodGroup one after the other, or place the groups below a
 * composite one, among the nodes that the decider is confined to, until the minimum can't be
 * reached any more. Fills the group's outcome and each member; the verdict may be PLACED with no
 * member placed. Errors: those of a decision. */
berth_status berth__pod_group_try(berth__group_cycle *cycle, berth__group_part *part);

/* Try the domains of the group's topology, or all nodes if it has none, and place the members in
 * the best of those that take enough of them (pod_group_domains.c). Otherwise like
 * berth__pod_group_try. */
berth_status berth__pod_group_place_in_domain(berth__group_cycle *cycle, berth__group_part *part);

/* Let each group without an outcome of its own take over that of the group above it, and the cycle
 * that of the root. */
void berth__pod_group_settle(berth__group_cycle *cycle);

/* Forget the outcomes of the groups below this one: as kube-scheduler, after an error. */
void berth__pod_group_forget_below(berth__group_cycle *cycle, const berth__group_part *part);

/* During preemption: note what PodTopologySpread counts for a member that is about to be placed
 * (pod_group_preemption.c). Errors: BERTH_E_NOMEM. */
berth_status berth__pod_group_note_spread(berth__group_cycle *cycle, berth__group_member *member);

/* Note for a group the domain of one of its pods that is on a node. Errors: BERTH_E_NOMEM. */
berth_status berth__pod_group_note_domain(berth__group_cycle *cycle, berth__group_part *part,
                                          const berth__pod_record *record);

/* End a transaction but keep the rotation, as kube-scheduler does. */
void berth__pod_group_end_transaction(berth_engine *engine, bool commit);

/* The profile that serves all members. */
static inline const berth__ready_profile *berth__pod_group_profile(const berth__group_cycle *cycle)
{
    const berth__decider *decider = &cycle->engine->decider;
    const berth__class *cls =
        berth__pod_at(&cycle->engine->cluster.pods, cycle->members[0].pod)->cls;
    return &decider->profiles[berth__decider_profile(decider, cls)];
}

/* The group does not fit; the message says just that. */
void berth__pod_group_refuse(berth__group_part *part);

/* Let the group fail with this error. If `text` is absent, memory ran out, and the call fails.
 * Errors: BERTH_E_NOMEM. */
berth_status berth__pod_group_fail(berth__group_part *part, berth_str text);

/* Append words to a message, which may be absent. Errors: BERTH_E_NOMEM. */
berth_status berth__pod_group_say(berth__arena *arena, berth_str *message, berth_str more);

/* Printed text in the arena; absent when out of memory. */
__attribute__((format(printf, 2, 3))) berth_str berth__pod_group_words(berth__arena *arena,
                                                                       const char *format, ...);

#endif
