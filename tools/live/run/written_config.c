/* Fills in a configuration's defaults as kube-scheduler does, on the tree of its text, and writes
 * the tree.
 * Source: kube-scheduler v1.32 to v1.37, apis/config/v1/defaults.go and default_plugins.go;
 * framework/runtime/framework.go (which arguments are written, and their order). */
#include "live/run/written_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "berth/output.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "live/credentials/kubeconfig.h"
#include "live/credentials/yaml_tree.h"
#include "live/run/written_parts.h"
#include "live/run/written_yaml.h"

#define API_VERSION "kubescheduler.config.k8s.io/v1"

enum { FIRST = 32, NEWEST = 37, LAST = 99 };

typedef struct writing {
    const written_config *from;
    int minor;
    json_t *file; /* an empty object without a file */
} writing;

/* ---- values ---- */

/* Go's form of a duration: 1m30s, 1.5s, 100ms. */
static json_t *duration(int64_t ns)
{
    char text[64];
    int at = 0;
    const int64_t seconds = ns / 1000000000, minutes = seconds / 60, hours = minutes / 60;
    if (ns == 0)
        return json_string("0s");
    if (ns < 1000000000) {
        const int64_t unit = ns < 1000 ? 1 : ns < 1000000 ? 1000 : 1000000;
        snprintf(text, sizeof(text), "%.9g%s", (double)ns / (double)unit,
                 unit == 1      ? "ns"
                 : unit == 1000 ? "\xc2\xb5s"
                                : "ms");
        return json_string(text);
    }
    if (hours > 0)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%" PRId64 "h", hours);
    if (minutes > 0)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%" PRId64 "m", minutes % 60);
    snprintf(text + at, sizeof(text) - (size_t)at, "%.11gs",
             (double)(ns - minutes * 60000000000) / 1e9);
    return json_string(text);
}

/* A number that the tree has as text; `absent` without one. */
static json_t *number(const json_t *object, const char *key, int64_t absent)
{
    const char *text = yaml_tree_text(object, key);
    return json_integer(text != NULL ? strtoll(text, NULL, 10) : absent);
}

static json_t *text_or(const json_t *object, const char *key, const char *absent)
{
    const char *text = yaml_tree_text(object, key);
    return json_string(text != NULL ? text : absent);
}

static json_t *duration_or(const json_t *object, const char *key, int64_t absent_ns)
{
    const char *text = yaml_tree_text(object, key);
    int64_t ns = absent_ns;
    if (text != NULL)
        (void)duration_read(text, &ns);
    return duration(ns);
}

static bool boolean_or(const json_t *object, const char *key, bool absent)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : absent;
}

/* Takes `value` over; NULL: there is none. */
static void set_if(json_t *out, const char *key, json_t *value)
{
    if (value != NULL)
        json_object_set_new(out, key, value);
}

/* A member that Go has as a pointer to a struct. */
static void set_part(json_t *out, const char *key, const written_struct *as, const json_t *object)
{
    const json_t *given = json_object_get(object, key);
    if (json_is_object(given))
        json_object_set_new(out, key, written_part(as, given));
}

/* ---- plugins ---- */

typedef struct default_plugin {
    const char *name;
    int weight, since, until;
    const char *gate; /* the gate without which it is absent; NULL: none */
} default_plugin;

/* In the order of multiPoint. */
static const default_plugin default_plugins[] = {
    {"SchedulingGates", 0, FIRST, LAST, NULL},
    {"PrioritySort", 0, FIRST, LAST, NULL},
    {"NodeUnschedulable", 0, FIRST, 36, NULL},
    {"NodeName", 0, FIRST, LAST, NULL},
    {"NodeUnschedulable", 0, 37, LAST, NULL},
    {"TaintToleration", 3, FIRST, LAST, NULL},
    {"NodeAffinity", 2, FIRST, LAST, NULL},
    {"NodePorts", 0, FIRST, LAST, NULL},
    {"NodeResourcesFit", 1, FIRST, LAST, NULL},
    {"VolumeRestrictions", 0, FIRST, LAST, NULL},
    {"NodeVolumeLimits", 0, FIRST, LAST, NULL},
    {"VolumeBinding", 0, FIRST, LAST, NULL},
    {"VolumeZone", 0, FIRST, LAST, NULL},
    {"PodTopologySpread", 2, FIRST, LAST, NULL},
    {"InterPodAffinity", 2, FIRST, LAST, NULL},
    {"DynamicResources", 0, FIRST, 34, "DynamicResourceAllocation"},
    {"DynamicResources", 2, 35, LAST, "DynamicResourceAllocation"},
    {"DefaultPreemption", 0, FIRST, LAST, NULL},
    {"NodeResourcesBalancedAllocation", 1, FIRST, LAST, NULL},
    {"ImageLocality", 1, FIRST, LAST, NULL},
    {"DefaultBinder", 0, FIRST, LAST, NULL},
    {"NodeDeclaredFeatures", 0, 36, LAST, "NodeDeclaredFeatures"},
    {"GangScheduling", 0, 37, LAST, "GenericWorkload"},
    {"TopologyPlacementGenerator", 0, 37, LAST, "TopologyAwareWorkloadScheduling"},
    {"PodGroupPodsCount", 1, 37, LAST, "TopologyAwareWorkloadScheduling"},
};

/* Gates that change what is written, and the version since which each is on by default. */
static const struct {
    const char *name;
    int since;
} gates[] = {{"DynamicResourceAllocation", 34},  {"NodeDeclaredFeatures", 36},
             {"GenericWorkload", LAST},          {"TopologyAwareWorkloadScheduling", LAST},
             {"StorageCapacityScoring", 37},     {"DRASchedulerFilterTimeout", 34},
             {"DRADeviceBindingConditions", 36}, {"DRAResourceClaimDeviceStatus", 33}};

static bool gate_is_on(const writing *w, const char *name)
{
    bool on = false;
    for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++)
        if (strcmp(gates[i].name, name) == 0)
            on = w->minor >= gates[i].since;
    return engine_setup_gate(w->from->setup, name, on);
}

static json_t *plugin_of(const char *name, int64_t weight)
{
    return json_pack("{ss sI}", "name", name, "weight", (json_int_t)weight);
}

static json_t *default_list(const writing *w)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(default_plugins) / sizeof(default_plugins[0]); i++) {
        const default_plugin *one = &default_plugins[i];
        if (one->since <= w->minor && w->minor <= one->until &&
            (one->gate == NULL || gate_is_on(w, one->gate)))
            json_array_append_new(list, plugin_of(one->name, one->weight));
    }
    return list;
}

/* The place of a plugin in a list of the file or of a result; -1: it is not there. */
static int find_plugin(const json_t *list, const char *name)
{
    size_t i;
    const json_t *plugin;
    json_array_foreach(list, i, plugin)
    {
        const char *other = yaml_tree_text(plugin, "name");
        if (other != NULL && name != NULL && strcmp(other, name) == 0)
            return (int)i;
    }
    return -1;
}

static json_t *given_plugin(const json_t *plugin)
{
    json_t *weight = number(plugin, "weight", 0);
    json_t *given = plugin_of(yaml_tree_text(plugin, "name"), json_integer_value(weight));
    json_decref(weight);
    return given;
}

/* The file's set of a point on top of the default one (taken over). A default plugin that the file
 * names keeps its place. */
static json_t *merged_set(const json_t *given, json_t *defaults)
{
    const json_t *disabled = json_object_get(given, "disabled");
    const json_t *enabled = json_object_get(given, "enabled");
    json_t *on = json_array(), *off = json_array(), *set = json_object();
    size_t i;
    const json_t *plugin;
    json_array_foreach(defaults, i, plugin)
    {
        const char *name = yaml_tree_text(plugin, "name");
        const int custom = find_plugin(enabled, name);
        if (find_plugin(disabled, "*") >= 0 || find_plugin(disabled, name) >= 0)
            continue;
        json_array_append_new(on, custom < 0
                                      ? json_deep_copy(plugin)
                                      : given_plugin(json_array_get(enabled, (size_t)custom)));
    }
    json_array_foreach(enabled, i, plugin) if (find_plugin(on, yaml_tree_text(plugin, "name")) < 0)
        json_array_append_new(on, given_plugin(plugin));
    json_array_foreach(disabled, i, plugin)
        json_array_append_new(off, plugin_of(yaml_tree_text(plugin, "name"), 0));
    json_decref(defaults);
    if (json_array_size(off) > 0)
        json_object_set(set, "disabled", off);
    if (json_array_size(on) > 0)
        json_object_set(set, "enabled", on);
    json_decref(on);
    json_decref(off);
    return set;
}

static json_t *all_sets(const writing *w, const json_t *given)
{
    static const struct {
        const char *name;
        int since;
    } points[] = {{"bind", 0},      {"filter", 0},   {"multiPoint", 0}, {"permit", 0},
                  {"postBind", 0},  {"preBind", 0},  {"postFilter", 0}, {"placementGenerate", 36},
                  {"preFilter", 0}, {"preScore", 0}, {"preEnqueue", 0}, {"placementScore", 36},
                  {"queueSort", 0}, {"reserve", 0},  {"score", 0},      {"podGroupPostFilter", 37}};
    json_t *sets = json_object();
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        if (points[i].since <= w->minor)
            json_object_set_new(sets, points[i].name,
                                merged_set(json_object_get(given, points[i].name),
                                           strcmp(points[i].name, "multiPoint") == 0
                                               ? default_list(w)
                                               : json_array()));
    return sets;
}

/* ---- arguments ---- */

static json_t *default_resources(void)
{
    return json_pack("[{ss si} {ss si}]", "name", "cpu", "weight", 1, "name", "memory", "weight",
                     1);
}

/* A resource without a weight has 1. */
static json_t *resources_of(const json_t *given)
{
    size_t i;
    json_t *one, *list = written_parts(&written_resource, json_object_get(given, "resources"));
    if (list == NULL)
        return default_resources();
    json_array_foreach(list, i, one) if (json_integer_value(json_object_get(one, "weight")) == 0)
        json_object_set_new(one, "weight", json_integer(1));
    return list;
}

static void preemption_args(const writing *w, const json_t *given, json_t *out)
{
    (void)w;
    json_object_set_new(out, "minCandidateNodesAbsolute",
                        number(given, "minCandidateNodesAbsolute", 100));
    json_object_set_new(out, "minCandidateNodesPercentage",
                        number(given, "minCandidateNodesPercentage", 10));
}

static void devices_args(const writing *w, const json_t *given, json_t *out)
{
    if (yaml_tree_text(given, "filterTimeout") != NULL ||
        gate_is_on(w, "DRASchedulerFilterTimeout"))
        json_object_set_new(out, "filterTimeout",
                            duration_or(given, "filterTimeout", INT64_C(10000000000)));
    if (yaml_tree_text(given, "bindingTimeout") != NULL ||
        (gate_is_on(w, "DRADeviceBindingConditions") &&
         gate_is_on(w, "DRAResourceClaimDeviceStatus")))
        json_object_set_new(out, "bindingTimeout",
                            duration_or(given, "bindingTimeout", INT64_C(600000000000)));
}

static void affinity_args(const writing *w, const json_t *given, json_t *out)
{
    (void)w;
    json_object_set_new(out, "hardPodAffinityWeight", number(given, "hardPodAffinityWeight", 1));
    json_object_set_new(
        out, "ignorePreferredTermsOfExistingPods",
        json_boolean(boolean_or(given, "ignorePreferredTermsOfExistingPods", false)));
}

static void node_affinity_args(const writing *w, const json_t *given, json_t *out)
{
    (void)w;
    set_part(out, "addedAffinity", &written_node_affinity, given);
}

static void balanced_args(const writing *w, const json_t *given, json_t *out)
{
    (void)w;
    json_object_set_new(out, "resources", resources_of(given));
}

/* What extenders manage alone takes the place of what the arguments say. A new reference. */
static json_t *ignored_by_extenders(const writing *w)
{
    json_t *names = json_array();
    const json_t *extender, *resource;
    size_t i, k;
    json_array_foreach(json_object_get(w->file, "extenders"), i, extender)
    {
        json_array_foreach(json_object_get(extender, "managedResources"), k, resource)
        {
            if (boolean_or(resource, "ignoredByScheduler", false))
                json_array_append(names, json_object_get(resource, "name"));
        }
    }
    return names;
}

static void fit_args(const writing *w, const json_t *given, json_t *out)
{
    const json_t *strategy = json_object_get(given, "scoringStrategy");
    json_t *own = json_pack("{so so}", "type", text_or(strategy, "type", "LeastAllocated"),
                            "resources", resources_of(strategy));
    json_t *ignored = ignored_by_extenders(w);
    set_part(own, "requestedToCapacityRatio", &written_ratio, strategy);
    json_object_set_new(out, "scoringStrategy", own);
    if (json_array_size(ignored) > 0)
        json_object_set(out, "ignoredResources", ignored);
    else
        set_if(out, "ignoredResources", written_texts(json_object_get(given, "ignoredResources")));
    json_decref(ignored);
    set_if(out, "ignoredResourceGroups",
           written_texts(json_object_get(given, "ignoredResourceGroups")));
}

static void spread_args(const writing *w, const json_t *given, json_t *out)
{
    (void)w;
    json_object_set_new(out, "defaultingType", text_or(given, "defaultingType", "System"));
    set_if(out, "defaultConstraints",
           written_parts(&written_spread_constraint, json_object_get(given, "defaultConstraints")));
}

static void volumes_args(const writing *w, const json_t *given, json_t *out)
{
    json_object_set_new(out, "bindTimeoutSeconds", number(given, "bindTimeoutSeconds", 600));
    json_t *shape = written_parts(&written_shape_point, json_object_get(given, "shape"));
    if (shape == NULL && gate_is_on(w, "StorageCapacityScoring"))
        shape = json_pack("[{si si} {si si}]", "utilization", 0, "score", 10, "utilization", 100,
                          "score", 0);
    set_if(out, "shape", shape);
}

/* By name, as they are written. */
static const struct {
    const char *plugin;
    int since;
    void (*fill)(const writing *w, const json_t *given, json_t *out);
} arguments[] = {{"DefaultPreemption", FIRST, preemption_args},
                 {"DynamicResources", 34, devices_args},
                 {"InterPodAffinity", FIRST, affinity_args},
                 {"NodeAffinity", FIRST, node_affinity_args},
                 {"NodeResourcesBalancedAllocation", FIRST, balanced_args},
                 {"NodeResourcesFit", FIRST, fit_args},
                 {"PodTopologySpread", FIRST, spread_args},
                 {"VolumeBinding", FIRST, volumes_args}};

static const json_t *given_args(const json_t *profile, const char *name)
{
    const json_t *list = json_object_get(profile, "pluginConfig");
    const int at = find_plugin(list, name);
    return at < 0 ? NULL : json_object_get(json_array_get(list, (size_t)at), "args");
}

static bool is_enabled(json_t *sets, const char *name)
{
    const char *point;
    json_t *set;
    bool enabled = false;
    json_object_foreach(sets, point, set) enabled =
        enabled || find_plugin(json_object_get(set, "enabled"), name) >= 0;
    return enabled;
}

/* Plugins that are enabled nowhere have no arguments. */
static json_t *all_args(const writing *w, const json_t *profile, json_t *sets)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
        char kind[64];
        if (arguments[i].since > w->minor || !is_enabled(sets, arguments[i].plugin))
            continue;
        snprintf(kind, sizeof(kind), "%sArgs", arguments[i].plugin);
        json_t *args = json_pack("{ss ss}", "apiVersion", API_VERSION, "kind", kind);
        arguments[i].fill(w, given_args(profile, arguments[i].plugin), args);
        json_array_append_new(list,
                              json_pack("{so ss}", "args", args, "name", arguments[i].plugin));
    }
    return list;
}

/* ---- the whole ---- */

static json_t *profile_of(const writing *w, const json_t *given)
{
    json_t *sets = all_sets(w, json_object_get(given, "plugins"));
    json_t *args = all_args(w, given, sets);
    json_t *profile = json_pack("{so so}", "plugins", sets, "schedulerName",
                                text_or(given, "schedulerName", "default-scheduler"));
    if (json_array_size(args) > 0)
        json_object_set(profile, "pluginConfig", args);
    json_decref(args);
    if (yaml_tree_text(given, "percentageOfNodesToScore") != NULL)
        json_object_set_new(profile, "percentageOfNodesToScore",
                            number(given, "percentageOfNodesToScore", 0));
    return profile;
}

static json_t *all_profiles(const writing *w)
{
    json_t *list = json_array();
    size_t i;
    const json_t *profile;
    json_array_foreach(json_object_get(w->file, "profiles"), i, profile)
        json_array_append_new(list, profile_of(w, profile));
    if (json_array_size(list) == 0)
        json_array_append_new(list, profile_of(w, NULL));
    return list;
}

static json_t *real(double value)
{
    return value == (double)(int64_t)value ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *connection_of(const writing *w)
{
    const json_t *given = json_object_get(w->file, "clientConnection");
    const char *access =
        w->from->file->kubeconfig != NULL ? w->from->file->kubeconfig : w->from->kubeconfig;
    return json_pack("{so sI so ss so}", "acceptContentTypes",
                     text_or(given, "acceptContentTypes", ""), "burst", (json_int_t)w->from->burst,
                     "contentType",
                     text_or(given, "contentType", "application/vnd.kubernetes.protobuf"),
                     "kubeconfig", access != NULL ? access : "", "qps", real(w->from->qps));
}

static json_t *election_of(const writing *w)
{
    const run_config *file = w->from->file;
    const json_t *given = json_object_get(w->file, "leaderElection");
    return json_pack(
        "{sb so so so so ss ss}", "leaderElect", w->from->leader_elect, "leaseDuration",
        duration(file->lease_ns), "renewDeadline", duration(file->renew_deadline_ns), "retryPeriod",
        duration(file->retry_period_ns), "resourceLock", text_or(given, "resourceLock", "leases"),
        "resourceName", file->resource_name, "resourceNamespace", file->resource_namespace);
}

/* Where the file has none, or 0.
 * Source: kube-scheduler v1.32, extender.go, DefaultExtenderTimeout. */
static const int64_t EXTENDER_TIMEOUT_NS = INT64_C(5000000000);

static json_t *extender_of(const json_t *given)
{
    json_t *extender = written_part(&written_extender, given);
    const char *timeout = yaml_tree_text(given, "httpTimeout");
    int64_t timeout_ns = 0;
    if (timeout != NULL)
        (void)duration_read(timeout, &timeout_ns);
    json_object_set_new(extender, "httpTimeout",
                        duration(timeout_ns != 0 ? timeout_ns : EXTENDER_TIMEOUT_NS));
    return extender;
}

/* NULL: there are none. */
static json_t *extenders_of(const writing *w)
{
    json_t *all = json_array();
    const json_t *given;
    size_t i;
    json_array_foreach(json_object_get(w->file, "extenders"), i, given)
    {
        json_array_append_new(all, extender_of(given));
    }
    if (json_array_size(all) > 0)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *document(const writing *w)
{
    /* The flag comes after the defaults, one of which follows from the file's profiling. */
    const bool contention = boolean_or(w->file, "enableProfiling", true);
    json_t *root = json_pack(
        "{ss ss so so sb sb so so so so so}", "apiVersion", API_VERSION, "kind",
        "KubeSchedulerConfiguration", "clientConnection", connection_of(w), "leaderElection",
        election_of(w), "enableProfiling",
        boolean_or(w->file, "enableProfiling", w->from->profiling), "enableContentionProfiling",
        boolean_or(w->file, "enableContentionProfiling", contention), "parallelism",
        number(w->file, "parallelism", 16), "percentageOfNodesToScore",
        number(w->file, "percentageOfNodesToScore", 0), "podInitialBackoffSeconds",
        number(w->file, "podInitialBackoffSeconds", 1), "podMaxBackoffSeconds",
        number(w->file, "podMaxBackoffSeconds", 10), "profiles", all_profiles(w));
    if (boolean_or(w->file, "delayCacheUntilActive", false))
        json_object_set_new(root, "delayCacheUntilActive", json_true());
    json_t *extenders = extenders_of(w);
    if (extenders != NULL)
        json_object_set_new(root, "extenders", extenders);
    return root;
}

/* ---- writing ---- */

static berth_status read_file(writing *w, berth_error *error)
{
    const char *path = w->from->setup->config_path;
    size_t length;
    if (path == NULL) {
        w->file = json_object();
        return BERTH_OK;
    }
    char *text = small_file_read(path, &length);
    if (text == NULL)
        return error_set(error, BERTH_E_IO, path, "cannot read it: %s", strerror(errno));
    w->file = yaml_tree_read((berth_str){text, (uint32_t)length}, path, error);
    free(text);
    return w->file != NULL ? BERTH_OK : BERTH_E_PARSE;
}

berth_status written_config_write(const written_config *from, const char *path, berth_error *error)
{
    writing w = {.from = from, .minor = from->setup->minor != 0 ? (int)from->setup->minor : NEWEST};
    berth_output_file *file;
    TRY(read_file(&w, error));
    berth_status status = berth_output_file_open(path, &file, error);
    if (status == BERTH_OK) {
        json_t *root = document(&w);
        if (root != NULL) {
            written_yaml(berth_output_file_stream(file), root);
            status = berth_output_file_commit(file, error);
        } else {
            berth_output_file_discard(file);
            status = error_set(error, BERTH_E_INVALID, path, "a text in it is not UTF-8");
        }
        json_decref(root);
    }
    json_decref(w.file);
    return status;
}
