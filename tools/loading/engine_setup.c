/* Makes an engine from the options that all subcommands share and a KubeSchedulerConfiguration. */
#include "loading/engine_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

static const char *const huge_pages_names[] = {"none", "auto", "all", NULL};
const char *const engine_path_names[] = {"auto", "scan", "index", NULL};

/* The choices of --tie. Round robin is only chosen by a v1alpha1 configuration. */
static const char *const tie_names[] = {"first", "random", "kubernetes", NULL};
static const berth_tie ties[] = {BERTH_TIE_FIRST, BERTH_TIE_RANDOM, BERTH_TIE_KUBERNETES};

option_group engine_setup_options(engine_setup *setup)
{
    const option options[ENGINE_OPTIONS_MAX] = {
        {.name = "config",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &setup->config_path,
         .help = "read a KubeSchedulerConfiguration (default: kube-scheduler's\ndefault profile)"},
        {.name = "kubernetes",
         .kind = OPTION_TEXT,
         .value = "VERSION",
         .target = &setup->kubernetes,
         .help = "decide as kube-scheduler of this version, 1.32 to 1.37, or of\na patch of it, "
                 "1.36.2 (default: that of the input's\nnodes, or the newest)"},
        {.name = "feature-gates",
         .kind = OPTION_TEXT,
         .value = "GATES",
         .joins = true,
         .target = &setup->feature_gates,
         .help = "feature gates as in kube-scheduler: Name=true,Other=false;\nrepeatable"},
        {.name = "percentage",
         .kind = OPTION_NUMBER,
         .value = "P",
         .max = INT32_MAX,
         .target = &setup->percentage,
         .given = &setup->percentage_given,
         .help = "percentageOfNodesToScore; 0: depends on the number of\nnodes; above 100: the "
                 "same as 100"},
        {.name = "min-feasible",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = INT32_MAX,
         .target = &setup->min_feasible,
         .help = "feasible nodes below which a search is not cut short\n(default 100)"},
        {.name = "threads",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = 1024,
         .target = &setup->threads,
         .help = "threads that search and read (default: one per core)"},
        {.name = "bind",
         .kind = OPTION_FLAG,
         .target = &setup->bind_workers,
         .help = "keep each thread but the first on a core of its own"},
        {.name = "huge-pages",
         .kind = OPTION_CHOICE,
         .value = "WHICH",
         .target = &setup->huge_pages,
         .given = &setup->huge_pages_given,
         .choices = huge_pages_names,
         .help = "huge pages for the engine's memory"},
        {.name = "path",
         .kind = OPTION_CHOICE,
         .value = "PATH",
         .target = &setup->path,
         .choices = engine_path_names,
         .help = "how a node is found"},
        {.name = "tie",
         .kind = OPTION_CHOICE,
         .value = "RULE",
         .target = &setup->tie,
         .given = &setup->tie_given,
         .choices = tie_names,
         .help = "choice among the nodes with the best score"},
        {.name = "seed",
         .kind = OPTION_NUMBER,
         .value = "S",
         .max = INT64_MAX,
         .target = &setup->seed,
         .help = "seed of all random choices (default 0)"},
    };
    memcpy(setup->options, options, sizeof(options));
    return (option_group){setup->options, ENGINE_OPTIONS_MAX, OPTIONS_ENGINE};
}

/* Copy the profiles and apply the options to them. */
static void settle(engine_setup *setup, const berth_profile *profiles, uint32_t count)
{
    setup->profile_count = count;
    setup->profiles = heap_new(count, sizeof(*setup->profiles));
    memcpy(setup->profiles, profiles, count * sizeof(*profiles));
    for (uint32_t i = 0; i < count; i++) {
        berth_profile *profile = &setup->profiles[i];
        if (setup->percentage_given)
            profile->percentage_of_nodes_to_score = (int32_t)setup->percentage;
        if (setup->min_feasible != 0)
            profile->min_feasible_nodes = (int32_t)setup->min_feasible;
        if (setup->tie_given)
            profile->tie = ties[setup->tie];
    }
}

static void settle_config(engine_setup *setup)
{
    uint32_t count = 0;
    const berth_profile *profiles = berth_scheduler_config_profiles(setup->config, &count);
    settle(setup, profiles, count);
}

/* v1.15 accepts a whole number above 0 and ignores anything else. */
static uint32_t volumes_of_environment(void)
{
    const char *text = getenv("KUBE_MAX_PD_VOLS");
    uint64_t number;
    if (text == NULL || !options_number(text + (*text == '+'), 1, INT64_MAX, &number))
        return 0;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Reads up to three digits at `*at` and moves `*at` behind them. Returns false if there are none,
 * or more than three. */
static bool read_digits(const char **at, uint32_t *out)
{
    size_t count = strspn(*at, "0123456789");
    *out = count > 0 && count <= 3 ? (uint32_t)strtoul(*at, NULL, 10) : 0;
    *at += count;
    return count > 0 && count <= 3;
}

/* Parses "1.36" (its newest patch), "v1.36" or "1.36.2". A vendor's suffix ("v1.36.2-gke.1",
 * "v1.36.2+k3s1") is ignored. */
static bool parse_release(const char *text, uint32_t *minor, uint32_t *release)
{
    uint32_t patch = 0;
    text += *text == 'v';
    if (strncmp(text, "1.", 2) != 0)
        return false;
    text += 2;
    if (!read_digits(&text, minor) || *minor == 0 || berth_profile_default_of(*minor) == NULL)
        return false;
    *release = *minor;
    if (*text == '\0')
        return true;
    if (*text++ != '.' || !read_digits(&text, &patch) || strchr("-+", *text) == NULL)
        return false;
    *release = BERTH_KUBERNETES(*minor, patch);
    return true;
}

/* Without the option, the version is 0: the newest one. */
static berth_status read_version(engine_setup *setup, berth_error *error)
{
    setup->minor = setup->release = 0;
    if (setup->kubernetes == NULL ||
        parse_release(setup->kubernetes, &setup->minor, &setup->release))
        return BERTH_OK;
    setup->minor = setup->release = 0;
    return error_set(
        error, BERTH_E_UNSUPPORTED, NULL,
        "Kubernetes \"%s\" is not known: --kubernetes takes 1.32 to 1.37, with or without a "
        "patch (1.36.2)",
        setup->kubernetes);
}

/* The first plugin that is refused: one that only an embedder could have, or one whose feature gate
 * is off. */
typedef struct plugin_check {
    const engine_setup *setup;
    berth_error error;
} plugin_check;

static void check_plugin(void *context, const berth_note *note)
{
    plugin_check *check = context;
    const char *suggestion = note->suggestion.data != NULL ? note->suggestion.data : "";
    const int length = (int)note->suggestion.len;
    char gate[64];
    snprintf(gate, sizeof(gate), "%.*s", length, suggestion);
    const bool gated = note->what == BERTH_NOTE_GATED_PLUGIN;
    if (check->error.code != BERTH_OK || (!gated && note->what != BERTH_NOTE_FOREIGN_PLUGIN) ||
        (gated && engine_setup_gate(check->setup, gate, false)))
        return;
    check->error = *note->place;
    check->error.code = BERTH_E_INVALID;
    if (gated)
        snprintf(check->error.message, sizeof(check->error.message),
                 "kube-scheduler has the plugin \"%.*s\" only with --feature-gates %s=true",
                 (int)note->word.len, note->word.data, gate);
    else
        snprintf(check->error.message, sizeof(check->error.message),
                 "kube-scheduler has no plugin \"%.*s\"%s%.*s%s", (int)note->word.len,
                 note->word.data, length > 0 ? "; did you mean " : "", length, suggestion,
                 length > 0 ? "?" : "");
}

static berth_status take_config(engine_setup *setup, berth_error *error)
{
    plugin_check check = {.setup = setup, .error = {.code = BERTH_OK}};
    berth_scheduler_config_notes(setup->config, check_plugin, &check);
    if (check.error.code != BERTH_OK) {
        *error = check.error;
        return check.error.code;
    }
    settle_config(setup);
    return BERTH_OK;
}

berth_status engine_setup_resolve(engine_setup *setup, berth_error *error)
{
    setup->attached_volumes_max = volumes_of_environment();
    TRY(read_version(setup, error));
    if (setup->config_path == NULL) {
        settle(setup, berth_profile_default_of(setup->release), 1);
        return BERTH_OK;
    }
    berth_status status = (setup->asks_extenders ? berth_scheduler_config_file_with_extenders
                                                 : berth_scheduler_config_file)(
        setup->config_path, setup->release, &setup->config, error);
    return status == BERTH_OK ? take_config(setup, error) : status;
}

berth_status engine_setup_resolve_text(engine_setup *setup, berth_str text, const char *source,
                                       berth_error *error)
{
    TRY(read_version(setup, error));
    if (text.data == NULL) {
        settle(setup, berth_profile_default_of(setup->release), 1);
        return BERTH_OK;
    }
    berth_status status =
        berth_scheduler_config_text(text, source, setup->release, &setup->config, error);
    return status == BERTH_OK ? take_config(setup, error) : status;
}

void engine_setup_resolve_profile(engine_setup *setup, const berth_profile *profile)
{
    settle(setup, profile, 1);
}

bool engine_setup_gate(const engine_setup *setup, const char *gate, bool by_default)
{
    const char *gates = setup->feature_gates;
    const size_t length = strlen(gate);
    bool on = by_default;
    for (; gates != NULL; gates = strchr(gates, ',')) {
        gates += *gates == ',';
        if (strncmp(gates, gate, length) == 0 && gates[length] == '=')
            on = strncmp(gates + length + 1, "true", 4) == 0;
    }
    return on;
}

bool engine_setup_follows_groups(const engine_setup *setup)
{
    return engine_setup_gate(setup, "GenericWorkload", false);
}

bool engine_setup_follows_composites(const engine_setup *setup)
{
    return engine_setup_gate(setup, "CompositePodGroup", false);
}

/* Refuse to decide the pods of groups one by one. */
static berth_status check_groups(const engine_setup *setup, berth_error *error)
{
    if (setup->places_groups || !engine_setup_follows_groups(setup))
        return BERTH_OK;
    return error_set(error, BERTH_E_UNSUPPORTED, "--feature-gates",
                     "this command decides pods one by one and cannot place PodGroups "
                     "(GenericWorkload); berth schedule, replay and run without --dry-run can");
}

berth_status engine_setup_create(const engine_setup *setup, berth_engine **out, berth_error *error)
{
    return engine_setup_create_extended(setup, NULL, 0, out, error);
}

berth_status engine_setup_create_extended(const engine_setup *setup,
                                          const berth_extender *const *extenders, uint32_t count,
                                          berth_engine **out, berth_error *error)
{
    TRY(check_groups(setup, error));
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = (uint32_t)setup->threads;
    config.path = (berth_path)setup->path;
    config.seed = setup->seed;
    config.bind_workers = setup->bind_workers;
    config.huge_pages = (berth_huge_pages)setup->huge_pages;
    config.keep_objects = setup->keep_objects;
    config.attached_volumes_max = setup->attached_volumes_max;
    config.kubernetes = setup->release;
    if (setup->feature_gates != NULL)
        config.feature_gates = words_of(setup->feature_gates);
    config.profiles = setup->profiles;
    config.profile_count = setup->profile_count;
    config.extenders = extenders;
    config.extender_count = count;
    berth_status status = berth_engine_create(&config, out, error);
    if (status != BERTH_OK && setup->config_path != NULL && error->source[0] == '\0' &&
        error->field[0] != '\0')
        snprintf(error->source, sizeof(error->source), "%s", setup->config_path);
    return status;
}

bool engine_setup_serves(const engine_setup *setup, berth_str scheduler_name)
{
    berth_str standard = words_of("default-scheduler");
    berth_str wanted = scheduler_name.len > 0 ? scheduler_name : standard;
    for (uint32_t i = 0; i < setup->profile_count; i++) {
        berth_str name = setup->profiles[i].scheduler_name;
        if (words_equal(name.len > 0 ? name : standard, wanted))
            return true;
    }
    return false;
}

void engine_setup_release(engine_setup *setup)
{
    free(setup->profiles);
    berth_scheduler_config_destroy(setup->config);
    setup->profiles = NULL;
    setup->profile_count = 0;
    setup->config = NULL;
}
