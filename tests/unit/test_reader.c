/* Objects from text: every field of every kind, the forms of lists, defaults, refused input with
 * its position, files, gzip, and all real objects of ../shared. */
#include "reader_check.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "arena_pieces.h"
#include "base/arena.h"
#include "kube/decode.h"
#include "kube/encode.h"
#include "kube/kind_info.h"
#include "kube/reader_state.h"
#include "objects/sized_object.h"
#include "scarce_memory.h"
#include "text/json.h"

/* ---- fields ---- */

static void test_node(void **state)
{
    (void)state;
    expect_objects(
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"uid\":\"u\","
        "\"labels\":{\"a\":\"1\",\"b\":null,\"a\":\"2\"},\"annotations\":{\"x\":\"y\"},"
        "\"creationTimestamp\":\"1970-01-01T00:00:01Z\"},"
        "\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":\"k\",\"value\":\"v\","
        "\"effect\":\"NoSchedule\"},{\"key\":\"e\",\"effect\":\"NoExecute\"}]},"
        "\"status\":{\"capacity\":{\"cpu\":\"8\"},\"allocatable\":{\"cpu\":0.5,"
        "\"memory\":\"1Gi\",\"pods\":110},\"images\":[{\"names\":[\"i:1\",\"i@sha\"],"
        "\"sizeBytes\":5000000000}],\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
        "\"reason\":\"R\"}]}}",
        false, &whole_objects,
        "Node /n1 uid=u labels={b=,a=2} annotations={x=y} created=1000000000 unschedulable"
        " taint(k=v:NoSchedule) taint(e=:NoExecute)"
        " allocatable={cpu=500m,memory=1Gi,pods=110} image(5000000000 names=[i:1,i@sha])"
        " condition(Ready True R)\n");
    expect_objects("kind: Node\nmetadata: {name: nn}\nstatus: {capacity: {cpu: 4}}\n", false,
                   &whole_objects, "Node /nn allocatable={cpu=4}\n");
}

static const char full_pod[] =
    "apiVersion: v1\nkind: Pod\n"
    "metadata:\n"
    "  name: p\n  namespace: ns\n  uid: u1\n  labels: {app: web}\n"
    "  deletionTimestamp: 2024-05-01T10:00:00.5+02:00\n"
    "  ownerReferences:\n"
    "  - {apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: ru, controller: true}\n"
    "  - {apiVersion: v1, kind: Node, name: nn, uid: nu}\n"
    "spec:\n"
    "  nodeName: n1\n  schedulerName: other\n  priority: -5\n  preemptionPolicy: Never\n"
    "  overhead: {cpu: 10m}\n  nodeSelector: {disk: ssd}\n"
    "  containers:\n"
    "  - name: a\n    image: i\n"
    "    resources: {requests: {cpu: 100m, nvidia.com/gpu: 2}, limits: {nvidia.com/gpu: '2'}}\n"
    "    ports: [{containerPort: 80}, {containerPort: 1, hostPort: 2, hostIP: 1.2.3.4,"
    " protocol: UDP}]\n"
    "  initContainers:\n"
    "  - {name: s, restartPolicy: Always, resources: {requests: {memory: 1Mi}}}\n"
    "  - {name: t}\n"
    "  affinity:\n"
    "    nodeAffinity:\n"
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "        nodeSelectorTerms:\n"
    "        - matchExpressions: [{key: z, operator: In, values: [a, b]}]\n"
    "          matchFields: [{key: metadata.name, operator: NotIn, values: [x]}]\n"
    "        - {}\n"
    "      preferredDuringSchedulingIgnoredDuringExecution:\n"
    "      - weight: 7\n        preference: {matchExpressions: [{key: g, operator: Exists}]}\n"
    "    podAffinity:\n"
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "      - labelSelector: {matchLabels: {app: db}}\n"
    "        topologyKey: zone\n        namespaces: [n1, n2]\n        namespaceSelector: {}\n"
    "    podAntiAffinity:\n"
    "      preferredDuringSchedulingIgnoredDuringExecution:\n"
    "      - weight: 100\n"
    "        podAffinityTerm:\n"
    "          topologyKey: host\n"
    "          labelSelector: {matchExpressions: [{key: a, operator: DoesNotExist}]}\n"
    "          matchLabelKeys: [app]\n"
    "  tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}, {operator: Exists}]\n"
    "  topologySpreadConstraints:\n"
    "  - {maxSkew: 2, minDomains: 3, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,\n"
    "     labelSelector: {}, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor,\n"
    "     matchLabelKeys: [h]}\n"
    "  volumes:\n"
    "  - {name: v0, persistentVolumeClaim: {claimName: c, readOnly: true}}\n"
    "  - {name: v1, ephemeral: {volumeClaimTemplate: {}}}\n"
    "  - {name: v2, gcePersistentDisk: {pdName: pd}}\n"
    "  - {name: v3, awsElasticBlockStore: {volumeID: ebs, readOnly: true}}\n"
    "  - {name: v4, iscsi: {iqn: q, lun: 0}}\n"
    "  - {name: v5, rbd: {image: im, monitors: [m1, m2]}}\n"
    "  - {name: v6, azureDisk: {diskName: ad}}\n"
    "  - {name: v7, cinder: {volumeID: ci}}\n"
    "  - {name: v8, portworxVolume: {volumeID: px}}\n"
    "  - {name: v9, csi: {driver: inline}}\n"
    "  - {name: v10, configMap: {name: cm}}\n"
    "  schedulingGates: [{name: g1}, {name: g2}]\n"
    "status:\n"
    "  phase: Running\n  nominatedNodeName: n2\n  startTime: '1970-01-01T00:00:02Z'\n"
    "  conditions: [{type: Ready, status: 'False'}]\n";

static void test_pod(void **state)
{
    (void)state;
    static const char expected[] =
        "Pod ns/p uid=u1 labels={app=web} owner(apps/v1 ReplicaSet r ru controller)"
        " owner(v1 Node nn nu) deleting"
        " node=n1 scheduler=other priority=-5 preemption=Never"
        " container(a image=i requests={cpu=100m,nvidia.com/gpu=2} limits={nvidia.com/gpu=2}"
        " port(  0 80) port(1.2.3.4 UDP 2 1))"
        " init(s requests={memory=1Mi} always) init(t) overhead={cpu=10m}"
        " node-selector={disk=ssd}"
        " required[<(z In =[a,b]) fields(metadata.name NotIn =[x])><>]"
        " preferred(7 <(g Exists)>)"
        " affinity required(0 zone selector< labels={app=db}> namespaces=[n1,n2]"
        " namespace-selector<>)"
        " anti-affinity preferred(100 host selector<(a DoesNotExist)>)"
        " toleration(k Equal v NoSchedule) toleration( Exists  )"
        " spread(2 3 zone DoNotSchedule selector<> affinity=Ignore taints=Honor keys=[h])"
        " volume(v0 source=1 handle=c read-only) volume(v1 source=2)"
        " volume(v2 source=3 handle=pd) volume(v3 source=4 handle=ebs read-only)"
        " volume(v4 source=5 handle=q) volume(v5 source=6 handle=im monitors=[m1,m2])"
        " volume(v6 source=7 handle=ad) volume(v7 source=8 handle=ci)"
        " volume(v8 source=9 handle=px) volume(v9 source=0) volume(v10 source=0)"
        " gates=[g1,g2] phase=Running nominated=n2 started=2000000000"
        " condition(Ready False )\n";
    expect_objects(full_pod, false, &whole_objects, expected);
    /* The pod has a uid, so it comes from an API server and needs no defaults. */
    expect_objects(full_pod, true, &whole_objects, expected);
}

typedef struct object_case {
    const char *text;
    const char *object;
} object_case;

static const object_case other_kinds[] = {
    {"--- {apiVersion: v1, kind: Node, metadata: {name: m}, status: {declaredFeatures: [A, B]}}",
     "Node /m features=[A,B]\n"},
    {"--- {apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {hostNetwork: true,"
     " hostUsers: false, containers: [{name: a, restartPolicyRules: [{action: Restart}, {action:"
     " RestartAllContainers}]}], resources: {requests: {cpu: 1}}, resourceClaims: [{name: g,"
     " resourceClaimTemplateName: t}, {name: h, resourceClaimName: c}], volumes: [{name: v, image:"
     " {reference: 'r:1'}}]}, status: {containerStatuses: [{name: a, resources: {requests: {cpu:"
     " 2}}, allocatedResources: {cpu: 3}}], initContainerStatuses: [{name: b, resources: {}}],"
     " resources: {requests: {cpu: 4}}, allocatedResources: {memory: 5}}}",
     "Pod /p uid=u container(a restarts-all) volume(v source=11 handle=r:1)"
     " pod-requests={cpu=1} host-network host-users-off devices(g  t) devices(h c )"
     " status(a holds={cpu=2} allocated={cpu=3}) init-status(b) pod-holds={cpu=4}"
     " pod-allocated={memory=5}\n"},
    {"--- {apiVersion: v1, kind: Namespace, metadata: {name: nn, labels: {t: x}}}",
     "Namespace /nn labels={t=x}\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: p,"
     " volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions:"
     " [{key: zone, values: [a, b]}]}, {}]}",
     "StorageClass /s provisioner=p binding=WaitForFirstConsumer topology(zone In =[a,b])"
     " topology\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d},"
     " spec: {storageCapacity: true}}",
     "CSIDriver /d capacity=1\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: nn}, spec: {drivers:"
     " [{name: d, nodeID: i, allocatable: {count: 0}}, {name: e, nodeID: j}]}}",
     "CSINode /nn driver(d i 1 0) driver(e j 0 0)\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c,"
     " namespace: s}, storageClassName: x, capacity: 1Gi, nodeTopology: {matchLabels: {z: a}}}",
     "CSIStorageCapacity s/c class=x topology< labels={z=a}> capacity=1Gi\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: c},"
     " storageClassName: x, maximumVolumeSize: 2Gi}",
     "CSIStorageCapacity /c class=x maximum=2Gi\n"},
    {"--- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {capacity: {storage:"
     " 10Gi}, accessModes: [ReadWriteOnce], storageClassName: s, volumeMode: Block,"
     " volumeAttributesClassName: gold, claimRef: {namespace: nn, name: c, uid: u}, nodeAffinity:"
     " {required: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: In, values:"
     " [a]}]}]}}, csi: {driver: d, volumeHandle: h}}, status: {phase: Bound}}",
     "PersistentVolume /v capacity=10Gi modes=[ReadWriteOnce] class=s mode=Block"
     " attributes=gold claim(nn c u) affinity[<(z In =[a])>] source=10 handle=h driver=d"
     " phase=Bound\n"},
    {"--- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: nn}, spec:"
     " {accessModes: [ReadWriteMany], storageClassName: '', volumeName: v, volumeMode: Block,"
     " volumeAttributesClassName: gold, selector: {matchLabels: {a: b}}, resources: {requests:"
     " {storage: 1Gi}}}, status: {phase: Bound}}",
     "PersistentVolumeClaim nn/c modes=[ReadWriteMany] class= volume=v mode=Block"
     " attributes=gold selector< labels={a=b}> request=1Gi phase=Bound\n"},
    {"--- {apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec:"
     " {attacher: d, nodeName: nn, source: {persistentVolumeName: v}}}",
     "VolumeAttachment /a attacher=d node=nn volume=v\n"},
    {"--- {apiVersion: v1, kind: Service, metadata: {name: s, namespace: nn}, spec: {selector:"
     " {app: web}}}",
     "Service nn/s selects selector={app=web}\n"},
    {"--- {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {}}", "Service /s\n"},
    {"--- {apiVersion: v1, kind: ReplicationController, metadata: {name: r, uid: u}, spec:"
     " {selector: {app: web}}}",
     "ReplicationController /r uid=u selector< labels={app=web}>\n"},
    {"--- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, uid: u}, spec: {replicas: 3,"
     " selector: {matchLabels: {app: web}}, template: {}}}",
     "ReplicaSet /r uid=u selector< labels={app=web}>\n"},
    {"--- {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: r, uid: u}, spec: {selector:"
     " {matchExpressions: [{key: a, operator: Exists}]}}}",
     "StatefulSet /r uid=u selector<(a Exists)>\n"},
    {"--- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector:"
     " {}, minAvailable: 50%}, status: {disruptionsAllowed: 2, disruptedPods:"
     " {p1: '2024-01-01T00:00:00Z', p2: null}}}",
     "PodDisruptionBudget /b selector<> allowed=2 disrupted=[p1,p2]\n"},
};

static void test_other_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(other_kinds) / sizeof(other_kinds[0]); i++)
        expect_objects(other_kinds[i].text, false, &whole_objects, other_kinds[i].object);
}

/* ---- shapes ---- */

#define POD(name) "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"}}"
#define BARE(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static const object_case shapes[] = {
    {POD("a"), "Pod default/a\n"},
    {"\xef\xbb\xbf" POD("a"), "Pod default/a\n"},
    {" \n" POD("a") "\n\n" POD("b") POD("c"), "Pod default/a\nPod default/b\nPod default/c\n"},
    {POD("a") "\n---\n" POD("b"), "Pod default/a\nPod default/b\n"},
    {"[" POD("a") ",null," POD("b") "]", "Pod default/a\nPod default/b\n"},
    {"[]", ""},
    {"{\"kind\":\"List\",\"items\":[" POD("a") "," POD("b") "]}", "Pod default/a\nPod default/b\n"},
    {"{\"apiVersion\":\"v1\",\"items\":[" POD("a") "],\"kind\":\"List\",\"metadata\":{}}",
     "Pod default/a\n"},
    {"{\"kind\":\"List\",\"items\":[]}", ""},
    {"{\r\"count\":1 ,\"more\":true\t,\"next\":null\r\n,\"last\":-2\n,\"kind\":\"List\" ,"
     "\r\"items\":[" POD("a") "\r,\t" POD("b") "]\r}\r",
     "Pod default/a\nPod default/b\n"},
    {"{\"kind\":\"List\",\"items\":null}", ""},
    {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[" BARE("a") "," BARE("b") "]}",
     "Pod default/a\nPod default/b\n"},
    {"{\"items\":[" BARE("a") "," BARE("b") "],\"kind\":\"PodList\"}",
     "Pod default/a\nPod default/b\n"},
    {"{\"items\":[" BARE("a") "," POD("b") "],\"kind\":\"NodeList\"}", "Pod default/b\nNode a\n"},
    {"{\"kind\":\"List\",\"items\":[{\"kind\":\"NodeList\",\"items\":[" BARE("n") "]}," POD(
         "p") "]}",
     "Node n\nPod default/p\n"},
    {"{\"kind\":\"ServiceList\",\"apiVersion\":\"serving.knative.dev/v1\",\"items\":[" BARE(
         "a") "]}",
     ""},
    {"{\"kind\":\"Basket\",\"items\":[" BARE("a") "],\"items\":[1,\"x\"]}", ""},
    {"{\"items\":[" BARE("a") "],\"kind\":\"Basket\"}", ""},
    {"kind: Pod\nmetadata: {name: a}\n---\n# none\n---\nkind: Node\nmetadata: {name: b}\n",
     "Pod default/a\nNode b\n"},
    {"apiVersion: v1\nkind: List\nitems:\n- {kind: Pod, metadata: {name: a}}\n- kind: PodList\n"
     "  items: [{metadata: {name: b, namespace: x}}]\n",
     "Pod default/a\nPod x/b\n"},
    {"- {kind: Pod, metadata: {name: a}}\n", "Pod default/a\n"},
    /* kinds and groups that no rule reads */
    {"{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":3}}", ""},
    {"{\"kind\":\"Service\",\"apiVersion\":\"serving.knative.dev/v1\",\"metadata\":3}", ""},
    {"{\"kind\":\"Job\",\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"spec\":3}", ""},
    {"{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\"}}",
     "Service default/s\n"},
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        expect_objects(shapes[i].text, false, &names_only, shapes[i].object);
    }
}

static void test_default_kind(void **state)
{
    (void)state;
    berth_error error;
    berth_reader *reader = make_reader(false, "Node");
    assert_int_equal(berth_reader_text(reader, berth__text_of(BARE("n") POD("p")), "t", collect,
                                       &names_only, &error),
                     BERTH_OK);
    assert_int_equal(berth_reader_text(reader, berth__text_of("{\"items\":[" BARE("m") "]}"), "t",
                                       collect, &names_only, &error),
                     BERTH_OK);
    assert_string_equal(got.text, "Node n\nPod default/p\nNode m\n");
    berth_reader_destroy(reader);
}

/* The callback gets an object's origin before anything can be wrong with the object. */
static void test_origin(void **state)
{
    (void)state;
    static const char text[] = "{\"kind\":\"List\",\"items\":[\n" POD("a") ",\n\n  " POD("b") "]}";
    expect_objects(text, false, &names_only, "Pod default/a\nPod default/b\n");
    assert_string_equal(got.origin.source, "test");
    assert_string_equal(got.origin.object, "Pod default/b");
    assert_int_equal(got.origin.line, 4);
    assert_int_equal(got.origin.offset, strstr(text, POD("b")) - text);
}

/* An error of a later item has the item's offset. */
static void test_offset_of_error(void **state)
{
    (void)state;
#define BAD_POD                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"spec\":{" \
    "\"priority\":{}}}"
    static const char text[] = "{\"kind\":\"List\",\"items\":[\n" POD("a") ",\n\n  " BAD_POD "]}";
    berth_reader *reader;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_reader_create(NULL, &reader, NULL), BERTH_OK);
    clear_sheet();
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", collect, &names_only, &error),
        BERTH_E_INVALID);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.offset, strstr(text, BAD_POD) - text);
    berth_reader_destroy(reader);
}

/* A field's path is cut to what an error has room for. */
static void test_long_field(void **state)
{
    (void)state;
    enum { ROOM = sizeof(((berth_error *)NULL)->field) };
    static const char before[] = "spec.containers[0].resources.requests.";
    for (size_t length = ROOM - sizeof(before) - 1; length < ROOM - sizeof(before) + 3; length++) {
        char name[ROOM + 8], text[ROOM + 256], field[2 * ROOM];
        berth_reader *reader;
        berth_error error = {.code = BERTH_OK};
        memset(name, 'r', length);
        name[length] = '\0';
        (void)snprintf(text, sizeof(text),
                       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{"
                       "\"resources\":{\"requests\":{\"%s\":\"many\"}}}]}}",
                       name);
        (void)snprintf(field, sizeof(field), "%s%s", before, name);
        field[ROOM - 1] = '\0';
        clear_sheet();
        assert_int_equal(berth_reader_create(NULL, &reader, NULL), BERTH_OK);
        assert_int_equal(
            berth_reader_text(reader, berth__text_of(text), "t", collect, &names_only, &error),
            BERTH_E_PARSE);
        assert_string_equal(error.field, field);
        berth_reader_destroy(reader);
    }
}

/* The name of a source is cut to what an error has room for. */
static void test_long_origin(void **state)
{
    (void)state;
    char name[sizeof(got.origin.source) + 10];
    const size_t room = sizeof(got.origin.source) - 1;
    for (size_t length = room - 1; length <= room + 2; length++) {
        memset(name, 'n', length);
        name[length] = '\0';
        clear_sheet();
        berth_reader *reader = make_reader(false, NULL);
        assert_int_equal(
            berth_reader_text(reader, BERTH_STR(POD("a")), name, collect, &names_only, NULL),
            BERTH_OK);
        berth_reader_destroy(reader);
        assert_int_equal(strlen(got.origin.source), length < room ? length : room);
    }
}

static void test_refusal(void **state)
{
    (void)state;
    berth_error error;
    memset(&error, 0, sizeof(error));
    got.refuse_at = 2;
    assert_int_equal(read_all(POD("a") POD("b") POD("c"), false, &names_only, &error),
                     BERTH_E_CONFLICT);
    assert_string_equal(error.message, "refused");
    assert_string_equal(error.source, "");
    assert_string_equal(got.text, "Pod default/a\n");
    memset(&error, 0, sizeof(error));
    assert_int_equal(read_all("kind: Deployment\nmetadata: {name: w}\nspec: {template: {}}\n",
                              false, &names_only, &error),
                     BERTH_E_CONFLICT);
    assert_string_equal(error.object, "");
    got.refuse_at = 0;
}

/* A list much larger than the reader's window, split at arbitrary positions. */
static void test_large_list(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    size_t size = COUNT * 1200 + 100;
    char *text = malloc(size);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, size, "{\"kind\":\"List\",\"items\":[");
    for (int i = 0; i < COUNT; i++) {
        len += (size_t)snprintf(text + len, size - len,
                                "%s\n{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"labels\":"
                                "{\"x\":\"[[{{\\\"\\\\%*s\"}}}",
                                i > 0 ? "," : "", i, i % 1000, "]");
    }
    len += (size_t)snprintf(text + len, size - len, "]}");
    berth_error error;
    char shown[1200] = "";
    berth_reader *reader = make_reader(false, NULL);
    berth_status status = berth_reader_text(reader, (berth_str){text, (uint32_t)len}, "t", collect,
                                            &names_only, &error);
    if (status != BERTH_OK)
        berth_error_format(&error, shown, sizeof(shown));
    assert_string_equal(shown, "");
    assert_int_equal(got.count[BERTH_KIND_POD], COUNT);
    assert_int_equal(got.origin.line, COUNT + 1);
    assert_string_equal(got.origin.object, "Pod default/p4999");
    berth_reader_destroy(reader);
    free(text);
}

/* ---- defaults ---- */

#define PRIORITY_CLASS \
    "--- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: "
#define FIRST_CLASS(more) PRIORITY_CLASS "first}, value: 5, preemptionPolicy: Never" more "}\n"
#define DEFAULT_CLASS PRIORITY_CLASS "second}, value: 5, globalDefault: true}\n"
#define POD_R "--- {kind: Pod, metadata: {name: r}}\n"
#define STORAGE_CLASS(name, annotations)                                             \
    "--- {kind: StorageClass, metadata: {name: " name ", annotations: {" annotations \
    "}}, volumeBindingMode: Immediate}\n"
#define STORED_CLASS(name, annotations) \
    "StorageClass /" name " annotations={" annotations "} binding=Immediate\n"
#define IS_DEFAULT "storageclass.kubernetes.io/is-default-class"
#define WAS_DEFAULT "storageclass.beta.kubernetes.io/is-default-class"
#define CLAIM_C "--- {kind: PersistentVolumeClaim, metadata: {name: c}}\n"
#define CLAIM_OF_CLASS(class) "PersistentVolumeClaim default/c" class " request=0 phase=Pending\n"
#define POD_OF_HOST(value)                                            \
    "--- {kind: Pod, metadata: {name: p}, spec: {hostNetwork: " value \
    ", containers: [{name: a, ports: [{containerPort: 7}]}]}}\n"
#define DEFAULTED_HOST_POD(port, more)                                                      \
    "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority " \
    "container(a port( TCP " port " 7))" more "\n"

static const object_case defaulted[] = {
    {"--- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: {requests:"
     " {cpu: 100u}, limits: {cpu: 1, memory: 1Gi, x/y: 2}}, ports: [{containerPort: 80}]}],"
     " initContainers: [{name: i, resources: {limits: {cpu: 2}}}], overhead: {cpu: 1u}}}",
     "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " container(a requests={cpu=1m,memory=1Gi,x/y=2} limits={cpu=1,memory=1Gi,x/y=2}"
     " port( TCP 0 80)) init(i requests={cpu=2} limits={cpu=2}) overhead={cpu=1m}\n"},
    {"--- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: {requests:"
     " {cpu: 300m}}}, {name: b, resources: {requests: {cpu: 200m}}}], initContainers: [{name: i,"
     " resources: {requests: {cpu: 600m}}}], resources: {requests: {x/y: 1}, limits: {cpu: 2,"
     " memory: 1Gi}}}}",
     "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " container(a requests={cpu=300m}) container(b requests={cpu=200m})"
     " init(i requests={cpu=600m}) pod-requests={x/y=1,cpu=600m,memory=1Gi}"
     " pod-limits={cpu=2,memory=1Gi}\n"},
    {"--- {kind: Pod, metadata: {name: p}, spec: {resources: {requests: {cpu: 1500u}, limits: {cpu:"
     " 2500u}}}}",
     "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " pod-requests={cpu=2m} pod-limits={cpu=3m}\n"},
    /* what nothing else names is requested as it is limited, the first limit, too */
    {"--- {kind: Pod, metadata: {name: p}, spec: {resources: {limits: {memory: 1Gi, cpu: 2}}}}",
     "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " pod-requests={memory=1Gi,cpu=2} pod-limits={memory=1Gi,cpu=2}\n"},
    /* containers that do not name a resource add nothing to it; sidecars run beside the others */
    {"--- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, resources: {requests:"
     " {memory: 1Gi}}}, {name: b, resources: {requests: {cpu: 1}}}], initContainers: [{name: s,"
     " restartPolicy: Always, resources: {requests: {memory: 2Gi}}}, {name: i, resources:"
     " {requests: {memory: 1536Mi}}}, {name: j, resources: {requests: {cpu: 250m}}}], resources:"
     " {limits: {cpu: 2, hugepages-2Mi: 4Mi, x/y: 1}}}}",
     "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " container(a requests={memory=1Gi}) container(b requests={cpu=1})"
     " init(s requests={memory=2Gi} always) init(i requests={memory=1536Mi})"
     " init(j requests={cpu=250m}) pod-requests={cpu=1,memory=3584Mi,hugepages-2Mi=4Mi}"
     " pod-limits={cpu=2,hugepages-2Mi=4Mi,x/y=1}\n"},
    {"--- {kind: Pod, metadata: {name: p, namespace: s}, spec: {hostNetwork: true, containers:"
     " [{name: a, ports: [{containerPort: 80}, {containerPort: 81, hostPort: 9, protocol: UDP}]}],"
     " volumes: [{name: v, rbd: {image: i}}]}}",
     "Pod s/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
     " container(a port( TCP 80 80) port( UDP 9 81)) volume(v source=6 handle=i pool=rbd)"
     " host-network\n"},
    {"--- {kind: Pod, metadata: {generateName: p-}}\n--- {kind: Pod, metadata: {generateName: p-}}",
     "Pod default/p-00000 scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority\n"
     "Pod default/p-00001 scheduler=default-scheduler priority=0 "
     "preemption=PreemptLowerPriority\n"},
    {"--- {kind: Pod, metadata: {name: p}, spec: {priorityClassName: system-node-critical}}",
     "Pod default/p scheduler=default-scheduler priority=2000001000"
     " preemption=PreemptLowerPriority\n"},
    {"--- {kind: Pod, metadata: {name: p}, spec: {priorityClassName: system-cluster-critical}}",
     "Pod default/p scheduler=default-scheduler priority=2000000000"
     " preemption=PreemptLowerPriority\n"},
    {"--- {kind: Pod, metadata: {name: p}, spec: {priority: 7, priorityClassName: absent}}",
     "Pod default/p scheduler=default-scheduler priority=7 preemption=PreemptLowerPriority\n"},
    /* a class after its pod, and a global default after both, which applies to later objects */
    {"--- {kind: Pod, metadata: {name: p}, spec: {priorityClassName: high}}\n"
     "--- {kind: Pod, metadata: {name: q}}\n"
     "--- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: high},"
     " value: 100, preemptionPolicy: Never}\n"
     "--- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: g}, value: 5,"
     " globalDefault: true}\n"
     "--- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: h}, value: 9,"
     " globalDefault: true}\n"
     "--- {kind: Pod, metadata: {name: r}}\n",
     "Pod default/q scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority\n"
     "Pod default/r scheduler=default-scheduler priority=5 preemption=PreemptLowerPriority\n"
     "Pod default/p scheduler=default-scheduler priority=100 preemption=Never\n"},
    {"--- {kind: Pod, metadata: {name: p, labels: {app: web, rev: '3'}}, spec: {affinity:"
     " {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z,"
     " labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [rev, none]}, {topologyKey: y1,"
     " matchLabelKeys: [rev]}]}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution:"
     " [{weight: 1, podAffinityTerm: {topologyKey: z, labelSelector: {}, mismatchLabelKeys:"
     " [app]}}]}}}}",
     "Pod default/p labels={app=web,rev=3} scheduler=default-scheduler priority=0"
     " preemption=PreemptLowerPriority affinity required(0 z selector< labels={a=b}(rev In =[3])>)"
     " required(0 y1) anti-affinity preferred(1 z selector<(app NotIn =[web])>)\n"},
    {"--- {kind: Namespace, metadata: {name: s}}",
     "Namespace /s labels={kubernetes.io/metadata.name=s}\n"},
    {"--- {kind: Namespace, metadata: {name: s, labels: {a: b}}}",
     "Namespace /s labels={a=b,kubernetes.io/metadata.name=s}\n"},
    {"--- {kind: Namespace, metadata: {name: s, uid: u}}", "Namespace /s uid=u\n"},
    {"--- {kind: StorageClass, metadata: {name: s}}", "StorageClass /s binding=Immediate\n"},
    {"--- {kind: PersistentVolume, metadata: {name: v}, spec: {azureDisk: {diskName: i}}}",
     "PersistentVolume /v capacity=0 source=7 handle=i disk kind=Shared phase=Available\n"},
    {"--- {kind: PersistentVolume, metadata: {name: v}, spec: {azureDisk: {diskName: i, kind: "
     "Managed}}}",
     "PersistentVolume /v capacity=0 source=7 handle=i disk kind=Managed phase=Available\n"},
    {"--- {kind: PersistentVolume, metadata: {name: v}, spec: {rbd: {image: i}}}",
     "PersistentVolume /v capacity=0 source=6 handle=i pool=rbd phase=Available\n"},
    /* claims without a class wait for the default class: the newest one with the annotation */
    {"--- {kind: PersistentVolumeClaim, metadata: {name: c}}\n"
     "--- {kind: PersistentVolumeClaim, metadata: {name: d}, spec: {storageClassName: ''}}\n"
     "--- {kind: PersistentVolumeClaim, metadata: {name: e, annotations:"
     " {volume.beta.kubernetes.io/storage-class: x}}}\n"
     "--- {kind: StorageClass, metadata: {name: s, uid: u, creationTimestamp:"
     " '2024-01-01T00:00:00Z', annotations: {storageclass.kubernetes.io/is-default-class:"
     " 'true'}}}\n"
     "--- {kind: StorageClass, metadata: {name: t, uid: u, creationTimestamp:"
     " '2023-01-01T00:00:00Z', annotations: {storageclass.kubernetes.io/is-default-class:"
     " 'true'}}}\n",
     "PersistentVolumeClaim default/d class= request=0 phase=Pending\n"
     "PersistentVolumeClaim default/e annotations={volume.beta.kubernetes.io/storage-class=x}"
     " request=0 phase=Pending\n"
     "StorageClass /s uid=u annotations={storageclass.kubernetes.io/is-default-class=true}"
     " created=1704067200000000000\n"
     "StorageClass /t uid=u annotations={storageclass.kubernetes.io/is-default-class=true}"
     " created=1672531200000000000\n"
     "PersistentVolumeClaim default/c class=s request=0 phase=Pending\n"},
    /* of equal default classes, the one that came first, even if it became one later */
    {FIRST_CLASS("") DEFAULT_CLASS POD_R,
     "Pod default/r scheduler=default-scheduler priority=5 preemption=PreemptLowerPriority\n"},
    {FIRST_CLASS("") DEFAULT_CLASS FIRST_CLASS(", globalDefault: true") POD_R,
     "Pod default/r scheduler=default-scheduler priority=5 preemption=Never\n"},
    {FIRST_CLASS(", globalDefault: true") DEFAULT_CLASS POD_R,
     "Pod default/r scheduler=default-scheduler priority=5 preemption=Never\n"},
    /* of default storage classes of the same time, the first by name; other annotations, and other
     * values, mark none */
    {STORAGE_CLASS("t", IS_DEFAULT ": 'true'") STORAGE_CLASS("s", IS_DEFAULT ": 'true'") CLAIM_C,
     STORED_CLASS("t", IS_DEFAULT "=true") STORED_CLASS("s", IS_DEFAULT "=true")
         CLAIM_OF_CLASS(" class=s")},
    {STORAGE_CLASS("s", IS_DEFAULT ": 'true'") STORAGE_CLASS("t", IS_DEFAULT ": 'true'") CLAIM_C,
     STORED_CLASS("s", IS_DEFAULT "=true") STORED_CLASS("t", IS_DEFAULT "=true")
         CLAIM_OF_CLASS(" class=s")},
    {STORAGE_CLASS("s", WAS_DEFAULT ": 'true', x: 'y'") CLAIM_C,
     STORED_CLASS("s", WAS_DEFAULT "=true,x=y") CLAIM_OF_CLASS(" class=s")},
    {STORAGE_CLASS("s", IS_DEFAULT ": 'false'") STORAGE_CLASS("t", "x: 'true'") CLAIM_C,
     STORED_CLASS("s", IS_DEFAULT "=false") STORED_CLASS("t", "x=true") CLAIM_OF_CLASS("")},
    {STORAGE_CLASS("s", IS_DEFAULT
                   ": 'true'") "--- {kind: PersistentVolumeClaim, metadata: {name: c, annotations:"
                               " {volume.beta.kubernetes.io/storage-class: x, w: z}}}\n",
     STORED_CLASS("s",
                  IS_DEFAULT "=true") "PersistentVolumeClaim default/c "
                                      "annotations={volume.beta.kubernetes.io/storage-class=x,w=z}"
                                      " request=0 phase=Pending\n"},
    {"--- {kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 1500u}}}",
     "Node /a allocatable={cpu=2m}\n"},
    {"--- {kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 2999999u, memory: 1500u,"
     " pods: 3}}}",
     "Node /a allocatable={cpu=3,memory=2m,pods=3}\n"},
    /* host ports are the containers' ports only on the host's network */
    {POD_OF_HOST("true"), DEFAULTED_HOST_POD("7", " host-network")},
    {POD_OF_HOST("false"), DEFAULTED_HOST_POD("0", "")},
    {POD_OF_HOST("null"), DEFAULTED_HOST_POD("0", "")},
};

static void test_defaults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(defaulted) / sizeof(defaulted[0]); i++)
        expect_objects(defaulted[i].text, true, &whole_objects, defaulted[i].object);
    expect_objects("--- {kind: Pod, metadata: {name: p}, spec: {priorityClassName: x, containers:"
                   " [{name: a, resources: {limits: {cpu: 1}}, ports: [{containerPort: 1}]}]}}",
                   false, &whole_objects, "Pod /p container(a limits={cpu=1} port(  0 1))\n");
}

/* Objects that had to wait for the end of the input are delivered once, and not again at the next
 * end. */
static void test_waiting_objects_come_once(void **state)
{
    (void)state;
    berth_error error = {.code = BERTH_OK};
    berth_reader *reader = make_reader(true, NULL);
    const berth_str texts[] = {
        BERTH_STR("--- {kind: Pod, metadata: {name: p}, spec: {priorityClassName: high}}\n"
                  "--- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, metadata: {name: "
                  "high}, value: 3}\n"),
        BERTH_STR("--- {kind: Pod, metadata: {name: q}}\n")};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_reader_text(reader, texts[i], "t", collect, &names_only, &error),
                         BERTH_OK);
        assert_int_equal(berth_reader_finish(reader, NULL, collect, &names_only, &error), BERTH_OK);
    }
    assert_string_equal(got.text, "Pod default/p\nPod default/q\n");
    berth_reader_destroy(reader);
}

/* ---- refused input ---- */

typedef struct fault_case {
    const char *text;
    berth_status status;
    const char *shown;
} fault_case;

#define TIME_64 "2006-01-02T15:04:05.67890123456789012345678901234567890123456789"
static_assert(sizeof(TIME_64) == 64 + 1, "so much of a text is shown");

static const fault_case faults[] = {
    {"", BERTH_E_PARSE, "test: the input is empty, expected JSON or YAML"},
    {" \n\n", BERTH_E_PARSE, "test: the input is empty, expected JSON or YAML"},
    {"# remark\n---\n", BERTH_E_PARSE, "test: the input holds no object"},
    {"hello", BERTH_E_INVALID, "test:1: expected a Kubernetes object"},
    {"a: 1\n", BERTH_E_INVALID, "test:1: the object has no kind"},
    {"{\"metadata\":{}}", BERTH_E_INVALID, "test:1: the object has no kind"},
    {"{\"kind\":\"List\",\"items\":[\n" BARE("a") "]}", BERTH_E_INVALID,
     "test:2: the object has no kind"},
    {"{\"items\":[\n\n" BARE("a") "]}", BERTH_E_INVALID, "test:3: the object has no kind"},
    {"[1]", BERTH_E_INVALID, "test:1: expected a Kubernetes object"},
    {"[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", BERTH_E_INVALID,
     "test:1: lists are nested more than 16 levels deep"},
    /* JSON that breaks off or is malformed, at every level of the splitter */
    {"{\"kind\":\"Pod\"", BERTH_E_PARSE,
     "test:1:14: found the end of the text, expected ',' or '}'"},
    {"{\"kind\":\n\"Pod", BERTH_E_PARSE,
     "test:2:5: found the end of the text, expected a closing quote"},
    {"{\"kind\":", BERTH_E_PARSE, "test:1:9: found the end of the text, expected a value"},
    {"{\"kind\"", BERTH_E_PARSE, "test:1:8: found the end of the text, expected ':' behind a key"},
    {"{\"kind\" 1}", BERTH_E_PARSE, "test:1:9: found '1', expected ':' behind a key"},
    {"{", BERTH_E_PARSE, "test:1:2: found the end of the text, expected a key in double quotes"},
    {"{\"a\":1,}", BERTH_E_PARSE, "test:1:8: found '}', expected a key in double quotes"},
    {"{\"a\":1 \"b\"}", BERTH_E_PARSE, "test:1:8: found '\"', expected ',' or '}'"},
    {"{\"a\":}", BERTH_E_PARSE, "test:1:6: found '}', expected a value"},
    {"{\"a\":{\"b\":[1,2}}", BERTH_E_PARSE,
     "test:1:17: found the end of the text, expected ',' or '}'"},
    {"{\"a\":{\"b\":[1,2}}}", BERTH_E_PARSE, "test:1:15: found '}', expected ',' or ']'"},
    {"{\"items\":[", BERTH_E_PARSE,
     "test:1:11: found the end of the text, expected a value or ']'"},
    {"{\"items\":[{", BERTH_E_PARSE,
     "test:1:12: found the end of the text, expected a closing bracket"},
    {"{\"items\":[" POD("a") "\n" POD("b") "]}", BERTH_E_PARSE,
     "test:2:1: found '{', expected ',' or ']'"},
    {"{\"items\":[" POD("a") ",\n]}", BERTH_E_PARSE, "test:2:1: found ']', expected a value"},
    {"{\"items\":[,]}", BERTH_E_PARSE, "test:1:11: found ',', expected a value"},
    {"{\"items\":[\n" POD("a") ",\n {\"kind\":\"Pod\",\n  x}]}", BERTH_E_PARSE,
     "test:4:3: found 'x', expected a string in double quotes"},
    {"{\"kind\":tru,\"items\":[" POD("a") "]}", BERTH_E_PARSE,
     "test:1:9: found 't', expected a value"},
    {"{\"items\":[" POD("a") "],\n \"kind\":\"Li\\st\"}", BERTH_E_PARSE,
     "test:2:13: found 's', expected one of \" \\ / b f n r t u behind a backslash"},
    {POD("a") " x", BERTH_E_PARSE, "test:1:40: found 'x', expected '{' or '['"},
    {POD("a") " --", BERTH_E_PARSE, "test:1:40: found '-', expected '{' or '['"},
    {"kind: Pod\nmetadata:\n  name: a\n bad: b\n", BERTH_E_PARSE,
     "test:4:2: not YAML: did not find expected key, while parsing a block mapping"},
    /* wrong types, with the object and the field */
    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":1}}}", BERTH_E_INVALID,
     "test:1: Pod default/p: metadata.labels.a: expected a string, found a number"},
    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{\"a.b/c\":true}}}",
     BERTH_E_INVALID,
     "test:1: Pod default/p: metadata.labels[a.b/c]: expected a string, found a boolean"},
    {"kind: Node\nmetadata: {name: a}\nspec: {taints: {a: b}}\n", BERTH_E_INVALID,
     "test:3: Node a: spec.taints: expected a list, found an object"},
    {"kind: Node\nmetadata: {name: a}\nspec: {unschedulable: 'true'}\n", BERTH_E_INVALID,
     "test:3: Node a: spec.unschedulable: expected a boolean, found a string"},
    {"kind: Pod\nmetadata: {name: p, namespace: s}\nspec: []\n", BERTH_E_INVALID,
     "test:3: Pod s/p: spec: expected an object, found a list"},
    {"kind: Pod\nmetadata: {name: p}\nspec: {priority: 1.5}\n", BERTH_E_INVALID,
     "test:3: Pod default/p: spec.priority: expected an integer, found 1.5"},
    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"priority\":1e3}}",
     BERTH_E_INVALID, "test:1: Pod default/p: spec.priority: expected an integer, found 1e3"},
    {"kind: Pod\nmetadata: {name: p}\nspec: {priority: 2147483648}\n", BERTH_E_RANGE,
     "test:3: Pod default/p: spec.priority: 2147483648 is out of the range of 32-bit integers"},
    {"kind: Node\nmetadata: {name: a}\nstatus: {images: [{sizeBytes: 9223372036854775808}]}\n",
     BERTH_E_RANGE,
     "test:3: Node a: status.images[0].sizeBytes: 9223372036854775808 is out of the range of"
     " 64-bit integers"},
    {"kind: Node\nmetadata: {name: a}\nstatus: {images: [{sizeBytes: 9223372036854775809}]}\n",
     BERTH_E_RANGE,
     "test:3: Node a: status.images[0].sizeBytes: 9223372036854775809 is out of the range of"
     " 64-bit integers"},
    {"kind: Node\nmetadata: {name: a}\nstatus: {images: [{sizeBytes: -92233720368547758080}]}\n",
     BERTH_E_RANGE,
     "test:3: Node a: status.images[0].sizeBytes: -92233720368547758080 is out of the range of"
     " 64-bit integers"},
    {"kind: Pod\nmetadata: {name: p, creationTimestamp: yesterday}\n", BERTH_E_PARSE,
     "test:2: Pod default/p: metadata.creationTimestamp: expected a time such as"
     " 2006-01-02T15:04:05Z, found \"yesterday\""},
    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"creationTimestamp\":\"yesterday\"}}",
     BERTH_E_PARSE,
     "test:1: Pod default/p: metadata.creationTimestamp: expected a time such as"
     " 2006-01-02T15:04:05Z, found \"yesterday\""},
    {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"creationTimestamp\":\"" TIME_64 "5\"}}",
     BERTH_E_PARSE,
     "test:1: Pod default/p: metadata.creationTimestamp: expected a time such as"
     " 2006-01-02T15:04:05Z, found \"" TIME_64 "\""},
    {"kind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    resources:\n"
     "      requests: {cpu: lots}\n",
     BERTH_E_PARSE,
     "test:7: Pod default/p: spec.containers[0].resources.requests.cpu: expected a quantity such"
     " as 500m, 2 or 1.5Gi, found \"lots\""},
    {"kind: Pod\nmetadata: {name: p}\nspec: {containers: [{resources: {requests: {cpu: -1}}}]}\n",
     BERTH_E_INVALID,
     "test:3: Pod default/p: spec.containers[0].resources.requests.cpu: must not be negative,"
     " found \"-1\""},
    {"kind: Pod\nmetadata: {name: p}\nspec: {containers: [{resources: {limits: {a/b: 1e30}}}]}\n",
     BERTH_E_RANGE,
     "test:3: Pod default/p: spec.containers[0].resources.limits[a/b]: quantity"
     " \"1000000000000000000000000000000\" is out of range"},
    {"kind: Pod\nmetadata: {name: p}\nspec: {containers: [{resources: {limits: {a: [1]}}}]}\n",
     BERTH_E_INVALID,
     "test:3: Pod default/p: spec.containers[0].resources.limits.a: expected a string, found a"
     " list"},
    {"kind: Pod\nmetadata: {namespace: s}\n", BERTH_E_INVALID,
     "test:2: Pod s/(unnamed): metadata.name: a name is required"},
    {"kind: 1\nmetadata: {}\n", BERTH_E_INVALID, "test:1: the object has no kind"},
    {"kind: Pod\nmetadata:\n  name: {{ .name }}\n", BERTH_E_PARSE,
     "test:3:10: found a template's {{, expected YAML: `helm template` renders a chart"},
};

static const fault_case default_faults[] = {
    {"kind: PriorityClass\nmetadata: {name: p}\nvalue: high\n", BERTH_E_INVALID,
     "test:3: PriorityClass default/p: value: expected a number, found a string"},
    {"kind: Pod\nmetadata: {name: p}\nspec: {affinity: {podAffinity:"
     " {requiredDuringSchedulingIgnoredDuringExecution: [{matchLabelKeys: [1]}]}}}\n",
     BERTH_E_INVALID,
     "test:3: Pod default/p: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuring"
     "Execution[0].matchLabelKeys[0]: expected a string, found a number"},
    {"kind: Pod\nmetadata: {uid: u}\n", BERTH_E_INVALID,
     "test:2: Pod default/(unnamed): metadata.name: a name is required"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        expect_fault(faults[i].text, false, faults[i].status, faults[i].shown);
    for (size_t i = 0; i < sizeof(default_faults) / sizeof(default_faults[0]); i++)
        expect_fault(default_faults[i].text, true, default_faults[i].status,
                     default_faults[i].shown);
}

/* 16 levels of lists within a list are read, in JSON and in YAML, and one more is refused. */
static void test_nested_lists(void **state)
{
    static const char *const starts[] = {"", "--- "};
    (void)state;
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        for (int levels = 17; levels <= 18; levels++) {
            static const char opening[] = "[[[[[[[[[[[[[[[[[[", closing[] = "]]]]]]]]]]]]]]]]]]";
            char text[128];
            berth_error error;
            snprintf(text, sizeof(text), "%s%.*s" POD("p") "%.*s", starts[i], levels, opening,
                     levels, closing);
            const berth_status status = read_all(text, false, &names_only, &error);
            if (status != (levels == 17 ? BERTH_OK : BERTH_E_INVALID))
                fail_msg("%s: %d", text, (int)status);
        }
}

/* Every prefix of a valid text is either valid or an error with a position; none crashes. */
static void test_truncations(void **state)
{
    (void)state;
    char text[sizeof(full_pod)];
    static const char json[] =
        "{\"kind\":\"List\",\"items\":[{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":"
        "{\"a\":\"\\u00e9\"}},\"spec\":{\"priority\":-1}}],\"x\":[1,{}]}";
    for (size_t len = 0; len < sizeof(json) - 1; len++) {
        berth_error error;
        memcpy(text, json, len);
        text[len] = '\0';
        assert_int_equal(read_all(text, false, &names_only, &error), BERTH_E_PARSE);
        assert_true(len == 0 || error.line == 1);
        assert_true(len == 0 || error.column == len + 1);
    }
    for (size_t len = 0; len < sizeof(full_pod) - 1; len++) {
        memcpy(text, full_pod, len);
        text[len] = '\0';
        read_all(text, false, &names_only, NULL);
    }
}

static void test_bombs(void **state)
{
    (void)state;
    enum { SIZE = 8 << 20 };
    static const char *const heads[] = {"", "{\"items\":", "{\"items\":[{\"a\":", "{\"a\":"};
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        berth_error error;
        memset(text, '[', SIZE);
        memcpy(text, heads[i], strlen(heads[i]));
        berth_reader *reader = make_reader(false, NULL);
        assert_int_equal(
            berth_reader_text(reader, (berth_str){text, SIZE}, "t", collect, &names_only, &error),
            BERTH_E_PARSE);
        assert_string_equal(error.message, "found '[', expected at most 1024 levels of nesting");
        assert_true(error.column < 1060);
        berth_reader_destroy(reader);
    }
    free(text);
}

static void test_wrong_calls(void **state)
{
    (void)state;
    berth_reader *reader;
    berth_error error;
    berth_read_options options = {.size = 0};
    assert_int_equal(berth_reader_create(NULL, &reader, &error), BERTH_OK);
    berth_reader_destroy(reader);
    assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_E_ARG);
    reader = make_reader(false, NULL);
    assert_int_equal(berth_reader_file(reader, NULL, collect, &names_only, &error), BERTH_E_ARG);
    assert_int_equal(berth_reader_file(reader, "x", NULL, NULL, &error), BERTH_E_ARG);
    berth_reader_destroy(reader);
    berth_reader_destroy(NULL);
}

/* ---- files ---- */

static char folder[] = "/tmp/berth-test-XXXXXX";
static char path[64];

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static size_t pack(const char *text, size_t len, unsigned char *out, size_t size)
{
    z_stream zlib = {0};
    assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    unsigned char *copy = malloc(len);
    assert_non_null(copy);
    memcpy(copy, text, len);
    zlib.next_in = copy;
    zlib.avail_in = (uInt)len;
    zlib.next_out = out;
    zlib.avail_out = (uInt)size;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    size_t packed = size - zlib.avail_out;
    deflateEnd(&zlib);
    free(copy);
    return packed;
}

static berth_status read_path(const char *name, berth_error *error)
{
    berth_reader *reader = make_reader(false, NULL);
    berth_status status = berth_reader_file(reader, name, collect, &names_only, error);
    berth_reader_destroy(reader);
    return status;
}

static void expect_file_fault(const char *name, berth_status status, const char *message)
{
    berth_error error;
    assert_int_equal(read_path(name, &error), status);
    assert_string_equal(error.source, name);
    assert_non_null(strstr(error.message, message));
}

static void test_files(void **state)
{
    (void)state;
    berth_error error;
    assert_non_null(mkdtemp(folder));
    expect_file_fault(folder, BERTH_E_IO, "is a directory");
    expect_file_fault("/nowhere/at/all", BERTH_E_IO, "cannot open: No such file");
    expect_file_fault(write_file("empty", "", 0), BERTH_E_PARSE, "the input is empty");
    expect_file_fault(write_file("nul", "\0\0\0", 3), BERTH_E_PARSE, "control characters");
    expect_file_fault(write_file("nul.json", "{\"a\":\0}", 7), BERTH_E_PARSE, "found byte 0x00");
    assert_int_equal(read_path(write_file("good", POD("a"), strlen(POD("a"))), &error), BERTH_OK);
    assert_string_equal(got.text, "Pod default/a\n");
    assert_string_equal(got.origin.source, path);
    unlink(path);
}

static void test_gzip(void **state)
{
    (void)state;
    berth_error error;
    unsigned char bytes[1024];
    size_t first = pack(POD("a"), strlen(POD("a")), bytes, sizeof(bytes));
    size_t both = first + pack(POD("b"), strlen(POD("b")), bytes + first, sizeof(bytes) - first);
    assert_int_equal(read_path(write_file("gz", bytes, both), &error), BERTH_OK);
    assert_string_equal(got.text, "Pod default/a\nPod default/b\n");
    memset(bytes + both, 0, 20);
    assert_int_equal(read_path(write_file("gz", bytes, both + 20), &error), BERTH_OK);
    assert_string_equal(got.text, "Pod default/a\nPod default/b\n");
    for (size_t len = 2; len < both; len++) {
        if (len != first)
            expect_file_fault(write_file("gz", bytes, len), BERTH_E_PARSE, "gzip data ends early");
    }
    bytes[first / 2] ^= 0xff;
    expect_file_fault(write_file("gz", bytes, both), BERTH_E_PARSE, "gzip data is damaged");
    berth_reader *reader = make_reader(false, NULL);
    first = pack(POD("m"), strlen(POD("m")), bytes, sizeof(bytes));
    assert_int_equal(berth_reader_text(reader, (berth_str){(const char *)bytes, (uint32_t)first},
                                       "t", collect, &names_only, &error),
                     BERTH_OK);
    assert_string_equal(got.text, "Pod default/m\n");
    berth_reader_destroy(reader);
}

/* Standard input that arrives through a pipe in small pieces. */
static void test_standard_input(void **state)
{
    (void)state;
    int ends[2];
    berth_error error;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned char bytes[1024];
        size_t len = pack(POD("a"), strlen(POD("a")), bytes, sizeof(bytes));
        for (size_t i = 0; i < len; i++) {
            if (write(ends[1], bytes + i, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    int kept = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    berth_status status = read_path("-", &error);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(ends[0]);
    assert_int_equal(status, BERTH_OK);
    assert_string_equal(got.text, "Pod default/a\n");
    assert_string_equal(got.origin.source, "standard input");
}

/* A file that is opened without standard input gets its descriptor, and gives it back. */
static void test_descriptor_of_standard_input(void **state)
{
    (void)state;
    char name[] = "/tmp/berth-test-XXXXXX";
    berth_error error;
    const int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, POD("a"), strlen(POD("a"))), strlen(POD("a")));
    close(file);
    const int kept = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    const berth_status status = read_path(name, &error);
    const int left = fcntl(STDIN_FILENO, F_GETFD);
    dup2(kept, STDIN_FILENO);
    close(kept);
    unlink(name);
    assert_int_equal(status, BERTH_OK);
    assert_string_equal(got.text, "Pod default/a\n");
    assert_int_equal(left, -1);
}

typedef struct progress_log {
    uint64_t last;
    uint64_t total;
    unsigned calls;
} progress_log;

static void log_progress(void *context, uint64_t done, uint64_t total)
{
    progress_log *log = context;
    assert_true(done >= log->last);
    log->last = done;
    log->total = total;
    log->calls++;
}

/* Bytes of a pipe whose first read returns one byte alone are all counted. */
static void test_progress_of_a_slow_pipe(void **state)
{
    static const char pod[] = POD("a");
    const ssize_t rest = (ssize_t)sizeof(pod) - 2;
    int ends[2], left = 1;
    progress_log log = {0};
    (void)state;
    const berth_read_options options = {
        .size = sizeof(options), .progress = log_progress, .progress_context = &log};
    berth_reader *reader;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], pod, 1), 1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* write the rest after the first byte has been read */
        alarm(30);
        while (ioctl(ends[1], FIONREAD, &left) == 0 && left > 0)
            sched_yield();
        _exit(write(ends[1], pod + 1, (size_t)rest) != rest);
    }
    close(ends[1]);
    int kept = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(berth_reader_file(reader, "-", collect, &names_only, NULL), BERTH_OK);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(ends[0]);
    assert_int_equal(log.last, sizeof(pod) - 1);
    berth_reader_destroy(reader);
}

static void test_progress(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    progress_log log = {0};
    berth_read_options options = {
        .size = sizeof(options), .progress = log_progress, .progress_context = &log};
    berth_reader *reader;
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, '\n', SIZE);
    memcpy(text, POD("a"), strlen(POD("a")));
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_file(reader, write_file("long", text, SIZE), collect, &names_only, NULL),
        BERTH_OK);
    assert_int_equal(log.last, SIZE);
    assert_int_equal(log.total, SIZE);
    assert_true(log.calls >= 3);
    berth_reader_destroy(reader);
    free(text);
}

/* ---- out of memory ---- */

static berth_status read_scarcely(const berth_allocator *allocator, const void *text)
{
    berth_reader *reader;
    berth_read_options options = {.size = sizeof(options),
                                  .apply_defaults = true,
                                  .default_kind = "Pod",
                                  .allocator = allocator};
    clear_sheet();
    BERTH_TRY(berth_reader_create(&options, &reader, NULL));
    return finish_reading(reader, berth__text_of(text), &names_only);
}

static berth_status default_scarcely(const berth_allocator *allocator, const void *input)
{
    const object_case *one = input;
    berth_reader *reader;
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .allocator = allocator};
    clear_sheet();
    BERTH_TRY(berth_reader_create(&options, &reader, NULL));
    BERTH_TRY(finish_reading(reader, berth__text_of(one->text), &whole_objects));
    assert_string_equal(got.text, one->object);
    return BERTH_OK;
}

/* If the memory suffices, all objects have their defaults, and those that wait for others come with
 * what they wait for. Texts are kept for later where memory allows. */
static void test_scarce_memory_of_defaults(void **state)
{
    (void)state;
    static const object_case waiting[] = {
        {"--- {kind: Pod, metadata: {name: p}, spec: {resourceClaims: [{name: d,"
         " resourceClaimName: x}, {name: e, resourceClaimTemplateName: t}, {name: f,"
         " resourceClaimTemplateName: t}]}}\n"
         "--- {kind: ResourceClaimTemplate, apiVersion: resource.k8s.io/v1, metadata: {name: t},"
         " spec: {metadata: {annotations: {a: b}}, spec: {devices: {requests: [{name: r, exactly:"
         " {deviceClassName: g}}]}}}}\n",
         "ResourceClaim default/p-e-5d368 uid=berth-default/p/e annotations={a=b,"
         "resource.kubernetes.io/pod-claim-name=e} owner(v1 Pod p berth-default/p controller)\n"
         "ResourceClaim default/p-f-5d3a5 uid=berth-default/p/f annotations={a=b,"
         "resource.kubernetes.io/pod-claim-name=f} owner(v1 Pod p berth-default/p controller)\n"
         "Pod default/p uid=berth-default/p scheduler=default-scheduler priority=0"
         " preemption=PreemptLowerPriority devices(d x ) devices(e  t) devices(f  t)\n"},
        {"--- {kind: Pod, metadata: {name: p}, spec: {runtimeClassName: r}}\n"
         "--- {kind: RuntimeClass, apiVersion: node.k8s.io/v1, metadata: {name: r}, handler: h,"
         " overhead: {podFixed: {cpu: 1u}}, scheduling: {nodeSelector: {a: b}, tolerations:"
         " [{operator: Exists}]}}\n",
         "Pod default/p scheduler=default-scheduler priority=0 preemption=PreemptLowerPriority"
         " overhead={cpu=1m} node-selector={a=b} toleration( Exists  )\n"},
    };
    for (size_t i = 0; i < sizeof(defaulted) / sizeof(defaulted[0]); i++) {
        scarce_until_enough(default_scarcely, &defaulted[i]);
        scarce_each_alone(default_scarcely, &defaulted[i], true);
    }
    for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
        scarce_until_enough(default_scarcely, &waiting[i]);
        scarce_each_alone(default_scarcely, &waiting[i], true);
    }
}

/* Whichever allocation fails, reading returns BERTH_E_NOMEM and leaks nothing. */
static void test_scarce_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        full_pod,
        "{\"items\":[" BARE("a") "," POD("b") "],\"kind\":\"PodList\"}",
        "kind: StatefulSet\nmetadata: {name: s}\nspec: {template: {spec: {priorityClassName: p}},"
        " volumeClaimTemplates: [{metadata: {name: v}}]}\n---\nkind: PriorityClass\nmetadata:"
        " {name: p}\nvalue: 1\n---\nkind: Deployment\nmetadata: {generateName: d-}\nspec:"
        " {template: {spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort:"
        " 1}], resources: {limits: {cpu: 1u}}}]}}}\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        scarce_until_enough(read_scarcely, texts[i]);
}

/* Devices in the forms of old and new versions: with enough memory, they are read as wanted. */
static void test_scarce_memory_of_devices(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"--- {apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: c}, spec:"
         " {devices: {requests: [{name: r, deviceClassName: g, selectors: [{cel: {expression:"
         " 'true'}}]}], constraints: [{matchAttribute: x/y}], config: [{opaque: {driver: d,"
         " parameters: {a: [1]}}}]}}}\n",
         "ResourceClaim default/c\n"},
        {"--- {apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, metadata: {name: s}, spec:"
         " {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1},"
         " devices: [{name: a, basic: {attributes: {i: {int: 1}, b: {bool: true}, s: {string: t},"
         " v: {version: 1.0.0}}, capacity: {m: {value: 1Gi}}}}]}}\n",
         "ResourceSlice s\n"},
        {"--- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:"
         " {driver: d, allNodes: true, pool: {name: p, generation: 1, resourceSliceCount: 1},"
         " devices: [{name: a, attributes: {l: {strings: [x, z]}}, taints: [{key: k, effect:"
         " NoSchedule}], allowMultipleAllocations: true, capacity: {m: {value: 4, requestPolicy:"
         " {default: 1, validValues: [1, 2, 4]}}, o: {value: 8, requestPolicy: {default: 1,"
         " validRange: {min: 1, max: 8, step: 1}}}}}]}}\n",
         "ResourceSlice s\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scarce_until_enough(read_scarcely, cases[i].text);
        assert_string_equal(got.text, cases[i].wanted);
    }
}

/* ---- everything in ../shared ---- */

static const char *shared_folder(void)
{
    const char *shared = getenv("BERTH_SHARED");
    struct stat info;
    if (shared == NULL || stat(shared, &info) != 0) {
        print_message("skipped: BERTH_SHARED names no folder\n");
        skip();
    }
    return shared;
}

static const char *const nameless = "static-kube-apiserver-healthcheck.yaml";

/* Read every file below `name`. Returns how many there were. */
static unsigned read_below(const char *name, berth_reader *reader)
{
    struct dirent **entries;
    unsigned files = 0;
    int count = scandir(name, &entries, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        char below[4096];
        struct stat info;
        snprintf(below, sizeof(below), "%s/%s", name, entries[i]->d_name);
        bool real = entries[i]->d_name[0] != '.' && stat(below, &info) == 0;
        if (real && S_ISDIR(info.st_mode)) {
            files += read_below(below, reader);
        } else if (real) {
            berth_error error;
            char shown[1200] = "";
            clear_sheet();
            berth_status status = berth_reader_file(reader, below, collect, &names_only, &error);
            if (status != BERTH_OK)
                berth_error_format(&error, shown, sizeof(shown));
            if (strstr(below, nameless) != NULL)
                assert_non_null(strstr(shown, "metadata.name: a name is required"));
            else
                assert_string_equal(shown, "");
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    return files;
}

static void test_real_manifests(void **state)
{
    (void)state;
    static const char *const parts[] = {"nodes", "snapshots", "workloads"};
    static const unsigned files[] = {12, 4, 200};
    const char *shared = shared_folder();
    for (int i = 0; i < 3; i++) {
        char name[4096];
        berth_reader *reader = make_reader(true, NULL);
        snprintf(name, sizeof(name), "%s/traces/kube-manifests/%s", shared, parts[i]);
        assert_true(read_below(name, reader) >= files[i]);
        berth_reader_destroy(reader);
    }
}

/* Lines of JSON that wrap objects: parse the line, then decode the member that holds the
 * objects. */
static void each_line(const char *name, void (*each)(const berth__json *tree))
{
    berth__json_parser *parser;
    berth__arena arena;
    enum { LINE_MAX_BYTES = 64 << 20 };
    char *line = malloc(LINE_MAX_BYTES);
    gzFile file = gzopen(name, "rb"); /* reads plain files, too */
    assert_non_null(line);
    assert_non_null(file);
    berth__arena_init(&arena, berth__allocator_default());
    assert_int_equal(berth__json_parser_create(berth__allocator_default(), &parser), BERTH_OK);
    while (gzgets(file, line, LINE_MAX_BYTES) != NULL) {
        const berth__json *tree;
        berth__arena_reset(&arena);
        assert_int_equal(berth__json_parse(parser, &arena, berth__text_of(line), &tree, NULL),
                         BERTH_OK);
        each(tree);
    }
    gzclose(file);
    berth__json_parser_destroy(parser);
    berth__arena_destroy(&arena);
    free(line);
}

static unsigned decoded;

/* What berth_object_write makes of an object; the caller frees it. */
static char *written(const berth_object *object)
{
    berth__encoder encoder;
    berth__encoder_init(&encoder, berth__allocator_default());
    berth__encode_object(&encoder, object);
    assert_true(encoder.ok);
    char *text = calloc(encoder.count + 1, 1);
    assert_non_null(text);
    memcpy(text, encoder.bytes, encoder.count);
    berth__encoder_destroy(&encoder);
    return text;
}

/* An object of a reader, written again with as little memory as suffices. */
static berth_status write_scarcely(const berth_allocator *allocator, const void *object)
{
    berth__encoder encoder;
    berth__encoder_init(&encoder, allocator);
    berth__encode_object(&encoder, object);
    const bool ok = encoder.ok;
    berth__encoder_destroy(&encoder);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status write_again(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    char **out = context;
    (void)origin;
    (void)error;
    scarce_each_request(write_scarcely, object);
    free(*out);
    *out = written(object);
    return BERTH_OK;
}

/* Texts with characters that need an escape, amounts, and parameters of drivers are written as they
 * were read. */
static void test_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"labels\": "
         "{\"b\": \"2\", \"a\": \"q\\\"b\\\\n\\nt\\td\\u007fc\\u0001\"}}}",
         "\"q\\\"b\\\\n\\nt\\td\\u007fc\\u0001\""},
        {"{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}, "
         "\"status\": "
         "{\"allocatable\": {\"storage\": \"2Gi\", \"cpu\": \"1500m\"}}}",
         "\"storage\": \"2Gi\""},
        {"{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\": "
         "\"c\"}, \"spec\": {\"resources\": {\"requests\": {\"storage\": \"500m\"}}}}",
         "\"storage\": \"500m\""},
        /* of equal keys, the last one counts; a null is an empty value */
        {"{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": "
         "{\"name\": \"s\"}, \"spec\": {\"driver\": \"d\", \"devices\": [{\"name\": \"g\", "
         "\"capacity\": {\"m\": {\"value\": \"1\"}, \"n\": null, \"m\": {\"value\": \"2\"}}}]}}",
         "\"capacity\": {\"n\": {}, \"m\": {\"value\": \"2\"}}"},
        {"{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": "
         "{\"name\": \"c\"}, \"spec\": {\"devices\": {\"config\": [{\"opaque\": {\"driver\": "
         "\"d\", \"parameters\": {\"no\": false, \"yes\": true, \"none\": null, \"n\": 1.5}}}]}}}",
         "{\"no\": false, \"yes\": true, \"none\": null, \"n\": 1.5}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *out = NULL;
        berth_error error;
        berth_reader *reader = make_reader(false, NULL);
        assert_int_equal(berth_reader_text(reader, berth__text_of(cases[i].text), "t", write_again,
                                           &out, &error),
                         BERTH_OK);
        if (strstr(out, cases[i].part) == NULL)
            fail_msg("%s lacks %s", out, cases[i].part);
        free(out);
        berth_reader_destroy(reader);
    }
}

/* A copy says the same, also when the memory of the original has been used for something else. */
static void check_copy(const berth_object *object, berth__arena *of)
{
    berth_object *copy = NULL;
    char *before = written(object);
    assert_int_equal(berth_object_copy(object, NULL, &copy, NULL), BERTH_OK);
    berth__arena_reset(of);
    for (int i = 0; i < 64; i++)
        memset(berth__arena_alloc(of, 1000, 1), 0xa5, 1000);
    char *after = written(copy);
    assert_string_equal(after, before);
    berth_object_destroy(copy);
    free(after);
    free(before);
}

static void decode(berth_kind kind, const berth__json *tree)
{
    berth__arena arena;
    berth_error error;
    char shown[1200] = "";
    berth__arena_init(&arena, berth__allocator_default());
    berth__decoder decoder = {&arena, &error};
    void *object = berth__arena_alloc_zero(&arena, berth__object_size(kind), 8);
    assert_non_null(object);
    if (berth__decode_fields(&decoder, NULL, tree, berth__fields_of(kind), object) != BERTH_OK)
        berth_error_format(&error, shown, sizeof(shown));
    assert_string_equal(shown, "");
    decoded++;
    check_copy(&(berth_object){.kind = kind, .as.any = object}, &arena);
    berth__arena_destroy(&arena);
}

/* One object of each kind that no real vector has, with most of its fields. */
static void test_copies(void **state)
{
    static const struct {
        berth_kind kind;
        const char *text;
    } objects[] = {
        {BERTH_KIND_RESOURCE_SLICE,
         "{'metadata': {'name': 's', 'labels': {'a': 'b'}}, 'spec': {'driver': 'd.example',"
         "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 1}, 'devices': [{'name': "
         "'g',"
         "'attributes': {'model': {'string': 'x'}, 'ports': {'strings': ['a']}}, 'capacity':"
         "{'memory': {'value': '1Gi', 'requestPolicy': {'default': '1', 'validValues': ['1', '2'],"
         "'validRange': {'min': '1', 'step': '1'}}}}, 'consumesCounters': [{'counterSet': 'c',"
         "'compatibilityGroups': ['one', 'two'], 'counters': {'slots': {'value': '2'}}}],"
         "'nodeSelector': {'nodeSelectorTerms': [{'matchFields': [{'key': 'metadata.name',"
         "'operator': 'In', 'values': ['n']}]}]}, 'taints': [{'key': 'k', 'effect': 'NoSchedule'}],"
         "'bindingConditions': ['ready'], 'bindingFailureConditions': ['failed']}],"
         "'sharedCounters': [{'name': 'c', 'counters': {'slots': {'value': '8'}}}]}}"},
        {BERTH_KIND_RESOURCE_CLAIM,
         "{'metadata': {'name': 'c', 'ownerReferences': [{'kind': 'Pod', 'name': 'p'}]}, 'spec':"
         "{'devices': {'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'k', 'selectors':"
         "[{'cel': {'expression': 'true'}}], 'count': 2, 'capacity': {'requests': {'m': '1'}}}},"
         "{'name': 'q', 'firstAvailable': [{'name': 'a', 'deviceClassName': 'k'}]}], 'constraints':"
         "[{'requests': ['r'], 'matchAttribute': 'd/x'}], 'config': [{'requests': ['r'], 'opaque':"
         "{'driver': 'd', 'parameters': {'x': [1]}}}]}}, 'status': {'allocation': {'devices':"
         "{'results': [{'request': 'r', 'driver': 'd', 'pool': 'p', 'device': 'g', 'shareID': 's',"
         "'consumedCapacity': {'m': '1'}, 'tolerations': [{'key': 't', 'operator': 'Exists'}]}]}},"
         "'reservedFor': [{'resource': 'pods', 'name': 'p', 'uid': 'u'}], 'devices': [{'driver': "
         "'d',"
         "'pool': 'p', 'device': 'g', 'conditions': [{'type': 'Ready', 'status': 'True'}]}]}}"},
        {BERTH_KIND_DEVICE_CLASS,
         "{'metadata': {'name': 'k'}, 'spec': {'selectors': [{'cel': {'expression': 'true'}}],"
         "'extendedResourceName': 'example.com/gpu'}}"},
        {BERTH_KIND_DEVICE_TAINT_RULE,
         "{'metadata': {'name': 't'}, 'spec': {'deviceSelector': {'driver': 'd', 'pool': 'p'},"
         "'taint': {'key': 'k', 'value': 'v', 'effect': 'NoExecute'}}}"},
        {BERTH_KIND_POD_GROUP,
         "{'metadata': {'name': 'g'}, 'spec': {'schedulingPolicy': {'gang': {'minCount': 2}},"
         "'schedulingConstraints': {'topology': [{'key': 'zone'}]}, 'priorityClassName': 'high',"
         "'parentCompositePodGroupName': 'all', 'disruptionMode': {'all': {}}}}"},
        {BERTH_KIND_COMPOSITE_POD_GROUP,
         "{'metadata': {'name': 'c'}, 'spec': {'schedulingPolicy': {'gang': {'minGroupCount': 2}},"
         "'schedulingConstraints': {'topology': [{'key': 'zone'}]}, 'priorityClassName': 'high',"
         "'parentCompositePodGroupName': 'all', 'disruptionMode': {'all': {}}}}"},
        {BERTH_KIND_CSI_STORAGE_CAPACITY,
         "{'metadata': {'name': 'c'}, 'storageClassName': 'fast', 'capacity': '1Ti',"
         "'nodeTopology': {'matchLabels': {'zone': 'a'}}}"},
        {BERTH_KIND_VOLUME_ATTACHMENT,
         "{'metadata': {'name': 'a'}, 'spec': {'attacher': 'd', 'nodeName': 'n', 'source':"
         "{'persistentVolumeName': 'v'}}}"},
        {BERTH_KIND_POD_DISRUPTION_BUDGET,
         "{'metadata': {'name': 'b'}, 'spec': {'minAvailable': '50%', 'selector': {'matchLabels':"
         "{'a': 'b'}}}, 'status': {'disruptionsAllowed': 0, 'disruptedPods': {'p': '2026-01-01T00:"
         "00:00Z'}}}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        berth__arena arena;
        berth__json_parser *parser;
        const berth__json *tree;
        char text[4096];
        snprintf(text, sizeof(text), "%s", objects[i].text);
        for (char *at = text; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
        berth__arena_init(&arena, berth__allocator_default());
        assert_int_equal(berth__json_parser_create(berth__allocator_default(), &parser), BERTH_OK);
        assert_int_equal(berth__json_parse(parser, &arena, berth__text_of(text), &tree, NULL),
                         BERTH_OK);
        decode(objects[i].kind, tree);
        berth__json_parser_destroy(parser);
        berth__arena_destroy(&arena);
    }
}

static void decode_scenario(const berth__json *tree)
{
    static const struct {
        const char *member;
        berth_kind kind;
    } parts[] = {
        {"nodes", BERTH_KIND_NODE},
        {"pods", BERTH_KIND_POD},
        {"pending", BERTH_KIND_POD},
        {"services", BERTH_KIND_SERVICE},
        {"replicationControllers", BERTH_KIND_REPLICATION_CONTROLLER},
        {"replicaSets", BERTH_KIND_REPLICA_SET},
        {"statefulSets", BERTH_KIND_STATEFUL_SET},
        {"persistentVolumes", BERTH_KIND_PERSISTENT_VOLUME},
        {"persistentVolumeClaims", BERTH_KIND_PERSISTENT_VOLUME_CLAIM},
        {"storageClasses", BERTH_KIND_STORAGE_CLASS},
        {"csiNodes", BERTH_KIND_CSI_NODE},
        {"namespaces", BERTH_KIND_NAMESPACE},
        {"podDisruptionBudgets", BERTH_KIND_POD_DISRUPTION_BUDGET},
    };
    const berth__json *scenario = berth__json_get(tree, "scenario");
    assert_non_null(scenario);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const berth__json *list = berth__json_get(scenario, parts[i].member);
        for (uint32_t k = 0; list != NULL && k < list->count; k++)
            decode(parts[i].kind, &list->as.items[k]);
    }
}

static void test_real_vectors(void **state)
{
    (void)state;
    static const char *const eras[] = {"v1.15", "v1.32"};
    const char *shared = shared_folder();
    decoded = 0;
    for (int era = 0; era < 2; era++) {
        char name[4096];
        struct dirent **entries;
        snprintf(name, sizeof(name), "%s/vectors/%s", shared, eras[era]);
        int count = scandir(name, &entries, NULL, alphasort);
        assert_true(count > 2);
        for (int i = 0; i < count; i++) {
            char below[8192];
            snprintf(below, sizeof(below), "%s/%s", name, entries[i]->d_name);
            if (strstr(below, ".jsonl.gz") != NULL)
                each_line(below, decode_scenario);
            free(entries[i]);
        }
        free(entries);
    }
    assert_true(decoded > 10000);
}

static void decode_workload(const berth__json *tree)
{
    const berth__json *kind = berth__json_get(berth__json_get(tree, "object"), "kind");
    berth_kind found;
    assert_non_null(kind);
    if (berth__kind_info_find(kind->as.text, (berth_str){0}, &found))
        decode(found, berth__json_get(tree, "object"));
}

static void test_real_workloads(void **state)
{
    (void)state;
    char name[4096];
    snprintf(name, sizeof(name), "%s/traces/kube-manifests/workloads.jsonl", shared_folder());
    decoded = 0;
    each_line(name, decode_workload);
    assert_true(decoded > 20);
}

/* An amount that rounds up to a whole unit is one, with no billion of billionths beside it. */
static berth_status see_amounts(void *context, const berth_object *object,
                                const berth_error *origin, berth_error *error)
{
    const berth_resource *amounts = object->as.node->allocatable.items;
    (void)origin;
    (void)error;
    assert_int_equal(object->as.node->allocatable.count, 2);
    assert_int_equal(amounts[0].amount.units, 3);
    assert_int_equal(amounts[0].amount.nanos, 0);
    assert_int_equal(amounts[1].amount.units, 0);
    assert_int_equal(amounts[1].amount.nanos, 2000000);
    *(bool *)context = true;
    return BERTH_OK;
}

static void test_rounded_amounts(void **state)
{
    const berth_str text = BERTH_STR("{kind: Node, metadata: {name: a}, status: {allocatable: "
                                     "{cpu: 2999999u, memory: 1500u}}}");
    bool seen = false;
    (void)state;
    berth_reader *reader = make_reader(true, NULL);
    assert_int_equal(berth_reader_text(reader, text, "test", see_amounts, &seen, NULL), BERTH_OK);
    assert_true(seen);
    berth_reader_destroy(reader);
}

static int clean_up(void **state)
{
    (void)state;
    static const char *const names[] = {"empty", "nul", "nul.json", "good", "gz", "long"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node),
        cmocka_unit_test(test_pod),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_default_kind),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_offset_of_error),
        cmocka_unit_test(test_long_field),
        cmocka_unit_test(test_long_origin),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_large_list),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_rounded_amounts),
        cmocka_unit_test(test_waiting_objects_come_once),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_nested_lists),
        cmocka_unit_test(test_truncations),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_descriptor_of_standard_input),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_of_a_slow_pipe),
        cmocka_unit_test(test_scarce_memory_of_devices),
        cmocka_unit_test(test_scarce_memory),
        cmocka_unit_test(test_scarce_memory_of_defaults),
        cmocka_unit_test(test_real_manifests),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_real_vectors),
        cmocka_unit_test(test_real_workloads),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
