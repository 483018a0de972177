/* VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone on clusters of a few nodes:
 * rules that the decision vectors rarely or never reach, and the effects of reservations. */
#define SMALL_KUBERNETES 32 /* test_rules_by_version.c has the messages of other versions */
#include "rule_cluster.h"
#include "versions/engine_state.h"

#define NODE_A                                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {host: a, zone: z1}}\n" \
    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n---\n"
#define NODE_B                                                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: b, labels: {host: b, zone: z2}}\n" \
    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n---\n"
#define CLASS(name, rest)                                 \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n" \
    "metadata: {name: " name "}\n" rest "\n---\n"
#define LATE(name, provisioner)                  \
    CLASS(name, "provisioner: " provisioner "\n" \
                "volumeBindingMode: WaitForFirstConsumer")
#define PV(name, rest)                                                     \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\n" \
    "spec: {" rest "}\nstatus: {phase: Available}\n---\n"
#define LOCAL_PV(name, size, host)                                                    \
    PV(name, "capacity: {storage: " size "}, accessModes: [ReadWriteOnce], "          \
             "storageClassName: local, nodeAffinity: {required: {nodeSelectorTerms: " \
             "[{matchExpressions: [{key: host, operator: In, values: [" host "]}]}]}}")
#define CLAIM(name, class_name, size, rest)                                                \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name ", uid: u-" name \
    ", annotations: {" rest                                                                \
    "}}\nspec: {accessModes: [ReadWriteOnce], storageClassName: " class_name               \
    ", resources: {requests: {storage: " size "}}}\nstatus: {phase: Pending}\n---\n"
#define BOUND_CLAIM(name, volume)                                                              \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name ", annotations: "    \
    "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: [ReadWriteOnce], "         \
    "storageClassName: slow, volumeName: " volume ", resources: {requests: {storage: 1Gi}}}\n" \
    "status: {phase: Bound}\n---\n"
#define CSI_NODE(name, driver, count, annotations)                         \
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " name \
    ", annotations: {" annotations "}}\nspec: {drivers: [{name: " driver   \
    ", nodeID: x, allocatable: {count: " count "}}]}\n---\n"
#define USES(claim) "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}]"
#define IN_TREE(source) "volumes: [{name: v, " source "}]"

static void open_two_nodes(small_cluster *c, berth_node_id *a, berth_node_id *b)
{
    small_open(c, berth_profile_default_of(SMALL_KUBERNETES));
    *a = (berth_node_id)small_add(c, NODE_A);
    *b = (berth_node_id)small_add(c, NODE_B);
}

static void bind(small_cluster *c, berth_pod_id pod, berth_node_id node)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_bind(c->engine, pod, node, &error), &error);
}

static void unbind(small_cluster *c, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_unbind(c->engine, pod, &error), &error);
}

static void drop(small_cluster *c, berth_kind kind, const char *space, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_remove(c->engine, kind, (berth_str){space, (uint32_t)strlen(space)},
                                      (berth_str){name, (uint32_t)strlen(name)}, &error),
                  &error);
}

/* Decide the pod; both nodes have these refusals ("": it fits). */
static void expect(small_cluster *c, berth_pod_id pod, berth_node_id a, const char *on_a,
                   berth_node_id b, const char *on_b)
{
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, a), on_a);
    assert_string_equal(small_refusal(c, b), on_b);
}

static void expect_pre_filter(small_cluster *c, berth_pod_id pod, const char *text)
{
    small_decide(c, pod);
    assert_text(berth_explanation_pre_filter(c->explanation), text);
}

/* ---- VolumeRestrictions ---- */

#define NO_DISK "VolumeRestrictions: node(s) had no available disk"
#define TAKEN                                                                          \
    "VolumeRestrictions: node has pod using PersistentVolumeClaim with the same name " \
    "and ReadWriteOncePod access mode"

static void test_disks(void **state)
{
    static const struct {
        const char *running;
        const char *pending;
        bool conflict;
    } cases[] = {
        {IN_TREE("gcePersistentDisk: {pdName: d}"), IN_TREE("gcePersistentDisk: {pdName: d}"),
         true},
        {IN_TREE("gcePersistentDisk: {pdName: d, readOnly: true}"),
         IN_TREE("gcePersistentDisk: {pdName: d, readOnly: true}"), false},
        {IN_TREE("gcePersistentDisk: {pdName: d, readOnly: true}"),
         IN_TREE("gcePersistentDisk: {pdName: d}"), true},
        {IN_TREE("awsElasticBlockStore: {volumeID: d, readOnly: true}"),
         IN_TREE("awsElasticBlockStore: {volumeID: d, readOnly: true}"), true},
        {IN_TREE("awsElasticBlockStore: {volumeID: d}"), IN_TREE("gcePersistentDisk: {pdName: d}"),
         false},
        {IN_TREE("iscsi: {targetPortal: p, iqn: d, lun: 1}"),
         IN_TREE("iscsi: {targetPortal: q, iqn: d, lun: 2}"), true},
        {IN_TREE("rbd: {monitors: [m1, m2], pool: p, image: i}"),
         IN_TREE("rbd: {monitors: [m3, m2], pool: p, image: i}"), true},
        {IN_TREE("rbd: {monitors: [m1], pool: p, image: i}"),
         IN_TREE("rbd: {monitors: [m2], pool: p, image: i}"), false},
        {IN_TREE("rbd: {monitors: [m1], pool: p, image: i}"),
         IN_TREE("rbd: {monitors: [m1], pool: q, image: i}"), false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_pod(&c, "running", "a", "", cases[i].running);
        berth_pod_id pod = small_pod(&c, "pending", NULL, "", cases[i].pending);
        expect(&c, pod, a, cases[i].conflict ? NO_DISK : "", b, "");
        drop(&c, BERTH_KIND_POD, "default", "running");
        expect(&c, pod, a, "", b, "");
        small_close(&c);
    }
}

/* A volume with more monitors than are told apart conflicts with all that share one of the first
 * ones. */
static void test_many_monitors(void **state)
{
    enum { MONITORS = 1100 };
    static char text[16 * MONITORS];
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    int at = snprintf(text, sizeof(text),
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: many}\nspec: {nodeName: a, "
                      "volumes: [{name: v, rbd: {pool: p, image: i, monitors: [m0");
    for (int i = 1; i < MONITORS; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, ", m%d", i);
    at += snprintf(text + at, sizeof(text) - (size_t)at, "]}}]}\n");
    assert_true((size_t)at < sizeof(text));
    small_add(&c, text);
    berth_pod_id first =
        small_pod(&c, "first", NULL, "", IN_TREE("rbd: {monitors: [m0], pool: p, image: i}"));
    berth_pod_id other =
        small_pod(&c, "other", NULL, "", IN_TREE("rbd: {monitors: [n0], pool: p, image: i}"));
    expect(&c, first, a, NO_DISK, b, "");
    expect(&c, other, a, "", b, "");
    drop(&c, BERTH_KIND_POD, "default", "many");
    expect(&c, first, a, "", b, "");
    small_close(&c);
}

static void test_exclusive_claim(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, CLASS("slow", "provisioner: x\nvolumeBindingMode: Immediate")
                      PV("pv", "capacity: {storage: 1Gi}, storageClassName: slow"));
    small_add(&c, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: alone, "
                  "annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n"
                  "spec: {accessModes: [ReadWriteOncePod], storageClassName: slow, "
                  "volumeName: pv, resources: {requests: {storage: 1Gi}}}\n");
    berth_pod_id pod = small_pod(&c, "pending", NULL, "", USES("alone"));
    expect(&c, pod, a, "", b, "");
    small_pod(&c, "running", "a", "", USES("alone"));
    expect(&c, pod, a, TAKEN, b, TAKEN);
    small_pod(&c, "elsewhere", "gone", "", USES("alone"));
    drop(&c, BERTH_KIND_POD, "default",
         "running"); /* the other pod is on a node that does not exist */
    expect(&c, pod, a, "", b, "");
    expect_pre_filter(&c, small_pod(&c, "lost", NULL, "", USES("nothing")),
                      "persistentvolumeclaim \"nothing\" not found");
    small_close(&c);
}

/* ---- NodeVolumeLimits ---- */

#define EXCEEDED "NodeVolumeLimits: node(s) exceed max volume count"

/* Claims c0, c1, ... bound to CSI volumes of handles h0, h1, ... */
static void add_csi_claims(small_cluster *c, int count)
{
    small_add(c, CLASS("slow", "provisioner: drv\nvolumeBindingMode: Immediate"));
    for (int i = 0; i < count; i++) {
        small_addf(c,
                   PV("pv%d", "capacity: {storage: 1Gi}, storageClassName: slow, "
                              "csi: {driver: drv, volumeHandle: h%d}") BOUND_CLAIM("c%d", "pv%d"),
                   i, i, i, i);
    }
}

static void test_limits(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    add_csi_claims(&c, 4);
    small_pod(&c, "r0", "a", "", USES("c0"));
    small_pod(&c, "r1", "a", "", USES("c1"));
    small_pod(&c, "r2", "a", "", USES("c1"));
    berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c2"));
    berth_pod_id shared = small_pod(&c, "q", NULL, "", USES("c1"));
    expect(&c, pod, a, "", b, "");
    small_add(&c, CSI_NODE("a", "drv", "2", "") CSI_NODE("b", "drv", "0", ""));
    expect(&c, pod, a, EXCEEDED, b, EXCEEDED);
    expect(&c, shared, a, "", b, EXCEEDED);
    drop(&c, BERTH_KIND_POD, "default", "r1");
    expect(&c, pod, a, EXCEEDED, b, EXCEEDED); /* r2 still has c1 */
    drop(&c, BERTH_KIND_POD, "default", "r2");
    expect(&c, pod, a, "", b, EXCEEDED);
    small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: va}\n"
                  "spec: {attacher: drv, nodeName: a, source: {persistentVolumeName: pv3}}\n");
    expect(&c, pod, a, EXCEEDED, b, EXCEEDED);
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME, "", "pv3"); /* then attachments are unknown */
    expect(&c, pod, a, "", b, EXCEEDED);
    drop(&c, BERTH_KIND_CSI_NODE, "", "b");
    expect(&c, pod, a, "", b, "");
    small_close(&c);
}

/* Of two entries for a driver the last counts, and the others' limits stay. */
static void test_limit_of_a_driver_listed_twice(void **state)
{
    static const struct {
        const char *first, *last;
    } cases[] = {{"1", "2"}, {"2", "1"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        add_csi_claims(&c, 2);
        small_pod(&c, "r", "a", "", USES("c0"));
        const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c1"));
        small_addf(&c,
                   "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a}\n"
                   "spec: {drivers: [{name: drv, nodeID: x, allocatable: {count: %s}}, {name: drv, "
                   "nodeID: x, allocatable: {count: %s}}]}\n",
                   cases[i].first, cases[i].last);
        expect(&c, pod, a, strcmp(cases[i].last, "1") == 0 ? EXCEEDED : "", b, "");
        small_close(&c);
    }
}

/* An attached volume counts as long as a claim stands for it, however many attachments name it. */
static void test_limit_of_a_shared_volume(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    add_csi_claims(&c, 2);
    small_add(&c, BOUND_CLAIM("again", "pv1") CSI_NODE("a", "drv", "1", ""));
    small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: va}\n"
                  "spec: {attacher: drv, nodeName: a, source: {persistentVolumeName: pv1}}\n");
    small_pod(&c, "r1", "a", "", USES("c1"));
    small_pod(&c, "r2", "a", "", USES("again"));
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c0"));
    expect(&c, pod, a, EXCEEDED, b, "");
    drop(&c, BERTH_KIND_POD, "default", "r1");
    expect(&c, pod, a, EXCEEDED, b, "");
    drop(&c, BERTH_KIND_POD, "default", "r2");
    expect(&c, pod, a, EXCEEDED, b, ""); /* it is still attached */
    drop(&c, BERTH_KIND_VOLUME_ATTACHMENT, "", "va");
    expect(&c, pod, a, "", b, "");
    small_close(&c);
}

/* A claim's volume identity changes when the claim is bound while a pod uses it. */
static void test_limit_follows_binding(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    berth_error error = {.code = BERTH_OK};
    (void)state;
    open_two_nodes(&c, &a, &b);
    add_csi_claims(&c, 2);
    small_add(&c, LATE("late", "drv") CLAIM("w", "late", "1Gi", ""));
    small_pod(&c, "r0", "a", "", USES("c0"));
    small_pod(&c, "r1", "a", "", USES("w"));
    small_add(&c, CSI_NODE("a", "drv", "2", ""));
    berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c1"));
    expect(&c, pod, a, EXCEEDED, b, "");
    /* w turns out to be the volume that c0 already has. */
    const berth_key_value done = {TEXT("pv.kubernetes.io/bind-completed"), TEXT("yes")};
    const berth_persistent_volume_claim bound = {
        .meta = {.name = TEXT("w"), .annotations = {&done, 1}},
        .storage_class = TEXT("late"),
        .volume_name = TEXT("pv0"),
        .request = {.units = 1 << 30}};
    const berth_object object = {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                 .as.persistent_volume_claim = &bound};
    small_require(berth_engine_update(c.engine, &object, &error), &error);
    expect(&c, pod, a, "", b, "");
    small_close(&c);
}

/* In-tree volumes and the CSI volumes that they are translated to. */
static void test_translated_handles(void **state)
{
    static const struct {
        const char *driver;
        const char *annotations;
        const char *inline_source;
        const char *volume; /* in spec of a PersistentVolume */
        const char *labels; /* of it */
        bool same;
    } cases[] = {
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://zone/vol-1'}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws:///vol-1/'}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://zone/vol-2'}", "", false},
        /* Ids that cannot be translated are not counted. */
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://vol-2'}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://zone/disk-2'}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://zone/vol-2/part'}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "awsElasticBlockStore: {volumeID: 'aws://zone//'}", "", true},
        /* Nor are CSI volumes without a driver or a handle. */
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "csi: {driver: ebs.csi.aws.com, volumeHandle: vol-2}", "", false},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "csi: {driver: ebs.csi.aws.com, volumeHandle: ''}", "", true},
        {"ebs.csi.aws.com", "", "awsElasticBlockStore: {volumeID: vol-1}",
         "csi: {driver: '', volumeHandle: vol-2}", "", true},
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "gcePersistentDisk: {pdName: d}", "", true},
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "gcePersistentDisk: {pdName: e}", "", false},
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "csi: {driver: pd.csi.storage.gke.io, volumeHandle: "
         "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d}",
         "", true},
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "gcePersistentDisk: {pdName: d}", "topology.kubernetes.io/zone: a-b-c", false},
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "gcePersistentDisk: {pdName: d}", "topology.kubernetes.io/zone: a-b-c__a-b-d", false},
        /* Zones in different regions cannot be translated: the volume is not counted. */
        {"pd.csi.storage.gke.io", "", "gcePersistentDisk: {pdName: d}",
         "gcePersistentDisk: {pdName: d}", "topology.kubernetes.io/zone: a-b-c__a-x-d", true},
        {"disk.csi.azure.com", "", "azureDisk: {diskName: one, diskURI: u}",
         "azureDisk: {diskName: other, diskURI: u}", "", true},
        {"disk.csi.azure.com", "", "azureDisk: {diskName: one, diskURI: u}",
         "azureDisk: {diskName: one, diskURI: v}", "", false},
        {"cinder.csi.openstack.org", "", "cinder: {volumeID: x}", "cinder: {volumeID: x}", "",
         true},
        /* Portworx counts only if the node declares it migrated. */
        {"pxd.portworx.com", "", "portworxVolume: {volumeID: x}", "portworxVolume: {volumeID: w}",
         "", true},
        {"pxd.portworx.com",
         "storage.alpha.kubernetes.io/migrated-plugins: "
         "'kubernetes.io/cinder,kubernetes.io/portworx-volume'",
         "portworxVolume: {volumeID: x}", "portworxVolume: {volumeID: w}", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[2048];
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_addf(&c, CSI_NODE("a", "%s", "1", "%s"), cases[i].annotations, cases[i].driver);
        small_addf(&c,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: {%s}}\n"
                   "spec: {capacity: {storage: 1Gi}, storageClassName: slow, %s}\n---\n" CLASS(
                       "slow", "provisioner: x\nvolumeBindingMode: Immediate")
                       BOUND_CLAIM("c", "pv"),
                   cases[i].labels, cases[i].volume);
        small_pod(&c, "running", "a", "", USES("c"));
        snprintf(text, sizeof(text), IN_TREE("%s"), cases[i].inline_source);
        berth_pod_id pod = small_pod(&c, "p", NULL, "", text);
        small_decide(&c, pod);
        assert_string_equal(small_refusal(&c, a), cases[i].same ? "" : EXCEEDED);
        small_close(&c);
    }
}

/* A claim without a volume counts with the driver of its class, unless that driver is an in-tree
 * plugin which the node has not migrated, or one that is never counted. */
static void test_limits_of_classes(void **state)
{
    static const struct {
        const char *provisioner, *driver, *annotations;
        bool counts;
    } cases[] = {
        {"drv", "drv", "", true},
        {"drv", "other", "", false},
        {"kubernetes.io/aws-ebs", "ebs.csi.aws.com", "", true},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com", "", false},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com",
         "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/portworx-volume", true},
        {"kubernetes.io/azure-file", "kubernetes.io/azure-file", "", false},
        {"kubernetes.io/vsphere-volume", "kubernetes.io/vsphere-volume", "", false},
        {"kubernetes.io/other", "kubernetes.io/other", "", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_addf(&c, CSI_NODE("a", "'%s'", "1", "%s"), cases[i].annotations, cases[i].driver);
        small_addf(&c,
                   LATE("late", "%s") CLAIM("c1", "late", "1Gi", "") CLAIM("c2", "late", "1Gi", ""),
                   cases[i].provisioner);
        small_pod(&c, "running", "a", "", USES("c1"));
        const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c2"));
        small_decide(&c, pod);
        if (strcmp(small_refusal(&c, a), cases[i].counts ? EXCEEDED : "") != 0)
            fail_msg("case %zu: \"%s\"", i, small_refusal(&c, a));
        small_close(&c);
    }
}

static void update_as(small_cluster *c, berth_kind kind, const void *source)
{
    berth_error error = {.code = BERTH_OK};
    const berth_object object = {.kind = kind, .as.any = source};
    small_require(berth_engine_update(c->engine, &object, &error), &error);
}

/* A class that changes concerns all claims. They are counted again, however many nodes and claims
 * are noted after it until the next decision; a volume's update notes each node that it is attached
 * to. */
static void test_limits_of_a_changed_class(void **state)
{
    enum { ATTACHED = 100 };
    static const berth_storage_class changed = {.meta = {.name = TEXT("late")},
                                                .provisioner = TEXT("drv"),
                                                .binding_mode = TEXT("WaitForFirstConsumer")};
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, CSI_NODE("a", "drv", "1", "") LATE("late", "x") LATE("fixed", "drv")
                      CLAIM("c1", "late", "1Gi", "") CLAIM("c2", "fixed", "1Gi", "")
                          CLAIM("other", "fixed", "1Gi", "")
                              PV("shared", "csi: {driver: shared, volumeHandle: h}"));
    for (int i = 0; i < ATTACHED; i++)
        small_addf(
            &c,
            "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: v%d}\n"
            "spec: {attacher: shared, nodeName: n%d, source: {persistentVolumeName: shared}}\n",
            i, i);
    small_pod(&c, "r", "a", "", USES("c1"));
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c2"));
    expect(&c, pod, a, "", b, "");
    const berth__storage *storage = c.engine->cluster.view.storage;
    const uint64_t seen = storage->journal_end;
    update_as(&c, BERTH_KIND_STORAGE_CLASS, &changed);
    for (int i = 1; i < BERTH__STORAGE_JOURNAL / 8 && storage->journal_end != seen; i++) {
        const berth_persistent_volume volume = {.meta = {.name = TEXT("shared")},
                                                .capacity = {.units = i}};
        const berth_persistent_volume_claim other = {.meta = {.name = TEXT("other")},
                                                     .storage_class = TEXT("fixed"),
                                                     .request = {.units = i}};
        if (seen - storage->journal_end >= 2 * ATTACHED)
            update_as(&c, BERTH_KIND_PERSISTENT_VOLUME, &volume);
        else
            update_as(&c, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &other);
    }
    expect(&c, pod, a, EXCEEDED, b, "");
    small_close(&c);
}

/* The same if the last changes before it, as many as are noted, were all about another claim. */
static void test_limits_of_a_changed_class_alone(void **state)
{
    static const berth_storage_class changed = {.meta = {.name = TEXT("late")},
                                                .provisioner = TEXT("drv"),
                                                .binding_mode = TEXT("WaitForFirstConsumer")};
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, CSI_NODE("a", "drv", "1", "") LATE("late", "x") LATE("fixed", "drv")
                      CLAIM("other", "fixed", "1Gi", "") CLAIM("c1", "late", "1Gi", "")
                          CLAIM("c2", "fixed", "1Gi", ""));
    small_pod(&c, "r", "a", "", USES("c1"));
    for (int i = 1; i <= BERTH__STORAGE_JOURNAL; i++) {
        const berth_persistent_volume_claim other = {.meta = {.name = TEXT("other")},
                                                     .storage_class = TEXT("fixed"),
                                                     .request = {.units = i}};
        update_as(&c, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &other);
    }
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c2"));
    expect(&c, pod, a, "", b, "");
    update_as(&c, BERTH_KIND_STORAGE_CLASS, &changed);
    expect(&c, pod, a, EXCEEDED, b, "");
    small_close(&c);
}

/* Attachments count if they name a driver and a CSI volume. */
static void test_limits_of_attachments(void **state)
{
    static const struct {
        const char *spec;
        bool counts;
    } cases[] = {
        {"attacher: drv, nodeName: a, source: {persistentVolumeName: pv1}", true},
        {"attacher: '', nodeName: a, source: {persistentVolumeName: pv1}", false},
        {"attacher: drv, nodeName: a, source: {persistentVolumeName: tree}", false},
        {"attacher: drv, nodeName: a, source: {persistentVolumeName: absent}", false},
        {"attacher: drv, nodeName: a, source: {}", false},
        {"attacher: drv, nodeName: b, source: {persistentVolumeName: pv1}", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        add_csi_claims(&c, 2);
        small_add(&c, PV("tree", "capacity: {storage: 1Gi}, storageClassName: slow, "
                                 "awsElasticBlockStore: {volumeID: vol-1}")
                          CSI_NODE("a", "drv", "1", ""));
        small_addf(&c,
                   "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: va}\n"
                   "spec: {%s}\n",
                   cases[i].spec);
        const berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c0"));
        expect(&c, pod, a, cases[i].counts ? EXCEEDED : "", b, "");
        small_close(&c);
    }
}

/* A volume of a kind that no CSI driver took over counts for no driver, not even for one without a
 * name. */
static void test_limits_of_other_volumes(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, PV("pv", "capacity: {storage: 1Gi}, storageClassName: slow, iscsi: {iqn: i}")
                      BOUND_CLAIM("c", "pv") CSI_NODE("a", "''", "0", ""));
    expect(&c, small_pod(&c, "p", NULL, "", USES("c")), a, "", b, "");
    small_close(&c);
}

/* ---- VolumeBinding ---- */

#define CONFLICT "VolumeBinding: node(s) had volume node affinity conflict"
#define NO_VOLUME "VolumeBinding: node(s) didn't find available persistent volumes to bind"
#define NO_SPACE "VolumeBinding: node(s) did not have enough free storage"

static void test_reservations(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("pa", "2Gi", "a")
                      LOCAL_PV("pb", "3Gi", "b") CLAIM("c1", "local", "1Gi", "")
                          CLAIM("c2", "local", "1Gi", "") CLAIM("big", "local", "3Gi", ""));
    berth_pod_id one = small_pod(&c, "p1", NULL, "", USES("c1"));
    berth_pod_id two = small_pod(&c, "p2", NULL, "", USES("c2"));
    berth_pod_id big = small_pod(&c, "p3", NULL, "", USES("big"));
    expect(&c, big, a, NO_VOLUME, b, "");
    expect(&c, one, a, "", b, "");
    bind(&c, one, a);
    expect(&c, two, a, NO_VOLUME, b, "");
    /* A second pod with the claim follows the volume. */
    berth_pod_id again = small_pod(&c, "p4", NULL, "", USES("c1"));
    expect(&c, again, a, "", b, NO_VOLUME);
    bind(&c, two, b);
    expect(&c, big, a, NO_VOLUME, b, NO_VOLUME);
    unbind(&c, two);
    expect(&c, big, a, NO_VOLUME, b, "");
    unbind(&c, one);
    expect(&c, two, a, "", b, "");
    /* A pod that is bound where it does not fit reserves nothing. */
    bind(&c, big, a);
    expect(&c, two, a, "", b, "");
    small_close(&c);
}

/* A placement's choices for the claims of a pod: "claim=volume", or "claim" if it is to be
 * provisioned. */
static void expect_claims(small_cluster *c, berth_pod_id pod, const char *expected)
{
    char told[200] = "";
    berth_claim_choice choices[4];
    uint32_t count = berth_engine_pod_claims(c->engine, pod, choices, 4);
    assert_true(count <= 4);
    for (uint32_t i = 0; i < count; i++)
        snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%.*s/%.*s%s%.*s",
                 i > 0 ? " " : "", (int)choices[i].claim_namespace.len,
                 choices[i].claim_namespace.data, (int)choices[i].claim_name.len,
                 choices[i].claim_name.data, choices[i].volume.len > 0 ? "=" : "",
                 (int)choices[i].volume.len,
                 choices[i].volume.data != NULL ? choices[i].volume.data : "");
    assert_string_equal(told, expected);
    assert_int_equal(berth_engine_pod_claims(c->engine, pod, NULL, 0), count);
}

static void test_choices(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LATE("any", "drv")
                      LOCAL_PV("pa", "2Gi", "a") CLAIM("c1", "local", "1Gi", "")
                          CLAIM("c2", "any", "1Gi", "")
                              CLAIM("c3", "any", "1Gi", "volume.kubernetes.io/selected-node: b"));
    berth_pod_id one = small_pod(&c, "p1", NULL, "", USES("c1"));
    berth_pod_id two = small_pod(&c, "p2", NULL, "", USES("c2"));
    berth_pod_id selected = small_pod(&c, "p3", NULL, "", USES("c3"));
    berth_pod_id plain = small_pod(&c, "p4", NULL, "", "");
    berth_pod_id again = small_pod(&c, "p5", NULL, "", USES("c1"));
    expect_claims(&c, one, "");
    bind(&c, one, a);
    bind(&c, two, b);
    bind(&c, selected, b);
    bind(&c, plain, b);
    expect_claims(&c, one, "default/c1=pa");
    expect_claims(&c, two, "default/c2");
    expect_claims(&c, plain, "");
    expect_claims(&c, BERTH_POD_NONE, "");
    /* An existing choice is listed, too, because it must be waited for; it is not released with the
     * pod. */
    expect_claims(&c, selected, "default/c3");
    bind(&c, again, a);
    expect_claims(&c, again, "default/c1=pa");
    unbind(&c, again);
    expect_claims(&c, again, "");
    expect_claims(&c, one, "default/c1=pa");
    berth_pod_id third = small_pod(&c, "p6", NULL, "", USES("c1"));
    expect(&c, third, a, "", b, NO_VOLUME);
    unbind(&c, one);
    /* A pod that is bound where it does not fit has no choices. */
    bind(&c, one, b);
    expect_claims(&c, one, "");
    small_close(&c);
}

/* A volume that is being deleted is not chosen; one that replaces it is. */
static void test_deleted_volume(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner")
                      LOCAL_PV("pa, deletionTimestamp: '2026-01-01T00:00:00Z'", "2Gi", "a")
                          LOCAL_PV("pb", "3Gi", "b") CLAIM("c1", "local", "1Gi", ""));
    berth_pod_id pod = small_pod(&c, "p", NULL, "", USES("c1"));
    expect(&c, pod, a, NO_VOLUME, b, "");
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME, "", "pa");
    small_add(&c, LOCAL_PV("pa", "2Gi", "a"));
    expect(&c, pod, a, "", b, "");
    small_close(&c);
}

/* An update of a volume replaces its reservation; the reservation of a removed pod stays. */
static void test_reservation_ends(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("pa", "2Gi", "a")
                      CLAIM("c1", "local", "1Gi", "") CLAIM("c2", "local", "1Gi", ""));
    berth_pod_id one = small_pod(&c, "p1", NULL, "", USES("c1"));
    berth_pod_id two = small_pod(&c, "p2", NULL, "", USES("c2"));
    bind(&c, one, a);
    drop(&c, BERTH_KIND_POD, "default", "p1");
    expect(&c, two, a, NO_VOLUME, b, NO_VOLUME);
    /* The pod that now has the removed pod's place in memory does not release the reservation. */
    berth_pod_id heir = small_pod(&c, "heir", "a", "", "");
    unbind(&c, heir);
    expect(&c, two, a, NO_VOLUME, b, NO_VOLUME);
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME, "", "pa");
    small_add(&c, LOCAL_PV("pa", "2Gi", "a"));
    expect(&c, two, a, "", b, NO_VOLUME);
    bind(&c, two, a);
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME, "", "pa");
    small_add(&c, LOCAL_PV("pa", "2Gi", "a"));
    unbind(&c, two); /* its reservation is already void */
    expect(&c, two, a, "", b, NO_VOLUME);
    small_close(&c);
}

static void test_provisioning(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, CLASS("zonal", "provisioner: drv\nvolumeBindingMode: WaitForFirstConsumer\n"
                                 "allowedTopologies: [{matchLabelExpressions: [{key: zone, "
                                 "values: [z1]}]}, {}]") LATE("any", "drv")
                      CLAIM("c1", "zonal", "1Gi", "") CLAIM("c2", "any", "10Gi", "")
                          CLAIM("c3", "any", "1Gi", "volume.kubernetes.io/selected-node: b"));
    berth_pod_id zonal = small_pod(&c, "p1", NULL, "", USES("c1"));
    berth_pod_id any = small_pod(&c, "p2", NULL, "", USES("c2"));
    berth_pod_id selected = small_pod(&c, "p3", NULL, "", USES("c3"));
    expect(&c, zonal, a, "", b, NO_VOLUME);
    expect(&c, selected, a, NO_VOLUME, b, "");
    expect(&c, any, a, "", b, "");
    small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: drv}\n"
                  "spec: {storageCapacity: true}\n---\n"
                  "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n"
                  "metadata: {name: k1, namespace: kube-system}\nstorageClassName: any\n"
                  "nodeTopology: {matchLabels: {host: a}}\ncapacity: 20Gi\n---\n"
                  "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n"
                  "metadata: {name: k2, namespace: kube-system}\nstorageClassName: any\n"
                  "nodeTopology: {matchLabels: {host: b}}\ncapacity: 20Gi\n"
                  "maximumVolumeSize: 5Gi\n");
    expect(&c, any, a, "", b, NO_SPACE);
    expect(&c, zonal, a, NO_SPACE, b, NO_VOLUME);
    bind(&c, any, a);
    berth_pod_id again = small_pod(&c, "p4", NULL, "", USES("c2"));
    expect(&c, again, a, "", b, NO_VOLUME);
    unbind(&c, any);
    expect(&c, again, a, "", b, NO_SPACE);
    small_close(&c);
}

/* Kubernetes compares whole bytes, and rounds both sides up. */
static void test_capacity_of_part_of_a_byte(void **state)
{
    static const struct {
        const char *capacity, *request;
        bool fits;
    } cases[] = {
        {"4500m", "5", true},
        {"4500m", "4500m", true},
        {"4", "4500m", false},
        {"4500m", "5500m", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: drv}\n"
                      "spec: {storageCapacity: true}\n---\n" LATE("any", "drv"));
        small_addf(&c, CLAIM("c1", "any", "%s", ""), cases[i].request);
        small_addf(&c,
                   "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: k, "
                   "namespace: s}\nstorageClassName: any\nnodeTopology: {matchLabels: {host: a}}\n"
                   "capacity: %s\n",
                   cases[i].capacity);
        expect(&c, small_pod(&c, "p", NULL, "", USES("c1")), a, cases[i].fits ? "" : NO_SPACE, b,
               NO_SPACE);
        small_close(&c);
    }
}

/* Among several volumes, the claim's own is chosen first, else the smallest suitable one; each
 * serves one claim. */
static void test_choice_of_volume(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c,
              LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("p5", "5Gi", "a")
                  LOCAL_PV("p3", "3Gi", "a")
                      PV("block", "capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], "
                                  "storageClassName: local, volumeMode: Block")
                          PV("many", "capacity: {storage: 2Gi}, accessModes: [ReadOnlyMany], "
                                     "storageClassName: local")
                              PV("mine",
                                 "capacity: {storage: 9Gi}, accessModes: [ReadOnlyMany], "
                                 "storageClassName: local, "
                                 "claimRef: {namespace: default, name: own, uid: u-own}, "
                                 "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
                                 "[{key: host, operator: In, values: [b]}]}]}}")
                                  CLAIM("c2", "local", "2Gi", "") CLAIM("c4", "local", "4Gi", "")
                                      CLAIM("own", "local", "1Gi", ""));
    berth_pod_id both = small_pod(&c, "both", NULL, "",
                                  "volumes: [{name: x, persistentVolumeClaim: {claimName: c4}}, "
                                  "{name: w, persistentVolumeClaim: {claimName: c2}}]");
    berth_pod_id own = small_pod(&c, "own", NULL, "", USES("own"));
    berth_pod_id small = small_pod(&c, "small", NULL, "", USES("c2"));
    expect(&c, own, a, NO_VOLUME, b, "");
    expect(&c, both, a, "", b, NO_VOLUME);
    bind(&c, small, a);                    /* takes p3 */
    expect(&c, both, a, "", b, NO_VOLUME); /* c2 has p3, c4 finds p5 */
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME, "", "p5");
    expect(&c, both, a, NO_VOLUME, b, NO_VOLUME);
    small_close(&c);
}

static void open_with_volume_scores(small_cluster *c)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.profiles = berth_profile_default_of(37);
    config.profile_count = 1;
    small_open_as(c, config);
}

/* Since v1.37, a node scores higher the emptier its volumes would be. Claims of one class count
 * together, and so do their volumes. */
static void test_score_of_several_claims(void **state)
{
    small_cluster c;
    (void)state;
    open_with_volume_scores(&c);
    const berth_node_id a = (berth_node_id)small_add(&c, NODE_A);
    const berth_node_id b = (berth_node_id)small_add(&c, NODE_B);
    small_add(&c,
              LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("a2", "2Gi", "a")
                  LOCAL_PV("a4", "4Gi", "a") LOCAL_PV("b4", "4Gi", "b") LOCAL_PV("b8", "8Gi", "b")
                      CLAIM("c1", "local", "1Gi", "") CLAIM("c3", "local", "3Gi", ""));
    small_decide(&c, small_pod(&c, "p", NULL, "",
                               "volumes: [{name: x, persistentVolumeClaim: {claimName: c1}}, "
                               "{name: w, persistentVolumeClaim: {claimName: c3}}]"));
    assert_int_equal(small_score(&c, "VolumeBinding", a), 34); /* 4 of 6 GiB would be used */
    assert_int_equal(small_score(&c, "VolumeBinding", b), 67); /* 4 of 12 GiB */
    small_close(&c);
}

/* A begun byte counts as a whole one, of the request and of the volume. */
static void test_score_of_fractions(void **state)
{
    small_cluster c;
    (void)state;
    open_with_volume_scores(&c);
    const berth_node_id a = (berth_node_id)small_add(&c, NODE_A);
    const berth_node_id b = (berth_node_id)small_add(&c, NODE_B);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("a4", "4", "a")
                      LOCAL_PV("b4", "4000000001n", "b") CLAIM("c1", "local", "1000000001n", ""));
    small_decide(&c, small_pod(&c, "p", NULL, "", USES("c1")));
    assert_int_equal(small_score(&c, "VolumeBinding", a), 50); /* 2 of 4 bytes would be used */
    assert_int_equal(small_score(&c, "VolumeBinding", b), 60); /* 2 of 5 */
    small_close(&c);
}

/* Room for a volume whose nodes are named by several labels, by none, or by exclusion. */
static void test_room_by_topology(void **state)
{
    static const struct {
        const char *topologies[2]; /* of two capacities; NULL: there is no second */
        bool on_a, on_b;
    } cases[] = {
        {{"{matchExpressions: [{key: zone, operator: NotIn, values: [z1]}]}", NULL}, false, true},
        {{"{matchLabels: {host: a, zone: z2}}", NULL}, false, false},
        {{"{matchLabels: {host: a, zone: z1}}", NULL}, true, false},
        {{"{}", NULL}, true, true},
        {{"{matchLabels: {host: a}}", "{matchLabels: {zone: z1}}"}, true, false},
        {{"{matchLabels: {zone: z2}}", "{matchLabels: {host: b}}"}, false, true},
        {{"{matchLabels: {host: a}}", "{}"}, true, true},
        {{"{}", "{matchLabels: {host: a}}"}, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: drv}\n"
                      "spec: {storageCapacity: true}\n---\n" LATE("any", "drv")
                          CLAIM("c1", "any", "10Gi", ""));
        for (int k = 0; k < 2 && cases[i].topologies[k] != NULL; k++)
            small_addf(&c,
                       "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: "
                       "k%d, namespace: s}\nstorageClassName: any\nnodeTopology: %s\n"
                       "capacity: 20Gi\n",
                       k, cases[i].topologies[k]);
        expect(&c, small_pod(&c, "p", NULL, "", USES("c1")), a, cases[i].on_a ? "" : NO_SPACE, b,
               cases[i].on_b ? "" : NO_SPACE);
        small_close(&c);
    }
}

/* Of equally large volumes, the first that arrived is chosen, wherever it may be used. */
static void test_first_of_equal_volumes(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner")
                      PV("free", "capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], "
                                 "storageClassName: local") LOCAL_PV("here", "2Gi", "a")
                          PV("later", "capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], "
                                      "storageClassName: local") CLAIM("c1", "local", "1Gi", "")
                              CLAIM("c2", "local", "1Gi", "") CLAIM("c3", "local", "1Gi", ""));
    const berth_pod_id one = small_pod(&c, "p1", NULL, "", USES("c1"));
    const berth_pod_id two = small_pod(&c, "p2", NULL, "", USES("c2"));
    const berth_pod_id three = small_pod(&c, "p3", NULL, "", USES("c3"));
    bind(&c, one, a);
    bind(&c, two, a);
    bind(&c, three, a);
    expect_claims(&c, one, "default/c1=free");
    expect_claims(&c, two, "default/c2=here");
    expect_claims(&c, three, "default/c3=later");
    small_close(&c);
}

/* A volume that names the claim must still serve it. */
static void test_volume_that_names_the_claim(void **state)
{
    static const struct {
        const char *meta, *spec;
        bool serves;
    } cases[] = {
        {"", "capacity: {storage: 2Gi}, storageClassName: local", true},
        {"", "capacity: {storage: 1Gi}, storageClassName: local", false},
        {"", "capacity: {storage: 2Gi}, storageClassName: other", false},
        {"", "capacity: {storage: 2Gi}, storageClassName: local, volumeMode: Block", false},
        {"", "capacity: {storage: 2Gi}, storageClassName: local, volumeAttributesClassName: gold",
         false},
        {", deletionTimestamp: '2024-01-01T00:00:00Z'",
         "capacity: {storage: 2Gi}, storageClassName: local", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_add(&c,
                  LATE("local", "kubernetes.io/no-provisioner") CLAIM("c1", "local", "2Gi", ""));
        small_addf(&c,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv%s}\nspec: {%s, "
                   "accessModes: [ReadWriteOnce], claimRef: {namespace: default, name: c1, uid: "
                   "u-c1}}\nstatus: {phase: Available}\n",
                   cases[i].meta, cases[i].spec);
        const char *wanted = cases[i].serves ? "" : NO_VOLUME;
        expect(&c, small_pod(&c, "p", NULL, "", USES("c1")), a, wanted, b, wanted);
        small_close(&c);
    }
}

/* A claim's selector leaves only volumes with its labels. */
static void test_selector_of_claim(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("plain", "2Gi", "a"));
    small_add(&c, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: gold, labels: {tier: "
                  "gold}}\nspec: {capacity: {storage: 4Gi}, accessModes: [ReadWriteOnce], "
                  "storageClassName: local}\nstatus: {phase: Available}\n---\n"
                  "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c1}\nspec: "
                  "{accessModes: [ReadWriteOnce], storageClassName: local, selector: {matchLabels: "
                  "{tier: gold}}, resources: {requests: {storage: 1Gi}}}\n---\n"
                  "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c2}\nspec: "
                  "{accessModes: [ReadWriteOnce], storageClassName: local, selector: {matchLabels: "
                  "{tier: none}}, resources: {requests: {storage: 1Gi}}}\n");
    const berth_pod_id one = small_pod(&c, "p1", NULL, "", USES("c1"));
    expect(&c, one, a, "", b, "");
    expect(&c, small_pod(&c, "p2", NULL, "", USES("c2")), a, NO_VOLUME, b, NO_VOLUME);
    bind(&c, one, a);
    expect_claims(&c, one, "default/c1=gold");
    small_close(&c);
}

/* Of several claims that no volume can be compared with, the error names the smallest. */
static void test_smallest_malformed_claim(void **state)
{
#define MALFORMED(name, size)                                                          \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name "}\nspec: "  \
    "{accessModes: [ReadWriteOnce], storageClassName: local, selector: {matchLabels: " \
    "{tier: 'no label!'}}, resources: {requests: {storage: " size "}}}\n---\n"
    static const char about[] = "internal label selector for claim: default/c2: ";
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") MALFORMED("c1", "3Gi")
                      MALFORMED("c2", "1Gi") MALFORMED("c3", "2Gi"));
    small_decide(&c, small_pod(&c, "p", NULL, "",
                               "volumes: [{name: u, persistentVolumeClaim: {claimName: c1}}, "
                               "{name: v, persistentVolumeClaim: {claimName: c2}}, "
                               "{name: w, persistentVolumeClaim: {claimName: c3}}]"));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    assert_non_null(strstr(berth_explanation_message(c.explanation).data, about));
    small_close(&c);
}

/* A pod may reserve any number of volumes; a claim that goes takes its reservation along. */
static void test_many_reservations(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, LATE("local", "kubernetes.io/no-provisioner") LOCAL_PV("p1", "1Gi", "a")
                      LOCAL_PV("p2", "1Gi", "a") LOCAL_PV("p3", "1Gi", "a")
                          CLAIM("c1", "local", "1Gi", "") CLAIM("c2", "local", "1Gi", "")
                              CLAIM("c3", "local", "1Gi", "") CLAIM("c4", "local", "1Gi", ""));
    const berth_pod_id all =
        small_pod(&c, "all", NULL, "",
                  "volumes: [{name: u, persistentVolumeClaim: {claimName: c1}}, {name: v, "
                  "persistentVolumeClaim: {claimName: c2}}, {name: w, persistentVolumeClaim: "
                  "{claimName: c3}}]");
    const berth_pod_id other = small_pod(&c, "other", NULL, "", USES("c4"));
    expect(&c, all, a, "", b, NO_VOLUME);
    expect(&c, other, a, "", b, NO_VOLUME);
    bind(&c, all, a);
    expect(&c, other, a, NO_VOLUME, b, NO_VOLUME);
    unbind(&c, all);
    expect(&c, other, a, "", b, NO_VOLUME);
    bind(&c, other, a);
    expect(&c, all, a, NO_VOLUME, b, NO_VOLUME); /* two are left */
    unbind(&c, other);
    expect(&c, all, a, "", b, NO_VOLUME);
    small_close(&c);
}

/* A volume that was bound to an earlier claim of the same name is not this claim's. */
static void test_volume_of_an_earlier_claim(void **state)
{
    static const char *const uids[] = {"u-c", "u-earlier"};
    (void)state;
    for (int earlier = 0; earlier < 2; earlier++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_add(&c, LATE("local", "kubernetes.io/no-provisioner") CLAIM("c", "local", "1Gi", ""));
        small_addf(&c,
                   PV("pv", "capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], "
                            "storageClassName: local, claimRef: {namespace: default, name: c, "
                            "uid: %s}"),
                   uids[earlier]);
        const char *refusal = earlier ? NO_VOLUME : "";
        expect(&c, small_pod(&c, "p", NULL, "", USES("c")), a, refusal, b, refusal);
        small_close(&c);
    }
}

#define GKE_NODE(name, zone)                                                                      \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {topology.gke.io/zone: " zone \
    "}}\nstatus: {allocatable: "                                                                  \
    "{cpu: '4', memory: 8Gi, pods: '110'}}\n"
#define GKE_MIGRATED "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/gce-pd"

/* A label of several zones, joined by two underscores, becomes a requirement of the driver's zone:
 * each of them is met. */
static void test_translated_zones(void **state)
{
    static const struct {
        const char *zones;
        const char *on_a, *on_b;
    } cases[] = {
        {"a-b-c__a-b-d", "", ""},
        {"a-b-d__a-b-c", "", ""},
        {"a-b-c", "", CONFLICT},
        {"a-b-d", CONFLICT, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        const berth_node_id a = (berth_node_id)small_add(&c, GKE_NODE("a", "a-b-c"));
        const berth_node_id b = (berth_node_id)small_add(&c, GKE_NODE("b", "a-b-d"));
        small_add(&c,
                  CSI_NODE("a", "drv", "9", GKE_MIGRATED) CSI_NODE("b", "drv", "9", GKE_MIGRATED));
        small_addf(&c,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: "
                   "{topology.kubernetes.io/zone: %s}}\n"
                   "spec: {capacity: {storage: 1Gi}, storageClassName: slow, "
                   "gcePersistentDisk: {pdName: d}}\n---\n" CLASS(
                       "slow", "provisioner: x\nvolumeBindingMode: Immediate")
                       BOUND_CLAIM("c", "pv"),
                   cases[i].zones);
        expect(&c, small_pod(&c, "p", NULL, "", USES("c")), a, cases[i].on_a, b, cases[i].on_b);
        small_close(&c);
    }
}

/* A node affinity with fields only matches; a translated one reads the driver's own label. */
static void test_bound_affinity(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
    a = (berth_node_id)small_add(
        &c, "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: "
            "{topology.kubernetes.io/zone: z1, topology.ebs.csi.aws.com/zone: z1}}\n"
            "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    b = (berth_node_id)small_add(&c,
                                 "apiVersion: v1\nkind: Node\nmetadata: {name: b, labels: "
                                 "{topology.kubernetes.io/zone: z1}}\n"
                                 "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    small_add(&c, CLASS("slow", "provisioner: x\nvolumeBindingMode: Immediate")
                      PV("fields", "capacity: {storage: 1Gi}, nodeAffinity: {required: "
                                   "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
                                   "operator: In, values: [a]}]}]}}")
                          PV("zoned",
                             "capacity: {storage: 1Gi}, awsElasticBlockStore: {volumeID: v}, "
                             "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
                             "[{key: topology.kubernetes.io/zone, operator: In, values: [z1]}]}"
                             "]}}") BOUND_CLAIM("f", "fields") BOUND_CLAIM("z", "zoned")
                              BOUND_CLAIM("none", "absent"));
    expect(&c, small_pod(&c, "p1", NULL, "", USES("f")), a, "", b, "");
    berth_pod_id zoned = small_pod(&c, "p2", NULL, "", USES("z"));
    expect(&c, zoned, a, "", b, "");
    small_add(&c,
              CSI_NODE("a", "drv", "9",
                       "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs")
                  CSI_NODE("b", "drv", "9",
                           "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs"));
    expect(&c, zoned, a, "", b, CONFLICT);
    expect_pre_filter(&c, small_pod(&c, "p3", NULL, "", USES("none")),
                      "persistentvolume \"absent\" not found");
    /* An affinity without zones takes those of the labels. */
    small_add(&c, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: labelled, labels: "
                  "{topology.kubernetes.io/zone: z1}}\nspec: {capacity: {storage: 1Gi}, "
                  "awsElasticBlockStore: {volumeID: w}, nodeAffinity: {required: "
                  "{nodeSelectorTerms: [{matchExpressions: [{key: other, operator: NotIn, "
                  "values: [x]}]}]}}}\n---\n" BOUND_CLAIM("l", "labelled"));
    expect(&c, small_pod(&c, "p4", NULL, "", USES("l")), a, "", b, CONFLICT);
    small_close(&c);
}

/* A term with an invalid requirement is met nowhere. It shares nothing that is kept for a valid
 * one. */
static void test_invalid_affinity(void **state)
{
    static const char *const terms[] = {"In, values: [z1]", "Gt, values: [z1]"};
    small_cluster c;
    berth_node_id a, b;
    berth_pod_id pods[2];
    bool indexed = false;
    (void)state;
    open_two_nodes(&c, &a, &b);
    for (int i = 0; i < 2; i++) {
        char name[16];
        small_addf(&c,
                   PV("pv%d", "capacity: {storage: 1Gi}, nodeAffinity: {required: "
                              "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: "
                              "%s}]}]}}") BOUND_CLAIM("c%d", "pv%d"),
                   i, terms[i], i, i);
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = small_pod(&c, name, NULL, "", i == 0 ? USES("c0") : USES("c1"));
    }
    for (int i = 0; i < 32; i++) {
        berth_placement placement;
        assert_int_equal(berth_engine_decide(c.engine, pods[i % 2], NULL, &placement, NULL),
                         BERTH_OK);
        assert_int_equal(placement.verdict,
                         i % 2 == 0 ? BERTH_VERDICT_PLACED : BERTH_VERDICT_UNSCHEDULABLE);
        indexed |= i % 2 == 1 && placement.path == BERTH_PATH_INDEX;
    }
    assert_true(indexed);
    small_close(&c);
}

/* How the topology of an in-tree volume is translated for nodes that have migrated its plugin. */
static void test_translated_topology(void **state)
{
#define BETA(kind) "failure-domain.beta.kubernetes.io/" kind
#define NEW(kind) "topology.kubernetes.io/" kind
#define EBS_ZONE "topology.ebs.csi.aws.com/zone"
#define NEEDS(key, rest) "{key: " key ", " rest "}"
    static const struct {
        const char *labels, *affinity; /* of the volume; affinity "": none */
        const char *on_a, *on_b;
    } cases[] = {
        /* Beta keys are renamed together. */
        {"", NEEDS(BETA("zone"), "operator: In, values: [z1]"), "", CONFLICT},
        {"", NEEDS(BETA("region"), "operator: Exists"), CONFLICT, ""},
        {"", NEEDS(BETA("zone"), "operator: Exists") ", " NEEDS(BETA("region"), "operator: Exists"),
         "", CONFLICT},
        {"", NEEDS(NEW("zone"), "operator: Exists") ", " NEEDS(BETA("region"), "operator: Exists"),
         CONFLICT, CONFLICT},
        /* A term that names zones without values gets those of the label, too. */
        {NEW("zone") ": z2", NEEDS(NEW("zone"), "operator: Exists"), CONFLICT, CONFLICT},
        {NEW("zone") ": z1", NEEDS("other", "operator: DoesNotExist"), "", CONFLICT},
        /* The label alone. */
        {NEW("zone") ": z1", "", "", CONFLICT},
        {BETA("zone") ": z1", "", "", CONFLICT},
        {NEW("zone") ": ''", "", "", ""},
    };
    static const char node[] = "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {%s}}\n"
                               "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n";
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        char affinity[512] = "";
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        const berth_node_id a = (berth_node_id)small_addf(
            &c, node, "a", EBS_ZONE ": z1, " NEW("region") ": r1, " NEW("zone") ": z1");
        const berth_node_id b =
            (berth_node_id)small_addf(&c, node, "b", BETA("region") ": r1, " NEW("zone") ": z1");
        small_add(&c,
                  CSI_NODE("a", "drv", "9",
                           "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs")
                      CSI_NODE("b", "drv", "9",
                               "storage.alpha.kubernetes.io/migrated-plugins: "
                               "kubernetes.io/aws-ebs"));
        if (cases[i].affinity[0] != '\0')
            snprintf(affinity, sizeof(affinity),
                     ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [%s]}]}}",
                     cases[i].affinity);
        small_addf(&c,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: {%s}}\n"
                   "spec: {capacity: {storage: 1Gi}, awsElasticBlockStore: {volumeID: v}%s}\n"
                   "---\n" CLASS("slow", "provisioner: x\nvolumeBindingMode: Immediate")
                       BOUND_CLAIM("c", "pv"),
                   cases[i].labels, affinity);
        small_decide(&c, small_pod(&c, "p", NULL, "", USES("c")));
        if (strcmp(small_refusal(&c, a), cases[i].on_a) != 0)
            fail_msg("case %zu on a: %s", i, small_refusal(&c, a));
        if (strcmp(small_refusal(&c, b), cases[i].on_b) != 0)
            fail_msg("case %zu on b: %s", i, small_refusal(&c, b));
        small_close(&c);
    }
}

#define ALL_MIGRATED                                                                    \
    "storage.alpha.kubernetes.io/migrated-plugins: 'kubernetes.io/gce-pd,kubernetes.io" \
    "/aws-ebs,kubernetes.io/azure-disk'"
#define VOLUME_OF(labels, source)                                                   \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: {" labels \
    "}}\nspec: {capacity: {storage: 1Gi}, " source "}\n---\n" BOUND_CLAIM("c", "pv")

/* Whether a volume can be translated for the node that has migrated its plugin, a. */
static void test_translation_of_volumes(void **state)
{
#define ZONES(list) "failure-domain.beta.kubernetes.io/zone: '" list "'"
#define GCE "gcePersistentDisk: {pdName: d}"
#define FORM                                                                                  \
    "VolumeBinding: error: could not translate pv: failed to get region from zones: zone in " \
    "unexpected format, expected: {locale}-{region}-{zone}, got: "
#define REGIONS                                                                                   \
    "VolumeBinding: error: could not translate pv: failed to get region from zones: multiple or " \
    "no "                                                                                         \
    "regions gotten from zones, got: map["
    static const struct {
        const char *objects, *on_a;
    } cases[] = {
        {VOLUME_OF("", "azureDisk: {diskName: d, diskURI: u, kind: Shared}"),
         "VolumeBinding: error: could not translate pv: kind(Shared) is not supported in csi "
         "migration"},
        {VOLUME_OF("", "azureDisk: {diskName: d, diskURI: u, kind: ''}"),
         "VolumeBinding: error: could not translate pv: kind() is not supported in csi migration"},
        {VOLUME_OF("", "azureDisk: {diskName: d, diskURI: u, kind: mAnAgEd}"), ""},
        {VOLUME_OF("", "azureDisk: {diskName: d, diskURI: u, kind: ManagedX}"),
         "VolumeBinding: error: could not translate pv: kind(ManagedX) is not supported in csi "
         "migration"},
        {VOLUME_OF("", "awsElasticBlockStore: {volumeID: 'aws://z/x-1'}"),
         "VolumeBinding: error: could not translate pv: failed to translate Kubernetes ID to EBS "
         "Volume ID "
         "Invalid format for AWS volume (aws://z/x-1)"},
        {VOLUME_OF("", "awsElasticBlockStore: {volumeID: 'aws://z/vol-1/2'}"),
         "VolumeBinding: error: could not translate pv: failed to translate Kubernetes ID to EBS "
         "Volume ID "
         "Invalid format for AWS volume (aws://z/vol-1/2)"},
        {VOLUME_OF("", "awsElasticBlockStore: {volumeID: 'aws:///vol-1/'}"), ""},
        {VOLUME_OF("", "awsElasticBlockStore: {volumeID: anything}"), ""},
        {VOLUME_OF(ZONES("z0__z1"), GCE), FORM "z0"},
        {VOLUME_OF(ZONES("a-b-c__"), GCE), FORM},
        {VOLUME_OF(ZONES("a-b-c__a-b-c-d"), GCE), FORM "a-b-c-d"},
        {VOLUME_OF(ZONES("c-d-1__a-b-1__c-d-2"), GCE), REGIONS "a-b:{} c-d:{}]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_addf(&c, "%s%s", cases[i].objects, CSI_NODE("a", "drv", "9", ALL_MIGRATED));
        small_decide(&c, small_pod(&c, "p", NULL, "", USES("c")));
        if (strcmp(small_refusal(&c, a), cases[i].on_a) != 0)
            fail_msg("case %zu: %s", i, small_refusal(&c, a));
        assert_string_equal(small_refusal(&c, b), "");
        assert_int_equal(c.placement.verdict,
                         cases[i].on_a[0] != '\0' ? BERTH_VERDICT_ERROR : BERTH_VERDICT_PLACED);
        small_close(&c);
    }
}

/* The zones of an Azure disk stay as they are. */
static void test_azure_zones(void **state)
{
    small_cluster c;
    (void)state;
    small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
    const berth_node_id a = (berth_node_id)small_add(
        &c, "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {topology.kubernetes.io/zone: "
            "z1}}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    small_add(&c,
              VOLUME_OF("", "azureDisk: {diskName: d, diskURI: u, kind: Managed}, nodeAffinity: "
                            "{required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                            "topology.kubernetes.io/zone, operator: In, values: [z1]}]}]}}")
                  CSI_NODE("a", "drv", "9", ALL_MIGRATED)
                      CLASS("slow", "provisioner: x\nvolumeBindingMode: Immediate"));
    small_decide(&c, small_pod(&c, "p", NULL, "", USES("c")));
    assert_string_equal(small_refusal(&c, a), "");
    small_close(&c);
}

/* Disks of two kinds are two disks, and pods that use them differ. */
static void test_kinds_of_azure_disks(void **state)
{
    static const char managed[] = IN_TREE("azureDisk: {diskName: d, diskURI: u, kind: Managed}");
    static const char shared[] = IN_TREE("azureDisk: {diskName: d, diskURI: u, kind: Shared}");
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    small_add(&c, CSI_NODE("a", "disk.csi.azure.com", "0", "x: why"));
    bind(&c, small_pod(&c, "p", NULL, "", shared), b);
    expect(&c, small_pod(&c, "q", NULL, "", managed), a,
           "NodeVolumeLimits: node(s) exceed max volume count", b, "");
    small_decide(&c, small_pod(&c, "r", NULL, "", shared));
    assert_string_equal(small_refusal(&c, a),
                        "NodeVolumeLimits: error: converting volume(v) from inline to csi: "
                        "kind(Shared) is not supported in csi migration");
    small_close(&c);
}

/* An inline volume that its CSI driver does not have fails where there is a CSINode. */
static void test_translation_of_inline_volumes(void **state)
{
    static const struct {
        const char *volumes, *on_a, *on_b;
    } cases[] = {
        {IN_TREE("azureDisk: {diskName: d, diskURI: u, kind: Dedicated}"),
         "NodeVolumeLimits: error: converting volume(v) from inline to csi: kind(Dedicated) is not "
         "supported in csi "
         "migration",
         ""},
        {IN_TREE("azureDisk: {diskName: d, diskURI: u, kind: Managed}"), "", ""},
        {"volumes: [{name: w, awsElasticBlockStore: {volumeID: 'aws://z/disk'}}, {name: v, "
         "azureDisk: {diskName: d, diskURI: u, kind: Shared}}]",
         "NodeVolumeLimits: error: converting volume(w) from inline to csi: failed to translate "
         "Kubernetes ID to EBS "
         "Volume ID Invalid format for AWS volume (aws://z/disk)",
         ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id a, b;
        open_two_nodes(&c, &a, &b);
        small_add(&c, CSI_NODE("a", "drv", "9", "x: why"));
        expect(&c, small_pod(&c, "p", NULL, "", cases[i].volumes), a, cases[i].on_a, b,
               cases[i].on_b);
        small_close(&c);
    }
}

/* A node without a CSINode mounts an in-tree disk itself, even if the CSI driver is required. */
static void test_required_driver_of_a_disk(void **state)
{
    (void)state;
    small_cluster c;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    small_open_as(&c, config);
    const berth_node_id a = (berth_node_id)small_add(&c, NODE_A);
    const char *disk = IN_TREE("awsElasticBlockStore: {volumeID: vol-1}");
    small_add(&c, "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: "
                  "ebs.csi.aws.com}\nspec: {preventPodSchedulingIfMissing: true}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", disk));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    small_add(&c, CSI_NODE("a", "other", "1", ""));
    small_decide(&c, small_pod(&c, "q", NULL, "", disk));
    assert_string_equal(
        small_refusal(&c, a),
        "NodeVolumeLimits: ebs.csi.aws.com CSI driver is not installed on the node");
    small_close(&c);
}

/* The first error in search order ends the search: the next one begins at its node, whether the
 * pod's nominated node was tried before, and whether other pods are nominated for nodes behind. */
static void test_search_ends_at_an_error(void **state)
{
    static const char wrong[] = "azureDisk: {diskName: d, diskURI: u, kind: Dedicated}";
    (void)state;
    for (int nominated = 0; nominated < 4; nominated++) {
        small_cluster c;
        berth_node_id nodes[4];
        open_two_nodes(&c, &nodes[0], &nodes[1]);
        nodes[2] = small_node(&c, "c", "");
        nodes[3] = small_node(&c, "d", "");
        small_add(&c, CSI_NODE("c", "drv", "9", "x: why") CSI_NODE("d", "drv", "9", "x: why"));
        small_pod(&c, "full", "a", "", "containers: [{name: c, resources: {requests: {cpu: 4}}}]");
        const berth_pod_id pod =
            small_addf(&c,
                       "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: "
                       "c, resources: {requests: {cpu: 1}}}], volumes: [{name: v, %s}]}\n",
                       wrong);
        if ((nominated & 1) != 0)
            assert_int_equal(berth_engine_nominate(c.engine, pod, nodes[0], NULL), BERTH_OK);
        for (int i = 2; (nominated & 2) != 0 && i < 4; i++)
            assert_int_equal(
                berth_engine_nominate(c.engine,
                                      small_pod(&c, i == 2 ? "q" : "r", NULL, "", "priority: 9"),
                                      nodes[i], NULL),
                BERTH_OK);
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
        assert_int_equal(c.placement.next, 2);
        small_close(&c);
    }
}

/* ---- VolumeBinding, VolumeZone: refused or failed before any node ---- */

static void test_ephemeral(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    const char *volumes = "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}]";
    berth_pod_id pod = small_pod(&c, "p", NULL, ", uid: mine", volumes);
    expect_pre_filter(&c, pod,
                      "waiting for ephemeral volume controller to create the "
                      "persistentvolumeclaim \"p-v\"");
    small_add(
        &c, LATE("late",
                 "drv") "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-v, "
                        "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: other, "
                        "controller: true}]}\nspec: {storageClassName: late, resources: {requests: "
                        "{storage: 1Gi}}}\n");
    expect_pre_filter(&c, pod,
                      "PVC default/p-v was not created for pod default/p (pod is not owner)");
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "default", "p-v");
    small_add(&c, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-v, "
                  "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: mine}]}\nspec: "
                  "{storageClassName: late, resources: {requests: {storage: 1Gi}}}\n");
    expect_pre_filter(&c, pod,
                      "PVC default/p-v was not created for pod default/p (pod is not owner)");
    drop(&c, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, "default", "p-v");
    small_add(&c, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-v, "
                  "ownerReferences: [{apiVersion: v1, kind: Pod, name: other, uid: other}, "
                  "{apiVersion: v1, kind: Pod, name: p, uid: mine, "
                  "controller: true}]}\nspec: {storageClassName: late, resources: {requests: "
                  "{storage: 1Gi}}}\n");
    expect(&c, pod, a, "", b, "");
    small_close(&c);
}

static void test_errors(void **state)
{
    small_cluster c;
    berth_node_id a, b;
    (void)state;
    open_two_nodes(&c, &a, &b);
    const berth_storage_class undefined = {.meta = {.name = TEXT("odd")}, .provisioner = TEXT("x")};
    const berth_persistent_volume_claim claim = {
        .meta = {.name = TEXT("c1")}, .storage_class = TEXT("odd"), .request = {.units = 1}};
    const berth_persistent_volume_claim tuned = {.meta = {.name = TEXT("c2")},
                                                 .storage_class = TEXT("late"),
                                                 .volume_attributes_class = TEXT("gold"),
                                                 .request = {.units = 1}};
    const berth_object objects[] = {
        {.kind = BERTH_KIND_STORAGE_CLASS, .as.storage_class = &undefined},
        {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM, .as.persistent_volume_claim = &claim},
        {.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM, .as.persistent_volume_claim = &tuned},
    };
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        berth_error error = {.code = BERTH_OK};
        small_require(berth_engine_add(c.engine, &objects[i], NULL, &error), &error);
        assert_int_equal(berth_engine_add(c.engine, &objects[i], NULL, &error), BERTH_E_EXISTS);
    }
    small_add(&c, LATE("late", "drv"));
    small_decide(&c, small_pod(&c, "p1", NULL, "", USES("c1")));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    small_decide(&c, small_pod(&c, "p2", NULL, "", USES("c2")));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    small_decide(&c, small_pod(&c, "p3", NULL, "", ""));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_CSI_DRIVER, (berth_str){0},
                                         (berth_str)TEXT("none"), &error),
                     BERTH_E_NOT_FOUND);
    small_close(&c);
}

/* An error on a node ends the search there, and the next one begins behind the nodes visited so
 * far. The node that the pod is nominated for is one of them, since it was tried first. */
static void test_start_after_an_error(void **state)
{
    (void)state;
    for (int nominated = 0; nominated < 2; nominated++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        small_node(&c, "a", "");
        small_node(&c, "b", "");
        const berth_node_id full = small_node(&c, "c", "");
        small_add(&c, LATE("late", "kubernetes.io/no-provisioner")
                          PV("v",
                             "capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], "
                             "volumeAttributesClassName: gold, storageClassName: late, "
                             "hostPath: {path: /x}") "apiVersion: v1\nkind: "
                                                     "PersistentVolumeClaim\nmetadata: {name: c1}\n"
                                                     "spec: {storageClassName: late, accessModes: "
                                                     "[ReadWriteOnce], "
                                                     "volumeAttributesClassName: gold, resources: "
                                                     "{requests: {storage: "
                                                     "1Gi}}}\n");
        small_pod(&c, "large", "c", "",
                  "containers: [{name: c, image: i, resources: {requests: {cpu: 4}}}]");
        const berth_pod_id pod = small_pod(
            &c, "p", NULL, "",
            USES("c1") ", containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]");
        if (nominated)
            assert_int_equal(berth_engine_nominate(c.engine, pod, full, NULL), BERTH_OK);
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
        assert_int_equal(c.placement.next, nominated);
        small_close(&c);
    }
}

/* ---- VolumeZone ---- */

#define NO_ZONE "VolumeZone: node(s) had no available volume zone"

static void test_zones(void **state)
{
    static const struct {
        const char *volume;
        const char *node;
        const char *refusal;
    } cases[] = {
        {"topology.kubernetes.io/zone: z1", "topology.kubernetes.io/zone: z1", ""},
        {"topology.kubernetes.io/zone: z1", "topology.kubernetes.io/zone: z2", NO_ZONE},
        {"topology.kubernetes.io/zone: z0__z2", "topology.kubernetes.io/zone: z2", ""},
        {"topology.kubernetes.io/zone: z1", "other: x", ""},
        {"topology.kubernetes.io/zone: z1", "topology.kubernetes.io/region: r1", NO_ZONE},
        {"topology.kubernetes.io/zone: z1__", "topology.kubernetes.io/zone: z2", ""},
        {"topology.kubernetes.io/zone: ''", "topology.kubernetes.io/zone: z2", ""},
        {"failure-domain.beta.kubernetes.io/zone: z1", "topology.kubernetes.io/zone: z1", ""},
        {"failure-domain.beta.kubernetes.io/region: r1", "topology.kubernetes.io/region: r2",
         NO_ZONE},
        {"topology.kubernetes.io/zone: z1", "failure-domain.beta.kubernetes.io/zone: z1", NO_ZONE},
        /* several zones by the old label, which a node may replace by the new one */
        {"failure-domain.beta.kubernetes.io/zone: z0__z2", "topology.kubernetes.io/zone: z2", ""},
        {"failure-domain.beta.kubernetes.io/zone: z0__z2", "topology.kubernetes.io/zone: z1",
         NO_ZONE},
        {"failure-domain.beta.kubernetes.io/zone: z0__z2",
         "failure-domain.beta.kubernetes.io/zone: z2", ""},
        {"failure-domain.beta.kubernetes.io/zone: z0__z2",
         "failure-domain.beta.kubernetes.io/zone: z1, topology.kubernetes.io/zone: z2", NO_ZONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        snprintf(text, sizeof(text), ", labels: {%s}", cases[i].node);
        berth_node_id node = small_node(&c, "node", text);
        berth_node_id plain = small_node(&c, "plain", "");
        small_addf(&c,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: {%s}}\n"
                   "spec: {capacity: {storage: 1Gi}}\n---\n" CLASS(
                       "slow", "provisioner: x\nvolumeBindingMode: Immediate")
                       BOUND_CLAIM("c", "pv"),
                   cases[i].volume);
        small_decide(&c, small_pod(&c, "p", NULL, "", USES("c")));
        assert_string_equal(small_refusal(&c, node), cases[i].refusal);
        assert_string_equal(small_refusal(&c, plain), ""); /* without labels, all zones fit */
        small_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disks),
        cmocka_unit_test(test_exclusive_claim),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_limit_of_a_driver_listed_twice),
        cmocka_unit_test(test_limit_of_a_shared_volume),
        cmocka_unit_test(test_limit_follows_binding),
        cmocka_unit_test(test_translated_handles),
        cmocka_unit_test(test_translated_zones),
        cmocka_unit_test(test_limits_of_classes),
        cmocka_unit_test(test_limits_of_a_changed_class),
        cmocka_unit_test(test_limits_of_a_changed_class_alone),
        cmocka_unit_test(test_limits_of_attachments),
        cmocka_unit_test(test_limits_of_other_volumes),
        cmocka_unit_test(test_reservations),
        cmocka_unit_test(test_reservation_ends),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_provisioning),
        cmocka_unit_test(test_capacity_of_part_of_a_byte),
        cmocka_unit_test(test_choice_of_volume),
        cmocka_unit_test(test_score_of_several_claims),
        cmocka_unit_test(test_score_of_fractions),
        cmocka_unit_test(test_smallest_malformed_claim),
        cmocka_unit_test(test_many_reservations),
        cmocka_unit_test(test_first_of_equal_volumes),
        cmocka_unit_test(test_room_by_topology),
        cmocka_unit_test(test_volume_that_names_the_claim),
        cmocka_unit_test(test_selector_of_claim),
        cmocka_unit_test(test_volume_of_an_earlier_claim),
        cmocka_unit_test(test_bound_affinity),
        cmocka_unit_test(test_invalid_affinity),
        cmocka_unit_test(test_many_monitors),
        cmocka_unit_test(test_deleted_volume),
        cmocka_unit_test(test_translated_topology),
        cmocka_unit_test(test_translation_of_volumes),
        cmocka_unit_test(test_azure_zones),
        cmocka_unit_test(test_kinds_of_azure_disks),
        cmocka_unit_test(test_translation_of_inline_volumes),
        cmocka_unit_test(test_required_driver_of_a_disk),
        cmocka_unit_test(test_search_ends_at_an_error),
        cmocka_unit_test(test_ephemeral),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_start_after_an_error),
        cmocka_unit_test(test_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
