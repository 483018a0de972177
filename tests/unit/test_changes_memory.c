/* Changes of a cluster with storage, devices, budgets and images, and memory: whichever allocation
 * fails, the change fails as a whole, the state is as before, also for a reader that has it pinned,
 * the same change succeeds later with the same result, and nothing leaks. */
#include "arena_pieces.h"
#include "berth/kube.h"
#include "berth/snapshot.h"
#include "berth/transaction.h"
#include "counted_memory.h"
#include "rule_cluster.h"

#define NODE(name, more)                                                                 \
    "{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {zone: z" name ", " \
    "kubernetes.io/hostname: " name "}}, spec: {taints: [{key: t, effect: "              \
    "PreferNoSchedule}]}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'" more \
    "}, images: [{names: ['i:1', 'i:2'], sizeBytes: 700000000}, {names: ['" name "'], "  \
    "sizeBytes: 5}]}}\n---\n"
#define POD(name, meta, spec)                                                        \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: default" meta \
    "}, spec: {priority: 5, " spec "}}\n---\n"
#define ONE "containers: [{name: c, image: 'i:1', resources: {requests: {cpu: 500m}}}]"
#define WITH_CLAIM(claim) "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}], "
#define DRIVER(node, count)                                                              \
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: " node "}, spec: {" \
    "drivers: [{name: csi.x, nodeID: " node ", allocatable: {count: " count "}}]}}\n---\n"
#define CLASS(name, provisioner, mode)                                           \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name \
    "}, provisioner: " provisioner ", volumeBindingMode: " mode "}\n---\n"
#define VOLUME(name, class, more)                                                           \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name "}, spec: {"          \
    "capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: " class more \
        ", csi: {driver: csi.x, volumeHandle: h-" name "}}}\n---\n"
#define DISK(name, labels, more)                                                            \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " name ", labels: {topology" \
    ".kubernetes.io/zone: " labels "}}, spec: {capacity: {storage: 1Gi}, accessModes: ["    \
    "ReadWriteOnce], storageClassName: fixed" more ", awsElasticBlockStore: {volumeID: "    \
    "vol-" name "}}}\n---\n"
#define CLAIM(name, class, more)                                                                  \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name ", namespace: "        \
    "default, uid: u-" name                                                                       \
    "}, spec: {accessModes: [ReadWriteOnce], storageClassName: " class ", resources: {requests: " \
                                                                       "{storage: 1Gi}}" more     \
                                                                       "}}\n---\n"
#define ON_ZONE(zone)                                                                  \
    ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, " \
    "operator: In, values: [" zone ", z9]}]}]}}"
#define SPACE(name, team)                                                                          \
    "{apiVersion: v1, kind: Namespace, metadata: {name: " name ", labels: {team: " team "}}}\n---" \
    "\n"
#define AFFINITY                                                                            \
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "  \
    "3, podAffinityTerm: {topologyKey: zone, namespaceSelector: {matchLabels: {team: a}}, " \
    "labelSelector: {matchLabels: {app: x}}}}]}, podAntiAffinity: {"                        \
    "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "                       \
    "kubernetes.io/hostname, namespaceSelector: {}, labelSelector: {matchExpressions: "     \
    "[{key: app, operator: In, values: [x, w]}]}}]}}, "
#define SPREAD                                                                           \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "    \
    "DoNotSchedule, labelSelector: {matchLabels: {app: x}}}, {maxSkew: 1, topologyKey: " \
    "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: "         \
    "{matchLabels: {app: x}}}], "
#define BUDGET(name, more)                                                        \
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name   \
    ", namespace: default}, spec: {selector: {matchLabels: {app: x}}}, status: {" \
    "disruptionsAllowed: 1" more "}}\n---\n"
#define SET(name, label)                                                                 \
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " name ", namespace: "     \
    "default}, spec: {replicas: 0, selector: {matchLabels: {app: x, more: " label "}}, " \
    "template: {metadata: {labels: {app: x, more: " label "}}, spec: {" ONE "}}}}\n---\n"
#define SERVICE(name, label)                                                           \
    "{apiVersion: v1, kind: Service, metadata: {name: " name ", namespace: default}, " \
    "spec: {selector: {app: " label "}}}\n---\n"
#define GPUS(resource)                                                                            \
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {" resource \
    "selectors: [{cel: {expression: 'device.driver == \"x.org\"'}}]}}\n---\n"
#define SLICE(name, node, devices)                                                        \
    "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: " name        \
    "}, spec: {driver: x.org, nodeName: " node ", pool: {name: " name ", generation: 1, " \
    "resourceSliceCount: 1}, devices: [" devices "]}}\n---\n"
#define DEVICES(name, more)                                                          \
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " name   \
    ", namespace: default, uid: u-" name "}, spec: {devices: {requests: [{name: r, " \
    "exactly: {deviceClassName: gpu}}]}}" more "}\n---\n"
#define TAKEN(device)                                                                    \
    ", status: {allocation: {devices: {results: [{request: r, driver: x.org, pool: s1, " \
    "device: " device "}]}}, reservedFor: [{resource: pods, name: p, uid: up}]}"
#define USING(claim) "resourceClaims: [{name: a, resourceClaimName: " claim "}], "

/* A pod with amounts of new resources in every place, whose status says others. */
#define AMOUNTS                                                                              \
    "{apiVersion: v1, kind: Pod, metadata: {name: next, namespace: default}, spec: {"        \
    "nodeName: n2, overhead: {x.org/o: 1}, resources: {requests: {cpu: 1, hugepages-1Gi: "   \
    "1Gi}, limits: {hugepages-1Gi: 1Gi}}, initContainers: [{name: i, resources: {requests: " \
    "{x.org/i: 1}, limits: {x.org/i: 1}}}], containers: [{name: c, resources: {requests: "   \
    "{x.org/c: 1, x.org/d: 1}, limits: {x.org/c: 1, x.org/d: 1}}}]}, status: {resources: "   \
    "{requests: {x.org/s: 1}}, allocatedResources: {x.org/a: 1}, containerStatuses: "        \
    "[{name: c, resources: {requests: {x.org/r: 1}}, allocatedResources: {x.org/b: 1}}], "   \
    "initContainerStatuses: [{name: i, resources: {requests: {x.org/t: 1}}}]}}\n"

/* The state before each change. */
static const char base[] = NODE("n1", "") NODE("n2", "") NODE("n3", ", x.org/gpu: '2'")
    SPACE("default", "a") SPACE("other", "b") DRIVER("n1", "2") DRIVER("n2", "3") CLASS(
        "late", "csi.x", "WaitForFirstConsumer") CLASS("fixed", "kubernetes.io/no-provisioner",
                                                       "WaitForFirstConsumer")
        VOLUME("free", "fixed", ON_ZONE("zn1")) VOLUME("wide", "fixed", "") VOLUME(
            "held", "fixed",
            ON_ZONE("zn2") ", claimRef: {namespace: default, name: bound, uid: "
                           "u-bound}") CLAIM("bound", "fixed", ", volumeName: held")
            CLAIM("open", "fixed", "") CLAIM("new", "late", "") BUDGET("b", "") SET(
                "r", "m") SERVICE("s", "x") GPUS("extendedResourceName: x.org/gpu, ")
                SLICE("s1", "n1", "{name: d0}, {name: d1}") DEVICES("dev", "") DEVICES(
                    "two",
                    TAKEN("d1")) POD("user", ", labels: {app: x}",
                                     "nodeName: n2, " WITH_CLAIM("bound") AFFINITY ONE)
                    POD("p1", ", labels: {app: x, more: m}", "nodeName: n1, " SPREAD ONE) POD(
                        "p2", ", labels: {app: z}",
                        "nodeName: n1, " WITH_CLAIM("bound")
                            ONE) POD("port", "",
                                     "nodeName: n3, containers: [{name: c, ports: [{hostPort: 80, "
                                     "containerPort: 80}]}]")
                        POD("lost", ", labels: {app: x}", "nodeName: n9, " ONE) POD(
                            "wait",
                            ", labels: {app: x}",
                            WITH_CLAIM("open") SPREAD ONE) POD("make", ", labels: {app: w}",
                                                               WITH_CLAIM("new") AFFINITY ONE)
                            POD("draw", "",
                                USING("dev") ONE) POD("card", "",
                                                      "containers: [{name: c, resources: "
                                                      "{requests: {x.org/gpu: 1}, limits: "
                                                      "{x.org/gpu: 1}}}]")
                                POD("large", "",
                                    "containers: [{name: c, resources: {requests: {cpu: 3800m}}}]");

typedef enum verb { ADD, UPDATE, REMOVE, DECIDE, SCHEDULE, BIND, UNBIND, NOMINATE } verb;

/* For REMOVE and an object of a pod or node, `text` is a name; BIND and NOMINATE take node 3. */
static const struct {
    verb verb;
    berth_kind kind; /* REMOVE */
    const char *text;
} changes[] = {
    {ADD, 0, NODE("n4", ", x.org/gpu: '1'")},
    {ADD, 0, NODE("n9", "")},
    {UPDATE, 0, NODE("n2", ", x.org/tpu: '7'")},
    {UPDATE, 0, NODE("n3", "")},
    {REMOVE, BERTH_KIND_NODE, "n1"},
    {REMOVE, BERTH_KIND_NODE, "n2"},
    {ADD, 0, DRIVER("n3", "1")},
    {UPDATE, 0, DRIVER("n2", "1")},
    {REMOVE, BERTH_KIND_CSI_NODE, "n2"},
    {UPDATE, 0, CLASS("late", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")},
    {REMOVE, BERTH_KIND_STORAGE_CLASS, "fixed"},
    {ADD, 0, VOLUME("fresh", "fixed", ON_ZONE("zn3"))},
    {ADD, 0, DISK("labelled", "zn1__zn2", "")},
    {ADD, 0, DISK("both", "zn1", ON_ZONE("zn1"))},
    {UPDATE, 0, VOLUME("held", "fixed", ON_ZONE("zn3"))},
    {UPDATE, 0, VOLUME("free", "late", "")},
    {REMOVE, BERTH_KIND_PERSISTENT_VOLUME, "held"},
    {REMOVE, BERTH_KIND_PERSISTENT_VOLUME, "free"},
    {ADD, 0, CLAIM("more", "fixed", ", volumeName: free")},
    {UPDATE, 0, CLAIM("open", "fixed", ", volumeName: wide")},
    {UPDATE, 0, CLAIM("bound", "late", "")},
    {REMOVE, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "bound"},
    {REMOVE, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "open"},
    {ADD, 0, SPACE("third", "a")},
    {UPDATE, 0, SPACE("default", "b")},
    {REMOVE, BERTH_KIND_NAMESPACE, "other"},
    {ADD, 0, BUDGET("c", ", disruptedPods: {user: '2024-01-01T00:00:00Z'}")},
    {UPDATE, 0, BUDGET("b", ", disruptedPods: {p1: '2024-01-01T00:00:00Z'}")},
    {REMOVE, BERTH_KIND_POD_DISRUPTION_BUDGET, "b"},
    {ADD, 0, SET("q", "x")},
    {UPDATE, 0, SET("r", "other")},
    {REMOVE, BERTH_KIND_REPLICA_SET, "r"},
    {UPDATE, 0, SERVICE("s", "w")},
    {REMOVE, BERTH_KIND_SERVICE, "s"},
    {UPDATE, 0, GPUS("")},
    {REMOVE, BERTH_KIND_DEVICE_CLASS, "gpu"},
    {ADD, 0, SLICE("s2", "n2", "{name: d0}")},
    {UPDATE, 0, SLICE("s1", "n2", "{name: d0}")},
    {REMOVE, BERTH_KIND_RESOURCE_SLICE, "s1"},
    {ADD, 0, DEVICES("third", TAKEN("d0"))},
    {UPDATE, 0, DEVICES("two", "")},
    {REMOVE, BERTH_KIND_RESOURCE_CLAIM, "two"},
    {ADD, 0, POD("next", ", labels: {app: x}", "nodeName: n3, " WITH_CLAIM("open") AFFINITY ONE)},
    {ADD, 0, POD("next", "", "nodeName: n8, " USING("dev") ONE)},
    {ADD, 0, POD("next", "", "schedulingGates: [{name: g}], " USING("dev") ONE)},
    {ADD, 0, AMOUNTS},
    {UPDATE, 0, POD("user", ", labels: {app: w}", "nodeName: n2, " WITH_CLAIM("open") ONE)},
    {UPDATE, 0, POD("user", "", "nodeName: n3, " WITH_CLAIM("bound") ONE)},
    {UPDATE, 0,
     POD("p2", ", labels: {app: x}, deletionTimestamp: '2024-01-01T00:00:00Z'",
         "nodeName: n1, " WITH_CLAIM("bound") ONE)},
    {UPDATE, 0, POD("port", "", ONE)},
    {UPDATE, 0, POD("lost", "", "nodeName: n7, " ONE)},
    {UPDATE, 0, POD("draw", "", "nodeName: n1, " USING("dev") ONE)},
    {REMOVE, BERTH_KIND_POD, "user"},
    {REMOVE, BERTH_KIND_POD, "port"},
    {REMOVE, BERTH_KIND_POD, "lost"},
    {REMOVE, BERTH_KIND_POD, "draw"},
    {DECIDE, 0, "wait"},
    {DECIDE, 0, "make"},
    {DECIDE, 0, "draw"},
    {DECIDE, 0, "card"},
    {DECIDE, 0, "large"},
    {SCHEDULE, 0, "wait"},
    {SCHEDULE, 0, "make"},
    {SCHEDULE, 0, "draw"},
    {SCHEDULE, 0, "card"},
    {BIND, 0, "make"},
    {BIND, 0, "large"},
    {UNBIND, 0, "user"},
    {UNBIND, 0, "port"},
    {UNBIND, 0, "lost"},
    {NOMINATE, 0, "large"},
    {NOMINATE, 0, "wait"},
};

enum { CHANGES = sizeof(changes) / sizeof(changes[0]), OBJECTS_MAX = 64 };

/* The objects of the texts are read once. */
typedef struct script {
    berth_object *base[OBJECTS_MAX], *change[CHANGES], **next;
    uint32_t base_count;
} script;

static berth_status keep(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    script *s = context;
    (void)origin;
    return berth_object_copy(object, NULL, s->next++, error);
}

static void read_text(berth_reader *reader, const char *text, script *s)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_reader_text(reader, (berth_str){text, (uint32_t)strlen(text)}, "test", keep,
                                    s, &error),
                  &error);
}

static int read_script(void **state)
{
    static script s;
    berth_reader *reader;
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    s = (script){.next = s.base};
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    read_text(reader, base, &s);
    s.base_count = (uint32_t)(s.next - s.base);
    assert_true(s.base_count <= OBJECTS_MAX);
    for (uint32_t i = 0; i < CHANGES; i++) {
        s.next = &s.change[i];
        if (changes[i].verb <= UPDATE)
            read_text(reader, changes[i].text, &s);
        assert_true(s.next <= &s.change[i] + 1);
    }
    berth_reader_destroy(reader);
    *state = &s;
    return 0;
}

static int drop_script(void **state)
{
    script *s = *state;
    for (uint32_t i = 0; i < s->base_count; i++)
        berth_object_destroy(s->base[i]);
    for (uint32_t i = 0; i < CHANGES; i++)
        berth_object_destroy(s->change[i]);
    return 0;
}

static berth_status make_change(berth_engine *engine, const script *s, uint32_t which,
                                berth_placement *placement, berth_error *error)
{
    const char *text = changes[which].text;
    const berth_str name = {text, (uint32_t)strlen(text)};
    const berth_kind kind = changes[which].kind;
    const berth_pod_id pod = changes[which].verb >= DECIDE
                                 ? berth_engine_find_pod(engine, BERTH_STR("default"), name)
                                 : BERTH_POD_NONE;
    const berth_node_id node = berth_engine_find_node(engine, BERTH_STR("n3"));
    *placement = (berth_placement){.node = BERTH_NODE_NONE};
    switch (changes[which].verb) {
    case ADD:
        return berth_engine_add(engine, s->change[which], NULL, error);
    case UPDATE:
        return berth_engine_update(engine, s->change[which], error);
    case DECIDE:
        return berth_engine_decide(engine, pod, NULL, placement, error);
    case SCHEDULE:
        return berth_engine_schedule(engine, pod, placement, error);
    case BIND:
        return berth_engine_bind(engine, pod, node, error);
    case UNBIND:
        return berth_engine_unbind(engine, pod, error);
    case NOMINATE:
        return berth_engine_nominate(engine, pod, node, error);
    case REMOVE:
        break;
    }
    const bool without_space = kind == BERTH_KIND_NODE || kind == BERTH_KIND_CSI_NODE ||
                               kind == BERTH_KIND_STORAGE_CLASS || kind == BERTH_KIND_NAMESPACE ||
                               kind == BERTH_KIND_PERSISTENT_VOLUME ||
                               kind == BERTH_KIND_DEVICE_CLASS || kind == BERTH_KIND_RESOURCE_SLICE;
    return berth_engine_remove(engine, kind, without_space ? BERTH_STR("") : BERTH_STR("default"),
                               name, error);
}

/* What all pods that wait would get, and the digest; nothing of it may fail. */
typedef struct view {
    uint64_t digest;
    uint32_t nodes, running, orphaned, count;
    int64_t facts[16][4];
} view;

static void look(berth_engine *engine, view *out)
{
    berth_error error = {.code = BERTH_OK};
    berth_counts counts;
    berth_pod_id waiting[16];
    uint64_t count = 0;
    small_require(berth_engine_check(engine, &error), &error);
    berth_engine_counts(engine, &counts);
    small_require(berth_engine_pending(engine, waiting, 16, &count, &error), &error);
    *out = (view){.digest = berth_engine_digest(engine),
                  .nodes = (uint32_t)counts.nodes,
                  .running = (uint32_t)counts.pods_running,
                  .orphaned = (uint32_t)counts.pods_orphaned,
                  .count = (uint32_t)count};
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION};
    for (uint32_t i = 0; i < out->count; i++) {
        berth_placement got;
        small_require(berth_engine_decide(engine, waiting[i], &options, &got, &error), &error);
        const int64_t facts[] = {got.verdict, (int64_t)got.node, got.total, got.feasible_count};
        memcpy(out->facts[i], facts, sizeof(facts));
    }
}

static void expect_view(berth_engine *engine, uint32_t which, const view *wanted)
{
    view got;
    look(engine, &got);
    if (memcmp(&got, wanted, sizeof(got)) != 0)
        fail_msg("another state or other decisions in change %u, %s", which, changes[which].text);
}

typedef struct room {
    counted memory;
    berth_allocator allocator;
    berth_engine *engine;
    berth_snapshot *pinned;
} room;

/* How a change is made: with a reader that has the state pinned, in a transaction. */
typedef struct manner {
    bool pinned, transaction, warm;
} manner;

static void open_room(room *r, const script *s, const manner *how)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine_config config;
    berth_engine_config_init(&config);
    *r = (room){.allocator = {&r->memory, counted_allocate, counted_release}};
    config.allocator = &r->allocator;
    config.threads = 1;
    config.keep_objects = true;
    config.kubernetes = 37;
    small_require(berth_engine_create(&config, &r->engine, &error), &error);
    for (uint32_t i = 0; i < s->base_count; i++)
        small_require(berth_engine_add(r->engine, s->base[i], NULL, &error), &error);
    if (how->warm) {
        view ignored;
        look(r->engine, &ignored); /* what decisions cache has to follow the change */
    }
    if (how->pinned) {
        small_require(berth_engine_publish(r->engine, &error), &error);
        r->pinned = berth_engine_pin(r->engine);
    }
    if (how->transaction)
        small_require(berth_engine_begin(r->engine, &error), &error);
}

static void close_room(room *r)
{
    berth_snapshot_unpin(r->pinned);
    berth_engine_destroy(r->engine);
    assert_int_equal(atomic_load(&r->memory.bytes), 0);
}

/* The states before and after the change, when memory suffices. */
typedef struct reference {
    view before, after;
    berth_placement placement;
} reference;

static void run_whole(const script *s, uint32_t which, const manner *how, reference *out)
{
    room r;
    berth_error error = {.code = BERTH_OK};
    open_room(&r, s, how);
    look(r.engine, &out->before);
    close_room(&r);
    open_room(&r, s, how);
    small_require(make_change(r.engine, s, which, &out->placement, &error), &error);
    look(r.engine, &out->after);
    close_room(&r);
}

/* Returns false once the change makes fewer allocations than `at`. */
static bool change_without(const script *s, uint32_t which, unsigned at, const manner *how,
                           const reference *wanted, uint32_t *refused)
{
    room r;
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    open_room(&r, s, how);
    atomic_store(&r.memory.calls, 0);
    atomic_store(&r.memory.fail_at, at);
    berth_status status = make_change(r.engine, s, which, &placement, &error);
    atomic_store(&r.memory.fail_at, 0);
    const bool reached = atomic_load(&r.memory.calls) >= at;
    if (status != BERTH_OK) {
        ++*refused;
        assert_true(reached);
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(error.code, BERTH_E_NOMEM);
        expect_view(r.engine, which, &wanted->before);
        small_require(make_change(r.engine, s, which, &placement, &error), &error);
    }
    assert_int_equal(placement.verdict, wanted->placement.verdict);
    assert_int_equal(placement.node, wanted->placement.node);
    expect_view(r.engine, which, &wanted->after);
    if (how->transaction) {
        small_require(berth_engine_rollback(r.engine, &error), &error);
        expect_view(r.engine, which, &wanted->before);
    }
    if (how->pinned) {
        assert_true(berth_snapshot_digest(r.pinned) == wanted->before.digest);
        small_require(berth_snapshot_check(r.pinned, &error), &error);
    }
    close_room(&r);
    return reached;
}

static void run_all(const script *s, const manner *how)
{
    for (uint32_t which = 0; which < CHANGES; which++) {
        reference wanted;
        uint32_t refused = 0;
        unsigned at = 1;
        run_whole(s, which, how, &wanted);
        while (change_without(s, which, at, how, &wanted, &refused))
            assert_true(++at < 2000);
        if (at > 1 && changes[which].verb <= UPDATE)
            assert_true(refused > 0);
    }
}

static void test_pinned_state(void **state)
{
    run_all(*state, &(manner){.pinned = true, .warm = true});
}

static void test_new_state(void **state)
{
    run_all(*state, &(manner){.pinned = true});
}

static void test_transaction(void **state)
{
    run_all(*state, &(manner){.transaction = true, .warm = true});
}

/* Returns false once publishing makes fewer allocations than `at`. */
static bool publish_without(const script *s, unsigned at)
{
    enum { MOST = 64 };
    room r;
    berth_str names[MOST], shown[MOST];
    berth_error error = {.code = BERTH_OK};
    open_room(&r, s, &(manner){.warm = true});
    atomic_store(&r.memory.calls, 0);
    atomic_store(&r.memory.fail_at, at);
    berth_status status = berth_engine_publish(r.engine, &error);
    atomic_store(&r.memory.fail_at, 0);
    const bool reached = atomic_load(&r.memory.calls) >= at;
    assert_int_equal(status, reached ? error.code : BERTH_OK);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        small_require(berth_engine_publish(r.engine, &error), &error);
    }
    r.pinned = berth_engine_pin(r.engine);
    const uint32_t count = berth_engine_resource_names(r.engine, names, MOST);
    assert_in_range(count, 3, MOST);
    assert_int_equal(berth_snapshot_resource_names(r.pinned, shown, MOST), count);
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(names[i].data, shown[i].data, names[i].len);
    small_require(berth_snapshot_check(r.pinned, &error), &error);
    assert_true(berth_snapshot_digest(r.pinned) == berth_engine_digest(r.engine));
    close_room(&r);
    return reached;
}

static void test_publish(void **state)
{
    unsigned at = 1;
    while (publish_without(*state, at))
        assert_true(++at < 2000);
    assert_true(at > 3);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned_state), cmocka_unit_test(test_new_state),
        cmocka_unit_test(test_transaction), cmocka_unit_test(test_publish)};
    return cmocka_run_group_tests(tests, read_script, drop_script);
}
