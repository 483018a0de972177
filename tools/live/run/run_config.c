/* Reads clientConnection and leaderElection, from the same tree as kubeconfig files. */
#include "live/run/run_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/kube.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "live/credentials/kubeconfig.h"
#include "live/credentials/yaml_tree.h"

static const int64_t second_ns = 1000000000;

void run_config_init(run_config *config)
{
    *config = (run_config){.leader_elect = true,
                           .lease_ns = 15 * second_ns,
                           .renew_deadline_ns = 10 * second_ns,
                           .retry_period_ns = 2 * second_ns,
                           .volume_timeout_ns = 600 * second_ns,
                           .device_timeout_ns = 600 * second_ns,
                           .resource_name = heap_text("kube-scheduler", 14),
                           .resource_namespace = heap_text("kube-system", 11)};
}

void run_config_free(run_config *config)
{
    free(config->kubeconfig);
    free(config->resource_name);
    free(config->resource_namespace);
    *config = (run_config){.qps = 0};
}

bool duration_read(const char *text, int64_t *ns)
{
    int64_t parsed;
    if (berth_duration_parse(words_of(text), &parsed, NULL) != BERTH_OK || parsed < 0)
        return false;
    *ns = parsed;
    return true;
}

const char *run_config_wrong_times(const run_config *config)
{
    if (config->lease_ns <= config->renew_deadline_ns)
        return "leaseDuration must be longer than renewDeadline";
    if ((double)config->renew_deadline_ns <= 1.2 * (double)config->retry_period_ns)
        return "renewDeadline must be longer than 1.2 times retryPeriod";
    return config->retry_period_ns <= 0 ? "retryPeriod must be positive" : NULL;
}

static berth_status wrong(berth_error *error, const char *source, const char *field,
                          const char *what)
{
    error_set(error, BERTH_E_INVALID, source, "%s", what);
    if (error != NULL)
        snprintf(error->field, sizeof(error->field), "%s", field);
    return BERTH_E_INVALID;
}

static void take_text(const json_t *from, const char *key, char **out)
{
    const char *text = yaml_tree_text(from, key);
    if (text == NULL)
        return;
    free(*out);
    *out = heap_text(text, strlen(text));
}

/* Reads a number, which the tree stores as text. */
static bool take_number(const json_t *from, const char *key, double *out)
{
    const char *text = yaml_tree_text(from, key);
    char *end;
    if (text == NULL)
        return true;
    *out = strtod(text, &end);
    return *end == '\0' && *out >= -1e9 && *out <= 1e9;
}

static berth_status read_connection(run_config *config, const json_t *from, const char *source,
                                    berth_error *error)
{
    double burst = config->burst;
    take_text(from, "kubeconfig", &config->kubeconfig);
    if (config->kubeconfig != NULL && config->kubeconfig[0] == '\0') {
        free(config->kubeconfig); /* kube-scheduler writes "" if there is none */
        config->kubeconfig = NULL;
    }
    config->qps_given = config->qps_given || yaml_tree_text(from, "qps") != NULL;
    if (!take_number(from, "qps", &config->qps))
        return wrong(error, source, "clientConnection.qps", "expected a number");
    if (!take_number(from, "burst", &burst) || burst < 0)
        return wrong(error, source, "clientConnection.burst", "expected a number");
    config->burst = (uint32_t)burst;
    return BERTH_OK;
}

static berth_status read_election(run_config *config, const json_t *from, const char *source,
                                  berth_error *error)
{
    static const char *const names[] = {"leaseDuration", "renewDeadline", "retryPeriod"};
    int64_t *times[] = {&config->lease_ns, &config->renew_deadline_ns, &config->retry_period_ns};
    const json_t *elect = json_object_get(from, "leaderElect");
    const bool given = elect != NULL && !json_is_null(elect);
    if (given && !json_is_boolean(elect))
        return wrong(error, source, "leaderElection.leaderElect", "expected true or false");
    if (given)
        config->leader_elect = json_is_true(elect);
    for (size_t i = 0; i < 3; i++) {
        const char *text = yaml_tree_text(from, names[i]);
        char field[64];
        snprintf(field, sizeof(field), "leaderElection.%s", names[i]);
        if (text != NULL && !duration_read(text, times[i]))
            return wrong(error, source, field, "expected a duration such as 15s");
    }
    take_text(from, "resourceName", &config->resource_name);
    take_text(from, "resourceNamespace", &config->resource_namespace);
    const char *bad = config->leader_elect ? run_config_wrong_times(config) : NULL;
    return bad == NULL ? BERTH_OK : wrong(error, source, "leaderElection", bad);
}

/* A profile's arguments for a plugin, or NULL. The library has already validated them. */
static const json_t *plugin_args(const json_t *profile, const char *plugin_name)
{
    size_t i;
    const json_t *plugin, *args = NULL;
    json_array_foreach(json_object_get(profile, "pluginConfig"), i, plugin)
    {
        const char *name = yaml_tree_text(plugin, "name");
        if (name != NULL && strcmp(name, plugin_name) == 0)
            args = json_object_get(plugin, "args");
    }
    return args;
}

/* Takes the longest of all profiles. */
static void read_timeouts(run_config *config, const json_t *profiles)
{
    size_t i;
    const json_t *profile;
    int64_t volumes_ns = 0, devices_ns = 0;
    json_array_foreach(profiles, i, profile)
    {
        double seconds = 600;
        int64_t ns = 600 * second_ns;
        (void)take_number(plugin_args(profile, "VolumeBinding"), "bindTimeoutSeconds", &seconds);
        const char *text =
            yaml_tree_text(plugin_args(profile, "DynamicResources"), "bindingTimeout");
        if (text != NULL)
            (void)duration_read(text, &ns);
        if ((int64_t)(seconds * 1e9) > volumes_ns)
            volumes_ns = (int64_t)(seconds * 1e9);
        if (ns > devices_ns)
            devices_ns = ns;
    }
    if (volumes_ns > 0)
        config->volume_timeout_ns = volumes_ns;
    if (devices_ns > 0)
        config->device_timeout_ns = devices_ns;
}

berth_status run_config_read_text(run_config *config, berth_str text, const char *source,
                                  berth_error *error)
{
    json_t *root = yaml_tree_read(text, source, error);
    if (root == NULL)
        return BERTH_E_PARSE;
    berth_status status =
        read_connection(config, json_object_get(root, "clientConnection"), source, error);
    if (status == BERTH_OK)
        status = read_election(config, json_object_get(root, "leaderElection"), source, error);
    read_timeouts(config, json_object_get(root, "profiles"));
    json_decref(root);
    return status;
}

berth_status run_config_read(run_config *config, const char *path, berth_error *error)
{
    size_t length;
    char *text = small_file_read(path, &length);
    if (text == NULL)
        return error_set(error, BERTH_E_IO, path, "cannot read it: %s", strerror(errno));
    berth_status status =
        run_config_read_text(config, (berth_str){text, (uint32_t)length}, path, error);
    free(text);
    return status;
}
