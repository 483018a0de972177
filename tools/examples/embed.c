/* Embedding Berth, in one file: nodes are made in C, pods are read from YAML, and each pod is
 * placed or explained. Built against an installed Berth: see CMakeLists.txt beside it, or
 *     cc embed.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <string.h>

#include <berth/berth.h>

static const char pods_yaml[] =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: small}\n"
    "spec:\n"
    "  containers:\n"
    "  - {name: main, resources: {requests: {cpu: 500m, memory: 1Gi}}}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: picky}\n"
    "spec:\n"
    "  nodeSelector: {disk: ssd}\n"
    "  containers:\n"
    "  - {name: main, resources: {requests: {cpu: \"2\"}}}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata: {name: huge}\n"
    "spec:\n"
    "  containers:\n"
    "  - {name: main, resources: {requests: {cpu: \"64\"}}}\n";

static int fail(const berth_error *error)
{
    char text[1024];
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "embed: %s\n", text);
    return 1;
}

/* Add a node with 4 cores, 16 GiB and 110 pods. Strings are borrowed only until the call
 * returns. */
static berth_status add_node(berth_engine *engine, const char *name, const char *disk,
                             berth_error *error)
{
    const berth_key_value labels[] = {{BERTH_STR("disk"), {disk, (uint32_t)strlen(disk)}}};
    const berth_resource resources[] = {
        {BERTH_STR("cpu"), {4, 0}},
        {BERTH_STR("memory"), {INT64_C(16) << 30, 0}},
        {BERTH_STR("pods"), {110, 0}},
    };
    const berth_node node = {
        .meta = {.name = {name, (uint32_t)strlen(name)}, .labels = {labels, 1}},
        .allocatable = {resources, 3},
    };
    return berth_engine_add_node(engine, &node, NULL, error);
}

/* Called for each object of the YAML. */
static berth_status add_object(void *engine, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    (void)origin;
    return berth_engine_add(engine, object, NULL, error);
}

static berth_status add_pods(berth_engine *engine, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    const berth_str text = {pods_yaml, sizeof(pods_yaml) - 1};
    berth_reader *reader;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    status = berth_reader_text(reader, text, "pods.yaml", add_object, engine, error);
    berth_reader_destroy(reader);
    return status;
}

/* Place a pod, or print why it fits nowhere. */
static berth_status place(berth_engine *engine, berth_pod_id pod, berth_explanation *explanation,
                          berth_error *error)
{
    berth_str namespace_name, name;
    berth_engine_pod_name(engine, pod, &namespace_name, &name);
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    berth_placement placement;
    berth_status status = berth_engine_decide(engine, pod, &options, &placement, error);
    if (status != BERTH_OK)
        return status;
    if (placement.verdict != BERTH_VERDICT_PLACED) {
        berth_str why = berth_explanation_message(explanation);
        printf("%.*s: %.*s\n", (int)name.len, name.data, (int)why.len, why.data);
        return BERTH_OK;
    }
    berth_str node = berth_engine_node_name(engine, placement.node);
    printf("%.*s: on %.*s\n", (int)name.len, name.data, (int)node.len, node.data);
    return berth_engine_bind(engine, pod, placement.node, error);
}

static berth_status run(berth_engine *engine, berth_explanation *explanation, berth_error *error)
{
    berth_status status = add_node(engine, "a", "hdd", error);
    if (status == BERTH_OK)
        status = add_node(engine, "b", "ssd", error);
    if (status == BERTH_OK)
        status = add_pods(engine, error);
    berth_pod_id pods[8];
    uint64_t count = 0;
    if (status == BERTH_OK)
        status = berth_engine_pending(engine, pods, 8, &count, error);
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++)
        status = place(engine, pods[i], explanation, error);
    return status;
}

int main(void)
{
    berth_error error;
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_engine *engine;
    if (berth_engine_create(&config, &engine, &error) != BERTH_OK)
        return fail(&error);
    berth_explanation *explanation = NULL;
    berth_status status = berth_explanation_create(NULL, &explanation, &error);
    if (status == BERTH_OK)
        status = run(engine, explanation, &error);
    berth_explanation_destroy(explanation);
    berth_engine_destroy(engine);
    return status == BERTH_OK ? 0 : fail(&error);
}
