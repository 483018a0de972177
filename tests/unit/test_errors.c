/* Whenever a public call fails, the error has the status that the call returns, and a message; a
 * successful call leaves the error alone. Every call that can fail is made in three ways: with
 * wrong arguments, in the wrong state, and with each of its allocations failing once. */
#include "counted_memory.h"
#include "small_cluster.h"

#include "berth/berth.h"
#include "config/config.h"
#include "versions/engine_state.h"

/* The contents of an error before each call: no status, and text in every byte. */
static berth_error error;

static void poison(void)
{
    memset(&error, 0x5a, sizeof(error));
}

static bool untouched(void)
{
    const unsigned char *bytes = (const unsigned char *)&error;
    size_t at = 0;
    while (at < sizeof(error) && bytes[at] == 0x5a)
        at++;
    return at == sizeof(error);
}

static bool ended(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* Checks that the error reports the status correctly. */
static void settled(berth_status status, const char *call)
{
    if (status == BERTH_OK) {
        if (!untouched())
            fail_msg("%s: succeeded, and wrote an error", call);
        return;
    }
    if (error.code != status)
        fail_msg("%s: status %d, but the error has %d", call, (int)status, (int)error.code);
    if (!ended(error.message, sizeof(error.message)) || error.message[0] == '\0' ||
        !ended(error.object, sizeof(error.object)) || !ended(error.field, sizeof(error.field)) ||
        !ended(error.source, sizeof(error.source)))
        fail_msg("%s: status %d without a message", call, (int)status);
}

static void expect(berth_status wanted, berth_status status, const char *call)
{
    settled(status, call);
    if (status != wanted)
        fail_msg("%s: status %d (%s), expected %d", call, (int)status,
                 status != BERTH_OK ? error.message : "", (int)wanted);
}

/* Make a call that fails; without an error struct it fails in the same way. */
#define FAIL(wanted, call) (poison(), expect(wanted, (call), #call))

/* Repeat a call until it has all the memory that it needs. */
#define DO(call)                                       \
    do {                                               \
        berth_status status_;                          \
        do {                                           \
            poison();                                  \
            status_ = (call);                          \
            settled(status_, #call);                   \
            if (status_ != BERTH_OK)                   \
                expect(BERTH_E_NOMEM, status_, #call); \
        } while (status_ != BERTH_OK);                 \
    } while (0)

static const char *const lines =
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {topology.kubernetes.io/zone: z1}}\n"
    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10', example.com/gpu: '2'}}\n---\n"
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: slow}\n"
    "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n---\n"
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\n"
    "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: slow,\n"
    "  hostPath: {path: /x}}\n---\n"
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: claim}\n"
    "spec: {storageClassName: slow, accessModes: [ReadWriteOnce],\n"
    "  resources: {requests: {storage: 1Gi}}}\n---\n"
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: budget}\n"
    "spec: {selector: {matchLabels: {app: web}}}\nstatus: {disruptionsAllowed: 1}\n---\n"
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n---\n"
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 9\n---\n"
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\n"
    "spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}},\n"
    "  spec: {containers: [{name: a, image: i}]}}}\n---\n"
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\n"
    "spec: {replicas: 2, serviceName: db, selector: {matchLabels: {app: db}},\n"
    "  volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: slow,\n"
    "  accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}],\n"
    "  template: {metadata: {labels: {app: db}}, spec: {priorityClassName: high,\n"
    "  containers: [{name: a, image: i}]}}}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, labels: {app: web}}\n"
    "spec:\n"
    "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{\n"
    "    topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}\n"
    "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone,\n"
    "    whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]\n"
    "  volumes: [{name: v, persistentVolumeClaim: {claimName: claim}}]\n"
    "  containers: [{name: a, image: i, resources: {requests: {cpu: 100m,\n"
    "    example.com/gpu: '1'}}}]\n";

static const char *const configuration =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- schedulerName: mine\n  plugins: {score: {disabled: [{name: ImageLocality}]}}\n"
    "  pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 5}},\n"
    "    {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]\n";

static const char *const policy =
    "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": "
    "\"PodFitsResources\"}], \"priorities\": [{\"name\": \"EqualPriority\", \"weight\": 2}]}";

/* ---- wrong arguments, wrong states ---- */

static berth_engine *open_engine(void)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    berth_engine *engine;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

static berth_node_id add_n1(berth_engine *engine, small_node *node)
{
    berth_object object;
    berth_node_id id;
    (void)small_node_object(node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add_node(engine, &node->node, &id, NULL), BERTH_OK);
    return id;
}

static berth_pod_id add_p1(berth_engine *engine, small_pod *pod)
{
    berth_object object;
    berth_pod_id id;
    (void)small_pod_object(pod, &object, "p1", NULL, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod->pod, &id, NULL), BERTH_OK);
    return id;
}

static void test_create(void **state)
{
    (void)state;
    static const berth_plugin nameless = {.size = sizeof(nameless)};
    static const berth_plugin *const plugins[] = {&nameless, NULL};
    berth_profile profile = {.percentage_of_nodes_to_score = -1};
    berth_engine_config config;
    berth_engine *engine = NULL;
    berth_explanation *explanation = NULL;
    const berth_allocator nothing = {.allocate = counted_allocate,
                                     .release = counted_release,
                                     .context = &(counted){.fail_at = 1, .for_good = true}};
    berth_engine_config_init(&config);
    config.threads = 5000;
    FAIL(BERTH_E_ARG, berth_engine_create(&config, &engine, &error));
    config.threads = 1;
    config.kubernetes = 7;
    FAIL(BERTH_E_UNSUPPORTED, berth_engine_create(&config, &engine, &error));
    config.kubernetes = 0;
    config.feature_gates = text("NoSuchGate=maybe");
    FAIL(BERTH_E_INVALID, berth_engine_create(&config, &engine, &error));
    config.feature_gates = (berth_str){0};
    config.plugins = plugins;
    config.plugin_count = 1;
    FAIL(BERTH_E_ARG, berth_engine_create(&config, &engine, &error));
    assert_string_equal(error.field, "plugins[0]");
    config.plugins = &plugins[1];
    FAIL(BERTH_E_ARG, berth_engine_create(&config, &engine, &error));
    config.plugins = NULL;
    config.plugin_count = 0;
    config.profiles = &profile;
    config.profile_count = 1;
    FAIL(BERTH_E_INVALID, berth_engine_create(&config, &engine, &error));
    config.profile_count = 0;
    FAIL(BERTH_E_ARG, berth_engine_create(&config, &engine, &error));
    config.profiles = NULL;
    config.allocator = &nothing;
    FAIL(BERTH_E_NOMEM, berth_engine_create(&config, &engine, &error));
    FAIL(BERTH_E_NOMEM, berth_explanation_create(&nothing, &explanation, &error));
    assert_true(engine == NULL && explanation == NULL);
}

static void test_objects(void **state)
{
    (void)state;
    berth_engine *engine = open_engine();
    small_node node;
    small_pod pod;
    berth_object object;
    berth_object *copy = NULL;
    berth_pod_id other, id;
    (void)small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add_node(engine, &node.node, NULL, NULL), BERTH_OK);
    FAIL(BERTH_E_EXISTS, berth_engine_add_node(engine, &node.node, NULL, &error));
    assert_string_equal(error.object, "Node n1");
    FAIL(BERTH_E_ARG, berth_engine_add_node(engine, NULL, NULL, &error));
    FAIL(BERTH_E_ARG, berth_engine_add_pod(engine, NULL, NULL, &error));
    (void)small_pod_object(&pod, &object, "p1", NULL, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    FAIL(BERTH_E_EXISTS, berth_engine_add_pod(engine, &pod.pod, NULL, &error));
    pod.pod.meta.name = (berth_str){0};
    FAIL(BERTH_E_INVALID, berth_engine_add(engine, &object, NULL, &error));
    assert_string_equal(error.field, "metadata.name");
    pod.pod.meta.name = text("nobody");
    FAIL(BERTH_E_NOT_FOUND, berth_engine_update(engine, &object, &error));
    pod.requests[0].amount.units = -1;
    pod.requests[0].amount.nanos = 0;
    FAIL(BERTH_E_INVALID, berth_engine_add(engine, &object, NULL, &error));
    object.kind = (berth_kind)77;
    FAIL(BERTH_E_ARG, berth_engine_add(engine, &object, NULL, &error));
    FAIL(BERTH_E_ARG, berth_engine_update(engine, &object, &error));
    FAIL(BERTH_E_ARG, berth_object_copy(&object, NULL, &copy, &error));
    FAIL(BERTH_E_ARG, berth_object_copy(NULL, NULL, &copy, &error));
    for (int kind = 0; kind <= BERTH_KIND_COUNT; kind++)
        FAIL(kind < BERTH_KIND_COUNT ? BERTH_E_NOT_FOUND : BERTH_E_ARG,
             berth_engine_remove(engine, (berth_kind)kind, text(""), text("nobody"), &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_add_like(engine, 77, text("new"), &other, &error));
    FAIL(BERTH_E_EXISTS, berth_engine_add_like(engine, id, text("p1"), &other, &error));
    FAIL(BERTH_E_INVALID, berth_engine_add_like(engine, id, text(""), &other, &error));
    berth_engine_destroy(engine);
}

static void test_decisions(void **state)
{
    (void)state;
    berth_engine *engine = open_engine();
    small_node node;
    small_pod pod;
    const berth_pod_id nobody = 77;
    berth_placement placement;
    berth_memory memory;
    int64_t amounts[2];
    uint32_t count;
    const berth_decide_options sizeless = {0};
    const berth_node_id at = add_n1(engine, &node);
    berth_pod_id id = add_p1(engine, &pod);
    FAIL(BERTH_E_NOT_FOUND,
         berth_engine_node_resource(engine, 77, text("cpu"), &amounts[0], &amounts[1], &error));
    FAIL(BERTH_E_NOT_FOUND,
         berth_engine_pod_resource(engine, nobody, text("cpu"), amounts, &error));
    FAIL(BERTH_E_ARG, berth_engine_decide(engine, id, &sizeless, &placement, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_decide(engine, nobody, NULL, &placement, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_schedule(engine, nobody, &placement, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_bind(engine, nobody, at, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_bind(engine, id, 77, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_unbind(engine, nobody, &error));
    FAIL(BERTH_E_STATE, berth_engine_unbind(engine, id, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_nominate(engine, nobody, at, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_nominate(engine, id, 77, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_cordon_node(engine, 77, true, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_close_node(engine, 77, true, &error));
    FAIL(BERTH_E_STATE, berth_engine_commit(engine, &error));
    FAIL(BERTH_E_STATE, berth_engine_rollback(engine, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_schedule_group(engine, &nobody, 1, NULL, &count, &error));
    const berth_group_options group = {.size = sizeof(group), .flags = 1u << 9},
                              no_group = {.size = 0};
    FAIL(BERTH_E_ARG, berth_engine_schedule_pods(engine, &id, 1, &group, NULL, &count, &error));
    berth_pod_group_outcome outcome = {.size = sizeof(outcome)};
    FAIL(BERTH_E_STATE, berth_engine_schedule_pod_group(engine, &id, 1, &outcome, &error));
    FAIL(BERTH_E_ARG, berth_engine_schedule_pods(engine, &id, 1, &no_group, NULL, &count, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_schedule_pods(engine, (berth_pod_id[]){id, nobody}, 2,
                                                       NULL, NULL, &count, &error));
    assert_int_equal(berth_engine_pod_node(engine, id), BERTH_NODE_NONE);
    FAIL(BERTH_E_NOT_FOUND, berth_engine_fit_count(engine, nobody, 1, &count, NULL, NULL, &error));
    const int32_t cancelled = 1;
    const berth_fit_count_options cancel = {
        .size = sizeof(cancel), .limit = 1, .cancel = &cancelled};
    FAIL(BERTH_E_CANCELLED, berth_engine_fit_count_with(engine, id, &cancel, &count, &error));
    FAIL(BERTH_E_ARG, berth_engine_fit_count_with(engine, id, NULL, &count, &error));
    assert_int_equal(berth_engine_bind(engine, id, at, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_engine_bind(engine, id, at, &error));
    FAIL(BERTH_E_STATE, berth_engine_decide(engine, id, NULL, &placement, &error));
    FAIL(BERTH_E_STATE, berth_engine_nominate(engine, id, at, &error));
    pod.pod.meta.name = text("foreign");
    pod.pod.scheduler_name = text("foreign");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    FAIL(BERTH_E_NOT_FOUND, berth_engine_schedule(engine, id, &placement, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_fit_count(engine, id, 1, &count, NULL, NULL, &error));
    poison();
    settled(berth_engine_memory(engine, &memory, &error), "berth_engine_memory");
    engine->cluster.orphan_count++;
    FAIL(BERTH_E_INTERNAL, berth_engine_check(engine, &error));
    engine->cluster.orphan_count--;
    berth_engine_destroy(engine);
}

/* Calls that only read. */
static berth_status see_object(void *context, const berth_object *object, berth_error *why)
{
    (void)context;
    (void)object;
    (void)why;
    return BERTH_OK;
}

static berth_status see_text(void *context, berth_str piece, berth_error *why)
{
    (void)context;
    (void)piece;
    (void)why;
    return BERTH_OK;
}

static void test_questions(void **state)
{
    (void)state;
    berth_engine *engine = open_engine();
    small_node node;
    small_pod pod;
    const berth_pod_id nobody = 77;
    uint32_t count;
    berth_fit fit = {.size = sizeof(fit)}, sizeless = {.size = 0};
    berth_node_info about_node = {.size = 0};
    berth_pod_info about_pod = {.size = 0};
    const berth_node_id at = add_n1(engine, &node);
    berth_pod_id id = add_p1(engine, &pod);
    FAIL(BERTH_E_ARG, berth_engine_fits(engine, id, at, 0, &sizeless, &error));
    berth_node_template shape = {.size = 0, .node = &node.node};
    FAIL(BERTH_E_ARG, berth_engine_add_nodes(engine, &shape, 1, NULL, &error));
    shape.size = sizeof(shape);
    shape.node = NULL;
    FAIL(BERTH_E_ARG, berth_engine_add_nodes(engine, &shape, 1, NULL, &error));
    berth_object *copy = NULL;
    FAIL(BERTH_E_NOT_FOUND, berth_engine_node_object(engine, 77, NULL, &copy, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_pod_claim_object(engine, 77, 0, NULL, &copy, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_pod_extended_claim(engine, 77, NULL, &copy, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_pod_object(engine, nobody, NULL, &copy, &error));
    FAIL(BERTH_E_STATE, berth_engine_pod_object(engine, id, NULL, &copy, &error));
    FAIL(BERTH_E_STATE, berth_engine_objects(engine, BERTH_KIND_POD, see_object, NULL, &error));
    FAIL(BERTH_E_STATE, berth_engine_dump(engine, see_text, NULL, &error));
    FAIL(BERTH_E_IO, berth_engine_dump_file(engine, "/nowhere/at/all", &error));
    berth_output_file *file = NULL;
    FAIL(BERTH_E_IO, berth_output_file_open("/nowhere/at/all", &file, &error));
    FAIL(BERTH_E_ARG, berth_output_file_commit(NULL, &error));
    FAIL(BERTH_E_ARG, berth_object_write(NULL, see_text, NULL, &error));
    FAIL(BERTH_E_ARG, berth_engine_set_rotation(NULL, 0, &error));
    berth_statistics numbers = {.size = 0};
    FAIL(BERTH_E_ARG, berth_engine_statistics(engine, &numbers, &error));
    node.allocatable[0].amount.units = -1;
    shape.node = &node.node;
    FAIL(BERTH_E_INVALID, berth_engine_add_nodes(engine, &shape, 1, NULL, &error));
    assert_string_equal(error.object, "Node n1-1");
    FAIL(BERTH_E_ARG, berth_engine_node_info(engine, at, &about_node, &error));
    FAIL(BERTH_E_ARG, berth_engine_pod_info(engine, id, &about_pod, &error));
    about_node.size = sizeof(about_node);
    about_pod.size = sizeof(about_pod);
    FAIL(BERTH_E_NOT_FOUND, berth_engine_node_info(engine, 77, &about_node, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_pod_info(engine, nobody, &about_pod, &error));
    FAIL(BERTH_E_ARG, berth_engine_fits(engine, id, at, 1u << 9, &fit, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_fits(engine, nobody, at, 0, &fit, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_fits(engine, id, 77, 0, &fit, &error));
    FAIL(BERTH_E_NOT_FOUND,
         berth_engine_feasible_nodes(engine, nobody, NULL, NULL, 0, &count, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_device_fits(engine, nobody, at, NULL, 0, &count, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_engine_device_fits(engine, id, 77, NULL, 0, &count, &error));
    assert_int_equal(berth_engine_bind(engine, id, at, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_engine_fits(engine, id, at, 0, &fit, &error));
    FAIL(BERTH_E_STATE, berth_engine_feasible_nodes(engine, id, NULL, NULL, 0, &count, &error));
    FAIL(BERTH_E_STATE, berth_engine_device_fits(engine, id, at, NULL, 0, &count, &error));
    pod.pod.meta.name = text("foreign");
    pod.pod.scheduler_name = text("foreign");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    FAIL(BERTH_E_NOT_FOUND, berth_engine_fits(engine, id, at, 0, &fit, &error));
    berth_engine_destroy(engine);
}

static void test_snapshots(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(), *branch;
    small_node node;
    berth_object object;
    const berth_namespace space = {.meta.name = text("space")};
    const berth_object other = {.kind = BERTH_KIND_NAMESPACE, .as.namespace_object = &space};
    berth_scheduler *scheduler;
    int64_t amounts[2];
    uint32_t count;
    berth_memory memory;
    berth_conflict conflicts[1];
    (void)small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add_node(engine, &node.node, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_engine_publish(engine, &error));
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    FAIL(BERTH_E_NOT_FOUND,
         berth_snapshot_node_resource(snapshot, 77, text("cpu"), &amounts[0], &amounts[1], &error));
    berth_node_info about_node = {.size = sizeof(about_node)};
    berth_pod_info about_pod = {.size = sizeof(about_pod)};
    FAIL(BERTH_E_NOT_FOUND, berth_snapshot_node_info(snapshot, 77, &about_node, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_snapshot_pod_info(snapshot, 77, &about_pod, &error));
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_engine_publish(branch, &error));
    assert_int_equal(berth_engine_add(branch, &other, NULL, NULL), BERTH_OK);
    FAIL(BERTH_E_EXISTS, berth_engine_add(branch, &other, NULL, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_create(branch, NULL, &scheduler, &error));
    FAIL(BERTH_E_UNSUPPORTED, berth_engine_memory(branch, &memory, &error));
    FAIL(BERTH_E_ARG, berth_branch_commit(engine, conflicts, 1, &count, &error));
    assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_branch_commit(branch, conflicts, 1, &count, &error));
    berth_branch_drop(branch);
    berth_snapshot_unpin(snapshot);
    berth_engine_destroy(engine);
}

/* Inside a callback the engine refuses changes, and the scheduler all calls but posts. */
typedef struct inside {
    berth_engine *engine;
    berth_scheduler *scheduler;
    uint32_t calls;
} inside;

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    inside *in = context;
    small_pod pod;
    berth_object object;
    berth_step step;
    berth_node_id order[4];
    berth_fit fit = {.size = sizeof(fit)};
    (void)small_pod_object(&pod, &object, "late", NULL, 100);
    in->calls++;
    FAIL(BERTH_E_STATE, berth_engine_add(in->engine, &object, NULL, &error));
    FAIL(BERTH_E_STATE, berth_engine_update(in->engine, &object, &error));
    FAIL(BERTH_E_STATE, berth_engine_unbind(in->engine, binding->pod, &error));
    FAIL(BERTH_E_STATE, berth_engine_begin(in->engine, &error));
    small_node node;
    const berth_node_template shape = {.size = sizeof(shape), .node = &node.node};
    (void)small_node_object(&node, &object, "new", NULL);
    FAIL(BERTH_E_STATE, berth_engine_add_nodes(in->engine, &shape, 1, NULL, &error));
    FAIL(BERTH_E_STATE, berth_engine_publish(in->engine, &error));
    FAIL(BERTH_E_STATE, berth_engine_node_order(in->engine, order, 4, NULL, &error));
    FAIL(BERTH_E_STATE, berth_engine_fits(in->engine, binding->pod, 0, 0, &fit, &error));
    FAIL(BERTH_E_STATE,
         berth_engine_feasible_nodes(in->engine, binding->pod, order, NULL, 4, NULL, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_step(in->scheduler, 0, &step, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_add(in->scheduler, 0, &object, NULL, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_add_pod(in->scheduler, 0, &pod.pod, NULL, &error));
    return BERTH_ANSWER_LATER;
}

static void test_scheduler(void **state)
{
    (void)state;
    inside in = {.engine = open_engine()};
    small_node node;
    small_pod pod;
    berth_object object, nothing = {.kind = BERTH_KIND_POD}, unknown = {.kind = (berth_kind)77};
    berth_scheduler *second;
    berth_step step;
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    options.backoff_max_ns = -1;
    FAIL(BERTH_E_ARG, berth_scheduler_create(in.engine, &options, &in.scheduler, &error));
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){.context = &in, .bind = on_bind};
    assert_int_equal(berth_scheduler_create(in.engine, &options, &in.scheduler, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_scheduler_create(in.engine, &options, &second, &error));
    (void)small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_scheduler_add_node(in.scheduler, 0, &node.node, NULL, NULL), BERTH_OK);
    FAIL(BERTH_E_EXISTS, berth_scheduler_add_node(in.scheduler, 0, &node.node, NULL, &error));
    (void)small_pod_object(&pod, &object, "p1", NULL, 100);
    FAIL(BERTH_E_NOT_FOUND, berth_scheduler_update(in.scheduler, 0, &object, &error));
    FAIL(BERTH_E_NOT_FOUND, berth_scheduler_remove(in.scheduler, 0, BERTH_KIND_POD, text("default"),
                                                   text("p1"), &error));
    unknown.as.pod = &pod.pod;
    FAIL(BERTH_E_ARG, berth_scheduler_post_add(in.scheduler, &nothing, &error));
    FAIL(BERTH_E_ARG, berth_scheduler_post_update(in.scheduler, &unknown, &error));
    FAIL(BERTH_E_ARG,
         berth_scheduler_post_remove(in.scheduler, (berth_kind)77, text(""), text("x"), &error));
    FAIL(BERTH_E_ARG, berth_scheduler_bind_done(in.scheduler, 1, BERTH_ANSWER_LATER, &error));
    FAIL(BERTH_E_ARG, berth_scheduler_evict_done(in.scheduler, 1, BERTH_ANSWER_LATER, &error));
    assert_int_equal(berth_scheduler_add_pod(in.scheduler, 0, &pod.pod, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_step(in.scheduler, 0, &step, NULL), BERTH_OK);
    assert_int_equal(in.calls, 1);
    assert_int_equal(berth_engine_begin(in.engine, NULL), BERTH_OK);
    FAIL(BERTH_E_STATE, berth_scheduler_advance(in.scheduler, 0, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_step(in.scheduler, 0, &step, &error));
    FAIL(BERTH_E_STATE, berth_scheduler_check(in.scheduler, &error));
    assert_int_equal(berth_engine_rollback(in.engine, NULL), BERTH_OK);
    berth_scheduler_destroy(in.scheduler);
    berth_engine_destroy(in.engine);
}

/* ---- text ---- */

static berth_status put(void *engine, const berth_object *object, const berth_error *origin,
                        berth_error *why)
{
    (void)origin;
    berth_status status = berth_engine_add(engine, object, NULL, why);
    return status == BERTH_E_EXISTS ? BERTH_OK : status;
}

/* A function that refuses without a reason. */
static berth_status refuse(void *context, const berth_object *object, const berth_error *origin,
                           berth_error *why)
{
    (void)context;
    (void)object;
    (void)origin;
    (void)why;
    return BERTH_E_CONFLICT;
}

/* A function that refuses with a reason. */
static berth_status complain(void *context, const berth_object *object, const berth_error *origin,
                             berth_error *why)
{
    (void)context;
    (void)object;
    *why = *origin;
    why->code = BERTH_E_CONFLICT;
    strcpy(why->message, "no room for it");
    return BERTH_E_CONFLICT;
}

static void test_text(void **state)
{
    (void)state;
    berth_reader *reader = NULL;
    berth_scheduler_config *config = NULL;
    berth_quantity amount;
    int64_t duration_ns;
    const berth_read_options sizeless = {0}, options = {.size = sizeof(options)};
    const berth_str pod = text("{kind: Pod, apiVersion: v1, metadata: {name: p}}");
    FAIL(BERTH_E_PARSE, berth_quantity_parse(text("1x"), &amount, &error));
    FAIL(BERTH_E_PARSE, berth_quantity_parse((berth_str){0}, &amount, &error));
    FAIL(BERTH_E_RANGE, berth_quantity_parse(text("1e30"), &amount, &error));
    FAIL(BERTH_E_PARSE, berth_duration_parse(text("1x"), &duration_ns, &error));
    FAIL(BERTH_E_RANGE, berth_duration_parse(text("2562048h"), &duration_ns, &error));
    FAIL(BERTH_E_ARG, berth_reader_create(&sizeless, &reader, &error));
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    FAIL(BERTH_E_ARG, berth_reader_text(reader, pod, "text", NULL, NULL, &error));
    FAIL(BERTH_E_ARG, berth_reader_file(reader, NULL, put, NULL, &error));
    FAIL(BERTH_E_IO, berth_reader_file(reader, "/no/such/file", put, NULL, &error));
    assert_string_equal(error.source, "/no/such/file");
    FAIL(BERTH_E_IO, berth_reader_file(reader, "/", put, NULL, &error));
    FAIL(BERTH_E_PARSE, berth_reader_text(reader, text("{\"a\": "), "text", put, NULL, &error));
    FAIL(BERTH_E_PARSE, berth_reader_text(reader, text("{a: [}"), "text", put, NULL, &error));
    FAIL(BERTH_E_CONFLICT, berth_reader_text(reader, pod, "text", refuse, NULL, &error));
    assert_string_equal(error.object, "Pod default/p");
    assert_string_equal(error.source, "text");
    FAIL(BERTH_E_CONFLICT, berth_reader_text(reader, pod, "text", complain, NULL, &error));
    assert_string_equal(error.message, "no room for it");
    FAIL(BERTH_E_ARG, berth_reader_finish(NULL, NULL, put, NULL, &error));
    berth_reader_destroy(reader);
    berth_engine *engine = open_engine();
    const berth_str twice = text("kind: Pod\napiVersion: v1\nmetadata: {name: p}\n---\n"
                                 "kind: Pod\napiVersion: v1\nmetadata: {name: p}\n");
    FAIL(BERTH_E_ARG, berth_engine_load_file(engine, NULL, NULL, NULL, &error));
    FAIL(BERTH_E_IO, berth_engine_load_file(engine, "/no/such/file", NULL, NULL, &error));
    assert_string_equal(error.source, "/no/such/file");
    FAIL(BERTH_E_ARG, berth_engine_load_text(engine, pod, "text", &sizeless, NULL, &error));
    FAIL(BERTH_E_PARSE, berth_engine_load_text(engine, text("{a: [}"), "text", NULL, NULL, &error));
    FAIL(BERTH_E_EXISTS, berth_engine_load_text(engine, twice, "text", NULL, NULL, &error));
    assert_string_equal(error.source, "text");
    assert_string_equal(error.object, "Pod default/p");
    assert_int_equal(error.line, 5);
    berth_engine_destroy(engine);
    FAIL(BERTH_E_ARG, berth_scheduler_config_file(NULL, 0, &config, &error));
    FAIL(BERTH_E_IO, berth_scheduler_config_file("/no/such/file", 0, &config, &error));
    FAIL(BERTH_E_IO,
         berth_scheduler_config_file_with_extenders("/no/such/file", 0, &config, &error));
    FAIL(BERTH_E_UNSUPPORTED, berth_scheduler_config_text(text("{}"), "text", 7, &config, &error));
    FAIL(BERTH_E_PARSE, berth_scheduler_config_text(text(""), "text", 0, &config, &error));
    FAIL(BERTH_E_INVALID, berth_scheduler_config_text(text("{}"), "text", 0, &config, &error));
    FAIL(BERTH_E_UNSUPPORTED,
         berth_scheduler_config_text(text("{kind: Pod}"), "text", 0, &config, &error));
}

/* A plugin that refuses its arguments without a message, and one that refuses a placement. */
static berth_status refuse_arguments(void *context, berth_str arguments, void *instance,
                                     berth_error *why)
{
    (void)context;
    (void)arguments;
    (void)instance;
    (void)why;
    return BERTH_E_RANGE;
}

static void take_all(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                     berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    (void)slice;
}

static berth_status refuse_placement(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                     berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
    return BERTH_E_CONFLICT;
}

static void release(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
}

static void test_plugins(void **state)
{
    (void)state;
    berth_plugin table = {
        .size = sizeof(table), .name = "Moody", .filter = take_all, .configure = refuse_arguments};
    const berth_plugin *const plugins[] = {&table};
    const berth_plugin_ref ref = {.name = text("Moody"), .weight = 1};
    const berth_plugin_list points[] = {[BERTH_POINT_FILTER] = {&ref, 1}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_FILTER + 1};
    berth_engine_config config;
    berth_engine *engine;
    small_node node;
    small_pod pod;
    berth_placement placement;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = &profile;
    config.profile_count = 1;
    FAIL(BERTH_E_UNSUPPORTED, berth_engine_create(&config, &engine, &error));
    assert_string_equal(error.field, "plugins.filter.Moody");
    config.plugins = plugins;
    config.plugin_count = 1;
    FAIL(BERTH_E_RANGE, berth_engine_create(&config, &engine, &error));
    assert_string_equal(error.object, "plugin Moody");
    table.configure = NULL;
    table.reserve = refuse_placement;
    table.unreserve = release;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    const berth_node_id at = add_n1(engine, &node);
    const berth_pod_id id = add_p1(engine, &pod);
    FAIL(BERTH_E_CONFLICT, berth_engine_bind(engine, id, at, &error));
    FAIL(BERTH_E_CONFLICT, berth_engine_schedule(engine, id, &placement, &error));
    berth_engine_destroy(engine);
}

/* ---- each allocation fails once ---- */

typedef struct scene {
    counted memory;
    berth_allocator allocator;
    berth_engine *engine;
    berth_explanation *explanation;
} scene;

/* A binding by the loop. */
static berth_answer assume(void *context, const berth_binding *binding)
{
    *(berth_binding_id *)context = binding->id;
    return BERTH_ANSWER_LATER;
}

static void load(scene *s)
{
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .allocator = &s->allocator};
    const berth_str whole = text(lines);
    berth_reader *reader;
    berth_scheduler_config *config;
    DO(berth_reader_create(&options, &reader, &error));
    DO(berth_reader_text(reader, whole, "lines", put, s->engine, &error));
    DO(berth_reader_finish(reader, s->engine, put, s->engine, &error));
    berth_reader_destroy(reader);
    DO(berth__config_read(&s->allocator, (berth__config_source){.text = text(configuration)},
                          "config", &config, &error));
    berth_scheduler_config_destroy(config);
    DO(berth__config_read(&s->allocator, (berth__config_source){.text = text(policy)}, "policy",
                          &config, &error));
    berth_scheduler_config_destroy(config);
}

static void ask(scene *s, berth_pod_id pod, berth_node_id at)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_node_id nodes[4];
    int64_t totals[4];
    uint32_t count;
    DO(berth_engine_fits(s->engine, pod, at, BERTH_FIT_REASONS, &fit, &error));
    DO(berth_engine_feasible_nodes(s->engine, pod, nodes, totals, 4, &count, &error));
}

static void change(scene *s)
{
    small_node node;
    small_pod pod;
    berth_object object;
    berth_object *copy;
    berth_node_id at, order[4];
    berth_pod_id id, more, pending[16];
    berth_placement placement;
    uint64_t waiting;
    uint32_t count;
    const berth_decide_options options = {.size = sizeof(options), .explanation = s->explanation};
    (void)small_node_object(&node, &object, "n2", "z2");
    DO(berth_engine_add_node(s->engine, &node.node, &at, &error));
    DO(berth_engine_update(s->engine, &object, &error));
    DO(berth_object_copy(&object, &s->allocator, &copy, &error));
    berth_object_destroy(copy);
    DO(berth_engine_node_object(s->engine, at, &s->allocator, &copy, &error));
    berth_object_destroy(copy);
    (void)small_pod_object(&pod, &object, "p1", NULL, 300);
    DO(berth_engine_add_pod(s->engine, &pod.pod, &id, &error));
    DO(berth_engine_pod_object(s->engine, id, &s->allocator, &copy, &error));
    berth_object_destroy(copy);
    DO(berth_engine_add_like(s->engine, id, text("p2"), &more, &error));
    DO(berth_engine_node_order(s->engine, order, 4, &count, &error));
    DO(berth_engine_pending(s->engine, pending, 16, &waiting, &error));
    for (uint64_t i = 0; i < waiting && i < 16; i++)
        DO(berth_engine_decide(s->engine, pending[i], &options, &placement, &error));
    DO(berth_engine_nominate(s->engine, id, at, &error));
    for (uint64_t i = 0; i < waiting && i < 16; i++)
        ask(s, pending[i], at);
    DO(berth_engine_begin(s->engine, &error));
    DO(berth_engine_cordon_node(s->engine, at, true, &error));
    DO(berth_engine_close_node(s->engine, 0, true, &error));
    DO(berth_engine_schedule_group(s->engine, pending, (uint32_t)waiting, NULL, &count, &error));
    const berth_node_template shape = {
        .size = sizeof(shape), .pod_count = 1, .pods = &pod.pod, .node = &node.node};
    DO(berth_engine_add_nodes(s->engine, &shape, 2, NULL, &error));
    DO(berth_engine_schedule_pods(s->engine, pending, (uint32_t)waiting, NULL, NULL, &count,
                                  &error));
    DO(berth_engine_dump(s->engine, see_text, NULL, &error));
    DO(berth_engine_rollback(s->engine, &error));
    DO(berth_engine_begin(s->engine, &error));
    DO(berth_engine_fit_count(s->engine, id, 3, &count, NULL, s->explanation, &error));
    DO(berth_engine_rollback(s->engine, &error));
    DO(berth_engine_begin(s->engine, &error));
    DO(berth_engine_bind(s->engine, id, at, &error));
    DO(berth_engine_unbind(s->engine, id, &error));
    DO(berth_engine_commit(s->engine, &error));
    DO(berth_engine_schedule(s->engine, pending[0], &placement, &error));
    DO(berth_engine_check(s->engine, &error));
}

static void share(scene *s)
{
    berth_engine *branch;
    berth_placement placement;
    berth_conflict conflicts[8];
    uint32_t count;
    berth_pod_id pending[16];
    uint64_t waiting;
    int64_t amounts[2];
    DO(berth_engine_publish(s->engine, &error));
    berth_snapshot *snapshot = berth_engine_pin(s->engine);
    DO(berth_snapshot_node_resource(snapshot, 0, text("cpu"), &amounts[0], &amounts[1], &error));
    DO(berth_snapshot_check(snapshot, &error));
    DO(berth_branch_create(snapshot, &branch, &error));
    berth_snapshot_unpin(snapshot);
    DO(berth_engine_pending(branch, pending, 16, &waiting, &error));
    for (uint64_t i = 0; i < waiting && i < 16; i++)
        DO(berth_engine_schedule(branch, pending[i], &placement, &error));
    const berth_csi_node limits = {.meta.name = text("n1")};
    const berth_object csi_node = {.kind = BERTH_KIND_CSI_NODE, .as.csi_node = &limits};
    const berth_namespace blue = {.meta.name = text("blue")};
    const berth_object space = {.kind = BERTH_KIND_NAMESPACE, .as.namespace_object = &blue};
    DO(berth_engine_add(branch, &csi_node, NULL, &error));
    DO(berth_engine_begin(branch, &error));
    DO(berth_engine_update(branch, &csi_node, &error));
    DO(berth_engine_rollback(branch, &error));
    DO(berth_engine_add(branch, &space, NULL, &error));
    DO(berth_engine_cordon_node(branch, 0, true, &error));
    DO(berth_branch_commit(branch, conflicts, 8, &count, &error));
    berth_branch_drop(branch);
    for (uint64_t i = 0; i < waiting && i < 16; i++)
        if (berth_engine_pod_node(s->engine, pending[i]) != BERTH_NODE_NONE)
            DO(berth_engine_unbind(s->engine, pending[i], &error));
    DO(berth_engine_remove(s->engine, BERTH_KIND_POD, text(""), text("p2"), &error));
    DO(berth_engine_publish(s->engine, &error));
}

static void run(scene *s)
{
    berth_binding_id binding = 0;
    berth_scheduler *scheduler;
    berth_scheduler_options options;
    small_pod pod;
    small_node node;
    berth_object object;
    berth_step step;
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){.context = &binding, .bind = assume};
    DO(berth_scheduler_create(s->engine, &options, &scheduler, &error));
    (void)small_node_object(&node, &object, "n3", "z3");
    DO(berth_scheduler_add_node(scheduler, 0, &node.node, NULL, &error));
    DO(berth_scheduler_update(scheduler, 0, &object, &error));
    (void)small_pod_object(&pod, &object, "urgent", NULL, 3900);
    pod.pod.has_priority = true;
    pod.pod.priority = 100;
    DO(berth_scheduler_add_pod(scheduler, 0, &pod.pod, NULL, &error));
    pod.pod.meta.name = text("urgent-2");
    DO(berth_scheduler_post_add(scheduler, &object, &error));
    DO(berth_scheduler_post_update(scheduler, &object, &error));
    pod.pod.meta.name = text("urgent-3");
    DO(berth_scheduler_add(scheduler, 0, &object, NULL, &error));
    for (int i = 0; i < 8; i++) {
        DO(berth_scheduler_step(scheduler, i, &step, &error));
        if (step.kind == BERTH_STEP_ASSUMED)
            DO(berth_scheduler_bind_done(
                scheduler, binding, i % 2 == 0 ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED, &error));
    }
    DO(berth_scheduler_evict_done(scheduler, 0, BERTH_ANSWER_FAILED, &error));
    DO(berth_scheduler_post_remove(scheduler, BERTH_KIND_POD, text("default"), text("urgent-2"),
                                   &error));
    DO(berth_scheduler_advance(scheduler, 100, &error));
    DO(berth_scheduler_remove(scheduler, 100, BERTH_KIND_POD, text("default"), text("urgent"),
                              &error));
    DO(berth_scheduler_check(scheduler, &error));
    berth_scheduler_destroy(scheduler);
}

/* Makes all calls with the allocation `fail_at` failing; returns the number of allocations. */
static unsigned play(unsigned fail_at)
{
    scene s = {.memory = {.fail_at = fail_at}};
    berth_engine_config config;
    s.allocator = (berth_allocator){&s.memory, counted_allocate, counted_release};
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &s.allocator;
    config.keep_objects = true;
    DO(berth_engine_create(&config, &s.engine, &error));
    DO(berth_explanation_create(&s.allocator, &s.explanation, &error));
    load(&s);
    change(&s);
    share(&s);
    run(&s);
    berth_explanation_destroy(s.explanation);
    berth_engine_destroy(s.engine);
    assert_int_equal(s.memory.bytes, 0);
    return s.memory.calls;
}

static void test_no_memory(void **state)
{
    (void)state;
    unsigned calls = play(0);
    assert_true(calls > 100);
    for (unsigned nth = 1; nth <= calls; nth++)
        (void)play(nth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),    cmocka_unit_test(test_objects),
        cmocka_unit_test(test_decisions), cmocka_unit_test(test_questions),
        cmocka_unit_test(test_snapshots), cmocka_unit_test(test_scheduler),
        cmocka_unit_test(test_text),      cmocka_unit_test(test_plugins),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
