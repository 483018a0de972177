/* The default profiles of kube-scheduler by version, and the tables that define them. The
 * preprocessor extracts the lists of all points from a table, so that the points of a plugin are
 * written only once.
 * Source: v1.32.2, v1.34.4, v1.35.4, v1.36.2 and v1.37.2, apis/config/v1/default_plugins.go and the
 * interfaces of each plugin. */
#include "plugins/profile_lists.h"

#include "base/assert.h"
#include "base/text.h"
#include "model/behaviours.h"

/* Name, weight, and whether the plugin implements each point, in the order of BERTH_POINT_LIST:
 * preEnqueue, queueSort, preFilter, filter, postFilter, preScore, score, reserve, permit, preBind,
 * bind, postBind. (DefaultPreemption's preEnqueue, since 1.33, holds a pod until the deletion of
 * its victims was requested. This engine does that at once.) */
#define QUEUE_ROWS(X)                                         \
    X(SchedulingGates, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) \
    X(PrioritySort, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

#define NODE_ROWS(X)                                            \
    X(NodeUnschedulable, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0) \
    X(NodeName, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)          \
    X(TaintToleration, 3, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0)

/* 1.37: in another order, and also at preFilter. */
#define PREPARED_NODE_ROWS(X)                                   \
    X(NodeName, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)          \
    X(NodeUnschedulable, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0) \
    X(TaintToleration, 3, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)

#define MIDDLE_ROWS(X)                                           \
    X(NodeAffinity, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)       \
    X(NodePorts, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)          \
    X(NodeResourcesFit, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)   \
    X(VolumeRestrictions, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0) \
    X(NodeVolumeLimits, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)   \
    X(VolumeBinding, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0)      \
    X(VolumeZone, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)         \
    X(PodTopologySpread, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)  \
    X(InterPodAffinity, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)

/* 1.34: behind the other filters, without a score; since 1.35 it has one. */
#define DEVICE_ROWS(X) X(DynamicResources, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0)
#define SCORED_DEVICE_ROWS(X) X(DynamicResources, 2, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0)

#define LAST_ROWS(X)                                                          \
    X(DefaultPreemption, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)               \
    X(NodeResourcesBalancedAllocation, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0) \
    X(ImageLocality, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)                   \
    X(DefaultBinder, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)

/* 1.36 */
#define FEATURE_ROWS(X) X(NodeDeclaredFeatures, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)

#define TEXT(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
#define NAME(id) TEXT(#id)

/* Keep a row in a list, or leave it out. An unwritten weight counts as 1. */
#define KEEP_0(id)
#define KEEP_1(id) {.name = NAME(id)},
#define SCORE_0(id, w)
#define SCORE_1(id, w) {.name = NAME(id), .weight = (w) == 0 ? 1 : (w)},

#define LIST(refs)                             \
    {                                          \
        refs, sizeof(refs) / sizeof((refs)[0]) \
    }

/* The points that run only for groups. Gates put two of these plugins into the default set. */
static const berth_plugin_ref placement_generate_refs[] = {
    {.name = TEXT("TopologyPlacementGenerator")},
};
static const berth_plugin_ref placement_score_refs[] = {
    {.name = TEXT("NodeResourcesFit"), .weight = 1},
    {.name = TEXT("PodGroupPodsCount"), .weight = 1},
};
#define PLACEMENT_LISTS                                               \
    [BERTH_POINT_PLACEMENT_GENERATE] = LIST(placement_generate_refs), \
    [BERTH_POINT_PLACEMENT_SCORE] = LIST(placement_score_refs),

#define FIRST_ROWS(X) QUEUE_ROWS(X) NODE_ROWS(X) MIDDLE_ROWS(X)

#define DEFAULT_TABLE(X) FIRST_ROWS(X) LAST_ROWS(X)
#define OF_TABLE(name) name##_32
#define GROUP_LISTS
#include "plugins/profile_default_lists.h"

#define DEFAULT_TABLE(X) FIRST_ROWS(X) DEVICE_ROWS(X) LAST_ROWS(X)
#define OF_TABLE(name) name##_34
#define GROUP_LISTS
#include "plugins/profile_default_lists.h"

#define DEFAULT_TABLE(X) FIRST_ROWS(X) SCORED_DEVICE_ROWS(X) LAST_ROWS(X)
#define OF_TABLE(name) name##_35
#define GROUP_LISTS
#include "plugins/profile_default_lists.h"

#define DEFAULT_TABLE(X) FIRST_ROWS(X) SCORED_DEVICE_ROWS(X) LAST_ROWS(X) FEATURE_ROWS(X)
#define OF_TABLE(name) name##_36
#define GROUP_LISTS PLACEMENT_LISTS
#include "plugins/profile_default_lists.h"

#define DEFAULT_TABLE(X) \
    QUEUE_ROWS(X)        \
    PREPARED_NODE_ROWS(X) MIDDLE_ROWS(X) SCORED_DEVICE_ROWS(X) LAST_ROWS(X) FEATURE_ROWS(X)
#define OF_TABLE(name) name##_37
#define POST_FILTER_LIST [BERTH_POINT_POD_GROUP_POST_FILTER] = LIST(post_filter_refs_37),
#define GROUP_LISTS PLACEMENT_LISTS POST_FILTER_LIST
#include "plugins/profile_default_lists.h"

/* The default set of a version and of all versions up to the next entry. */
typedef struct default_set {
    uint32_t since; /* Kubernetes 1.`since` */
    const berth__plugin_info *infos;
    uint32_t info_count;
    const berth_profile *profile;
} default_set;

#define SET(minor)                                                              \
    {                                                                           \
        minor, infos_##minor, sizeof(infos_##minor) / sizeof(infos_##minor[0]), \
            &default_profile_##minor                                            \
    }
static const default_set sets[] = {SET(32), SET(34), SET(35), SET(36), SET(37)};

static const default_set *set_of(uint32_t release)
{
    const default_set *found = NULL;
    const uint32_t minor = berth__minor_of(release);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        if (sets[i].since <= minor && minor <= BERTH__KUBERNETES_NEWEST)
            found = &sets[i];
    return found;
}

const berth_profile *berth_profile_default_of(uint32_t kubernetes)
{
    const default_set *set = set_of(kubernetes);
    return set != NULL ? set->profile : NULL;
}

const berth_profile *berth_profile_default(void)
{
    return set_of(0)->profile;
}

berth_plugin_list berth_profile_list(const berth_profile *profile, berth_point point)
{
    return (uint32_t)point < profile->point_count ? profile->points[point] : (berth_plugin_list){0};
}

const char *berth_point_name(berth_point point)
{
    static const char *const names[BERTH_POINT_COUNT] = {
#define X(name, text) [BERTH_POINT_##name] = text,
        BERTH_POINT_LIST(X)
#undef X
    };
    BERTH_ASSERT((unsigned)point < BERTH_POINT_COUNT);
    return names[point];
}

const berth__plugin_info *berth__plugin_infos(uint32_t release, uint32_t *count)
{
    const default_set *set = set_of(release);
    BERTH_ASSERT(set != NULL);
    *count = set->info_count;
    return set->infos;
}

const berth__plugin_info *berth__plugin_info_find(uint32_t release, berth_str name)
{
    uint32_t count;
    const berth__plugin_info *infos = berth__plugin_infos(release, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (berth__str_eq(infos[i].name, name))
            return &infos[i];
    }
    return NULL;
}

bool berth__plugin_info_removed(berth_str name)
{
    return berth__str_is(name, "EBSLimits") || berth__str_is(name, "GCEPDLimits") ||
           berth__str_is(name, "AzureDiskLimits") || berth__str_is(name, "CinderLimits");
}
