/* A profile compiled to run: its plugins are found in the registry and configured. */
#ifndef BERTH_PREPARE_PROFILE_H
#define BERTH_PREPARE_PROFILE_H

#include "plugins/embedder.h"

typedef struct berth__stage {
    const berth__plugin_ops *plugin;
    const void *instance;
    berth_str name; /* as shown in results */
    int64_t weight; /* for a scorer */
    bool bare;      /* the plugin's preFilter or preScore is disabled: see berth__prepare */
    /* For a filter: DynamicResources does not see pods that it refuses at preFilter. */
    bool before_claims;
} berth__stage;

/* The plugins that run at postFilter, for a pod or for a group. */
typedef struct berth__post_filters {
    bool preempts;         /* DefaultPreemption is enabled */
    bool deallocates;      /* DynamicResources is enabled, */
    bool deallocates_last; /* and runs after DefaultPreemption */
} berth__post_filters;

/* The plugins that run only for PodGroups. */
typedef struct berth__group_points {
    bool generates;          /* TopologyPlacementGenerator is enabled */
    const berth__stage *fit; /* NodeResourcesFit at placementScore; NULL: not enabled */
    int64_t pods_count;      /* the weight of PodGroupPodsCount; 0: not enabled */
    berth__post_filters post;
} berth__group_points;

typedef struct berth__ready_profile {
    berth__sym scheduler_name;
    bool legacy; /* a profile of v1.15 */
    const berth__behaviours *behaviours;
    int32_t percentage;
    uint32_t min_feasible;
    berth_tie tie;
    bool always_check_all;
    bool gates;        /* SchedulingGates is enabled */
    bool gates_claims; /* DynamicResources is enabled at PreEnqueue */
    berth__post_filters post;
    bool sees_claims; /* DynamicResources is enabled at preFilter */
    bool gives_up;    /* no plugin is enabled at postFilter */
    berth_preemption_args preemption;
    berth__group_points groups;
    /* After the filters, and after the scorers, come plugins that only prepare: they run at
     * preFilter or at preScore, but not later. */
    berth__stage *filters;
    uint32_t filter_count, filter_stages;
    berth__stage *scorers;
    uint32_t scorer_count, scorer_stages;
    /* All filter stages, and all scorer stages, in the order in which they prepare. */
    uint32_t *filter_order, *scorer_order;
    bool counts_pods; /* some filter is BERTH__COUNTS_PODS */
    bool ranks_nodes; /* some score plugin is configured, even if it never scores */
} berth__ready_profile;

/* The engine's plugin of that name, including those of v1.15, or NULL. */
const berth__plugin_ops *berth__profile_plugin_find(berth_str name);

/* Compile a profile into `arena`. `own` are the embedder's plugins. Errors: BERTH_E_UNSUPPORTED (no
 * such plugin, it has no such phase, v1.15 is not built), BERTH_E_INVALID (arguments),
 * BERTH_E_NOMEM; error->field names the plugin. */
berth_status berth__profile_make(berth__model *model, berth__arena *arena,
                                 berth__embedder_plugins own, const berth_profile *source,
                                 berth__ready_profile *out, berth_error *error);

/* Whether kube-scheduler since 1.35 may take the scores of one pod for the next, for half a second
 * (OpportunisticBatching): only if the profile has no default spread constraints. Its answer then
 * depends on the clock, and is not followed.
 * Source: kube-scheduler v1.37, framework/runtime/batch.go, plugins/podtopologyspread (SignPod). */
bool berth__profile_reuses_scores(const berth__ready_profile *profile);

/* How many feasible nodes a search over `candidates` nodes keeps.
 * Source: kube-scheduler v1.32, schedule_one.go, numFeasibleNodesToFind; v1.15.3,
 * core/generic_scheduler.go. */
uint32_t berth__profile_limit(const berth__ready_profile *profile, uint32_t candidates);

#endif
