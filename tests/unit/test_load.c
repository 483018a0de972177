/* Loading in one call (berth_engine_load_file, berth_engine_load_text): the same as a reader with a
 * callback, and errors with a place. */
#include <unistd.h>

#include "rule_cluster.h"

static const char nodes[] = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
                            "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n---\n"
                            "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n"
                            "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n";

static const char pods[] =
    "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n"
    "{\"kind\": \"DaemonSet\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"agent\"},"
    " \"spec\": {\"selector\": {}, \"template\": {\"spec\": {\"containers\":"
    " [{\"name\": \"c\", \"image\": \"i\"}]}}}},\n"
    "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"p\"},"
    " \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": \"i\","
    " \"resources\": {\"limits\": {\"cpu\": \"2\"}}}]}}]}\n";

static berth_engine *open_engine(void)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

static berth_str whole(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

static void load(berth_engine *engine, const char *from, uint64_t objects)
{
    berth_error error = {.code = BERTH_OK};
    uint64_t count = 77;
    small_require(berth_engine_load_text(engine, whole(from), "text", NULL, &count, &error),
                  &error);
    assert_int_equal(count, objects);
}

/* Defaults are applied: requests are copied from limits; a DaemonSet gets its pods. */
static void test_text(void **state)
{
    (void)state;
    berth_engine *engine = open_engine();
    int64_t amount = 0;
    berth_counts counts;
    load(engine, nodes, 2);
    load(engine, pods, 3);
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.nodes, 2);
    assert_int_equal(counts.pods_pending, 3);
    berth_pod_id pod =
        berth_engine_find_pod(engine, (berth_str)TEXT("default"), (berth_str)TEXT("p"));
    assert_int_equal(berth_engine_pod_resource(engine, pod, (berth_str)TEXT("cpu"), &amount, NULL),
                     BERTH_OK);
    assert_int_equal(amount, 2000);
    berth_engine_destroy(engine);
}

/* Objects before a refused one stay, unless a transaction takes them back. */
static void test_refusal(void **state)
{
    (void)state;
    static const char bad[] = "kind: Node\napiVersion: v1\nmetadata: {name: c}\n---\n"
                              "kind: Pod\napiVersion: v1\nmetadata: {name: q}\n"
                              "spec: {containers: [{name: c, resources: {requests: {cpu: -1}}}]}\n";
    berth_engine *engine = open_engine();
    berth_error error;
    uint64_t count = 77;
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_load_text(engine, whole(bad), "bad.yaml", NULL, &count, &error),
                     BERTH_E_INVALID);
    assert_int_equal(count, 77);
    assert_string_equal(error.source, "bad.yaml");
    assert_string_equal(error.object, "Pod default/q");
    assert_string_equal(error.field, "spec.containers[0].resources.requests.cpu");
    assert_int_equal(error.line, 8);
    assert_int_not_equal(berth_engine_find_node(engine, (berth_str)TEXT("c")), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_find_node(engine, (berth_str)TEXT("c")), BERTH_NODE_NONE);
    berth_engine_destroy(engine);
}

/* A text without a name. */
static void test_no_source(void **state)
{
    (void)state;
    berth_engine *engine = open_engine();
    berth_error error = {.source = "before"};
    assert_int_equal(berth_engine_load_text(engine, whole(nodes), NULL, NULL, NULL, &error),
                     BERTH_OK);
    assert_int_equal(berth_engine_load_text(engine, whole("kind: ["), NULL, NULL, NULL, &error),
                     BERTH_E_PARSE);
    assert_string_equal(error.source, "");
    berth_engine_destroy(engine);
}

static void test_file(void **state)
{
    (void)state;
    char path[] = "/tmp/berth-test-load-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, nodes, sizeof(nodes) - 1), (ssize_t)sizeof(nodes) - 1);
    close(file);
    berth_engine *engine = open_engine(), *other = open_engine();
    uint64_t count = 0;
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_load_file(engine, path, NULL, &count, &error), &error);
    assert_int_equal(count, 2);
    load(engine, pods, 3);
    load(other, nodes, 2);
    load(other, pods, 3);
    berth_pod_id waiting[4];
    for (int i = 0; i < 2; i++) {
        berth_engine *each = i == 0 ? engine : other;
        uint64_t pending = 0;
        uint32_t fitted = 0;
        assert_int_equal(berth_engine_pending(each, waiting, 4, &pending, NULL), BERTH_OK);
        small_require(berth_engine_schedule_pods(each, waiting, (uint32_t)pending, NULL, NULL,
                                                 &fitted, &error),
                      &error);
        assert_int_equal(fitted, 3);
    }
    assert_true(berth_engine_digest(engine) == berth_engine_digest(other));
    /* The same file again: its first object exists already. */
    assert_int_equal(berth_engine_load_file(engine, path, NULL, NULL, &error), BERTH_E_EXISTS);
    assert_string_equal(error.source, path);
    assert_string_equal(error.object, "Node a");
    berth_engine_destroy(engine);
    berth_engine_destroy(other);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_refusal),
                                       cmocka_unit_test(test_no_source),
                                       cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
