/* What-ifs on branches: planners on several threads find out, each on a branch of its own, whether
 * one node can be removed, while the engine's thread continues to place pods. Then one plan is
 * committed to the engine.
 *     cc branches.c $(pkg-config --cflags --libs berth) -pthread */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <berth/berth.h>

enum { PODS_MAX = 64, NODES = 3 };

static const char cluster_yaml[] =
    "{apiVersion: v1, kind: Node, metadata: {name: a},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: b},\n"
    " status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Node, metadata: {name: c},\n"
    " status: {allocatable: {cpu: '2', memory: 8Gi, pods: '10'}}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: large},\n"
    " spec: {nodeName: a, containers: [{name: main, resources: {requests: {cpu: '4'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: small},\n"
    " spec: {nodeName: c, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}\n"
    "---\n"
    "{apiVersion: v1, kind: Pod, metadata: {name: waiting},\n"
    " spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}\n";

/* One planner; its branch holds its plan. */
typedef struct planner {
    pthread_t thread;
    berth_engine *branch;
    berth_node_id node;
    uint32_t pods, placed;
} planner;

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "branches: %s\n", text);
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

/* On the branch, move the node's pods to other nodes if they fit there. */
static void *plan(void *argument)
{
    planner *own = argument;
    berth_error error;
    berth_placement placement;
    berth_pod_id pods[PODS_MAX];
    own->pods = berth_engine_node_pods(own->branch, own->node, pods, PODS_MAX);
    require(berth_engine_close_node(own->branch, own->node, true, &error), &error);
    for (uint32_t i = 0; i < own->pods; i++) {
        require(berth_engine_unbind(own->branch, pods[i], &error), &error);
        require(berth_engine_schedule(own->branch, pods[i], &placement, &error), &error);
        own->placed += placement.verdict == BERTH_VERDICT_PLACED;
    }
    return NULL;
}

static void start(planner *one, berth_engine *engine, const char *name)
{
    berth_error error;
    berth_snapshot *snapshot = berth_engine_pin(engine);
    require(berth_branch_create(snapshot, &one->branch, &error), &error);
    berth_snapshot_unpin(snapshot); /* the branch has a pin of its own */
    one->node = berth_engine_find_node(engine, (berth_str){name, 1});
    if (pthread_create(&one->thread, NULL, plan, one) != 0)
        exit(1);
}

/* Commit a plan to the engine, unless there is a conflict. */
static void hand_over(const planner *one)
{
    berth_error error;
    berth_conflict conflict;
    uint32_t count;
    require(berth_branch_commit(one->branch, &conflict, 1, &count, &error), &error);
    printf("handed over: %s\n", count == 0 ? "done" : "something has changed");
}

int main(void)
{
    static planner planners[NODES];
    static const char *const names[NODES] = {"a", "b", "c"};
    const berth_str space = BERTH_STR("default"), small = BERTH_STR("small"),
                    waiting = BERTH_STR("waiting");
    berth_error error;
    berth_placement placement;
    berth_engine *engine = load();
    require(berth_engine_publish(engine, &error), &error);
    for (int i = 0; i < NODES; i++)
        start(&planners[i], engine, names[i]);
    /* Meanwhile the engine continues. */
    berth_pod_id pod = berth_engine_find_pod(engine, space, waiting);
    require(berth_engine_schedule(engine, pod, &placement, &error), &error);
    for (int i = 0; i < NODES; i++) {
        pthread_join(planners[i].thread, NULL);
        printf("node %s: %u of %u pods fit elsewhere\n", names[i], (unsigned)planners[i].placed,
               (unsigned)planners[i].pods);
    }
    hand_over(&planners[2]);
    berth_str node = berth_engine_node_name(
        engine, berth_engine_pod_node(engine, berth_engine_find_pod(engine, space, small)));
    printf("the small pod is on node %.*s\n", (int)node.len, node.data);
    for (int i = 0; i < NODES; i++)
        berth_branch_drop(planners[i].branch);
    berth_engine_destroy(engine);
    return 0;
}
