/* Which nodes have the same shape for a kind of claims, and which have none. */
#include "devices/node_model.h"
#include "devices/node_shape.h"
#include "offered_devices.h"

static berth__node_shapes shapes;
static berth__device_search search;

/* Offers these devices on another node. */
static berth__slice_facts *offer_other(const char *driver, const char *pool, const char *name,
                                       const char *devices)
{
    berth__slice_facts *facts = offer(driver, pool, name, devices);
    facts->reach.node_name = sym("m");
    return facts;
}

/* Computes the shapes; call it after all devices and requests were given. */
static void look(void)
{
    build_catalog();
    search = new_search();
    berth__node_shapes_destroy(&shapes);
    assert_int_equal(berth__node_shapes_init(&shapes, model.allocator), BERTH_OK);
}

static berth__node_state *state_of(const char *name)
{
    berth__offer_node node = {.id = name[0] == 'n' ? 0 : 1, .name = sym(name)};
    assert_non_null(berth__node_offers_of(&catalog, &node));
    return berth__node_shapes_state(&shapes, &search, berth__node_offers_listed(&catalog, node.id));
}

static void assert_alike(bool alike)
{
    look();
    assert_non_null(state_of("n"));
    assert_non_null(state_of("m"));
    assert_true((state_of("n") == state_of("m")) == alike);
}

static void test_names_and_what_nobody_reads_are_of_no_matter(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 uuid=u0; d1 uuid=u1");
    offer_other("a.x", "q", "t", "e0 uuid=u7; e1 uuid=u8");
    want("r 1");
    assert_alike(true);
}

static void test_selectors_tell_devices_apart(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1 k=1");
    offer_other("a.x", "q", "t", "d0 k=1; d1 k=2");
    want("r 1 if=device.attributes[\"a.x\"].k<=2");
    assert_alike(true);
    want("r 1 if=device.attributes[\"a.x\"].k==1");
    assert_alike(false);
}

static void test_constraints_tell_devices_apart(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1 k=1");
    offer_other("a.x", "q", "t", "d0 k=1; d1 k=2");
    constrain(want("r 2"), "a.x/k", NULL);
    assert_alike(false);
}

/* Both devices have one of the two attributes, with the same value. */
static void test_which_attribute_a_device_has_tells_it_apart(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1");
    offer_other("a.x", "q", "t", "d0 j=1");
    berth__device_constraint *both = make(2, sizeof(*both));
    both[0].match = name_of("a.x/k");
    both[1].match = name_of("a.x/j");
    berth__device_want *claim = want("r 1");
    claim->constraints = both;
    claim->constraint_count = 2;
    assert_alike(false);
}

static void test_taints_and_capacities_tell_devices_apart(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 m:4");
    offer_other("a.x", "q", "t", "d0 m:2 taint");
    want("r 1 tolerates m:2");
    assert_alike(true);
    want("r 1 m:2");
    assert_alike(false);
}

static void test_counters_tell_devices_apart(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 uses=6; d1 uses=6");
    offer_counters("a.x", "q", "c2", "10")->reach.node_name = sym("m");
    offer_other("a.x", "q", "t", "d0 uses=6; d1 uses=4");
    want("r 1");
    assert_alike(false);
}

static void test_devices_in_use_are_the_state(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1");
    offer_other("a.x", "q", "t", "d0; d1");
    want("r 1");
    look();
    berth__node_state *idle = state_of("n");
    assert_non_null(idle);
    assert_int_equal(idle->outcome.value, 0);
    idle->outcome.value = 7;
    assert_int_equal(state_of("m")->outcome.value, 7);
    hold("a.x", "p", "d1");
    assert_ptr_not_equal(state_of("n"), idle);
    assert_int_equal(state_of("n")->key.in_use, 2);
    assert_ptr_equal(state_of("m"), idle);
    hold("a.x", "q", "d1");
    assert_ptr_equal(state_of("m"), state_of("n"));
}

static void test_bits_count_the_devices_of_idle_pools(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1");
    offer("a.x", "q", "t", "d0; d1");
    want("r 1");
    hold("a.x", "q", "d1");
    look();
    assert_int_equal(state_of("n")->key.in_use, 8);
}

static void assert_none(void)
{
    look();
    assert_null(state_of("n"));
    assert_null(state_of("n"));
}

static void test_shared_devices_have_none(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 multi m:10");
    want("r 1 m:1");
    assert_none();
}

/* The allocation is from a time when the device could be shared. */
static void test_devices_with_a_share_in_use_have_none(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1");
    want("r 1");
    look();
    assert_non_null(state_of("n"));
    hold_as("a.x", "p", "d1", "5b0c24b2-7a2f-4c11-8d13-1d9a4f4d5c11");
    assert_null(state_of("n"));
}

static void test_devices_that_choose_nodes_have_none(void **state)
{
    (void)state;
    berth__slice_facts *facts = offer("a.x", "p", "s", "d0 on=n; d1 on=m");
    facts->reach = (berth__device_reach){0};
    facts->per_device = true;
    want("r 1");
    assert_none();
}

static void test_failing_selectors_have_none(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1");
    want("r 1 if=device.attributes[\"a.x\"].k==1");
    assert_none();
}

static void test_unknown_class_has_none(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0");
    berth__device_want *claim = want("r 1");
    berth__device_ask *ask = make(1, sizeof(*ask));
    *ask = claim->requests[0].asks[0];
    ask->class_name = sym("other");
    berth__device_request *request = make(1, sizeof(*request));
    *request = claim->requests[0];
    request->asks = ask;
    claim->requests = request;
    assert_none();
}

static void test_many_devices_have_none(void **state)
{
    (void)state;
    char text[16 * (BERTH__MODEL_DEVICES + 1)] = "";
    static const char *const pools[] = {"p0", "p1", "p2", "p3", "p4"};
    for (uint32_t p = 0; p < 5; p++) {
        text[0] = '\0';
        for (uint32_t i = 0; i < 13; i++)
            (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sd%u",
                           i > 0 ? ";" : "", i);
        offer("a.x", pools[p], pools[p], text);
        if (p == 3) {
            want("r 1");
            look();
            assert_non_null(state_of("n"));
        }
    }
    assert_none();
}

static int tear_down_shapes(void **state)
{
    berth__node_shapes_destroy(&shapes);
    memset(&shapes, 0, sizeof(shapes));
    return tear_down(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down_shapes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names_and_what_nobody_reads_are_of_no_matter),
        TEST(test_selectors_tell_devices_apart),
        TEST(test_constraints_tell_devices_apart),
        TEST(test_which_attribute_a_device_has_tells_it_apart),
        TEST(test_taints_and_capacities_tell_devices_apart),
        TEST(test_counters_tell_devices_apart),
        TEST(test_devices_in_use_are_the_state),
        TEST(test_bits_count_the_devices_of_idle_pools),
        TEST(test_shared_devices_have_none),
        TEST(test_devices_with_a_share_in_use_have_none),
        TEST(test_devices_that_choose_nodes_have_none),
        TEST(test_failing_selectors_have_none),
        TEST(test_unknown_class_has_none),
        TEST(test_many_devices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
