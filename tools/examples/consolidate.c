/* Consolidation: which nodes does the cluster not need? Each node is first judged alone, on a
 * branch. Then nodes are emptied one after the other, each in a transaction that is committed only
 * if all pods of the node have found a place.
 *     cc consolidate.c $(pkg-config --cflags --libs berth) */
#include <stdio.h>
#include <stdlib.h>

#include <berth/berth.h>

enum { NODES_MAX = 16, PODS_MAX = 64 };

#define NODE(name)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {cpu: '8', pods: '10'}}\n---\n"
#define POD(name, node, cpu)                                                                 \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\n"                                \
    "spec: {nodeName: " node ", containers: [{name: main, resources: {requests: {cpu: '" cpu \
    "'}}}]}\n---\n"

static const char cluster_yaml[] = NODE("a") NODE("b") NODE("c") POD("w", "a", "5")
    POD("x", "b", "2") POD("yy", "c", "2") POD("z", "c", "1");

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "consolidate: %s\n", text);
    exit(1);
}

/* Close a node and place its pods elsewhere. Returns whether all of them fit. */
static bool empty_node(berth_engine *engine, berth_node_id node)
{
    berth_error error;
    berth_pod_id pods[PODS_MAX];
    uint32_t count = berth_engine_node_pods(engine, node, pods, PODS_MAX), placed;
    require(berth_engine_close_node(engine, node, true, &error), &error);
    for (uint32_t i = 0; i < count; i++)
        require(berth_engine_unbind(engine, pods[i], &error), &error);
    require(berth_engine_schedule_group(engine, pods, count, NULL, &placed, &error), &error);
    return placed == count;
}

/* Could this node go, if all others stayed? The answer is found on a branch, so the engine does not
 * change; branches can work on several threads at the same time (branches.c). */
static bool could_go(berth_snapshot *snapshot, berth_node_id node)
{
    berth_error error;
    berth_engine *branch;
    require(berth_branch_create(snapshot, &branch, &error), &error);
    bool could = empty_node(branch, node);
    berth_branch_drop(branch);
    return could;
}

/* Empty this node, unless a pod of it fits nowhere else. */
static bool go(berth_engine *engine, berth_node_id node)
{
    berth_error error;
    require(berth_engine_begin(engine, &error), &error);
    bool empty = empty_node(engine, node);
    require(empty ? berth_engine_commit(engine, &error) : berth_engine_rollback(engine, &error),
            &error);
    return empty;
}

static void print(berth_engine *engine, berth_node_id node, const char *what, bool answer)
{
    berth_str name = berth_engine_node_name(engine, node);
    printf("%.*s %s: %s\n", (int)name.len, name.data, what, answer ? "true" : "false");
}

int main(void)
{
    berth_error error;
    berth_engine *engine;
    berth_node_id nodes[NODES_MAX];
    bool could[NODES_MAX];
    uint32_t count;
    const berth_str text = {cluster_yaml, sizeof(cluster_yaml) - 1};
    require(berth_engine_create(NULL, &engine, &error), &error);
    require(berth_engine_load_text(engine, text, "cluster", NULL, NULL, &error), &error);
    require(berth_engine_node_order(engine, nodes, NODES_MAX, &count, &error), &error);

    require(berth_engine_publish(engine, &error), &error);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    for (uint32_t i = 0; i < count; i++) {
        could[i] = could_go(snapshot, nodes[i]);
        print(engine, nodes[i], "alone could go", could[i]);
    }
    berth_snapshot_unpin(snapshot);
    for (uint32_t i = 0; i < count; i++) {
        if (could[i])
            print(engine, nodes[i], "goes", go(engine, nodes[i]));
    }
    berth_engine_destroy(engine);
    return 0;
}
