/* Slices of devices change between decisions about pods with claims, and so do the devices in use
 * and the nodes: what the engine keeps about devices must follow. In each step a few of them come,
 * go or change; then pods that want one or two devices of a model must get a node that has them,
 * and none if no node has. Devices that selectors cannot tell apart differ in an attribute of their
 * own, so they are compared with earlier ones. In every second run the engine forgets texts and ids
 * at once, so that new nodes get those of former ones. BERTH_TEST_SEED replays a run. */
#include <time.h>

#include "base/random.h"
#include "model/sweep.h"
#include "rule_cluster.h"

enum { NODES = 9, STEPS = 6000, MODELS = 2, MOST = 3, DEVICES = MODELS * MOST, RACKS = 2 };

/* The nodes that see a slice. */
typedef enum reach { OWN_NODE, EVERY_NODE, OF_RACK } reach;

/* The slice of a pool for each node, named after it. */
typedef struct slice {
    bool there;
    reach reach;
    int rack;
    int count;
    int models[DEVICES]; /* by device */
} slice;

typedef struct world {
    small_cluster c;
    berth__random random;
    bool is_there[NODES];
    berth_node_id ids[NODES];
    int racks[NODES];
    slice slices[NODES];
    bool held[NODES][DEVICES]; /* by pool: a claim has the device */
    berth_pod_id pods[MODELS][2];
    uint32_t serial;
    /* How the world changes for a while: one slice of so many is for several nodes, and one change
     * of so many is of a slice. */
    uint32_t wide, calm;
} world;

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

static void add_claimant(world *w, int model, int count)
{
    char name[32], spec[96];
    (void)snprintf(name, sizeof(name), "wants-%d-%d", model, count);
    small_addf(&w->c,
               "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, uid: "
               "%s}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, count: "
               "%d, selectors: [{cel: {expression: 'device.attributes[\"x.org\"].model == "
               "%d'}}]}}]}}\n",
               name, name, count, model);
    (void)snprintf(spec, sizeof(spec), "resourceClaims: [{name: d, resourceClaimName: %s}]", name);
    w->pods[model][count - 1] = small_pod(&w->c, name, NULL, "", spec);
}

static void remove_object(world *w, berth_kind kind, const char *space, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_remove(w->c.engine, kind,
                                      (berth_str){space, (uint32_t)strlen(space)},
                                      (berth_str){name, (uint32_t)strlen(name)}, &error),
                  &error);
}

/* ---- nodes ---- */

static void toggle_node(world *w, int node)
{
    char name[16], labels[48];
    (void)snprintf(name, sizeof(name), "n%d", node);
    w->is_there[node] = !w->is_there[node];
    if (!w->is_there[node]) {
        remove_object(w, BERTH_KIND_NODE, "", name);
        return;
    }
    w->racks[node] = (int)below(w, RACKS);
    (void)snprintf(labels, sizeof(labels), ", labels: {rack: r%d}", w->racks[node]);
    w->ids[node] = small_node(&w->c, name, labels);
}

/* ---- slices ---- */

static void remove_slice(world *w, int node)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "s%d", node);
    remove_object(w, BERTH_KIND_RESOURCE_SLICE, "", name);
    w->slices[node].there = false;
}

static void add_slice(world *w, int node)
{
    static const char selects[] = "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: "
                                  "rack, operator: In, values: [r%d]}]}]}";
    slice *own = &w->slices[node];
    char devices[1024] = "", where[160];
    const uint32_t chance = below(w, 2 * w->wide);
    *own = (slice){.there = true,
                   .reach = chance == 0   ? EVERY_NODE
                            : chance == 1 ? OF_RACK
                                          : OWN_NODE,
                   .rack = (int)below(w, RACKS)};
    for (int model = 0; model < MODELS; model++)
        for (int left = below(w, 2) > 0 ? (int)below(w, MOST) : 0; left > 0; left--) {
            own->models[own->count] = model;
            (void)snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices),
                           "%s{name: d%d, attributes: {model: {int: %d}, serial: {int: %u}}}",
                           own->count > 0 ? ", " : "", own->count, model, (unsigned)++w->serial);
            own->count++;
        }
    if (own->reach == OF_RACK)
        (void)snprintf(where, sizeof(where), selects, own->rack);
    else if (own->reach == EVERY_NODE)
        (void)snprintf(where, sizeof(where), "allNodes: true");
    else
        (void)snprintf(where, sizeof(where), "nodeName: n%d", node);
    small_addf(&w->c,
               "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s%d}\nspec: "
               "{driver: x.org, pool: {name: p%d, generation: 1, resourceSliceCount: 1}, %s, "
               "devices: [%s]}\n",
               node, node, where, devices);
}

/* ---- devices in use ---- */

static void toggle_held(world *w, int node, int device)
{
    char name[24];
    (void)snprintf(name, sizeof(name), "holds-%d-%d", node, device);
    w->held[node][device] = !w->held[node][device];
    if (!w->held[node][device])
        remove_object(w, BERTH_KIND_RESOURCE_CLAIM, "default", name);
    else
        small_addf(&w->c,
                   "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, uid: "
                   "%s}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: any}}]}}"
                   "\nstatus: {allocation: {devices: {results: [{request: r, driver: x.org, pool: "
                   "p%d, device: d%d}]}}}\n",
                   name, name, node, device);
}

/* ---- steps ---- */

static void open_world(world *w)
{
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    print_message("BERTH_TEST_SEED=%llu\n", (unsigned long long)seed);
    *w = (world){.random = {seed}};
    small_open(&w->c, berth_profile_default_of(SMALL_KUBERNETES));
    small_addf(&w->c, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\n");
    for (int i = 0; i < NODES; i++)
        toggle_node(w, i);
    for (int model = 0; model < MODELS; model++)
        for (int count = 1; count <= 2; count++)
            add_claimant(w, model, count);
}

static void change_some(world *w)
{
    for (uint32_t left = 1 + below(w, 3); left > 0; left--) {
        const int node = (int)below(w, NODES);
        if (below(w, w->calm) == 0) {
            if (w->slices[node].there)
                remove_slice(w, node);
            if (below(w, 3) > 0)
                add_slice(w, node);
        } else if (below(w, 4) == 0) {
            toggle_node(w, node);
        } else {
            toggle_held(w, node, (int)below(w, DEVICES));
        }
    }
}

static bool sees(const world *w, int node, int pool)
{
    const slice *of = &w->slices[pool];
    return of->there && (of->reach == EVERY_NODE || (of->reach == OWN_NODE && pool == node) ||
                         (of->reach == OF_RACK && of->rack == w->racks[node]));
}

/* Whether the free devices that the node sees are enough. */
static bool has(const world *w, int node, int model, int count)
{
    int found = 0;
    for (int pool = 0; pool < NODES; pool++)
        for (int i = 0; i < w->slices[pool].count && sees(w, node, pool); i++)
            found += w->slices[pool].models[i] == model && !w->held[pool][i];
    return w->is_there[node] && found >= count;
}

static void decide(world *w, int model, int count)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    bool any = false, chosen = false;
    small_require(
        berth_engine_decide(w->c.engine, w->pods[model][count - 1], NULL, &placement, &error),
        &error);
    for (int i = 0; i < NODES; i++) {
        any |= has(w, i, model, count);
        chosen |= has(w, i, model, count) && placement.node == w->ids[i];
    }
    if (any)
        assert_true(chosen);
    else
        assert_true(placement.node == BERTH_NODE_NONE);
}

static void run(bool forgets)
{
    world w;
    berth__sweep_always = forgets;
    open_world(&w);
    for (int step = 0; step < STEPS; step++) {
        if (step % 50 == 0) {
            w.wide = 1 + below(&w, 3) * 20;
            w.calm = 1 + below(&w, 3) * 6;
        }
        change_some(&w);
        for (uint32_t asked = below(&w, 4); asked > 0; asked--)
            decide(&w, (int)below(&w, MODELS), 1 + (int)below(&w, 2));
    }
    small_close(&w.c);
    berth__sweep_always = false;
}

static void test_decisions_follow_changes(void **state)
{
    (void)state;
    run(false);
}

static void test_decisions_follow_changes_with_ids_that_come_back(void **state)
{
    (void)state;
    run(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions_follow_changes),
        cmocka_unit_test(test_decisions_follow_changes_with_ids_that_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
