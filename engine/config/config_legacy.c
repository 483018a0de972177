/* v1alpha1 configurations and Policy files: the predicates and priorities of v1.15.
 * Source of the rules: v1.15.3, pkg/scheduler/factory (plugins.go, factory.go), api/validation.
 *
 * There are three differences, all of which follow the file more closely. A percentage above 100
 * counts as 100, as documented. A predicate with an argument runs under any name, at its
 * implementation's position (v1.15 ran only names that it knew). Repeated entries, and entries
 * without any effect, are refused. */
#include "config/config.h"

#include "base/text.h"
#include "legacy/legacy.h"
#include "model/behaviours.h"

/* A profile while it is built. */
typedef struct legacy {
    berth__config_tree *tree;
    berth_profile *profile;
    berth_plugin_list *points; /* of the profile */
    int32_t hard_affinity_weight;
} legacy;

static const berth__config_range hard_weight_range = {1, 100};

/* ---- entries of a Policy ---- */

/* A legal name in v1.15 consists of letters, digits and inner '-', two characters or more. */
static bool is_algorithm_name(berth_str name)
{
    if (name.len < 2)
        return false;
    for (uint32_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c != '-' || i == 0 || i + 1 == name.len))
            return false;
    }
    return true;
}

static berth_status check_custom_name(berth__config_tree *tree, berth_str name)
{
    if (is_algorithm_name(name))
        return BERTH_OK;
    berth__config_enter(tree, "name");
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must be two or more letters, digits and inner \"-\", not "
                              "\"%.*s\"",
                              (int)name.len, name.data);
}

/* The forms of `argument`: a member and its result. */
typedef struct argument_form {
    const char *key;
    berth_str implementation;
    berth_status (*read)(berth__config_tree *tree, const berth__json *json, berth_plugin_args *out);
} argument_form;

static berth_status read_labels(berth__config_tree *tree, const berth__json *json,
                                berth_plugin_args *out)
{
    BERTH_TRY(berth__config_strings(tree, json, "labels", &out->label.labels));
    if (out->label.labels.count > 0)
        return BERTH_OK;
    berth__config_enter(tree, "labels");
    return berth__config_fail(tree, BERTH_E_INVALID, "must hold at least one label");
}

static berth_status read_label(berth__config_tree *tree, const berth__json *json,
                               berth_plugin_args *out)
{
    berth_str *label = berth__config_array(tree, 1, sizeof(*label));
    if (label == NULL)
        return BERTH_E_NOMEM;
    BERTH_TRY(berth__config_name(tree, json, "label", label));
    out->label.labels = (berth_strs){label, 1};
    return BERTH_OK;
}

static berth_status read_service_affinity(berth__config_tree *tree, const berth__json *json,
                                          berth_plugin_args *out)
{
    static const char *const fields[] = {"labels", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    return read_labels(tree, json, out);
}

static berth_status read_labels_presence(berth__config_tree *tree, const berth__json *json,
                                         berth_plugin_args *out)
{
    static const char *const fields[] = {"labels", "presence", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    BERTH_TRY(berth__config_bool(tree, json, "presence", &out->label.presence));
    return read_labels(tree, json, out);
}

static berth_status read_service_anti_affinity(berth__config_tree *tree, const berth__json *json,
                                               berth_plugin_args *out)
{
    static const char *const fields[] = {"label", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    return read_label(tree, json, out);
}

static berth_status read_label_preference(berth__config_tree *tree, const berth__json *json,
                                          berth_plugin_args *out)
{
    static const char *const fields[] = {"label", "presence", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    BERTH_TRY(berth__config_bool(tree, json, "presence", &out->label.presence));
    return read_label(tree, json, out);
}

static berth_status read_capacity_ratio(berth__config_tree *tree, const berth__json *json,
                                        berth_plugin_args *out)
{
    static const char *const fields[] = {"shape", NULL};
    BERTH_TRY(berth__config_object(tree, json, fields));
    out->fit.strategy = BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO;
    return berth__config_shape_read(tree, json, &out->fit);
}

#define TEXT(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }

/* Lists of forms end with a NULL key. */
static const argument_form predicate_forms[] = {
    {"serviceAffinity", TEXT("CheckServiceAffinity"), read_service_affinity},
    {"labelsPresence", TEXT("CheckNodeLabelPresence"), read_labels_presence},
    {0},
};

static const argument_form priority_forms[] = {
    {"serviceAntiAffinity", TEXT("ServiceAntiAffinityPriority"), read_service_anti_affinity},
    {"labelPreference", TEXT("NodeLabelPriority"), read_label_preference},
    {"requestedToCapacityRatioArguments", TEXT("RequestedToCapacityRatioPriority"),
     read_capacity_ratio},
    {0},
};

/* Fill a reference from `argument`, which must have exactly one form. */
static berth_status read_argument(berth__config_tree *tree, const berth__json *argument,
                                  const argument_form *forms, berth_plugin_ref *ref)
{
    const char *fields[4] = {NULL};
    const argument_form *given = NULL;
    unsigned given_count = 0;
    for (unsigned i = 0; forms[i].key != NULL; i++)
        fields[i] = forms[i].key;
    BERTH_TRY(berth__config_object(tree, argument, fields));
    for (unsigned i = 0; forms[i].key != NULL; i++) {
        if (berth__config_member(argument, forms[i].key) != NULL) {
            given = &forms[i];
            given_count++;
        }
    }
    if (given_count != 1)
        return berth__config_fail(tree, BERTH_E_INVALID, "must hold exactly one member, not %u",
                                  given_count);
    berth_plugin_args *args = berth__config_array(tree, 1, sizeof(*args));
    if (args == NULL)
        return BERTH_E_NOMEM;
    size_t before = berth__config_enter(tree, given->key);
    BERTH_TRY(given->read(tree, berth__config_member(argument, given->key), args));
    berth__config_leave(tree, before);
    ref->implementation = given->implementation;
    ref->args = args;
    return BERTH_OK;
}

/* The differences between predicates and priorities. */
typedef struct entry_kind {
    const char *key; /* the list in the Policy */
    const char *noun;
    bool weighted;
    const argument_form *forms;
    const berth__legacy_info *(*find)(berth_str name);
} entry_kind;

static const entry_kind predicate_kind = {"predicates", "predicate", false, predicate_forms,
                                          berth__legacy_predicate_find};
static const entry_kind priority_kind = {"priorities", "priority", true, priority_forms,
                                         berth__legacy_priority_find};

/* An entry without argument is one of v1.15's own. */
static berth_status name_builtin(berth__config_tree *tree, const entry_kind *kind,
                                 berth_plugin_ref *ref)
{
    const berth__legacy_info *info = kind->find(ref->name);
    if (info == NULL) {
        berth__config_enter(tree, "name");
        return berth__config_fail(tree, BERTH_E_INVALID, "unknown %s \"%.*s\"", kind->noun,
                                  (int)ref->name.len, ref->name.data);
    }
    if (info->argument == BERTH__LEGACY_REQUIRED) {
        berth__config_enter(tree, "argument");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be given for \"%.*s\"",
                                  (int)ref->name.len, ref->name.data);
    }
    if (!berth__str_eq(info->implementation, ref->name))
        ref->implementation = info->implementation;
    return BERTH_OK;
}

static berth_status read_weight(berth__config_tree *tree, const berth__json *entry,
                                berth_plugin_ref *ref)
{
    BERTH_TRY(berth__config_int32(tree, entry, "weight", (berth__config_range){1, INT32_MAX},
                                  &ref->weight));
    if (ref->weight > 0)
        return BERTH_OK;
    berth__config_enter(tree, "weight");
    return berth__config_fail(tree, BERTH_E_INVALID, "must be given and above 0");
}

static berth_status read_entry(berth__config_tree *tree, const berth__json *entry,
                               const entry_kind *kind, berth_plugin_ref *ref)
{
    static const char *const weighted_fields[] = {"name", "argument", "weight", NULL};
    static const char *const plain_fields[] = {"name", "argument", NULL};
    BERTH_TRY(berth__config_object(tree, entry, kind->weighted ? weighted_fields : plain_fields));
    BERTH_TRY(berth__config_name(tree, entry, "name", &ref->name));
    if (kind->weighted)
        BERTH_TRY(read_weight(tree, entry, ref));
    const berth__json *argument = berth__config_member(entry, "argument");
    if (argument == NULL)
        return name_builtin(tree, kind, ref);
    BERTH_TRY(check_custom_name(tree, ref->name));
    size_t before = berth__config_enter(tree, "argument");
    BERTH_TRY(read_argument(tree, argument, kind->forms, ref));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

static bool names_one(const berth_plugin_ref *refs, uint32_t count, berth_str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (berth__str_eq(refs[i].name, name))
            return true;
    }
    return false;
}

/* Read one list of a Policy. If it is absent, `*out` keeps the provider's list. */
static berth_status read_entries(berth__config_tree *tree, const berth__json *policy,
                                 const entry_kind *kind, berth_plugin_list *out)
{
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, policy, kind->key, &list));
    if (list == NULL)
        return BERTH_OK;
    berth_plugin_ref *refs = berth__config_array(tree, list->count, sizeof(*refs));
    if (refs == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, kind->key);
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_entry(tree, &list->as.items[i], kind, &refs[i]));
        if (names_one(refs, i, refs[i].name)) {
            berth__config_enter(tree, "name");
            return berth__config_fail(tree, BERTH_E_INVALID, "%s \"%.*s\" is listed twice",
                                      kind->noun, (int)refs[i].name.len, refs[i].name.data);
        }
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = (berth_plugin_list){refs, list->count};
    return BERTH_OK;
}

/* ---- the profile ---- */

static uint32_t rank(const berth_plugin_ref *ref)
{
    uint32_t by_name = berth__legacy_predicate_rank(ref->name);
    return by_name != UINT32_MAX ? by_name : berth__legacy_predicate_rank(ref->implementation);
}

/* Add the mandatory predicates and sort all into the order of evaluation. */
static berth_status order_predicates(legacy *l)
{
    berth_plugin_list *list = &l->points[BERTH_POINT_FILTER];
    berth_plugin_list mandatory = berth__legacy_mandatory();
    berth_plugin_ref *refs =
        berth__config_array(l->tree, list->count + mandatory.count, sizeof(*refs));
    if (refs == NULL)
        return BERTH_E_NOMEM;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count + mandatory.count; i++) {
        bool extra = i >= list->count;
        berth_plugin_ref ref = extra ? mandatory.items[i - list->count] : list->items[i];
        if (extra && names_one(list->items, list->count, ref.name))
            continue;
        uint32_t at = count++;
        while (at > 0 && rank(&refs[at - 1]) > rank(&ref)) {
            refs[at] = refs[at - 1];
            at--;
        }
        refs[at] = ref;
    }
    *list = (berth_plugin_list){refs, count};
    return BERTH_OK;
}

/* Set the weight of the implicit affinity in the priority that uses it. */
static berth_status weigh_affinity(legacy *l)
{
    berth_plugin_list *list = &l->points[BERTH_POINT_SCORE];
    berth_plugin_ref *refs = berth__config_array(l->tree, list->count, sizeof(*refs));
    berth_plugin_args *args = berth__config_array(l->tree, 1, sizeof(*args));
    if (refs == NULL || args == NULL)
        return BERTH_E_NOMEM;
    args->inter_pod_affinity.hard_pod_affinity_weight = l->hard_affinity_weight;
    for (uint32_t i = 0; i < list->count; i++) {
        refs[i] = list->items[i];
        if (berth__str_is(refs[i].name, "InterPodAffinityPriority") && refs[i].args == NULL)
            refs[i].args = args;
    }
    *list = (berth_plugin_list){refs, list->count};
    return BERTH_OK;
}

/* Begin an empty profile of the era, with the default provider's lists. */
static berth_status begin(legacy *l, berth__config_tree *tree)
{
    berth_profile *profile = berth__config_array(tree, 1, sizeof(*profile));
    berth_plugin_list *points = berth__config_array(tree, BERTH_POINT_COUNT, sizeof(*points));
    if (profile == NULL || points == NULL)
        return BERTH_E_NOMEM;
    const berth_profile *modern = berth_profile_default_of(BERTH__KUBERNETES_OLDEST);
    *l = (legacy){.tree = tree, .profile = profile, .points = points, .hard_affinity_weight = 1};
    profile->scheduler_name = modern->scheduler_name;
    profile->era = BERTH_ERA_V1ALPHA1;
    profile->tie = BERTH_TIE_ROUND_ROBIN;
    profile->points = points;
    profile->point_count = BERTH_POINT_COUNT;
    points[BERTH_POINT_QUEUE_SORT] = berth_profile_list(modern, BERTH_POINT_QUEUE_SORT);
    points[BERTH_POINT_POST_FILTER] = berth_profile_list(modern, BERTH_POINT_POST_FILTER);
    points[BERTH_POINT_BIND] = berth_profile_list(modern, BERTH_POINT_BIND);
    points[BERTH_POINT_PRE_FILTER] = berth__legacy_checks();
    points[BERTH_POINT_FILTER] = berth__legacy_predicates();
    points[BERTH_POINT_SCORE] = *berth__legacy_priorities(BERTH_STR("DefaultProvider"));
    return BERTH_OK;
}

static berth_status finish(legacy *l, berth_scheduler_config *config)
{
    BERTH_TRY(order_predicates(l));
    BERTH_TRY(weigh_affinity(l));
    config->profiles = l->profile;
    config->profile_count = 1;
    return BERTH_OK;
}

/* ---- Policy ---- */

static berth_status read_policy(legacy *l, const berth__json *policy)
{
    static const char *const fields[] = {"apiVersion",
                                         "kind",
                                         "predicates",
                                         "priorities",
                                         "extenders",
                                         "hardPodAffinitySymmetricWeight",
                                         "alwaysCheckAllPredicates",
                                         NULL};
    berth__config_tree *tree = l->tree;
    berth_str kind = BERTH_STR("Policy");
    BERTH_TRY(berth__config_object(tree, policy, fields));
    BERTH_TRY(berth__config_string(tree, policy, "kind", &kind));
    if (!berth__str_is(kind, "Policy")) {
        berth__config_enter(tree, "kind");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be Policy, not \"%.*s\"",
                                  (int)kind.len, kind.data);
    }
    BERTH_TRY(berth__config_extenders_refuse(tree, policy));
    berth_plugin_list *points = l->points;
    BERTH_TRY(read_entries(tree, policy, &predicate_kind, &points[BERTH_POINT_FILTER]));
    BERTH_TRY(read_entries(tree, policy, &priority_kind, &points[BERTH_POINT_SCORE]));
    int32_t weight = 0;
    BERTH_TRY(berth__config_int32(tree, policy, "hardPodAffinitySymmetricWeight",
                                  (berth__config_range){0, hard_weight_range.max}, &weight));
    if (weight != 0)
        l->hard_affinity_weight = weight;
    return berth__config_bool(tree, policy, "alwaysCheckAllPredicates",
                              &l->profile->always_check_all);
}

berth_status berth__config_policy_read(berth__config_tree *tree, const berth__json *root,
                                       berth_scheduler_config *config)
{
    legacy l;
    BERTH_TRY(begin(&l, tree));
    BERTH_TRY(read_policy(&l, root));
    return finish(&l, config);
}

/* Read the Policy file that a configuration names. Errors in it name its own path. */
static berth_status read_policy_file(legacy *l, berth_str name, const char *path)
{
    berth__config_tree *tree = l->tree;
    berth__config_tree own = {.arena = tree->arena, .error = tree->error, .source = tree->source};
    berth__config_enter(&own, tree->path);
    berth__arena scratch;
    berth__arena_init(&scratch, tree->arena->allocator);
    berth__config_source source;
    const berth__json *root;
    berth_status status = berth__config_open(&own, &scratch, path, name, &source);
    if (status == BERTH_OK) {
        berth__config_leave(&own, 0);
        status = berth__config_parse(&own, &scratch, source.text, &root);
    }
    if (status == BERTH_OK) {
        l->tree = &own;
        status = read_policy(l, root);
        l->tree = tree;
    }
    berth__arena_destroy(&scratch);
    return status;
}

/* ---- v1alpha1 ---- */

static berth_status read_policy_source(legacy *l, const berth__json *policy, const char *path)
{
    static const char *const fields[] = {"file", "configMap", NULL};
    static const char *const file_fields[] = {"path", NULL};
    berth__config_tree *tree = l->tree;
    BERTH_TRY(berth__config_object(tree, policy, fields));
    if (berth__config_member(policy, "configMap") != NULL) {
        berth__config_enter(tree, "configMap");
        return berth__config_fail(tree, BERTH_E_UNSUPPORTED,
                                  "no API server is read; save the ConfigMap's key policy.cfg as "
                                  "a file and name it in algorithmSource.policy.file.path");
    }
    const berth__json *file = berth__config_member(policy, "file");
    size_t outer = berth__config_enter(tree, "file");
    if (file == NULL)
        return berth__config_fail(tree, BERTH_E_INVALID, "must be given");
    berth_str name = {0};
    BERTH_TRY(berth__config_object(tree, file, file_fields));
    BERTH_TRY(berth__config_name(tree, file, "path", &name));
    size_t inner = berth__config_enter(tree, "path");
    BERTH_TRY(read_policy_file(l, name, path));
    berth__config_leave(tree, inner);
    berth__config_leave(tree, outer);
    return BERTH_OK;
}

static berth_status read_provider(legacy *l, const berth__json *source)
{
    berth_str provider;
    BERTH_TRY(berth__config_name(l->tree, source, "provider", &provider));
    const berth_plugin_list *priorities = berth__legacy_priorities(provider);
    if (priorities != NULL) {
        l->points[BERTH_POINT_SCORE] = *priorities;
        return BERTH_OK;
    }
    berth__config_enter(l->tree, "provider");
    return berth__config_fail(l->tree, BERTH_E_INVALID,
                              "must be DefaultProvider or ClusterAutoscalerProvider, not "
                              "\"%.*s\"",
                              (int)provider.len, provider.data);
}

static berth_status read_source(legacy *l, const berth__json *source, const char *path)
{
    const berth__json *policy = berth__config_member(source, "policy");
    bool provider = berth__config_member(source, "provider") != NULL;
    if (policy != NULL && provider)
        return berth__config_fail(l->tree, BERTH_E_INVALID,
                                  "must name a provider or a policy, not both");
    if (provider)
        BERTH_TRY(read_provider(l, source));
    if (policy != NULL) {
        size_t before = berth__config_enter(l->tree, "policy");
        BERTH_TRY(read_policy_source(l, policy, path));
        berth__config_leave(l->tree, before);
    }
    return BERTH_OK;
}

/* In one copy of the documentation the sample lost its indentation: `algorithmSource` is empty and
 * its members follow it. Accept that form, too. */
static berth_status read_algorithm(legacy *l, const berth__json *root, const char *path)
{
    static const char *const fields[] = {"provider", "policy", NULL};
    const berth__json *source = berth__config_member(root, "algorithmSource");
    if (source == NULL)
        return read_source(l, root, path);
    for (unsigned i = 0; fields[i] != NULL; i++) {
        if (berth__config_member(root, fields[i]) == NULL)
            continue;
        berth__config_enter(l->tree, fields[i]);
        return berth__config_fail(l->tree, BERTH_E_INVALID, "belongs into algorithmSource");
    }
    size_t before = berth__config_enter(l->tree, "algorithmSource");
    BERTH_TRY(berth__config_object(l->tree, source, fields));
    BERTH_TRY(read_source(l, source, path));
    berth__config_leave(l->tree, before);
    return BERTH_OK;
}

/* v1.15 had no framework plugins of its own; the framework was experimental. */
static berth_status refuse_plugins(berth__config_tree *tree, const berth__json *root)
{
    static const char *const keys[] = {"plugins", "pluginConfig"};
    for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const berth__json *value = berth__config_member(root, keys[i]);
        if (value == NULL || (value->type >= BERTH__JSON_ARRAY && value->count == 0))
            continue;
        berth__config_enter(tree, keys[i]);
        return berth__config_fail(tree, BERTH_E_UNSUPPORTED,
                                  "has no plugin to choose from in v1alpha1; use a Policy, or "
                                  "kubescheduler.config.k8s.io/v1");
    }
    return BERTH_OK;
}

static berth_status read_settings(legacy *l, const berth__json *root,
                                  berth_scheduler_config *config)
{
    berth__config_tree *tree = l->tree;
    berth_profile *profile = l->profile;
    if (berth__config_member(root, "schedulerName") != NULL)
        BERTH_TRY(berth__config_name(tree, root, "schedulerName", &profile->scheduler_name));
    BERTH_TRY(berth__config_int32(tree, root, "percentageOfNodesToScore",
                                  (berth__config_range){0, INT32_MAX},
                                  &profile->percentage_of_nodes_to_score));
    if (profile->percentage_of_nodes_to_score > 100)
        profile->percentage_of_nodes_to_score = 100;
    BERTH_TRY(berth__config_int32(tree, root, "hardPodAffinitySymmetricWeight", hard_weight_range,
                                  &l->hard_affinity_weight));
    int64_t bind_timeout_seconds = 600;
    BERTH_TRY(berth__config_int(tree, root, "bindTimeoutSeconds",
                                (berth__config_range){0, INT64_MAX}, &bind_timeout_seconds));
    bool no_preemption = false;
    BERTH_TRY(berth__config_bool(tree, root, "disablePreemption", &no_preemption));
    if (no_preemption)
        l->points[BERTH_POINT_POST_FILTER] = (berth_plugin_list){0};
    BERTH_TRY(refuse_plugins(tree, root));
    return berth__config_backoff_read(tree, root, &config->backoff);
}

berth_status berth__config_legacy_read(berth__config_tree *tree, const berth__json *root,
                                       const char *path, berth_scheduler_config *config)
{
    /* Members that do not influence decisions are accepted and ignored. */
    static const char *const fields[] = {"apiVersion",
                                         "kind",
                                         "schedulerName",
                                         "algorithmSource",
                                         "provider",
                                         "policy",
                                         "hardPodAffinitySymmetricWeight",
                                         "leaderElection",
                                         "clientConnection",
                                         "healthzBindAddress",
                                         "metricsBindAddress",
                                         "enableProfiling",
                                         "enableContentionProfiling",
                                         "disablePreemption",
                                         "percentageOfNodesToScore",
                                         "failureDomains",
                                         "bindTimeoutSeconds",
                                         "podInitialBackoffSeconds",
                                         "podMaxBackoffSeconds",
                                         "plugins",
                                         "pluginConfig",
                                         NULL};
    legacy l;
    BERTH_TRY(berth__config_object(tree, root, fields));
    BERTH_TRY(begin(&l, tree));
    BERTH_TRY(read_settings(&l, root, config));
    BERTH_TRY(read_algorithm(&l, root, path));
    return finish(&l, config);
}
