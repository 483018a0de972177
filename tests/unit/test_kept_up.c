/* What is kept up while objects come, so that no decision has to count all of them at once: groups
 * of running pods (berth__groups_foresee), volumes in use (berth__volume_use_keep_up), and the
 * devices that nodes see (berth__devices_keep_up, berth__devices_meet_node). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "devices/devices.h"
#include "devices/node_offers.h"
#include "rule_cluster.h"
#include "store/storage.h"
#include "versions/engine_state.h"

enum { NODES = 3, PODS = 6 };

/* Three nodes, each with a slot, although nothing was decided yet. */
static void open_laid_out(small_cluster *c)
{
    berth_node_id order[NODES];
    uint32_t count;
    berth_error error;
    small_open(c, berth_profile_default());
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "n%u", (unsigned)i);
        small_node(c, name, "");
    }
    small_require(berth_engine_node_order(c->engine, order, NODES, &count, &error), &error);
    assert_int_equal(count, NODES);
}

static void add_named(small_cluster *c, const char *format, uint32_t number, uint32_t node)
{
    char text[512];
    (void)snprintf(text, sizeof(text), format, (unsigned)number, (unsigned)node);
    small_add(c, text);
}

static void check(small_cluster *c)
{
    berth_error error;
    small_require(berth_engine_check(c->engine, &error), &error);
}

/* ---- groups ---- */

static void add_running(small_cluster *c)
{
    for (uint32_t i = 0; i < PODS; i++)
        add_named(c,
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p%1$u, labels: {app: web}}\n"
                  "spec: {nodeName: n%2$u, containers: [{name: c}]}\n",
                  i, i % NODES);
}

static const berth__pod_counts *counts_of(const small_cluster *c)
{
    return c->engine->cluster.view.counts;
}

static void test_groups_begin_with_a_service(void **state)
{
    small_cluster c;
    (void)state;
    open_laid_out(&c);
    add_running(&c);
    small_add(&c, "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n");
    assert_false(counts_of(&c)->grouping); /* nothing counts pods so far */
    small_add(&c, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
                  "spec: {selector: {app: web}}\n");
    assert_true(counts_of(&c)->grouping);
    assert_int_equal(counts_of(&c)->first_group->total, PODS);
    check(&c);
    add_named(&c,
              "apiVersion: v1\nkind: Pod\nmetadata: {name: q%1$u, labels: {app: web}}\n"
              "spec: {nodeName: n%2$u, containers: [{name: c}]}\n",
              0, 1);
    assert_int_equal(counts_of(&c)->first_group->total, PODS + 1);
    check(&c);
    small_close(&c);
}

static void test_groups_begin_with_a_rule(void **state)
{
    small_cluster c;
    (void)state;
    open_laid_out(&c);
    add_running(&c);
    small_add(&c, "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {containers: [{name: c}], "
                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
                  "DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}\n");
    assert_true(counts_of(&c)->grouping);
    check(&c);
    small_close(&c);
}

/* Slots change places when a node comes. The groups move along, and nobody counts their pods
 * again. */
static void test_groups_move_with_the_layout(void **state)
{
    small_cluster c;
    berth_node_id order[NODES + 1];
    uint32_t count;
    berth_error error;
    (void)state;
    open_laid_out(&c);
    add_running(&c);
    small_add(&c, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
                  "spec: {selector: {app: web}}\n");
    small_node(&c, "a", ", labels: {topology.kubernetes.io/zone: a}");
    small_require(berth_engine_node_order(c.engine, order, NODES + 1, &count, &error), &error);
    assert_int_equal(count, NODES + 1);
    assert_true(counts_of(&c)->grouping);
    assert_int_equal(counts_of(&c)->first_group->total, PODS);
    check(&c);
    small_close(&c);
}

/* ---- volumes ---- */

enum { CLAIMS = BERTH__STORAGE_JOURNAL };

static const char *const CSI_NODE =
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: n%1$u}\n"
    "spec: {drivers: [{name: d, nodeID: x, allocatable: {count: 100000}}]}\n";
static const char *const VOLUME =
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v%1$u}\n"
    "spec: {csi: {driver: d, volumeHandle: h%1$u}}\n";
static const char *const CLAIM =
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c%1$u}\n"
    "spec: {volumeName: v%1$u}\n";
static const char *const USER =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: u%1$u}\nspec: {nodeName: n%2$u, containers: "
    "[{name: c}], volumes: [{name: v, persistentVolumeClaim: {claimName: c%1$u}}]}\n";

/* How many changes of the store have not been taken over. */
static uint64_t lag(const small_cluster *c)
{
    const berth__view *view = &c->engine->cluster.view;
    return view->storage->journal_end - view->volume_use->seen;
}

static uint32_t attached(const small_cluster *c, uint32_t node)
{
    const berth__node_volumes *volumes =
        berth__volume_use_of(c->engine->cluster.view.volume_use, node);
    return volumes != NULL ? volumes->attached_count : 0;
}

/* A node's CSINode is found when the node gets its slot. */
static void test_csi_nodes_with_the_layout(void **state)
{
    small_cluster c;
    berth_node_id order[NODES];
    uint32_t count;
    berth_error error;
    (void)state;
    small_open(&c, berth_profile_default());
    for (uint32_t i = 0; i < NODES; i++) {
        add_named(&c, CSI_NODE, i, 0);
        add_named(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u}\n", i, 0);
    }
    small_require(berth_engine_node_order(c.engine, order, NODES, &count, &error), &error);
    for (uint32_t i = 0; i < NODES; i++) {
        const berth__node_volumes *volumes =
            berth__volume_use_of(c.engine->cluster.view.volume_use, order[i]);
        assert_true(volumes != NULL && volumes->synced);
    }
    small_close(&c);
}

static void test_volumes_of_new_claims(void **state)
{
    small_cluster c;
    (void)state;
    open_laid_out(&c);
    for (uint32_t i = 0; i < NODES; i++)
        add_named(&c, CSI_NODE, i, 0);
    for (uint32_t i = 0; i < CLAIMS; i++) {
        add_named(&c, VOLUME, i, 0);
        add_named(&c, CLAIM, i, 0);
        add_named(&c, USER, i, i % NODES);
    }
    assert_true(lag(&c) <= BERTH__STORAGE_JOURNAL);
    assert_true(c.engine->cluster.view.volume_use->nodes[0]->synced);
    check(&c);
    assert_int_equal(attached(&c, 0), (CLAIMS + NODES - 1) / NODES);
    small_close(&c);
}

/* Claims that come after the pods that use them, some on several nodes: with few of the latter
 * among the changes all nodes are asked, with many all are counted again. */
static void check_shared(uint32_t shared)
{
    enum { USED = 64 };
    small_cluster c;
    open_laid_out(&c);
    for (uint32_t i = 0; i < NODES; i++)
        add_named(&c, CSI_NODE, i, 0);
    for (uint32_t i = 0; i < USED; i++) {
        add_named(&c, VOLUME, i, 0);
        add_named(&c, USER, i, 0);
        if (i < shared)
            add_named(&c,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: w%1$u}\nspec: {nodeName: n%2$u, "
                      "containers: [{name: c}], volumes: [{name: v, persistentVolumeClaim: "
                      "{claimName: c%1$u}}]}\n",
                      i, 1);
    }
    check(&c);
    assert_int_equal(attached(&c, 0), 0);
    for (uint32_t i = 0; i < USED; i++)
        add_named(&c, CLAIM, i, 0);
    check(&c);
    assert_int_equal(lag(&c), 0);
    assert_int_equal(attached(&c, 0), USED);
    assert_int_equal(attached(&c, 1), shared);
    assert_int_equal(attached(&c, 2), 0);
    small_close(&c);
}

static void test_volumes_of_shared_claims(void **state)
{
    (void)state;
    check_shared(0);
    check_shared(8);
    check_shared(9);
    check_shared(64);
}

/* ---- devices ---- */

static const char *const SLICE =
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s%1$u}\nspec: {driver: "
    "a.x, pool: {name: p%2$u, generation: 1, resourceSliceCount: 1}, nodeName: n%2$u, devices: "
    "[{name: d}]}\n";

static bool has_list(const small_cluster *c, uint32_t node)
{
    return berth__node_offers_has(&c->engine->cluster.view.devices->catalog, node);
}

/* Each slice has a node of its own. When half the journal is full of them, the nodes that are there
 * get their lists; a later node gets its own at once. */
static void test_devices_of_nodes(void **state)
{
    enum { SLICES = BERTH__DEVICE_JOURNAL / 2 };
    small_cluster c;
    char name[16];
    (void)state;
    open_laid_out(&c);
    for (uint32_t i = 0; i < SLICES; i++) {
        assert_false(has_list(&c, 1));
        add_named(&c, SLICE, i, i);
    }
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(has_list(&c, i));
    (void)snprintf(name, sizeof(name), "n%u", (unsigned)NODES);
    small_node(&c, name, "");
    assert_true(has_list(&c, NODES));
    (void)snprintf(name, sizeof(name), "n%u", (unsigned)SLICES);
    small_node(&c, name, ""); /* no slice names it */
    assert_false(has_list(&c, NODES + 1));
    check(&c);
    small_close(&c);
}

static berth_status update_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    small_cluster *c = context;
    return berth_engine_update(c->engine, object, error);
}

/* A slice changes before its node comes: the node sees what the slice has now. */
static void test_devices_of_a_changed_slice(void **state)
{
    static const char text[] =
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s4}\nspec: {driver: "
        "a.x, pool: {name: p4, generation: 1, resourceSliceCount: 1}, nodeName: n4, devices: "
        "[{name: d}, {name: e}]}\n";
    small_cluster c;
    berth_error error;
    (void)state;
    open_laid_out(&c);
    add_named(&c, SLICE, 0, 0);
    add_named(&c, SLICE, NODES, NODES);
    add_named(&c, SLICE, NODES + 1, NODES + 1);
    small_node(&c, "n3", "");
    assert_true(has_list(&c, NODES));
    small_require(berth_reader_text(c.reader, (berth_str){text, sizeof(text) - 1}, "test",
                                    update_object, &c, &error),
                  &error);
    small_node(&c, "n4", "");
    assert_true(has_list(&c, NODES + 1));
    const berth__node_offers *offers =
        c.engine->cluster.view.devices->catalog.by_node[NODES + 1].offers;
    assert_int_equal(offers->count, 1);
    assert_int_equal(offers->pools[0]->offer_count, 2);
    check(&c);
    small_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_begin_with_a_service),
        cmocka_unit_test(test_groups_begin_with_a_rule),
        cmocka_unit_test(test_groups_move_with_the_layout),
        cmocka_unit_test(test_csi_nodes_with_the_layout),
        cmocka_unit_test(test_volumes_of_new_claims),
        cmocka_unit_test(test_volumes_of_shared_claims),
        cmocka_unit_test(test_devices_of_nodes),
        cmocka_unit_test(test_devices_of_a_changed_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
