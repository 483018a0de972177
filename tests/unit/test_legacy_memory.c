/* Decisions of plugins of v1.15 when memory runs out: whichever allocation fails, the call fails,
 * and the next call decides as if nothing had happened. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "legacy_rules.h"

static berth_status decide(small_cluster *c, berth_pod_id pod)
{
    berth_decide_options options;
    berth_decide_options_init(&options);
    return berth_engine_decide(c->engine, pod, &options, &c->placement, NULL);
}

/* Decides with request `at` for memory refused, and once more if that fails. Returns whether fewer
 * were made. */
static bool decide_without(small_cluster *c, counted *memory, berth_pod_id pod, unsigned at)
{
    atomic_store(&memory->calls, 0);
    atomic_store(&memory->fail_at, at);
    const berth_status status = decide(c, pod);
    const bool fewer = atomic_load(&memory->calls) < at;
    atomic_store(&memory->fail_at, 0);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(decide(c, pod), BERTH_OK);
    }
    return fewer;
}

/* Opens a cluster with one predicate or one priority of the label "host". */
static void open_counted(small_cluster *c, const char *predicate, const char *priority,
                         const berth_allocator *allocator)
{
    static const berth_str key = TEXT("host");
    const berth_plugin_args args = {.label = {{&key, 1}, false}};
    lone_plugin room;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.profiles = lone(&room, predicate, priority, &args);
    config.profile_count = 1;
    config.allocator = allocator;
    small_open_as(c, config);
}

#define SERVICE "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: s}}\n"

/* The pod of a Service follows another one to its node, or avoids it: it goes to the last of the
 * nodes. Returns whether the decision needs fewer allocations than `at`, which fails. */
static bool goes_without(const char *predicate, const char *priority, uint32_t nodes,
                         const char *other, unsigned at)
{
    static const char *const names[] = {"a", "b", "c"};
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    open_counted(&c, predicate, priority, &allocator);
    for (uint32_t i = 0; i < nodes; i++) {
        char labels[32];
        snprintf(labels, sizeof(labels), ", labels: {host: %s}", names[i]);
        small_node(&c, names[i], labels);
    }
    small_add(&c, SERVICE);
    small_pod(&c, "r", other, ", labels: {app: s}", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, ", labels: {app: s}", "");
    const bool fewer = decide_without(&c, &memory, pod, at);
    assert_int_equal(c.placement.node, nodes - 1);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static bool follows_without(unsigned at)
{
    return goes_without("CheckServiceAffinity", NULL, 3, "c", at);
}

static bool avoids_without(unsigned at)
{
    return goes_without(NULL, "ServiceAntiAffinityPriority", 2, "a", at);
}

static void each_without(bool (*decides_without)(unsigned at))
{
    bool fewer = false;
    for (unsigned at = 1; !fewer; at++) {
        assert_true(at < 1000);
        fewer = decides_without(at);
    }
}

static void test_memory_of_services(void **state)
{
    (void)state;
    each_without(follows_without);
    each_without(avoids_without);
}

/* ---- limits of volumes ---- */

#define CLAIM_OF(name, driver)                                                            \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name                 \
    ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {volumeName: " name  \
    "}\n---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: {" \
    "csi: {driver: " driver ", volumeHandle: " name "}}\n---\n"

#define UNBOUND(name)                                                     \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name \
    "}\nspec: {storageClassName: fast}\n---\n"

typedef struct limit_case {
    const char *predicate, *spec;
} limit_case;

/* One volume too many for each node, the last one of the pod. */
static const limit_case limit_cases[] = {
    {"MaxEBSVolumeCount",
     "volumes: [{name: a, awsElasticBlockStore: {volumeID: d1}}, {name: b, awsElasticBlockStore: "
     "{volumeID: d2}}, {name: c, awsElasticBlockStore: {volumeID: d3}}, {name: d, "
     "persistentVolumeClaim: {claimName: nobody}}]"},
    {"MaxEBSVolumeCount", /* claims without a volume */
     "volumes: [{name: a, persistentVolumeClaim: {claimName: u1}}, {name: b, "
     "persistentVolumeClaim: {claimName: u2}}, {name: c, persistentVolumeClaim: {claimName: u3}}, "
     "{name: d, persistentVolumeClaim: {claimName: u4}}]"},
    {"MaxCSIVolumeCountPred",
     "volumes: [{name: a, persistentVolumeClaim: {claimName: x1}}, {name: m, "
     "persistentVolumeClaim: {claimName: nobody}}, {name: b, persistentVolumeClaim: {claimName: "
     "y1}}, {name: c, persistentVolumeClaim: {claimName: y2}}]"},
};

/* A pod with more volumes than either node takes fits nowhere. Returns whether the decision needs
 * fewer allocations than `at`, which fails. */
static bool limits_without(const limit_case *one, unsigned at)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    lone_plugin room;
    berth_engine_config config;
    small_cluster c;
    berth_engine_config_init(&config);
    config.profiles = lone(&room, one->predicate, NULL, NULL);
    config.profile_count = 1;
    config.attached_volumes_max = strcmp(one->predicate, "MaxEBSVolumeCount") == 0 ? 3 : 0;
    config.allocator = &allocator;
    small_open_as(&c, config);
    for (int i = 0; i < 2; i++)
        small_addf(&c,
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: {allocatable: "
                   "{pods: 9, attachable-volumes-csi-one: '1', attachable-volumes-csi-two: '1'}}\n",
                   i);
    small_add(&c, CLAIM_OF("x1", "one") CLAIM_OF("y1", "two") CLAIM_OF("y2", "two") UNBOUND("u1")
                      UNBOUND("u2") UNBOUND("u3") UNBOUND("u4"));
    small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n"
                  "provisioner: kubernetes.io/aws-ebs\n");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", one->spec);
    const bool fewer = decide_without(&c, &memory, pod, at);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(limit_cases) / sizeof(limit_cases[0]); i++) {
        bool fewer = false;
        for (unsigned at = 1; !fewer; at++) {
            assert_true(at < 1000);
            fewer = limits_without(&limit_cases[i], at);
        }
    }
}

/* ---- zones of volumes ---- */

/* A pod with a volume of zone z2 goes to the node there. */
static bool is_in_zone_without(unsigned at)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    open_counted(&c, "NoVolumeZoneConflict", NULL, &allocator);
    small_node(&c, "a", ", labels: {failure-domain.beta.kubernetes.io/zone: z1}");
    small_node(&c, "b", ", labels: {failure-domain.beta.kubernetes.io/zone: z2}");
    small_add(&c,
              "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, annotations: "
              "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {volumeName: disk}\n---\n"
              "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: disk, labels: "
              "{failure-domain.beta.kubernetes.io/zone: z2}}\nspec: {}\n");
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, "", "volumes: [{name: a, persistentVolumeClaim: {claimName: data}}]");
    const bool fewer = decide_without(&c, &memory, pod, at);
    assert_int_equal(c.placement.node, 1);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_zones(void **state)
{
    (void)state;
    each_without(is_in_zone_without);
}

/* ---- claims ---- */

/* A claim that should have been bound is an error on every node. */
static bool binds_without(unsigned at)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    open_counted(&c, "CheckVolumeBinding", NULL, &allocator);
    small_node(&c, "a", "");
    small_add(&c, UNBOUND("now") "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n"
                                 "metadata: {name: fast}\nprovisioner: x/y\n"
                                 "volumeBindingMode: Immediate\n");
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, "", "volumes: [{name: a, persistentVolumeClaim: {claimName: now}}]");
    const bool fewer = decide_without(&c, &memory, pod, at);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_claims(void **state)
{
    (void)state;
    each_without(binds_without);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_services), cmocka_unit_test(test_memory_of_limits),
        cmocka_unit_test(test_memory_of_zones), cmocka_unit_test(test_memory_of_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
