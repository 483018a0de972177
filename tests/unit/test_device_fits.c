/* The relation of a node's devices to a pod's claims: each kind of device once, alternatives,
 * counters, pools that are left out, and pods and nodes about which the call is not allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "berth/berth.h"
#include "counted_memory.h"
#include "devices/devices.h"
#include "versions/engine_state.h"

#define SLICE(name, node, count, devices)                                                       \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name               \
    "}\nspec: {driver: x.org, pool: {name: " name ", generation: 1, resourceSliceCount: " count \
    "}, nodeName: " node ", devices: [" devices "]}\n---\n"
#define NODE(name)                                       \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name \
    "}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}\n---\n"
#define BIG "attributes: {model: {string: big}}, capacity: {memory: {value: 8Gi}}"
#define CLAIM(name, requests)                                                                    \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name ", uid: " name \
    "}\nspec: {devices: {requests: [" requests "]}}\n---\n"
#define POD(name, claim)                                                                      \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name                                       \
    "}\nspec: {containers: [{name: c}], resourceClaims: [{name: d, resourceClaimName: " claim \
    "}]}\n---\n"

static const char objects[] = NODE("a") NODE("b") NODE(
    "c") "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: "
         "{selectors: "
         "[{cel: {expression: "
         "'!device.attributes[\"x.org\"].model.startsWith(\"nic\")'}}]}\n---\n" SLICE(
             "a", "a", "1",
             "{name: d0, " BIG "}, {name: d1, " BIG
             "}, {name: d2, attributes: {model: {string: small}}"
             ", capacity: {memory: {value: 8Gi}}}, {name: d3, " BIG ", taints: [{key: k, effect: "
             "NoSchedule}]}, {name: d4, attributes: {model: {string: big}}, capacity: {memory: "
             "{value: "
             "1Gi}}}, {name: e0, attributes: {model: {string: nic}}}")
             SLICE("b", "b", "2",
                   "{name: d0, " BIG
                   "}") "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: "
                        "c}\nspec: {driver: x.org, "
                        "pool: {name: c, generation: 1, resourceSliceCount: 2}, nodeName: c, "
                        "sharedCounters: [{name: s, "
                        "counters: {u: {value: 3}}}]}\n---\n"
                        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: "
                        "c1}\nspec: {driver: x.org, "
                        "pool: {name: c, generation: 1, resourceSliceCount: 2}, nodeName: c, "
                        "devices: [{name: w, " BIG ", consumesCounters: [{counterSet: s, counters: "
                        "{u: {value: 3}}}]}, {name: h, " BIG
                        ", consumesCounters: [{counterSet: s, counters: {u: {value: 1}}}]}, {name: "
                        "i, " BIG ", consumesCounters: [{counterSet: s, counters: {u: {value: "
                        "1}}}]}]}\n---\n" CLAIM("two", "{name: r, exactly: {deviceClassName: gpu, "
                                                       "count: 2, selectors: [{cel: {expression: "
                                                       "'device.attributes[\"x.org\"].model == "
                                                       "\"big\"'}}], capacity: {requests: {memory: "
                                                       "2Gi}}}}")
                            CLAIM("one", "{name: r, exactly: {deviceClassName: gpu}}")
                                CLAIM("any", "{name: r, firstAvailable: [{name: all, "
                                             "deviceClassName: gpu, allocationMode: All}, "
                                             "{name: few, deviceClassName: gpu, count: 3}]}")
                                    CLAIM("odd", "{name: r, exactly: {deviceClassName: nosuch}}")
                                        POD("two", "two") POD("one", "one") POD("any", "any")
                                            POD("odd", "odd") POD("none", "none");

static void load(berth_engine *engine, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str all = {text, (uint32_t)strlen(text)};
    if (berth_engine_load_text(engine, all, "t", NULL, NULL, &error) != BERTH_OK)
        fail_msg("%s: %s: %s", error.object, error.field, error.message);
}

static berth_engine *make_with(uint32_t kubernetes, const berth_allocator *allocator)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = NULL;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = kubernetes;
    config.allocator = allocator;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_OK);
    load(engine, objects);
    return engine;
}

static berth_engine *make_as(uint32_t kubernetes)
{
    return make_with(kubernetes, NULL);
}

static berth_engine *make(void)
{
    return make_as(36);
}

static berth_pod_id pod(const berth_engine *engine, const char *name)
{
    return berth_engine_find_pod(engine, (berth_str){"default", 7},
                                 (berth_str){name, (uint32_t)strlen(name)});
}

static berth_node_id node(const berth_engine *engine, const char *name)
{
    return berth_engine_find_node(engine, (berth_str){name, (uint32_t)strlen(name)});
}

static berth_device_fit fit_of(berth_engine *engine, const char *pod_name, const char *node_name)
{
    berth_error error;
    berth_device_fit fits[2];
    uint32_t count = 7;
    assert_int_equal(berth_engine_device_fits(engine, pod(engine, pod_name),
                                              node(engine, node_name), fits, 2, &count, &error),
                     BERTH_OK);
    assert_int_equal(count, 1);
    return fits[0];
}

static void expect(berth_device_fit fit, const uint32_t counts[6])
{
    const uint32_t found[] = {fit.devices, fit.used, fit.unlike, fit.tainted, fit.cramped, fit.fit};
    for (int i = 0; i < 6; i++)
        assert_int_equal(found[i], counts[i]);
}

static void test_kinds(void **state)
{
    berth_engine *engine = make();
    berth_error error;
    (void)state;
    berth_device_fit fit = fit_of(engine, "two", "a");
    assert_memory_equal(fit.claim_name.data, "two", 3);
    assert_memory_equal(fit.request.data, "r", 1);
    assert_memory_equal(fit.device_class.data, "gpu", 3);
    assert_null(fit.subrequest.data);
    assert_int_equal(fit.asked, 2);
    expect(fit, (const uint32_t[]){5, 0, 1, 1, 1, 2});
    assert_int_equal(berth_engine_bind(engine, pod(engine, "one"), node(engine, "a"), &error),
                     BERTH_OK);
    expect(fit_of(engine, "two", "a"), (const uint32_t[]){5, 1, 1, 1, 1, 1});
    /* The following decisions request no explanation. */
    berth_placement placement;
    assert_int_equal(berth_engine_schedule(engine, pod(engine, "two"), &placement, &error),
                     BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(placement.node, node(engine, "c"));
    berth_engine_destroy(engine);
}

static void test_pools_and_counters(void **state)
{
    berth_engine *engine = make();
    berth_error error;
    (void)state;
    berth_device_fit fit = fit_of(engine, "one", "b");
    expect(fit, (const uint32_t[]){0, 0, 0, 0, 0, 0});
    assert_int_equal(fit.pools_left_out, 1);
    expect(fit_of(engine, "two", "c"), (const uint32_t[]){3, 0, 0, 0, 0, 3});
    assert_int_equal(berth_engine_bind(engine, pod(engine, "one"), node(engine, "c"), &error),
                     BERTH_OK);
    expect(fit_of(engine, "two", "c"), (const uint32_t[]){3, 1, 0, 0, 2, 0});
    berth_engine_destroy(engine);
}

/* Of a slice whose devices choose nodes, only the node's own devices count. */
static void test_devices_choose_nodes(void **state)
{
    berth_engine *engine = make();
    (void)state;
    load(engine,
         NODE("d") NODE("e") "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: "
                             "{name: de}\nspec: {driver: x.org, pool: {name: de, generation: 1, "
                             "resourceSliceCount: 1}, perDeviceNodeSelection: true, devices: "
                             "[{name: d0, nodeName: d, " BIG "}, {name: e0, nodeName: e, " BIG
                             "}, {name: e1, nodeName: e, " BIG "}]}\n");
    expect(fit_of(engine, "one", "d"), (const uint32_t[]){1, 0, 0, 0, 0, 1});
    expect(fit_of(engine, "one", "e"), (const uint32_t[]){2, 0, 0, 0, 0, 2});
    berth_engine_destroy(engine);
}

/* A pool that has two devices of one name offers nothing. */
static void test_invalid_pool(void **state)
{
    berth_engine *engine = make();
    (void)state;
    load(engine, NODE("d") SLICE("d", "d", "1", "{name: d0, " BIG "}, {name: d0, " BIG "}"));
    berth_device_fit fit = fit_of(engine, "one", "d");
    expect(fit, (const uint32_t[]){0, 0, 0, 0, 0, 0});
    assert_int_equal(fit.pools_left_out, 1);
    assert_int_equal(fit_of(engine, "one", "a").pools_left_out, 0);
    berth_engine_destroy(engine);
}

/* Whichever allocation fails, the call fails as a whole, and the next one has the whole answer. */
static void test_memory_runs_out(void **state)
{
    static const char *const pods[] = {"two", "any", "one"};
    (void)state;
    for (size_t which = 0; which < sizeof(pods) / sizeof(pods[0]); which++) {
        bool reached = true;
        uint32_t refused = 0;
        for (unsigned at = 1; reached; at++) {
            counted memory = {0};
            const berth_allocator allocator = {&memory, counted_allocate, counted_release};
            berth_engine *engine = make_with(36, &allocator);
            berth_error error = {.code = BERTH_OK};
            berth_device_fit fits[2];
            uint32_t count = 0;
            atomic_store(&memory.calls, 0);
            atomic_store(&memory.fail_at, at);
            const berth_status status = berth_engine_device_fits(
                engine, pod(engine, pods[which]), node(engine, "a"), fits, 2, &count, &error);
            reached = atomic_load(&memory.calls) >= at;
            atomic_store(&memory.fail_at, 0);
            if (status != BERTH_OK) {
                assert_int_equal(status, BERTH_E_NOMEM);
                assert_int_equal(error.code, BERTH_E_NOMEM);
                refused++;
            }
            assert_int_equal(berth_engine_device_fits(engine, pod(engine, pods[which]),
                                                      node(engine, "a"), fits, 2, &count, &error),
                             BERTH_OK);
            assert_int_equal(count, which == 1 ? 2 : 1);
            assert_int_equal(fits[count - 1].fit, which == 0 ? 2 : 4);
            assert_int_equal(berth_engine_check(engine, &error), BERTH_OK);
            berth_engine_destroy(engine);
            assert_int_equal(atomic_load(&memory.bytes), 0);
        }
        assert_true(refused > 0);
    }
}

static void test_alternatives(void **state)
{
    berth_engine *engine = make();
    berth_error error;
    berth_device_fit fits[2];
    uint32_t count = 0;
    (void)state;
    assert_int_equal(berth_engine_device_fits(engine, pod(engine, "any"), node(engine, "a"), fits,
                                              2, &count, &error),
                     BERTH_OK);
    assert_int_equal(count, 2);
    assert_memory_equal(fits[0].subrequest.data, "all", 3);
    assert_int_equal(fits[0].asked, 0);
    assert_memory_equal(fits[1].subrequest.data, "few", 3);
    assert_int_equal(fits[1].asked, 3);
    expect(fits[1], (const uint32_t[]){5, 0, 0, 1, 0, 4});
    assert_int_equal(berth_engine_device_fits(engine, pod(engine, "any"), node(engine, "a"), fits,
                                              1, &count, &error),
                     BERTH_OK);
    assert_int_equal(count, 2);
    berth_engine_destroy(engine);
}

/* Devices that back an extended resource: asked for where the node has no such resource itself. */
static void test_extended_resources(void **state)
{
    static const char more[] =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: backed}\nspec: "
        "{extendedResourceName: x.org/gpu, selectors: [{cel: {expression: "
        "'device.attributes[\"x.org\"].model == \"big\"'}}]}\n---\n"
        "apiVersion: v1\nkind: Node\nmetadata: {name: own}\nstatus: {allocatable: {cpu: 4, memory: "
        "8Gi, pods: 9, x.org/gpu: 2}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: c, "
        "resources: {requests: {x.org/gpu: 1}, limits: {x.org/gpu: 1}}}]}\n";
    berth_engine *engine = make();
    berth_error error;
    uint32_t count = 9;
    (void)state;
    assert_int_equal(berth_engine_load_text(engine, (berth_str){more, sizeof(more) - 1}, "more",
                                            NULL, NULL, &error),
                     BERTH_OK);
    berth_device_fit fit = fit_of(engine, "plain", "a");
    assert_int_equal(fit.asked, 1);
    expect(fit, (const uint32_t[]){4, 0, 0, 1, 0, 3});
    assert_null(fit.claim_name.data); /* it does not exist yet */
    assert_int_equal(berth_engine_device_fits(engine, pod(engine, "plain"), node(engine, "own"),
                                              NULL, 0, &count, &error),
                     BERTH_OK);
    assert_int_equal(count, 0);
    berth_engine_destroy(engine);
}

/* Attributes and capacities are sorted, so devices that list them in another order have the same
 * contents, and share verdicts. */
static void test_order_of_attributes(void **state)
{
#define TWIN(name, attributes, capacities) \
    SLICE(name, "c", "1", "{name: d, attributes: {" attributes "}, capacity: {" capacities "}}")
    static const char first[] =
        TWIN("p", "c: {int: 3}, a: {int: 1}, b: {int: 2}, model: {string: m}",
             "z: {value: 3}, x: {value: 1}, y: {value: 2}")
            CLAIM("ordered", "{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: "
                             "{expression: 'device.attributes[\"x.org\"].c == 3'}}, {cel: "
                             "{expression: 'device.attributes[\"x.org\"].a == 1'}}], capacity: "
                             "{requests: {z: 3}}}}") POD("ordered", "ordered");
    static const char second[] =
        TWIN("q", "a: {int: 1}, b: {int: 2}, model: {string: m}, c: {int: 3}",
             "y: {value: 2}, z: {value: 3}, x: {value: 1}");
    berth_engine *engine = make();
    (void)state;
    load(engine, first);
    assert_int_equal(fit_of(engine, "ordered", "c").fit, 1);
    const uint32_t contents = engine->cluster.view.devices->catalog.contents.count;
    load(engine, second);
    assert_int_equal(fit_of(engine, "ordered", "c").fit, 2);
    assert_int_equal(engine->cluster.view.devices->catalog.contents.count, contents);
    berth_engine_destroy(engine);
}

/* Many slices are read, and their pools opened, as they come. */
static void test_many_slices_are_read_as_they_come(void **state)
{
    enum { SLICES = BERTH__DEVICE_JOURNAL / 2 };
    berth_engine *engine = make();
    const berth__catalog *catalog = &engine->cluster.view.devices->catalog;
    char slice[512];
    (void)state;
    for (int i = 0; i < SLICES; i++) {
        (void)snprintf(slice, sizeof(slice), SLICE("m%d", "m%d", "1", "{name: d}"), i, i, i);
        load(engine, slice);
    }
    assert_true(catalog->pools.count > SLICES / 2);
    for (uint32_t id = 0; id < catalog->slice_capacity; id++)
        if (catalog->slices[id] != NULL)
            assert_true(catalog->slices[id]->pool->open);
    assert_int_equal(fit_of(engine, "one", "a").fit, 4);
    berth_engine_destroy(engine);
}

/* A selector whose result is a dyn compiles from 1.37 on. */
static void test_language_of_selectors(void **state)
{
    static const char more[] =
        CLAIM("loose", "{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "
                       "'dyn(true)'}}]}}") POD("loose", "loose");
    (void)state;
    for (uint32_t minor = 36; minor <= 37; minor++) {
        berth_engine *engine = make_as(minor);
        const berth_decide_options options = {.size = sizeof(options)};
        berth_placement placement;
        berth_error error;
        load(engine, more);
        assert_int_equal(
            berth_engine_decide(engine, pod(engine, "loose"), &options, &placement, &error),
            BERTH_OK);
        assert_int_equal(placement.verdict == BERTH_VERDICT_PLACED, minor == 37);
        berth_engine_destroy(engine);
    }
}

/* 1.37 leaves slices with compatibility groups out, as long as the feature is off. */
static void test_compatibility_groups(void **state)
{
    static const char more[] = NODE(
        "own") "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: own}\n"
               "spec: {driver: x.org, pool: {name: own, generation: 1, resourceSliceCount: 2}, "
               "nodeName: own, sharedCounters: [{name: s, counters: {u: {value: 3}}}]}\n---\n"
               "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: own1}\n"
               "spec: {driver: x.org, pool: {name: own, generation: 1, resourceSliceCount: 2}, "
               "nodeName: own, devices: [{name: d, " BIG "}, {name: e, " BIG
               ", consumesCounters: [{counterSet: s, compatibilityGroups: "
               "[g], counters: {u: {value: 1}}}]}]}\n---\n";
    (void)state;
    for (uint32_t minor = 36; minor <= 37; minor++) {
        berth_engine *engine = make_as(minor);
        load(engine, more);
        assert_int_equal(fit_of(engine, "one", "own").devices, minor == 36 ? 2 : 0);
        berth_engine_destroy(engine);
    }
}

static void test_nothing_to_tell(void **state)
{
    berth_engine *engine = make();
    berth_error error;
    uint32_t count = 9;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "odd" : "none";
        assert_int_equal(berth_engine_device_fits(engine, pod(engine, name), node(engine, "a"),
                                                  NULL, 0, &count, &error),
                         BERTH_OK);
        assert_int_equal(count, 0);
    }
    assert_int_equal(
        berth_engine_device_fits(engine, pod(engine, "one"), 99, NULL, 0, &count, &error),
        BERTH_E_NOT_FOUND);
    assert_int_equal(
        berth_engine_device_fits(engine, 999, node(engine, "a"), NULL, 0, &count, &error),
        BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_bind(engine, pod(engine, "one"), node(engine, "a"), &error),
                     BERTH_OK);
    assert_int_equal(berth_engine_device_fits(engine, pod(engine, "one"), node(engine, "a"), NULL,
                                              0, &count, &error),
                     BERTH_E_STATE);
    berth_engine_destroy(engine);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_pools_and_counters),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_devices_choose_nodes),
        cmocka_unit_test(test_invalid_pool),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_extended_resources),
        cmocka_unit_test(test_order_of_attributes),
        cmocka_unit_test(test_many_slices_are_read_as_they_come),
        cmocka_unit_test(test_language_of_selectors),
        cmocka_unit_test(test_compatibility_groups),
        cmocka_unit_test(test_nothing_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
