/* The gauge of pods that fit nowhere, by the plugin that rejects them: each pod counts once, for as
 * long as it waits, and a gauge returns to 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/kube.h"
#include "berth/scheduler.h"
#include "live/run/rejections.h"

#define SECOND INT64_C(1000000000)

#define POD(name, cpu)                                                      \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", uid: " name \
    "}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: " cpu "}}}]}\n"

static const char node[] = "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n"
                           "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n";
static const char pods[] = POD("a", "5") POD("b", "6") POD("c", "7");

typedef struct scene {
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_reader *reader;
    metrics *metrics;
    rejections rejections;
    berth_pod_id pods[3];
    uint32_t count;
} scene;

static berth_status submit(void *context, const berth_object *object, const berth_error *place,
                           berth_error *error)
{
    scene *s = context;
    berth_object_id id = {.pod = BERTH_POD_NONE};
    (void)place;
    const berth_status status = berth_scheduler_add(s->scheduler, 0, object, &id, error);
    if (object->kind == BERTH_KIND_POD)
        s->pods[s->count++] = id.pod;
    return status;
}

static void read_text(scene *s, const char *text)
{
    berth_error error;
    const berth_str all = {text, (uint32_t)strlen(text)};
    if (berth_reader_text(s->reader, all, "test", submit, s, &error) != BERTH_OK)
        fail_msg("%s", error.message);
}

static void open_scene(scene *s)
{
    berth_engine_config config;
    berth_scheduler_options options;
    berth_read_options reading;
    berth_error error;
    *s = (scene){.metrics = metrics_create(false)};
    berth_engine_config_init(&config);
    config.threads = 1;
    berth_scheduler_options_init(&options);
    berth_read_options_init(&reading);
    assert_int_equal(berth_engine_create(&config, &s->engine, &error), BERTH_OK);
    assert_int_equal(berth_scheduler_create(s->engine, &options, &s->scheduler, &error), BERTH_OK);
    assert_int_equal(berth_reader_create(&reading, &s->reader, &error), BERTH_OK);
    read_text(s, node);
    read_text(s, pods);
    assert_int_equal(s->count, 3);
}

static void close_scene(scene *s)
{
    rejections_free(&s->rejections);
    metrics_destroy(s->metrics);
    berth_scheduler_destroy(s->scheduler);
    berth_engine_destroy(s->engine);
    berth_reader_destroy(s->reader);
}

/* Try all pods, and note those that fit nowhere as the deciding thread does. */
static void try_all(scene *s, int64_t now_ns)
{
    berth_step step;
    berth_error error;
    do {
        assert_int_equal(berth_scheduler_step(s->scheduler, now_ns, &step, &error), BERTH_OK);
        if (step.kind == BERTH_STEP_UNSCHEDULABLE)
            rejections_note(&s->rejections, step.pod, BERTH_STR("own"));
    } while (step.kind != BERTH_STEP_IDLE);
}

static void shows(scene *s, int64_t now_ns, const char *count)
{
    char line[160];
    size_t length;
    rejections_show(&s->rejections, s->scheduler, s->metrics, now_ns);
    char *text = metrics_text(s->metrics, &length);
    snprintf(line, sizeof(line),
             "scheduler_unschedulable_pods{plugin=\"NodeResourcesFit\",profile=\"own\"} %s\n",
             count);
    if (strstr(text, line) == NULL)
        fail_msg("%s is not in\n%s", line, text);
    free(text);
}

static void each_pod_counts_once(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    try_all(&s, 0);
    shows(&s, SECOND, "3");
    /* Noted again, in any order, between others, and more than twice. */
    static const int again[] = {2, 0, 1, 0, 2, 2, 0};
    for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++)
        rejections_note(&s.rejections, s.pods[again[i]], BERTH_STR("own"));
    shows(&s, 2 * SECOND, "3");
    assert_int_equal(s.rejections.pod_count, 3);
    close_scene(&s);
}

static void remove_pod(scene *s, const char *name)
{
    berth_error error;
    assert_int_equal(berth_scheduler_remove(s->scheduler, SECOND, BERTH_KIND_POD,
                                            BERTH_STR("default"), (berth_str){name, 1}, &error),
                     BERTH_OK);
}

static void a_gauge_returns_to_0(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const left[] = {"2", "1", "0"};
    (void)state;
    scene s;
    open_scene(&s);
    try_all(&s, 0);
    shows(&s, SECOND, "3");
    for (int i = 0; i < 3; i++) {
        remove_pod(&s, names[i]);
        shows(&s, (2 + i) * SECOND, left[i]);
    }
    assert_int_equal(s.rejections.pod_count, 0);
    close_scene(&s);
}

static void is_counted_once_a_second(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    try_all(&s, 0);
    shows(&s, SECOND, "3");
    remove_pod(&s, "a");
    shows(&s, 2 * SECOND - 1, "3");
    shows(&s, 2 * SECOND, "2");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pod_counts_once),
        cmocka_unit_test(a_gauge_returns_to_0),
        cmocka_unit_test(is_counted_once_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
