/* Decisions and memory: whichever allocation of the engine fails, the call fails as a whole, the
 * engine stays consistent, and the next call decides as if nothing had happened. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "one_plugin.h"
#include "rule_cluster.h"

/* Nodes a, b and c in zones u, w and w. */
static void add_nodes(small_cluster *c)
{
    small_node(c, "a", ", labels: {zone: u, kubernetes.io/hostname: a}");
    small_node(c, "b", ", labels: {zone: w, kubernetes.io/hostname: b}");
    small_node(c, "c", ", labels: {zone: w, kubernetes.io/hostname: c}");
}

typedef struct scene {
    berth_pod_id (*make)(small_cluster *c);
    const char *node;           /* where the pod goes */
    const berth_plugin *plugin; /* of an embedder, which the engine checks; or NULL */
    bool shares;                /* its device, with other pods */
} scene;

/* Schedule the pod of a scene, letting the allocation `at` fail. Returns whether it needs fewer. */
static bool schedules_without(const scene *own, berth_path path, unsigned at)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    one_plugin room;
    berth_engine_config_init(&config);
    if (own->plugin != NULL)
        config = *one_plugin_config(&room, own->plugin);
    config.allocator = &allocator;
    config.check_plugins = own->plugin != NULL;
    config.path = path;
    small_cluster c;
    small_open_as(&c, config);
    const berth_pod_id pod = own->make(&c);
    berth_error error = {.code = BERTH_OK};
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, at);
    const berth_status status = berth_engine_schedule(c.engine, pod, &c.placement, &error);
    atomic_store(&memory.fail_at, 0);
    const bool fewer = atomic_load(&memory.calls) < at;
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(error.code, BERTH_E_NOMEM);
        small_require(berth_engine_check(c.engine, &error), &error);
        small_require(berth_engine_schedule(c.engine, pod, &c.placement, &error), &error);
    }
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    const berth_str name = berth_engine_node_name(c.engine, c.placement.node);
    assert_int_equal(name.len, strlen(own->node));
    assert_memory_equal(name.data, own->node, name.len);
    berth_taken_device devices[4];
    const uint32_t count = berth_engine_pod_devices(c.engine, pod, devices, 4);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(devices[i].request.len > 0);
        assert_int_equal(devices[i].share_id.data != NULL, own->shares);
    }
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void expect_node(const scene *own)
{
    static const berth_path paths[] = {BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    for (uint32_t i = 0; i < 2; i++) {
        bool fewer = false;
        for (unsigned at = 1; !fewer; at++) {
            assert_true(at < 4000);
            fewer = schedules_without(own, paths[i], at);
        }
    }
}

/* ---- volumes ---- */

#define CLASS(name, provisioner)                                                 \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name \
    "}, provisioner: " provisioner ", volumeBindingMode: WaitForFirstConsumer}\n---\n"
#define CLAIM(name, class_name, size)                                                       \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name ", uid: u-" name \
    "}, spec: {accessModes: [ReadWriteOnce], storageClassName: " class_name                 \
    ", resources: {requests: {storage: " size "}}}}\n---\n"

/* A claim for one of the volumes of zone w, and one for which only node c has room. */
static berth_pod_id volume_scene(small_cluster *c)
{
    add_nodes(c);
    small_add(c, CLASS("local", "kubernetes.io/no-provisioner") CLASS("made", "csi.x")
                     CLAIM("one", "local", "1Gi") CLAIM("two", "made", "5Gi"));
    for (int i = 0; i < 2; i++)
        small_addf(c,
                   "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v%d}, spec: "
                   "{capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], storageClassName: "
                   "local, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
                   "[{key: zone, operator: In, values: [w]}]}]}}}, status: {phase: Available}}\n",
                   i);
    small_add(c, "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.x}, spec: "
                 "{storageCapacity: true}}\n---\n"
                 "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: few},"
                 " storageClassName: made, capacity: 4Gi, nodeTopology: {matchLabels: {zone: w}}}"
                 "\n---\n"
                 "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: lots},"
                 " storageClassName: made, capacity: 9Gi, nodeTopology: {matchLabels: "
                 "{kubernetes.io/hostname: c}}}\n---\n");
    return small_pod(c, "p", NULL, ", uid: p",
                     "volumes: [{name: v, persistentVolumeClaim: {claimName: one}}, {name: w, "
                     "persistentVolumeClaim: {claimName: two}}], containers: [{name: c}]");
}

/* ---- spreading ---- */

static berth_pod_id spread_scene(small_cluster *c)
{
    add_nodes(c);
    small_pod(c, "r", "a", ", labels: {app: s}", "containers: [{name: c}]");
    small_pod(c, "s", "b", ", labels: {app: s}", "containers: [{name: c}]");
    return small_pod(c, "p", NULL, ", labels: {app: s}",
                     "topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                     "kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: "
                     "{matchLabels: {app: s}}}, {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
                     "ScheduleAnyway, labelSelector: {matchLabels: {app: s}}}], "
                     "containers: [{name: c}]");
}

/* Zone u, which the pod does not want, does not count. */
static berth_pod_id selected_spread_scene(small_cluster *c)
{
    add_nodes(c);
    small_pod(c, "r", "b", ", labels: {app: s}", "containers: [{name: c}]");
    return small_pod(c, "p", NULL, ", labels: {app: s}",
                     "nodeSelector: {zone: w}, topologySpreadConstraints: [{maxSkew: 1, "
                     "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
                     "{matchLabels: {app: s}}}, {maxSkew: 1, topologyKey: kubernetes.io/hostname, "
                     "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: s}}}], "
                     "containers: [{name: c}]");
}

/* ---- affinities ---- */

static berth_pod_id affinity_scene(small_cluster *c)
{
    add_nodes(c);
    small_pod(c, "r", "a", ", labels: {app: s}", "containers: [{name: c}]");
    return small_pod(c, "p", NULL, ", labels: {app: s}",
                     "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                     "[{weight: 9, preference: {matchExpressions: [{key: zone, operator: In, "
                     "values: [w]}]}}, {weight: 5, preference: {matchFields: [{key: "
                     "metadata.name, operator: In, values: [c]}]}}]}, podAntiAffinity: "
                     "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 3, "
                     "podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: "
                     "{app: s}}}}]}}, containers: [{name: c}]");
}

/* ---- nominations ---- */

/* Nodes a and b are kept for other pods. Pods with host ports run there. */
static berth_pod_id nominated_scene(small_cluster *c)
{
    static const char ports[] = "containers: [{name: c, ports: [{hostPort: 80, containerPort: 80}, "
                                "{hostPort: 81, containerPort: 81}]}]";
    add_nodes(c);
    small_pod(c, "t", "a", "", ports);
    small_pod(c, "u", "b", "", ports);
    for (uint32_t node = 0; node < 2; node++) {
        berth_error error = {.code = BERTH_OK};
        const berth_pod_id other =
            small_pod(c, node == 0 ? "r" : "s", NULL, "",
                      "priority: 9, containers: [{name: c, resources: {requests: {cpu: 4}}}]");
        small_require(berth_engine_nominate(c->engine, other, node, &error), &error);
    }
    return small_pod(c, "p", NULL, "", "containers: [{name: c, resources: {requests: {cpu: 1}}}]");
}

/* ---- devices ---- */

#define SLICE(node)                                                                    \
    "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s" node    \
    "}, spec: {driver: x.org, nodeName: " node ", pool: {name: " node                  \
    ", generation: 1, resourceSliceCount: 1}, devices: [{name: d, attributes: {kind: " \
    "{string: " node "}}}]}}\n---\n"

/* The claim takes the device of node b only if there is no better one, which is on node c. */
static berth_pod_id device_scene(small_cluster *c)
{
    add_nodes(c);
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}"
                 "\n---\n" SLICE("b") SLICE("c"));
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: e, uid: "
                 "eu}, spec: {devices: {requests: [{name: r, firstAvailable: [{name: best, "
                 "deviceClassName: gpu, selectors: [{cel: {expression: "
                 "'device.attributes[\"x.org\"].kind == \"c\"'}}]}, {name: any, "
                 "deviceClassName: gpu}]}]}}}\n");
    return small_pod(c, "p", NULL, ", uid: p",
                     "resourceClaims: [{name: a, resourceClaimName: e}], containers: [{name: c, "
                     "resources: {claims: [{name: a}]}}]");
}

/* The claim takes a share of the device of node b. */
static berth_pod_id share_scene(small_cluster *c)
{
    add_nodes(c);
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}"
                 "\n---\n"
                 "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: "
                 "{driver: x.org, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: "
                 "1}, devices: [{name: d, allowMultipleAllocations: true, capacity: {memory: "
                 "{value: 8Gi}}}]}}\n---\n"
                 "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: e, uid: "
                 "eu}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}"
                 "\n");
    return small_pod(c, "p", NULL, ", uid: p",
                     "resourceClaims: [{name: a, resourceClaimName: e}], containers: [{name: c, "
                     "resources: {claims: [{name: a}]}}]");
}

/* A device that stands for an extended resource. Another pod has a claim for one, too. */
static berth_pod_id extended_scene(small_cluster *c)
{
    add_nodes(c);
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: e, uid: "
                 "eu, annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, "
                 "ownerReferences: [{apiVersion: v1, kind: Pod, name: other, uid: o, controller: "
                 "true}]}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: "
                 "gpu}}]}}}\n");
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: "
                 "{extendedResourceName: x.org/gpu, selectors: [{cel: {expression: "
                 "'device.attributes[\"x.org\"].kind == \"c\"'}}]}}"
                 "\n---\n" SLICE("b") SLICE("c"));
    return small_pod(c, "p", NULL, ", uid: p",
                     "containers: [{name: c, resources: {requests: {x.org/gpu: 1}, limits: "
                     "{x.org/gpu: 1}}}]");
}

/* ---- plugins of an embedder ---- */

/* Refuses nodes that have a pod of the app s or t, but not of the tier back. */
static berth_prepared apart_prepare(berth_preparation *preparation)
{
    static const berth_str apps[] = {TEXT("t"), TEXT("s"), TEXT("nobody")},
                           tiers[] = {TEXT("back")};
    static const berth_requirement both[] = {{TEXT("app"), TEXT("In"), {apps, 3}},
                                             {TEXT("tier"), TEXT("NotIn"), {tiers, 1}}};
    static const berth_label_selector selector = {.match_expressions = {both, 2}};
    const berth_pod_selection what = {.size = sizeof(what),
                                      .selector = &selector,
                                      .topology_key = TEXT("kubernetes.io/hostname")};
    const berth_domain_count *count = berth_preparation_count(preparation, &what);
    if (count == NULL)
        return BERTH_PREPARED_NO_MEMORY;
    memcpy(preparation->state, &count, sizeof(count));
    return BERTH_PREPARED_ACTIVE;
}

static void apart_filter(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                         berth_slice *slice)
{
    const berth_domain_count *count;
    (void)instance;
    memcpy(&count, plugin_state, sizeof(count));
    for (uint32_t i = 0; i < slice->count; i++)
        if (berth_cycle_domain_pods(cycle, count, slice->index * BERTH_SLICE + i) > 0)
            refuse(slice, i);
}

static const berth_plugin apart = {.size = sizeof(apart),
                                   .flags = BERTH_PLUGIN_EACH,
                                   .name = "Apart",
                                   .filter_state_bytes = sizeof(berth_domain_count *),
                                   .prepare_filter = apart_prepare,
                                   .filter = apart_filter};

static berth_pod_id apart_scene(small_cluster *c)
{
    add_nodes(c);
    small_pod(c, "r", "a", ", labels: {app: s}", "containers: [{name: c}]");
    small_pod(c, "s", "b", ", labels: {app: t, tier: front}", "containers: [{name: c}]");
    small_pod(c, "t", "c", ", labels: {app: t, tier: back}", "containers: [{name: c}]");
    small_pod(c, "u", "c", ", labels: {app: u}", "containers: [{name: c}]");
    return small_pod(c, "p", NULL, "", "containers: [{name: c}]");
}

/* Refuses all but node c, and promises to look at nothing that changes. */
static void last_filter(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                        berth_slice *slice)
{
    (void)instance;
    (void)plugin_state;
    for (uint32_t i = 0; i < slice->count; i++) {
        const uint32_t slot = slice->index * BERTH_SLICE + i;
        const berth_str host =
            berth_cycle_node_label(cycle, slot, (berth_str)TEXT("kubernetes.io/hostname"));
        if (!same_text(host, (berth_str)TEXT("c")))
            refuse(slice, i);
    }
}

static const berth_plugin last = {
    .size = sizeof(last), .flags = BERTH_PLUGIN_STATIC, .name = "Last", .filter = last_filter};

static berth_pod_id plain_scene(small_cluster *c)
{
    add_nodes(c);
    return small_pod(c, "p", NULL, "", "containers: [{name: c}]");
}

static void test_memory_of_plugins(void **state)
{
    (void)state;
    expect_node(&(scene){apart_scene, "c", &apart, false});
    expect_node(&(scene){plain_scene, "c", &last, false});
}

/* Counts pods by a selector that the test chooses. */
static berth_requirement chosen;

static berth_prepared chosen_prepare(berth_preparation *preparation)
{
    const berth_label_selector selector = {.match_expressions = {&chosen, 1}};
    const berth_pod_selection what = {.size = sizeof(what),
                                      .selector = &selector,
                                      .topology_key = TEXT("kubernetes.io/hostname")};
    const berth_domain_count *count = berth_preparation_count(preparation, &what);
    assert_non_null(count);
    memcpy(preparation->state, &count, sizeof(count));
    return BERTH_PREPARED_ACTIVE;
}

/* A malformed selector selects no pod, so that its plugin refuses no node. */
static void test_malformed_selection(void **state)
{
    static const berth_str values[] = {TEXT("s")};
    static const struct {
        berth_requirement requirement;
        berth_verdict verdict;
    } cases[] = {
        {{TEXT("app"), TEXT("In"), {values, 1}}, BERTH_VERDICT_UNSCHEDULABLE},
        {{TEXT("app"), TEXT("Exists"), {NULL, 0}}, BERTH_VERDICT_UNSCHEDULABLE},
        {{TEXT("app"), TEXT("NotIn"), {NULL, 0}}, BERTH_VERDICT_PLACED},
        {{TEXT("app"), TEXT("In"), {NULL, 0}}, BERTH_VERDICT_PLACED},
        {{TEXT("app"), TEXT("Exists"), {values, 1}}, BERTH_VERDICT_PLACED},
        {{TEXT("app"), TEXT("Is"), {values, 1}}, BERTH_VERDICT_PLACED},
    };
    static const berth_plugin plugin = {.size = sizeof(plugin),
                                        .flags = BERTH_PLUGIN_EACH,
                                        .name = "Chosen",
                                        .filter_state_bytes = sizeof(berth_domain_count *),
                                        .prepare_filter = chosen_prepare,
                                        .filter = apart_filter};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        one_plugin room;
        small_open_as(&c, *one_plugin_config(&room, &plugin));
        small_node(&c, "a", ", labels: {kubernetes.io/hostname: a}");
        small_pod(&c, "r", "a", ", labels: {app: s}", "containers: [{name: c}]");
        chosen = cases[i].requirement;
        small_decide(&c, small_pod(&c, "p", NULL, "", "containers: [{name: c}]"));
        assert_int_equal(c.placement.verdict, cases[i].verdict);
        small_close(&c);
    }
}

static void test_memory_of_volumes(void **state)
{
    (void)state;
    expect_node(&(scene){volume_scene, "c", NULL, false});
}

static void test_memory_of_spreading(void **state)
{
    (void)state;
    expect_node(&(scene){spread_scene, "c", NULL, false});
    expect_node(&(scene){selected_spread_scene, "c", NULL, false});
}

static void test_memory_of_affinities(void **state)
{
    (void)state;
    expect_node(&(scene){affinity_scene, "c", NULL, false});
}

/* Pods on so many nodes that they are not counted in a short list, and one more. */
static berth_pod_id crowded_scene(small_cluster *c)
{
    enum { NODES = 40 };
    berth_pod_id pod = 0;
    for (int i = 0; i <= NODES; i++) {
        char node[16], name[16], labels[64];
        snprintf(node, sizeof(node), "n%d", i);
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(labels, sizeof(labels), ", labels: {kubernetes.io/hostname: n%d}", i);
        small_node(c, node, labels);
        pod = small_pod(c, name, i < NODES ? node : NULL, ", labels: {app: s}",
                        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuring"
                        "Execution: [{topologyKey: kubernetes.io/hostname, labelSelector: "
                        "{matchLabels: {app: s}}}]}}, containers: [{name: c}]");
    }
    return pod;
}

/* Checks that have no memory to count everything again say so, and nothing else. */
static void test_memory_of_checks(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_error error = {.code = BERTH_OK};
    small_cluster c;
    uint32_t refused = 0;
    bool fewer = false;
    (void)state;
    berth_engine_config_init(&config);
    config.allocator = &allocator;
    small_open_as(&c, config);
    const berth_pod_id pod = crowded_scene(&c);
    small_require(berth_engine_schedule(c.engine, pod, &c.placement, &error), &error);
    assert_int_equal(c.placement.feasible_count, 1);
    for (unsigned at = 1; !fewer; at++) {
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = berth_engine_check(c.engine, &error);
        atomic_store(&memory.fail_at, 0);
        fewer = atomic_load(&memory.calls) < at;
        assert_int_equal(status, fewer ? BERTH_OK : BERTH_E_NOMEM);
        refused += status != BERTH_OK;
    }
    assert_true(refused > 4);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void test_memory_of_nominations(void **state)
{
    (void)state;
    expect_node(&(scene){nominated_scene, "c", NULL, false});
}

static void test_memory_of_devices(void **state)
{
    (void)state;
    expect_node(&(scene){device_scene, "c", NULL, false});
    expect_node(&(scene){extended_scene, "c", NULL, false});
    expect_node(&(scene){share_scene, "b", NULL, true});
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_volumes),    cmocka_unit_test(test_memory_of_spreading),
        cmocka_unit_test(test_memory_of_affinities), cmocka_unit_test(test_memory_of_nominations),
        cmocka_unit_test(test_memory_of_devices),    cmocka_unit_test(test_memory_of_plugins),
        cmocka_unit_test(test_malformed_selection),  cmocka_unit_test(test_memory_of_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
