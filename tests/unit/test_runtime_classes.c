/* What a RuntimeClass adds to a pod: overhead, node selector and tolerations; conflicts with what
 * the pod has; classes that are replaced, or known to another reader; and reading them without
 * memory. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "reader_check.h"

#define CLASS(name, more) \
    "--- {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: " name "}, " more "}\n"
#define POD(more) "--- {kind: Pod, metadata: {name: p}, spec: {runtimeClassName: vm" more "}}\n"
#define BIG "overhead: {podFixed: {cpu: 1, memory: 2}}"
#define PLACED                                                                                  \
    "scheduling: {nodeSelector: {a: x, b: q}, tolerations: [{key: k, operator: Exists}, {key: " \
    "l, operator: Equal, value: v, effect: NoSchedule}]}"
#define HEAD "Pod default/p"

static void test_merges(void **state)
{
    static const struct {
        const char *text, *part; /* what the pod then has */
    } cases[] = {
        {CLASS("vm", BIG) POD(""), " overhead={cpu=1,memory=2}"},
        {CLASS("vm", BIG) POD(", overhead: {cpu: 1, memory: 2}"), " overhead={cpu=1,memory=2}"},
        {CLASS("vm", BIG) POD(", overhead: {memory: 2, cpu: 1000m}"), " overhead={cpu=1,memory=2}"},
        {CLASS("vm", "handler: h") POD(", overhead: {cpu: 1}"), " overhead={cpu=1}"},
        {CLASS("vm", PLACED) POD(""), " node-selector={a=x,b=q} toleration(k Exists  )"
                                      " toleration(l Equal v NoSchedule)"},
        {CLASS("vm", PLACED) POD(", nodeSelector: {c: z, b: q}"), " node-selector={c=z,b=q,a=x}"},
        {CLASS("vm", PLACED) POD(", tolerations: [{key: k, operator: Exists}]"),
         " toleration(k Exists  ) toleration(l Equal v NoSchedule)\n"},
        {CLASS("vm", PLACED) POD(", tolerations: [{key: l, operator: Equal, value: v, effect: "
                                 "NoExecute}, {key: l, operator: Equal, value: w, effect: "
                                 "NoSchedule}, {key: l, operator: Exists, effect: NoSchedule}]"),
         " toleration(l Equal v NoExecute) toleration(l Equal w NoSchedule) toleration(l Exists  "
         "NoSchedule) toleration(k Exists  ) toleration(l Equal v NoSchedule)\n"},
        /* the later one of a name counts */
        {CLASS("vm", BIG) CLASS("vm", "overhead: {podFixed: {cpu: 7}}") POD(""),
         " overhead={cpu=7}"},
        {CLASS("a", BIG) CLASS("vm", "overhead: {podFixed: {cpu: 7}}") CLASS("c", BIG) POD(""),
         " overhead={cpu=7}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth_error error;
        assert_int_equal(read_all(cases[i].text, true, &whole_objects, &error), BERTH_OK);
        if (strstr(got.text, cases[i].part) == NULL)
            fail_msg("%s\nhas  %s\nlacks %s", cases[i].text, got.text, cases[i].part);
    }
}

/* Nothing is added for a class that is not there, and none when no defaults apply. */
static void test_nothing_added(void **state)
{
    (void)state;
    berth_error error;
    assert_int_equal(read_all(CLASS("vm", BIG) POD(""), false, &whole_objects, &error), BERTH_OK);
    assert_null(strstr(got.text, "overhead"));
    assert_int_equal(read_all(CLASS("other", BIG) POD(""), true, &whole_objects, &error), BERTH_OK);
    assert_null(strstr(got.text, "overhead"));
    assert_non_null(strstr(got.text, HEAD));
}

static void test_conflicts(void **state)
{
    static const char overhead[] =
        "test:2: Pod default/p: spec.overhead: RuntimeClass \"vm\" has another overhead";
    (void)state;
    expect_fault(CLASS("vm", BIG) POD(", overhead: {cpu: 1}"), true, BERTH_E_INVALID, overhead);
    expect_fault(CLASS("vm", BIG) POD(", overhead: {cpu: 1, memory: 3}"), true, BERTH_E_INVALID,
                 overhead);
    expect_fault(CLASS("vm", BIG) POD(", overhead: {cpu: 1001m, memory: 2}"), true, BERTH_E_INVALID,
                 overhead);
    expect_fault(CLASS("vm", BIG) POD(", overhead: {cpu: 1, disk: 2}"), true, BERTH_E_INVALID,
                 overhead);
    expect_fault(CLASS("vm", PLACED) POD(", nodeSelector: {b: z}"), true, BERTH_E_INVALID,
                 "test:2: Pod default/p: spec.nodeSelector: RuntimeClass \"vm\" has another value "
                 "for one of its keys");
    expect_fault(CLASS("vm", "overhead: {podFixed: {cpu: x}}"), true, BERTH_E_PARSE,
                 "test:1: RuntimeClass vm: overhead.podFixed.cpu: expected a quantity such as 500m,"
                 " 2 or 1.5Gi, found \"x\"");
}

/* A reader uses the classes of another one. */
static void test_known_classes(void **state)
{
    (void)state;
    berth_error error;
    berth_reader *known = make_reader(true, NULL), *reader;
    assert_int_equal(berth_reader_text(known, berth__text_of(CLASS("vm", BIG)), "t", collect,
                                       &whole_objects, &error),
                     BERTH_OK);
    berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1, .known = known};
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    clear_sheet();
    assert_int_equal(finish_reading(reader, berth__text_of(POD("")), &whole_objects), BERTH_OK);
    assert_non_null(strstr(got.text, " overhead={cpu=1,memory=2}"));
    berth_reader_destroy(known);
}

/* Read while that call for memory fails. Returns whether there was enough memory. */
static bool read_without(const char *text, unsigned fail_at, const char *expected)
{
    counted memory = {.fail_at = fail_at};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_error error;
    berth_reader *reader;
    berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1, .allocator = &allocator};
    berth_status status = berth_reader_create(&options, &reader, NULL);
    clear_sheet();
    if (status == BERTH_OK) {
        status =
            berth_reader_text(reader, berth__text_of(text), "t", collect, &whole_objects, &error);
        if (status == BERTH_OK)
            status = berth_reader_finish(reader, NULL, collect, &whole_objects, &error);
        assert_true(status == BERTH_OK || error.code == status);
        berth_reader_destroy(reader);
    }
    assert_int_equal(atomic_load(&memory.bytes), 0);
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    if (status == BERTH_OK)
        assert_string_equal(got.text, expected);
    return status == BERTH_OK && atomic_load(&memory.calls) < fail_at;
}

/* Many classes, and a pod after them or before them whose tolerations need a piece of memory of
 * their own. */
static void test_without_memory(void **state)
{
    enum { CLASSES = 40, TOLERATIONS = 150 };
    static char text[64 * 1024], expected[sizeof(got.text)];
    (void)state;
    for (int tolerations = 0; tolerations <= TOLERATIONS; tolerations += 25) {
        size_t len = 0;
        for (int i = 0; i < CLASSES; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len,
                                    CLASS("c%d", "overhead: {podFixed: {cpu: 1}}"), i);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
                                CLASS("vm", BIG ", " PLACED) POD(", tolerations: ["));
        len -= strlen("}}\n");
        for (int i = 0; i < tolerations; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "{key: t%d}, ", i);
        snprintf(text + len, sizeof(text) - len, "]}}\n");
        berth_error error;
        assert_int_equal(read_all(text, true, &whole_objects, &error), BERTH_OK);
        memcpy(expected, got.text, sizeof(expected));
        for (unsigned at = 1; !read_without(text, at, expected);)
            at++;
    }
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merges),         cmocka_unit_test(test_nothing_added),
        cmocka_unit_test(test_conflicts),      cmocka_unit_test(test_known_classes),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
