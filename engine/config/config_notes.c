/* Notes about a configuration that is read although it has arguments of plugins that do not exist.
 * Source of the rule: kube-scheduler v1.37.2, framework/runtime/framework.go (NewFramework):
 * arguments reach only the plugins that a profile enables; all others are ignored. */
#include "config/config.h"

#include <stdio.h>

#include "base/text.h"
#include "plugins/profile_lists.h"
#include "text/nearest.h"

/* Plugins of kube-scheduler that are outside the default sets for single pods. */
static bool is_of_groups(berth_str plugin)
{
    return berth__str_is(plugin, "DynamicResources") || berth__str_is(plugin, "GangScheduling") ||
           berth__str_is(plugin, "TopologyPlacementGenerator") ||
           berth__str_is(plugin, "PodGroupPodsCount") ||
           berth__str_is(plugin, "DeferredPodScheduling");
}

static bool is_enabled(const berth_profile *profile, berth_str plugin)
{
    for (uint32_t p = 0; p < profile->point_count; p++)
        for (uint32_t i = 0; i < profile->points[p].count; i++)
            if (berth__str_eq(profile->points[p].items[i].name, plugin))
                return true;
    return false;
}

static berth_str nearest_plugin(uint32_t release, berth_str word)
{
    uint32_t count;
    const berth__plugin_info *infos = berth__plugin_infos(release, &count);
    berth__nearest nearest = berth__nearest_begin(word);
    for (uint32_t i = 0; i < count; i++)
        berth__nearest_try(&nearest, infos[i].name);
    return nearest.found;
}

static berth_status add(berth__config_tree *tree, const berth__json *entry, berth_str plugin,
                        berth_scheduler_config *config)
{
    berth__config_note *note = berth__config_array(tree, 1, sizeof(*note));
    bool ok = true;
    if (note == NULL)
        return BERTH_E_NOMEM;
    size_t before = berth__config_enter(tree, "name");
    note->source = berth__arena_str(tree->arena, berth__text_of(tree->source), &ok);
    note->field = berth__arena_str(tree->arena, berth__text_of(tree->path), &ok);
    berth__config_leave(tree, before);
    if (!ok)
        return berth__config_nomem(tree);
    note->line = berth__json_line_of(entry, "name");
    note->plugin = plugin;
    note->suggestion = nearest_plugin(tree->release, plugin);
    berth__config_note **end = &config->notes;
    while (*end != NULL)
        end = &(*end)->next;
    *end = note;
    return BERTH_OK;
}

berth_status berth__config_args_note(berth__config_tree *tree, const berth__json *profile,
                                     const berth__config_args_list *args, const berth_profile *made,
                                     berth_scheduler_config *config)
{
    const berth__json *list = berth__config_member(profile, "pluginConfig");
    size_t outer = berth__config_enter(tree, "pluginConfig");
    for (uint32_t i = 0; i < args->count; i++) {
        const berth_str plugin = args->items[i].plugin;
        if (berth__plugin_info_find(tree->release, plugin) != NULL || is_of_groups(plugin) ||
            is_enabled(made, plugin))
            continue;
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(add(tree, &list->as.items[i], plugin, config));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    return BERTH_OK;
}

void berth_scheduler_config_notes(const berth_scheduler_config *config, berth_note_fn note,
                                  void *context)
{
    for (const berth__config_note *at = config->notes; at != NULL && note != NULL; at = at->next) {
        berth_error place = {.line = at->line, .offset = UINT64_MAX};
        snprintf(place.source, sizeof(place.source), "%.*s", (int)at->source.len, at->source.data);
        snprintf(place.field, sizeof(place.field), "%.*s", (int)at->field.len, at->field.data);
        note(context, &(berth_note){.size = sizeof(berth_note),
                                    .what = BERTH_NOTE_UNKNOWN_PLUGIN,
                                    .place = &place,
                                    .kind = BERTH_STR("KubeSchedulerConfiguration"),
                                    .word = at->plugin,
                                    .suggestion = at->suggestion});
    }
}
