/* Small clusters with a scheduler: objects as YAML text, time in whole milliseconds, and callbacks
 * that answer as told and record their calls. */
#ifndef BERTH_TESTS_UNIT_SCHEDULER_CLUSTER_H
#define BERTH_TESTS_UNIT_SCHEDULER_CLUSTER_H

#include <stdlib.h>

#include "rule_cluster.h"

#define MS INT64_C(1000000)

typedef struct loop {
    small_cluster c;
    berth_scheduler *scheduler;
    int64_t now_ms;
    bool updates;                           /* objects of texts are updates */
    berth_answer bind_answer, evict_answer; /* the answers of the callbacks */
    berth_binding bound;                    /* from the last bind */
    uint32_t binds, unbinds, evictions, troubles;
    berth_unbind_reason unbind_reason;
    berth_binding unbound;
    berth_trouble trouble;
    uint32_t unnominations;
    berth_pod_id unnominated; /* the last one */
    uint32_t groups;          /* attempts of PodGroups, and the last one */
    berth_pod_group_attempt group;
    char group_message[256];
    uint32_t part_placed, part_waiting; /* by PodGroups below others: in all */
    berth_step step;                    /* the last one */
    void (*inside)(struct loop *l);     /* called by every callback; may be NULL */
} loop;

static void loop_inside(loop *l)
{
    if (l->inside != NULL)
        l->inside(l);
}

static berth_answer loop_bind(void *context, const berth_binding *binding)
{
    loop *l = context;
    loop_inside(l);
    l->binds++;
    l->bound = *binding;
    return l->bind_answer;
}

static void loop_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    loop *l = context;
    loop_inside(l);
    l->unbinds++;
    l->unbound = *binding;
    l->unbind_reason = reason;
}

static berth_answer loop_evict(void *context, const berth_eviction *eviction)
{
    loop *l = context;
    (void)eviction;
    loop_inside(l);
    l->evictions++;
    return l->evict_answer;
}

static void loop_report(void *context, berth_trouble trouble, const berth_error *error)
{
    loop *l = context;
    (void)error;
    loop_inside(l);
    l->troubles++;
    l->trouble = trouble;
}

static void loop_unnominated(void *context, berth_pod_id pod)
{
    loop *l = context;
    loop_inside(l);
    l->unnominations++;
    l->unnominated = pod;
}

static void loop_pod_group(void *context, const berth_pod_group_attempt *attempt)
{
    loop *l = context;
    loop_inside(l);
    l->groups++;
    l->group = *attempt;
    l->part_placed += attempt->below ? attempt->placed : 0;
    l->part_waiting += attempt->below ? attempt->waiting : 0;
    snprintf(l->group_message, sizeof(l->group_message), "%.*s", (int)attempt->message.len,
             attempt->message.data != NULL ? attempt->message.data : "");
}

/* A scheduler on an engine of this configuration with one thread. */
static void loop_open_config(loop *l, berth_engine_config config, int64_t bind_timeout_ms)
{
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_options options;
    *l = (loop){.now_ms = 0};
    config.threads = 1;
    small_require(berth_engine_create(&config, &l->c.engine, &error), &error);
    const berth_read_options read = {.size = sizeof(read)};
    assert_int_equal(berth_reader_create(&read, &l->c.reader, &error), BERTH_OK);
    assert_int_equal(berth_explanation_create(NULL, &l->c.explanation, &error), BERTH_OK);
    berth_scheduler_options_init(&options);
    if (bind_timeout_ms > 0)
        options.bind_timeout_ns = bind_timeout_ms * MS;
    options.callbacks =
        (berth_scheduler_callbacks){l, loop_bind, loop_unbind, loop_evict, loop_report, NULL};
    options.unnominated = loop_unnominated;
    options.pod_group = loop_pod_group;
    small_require(berth_scheduler_create(l->c.engine, &options, &l->scheduler, &error), &error);
}

/* A scheduler of 1.`minor` on an engine with these profiles and an embedder's plugin (may be
 * NULL). */
static void loop_open_as(loop *l, uint32_t minor, const berth_profile *profiles,
                         uint32_t profile_count, int64_t bind_timeout_ms,
                         const berth_plugin *plugin)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = minor;
    config.profiles = profiles;
    config.profile_count = profile_count;
    config.plugins = &plugin;
    config.plugin_count = plugin != NULL;
    loop_open_config(l, config, bind_timeout_ms);
}

/* As 1.32, whose backoffs end exactly, not on whole seconds. */
static inline void loop_open_with(loop *l, const berth_profile *profiles, uint32_t profile_count,
                                  int64_t bind_timeout_ms, const berth_plugin *plugin)
{
    loop_open_as(l, 32, profiles, profile_count, bind_timeout_ms, plugin);
}

static inline void loop_open(loop *l, const berth_profile *profiles, uint32_t profile_count,
                             int64_t bind_timeout_ms)
{
    loop_open_with(l, profiles, profile_count, bind_timeout_ms, NULL);
}

static void loop_check(loop *l)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_scheduler_check(l->scheduler, &error), &error);
}

static void loop_close(loop *l)
{
    loop_check(l);
    berth_scheduler_destroy(l->scheduler);
    small_close(&l->c);
}

/* For cmocka: a loop with the default profile whose bindings expire after 5 seconds, or never. */
static inline int loop_begin(void **state, int64_t bind_timeout_ms)
{
    loop *l = malloc(sizeof(*l));
    assert_non_null(l);
    loop_open(l, berth_profile_default(), 1, bind_timeout_ms);
    *state = l;
    return 0;
}

static inline int loop_set_up(void **state)
{
    return loop_begin(state, 5000);
}

static inline int loop_set_up_patient(void **state)
{
    return loop_begin(state, 0);
}

static inline int loop_tear_down(void **state)
{
    loop_close(*state);
    free(*state);
    return 0;
}

static berth_status loop_object(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    (void)origin;
    loop *l = context;
    return l->updates
               ? berth_scheduler_update(l->scheduler, l->now_ms * MS, object, error)
               : berth_scheduler_add(l->scheduler, l->now_ms * MS, object, &l->c.last_id, error);
}

/* Add the objects of a text through the scheduler. Returns the id of the last one. */
static uint64_t loop_add(loop *l, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_reader_text(l->c.reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    loop_object, l, &error),
                  &error);
    return small_last(&l->c);
}

static inline void loop_update(loop *l, const char *text)
{
    l->updates = true;
    loop_add(l, text);
    l->updates = false;
}

static inline void loop_remove(loop *l, berth_kind kind, const char *space, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_scheduler_remove(l->scheduler, l->now_ms * MS, kind,
                                         (berth_str){space, (uint32_t)strlen(space)},
                                         (berth_str){name, (uint32_t)strlen(name)}, &error),
                  &error);
}

/* The text of a node with `cpu` cores; `meta` is inserted into its metadata, `spec` into its
 * spec. */
static inline const char *loop_node_text(const char *name, const char *cpu, const char *meta,
                                         const char *spec)
{
    static char text[1024];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Node\nmetadata: {name: %s%s}\nspec: {%s}\n"
             "status: {allocatable: {cpu: '%s', memory: 8Gi, pods: '110'}}\n",
             name, meta, spec, cpu);
    return text;
}

/* The text of a pod that requests `cpu`; `meta` is inserted into its metadata, `spec` into its
 * spec. */
static inline const char *loop_pod_text(const char *name, const char *cpu, const char *meta,
                                        const char *spec)
{
    static char text[2048];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\n"
             "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '%s'}}}]%s}\n",
             name, meta, cpu, spec);
    return text;
}

static inline berth_node_id loop_node(loop *l, const char *name, const char *cpu)
{
    return (berth_node_id)loop_add(l, loop_node_text(name, cpu, "", ""));
}

static inline berth_pod_id loop_pod(loop *l, const char *name, const char *cpu, const char *spec)
{
    return loop_add(l, loop_pod_text(name, cpu, "", spec));
}

static berth_step_kind loop_step(loop *l)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_scheduler_step(l->scheduler, l->now_ms * MS, &l->step, &error), &error);
    loop_check(l);
    return l->step.kind;
}

static inline void loop_advance(loop *l, int64_t now_ms)
{
    berth_error error = {.code = BERTH_OK};
    l->now_ms = now_ms;
    small_require(berth_scheduler_advance(l->scheduler, now_ms * MS, &error), &error);
    loop_check(l);
}

static inline berth_pod_state loop_state(const loop *l, berth_pod_id pod)
{
    berth_pod_status status;
    berth_scheduler_pod(l->scheduler, pod, &status);
    return status.state;
}

static inline int64_t loop_due_ms(const loop *l, berth_pod_id pod)
{
    berth_pod_status status;
    berth_scheduler_pod(l->scheduler, pod, &status);
    return status.due_ns == BERTH_TIME_NEVER ? -1 : status.due_ns / MS;
}

static inline berth_pod_id loop_find(const loop *l, const char *name)
{
    return berth_engine_find_pod(l->c.engine, (berth_str)TEXT("default"), berth_str_of(name));
}

/* Answers the eviction of the pod with this name. */
static inline void loop_evict_done(loop *l, const char *name, berth_answer answer)
{
    assert_int_equal(berth_scheduler_evict_done(l->scheduler, loop_find(l, name), answer, NULL),
                     BERTH_OK);
}

static inline berth_scheduler_counters loop_count(const loop *l)
{
    berth_scheduler_counters counters;
    berth_scheduler_count(l->scheduler, &counters);
    return counters;
}

#endif
