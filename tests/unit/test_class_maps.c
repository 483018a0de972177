/* The class maps of a cluster that is large enough for class forests: while pods come and leave,
 * the list of slots with counted pods says what the map's ids say. Runs with another seed each
 * time; BERTH_TEST_SEED replays a failure. */
#include <time.h>

#include "base/bits.h"
#include "base/random.h"
#include "index/index_kind.h"
#include "rule_cluster.h"
#include "versions/engine_state.h"

enum {
    NODES = BERTH__FOREST_TILES_MIN * BERTH__TILE + 200,
    PODS = 300,
    STEPS = 900,
};

/* Pods that keep apart, or come together, on nodes; with names of their own. */
static const char *const rules[] = {
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
    "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a}}}], ",
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "
    "podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
    "a}}}}]}}, ",
};

static void open_large(small_cluster *c)
{
    static char text[400];
    small_open(c, berth_profile_default());
    for (uint32_t i = 0; i < NODES; i++) {
        (void)snprintf(text, sizeof(text), "n%1$u, labels: {kubernetes.io/hostname: n%1$u}",
                       (unsigned)i);
        small_node(c, text, "");
    }
}

static void check_map(const berth__class_map *map, uint64_t seed)
{
    uint32_t at = 0;
    for (uint32_t tile = 0; tile < map->tile_count; tile++) {
        const uint32_t group = tile / BERTH__FOREST_FAN;
        if (tile % BERTH__FOREST_FAN == 0 && map->listed_from[group] != at)
            fail_msg(
                "the slots of group %u are listed from %u on, not from %u; BERTH_TEST_SEED=%llu",
                (unsigned)group, (unsigned)at, (unsigned)map->listed_from[group],
                (unsigned long long)seed);
        BERTH__MASK_EACH(&map->with[tile], s)
        {
            const uint32_t slot = tile * BERTH__TILE + s;
            const uint32_t id = map->blocks[map->block_of[tile] - 1][s];
            if (at == map->listed_count || map->listed[at].slot != slot ||
                map->listed[at].id != id || map->listed[at].cell != berth__class_map_cell(map, id))
                fail_msg("slot %u is not listed with class %u; BERTH_TEST_SEED=%llu",
                         (unsigned)slot, (unsigned)id, (unsigned long long)seed);
            at++;
        }
    }
    if (map->listed_from[(map->tile_count - 1) / BERTH__FOREST_FAN + 1] != at)
        fail_msg("the last group does not end with the list; BERTH_TEST_SEED=%llu",
                 (unsigned long long)seed);
    if (at != map->listed_count)
        fail_msg("%u slots are listed, %u have counted pods; BERTH_TEST_SEED=%llu",
                 (unsigned)map->listed_count, (unsigned)at, (unsigned long long)seed);
}

/* The classes of a map's slots when it was checked last. */
typedef struct checked {
    const berth__class_map *map;
    uint64_t serial, moves;
    uint16_t ids[NODES + BERTH__TILE];
} checked;

static checked *last_check(const berth__class_map *map)
{
    static checked all[8];
    for (uint32_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].map == map || all[i].map == NULL) {
            all[i].map = map;
            return &all[i];
        }
    fail_msg("there are too many maps");
    return NULL;
}

static bool is_noted(const berth__class_map *map, uint64_t since, uint32_t slot)
{
    for (uint64_t i = since; i < map->moves; i++)
        if (map->moved[i % BERTH__CLASS_MOVES] == slot)
            return true;
    return false;
}

/* A map that was not made anew has noted each slot whose class has changed since the last check, as
 * far as the map had an id of its own for it. */
static void check_moves(const berth__class_map *map, uint64_t seed)
{
    enum { UNKNOWN = UINT16_MAX };
    checked *before = last_check(map);
    const bool remembered =
        before->serial == map->serial && map->moves - before->moves <= BERTH__CLASS_MOVES;
    for (uint32_t slot = 0; slot < map->tile_count * BERTH__TILE; slot++) {
        const uint32_t block = map->block_of[slot / BERTH__TILE];
        const uint16_t id = block != 0 ? map->blocks[block - 1][slot % BERTH__TILE] : UNKNOWN;
        if (remembered && before->ids[slot] != UNKNOWN && before->ids[slot] != id &&
            !is_noted(map, before->moves, slot))
            fail_msg("slot %u has moved from class %u to %u, which was not noted; "
                     "BERTH_TEST_SEED=%llu",
                     (unsigned)slot, (unsigned)before->ids[slot], (unsigned)id,
                     (unsigned long long)seed);
        before->ids[slot] = id;
    }
    before->serial = map->serial;
    before->moves = map->moves;
}

/* Check all maps. Returns how many slots they list together. */
static uint32_t check_maps(const small_cluster *c, uint64_t seed)
{
    const berth__score_classes *classes = c->engine->decider.indexes.classes;
    uint32_t listed = 0;
    if (classes == NULL)
        return 0;
    for (const berth__used *used = classes->maps.order.oldest; used != NULL; used = used->newer) {
        const berth__class_map *map = (const berth__class_map *)used;
        if (map->count == 0)
            continue;
        assert_false(map->unlisted);
        check_map(map, seed);
        check_moves(map, seed);
        for (const berth__used *other = used->newer; other != NULL; other = other->newer)
            assert_true(((const berth__class_map *)other)->serial != map->serial);
        listed += map->listed_count;
    }
    return listed;
}

static void unbind_all(small_cluster *c, const berth_pod_id *pods, bool *bound)
{
    berth_error error;
    uint32_t count = 0;
    for (uint32_t i = 0; i < PODS; i++) {
        if (bound[i])
            small_require(berth_engine_unbind(c->engine, pods[i], &error), &error);
        count += bound[i];
        bound[i] = false;
    }
    assert_true(count > BERTH__POPULATION_LOG);
}

static void test_listed_slots(void **state)
{
    (void)state;
    static berth_pod_id pods[PODS];
    static bool bound[PODS];
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    berth__random source = {seed};
    small_cluster c;
    berth_error error;
    uint32_t most = 0;
    open_large(&c);
    for (uint32_t i = 0; i < PODS; i++) {
        pods[i] = small_addf(&c,
                             "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a}}\n"
                             "spec: {%scontainers: [{name: c}]}\n",
                             (unsigned)i, rules[i % 2]);
        bound[i] = false;
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t i = berth__random_below(&source, PODS);
        berth_placement placement;
        if (bound[i])
            small_require(berth_engine_unbind(c.engine, pods[i], &error), &error);
        else
            small_require(berth_engine_schedule(c.engine, pods[i], &placement, &error), &error);
        bound[i] = !bound[i];
        if (step == STEPS / 3) /* maps are made anew: slots change places, */
            small_node(&c, "late, labels: {kubernetes.io/hostname: late}", "");
        if (step == 2 * STEPS / 3) /* or the counts have changed too often since */
            unbind_all(&c, pods, bound);
        const uint32_t listed = check_maps(&c, seed);
        most = listed > most ? listed : most;
    }
    assert_true(most > PODS / 8);
    small_close(&c);
}

/* More than the largest number of slots are not listed, and pods are still placed. */
static void test_too_many_to_list(void **state)
{
    (void)state;
    small_cluster c;
    berth_error error;
    berth_placement placement;
    char node[16];
    open_large(&c);
    for (uint32_t i = 0; i <= BERTH__PEOPLED_LISTED_MAX; i++) {
        (void)snprintf(node, sizeof(node), "n%u", (unsigned)i);
        small_pod(&c, node, node, ", labels: {app: a}", "containers: [{name: c}]");
    }
    for (uint32_t i = 0; i < 2; i++) { /* the second decision uses the map of the first */
        const berth_pod_id pod = small_addf(
            &c,
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u}\nspec: {%scontainers: [{name: c}]}\n",
            (unsigned)i, rules[0]);
        small_require(berth_engine_schedule(c.engine, pod, &placement, &error), &error);
        assert_int_not_equal(placement.node, BERTH_NODE_NONE);
    }
    const berth__used *used = c.engine->decider.indexes.classes->maps.order.newest;
    assert_non_null(used);
    assert_true(((const berth__class_map *)used)->unlisted);
    small_close(&c);
}

/* Between two decisions, pods come and go, fewer and more than a population remembers: the index
 * decides as the scan. */
static void test_many_changes(void **state)
{
    (void)state;
    enum { FEW = 150, SOME = 100 };
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    berth__random source = {seed};
    small_cluster c[2];
    for (uint32_t k = 0; k < 2; k++) {
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.path = k == 0 ? BERTH_PATH_INDEX : BERTH_PATH_SCAN;
        small_open_as(&c[k], config);
        for (uint32_t i = 0; i < FEW; i++)
            small_addf(&c[k],
                       "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                       "{kubernetes.io/hostname: n%1$u}}\n"
                       "status: {allocatable: {cpu: 64, memory: 64Gi, pods: 500}}\n",
                       (unsigned)i);
        for (uint32_t i = 0; i < SOME + 2; i++)
            small_addf(&c[k],
                       "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a}}\n"
                       "spec: {%scontainers: [{name: c}]}\n",
                       (unsigned)i, i < 2 ? rules[i] : "");
    }
    berth_pod_id moved[SOME] = {0};
    for (uint32_t i = 0; i < SOME; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%u", (unsigned)i + 2);
        moved[i] = berth_engine_find_pod(c[0].engine, (berth_str)TEXT("default"),
                                         (berth_str){name, (uint32_t)strlen(name)});
    }
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t changes = berth__random_below(&source, 2 * BERTH__POPULATION_LOG + 1);
        for (uint32_t i = 0; i < changes; i++) {
            const berth_pod_id pod = moved[berth__random_below(&source, SOME)];
            const berth_node_id node = berth__random_below(&source, FEW);
            for (uint32_t k = 0; k < 2; k++)
                if (berth_engine_pod_node(c[k].engine, pod) != BERTH_NODE_NONE)
                    assert_int_equal(berth_engine_unbind(c[k].engine, pod, NULL), BERTH_OK);
                else
                    assert_int_equal(berth_engine_bind(c[k].engine, pod, node, NULL), BERTH_OK);
        }
        for (uint32_t rule = 0; rule < 2; rule++) {
            berth_placement got[2];
            const berth_str name = rule == 0 ? (berth_str)TEXT("p0") : (berth_str)TEXT("p1");
            for (uint32_t k = 0; k < 2; k++)
                assert_int_equal(
                    berth_engine_decide(
                        c[k].engine,
                        berth_engine_find_pod(c[k].engine, (berth_str)TEXT("default"), name), NULL,
                        &got[k], NULL),
                    BERTH_OK);
            assert_int_equal(got[0].path, BERTH_PATH_INDEX);
            if (got[0].total != got[1].total || got[0].best_count != got[1].best_count ||
                got[0].node != got[1].node)
                fail_msg("after %u changes, rule %u; BERTH_TEST_SEED=%llu", (unsigned)changes,
                         (unsigned)rule, (unsigned long long)seed);
        }
    }
    small_close(&c[0]);
    small_close(&c[1]);
}

/* ---- class forests by class ---- */

enum {
    APPS = 3,
    CROWD = 700,
    ROUNDS = 240,
    HEAP = ROUNDS / 10,
    ALL = APPS * CROWD + ROUNDS + HEAP
};

static berth_pod_id add_to_app(small_cluster *c, uint32_t number, uint32_t app)
{
    return small_addf(
        c,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p%1$u, labels: {app: a%2$u}}\n"
        "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
        "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a%2$u}}}], "
        "containers: [{name: c, resources: {requests: {cpu: 100m}}}]}\n",
        (unsigned)number, (unsigned)app);
}

static void open_with_crowds(small_cluster *c, berth_path path, berth_pod_id *pods)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.path = path;
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    config.profiles = &profile;
    config.profile_count = 1;
    small_open_as(c, config);
    for (uint32_t i = 0; i < NODES; i++)
        small_addf(c,
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                   "{kubernetes.io/hostname: n%1$u}}\n"
                   "status: {allocatable: {cpu: %2$u, memory: 64Gi, pods: 100}}\n",
                   (unsigned)i, 4 + (unsigned)(i % 5));
    for (uint32_t i = 0; i < ALL; i++)
        pods[i] = add_to_app(c, i, i < ALL - HEAP ? i % APPS : 0);
}

/* Whether some forest follows a class map. */
static bool has_forest_by_class(const small_cluster *c)
{
    const berth__index_cache *cache = &c->engine->decider.indexes;
    for (const berth__used *used = cache->order.oldest; used != NULL; used = used->newer) {
        const berth__index *index = (const berth__index *)used;
        for (uint32_t i = 0; i < index->forest_count; i++)
            if (index->forests[i].built && index->forests[i].map != 0)
                return true;
    }
    return false;
}

/* More slots have pods of an app than a search looks at one by one, and pods come and go: the index
 * decides as the scan. */
static void test_large_apps(void **state)
{
    (void)state;
    static berth_pod_id pods[2][ALL];
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    berth__random source = {seed};
    small_cluster c[2];
    bool by_class = false;
    for (uint32_t k = 0; k < 2; k++)
        open_with_crowds(&c[k], k == 0 ? BERTH_PATH_INDEX : BERTH_PATH_SCAN, pods[k]);
    for (uint32_t i = 0; i < APPS * CROWD; i++) {
        const berth_node_id node = berth__random_below(&source, NODES);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(berth_engine_bind(c[k].engine, pods[k][i], node, NULL), BERTH_OK);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        berth_placement got[2];
        const uint32_t gone = berth__random_below(&source, APPS * CROWD + round);
        for (uint32_t k = 0; k < 2; k++) {
            if (round % 10 == 9) /* one node gets more and more of them: new classes */
                assert_int_equal(
                    berth_engine_bind(c[k].engine, pods[k][ALL - HEAP + round / 10], 7, NULL),
                    BERTH_OK);
            if (round % 3 == 0 &&
                berth_engine_pod_node(c[k].engine, pods[k][gone]) != BERTH_NODE_NONE)
                assert_int_equal(berth_engine_unbind(c[k].engine, pods[k][gone], NULL), BERTH_OK);
            assert_int_equal(
                berth_engine_schedule(c[k].engine, pods[k][APPS * CROWD + round], &got[k], NULL),
                BERTH_OK);
        }
        if (got[0].total != got[1].total || got[0].best_count != got[1].best_count ||
            got[0].node != got[1].node)
            fail_msg("round %u; BERTH_TEST_SEED=%llu", (unsigned)round, (unsigned long long)seed);
        by_class |= has_forest_by_class(&c[0]);
    }
    assert_true(by_class);
    small_close(&c[0]);
    small_close(&c[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_slots),
        cmocka_unit_test(test_too_many_to_list),
        cmocka_unit_test(test_many_changes),
        cmocka_unit_test(test_large_apps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
