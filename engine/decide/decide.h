/* One decision from question to answer, and the state that decisions share: search memory,
 * rotation, seed. */
#ifndef BERTH_DECIDE_DECIDE_H
#define BERTH_DECIDE_DECIDE_H

#include "base/use_word.h"
#include "cluster/cluster.h"
#include "decide/extenders.h"
#include "explain/explanation.h"
#include "explain/refusals.h"
#include "index/index.h"
#include "prepare/plugin_checks.h"
#include "whatif/nominated_slots.h"
#include "whatif/victims.h"

/* The last attempt, from which preemption continues. */
typedef struct berth__attempt {
    berth__question cycle;
    /* The decision about `cycle`. `prepared` is NULL if the attempt did not reach the filters. */
    berth__decision decision;
    uint32_t start;           /* rotation index */
    bool refused;             /* refused before any node was visited */
    bool search_only;         /* without preemption */
    berth__extended extended; /* the extenders' part */
} berth__attempt;

typedef struct berth__decider {
    berth__use_word use; /* held by one call at a time on the engine or branch */
    berth__cluster *cluster;
    const berth__ready_profile *profiles;
    uint32_t profile_count;
    const berth__extenders *extenders; /* NULL: there are none */
    berth__extender_memo answers;      /* of extenders, in the last attempt */
    bool repeats;                      /* the last attempt is decided again to get its message */
    const berth__stage **listeners;    /* embedder's plugins that reserve, each once */
    uint32_t listener_count;
    bool supposes; /* binding is a simulation, which plugins may not refuse */
    berth_path path;
    berth__plugin_checks *checks; /* NULL: an embedder's plugins are not checked */
    berth__prepared_cache prepared;
    berth__search search;
    berth__index_cache indexes;
    berth__arena arena; /* for one decision */
    berth__random random;
    berth__decision_counts counts;
    berth__refusals refusals;
    const berth__node_part *part; /* the nodes that decisions are confined to; NULL: all */
    uint32_t rotation;            /* where the next search begins */
    uint32_t round_robin;         /* v1.15: picks so far among equals */
    berth__attempt attempt;
    berth__dry_run dry_run;
    berth__nominated_slots nominated;
    /* for preemption: */
    berth__victims victims;
    berth__mask *potential; /* by tile: nodes that evictions might make feasible */
    uint32_t potential_capacity;
    uint32_t *chosen; /* victims on the best node so far */
    uint32_t chosen_capacity;
} berth__decider;

/* What a decider needs besides its cluster. Borrowed, except the seed for ties. */
typedef struct berth__decider_setup {
    const berth__ready_profile *profiles;
    uint32_t profile_count;
    const berth__extenders *extenders; /* NULL: there are none */
    berth__workers *workers;
    berth_path path;
    uint64_t seed;
} berth__decider_setup;

berth_status berth__decider_init(berth__decider *decider, berth__cluster *cluster,
                                 const berth__decider_setup *setup);
void berth__decider_destroy(berth__decider *decider);

/* Call this before each decision, because the first change after a publication replaces all
 * budgets. */
void berth__decider_follow_disruption(berth__decider *decider);

/* The index of the profile that serves a class, or UINT32_MAX. */
uint32_t berth__decider_profile(const berth__decider *decider, const berth__class *cls);

/* Whether extenders are asked about a pod. */
bool berth__decider_is_extended(const berth__decider *decider, uint32_t pod);

/* Decide the pod of the last attempt again from the rotation index at which that began. Extenders
 * are not called again; their answers are repeated. */
berth_status berth__decide_again(berth__decider *decider, uint32_t pod, uint32_t start,
                                 const berth_decide_options *options, berth_placement *out,
                                 berth_error *error);

/* The part of a decider's state that decisions advance. */
typedef struct berth__progress {
    uint32_t rotation, round_robin;
    berth__random random;
} berth__progress;

static inline berth__progress berth__decider_progress(const berth__decider *decider)
{
    return (berth__progress){decider->rotation, decider->round_robin, decider->random};
}

static inline void berth__decider_set_progress(berth__decider *decider, const berth__progress *to)
{
    decider->rotation = to->rotation;
    decider->round_robin = to->round_robin;
    decider->random = to->random;
}

/* Decide for a pod. See berth_engine_decide. */
berth_status berth__decide(berth__decider *decider, uint32_t pod,
                           const berth_decide_options *options, berth_placement *out,
                           berth_error *error);

/* The decider of an engine, which also leads to its cluster; for code that works on top of the
 * engine. */
berth__decider *berth__engine_decider(berth_engine *engine);

/* From now on, notify the embedder's plugins that have a reserve function of every pod that arrives
 * on a node or leaves it. Call this on an engine before it has pods, and never on a branch. Errors:
 * BERTH_E_NOMEM. */
berth_status berth__decider_listen(berth__decider *decider, berth__arena *arena);

/* Bind and unbind with the plugins' reserve phase. The pod and the node must be in the right state.
 * Errors: BERTH_E_NOMEM. */
berth_status berth__decider_bind(berth__decider *decider, uint32_t pod, uint32_t node);
berth_status berth__decider_unbind(berth__decider *decider, uint32_t pod);

#endif
