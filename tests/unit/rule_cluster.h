/* Small clusters for tests of rules: objects as JSON or YAML text, and explained decisions. */
#ifndef BERTH_TESTS_UNIT_RULE_CLUSTER_H
#define BERTH_TESTS_UNIT_RULE_CLUSTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "berth/berth.h"

#define TEXT(text)               \
    {                            \
        (text), sizeof(text) - 1 \
    }

typedef struct small_cluster {
    berth_engine *engine;
    berth_reader *reader;
    berth_explanation *explanation;
    berth_placement placement; /* of the last decision */
    berth_object_id last_id;   /* of the last object added */
} small_cluster;

static void small_require(berth_status status, const berth_error *error)
{
    char text[1600];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fail_msg("%s", text);
}

/* Open an engine with one thread; `config` sets the rest. */
static inline void small_open_as(small_cluster *c, berth_engine_config config)
{
    berth_error error = {.code = BERTH_OK};
    *c = (small_cluster){.last_id.node = 0};
    config.threads = 1;
    small_require(berth_engine_create(&config, &c->engine, &error), &error);
    const berth_read_options options = {.size = sizeof(options)};
    assert_int_equal(berth_reader_create(&options, &c->reader, &error), BERTH_OK);
    assert_int_equal(berth_explanation_create(NULL, &c->explanation, &error), BERTH_OK);
}

/* The version whose rules a test uses; 0: the newest. */
#ifndef SMALL_KUBERNETES
#define SMALL_KUBERNETES 0
#endif

/* `attached_volumes_max`: see berth_engine_config. */
static inline void small_open_limited(small_cluster *c, const berth_profile *profile,
                                      uint32_t attached_volumes_max)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = SMALL_KUBERNETES;
    config.profiles = profile;
    config.profile_count = 1;
    config.attached_volumes_max = attached_volumes_max;
    small_open_as(c, config);
}

static inline void small_open(small_cluster *c, const berth_profile *profile)
{
    small_open_limited(c, profile, 0);
}

static void small_close(small_cluster *c)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_check(c->engine, &error), &error);
    berth_explanation_destroy(c->explanation);
    berth_reader_destroy(c->reader);
    berth_engine_destroy(c->engine);
}

/* For cmocka: each test gets a cluster of its own with the default profile. */
static inline int small_set_up(void **state)
{
    small_cluster *c = malloc(sizeof(*c));
    assert_non_null(c);
    small_open(c, berth_profile_default_of(SMALL_KUBERNETES));
    *state = c;
    return 0;
}

static inline int small_tear_down(void **state)
{
    small_close(*state);
    free(*state);
    return 0;
}

#define WITH_CLUSTER(test) cmocka_unit_test_setup_teardown(test, small_set_up, small_tear_down)

static berth_status small_add_object(void *context, const berth_object *object,
                                     const berth_error *origin, berth_error *error)
{
    (void)origin;
    small_cluster *c = context;
    return berth_engine_add(c->engine, object, &c->last_id, error);
}

/* The id of the node or pod that was added last. */
static inline uint64_t small_last(const small_cluster *c)
{
    return c->last_id.kind == BERTH_KIND_NODE ? c->last_id.node : c->last_id.pod;
}

/* Add the objects of a text. Returns the id of the last one. */
static uint64_t small_add(small_cluster *c, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_reader_text(c->reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    small_add_object, c, &error),
                  &error);
    return small_last(c);
}

enum { SMALL_TEXT = 4096 };

/* Make a text as by vprintf. */
static inline void small_print(char text[SMALL_TEXT], const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

static inline void small_print(char text[SMALL_TEXT], const char *format, va_list args)
{
    const int length = vsnprintf(text, SMALL_TEXT, format, args);
    assert_true(length >= 0 && length < SMALL_TEXT);
}

/* Add the objects of a text that is made as by printf. Returns the id of the last one. */
static inline uint64_t small_addf(small_cluster *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline uint64_t small_addf(small_cluster *c, const char *format, ...)
{
    char text[SMALL_TEXT];
    va_list args;
    va_start(args, format);
    small_print(text, format, args);
    va_end(args);
    return small_add(c, text);
}

/* Add a node with 4 cpu, 8Gi and 110 pods; `more` is inserted into its text after `metadata: {name:
 * NAME`. */
static inline berth_node_id small_node(small_cluster *c, const char *name, const char *more)
{
    return (berth_node_id)small_addf(
        c,
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s%s}\n"
        "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n",
        name, more);
}

/* Add a pod with one container; `node` NULL: pending. `spec` is inserted into its spec. */
static inline berth_pod_id small_pod(small_cluster *c, const char *name, const char *node,
                                     const char *meta, const char *spec)
{
    return small_addf(c, "apiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\nspec: {%s%s%s%s}\n",
                      name, meta, node != NULL ? "nodeName: " : "", node != NULL ? node : "",
                      node != NULL ? ", " : "", spec);
}

/* Add a PodDisruptionBudget named b. */
static inline void small_budget(small_cluster *c, const char *selector, const char *status)
{
    small_addf(c,
               "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
               "spec: {selector: %s}\nstatus: {%s}\n",
               selector, status);
}

static inline void small_decide(small_cluster *c, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    const berth_decide_options options = {.size = sizeof(options), .explanation = c->explanation};
    small_require(berth_engine_decide(c->engine, pod, &options, &c->placement, &error), &error);
}

/* The value of a score plugin on a node, or -1 if there is none. */
static inline int64_t small_score(const small_cluster *c, const char *plugin, berth_node_id node)
{
    for (uint32_t p = 0; p < berth_explanation_score_count(c->explanation); p++) {
        berth_str name = berth_explanation_score_plugin(c->explanation, p);
        if (name.len != strlen(plugin) || memcmp(name.data, plugin, name.len) != 0)
            continue;
        for (uint32_t i = 0; i < berth_explanation_feasible_count(c->explanation); i++)
            if (berth_explanation_feasible(c->explanation, i, NULL) == node)
                return berth_explanation_score(c->explanation, p, i);
    }
    return -1;
}

/* Why a node was refused: "PLUGIN: reason, reason; PLUGIN: ...", or "" if it was not. Valid until
 * the next call. */
static inline const char *small_refusal(const small_cluster *c, berth_node_id node)
{
    static char text[4096];
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < berth_explanation_refusal_count(c->explanation); i++) {
        berth_refusal refusal = berth_explanation_refusal(c->explanation, i);
        if (refusal.node != node)
            continue;
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s: ", at > 0 ? "; " : "",
                               (int)refusal.plugin.len, refusal.plugin.data);
        for (uint32_t r = 0; r < refusal.reason_count; r++) {
            berth_str reason = berth_explanation_reason(c->explanation, i, r);
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s", r > 0 ? ", " : "",
                                   (int)reason.len, reason.data);
        }
    }
    return text;
}

#endif
