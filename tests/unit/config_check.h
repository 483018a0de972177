/* Shared by the tests of configuration reading: profiles as text, golden files and tables of
 * refused texts. */
#ifndef BERTH_TESTS_CONFIG_CHECK_H
#define BERTH_TESTS_CONFIG_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"

#define STR(s) (int)(s).len, (s).data != NULL ? (s).data : ""

/* ---- profiles as text ---- */

typedef struct sheet {
    char text[16384];
    size_t len;
} sheet;

static void put(sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(sheet *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(s->text + s->len, sizeof(s->text) - s->len, format, args);
    va_end(args);
    assert_true(len >= 0 && s->len + (size_t)len < sizeof(s->text));
    s->len += (size_t)len;
}

static void put_strs(sheet *s, const char *name, berth_strs strs)
{
    if (strs.items == NULL)
        return;
    put(s, " %s=[", name);
    for (uint32_t i = 0; i < strs.count; i++)
        put(s, "%s%.*s", i > 0 ? "," : "", STR(strs.items[i]));
    put(s, "]");
}

static void put_resources(sheet *s, const berth_weighted_resource *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(s, " %.*s*%d", STR(items[i].name), (int)items[i].weight);
}

static void put_requirements(sheet *s, berth_requirements list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        put(s, "{%.*s %.*s", STR(list.items[i].key), STR(list.items[i].op));
        put_strs(s, "", list.items[i].values);
        put(s, "}");
    }
}

static void put_term(sheet *s, const berth_node_selector_term *term)
{
    put(s, "(");
    put_requirements(s, term->match_expressions);
    put(s, "|");
    put_requirements(s, term->match_fields);
    put(s, ")");
}

static void put_affinity(sheet *s, const berth_node_affinity *affinity)
{
    if (affinity->required != NULL) {
        put(s, " required:");
        for (uint32_t i = 0; i < affinity->required->count; i++)
            put_term(s, &affinity->required->terms[i]);
    }
    if (affinity->preferred != NULL) {
        put(s, " preferred:");
        for (uint32_t i = 0; i < affinity->preferred_count; i++) {
            put(s, "%d", affinity->preferred[i].weight);
            put_term(s, &affinity->preferred[i].preference);
        }
    }
}

static void put_spread(sheet *s, const berth_spread_args *spread)
{
    put(s, " %s", spread->list_defaulting ? "List" : "System");
    for (uint32_t i = 0; i < spread->default_constraint_count; i++) {
        const berth_topology_spread *c = &spread->default_constraints[i];
        put(s, " {%.*s skew=%d %.*s min=%d affinity=%.*s taints=%.*s", STR(c->topology_key),
            c->max_skew, STR(c->when_unsatisfiable), c->min_domains, STR(c->node_affinity_policy),
            STR(c->node_taints_policy));
        put_strs(s, "keys", c->match_label_keys);
        put(s, "}");
    }
}

static void put_fit(sheet *s, const berth_fit_args *fit)
{
    static const char *const strategies[] = {"LeastAllocated", "MostAllocated",
                                             "RequestedToCapacityRatio"};
    put(s, " %s", strategies[fit->strategy]);
    put_resources(s, fit->resources, fit->resource_count);
    put_strs(s, "ignored", fit->ignored_resources);
    put_strs(s, "groups", fit->ignored_resource_groups);
    for (uint32_t i = 0; i < fit->shape_count; i++)
        put(s, " %d:%d", fit->shape[i].utilization, fit->shape[i].score);
}

static void put_args(sheet *s, const char *plugin, const berth_plugin_args *args)
{
    if (args->raw_json.data != NULL)
        put(s, " %.*s", STR(args->raw_json));
    else if (strcmp(plugin, "NodeResourcesFit") == 0 ||
             strcmp(plugin, "RequestedToCapacityRatioPriority") == 0)
        put_fit(s, &args->fit);
    else if (strcmp(plugin, "NodeResourcesBalancedAllocation") == 0)
        put_resources(s, args->balanced.resources, args->balanced.resource_count);
    else if (strcmp(plugin, "NodeAffinity") == 0)
        put_affinity(s, &args->node_affinity.added_affinity);
    else if (strcmp(plugin, "InterPodAffinity") == 0 ||
             strcmp(plugin, "InterPodAffinityPriority") == 0)
        put(s, " hard=%d%s", args->inter_pod_affinity.hard_pod_affinity_weight,
            args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods ? " ignore" : "");
    else if (strcmp(plugin, "PodTopologySpread") == 0)
        put_spread(s, &args->spread);
    else if (strcmp(plugin, "DefaultPreemption") == 0)
        put(s, " %d%% %d", args->preemption.min_candidate_nodes_percentage,
            args->preemption.min_candidate_nodes_absolute);
    else if (args->label.labels.items != NULL) {
        put_strs(s, "labels", args->label.labels);
        put(s, " %s", args->label.presence ? "present" : "absent");
    }
}

static void put_point(sheet *s, berth_point point, berth_plugin_list list)
{
    if (list.count == 0)
        return;
    put(s, "  %s:", berth_point_name(point));
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_plugin_ref *ref = &list.items[i];
        put(s, " %.*s", STR(ref->name));
        if (ref->implementation.data != NULL)
            put(s, "=%.*s", STR(ref->implementation));
        if (ref->weight != 0)
            put(s, "*%d", ref->weight);
    }
    put(s, "\n");
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_plugin_ref *ref = &list.items[i];
        berth_str who = ref->implementation.data != NULL ? ref->implementation : ref->name;
        char plugin[128];
        if (ref->args == NULL)
            continue;
        snprintf(plugin, sizeof(plugin), "%.*s", STR(who));
        put(s, "    %.*s:", STR(ref->name));
        put_args(s, plugin, ref->args);
        put(s, "\n");
    }
}

static void put_profile(sheet *s, const berth_profile *profile)
{
    static const char *const ties[] = {"default", "first", "random", "round robin", "kubernetes"};
    put(s, "profile %.*s: %s, %d%%, tie %s%s\n", STR(profile->scheduler_name),
        profile->era == BERTH_ERA_V1 ? "v1" : "v1alpha1", profile->percentage_of_nodes_to_score,
        ties[profile->tie], profile->always_check_all ? ", check all" : "");
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++)
        put_point(s, (berth_point)p, berth_profile_list(profile, (berth_point)p));
}

static void put_config(sheet *s, const berth_scheduler_config *config)
{
    uint32_t count;
    const berth_profile *profiles = berth_scheduler_config_profiles(config, &count);
    berth_backoff backoff = berth_scheduler_config_backoff(config);
    put(s, "backoff %d %d\n", (int)backoff.initial_seconds, (int)backoff.max_seconds);
    for (uint32_t i = 0; i < count; i++)
        put_profile(s, &profiles[i]);
}

/* ---- golden files ---- */

static void golden_path(char *out, size_t size, const char *name)
{
    const char *root = getenv("BERTH_SOURCE");
    snprintf(out, size, "%s/tests/golden/config/%s", root != NULL ? root : "../..", name);
}

static void read_golden(const char *name, char *out, size_t size)
{
    char path[1024];
    golden_path(path, sizeof(path), name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    size_t len = fread(out, 1, size - 1, file);
    fclose(file);
    assert_true(len < size - 1);
    out[len] = '\0';
}

static void report(const char *what, const berth_error *error)
{
    char text[1200];
    berth_error_format(error, text, sizeof(text));
    fail_msg("%s: %s (%s, field \"%s\")", what, text, berth_status_name(error->code), error->field);
}

/* Read NAME with the defaults of 1.32 and compare its profiles with the text in NAME.profiles. */
__attribute__((unused)) static void check_golden(const char *name)
{
    static char want[16384];
    char path[1024];
    char golden[512];
    sheet got = {.len = 0};
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    golden_path(path, sizeof(path), name);
    if (berth_scheduler_config_file(path, 32, &config, &error) != BERTH_OK)
        report(name, &error);
    put_config(&got, config);
    berth_scheduler_config_destroy(config);
    snprintf(golden, sizeof(golden), "%s.profiles", name);
    read_golden(golden, want, sizeof(want));
    if (strcmp(got.text, want) != 0)
        fail_msg("%s reads as\n%s\nbut %s has\n%s", name, got.text, golden, want);
}

/* Read a text that must be accepted. */
__attribute__((unused)) static berth_scheduler_config *accept(const char *text)
{
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    if (berth_scheduler_config_text(berth__text_of(text), "test", 0, &config, &error) != BERTH_OK)
        report(text, &error);
    return config;
}

__attribute__((unused)) static const berth_profile *
first_profile(const berth_scheduler_config *config)
{
    uint32_t count;
    return berth_scheduler_config_profiles(config, &count);
}

/* A setting, and the percentage of nodes to score that the first profile has with it. */
typedef struct percentage {
    const char *text;
    int32_t want;
} percentage;

__attribute__((unused)) static void check_percentage(const char *head, const percentage *one)
{
    char text[512];
    snprintf(text, sizeof(text), "%s%s", head, one->text);
    berth_scheduler_config *config = accept(text);
    assert_int_equal(first_profile(config)->percentage_of_nodes_to_score, one->want);
    berth_scheduler_config_destroy(config);
}

/* ---- refused texts ---- */

typedef struct refusal {
    const char *text;
    berth_status status;
    const char *field;   /* the whole path */
    const char *message; /* a part of the message */
} refusal;

static void check_refusal(const char *text, const refusal *want)
{
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    berth_status status =
        berth_scheduler_config_text(berth__text_of(text), "test.yaml", 0, &config, &error);
    if (status == BERTH_OK)
        fail_msg("accepted:\n%s", text);
    assert_null(config);
    if (status != want->status || error.code != status || strcmp(error.field, want->field) != 0 ||
        strstr(error.message, want->message) == NULL || strcmp(error.source, "test.yaml") != 0)
        report(text, &error);
    /* Without an error struct the result is the same. */
    assert_int_equal(
        berth_scheduler_config_text(berth__text_of(text), "test.yaml", 0, &config, NULL), status);
    assert_null(config);
}

/* Check a table of refused texts; each follows `prefix`. */
__attribute__((unused)) static void check_refusals(const char *prefix, const refusal *table,
                                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[4096];
        snprintf(text, sizeof(text), "%s%s", prefix, table[i].text);
        check_refusal(text, &table[i]);
    }
}

#define CHECK_REFUSALS(prefix, table) \
    check_refusals(prefix, table, sizeof(table) / sizeof(table[0]))

#endif
