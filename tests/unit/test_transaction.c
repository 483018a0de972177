/* Transactions, group placement, counting, closed nodes: what each call does and refuses, and
 * rollbacks of changes that random histories seldom contain. */
#include "profile_points.h"
#include "rule_cluster.h"

static const char small_spec[] =
    "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]";

static void begin(small_cluster *c)
{
    assert_int_equal(berth_engine_begin(c->engine, NULL), BERTH_OK);
}

static void roll_back(small_cluster *c)
{
    assert_int_equal(berth_engine_rollback(c->engine, NULL), BERTH_OK);
}

static berth_status update_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    small_cluster *c = context;
    return berth_engine_update(c->engine, object, error);
}

static void update(small_cluster *c, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_reader_text(c->reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    update_object, c, &error),
                  &error);
}

static void remove_object(small_cluster *c, berth_kind kind, const char *name)
{
    assert_int_equal(berth_engine_remove(c->engine, kind, (berth_str)TEXT("default"),
                                         (berth_str){name, (uint32_t)strlen(name)}, NULL),
                     BERTH_OK);
}

static berth_node_id place(small_cluster *c, berth_pod_id pod)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_schedule(c->engine, pod, &placement, &error), &error);
    return placement.node;
}

/* ---- begin and end ---- */

static void test_depth(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_commit(c->engine, &error), BERTH_E_STATE);
    assert_string_equal(error.message, "no transaction is open");
    assert_int_equal(berth_engine_rollback(c->engine, &error), BERTH_E_STATE);
    begin(c);
    begin(c);
    assert_int_equal(berth_engine_depth(c->engine), 2);
    assert_int_equal(berth_engine_commit(c->engine, NULL), BERTH_OK);
    roll_back(c);
    assert_int_equal(berth_engine_depth(c->engine), 0);
    assert_int_equal(berth_engine_rollback(c->engine, NULL), BERTH_E_STATE);
}

/* An inner commit is undone when the outer transaction is rolled back. */
static void test_inner_commit(void **state)
{
    small_cluster *c = *state;
    berth_node_id node = small_node(c, "m0", "");
    begin(c);
    begin(c);
    berth_pod_id pod = small_pod(c, "p", NULL, "", small_spec);
    assert_int_equal(place(c, pod), node);
    assert_int_equal(berth_engine_commit(c->engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_pod_node(c->engine, pod), node);
    roll_back(c);
    assert_true(berth_engine_find_pod(c->engine, (berth_str)TEXT("default"),
                                      (berth_str)TEXT("p")) == BERTH_POD_NONE);
}

/* What a node had before is kept however much it is: here the host ports of many pods. */
static void test_many_ports(void **state)
{
    enum { PODS = 40, PORTS = 60 };
    small_cluster *c = *state;
    small_node(c, "a", "");
    for (int i = 0; i < PODS; i++) {
        char name[16], spec[PORTS * 24 + 64];
        size_t at = (size_t)snprintf(spec, sizeof(spec), "containers: [{name: c, ports: [");
        for (int k = 0; k < PORTS; k++)
            at += (size_t)snprintf(spec + at, sizeof(spec) - at, "{hostPort: %d}, ",
                                   1000 + i * PORTS + k);
        snprintf(spec + at, sizeof(spec) - at, "]}]");
        snprintf(name, sizeof(name), "p%d", i);
        small_pod(c, name, "a", "", spec);
    }
    static const char port[] = "containers: [{name: c, ports: [{hostPort: 1}]}]";
    const berth_pod_id pod = small_pod(c, "pod", NULL, "", port);
    begin(c);
    assert_int_not_equal(place(c, pod), BERTH_NODE_NONE);
    small_decide(c, small_pod(c, "other", NULL, "", port));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    roll_back(c);
    assert_int_not_equal(place(c, pod), BERTH_NODE_NONE);
}

/* The ids of a transaction that was rolled back are used again. */
static void test_ids(void **state)
{
    small_cluster *c = *state;
    small_node(c, "m0", "");
    begin(c);
    berth_node_id node = small_node(c, "x", "");
    berth_pod_id pod = small_pod(c, "p", "x", "", small_spec);
    roll_back(c);
    assert_int_equal(berth_engine_node_name(c->engine, node).len, 0);
    assert_true(small_pod(c, "q", NULL, "", small_spec) == pod);
    assert_int_equal(small_node(c, "z0", ""), node);
}

/* Checks the pods of a node by the last letter of their names, in kube-scheduler's order: the
 * list's, backwards. */
static void node_pods_are(small_cluster *c, berth_node_id node, const char *wanted)
{
    berth_pod_id pods[8];
    char found[9] = "";
    const uint32_t count = berth_engine_node_pods(c->engine, node, pods, 8);
    for (uint32_t i = 0; i < count; i++) {
        berth_str space, name;
        berth_engine_pod_name(c->engine, pods[i], &space, &name);
        found[count - 1 - i] = name.data[name.len - 1];
    }
    assert_string_equal(found, wanted);
}

/* When a pod is removed, the last one takes its place; a rollback undoes this wherever the place
 * was. */
static void test_order_on_node(void **state)
{
    small_cluster *c = *state;
    static const struct {
        const char *pod, *left;
    } gaps[] = {{"a", "dbc"}, {"b", "adc"}, {"c", "abd"}, {"d", "abc"}};
    berth_node_id node = small_node(c, "m0", "");
    for (const char *name = "a\0b\0c\0d\0"; *name != '\0'; name += 2)
        small_pod(c, name, "m0", "", small_spec);
    node_pods_are(c, node, "abcd");
    for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
        begin(c);
        remove_object(c, BERTH_KIND_POD, gaps[i].pod);
        node_pods_are(c, node, gaps[i].left);
        roll_back(c);
        node_pods_are(c, node, "abcd");
    }
    remove_object(c, BERTH_KIND_POD, "b");
    small_pod(c, "e", "m0", "", small_spec);
    node_pods_are(c, node, "adce");
}

/* Destroying an engine with an open transaction leaks nothing (checked by the sanitizer). */
static void test_open_to_the_end(void **state)
{
    small_cluster *c = *state;
    small_node(c, "m0", "");
    small_pod(c, "p", "m0", "", small_spec);
    begin(c);
    remove_object(c, BERTH_KIND_POD, "p");
    remove_object(c, BERTH_KIND_NODE, "m0");
    small_node(c, "m", "");
}

/* ---- what a rollback restores ---- */

/* v1.15 picks among equals in turn; a rollback restores the turn. */
static void test_turns_of_equals(void **state)
{
    (void)state;
    small_cluster c;
    berth_profile legacy = *berth_profile_default();
    legacy.tie = BERTH_TIE_ROUND_ROBIN;
    small_open(&c, &legacy);
    small_node(&c, "a", "");
    small_node(&c, "b", "");
    small_node(&c, "c", "");
    berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    berth_placement first, again;
    begin(&c);
    assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &first, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &again, NULL), BERTH_OK);
    assert_int_not_equal(first.node, again.node);
    roll_back(&c);
    assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &again, NULL), BERTH_OK);
    assert_int_equal(first.node, again.node);
    small_close(&c);
}

/* How many conditions a pod has. */
static uint32_t condition_count(const small_cluster *c, berth_pod_id pod)
{
    berth_object *object = NULL;
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_pod_object(c->engine, pod, NULL, &object, &error), &error);
    const uint32_t count = object->as.pod->condition_count;
    berth_object_destroy(object);
    return count;
}

/* An update clears the condition that a scheduler evicts the pod; a rollback restores it. */
static void test_disruption_of_a_pod(void **state)
{
    (void)state;
    static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: a, "
                              "containers: [{name: c, image: i}]}\n";
    small_cluster c;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.keep_objects = true;
    small_open_as(&c, config);
    small_node(&c, "a", "");
    const berth_pod_id id = small_addf(&c,
                                       "%sstatus: {conditions: [{type: DisruptionTarget, status: "
                                       "'True', reason: PreemptionByScheduler}]}\n",
                                       pod);
    assert_int_equal(condition_count(&c, id), 1);
    begin(&c);
    update(&c, pod);
    assert_int_equal(condition_count(&c, id), 0);
    roll_back(&c);
    assert_int_equal(condition_count(&c, id), 1);
    small_close(&c);
}

/* A volume's reservation for a claim survives a rollback of the volume's update. */
static void test_reservation_outlives_update(void **state)
{
    small_cluster *c = *state;
    static const char volume[] =
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {capacity: "
        "{storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: wait, csi: {driver: d, "
        "volumeHandle: h}}\nstatus: {phase: Available}\n";
    small_node(c, "m0", "");
    small_add(c, "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: wait}\n"
                 "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: "
                 "WaitForFirstConsumer\n");
    small_add(c, volume);
    for (int i = 0; i < 2; i++) {
        char claim[512];
        snprintf(
            claim, sizeof(claim),
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c%d, namespace: "
            "default}\nspec: {accessModes: [ReadWriteOnce], storageClassName: wait, resources: "
            "{requests: {storage: 1Gi}}}\n",
            i);
        small_add(c, claim);
    }
    static const char with[] = "containers: [{name: c, image: i}], volumes: [{name: v, "
                               "persistentVolumeClaim: {claimName: c%d}}]";
    char spec[256];
    snprintf(spec, sizeof(spec), with, 0);
    assert_int_not_equal(place(c, small_pod(c, "p0", NULL, "", spec)), BERTH_NODE_NONE);
    snprintf(spec, sizeof(spec), with, 1);
    berth_pod_id other = small_pod(c, "p1", NULL, "", spec);
    begin(c);
    update(c, volume); /* an update of the volume ends its reservation */
    small_decide(c, other);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    roll_back(c);
    small_decide(c, other);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
}

/* A node's attachments are dropped with its id, even if the store knows its name. */
static void test_id_of_node_with_driver(void **state)
{
    small_cluster *c = *state;
    small_node(c, "m0", "");
    static const char drivers[] = "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: "
                                  "%s}\nspec: {drivers: [{name: d, allocatable: {count: %d}}]}\n";
    small_addf(c, drivers, "x", 0);
    small_addf(c, drivers, "z0", 5);
    small_add(c, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {capacity: "
                 "{storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: h}, "
                 "claimRef: {name: c, namespace: default}}\nstatus: {phase: Bound}\n");
    small_add(c, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: "
                 "default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\nspec: "
                 "{accessModes: [ReadWriteOnce], volumeName: v, resources: {requests: {storage: "
                 "1Gi}}}\nstatus: {phase: Bound}\n");
    berth_pod_id pod = small_pod(c, "p", NULL, "",
                                 "containers: [{name: c, image: i}], volumes: [{name: v, "
                                 "persistentVolumeClaim: {claimName: c}}]");
    begin(c);
    berth_node_id node = small_node(c, "x", "");
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, node),
                        "NodeVolumeLimits: node(s) exceed max volume count");
    roll_back(c);
    assert_int_equal(small_node(c, "z0", ""), node);
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, node), "");
}

/* Resources get new numbers; results prepared with the old numbers are not used. */
static void test_names_of_resources(void **state)
{
    small_cluster *c = *state;
    static const char node[] = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: "
                               "{allocatable: {cpu: '4', memory: "
                               "8Gi, pods: '110', example.com/%s: '%d'}}\n";
    static const char asks[] = "containers: [{name: c, image: i, resources: {requests: {%s: 1}, "
                               "limits: {%s: 1}}}]";
    char text[512];
    small_node(c, "m0", "");
    berth_pod_id plain = small_pod(c, "plain", NULL, "", small_spec);
    begin(c);
    small_addf(c, node, "a", "foo", 3);
    snprintf(text, sizeof(text), asks, "example.com/foo", "example.com/foo");
    small_decide(c, small_pod(c, "foo", NULL, "", text));
    assert_int_equal(c->placement.feasible_count, 1);
    small_decide(c, plain);
    roll_back(c);
    small_addf(c, node, "b", "bar", 1);
    snprintf(text, sizeof(text), asks, "example.com/bar", "example.com/bar");
    berth_pod_id bar = small_pod(c, "bar", NULL, "", text);
    assert_int_not_equal(place(c, bar), BERTH_NODE_NONE);
    berth_pod_id second = small_pod(c, "bar2", NULL, "", text);
    small_decide(c, second);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    int64_t allocatable, requested;
    assert_int_equal(berth_engine_node_resource(c->engine, 1, (berth_str)TEXT("example.com/foo"),
                                                &allocatable, &requested, NULL),
                     BERTH_OK);
    assert_int_equal(allocatable, 0);
}

/* Nominations are restored, including one that a higher-priority nomination ended. */
static void test_nominations(void **state)
{
    small_cluster *c = *state;
    berth_node_id node = small_node(c, "m0", "");
    static const char low[] = "priority: 1, containers: [{name: c, image: i, resources: {requests: "
                              "{cpu: 3}}}]";
    static const char high[] = "priority: 9, containers: [{name: c, image: i, resources: "
                               "{requests: {cpu: 2}}}]";
    berth_pod_id first = small_pod(c, "first", NULL, "", low);
    berth_pod_id second = small_pod(c, "second", NULL, "", high);
    berth_pod_id asking = small_pod(c, "asking", NULL, "",
                                    "priority: 1, containers: [{name: c, "
                                    "image: i, resources: {requests: {cpu: 2}}}]");
    assert_int_equal(berth_engine_nominate(c->engine, first, node, NULL), BERTH_OK);
    small_decide(c, asking);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    begin(c);
    assert_int_equal(berth_engine_nominate(c->engine, second, node, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(c->engine, second, node, NULL), BERTH_OK);
    small_decide(c, asking); /* the first nomination has ended, the second is suspended */
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    roll_back(c);
    small_decide(c, asking);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(berth_engine_nominate(c->engine, first, BERTH_NODE_NONE, NULL), BERTH_OK);
    small_decide(c, asking);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
}

/* ---- groups ---- */

static void test_group(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_node(c, "b", "");
    berth_pod_id pods[9];
    berth_placement placements[9];
    uint32_t placed = 99;
    for (int i = 0; i < 9; i++) {
        char name[] = {'p', (char)('0' + i), '\0'};
        pods[i] = small_pod(c, name, NULL, "", small_spec);
    }
    assert_int_equal(berth_engine_schedule_group(c->engine, pods, 9, placements, &placed, NULL),
                     BERTH_OK);
    assert_int_equal(placed, 8);
    assert_int_equal(placements[8].verdict, BERTH_VERDICT_UNSCHEDULABLE);
    for (int i = 0; i < 9; i++)
        assert_int_equal(berth_engine_pod_node(c->engine, pods[i]), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_schedule_group(c->engine, pods, 8, NULL, &placed, NULL),
                     BERTH_OK);
    assert_int_equal(placed, 8);
    for (int i = 0; i < 8; i++)
        assert_int_not_equal(berth_engine_pod_node(c->engine, pods[i]), BERTH_NODE_NONE);
    /* A pod that already has a node is an error, and nothing changes. */
    assert_int_equal(berth_engine_schedule_group(c->engine, &pods[7], 2, NULL, &placed, NULL),
                     BERTH_E_STATE);
    assert_int_equal(berth_engine_depth(c->engine), 0);
}

static void test_fit_count(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    small_node(c, "b", "");
    berth_pod_id pod = small_pod(c, "p", "a", "", small_spec);
    small_pod(c, "p-1", NULL, "", small_spec); /* has the first name */
    berth_node_id nodes[20];
    uint32_t count;
    assert_int_equal(
        berth_engine_fit_count(c->engine, pod, 20, &count, nodes, c->explanation, NULL), BERTH_OK);
    assert_int_equal(count, 7);
    uint32_t on_a = 0;
    for (uint32_t i = 0; i < count; i++)
        on_a += nodes[i] == a;
    assert_int_equal(on_a, 3);
    assert_text(berth_explanation_message(c->explanation),
                "0/2 nodes are available: 2 Insufficient cpu. "
                "preemption: 0/2 nodes are available: "
                "2 No preemption victims found for incoming pod.");
    assert_int_equal(berth_engine_fit_count(c->engine, pod, 3, &count, NULL, NULL, NULL), BERTH_OK);
    assert_int_equal(count, 3);
    berth_counts counts;
    berth_engine_counts(c->engine, &counts);
    assert_int_equal(counts.pods_running, 1);
    assert_int_equal(counts.pods_pending, 1);
    assert_int_equal(berth_engine_fit_count(c->engine, 12345, 3, &count, NULL, NULL, NULL),
                     BERTH_E_NOT_FOUND);
}

static void test_pods_alike(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", "a", "", "priority: 7, containers: [{name: c, image: i}]");
    berth_pod_id id;
    const berth_str name = TEXT("q");
    assert_int_equal(berth_engine_add_like(c->engine, pod, name, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_pod_priority(c->engine, id), 7);
    assert_int_equal(berth_engine_pod_node(c->engine, id), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_add_like(c->engine, pod, name, &id, NULL), BERTH_E_EXISTS);
    assert_int_equal(berth_engine_add_like(c->engine, pod, (berth_str){0}, &id, NULL),
                     BERTH_E_INVALID);
    assert_int_equal(berth_engine_add_like(c->engine, 999, name, &id, NULL), BERTH_E_NOT_FOUND);
}

/* ---- nodes ---- */

static void test_cordon(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", NULL, "", small_spec);
    begin(c);
    assert_int_equal(berth_engine_cordon_node(c->engine, a, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_cordon_node(c->engine, a, true, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, a), "NodeUnschedulable: node(s) were unschedulable");
    roll_back(c);
    small_decide(c, pod);
    assert_int_equal(c->placement.node, a);
    assert_int_equal(berth_engine_cordon_node(c->engine, 77, true, NULL), BERTH_E_NOT_FOUND);
}

/* A closed node also refuses pods that tolerate a cordon, with the same message. */
static void test_close(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", NULL, "",
                                 "priority: 9, tolerations: [{operator: Exists}], containers: "
                                 "[{name: c, image: i, resources: {requests: {cpu: 1}}}]");
    small_pod(c, "low", "a", "", small_spec);
    assert_int_equal(berth_engine_cordon_node(c->engine, a, true, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_int_equal(c->placement.node, a);
    assert_int_equal(berth_engine_close_node(c->engine, a, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_nominate(c->engine, pod, a, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, a), "NodeUnschedulable: node(s) were unschedulable");
    assert_text(berth_explanation_message(c->explanation),
                "0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are "
                "available: 1 Preemption is not helpful for scheduling.");
    int64_t allocatable, requested;
    assert_int_equal(berth_engine_node_resource(c->engine, a, (berth_str)TEXT("pods"), &allocatable,
                                                &requested, NULL),
                     BERTH_OK);
    assert_int_equal(allocatable, 110);
    const berth_decide_options alone = {
        .size = sizeof(alone), .flags = BERTH_DECIDE_SEARCH_ONLY, .explanation = c->explanation};
    assert_int_equal(berth_engine_decide(c->engine, pod, &alone, &c->placement, NULL), BERTH_OK);
    assert_text(berth_explanation_message(c->explanation),
                "0/1 nodes are available: 1 node(s) were unschedulable.");
    small_node(c, "b", ""); /* a new layout leaves the node closed */
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, a), "NodeUnschedulable: node(s) were unschedulable");
    assert_int_equal(berth_engine_close_node(c->engine, a, false, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, a), "");
    assert_int_equal(berth_engine_close_node(c->engine, 77, true, NULL), BERTH_E_NOT_FOUND);
}

/* A closed node that is removed and added again is open, unless that is rolled back. */
static void test_close_ends_with_the_node(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", NULL, "", small_spec);
    assert_int_equal(berth_engine_close_node(c->engine, a, true, NULL), BERTH_OK);
    begin(c);
    remove_object(c, BERTH_KIND_NODE, "a");
    small_node(c, "a", "");
    small_decide(c, pod);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    roll_back(c);
    small_decide(c, pod);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
}

/* Nodes are closed even under a profile that does not count pods, on both paths. */
static void test_close_without_counting_pods(void **state)
{
    (void)state;
    small_cluster c;
    berth_profile bare = *berth_profile_default();
    berth_plugin_ref filter = {.name = TEXT("NodeName")};
    berth_plugin_ref score = {.name = TEXT("NodeResourcesBalancedAllocation"), .weight = 1};
    profile_points room;
    berth_plugin_list *points = own_points(&bare, &room);
    points[BERTH_POINT_FILTER] = (berth_plugin_list){&filter, 1};
    points[BERTH_POINT_SCORE] = (berth_plugin_list){&score, 1};
    small_open(&c, &bare);
    berth_node_id a = small_node(&c, "a", ""), b = small_node(&c, "b", "");
    berth_pod_id pod = small_pod(&c, "p", NULL, "", small_spec);
    berth_placement placement;
    for (int i = 0; i < 4; i++) {
        berth_node_id closed = i % 2 == 0 ? a : b;
        assert_int_equal(berth_engine_close_node(c.engine, closed, true, NULL), BERTH_OK);
        assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.node, i % 2 == 0 ? b : a);
        assert_int_equal(berth_engine_close_node(c.engine, closed, false, NULL), BERTH_OK);
        assert_int_equal(berth_engine_decide(c.engine, pod, NULL, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.feasible_count, 2);
    }
    small_close(&c);
}

static void test_pods_of_a_node(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id ids[2] = {small_pod(c, "p", "a", "", small_spec),
                           small_pod(c, "q", "a", "", small_spec)};
    berth_pod_id got[2] = {0, 0};
    assert_int_equal(berth_engine_node_pods(c->engine, a, got, 1), 2);
    assert_true(got[0] == ids[1] && got[1] == 0);
    assert_int_equal(berth_engine_node_pods(c->engine, a, got, 2), 2);
    assert_true(got[0] == ids[1] && got[1] == ids[0]);
    assert_int_equal(berth_engine_node_pods(c->engine, 55, got, 2), 0);
}

static void test_forbidden(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_budget(c, "{matchLabels: {app: x}}", "disruptionsAllowed: 1");
    berth_pod_id ids[4];
    bool forbidden[4];
    ids[0] = small_pod(c, "p", "a", ", labels: {app: x}", small_spec);
    ids[1] = small_pod(c, "q", "a", ", labels: {app: z}", small_spec);
    ids[2] = small_pod(c, "r", "a", ", labels: {app: x}", small_spec);
    ids[3] = BERTH_POD_NONE;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_engine_forbidden(c->engine, ids, 4, forbidden), 1);
        assert_true(!forbidden[0] && !forbidden[1] && forbidden[2] && !forbidden[3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLUSTER(test_depth),
        WITH_CLUSTER(test_inner_commit),
        WITH_CLUSTER(test_many_ports),
        WITH_CLUSTER(test_ids),
        WITH_CLUSTER(test_order_on_node),
        WITH_CLUSTER(test_open_to_the_end),
        cmocka_unit_test(test_turns_of_equals),
        cmocka_unit_test(test_disruption_of_a_pod),
        WITH_CLUSTER(test_reservation_outlives_update),
        WITH_CLUSTER(test_id_of_node_with_driver),
        WITH_CLUSTER(test_names_of_resources),
        WITH_CLUSTER(test_nominations),
        WITH_CLUSTER(test_group),
        WITH_CLUSTER(test_fit_count),
        WITH_CLUSTER(test_pods_alike),
        WITH_CLUSTER(test_cordon),
        WITH_CLUSTER(test_close),
        WITH_CLUSTER(test_close_ends_with_the_node),
        cmocka_unit_test(test_close_without_counting_pods),
        WITH_CLUSTER(test_pods_of_a_node),
        WITH_CLUSTER(test_forbidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
