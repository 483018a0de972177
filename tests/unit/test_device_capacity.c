/* What a request takes of a device that claims share: request policies by range and by values, and
 * amounts that 64 bits do not hold. */
#include "offered_devices.h"

typedef struct policy_case {
    const char
        *policy; /* letters: d default, - min, + max, / step, v values; each with an amount */
    const char *request;
    const char *found;
} policy_case;

static void add_value(berth__device_capacity *capacity, __int128 value)
{
    __int128 *all = make(capacity->value_count + 1u, sizeof(*all));
    if (capacity->value_count > 0)
        memcpy(all, capacity->values, capacity->value_count * sizeof(*all));
    all[capacity->value_count++] = value;
    capacity->values = all;
    capacity->policy = BERTH__CAPACITY_VALUES;
}

static void set_policy(berth__device_capacity *capacity, const char *policy)
{
    char *parts[PARTS_MAX];
    uint32_t count = split(policy, " ", parts);
    for (uint32_t i = 0; i < count; i++) {
        __int128 value = amount(parts[i] + 1);
        capacity->has_policy = true;
        switch (parts[i][0]) {
        case 'd':
            capacity->has_default = true;
            capacity->fallback = value;
            break;
        case '-':
            capacity->has_min = true;
            capacity->min = value;
            capacity->policy = BERTH__CAPACITY_RANGE;
            break;
        case '+':
            capacity->has_max = true;
            capacity->max = value;
            capacity->policy = BERTH__CAPACITY_RANGE;
            break;
        case '/':
            capacity->has_step = true;
            capacity->step = value;
            capacity->policy = BERTH__CAPACITY_RANGE;
            break;
        default:
            add_value(capacity, value);
            break;
        }
    }
}

static void offer_anew(void)
{
    assert_int_equal(tear_down(NULL), 0);
    assert_int_equal(set_up(NULL), 0);
    offer_counters("a.x", "p", "c", "1");
}

static void check(const policy_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        offer_anew();
        berth__slice_facts *slice = offer("a.x", "p", "s", "d0 multi m:20");
        set_policy((berth__device_capacity *)(uintptr_t)&slice->devices[0].capacities[0],
                   cases[i].policy);
        want(cases[i].request);
        const char *text = found();
        if (strcmp(text, cases[i].found) != 0)
            fail_msg("%s, %s: %s instead of %s", cases[i].policy, cases[i].request, text,
                     cases[i].found);
    }
}

static void test_policies(void **state)
{
    static const policy_case cases[] = {
        /* without a policy, a request takes what it asks for, or all */
        {"", "r 1 m:3", "d0{3}"},
        {"", "r 1", "d0{20}"},
        {"", "r 1 m:21", "none"},
        {"", "r 1 m:10, q 1 m:10", "d0{10} d0{10}"},
        {"", "r 1 m:10, q 1 m:11", "none"},
        {"d4", "r 1", "d0{4}"},
        {"d4", "r 1, q 1 m:16", "d0{4} d0{16}"}, /* a default limits nothing */
        {"d4", "r 1 m:4", "d0{4}"},
        /* a range */
        {"-5", "r 1", "d0{20}"},
        {"-5", "r 1 m:3", "d0{5}"},
        {"-5", "r 1 m:7", "d0{7}"},
        {"-5 +10", "r 1 m:10", "d0{10}"},
        {"-5 +10", "r 1 m:11", "none"},
        {"-5 +10 d12", "r 1", "d0{12}"}, /* a default need not be in the range */
        {"-5 +10 d12", "r 1 m:12", "d0{12}"},
        {"-5 /4", "r 1 m:5", "d0{5}"},
        {"-5 /4", "r 1 m:6", "d0{9}"},
        {"-5 /4", "r 1 m:9", "d0{9}"},
        {"-5 /4 +12", "r 1 m:10", "none"},
        {"-5 /0", "r 1 m:6", "d0{6}"},
        {"-5 /-1", "r 1 m:6", "d0{6}"},
        {"+10", "r 1 m:6", "d0{6}"},
        {"/4", "r 1 m:8", "d0{8}"},
        {"/4", "r 1 m:6", "none"}, /* nothing is rounded without a minimum */
        {"/-1", "r 1 m:6", "d0{6}"},
        /* values */
        {"v2 v4 v8", "r 1 m:2", "d0{2}"},
        {"v2 v4 v8", "r 1 m:3", "d0{4}"},
        {"v2 v4 v8", "r 1 m:9", "none"},
        {"v4", "r 1 m:3", "d0{4}"},
        {"v4", "r 1 m:5", "none"},
        {"v4", "r 1", "none"},
        {"v2 v4 v8", "r 1", "none"}, /* all of it is no valid value */
        {"v2 v4 v8 d8", "r 1", "d0{8}"},
        {"v2 v4 v8 d8", "r 1, q 1 m:5, s 1 m:1", "d0{8} d0{8} d0{2}"},
        {"v2 v4 v8 d8", "r 1, q 1 m:5, s 1 m:5", "none"},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(cases[0]));
}

#define PROBLEM(what) \
    "claim default/claim, request r: checking capacity for device a.x/p/d0: capacity \"m\": " what
#define RANGE(what) \
    PROBLEM("capacity request cannot be represented in the device's range arithmetic: " what)

/* Since 1.37 amounts that cannot be computed are errors. */
static void test_amounts_that_overflow(void **state)
{
    static const policy_case cases[] = {
        {"-1 /1000", "r 1 m:9223372036854775807",
         RANGE("rounding request 9223372036854775807 up to the next step passes MaxInt64")},
        {"-1 /1000", "r 1 m:9E", "none"},
        {"-1 /5E", "r 1 m:9E", RANGE("rounding request 9E up to the next step passes MaxInt64")},
        {"-1 /5E", "r 1 m:9007199254740991Ki",
         RANGE("rounding request 9007199254740991Ki up to the next step passes MaxInt64")},
        {"-1 /1", "r 1 m:9223372036854775807500m",
         RANGE("request 9223372036854775807500m exceeds MaxInt64")},
        {"-1 /1", "r 1 m:9223372036854775807", "none"},
        {"-0 /2", "r 1 m:9223372036854775806", "none"},
        {"--1 /1000", "r 1 m:5", "none"}, /* 999 of 20 */
        {"d-4", "r 1", PROBLEM("capacity value is negative")},
        {"--4", "r 1 m:-5", PROBLEM("capacity value is negative")},
        {"", "r 1 m:-5", PROBLEM("capacity value is negative")},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_other_capacities(void **state)
{
    (void)state;
    offer("a.x", "p", "s", "d0 multi n:5; d1 multi n:5 m:5; d2 multi b.x/m:5");
    want("r 1 m:3");
    assert_string_equal(found(), "d1{5}{3}"); /* the others have no such capacity */
}

/* The first amounts that are noted may be many. */
static void test_many_capacities(void **state)
{
    static const char expected[] = "d0{1}{2}{3}{4}{5}{6}{7}{8}{9}{10}{11}{12}{13}{14}{15}{16}{17}"
                                   "{18}{19}{20}{21}{22}{23}{24}{25}{26}{27}{28}{29}{30}{31}{32}";
    char devices[512] = "d0 multi";
    (void)state;
    for (int i = 1; i <= 32; i++)
        snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices), " c%d:%d", i, i);
    offer("a.x", "p", "s", devices);
    want("r 1");
    assert_string_equal(found(), expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_policies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_amounts_that_overflow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_capacities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_capacities, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
