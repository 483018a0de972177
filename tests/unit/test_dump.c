/* Kubernetes text out (berth_object_write, berth_engine_dump): all fields that are read are
 * written; an engine made from the text equals the old one; callers that stop the writing; objects
 * that cannot be written. */
#include <unistd.h>

#include "berth/branch.h"
#include "rule_cluster.h"

/* Every field that is read of each kind, in its written form. */
static const char *const lines[] = {
    "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"team\", \"uid\": "
    "\"u1\", \"labels\": {\"a\": \"\", \"b\": \"2\"}, \"annotations\": {\"note\": "
    "\"\\\"quoted\\\"\\n\\u0001\"}, \"creationTimestamp\": \"2024-02-29T23:59:59Z\"}}",
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"StorageClass\", \"metadata\": {\"name\": "
    "\"fast\"}, \"provisioner\": \"csi.x\", \"volumeBindingMode\": \"WaitForFirstConsumer\", "
    "\"allowedTopologies\": [{\"matchLabelExpressions\": [{\"key\": \"zone\", \"values\": [\"a\", "
    "\"b\"]}]}]}",
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"CSIDriver\", \"metadata\": {\"name\": "
    "\"csi.x\"}, \"spec\": {\"storageCapacity\": true}}",
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"CSINode\", \"metadata\": {\"name\": "
    "\"n1\"}, \"spec\": {\"drivers\": [{\"name\": \"csi.x\", \"nodeID\": \"i-1\", \"allocatable\": "
    "{\"count\": 0}}, {\"name\": \"csi.y\", \"nodeID\": \"i-1\"}]}}",
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"CSIStorageCapacity\", \"metadata\": "
    "{\"name\": \"c1\", \"namespace\": \"team\"}, \"storageClassName\": \"fast\", "
    "\"nodeTopology\": {}, \"capacity\": \"0\", \"maximumVolumeSize\": \"1Gi\"}",
    "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolume\", \"metadata\": {\"name\": \"pv1\", "
    "\"deletionTimestamp\": \"1970-01-01T00:00:00Z\"}, \"spec\": {\"capacity\": {\"storage\": "
    "\"10Gi\"}, \"accessModes\": [\"ReadWriteOnce\"], \"storageClassName\": \"\", \"volumeMode\": "
    "\"Block\", \"volumeAttributesClassName\": \"gold\", \"claimRef\": {\"namespace\": \"team\", "
    "\"name\": \"c\", \"uid\": \"u2\"}, \"nodeAffinity\": {\"required\": {\"nodeSelectorTerms\": "
    "[{\"matchExpressions\": [{\"key\": \"zone\", \"operator\": \"In\", \"values\": [\"a\"]}], "
    "\"matchFields\": [{\"key\": \"metadata.name\", \"operator\": \"Exists\"}]}]}}, \"csi\": "
    "{\"volumeHandle\": \"h\", \"readOnly\": true, \"driver\": \"csi.x\"}}, \"status\": "
    "{\"phase\": "
    "\"Available\"}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolume\", \"metadata\": {\"name\": \"pv2\"}, "
    "\"spec\": {\"claimRef\": {}, \"azureDisk\": {\"diskName\": \"d\", \"diskURI\": \"u\"}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\": "
    "\"c\", \"namespace\": \"team\"}, \"spec\": {\"accessModes\": [\"ReadWriteOnce\"], "
    "\"storageClassName\": \"fast\", \"volumeName\": \"pv1\", \"volumeMode\": \"Block\", "
    "\"volumeAttributesClassName\": \"gold\", \"selector\": {\"matchLabels\": {\"a\": \"1\"}}, "
    "\"resources\": {\"requests\": {\"storage\": \"5Gi\"}}}, \"status\": {\"phase\": \"Bound\"}}",
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"VolumeAttachment\", \"metadata\": "
    "{\"name\": \"va\"}, \"spec\": {\"attacher\": \"csi.x\", \"nodeName\": \"n1\", \"source\": "
    "{\"persistentVolumeName\": \"pv1\"}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"s\"}, \"spec\": "
    "{\"selector\": {}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"headless\"}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"ReplicationController\", \"metadata\": {\"name\": "
    "\"rc\"}, \"spec\": {\"replicas\": 0, \"selector\": {\"app\": \"web\"}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"ReplicationController\", \"metadata\": {\"name\": "
    "\"selects-none\"}, \"spec\": {\"replicas\": 0}}",
    "{\"apiVersion\": \"apps/v1\", \"kind\": \"ReplicaSet\", \"metadata\": {\"name\": \"rs\"}, "
    "\"spec\": {\"replicas\": 0, \"selector\": {\"matchExpressions\": [{\"key\": \"app\", "
    "\"operator\": \"NotIn\", \"values\": [\"x\"]}]}}}",
    "{\"apiVersion\": \"apps/v1\", \"kind\": \"StatefulSet\", \"metadata\": {\"name\": \"ss\"}, "
    "\"spec\": {\"replicas\": 0}}",
    "{\"apiVersion\": \"policy/v1\", \"kind\": \"PodDisruptionBudget\", \"metadata\": {\"name\": "
    "\"b\"}, \"spec\": {\"selector\": {\"matchLabels\": {\"app\": \"web\"}}}, \"status\": "
    "{\"disruptionsAllowed\": 2, \"disruptedPods\": {\"p9\": \"1970-01-01T00:00:00Z\"}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n1\", \"labels\": "
    "{\"zone\": \"a\"}}, \"spec\": {\"unschedulable\": true, \"taints\": [{\"key\": \"k\", "
    "\"value\": \"v\", \"effect\": \"NoSchedule\"}]}, \"status\": {\"capacity\": {\"cpu\": "
    "\"1500m\", \"hugepages-2Mi\": \"4Mi\", \"memory\": \"2Gi\"}, \"allocatable\": {\"cpu\": "
    "\"1500m\", \"hugepages-2Mi\": \"4Mi\", \"memory\": \"2Gi\"}, \"images\": [{\"names\": [\"i\", "
    "\"i:1\"], \"sizeBytes\": 123}], \"conditions\": [{\"type\": \"Ready\", \"status\": \"False\", "
    "\"reason\": \"r\"}], \"declaredFeatures\": [\"F\"]}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"namespace\": "
    "\"team\", \"ownerReferences\": [{\"apiVersion\": \"apps/v1\", \"kind\": \"ReplicaSet\", "
    "\"name\": \"rs\", \"uid\": \"u\", \"controller\": true}]}, \"spec\": {\"nodeName\": \"n1\", "
    "\"schedulerName\": \"s\", \"priority\": 0, \"preemptionPolicy\": \"Never\", \"containers\": "
    "[{\"name\": \"c\", \"image\": \"i\", \"resources\": {\"requests\": {\"cpu\": \"100m\"}, "
    "\"limits\": {\"cpu\": \"1\"}}, \"ports\": [{\"hostIP\": \"10.0.0.1\", \"protocol\": \"UDP\", "
    "\"hostPort\": 53, \"containerPort\": 53}]}], \"initContainers\": [{\"name\": \"side\", "
    "\"image\": \"i\", \"restartPolicy\": \"Always\", \"restartPolicyRules\": [{\"action\": "
    "\"RestartAllContainers\"}]}], \"overhead\": {\"memory\": \"1Mi\"}, \"nodeSelector\": "
    "{\"zone\": \"a\"}, \"affinity\": {\"nodeAffinity\": "
    "{\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": [{}]}, "
    "\"preferredDuringSchedulingIgnoredDuringExecution\": [{\"weight\": 7, \"preference\": "
    "{\"matchExpressions\": [{\"key\": \"d\", \"operator\": \"Gt\", \"values\": [\"3\"]}]}}]}, "
    "\"podAffinity\": {}, \"podAntiAffinity\": "
    "{\"requiredDuringSchedulingIgnoredDuringExecution\": "
    "[{\"labelSelector\": {}, \"namespaces\": [\"x\"], \"namespaceSelector\": {\"matchLabels\": "
    "{\"t\": \"1\"}}, \"topologyKey\": \"zone\"}], "
    "\"preferredDuringSchedulingIgnoredDuringExecution\": [{\"weight\": 5, \"podAffinityTerm\": "
    "{\"topologyKey\": \"zone\"}}]}}, \"tolerations\": [{\"key\": \"k\", \"operator\": \"Equal\", "
    "\"value\": \"v\", \"effect\": \"NoSchedule\"}, {\"operator\": \"Exists\"}], "
    "\"topologySpreadConstraints\": [{\"maxSkew\": 1, \"minDomains\": 2, \"topologyKey\": "
    "\"zone\", "
    "\"whenUnsatisfiable\": \"DoNotSchedule\", \"labelSelector\": {\"matchLabels\": {\"app\": "
    "\"web\"}}, \"nodeAffinityPolicy\": \"Ignore\", \"nodeTaintsPolicy\": \"Honor\", "
    "\"matchLabelKeys\": [\"rev\"]}], \"volumes\": [{\"name\": \"a\", \"persistentVolumeClaim\": "
    "{\"claimName\": \"c\"}}, {\"name\": \"b\", \"ephemeral\": {}}, {\"name\": \"d\", \"rbd\": "
    "{\"image\": \"i\", \"pool\": \"p\", \"monitors\": [\"m1\", \"m2\"]}}, {\"name\": \"e\"}, "
    "{\"name\": \"f\", \"image\": {\"reference\": \"r\"}}], \"schedulingGates\": [{\"name\": "
    "\"g\"}], \"resources\": {\"requests\": {\"cpu\": \"2\"}, \"limits\": {\"cpu\": \"3\"}}, "
    "\"hostNetwork\": true, \"hostUsers\": false, \"resourceClaims\": [{\"name\": \"dev\", "
    "\"resourceClaimTemplateName\": \"t\"}]}, \"status\": {\"phase\": \"Running\", "
    "\"nominatedNodeName\": \"n2\", \"startTime\": \"2024-01-01T00:00:00.000000500Z\", "
    "\"conditions\": [{\"type\": \"DisruptionTarget\", \"status\": \"True\", \"reason\": "
    "\"PreemptionByScheduler\"}], \"resourceClaimStatuses\": [{\"name\": \"dev\", "
    "\"resourceClaimName\": \"p-dev\"}], \"containerStatuses\": [{\"name\": \"c\", \"resources\": "
    "{\"requests\": {\"cpu\": \"100m\"}}, \"allocatedResources\": {\"cpu\": \"200m\"}}], "
    "\"initContainerStatuses\": [{\"name\": \"side\", \"resources\": {}}], \"resources\": "
    "{\"requests\": {\"cpu\": \"2\"}}, \"allocatedResources\": {\"cpu\": \"2\"}}}",
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"bare\"}, \"spec\": "
    "{\"affinity\": {\"nodeAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\": "
    "[]}}}}",
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": "
    "{\"name\": \"s\"}, \"spec\": {\"driver\": \"gpu.x\", \"pool\": {\"name\": \"p\", \"g"
    "eneration\": 3, \"resourceSliceCount\": 1}, \"nodeName\": \"n1\", \"nodeSelector\": "
    "{\"nodeSelectorTerms\": [{}]}, \"allNodes\": true, \"perDeviceNodeSelection\": true,"
    " \"devices\": [{\"name\": \"d0\", \"attributes\": {\"b\": {\"bool\": false}, \"i\": "
    "{\"int\": 0}, \"l\": {\"strings\": [\"x\", \"y\"]}, \"n\": {}, \"s\": {\"string\": "
    "\"t\"}, \"x.org/v\": {\"version\": \"1.2.3\"}}, \"capacity\": {\"memory\": {\"value"
    "\": \"40Gi\", \"requestPolicy\": {\"default\": \"1Gi\", \"validValues\": [\"1Gi\", "
    "\"2Gi\"], \"validRange\": {\"min\": \"1\", \"max\": \"4Gi\", \"step\": \"1Gi\"}}}, "
    "\"plain\": {\"value\": \"3\"}}, \"consumesCounters\": [{\"counterSet\": \"c\", \"cou"
    "nters\": {\"m\": {\"value\": \"2\"}}}], \"nodeName\": \"n1\", \"nodeSelector\": {\"n"
    "odeSelectorTerms\": [{}]}, \"allNodes\": true, \"taints\": [{\"key\": \"k\", \"value"
    "\": \"v\", \"effect\": \"NoSchedule\"}], \"bindsToNode\": true, \"bindingConditions"
    "\": [\"a\"], \"bindingFailureConditions\": [\"f\"], \"allowMultipleAllocations\": tr"
    "ue}, {\"name\": \"bare\"}], \"sharedCounters\": [{\"name\": \"c\", \"counters\": {\""
    "m\": {\"value\": \"4\"}}}]}}",
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"DeviceClass\", \"metadata\": {"
    "\"name\": \"gpu\"}, \"spec\": {\"selectors\": [{\"cel\": {\"expression\": \"device.d"
    "river == \\\"gpu.x\\\"\"}}, {}], \"config\": [{\"opaque\": {\"driver\": \"gpu.x\", "
    "\"parameters\": {\"apiVersion\": \"x/v1\", \"list\": [1.50, null, \"[\", {\"a\": []}"
    "]}}}], \"extendedResourceName\": \"x.org/gpu\"}}",
    "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": "
    "{\"name\": \"c\", \"namespace\": \"team\"}, \"spec\": {\"devices\": {\"requests\": ["
    "{\"name\": \"r\", \"exactly\": {\"deviceClassName\": \"gpu\", \"selectors\": [{\"cel"
    "\": {\"expression\": \"true\"}}], \"allocationMode\": \"ExactCount\", \"count\": 2, "
    "\"adminAccess\": false, \"tolerations\": [{\"key\": \"k\", \"operator\": \"Exists\","
    " \"effect\": \"NoSchedule\"}], \"capacity\": {\"requests\": {\"memory\": \"1Gi\"}}}}"
    ", {\"name\": \"f\", \"firstAvailable\": [{\"name\": \"big\", \"deviceClassName\": \""
    "gpu\", \"allocationMode\": \"All\"}]}], \"constraints\": [{\"requests\": [\"r\"], \""
    "matchAttribute\": \"x.org/a\"}, {\"distinctAttribute\": \"x.org/b\"}], \"config\": ["
    "{\"requests\": [\"r\"], \"opaque\": {\"driver\": \"gpu.x\", \"parameters\": {}}}]}},"
    " \"status\": {\"allocation\": {\"devices\": {\"results\": [{\"request\": \"r\", \"dr"
    "iver\": \"gpu.x\", \"pool\": \"p\", \"device\": \"d0\", \"adminAccess\": true, \"tol"
    "erations\": [{\"operator\": \"Exists\"}], \"bindingConditions\": [\"a\"], \"bindingF"
    "ailureConditions\": [\"f\"], \"shareID\": \"u1\", \"consumedCapacity\": {\"memory\":"
    " \"1Gi\"}}], \"config\": [{\"source\": \"FromClass\", \"opaque\": {\"driver\": \"gpu"
    ".x\", \"parameters\": {\"a\": 1}}}]}, \"nodeSelector\": {\"nodeSelectorTerms\": [{}]"
    "}, \"allocationTimestamp\": \"2024-02-29T23:59:59Z\"}, \"reservedFor\": [{\"apiGroup"
    "\": \"g\", \"resource\": \"pods\", \"name\": \"p\", \"uid\": \"u\"}], \"devices\": ["
    "{\"driver\": \"gpu.x\", \"pool\": \"p\", \"device\": \"d0\", \"shareID\": \"u1\", \""
    "conditions\": [{\"type\": \"Ready\", \"status\": \"True\", \"reason\": \"r\"}]}]}}",
    "{\"apiVersion\": \"scheduling.k8s.io/v1beta1\", \"kind\": \"PodGroup\", \"metadata\": "
    "{\"name\": \"g\", \"namespace\": \"team\"}, \"spec\": {\"schedulingPolicy\": {\"gang\": "
    "{\"minCount\": 2}}, \"disruptionMode\": {\"all\": {}}, \"priority\": 5}}",
    "{\"apiVersion\": \"scheduling.k8s.io/v1beta1\", \"kind\": \"PodGroup\", \"metadata\": "
    "{\"name\": \"alone\", \"namespace\": \"team\"}, \"spec\": {\"schedulingPolicy\": {\"basic\": "
    "{}}}}",
};

static const berth_read_options as_they_are = {.size = sizeof(as_they_are), .threads = 1};

/* A growing text, and the number of pieces after which it stops the writing. */
typedef struct growing {
    char bytes[65536];
    size_t count;
    int pieces, enough;
} growing;

static berth_status keep(void *context, berth_str piece, berth_error *error)
{
    growing *to = context;
    assert_non_null(error);
    if (to->enough > 0 && ++to->pieces == to->enough)
        return BERTH_E_CONFLICT;
    assert_true(to->count + piece.len < sizeof(to->bytes));
    memcpy(to->bytes + to->count, piece.data, piece.len);
    to->count += piece.len;
    to->bytes[to->count] = '\0';
    return BERTH_OK;
}

static berth_status write_back(void *context, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    (void)origin;
    return berth_object_write(object, keep, context, error);
}

static void test_fields(void **state)
{
    (void)state;
    static growing to;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        berth_error error = {.code = BERTH_OK};
        berth_reader *reader;
        to.count = 0;
        small_require(berth_reader_create(&as_they_are, &reader, &error), &error);
        const berth_str line = {lines[i], (uint32_t)strlen(lines[i])};
        small_require(berth_reader_text(reader, line, "line", write_back, &to, &error), &error);
        assert_string_equal(to.bytes, lines[i]);
        berth_reader_destroy(reader);
    }
}

/* If a name has two entries, the same one counts as in the engine. */
static void test_twice(void **state)
{
    (void)state;
    static growing to;
    const berth_resource amounts[] = {
        {TEXT("memory"), {1, 0}}, {TEXT("cpu"), {1, 0}}, {TEXT("cpu"), {2, 0}}};
    const berth_key_value labels[] = {
        {TEXT("b"), TEXT("1")}, {TEXT("a"), TEXT("2")}, {TEXT("b"), TEXT("3")}};
    const berth_node node = {.meta = {.name = TEXT("n"), .labels = {labels, 3}},
                             .allocatable = {amounts, 3}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    to.count = 0;
    assert_int_equal(berth_object_write(&object, keep, &to, NULL), BERTH_OK);
    assert_non_null(strstr(to.bytes, "\"labels\": {\"a\": \"2\", \"b\": \"3\"}"));
    assert_non_null(strstr(to.bytes, "\"allocatable\": {\"cpu\": \"1\", \"memory\": \"1\"}"));
}

/* ---- engines ---- */

static berth_engine *open_engine(bool keep_objects)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.keep_objects = keep_objects;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

static void load(berth_engine *engine, const char *text, const berth_read_options *options)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_load_text(engine, (berth_str){text, (uint32_t)strlen(text)}, "text",
                                         options, NULL, &error),
                  &error);
}

static const char *dumped(berth_engine *engine, growing *to)
{
    berth_error error = {.code = BERTH_OK};
    *to = (growing){.count = 0};
    small_require(berth_engine_dump(engine, keep, to, &error), &error);
    return to->bytes;
}

static const char cluster[] =
    "{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: slow},"
    " provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}\n---\n"
    "{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: made},"
    " provisioner: csi.x, volumeBindingMode: WaitForFirstConsumer}\n---\n"
    "{kind: PersistentVolume, apiVersion: v1, metadata: {name: pv, annotations: {kept: 'yes'}},"
    " spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: slow,"
    " csi: {driver: csi.x, volumeHandle: h}}, status: {phase: Available}}\n---\n"
    "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: c, uid: cu}, spec:"
    " {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage:"
    " 1Gi}}}}\n---\n"
    "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: d}, spec:"
    " {accessModes: [ReadWriteOnce], storageClassName: made, resources: {requests: {storage:"
    " 1Gi}}}}\n---\n"
    "{kind: ReplicaSet, apiVersion: apps/v1, metadata: {name: rs}, spec: {replicas: 0}}\n---\n"
    "{kind: Node, apiVersion: v1, metadata: {name: n1}, status: {allocatable: {cpu: '4', memory:"
    " 8Gi, pods: '10'}}}\n---\n"
    "{kind: Pod, apiVersion: v1, metadata: {name: p}, spec: {containers: [{name: c, image: i}],"
    " volumes: [{name: v, persistentVolumeClaim: {claimName: c}},"
    " {name: w, persistentVolumeClaim: {claimName: d}}]}}\n---\n"
    "{kind: Pod, apiVersion: v1, metadata: {name: orphan}, spec: {nodeName: gone, containers:"
    " [{name: c, image: i}]}}\n";

/* Reservations of a placement are written as bound, and stay so. */
static void test_reserved(void **state)
{
    (void)state;
    static growing first, second;
    berth_engine *engine = open_engine(true), *other = open_engine(true),
                 *third = open_engine(true);
    berth_placement placement;
    load(engine, cluster, NULL);
    assert_null(strstr(dumped(engine, &first), "claimRef"));
    berth_pod_id pod =
        berth_engine_find_pod(engine, (berth_str)TEXT("default"), (berth_str)TEXT("p"));
    assert_int_equal(berth_engine_schedule(engine, pod, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    (void)dumped(engine, &first);
    assert_non_null(strstr(first.bytes, "\"claimRef\": {\"namespace\": \"default\", \"name\": "
                                        "\"c\", \"uid\": \"cu\"}"));
    assert_non_null(strstr(first.bytes, "\"volume.kubernetes.io/selected-node\": \"n1\""));
    assert_non_null(strstr(first.bytes, "\"annotations\": {\"kept\": \"yes\"}"));
    load(other, first.bytes, &as_they_are);
    assert_string_equal(dumped(other, &second), first.bytes);
    assert_true(berth_engine_digest(other) == berth_engine_digest(engine));
    load(third, first.bytes, NULL); /* everything has its defaults */
    assert_string_equal(dumped(third, &second), first.bytes);
    assert_int_equal(berth_engine_check(other, NULL), BERTH_OK);
    berth_engine_destroy(engine);
    berth_engine_destroy(other);
    berth_engine_destroy(third);
}

#define RESOURCE "apiVersion: resource.k8s.io/v1, kind: "
#define WITH_CLAIM(name, uid, claim)                                   \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: " uid \
    "}, spec: {containers: [{name: c, image: i}], resourceClaims: [" claim "}\n---\n"

static const char devices[] =
    "{kind: Node, apiVersion: v1, metadata: {name: n1}, status: {allocatable: {cpu: '4', memory:"
    " 8Gi, pods: '10'}}}\n---\n"
    "{" RESOURCE "DeviceClass, metadata: {name: gpu}}\n---\n"
    "{" RESOURCE "ResourceSlice, metadata: {name: s}, spec: {driver: x.org, nodeName: n1, pool:"
    " {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}, {name: d1},"
    " {name: m, allowMultipleAllocations: true, capacity: {x.org/memory: {value: 8Gi}}}]}}\n---\n"
    "{" RESOURCE "ResourceClaim, metadata: {name: shared, namespace: default, uid: su}, spec:"
    " {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, capacity: {requests:"
    " {x.org/memory: 3Gi}}}}]}}}\n---\n"
    "{" RESOURCE "ResourceClaim, metadata: {name: p-own, namespace: default, uid: ou,"
    " ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: pu, controller: true}]}, spec:"
    " {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n---\n"
    "{" RESOURCE "ResourceClaim, metadata: {name: late, namespace: default, uid: lu}, spec:"
    " {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: "
    "2}}]}}}\n---\n" WITH_CLAIM(
        "p", "pu",
        "{name: own, resourceClaimTemplateName: t}, {name: s, resourceClaimName:"
        " shared}]}, status: {resourceClaimStatuses: [{name: own, resourceClaimName: p-own}]}")
        WITH_CLAIM("q", "qu", "{name: l, resourceClaimName: late}]}");

/* The verdict on a pod, with the message of a refusal. */
static berth_verdict verdict_of(berth_engine *engine, const char *pod)
{
    berth_placement placement;
    const berth_str name = {pod, (uint32_t)strlen(pod)};
    berth_pod_id id = berth_engine_find_pod(engine, (berth_str)TEXT("default"), name);
    assert_int_equal(berth_engine_schedule(engine, id, &placement, NULL), BERTH_OK);
    return placement.verdict;
}

/* Chosen devices are written as allocated to the claim and reserved for the pod, which keeps its
 * claim from a template. */
static void test_chosen_devices(void **state)
{
    (void)state;
    static growing first, second;
    berth_engine *engine = open_engine(true), *other = open_engine(true);
    load(engine, devices, NULL);
    assert_int_equal(verdict_of(engine, "p"), BERTH_VERDICT_PLACED);
    (void)dumped(engine, &first);
    assert_non_null(strstr(first.bytes, "\"results\": [{\"request\": \"r\", \"driver\": "
                                        "\"x.org\", \"pool\": \"n1\", \"device\": \"d0\"}]"));
    assert_non_null(strstr(first.bytes, "\"consumedCapacity\": {\"x.org/memory\": "
                                        "\"3221225472\"}"));
    assert_non_null(strstr(first.bytes, "\"reservedFor\": [{\"resource\": \"pods\", "
                                        "\"name\": \"p\", \"uid\": \"pu\"}]"));
    load(other, first.bytes, &as_they_are);
    assert_string_equal(dumped(other, &second), first.bytes);
    assert_int_equal(berth_engine_check(other, NULL), BERTH_OK);
    assert_int_equal(verdict_of(engine, "q"), verdict_of(other, "q")); /* d0 is not free */
    (void)dumped(engine, &first);
    assert_string_equal(dumped(other, &second), first.bytes);
    berth_pod_id pod =
        berth_engine_find_pod(other, (berth_str)TEXT("default"), (berth_str)TEXT("p"));
    assert_int_equal(berth_engine_unbind(other, pod, NULL), BERTH_OK);
    assert_int_equal(verdict_of(other, "p"), BERTH_VERDICT_PLACED); /* the claim is its own */
    berth_engine_destroy(engine);
    berth_engine_destroy(other);
}

/* A chosen share has an ID, without which it would be read back as the whole device. */
static void test_chosen_share(void **state)
{
    (void)state;
    static growing first, second;
    berth_engine *engine = open_engine(true), *other = open_engine(true);
    load(engine, devices, NULL);
    assert_int_equal(verdict_of(engine, "p"), BERTH_VERDICT_PLACED);
    const char *id = strstr(dumped(engine, &first), "\"shareID\": \"");
    assert_non_null(id);
    id += strlen("\"shareID\": \"");
    assert_int_equal(strspn(id, "0123456789abcdef-"), 36);
    assert_int_equal(id[14], '8'); /* the version of the UUID */
    load(other, first.bytes, &as_they_are);
    /* 3 of 8 GiB are taken: another 3 fit, another 6 do not. */
    static const char more[] =
        "{" RESOURCE "ResourceClaim, metadata: {name: small, namespace: default, uid: mu}, spec:"
        " {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, capacity: {requests:"
        " {x.org/memory: 3Gi}}}}]}}}\n---\n"
        "{" RESOURCE "ResourceClaim, metadata: {name: large, namespace: default, uid: gu}, spec:"
        " {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, capacity: {requests:"
        " {x.org/memory: 6Gi}}}}]}}}\n---\n" WITH_CLAIM("a", "au",
                                                        "{name: s, resourceClaimName: small}]}")
            WITH_CLAIM("b", "bu", "{name: l, resourceClaimName: large}]}");
    load(engine, more, &as_they_are);
    load(other, more, &as_they_are);
    assert_int_equal(verdict_of(engine, "a"), BERTH_VERDICT_PLACED);
    assert_int_equal(verdict_of(other, "a"), BERTH_VERDICT_PLACED);
    assert_int_equal(verdict_of(other, "b"), verdict_of(engine, "b"));
    assert_string_equal(dumped(other, &second), dumped(engine, &first));
    berth_engine_destroy(engine);
    berth_engine_destroy(other);
}

/* A branch writes its own state, including volumes that it has not touched; a transaction the
 * present state. */
static void test_what_if(void **state)
{
    (void)state;
    static growing before, after;
    berth_engine *engine = open_engine(true), *branch;
    berth_placement placement;
    load(engine, cluster, NULL);
    (void)dumped(engine, &before);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_string_equal(dumped(branch, &after), before.bytes);
    berth_pod_id pod =
        berth_engine_find_pod(branch, (berth_str)TEXT("default"), (berth_str)TEXT("p"));
    assert_int_equal(berth_engine_schedule(branch, pod, &placement, NULL), BERTH_OK);
    assert_non_null(strstr(dumped(branch, &after), "claimRef"));
    assert_string_equal(dumped(engine, &after), before.bytes);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_STORAGE_CLASS, (berth_str)TEXT(""),
                                         (berth_str)TEXT("slow"), NULL),
                     BERTH_OK);
    assert_null(strstr(dumped(engine, &after), "no-provisioner"));
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_string_equal(dumped(engine, &after), before.bytes);
    berth_engine_destroy(engine);
}

/* Images of a node that the engine writes are in the order of their names. */
static void test_images(void **state)
{
    (void)state;
    static const berth_str names[] = {TEXT("m"), TEXT("z"), TEXT("a")};
    static const int sizes[] = {3, 1, 2};
    berth_image images[3];
    for (int i = 0; i < 3; i++)
        images[i] = (berth_image){.names = {&names[i], 1}, .size_bytes = i + 1};
    const berth_node node = {.meta = {.name = TEXT("n")}, .images = images, .image_count = 3};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    berth_object *copy;
    berth_engine *engine = open_engine(false);
    berth_object_id id;
    assert_int_equal(berth_engine_add(engine, &object, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_node_object(engine, id.node, NULL, &copy, NULL), BERTH_OK);
    const berth_node *got = copy->as.node;
    assert_int_equal(got->image_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(got->images[i].names.items[0].data[0], "amz"[i]);
        assert_int_equal(got->images[i].size_bytes, sizes[i]);
    }
    berth_object_destroy(copy);
    berth_engine_destroy(engine);
}

static berth_status change(void *context, const berth_object *object, berth_error *error)
{
    return berth_engine_remove(context, object->kind, (berth_str)TEXT(""), (berth_str)TEXT("n1"),
                               error);
}

/* A function that is given text and says itself why it fails. */
static berth_status complain(void *context, berth_str piece, berth_error *error)
{
    (void)context;
    (void)piece;
    error->code = BERTH_E_CONFLICT;
    snprintf(error->message, sizeof(error->message), "the disk is full");
    return BERTH_E_CONFLICT;
}

static void test_refusals(void **state)
{
    (void)state;
    static growing to;
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = open_engine(false);
    berth_object nothing = {.kind = BERTH_KIND_NODE};
    load(engine, cluster, NULL);
    assert_int_equal(berth_engine_dump(engine, keep, &to, &error), BERTH_E_STATE);
    assert_non_null(strstr(error.message, "keep_objects"));
    assert_int_equal(berth_engine_objects(engine, BERTH_KIND_NODE, change, engine, &error),
                     BERTH_E_STATE);
    assert_int_equal(berth_engine_objects(engine, BERTH_KIND_COUNT, change, NULL, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_engine_objects(engine, BERTH_KIND_NODE, NULL, NULL, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_object_write(&nothing, keep, &to, &error), BERTH_E_ARG);
    assert_int_equal(berth_object_write(NULL, keep, &to, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_dump(NULL, keep, &to, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_dump(engine, NULL, &to, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_dump_file(engine, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_dump_file(NULL, "/tmp/berth-nothing", &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_dump_file(engine, "/tmp/berth-nothing", &error), BERTH_E_STATE);
    assert_int_equal(access("/tmp/berth-nothing", F_OK), -1); /* a failure leaves no file */
    nothing.as.any = &nothing;
    assert_int_equal(berth_object_write(&nothing, NULL, &to, &error), BERTH_E_ARG);
    nothing.kind = BERTH_KIND_COUNT;
    assert_int_equal(berth_object_write(&nothing, keep, &to, &error), BERTH_E_ARG);
    assert_string_equal(error.field, "");
    berth_engine_destroy(engine);
    engine = open_engine(true);
    to = (growing){.enough = 1};
    assert_int_equal(berth_engine_dump(engine, keep, &to, &error), BERTH_E_CONFLICT);
    assert_int_equal(error.code, BERTH_E_CONFLICT);
    assert_string_equal(error.message, "the function that was given text failed");
    assert_int_equal(berth_engine_dump(engine, complain, NULL, &error), BERTH_E_CONFLICT);
    assert_string_equal(error.message, "the disk is full");
    assert_int_equal(berth_engine_dump(engine, complain, NULL, NULL), BERTH_E_CONFLICT);
    to.enough = 0;
    assert_string_equal(dumped(engine, &to), "{\n  \"apiVersion\": \"v1\",\n  \"kind\": "
                                             "\"List\",\n  \"items\": []\n}\n");
    berth_engine_destroy(engine);
}

static void test_file(void **state)
{
    (void)state;
    static growing wanted, to;
    char path[] = "/tmp/berth-test-dump-XXXXXX";
    int file = mkstemp(path);
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = open_engine(true), *other = open_engine(true);
    assert_true(file >= 0);
    close(file);
    load(engine, cluster, NULL);
    small_require(berth_engine_dump_file(engine, path, &error), &error);
    small_require(berth_engine_load_file(other, path, &as_they_are, NULL, &error), &error);
    (void)dumped(engine, &wanted);
    assert_string_equal(dumped(other, &to), wanted.bytes);
    unlink(path);
    assert_int_equal(berth_engine_dump_file(engine, "/nowhere/at/all", &error), BERTH_E_IO);
    assert_string_equal(error.source, "/nowhere/at/all");
    assert_int_equal(berth_engine_dump_file(engine, "/dev/full", &error), BERTH_E_IO);
    berth_engine_destroy(engine);
    berth_engine_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_twice),
        cmocka_unit_test(test_reserved),     cmocka_unit_test(test_chosen_devices),
        cmocka_unit_test(test_chosen_share), cmocka_unit_test(test_what_if),
        cmocka_unit_test(test_images),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
