/* kube-scheduler prints its struct fields under their Go names, and so do we. */
#include "live/run/configz.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "live/writes/write_json.h"

/* Formats a duration of whole milliseconds as Go does: "15s", "1500ms". */
static json_t *duration(int64_t ns)
{
    char text[32];
    if (ns % 1000000000 == 0)
        snprintf(text, sizeof(text), "%llds", (long long)(ns / 1000000000));
    else
        snprintf(text, sizeof(text), "%lldms", (long long)(ns / 1000000));
    return json_string(text);
}

static json_t *election(const session_options *o)
{
    return json_pack("{sb so so so ss ss ss}", "LeaderElect", o->leader_elect, "LeaseDuration",
                     duration(o->lease_ns), "RenewDeadline", duration(o->renew_deadline_ns),
                     "RetryPeriod", duration(o->retry_period_ns), "ResourceLock", "leases",
                     "ResourceName", o->lease_name, "ResourceNamespace", o->lease_namespace);
}

static json_t *plugins(const berth_plugin_list *list)
{
    json_t *enabled = json_array();
    for (uint32_t i = 0; i < list->count; i++)
        json_array_append_new(enabled,
                              json_pack("{so si}", "Name", write_json_str(list->items[i].name),
                                        "Weight", (int)list->items[i].weight));
    return json_pack("{so sn}", "Enabled", enabled, "Disabled");
}

static json_t *profile(const berth_profile *p)
{
    berth_str name = p->scheduler_name.len > 0 ? p->scheduler_name : BERTH_STR("default-scheduler");
    json_t *points = json_object();
    for (int point = 0; point < BERTH_POINT_COUNT; point++) {
        const berth_plugin_list list = berth_profile_list(p, (berth_point)point);
        char key[32];
        snprintf(key, sizeof(key), "%s", berth_point_name((berth_point)point));
        key[0] = (char)toupper((unsigned char)key[0]);
        json_object_set_new(points, key, plugins(&list));
    }
    return json_pack("{so si so}", "SchedulerName", write_json_str(name),
                     "PercentageOfNodesToScore", (int)p->percentage_of_nodes_to_score, "Plugins",
                     points);
}

char *configz_text(const session_options *o)
{
    berth_backoff backoff = {.initial_seconds = 1, .max_seconds = 10};
    json_t *profiles = json_array();
    if (o->setup->config != NULL)
        backoff = berth_scheduler_config_backoff(o->setup->config);
    for (uint32_t i = 0; i < o->setup->profile_count; i++)
        json_array_append_new(profiles, profile(&o->setup->profiles[i]));
    return write_json_text(json_pack(
        "{so s{sf si} sI sI so}", "LeaderElection", election(o), "ClientConnection", "QPS", o->rate,
        "Burst", (int)o->burst, "PodInitialBackoffSeconds", (json_int_t)backoff.initial_seconds,
        "PodMaxBackoffSeconds", (json_int_t)backoff.max_seconds, "Profiles", profiles));
}
