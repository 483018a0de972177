/* What-ifs on a live engine: does a group of pods fit as a whole, how many more of a pod fit, and
 * can a node be emptied? Each question is a transaction; a group that fits stays.
 *     cc what_if.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berth/berth.h>

enum { PODS_MAX = 64 };

static const char cluster_yaml[] =
    "{apiVersion: v1, kind: Node, metadata: {name: a},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: b},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: running},\n"
    " spec: {nodeName: a, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: worker-0},\n"
    " spec: {containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}\n";

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "what_if: %s\n", text);
    exit(1);
}

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    return berth_engine_add(context, object, NULL, error);
}

static berth_engine *load(void)
{
    berth_error error;
    berth_engine *engine;
    berth_reader *reader;
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    const berth_str text = {cluster_yaml, sizeof(cluster_yaml) - 1};
    require(berth_engine_create(NULL, &engine, &error), &error);
    require(berth_reader_create(&options, &reader, &error), &error);
    require(berth_reader_text(reader, text, "cluster", on_object, engine, &error), &error);
    berth_reader_destroy(reader);
    return engine;
}

/* Do all of `count` workers fit? If so, they stay placed. */
static void try_group(berth_engine *engine, berth_pod_id like, uint32_t count)
{
    berth_error error;
    berth_pod_id pods[PODS_MAX] = {like};
    uint32_t placed;
    require(berth_engine_begin(engine, &error), &error);
    for (uint32_t i = 1; i < count; i++) {
        char name[32];
        int len = snprintf(name, sizeof(name), "worker-%u", (unsigned)i);
        require(
            berth_engine_add_like(engine, like, (berth_str){name, (uint32_t)len}, &pods[i], &error),
            &error);
    }
    require(berth_engine_schedule_group(engine, pods, count, NULL, &placed, &error), &error);
    printf("%u workers: %s\n", (unsigned)count, placed == count ? "placed" : "not placed");
    require(placed == count ? berth_engine_commit(engine, &error)
                            : berth_engine_rollback(engine, &error),
            &error);
}

/* Would the pods of a node fit elsewhere? */
static void try_drain(berth_engine *engine, berth_node_id node)
{
    berth_error error;
    berth_pod_id pods[PODS_MAX];
    berth_str name = berth_engine_node_name(engine, node);
    uint32_t count = berth_engine_node_pods(engine, node, pods, PODS_MAX), placed;
    require(berth_engine_begin(engine, &error), &error);
    require(berth_engine_close_node(engine, node, true, &error), &error);
    for (uint32_t i = 0; i < count; i++)
        require(berth_engine_unbind(engine, pods[i], &error), &error);
    require(berth_engine_schedule_group(engine, pods, count, NULL, &placed, &error), &error);
    printf("node %.*s: %u of %u pods fit elsewhere\n", (int)name.len, name.data, (unsigned)placed,
           (unsigned)count);
    require(berth_engine_rollback(engine, &error), &error);
}

int main(void)
{
    berth_error error;
    uint32_t more;
    const berth_str space = BERTH_STR("default"), name = BERTH_STR("worker-0"), a = BERTH_STR("a");
    berth_engine *engine = load();
    berth_pod_id worker = berth_engine_find_pod(engine, space, name);
    try_group(engine, worker, 4);
    try_group(engine, worker, 2);
    require(berth_engine_fit_count(engine, worker, PODS_MAX, &more, NULL, NULL, &error), &error);
    printf("%u more of them would fit\n", (unsigned)more);
    try_drain(engine, berth_engine_find_node(engine, a));
    berth_engine_destroy(engine);
    return 0;
}
