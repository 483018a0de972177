/* Structs of callers compiled with older or newer headers; and what the library reports: its
 * version, and the failure that makes it stop the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/assert.h"
#include "base/sized.h"
#include "berth/berth.h"
#include "last_words.h"
#include "one_plugin.h"
#include "small_cluster.h"

/* Copies of a struct as an older caller has it, up to `last`, followed by unrelated bytes; and as a
 * newer caller has it, with future members. */
#define SHORT_OF(type, last) ((uint32_t)(offsetof(type, last) + sizeof(((type *)0)->last)))

typedef struct room {
    _Alignas(64) unsigned char bytes[1024];
} room;

static void *short_copy(room *out, const void *whole, uint32_t size)
{
    memset(out->bytes, 0xee, sizeof(out->bytes));
    memcpy(out->bytes, whole, size);
    memcpy(out->bytes, &size, sizeof(size));
    return out->bytes;
}

static void *long_copy(room *out, const void *whole, uint32_t known, bool set)
{
    uint32_t size = known + 16;
    memset(out->bytes, 0xee, sizeof(out->bytes));
    memcpy(out->bytes, whole, known);
    memset(out->bytes + known, 0, 16);
    out->bytes[known + 15] = set;
    memcpy(out->bytes, &size, sizeof(size));
    return out->bytes;
}

/* ---- the engine's configuration ---- */

static berth_engine *open_with(const berth_engine_config *config)
{
    berth_engine *engine;
    berth_error error;
    if (berth_engine_create(config, &engine, &error) != BERTH_OK)
        fail_msg("%s", error.message);
    return engine;
}

static void test_engine_config(void **state)
{
    (void)state;
    room older, newer;
    berth_engine *engine;
    berth_error error;
    berth_engine_config config;
    berth_engine_config_init(&config);
    assert_int_equal(config.size, sizeof(config));
    config.threads = 1;
    config.path = BERTH_PATH_SCAN;
    /* Members behind the caller's size, such as the allocator, are not read. */
    berth_engine_destroy(
        open_with(short_copy(&older, &config, SHORT_OF(berth_engine_config, seed))));
    berth_engine_destroy(open_with(long_copy(&newer, &config, sizeof(config), false)));
    assert_int_equal(
        berth_engine_create(long_copy(&newer, &config, sizeof(config), true), &engine, &error),
        BERTH_E_ARG);
    assert_non_null(strstr(error.message, "berth_engine_config"));
    static const uint32_t senseless[] = {0, 3, 0xeeeeeeee};
    for (size_t i = 0; i < sizeof(senseless) / sizeof(*senseless); i++) {
        config.size = senseless[i];
        assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
        assert_non_null(strstr(error.message, "berth_engine_config_init"));
    }
}

/* A struct of 4,096 bytes may belong to a future library; a larger one is refused. */
static void test_largest_size(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    _Alignas(64) static unsigned char bytes[MOST + 1], out[64];
    for (uint32_t size = MOST; size <= MOST + 1; size++) {
        berth_status wanted = size > MOST ? BERTH_E_ARG : BERTH_OK;
        memcpy(bytes, &size, sizeof(size));
        assert_int_equal(berth__sized_check(bytes, "room", NULL), wanted);
        assert_int_equal(berth__sized_read(out, sizeof(out), bytes, "room", NULL), wanted);
        memset(bytes, 0, sizeof(size));
        assert_int_equal(berth__sized_take(out, sizeof(out), bytes, size, "room", NULL), wanted);
    }
}

/* Init fills exactly the caller's struct. */
static void test_init(void **state)
{
    (void)state;
    room short_room, long_room;
    uint32_t size = SHORT_OF(berth_scheduler_options, backoff_max_ns), stated;
    memset(short_room.bytes, 0xee, sizeof(short_room.bytes));
    berth_scheduler_options *options = (berth_scheduler_options *)(void *)short_room.bytes;
    berth_scheduler_options_init_sized(options, size);
    memcpy(&stated, short_room.bytes, sizeof(stated));
    assert_int_equal(stated, size);
    assert_int_equal(options->backoff_max_ns, INT64_C(10000000000));
    for (size_t i = size; i < sizeof(short_room.bytes); i++)
        assert_int_equal(short_room.bytes[i], 0xee);
    memset(long_room.bytes, 0xee, sizeof(long_room.bytes));
    options = (berth_scheduler_options *)(void *)long_room.bytes;
    berth_scheduler_options_init_sized(options, sizeof(*options) + 8);
    for (size_t i = sizeof(*options); i < sizeof(*options) + 8; i++)
        assert_int_equal(long_room.bytes[i], 0);
    assert_int_equal(long_room.bytes[sizeof(*options) + 8], 0xee);
    assert_int_equal(options->size, sizeof(*options) + 8);
}

/* ---- other structs, with an engine ---- */

typedef struct cluster {
    berth_engine *engine;
    berth_pod_id pod;
} cluster;

static cluster open_cluster(void)
{
    cluster c;
    small_node node;
    small_pod pod;
    berth_object object;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    c.engine = open_with(&config);
    (void)small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add_node(c.engine, &node.node, NULL, NULL), BERTH_OK);
    (void)small_pod_object(&pod, &object, "p1", NULL, 100);
    assert_int_equal(berth_engine_add_pod(c.engine, &pod.pod, &c.pod, NULL), BERTH_OK);
    return c;
}

static void test_decide_options(void **state)
{
    (void)state;
    room older, newer;
    cluster c = open_cluster();
    berth_placement placement;
    berth_error error;
    berth_decide_options options;
    berth_decide_options_init(&options);
    options.flags = BERTH_DECIDE_KEEP_ROTATION;
    assert_int_equal(
        berth_engine_decide(c.engine, c.pod,
                            short_copy(&older, &options, SHORT_OF(berth_decide_options, flags)),
                            &placement, &error),
        BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    for (int set = 0; set < 2; set++)
        assert_int_equal(berth_engine_decide(c.engine, c.pod,
                                             long_copy(&newer, &options, sizeof(options), set != 0),
                                             &placement, &error),
                         set ? BERTH_E_ARG : BERTH_OK);
    assert_non_null(strstr(error.message, "berth_decide_options"));
    berth_engine_destroy(c.engine);
}

static void test_scheduler_options(void **state)
{
    (void)state;
    room older, newer;
    cluster c = open_cluster();
    berth_scheduler *scheduler;
    berth_error error;
    berth_step step;
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    /* Without the callbacks, which would otherwise be called, the pod is bound at once. */
    uint32_t size = SHORT_OF(berth_scheduler_options, unschedulable_max_ns);
    assert_int_equal(
        berth_scheduler_create(c.engine, short_copy(&older, &options, size), &scheduler, &error),
        BERTH_OK);
    assert_int_equal(berth_scheduler_step(scheduler, 5, &step, NULL), BERTH_OK);
    assert_int_equal(step.kind, BERTH_STEP_BOUND);
    berth_scheduler_destroy(scheduler);
    for (int set = 0; set < 2; set++) {
        assert_int_equal(
            berth_scheduler_create(c.engine, long_copy(&newer, &options, sizeof(options), set != 0),
                                   &scheduler, &error),
            set ? BERTH_E_ARG : BERTH_OK);
        berth_scheduler_destroy(scheduler);
    }
    assert_non_null(strstr(error.message, "berth_scheduler_options"));
    berth_engine_destroy(c.engine);
}

static berth_status count(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    (void)object;
    (void)origin;
    (void)error;
    ++*(int *)context;
    return BERTH_OK;
}

static void test_read_options(void **state)
{
    (void)state;
    room older, newer;
    berth_reader *reader;
    berth_error error;
    int objects = 0;
    berth_read_options options;
    berth_read_options_init(&options);
    options.apply_defaults = true;
    options.default_kind = "Pod";
    uint32_t size = SHORT_OF(berth_read_options, default_kind);
    assert_int_equal(berth_reader_create(short_copy(&older, &options, size), &reader, &error),
                     BERTH_OK);
    assert_int_equal(berth_reader_text(reader, BERTH_STR("{\"metadata\": {\"name\": \"p\"}}"),
                                       "text", count, &objects, NULL),
                     BERTH_OK);
    assert_int_equal(objects, 1);
    berth_reader_destroy(reader);
    for (int set = 0; set < 2; set++) {
        assert_int_equal(berth_reader_create(long_copy(&newer, &options, sizeof(options), set != 0),
                                             &reader, &error),
                         set ? BERTH_E_ARG : BERTH_OK);
        berth_reader_destroy(reader);
    }
    assert_non_null(strstr(error.message, "berth_read_options"));
}

static void test_plugin(void **state)
{
    (void)state;
    room older, newer;
    const berth_plugin table = {.size = sizeof(table), .name = "Never", .filter = refuse_all};
    one_plugin setup;
    berth_error error;
    small_node node;
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    berth_placement placement;
    /* A table that ends with `filter` has no reasons and does not reserve. */
    berth_engine *engine = open_with(
        one_plugin_config(&setup, short_copy(&older, &table, SHORT_OF(berth_plugin, filter))));
    memset(&older, 0, sizeof(older)); /* the engine has a copy */
    (void)small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add_node(engine, &node.node, NULL, NULL), BERTH_OK);
    (void)small_pod_object(&pod, &object, "p1", NULL, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(engine, id, NULL, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_engine_destroy(engine);
    setup.plugin = long_copy(&newer, &table, sizeof(table), true);
    assert_int_equal(berth_engine_create(&setup.config, &engine, &error), BERTH_E_ARG);
    assert_string_equal(error.field, "plugins[0]");
    setup.plugin = long_copy(&newer, &table, sizeof(table), false);
    berth_engine_destroy(open_with(&setup.config));
}

/* A profile made before there were more points has no plugins at the new ones. */
static void test_points(void **state)
{
    (void)state;
    const berth_plugin_ref ref = {.name = BERTH_STR("NodeName")};
    const berth_plugin_list points[] = {[BERTH_POINT_FILTER] = {&ref, 1}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_FILTER + 1};
    assert_int_equal(berth_profile_list(&profile, BERTH_POINT_FILTER).count, 1);
    assert_int_equal(berth_profile_list(&profile, BERTH_POINT_SCORE).count, 0);
    assert_int_equal(berth_profile_list(&profile, (berth_point)1000).count, 0);
}

/* ---- version, hook ---- */

static void test_version(void **state)
{
    (void)state;
    char numbers[32];
    snprintf(numbers, sizeof(numbers), "%d.%d.%d", BERTH_VERSION_MAJOR, BERTH_VERSION_MINOR,
             BERTH_VERSION_PATCH);
    assert_string_equal(berth_version(), numbers);
    assert_int_equal(berth_version_number(), BERTH_VERSION_NUMBER);
    assert_int_equal(BERTH_VERSION_MAKE(1, 2, 3), 1002003);
}

static void test_text_of_string(void **state)
{
    (void)state;
    const char *name = "web-0";
    assert_ptr_equal(berth_str_of(name).data, name);
    assert_int_equal(berth_str_of(name).len, 5);
    assert_non_null(berth_str_of("").data);
    assert_int_equal(berth_str_of("").len, 0);
    assert_null(berth_str_of(NULL).data);
    assert_int_equal(berth_str_of(NULL).len, 0);
}

static void tell(const char *file, int line, const char *condition)
{
    if (strstr(file, "test_sized.c") != NULL)
        last_words_tell(file, line, condition);
}

static void break_assertion(int words, berth_abort_fn hook)
{
    last_words_by(words, tell);
    dup2(words, STDERR_FILENO);
    berth_abort_hook_set(hook);
    BERTH_ASSERT(words < 0);
}

static void break_with_hook(int words)
{
    break_assertion(words, tell);
}

static void break_without_hook(int words)
{
    break_assertion(words, NULL);
}

static void test_abort_hook(void **state)
{
    (void)state;
    char words[256];
    assert_last_words(break_with_hook, "words < 0");
    last_words(break_without_hook, words, sizeof(words));
    assert_non_null(strstr(words, "assertion failed: words < 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_engine_config),
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_largest_size),
        cmocka_unit_test(test_decide_options),
        cmocka_unit_test(test_scheduler_options),
        cmocka_unit_test(test_read_options),
        cmocka_unit_test(test_plugin),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_text_of_string),
        cmocka_unit_test(test_abort_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
