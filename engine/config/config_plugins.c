/* The plugin lists of a v1 profile: merges the user's sets into the defaults, then expands them to
 * the plugins that run at each extension point. Source of the rules: kube-scheduler v1.32.2,
 * apis/config/v1/default_plugins.go (merge) and framework/runtime/framework.go (expansion).
 *
 * The defaults are all in multiPoint, so merging concerns only multiPoint. A plugin that is not in
 * the table may be an embedder's own: it is kept, and the engine decides whether it exists. In
 * multiPoint, it is listed at every point except queueSort and bind, because only its owner knows
 * the points that it implements.
 *
 * Some points run only for groups of pods. Two of their plugins are in the default set only behind
 * feature gates, which the reader does not know, so they are listed as if the gates were on. */
#include "config/config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/text.h"
#include "model/behaviours.h"
#include "plugins/profile_lists.h"

/* The points, followed by multiPoint. */
enum { MULTI = BERTH_POINT_COUNT, SET_COUNT };

typedef struct plugin_entry {
    berth_str name;
    int32_t weight; /* 0: absent */
} plugin_entry;

typedef struct plugin_set {
    const plugin_entry *enabled;
    uint32_t enabled_count;
    const plugin_entry *disabled;
    uint32_t disabled_count;
} plugin_set;

/* The working data for one profile's expansion. */
typedef struct expansion {
    berth__config_tree *tree;
    const berth__config_args_list *args;
    plugin_set sets[SET_COUNT];
    plugin_entry *multi; /* multiPoint merged with the defaults */
    uint32_t multi_count;
} expansion;

static const char *set_name(unsigned set)
{
    return set == MULTI ? "multiPoint" : berth_point_name((berth_point)set);
}

/* ---- reading ---- */

static berth_status read_entry(berth__config_tree *tree, const berth__json *json, bool enabled,
                               plugin_entry *out)
{
    static const char *const fields[] = {"name", "weight", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    BERTH_TRY(berth__config_name(tree, json, "name", &out->name));
    BERTH_TRY(berth__config_int32(tree, json, "weight", (berth__config_range){0, INT32_MAX},
                                  &out->weight));
    const char *why = NULL;
    if (enabled && berth__plugin_info_removed(out->name))
        why = "was removed from kube-scheduler; NodeVolumeLimits counts these volumes";
    else if (enabled && berth__str_is(out->name, "*"))
        why = "stands for all plugins in a disabled list only";
    if (why == NULL)
        return BERTH_OK;
    berth__config_enter(tree, "name");
    return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" %s", (int)out->name.len,
                              out->name.data, why);
}

static berth_status read_entries(berth__config_tree *tree, const berth__json *set, const char *key,
                                 const plugin_entry **out, uint32_t *count)
{
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, set, key, &list));
    if (list == NULL)
        return BERTH_OK;
    plugin_entry *entries = berth__config_array(tree, list->count, sizeof(*entries));
    if (entries == NULL)
        return BERTH_E_NOMEM;
    bool enabled = berth__str_is(BERTH_STR("enabled"), key);
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_entry(tree, &list->as.items[i], enabled, &entries[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = entries;
    *count = list->count;
    return BERTH_OK;
}

static berth_status read_set(berth__config_tree *tree, const berth__json *plugins, const char *key,
                             plugin_set *out)
{
    static const char *const fields[] = {"enabled", "disabled", NULL};
    *out = (plugin_set){0};
    const berth__json *set = berth__config_member(plugins, key);
    if (set == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, key);
    BERTH_TRY(berth__config_object(tree, set, fields));
    BERTH_TRY(read_entries(tree, set, "enabled", &out->enabled, &out->enabled_count));
    BERTH_TRY(read_entries(tree, set, "disabled", &out->disabled, &out->disabled_count));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

/* ---- merging ---- */

/* Whether a plugin is behind a feature gate. Only such plugins of groups' points are listed, at
 * these points; for the others, the engine's own gates decide. */
static bool is_gated(const expansion *e, berth_str name)
{
    return berth__config_gated(name, berth__minor_of(e->tree->release));
}

/* The position of a name among entries, or `count`. */
static uint32_t find_entry(const plugin_entry *entries, uint32_t count, berth_str name)
{
    uint32_t i = 0;
    while (i < count && !berth__str_eq(entries[i].name, name))
        i++;
    return i;
}

static bool is_disabled(const plugin_set *set, berth_str name)
{
    return find_entry(set->disabled, set->disabled_count, name) < set->disabled_count;
}

static bool all_disabled(const plugin_set *set)
{
    return is_disabled(set, BERTH_STR("*"));
}

/* The last entry of a name replaces the default in its place; other entries are appended in
 * order. */
static uint32_t find_last(const plugin_set *set, berth_str name)
{
    uint32_t i = set->enabled_count;
    while (i > 0 && !berth__str_eq(set->enabled[i - 1].name, name))
        i--;
    return i == 0 ? set->enabled_count : i - 1;
}

static void merge_defaults(expansion *e, const berth__plugin_info *defaults, uint32_t count,
                           bool *replacing)
{
    const plugin_set *custom = &e->sets[MULTI];
    for (uint32_t i = 0; i < count && !all_disabled(custom); i++) {
        if (is_disabled(custom, defaults[i].name))
            continue;
        uint32_t at = find_last(custom, defaults[i].name);
        if (at < custom->enabled_count)
            replacing[at] = true;
        e->multi[e->multi_count++] = at < custom->enabled_count
                                         ? custom->enabled[at]
                                         : (plugin_entry){defaults[i].name, defaults[i].weight};
    }
}

static berth_status merge_multi(expansion *e)
{
    const plugin_set *custom = &e->sets[MULTI];
    uint32_t count;
    const berth__plugin_info *defaults = berth__plugin_infos(e->tree->release, &count);
    uint32_t gated_count;
    const berth__plugin_info *gated = berth__plugin_infos_gated(e->tree->release, &gated_count);
    e->multi = berth__config_array(e->tree, count + gated_count + custom->enabled_count,
                                   sizeof(*e->multi));
    bool *replacing = berth__config_array(e->tree, custom->enabled_count, sizeof(*replacing));
    if (e->multi == NULL || replacing == NULL)
        return BERTH_E_NOMEM;
    merge_defaults(e, defaults, count, replacing);
    merge_defaults(e, gated, gated_count, replacing);
    for (uint32_t i = 0; i < custom->enabled_count; i++) {
        if (!replacing[i])
            e->multi[e->multi_count++] = custom->enabled[i];
    }
    return BERTH_OK;
}

/* ---- expanding ---- */

static bool is_for_groups(berth_point point)
{
    return point >= BERTH_POINT_PLACEMENT_GENERATE;
}

static bool implements(const expansion *e, berth_str name, berth_point point)
{
    const uint32_t release = e->tree->release;
    const berth__plugin_info *info = berth__plugin_info_find(release, name);
    if (is_for_groups(point)) {
        if (info == NULL)
            info = berth__plugin_info_find_gated(release, name);
        return info != NULL && (info->points >> point & 1) != 0;
    }
    if (is_gated(e, name))
        return false;
    if (info == NULL)
        return point != BERTH_POINT_QUEUE_SORT && point != BERTH_POINT_BIND;
    return info->points >> point & 1;
}

/* Since 1.33, DefaultPreemption has a part at preEnqueue, which the table leaves out. */
static bool holds_preemptors(const expansion *e, berth_str name, berth_point point)
{
    return point == BERTH_POINT_PRE_ENQUEUE && berth__minor_of(e->tree->release) >= 33 &&
           berth__str_is(name, "DefaultPreemption");
}

static berth_status check_explicit(expansion *e, berth_point point)
{
    const plugin_set *set = &e->sets[point];
    size_t outer = berth__config_enter(e->tree, berth_point_name(point));
    size_t list = berth__config_enter(e->tree, "enabled");
    for (uint32_t i = 0; i < set->enabled_count; i++) {
        berth_str name = set->enabled[i].name;
        size_t before = berth__config_enter_at(e->tree, i);
        const bool ours = berth__plugin_info_find(e->tree->release, name) != NULL ||
                          (is_for_groups(point) && is_gated(e, name));
        if (ours && !implements(e, name, point) && !holds_preemptors(e, name, point))
            return berth__config_fail(e->tree, BERTH_E_INVALID,
                                      "plugin \"%.*s\" does not extend %s", (int)name.len,
                                      name.data, berth_point_name(point));
        if (find_entry(set->enabled, i, name) < i)
            return berth__config_fail(e->tree, BERTH_E_INVALID, "plugin \"%.*s\" is enabled twice",
                                      (int)name.len, name.data);
        berth__config_leave(e->tree, before);
    }
    berth__config_leave(e->tree, list);
    berth__config_leave(e->tree, outer);
    return BERTH_OK;
}

static bool is_served(const expansion *e, unsigned set)
{
    return set == MULTI || berth__plugin_point_exists(e->tree->release, (berth_point)set);
}

static berth_status read_sets(expansion *e, const berth__json *plugins)
{
    const char *fields[SET_COUNT + 1] = {NULL};
    unsigned count = 0;
    if (plugins == NULL)
        return BERTH_OK;
    for (unsigned s = 0; s < SET_COUNT; s++)
        if (is_served(e, s))
            fields[count++] = set_name(s);
    BERTH_TRY(berth__config_object(e->tree, plugins, fields));
    for (unsigned s = 0; s < SET_COUNT; s++)
        if (is_served(e, s))
            BERTH_TRY(read_set(e->tree, plugins, set_name(s), &e->sets[s]));
    return BERTH_OK;
}

static void append(const expansion *e, berth_point point, const plugin_entry *entry,
                   berth_plugin_ref *refs, uint32_t *count)
{
    const int32_t weight = entry->weight == 0 ? 1 : entry->weight;
    const bool is_scoring = point == BERTH_POINT_SCORE || point == BERTH_POINT_PLACEMENT_SCORE;
    refs[(*count)++] = (berth_plugin_ref){
        .name = entry->name,
        .weight = is_scoring ? weight : 0,
        .args = berth__config_args_find(e->args, entry->name),
    };
}

/* Whether multiPoint puts a plugin at a point: then an explicit entry overrides it. */
static bool multi_brings(const expansion *e, berth_point point, berth_str name)
{
    return implements(e, name, point) && !is_disabled(&e->sets[point], name) &&
           find_entry(e->multi, e->multi_count, name) < e->multi_count;
}

static berth_status append_multi(expansion *e, berth_point point, berth_plugin_ref *refs,
                                 uint32_t *count)
{
    const plugin_set *set = &e->sets[point];
    for (uint32_t i = 0; i < e->multi_count; i++) {
        berth_str name = e->multi[i].name;
        if (!implements(e, name, point) || is_disabled(set, name) ||
            find_entry(set->enabled, set->enabled_count, name) < set->enabled_count)
            continue;
        if (find_entry(e->multi, i, name) < i) {
            berth__config_enter(e->tree, "multiPoint");
            berth__config_enter(e->tree, "enabled");
            return berth__config_fail(e->tree, BERTH_E_INVALID, "plugin \"%.*s\" is enabled twice",
                                      (int)name.len, name.data);
        }
        append(e, point, &e->multi[i], refs, count);
    }
    return BERTH_OK;
}

/* First the explicit entries that override multiPoint, then multiPoint, then the other explicit
 * ones. `*` keeps multiPoint out of the point. */
static berth_status expand_point(expansion *e, berth_point point, berth_plugin_list *out)
{
    const plugin_set *set = &e->sets[point];
    bool closed = all_disabled(set);
    berth_plugin_ref *refs =
        berth__config_array(e->tree, set->enabled_count + e->multi_count, sizeof(*refs));
    if (refs == NULL)
        return BERTH_E_NOMEM;
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->enabled_count && !closed; i++) {
        if (multi_brings(e, point, set->enabled[i].name))
            append(e, point, &set->enabled[i], refs, &count);
    }
    if (!closed)
        BERTH_TRY(append_multi(e, point, refs, &count));
    for (uint32_t i = 0; i < set->enabled_count; i++) {
        if ((implements(e, set->enabled[i].name, point) || !is_gated(e, set->enabled[i].name)) &&
            (closed || !multi_brings(e, point, set->enabled[i].name)))
            append(e, point, &set->enabled[i], refs, &count);
    }
    BERTH_ASSERT(count <= set->enabled_count + e->multi_count);
    *out = (berth_plugin_list){refs, count};
    return BERTH_OK;
}

static berth_status check_counts(berth__config_tree *tree, const berth_profile *profile)
{
    uint32_t sorts = berth_profile_list(profile, BERTH_POINT_QUEUE_SORT).count;
    if (sorts != 1) {
        berth__config_enter(tree, "queueSort");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "exactly one plugin must sort the queue, not %" PRIu32, sorts);
    }
    if (berth_profile_list(profile, BERTH_POINT_BIND).count == 0) {
        berth__config_enter(tree, "bind");
        return berth__config_fail(tree, BERTH_E_INVALID, "at least one plugin must bind");
    }
    if (berth_profile_list(profile, BERTH_POINT_PLACEMENT_GENERATE).count > 1) {
        berth__config_enter(tree, "placementGenerate");
        return berth__config_fail(tree, BERTH_E_INVALID, "at most one plugin may make placements");
    }
    return BERTH_OK;
}

berth_status berth__config_plugins_read(berth__config_tree *tree, const berth__json *profile,
                                        const berth__config_args_list *args, berth_profile *out)
{
    expansion e = {.tree = tree, .args = args};
    size_t before = berth__config_enter(tree, "plugins");
    BERTH_TRY(read_sets(&e, berth__config_member(profile, "plugins")));
    BERTH_TRY(merge_multi(&e));
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++)
        BERTH_TRY(check_explicit(&e, (berth_point)p));
    berth_plugin_list *points = berth__config_array(tree, BERTH_POINT_COUNT, sizeof(*points));
    if (points == NULL)
        return BERTH_E_NOMEM;
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++)
        BERTH_TRY(expand_point(&e, (berth_point)p, &points[p]));
    out->points = points;
    out->point_count = BERTH_POINT_COUNT;
    BERTH_TRY(check_counts(tree, out));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

/* ---- queueSort of all profiles ---- */

static bool same_entries(const plugin_entry *a, uint32_t a_count, const plugin_entry *b,
                         uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++) {
        if (!berth__str_eq(a[i].name, b[i].name) || a[i].weight != b[i].weight)
            return false;
    }
    return true;
}

static bool same_plugin(const berth_plugin_ref *a, const berth_plugin_ref *b)
{
    static const berth_plugin_args none;
    const berth_plugin_args *a_args = a->args != NULL ? a->args : &none;
    const berth_plugin_args *b_args = b->args != NULL ? b->args : &none;
    return berth__str_eq(a->name, b->name) && berth__str_eq(a_args->raw_json, b_args->raw_json);
}

/* kube-scheduler requires that the sets agree as written. Their expansions must agree, too. */
berth_status berth__config_queue_sort_check(berth__config_tree *tree, const berth__json *list,
                                            const berth_profile *profiles)
{
    plugin_set first = {0};
    for (uint32_t i = 0; list != NULL && i < list->count; i++) {
        plugin_set set;
        const berth__json *plugins = berth__config_member(&list->as.items[i], "plugins");
        BERTH_TRY(read_set(tree, plugins, "queueSort", &set));
        if (i == 0)
            first = set;
        if (same_entries(first.enabled, first.enabled_count, set.enabled, set.enabled_count) &&
            same_entries(first.disabled, first.disabled_count, set.disabled, set.disabled_count) &&
            same_plugin(&profiles[0].points[BERTH_POINT_QUEUE_SORT].items[0],
                        &profiles[i].points[BERTH_POINT_QUEUE_SORT].items[0]))
            continue;
        berth__config_enter(tree, "profiles");
        berth__config_enter_at(tree, i);
        berth__config_enter(tree, "plugins");
        berth__config_enter(tree, "queueSort");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be the same in all profiles");
    }
    return BERTH_OK;
}
