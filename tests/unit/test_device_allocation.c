/* The structured allocator of devices, rule by rule; the first tests are answers of
 * kube-scheduler's own library. Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating. */
#include "berth/engine.h"
#include "offered_devices.h"

#include "devices/words.h"

/* Clears devices and requests, and switches to the allocator of another release. */
static void offer_anew(uint32_t release)
{
    assert_int_equal(tear_down(NULL), 0);
    of_release = release;
    assert_int_equal(set_up(NULL), 0);
    of_release = 0;
}

static void test_order_of_pools_slices_and_devices(void **state)
{
    (void)state;
    offer("b.x", "p1", "z", "d0");
    offer("a.x", "p2", "s2", "d1; d0");
    offer("a.x", "p2", "s1", "d9");
    offer("a.x", "p10", "y", "d5");
    want("r 5");
    assert_string_equal(found(), "d5 d9 d1 d0 d0");
}

static void test_match_attribute_goes_back(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1 k=2; d2 k=2");
    constrain(want("r 2"), "a.x/k", NULL);
    assert_string_equal(found(), "d1 d2");
}

static void test_distinct_attribute_remembered_one_of_a_request(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=a; d1 k=a; d2 k=b; d3 k=a");
    constrain(want("r 3"), NULL, "a.x/k");
    assert_string_equal(found(), "none");
    offer_anew(BERTH_KUBERNETES(36, 3));
    offer("a.x", "p", "s", "d0 k=a; d1 k=a; d2 k=b; d3 k=a");
    constrain(want("r 3"), NULL, "a.x/k");
    assert_string_equal(found(), "d0 d2 d3");
}

/* Requests of one claim keep their own values, and the next search starts without them. */
static void test_distinct_attribute_of_two_requests(void **state)
{
    static const uint32_t releases[] = {0, BERTH_KUBERNETES(36, 3)};
    (void)state;
    for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
        offer_anew(releases[i]);
        offer("a.x", "p", "s", "d0 k=a; d1 k=b; d2 k=a");
        constrain(want("r 1, q 1"), NULL, "a.x/k");
        assert_string_equal(found(), "d0 d1");
    }
}

static void test_taint_left_counters_counted(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 taint uses=6; d1 uses=6");
    want("r 1");
    assert_string_equal(found(), "d1");
    offer_anew(BERTH_KUBERNETES(36, 2));
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 taint uses=6; d1 uses=6");
    want("r 1");
    assert_string_equal(found(), "none");
}

static void test_constraint_left_counters_counted(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 k=1 uses=4; d1 k=2 uses=4; d2 k=1 uses=4");
    constrain(want("r 2"), "a.x/k", NULL);
    assert_string_equal(found(), "d0 d2");
    offer_anew(BERTH_KUBERNETES(36, 2));
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 k=1 uses=4; d1 k=2 uses=4; d2 k=1 uses=4");
    constrain(want("r 2"), "a.x/k", NULL);
    assert_string_equal(found(), "none");
}

/* A device that others may use, too, is given back with its counters. */
static void test_shared_device_is_given_back(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c", "12");
    offer("a.x", "p", "s",
          "d0 multi m:10~ k=1 uses=6; d1 multi m:10~ k=2 uses=6; d2 multi m:10~ k=2 uses=6");
    constrain(want("r 2"), "a.x/k", NULL);
    assert_string_equal(found(), "d1{2} d2{2}");
}

static void test_first_available_gives_way(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1");
    want("r two:2 one:1, q 1");
    assert_string_equal(found(), "d0 d1");
}

static void test_admin_access_blocks_what_comes_after(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0");
    want("r 1 admin");
    want("r 1");
    assert_string_equal(found(), "none");
    want_count = 0;
    want("r 1");
    want("r 1 admin");
    assert_string_equal(found(), "d0 d0!");
}

/* Even with admin access, a claim gets a device once. */
static void test_admin_access_gives_other_devices_of_a_claim(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1; d2");
    want("r 1, q 1 admin");
    assert_string_equal(found(), "d0 d1!");
    want_count = 0;
    want("r 2, q 1 admin");
    assert_string_equal(found(), "d0 d1 d2!");
}

static void test_all_means_devices_in_use_too(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1");
    hold("a.x", "p", "d0");
    want("r all");
    assert_string_equal(found(), "none");
    want_count = 0;
    want("r all admin");
    assert_string_equal(found(), "d0! d1!");
}

static void test_capacity_is_shared_by_policy(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 multi m:10~");
    want("r 1 m:3, q 1");
    assert_string_equal(found(), "d0{4} d0{2}");
}

static void test_one_request_takes_a_device_once(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 multi m:10~");
    want("r 2");
    assert_string_equal(found(), "none");
}

static void test_binding_conditions_come_last(void **state)
{
    (void)state;
    offer("a.x", "p1", "s1", "d0 binds");
    offer("a.x", "p2", "s2", "d1");
    want("r 2");
    assert_string_equal(found(), "d1 d0");
}

static void test_device_in_use_is_not_asked(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1 k=1");
    want("r 1 if=device.attributes[\"a.x\"].k==1");
    assert_string_equal(
        found(), "claim default/claim: selector #0 on device a.x/p/d0: CEL runtime error: no such "
                 "key: k. consider using CEL optional chaining (.? followed by orValue()) or "
                 "guarding the check with has() for optional fields");
    hold("a.x", "p", "d0");
    assert_string_equal(found(), "d1");
}

/* ---- pools ---- */

static void test_incomplete_pool_is_left_out(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0")->slice_count = 2;
    offer("b.x", "p", "t", "d1");
    want("r 1");
    assert_string_equal(found(), "d1");
    want_count = 0;
    want("r all");
    assert_string_equal(found(),
                        "claim default/claim, request r: asks for all devices, but resource "
                        "pool a.x/p is currently being updated");
}

static void test_repeated_name_makes_a_pool_invalid(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d0");
    want("r 1");
    assert_string_equal(found(), "invalid");
    want_count = 0;
    want("r all");
    assert_string_equal(found(),
                        "claim default/claim, request r: asks for all devices, but resource "
                        "pool a.x/p is currently invalid");
}

static void test_repeated_counter_set_makes_a_pool_invalid(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c1", "10");
    offer_counters("a.x", "p", "c2", "10");
    offer("a.x", "p", "s", "d0 uses=1");
    want("r 1");
    assert_string_equal(found(), "invalid");
}

/* Nothing binds a device of an invalid pool, so such pools keep the order of their names. */
static void test_invalid_pools_are_in_order(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 binds; d0");
    offer("a.x", "q", "t", "d0; d0");
    want("r all");
    assert_string_equal(found(),
                        "claim default/claim, request r: asks for all devices, but resource "
                        "pool a.x/p is currently invalid");
}

static void test_unknown_counter_makes_a_pool_invalid(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 uses=1");
    want("r 1");
    assert_string_equal(found(), "invalid");
}

static void test_newer_generation_replaces(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0")->generation = 1;
    offer("a.x", "p", "t", "d1")->generation = 2;
    for (uint32_t i = 0; i < 2; i++) {
        berth__slice_facts *facts;
        memcpy(&facts, &slices[i].facts, sizeof(facts));
        facts->slice_count = 1;
    }
    want("r 1");
    assert_string_equal(found(), "d1");
}

static void test_complete_old_generation_stays(void **state)
{
    (void)state;
    berth__slice_facts *old = offer("a.x", "p", "s", "d0");
    berth__slice_facts *young = offer("a.x", "p", "t", "d1");
    young->generation = 2;
    young->reach.node_name = sym("other");
    old->slice_count = young->slice_count = 1;
    want("r 1");
    assert_string_equal(found(), "d0");
    old->slice_count = 2; /* incomplete, and superseded */
    assert_string_equal(found(), "none");
}

static void test_devices_choose_nodes(void **state)
{
    (void)state;
    berth__slice_facts *facts = offer("a.x", "p", "s", "d0 on=other; d1 on=n");
    facts->reach.node_name = 0;
    facts->per_device = true;
    want("r 1");
    assert_string_equal(found(), "d1");
}

/* ---- claims ---- */

static void test_limit_of_a_claim(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0");
    want("r 33");
    assert_string_equal(
        found(),
        "claim default/claim, request r: adding 33 devices exceeds the claim limit of 32, with 0 "
        "already accounted for");
    want_count = 0;
    want("r big:33 small:1");
    assert_string_equal(found(), "d0");
}

static void test_missing_class(void **state)
{
    (void)state;
    berth__device_want *claim = want("r 1");
    berth__device_ask *ask;
    memcpy(&ask, &claim->requests[0].asks, sizeof(ask));
    ask->class_name = sym("gone");
    offer("a.x", "p", "s", "d0");
    assert_string_equal(found(),
                        "claim default/claim, request r: could not retrieve device class gone: "
                        "deviceclass.resource.k8s.io \"gone\" not found");
    ask->class_name = 0;
    assert_string_equal(found(),
                        "claim default/claim, request r: missing device class name (unsupported "
                        "request type?)");
}

static void test_constraint_of_no_kind(void **state)
{
    (void)state;
    constrain(want("r 1"), NULL, NULL);
    assert_string_equal(found(),
                        "claim default/claim, constraint #0: empty constraint (unsupported "
                        "constraint type?)");
}

static void test_constraint_on_all_is_an_error(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 k=1; d1 k=2");
    constrain(want("r all"), "a.x/k", NULL);
    assert_string_equal(found(),
                        "claim default/claim, request r: cannot add device a.x/p/d1 because a "
                        "claim constraint would not be satisfied");
}

static void test_taint_is_tolerated(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 taint; d1");
    want("r 1");
    assert_string_equal(found(), "d1");
    want_count = 0;
    want("r 1 tolerates");
    assert_string_equal(found(), "d0");
}

static void test_counters_less_devices_in_use(void **state)
{
    (void)state;
    offer_counters("a.x", "p", "c", "10");
    offer("a.x", "p", "s", "d0 uses=6; d1 uses=6; d2 uses=4");
    want("r 1");
    assert_string_equal(found(), "d0");
    hold("a.x", "p", "d0");
    assert_string_equal(found(), "d2");
}

static void test_unknown_capacity_is_a_misfit(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0; d1 m:5; d2 m:10");
    want("r 1 m:6");
    assert_string_equal(found(), "d2");
}

/* Verdicts and searches are shared by devices with the same contents. Enough devices for places to
 * collide, each with another number in the property. */
static void check_contents(const char *property)
{
    enum { SLICES = 12, DEVICES = 10 };
    for (int i = 0; i < SLICES; i++) {
        char pool[16], devices[256];
        size_t len = 0;
        (void)snprintf(pool, sizeof(pool), "p%d", i);
        for (int k = 0; k < DEVICES; k++)
            len += (size_t)snprintf(devices + len, sizeof(devices) - len, "%sd%d %s%d",
                                    k > 0 ? "; " : "", k, property, 1 + i * DEVICES + k);
        offer("a.x", pool, "s", devices);
    }
    build_catalog();
    assert_int_equal(contents_of_all(), SLICES * DEVICES);
    char twice[64];
    (void)snprintf(twice, sizeof(twice), "d0 %s1; d1 %s1", property, property);
    offer("b.x", "p", "s", twice);
    build_catalog();
    assert_int_equal(contents_of_all(), SLICES * DEVICES + 1);
}

static void test_other_capacity_is_other_contents(void **state)
{
    (void)state;
    check_contents("m:");
}

static void test_other_attribute_is_other_contents(void **state)
{
    (void)state;
    check_contents("k=");
}

static void test_other_taint_is_other_contents(void **state)
{
    (void)state;
    check_contents("taint=");
}

static void test_other_counters_are_other_contents(void **state)
{
    (void)state;
    check_contents("uses=");
}

static void test_other_properties_are_other_contents(void **state)
{
    static const char *const properties[] = {
        "d;d taint;d multi;d k=1;d k=a;d j=1;d m:5;d n:5;d m:5~;d uses=1",
        "d k=1 taint;d k=1 multi;d k=1 j=1;d k=1 m:5;d k=1 uses=1;d m:5 taint;d m:5 uses=1",
    };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        char pool[2] = {(char)('p' + i), 0}, *parts[PARTS_MAX];
        uint32_t count = split(properties[i], ";", parts);
        char devices[512] = "";
        for (uint32_t k = 0; k < count; k++)
            (void)snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices), "%sd%u%s",
                           k > 0 ? "; " : "", (unsigned)k, parts[k] + 1);
        offer("a.x", pool, "s", devices);
    }
    build_catalog();
    assert_int_equal(contents_of_all(), 10 + 7);
}

/* ---- bounds ---- */

static void test_list_of_words_grows(void **state)
{
    enum { WORDS = 1000 };
    (void)state;
    berth__words words = {.arena = &scratch};
    for (uint32_t i = 0; i < WORDS; i++)
        berth__words_put(&words, 3 * i);
    assert_false(words.no_memory);
    assert_int_equal(words.count, WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(words.items[i], 3 * i);
}

static void test_hostile_search_ends(void **state)
{
    (void)state;
    offer("a.x", "p", "s",
          "a k=1; b k=2; c k=3; d k=4; e k=5; f k=6; g k=7; h k=8; i k=9; j k=10; l k=11");
    want("r 2, q 2, t 2, u 2, v 4");
    work_max = 100000;
    assert_string_equal(found(), "too long");
}

/* A search ends if it needs more steps than it may take, not if it needs as many. */
static void test_work_up_to_the_bound(void **state)
{
    (void)state;
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    offer("a.x", "p", "s", "d0; d1; d2");
    want("r 2");
    build_catalog();
    const berth__node_offers *offers = berth__node_offers_of(&catalog, &node);
    assert_non_null(offers);
    berth__device_search search = new_search();
    assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_FOUND);
    const uint32_t needed = search.work;
    search.work_max = needed;
    assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_FOUND);
    assert_int_equal(search.work, needed);
    search.work_max = needed - 1;
    assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_TOO_LONG);
}

/* Nor does a search that finds nothing: each device it tries is a step. */
static void test_work_for_nothing(void **state)
{
    (void)state;
    const berth__offer_node node = {.id = 0, .name = sym("n")};
    offer("a.x", "p", "s", "d0; d1; d2");
    want("r if=false");
    build_catalog();
    const berth__node_offers *offers = berth__node_offers_of(&catalog, &node);
    assert_non_null(offers);
    berth__device_search search = new_search();
    for (int i = 0; i < 2; i++) /* only the first one evaluates the expression */
        assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_NONE);
    search.work_max = search.work;
    assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_NONE);
    search.work_max--;
    assert_int_equal(berth__device_search_run(&search, &node, offers), BERTH__DEVICES_TOO_LONG);
}

/* A request for all devices examines each one, which counts even if none is suitable. */
static void test_work_for_all_devices(void **state)
{
    static const char devices[] = "a; b; c; d; e; f; g; h; i; j; k; l";
    enum { DEVICES = 12 };
    (void)state;
    offer("a.x", "p", "s", devices);
    want("r all if=false");
    assert_string_equal(found(), "none");
    work_max = DEVICES - 1;
    assert_string_equal(found(), "too long");
}

/* It ends at the bound, before the expression of a later device fails. */
static void test_all_devices_end_at_the_bound(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "a k=1; b");
    want("r all if=device.attributes[\"a.x\"].k==2");
    work_max = 1;
    assert_string_equal(found(), "too long");
}

static void test_thousand_requests(void **state)
{
    (void)state;
    berth__device_want *claim = want("r 0");
    berth__device_request *many = make(1000, sizeof(*many));
    for (uint32_t i = 0; i < 1000; i++)
        many[i] = claim->requests[0];
    claim->requests = many;
    claim->request_count = 1000;
    offer("a.x", "p", "s", "d0");
    assert_string_equal(found(), "");
}

/* ---- consequences ---- */

static void test_allocation_is_of_one_node(void **state)
{
    (void)state;
    berth__offer_node node = {.id = 0, .name = sym("n")};
    berth__device_allocation allocation;
    offer("a.x", "p", "s", "d0; d1");
    want("r two:2 one:1");
    (void)found();
    berth__device_search search = new_search();
    assert_int_equal(
        berth__device_search_run(&search, &node, berth__node_offers_of(&catalog, &node)),
        BERTH__DEVICES_FOUND);
    assert_int_equal(berth__device_search_choice(&search, 0, 0), 0);
    assert_true(berth__device_search_allocation(&search, 0, &arena, &allocation));
    assert_int_equal(allocation.result_count, 2);
    assert_int_equal(allocation.results[0].request, sym("r/two"));
    assert_true(allocation.has_selector);
    assert_true(berth__node_selector_meets(&model.strings, &allocation.selector, sym("n"),
                                           (berth__labels){0}));
    assert_false(berth__node_selector_meets(&model.strings, &allocation.selector, sym("m"),
                                            (berth__labels){0}));
    assert_true(berth__device_uses_add(&uses, &allocation));
    assert_string_equal(found(), "none");
    berth__device_uses_remove(&uses, &allocation);
    assert_string_equal(found(), "d0 d1");
}

/* A requirement "key=value", "key!value", or "key" (it exists). */
static berth__interned_requirement requirement(const char *of)
{
    const size_t length = strcspn(of, "=!");
    char key[32];
    (void)snprintf(key, sizeof(key), "%.*s", (int)length, of);
    berth__sym *value = make(1, sizeof(*value));
    if (of[length] == '\0')
        return (berth__interned_requirement){.key = sym(key), .op = BERTH__OP_EXISTS};
    *value = sym(of + length + 1);
    return (berth__interned_requirement){.key = sym(key),
                                         .op = of[length] == '=' ? BERTH__OP_IN : BERTH__OP_NOT_IN,
                                         .values = value,
                                         .value_count = 1};
}

/* Make a slice be for the nodes with these labels, instead of node n. Each term is a list of
 * requirements. */
static void offer_where(berth__slice_facts *facts, const char *terms)
{
    char *texts[PARTS_MAX], *parts[PARTS_MAX];
    const uint32_t count = split(terms, ";", texts);
    berth__node_term *all = make(count, sizeof(*all));
    for (uint32_t t = 0; t < count; t++) {
        const uint32_t part_count = split(texts[t], " ", parts);
        berth__interned_requirement *items = make(part_count, sizeof(*items));
        for (uint32_t i = 0; i < part_count; i++)
            items[i] = requirement(parts[i]);
        all[t] = (berth__node_term){.valid = true,
                                    .expressions_valid = true,
                                    .expressions = items,
                                    .expression_count = part_count};
    }
    facts->reach.node_name = 0;
    facts->reach.has_selector = true;
    facts->reach.selector = (berth__interned_node_selector){all, count};
}

/* Allocate the only claim on node n, which has labels a=1 and b=2; returns what was found. */
static const char *allocate(berth__device_allocation *out)
{
    static char text[512];
    berth__label *labels = make(2, sizeof(*labels));
    labels[0] = (berth__label){sym("a"), sym("1")};
    labels[1] = (berth__label){sym("b"), sym("2")};
    if (labels[0].key > labels[1].key) {
        const berth__label first = labels[0];
        labels[0] = labels[1];
        labels[1] = first;
    }
    berth__offer_node node = {.id = 0, .name = sym("n"), .labels = {labels, 2}};
    build_catalog();
    berth__device_search search = new_search();
    const berth__devices_outcome outcome =
        berth__device_search_run(&search, &node, berth__node_offers_of(&catalog, &node));
    if (outcome == BERTH__DEVICES_FOUND)
        assert_true(berth__device_search_allocation(&search, 0, &arena, out));
    write_outcome(&search, outcome, text, sizeof(text));
    return text;
}

/* The selector as "key=value ..."; "anywhere" without one. */
static void expect_selector(const berth__device_allocation *of, const char *wanted)
{
    char text[256] = "";
    if (!of->has_selector) {
        assert_string_equal("anywhere", wanted);
        return;
    }
    assert_int_equal(of->selector.count, 1);
    const berth__node_term *term = &of->selector.terms[0];
    for (uint32_t i = 0; i < term->field_count + term->expression_count; i++) {
        const berth__interned_requirement *one =
            i < term->field_count ? &term->fields[i] : &term->expressions[i - term->field_count];
        const berth_str key = berth__text(&model, one->key);
        const berth_str value =
            one->value_count > 0 ? berth__text(&model, one->values[0]) : BERTH_STR("");
        const size_t at = strlen(text);
        (void)snprintf(text + at, sizeof(text) - at, "%s%.*s%s%.*s", i > 0 ? " " : "", (int)key.len,
                       key.data,
                       one->op == BERTH__OP_IN       ? "="
                       : one->op == BERTH__OP_NOT_IN ? "!"
                                                     : "",
                       (int)value.len, value.data);
    }
    assert_string_equal(text, wanted);
}

/* An allocation is for the nodes that meet the requirements of all its slices, each once. */
static void test_selectors_are_merged(void **state)
{
    static const struct {
        const char *first, *second, *wanted;
    } table[] = {
        {"a=1", "a=1", "a=1"},       {"a=1", "b=2", "a=1 b=2"}, {"a=1", "a!3", "a=1 a!3"},
        {"a!3", "a!4", "a!3 a!4"},   {"a", "a=1", "a a=1"},     {"a", "a", "a"},
        {"a b=2", "b=2 a", "a b=2"}, {"a=1 b", "b", "a=1 b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        berth__device_allocation allocation;
        slice_count = want_count = 0;
        offer_where(offer("a.x", "p", "s", "d0"), table[i].first);
        offer_where(offer("a.x", "q", "t", "e0"), table[i].second);
        want("r 2");
        assert_string_equal(allocate(&allocation), "d0 e0");
        expect_selector(&allocation, table[i].wanted);
    }
}

/* Slices for all nodes say nothing; a device for one node, or that binds to its node, says all. */
static void test_selector_of_one_node(void **state)
{
    berth__device_allocation allocation;
    (void)state;
    berth__slice_facts *all = offer("a.x", "p", "s", "d0");
    all->reach.node_name = 0;
    all->reach.all_nodes = true;
    want("r 1");
    assert_string_equal(allocate(&allocation), "d0");
    expect_selector(&allocation, "anywhere");
    slice_count = want_count = 0;
    offer_where(offer("a.x", "p", "s", "d0"), "a=1");
    berth__slice_facts *binds = offer("a.x", "q", "t", "e0");
    offer_where(binds, "b=2");
    berth__device *device;
    memcpy(&device, &binds->devices, sizeof(device));
    device->binds_to_node = true;
    want("r 2");
    assert_string_equal(allocate(&allocation), "d0 e0");
    expect_selector(&allocation, "metadata.name=n");
}

/* Requirements of one term can be merged, those of several can't. */
static void test_selector_of_two_terms(void **state)
{
    berth__device_allocation allocation;
    (void)state;
    offer_where(offer("a.x", "p", "s", "d0"), "a=1;b=3");
    want("r 1");
    assert_string_equal(allocate(&allocation), "create NodeSelector for claim claim: unsupported "
                                               "ResourceSlice.NodeSelector with 2 terms");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_order_of_pools_slices_and_devices),
        TEST(test_selectors_are_merged),
        TEST(test_selector_of_one_node),
        TEST(test_selector_of_two_terms),
        TEST(test_match_attribute_goes_back),
        TEST(test_distinct_attribute_remembered_one_of_a_request),
        TEST(test_distinct_attribute_of_two_requests),
        TEST(test_taint_left_counters_counted),
        TEST(test_constraint_left_counters_counted),
        TEST(test_first_available_gives_way),
        TEST(test_admin_access_blocks_what_comes_after),
        TEST(test_admin_access_gives_other_devices_of_a_claim),
        TEST(test_all_means_devices_in_use_too),
        TEST(test_capacity_is_shared_by_policy),
        TEST(test_one_request_takes_a_device_once),
        TEST(test_binding_conditions_come_last),
        TEST(test_device_in_use_is_not_asked),
        TEST(test_incomplete_pool_is_left_out),
        TEST(test_repeated_name_makes_a_pool_invalid),
        TEST(test_repeated_counter_set_makes_a_pool_invalid),
        TEST(test_invalid_pools_are_in_order),
        TEST(test_unknown_counter_makes_a_pool_invalid),
        TEST(test_newer_generation_replaces),
        TEST(test_complete_old_generation_stays),
        TEST(test_devices_choose_nodes),
        TEST(test_limit_of_a_claim),
        TEST(test_missing_class),
        TEST(test_constraint_of_no_kind),
        TEST(test_constraint_on_all_is_an_error),
        TEST(test_taint_is_tolerated),
        TEST(test_counters_less_devices_in_use),
        TEST(test_unknown_capacity_is_a_misfit),
        TEST(test_other_capacity_is_other_contents),
        TEST(test_other_attribute_is_other_contents),
        TEST(test_other_taint_is_other_contents),
        TEST(test_other_counters_are_other_contents),
        TEST(test_other_properties_are_other_contents),
        TEST(test_shared_device_is_given_back),
        TEST(test_list_of_words_grows),
        TEST(test_hostile_search_ends),
        TEST(test_work_up_to_the_bound),
        TEST(test_work_for_nothing),
        TEST(test_work_for_all_devices),
        TEST(test_all_devices_end_at_the_bound),
        TEST(test_thousand_requests),
        TEST(test_allocation_is_of_one_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
