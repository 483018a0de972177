/* What an embedder's plugins can read about pods: the controller and priority of the pod to be
 * placed, and the pods on a node, on every path. */
#include "one_plugin.h"
#include "rule_cluster.h"

enum { NODES = 40, PODS = 120 };

/* ---- Tenants: local to the node; a node takes one owner's pods (by name and namespace) ---- */

static bool is_stranger(const berth_cycle *cycle, berth_pod_id pod, berth_str tenant)
{
    return !same_text(berth_cycle_label_of(cycle, pod, (berth_str)TEXT("tenant")), tenant) ||
           !same_text(berth_cycle_namespace_of(cycle, pod), berth_cycle_pod_namespace(cycle));
}

static void tenants_filter(const berth_cycle *cycle, const void *instance, const void *state,
                           berth_slice *slice)
{
    (void)instance;
    (void)state;
    berth_owner owner;
    berth_cycle_pod_owner(cycle, &owner);
    for (uint32_t i = 0; i < slice->count; i++) {
        berth_pod_id pods[4];
        uint32_t count = berth_cycle_node_pods(cycle, slice->index * BERTH_SLICE + i, pods, 4);
        for (uint32_t k = 0; k < count && k < 4; k++)
            if (is_stranger(cycle, pods[k], owner.name)) {
                refuse(slice, i);
                break;
            }
    }
}

static const berth_plugin tenants = {.size = sizeof(tenants),
                                     .flags = BERTH_PLUGIN_NODE_LOCAL,
                                     .name = "Tenants",
                                     .filter = tenants_filter};

/* ---- Rank: each decision; a pod may not join pods of higher priority ---- */

static void rank_filter(const berth_cycle *cycle, const void *instance, const void *state,
                        berth_slice *slice)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++) {
        berth_pod_id pods[4];
        uint32_t count = berth_cycle_node_pods(cycle, slice->index * BERTH_SLICE + i, pods, 4);
        for (uint32_t k = 0; k < count && k < 4; k++)
            if (berth_cycle_priority_of(cycle, pods[k]) > berth_cycle_pod_priority(cycle)) {
                refuse(slice, i);
                break;
            }
    }
}

static const berth_plugin rank = {
    .size = sizeof(rank), .flags = BERTH_PLUGIN_EACH, .name = "Rank", .filter = rank_filter};

/* ---- the cluster ---- */

static berth_engine *open_with(const berth_plugin *plugin, berth_path path)
{
    one_plugin room;
    berth_engine_config *config = one_plugin_config(&room, plugin);
    berth_engine *engine;
    berth_error error = {.code = BERTH_OK};
    config->path = path;
    small_require(berth_engine_create(config, &engine, &error), &error);
    return engine;
}

static void add_nodes(berth_engine *engine)
{
    for (int i = 0; i < NODES; i++) {
        char name[16];
        int len = snprintf(name, sizeof(name), "n%d", i);
        const berth_resource room[] = {{TEXT("pods"), {4, 0}}};
        const berth_node node = {.meta = {.name = {name, (uint32_t)len}}, .allocatable = {room, 1}};
        assert_int_equal(berth_engine_add_node(engine, &node, NULL, NULL), BERTH_OK);
    }
}

/* A pod of one of five tenants, who is also its controller, in one of two namespaces. */
static berth_pod_id add_pod(berth_engine *engine, uint32_t number, int32_t priority)
{
    char name[16], tenant[8];
    berth_pod_id id;
    int len = snprintf(name, sizeof(name), "p%u", number);
    int tenant_len = snprintf(tenant, sizeof(tenant), "t%u", number * 7 % 5);
    const berth_str who = {tenant, (uint32_t)tenant_len};
    const berth_key_value label = {TEXT("tenant"), who};
    const berth_owner owner = {.kind = TEXT("ReplicaSet"), .name = who, .controller = true};
    static const berth_str spaces[] = {TEXT("east"), TEXT("west")};
    const berth_pod pod = {.meta = {.name = {name, (uint32_t)len},
                                    .namespace_name = spaces[number % 2],
                                    .labels = {&label, 1},
                                    .owners = &owner,
                                    .owner_count = 1},
                           .has_priority = true,
                           .priority = priority};
    assert_int_equal(berth_engine_add_pod(engine, &pod, &id, NULL), BERTH_OK);
    return id;
}

/* Place the pods in turn and remove some; compare with a plain version of the plugin's rule. */
static uint64_t run(const berth_plugin *plugin, berth_path path, uint32_t *indexed)
{
    berth_engine *engine = open_with(plugin, path);
    berth_pod_id pods[PODS];
    *indexed = 0;
    add_nodes(engine);
    for (uint32_t i = 0; i < PODS; i++) {
        berth_placement placement;
        pods[i] = add_pod(engine, i, (int32_t)(i * 5 % 7));
        assert_int_equal(berth_engine_schedule(engine, pods[i], &placement, NULL), BERTH_OK);
        *indexed += placement.path == BERTH_PATH_INDEX;
        if (i % 6 == 5 && berth_engine_pod_node(engine, pods[i - 3]) != BERTH_NODE_NONE)
            assert_int_equal(berth_engine_unbind(engine, pods[i - 3], NULL), BERTH_OK);
    }
    for (berth_node_id node = 0; node < NODES; node++) {
        berth_pod_id first = berth_engine_next_pod(engine, node, BERTH_POD_NONE), pod = first;
        for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod)) {
            berth_pod_info info = {.size = sizeof(info)}, other = {.size = sizeof(other)};
            assert_int_equal(berth_engine_pod_info(engine, pod, &info, NULL), BERTH_OK);
            assert_int_equal(berth_engine_pod_info(engine, first, &other, NULL), BERTH_OK);
            if (plugin == &tenants) /* all pods of a node have the same tenant and namespace */
                assert_true(same_text(info.owner_name, other.owner_name) &&
                            same_text(info.namespace_name, other.namespace_name));
            else /* the last pod to come has the highest priority */
                assert_true(info.priority <= other.priority);
        }
    }
    uint64_t digest = berth_engine_digest(engine);
    berth_engine_destroy(engine);
    return digest;
}

static void test_tenants(void **state)
{
    (void)state;
    uint32_t indexed;
    uint64_t wanted = run(&tenants, BERTH_PATH_SCAN, &indexed);
    assert_int_equal(indexed, 0);
    assert_true(run(&tenants, BERTH_PATH_AUTO, &indexed) == wanted);
    assert_true(run(&tenants, BERTH_PATH_INDEX, &indexed) == wanted);
    assert_true(indexed > PODS / 2);
}

static void test_rank(void **state)
{
    (void)state;
    uint32_t indexed;
    uint64_t wanted = run(&rank, BERTH_PATH_SCAN, &indexed);
    assert_true(run(&rank, BERTH_PATH_AUTO, &indexed) == wanted);
    assert_true(run(&rank, BERTH_PATH_INDEX, &indexed) == wanted);
    assert_int_equal(indexed, 0);
}

/* ---- Crowd: each decision; the cluster takes two pods ---- */

static berth_prepared crowd_prepare(berth_preparation *preparation)
{
    const berth_cycle *cycle = preparation->cycle;
    const int64_t *requested =
        berth_cycle_requested(cycle, 0, berth_cycle_column(cycle, (berth_str)TEXT("cpu")));
    int64_t *sum = preparation->state;
    for (uint32_t i = 0; i < berth_cycle_slot_count(cycle); i++)
        *sum += requested[i];
    return BERTH_PREPARED_ACTIVE;
}

static void crowd_filter(const berth_cycle *cycle, const void *instance, const void *state,
                         berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    if (*(const int64_t *)state >= 2000)
        memset(slice->mask, 0, sizeof(slice->mask));
}

/* A reason without text is the general one. */
static berth_str crowd_reason(const berth_cycle *cycle, const void *instance, const void *state,
                              uint32_t slot)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slot;
    return (berth_str){0};
}

static const berth_plugin crowd = {.size = sizeof(crowd),
                                   .flags = BERTH_PLUGIN_EACH,
                                   .name = "Crowd",
                                   .filter_state_bytes = sizeof(int64_t),
                                   .prepare_filter = crowd_prepare,
                                   .filter = crowd_filter,
                                   .reason = crowd_reason};

/* Preemption prepares such a plugin again without the victims, wherever it stands among filters. */
static void test_victims_are_not_counted(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        one_plugin room;
        berth_engine_config *config = one_plugin_config(&room, &crowd);
        const berth_plugin_ref filters[] = {room.filters[last ? 0 : 1], room.filters[last ? 1 : 0]};
        static const berth_plugin_ref preempts = {.name = TEXT("DefaultPreemption")};
        const berth_plugin_list points[BERTH_POINT_POST_FILTER + 1] = {
            [BERTH_POINT_FILTER] = {filters, 2}, [BERTH_POINT_POST_FILTER] = {&preempts, 1}};
        small_cluster c;
        room.profile.points = points;
        room.profile.point_count = BERTH_POINT_POST_FILTER + 1;
        small_open_as(&c, *config);
        small_addf(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
                       "status: {allocatable: {cpu: '9', memory: 8Gi, pods: '9'}}\n");
        berth_pod_id pod = BERTH_POD_NONE;
        for (int i = 0; i < 3; i++)
            pod = small_addf(&c,
                             "apiVersion: v1\nkind: Pod\nmetadata: {name: p%d, uid: u%d}\n"
                             "spec: {priority: %d, %scontainers: [{name: c, image: i, "
                             "resources: {requests: {cpu: 1}}}]}\n",
                             i, i, i, i < 2 ? "nodeName: node, " : "");
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
        assert_non_null(strstr(berth_explanation_message(c.explanation).data,
                               ": 1 node(s) were refused by Crowd."));
        assert_int_equal(berth_explanation_nominated(c.explanation), 0);
        assert_int_equal(berth_explanation_victim_count(c.explanation), 1);
        assert_int_equal(berth_explanation_victim(c.explanation, 0), 0);
        small_close(&c);
    }
}

/* reserve can identify the pod itself; unknown values read as empty. */
static berth_pod_id seen;

static berth_status note_reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                 berth_node_id node)
{
    berth_owner owner;
    (void)context;
    (void)node;
    seen = berth_cycle_pod(cycle);
    assert_true(seen == pod);
    berth_cycle_pod_owner(cycle, &owner);
    assert_true(owner.controller && same_text(owner.kind, (berth_str)TEXT("ReplicaSet")));
    assert_true(berth_cycle_namespace_of(cycle, 12345).data == NULL);
    assert_true(berth_cycle_label_of(cycle, 12345, (berth_str)TEXT("tenant")).data == NULL);
    assert_true(berth_cycle_label_of(cycle, pod, (berth_str)TEXT("no such")).data == NULL);
    assert_int_equal(berth_cycle_priority_of(cycle, 12345), 0);
    assert_int_equal(berth_cycle_pod_priority(cycle), 9);
    return BERTH_OK;
}

static void note_unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                           berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
}

static void test_reserve(void **state)
{
    (void)state;
    berth_plugin notes = rank;
    notes.reserve = note_reserve;
    notes.unreserve = note_unreserve;
    berth_engine *engine = open_with(&notes, BERTH_PATH_AUTO);
    add_nodes(engine);
    berth_pod_id pod = add_pod(engine, 3, 9);
    assert_int_equal(berth_engine_bind(engine, pod, 0, NULL), BERTH_OK);
    assert_true(seen == pod);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tenants), cmocka_unit_test(test_rank),
                                       cmocka_unit_test(test_victims_are_not_counted),
                                       cmocka_unit_test(test_reserve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
