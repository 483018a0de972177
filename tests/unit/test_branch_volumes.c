/* Volumes on branches: a reservation on one leaves the volume free on the engine and on others, and
 * vice versa; the reservations that commits apply; objects that change between snapshots; memory
 * that runs out. */
#include "branch_cluster.h"
#include "versions/engine_state.h"

#define LATE                                                                      \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n" \
    "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: "              \
    "WaitForFirstConsumer\n---\n"
#define VOLUME(name)                                                                          \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: {capacity: "   \
    "{storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: late, csi: {driver: d, " \
    "volumeHandle: h-" name "}}\nstatus: {phase: Available}\n---\n"
#define CLAIM(name)                                                                          \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name ", uid: u-" name   \
    "}\nspec: {accessModes: [ReadWriteOnce], storageClassName: late, resources: {requests: " \
    "{storage: 1Gi}}}\n---\n"
#define CSI_NODE_OF(node, count)                                                       \
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " node "}\nspec: " \
    "{drivers: [{name: d, nodeID: x, allocatable: {count: " count "}}]}\n---\n"
#define CSI_NODE(count) CSI_NODE_OF("a", count)
#define BOUND_AS(volume, claim, handle)                                                      \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " volume "}\nspec: "           \
    "{capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: d, "             \
    "volumeHandle: " handle "}, claimRef: {name: " claim                                     \
    ", namespace: default}}\nstatus: {phase: "                                               \
    "Bound}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " claim ", " \
    "annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: "           \
    "[ReadWriteOnce], volumeName: " volume ", resources: {requests: {storage: 1Gi}}}\n"      \
    "status: {phase: Bound}\n---\n"
#define BOUND(volume, claim) BOUND_AS(volume, claim, "h")
#define ATTACHED(volume)                                                                \
    "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: t-" volume \
    "}\nspec: {attacher: d, nodeName: a, source: {persistentVolumeName: " volume "}}\n---\n"
#define USES(claim)                                                                     \
    "volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}], containers: " \
    "[{name: c, image: i}]"
#define DISK \
    "volumes: [{name: v, gcePersistentDisk: {pdName: one}}], containers: [{name: c, image: i}]"

static uint32_t commit(berth_engine *branch, berth_conflict *conflict)
{
    berth_error error = {.code = BERTH_OK};
    uint32_t count = 7;
    small_require(berth_branch_commit(branch, conflict, 1, &count, &error), &error);
    return count;
}

/* One volume, two claims: p or q. */
typedef struct pair {
    berth_node_id a;
    berth_pod_id p, q;
} pair;

static pair make_pair(small_cluster *c)
{
    pair two;
    two.a = small_node(c, "a", "");
    small_add(c, LATE VOLUME("v") CLAIM("c") CLAIM("d"));
    two.p = small_pod(c, "p", NULL, "", USES("c"));
    two.q = small_pod(c, "q", NULL, "", USES("d"));
    return two;
}

/* ---- objects of a single branch ---- */

/* Add or replace the only object of a text on any engine. */
static berth_status put_one(void *engine, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    (void)origin;
    berth_status status = berth_engine_add(engine, object, NULL, error);
    return status == BERTH_E_EXISTS ? berth_engine_update(engine, object, error) : status;
}

static void put(berth_engine *engine, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    berth_reader *reader;
    assert_int_equal(berth_reader_create(NULL, &reader, NULL), BERTH_OK);
    small_require(berth_reader_text(reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    put_one, engine, &error),
                  &error);
    berth_reader_destroy(reader);
}

/* A node added on a branch has its CSINode there, whose limit counts. The CSINodes of the snapshot
 * can be changed, removed and restored in a transaction. The engine and other branches see none of
 * it, and a later branch starts afresh. */
static void test_own_csi_node(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_add(c, CSI_NODE("0"));
    small_add(c, BOUND("v", "c") BOUND_AS("w", "d", "other"));
    berth_pod_id p = small_pod(c, "p", NULL, "", USES("c"));
    berth_pod_id q = small_pod(c, "q", NULL, "", USES("d"));
    for (int round = 0; round < 2; round++) {
        berth_engine *branch = branch_off(c), *other = branch_off(c);
        assert_int_equal(place(branch, p), BERTH_NODE_NONE);
        put(branch, "apiVersion: v1\nkind: Node\nmetadata: {name: new}\n"
                    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
        put(branch, CSI_NODE_OF("new", "1"));
        berth_node_id added = berth_engine_find_node(branch, (berth_str)TEXT("new"));
        assert_int_equal(place(branch, p), added);
        assert_int_equal(place(branch, q), BERTH_NODE_NONE);
        assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
        put(branch, CSI_NODE_OF("new", "2"));
        assert_int_equal(place(branch, q), added);
        assert_int_equal(berth_engine_rollback(branch, NULL), BERTH_OK);
        assert_int_equal(place(branch, q), BERTH_NODE_NONE);
        put(branch, CSI_NODE("1"));
        assert_int_equal(place(branch, q), 0);
        remove_named(branch, BERTH_KIND_CSI_NODE, "new");
        assert_int_equal(place(other, q), BERTH_NODE_NONE);
        berth_branch_drop(branch);
        berth_branch_drop(other);
    }
    assert_int_equal(place(c->engine, p), BERTH_NODE_NONE);
}

/* Nodes from a template, each with its CSINode. */
static void test_template(void **state)
{
    small_cluster *c = *state;
    static const berth_csi_node_driver driver = {
        .name = TEXT("d"), .node_id = TEXT("x"), .has_count = true, .count = 1};
    static const berth_csi_node limits = {.drivers = &driver, .driver_count = 1};
    static const berth_resource room[] = {{TEXT("pods"), {10, 0}}};
    static const berth_node shape = {.meta = {.name = TEXT("n")}, .allocatable = {room, 1}};
    const berth_node_template from = {.size = sizeof(from), .node = &shape, .csi_node = &limits};
    berth_error error = {.code = BERTH_OK};
    berth_node_id nodes[2];
    small_add(c, BOUND("v", "c") BOUND_AS("w", "d", "other") BOUND_AS("x", "e", "third"));
    berth_pod_id pods[3] = {small_pod(c, "p", NULL, "", USES("c")),
                            small_pod(c, "q", NULL, "", USES("d")),
                            small_pod(c, "r", NULL, "", USES("e"))};
    berth_engine *branch = branch_off(c);
    small_require(berth_engine_add_nodes(branch, &from, 2, nodes, &error), &error);
    assert_true(place(branch, pods[0]) != BERTH_NODE_NONE);
    assert_true(place(branch, pods[1]) != BERTH_NODE_NONE);
    assert_true(place(branch, pods[2]) == BERTH_NODE_NONE);
    berth_branch_drop(branch);
    small_require(berth_engine_begin(c->engine, &error), &error);
    small_require(berth_engine_add_nodes(c->engine, &from, 2, nodes, &error), &error);
    assert_int_equal(berth_engine_rollback(c->engine, NULL), BERTH_OK);
    small_require(berth_engine_add_nodes(c->engine, &from, 2, nodes, &error), &error);
}

/* Namespaces, Services and budgets of a branch. */
static void test_own_objects(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_add(c, "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n");
    small_pod(c, "web", "a", ", namespace: blue, labels: {app: web}", "");
    berth_pod_id shy = small_pod(
        c, "shy", NULL, "",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: "
        "kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}, namespaceSelector: "
        "{matchLabels: {team: x}}}]}}");
    bool forbidden = true;
    berth_engine *branch = branch_off(c);
    berth_pod_id web =
        berth_engine_find_pod(branch, (berth_str)TEXT("blue"), (berth_str)TEXT("web"));
    put(branch,
        "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {kubernetes.io/hostname: a}}\n"
        "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    assert_int_equal(place(branch, shy), 0);
    take_off(branch, shy);
    put(branch, "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue, labels: {team: x}}\n");
    assert_int_equal(place(branch, shy), BERTH_NODE_NONE);
    put(branch, "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: "
                "blue}\nspec: {selector: {matchLabels: {app: web}}}\n"
                "status: {disruptionsAllowed: 0}\n");
    assert_int_equal(berth_engine_forbidden(branch, &web, 1, &forbidden), 1);
    put(branch, "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: blue}\n"
                "spec: {selector: {app: web}}\n");
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_forbidden(c->engine, &web, 1, &forbidden), 0);
    branch = branch_off(c);
    assert_int_equal(berth_engine_forbidden(branch, &web, 1, &forbidden), 0);
    assert_int_equal(place(branch, shy), 0);
    berth_branch_drop(branch);
}

/* ---- reservations ---- */

static void test_apart(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_engine *first = branch_off(c), *second = branch_off(c);
    assert_int_equal(place(first, two.p), two.a);
    assert_int_equal(place(first, two.q), BERTH_NODE_NONE);
    assert_int_equal(place(second, two.q), two.a);
    assert_int_equal(place(second, two.p), BERTH_NODE_NONE);
    take_off(first, two.p);
    assert_int_equal(place(first, two.q), two.a);
    berth_branch_drop(first);
    berth_branch_drop(second);
    assert_int_equal(place(c->engine, two.p), two.a);
    assert_int_equal(place(c->engine, two.q), BERTH_NODE_NONE);
}

/* Reservations of the engine hold on the branch, which can release them for itself. */
static void test_taken_before(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    assert_int_equal(place(c->engine, two.p), two.a);
    for (int i = 0; i < 3; i++) {
        berth_engine *branch = branch_off(c);
        assert_int_equal(place(branch, two.q), BERTH_NODE_NONE);
        take_off(branch, two.p);
        assert_int_equal(place(branch, two.q), two.a);
        berth_branch_drop(branch);
        assert_int_equal(place(c->engine, two.q), BERTH_NODE_NONE);
    }
    remove_named(c->engine, BERTH_KIND_POD, "p"); /* its reservation stays */
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, two.q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
    small_pod(c, "other", NULL, "",
              USES("e")); /* has the former index of p, but none of its reservations */
    berth_pod_id other =
        berth_engine_find_pod(c->engine, (berth_str)TEXT("default"), (berth_str)TEXT("other"));
    assert_int_equal(berth_engine_bind(c->engine, other, two.a, NULL), BERTH_OK);
    branch = branch_off(c);
    take_off(branch, other);
    assert_int_equal(place(branch, two.q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* An engine of branches that knows a pod's reservations of two volumes ends one of them, then the
 * other, as its snapshots do. */
static void test_two_of_a_pod(void **state)
{
    small_cluster *c = *state;
    const berth_node_id a = small_node(c, "a", "");
    small_add(c, LATE VOLUME("v") VOLUME("w") CLAIM("c") CLAIM("d") CLAIM("e"));
    const berth_pod_id both =
        small_pod(c, "both", NULL, "",
                  "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}, {name: w, "
                  "persistentVolumeClaim: {claimName: d}}], containers: [{name: c, image: i}]");
    const berth_pod_id other = small_pod(c, "other", NULL, "", USES("e"));
    assert_int_equal(place(c->engine, both), a);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, other), BERTH_NODE_NONE);
    berth_branch_drop(branch);
    remove_named(c->engine, BERTH_KIND_PERSISTENT_VOLUME, "v");
    branch = branch_off(c);
    assert_int_equal(place(branch, other), BERTH_NODE_NONE);
    take_off(branch, both); /* what is left is still the pod's */
    assert_int_equal(place(branch, other), a);
    berth_branch_drop(branch);
    take_off(c->engine, both);
    branch = branch_off(c);
    assert_int_equal(place(branch, other), a);
    berth_branch_drop(branch);
}

/* An engine of branches takes over all of a pod's reservations, however many there are. */
static void test_many_of_a_pod(void **state)
{
    small_cluster *c = *state;
    const berth_node_id a = small_node(c, "a", "");
    small_add(c, LATE VOLUME("v1") VOLUME("v2") VOLUME("v3") VOLUME("v4") VOLUME("v5"));
    small_add(c, CLAIM("c1") CLAIM("c2") CLAIM("c3") CLAIM("c4") CLAIM("c5"));
    const berth_pod_id many = small_pod(
        c, "many", NULL, "",
        "volumes: [{name: v1, persistentVolumeClaim: {claimName: c1}}, {name: v2, "
        "persistentVolumeClaim: {claimName: c2}}, {name: v3, persistentVolumeClaim: "
        "{claimName: c3}}, {name: v4, persistentVolumeClaim: {claimName: c4}}, {name: "
        "v5, persistentVolumeClaim: {claimName: c5}}], containers: [{name: c, image: i}]");
    berth_pod_id others[5];
    for (int i = 0; i < 5; i++) {
        char claim[SMALL_TEXT], uses[SMALL_TEXT], name[8];
        (void)snprintf(claim, sizeof(claim), CLAIM("d%1$d") "", i);
        (void)snprintf(uses, sizeof(uses), USES("d%d"), i);
        (void)snprintf(name, sizeof(name), "o%d", i);
        small_add(c, claim);
        others[i] = small_pod(c, name, NULL, "", uses);
    }
    assert_int_equal(place(c->engine, many), a);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, others[0]), BERTH_NODE_NONE);
    take_off(branch, many);
    for (int i = 0; i < 5; i++)
        assert_int_equal(place(branch, others[i]), a);
    assert_int_equal(place(branch, many), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* What a dropped branch chose for a claim that another pod had reserved is forgotten: a later
 * branch may give the same serial to a reservation, and it must not be given back with the wrong
 * pod. */
static void test_remains(void **state)
{
    small_cluster *c = *state;
    pair two = make_pair(c);
    small_add(c, VOLUME("w") CLAIM("e"));
    berth_pod_id shares = small_pod(c, "shares", NULL, "", USES("c"));
    berth_pod_id third = small_pod(c, "third", NULL, "", USES("c"));
    berth_pod_id late = small_pod(c, "late", NULL, "", USES("e"));
    assert_int_equal(place(c->engine, two.p), two.a);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, two.q), two.a);
    assert_int_equal(place(branch, shares), two.a); /* p has reserved its claim */
    berth_branch_drop(branch);

    assert_int_equal(place(c->engine, shares), two.a);
    branch = branch_off(c);
    assert_int_equal(berth_engine_unbind(branch, two.p, NULL), BERTH_OK);
    assert_int_equal(place(branch, third), two.a);
    assert_int_equal(berth_engine_unbind(branch, shares, NULL), BERTH_OK);
    assert_int_equal(place(branch, two.q), two.a);
    assert_int_equal(place(branch, late), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* ---- objects that change ---- */

static void test_objects_change(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_engine *old = branch_off(c), *branch;
    assert_int_equal(place(old, two.p), two.a); /* from now on its engine has a store */
    berth_branch_drop(old);
    old = branch_off(c);
    berth_snapshot *snapshot = berth_engine_pin(c->engine);
    remove_named(c->engine, BERTH_KIND_PERSISTENT_VOLUME, "v");
    branch = branch_off(c);
    assert_int_equal(place(branch, two.p), BERTH_NODE_NONE);
    assert_int_equal(place(old, two.p), two.a);
    berth_branch_drop(branch);
    small_add(c, VOLUME("w") VOLUME("x"));
    branch = branch_off(c);
    assert_int_equal(place(branch, two.p), two.a);
    assert_int_equal(place(branch, two.q), two.a);
    berth_branch_drop(branch);
    berth_branch_drop(old);
    /* An engine of a branch that follows a later snapshot returns to an earlier one. */
    berth_error error = {.code = BERTH_OK};
    small_require(berth_branch_create(snapshot, &branch, &error), &error);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(place(branch, two.p), two.a);
    assert_int_equal(place(branch, two.q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* Limits of drivers, and inline disks. */
static void test_limits(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    small_add(c, LATE VOLUME("v") VOLUME("w") CLAIM("c") CLAIM("d") CSI_NODE("2"));
    small_add(c, BOUND("own", "bound"));
    small_add(c, ATTACHED("v"));
    berth_pod_id p = small_pod(c, "p", NULL, "", USES("bound"));
    berth_pod_id disk = small_pod(c, "disk", NULL, "", DISK);
    berth_pod_id twin = small_pod(c, "twin", NULL, "", DISK);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, p), a);
    assert_int_equal(place(branch, disk), a);
    assert_int_equal(place(branch, twin), BERTH_NODE_NONE); /* one disk, two writers */
    take_off(branch, disk);
    assert_int_equal(place(branch, twin), a);
    berth_branch_drop(branch);
    small_add(c, ATTACHED("w"));
    branch = branch_off(c);
    assert_int_equal(place(branch, p), BERTH_NODE_NONE); /* two are attached, which is the limit */
    berth_branch_drop(branch);
    remove_named(c->engine, BERTH_KIND_VOLUME_ATTACHMENT, "t-v");
    branch = branch_off(c);
    assert_int_equal(place(branch, p), a);
    berth_branch_drop(branch);
    small_add(c, ATTACHED("v"));
    remove_named(c->engine, BERTH_KIND_CSI_NODE, "a");
    branch = branch_off(c);
    assert_int_equal(place(branch, p), a);
    berth_branch_drop(branch);
}

/* A pod keeps the reservations of volumes that an update removed from it, until it leaves. */
static void test_lost_volumes(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(place(c->engine, two.p), two.a);
    const berth_container container = {.name = TEXT("c"), .image = TEXT("i")};
    const berth_pod bare = {.meta = {.name = TEXT("p"), .namespace_name = TEXT("default")},
                            .node_name = TEXT("a"),
                            .containers = &container,
                            .container_count = 1};
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = &bare;
    small_require(berth_engine_update(c->engine, &object, &error), &error);
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, two.q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
    branch = branch_off(c);
    take_off(branch, two.p);
    assert_int_equal(place(branch, two.q), two.a);
    berth_branch_drop(branch);
    take_off(c->engine, two.p);
    assert_int_equal(place(c->engine, two.q), two.a);
}

/* Nodes of two successive branches may have the same id, but not the same driver. */
static void test_node_ids(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_add(c, CSI_NODE_OF("x", "0") CSI_NODE_OF("z", "5"));
    small_add(c, LATE VOLUME("v") CLAIM("c") BOUND("own", "bound"));
    berth_pod_id p = small_pod(c, "p", NULL, "", "nodeSelector: {new: x}, " USES("bound"));
    berth_engine *engine = c->engine;
    static const char *const names[] = {"x", "z", "x"};
    for (int i = 0; i < 3; i++) {
        berth_engine *branch = branch_off(c);
        c->engine = branch;
        berth_node_id id = small_node(c, names[i], ", labels: {new: x}");
        c->engine = engine;
        assert_int_equal(id, 1);
        assert_int_equal(place(branch, p), names[i][0] == 'z' ? id : BERTH_NODE_NONE);
        berth_branch_drop(branch);
    }
}

/* How full nodes are with a driver's volumes is followed although the branch before had more nodes
 * when it looked at another driver. */
static void test_fills_of_two_drivers(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    small_add(c, "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a}\nspec: "
                 "{drivers: [{name: d, nodeID: x, allocatable: {count: 1}}, "
                 "{name: e, nodeID: x, allocatable: {count: 5}}]}\n---\n");
    small_add(c, BOUND("v", "c") BOUND_AS("w", "d", "other"));
    small_add(c, "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: x}\nspec: {capacity: "
                 "{storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: e, volumeHandle: x}, "
                 "claimRef: {name: f, namespace: default}}\nstatus: {phase: Bound}\n---\n"
                 "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: f, annotations: "
                 "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: [ReadWriteOnce], "
                 "volumeName: x, resources: {requests: {storage: 1Gi}}}\nstatus: {phase: Bound}\n"
                 "---\n");
    berth_pod_id p = small_pod(c, "p", NULL, "", USES("c"));
    berth_pod_id q = small_pod(c, "q", NULL, "", USES("d"));
    berth_pod_id r = small_pod(c, "r", NULL, "", USES("f"));
    uint32_t fits = 0;
    berth_engine *branch = branch_off(c);
    assert_int_equal(berth_engine_feasible_nodes(branch, q, NULL, NULL, 0, &fits, NULL), BERTH_OK);
    assert_int_equal(fits, 1);
    put(branch, "apiVersion: v1\nkind: Node\nmetadata: {name: new}\n"
                "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    assert_int_not_equal(place(branch, r), BERTH_NODE_NONE);
    berth_branch_drop(branch);

    assert_int_equal(place(c->engine, p), a);
    branch = branch_off(c);
    assert_int_equal(place(branch, q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* ---- transactions ---- */

/* Pods leave with their node and come back with it, on a branch that had not used volumes
 * before. */
static void test_rollback_of_node(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    berth_node_id b = small_node(c, "b", "");
    small_pod(c, "disk", "a", "", DISK);
    berth_pod_id twin = small_pod(c, "twin", NULL, "", DISK);
    berth_pod_id other = small_pod(c, "other", "b", "", USES("c"));
    berth_error error = {.code = BERTH_OK};
    small_decide(c, twin); /* assigns slots to nodes */
    berth_engine *branch = branch_off(c);
    small_require(berth_engine_begin(branch, &error), &error);
    small_require(
        berth_engine_remove(branch, BERTH_KIND_NODE, (berth_str){0}, (berth_str)TEXT("a"), &error),
        &error);
    small_require(berth_engine_unbind(branch, other, &error), &error);
    small_require(berth_engine_rollback(branch, &error), &error);
    small_require(berth_engine_check(branch, &error), &error);
    small_require(berth_engine_close_node(branch, b, true, &error), &error);
    assert_int_equal(place(branch, twin), BERTH_NODE_NONE); /* the disk is in use on a */
    berth_branch_drop(branch);
}

static void test_rollback(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_engine *branch = branch_off(c);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
        assert_int_equal(place(branch, i == 0 ? two.p : two.q), two.a);
        assert_int_equal(place(branch, i == 0 ? two.q : two.p), BERTH_NODE_NONE);
        assert_int_equal(berth_engine_rollback(branch, NULL), BERTH_OK);
    }
    assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
    assert_int_equal(place(branch, two.p), two.a);
    assert_int_equal(berth_engine_commit(branch, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(branch, NULL), BERTH_OK);
    take_off(branch, two.p);
    assert_int_equal(place(branch, two.q), two.a);
    berth_branch_drop(branch); /* while the transaction is open */
    branch = branch_off(c);
    assert_int_equal(place(branch, two.p), two.a);
    berth_branch_drop(branch);
}

/* ---- commits ---- */

static void test_commit(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_conflict conflict;
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, two.p), two.a);
    assert_int_equal(commit(branch, &conflict), 0);
    assert_int_equal(berth_engine_pod_node(c->engine, two.p), two.a);
    assert_int_equal(place(c->engine, two.q), BERTH_NODE_NONE);
    berth_branch_drop(branch);
    branch = branch_off(c); /* gives p's volume to q */
    take_off(branch, two.p);
    assert_int_equal(place(branch, two.q), two.a);
    assert_int_equal(commit(branch, &conflict), 0);
    assert_int_equal(berth_engine_pod_node(c->engine, two.q), two.a);
    assert_int_equal(place(c->engine, two.p), BERTH_NODE_NONE);
    berth_branch_drop(branch);
}

/* Claims of a pod that is on its node in the snapshot, requested before the branch has used
 * volumes. */
static void test_claims_before_all(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_claim_choice choice;
    assert_int_equal(place(c->engine, two.p), two.a);
    assert_int_equal(berth_engine_pod_claims(c->engine, two.p, &choice, 1), 1);
    berth_engine *branch = branch_off(c);
    assert_int_equal(berth_engine_pod_claims(branch, two.p, &choice, 1), 0);
    take_off(branch, two.p);
    assert_int_equal(place(branch, two.q), two.a);
    assert_int_equal(berth_engine_pod_claims(branch, two.q, &choice, 1), 1);
    assert_int_equal(berth_engine_pod_claims(branch, two.p, &choice, 1), 0);
    berth_branch_drop(branch);
}

static void test_commit_no_volume(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_conflict conflict;
    berth_engine *branch = branch_off(c);
    assert_int_equal(place(branch, two.p), two.a);
    assert_int_equal(place(c->engine, two.q), two.a); /* takes the volume meanwhile */
    uint64_t digest = berth_engine_digest(c->engine);
    assert_int_equal(commit(branch, &conflict), 1);
    assert_int_equal(conflict.kind, BERTH_CONFLICT_NO_FIT);
    assert_int_equal(conflict.pod, two.p);
    assert_int_equal(conflict.node, two.a);
    assert_int_equal(berth_engine_digest(c->engine), digest);
    berth_branch_drop(branch);
}

/* ---- memory ---- */

static void fill(counted_cluster *t)
{
    const pair two = make_pair(&t->c);
    t->pods[0] = two.p;
}

/* Makes two branches one after the other, the second from a state with other objects, until an
 * allocation fails. */
static berth_status try_branches(counted_cluster *t)
{
    berth_placement placement;
    berth_engine *engine = t->c.engine, *branch = NULL;
    berth_status status = branch_make(engine, &branch, NULL);
    if (status == BERTH_OK)
        status = berth_engine_schedule(branch, t->pods[0], &placement, NULL);
    berth_branch_drop(branch);
    branch = NULL;
    if (status == BERTH_OK)
        status = berth_engine_remove(engine, BERTH_KIND_PERSISTENT_VOLUME, (berth_str){0},
                                     (berth_str)TEXT("v"), NULL);
    status = status == BERTH_E_NOT_FOUND ? BERTH_OK : status; /* tried before */
    if (status == BERTH_OK)
        status = branch_make(engine, &branch, NULL);
    if (status == BERTH_OK)
        status = berth_engine_schedule(branch, t->pods[0], &placement, NULL);
    return branch_end(branch, status);
}

static void test_memory(void **state)
{
    (void)state;
    fail_each(fill, try_branches, false);
}

/* The claims of ten pods on a node come after the pods. A volume for which there is no memory still
 * counts later. */
static void fill_bound(counted_cluster *t)
{
    enum { CLAIMS = 10 };
    char name[8], made[2048];
    berth_placement placement;
    small_node(&t->c, "a", "");
    small_add(&t->c, LATE CSI_NODE("10"));
    small_add(&t->c, BOUND_AS("w", "last", "last"));
    t->pods[0] = small_pod(&t->c, "p", NULL, "", USES("last"));
    /* From now on, decisions follow what changes. */
    assert_int_equal(berth_engine_decide(t->c.engine, t->pods[0], NULL, &placement, NULL),
                     BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    for (int i = 0; i < CLAIMS; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(made, sizeof(made), USES("c%d"), i);
        small_pod(&t->c, name, "a", "", made);
    }
    for (int i = 0; i < CLAIMS; i++) {
        snprintf(made, sizeof(made), BOUND_AS("v%d", "c%d", "h%d"), i, i, i, i, i);
        put(t->c.engine, made);
    }
}

static berth_status try_one_more(counted_cluster *t)
{
    berth_placement placement;
    const berth_status status = berth_engine_schedule(t->c.engine, t->pods[0], &placement, NULL);
    if (status == BERTH_OK)
        assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    return status;
}

static void test_memory_of_bound_claims(void **state)
{
    (void)state;
    fail_each(fill_bound, try_one_more, false);
}

/* ---- classes of devices ---- */

#define SLICE                                                                                   \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: " \
    "x.org, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: "      \
    "[{name: d}]}\n"
#define CLASS(spec) \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {" spec "}\n"

/* Places the pod on a branch that has one object more. */
static berth_node_id place_with(const small_cluster *c, const char *object, berth_pod_id pod)
{
    small_cluster on = *c;
    on.engine = branch_off(c);
    small_add(&on, object);
    const berth_node_id node = place(on.engine, pod);
    berth_branch_drop(on.engine);
    return node;
}

/* What was prepared with the classes of one branch, which are freed with it, is not used by the
 * next one: there, devices back the pod's resource no more. */
static void test_own_classes(void **state)
{
    small_cluster *c = *state;
    const berth_node_id a = small_node(c, "a", "");
    small_add(c, SLICE);
    const berth_pod_id pod =
        small_pod(c, "p", NULL, "",
                  "containers: [{name: c, image: i, resources: {requests: {x.org/gpu: 1}, limits: "
                  "{x.org/gpu: 1}}}]");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(place_with(c, CLASS("extendedResourceName: x.org/gpu"), pod), a);
        assert_int_equal(place_with(c, CLASS(""), pod), BERTH_NODE_NONE);
        assert_int_equal(place_with(c, CLASS("extendedResourceName: x.org/nic"), pod),
                         BERTH_NODE_NONE);
    }
}

static void fill_devices(counted_cluster *t)
{
    small_node(&t->c, "a", "");
    small_add(&t->c, SLICE CLASS("extendedResourceName: x.org/gpu"));
    t->pods[0] = small_pod(&t->c, "p", NULL, "",
                           "containers: [{name: c, image: i, resources: {requests: {x.org/gpu: 1}, "
                           "limits: {x.org/gpu: 1}}}]");
    t->pods[1] = small_pod(&t->c, "q", NULL, "", "containers: [{name: c, image: i}]");
}

/* Places both pods on a branch that has removed the class, and then on one that has it. Memory may
 * end while the second one forgets; a pod without devices can be placed all the same. */
static berth_status try_classes(counted_cluster *t)
{
    static const berth_str name = TEXT("gpu");
    berth_placement placement;
    berth_status status = BERTH_OK;
    for (int i = 0; i < 2 && status == BERTH_OK; i++) {
        berth_engine *branch = NULL;
        status = branch_make(t->c.engine, &branch, NULL);
        if (status == BERTH_OK && i == 0)
            status =
                berth_engine_remove(branch, BERTH_KIND_DEVICE_CLASS, (berth_str){0}, name, NULL);
        if (status == BERTH_OK) {
            status = berth_engine_schedule(branch, t->pods[0], &placement, NULL);
            const berth_status other = berth_engine_schedule(branch, t->pods[1], &placement, NULL);
            status = status == BERTH_OK ? other : status;
        }
        berth_branch_drop(branch);
    }
    return status;
}

static void test_memory_of_classes(void **state)
{
    (void)state;
    fail_each(fill_devices, try_classes, true);
}

/* ---- reading ---- */

static berth_status count_object(void *context, const berth_object *object, berth_error *error)
{
    (void)object;
    (void)error;
    ++*(uint32_t *)context;
    return BERTH_OK;
}

/* A branch takes over its snapshot's volumes when they are first needed: to place a pod with
 * claims, but not to read nodes. */
static void test_reading_nodes_needs_no_volumes(void **state)
{
    small_cluster *c = *state;
    const pair two = make_pair(c);
    berth_engine *branch = branch_off(c);
    berth_error error = {.code = BERTH_OK};
    uint32_t nodes = 0;
    small_require(berth_engine_objects(branch, BERTH_KIND_NODE, count_object, &nodes, &error),
                  &error);
    assert_int_equal(nodes, 1);
    assert_non_null(branch->cluster.catch_up_volumes);
    assert_int_equal(place(branch, two.p), two.a);
    assert_null(branch->cluster.catch_up_volumes);
    berth_branch_drop(branch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLUSTER(test_own_csi_node),
        WITH_CLUSTER(test_template),
        WITH_CLUSTER(test_own_objects),
        WITH_CLUSTER(test_apart),
        WITH_CLUSTER(test_taken_before),
        WITH_CLUSTER(test_two_of_a_pod),
        WITH_CLUSTER(test_many_of_a_pod),
        WITH_CLUSTER(test_remains),
        WITH_CLUSTER(test_objects_change),
        WITH_CLUSTER(test_limits),
        WITH_CLUSTER(test_lost_volumes),
        WITH_CLUSTER(test_fills_of_two_drivers),
        WITH_CLUSTER(test_node_ids),
        WITH_CLUSTER(test_rollback),
        WITH_CLUSTER(test_rollback_of_node),
        WITH_CLUSTER(test_commit),
        WITH_CLUSTER(test_commit_no_volume),
        WITH_CLUSTER(test_claims_before_all),
        WITH_CLUSTER(test_own_classes),
        WITH_CLUSTER(test_reading_nodes_needs_no_volumes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_bound_claims),
        cmocka_unit_test(test_memory_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
