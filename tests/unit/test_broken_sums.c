/* berth_engine_check: each kind of sum that the engine keeps is compared with a recount. A test
 * changes one number behind the engine's back, expects the error that names it, and restores it. */
#include <inttypes.h>

#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "rule_cluster.h"
#include "versions/snapshot_state.h"

#define VOLUME_OF(name, claim)                                                               \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: {capacity: "  \
    "{storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: d, volumeHandle: h-" name   \
    "}, claimRef: {name: " claim ", namespace: default}}\nstatus: {phase: Bound}\n---\n"     \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " claim ", annotations: " \
    "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: [ReadWriteOnce], "       \
    "volumeName: " name ", resources: {requests: {storage: 1Gi}}}\nstatus: {phase: Bound}\n" \
    "---\n"
#define CSI_NODE                                                                \
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: a}\nspec: " \
    "{drivers: [{name: d, nodeID: x, allocatable: {count: 9}}]}\n---\n"
#define ATTACHMENT                                                                       \
    "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: t}\nspec: " \
    "{attacher: d, nodeName: a, source: {persistentVolumeName: v}}\n---\n"
#define CONTAINER "containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]"
#define CLAIM(name) "volumes: [{name: v, persistentVolumeClaim: {claimName: " name "}}], "
#define DISK "volumes: [{name: v, gcePersistentDisk: {pdName: one}}], "
#define SPREAD                                                                        \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: " \
    "DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], "
#define APART                                                                       \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}, "

static void expect_sound(small_cluster *c)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_check(c->engine, &error), &error);
}

static void expect_error(small_cluster *c, const char *message)
{
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_check(c->engine, &error), BERTH_E_INTERNAL);
    if (strstr(error.message, message) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", error.message, message);
}

/* Change a number by one, and back. */
static void expect_noticed(small_cluster *c, void *number, const char *message)
{
    unsigned char *byte = number;
    *byte ^= 1;
    expect_error(c, message);
    *byte ^= 1;
    expect_sound(c);
}

static void test_amounts_of_nodes(void **state)
{
    small_cluster *c = *state;
    berth__cluster *cluster = &c->engine->cluster;
    const berth_node_id a = small_node(c, "a", "");
    small_pod(c, "p", "a", "", CONTAINER);
    small_decide(c, small_pod(c, "q", NULL, "", CONTAINER)); /* lays the nodes out in columns */
    expect_sound(c);
    berth__node_record *node = berth__node_at(&cluster->view.nodes, a);
    berth__tile *tile = cluster->view.tiles[node->slot / BERTH__TILE];
    const uint32_t at = node->slot % BERTH__TILE;
    expect_noticed(c, &node->pod_count, "the number of pods is kept as 0");
    expect_noticed(c, &tile->pods_used[at], "pods used is kept as 0 but a recount gives 1");
    expect_noticed(c, &berth__tile_used(tile, BERTH__CPU)[at], "cpu is kept as 1001");
    expect_noticed(c, &tile->nonzero_cpu[at], "non-zero cpu is kept as 1001");
    expect_noticed(c, &tile->nonzero_memory[at], "non-zero memory is kept as ");
    expect_noticed(c, &tile->evenness[at], "evenness is kept as ");
    expect_noticed(c, &cluster->pods.pending_count, "1 pods on nodes and 0 pending, but 2 records");
    expect_noticed(c, &cluster->running_count, "running and orphaned pods do not add up");
    node->lowest_priority = 1;
    expect_error(c, "the lowest priority is kept as 1 but a recount gives 0");
    node->lowest_priority = 0;
    expect_sound(c);
}

/* `more`: two nodes share a zone, so that pods are also summed by zone. */
static void change_numbers(small_cluster *c, bool more)
{
    const berth__view *view = &c->engine->cluster.view;
    small_node(c, "a", ", labels: {zone: east, kubernetes.io/hostname: a}");
    small_node(c, "b", ", labels: {zone: west, kubernetes.io/hostname: b}");
    small_node(c, "c", ", labels: {kubernetes.io/hostname: c}");
    if (more)
        small_node(c, "d", ", labels: {zone: east, kubernetes.io/hostname: d}");
    small_pod(c, "p", "a", ", labels: {app: web}", CONTAINER);
    small_pod(c, "q", "c", ", labels: {app: web}", CONTAINER);
    small_pod(c, "r", "b", ", labels: {app: db}", APART CONTAINER);
    const berth_pod_id s = small_pod(c, "s", NULL, ", labels: {app: web}", SPREAD CONTAINER);
    small_decide(c, s);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    expect_sound(c);
    uint32_t populations = 0, sums = 0, lowest = 0;
    char message[128];
    for (berth__population *p = view->counts->first; p != NULL; p = p->next) {
        if (!p->valid || p->total == 0)
            continue;
        populations++;
        expect_noticed(c, &p->total, "a population is kept as ");
        uint32_t *pods = berth__slot_pods_counter(&p->slots, view->model->allocator, 1, 0);
        snprintf(message, sizeof(message),
                 "a population on a node is kept as %" PRIu32 " but a recount gives %" PRIu32,
                 *pods ^ 1, *pods);
        expect_noticed(c, pods, message);
        for (berth__domain_counts *d = p->domains; d != NULL; d = d->next) {
            sums++;
            expect_noticed(c, &d->total, "a sum over domains is kept as ");
            expect_noticed(c, &d->absent, "a sum outside of domains is kept as ");
            if (d->counts != NULL)
                expect_noticed(c, &d->counts[1], "a domain's count is kept as ");
            if (!d->lowest_wanted)
                continue;
            lowest++;
            expect_noticed(c, &d->domain_count, "a number of domains is kept as ");
            if (d->domain_bits == 0) {
                expect_noticed(c, &d->lowest, "a lowest count is kept as 1");
                continue;
            }
            d->domain_bits ^= 2; /* that of the domain without pods */
            expect_error(c, "a lowest count is kept as 1 but a recount gives 0");
            d->domain_bits ^= 2;
        }
    }
    assert_true(populations > 0);
    assert_true(sums > 0);
    assert_true(lowest > 0);
}

static void test_numbers_of_pods(void **state)
{
    change_numbers(*state, false);
}

static void test_numbers_of_pods_in_zones(void **state)
{
    change_numbers(*state, true);
}

static void test_lowest_of_one_domain(void **state)
{
    small_cluster *c = *state;
    uint32_t lowest = 0;
    small_node(c, "a", ", labels: {zone: east, kubernetes.io/hostname: a}");
    small_pod(c, "p", "a", ", labels: {app: web}", CONTAINER);
    small_decide(c, small_pod(c, "s", NULL, ", labels: {app: web}", SPREAD CONTAINER));
    expect_sound(c);
    for (berth__population *p = c->engine->cluster.view.counts->first; p != NULL; p = p->next)
        for (berth__domain_counts *d = p->domains; d != NULL; d = d->next) {
            const berth__domain_counts sound = *d;
            if (!p->valid || !d->lowest_wanted)
                continue;
            lowest++;
            assert_int_equal(d->domain_count, 1);
            d->domain_bits = 0;
            d->lowest = 7;
            expect_error(c, "a lowest count is kept as 7 but a recount gives 1");
            *d = sound;
        }
    assert_true(lowest > 0);
    expect_sound(c);
}

/* Pods of equal labels are counted by node once a rule has requested such counts. */
static void test_groups_of_pods(void **state)
{
    small_cluster *c = *state;
    const berth__view *view = &c->engine->cluster.view;
    const berth_node_id a = small_node(c, "a", ", labels: {zone: east}");
    small_pod(c, "p", "a", ", labels: {app: web}", CONTAINER);
    small_decide(c, small_pod(c, "s", NULL, ", labels: {app: web}", SPREAD CONTAINER));
    assert_int_equal(c->placement.node, a);
    berth__group *group = view->counts->first_group;
    assert_non_null(group);
    assert_null(group->next);
    expect_noticed(c, &group->total, "groups hold 0 pods in 1 entries, but there are 1");
    for (uint32_t i = 0; i < group->staying.capacity; i++)
        if (group->staying.items[i].slot != BERTH__SLOT_NONE)
            expect_noticed(c, &group->staying.items[i].count,
                           "a group on a node is kept as 0 but a recount gives 1");
    struct berth__slot_count *items = group->staying.items;
    const uint32_t capacity = group->staying.capacity;
    group->staying.capacity = 0;
    expect_error(c, "a group on a node is kept as 0 but a recount gives 1");
    group->staying.capacity = capacity;
    for (uint32_t i = 0; i < capacity; i++)
        if (items[i].slot == BERTH__SLOT_NONE) {
            const struct berth__slot_count former = items[i];
            items[i] = (struct berth__slot_count){.slot = 1, .count = 1};
            expect_error(c, "groups hold 1 pods in 2 entries, but there are 1");
            items[i] = former;
            break;
        }
    expect_sound(c);
}

static void test_volumes(void **state)
{
    small_cluster *c = *state;
    const berth_node_id a = small_node(c, "a", "");
    small_add(c, CSI_NODE VOLUME_OF("v", "c") VOLUME_OF("w", "d") ATTACHMENT);
    small_pod(c, "p", "a", "", CLAIM("c") CONTAINER);
    small_pod(c, "q", "a", "", DISK CONTAINER);
    small_decide(c, small_pod(c, "r", NULL, "", CLAIM("d") CONTAINER));
    assert_int_equal(c->placement.node, a);
    expect_sound(c);
    berth__volume_use *use = c->engine->cluster.view.volume_use;
    berth__node_volumes *node = use->nodes[a];
    assert_non_null(node);
    assert_int_equal(node->ref_count, 2);
    expect_noticed(c, &node->refs[0].uses, "the number of users of a volume is not");
    expect_noticed(c, &node->refs[0].counted, "what a volume counts as is not");
    expect_noticed(c, &node->disk_count, "the number of inline disks is not");
    for (uint32_t i = 0; i < node->attached_count; i++) {
        expect_noticed(c, &node->attached[i].refs, "the number of users of an attachment is not");
        expect_noticed(c, &node->attached[i].listed, "the number of users of an attachment is not");
    }
    for (uint32_t i = 0; i < node->driver_count; i++)
        expect_noticed(c, &node->drivers[i].count, "the number of attachments of a driver is not");
    node->driver_count--;
    expect_error(c, "the number of attachments is not");
    node->driver_count++;
    node->ref_count--;
    expect_error(c, "the number of volumes is not");
    node->ref_count++;
    assert_true(use->fill_count > 0);
    expect_noticed(c, &use->fills[0].nodes[a], "what a driver may still attach is not");
    const uint32_t most = use->fills[0].most[0];
    use->fills[0].most[0] = 0;
    expect_error(c, "how full its slot or the fullest of its tile is is not");
    use->fills[0].most[0] = most;
    expect_noticed(c, &use->fills[0].slots[0], "how full its slot or the fullest of its tile is");
    assert_true(use->attached.count > 0);
    for (uint32_t i = 0; i < use->attached.capacity; i++)
        if (use->attached.places[i].attachment != 0)
            expect_noticed(c, &use->attached.places[i].nodes, "the number of nodes of a volume");
    use->attached.count++;
    expect_error(c, "the number of nodes of a volume is not");
    use->attached.count--;
    uint32_t claims = 0;
    for (uint32_t i = 0; i < use->claim_capacity; i++)
        if (use->claims[i].refs > 0) {
            claims++;
            expect_noticed(c, &use->claims[i].refs, "the number of users of a claim is not");
            expect_noticed(c, &use->claims[i].pods, "the number of users of a claim is not");
        }
    assert_int_equal(claims, 1);
}

static void expect_snapshot_error(const berth_snapshot *snapshot, const char *message)
{
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_snapshot_check(snapshot, &error), BERTH_E_INTERNAL);
    if (strstr(error.message, message) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", error.message, message);
}

/* A snapshot's lists of pods are checked as well as its sums. */
static void test_snapshot(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    const berth_pod_id p = small_pod(c, "p", "a", "", CONTAINER);
    const berth_pod_id q = small_pod(c, "q", "a", ", namespace: other", CONTAINER);
    assert_int_equal(berth_engine_publish(c->engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(c->engine);
    assert_int_equal(berth_snapshot_check(snapshot, NULL), BERTH_OK);
    berth__pods *pods = &snapshot->cluster.pods;
    berth__pod_record *record = berth__pod_at(pods, berth__cluster_pod(&snapshot->cluster, p));
    const berth__pod_record former = *record;
    static const char misplaced[] = " is not where its list says";
    record->cls = NULL;
    expect_snapshot_error(snapshot, misplaced);
    record->cls = berth__pod_at(pods, berth__cluster_pod(&snapshot->cluster, q))->cls;
    expect_snapshot_error(snapshot, misplaced); /* no pod has this name in that namespace */
    *record = former;
    record->node = BERTH_NODE_NONE;
    expect_snapshot_error(snapshot, misplaced);
    *record = former;
    record->previous ^= 1;
    expect_snapshot_error(snapshot, misplaced);
    *record = former;
    pods->count++;
    expect_snapshot_error(snapshot, "2 pods on lists, but 3 records");
    pods->count--;
    assert_int_equal(berth_snapshot_check(snapshot, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLUSTER(test_amounts_of_nodes),
        WITH_CLUSTER(test_numbers_of_pods),
        WITH_CLUSTER(test_numbers_of_pods_in_zones),
        WITH_CLUSTER(test_lowest_of_one_domain),
        WITH_CLUSTER(test_groups_of_pods),
        WITH_CLUSTER(test_volumes),
        WITH_CLUSTER(test_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
