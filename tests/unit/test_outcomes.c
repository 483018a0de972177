/* Which claims share the outcomes of their searches: those that request the same, whatever their
 * names; every other request has outcomes of its own. */
#include "devices/outcomes.h"
#include "offered_devices.h"

static berth__outcome_table table;
static berth__layout layout = {.count = 3};
static berth__view view = {.layout = &layout};

static void *outcomes(void)
{
    berth__device_search search = new_search();
    berth__outcomes *found = berth__outcomes_get(&table, &search, &view, &arena);
    assert_non_null(found);
    return found;
}

/* The outcomes for one claim, or for two with ";" between them. */
static void *outcomes_for(const char *claims)
{
    char *texts[PARTS_MAX];
    const uint32_t count = split(claims, ";", texts);
    want_count = 0;
    for (uint32_t i = 0; i < count; i++)
        want(texts[i]);
    return outcomes();
}

/* A claim with a constraint on its requests a, b and c. */
static void *constrained(const char *first, const char *second, const char *match,
                         const char *distinct)
{
    want_count = 0;
    berth__device_want *claim = want("a 1, b 1, c 1");
    constrain(claim, match, distinct);
    berth__device_constraint *constraint =
        (berth__device_constraint *)(uintptr_t)claim->constraints;
    berth__sym *requests = make(2, sizeof(*requests));
    requests[0] = first != NULL ? sym(first) : 0;
    requests[1] = second != NULL ? sym(second) : 0;
    constraint->requests = requests;
    constraint->request_count = (first != NULL) + (second != NULL);
    return outcomes();
}

static void all_differ(void **found, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (found[i] == found[k])
                fail_msg("%u and %u share their outcomes", (unsigned)k, (unsigned)i);
}

static void test_other_requests(void **state)
{
    static const char *const claims[] = {
        "a 1",      "b 1",           "a 2",           "a all",         "a 1 admin",
        "a 1 m:3",  "a 1 m:4",       "a 1 tolerates", "a 1 if=true",   "a 1 if=false",
        "a 1, b 1", "a 1, b 2",      "b 1, a 1",      "a one:1",       "a two:1",
        "a one:2",  "a one:1 two:1", "a two:1 one:1", "a one:1 two:2", "a 1; a 1",
        "a 1; a 2", "a 2; a 1",      "a 1; b 1",      "a 1, a 1",
    };
    enum { COUNT = sizeof(claims) / sizeof(claims[0]) };
    void *found[COUNT];
    (void)state;
    static_assert((int)COUNT <= (int)BERTH__OUTCOMES_MAX, "all are kept");
    for (uint32_t i = 0; i < COUNT; i++)
        found[i] = outcomes_for(claims[i]);
    all_differ(found, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_ptr_equal(outcomes_for(claims[i]), found[i]);
}

static void test_other_constraints(void **state)
{
    (void)state;
    void *found[] = {
        outcomes_for("a 1, b 1, c 1"),          constrained(NULL, NULL, "a.x/k", NULL),
        constrained(NULL, NULL, "a.x/j", NULL), constrained(NULL, NULL, "b.x/k", NULL),
        constrained(NULL, NULL, NULL, "a.x/k"), constrained(NULL, NULL, NULL, "a.x/j"),
        constrained("a", NULL, "a.x/k", NULL),  constrained("b", NULL, "a.x/k", NULL),
        constrained("a", "b", "a.x/k", NULL),   constrained("a", "c", "a.x/k", NULL),
        constrained("c", "b", "a.x/k", NULL),   constrained("a", "b", "a.x/j", NULL),
    };
    const uint32_t count = sizeof(found) / sizeof(found[0]);
    all_differ(found, count);
    assert_ptr_equal(constrained("a", "b", "a.x/k", NULL), found[8]);
}

/* A toleration's parts, which the short form of a request does not name. */
static void test_other_tolerations(void **state)
{
    (void)state;
    const berth__device_toleration parts[] = {
        {.exists = true},
        {.exists = true, .key = sym("k")},
        {.exists = true, .effect = sym("NoSchedule")},
        {.equal = true, .key = sym("k")},
        {.equal = true, .key = sym("k"), .value = sym("v")},
        {.equal = true, .key = sym("k"), .value = sym("w")},
        {.key = sym("k")},
    };
    enum { COUNT = sizeof(parts) / sizeof(parts[0]) };
    void *found[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        want_count = 0;
        berth__device_want *claim = want("a 1 tolerates");
        berth__device_toleration *own =
            (berth__device_toleration *)(uintptr_t)claim->requests[0].asks[0].tolerations;
        *own = parts[i];
        found[i] = outcomes();
    }
    all_differ(found, COUNT);
}

static void test_names_of_claims_are_of_no_matter(void **state)
{
    (void)state;
    void *found = outcomes_for("a 1, b 2");
    want_count = 0;
    berth__device_want *claim = want("a 1, b 2");
    claim->name = BERTH_STR("another");
    claim->namespace_name = BERTH_STR("elsewhere");
    assert_ptr_equal(outcomes(), found);
}

/* Beyond the maximum, the kind that has not been used for the longest time goes. */
static void test_oldest_goes(void **state)
{
    void *found[BERTH__OUTCOMES_MAX];
    char claim[16];
    (void)state;
    for (uint32_t i = 0; i < BERTH__OUTCOMES_MAX; i++) {
        snprintf(claim, sizeof(claim), "a %u", (unsigned)i + 1);
        found[i] = outcomes_for(claim);
    }
    all_differ(found, BERTH__OUTCOMES_MAX);
    assert_ptr_equal(outcomes_for("a 1"), found[0]);
    void *fresh = outcomes_for("b 1");
    assert_int_equal(table.count, BERTH__OUTCOMES_MAX);
    for (uint32_t i = 0; i < BERTH__OUTCOMES_MAX; i++) {
        if (i == 1) /* the longest unused */
            continue;
        assert_ptr_not_equal(fresh, found[i]);
        snprintf(claim, sizeof(claim), "a %u", (unsigned)i + 1);
        assert_ptr_equal(outcomes_for(claim), found[i]);
    }
    assert_ptr_equal(outcomes_for("b 1"), fresh);
}

static int set_up_table(void **state)
{
    return set_up(state) == 0 &&
                   berth__outcomes_init(&table, berth__allocator_default()) == BERTH_OK
               ? 0
               : -1;
}

static int tear_down_table(void **state)
{
    berth__outcomes_destroy(&table);
    return tear_down(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_table, tear_down_table)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_other_requests),    TEST(test_other_constraints),
        TEST(test_other_tolerations), TEST(test_names_of_claims_are_of_no_matter),
        TEST(test_oldest_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
