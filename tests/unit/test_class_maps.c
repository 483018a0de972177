/* The class maps of a cluster that is large enough for class forests: while pods come and leave,
 * the list of slots with counted pods, and the numbers of slots of classes, say what the map's ids
 * say. Runs with another seed each time; BERTH_TEST_SEED replays a failure. */
#include "base/bits.h"
#include "both_paths.h"
#include "index/score_classes.h"
#include "versions/engine_state.h"

enum {
    NODES = BERTH__FOREST_TILES_MIN * BERTH__TILE + 200,
    PODS = 900, /* of which half are bound in the end: some maps list many slots */
    STEPS = 2700,
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

/* How many slots each class with counted pods has, and how many have none left. */
static void check_members(const berth__class_map *map, uint64_t seed)
{
    static uint32_t members[BERTH__CLASSES_MAX + 1];
    uint32_t empty = 0;
    assert_true(map->count <= BERTH__CLASSES_MAX);
    memset(members, 0, sizeof(members));
    for (uint32_t tile = 0; tile < map->tile_count; tile++)
        BERTH__MASK_EACH(&map->with[tile], s)
        {
            members[map->blocks[map->block_of[tile] - 1][s]]++;
        }
    for (uint32_t id = map->cell_count; id < map->count; id++) {
        if (map->members[id] != members[id])
            fail_msg("class %u has %u slots, not %u; BERTH_TEST_SEED=%llu", (unsigned)id,
                     (unsigned)members[id], (unsigned)map->members[id], (unsigned long long)seed);
        empty += members[id] == 0;
    }
    if (map->empty != empty)
        fail_msg("%u classes are empty, not %u; BERTH_TEST_SEED=%llu", (unsigned)empty,
                 (unsigned)map->empty, (unsigned long long)seed);
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
        if (map->moved[i % berth__class_moves(map->tile_count)] == slot)
            return true;
    return false;
}

static uint32_t recalled; /* checks of moves that a map remembers */

/* A map that was not made anew has noted each slot whose class has changed since the last check, as
 * far as the map had an id of its own for it. */
static void check_moves(const berth__class_map *map, uint64_t seed)
{
    enum { UNKNOWN = UINT16_MAX };
    checked *before = last_check(map);
    const bool remembered =
        before->serial == map->serial && map->moves - before->moves <= map->recalled;
    assert_true(map->recalled <= berth__class_moves(map->tile_count));
    assert_true(map->recalled == 0 || map->moved != NULL);
    recalled += remembered && map->moves != before->moves;
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
        check_members(map, seed);
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
    assert_true(recalled > 0);
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
    enum { FEW = 150, MOVED = 100 };
    both_paths b;
    berth_pod_id pods[2 + MOVED];
    both_open(&b, berth_profile_default());
    for (uint32_t i = 0; i < FEW; i++)
        both_addf(&b,
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                  "{kubernetes.io/hostname: n%1$u}}\n"
                  "status: {allocatable: {cpu: 64, memory: 64Gi, pods: 500}}\n",
                  (unsigned)i);
    for (uint32_t i = 0; i < 2 + MOVED; i++)
        pods[i] = both_addf(&b,
                            "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a}}\n"
                            "spec: {%scontainers: [{name: c}]}\n",
                            (unsigned)i, i < 2 ? rules[i] : "");
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t changes = both_below(&b, 2 * BERTH__POPULATION_LOG + 1);
        for (uint32_t i = 0; i < changes; i++) {
            const berth_pod_id pod = pods[2 + both_below(&b, MOVED)];
            const berth_node_id node = both_below(&b, FEW);
            if (both_bound(&b, pod))
                both_unbind(&b, pod);
            else
                both_bind(&b, pod, node);
        }
        both_decide(&b, pods[0]);
        both_decide(&b, pods[1]);
    }
    both_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_slots),
        cmocka_unit_test(test_too_many_to_list),
        cmocka_unit_test(test_many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
