/* Apps with pods on more nodes than a search looks at one by one, in clusters that are large enough
 * for class forests: the index, whose forests follow the apps' class maps, decides as the scan. */
#include "both_paths.h"
#include "index/index_kind.h"
#include "versions/engine_state.h"

enum {
    NODES = BERTH__FOREST_TILES_MIN * BERTH__TILE + 200,
    NODES_SMALL = BERTH__FOREST_ALL_TILES_MIN * BERTH__TILE + 200,
    APPS = 3,
    CROWD = 700, /* running pods of each */
    ROUNDS = 240,
    HEAP = ROUNDS / 10, /* pods that come to one node */
    ALL = APPS * CROWD + ROUNDS + HEAP
};

static void open_with_crowds(both_paths *b, berth_pod_id *pods, uint32_t nodes)
{
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    both_open(b, &profile);
    for (uint32_t i = 0; i < nodes; i++)
        both_addf(b,
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                  "{kubernetes.io/hostname: n%1$u}}\n"
                  "status: {allocatable: {cpu: %2$u, memory: 64Gi, pods: 100}}\n",
                  (unsigned)i, 4 + (unsigned)(i % 5));
    for (uint32_t i = 0; i < ALL; i++)
        pods[i] = both_addf(
            b,
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p%1$u, labels: {app: a%2$u}}\n"
            "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
            "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a%2$u}}}], "
            "containers: [{name: c, resources: {requests: {cpu: 100m}}}]}\n",
            (unsigned)i, (unsigned)(i < ALL - HEAP ? i % APPS : 0));
    for (uint32_t i = 0; i < APPS * CROWD; i++)
        both_bind(b, pods[i], both_below(b, nodes));
}

/* Whether some forest follows a class map. */
static bool has_forest_by_class(const berth__index_cache *cache)
{
    for (const berth__used *used = cache->order.oldest; used != NULL; used = used->newer) {
        const berth__index *index = (const berth__index *)used;
        for (uint32_t i = 0; i < index->forest_count; i++)
            if (index->forests[i].built && index->forests[i].map != 0)
                return true;
    }
    return false;
}

/* Pods come and go, and one node gets more and more of them, so that there are new classes. Returns
 * whether a forest followed a class map. */
static bool place_pods(both_paths *b, const berth_pod_id *pods)
{
    const berth__index_cache *cache = &b->c[0].engine->decider.indexes;
    bool by_class = false;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const berth_pod_id gone = pods[both_below(b, APPS * CROWD + round)];
        if (round % 10 == 9)
            both_bind(b, pods[ALL - HEAP + round / 10], 7);
        if (round % 3 == 0 && both_bound(b, gone))
            both_unbind(b, gone);
        both_schedule(b, pods[APPS * CROWD + round]);
        by_class |= has_forest_by_class(cache);
        assert_true(cache->bytes <= cache->bytes_max);
    }
    return by_class;
}

static void test_large_apps(void **state)
{
    (void)state;
    static berth_pod_id pods[ALL];
    both_paths b;
    open_with_crowds(&b, pods, NODES);
    assert_true(place_pods(&b, pods));
    both_close(&b);
}

/* How often in a row a kind's forest was not worth it. */
static uint32_t most_doubts(const berth__index_cache *cache)
{
    uint32_t most = 0;
    for (const berth__used *used = cache->order.oldest; used != NULL; used = used->newer) {
        const uint32_t doubts = ((const berth__index *)used)->forest_doubts;
        most = doubts > most ? doubts : most;
    }
    return most;
}

/* Between two decisions more pods of an app come and go than its map remembers. */
static void place_after_changes(both_paths *b, const berth_pod_id *pods)
{
    const uint32_t tiles = (NODES_SMALL + BERTH__TILE - 1) / BERTH__TILE;
    for (uint32_t round = 0; round < 20 * APPS; round++) {
        for (uint32_t i = 0; i < berth__class_moves(tiles) + 8; i++) {
            const berth_pod_id pod = pods[(APPS * i + round) % (APPS * CROWD)];
            if (both_bound(b, pod))
                both_unbind(b, pod);
            else
                both_bind(b, pod, both_below(b, NODES_SMALL));
        }
        const berth_pod_id again = pods[APPS * CROWD + round];
        if (both_bound(b, again))
            both_unbind(b, again);
        both_schedule(b, again);
    }
}

/* In a smaller cluster, where all nodes are scored, forests are tried, too, and given up where they
 * serve few decisions. */
static void test_smaller_cluster(void **state)
{
    (void)state;
    static berth_pod_id pods[ALL];
    both_paths b;
    open_with_crowds(&b, pods, NODES_SMALL);
    assert_true(place_pods(&b, pods));
    place_after_changes(&b, pods);
    assert_in_range(most_doubts(&b.c[0].engine->decider.indexes), 1, ROUNDS);
    both_close(&b);
}

/* Beside the kind's tree there is no room for a forest. */
static void test_no_room_for_a_forest(void **state)
{
    (void)state;
    static berth_pod_id pods[ALL];
    both_paths b;
    open_with_crowds(&b, pods, NODES);
    b.c[0].engine->decider.indexes.bytes_max = berth__search_tree_bytes(NODES) + 1024;
    assert_false(place_pods(&b, pods));
    both_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_apps),
        cmocka_unit_test(test_smaller_cluster),
        cmocka_unit_test(test_no_room_for_a_forest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
