/* One decision from question to answer, and what decisions share: search memory, rotation, seed. */
#ifndef BERTH_DECIDE_DECIDE_H
#define BERTH_DECIDE_DECIDE_H

#include "base/use_word.h"
#include "cluster/cluster.h"
#include "explain/explanation.h"
#include "explain/refusals.h"
#include "index/index.h"
#include "prepare/plugin_checks.h"
#include "whatif/victims.h"

/* The last attempt, where preemption takes up. */
typedef struct berth__attempt {
    berth__question cycle;
    berth__decision decision; /* about `cycle`; prepared NULL: it did not come to the filters */
    uint32_t start;           /* rotation index */
    bool refused;             /* before any node was visited */
    bool search_only;         /* preemption is not asked about */
} berth__attempt;

typedef struct berth__decider {
    berth__use_word use; /* of the engine or branch, by one call at a time */
    berth__cluster *cluster;
    const berth__ready_profile *profiles;
    uint32_t profile_count;
    const berth__stage **listeners; /* own plugins that reserve, each once */
    uint32_t listener_count;
    berth_path path;
    berth__plugin_checks *checks; /* NULL: own plugins are trusted */
    berth__prepared_cache prepared;
    berth__search search;
    berth__index_cache indexes;
    berth__arena arena; /* of one decision */
    berth__random random;
    berth__decision_counts counts;
    berth__refusals refusals;
    uint32_t rotation;    /* where the next search begins */
    uint32_t round_robin; /* v1.15: picks so far among equals */
    berth__attempt attempt;
    berth__dry_run dry_run;
    /* of preemption: */
    berth__victims victims;
    berth__mask *potential; /* by tile: nodes that others' leaving might make feasible */
    uint32_t potential_capacity;
    uint32_t *chosen; /* victims on the best node so far */
    uint32_t chosen_capacity;
} berth__decider;

/* What a decider is made of, beside its cluster. Borrowed, but for the seed of ties. */
typedef struct berth__decider_setup {
    const berth__ready_profile *profiles;
    uint32_t profile_count;
    berth__workers *workers;
    berth_path path;
    uint64_t seed;
} berth__decider_setup;

berth_status berth__decider_init(berth__decider *decider, berth__cluster *cluster,
                                 const berth__decider_setup *setup);
void berth__decider_destroy(berth__decider *decider);

/* Before each decision: budgets are replaced as a whole when they change after a publication. */
void berth__decider_follow_disruption(berth__decider *decider);

/* The index of the profile that serves a class, or UINT32_MAX. */
uint32_t berth__decider_profile(const berth__decider *decider, const berth__class *cls);

/* Decide for a pod. See berth_engine_decide. */
berth_status berth__decide(berth__decider *decider, uint32_t pod,
                           const berth_decide_options *options, berth_placement *out,
                           berth_error *error);

/* The decider of an engine, and with it the cluster, for those who work on top of the engine. */
berth__decider *berth__engine_decider(berth_engine *engine);

/* From now on own plugins that reserve hear of every pod that comes to a node or leaves one. Of an
 * engine, before it has pods; a branch's hear of nothing. Errors: E_NOMEM. */
berth_status berth__decider_listen(berth__decider *decider, berth__arena *arena);

/* Bind and unbind with the plugins' reserve phase. The pod and the node are in the right state.
 * Errors: E_NOMEM. */
berth_status berth__decider_bind(berth__decider *decider, uint32_t pod, uint32_t node);
berth_status berth__decider_unbind(berth__decider *decider, uint32_t pod);

#endif
