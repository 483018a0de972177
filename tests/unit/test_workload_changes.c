/* What a reader says about workloads of a manifest, next to those that the cluster has: whether the
 * pod template is the same, how many pods are wanted, and how they are rolled out. */
#include <inttypes.h>

#include "arena_pieces.h"
#include "counted_memory.h"
#include "reader_check.h"

#define SEEN(kind, name, spec) \
    "--- {kind: " kind ", metadata: {name: " name ", uid: u}, spec: {" spec "}}\n"
#define FRESH(kind, name, spec) \
    "--- {kind: " kind ", metadata: {name: " name "}, spec: {" spec "}}\n"

static void put_bound(const char *name, berth_count_or_percent bound)
{
    put(" %s=%d%s", name, bound.value, bound.percent ? "%" : "");
}

static void tell(void *context, const berth_note *note)
{
    static const char *const rollouts[] = {[BERTH_ROLLOUT_ROLLING] = "rolling",
                                           [BERTH_ROLLOUT_RECREATE] = "recreate",
                                           [BERTH_ROLLOUT_ON_DELETE] = "on-delete"};
    (void)context;
    if (note->what == BERTH_NOTE_REPLACES)
        put("replaces %.*s\n", STR(note->word));
    if (note->what != BERTH_NOTE_WORKLOAD)
        return;
    const berth_workload_note *w = note->workload;
    put("%.*s %" PRId64 "%s%s %s", STR(note->name), w->wanted, w->is_there ? " there" : "",
        w->same_template ? " same" : "", rollouts[w->rollout]);
    put_bound("surge", w->max_surge);
    put_bound("unavailable", w->max_unavailable);
    put(" partition=%d\n", w->partition);
}

static berth_status ignore(void *context, const berth_object *object, const berth_error *origin,
                           berth_error *error)
{
    (void)context;
    (void)object;
    (void)origin;
    (void)error;
    return BERTH_OK;
}

/* Read a text as changes; afterwards got.text has the notes. */
static berth_status read_changes(const char *text, const berth_allocator *allocator)
{
    berth_reader *reader;
    berth_error error;
    const berth_read_options options = {.size = sizeof(options),
                                        .apply_defaults = true,
                                        .threads = 1,
                                        .allocator = allocator,
                                        .note = tell,
                                        .changes = true};
    clear_sheet();
    berth_status status = berth_reader_create(&options, &reader, NULL);
    if (status != BERTH_OK)
        return status;
    status = berth_reader_text(reader, berth__text_of(text), "t", ignore, &whole_objects, &error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, NULL, ignore, NULL, &error);
    assert_true(status == BERTH_OK || error.code == status);
    berth_reader_destroy(reader);
    return status;
}

static void expect(const char *text, const char *expected)
{
    assert_int_equal(read_changes(text, NULL), BERTH_OK);
    if (strcmp(got.text, expected) != 0)
        fail_msg("%s\nsays     %s\ninstead of %s", text, got.text, expected);
}

/* ---- workloads whose pods are in the input ---- */

static void tell_seen(void *context, const berth_note *note)
{
    (void)context;
    if (note->what == BERTH_NOTE_NOT_EXPANDED)
        put("%.*s %.*s %" PRId64 "\n", STR(note->workload->owner_kind),
            STR(note->workload->owner_name), note->workload->wanted);
}

/* How many pods they want: one unless the workload says a number; -1 if no number can be said. */
static void test_seen_workloads(void **state)
{
    static const char text[] = SEEN("Deployment", "some", "replicas: 3, template: {}")
        SEEN("Deployment", "one", "template: {}") SEEN("DaemonSet", "all", "template: {}")
            SEEN("Job", "job", "template: {}");
    berth_reader *reader;
    berth_error error;
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1, .note = tell_seen};
    (void)state;
    clear_sheet();
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(text), "t", ignore, &whole_objects, &error),
        BERTH_OK);
    berth_reader_destroy(reader);
    assert_string_equal(got.text, "Deployment some 3\nDeployment one 1\nDaemonSet all -1\n"
                                  "Job job -1\n");
}

/* ---- templates ---- */

static void test_templates(void **state)
{
    static const struct {
        const char *seen, *fresh;
        bool same;
    } cases[] = {
        {"containers: [{name: a}]", "containers: [{name: a}]", true},
        {"containers: [{name: a}]", "containers: [{name: b}]", false},
        {"containers: [{name: a}]", "containers: [{name: a}, {name: b}]", false},
        {"containers: [{name: a, imagePullPolicy: Always, terminationMessagePath: /x}]",
         "containers: [{name: a}]", true},
        {"containers: [{name: a, image: x}]", "containers: [{name: a}]", false},
        {"containers: [{name: a}]", "containers: [{name: a, image: x}]", false},
        {"containers: [{name: a}]", "containers: [{name: a, image: '', args: [], env: null}]",
         true},
        {"containers: [{name: a, image: '', args: [], env: null, tty: false}]",
         "containers: [{name: a}]", true},
        {"containers: [{name: a, priority: 0}]", "containers: [{name: a}]", false},
        {"containers: [{name: a, tty: true}]", "containers: [{name: a, tty: true}]", true},
        {"containers: [{name: a, tty: true}]", "containers: [{name: a, tty: false}]", false},
        {"containers: [{name: a, args: []}]", "containers: [{name: a, args: {}}]", true},
        {"containers: [{name: a, args: [x]}]", "containers: [{name: a, args: {x: y}}]", false},
        {"containers: [{name: a, args: [x]}]", "containers: [{name: a, args: ''}]", false},
        {"schedulerName: default-scheduler", "hostname: ''", true},
        {"schedulerName: other", "hostname: ''", false},
        {"restartPolicy: Always, dnsPolicy: ClusterFirst", "hostname: ''", true},
        {"hostname: x", "hostname: ''", false},
        {"overhead: {cpu: 1}", "overhead: {cpu: 1000m}", true},
        {"containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]",
         "containers: [{resources: {requests: {cpu: '1'}, limits: {cpu: 2000m}}}]", true},
        {"containers: [{resources: {requests: {cpu: 1}}}]",
         "containers: [{resources: {requests: {cpu: 1001m}}}]", false},
        {"containers: [{resources: {requests: {cpu: 1}}}]",
         "containers: [{resources: {requests: {cpu: 1500m}}}]", false},
        {"volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}]",
         "volumes: [{name: v, emptyDir: {sizeLimit: 1024Mi}}]", true},
        {"nodeSelector: {a: '1'}", "nodeSelector: {a: 1000m}", false}, /* no amounts */
    };
    char text[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text),
                 SEEN("Deployment", "w", "template: {spec: {%s}}")
                     FRESH("Deployment", "w", "template: {spec: {%s}}"),
                 cases[i].seen, cases[i].fresh);
        expect(text, cases[i].same
                         ? "w 1 there same rolling surge=25% unavailable=25% partition=0\n"
                         : "w 1 there rolling surge=25% unavailable=25% partition=0\n");
    }
}

/* ---- numbers and roll-outs ---- */

#define T "template: {spec: {}}"

static void test_numbers(void **state)
{
    (void)state;
    expect(FRESH("Deployment", "w", "replicas: 3, " T),
           "w 3 rolling surge=25% unavailable=25% partition=0\n");
    expect(SEEN("Deployment", "w", "replicas: 5, " T) FRESH("Deployment", "w", "replicas: 3, " T),
           "w 3 there same rolling surge=25% unavailable=25% partition=0\n");
    /* who names no number keeps that of the cluster */
    expect(SEEN("Deployment", "w", "replicas: 5, " T) FRESH("Deployment", "w", T),
           "w 5 there same rolling surge=25% unavailable=25% partition=0\n");
    expect(SEEN("Deployment", "w", "replicas: x, " T) FRESH("Deployment", "w", T),
           "w 1 there same rolling surge=25% unavailable=25% partition=0\n");
    expect(SEEN("Deployment", "w", T) FRESH("Deployment", "other", T),
           "other 1 rolling surge=25% unavailable=25% partition=0\n");
    expect(SEEN("StatefulSet", "w", T) FRESH("Deployment", "w", T),
           "w 1 rolling surge=25% unavailable=25% partition=0\n");
    /* the first of two that are there counts, and none that another workload has made */
    expect(SEEN("Deployment", "w", "replicas: 5, " T) SEEN("Deployment", "w", "replicas: 6, " T)
               FRESH("Deployment", "w", T),
           "w 5 there same rolling surge=25% unavailable=25% partition=0\n");
    expect("--- {kind: ReplicaSet, metadata: {name: w, uid: u, ownerReferences: [{kind: "
           "Deployment, name: d, controller: true}]}, spec: {replicas: 5}}\n" FRESH("ReplicaSet",
                                                                                    "w", T),
           "w 1 rolling surge=0 unavailable=1 partition=0\n");
    expect(SEEN("Deployment", "w", "replicas: 2") FRESH("Deployment", "w", T),
           "w 2 there rolling surge=25% unavailable=25% partition=0\n");
    expect(FRESH("Deployment", "w", "replicas: 3, " T) FRESH("Deployment", "w", "replicas: 4, " T),
           "replaces t:1\nw 4 rolling surge=25% unavailable=25% partition=0\n");
    expect(FRESH("Deployment", "w", T) FRESH("Deployment", "w", T) FRESH("Deployment", "w", T),
           "replaces t:1\nreplaces t:2\nw 1 rolling surge=25% unavailable=25% partition=0\n");
}

static void test_rollouts(void **state)
{
    (void)state;
    expect(FRESH("Deployment", "w", "strategy: {type: Recreate}, " T),
           "w 1 recreate surge=25% unavailable=25% partition=0\n");
    expect(FRESH("Deployment", "w",
                 "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 2, maxUnavailable: "
                 "'30%'}}, " T),
           "w 1 rolling surge=2 unavailable=30% partition=0\n");
    expect(FRESH("Deployment", "w", "strategy: {rollingUpdate: {maxSurge: '10%'}}, " T),
           "w 1 rolling surge=10% unavailable=25% partition=0\n");
    expect(FRESH("StatefulSet", "w",
                 "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}, " T),
           "w 1 rolling surge=0 unavailable=1 partition=2\n");
    expect(FRESH("StatefulSet", "w", "updateStrategy: {type: OnDelete}, " T),
           "w 1 on-delete surge=0 unavailable=1 partition=0\n");
    expect(
        FRESH("DaemonSet", "w", "updateStrategy: {rollingUpdate: {maxSurge: 1, partition: 3}}, " T),
        "w -1 rolling surge=1 unavailable=1 partition=0\n");
}

/* Of three workloads with one name in three inputs, each replaces the one of the input before. */
static void test_inputs_of_replaced(void **state)
{
    static const char *const inputs[] = {"first", "second", "third"};
    static const char text[] = FRESH("Deployment", "w", T);
    berth_reader *reader;
    berth_error error;
    const berth_read_options options = {.size = sizeof(options),
                                        .apply_defaults = true,
                                        .threads = 1,
                                        .note = tell,
                                        .changes = true};
    (void)state;
    clear_sheet();
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(berth_reader_text(reader, berth__text_of(text), inputs[i], ignore,
                                           &whole_objects, &error),
                         BERTH_OK);
    berth_reader_destroy(reader);
    assert_string_equal(got.text, "replaces first:1\nreplaces second:1\n");
}

/* A fault that is found when all inputs have been read is that of the workload's own input. */
static void test_input_of_a_late_fault(void **state)
{
    static const char wrong[] = FRESH("Deployment", "w", "template: {spec: {containers: 5}}");
    static const char good[] = FRESH("Deployment", "v", T);
    berth_reader *reader;
    berth_error error = {.code = BERTH_OK};
    const berth_read_options options = {
        .size = sizeof(options), .apply_defaults = true, .threads = 1, .changes = true};
    (void)state;
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(wrong), "first", ignore, NULL, &error), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, berth__text_of(good), "second", ignore, NULL, &error), BERTH_OK);
    assert_int_equal(berth_reader_finish(reader, NULL, ignore, NULL, &error), BERTH_E_INVALID);
    assert_string_equal(error.source, "first");
    berth_reader_destroy(reader);
}

/* ---- memory ---- */

static void test_without_memory(void **state)
{
    static const char text[] =
        SEEN("Deployment", "w", "replicas: 5, template: {spec: {containers: [{name: a}]}}")
            SEEN("StatefulSet", "s", "replicas: 2, template: {spec: {containers: [{name: b}]}}")
                FRESH("Deployment", "w", "template: {spec: {containers: [{name: a}]}}")
                    FRESH("StatefulSet", "s", "template: {spec: {containers: [{name: c}]}}")
                        FRESH("StatefulSet", "s", "template: {spec: {containers: [{name: b}]}}");
    (void)state;
    bool enough = false;
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    for (unsigned at = 1; !enough; at++) {
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        berth_status status = read_changes(text, &allocator);
        assert_int_equal(atomic_load(&memory.bytes), 0);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        if (status == BERTH_OK) /* some failures only make it slower */
            assert_string_equal(got.text,
                                "replaces t:4\n"
                                "w 5 there same rolling surge=25% unavailable=25% partition=0\n"
                                "s 2 there same rolling surge=0 unavailable=1 partition=0\n");
        enough = atomic_load(&memory.calls) < at;
    }
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen_workloads),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_rollouts),
        cmocka_unit_test(test_inputs_of_replaced),
        cmocka_unit_test(test_input_of_a_late_fault),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
