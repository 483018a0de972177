/* The options that control an engine's decisions, the same for every subcommand, and the engine
 * made from them. */
#ifndef BERTH_TOOLS_ENGINE_SETUP_H
#define BERTH_TOOLS_ENGINE_SETUP_H

#include <stdbool.h>

#include "berth/berth.h"
#include "cli/options.h"

enum { ENGINE_OPTIONS_MAX = 11 };

typedef struct engine_setup {
    /* options */
    const char *config_path;
    const char *kubernetes;
    const char *feature_gates;
    uint64_t percentage;
    bool percentage_given;
    uint64_t min_feasible;
    uint64_t threads;
    bool bind_workers;
    int huge_pages; /* a berth_huge_pages */
    bool huge_pages_given;
    int path; /* a berth_path */
    int tie;  /* index of the choice */
    bool tie_given;
    uint64_t seed;
    bool places_groups;            /* set by callers that place PodGroups as a whole */
    bool asks_extenders;           /* set by callers that ask a configuration's extenders */
    bool keep_objects;             /* set by callers that read pods' objects from the engine */
    uint32_t attached_volumes_max; /* from the environment, or set by the caller of resolve_text */
    /* made by resolving */
    uint32_t minor;   /* Kubernetes 1.`minor`; 0: the newest */
    uint32_t release; /* minor and patch, if one is named, in the form of berth_engine_config */
    option options[ENGINE_OPTIONS_MAX];
    berth_scheduler_config *config;
    berth_profile *profiles; /* those of the configuration, with the options applied */
    uint32_t profile_count;
} engine_setup;

/* The words of --path, in the order of berth_path. */
extern const char *const engine_path_names[];

/* The options, as a group for options_parse. `setup` must not move afterwards. */
option_group engine_setup_options(engine_setup *setup);

/* Read the configuration, if one is named, and prepare the profiles. Like v1.15, reads the
 * environment variable KUBE_MAX_PD_VOLS (attached_volumes_max of berth_engine_config). */
berth_status engine_setup_resolve(engine_setup *setup, berth_error *error);

/* The same for a configuration given as text (NULL data: the default profile). */
berth_status engine_setup_resolve_text(engine_setup *setup, berth_str text, const char *source,
                                       berth_error *error);

/* The same for a profile; borrowed until released. */
void engine_setup_resolve_profile(engine_setup *setup, const berth_profile *profile);

/* Make an engine of the resolved setup. Any number may be made. */
berth_status engine_setup_create(const engine_setup *setup, berth_engine **out, berth_error *error);

/* The same with extenders. */
berth_status engine_setup_create_extended(const engine_setup *setup,
                                          const berth_extender *const *extenders, uint32_t count,
                                          berth_engine **out, berth_error *error);

/* Whether a feature gate is on: its last setting, or the default. */
bool engine_setup_gate(const engine_setup *setup, const char *gate, bool by_default);

/* Whether the feature gates let PodGroups be followed, and CompositePodGroups. */
bool engine_setup_follows_groups(const engine_setup *setup);
bool engine_setup_follows_composites(const engine_setup *setup);

/* Whether a profile serves pods with this scheduler name (absent or empty: the default name). */
bool engine_setup_serves(const engine_setup *setup, berth_str scheduler_name);

/* Free the results of resolving. The options stay, so the setup can be resolved again. */
void engine_setup_release(engine_setup *setup);

#endif
