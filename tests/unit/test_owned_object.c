/* Copies of objects: nothing is lost, and nothing is shared with the original. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "assert_text.h"
#include "berth/kube.h"
#include "scarce_memory.h"

static const char pod_text[] =
    "---\n{kind: Pod, metadata: {name: p, namespace: ns, labels: {a: b, c: d}, annotations: {e: "
    "f},\n"
    "  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: u, controller: "
    "true}]},\n"
    " spec: {schedulerName: other, priority: 7, preemptionPolicy: Never, overhead: {cpu: 10m},\n"
    "  nodeSelector: {disk: ssd}, schedulingGates: [{name: gate}],\n"
    "  tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}],\n"
    "  containers: [{name: c, image: 'app:1', ports: [{hostPort: 80, hostIP: 1.2.3.4, protocol: "
    "UDP}],\n"
    "    resources: {requests: {cpu: '1', example.com/gpu: 2}, limits: {example.com/gpu: 2}}}],\n"
    "  initContainers: [{name: i, image: 'init:1', restartPolicy: Always,\n"
    "    resources: {requests: {memory: 1Gi}}}],\n"
    "  topologySpreadConstraints: [{maxSkew: 2, minDomains: 3, topologyKey: zone,\n"
    "    whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor,\n"
    "    matchLabelKeys: [a], labelSelector: {matchLabels: {a: b},\n"
    "    matchExpressions: [{key: c, operator: In, values: [d, e]}]}}],\n"
    "  volumes: [{name: v, persistentVolumeClaim: {claimName: claim}},\n"
    "    {name: r, rbd: {image: i, pool: q, monitors: [m1, m2], readOnly: true}}],\n"
    "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms:\n"
    "      [{matchExpressions: [{key: x, operator: In, values: [yy, zz]}],\n"
    "        matchFields: [{key: metadata.name, operator: NotIn, values: [bad]}]}]},\n"
    "     preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference:\n"
    "       {matchExpressions: [{key: w, operator: Exists}]}}]},\n"
    "   podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone,\n"
    "      namespaces: [one, two], labelSelector: {matchLabels: {a: b}}}]},\n"
    "   podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 9,\n"
    "      podAffinityTerm: {topologyKey: host, namespaceSelector: {matchLabels: {t: u}}}}]}}}}\n";

static const char node_text[] =
    "---\n{kind: Node, metadata: {name: node, labels: {zone: z1}}, spec: {unschedulable: true,\n"
    "  taints: [{key: k, value: v, effect: NoExecute}]},\n"
    " status: {allocatable: {cpu: '3', example.com/gpu: 4}, images: [{names: [i1, i2],\n"
    "   sizeBytes: 77}], conditions: [{type: Ready, status: 'False', reason: r}]}}\n";

typedef struct reading {
    berth_engine *engine; /* NULL: do not add the object */
    berth_object *copy;
} reading;

static berth_status take_copy(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    (void)origin;
    reading *r = context;
    assert_int_equal(berth_object_copy(object, NULL, &r->copy, error), BERTH_OK);
    return r->engine != NULL ? berth_engine_add(r->engine, object, NULL, error) : BERTH_OK;
}

/* Copy the object of a text; the original is freed by then. */
static berth_object *copy_of(const char *from, berth_engine *engine)
{
    const berth_read_options options = {.size = sizeof(options)};
    reading r = {.engine = engine};
    berth_reader *reader = NULL;
    berth_error error;
    char *text = strdup(from);
    assert_int_equal(berth_reader_create(&options, &reader, &error), BERTH_OK);
    const berth_str whole = {text, (uint32_t)strlen(text)};
    berth_status status = berth_reader_text(reader, whole, "text", take_copy, &r, &error);
    if (status != BERTH_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, BERTH_OK);
    berth_reader_destroy(reader);
    memset(text, 'x', whole.len);
    free(text);
    return r.copy;
}

/* A pod's class contains everything that a rule reads. So if a copy lost nothing, it has the same
 * class. */
static void test_pod(void **state)
{
    (void)state;
    berth_engine *engine = NULL;
    berth_engine_config config;
    berth_counts counts;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    berth_object *copy = copy_of(pod_text, engine);
    assert_int_equal(copy->kind, BERTH_KIND_POD);
    const berth_pod *pod = copy->as.pod;
    assert_text(pod->meta.annotations.entries[0].value, "f");
    assert_text(pod->containers[0].ports[0].protocol, "UDP");
    assert_int_equal(pod->priority, 7);
    berth_pod other = *pod;
    other.meta.name = (berth_str){"other", 5};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &other};
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.pods_pending, 2);
    assert_int_equal(counts.pod_classes, 1);
    berth_object_destroy(copy);
    berth_engine_destroy(engine);
}

static void test_node(void **state)
{
    (void)state;
    berth_object *copy = copy_of(node_text, NULL);
    const berth_node *node = copy->as.node;
    assert_int_equal(copy->kind, BERTH_KIND_NODE);
    assert_text(node->meta.name, "node");
    assert_text(node->meta.labels.entries[0].key, "zone");
    assert_true(node->unschedulable);
    assert_int_equal(node->taint_count, 1);
    assert_text(node->taints[0].effect, "NoExecute");
    assert_int_equal(node->allocatable.count, 2);
    assert_int_equal(node->allocatable.items[1].amount.units, 4);
    assert_text(node->images[0].names.items[1], "i2");
    assert_int_equal(node->images[0].size_bytes, 77);
    assert_text(node->conditions[0].reason, "r");
    berth_object_destroy(copy);
    berth_object_destroy(NULL);
}

/* The copy must be complete if there is memory for it. */
static berth_status copy_scarcely(const berth_allocator *allocator, const void *original)
{
    berth_object *copy = NULL;
    const berth_status status = berth_object_copy(original, allocator, &copy, NULL);
    if (status == BERTH_OK) {
        assert_text(copy->as.pod->meta.name, "p");
        berth_object_destroy(copy);
    }
    return status;
}

/* Whichever allocation fails, nothing leaks. An invalid kind is refused. */
static void test_errors(void **state)
{
    (void)state;
    berth_object *original = copy_of(pod_text, NULL);
    berth_object *copy = NULL;
    scarce_each_request(copy_scarcely, original);
    const berth_object unknown = {.kind = BERTH_KIND_COUNT};
    assert_int_equal(berth_object_copy(&unknown, NULL, &copy, NULL), BERTH_E_ARG);
    assert_int_equal(berth_object_copy(NULL, NULL, &copy, NULL), BERTH_E_ARG);
    assert_int_equal(berth_object_copy(original, NULL, NULL, NULL), BERTH_E_ARG);
    berth_object_destroy(original);
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod),
        cmocka_unit_test(test_node),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
