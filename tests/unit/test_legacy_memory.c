/* Decisions of plugins of v1.15 when memory runs out: whichever allocation fails, the call fails,
 * and the next call decides as if nothing had happened. */
#include "counted_memory.h"
#include "legacy_rules.h"

static berth_status decide(small_cluster *c, berth_pod_id pod)
{
    berth_decide_options options;
    berth_decide_options_init(&options);
    return berth_engine_decide(c->engine, pod, &options, &c->placement, NULL);
}

/* The pod of a Service follows another one to its node c, of three. Returns whether the decision
 * needs fewer allocations than `at`, which fails. */
static bool follows_without(unsigned at)
{
    static const berth_str key = TEXT("host");
    const berth_plugin_args args = {.label = {{&key, 1}, false}};
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    lone_plugin room;
    berth_engine_config config;
    small_cluster c;
    berth_engine_config_init(&config);
    config.profiles = lone(&room, "CheckServiceAffinity", NULL, &args);
    config.profile_count = 1;
    config.allocator = &allocator;
    small_open_as(&c, config);
    small_node(&c, "a", ", labels: {host: a}");
    small_node(&c, "b", ", labels: {host: b}");
    const berth_node_id wanted = small_node(&c, "c", ", labels: {host: c}");
    small_add(&c, "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
                  "spec: {selector: {app: s}}\n");
    small_pod(&c, "r", "c", ", labels: {app: s}", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, ", labels: {app: s}", "");
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, at);
    const berth_status status = decide(&c, pod);
    const bool fewer = atomic_load(&memory.calls) < at;
    atomic_store(&memory.fail_at, 0);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(decide(&c, pod), BERTH_OK);
    }
    assert_int_equal(c.placement.node, wanted);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_services(void **state)
{
    bool fewer = false;
    (void)state;
    for (unsigned at = 1; !fewer; at++) {
        assert_true(at < 1000);
        fewer = follows_without(at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_of_services)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
