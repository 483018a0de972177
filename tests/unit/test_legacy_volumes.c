/* The volume predicates of v1.15: limits, zones, binding, and the errors that end an attempt. */
#include <stdlib.h>

#include "base/sha1.h"
#include "legacy_rules.h"

#define TOO_MANY "node(s) exceed max volume count"
#define CLAIM(name, spec)                                                 \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name \
    ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {" spec "}\n---\n"
#define VOLUME(name, spec) \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: {" spec "}\n---\n"
#define CLASS(name, provisioner, mode)                                                \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " name "}\n" \
    "provisioner: " provisioner "\n" mode "\n---\n"

/* A spec with inline volumes of one kind, with ids from `first` on. */
static const char *disks(const char *source, const char *id, int first, int count)
{
    static char text[3800];
    size_t at = (size_t)snprintf(text, sizeof(text), "volumes: [");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s{name: v%d, %s: {%s: d%d}}",
                               i > 0 ? ", " : "", i, source, id, first + i);
    snprintf(text + at, sizeof(text) - at, "]");
    return text;
}

/* ---- limits of in-tree plugins ---- */

typedef struct limit_case {
    const char *predicate;
    const char *source;
    const char *id;
    const char *node; /* labels and other fields */
    uint32_t told;    /* attached_volumes_max */
    int limit;
} limit_case;

static const limit_case limits[] = {
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID", "", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: m5.large}", 0, 25},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: x-z1d}", 0, 25},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: am5}", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: t3.micro}", 0, 25},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: x5}", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: c4}", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: m}", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: ''}", 0, 39},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID",
     ", labels: {beta.kubernetes.io/instance-type: m5}", 3, 3},
    {"MaxEBSVolumeCount", "awsElasticBlockStore", "volumeID", "", 41, 41},
    {"MaxGCEPDVolumeCount", "gcePersistentDisk", "pdName", "", 0, 16},
    {"MaxAzureDiskVolumeCount", "azureDisk", "diskName", "", 0, 16},
    {"MaxCinderVolumeCount", "cinder", "volumeID", "", 0, 256},
    {"MaxCinderVolumeCount", "cinder", "volumeID", "", 5, 5},
};

static void check_limit(const limit_case *one)
{
    enum { DISKS = 60 }; /* of a pod, at most */
    char wanted[128], name[32];
    small_cluster c;
    lone_plugin plugin;
    small_open_limited(&c, lone(&plugin, one->predicate, NULL, NULL), one->told);
    berth_node_id node = small_node(&c, "n1", one->node);
    for (int first = 0; first < one->limit - 1; first += DISKS) {
        const int left = one->limit - 1 - first;
        (void)snprintf(name, sizeof(name), "running-%d", first);
        small_pod(&c, name, "n1", "",
                  disks(one->source, one->id, first, left < DISKS ? left : DISKS));
    }
    check_pod(&c, node, "one", disks(one->source, one->id, 1000, 1), "");
    small_decide(&c, small_pod(&c, "two", NULL, "", disks(one->source, one->id, 1000, 2)));
    snprintf(wanted, sizeof(wanted), "%s: " TOO_MANY, one->predicate);
    check_refusal(&c, node, wanted);
    /* volumes that the node already has do not count again; another kind of volume does not
     * count */
    check_pod(&c, node, "same", disks(one->source, one->id, 0, 2), "");
    check_pod(&c, node, "other", disks("iscsi", "iqn", 0, 3), "");
    small_close(&c);
}

/* The first volumes in an engine count, too. */
static void test_first_volumes(void **state)
{
    (void)state;
    lone_plugin plugin;
    small_cluster c;
    small_open_limited(&c, lone(&plugin, "MaxGCEPDVolumeCount", NULL, NULL), 1);
    berth_node_id node = small_node(&c, "n1", "");
    check_pod(&c, node, "p", disks("gcePersistentDisk", "pdName", 0, 2),
              "MaxGCEPDVolumeCount: " TOO_MANY);
    small_close(&c);
}

static void test_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        check_limit(&limits[i]);
}

/* The limit published by the node overrides all others; a node above it takes no more. */
static void test_published_limit(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "MaxGCEPDVolumeCount");
    berth_node_id none =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: none}\n"
                                     "status: {allocatable: {attachable-volumes-gce-pd: '0'}}\n");
    berth_node_id two =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: two}\n"
                                     "status: {allocatable: {attachable-volumes-gce-pd: '2'}}\n");
    small_pod(&c, "running", "two", "", disks("gcePersistentDisk", "pdName", 0, 3));
    small_decide(&c, small_pod(&c, "p", NULL, "", disks("gcePersistentDisk", "pdName", 0, 1)));
    check_refusal(&c, none, "MaxGCEPDVolumeCount: " TOO_MANY);
    check_refusal(&c, two, "MaxGCEPDVolumeCount: " TOO_MANY);
    small_close(&c);
}

/* A claim counts as its volume; a claim without a volume counts once, for every plugin. */
static void test_claims_count(void **state)
{
    (void)state;
    small_cluster c;
    lone_plugin plugin;
    small_open_limited(&c, lone(&plugin, "MaxEBSVolumeCount", NULL, NULL), 2);
    berth_node_id node = small_node(&c, "n1", "");
    small_add(&c, CLASS("fast", "kubernetes.io/aws-ebs", "") CLAIM("bound", "volumeName: pv1")
                      CLAIM("unbound", "storageClassName: fast") CLAIM("csi", "volumeName: pv2")
                          VOLUME("pv1", "awsElasticBlockStore: {volumeID: d0}")
                              VOLUME("pv2", "csi: {driver: ebs.csi.aws.com, volumeHandle: x}"));
    small_pod(&c, "running", "n1", "",
              "volumes: [{name: a, awsElasticBlockStore: {volumeID: d0}}, "
              "{name: b, persistentVolumeClaim: {claimName: unbound}}]");
    check_pod(&c, node, "p1", "volumes: [{name: a, persistentVolumeClaim: {claimName: bound}}]",
              "");
    check_pod(&c, node, "p2", "volumes: [{name: a, persistentVolumeClaim: {claimName: nobody}}]",
              "MaxEBSVolumeCount: " TOO_MANY);
    check_pod(&c, node, "p3", "volumes: [{name: a, persistentVolumeClaim: {claimName: csi}}]", "");
    /* v1.15 knows no ephemeral volumes */
    check_pod(&c, node, "p4",
              "volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: "
              "[ReadWriteOnce], storageClassName: fast}}}}]",
              "");
    small_close(&c);
}

/* ---- limits of CSI drivers ---- */

#define LONG_DRIVER "a-driver-with-quite-a-long-name.example.com"

/* The resource name of a driver with a long name is cut, with a digest of the whole. */
static void test_csi_limit(void **state)
{
    uint8_t digest[BERTH__SHA1_BYTES];
    char node[512], key[64];
    (void)state;
    berth__sha1(LONG_DRIVER, sizeof(LONG_DRIVER) - 1, digest);
    int at = snprintf(key, sizeof(key), "attachable-volumes-csi-%.23s", LONG_DRIVER);
    for (int i = 0; i < 8; i++)
        at += snprintf(key + at, sizeof(key) - (size_t)at, "%02x", digest[i]);
    snprintf(node, sizeof(node),
             "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
             "status: {allocatable: {attachable-volumes-csi-short: '1', %s: '1'}}\n",
             key);
    small_cluster c;
    open_with_predicate(&c, "MaxCSIVolumeCountPred");
    berth_node_id id = (berth_node_id)small_add(&c, node);
    berth_node_id free = small_node(&c, "free", "");
    small_add(&c,
              CLAIM("s1", "volumeName: s1") CLAIM("s2", "volumeName: s2")
                  CLAIM("l1", "volumeName: l1") CLAIM("l2", "volumeName: l2")
                      VOLUME("s1", "csi: {driver: short, volumeHandle: s1}")
                          VOLUME("s2", "csi: {driver: short, volumeHandle: s2}")
                              VOLUME("l1", "csi: {driver: " LONG_DRIVER ", volumeHandle: l1}")
                                  VOLUME("l2", "csi: {driver: " LONG_DRIVER ", volumeHandle: l2}"));
    small_pod(&c, "running", "n1", "",
              "volumes: [{name: a, persistentVolumeClaim: {claimName: s1}}, "
              "{name: b, persistentVolumeClaim: {claimName: l1}}]");
    static const char *const claims[] = {"s1", "s2", "l1", "l2"};
    for (int i = 0; i < 4; i++) {
        char name[16], spec[128];
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(spec, sizeof(spec), "volumes: [{name: a, persistentVolumeClaim: {claimName: %s}}]",
                 claims[i]);
        small_decide(&c, small_pod(&c, name, NULL, "", spec));
        check_refusal(&c, id, i % 2 == 0 ? "" : "MaxCSIVolumeCountPred: " TOO_MANY);
        check_refusal(&c, free, "");
    }
    small_close(&c);
}

#define OF(name, claim) "{name: " name ", persistentVolumeClaim: {claimName: " claim "}}"

/* Several volumes of a pod: those of one driver count together, each once; other volumes do not
 * count. */
static void test_csi_volumes_of_a_pod(void **state)
{
    static const struct {
        const char *volumes;
        bool used, empty; /* whether they fit on the nodes */
    } cases[] = {
        {OF("a", "s1") ", " OF("b", "s1"), true, true},
        {OF("a", "s2"), true, true},
        {OF("a", "s2") ", " OF("b", "s2"), true, true},
        {OF("a", "s2") ", " OF("b", "s3"), false, true},
        {OF("a", "s1") ", " OF("b", "s2"), true, true},
        {OF("a", "s2") ", " OF("b", "s3") ", " OF("c", "s4"), false, false},
        {OF("a", "s1") ", " OF("b", "s2") ", " OF("c", "s3"), false, false},
        /* of several drivers */
        {OF("a", "o1") ", " OF("b", "s2"), true, true},
        {OF("a", "o1") ", " OF("b", "s2") ", " OF("c", "o2") ", " OF("d", "s3"), false, true},
        {OF("a", "free1") ", " OF("b", "free2") ", " OF("c", "s2"), true, true},
        {OF("a", "free1") ", " OF("b", "s2") ", " OF("c", "s3"), false, true},
        /* that are not of a driver */
        {"{name: a, gcePersistentDisk: {pdName: d}}", true, true},
        {"{name: a, gcePersistentDisk: {pdName: d}}, " OF("b", "s2") ", " OF("c", "s3"), false,
         true},
        {OF("a", "unbound") ", " OF("b", "s2"), true, true},
        {OF("a", "free1") ", " OF("b", "free2"), true, true},
    };
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "MaxCSIVolumeCountPred");
    const char *node = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {allocatable: "
                       "{attachable-volumes-csi-short: '2', attachable-volumes-csi-other: '2'}}\n";
    char text[512];
    snprintf(text, sizeof(text), node, "used");
    const berth_node_id used = (berth_node_id)small_add(&c, text);
    snprintf(text, sizeof(text), node, "empty");
    const berth_node_id empty = (berth_node_id)small_add(&c, text);
    static const char *const names[][2] = {{"s1", "short"},   {"s2", "short"},  {"s3", "short"},
                                           {"s4", "short"},   {"o1", "other"},  {"o2", "other"},
                                           {"free1", "free"}, {"free2", "free"}};
    small_add(&c, CLAIM("unbound", "storageClassName: fast"));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        small_addf(
            &c, CLAIM("%s", "volumeName: %s") VOLUME("%s", "csi: {driver: %s, volumeHandle: %s}"),
            names[i][0], names[i][0], names[i][0], names[i][1], names[i][0]);
    small_pod(&c, "running", "used", "", "volumes: [" OF("a", "s1") "]");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[16], spec[512];
        snprintf(name, sizeof(name), "p%zu", i);
        snprintf(spec, sizeof(spec), "volumes: [%s]", cases[i].volumes);
        small_decide(&c, small_pod(&c, name, NULL, "", spec));
        check_refusal(&c, used, cases[i].used ? "" : "MaxCSIVolumeCountPred: " TOO_MANY);
        check_refusal(&c, empty, cases[i].empty ? "" : "MaxCSIVolumeCountPred: " TOO_MANY);
    }
    small_close(&c);
}

static void test_sha1(void **state)
{
    static const struct {
        const char *text;
        const char *digest;
    } cases[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
         "lmnopqrsmnopqrstnopqrstu",
         "a49b2446a02c645bf419f995b67091253a04a259"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t digest[BERTH__SHA1_BYTES];
        char text[2 * BERTH__SHA1_BYTES + 1];
        berth__sha1(cases[i].text, strlen(cases[i].text), digest);
        for (int b = 0; b < BERTH__SHA1_BYTES; b++)
            snprintf(text + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(text, cases[i].digest);
    }
}

/* ---- disks and zones ---- */

static void test_disk_conflict(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "NoDiskConflict");
    berth_node_id node = small_node(&c, "n1", "");
    small_pod(&c, "running", "n1", "",
              "volumes: [{name: a, awsElasticBlockStore: {volumeID: d, readOnly: true}}, "
              "{name: b, gcePersistentDisk: {pdName: d, readOnly: true}}]");
    check_pod(&c, node, "p1",
              "volumes: [{name: a, awsElasticBlockStore: {volumeID: d, readOnly: true}}]",
              "NoDiskConflict: node(s) had no available disk");
    check_pod(&c, node, "p2",
              "volumes: [{name: a, gcePersistentDisk: {pdName: d, readOnly: true}}]", "");
    small_close(&c);
}

#define BETA(kind) "failure-domain.beta.kubernetes.io/" kind

/* Nodes without the beta labels take the pod, whatever its claims are. An error ends the attempt
 * only if a node reaches it. */
static void test_zones(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "NoVolumeZoneConflict");
    berth_node_id z1 = small_node(&c, "z1", ", labels: {" BETA("zone") ": z1}");
    berth_node_id z2 = small_node(&c, "z2", ", labels: {" BETA("zone") ": z2}");
    berth_node_id plain = small_node(&c, "plain", ", labels: {topology.kubernetes.io/zone: z9}");
    small_add(&c,
              "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv1, labels: {" BETA(
                  "zone") ": z1__z3}}\nspec: {}\n---\n" CLAIM("c1", "volumeName: pv1")
                  CLAIM("lost", "volumeName: gone") CLAIM("late", "storageClassName: late")
                      CLAIM("now", "storageClassName: now") CLAIM("none", "storageClassName: none")
                          CLAIM("unset", "storageClassName: unset") CLASS("unset", "x/y", "")
                              CLASS("late", "x/y", "volumeBindingMode: WaitForFirstConsumer")
                                  CLASS("now", "x/y", "volumeBindingMode: Immediate"));
    const char *conflict = "NoVolumeZoneConflict: node(s) had no available volume zone";
    small_decide(&c,
                 small_pod(&c, "p1", NULL, "",
                           "volumes: [{name: a, persistentVolumeClaim: {claimName: c1}}, {name: b, "
                           "persistentVolumeClaim: {claimName: late}}]"));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    check_refusal(&c, z1, "");
    check_refusal(&c, z2, conflict);
    check_refusal(&c, plain, "");
    /* the first volume that fails decides */
    const berth_pod_id p2 =
        small_pod(&c, "p2", NULL, "",
                  "volumes: [{name: a, persistentVolumeClaim: {claimName: c1}}, {name: b, "
                  "persistentVolumeClaim: {claimName: now}}]");
    small_decide(&c, p2);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(c.placement.node, BERTH_NODE_NONE);
    check_refusal(&c, z1,
                  "NoVolumeZoneConflict: error: PersistentVolumeClaim was not found: \"now\"");
    check_refusal(&c, z2, conflict);
    check_refusal(&c, plain, "");
    check_pod(&c, z1, "unset", "volumes: [{name: a, persistentVolumeClaim: {claimName: unset}}]",
              "NoVolumeZoneConflict: error: VolumeBindingMode not set for StorageClass \"unset\"");
    check_pod(&c, z1, "none", "volumes: [{name: a, persistentVolumeClaim: {claimName: none}}]",
              "NoVolumeZoneConflict: error: PersistentVolumeClaim was not found: \"none\"");
    small_decide(&c, p2);
    berth_str message = berth_explanation_message(c.explanation);
    assert_text(message, "PersistentVolumeClaim was not found: \"now\"");
    check_pod(&c, z1, "p3", "volumes: [{name: a, persistentVolumeClaim: {claimName: lost}}]",
              "NoVolumeZoneConflict: error: Unable to find persistent volume: gone");
    message = berth_explanation_message(c.explanation);
    assert_text(message, "Unable to find persistent volume: gone (repeated 2 times)");
    small_close(&c);
}

/* Different errors of nodes are listed, each with its count. */
static void test_several_errors(void **state)
{
    static const berth_plugin_ref both[] = {{.name = TEXT("NoVolumeZoneConflict")},
                                            {.name = TEXT("CheckVolumeBinding")}};
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){both, 2};
    (void)state;
    small_cluster c;
    small_open(&c, &profile);
    small_node(&c, "plain", "");
    small_node(&c, "z1", ", labels: {" BETA("zone") ": z1}");
    small_node(&c, "z2", ", labels: {" BETA("zone") ": z2}");
    small_add(&c, CLAIM("lost", "volumeName: gone-with-all-the-data-that-the-shop-had-kept-there"));
    small_decide(&c, small_pod(&c, "p", NULL, "", "volumes: [" OF("a", "lost") "]"));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    assert_text(berth_explanation_message(c.explanation),
                "[Unable to find persistent volume: gone-with-all-the-data-that-the-shop-had-kept-"
                "there (repeated 2 times), could not find the v1.PersistentVolume of a claim]");
    small_close(&c);
}

/* The error of a node, as v1.15 words it: without the name of the predicate. */
static void expect_plain_error(small_cluster *c, berth_pod_id pod, berth_node_id node)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_fits(c->engine, pod, node, BERTH_FIT_REASONS, &fit, &error), &error);
    assert_int_equal(fit.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(fit.reason_count, 1);
    assert_text(fit.plugin, "NoVolumeZoneConflict");
    assert_text(fit.reasons[0], "Unable to find persistent volume claim: default/nobody");
}

/* A node refused by an earlier predicate does not reach the error. */
static void test_error_not_met(void **state)
{
    static const berth_plugin_ref both[] = {{.name = TEXT("MatchNodeSelector")},
                                            {.name = TEXT("NoVolumeZoneConflict")}};
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){both, 2};
    (void)state;
    small_cluster c;
    small_open(&c, &profile);
    berth_node_id zoned = small_node(&c, "zoned", ", labels: {" BETA("zone") ": z1}");
    berth_node_id plain = small_node(&c, "plain", ", labels: {disk: ssd}");
    const char *claim = "volumes: [{name: a, persistentVolumeClaim: {claimName: nobody}}]";
    char spec[256];
    snprintf(spec, sizeof(spec), "%s, nodeSelector: {disk: ssd}", claim);
    small_decide(&c, small_pod(&c, "p", NULL, "", spec));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(c.placement.node, plain);
    const berth_pod_id q = small_pod(&c, "q", NULL, "", claim);
    small_decide(&c, q);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    check_refusal(&c, zoned,
                  "NoVolumeZoneConflict: error: Unable to find persistent volume "
                  "claim: default/nobody");
    expect_plain_error(&c, q, zoned);
    /* the same with a pod that is nominated to the node */
    berth_error error = {.code = BERTH_OK};
    const berth_pod_id nominated = small_pod(&c, "kept", NULL, "", "priority: 10");
    small_require(berth_engine_nominate(c.engine, nominated, zoned, &error), &error);
    expect_plain_error(&c, q, zoned);
    small_close(&c);
}

/* ---- binding ---- */

#define USES(claim) "volumes: [{name: a, persistentVolumeClaim: {claimName: " claim "}}]"

static void test_binding(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "CheckVolumeBinding");
    berth_node_id a = small_node(&c, "a", ", labels: {zone: z1}");
    berth_node_id b = small_node(&c, "b", ", labels: {zone: z2}");
    small_add(
        &c, VOLUME("pv1", "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
                          "[{key: zone, operator: In, values: [z1]}]}]}}")
                VOLUME("free", "capacity: {storage: 1Gi}, storageClassName: local, accessModes: "
                               "[ReadWriteOnce], nodeAffinity: {required: {nodeSelectorTerms: "
                               "[{matchExpressions: [{key: zone, operator: In, values: "
                               "[z2]}]}]}}}\nstatus: {phase: Available")
                    CLAIM("bound", "volumeName: pv1") CLAIM("now", "storageClassName: now") CLAIM(
                        "late", "storageClassName: local, accessModes: [ReadWriteOnce], resources: "
                                "{requests: {storage: 1Gi}}")
                        CLAIM("unset", "storageClassName: unset") CLASS("unset", "x/y", "")
                            CLAIM("late2", "storageClassName: local, accessModes: [ReadWriteOnce], "
                                           "resources: {requests: {storage: 1Gi}}")
                                CLAIM("lost", "volumeName: gone") CLAIM(
                                    "odd", "storageClassName: local, selector: {matchExpressions: "
                                           "[{key: k, operator: Odd, values: [v]}]}")
                                    CLASS("local", "kubernetes.io/no-provisioner",
                                          "volumeBindingMode: WaitForFirstConsumer")
                                        CLASS("now", "x/y", "volumeBindingMode: Immediate"));
    small_decide(&c, small_pod(&c, "p1", NULL, "", USES("bound")));
    check_refusal(&c, a, "");
    check_refusal(&c, b, "CheckVolumeBinding: node(s) had volume node affinity conflict");
    const char *no_volume =
        "CheckVolumeBinding: node(s) didn't find available persistent volumes to bind";
    berth_pod_id late = small_pod(&c, "p2", NULL, "", USES("late"));
    small_decide(&c, late);
    check_refusal(&c, a, no_volume);
    check_refusal(&c, b, "");
    /* a placed pod has its volume */
    berth_pod_id late2 = small_pod(&c, "p3", NULL, "", USES("late2"));
    assert_int_equal(berth_engine_bind(c.engine, late, b, NULL), BERTH_OK);
    small_decide(&c, late2);
    check_refusal(&c, b, no_volume);
    assert_int_equal(berth_engine_unbind(c.engine, late, NULL), BERTH_OK);
    small_decide(&c, late2);
    check_refusal(&c, b, "");
    /* volumes that are no claims do not matter */
    berth_pod_id mixed = small_pod(&c, "mixed", NULL, "",
                                   "volumes: [{name: d, gcePersistentDisk: {pdName: d}}, {name: a, "
                                   "persistentVolumeClaim: {claimName: bound}}]");
    small_decide(&c, mixed);
    check_refusal(&c, a, "");
    check_refusal(&c, b, "CheckVolumeBinding: node(s) had volume node affinity conflict");
    static const struct {
        const char *spec, *error;
    } broken[] = {
        {USES("now"), "pod has unbound immediate PersistentVolumeClaims"},
        {"volumes: [{name: a, persistentVolumeClaim: {claimName: now}}, {name: b, "
         "persistentVolumeClaim: {claimName: bound}}]",
         "pod has unbound immediate PersistentVolumeClaims"},
        {USES("lost"), "could not find the v1.PersistentVolume of a claim"},
        {USES("nobody"), "error getting PVC \"default/nobody\": could not find "
                         "v1.PersistentVolumeClaim \"default/nobody\""},
        {USES("odd"), NULL},
        {USES("unset"), "VolumeBindingMode not set for StorageClass \"unset\""},
        {"volumes: [{name: a, persistentVolumeClaim: {claimName: unset}}, {name: b, "
         "persistentVolumeClaim: {claimName: nobody}}]",
         "VolumeBindingMode not set for StorageClass \"unset\""},
        {"volumes: [{name: a, persistentVolumeClaim: {claimName: now}}, {name: b, "
         "persistentVolumeClaim: {claimName: unset}}]",
         "VolumeBindingMode not set for StorageClass \"unset\""},
    };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        char name[16], wanted[256];
        snprintf(name, sizeof(name), "broken%zu", i);
        const berth_pod_id pod = small_pod(&c, name, NULL, "", broken[i].spec);
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
        assert_int_equal(strncmp(small_refusal(&c, a), "CheckVolumeBinding: error: ", 27), 0);
        snprintf(wanted, sizeof(wanted), "CheckVolumeBinding: error: %s", broken[i].error);
        if (broken[i].error != NULL)
            check_refusal(&c, a, wanted);
        /* bound nevertheless, it reserves no volume */
        assert_int_equal(berth_engine_bind(c.engine, pod, a, NULL), BERTH_OK);
        small_decide(&c, late2);
        check_refusal(&c, b, "");
    }
    small_close(&c);
}

/* A pod with too many unbound claims cannot be decided. If it is bound to a node all the same, it
 * reserves no volume. */
static void test_too_many_claims(void **state)
{
    enum { CLAIMS = 257, BYTES = 32768 };
    static char text[BYTES];
    small_cluster c;
    (void)state;
    open_with_predicate(&c, "CheckVolumeBinding");
    const berth_node_id a = small_node(&c, "a", "");
    small_add(&c, CLASS("local", "kubernetes.io/no-provisioner",
                        "volumeBindingMode: WaitForFirstConsumer"));
    size_t at = (size_t)snprintf(
        text, sizeof(text), "apiVersion: v1\nkind: Pod\nmetadata: {name: big}\nspec: {volumes: [");
    for (int i = 0; i < CLAIMS; i++) {
        small_addf(&c,
                   VOLUME("v%d", "capacity: {storage: 1Gi}, storageClassName: local, accessModes: "
                                 "[ReadWriteOnce]}\nstatus: {phase: Available")
                       CLAIM("c%d", "storageClassName: local, accessModes: [ReadWriteOnce], "
                                    "resources: {requests: {storage: 1Gi}}"),
                   i, i);
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "%s{name: v%d, persistentVolumeClaim: {claimName: c%d}}",
                               i > 0 ? ", " : "", i, i);
    }
    snprintf(text + at, sizeof(text) - at, "]}\n");
    const berth_pod_id big = (berth_pod_id)small_add(&c, text);
    small_decide(&c, big);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    check_refusal(&c, a,
                  "CheckVolumeBinding: error: a pod with more than 256 unbound claims can't "
                  "be decided");
    assert_int_equal(berth_engine_bind(c.engine, big, a, NULL), BERTH_OK);
    const berth_pod_id two =
        small_pod(&c, "two", NULL, "",
                  "volumes: [{name: a, persistentVolumeClaim: {claimName: c0}}, {name: b, "
                  "persistentVolumeClaim: {claimName: d}}, {name: e, persistentVolumeClaim: "
                  "{claimName: f}}]");
    for (int i = 0; i < 2; i++)
        small_addf(&c,
                   CLAIM("%s", "storageClassName: local, accessModes: [ReadWriteOnce], "
                               "resources: {requests: {storage: 1Gi}}"),
                   i == 0 ? "d" : "f");
    small_decide(&c, two);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    small_close(&c);
}

/* Checked before any predicate: claims must exist and not be terminating. */
static void test_basic_checks(void **state)
{
    static const berth_plugin_ref check = {.name = TEXT("PodPassesBasicChecks")};
    static const struct {
        const char *spec;
        const char *message; /* NULL: the pod passes */
    } cases[] = {
        {USES("there"), NULL},
        {USES("nobody"), "persistentvolumeclaim \"nobody\" not found"},
        {USES("going"), "persistentvolumeclaim \"going\" is being deleted"},
    };
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_PRE_FILTER] = (berth_plugin_list){&check, 1};
    (void)state;
    small_cluster c;
    small_open(&c, &profile);
    small_node(&c, "n1", "");
    small_add(&c,
              CLAIM("there", "volumeName: pv1") "apiVersion: v1\nkind: "
                                                "PersistentVolumeClaim\nmetadata: {name: going, "
                                                "deletionTimestamp: '2020-01-01T00:00:00Z'}\nspec: "
                                                "{volumeName: pv1}\n");
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        small_decide(&c, small_pod(&c, name, NULL, "", cases[i].spec));
        assert_int_equal(c.placement.verdict,
                         cases[i].message == NULL ? BERTH_VERDICT_PLACED : BERTH_VERDICT_ERROR);
        berth_str message = berth_explanation_message(c.explanation);
        if (cases[i].message != NULL)
            assert_text(message, cases[i].message);
    }
    small_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csi_volumes_of_a_pod),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_first_volumes),
        cmocka_unit_test(test_published_limit),
        cmocka_unit_test(test_claims_count),
        cmocka_unit_test(test_csi_limit),
        cmocka_unit_test(test_sha1),
        cmocka_unit_test(test_disk_conflict),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_several_errors),
        cmocka_unit_test(test_error_not_met),
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_too_many_claims),
        cmocka_unit_test(test_basic_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
