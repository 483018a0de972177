/* The default profiles of kube-scheduler by version, made from one table of plugins.
 * Source: v1.32.2, v1.34.4, v1.35.4, v1.36.2 and v1.37.2, apis/config/v1/default_plugins.go and the
 * interfaces of each plugin. */
#include "plugins/profile_lists.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/text.h"
#include "model/behaviours.h"

/* The points of a plugin, each a bit. */
enum {
#define X(name, text) name = 1 << BERTH_POINT_##name,
    BERTH_POINT_LIST(X)
#undef X
};

enum { FIRST = BERTH__KUBERNETES_OLDEST, LAST = BERTH__KUBERNETES_NEWEST };

/* A plugin of the default set, as Kubernetes 1.`since` to 1.`until` have it. */
typedef struct row {
    uint8_t since, until;
    bool gated; /* a feature gate puts it into the set; it runs only for groups of pods */
    berth_str name;
    int32_t weight; /* 0: none is written */
    uint32_t points;
} row;

#define ROW(since, until, id, weight, points)                       \
    {                                                               \
        since, until, false, {#id, sizeof(#id) - 1}, weight, points \
    }
#define GATED(since, until, id, weight, points)                    \
    {                                                              \
        since, until, true, {#id, sizeof(#id) - 1}, weight, points \
    }

/* In the order of every version's list. DefaultPreemption's preEnqueue (since 1.33) is left out: it
 * holds a pod until the deletion of its victims was requested, which this engine does at once. */
/* clang-format off */
static const row rows[] = {
    ROW(FIRST, LAST, SchedulingGates, 0, PRE_ENQUEUE),
    ROW(FIRST, LAST, PrioritySort, 0, QUEUE_SORT),
    ROW(FIRST, 36, NodeUnschedulable, 0, FILTER),
    ROW(FIRST, 36, NodeName, 0, FILTER),
    ROW(FIRST, 36, TaintToleration, 3, FILTER | PRE_SCORE | SCORE),
    ROW(37, LAST, NodeName, 0, PRE_FILTER | FILTER),
    ROW(37, LAST, NodeUnschedulable, 0, PRE_FILTER | FILTER),
    ROW(37, LAST, TaintToleration, 3, PRE_FILTER | FILTER | PRE_SCORE | SCORE),
    ROW(FIRST, LAST, NodeAffinity, 2, PRE_FILTER | FILTER | PRE_SCORE | SCORE),
    ROW(FIRST, LAST, NodePorts, 0, PRE_FILTER | FILTER),
    ROW(FIRST, 35, NodeResourcesFit, 1, PRE_FILTER | FILTER | PRE_SCORE | SCORE),
    ROW(36, LAST, NodeResourcesFit, 1, PRE_FILTER | FILTER | PRE_SCORE | SCORE | PLACEMENT_SCORE),
    ROW(FIRST, LAST, VolumeRestrictions, 0, PRE_FILTER | FILTER),
    ROW(FIRST, LAST, NodeVolumeLimits, 0, PRE_FILTER | FILTER),
    ROW(FIRST, LAST, VolumeBinding, 0,
        PRE_FILTER | FILTER | PRE_SCORE | SCORE | RESERVE | PRE_BIND),
    ROW(FIRST, LAST, VolumeZone, 0, PRE_FILTER | FILTER),
    ROW(FIRST, LAST, PodTopologySpread, 2, PRE_FILTER | FILTER | PRE_SCORE | SCORE),
    ROW(FIRST, LAST, InterPodAffinity, 2, PRE_FILTER | FILTER | PRE_SCORE | SCORE),
    ROW(34, 34, DynamicResources, 0,
        PRE_ENQUEUE | PRE_FILTER | FILTER | POST_FILTER | RESERVE | PRE_BIND),
    ROW(35, 36, DynamicResources, 2,
        PRE_ENQUEUE | PRE_FILTER | FILTER | POST_FILTER | SCORE | RESERVE | PRE_BIND),
    ROW(37, LAST, DynamicResources, 2,
        PRE_ENQUEUE | PRE_FILTER | FILTER | POST_FILTER | SCORE | RESERVE | PRE_BIND |
        POD_GROUP_POST_FILTER),
    ROW(FIRST, 36, DefaultPreemption, 0, POST_FILTER),
    ROW(37, LAST, DefaultPreemption, 0, POST_FILTER | POD_GROUP_POST_FILTER),
    ROW(FIRST, LAST, NodeResourcesBalancedAllocation, 1, PRE_SCORE | SCORE),
    ROW(FIRST, LAST, ImageLocality, 1, SCORE),
    ROW(FIRST, LAST, DefaultBinder, 0, BIND),
    ROW(36, LAST, NodeDeclaredFeatures, 0, PRE_FILTER | FILTER),
    GATED(36, LAST, TopologyPlacementGenerator, 0, PLACEMENT_GENERATE),
    GATED(36, LAST, PodGroupPodsCount, 1, PLACEMENT_SCORE),
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]), REFS_MAX = 96 };

/* What a version has of the table. */
typedef struct default_set {
    berth__plugin_info infos[ROWS]; /* the ones behind gates are the last */
    uint32_t info_count, gated_count;
    berth_plugin_ref refs[REFS_MAX]; /* the lists of all points, one after the other */
    berth_plugin_list points[BERTH_POINT_COUNT];
    berth_profile profile;
} default_set;

/* Made once, by whichever thread asks first; not changed afterwards. */
static default_set sets[LAST - FIRST + 1];
static pthread_once_t sets_made = PTHREAD_ONCE_INIT;

static bool scores(unsigned point)
{
    return point == BERTH_POINT_SCORE || point == BERTH_POINT_PLACEMENT_SCORE;
}

/* A score without a written weight weighs 1. */
static int32_t weight_at(const berth__plugin_info *info, unsigned point)
{
    return !scores(point) ? 0 : info->weight == 0 ? 1 : info->weight;
}

static void make_lists(default_set *set)
{
    uint32_t used = 0;
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++) {
        const uint32_t first = used;
        for (uint32_t i = 0; i < set->info_count + set->gated_count; i++) {
            const berth__plugin_info *info = &set->infos[i];
            if ((info->points >> p & 1) == 0)
                continue;
            BERTH_ASSERT(used < REFS_MAX);
            set->refs[used++] =
                (berth_plugin_ref){.name = info->name, .weight = weight_at(info, p)};
        }
        set->points[p] = (berth_plugin_list){&set->refs[first], used - first};
    }
}

static void make_sets(void)
{
    for (uint32_t minor = FIRST; minor <= LAST; minor++) {
        default_set *set = &sets[minor - FIRST];
        for (uint32_t i = 0; i < ROWS; i++) {
            if (minor < rows[i].since || minor > rows[i].until)
                continue;
            set->infos[set->info_count + set->gated_count] =
                (berth__plugin_info){rows[i].name, rows[i].points, rows[i].weight};
            *(rows[i].gated ? &set->gated_count : &set->info_count) += 1;
        }
        make_lists(set);
        set->profile = (berth_profile){
            .scheduler_name = BERTH_STR("default-scheduler"),
            .era = BERTH_ERA_V1,
            .points = set->points,
            .point_count = BERTH_POINT_COUNT,
        };
    }
}

static const default_set *set_of(uint32_t release)
{
    const uint32_t minor = berth__minor_of(release);
    if (pthread_once(&sets_made, make_sets) != 0 || minor < FIRST || minor > LAST)
        return NULL;
    return &sets[minor - FIRST];
}

const berth_profile *berth_profile_default_of(uint32_t kubernetes)
{
    const default_set *set = set_of(kubernetes);
    return set != NULL ? &set->profile : NULL;
}

const berth_profile *berth_profile_default(void)
{
    return &set_of(0)->profile;
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

const berth__plugin_info *berth__plugin_infos_gated(uint32_t release, uint32_t *count)
{
    const default_set *set = set_of(release);
    BERTH_ASSERT(set != NULL);
    *count = set->gated_count;
    return set->infos + set->info_count;
}

static const berth__plugin_info *find(const berth__plugin_info *infos, uint32_t count,
                                      berth_str name)
{
    for (uint32_t i = 0; i < count; i++)
        if (berth__str_eq(infos[i].name, name))
            return &infos[i];
    return NULL;
}

const berth__plugin_info *berth__plugin_info_find(uint32_t release, berth_str name)
{
    uint32_t count;
    const berth__plugin_info *infos = berth__plugin_infos(release, &count);
    return find(infos, count, name);
}

const berth__plugin_info *berth__plugin_info_find_gated(uint32_t release, berth_str name)
{
    uint32_t count;
    const berth__plugin_info *infos = berth__plugin_infos_gated(release, &count);
    return find(infos, count, name);
}

bool berth__plugin_point_exists(uint32_t release, berth_point point)
{
    const default_set *set = set_of(release);
    const bool for_groups = point >= BERTH_POINT_PLACEMENT_GENERATE;
    return set != NULL && (!for_groups || set->points[point].count > 0);
}

bool berth__plugin_info_removed(berth_str name)
{
    return berth__str_is(name, "EBSLimits") || berth__str_is(name, "GCEPDLimits") ||
           berth__str_is(name, "AzureDiskLimits") || berth__str_is(name, "CinderLimits");
}
