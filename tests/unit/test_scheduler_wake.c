/* Which changes wake which pods: for each filter, a pod that it rejected, changes that leave it
 * asleep, and one that wakes it. This tests that no pod is woken in vain; test_scheduler_simulation
 * tests that no pod that fits stays asleep. */
#include "one_plugin.h"
#include "profile_points.h"
#include "scheduler_cluster.h"

/* The pod was just decided: it waits, rejected only by this plugin. */
static void expect_rejected(loop *l, berth_pod_id pod, const char *plugin)
{
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.pod, pod);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_text(berth_scheduler_rejector(l->scheduler, pod, 0), plugin);
    assert_null(berth_scheduler_rejector(l->scheduler, pod, 1).data);
}

static void expect_asleep(loop *l, berth_pod_id pod)
{
    loop_check(l);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
}

static void expect_woken(loop *l, berth_pod_id pod)
{
    loop_check(l);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
}

/* ---- nodes ---- */

static void test_no_nodes(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "no nodes");
    loop_add(l, loop_pod_text("other", "1", "", ", nodeName: missing"));
    expect_asleep(l, pod);
    loop_node(l, "tiny", "1m");
    expect_woken(l, pod);
}

static void test_cordon(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", "", "unschedulable: true"));
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "NodeUnschedulable");
    loop_update(l, loop_node_text("a", "8", ", labels: {x: z}", "unschedulable: true"));
    loop_add(l, loop_node_text("b", "4", "", "unschedulable: true"));
    expect_asleep(l, pod);
    loop_update(l, loop_node_text("a", "4", "", ""));
    expect_woken(l, pod);
}

static void test_closed_node(void **state)
{
    loop *l = *state;
    berth_node_id node = loop_node(l, "a", "1");
    assert_int_equal(berth_engine_close_node(l->c.engine, node, true, NULL), BERTH_OK);
    berth_pod_id pod = loop_pod(l, "p", "1", ""), large = loop_pod(l, "q", "2", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    expect_rejected(l, large, "NodeResourcesFit");
    assert_int_equal(berth_engine_close_node(l->c.engine, node, false, NULL), BERTH_OK);
    expect_woken(l, pod);
    expect_asleep(l, large);
}

static void test_taints(void **state)
{
    static const char *const tainted = "taints: [{key: k, value: v, effect: NoSchedule}]";
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", "", tainted));
    berth_pod_id pod = loop_pod(
        l, "p", "1", ", tolerations: [{key: other, operator: Exists, effect: NoSchedule}]");
    expect_rejected(l, pod, "TaintToleration");
    loop_add(l, loop_node_text("b", "4", "", tainted));
    loop_update(l, loop_node_text("a", "4", "", "taints: [{key: k, effect: NoExecute}]"));
    expect_asleep(l, pod);
    loop_update(l, loop_node_text("b", "4", "", "taints: [{key: other, effect: NoSchedule}]"));
    expect_woken(l, pod);
}

static void test_declared_features(void **state)
{
#define FEATURED(name, features)                                                                \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: {cpu: '4', " \
    "memory: 8Gi, pods: '110'}, declaredFeatures: [" features "]}\n"
    (void)state;
    loop l;
    loop_open_as(&l, 36, NULL, 0, 5000, NULL);
    loop_add(&l, FEATURED("a", "Zork"));
    berth_pod_id pod = loop_pod(&l, "p", "1", ", hostNetwork: true, hostUsers: false");
    expect_rejected(&l, pod, "NodeDeclaredFeatures");
    loop_update(&l, FEATURED("a", "RestartAllContainersOnContainerExits"));
    loop_add(&l, FEATURED("b", ""));
    expect_asleep(&l, pod);
    loop_update(&l, FEATURED("b", "UserNamespacesHostNetworkSupport"));
    expect_woken(&l, pod);
    loop_close(&l);
}

static void test_node_affinity(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "4");
    berth_pod_id pod =
        loop_pod(l, "p", "1",
                 ", nodeSelector: {disk: ssd}, affinity: {nodeAffinity: "
                 "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                 "[{matchExpressions: [{key: zone, operator: In, values: [z1, z2]}]}]}}}");
    expect_rejected(l, pod, "NodeAffinity");
    loop_update(l, loop_node_text("a", "4", ", labels: {disk: ssd}", ""));
    loop_update(l, loop_node_text("a", "4", ", labels: {disk: ssd, zone: z3}", ""));
    loop_add(l, loop_node_text("b", "4", ", labels: {zone: z1}", ""));
    expect_asleep(l, pod);
    loop_update(l, loop_node_text("b", "4", ", labels: {zone: z1, disk: ssd}", ""));
    expect_woken(l, pod);
}

/* ---- room ---- */

/* The profile's addedAffinity counts like the pod's own. */
static void test_added_node_affinity(void **state)
{
    static const berth_str ssd = TEXT("ssd");
    static const berth_requirement disk = {TEXT("disk"), TEXT("In"), {&ssd, 1}};
    static const berth_node_selector_term term = {.match_expressions = {&disk, 1}};
    static const berth_node_selector required = {&term, 1};
    static const berth_plugin_args args = {.node_affinity.added_affinity.required = &required};
    static const berth_plugin_ref filter = {.name = TEXT("NodeAffinity"), .args = &args};
    (void)state;
    loop l;
    berth_profile profile = *berth_profile_default();
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){&filter, 1};
    loop_open(&l, &profile, 1, 0);
    loop_node(&l, "a", "4");
    berth_pod_id pod = loop_pod(&l, "p", "1", "");
    expect_rejected(&l, pod, "NodeAffinity");
    loop_add(&l, loop_node_text("b", "4", ", labels: {disk: hdd}", ""));
    loop_update(&l, loop_node_text("a", "4", ", labels: {zone: z1}", ""));
    expect_asleep(&l, pod);
    loop_update(&l, loop_node_text("a", "4", ", labels: {disk: ssd}", ""));
    expect_woken(&l, pod);
    loop_close(&l);
}

static void test_fit(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, loop_pod_text("r1", "500m", "", ", nodeName: a"));
    loop_add(l, loop_pod_text("r2", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_pod(l, "p", "1500m", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_remove(l, BERTH_KIND_POD, "default", "r1"); /* 1 cpu is free */
    loop_node(l, "b", "1");
    loop_update(l, loop_node_text("b", "1400m", "", ""));
    loop_update(l, loop_node_text("b", "100m", ", labels: {x: z}", ""));
    loop_add(l, loop_pod_text("r3", "1", "", ", nodeName: b"));
    expect_asleep(l, pod);
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    expect_woken(l, pod);
}

static void test_fit_allocatable(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, loop_pod_text("r1", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_pod(l, "p", "1500m", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_update(l, loop_node_text("a", "2400m", "", ""));
    expect_asleep(l, pod);
    loop_update(l, loop_node_text("a", "2500m", "", ""));
    expect_woken(l, pod);
}

/* A pod shrinks in place, or finishes. */
static void test_fit_smaller_pod(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, loop_pod_text("r1", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_pod(l, "p", "1500m", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_update(l, loop_pod_text("r1", "800m", "", ", nodeName: a"));
    expect_asleep(l, pod);
    loop_update(l, loop_pod_text("r1", "500m", "", ", nodeName: a"));
    expect_woken(l, pod);
}

/* Room that preemption could make wakes the pods that may preempt. */
static void test_fit_by_preemption(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, loop_pod_text("high", "1", "", ", nodeName: a, priority: 50"));
    loop_add(l, loop_pod_text("low", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_pod(l, "p", "2", ", priority: 10");
    expect_rejected(l, pod, "NodeResourcesFit");
    berth_pod_id meek = loop_pod(l, "meek", "2", ", priority: 10, preemptionPolicy: Never");
    expect_rejected(l, meek, "NodeResourcesFit");
    loop_remove(l, BERTH_KIND_POD, "default", "high");
    expect_woken(l, pod);
    expect_asleep(l, meek);
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.victim_count, 1);
}

/* Changes of each resource that the pod requests, including extended resources. */
static void test_fit_scalars(void **state)
{
    static const char *const node =
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"
        "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110', example.com/gpu: '%d'}}\n";
    loop *l = *state;
    char text[512];
    snprintf(text, sizeof(text), node, "a", 1);
    loop_add(l, text);
    berth_pod_id pod = loop_add(l, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                                   "spec: {containers: [{name: c, image: i, resources: {requests: "
                                   "{cpu: '1', example.com/gpu: '2'}}}]}\n");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_node(l, "b", "64");
    expect_asleep(l, pod);
    snprintf(text, sizeof(text), node, "a", 2);
    loop_update(l, text);
    expect_woken(l, pod);
}

static void test_ports(void **state)
{
    static const char *const with_port =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c, image: i, "
        "ports: [{containerPort: 1, hostPort: %d, protocol: TCP}]}]%s}\n";
    loop *l = *state;
    char text[512];
    loop_node(l, "a", "4");
    snprintf(text, sizeof(text), with_port, "r1", 80, ", nodeName: a");
    loop_add(l, text);
    snprintf(text, sizeof(text), with_port, "r2", 81, ", nodeName: a");
    loop_add(l, text);
    loop_add(l, loop_pod_text("r3", "1", "", ", nodeName: a"));
    snprintf(text, sizeof(text), with_port, "p", 80, "");
    berth_pod_id pod = loop_add(l, text);
    expect_rejected(l, pod, "NodePorts");
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    loop_remove(l, BERTH_KIND_POD, "default", "r3");
    loop_update(l, loop_node_text("a", "40", "", ""));
    expect_asleep(l, pod);
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    expect_woken(l, pod);
}

/* ---- other pods ---- */

static void test_anti_affinity(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", ", labels: {zone: z1}", ""));
    loop_add(l, loop_pod_text("r1", "1", ", labels: {app: web}", ", nodeName: a"));
    loop_add(l, loop_pod_text("r2", "1", ", labels: {app: db}", ", nodeName: a"));
    berth_pod_id pod =
        loop_pod(l, "p", "1",
                 ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}");
    expect_rejected(l, pod, "InterPodAffinity");
    loop_add(l, loop_pod_text("r3", "1", "", ", nodeName: a"));
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    loop_update(l, loop_pod_text("r3", "1", ", labels: {app: x}", ", nodeName: a"));
    expect_asleep(l, pod);
    loop_update(l, loop_pod_text("r1", "1", ", labels: {app: other}", ", nodeName: a"));
    expect_woken(l, pod);
}

/* Anti-affinity of running pods against the waiting pod. */
static void test_anti_affinity_of_others(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", ", labels: {zone: z1}", ""));
    loop_add(l, loop_pod_text("r1", "1", "",
                              ", nodeName: a, affinity: {podAntiAffinity: "
                              "{requiredDuringSchedulingIgnoredDuringExecution: "
                              "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}"));
    loop_add(l, loop_pod_text("r2", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_add(l, loop_pod_text("p", "1", ", labels: {app: web}", ""));
    expect_rejected(l, pod, "InterPodAffinity");
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    expect_asleep(l, pod);
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    expect_woken(l, pod);
}

static void test_affinity(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", ", labels: {zone: z1}", ""));
    berth_pod_id pod =
        loop_pod(l, "p", "1",
                 ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                 "[{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}");
    expect_rejected(l, pod, "InterPodAffinity");
    loop_add(l, loop_pod_text("r1", "1", ", labels: {app: db}", ", nodeName: a"));
    loop_add(l, loop_pod_text("r2", "1", ", namespace: far, labels: {app: web}", ", nodeName: a"));
    expect_asleep(l, pod);
    /* Placed by the scheduler. */
    loop_add(l, loop_pod_text("r3", "1", ", labels: {app: web}", ""));
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    expect_woken(l, pod);
}

static void test_spread(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", ", labels: {zone: z1}", ""));
    loop_add(l, loop_node_text("b", "4", ", labels: {zone: z2}",
                               "taints: [{key: k, effect: NoSchedule}]"));
    loop_add(l, loop_pod_text("r1", "1", ", labels: {app: web}", ", nodeName: a"));
    berth_pod_id pod =
        loop_add(l, loop_pod_text("p", "1", ", labels: {app: web}",
                                  ", tolerations: [{operator: Exists}], nodeSelector: {zone: z1}, "
                                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                                  "nodeAffinityPolicy: Ignore, "
                                  "whenUnsatisfiable: DoNotSchedule, "
                                  "labelSelector: {matchLabels: {app: web}}}]"));
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    expect_asleep(l, pod);
    loop_add(l, loop_pod_text("r2", "1", ", labels: {app: db}", ", nodeName: b"));
    loop_add(l, loop_pod_text("r3", "1", ", namespace: far, labels: {app: web}", ", nodeName: b"));
    loop_update(l, loop_pod_text("r2", "1", ", labels: {app: x}", ", nodeName: b"));
    loop_node(l, "nozone", "4");
    loop_remove(l, BERTH_KIND_NODE, "", "nozone");
    expect_asleep(l, pod);
    loop_add(l, loop_pod_text("r4", "1", ", labels: {app: web}", ", nodeName: b"));
    expect_woken(l, pod);
}

/* ---- the pod itself ---- */

static void test_self(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "1");
    berth_pod_id pod = loop_pod(l, "p", "2", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_update(l, loop_pod_text("p", "2", "", "")); /* a field that no rule reads */
    expect_asleep(l, pod);
    loop_update(l, loop_pod_text("p", "1", "", ""));
    expect_woken(l, pod);
}

/* ---- nominations ---- */

/* A pod gives up its nominated node: the pods that it kept away are woken. */
static void test_nomination_ends(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "2");
    /* It requests more than there is, so it stays pending. */
    loop_add(l, "apiVersion: v1\nkind: Pod\nmetadata: {name: kept}\n"
                "spec: {priority: 5, schedulingGates: [{name: g}], containers: [{name: c, image: "
                "i, resources: {requests: {cpu: '2'}}}]}\nstatus: {nominatedNodeName: a}\n");
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_remove(l, BERTH_KIND_POD, "default", "kept");
    expect_woken(l, pod);
}

/* A nominated pod that changes itself wakes others; one that stays as it is does not. */
static void test_nominated_pod_changes(void **state)
{
#define KEPT(labels)                                                                      \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: kept, labels: {" labels "}}\n"           \
    "spec: {priority: 5, schedulingGates: [{name: g}], containers: [{name: c, image: i, " \
    "resources: {requests: {cpu: '2'}}}]}\nstatus: {nominatedNodeName: a}\n"
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, KEPT(""));
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_update(l, KEPT(""));
    expect_asleep(l, pod);
    loop_update(l, KEPT("k: v"));
    expect_woken(l, pod);
#undef KEPT
}

/* A nominated pod comes to its node smaller than it was: there is room for another one. */
static void test_nominated_pod_shrinks(void **state)
{
#define KEPT(place, cpu)                                                              \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: kept}\nspec: {priority: 5, " place   \
    ", containers: [{name: c, image: i, resources: {requests: {cpu: '" cpu "'}}}]}\n" \
    "status: {nominatedNodeName: a}\n"
    loop *l = *state;
    loop_node(l, "a", "2");
    loop_add(l, KEPT("schedulingGates: [{name: g}]", "2"));
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "NodeResourcesFit");
    loop_update(l, KEPT("nodeName: a", "1"));
    expect_woken(l, pod);
#undef KEPT
}

/* ---- storage ---- */

static const char *claim_text(const char *name, const char *modes, const char *volume)
{
    static char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: %s, annotations: "
             "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: [%s], volumeName: %s, "
             "storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n"
             "status: {phase: Bound}\n",
             name, modes, volume);
    return text;
}

static void test_claims(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "4");
    berth_pod_id pod =
        loop_pod(l, "p", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: mine}}]");
    expect_rejected(l, pod, "VolumeRestrictions");
    loop_add(l, claim_text("other", "ReadWriteOnce", "pv1"));
    loop_add(l, "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n"
                "provisioner: p\nvolumeBindingMode: Immediate\n");
    loop_add(l, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {}\n");
    expect_asleep(l, pod);
    loop_add(l, claim_text("mine", "ReadWriteOnce", "pv1"));
    expect_woken(l, pod);
}

/* A claim of the same name in another namespace is not the pod's own. */
static void test_claim_of_another_namespace(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "4");
    berth_pod_id pod =
        loop_pod(l, "p", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: mine}}]");
    expect_rejected(l, pod, "VolumeRestrictions");
    loop_add(l, "apiVersion: v1\nkind: PersistentVolumeClaim\n"
                "metadata: {name: mine, namespace: elsewhere}\n"
                "spec: {accessModes: [ReadWriteOnce], storageClassName: fast,\n"
                "  resources: {requests: {storage: 1Gi}}}\n");
    expect_asleep(l, pod);
}

static void test_single_use_claim(void **state)
{
    static const char *const uses = ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]";
    loop *l = *state;
    char spec[256];
    loop_node(l, "a", "4");
    loop_add(l, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv1}\nspec: {capacity: "
                "{storage: 1Gi}, accessModes: [ReadWriteOncePod], storageClassName: fast, "
                "claimRef: {namespace: default, name: c}}\nstatus: {phase: Bound}\n");
    loop_add(l, claim_text("c", "ReadWriteOncePod", "pv1"));
    snprintf(spec, sizeof(spec), ", nodeName: a%s", uses);
    loop_add(l, loop_pod_text("r1", "1", "", spec));
    loop_add(l, loop_pod_text("r2", "1", "", ", nodeName: a"));
    berth_pod_id pod = loop_pod(l, "p", "1", uses);
    expect_rejected(l, pod, "VolumeRestrictions");
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    expect_asleep(l, pod);
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    expect_woken(l, pod);
}

/* A disk of any of the pod's volumes that another pod uses for writing. */
static void test_disks(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "4");
    loop_add(l, loop_pod_text("r1", "1", "",
                              ", nodeName: a, volumes: [{name: u, gcePersistentDisk: {pdName: d}}, "
                              "{name: z, gcePersistentDisk: {pdName: e}}]"));
    loop_add(l, loop_pod_text("r2", "1", "",
                              ", nodeName: a, volumes: [{name: u, gcePersistentDisk: {pdName: f}}, "
                              "{name: z, gcePersistentDisk: {pdName: g}}]"));
    static const char *const own[] = {
        ", volumes: [{name: v, gcePersistentDisk: {pdName: d}}]",
        ", volumes: [{name: w, emptyDir: {}}, {name: v, gcePersistentDisk: {pdName: e}}]"};
    berth_pod_id pods[2];
    for (int i = 0; i < 2; i++) {
        pods[i] = loop_pod(l, i == 0 ? "p" : "q", "1", own[i]);
        expect_rejected(l, pods[i], "VolumeRestrictions");
    }
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    expect_asleep(l, pods[0]);
    expect_asleep(l, pods[1]);
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    expect_woken(l, pods[0]);
    expect_woken(l, pods[1]);
}

static void test_volume_zone(void **state)
{
    loop *l = *state;
    loop_add(l, loop_node_text("a", "4", ", labels: {topology.kubernetes.io/zone: z1}", ""));
    loop_add(l, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv1, labels: "
                "{topology.kubernetes.io/zone: z2}}\nspec: {capacity: "
                "{storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: fast, "
                "claimRef: {namespace: default, name: c}}\nstatus: {phase: Bound}\n");
    loop_add(l, claim_text("c", "ReadWriteOnce", "pv1"));
    berth_pod_id pod =
        loop_pod(l, "p", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]");
    expect_rejected(l, pod, "VolumeZone");
    loop_add(l, loop_pod_text("r1", "1", "", ", nodeName: a"));
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    loop_add(l, claim_text("other", "ReadWriteOnce", "pv9"));
    loop_update(l, loop_node_text("a", "8", ", labels: {topology.kubernetes.io/zone: z1}", ""));
    expect_asleep(l, pod);
    loop_update(l, loop_node_text("a", "8", ", labels: {topology.kubernetes.io/zone: z2}", ""));
    expect_woken(l, pod);
}

static const char *csi_node_text(unsigned count)
{
    static char text[256];
    snprintf(text, sizeof(text),
             "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a}\nspec: {drivers: "
             "[{name: d, nodeID: x, allocatable: {count: %u}}]}\n",
             count);
    return text;
}

/* A volume of the driver d, and the claim that is bound to it. */
static void add_csi_volume(loop *l, const char *claim, const char *volume)
{
    char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: %s}\nspec: {capacity: "
             "{storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: fast, csi: {driver: "
             "d, volumeHandle: %s}, claimRef: {namespace: default, name: %s}}\nstatus: {phase: "
             "Bound}\n",
             volume, volume, claim);
    loop_add(l, text);
    loop_add(l, claim_text(claim, "ReadWriteOnce", volume));
}

static void test_volume_limits(void **state)
{
    loop *l = *state;
    loop_node(l, "a", "40");
    loop_add(l, csi_node_text(1));
    add_csi_volume(l, "c0", "pv0");
    add_csi_volume(l, "c1", "pv1");
    add_csi_volume(l, "c2", "pv2");
    loop_add(l, loop_pod_text("r0", "1", "",
                              ", nodeName: a, volumes: [{name: v, persistentVolumeClaim: "
                              "{claimName: c0}}]"));
    loop_add(l, loop_pod_text("r1", "1", "", ", nodeName: a, volumes: [{name: v, emptyDir: {}}]"));
    loop_add(l, loop_pod_text("r2", "1", "",
                              ", nodeName: a, volumes: [{name: v, iscsi: {targetPortal: t, iqn: "
                              "q, lun: 0}}]"));
    static const char *const uses[] = {
        ", volumes: [{name: v, persistentVolumeClaim: {claimName: c1}}]",
        ", volumes: [{name: v, persistentVolumeClaim: {claimName: c2}}]"};
    berth_pod_id first = loop_pod(l, "p", "1", uses[0]);
    expect_rejected(l, first, "NodeVolumeLimits");
    loop_remove(l, BERTH_KIND_POD, "default", "r1");
    loop_remove(l, BERTH_KIND_POD, "default", "r2");
    expect_asleep(l, first);
    loop_update(l, csi_node_text(2)); /* room for one of the two */
    expect_woken(l, first);
    berth_pod_id second = loop_pod(l, "q", "1", uses[1]);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, second);
    loop_update(l, csi_node_text(1));
    berth_pod_id third = loop_pod(l, "s", "1", uses[0]);
    expect_rejected(l, third, "NodeVolumeLimits");
    loop_remove(l, BERTH_KIND_POD, "default", "r0");
    expect_woken(l, third);
}

/* A driver that nodes must have no longer counts once its CSIDriver is gone. */
static void test_missing_driver(void **state)
{
    loop l;
    (void)state;
    loop_open_as(&l, 37, NULL, 0, 5000, NULL);
    loop_node(&l, "a", "40");
    loop_add(&l, "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a}\nspec: "
                 "{drivers: []}\n");
    loop_add(&l, "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\nspec: "
                 "{preventPodSchedulingIfMissing: true}\n");
    add_csi_volume(&l, "c0", "pv0");
    berth_pod_id pod =
        loop_pod(&l, "p", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: c0}}]");
    expect_rejected(&l, pod, "NodeVolumeLimits");
    loop_remove(&l, BERTH_KIND_CSI_DRIVER, "", "d");
    expect_woken(&l, pod);
    loop_close(&l);
}

/* ---- an embedder's plugins ---- */

/* Reopen the loop with this plugin, which refuses every node, after the default filters. */
static void open_refusing(loop *l, berth_plugin *table)
{
    static berth_plugin_ref filters[64];
    berth_profile profile = *berth_profile_default();
    profile_points points;
    berth_plugin_list *list = &own_points(&profile, &points)[BERTH_POINT_FILTER];
    memcpy(filters, list->items, list->count * sizeof(*filters));
    filters[list->count] = (berth_plugin_ref){.name = {"Never", 5}};
    *list = (berth_plugin_list){filters, list->count + 1};
    table->size = sizeof(*table);
    table->name = "Never";
    table->filter = refuse_all;
    loop_close(l);
    loop_open_with(l, &profile, 1, 0, table);
}

enum { ON_NODE = 1 << 0, ON_POD = 1 << 1, ON_CLAIM = 1 << 2 };

/* Returns whether the pod was woken, and lets it be refused again. */
static bool was_woken(loop *l, berth_pod_id pod)
{
    bool woken = loop_state(l, pod) != BERTH_POD_STATE_UNSCHEDULABLE;
    if (!woken)
        return false;
    loop_advance(l, l->now_ms + 20000);
    expect_rejected(l, pod, "Never");
    return true;
}

/* Returns which changes wake a pod that a plugin with these flags has refused. */
static uint32_t woken_by(loop *l, uint32_t flags, uint32_t wake_on)
{
    berth_plugin table = {.flags = flags, .wake_on = wake_on};
    uint32_t found = 0;
    open_refusing(l, &table);
    loop_add(l, loop_node_text("a", "4", "", ""));
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    expect_rejected(l, pod, "Never");
    loop_update(l, loop_node_text("a", "4", ", labels: {price: low}", ""));
    found |= was_woken(l, pod) ? ON_NODE : 0;
    loop_add(l, loop_pod_text("q", "1", "", ", nodeName: a"));
    found |= was_woken(l, pod) ? ON_POD : 0;
    loop_add(l, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\n");
    found |= was_woken(l, pod) ? ON_CLAIM : 0;
    return found;
}

static void test_own_plugin(void **state)
{
    loop *l = *state;
    assert_int_equal(woken_by(l, 0, 0), ON_NODE | ON_POD | ON_CLAIM);
    assert_int_equal(woken_by(l, BERTH_PLUGIN_EACH, 0), ON_NODE | ON_POD | ON_CLAIM);
    assert_int_equal(woken_by(l, BERTH_PLUGIN_NODE_LOCAL, 0), ON_NODE | ON_POD);
    assert_int_equal(woken_by(l, BERTH_PLUGIN_STATIC, 0), ON_NODE);
    assert_int_equal(woken_by(l, 0, BERTH_WAKE_NODE_LABELS), ON_NODE);
    assert_int_equal(woken_by(l, BERTH_PLUGIN_NODE_LOCAL, BERTH_WAKE_POD_ADD), ON_POD);
    assert_int_equal(woken_by(l, 0, BERTH_WAKE_CLAIM | BERTH_WAKE_POD_REMOVE), ON_CLAIM);
    assert_int_equal(woken_by(l, 0, BERTH_WAKE_NODE_TAINTS | BERTH_WAKE_NODE_REMOVE), 0);
}

/* ---- groups ---- */

/* Equal pods are woken together; one that has left its group is not. */
static void test_groups(void **state)
{
    loop *l = *state;
    berth_pod_id pods[4];
    loop_node(l, "a", "1");
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = loop_pod(l, name, i < 3 ? "2" : "8", "");
        expect_rejected(l, pods[i], "NodeResourcesFit");
    }
    loop_remove(l, BERTH_KIND_POD, "default", "p1");
    loop_node(l, "b", "2");
    expect_woken(l, pods[0]);
    assert_int_equal(loop_state(l, pods[1]), BERTH_POD_STATE_GONE);
    expect_woken(l, pods[2]);
    expect_asleep(l, pods[3]);
    assert_int_equal(loop_count(l).woken, 2);
}

/* ---- without the scheduler ---- */

/* Unbinding or binding a pod by the engine's own calls wakes the same pods as the event would. */
static void test_past_scheduler(void **state)
{
    loop *l = *state;
    berth_node_id node = loop_node(l, "a", "2");
    berth_pod_id running = loop_pod(l, "r", "2", ", nodeName: a");
    berth_pod_id picky = loop_pod(l, "picky", "1", ", nodeSelector: {x: z}");
    expect_rejected(l, picky, "NodeAffinity");
    berth_pod_id big = loop_pod(l, "big", "2", "");
    expect_rejected(l, big, "NodeResourcesFit");
    assert_int_equal(berth_engine_unbind(l->c.engine, running, NULL), BERTH_OK);
    loop_advance(l, 0);
    expect_woken(l, big);
    expect_asleep(l, picky);
    assert_int_equal(loop_state(l, running), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(berth_engine_bind(l->c.engine, running, node, NULL), BERTH_OK);
    loop_advance(l, 0);
    expect_asleep(l, picky);
    assert_int_equal(loop_count(l).taken, 1);
    assert_int_equal(loop_count(l).woken, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_set_up_patient, loop_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_no_nodes),
        TEST(test_cordon),
        TEST(test_closed_node),
        TEST(test_taints),
        cmocka_unit_test(test_declared_features),
        TEST(test_node_affinity),
        cmocka_unit_test(test_added_node_affinity),
        TEST(test_fit),
        TEST(test_fit_allocatable),
        TEST(test_fit_smaller_pod),
        TEST(test_fit_by_preemption),
        TEST(test_fit_scalars),
        TEST(test_ports),
        TEST(test_anti_affinity),
        TEST(test_anti_affinity_of_others),
        TEST(test_affinity),
        TEST(test_spread),
        TEST(test_self),
        TEST(test_nomination_ends),
        TEST(test_nominated_pod_changes),
        TEST(test_nominated_pod_shrinks),
        TEST(test_claims),
        TEST(test_claim_of_another_namespace),
        TEST(test_single_use_claim),
        TEST(test_disks),
        TEST(test_volume_zone),
        TEST(test_volume_limits),
        cmocka_unit_test(test_missing_driver),
        TEST(test_own_plugin),
        TEST(test_groups),
        TEST(test_past_scheduler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
