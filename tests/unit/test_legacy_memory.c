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

/* The pod of a Service follows another one to its node c, of three. Returns whether the decision
 * needs fewer allocations than `at`, which fails. */
static bool follows_without(unsigned at)
{
    static const berth_str key = TEXT("host");
    const berth_plugin_args args = {.label = {{&key, 1}, false}};
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    lone_plugin room;
    berth_engine_config config;
    small_cluster c;
    berth_engine_config_init(&config);
    config.profiles = lone(&room, "CheckServiceAffinity", NULL, &args);
    config.profile_count = 1;
    config.allocator = &allocator;
    small_open_as(&c, config);
    small_node(&c, "a", ", labels: {host: a}");
    small_node(&c, "b", ", labels: {host: b}");
    const berth_node_id wanted = small_node(&c, "c", ", labels: {host: c}");
    small_add(&c, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
                  "spec: {selector: {app: s}}\n");
    small_pod(&c, "r", "c", ", labels: {app: s}", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, ", labels: {app: s}", "");
    const bool fewer = decide_without(&c, &memory, pod, at);
    assert_int_equal(c.placement.node, wanted);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_services(void **state)
{
    bool fewer = false;
    (void)state;
    for (unsigned at = 1; !fewer; at++) {
        assert_true(at < 1000);
        fewer = follows_without(at);
    }
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

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_of_services),
                                       cmocka_unit_test(test_memory_of_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
