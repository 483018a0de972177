/* Notes about plugins that kube-scheduler does not have.
 * Source of the rules: kube-scheduler v1.37.2, framework/runtime/framework.go (NewFramework):
 * arguments reach only the plugins that a profile enables; all others are ignored. A profile that
 * enables a plugin that does not exist is refused. The library can't refuse it: only the engine
 * knows the embedder's own plugins. */
#include "config/config.h"

#include <stdio.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/behaviours.h"
#include "plugins/profile_lists.h"

/* Plugins of kube-scheduler that run only behind a feature gate. */
typedef struct gated_plugin {
    const char *name;
    uint32_t since;          /* Kubernetes 1.`since` */
    uint32_t followed_since; /* from which version on the gate is implemented here; 0: none */
    const char *gate;
} gated_plugin;

static const gated_plugin gated[] = {
    {"GangScheduling", 35, 37, "GenericWorkload"},
    {"TopologyPlacementGenerator", 36, 37, "TopologyAwareWorkloadScheduling"},
    {"PodGroupPodsCount", 36, 37, "TopologyAwareWorkloadScheduling"},
    {"DeferredPodScheduling", 37, 0, ""},
};

static const gated_plugin *find_gated(berth_str plugin, uint32_t minor)
{
    for (size_t i = 0; i < sizeof(gated) / sizeof(gated[0]); i++)
        if (gated[i].since <= minor && berth__str_is(plugin, gated[i].name))
            return &gated[i];
    return NULL;
}

bool berth__config_gated(berth_str plugin, uint32_t minor)
{
    return find_gated(plugin, minor) != NULL;
}

/* Whether that release's kube-scheduler has the plugin. Until 1.33, DynamicResources is not in the
 * default set. */
static bool is_known(berth_str plugin, uint32_t release)
{
    return berth__plugin_info_find(release, plugin) != NULL ||
           berth__str_is(plugin, "DynamicResources");
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

static berth_str name_of(const berth__json *entry)
{
    return berth__config_member(entry, "name")->as.text;
}

static berth_status add(berth__config_tree *tree, const berth__json *entry, berth_note_kind what,
                        berth_scheduler_config *config)
{
    berth__config_note *note = berth__config_array(tree, 1, sizeof(*note));
    bool ok = true;
    if (note == NULL)
        return BERTH_E_NOMEM;
    note->what = what;
    size_t before = berth__config_enter(tree, "name");
    note->source = berth__arena_str(tree->arena, berth__text_of(tree->source), &ok);
    note->field = berth__arena_str(tree->arena, berth__text_of(tree->path), &ok);
    note->plugin = berth__arena_str(tree->arena, name_of(entry), &ok);
    berth__config_leave(tree, before);
    if (!ok)
        return berth__config_nomem(tree);
    note->line = berth__json_line_of(entry, "name");
    const gated_plugin *behind = find_gated(note->plugin, berth__minor_of(tree->release));
    note->suggestion =
        behind != NULL ? berth__text_of(behind->gate) : nearest_plugin(tree->release, note->plugin);
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
        if (is_known(plugin, tree->release) ||
            berth__config_gated(plugin, BERTH__KUBERNETES_NEWEST) || is_enabled(made, plugin))
            continue;
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(add(tree, &list->as.items[i], BERTH_NOTE_UNKNOWN_PLUGIN, config));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    return BERTH_OK;
}

static berth_status note_entry(berth__config_tree *tree, const berth__json *entry,
                               berth_scheduler_config *config)
{
    const berth_str plugin = name_of(entry);
    if (is_known(plugin, tree->release))
        return BERTH_OK;
    const uint32_t minor = berth__minor_of(tree->release);
    const gated_plugin *behind = find_gated(plugin, minor);
    if (behind == NULL)
        return add(tree, entry, BERTH_NOTE_FOREIGN_PLUGIN, config);
    if (behind->followed_since != 0 && minor >= behind->followed_since)
        return add(tree, entry, BERTH_NOTE_GATED_PLUGIN, config);
    berth__config_enter(tree, "name");
    return berth__config_fail(tree, BERTH_E_UNSUPPORTED,
                              "kube-scheduler has the plugin \"%.*s\", but it is not implemented "
                              "here",
                              (int)plugin.len, plugin.data);
}

/* The reader of the plugin lists has checked the types. */
berth_status berth__config_plugins_note(berth__config_tree *tree, const berth__json *profile,
                                        berth_scheduler_config *config)
{
    const berth__json *plugins = berth__config_member(profile, "plugins");
    size_t outer = berth__config_enter(tree, "plugins");
    for (uint32_t p = 0; plugins != NULL && p < plugins->count; p++) {
        const berth__json *set = &plugins->as.members[p].value;
        char key[64];
        snprintf(key, sizeof(key), "%.*s", (int)plugins->as.members[p].key.len,
                 plugins->as.members[p].key.data);
        const berth__json *list =
            set->type == BERTH__JSON_OBJECT ? berth__config_member(set, "enabled") : NULL;
        size_t point = berth__config_enter(tree, key);
        size_t enabled = berth__config_enter(tree, "enabled");
        for (uint32_t i = 0; list != NULL && i < list->count; i++) {
            size_t before = berth__config_enter_at(tree, i);
            BERTH_TRY(note_entry(tree, &list->as.items[i], config));
            berth__config_leave(tree, before);
        }
        berth__config_leave(tree, enabled);
        berth__config_leave(tree, point);
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
                                    .what = at->what,
                                    .place = &place,
                                    .kind = BERTH_STR("KubeSchedulerConfiguration"),
                                    .word = at->plugin,
                                    .suggestion = at->suggestion});
    }
}
