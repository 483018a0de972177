/* Profiles with one predicate or one priority of v1.15. */
#ifndef BERTH_TESTS_UNIT_LEGACY_RULES_H
#define BERTH_TESTS_UNIT_LEGACY_RULES_H

#include "profile_points.h"
#include "rule_cluster.h"

/* A profile with the named predicate or priority, or with neither. */
typedef struct lone_plugin {
    berth_plugin_ref predicate;
    berth_plugin_ref priority;
    berth_profile profile;
    profile_points points;
} lone_plugin;

static inline berth_str str(const char *text)
{
    return (berth_str){text, text != NULL ? (uint32_t)strlen(text) : 0};
}

static inline const berth_profile *lone(lone_plugin *out, const char *predicate,
                                        const char *priority, const berth_plugin_args *args)
{
    *out = (lone_plugin){.predicate = {.name = str(predicate), .args = args},
                         .priority = {.name = str(priority), .weight = 1, .args = args},
                         .profile = {.era = BERTH_ERA_V1ALPHA1, .always_check_all = true}};
    berth_plugin_list *points = own_points(&out->profile, &out->points);
    points[BERTH_POINT_FILTER] = (berth_plugin_list){&out->predicate, predicate != NULL};
    points[BERTH_POINT_SCORE] = (berth_plugin_list){&out->priority, priority != NULL};
    return &out->profile;
}

static inline void open_with_predicate(small_cluster *c, const char *predicate)
{
    lone_plugin plugin;
    small_open(c, lone(&plugin, predicate, NULL, NULL));
}

static inline void open_with_priority(small_cluster *c, const char *priority)
{
    lone_plugin plugin;
    small_open(c, lone(&plugin, NULL, priority, NULL));
}

static inline void check_refusal(small_cluster *c, berth_node_id node, const char *wanted)
{
    assert_string_equal(small_refusal(c, node), wanted);
}

/* Adds a pending pod and checks why the node refuses it; "" if it does not. */
static inline void check_pod(small_cluster *c, berth_node_id node, const char *name,
                             const char *spec, const char *wanted)
{
    small_decide(c, small_pod(c, name, NULL, "", spec));
    check_refusal(c, node, wanted);
}

#endif
