/* The notes of the reader about inputs that it accepts: unknown kinds, fields and versions, with a
 * guess at what was meant; workloads that are not expanded; RuntimeClasses applied; lines of YAML.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "base/text.h"
#include "berth/kube.h"

#define STR(s) (int)(s).len, (s).data != NULL ? (s).data : ""

static char said[1 << 14];

static void on_note(void *context, const berth_note *note)
{
    size_t at = strlen(said);
    (void)context;
    assert_int_equal(note->size, sizeof(berth_note));
    snprintf(said + at, sizeof(said) - at, "%d %s:%u %s|%s|%.*s|%.*s|%.*s\n", (int)note->what,
             note->place->source, note->place->line, note->place->object, note->place->field,
             STR(note->word), STR(note->suggestion), STR(note->text));
}

static char pods[1 << 14];

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    size_t at = strlen(pods);
    const berth_pod *pod = object->as.pod;
    (void)context;
    (void)error;
    if (object->kind != BERTH_KIND_POD)
        return BERTH_OK;
    snprintf(pods + at, sizeof(pods) - at, "%u %.*s", origin->line, STR(pod->meta.name));
    for (uint32_t i = 0; i < pod->overhead.count; i++) {
        at = strlen(pods);
        snprintf(pods + at, sizeof(pods) - at, " %.*s=%lld", STR(pod->overhead.items[i].name),
                 (long long)pod->overhead.items[i].amount.units);
    }
    at = strlen(pods);
    snprintf(pods + at, sizeof(pods) - at, " selector=%u tolerations=%u\n",
             pod->node_selector.count, pod->toleration_count);
    return BERTH_OK;
}

static char kinds[sizeof("Other,LimitRange")];

static berth_status read_noted(const char *text, bool expand, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options),
                                        .apply_defaults = true,
                                        .note = on_note,
                                        .whole_kinds = kinds,
                                        .expand = expand};
    berth_reader *reader;
    memcpy(kinds, "Other,LimitRange", sizeof(kinds));
    said[0] = pods[0] = '\0';
    assert_int_equal(berth_reader_create(&options, &reader, error), BERTH_OK);
    memset(kinds, 0, sizeof(kinds)); /* the reader has a copy */
    berth_status status =
        berth_reader_text(reader, berth__text_of(text), "t", on_object, NULL, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, NULL, on_object, NULL, error);
    berth_reader_destroy(reader);
    return status;
}

static void expect_notes(const char *text, bool expand, const char *notes, const char *found)
{
    berth_error error = {.code = BERTH_OK};
    berth_status status = read_noted(text, expand, &error);
    if (status != BERTH_OK)
        fail_msg("%s: %s", error.field, error.message);
    assert_string_equal(said, notes);
    assert_string_equal(pods, found);
}

static void test_fields(void **state)
{
    (void)state;
    expect_notes("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
                 "  nodeSelctor: {a: b}\n"
                 "  containers:\n"
                 "  - name: c\n"
                 "    resources:\n"
                 "      request: {cpu: 1}\n"
                 "  - {name: d, whatever: 1}\n",
                 false,
                 "1 t:5 Pod default/p|spec.nodeSelctor|nodeSelctor|nodeSelector|\n"
                 "1 t:9 Pod default/p|spec.containers[0].resources.request|request|requests|\n"
                 "1 t:10 Pod default/p|spec.containers[1].whatever|whatever||\n",
                 "1 p selector=0 tolerations=0\n");
    /* Objects stored by an API server cannot have such fields. */
    expect_notes("{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u}, spec: {nodeSelctor: 1}}",
                 false, "", "1 p selector=0 tolerations=0\n");
}

/* A field or a label that an object has more than once; the last one counts. */
static void test_duplicates(void **state)
{
    (void)state;
    expect_notes("apiVersion: v1\nkind: Pod\n"
                 "metadata: {name: p, labels: {app: a, b: c, app: d}}\n"
                 "spec:\n"
                 "  overhead: {cpu: 1}\n"
                 "  containers: [{name: c}]\n"
                 "  overhead: {cpu: 2}\n",
                 false,
                 "8 t:3 Pod default/p|metadata.labels.app|app||\n"
                 "8 t:7 Pod default/p|spec.overhead|overhead||\n",
                 "1 p cpu=2 selector=0 tolerations=0\n");
}

static void test_kinds(void **state)
{
    (void)state;
    expect_notes("kind: List\napiVersion: v1\nitems:\n"
                 "- {apiVersion: v1, kind: Pood, metadata: {name: p}}\n"
                 "- {apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: ns}}\n"
                 "- apiVersion: v1\n  kind: LimitRange\n  metadata: {name: l}\n"
                 "  spec: {limits: [{type: Pod, max: {cpu: 1.5}}, true, null, \"a\\\"\"]}\n",
                 false,
                 "0 t:4 Pood default/p|||Pod|\n"
                 "0 t:5 ConfigMap ns/m||||\n"
                 "0 t:6 LimitRange default/l||||{\"apiVersion\": \"v1\", \"kind\": "
                 "\"LimitRange\", \"metadata\": {\"name\": \"l\"}, \"spec\": {\"limits\": "
                 "[{\"type\": \"Pod\", \"max\": {\"cpu\": 1.5}}, true, null, \"a\\\"\"]}}\n",
                 "");
    expect_notes("{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: d},"
                 " spec: {replicas: 0, template: {}}}",
                 false, "2 t:1 Deployment default/d|apiVersion|apps/v1beta1|apps/v1|\n", "");
}

static void test_expand(void **state)
{
    (void)state;
    static const char workload[] =
        "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: w, uid: u}\n"
        "spec: {replicas: 2, template: {spec: {priorityClassName: system-node-critical}}}\n---\n"
        "kind: ReplicaSet\napiVersion: apps/v1\n"
        "metadata: {name: w-1, uid: r, ownerReferences: [{kind: Deployment, name: w, uid: u}]}\n"
        "spec: {replicas: 2, template: {}}\n";
    expect_notes(workload, false,
                 "3 t:1 Deployment default/w||||\n3 t:6 ReplicaSet default/w-1||||\n", "");
    expect_notes(workload, true, "3 t:6 ReplicaSet default/w-1||||\n",
                 "1 w-031027e7-0 selector=0 tolerations=0\n"
                 "1 w-031027e7-1 selector=0 tolerations=0\n");
}

static const char classes[] =
    "kind: RuntimeClass\napiVersion: node.k8s.io/v1\nmetadata: {name: vm}\nhandler: vm\n"
    "overhead: {podFixed: {cpu: 3, memory: 5}}\n"
    "scheduling: {nodeSelector: {vm: on-it, zone: a}, tolerations: [{key: vm, operator: "
    "Exists}]}\n";

/* RuntimeClasses come before the pods or after them. */
static void test_runtime_class(void **state)
{
    (void)state;
    static const char pod[] =
        "kind: Pod\napiVersion: v1\nmetadata: {name: p}\n"
        "spec: {runtimeClassName: vm, nodeSelector: {zone: a}, containers: []}\n";
    static const char other[] = "kind: Pod\napiVersion: v1\nmetadata: {name: q}\n"
                                "spec: {runtimeClassName: gone, containers: []}\n";
    char text[2048];
    snprintf(text, sizeof(text), "%s---\n%s---\n%s", classes, pod, other);
    expect_notes(text, false, "5 t:8 Pod default/p||vm||\n4 t:13 Pod default/q||gone||\n",
                 "8 p cpu=3 memory=5 selector=2 tolerations=1\n"
                 "13 q selector=0 tolerations=0\n");
    snprintf(text, sizeof(text), "%s---\n%s---\n%s", pod, other, classes);
    expect_notes(text, false, "5 t:1 Pod default/p||vm||\n4 t:6 Pod default/q||gone||\n",
                 "1 p cpu=3 memory=5 selector=2 tolerations=1\n"
                 "6 q selector=0 tolerations=0\n");
}

static void test_priority_class(void **state)
{
    (void)state;
    expect_notes(
        "--- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {priorityClassName: x}}\n"
        "--- {apiVersion: v1, kind: Pod, metadata: {name: q}, spec: {priorityClassName: x,"
        " priority: 7}}\n"
        "--- {apiVersion: v1, kind: Pod, metadata: {name: r}, spec: {}}\n"
        "--- {apiVersion: v1, kind: Pod, metadata: {name: t}, spec: {priorityClassName: high}}\n"
        "--- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high},"
        " value: 3}\n",
        false, "9 t:1 Pod default/p||x||\n",
        "2 q selector=0 tolerations=0\n3 r selector=0 tolerations=0\n"
        "1 p selector=0 tolerations=0\n4 t selector=0 tolerations=0\n");
}

static void expect_refusal(const char *text, const char *field, uint32_t line, const char *message)
{
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(read_noted(text, false, &error), BERTH_E_INVALID);
    assert_string_equal(error.field, field);
    assert_int_equal(error.line, line);
    assert_non_null(strstr(error.message, message));
}

static void test_refusals(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof(text),
             "%s---\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec:\n"
             "  runtimeClassName: vm\n  nodeSelector:\n    zone: b\n",
             classes);
    expect_refusal(text, "spec.nodeSelector", 13, "RuntimeClass \"vm\" has another value");
    expect_refusal("kind: Pod\napiVersion: v1\nmetadata: {name: p}\n---\n"
                   "{kind: Status, apiVersion: v1, status: Failure, message: Unauthorized}\n",
                   "status", 5, "the failure that an API server answered: Unauthorized");
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"nodeselector", "nodeSelector", "nodeSelector"},
        {"imgae", "image", "image"},
        {"tolerance", "tolerations", ""},
        {"ab", "abc", ""},
        {"contaniers", "containers", "containers"},
        {"xyz", "spec", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth__nearest nearest = berth__nearest_begin(berth__text_of(cases[i][0]));
        berth__nearest_try(&nearest, berth__text_of(cases[i][1]));
        assert_true(berth__str_is(nearest.found, cases[i][2]));
    }
}

/* A word of 64 letters is the longest that is compared; two may differ, and candidates are at most
 * two longer. */
static void test_nearest_of_long_words(void **state)
{
    (void)state;
    static const struct {
        uint32_t word, candidate, wrong; /* letters, and how many of the candidate's are wrong */
        bool near;
    } cases[] = {{64, 64, 0, true},  {64, 64, 2, true},  {64, 64, 3, false}, {64, 64, 64, false},
                 {62, 64, 2, true},  {62, 64, 3, false}, {64, 62, 0, true},  {64, 62, 1, false},
                 {61, 64, 0, false}, {64, 65, 0, false}, {65, 64, 0, false}, {63, 63, 2, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char word[80], candidate[80];
        memset(word, 'a', sizeof(word));
        memset(candidate, 'a', sizeof(candidate));
        memset(candidate, 'b', cases[i].wrong);
        berth__nearest nearest = berth__nearest_begin((berth_str){word, cases[i].word});
        berth__nearest_try(&nearest, (berth_str){candidate, cases[i].candidate});
        assert_int_equal(nearest.found.data != NULL, cases[i].near);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_expand),
        cmocka_unit_test(test_runtime_class),
        cmocka_unit_test(test_priority_class),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_nearest_of_long_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
