/* Scheduler configurations: declarations shared by the files that read them. config.c is the entry;
 * config_plugins.c and config_args.c read v1 profiles; config_legacy.c reads v1alpha1 and
 * Policy. */
#ifndef BERTH_CONFIG_CONFIG_H
#define BERTH_CONFIG_CONFIG_H

#include "berth/kube.h"
#include "config/config_tree.h"

/* A remark about a plugin that kube-scheduler does not have, and its position. */
typedef struct berth__config_note {
    struct berth__config_note *next;
    berth_note_kind what;
    berth_str source, field, plugin;
    berth_str suggestion; /* absent: no similar name */
    uint32_t line;
} berth__config_note;

/* The arena holds everything except this struct. */
struct berth_scheduler_config {
    berth__arena arena;
    berth__config_note *notes; /* in the order of the text */
    const berth_profile *profiles;
    uint32_t profile_count;
    berth_backoff backoff;
    const berth_extender_config *extenders;
    uint32_t extender_count;
};

/* ---- config.c ---- */

/* The text to read, and its origin. */
typedef struct berth__config_source {
    berth_str text;
    const char *path; /* files that it names are relative to its folder; NULL: from memory */
    uint32_t release; /* as berth_engine_config.kubernetes */
    bool extenders;   /* the caller handles extenders; otherwise they are refused */
} berth__config_source;

/* Read from the file `from.path`, or from `from.text` if that is NULL. */
berth_status berth__config_read(const berth_allocator *allocator, berth__config_source from,
                                const char *name, berth_scheduler_config **out, berth_error *error);

/* Read a whole file into `scratch`. `tree->source` becomes its path. A relative `path` starts at
 * the folder of the file `base`, or at the current folder if that is NULL. */
berth_status berth__config_open(berth__config_tree *tree, berth__arena *scratch, const char *base,
                                berth_str path, berth__config_source *out);

/* Parse JSON or YAML that holds one document; the tree is allocated in `scratch`. A line of three
 * dots does not end a YAML document here, because samples use it for "and so on". */
berth_status berth__config_parse(berth__config_tree *tree, berth__arena *scratch, berth_str text,
                                 const berth__json **out);

/* Read members that exist in both eras. `*out` must hold the defaults. */
berth_status berth__config_backoff_read(berth__config_tree *tree, const berth__json *object,
                                        berth_backoff *out);

/* Refuse a list of extenders unless it is empty. */
berth_status berth__config_extenders_refuse(berth__config_tree *tree, const berth__json *object);

/* ---- config_duration.c ---- */

/* Read a member such as "1m30s", at least `least_ns` (INT64_MIN: any). Without it, `*out_ns` keeps
 * its value. */
berth_status berth__config_duration(berth__config_tree *tree, const berth__json *object,
                                    const char *key, int64_t least_ns, int64_t *out_ns);

/* ---- config_process.c ---- */

/* Check the types and names of the members that change no decision. */
berth_status berth__config_process_check(berth__config_tree *tree, const berth__json *root);

/* ---- config_extenders.c ---- */

/* Read the extenders of a v1 configuration, whose profiles were read before: resources that an
 * extender manages and the scheduler ignores become their ignored resources. */
berth_status berth__config_extenders_read(berth__config_tree *tree, const berth__json *root,
                                          berth_scheduler_config *config);

/* ---- config_args.c ---- */

/* One entry of pluginConfig. */
typedef struct berth__config_args {
    berth_str plugin;
    const berth_plugin_args *args;
} berth__config_args;

typedef struct berth__config_args_list {
    const berth__config_args *items;
    uint32_t count;
} berth__config_args_list;

/* Decode and check the member pluginConfig of a profile. */
berth_status berth__config_args_read(berth__config_tree *tree, const berth__json *profile,
                                     berth__config_args_list *out);

/* The arguments of a plugin; NULL: use its defaults. */
const berth_plugin_args *berth__config_args_find(const berth__config_args_list *list,
                                                 berth_str plugin);

/* Decode the member "shape" of a requested-to-capacity-ratio function. */
berth_status berth__config_shape_read(berth__config_tree *tree, const berth__json *object,
                                      berth_fit_args *out);

/* ---- config_plugins.c ---- */

/* Expand the member plugins of a profile, merged with the defaults, into `out->points`. */
berth_status berth__config_plugins_read(berth__config_tree *tree, const berth__json *profile,
                                        const berth__config_args_list *args, berth_profile *out);

/* All profiles must sort the queue in the same way. `list` is the source of `profiles`. */
berth_status berth__config_queue_sort_check(berth__config_tree *tree, const berth__json *list,
                                            const berth_profile *profiles);

/* ---- config_notes.c ---- */

/* Whether that minor release's kube-scheduler has the plugin, but only behind a feature gate. */
bool berth__config_gated(berth_str plugin, uint32_t minor);

/* Note the entries of a profile's pluginConfig whose plugin is unknown: kube-scheduler does not
 * have it, and the profile `made` from the text does not enable it. */
berth_status berth__config_args_note(berth__config_tree *tree, const berth__json *profile,
                                     const berth__config_args_list *args, const berth_profile *made,
                                     berth_scheduler_config *config);

/* Note the plugins that a profile enables and kube-scheduler does not have. Plugins of
 * kube-scheduler that are not implemented here are refused. */
berth_status berth__config_plugins_note(berth__config_tree *tree, const berth__json *profile,
                                        berth_scheduler_config *config);

/* ---- config_args_affinity.c ---- */

/* The members of NodeAffinityArgs, and their check. */
extern const char *const berth__config_affinity_fields[];
berth_status berth__config_affinity_read(berth__config_tree *tree, const berth__json *args,
                                         berth_plugin_args *out);

/* ---- config_args_devices.c ---- */

/* The members of DynamicResourcesArgs, and their check. */
extern const char *const berth__config_devices_fields[];
berth_status berth__config_devices_read(berth__config_tree *tree, const berth__json *args,
                                        berth_plugin_args *out);

/* ---- config_legacy.c ---- */

/* Read a v1alpha1 KubeSchedulerConfiguration; `path` is its file (NULL: from memory). */
berth_status berth__config_legacy_read(berth__config_tree *tree, const berth__json *root,
                                       const char *path, berth_scheduler_config *config);

/* Read a Policy as if a v1alpha1 configuration named it. */
berth_status berth__config_policy_read(berth__config_tree *tree, const berth__json *root,
                                       berth_scheduler_config *config);

#endif
