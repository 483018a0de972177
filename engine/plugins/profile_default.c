/* The default profile of kube-scheduler v1.32 and the one table that it comes from.
 * The preprocessor cuts the lists of all points out of the table, so that the points of a plugin
 * are written down once.
 * Source: v1.32.2, apis/config/v1/default_plugins.go and the interfaces of each plugin. */
#include "plugins/profile_lists.h"

#include "base/assert.h"
#include "base/text.h"

/* Name, weight, and whether the plugin implements each point, in the order of BERTH_POINT_LIST:
 * preEnqueue, queueSort, preFilter, filter, postFilter, preScore, score, reserve, permit, preBind,
 * bind, postBind. (DefaultPreemption's preEnqueue does nothing without the gate
 * SchedulerAsyncPreemption and is left out.) */
#define PLUGIN_TABLE(X)                                                       \
    X(SchedulingGates, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)                 \
    X(PrioritySort, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)                    \
    X(NodeUnschedulable, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)               \
    X(NodeName, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)                        \
    X(TaintToleration, 3, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0)                 \
    X(NodeAffinity, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)                    \
    X(NodePorts, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)                       \
    X(NodeResourcesFit, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)                \
    X(VolumeRestrictions, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)              \
    X(NodeVolumeLimits, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)                \
    X(VolumeBinding, 0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0)                   \
    X(VolumeZone, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)                      \
    X(PodTopologySpread, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)               \
    X(InterPodAffinity, 2, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0)                \
    X(DefaultPreemption, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)               \
    X(NodeResourcesBalancedAllocation, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0) \
    X(ImageLocality, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)                   \
    X(DefaultBinder, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)

#define TEXT(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
#define NAME(id) TEXT(#id)

static const berth__plugin_info infos[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob)                                   \
    {NAME(id),                                                                                     \
     pe << BERTH_POINT_PRE_ENQUEUE | qs << BERTH_POINT_QUEUE_SORT | pf << BERTH_POINT_PRE_FILTER | \
         f << BERTH_POINT_FILTER | po << BERTH_POINT_POST_FILTER | ps << BERTH_POINT_PRE_SCORE |   \
         s << BERTH_POINT_SCORE | r << BERTH_POINT_RESERVE | p << BERTH_POINT_PERMIT |             \
         pb << BERTH_POINT_PRE_BIND | b << BERTH_POINT_BIND | ob << BERTH_POINT_POST_BIND,         \
     weight},
    PLUGIN_TABLE(X)
#undef X
};

enum { INFO_COUNT = sizeof(infos) / sizeof(infos[0]) };

/* A row kept in a list, or left out of it. An unwritten weight counts 1 where weights count. */
#define KEEP_0(id)
#define KEEP_1(id) {.name = NAME(id)},
#define SCORE_0(id, w)
#define SCORE_1(id, w) {.name = NAME(id), .weight = (w) == 0 ? 1 : (w)},

static const berth_plugin_ref pre_enqueue_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pe(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref queue_sort_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##qs(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref pre_filter_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pf(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref filter_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##f(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref post_filter_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##po(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref pre_score_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##ps(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref score_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) SCORE_##s(id, weight)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref reserve_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##r(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref pre_bind_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##pb(id)
    PLUGIN_TABLE(X)
#undef X
};

static const berth_plugin_ref bind_refs[] = {
#define X(id, weight, pe, qs, pf, f, po, ps, s, r, p, pb, b, ob) KEEP_##b(id)
    PLUGIN_TABLE(X)
#undef X
};

#define LIST(refs)                             \
    {                                          \
        refs, sizeof(refs) / sizeof((refs)[0]) \
    }

/* No plugin of the default set has permit or postBind; their lists stay empty. */
static const berth_profile default_profile = {
    .scheduler_name = TEXT("default-scheduler"),
    .era = BERTH_ERA_V1,
    .points =
        {
            [BERTH_POINT_PRE_ENQUEUE] = LIST(pre_enqueue_refs),
            [BERTH_POINT_QUEUE_SORT] = LIST(queue_sort_refs),
            [BERTH_POINT_PRE_FILTER] = LIST(pre_filter_refs),
            [BERTH_POINT_FILTER] = LIST(filter_refs),
            [BERTH_POINT_POST_FILTER] = LIST(post_filter_refs),
            [BERTH_POINT_PRE_SCORE] = LIST(pre_score_refs),
            [BERTH_POINT_SCORE] = LIST(score_refs),
            [BERTH_POINT_RESERVE] = LIST(reserve_refs),
            [BERTH_POINT_PRE_BIND] = LIST(pre_bind_refs),
            [BERTH_POINT_BIND] = LIST(bind_refs),
        },
};

const berth_profile *berth_profile_default(void)
{
    return &default_profile;
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

const berth__plugin_info *berth__plugin_infos(uint32_t *count)
{
    *count = INFO_COUNT;
    return infos;
}

const berth__plugin_info *berth__plugin_info_find(berth_str name)
{
    for (uint32_t i = 0; i < INFO_COUNT; i++) {
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
