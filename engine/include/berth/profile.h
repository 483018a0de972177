/* Scheduler profiles: which plugins run, in which order, with which weights and arguments.
 *
 * These profiles are fully expanded: their lists contain the plugins that run, in the order in
 * which they run. berth/kube.h expands a KubeSchedulerConfiguration (defaults, multiPoint, enabled,
 * disabled) into this form. The structs keep their size, like the parts of objects (objects.h).
 * Source: kube-scheduler v1.32, apis/config and framework/runtime/framework.go. */
#ifndef BERTH_PROFILE_H
#define BERTH_PROFILE_H

#include "berth/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arguments of plugins, each struct named after its plugin ---- */

/* A resource that counts in a score. */
typedef struct berth_weighted_resource {
    berth_str name;
    int64_t weight; /* 0 means 1 */
} berth_weighted_resource;

/* A point of the function from utilization to score. */
typedef struct berth_shape_point {
    int32_t utilization; /* 0..100, strictly increasing */
    int32_t score;       /* 0..10 */
} berth_shape_point;

/* Which nodes NodeResourcesFit prefers. */
typedef enum berth_fit_strategy {
    BERTH_FIT_LEAST_ALLOCATED = 0,
    BERTH_FIT_MOST_ALLOCATED,
    BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO,
} berth_fit_strategy;

typedef struct berth_fit_args {
    berth_strs ignored_resources;
    berth_strs ignored_resource_groups;
    berth_fit_strategy strategy;
    const berth_weighted_resource *resources; /* NULL: cpu 1, memory 1 */
    uint32_t resource_count;
    const berth_shape_point *shape;
    uint32_t shape_count;
} berth_fit_args;

typedef struct berth_balanced_args {
    const berth_weighted_resource *resources; /* NULL: cpu, memory */
    uint32_t resource_count;
} berth_balanced_args;

typedef struct berth_node_affinity_args {
    berth_node_affinity added_affinity;
} berth_node_affinity_args;

typedef struct berth_inter_pod_affinity_args {
    int32_t hard_pod_affinity_weight; /* 0..100, kube-scheduler's default is 1 */
    bool ignore_preferred_terms_of_existing_pods;
} berth_inter_pod_affinity_args;

typedef struct berth_spread_args {
    bool list_defaulting; /* false: System */
    const berth_topology_spread *default_constraints;
    uint32_t default_constraint_count;
} berth_spread_args;

typedef struct berth_preemption_args {
    int32_t min_candidate_nodes_percentage; /* kube-scheduler's default is 10 */
    int32_t min_candidate_nodes_absolute;   /* and 100 */
} berth_preemption_args;

/* Labels of the v1.15 plugins that a Policy configures: CheckNodeLabelPresence,
 * CheckServiceAffinity, ServiceAntiAffinityPriority, NodeLabelPriority. */
typedef struct berth_label_args {
    berth_strs labels;
    bool presence;
} berth_label_args;

/* The arguments of one plugin. */
typedef struct berth_plugin_args {
    /* NodeResourcesFit; RequestedToCapacityRatioPriority and VolumeBinding (shape). */
    berth_fit_args fit;
    berth_balanced_args balanced; /* NodeResourcesBalancedAllocation */
    berth_node_affinity_args node_affinity;
    berth_inter_pod_affinity_args inter_pod_affinity;
    berth_spread_args spread;
    berth_preemption_args preemption;
    berth_label_args label;
    berth_str raw_json; /* pluginConfig of a plugin that is not in the registry's own list */
    const struct berth_later *later;
} berth_plugin_args;

/* One plugin of one list. */
typedef struct berth_plugin_ref {
    berth_str name;                /* the name shown in results */
    berth_str implementation;      /* the registry's name; absent: the same as `name` */
    int32_t weight;                /* of a score plugin, >= 1 */
    const berth_plugin_args *args; /* NULL: the plugin's defaults */
    const struct berth_later *later;
} berth_plugin_ref;

/* The plugins that run at one extension point, in order. An empty list with `items` set means none.
 * A list without `items` also means none, except at five points: at preFilter and preScore it means
 * all plugins of the filter or score list that have a function for the point, in that list's order;
 * at placementGenerate, placementScore and podGroupPostFilter it means kube-scheduler's own
 * plugins, as far as the profile has them at score and at postFilter. */
typedef struct berth_plugin_list {
    const berth_plugin_ref *items;
    uint32_t count;
} berth_plugin_list;

/* The extension points of a profile. The last three, which came with 0.2, run only for PodGroups
 * (berth/pod_group.h). */
#define BERTH_POINT_LIST(X)                    \
    X(PRE_ENQUEUE, "preEnqueue")               \
    X(QUEUE_SORT, "queueSort")                 \
    X(PRE_FILTER, "preFilter")                 \
    X(FILTER, "filter")                        \
    X(POST_FILTER, "postFilter")               \
    X(PRE_SCORE, "preScore")                   \
    X(SCORE, "score")                          \
    X(RESERVE, "reserve")                      \
    X(PERMIT, "permit")                        \
    X(PRE_BIND, "preBind")                     \
    X(BIND, "bind")                            \
    X(POST_BIND, "postBind")                   \
    X(PLACEMENT_GENERATE, "placementGenerate") \
    X(PLACEMENT_SCORE, "placementScore")       \
    X(POD_GROUP_POST_FILTER, "podGroupPostFilter")

typedef enum berth_point {
#define X(name, text) BERTH_POINT_##name,
    BERTH_POINT_LIST(X)
#undef X
        BERTH_POINT_COUNT
} berth_point;

/* The rules that a profile follows (reference: kube-scheduler v1.32 and v1.15.3). */
typedef enum berth_era {
    BERTH_ERA_V1 = 0,       /* plugins, scores 0..100 */
    BERTH_ERA_V1ALPHA1 = 1, /* predicates and priorities, scores 0..10 */
} berth_era;

/* Which of several equally good nodes is chosen. */
typedef enum berth_tie {
    BERTH_TIE_DEFAULT = 0, /* KUBERNETES if the version has that rule, else FIRST */
    BERTH_TIE_FIRST,       /* the first of the best in search order */
    BERTH_TIE_RANDOM,      /* a random one of the best, by the engine's seed */
    BERTH_TIE_ROUND_ROBIN, /* v1.15: each in turn, by a counter */
    BERTH_TIE_KUBERNETES,  /* v1.35 and later: the one that a heap of the feasible nodes returns */
} berth_tie;

/* A profile. Owner: borrowed until the call that receives it returns. */
typedef struct berth_profile {
    berth_str scheduler_name; /* absent: "default-scheduler" */
    berth_era era;
    int32_t percentage_of_nodes_to_score; /* 0: adaptive; above 100: as 100 */
    int32_t min_feasible_nodes;           /* 0: 100 */
    berth_tie tie;
    bool always_check_all;           /* era v1alpha1: record every failing predicate of a node */
    const berth_plugin_list *points; /* by berth_point */
    uint32_t point_count;            /* lists beyond this number are empty */
    const struct berth_later *later;
} berth_profile;

/* The list of an extension point; empty if the profile has none. Threads: any. */
BERTH_API berth_plugin_list berth_profile_list(const berth_profile *profile, berth_point point);

/* The default profile of kube-scheduler 1.`kubernetes` (32 to 37; 0: the newest); NULL for an
 * unknown version. Owner: static. Threads: any. */
BERTH_API const berth_profile *berth_profile_default_of(uint32_t kubernetes);

/* The default profile of the newest version. */
BERTH_API const berth_profile *berth_profile_default(void);

/* The name of an extension point in a configuration ("preFilter"), never freed. Threads: any. */
BERTH_API const char *berth_point_name(berth_point point);

#ifdef __cplusplus
}
#endif

#endif
