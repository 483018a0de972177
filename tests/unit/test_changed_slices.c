/* Slices of devices change between decisions about pods with claims: what the engine keeps about
 * devices must follow. In each step a few slices come, go or change; then pods that want one or two
 * devices of a model must get a node that has them, and none if no node has. Devices that selectors
 * cannot tell apart differ in an attribute of their own, so they are compared with earlier ones.
 * BERTH_TEST_SEED replays a run. */
#include <time.h>

#include "base/random.h"
#include "rule_cluster.h"

enum { NODES = 9, STEPS = 12000, MODELS = 2, MOST = 3 };

/* The devices of a node's slice, by model; -1: there is no slice. */
typedef struct world {
    small_cluster c;
    berth__random random;
    int slices[NODES][MODELS];
    bool everywhere[NODES]; /* all nodes see the slice */
    berth_pod_id pods[MODELS][2];
    uint32_t serial;
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

static void open_world(world *w)
{
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    print_message("BERTH_TEST_SEED=%llu\n", (unsigned long long)seed);
    *w = (world){.random = {seed}};
    small_open(&w->c, berth_profile_default_of(SMALL_KUBERNETES));
    small_addf(&w->c, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\n");
    for (int i = 0; i < NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(small_node(&w->c, name, ""), i);
        w->slices[i][0] = -1;
    }
    for (int model = 0; model < MODELS; model++)
        for (int count = 1; count <= 2; count++)
            add_claimant(w, model, count);
}

static void remove_slice(world *w, int node)
{
    char name[16];
    berth_error error = {.code = BERTH_OK};
    (void)snprintf(name, sizeof(name), "s%d", node);
    small_require(berth_engine_remove(w->c.engine, BERTH_KIND_RESOURCE_SLICE, (berth_str){0},
                                      (berth_str){name, (uint32_t)strlen(name)}, &error),
                  &error);
    w->slices[node][0] = -1;
}

static void add_slice(world *w, int node)
{
    char devices[1024] = "", where[32];
    int number = 0;
    for (int model = 0; model < MODELS; model++) {
        w->slices[node][model] = below(w, 2) > 0 ? (int)below(w, MOST) : 0;
        for (int i = 0; i < w->slices[node][model]; i++, number++)
            (void)snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices),
                           "%s{name: d%d, attributes: {model: {int: %d}, serial: {int: %u}}}",
                           number > 0 ? ", " : "", number, model, (unsigned)++w->serial);
    }
    w->everywhere[node] = below(w, 40) == 0;
    (void)snprintf(where, sizeof(where), w->everywhere[node] ? "allNodes: true" : "nodeName: n%d",
                   node);
    small_addf(&w->c,
               "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s%d}\nspec: "
               "{driver: x.org, pool: {name: p%d, generation: 1, resourceSliceCount: 1}, %s, "
               "devices: [%s]}\n",
               node, node, where, devices);
}

static void change_some(world *w)
{
    for (uint32_t left = 1 + below(w, 3); left > 0; left--) {
        const int node = (int)below(w, NODES);
        if (w->slices[node][0] >= 0)
            remove_slice(w, node);
        if (below(w, 3) > 0)
            add_slice(w, node);
    }
}

/* Whether the devices that all nodes see and those of the node's own are enough. */
static bool has(const world *w, int node, int model, int count)
{
    int found = 0;
    for (int i = 0; i < NODES; i++)
        if (w->slices[i][0] >= 0 && (i == node || w->everywhere[i]))
            found += w->slices[i][model];
    return found >= count;
}

static void decide(world *w, int model, int count)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    bool any = false;
    small_require(
        berth_engine_decide(w->c.engine, w->pods[model][count - 1], NULL, &placement, &error),
        &error);
    for (int i = 0; i < NODES; i++)
        any |= has(w, i, model, count);
    if (any)
        assert_true(placement.node < NODES && has(w, (int)placement.node, model, count));
    else
        assert_true(placement.node == BERTH_NODE_NONE);
}

static void test_decisions_follow_slices(void **state)
{
    world w;
    (void)state;
    open_world(&w);
    for (int step = 0; step < STEPS; step++) {
        change_some(&w);
        for (uint32_t asked = below(&w, 4); asked > 0; asked--)
            decide(&w, (int)below(&w, MODELS), 1 + (int)below(&w, 2));
    }
    small_close(&w.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions_follow_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
