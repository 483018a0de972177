/* Selectors of devices: the table of the rules, semantics, errors, limits, and failing
 * allocations. */
#include <stdio.h>

#include "arena_pieces.h"
#include "counted_memory.h"

#include "cel/cel.h"

#define UNITS(n) ((__int128)(n)*1000000000)
#define A "device.attributes[\"gpu.nvidia.com\"]"
#define C "device.capacity[\"gpu.nvidia.com\"]"
#define D "device.attributes[\"dra.net\"]"

static berth_str text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static const berth__cel_attribute gpu_attributes[] = {
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("type"), true, BERTH__CEL_STRING, 0, BERTH_STR("gpu")},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("uuid"), true, BERTH__CEL_STRING, 0,
     BERTH_STR("GPU-1")},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("productName"), true, BERTH__CEL_STRING, 0,
     BERTH_STR("NVIDIA A100-SXM4-40GB")},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("index"), true, BERTH__CEL_INT, 0, {0}},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("driverVersion"), true, BERTH__CEL_VERSION, 0,
     BERTH_STR("550.54.15")},
};
static const berth__cel_attribute mig_attributes[] = {
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("type"), true, BERTH__CEL_STRING, 0, BERTH_STR("mig")},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("profile"), true, BERTH__CEL_STRING, 0,
     BERTH_STR("1g.5gb")},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("productName"), true, BERTH__CEL_STRING, 0,
     BERTH_STR("NVIDIA A100-SXM4-40GB")},
};
static const berth__cel_attribute net_attributes[] = {
    {BERTH_STR("dra.net"), BERTH_STR("ifName"), true, BERTH__CEL_STRING, 0, BERTH_STR("eth1")},
    {BERTH_STR("dra.net"), BERTH_STR("rdma"), true, BERTH__CEL_BOOL, 1, {0}},
};
static const berth__cel_capacity gpu_capacities[] = {
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("memory"), UNITS(INT64_C(40) << 30)},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("multiprocessors"), UNITS(108)},
};
static const berth__cel_capacity mig_capacities[] = {
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("memory"), UNITS(INT64_C(4864) << 20)},
    {BERTH_STR("gpu.nvidia.com"), BERTH_STR("multiprocessors"), UNITS(14)},
};

/* The devices G, M and N that the rules name. */
static const berth__cel_device devices[] = {
    {BERTH_STR("gpu.nvidia.com"), false, gpu_attributes, 5, gpu_capacities, 2},
    {BERTH_STR("gpu.nvidia.com"), false, mig_attributes, 3, mig_capacities, 2},
    {BERTH_STR("dra.net"), true, net_attributes, 2, NULL, 0},
};
enum { DEVICES = 3 };

/* The result of an expression for a device: "y", "n", "e" and the error's text, or "c" and the
 * compiler's text. */
static void ask(const berth_allocator *allocator, const char *expression, int device, char *out,
                size_t size)
{
    berth__cel *cel;
    berth_str error = {0};
    berth__cel_room room;
    assert_int_equal(berth__cel_compile(allocator, BERTH__CEL_1_36, text_of(expression), &cel),
                     BERTH_OK);
    berth__cel_room_init(&room, allocator);
    berth__cel_verdict verdict = berth__cel_evaluate(cel, &devices[device], &room, &error);
    snprintf(out, size, "%c%.*s", "nyce?"[verdict], (int)error.len, error.data);
    berth__cel_room_destroy(&room);
    berth__cel_destroy(cel);
}

static void assert_says(const char *expression, int device, const char *expected)
{
    char found[1024];
    ask(berth__allocator_default(), expression, device, found, sizeof(found));
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nsays     %s\ninstead of %s", expression, found, expected);
}

typedef struct selector {
    const char *expression;
    const char *says; /* for G, M and N: y, n, or e: no such key */
    const char *key;
} selector;

static const selector selectors[] = {
    {"device.driver == \"gpu.nvidia.com\" && " A ".type == \"gpu\"", "ynn", ""},
    {A ".productName.lowerAscii().matches(\"^.*a100.*$\")", "yye", "productName"},
    {C ".memory.compareTo(quantity(\"40Gi\")) >= 0", "yne", "memory"},
    {A ".profile == \"1g.5gb\"", "eye", "profile"},
    {A ".uuid in [\"GPU-1\", \"GPU-7\"]", "yee", "uuid"},
    {"device.driver == \"gpu.nvidia.com\" && " C ".multiprocessors.isLessThan(quantity(\"30\"))",
     "nyn", ""},
    {A ".driverVersion.compareTo(semver(\"550.0.0\")) >= 0", "yee", "driverVersion"},
    {"has(" D ".ifName) && " D ".ifName.startsWith(\"eth\")", "nny", ""},
    {"\"dra.net\" in device.attributes && " D ".rdma", "nny", ""},
    {A ".index == 0 || " A ".type == \"mig\"", "yye", "index"},
};

static void test_selectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
        const selector *s = &selectors[i];
        for (int d = 0; d < DEVICES; d++) {
            char expected[64] = {s->says[d]};
            if (s->says[d] == 'e')
                snprintf(expected, sizeof(expected), "eno such key: %s", s->key);
            assert_says(s->expression, d, expected);
        }
    }
}

typedef struct case_of {
    const char *expression, *says; /* of G */
} case_of;

static void check(const case_of *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_says(cases[i].expression, 0, cases[i].says);
}

static void test_semantics(void **state)
{
    static const case_of cases[] = {
        {"has(device.attributes.x)", "y"},
        {"'abc 123 45'.find('[0-9]+') == '123'", "y"},
        {"'abc'.find('[0-9]+') == ''", "y"},
        {"'abc 123 45'.findAll('[0-9]+') == ['123', '45']", "y"},
        {"'abc 123 45'.findAll('[0-9]+', 1) == ['123']", "y"},
        {"'abc'.findAll('[0-9]+').size() == 0", "y"},
        {"'ab'.findAll('a*') == ['a', '']", "y"},
        {"'abc'.charAt(2) == 'c' && 'abc'.charAt(3) == ''", "y"},
        {"'abc'.charAt(4) == ''", "eindex out of range: 4"},
        {"'abc'.charAt(-1) == ''", "eindex out of range: -1"},
        {"{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}", "y"},
        {"{'a': 'b'}.transformMapEntry(k, v, dyn(v)).size() == 0",
         "eno such overload: cel.@mapInsert(map, string)"},
        {"\"x\" in device.attributes", "n"},
        {"device.attributes.size() == 1", "y"},
        {A ".k == 1", "eno such key: k"},
        {"has(" A ".k)", "n"},
        {A ".?k.orValue(true)", "y"},
        {A ".?k.hasValue()", "n"},
        {A ".?k.value()", "eoptional.none() dereference"},
        {A ".k || true", "y"},
        {"false && " A ".k", "n"},
        {A ".k && true", "eno such key: k"},
        {A ".j || " A ".k", "eno such key: j"},
        {A ".type || true", "y"},
        {A ".type || false", "eno such overload"},
        {"[1, 2].exists(x, " A ".k || x == 2)", "y"},
        {"[1, 2].all(x, " A ".k && x == 1)", "n"},
        {A ".type == 1", "n"},
        {A ".type != 1", "y"},
        {A ".index == 0.0 && " A ".index == 0u", "y"},
        {A ".driverVersion == 1", "eno such overload"},
        {A ".driverVersion != 1", "y"},
        {A ".driverVersion in [\"550.54.15\"]",
         "einternal error: runtime error: hash of unhashable type cel.Semver"},
        {A ".driverVersion in [" A ".driverVersion]", "y"},
        {A ".driverVersion in {\"550.54.15\": 1}",
         "einternal error: runtime error: hash of unhashable type cel.Semver"},
        {A ".driverVersion in {} || " A ".driverVersion in []", "n"},
        {"b\"a\" in {} || b\"a\" in []", "n"},
        {A ".index < \"a\"", "eno such overload"},
        {A ".index + \"a\" == \"a\"", "eno such overload"},
        {A ".driverVersion < " A ".driverVersion", "eno such overload: _<_"},
        {A ".type.compareTo(semver(\"1.2.3\")) == 0",
         "eno such overload: compareTo(string, kubernetes.Semver)"},
        {"1 / 0 == 1", "edivision by zero"},
        {"1 % 0 == 1", "emodulus by zero"},
        {"9223372036854775807 + 1 == 0", "einteger overflow"},
        {"\"h\\u00e9\".size() == 2", "y"},
        {A ".type",
         "eCEL result of type string could not be converted to bool: unsupported native conversion "
         "from string to 'bool'"},
        {"cel.bind(a, " A ", a.type == \"gpu\" && a.index == 0)", "y"},
        {"sign(quantity(\"-1\")) == -1 && quantity(\"1Ki\").sub(24).asInteger() == 1000", "y"},
        {"semver(\"v1.02\", true).minor() == 2 && !isSemver(\"v1.02\")", "y"},
        {"ip('10.1.2.3').family() == 4 && ip('fe80::1').family() == 6", "y"},
        {"ip('fe80::0001') == ip('fe80::1') && ip('10.0.0.1') != ip('10.0.0.2')", "y"},
        {"ip('10.0.0.1') == dyn('10.0.0.1')", "eno such overload"},
        {"ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:0db8::1')", "y"},
        {"string(ip('2001:DB8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'", "y"},
        {"string(ip('0:0:0:0:0:0:0:0')) == '::' && string(ip('1:0:2:3:4:5:6:7')) == "
         "'1:0:2:3:4:5:6:7'",
         "y"},
        {"string(ip('1::')) == '1::' && string(ip('::1')) == '::1' && string(ip('::1.2.3.4')) == "
         "'::102:304'",
         "y"},
        {"['127.0.0.1', '::1'].all(a, ip(a).isLoopback()) && !ip('::2').isLoopback()", "y"},
        {"['0.0.0.0', '::'].all(a, ip(a).isUnspecified() && !ip(a).isGlobalUnicast())", "y"},
        {"['169.254.1.1', 'fe80::1', 'febf::1'].all(a, ip(a).isLinkLocalUnicast())", "y"},
        {"['224.0.0.9', 'ff02::1', 'ff12::1'].all(a, ip(a).isLinkLocalMulticast())", "y"},
        {"['224.0.1.9', 'ff01::1', 'fe02::1'].exists(a, ip(a).isLinkLocalMulticast())", "n"},
        {"['10.0.0.1', 'fc00::1'].all(a, ip(a).isGlobalUnicast())", "y"},
        {"['255.255.255.255', '239.1.1.1', 'fec0::1'].filter(a, ip(a).isGlobalUnicast()) == "
         "['fec0::1']",
         "y"},
        {"['1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', '1..2.3', '', 'a', '1::2::3', ':', "
         "'1:2', '12345::', "
         "'fe80::1%eth0', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8', '::1:', "
         "'::g', "
         "'1:2:3:4:5:6:7:1.2.3.4', '1:1.2.3.4', '%eth0', '::1%'].exists(a, isIP(a))",
         "n"},
        {"ip('1.2.3').family() == 4",
         "eIP Address \"1.2.3\" parse error during conversion from string: ParseAddr(\"1.2.3\"): "
         "IPv4 address too short"},
        {"ip('1::\"2').family() == 4",
         "eIP Address \"1::\\\"2\" parse error during conversion from string: "
         "ParseAddr(\"1::\\\"2\"): "
         "each colon-separated field must have at least one digit (at \"\\\"2\")"},
        {"ip('fe80::1%eth0').family() == 4",
         "eIP address \"fe80::1%eth0\" with zone value is not allowed"},
        {"ip('::ffff:1.2.3.4').family() == 4",
         "eIPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"},
        {"cidr('10.0.0.0/8').containsIP('10.9.8.7') && "
         "!cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
         "y"},
        {"cidr('10.0.0.0/8').containsIP('a')", "eno such overload"},
        {"cidr('0.0.0.0/0').containsIP('::1')", "n"},
        {"cidr('2001:db8::/33').containsIP('2001:db8:7fff::1') && "
         "!cidr('2001:db8::/33').containsIP('2001:db8:8000::')",
         "y"},
        {"cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && "
         "!cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
         "y"},
        {"string(cidr('10.1.2.3/12').masked()) == '10.0.0.0/12' && "
         "string(cidr('10.1.2.3/12').ip()) == '10.1.2.3'",
         "y"},
        {"string(cidr('ffff::/3').masked()) == 'e000::/3' && cidr('::/128').prefixLength() == 128",
         "y"},
        {"cidr('10.0.0.1/8').ip() == ip('10.0.0.1') && cidr('10.0.0.1/8') != cidr('10.0.0.0/8')",
         "y"},
        {"['10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', '::/129', '1.2.3.4/', '1.2.3.4/-1', '/8', "
         "'::ffff:0:0/96', "
         "'fe80::%a/8', '1.2.3.4/99999999999999999999', '1.2.3.4/+8'].exists(c, isCIDR(c))",
         "n"},
        {"cidr('10.0.0.0').prefixLength() == 1",
         "enetwork address parse error during conversion from string: network address parse error "
         "during "
         "conversion from string: netip.ParsePrefix(\"10.0.0.0\"): no '/'"},
        {"cidr('10.0.0.0').containsCIDR('x') || cidr('::/0').containsCIDR('::/x')",
         "enetwork address parse error during conversion from string: network address parse error "
         "during "
         "conversion from string: netip.ParsePrefix(\"10.0.0.0\"): no '/'"},
        {"cidr('::/0').containsCIDR('::/x')",
         "enetwork address parse error during conversion from string: network address parse error "
         "during "
         "conversion from string: netip.ParsePrefix(\"::/x\"): bad bits after slash: \"x\""},
        {"cidr('::/200').prefixLength() == 1",
         "enetwork address parse error during conversion from string: network address parse error "
         "during "
         "conversion from string: netip.ParsePrefix(\"::/200\"): prefix length out of range"},
        {"cidr('fe80::%e/64').prefixLength() == 1",
         "enetwork address parse error during conversion from string: network address parse error "
         "during "
         "conversion from string: netip.ParsePrefix(\"fe80::%e/64\"): IPv6 zones cannot be present "
         "in a prefix"},
        {"cidr('::ffff:0:0/96').prefixLength() == 1",
         "enetwork address parse error during conversion from string: IPv4-mapped IPv6 address "
         "\"::ffff:0:0/96\" is not allowed"},
        {"\"a,b,,c\".split(\",\").filter(x, x != \"\").join(\"-\") == \"a-b-c\"", "y"},
        {"{\"a\": 1, \"b\": 2}.transformMap(k, v, v * 2) == {\"a\": 2, \"b\": 4}", "y"},
        {"\"foo1bar22\".findAll(\"[0-9]+\") == [\"1\", \"22\"]", "y"},
    };
    (void)state;
    check(cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_faults(void **state)
{
#define FAILED "ccompilation failed: ERROR: <input>:1:"
    static const case_of cases[] = {
        {"1", "cmust evaluate to bool or the unknown type, not int"},
        {"device.attributes",
         "cmust evaluate to bool or the unknown type, not map(string, map(string, "
         "google.protobuf.Any))"},
        {"device.foo", FAILED "7: undefined field 'foo'\n | device.foo\n | ......^"},
        {"foo(1)", FAILED "4: undeclared reference to 'foo' (in container '')\n | foo(1)\n | ...^"},
        {"device.driver == 1",
         FAILED "15: found no matching overload for '_==_' applied to '(string, "
                "int)'\n | device.driver == 1\n | ..............^"},
        {"1 && true", FAILED "1: expected type 'bool' but found 'int'\n | 1 && true\n | ^"},
        {"'a'.matches('(')", FAILED "13: invalid matches argument\n | 'a'.matches('(')\n | "
                                    "............^"},
        {"(1", FAILED "3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"},
        {"int(\"abc\") == 1",
         "cprogram instantiation failed: type conversion error from 'string' to 'int'"},
    };
#undef FAILED
    (void)state;
    check(cases, sizeof(cases) / sizeof(cases[0]));
}

/* ---- limits ---- */

static size_t put_times(char *out, const char *text, int times)
{
    size_t len = strlen(text);
    for (int i = 0; i < times; i++)
        memcpy(out + (size_t)i * len, text, len);
    return (size_t)times * len;
}

/* Repeats `open`, then `middle`, then `close` as often as `open`. */
static char *nested(const char *open, const char *middle, const char *close, int times)
{
    size_t len = (strlen(open) + strlen(close)) * (size_t)times + strlen(middle);
    char *out = calloc(1, len + 1);
    assert_non_null(out);
    size_t at = put_times(out, open, times);
    at += put_times(out + at, middle, 1);
    at += put_times(out + at, close, times);
    assert_int_equal(at, len);
    return out;
}

typedef struct nesting {
    const char *open, *middle, *close;
    int times;
    const char *says;
} nesting;

static char *nested_as(const nesting *one, int more)
{
    return nested(one->open, one->middle, one->close, one->times + more);
}

static void assert_begins(const char *expression, const char *begin)
{
    char found[1024];
    ask(berth__allocator_default(), expression, 0, found, sizeof(found));
    if (strncmp(found, begin, strlen(begin)) != 0)
        fail_msg("%.100s\nsays %s", expression, found);
}

static void test_depth(void **state)
{
    static const nesting cases[] = {
        {"(", "true", ")", 200, "y"},
        {"(", "true", ")", 5000, "ccompilation failed"},
        {"[", "", "]", 5000, "ccompilation failed"},
        {"!", "true", "", 10000, "y"},
        {"", "true", "[0]", 3000, "ccompilation failed"},
        {"", "a", ".a", 5000, "ccompilation failed"},
        {"", "true", " && true", 1000, "y"},
        {"true ? ", "true", " : true", 600, "ccompilation failed"},
        {"[1].map(x, ", "1", ")", 800, "ccompilation failed"},
        {"{1: ", "1", "}", 2000, "ccompilation failed"},
        {" ", "true", " ", 6000, "ccompilation failed: expression is longer"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = nested_as(&cases[i], 0);
        assert_begins(text, cases[i].says);
        free(text);
    }
}

/* Check whether the text of the result, which may be long, contains `part`. */
static void assert_contains(const char *expression, const char *part, bool expected)
{
    static char found[200000];
    ask(berth__allocator_default(), expression, 0, found, sizeof(found));
    if ((strstr(found, part) != NULL) != expected)
        fail_msg("%.100s\nsays %.200s", expression, found);
}

/* Both sides of each limit. */
static void test_nesting_limits(void **state)
{
    static const nesting cases[] = {
        /* as deep as each compiles */
        {"(", "true", ")", 249, "expression recursion limit exceeded: 250"},
        {"!!(", "true", ")", 249, "expression recursion limit exceeded: 250"},
        {"true?true:", "true", "", 249, "expression recursion limit exceeded: 250"},
        {"", "[1]", "+[1]", 248, "expression is nested more than 250 deep"},
        {"", "1", "-1", 249, "expression is nested more than 250 deep"},
        {"", "[[1]]", "[0]", 247, "expression is nested more than 250 deep"},
        {"!(", "true", ")", 249, "expression recursion limit exceeded: 250"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int more = 0; more < 2; more++) {
            char *text = nested_as(&cases[i], more);
            assert_contains(text, cases[i].says, more == 1);
            free(text);
        }
    char *sum = nested("", "1", "+1", 248);
    char *whole = nested("249==", sum, "", 1);
    assert_says(whole, 0, "y");
    free(whole);
    free(sum);
}

static void test_size_limits(void **state)
{
    static const char too_long[] = "ccompilation failed: expression is longer than 10240 bytes";
    (void)state;
    char *text = nested(" ", "true", " ", (10240 - 4) / 2);
    assert_says(text, 0, "y");
    free(text);
    text = nested(" ", "true ", " ", (10240 - 4) / 2);
    assert_says(text, 0, too_long);
    free(text);
    /* As many elements as fit in the longest text. */
    text = nested("", "[1", ",1", 5112);
    char *whole = nested("", text, "].size()==5113", 1);
    assert_int_equal(strlen(whole), 10240);
    assert_says(whole, 0, "y");
    free(whole);
    free(text);
    text = nested("", "[1", ",1", 5118);
    whole = nested("", text, "]", 1);
    assert_begins(whole, "cmust evaluate to bool");
    free(whole);
    free(text);
    /* At most 100 faults are shown. */
    for (int faults = 100; faults <= 102; faults++) {
        text = nested("", "[a", ",a", faults - 1);
        whole = nested("", text, "].size()==1", 1);
        assert_contains(whole, "errors were truncated", faults > 100);
        assert_contains(whole, "\n2 more errors were truncated", faults == 102);
        free(whole);
        free(text);
    }
}

/* A fault says at most 1023 bytes; the source below it is shown whole. */
static void test_long_faults(void **state)
{
    static const char words[] = "undeclared reference to '";
    (void)state;
    char part[1100], *name = nested("", "", "a", 1100);
    memset(part, 'a', sizeof(part));
    memcpy(part, words, sizeof(words) - 1);
    part[1023] = '\n';
    part[1024] = '\0';
    assert_contains(name, part, true);
    free(name);
}

static void test_work(void **state)
{
    static const char limit[] = "eoperation cancelled: actual cost limit exceeded";
    (void)state;
    assert_says("lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0))", 0, limit);
    assert_says("lists.range(100000000).size() == 1", 0, limit);
    assert_says("lists.range(700000).size() == 700000", 0, "y");
    assert_says("lists.range(999999).size() == 999999", 0, limit);
    assert_says("lists.range(240000).all(x, true)", 0, "y");
    assert_says("lists.range(890000).all(x, true)", 0, limit);
    assert_says("lists.range(1000).all(x, 'ab'.matches('b'))", 0, "y"); /* a short pattern */
    assert_says("lists.range(64).includes(64)", 0, "n");
    assert_says("lists.range(65).includes(65)", 0,
                "e'includes' function cannot be applied to lists longer than 64 values");
    assert_says("lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0)) || true", 0, limit);
    char *text = nested("cel.bind(a, \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", ", "a == \"\"", ")", 1);
    assert_says(text, 0, "n");
    free(text);
    text = nested("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, ", "true", ")", 30);
    assert_says(text, 0, limit);
    free(text);
    text = nested("cel.bind(a, a + a, ", "a.size() > 0", ")", 60);
    char *whole = nested("cel.bind(a, [1, 2, 3, 4], ", text, ")", 1);
    assert_says(whole, 0, limit);
    free(whole);
    free(text);
    text = nested("cel.bind(a, {1: a, 2: a}, ", "true", ")", 100);
    whole = nested("cel.bind(a, {1: []}, ", text, ")", 1);
    assert_says(whole, 0, "y"); /* its types share parts */
    free(whole);
    free(text);
}

/* ---- memory ---- */

static const char *const all_sorts[] = {
    A ".productName.lowerAscii().matches(\"^.*a100.*$\") && device.driver.matches(device.driver)",
    "[1, 2, 3].map(x, x * 2).exists(x, x == 4) && {\"a\": 1}.a == 1",
    "cel.bind(a, " A
    ".?k, a.optMap(x, x == 1).orValue(true)) && \"a,b\".split(\",\").join() == \"ab\"",
    "[1, 2, 3].filter(x, x > 1).map(x, x == 2, x).exists_one(x, x == 2)",
    "[1, 2].transformList(i, v, v > 1, i).all(i, v, v == i + 1) || {1: 2}.exists(k, v, v == k)",
    "cel.bind(a, " A ".?k, a.optFlatMap(x, optional.of(x)).hasValue()) || has(" A ".k)",
    "cel.bind(d, device, d.driver == device.driver && d.capacity.size() >= 0)",
    "device.foo + 1 == \"a\" || foo(" A ")",
    "1",
    "((",
};

/* Compile and evaluate once; returns false if the planned allocation failure happened. */
static bool whole_life(const berth_allocator *allocator, const char *expression)
{
    berth__cel *cel = NULL;
    berth_str error;
    berth__cel_room room;
    berth_status status = berth__cel_compile(allocator, BERTH__CEL_1_36, text_of(expression), &cel);
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_null(cel);
        return false;
    }
    berth__cel_room_init(&room, allocator);
    bool fine = true;
    for (int d = 0; d < DEVICES; d++)
        fine = berth__cel_evaluate(cel, &devices[d], &room, &error) != BERTH__CEL_NO_MEMORY && fine;
    berth__cel_room_destroy(&room);
    berth__cel_destroy(cel);
    return fine;
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(all_sorts) / sizeof(all_sorts[0]); i++) {
        counted memory = {0};
        berth_allocator allocator = {&memory, counted_allocate, counted_release};
        bool fine = false;
        for (unsigned at = 1; !fine; at++) {
            atomic_store(&memory.calls, 0);
            atomic_store(&memory.fail_at, at);
            fine = whole_life(&allocator, all_sorts[i]);
            assert_true(fine == (atomic_load(&memory.calls) < at));
            assert_int_equal(atomic_load(&memory.bytes), 0);
        }
    }
}

/* ---- what is read ---- */

static berth__cel *compiled(const char *expression)
{
    berth__cel *cel;
    assert_int_equal(
        berth__cel_compile(berth__allocator_default(), BERTH__CEL_1_36, text_of(expression), &cel),
        BERTH_OK);
    assert_int_equal(berth__cel_problem(cel).len, 0);
    return cel;
}

static void assert_alike(const char *expression, int a, int b, bool expected)
{
    berth__cel *cel = compiled(expression);
    assert_true(berth__cel_alike(cel, &devices[a], &devices[b]) == expected);
    if (expected)
        assert_true(berth__cel_hash(cel, &devices[a]) == berth__cel_hash(cel, &devices[b]));
    else
        assert_true(berth__cel_hash(cel, &devices[a]) != berth__cel_hash(cel, &devices[b]));
    berth__cel_destroy(cel);
}

static void test_reads(void **state)
{
    (void)state;
    assert_alike("device.driver == \"x\"", 1, 1, true);
    assert_alike("device.driver == \"x\"", 1, 2, false);
    assert_alike("device.attributes[\"dra.net\"].x == 1", 1, 2, true);
    assert_alike(D ".rdma", 1, 2, false);
    assert_alike("has(" D ".rdma)", 1, 2, false);
    assert_alike("\"x\" in device.attributes", 1, 2, false);
    assert_alike("cel.bind(d, device, d.allowMultipleAllocations)", 1, 2, false);
    assert_alike(C ".memory == " C ".memory", 0, 1, false);
    assert_alike("true", 1, 2, true);
    assert_alike("true", 0, 1, false); /* every expression may fail in some version */
}

/* Functions of lists. */
static const case_of list_cases[] = {
    {"[3, 1, 2].min() == 1", "y"},
    {"[3, 1, 2].max() == 3", "y"},
    {"[1].filter(x, x > 1).min() == 1", "emin called on empty list"},
    {"[1].filter(x, x > 1).max() == 1", "emax called on empty list"},
    {"[1, 2, 3].sum() == 6", "y"},
    {"[1.5, 2.5].sum() == 4.0", "y"},
    {"[1u, 2u].sum() == 3u", "y"},
    {"[1].filter(x, x > 1).sum() == 0", "y"},
    {"[1, 2, 2].isSorted()", "y"},
    {"[2, 1].isSorted()", "n"},
    {"[\"a\", \"b\"].isSorted()", "y"},
    {"[1, 2, 1].indexOf(1) == 0", "y"},
    {"[1, 2, 1].lastIndexOf(1) == 2", "y"},
    {"[1, 2, 1].indexOf(5) == -1", "y"},
    {"[1, 2, 1].lastIndexOf(5) == -1", "y"},
    {"[1, 2, 3].reverse() == [3, 2, 1]", "y"},
    {"[1, 2, 1].distinct() == [1, 2]", "y"},
    {"[1, 2, 3].slice(1, 3) == [2, 3]", "y"},
    {"[1, 2].slice(0, 3) == [1]", "ecannot slice(0, 3), list is length 2"},
    {"[1, 2].slice(2, 1) == [1]",
     "ecannot slice(2, 1), start index must be less than or equal to end index"},
    {"[1, 2].slice(-1, 1) == [1]", "ecannot slice(-1, 1), negative indexes not supported"},
    {"[3, 1, 2].sort() == [1, 2, 3]", "y"},
};

static void test_lists(void **state)
{
    (void)state;
    check(list_cases, sizeof(list_cases) / sizeof(list_cases[0]));
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),   cmocka_unit_test(test_lists),
        cmocka_unit_test(test_semantics),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_depth),       cmocka_unit_test(test_nesting_limits),
        cmocka_unit_test(test_size_limits), cmocka_unit_test(test_long_faults),
        cmocka_unit_test(test_work),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
