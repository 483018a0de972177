/* A plugin of your own: a pod goes to the cheapest node whose price it accepts. The price of a node
 * is a label, and so is the highest price that a pod accepts. Both follow from objects alone, so
 * the answers are static: computed once for each kind of pod, then found in the index.
 *     cc own_plugin.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <string.h>

#include <berth/berth.h>

#define PRICE_KEY BERTH_STR("example.com/price")
#define LIMIT_KEY BERTH_STR("example.com/highest-price")

/* ---- the plugin ---- */

static int64_t number(berth_str digits)
{
    int64_t value = 0;
    for (uint32_t i = 0; i < digits.len; i++)
        value = value * 10 + (digits.data[i] - '0');
    return value;
}

/* The state is the pod's limit; pods without a limit skip the filter. */
static berth_prepared prepare(berth_preparation *preparation)
{
    berth_str limit = berth_cycle_pod_label(preparation->cycle, LIMIT_KEY);
    *(int64_t *)preparation->state = number(limit);
    return limit.len > 0 ? BERTH_PREPARED_ACTIVE : BERTH_PREPARED_SKIP;
}

static int64_t price(const berth_cycle *cycle, const berth_slice *slice, uint32_t i)
{
    return number(berth_cycle_node_label(cycle, slice->index * BERTH_SLICE + i, PRICE_KEY));
}

static void filter(const berth_cycle *cycle, const void *instance, const void *state,
                   berth_slice *slice)
{
    (void)instance;
    for (uint32_t i = 0; i < slice->count; i++)
        if (price(cycle, slice, i) > *(const int64_t *)state)
            slice->mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static berth_str reason(const berth_cycle *cycle, const void *instance, const void *state,
                        uint32_t slot)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slot;
    return BERTH_STR("node(s) cost more than the pod accepts");
}

static void score(const berth_cycle *cycle, const void *instance, const void *state,
                  const berth_slice *slice, int64_t *values)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = price(cycle, slice, i);
}

static const berth_plugin node_price = {
    .size = sizeof(node_price),
    .flags = BERTH_PLUGIN_STATIC,
    .name = "NodePrice",
    .filter_state_bytes = sizeof(int64_t),
    .prepare_filter = prepare,
    .filter = filter,
    .reason = reason,
    .code = BERTH_CODE_UNRESOLVABLE, /* preemption does not make a node cheaper, */
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS, /* but these events may */
    .score = score,
    .normalize = BERTH_NORMALIZE_MAX_REVERSED,
};

/* ---- an engine with the plugin: a configuration names it like any other ---- */

static const char configuration[] = "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                    "kind: KubeSchedulerConfiguration\n"
                                    "profiles:\n"
                                    "- plugins:\n"
                                    "    filter: {enabled: [{name: NodePrice}]}\n"
                                    "    score: {enabled: [{name: NodePrice, weight: 100}]}\n";

static const char objects[] =
    "apiVersion: v1\n"
    "kind: Node\n"
    "metadata: {name: dear, labels: {example.com/price: \"90\"}}\n"
    "status: {allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\"}}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Node\n"
    "metadata: {name: cheap, labels: {example.com/price: \"20\"}}\n"
    "status: {allocatable: {cpu: \"2\", memory: 8Gi, pods: \"110\"}}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: first}\n"
    "spec: {containers: [{name: main, resources: {requests: {cpu: \"1\"}}}]}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: thrifty, labels: {example.com/highest-price: \"30\"}}\n"
    "spec: {containers: [{name: main, resources: {requests: {cpu: \"4\"}}}]}\n";

static berth_status add_object(void *engine, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    (void)origin;
    return berth_engine_add(engine, object, NULL, error);
}

/* Create an engine with the plugin, under the configuration above. */
static berth_status start(berth_engine **engine, berth_error *error)
{
    static const berth_plugin *const plugins[] = {&node_price};
    const berth_str text = {configuration, sizeof(configuration) - 1};
    berth_scheduler_config *scheduler;
    berth_status status = berth_scheduler_config_text(text, "configuration", 0, &scheduler, error);
    if (status != BERTH_OK)
        return status;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.plugins = plugins;
    config.plugin_count = 1;
    config.profiles = berth_scheduler_config_profiles(scheduler, &config.profile_count);
    status = berth_engine_create(&config, engine, error);
    berth_scheduler_config_destroy(scheduler);
    return status;
}

static berth_status fill(berth_engine *engine, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    const berth_str text = {objects, sizeof(objects) - 1};
    berth_reader *reader;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    status = berth_reader_text(reader, text, "objects", add_object, engine, error);
    berth_reader_destroy(reader);
    return status;
}

static berth_status place(berth_engine *engine, berth_pod_id pod, berth_explanation *why,
                          berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options), .explanation = why};
    berth_placement placement;
    berth_status status = berth_engine_decide(engine, pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    berth_str space, name, answer = berth_explanation_message(why);
    berth_engine_pod_name(engine, pod, &space, &name);
    if (placement.verdict == BERTH_VERDICT_PLACED)
        answer = berth_engine_node_name(engine, placement.node);
    printf("%.*s: %.*s\n", (int)name.len, name.data, (int)answer.len, answer.data);
    return placement.verdict == BERTH_VERDICT_PLACED
               ? berth_engine_bind(engine, pod, placement.node, error)
               : BERTH_OK;
}

int main(void)
{
    berth_error error;
    berth_engine *engine = NULL;
    berth_explanation *why = NULL;
    berth_pod_id pods[2];
    uint64_t count = 0;
    berth_status status = start(&engine, &error);
    if (status == BERTH_OK)
        status = fill(engine, &error);
    if (status == BERTH_OK)
        status = berth_explanation_create(NULL, &why, &error);
    if (status == BERTH_OK)
        status = berth_engine_pending(engine, pods, 2, &count, &error);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++)
        status = place(engine, pods[i], why, &error);
    if (status != BERTH_OK)
        fprintf(stderr, "own_plugin: %s\n", error.message);
    berth_explanation_destroy(why);
    berth_engine_destroy(engine);
    return status == BERTH_OK ? 0 : 1;
}
