/* Devices of all shapes under an expression: attributes of each kind, names with and without their
 * domain, devices that are alike; and types that are too large, and texts that are no text. */
#include "cel_device.h"

static const berth__cel_device bare_device = {.driver = GPU};

static berth__cel *compile(const berth_allocator *allocator, berth_str text)
{
    berth__cel *cel = NULL;
    berth_status status = berth__cel_compile(allocator, BERTH__CEL_1_36, text, &cel);
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    assert_true((cel != NULL) == (status == BERTH_OK));
    return cel;
}

static berth_str text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static void assert_says(const char *expression, const berth__cel_device *device,
                        const char *expected)
{
    char found[1024];
    berth__cel *cel = compile(berth__allocator_default(), text_of(expression));
    cel_say(cel, device, berth__allocator_default(), found, sizeof(found));
    berth__cel_destroy(cel);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nsays     %s\ninstead of %s", expression, found, expected);
}

static berth__cel_attribute string_of(const char *domain, const char *id, const char *text)
{
    return (berth__cel_attribute){text_of(domain),   text_of(id), false,
                                  BERTH__CEL_STRING, 0,           text_of(text)};
}

static berth__cel_device of_attributes(const berth__cel_attribute *attributes, uint32_t count)
{
    return (berth__cel_device){GPU, false, attributes, count, NULL, 0};
}

static void test_attributes(void **state)
{
    (void)state;
    berth__cel_attribute all[] = {
        string_of("a.com", "s", "x"),
        {BERTH_STR("a.com"), BERTH_STR("i"), false, BERTH__CEL_INT, -7, {0}},
        {BERTH_STR("b.com"), BERTH_STR("b"), false, BERTH__CEL_BOOL, 1, {0}},
        {BERTH_STR("b.com"), BERTH_STR("v"), false, BERTH__CEL_VERSION, 0, BERTH_STR("1.2.3")},
    };
    berth__cel_device device = of_attributes(all, 4);
    assert_says("device.attributes['a.com'] == {'s': dyn('x'), 'i': dyn(-7)}", &device, "y");
    assert_says("device.attributes['b.com'].b && device.attributes['b.com'].v.minor() == 2",
                &device, "y");
    assert_says("device.attributes.size() == 2 && device.capacity.size() == 0", &device, "y");
    assert_says("device.attributes.size() == 0", &bare_device, "y");
    all[1] = string_of("a.com", "s", "y"); /* a name twice: the last one counts */
    assert_says("device.attributes['a.com'] == {'s': 'y'}", &device, "y");
}

/* Attributes that no selector can read fail every expression. */
static void test_bad_attributes(void **state)
{
    (void)state;
    berth__cel_attribute bad = {BERTH_STR("a.com"), BERTH_STR("v"), false, BERTH__CEL_VERSION, 0,
                                BERTH_STR("1.2")};
    berth__cel_device device = of_attributes(&bad, 1);
    assert_says("true", &device,
                "eattribute a.com/v: parse semantic version: No Major.Minor.Patch elements found");
    bad.bare = true;
    assert_says("true", &device,
                "eattribute v: parse semantic version: No Major.Minor.Patch elements found");
    bad.kind = BERTH__CEL_UNSUPPORTED;
    assert_says("true", &device, "eattribute v: unsupported attribute value");
    bad.bare = false;
    assert_says("true", &device, "eattribute a.com/v: unsupported attribute value");
}

static void test_capacities(void **state)
{
    (void)state;
    const berth__cel_capacity all[] = {
        {BERTH_STR("a.com"), BERTH_STR("m"), WHOLE(2)},
        {BERTH_STR("b.com"), BERTH_STR("m"), WHOLE(5) / 2},
        {BERTH_STR("a.com"), BERTH_STR("big"), WHOLE(INT64_MAX) + WHOLE(1)},
        {BERTH_STR("a.com"), BERTH_STR("small"), -WHOLE(INT64_MAX) - WHOLE(2)},
        {BERTH_STR("b.com"), BERTH_STR("m"), WHOLE(3) / 2},
    };
    berth__cel_device device = {.driver = GPU, .capacities = all, .capacity_count = 5};
    assert_says("device.capacity['a.com'].m.asInteger() == 2", &device, "y");
    assert_says("device.capacity['b.com'].m == quantity('1.5')", &device, "y");
    assert_says("device.capacity['b.com'].m.isInteger()", &device, "n");
    assert_says("device.capacity['a.com'].big.isInteger()", &device, "n");
    assert_says("device.capacity['a.com'].small.isInteger()", &device, "n");
    assert_says("device.capacity['c.com'].m.isInteger()", &device, "eno such key: m");
}

/* ---- alike ---- */

static void assert_alike(const char *expression, const berth__cel_device *a,
                         const berth__cel_device *b, bool expected)
{
    berth__cel *cel = compile(berth__allocator_default(), text_of(expression));
    bool alike = berth__cel_alike(cel, a, b),
         same = berth__cel_hash(cel, a) == berth__cel_hash(cel, b);
    assert_true(berth__cel_alike(cel, b, a) == alike);
    if (alike != expected || same != expected)
        fail_msg("%s: alike %d, hash %d", expression, alike, same);
    berth__cel_destroy(cel);
}

static void test_alike_attributes(void **state)
{
    static const char reads_s[] = "device.attributes['a.com'].s == 'x'";
    static const char reads_domain[] = "device.attributes['a.com'].size() == 1";
    static const char reads_all[] = "'a.com' in device.attributes";
    (void)state;
    berth__cel_attribute one[] = {string_of("a.com", "s", "x"), string_of("a.com", "t", "x")};
    berth__cel_attribute two[] = {string_of("a.com", "t", "y"), string_of("a.com", "s", "x")};
    berth__cel_device a = of_attributes(one, 2), b = of_attributes(two, 2);
    assert_alike(reads_s, &a, &b, true);
    assert_alike("device.attributes['b.com'].s == 'x'", &a, &b, true);
    assert_alike("device.attributes['a.com']['t'] == 'x'", &a, &b, false);
    assert_alike(reads_domain, &a, &b, false);
    assert_alike(reads_all, &a, &b, false);
    assert_alike("device.attributes[device.driver].s == 'x'", &a, &b, false);
    assert_alike("[device].size() == 1", &a, &b, false);
    assert_alike("device.nothing", &a, &b, true); /* it does not compile */
    two[1].domain = BERTH_STR("b.com");
    assert_alike(reads_s, &a, &b, false);
    two[1] = one[0];
    two[1].kind = BERTH__CEL_INT;
    assert_alike(reads_s, &a, &b, false);
    two[1].kind = one[0].kind = BERTH__CEL_INT;
    assert_alike(reads_s, &a, &b, true);
    two[1].number = 1;
    assert_alike(reads_s, &a, &b, false);
    two[1].kind = one[0].kind = BERTH__CEL_UNSUPPORTED;
    assert_alike("true", &a, &b, true);
    b.attribute_count = 1;
    assert_alike("true", &a, &b, false);
    one[0].kind = BERTH__CEL_STRING;
    one[0].text = (berth_str){0};
    assert_alike("true", &a, &b, true);
    assert_alike(reads_s, &a, &b, false);
}

static void test_alike_others(void **state)
{
    (void)state;
    const berth__cel_capacity one[] = {{BERTH_STR("a.com"), BERTH_STR("m"), 1},
                                       {BERTH_STR("a.com"), BERTH_STR("n"), 1}};
    const berth__cel_capacity two[] = {{BERTH_STR("b.com"), BERTH_STR("m"), 1},
                                       {BERTH_STR("a.com"), BERTH_STR("n"), 2},
                                       {BERTH_STR("a.com"), BERTH_STR("m"), 1}};
    berth__cel_device a = {.driver = GPU, .capacities = one, .capacity_count = 2};
    berth__cel_device b = {.driver = GPU, .capacities = two, .capacity_count = 3};
    assert_alike("device.capacity['a.com'].m.isInteger()", &a, &b, true);
    assert_alike("device.capacity['a.com'].n.isInteger()", &a, &b, false);
    assert_alike("device.capacity['b.com'].m.isInteger()", &a, &b, false);
    assert_alike("device.capacity['b.com'].size() == 1", &a, &b, false);
    assert_alike("device.capacity.size() == 1", &a, &b, false);
    assert_alike("device.driver == 'a' && device.allowMultipleAllocations", &a, &b, true);
    b.allow_multiple = true;
    assert_alike("device.driver == 'a'", &a, &b, true);
    assert_alike("device.driver == 'a' && device.allowMultipleAllocations", &a, &b, false);
    b.driver = BERTH_STR("other");
    assert_alike("device.driver == 'a'", &a, &b, false);
}

/* More reads than the first list of reads holds. */
static void test_many_reads(void **state)
{
    char text[4096] = "false";
    (void)state;
    for (int i = 0; i < 40; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, " || device.attributes['a.com'].s%d == 'x'", i);
    }
    berth__cel_attribute one = string_of("a.com", "s39", "x"), two = string_of("a.com", "s40", "x");
    berth__cel_device a = of_attributes(&one, 1), b = of_attributes(&two, 1);
    assert_says(text, &a, "y"); /* a later operand absorbs the errors */
    assert_says(text, &b, "eno such key: s0");
    assert_alike(text, &a, &b, false);
    assert_alike(text, &b, &bare_device, true);
    one.id = BERTH_STR("s3");
    assert_alike(text, &a, &b, false);
}

/* ---- memory ---- */

enum { MANY = 400 };

/* Evaluates for a device of `count` attributes and capacities, each of its own domain. */
static void check_memory(uint32_t count)
{
    static char names[MANY][16];
    static berth__cel_attribute attributes[MANY];
    static berth__cel_capacity capacities[MANY];
    counted memory = {0};
    char found[256] = "?";
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "d%u", i);
        attributes[i] = string_of(names[i], "s", "x");
        capacities[i] = (berth__cel_capacity){text_of(names[i]), BERTH_STR("c"), WHOLE(1)};
    }
    berth__cel_device device = {GPU, false, attributes, count, capacities, count};
    berth__cel *cel = compile(&allocator, BERTH_STR("device.attributes.d0.s == 'x'"));
    for (unsigned at = 1; found[0] == '?'; at++) {
        size_t bytes = atomic_load(&memory.bytes);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        cel_say(cel, &device, &allocator, found, sizeof(found));
        assert_int_equal(atomic_load(&memory.bytes), bytes);
        assert_true((found[0] == '?') == (atomic_load(&memory.calls) >= at));
    }
    assert_string_equal(found, "y");
    berth__cel_destroy(cel);
}

static void test_memory(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= MANY; count++)
        check_memory(count);
}

static void test_no_memory_at_all(void **state)
{
    (void)state;
    counted memory = {.fail_at = 1};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    assert_null(compile(&allocator, BERTH_STR("true")));
}

/* ---- texts ---- */

/* cel.bind(a, FIRST, cel.bind(a, NEXT, ... cel.bind(b, FIRST, ... BODY))) */
static void put_types(char *out, size_t size, const char *first, const char *body)
{
    enum { DEEP = 24 };
    static const char *const names[] = {"a", "b"};
    size_t len = 0;
    for (int n = 0; n < 2; n++) {
        len += (size_t)snprintf(out + len, size - len, "cel.bind(%s, %s, ", names[n], first);
        for (int i = 0; i < DEEP; i++)
            len += (size_t)snprintf(out + len, size - len, "cel.bind(%s, {%s: %s}, ", names[n],
                                    names[n], names[n]);
    }
    len += (size_t)snprintf(out + len, size - len, "%s", body);
    for (int i = 0; i < 2 * (DEEP + 1); i++)
        len += (size_t)snprintf(out + len, size - len, ")");
    assert_true(len < size);
}

static void test_large_types(void **state)
{
    static const char *const firsts[] = {"1", "[]", "[1]", "optional.none()"};
    static const char *const bodies[] = {"a == b", "[a, b].size() == 2", "b in [a]",
                                         "[a].all(x, x == b)"};
    char text[4096], found[4096];
    (void)state;
    for (size_t f = 0; f < 4; f++) {
        for (size_t i = 0; i < 4; i++) {
            put_types(text, sizeof(text), firsts[f], bodies[i]);
            berth__cel *cel = compile(berth__allocator_default(), text_of(text));
            cel_say(cel, &bare_device, berth__allocator_default(), found, sizeof(found));
            berth__cel_destroy(cel);
            if (found[0] != 'c' || strstr(found, "its types are too large") == NULL)
                fail_msg("%s: %.300s", text, found);
        }
    }
}

static void assert_fails(berth_str text)
{
    char found[4096];
    berth__cel *cel = compile(berth__allocator_default(), text);
    assert_true(berth__cel_problem(cel).len > 0);
    cel_say(cel, &bare_device, berth__allocator_default(), found, sizeof(found));
    assert_int_equal(found[0], 'c');
    berth__cel_destroy(cel);
}

/* The bytes of a text need not be a text. */
static void test_no_texts(void **state)
{
    (void)state;
    assert_fails((berth_str){0});
    assert_fails(BERTH_STR(""));
    assert_fails(BERTH_STR("\x80"));
    assert_fails(BERTH_STR("true \xc3"));
    assert_fails(BERTH_STR("\xe2\x82 == \xff"));
    assert_fails(BERTH_STR("\0true"));
    assert_fails(BERTH_STR("true\0"));
    assert_fails(BERTH_STR("'\xc3' == foo\0"));
    berth__cel_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),   cmocka_unit_test(test_bad_attributes),
        cmocka_unit_test(test_capacities),   cmocka_unit_test(test_alike_attributes),
        cmocka_unit_test(test_alike_others), cmocka_unit_test(test_many_reads),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_no_memory_at_all),
        cmocka_unit_test(test_large_types),  cmocka_unit_test(test_no_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
