/* The limits of engine/LIMITS.md: the limit itself is accepted, one more is refused with a message
 * that says so.
 *
 * Limits of a single room have their tests there: quantities (test_quantity.c), aliases of YAML
 * (test_yaml.c), the size of a configuration (test_config.c). */
#include "base/memory.h"
#include "cel/cel.h"
#include "rule_cluster.h"
#include "versions/engine_state.h"

/* A text put together piece by piece, in allocated memory. */
typedef struct long_text {
    char *text;
    size_t len, capacity;
} long_text;

static void put(long_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(long_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (t->len + (size_t)len >= t->capacity) {
        t->capacity = 2 * (t->len + (size_t)len) + 4096;
        t->text = realloc(t->text, t->capacity);
        assert_non_null(t->text);
    }
    va_start(args, format);
    vsnprintf(t->text + t->len, t->capacity - t->len, format, args);
    va_end(args);
    t->len += (size_t)len;
}

static void put_times(long_text *t, const char *piece, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(t, "%s", piece);
}

static berth_status load(small_cluster *c, const long_text *t, berth_error *error)
{
    return berth_engine_load_text(c->engine, (berth_str){t->text, (uint32_t)t->len}, "test", NULL,
                                  NULL, error);
}

/* Loads the text, which must be accepted, and frees it. */
static void taken(small_cluster *c, long_text *t)
{
    berth_error error = {.code = BERTH_OK};
    small_require(load(c, t, &error), &error);
    free(t->text);
    *t = (long_text){0};
}

/* Checks that the text is refused with a message that contains `words`, and that nothing of it
 * stays; frees the text. */
static void refused(small_cluster *c, long_text *t, berth_status status, const char *words)
{
    berth_error error = {.code = BERTH_OK};
    berth_counts before, after;
    berth_engine_counts(c->engine, &before);
    assert_int_equal(load(c, t, &error), status);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' lacks '%s'", error.message, words);
    berth_engine_counts(c->engine, &after);
    assert_int_equal(after.pods_pending, before.pods_pending);
    assert_int_equal(after.nodes, before.nodes);
    free(t->text);
    *t = (long_text){0};
}

/* ---- text ---- */

/* Makes a pod with a field that no rule reads, in which lists are nested `depth` deep. */
static void put_nested(long_text *t, const char *name, uint32_t depth)
{
    put(t, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"},\"x\":", name);
    put_times(t, "[", depth);
    put_times(t, "]", depth);
    put(t, ",\"spec\":{\"containers\":[{\"name\":\"c\"}]}}");
}

static void test_nesting_of_json(void **state)
{
    long_text t = {0};
    put_nested(&t, "a", 1023); /* plus the level of the pod */
    taken(*state, &t);
    put_nested(&t, "b", 1024);
    refused(*state, &t, BERTH_E_PARSE, "at most 1024 levels of nesting");
}

static void put_nested_yaml(long_text *t, const char *name, uint32_t depth)
{
    put(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c}]}\nx: ",
        name);
    put_times(t, "[", depth);
    put_times(t, "]", depth);
    put(t, "\n");
}

static void test_nesting_of_yaml(void **state)
{
    long_text t = {0};
    put_nested_yaml(&t, "a", 1023);
    taken(*state, &t);
    put_nested_yaml(&t, "b", 1024);
    refused(*state, &t, BERTH_E_PARSE, "more than 1024 levels of nesting");
}

/* Makes a pod in a List, in a List, and so on. */
static void put_lists(long_text *t, const char *name, uint32_t depth)
{
    put_times(t, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", depth);
    put_nested(t, name, 1);
    put_times(t, "]}", depth);
}

static void test_lists_in_lists(void **state)
{
    long_text t = {0};
    put_lists(&t, "a", 17);
    taken(*state, &t);
    put_lists(&t, "b", 18);
    refused(*state, &t, BERTH_E_INVALID, "lists are nested more than 16 levels deep");
}

static void put_labels(long_text *t, const char *name, uint32_t count)
{
    put(t, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"labels\":{",
        name);
    for (uint32_t i = 0; i < count; i++)
        put(t, "%s\"k%u\":\"v\"", i > 0 ? "," : "", (unsigned)i);
    put(t, "}},\"spec\":{\"containers\":[{\"name\":\"c\"}]}}");
}

static void test_entries_of_a_map(void **state)
{
    long_text t = {0};
    put_labels(&t, "a", 16384);
    taken(*state, &t);
    put_labels(&t, "b", 16385);
    refused(*state, &t, BERTH_E_RANGE, "more than 16384 entries");
}

/* Names have no limit except that of a whole object: they are kept completely. */
static void test_long_names(void **state)
{
    enum { NAME_BYTES = 10 << 20 };
    small_cluster *c = *state;
    long_text t = {0};
    char *name = malloc(NAME_BYTES + 1);
    assert_non_null(name);
    memset(name, 'n', NAME_BYTES);
    name[NAME_BYTES] = '\0';
    put_nested(&t, name, 1);
    taken(c, &t);
    assert_true(berth_engine_find_pod(c->engine, (berth_str)TEXT("default"),
                                      (berth_str){name, NAME_BYTES}) != BERTH_POD_NONE);
    assert_true(berth_engine_find_pod(c->engine, (berth_str)TEXT("default"),
                                      (berth_str){name, NAME_BYTES - 1}) == BERTH_POD_NONE);
    put_nested(&t, name, 1);
    refused(c, &t, BERTH_E_EXISTS, "a pod of this name is already there");
    free(name);
}

/* ---- numbers ---- */

static void put_spec(long_text *t, const char *name, const char *spec)
{
    put(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {%s}\n", name, spec);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *most, *more;
        berth_status status;
        const char *words;
    } cases[] = {
        {"priority: 2147483647, containers: [{name: c}]",
         "priority: 2147483648, containers: [{name: c}]", BERTH_E_RANGE,
         "2147483648 is out of the range of 32-bit integers"},
        {"priority: -2147483648, containers: [{name: c}]",
         "priority: -2147483649, containers: [{name: c}]", BERTH_E_RANGE,
         "-2147483649 is out of the range of 32-bit integers"},
        {"containers: [{name: c, ports: [{hostPort: 65535}]}]",
         "containers: [{name: c, ports: [{hostPort: 65536}]}]", BERTH_E_RANGE,
         "a port is 0 to 65535, not 65536"},
        {"containers: [{name: c, resources: {requests: {memory: '4611686018427387903'}}}, "
         "{name: d, resources: {requests: {memory: '4611686018427387904'}}}]",
         "containers: [{name: c, resources: {requests: {memory: '4611686018427387904'}}}, "
         "{name: d, resources: {requests: {memory: '4611686018427387904'}}}]",
         BERTH_E_RANGE, "the pod's total of memory does not fit 63 bits"},
        {"containers: [{name: c, resources: {requests: {cpu: '9223372036854775'}}}]",
         "containers: [{name: c, resources: {requests: {cpu: '9223372036854776'}}}]", BERTH_E_RANGE,
         "the amount does not fit 63 bits"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        long_text t = {0};
        char name[16];
        snprintf(name, sizeof(name), "p%zu", i);
        put_spec(&t, name, cases[i].most);
        taken(*state, &t);
        put_spec(&t, "more", cases[i].more);
        refused(*state, &t, cases[i].status, cases[i].words);
    }
}

/* ---- the engine ---- */

static void put_node(long_text *t, const char *name, uint32_t first, uint32_t resources)
{
    put(t, "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus:\n  allocatable:\n", name);
    put(t, "    cpu: 4\n    memory: 8Gi\n    pods: 10\n");
    for (uint32_t i = first; i < first + resources; i++)
        put(t, "    example.com/r%u: 1\n", (unsigned)i);
}

/* Three resources have columns from the start: cpu, memory and ephemeral-storage. */
static void test_resource_names(void **state)
{
    long_text t = {0};
    put_node(&t, "a", 0, 1021);
    taken(*state, &t);
    put_node(&t, "b", 1020, 1);
    taken(*state, &t);
    put_node(&t, "c", 1021, 1);
    refused(*state, &t, BERTH_E_NOMEM, "no room for another resource name (there may be 1024)");
    put_spec(&t, "p",
             "containers: [{name: c, resources: {requests: {example.com/r1021: 1}, "
             "limits: {example.com/r1021: 1}}}]");
    refused(*state, &t, BERTH_E_NOMEM, "no room for another resource name (there may be 1024)");
}

static void put_claims(long_text *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(t,
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c%u}\nspec: "
            "{storageClassName: late, accessModes: [ReadWriteOnce], resources: {requests: "
            "{storage: 1Gi}}}\n---\n",
            (unsigned)i);
}

static void put_claimant(long_text *t, const char *name, uint32_t count)
{
    put(t,
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c}], "
        "volumes: [",
        name);
    for (uint32_t i = 0; i < count; i++)
        put(t, "%s{name: v%u, persistentVolumeClaim: {claimName: c%u}}", i > 0 ? ", " : "",
            (unsigned)i, (unsigned)i);
    put(t, "]}\n");
}

static berth_pod_id pod_named(const small_cluster *c, const char *name)
{
    return berth_engine_find_pod(c->engine, (berth_str)TEXT("default"),
                                 (berth_str){name, (uint32_t)strlen(name)});
}

static void expect_message(small_cluster *c, const char *name, const char *words)
{
    char text[512];
    small_decide(c, pod_named(c, name));
    berth_str message = berth_explanation_message(c->explanation);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_ERROR);
    snprintf(text, sizeof(text), "%.*s", (int)message.len, message.data);
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}

static void test_unbound_claims(void **state)
{
    small_cluster *c = *state;
    long_text t = {0};
    put_node(&t, "a", 0, 0);
    put(&t, "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
            "provisioner: x.org\nvolumeBindingMode: WaitForFirstConsumer\n---\n");
    put_claims(&t, 257);
    put_claimant(&t, "most", 256);
    put_claimant(&t, "more", 257);
    taken(c, &t);
    small_decide(c, pod_named(c, "most"));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    expect_message(c, "more", "a pod with more than 256 unbound claims can't be decided");
}

static void put_device_claim(long_text *t, const char *name, uint32_t count)
{
    put(t,
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, uid: %s}\n"
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, count: %u}}]}}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c}], "
        "resourceClaims: [{name: d, resourceClaimName: %s}]}\n",
        name, name, (unsigned)count, name, name);
}

static void test_devices_of_a_claim(void **state)
{
    small_cluster *c = *state;
    long_text t = {0};
    put_node(&t, "a", 0, 0);
    put(&t, "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\n"
            "spec: {}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
            "metadata: {name: s}\nspec: {driver: x.org, nodeName: a, pool: {name: a, "
            "generation: 1, resourceSliceCount: 1}, devices: [");
    for (unsigned i = 0; i < 40; i++)
        put(&t, "%s{name: d%u}", i > 0 ? ", " : "", i);
    put(&t, "]}\n");
    put_device_claim(&t, "most", 32);
    put_device_claim(&t, "more", 33);
    taken(c, &t);
    small_decide(c, pod_named(c, "most"));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    expect_message(c, "more", "adding 33 devices exceeds the claim limit of 32, with 0 already");
}

/* Checks the problem of the expression; "" if there is none. */
static void expect_problem(const long_text *t, const char *words)
{
    berth__cel *cel = NULL;
    char found[512];
    assert_int_equal(berth__cel_compile(berth__allocator_default(), BERTH__CEL_1_36,
                                        (berth_str){t->text, (uint32_t)t->len}, &cel),
                     BERTH_OK);
    berth_str problem = berth__cel_problem(cel);
    snprintf(found, sizeof(found), "%.*s", (int)problem.len,
             problem.data != NULL ? problem.data : "");
    if (words[0] == '\0' ? found[0] != '\0' : strstr(found, words) == NULL)
        fail_msg("'%s' lacks '%s'", found, words);
    berth__cel_destroy(cel);
}

static void test_length_of_a_selector(void **state)
{
    long_text t = {0};
    (void)state;
    put(&t, "true");
    put_times(&t, " ", 10240 - 4);
    expect_problem(&t, "");
    put(&t, " ");
    expect_problem(&t, "expression is longer than 10240 bytes");
    free(t.text);
}

static berth_status create(uint32_t annotations, uint32_t threads, berth_error *error)
{
    static berth_str keys[256];
    berth_engine_config config;
    berth_engine *engine = NULL;
    berth_engine_config_init(&config);
    config.threads = threads;
    for (uint32_t i = 0; i < annotations; i++)
        keys[i] = (berth_str)TEXT("key");
    config.annotation_keys = (berth_strs){keys, annotations};
    berth_status status = berth_engine_create(&config, &engine, error);
    berth_engine_destroy(engine);
    return status;
}

static void test_configuration(void **state)
{
    berth_error error;
    (void)state;
    assert_int_equal(create(255, 1, &error), BERTH_OK);
    assert_int_equal(create(256, 1, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "256 annotations are more than 255");
    assert_int_equal(create(0, 1025, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "threads is at most 1024, not 1025");
}

/* Every entry of the table can be used, then none is left, and a released one is used again.
 *
 * The last pin of a snapshot makes its owner walk over all living ones (PUB-4), two thousand
 * million steps for the number of them here. So all pins but one are released as if another thread
 * were already walking, which only leaves a request for that thread; destroying the engine frees
 * the rest. */
static void test_snapshots_alive(void **state)
{
    enum { ALIVE = 65535 };
    const small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    berth_snapshot **pinned = calloc(ALIVE, sizeof(*pinned));
    assert_non_null(pinned);
    for (uint32_t i = 0; i < ALIVE; i++) {
        small_require(berth_engine_publish(c->engine, &error), &error);
        pinned[i] = berth_engine_pin(c->engine);
    }
    assert_int_equal(berth_engine_publish(c->engine, &error), BERTH_E_NOMEM);
    assert_string_equal(error.message, "no memory for another snapshot");
    /* A refused snapshot is invisible, and has used no number. */
    berth_snapshot *newest = berth_engine_pin(c->engine);
    assert_ptr_equal(newest, pinned[ALIVE - 1]);
    berth_snapshot_unpin(newest);

    berth_snapshot_unpin(pinned[ALIVE / 2]);
    small_require(berth_engine_publish(c->engine, &error), &error);
    pinned[ALIVE / 2] = berth_engine_pin(c->engine);
    assert_int_equal(berth_snapshot_number(pinned[ALIVE / 2]), ALIVE + 1);
    assert_int_equal(berth_engine_publish(c->engine, &error), BERTH_E_NOMEM);

    atomic_fetch_add(&c->engine->history.requests, 1); /* PUB-4 */
    for (uint32_t i = 0; i < ALIVE; i++)
        berth_snapshot_unpin(pinned[i]);
    free(pinned);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, small_set_up, small_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nesting_of_json),
        TEST(test_nesting_of_yaml),
        TEST(test_lists_in_lists),
        TEST(test_entries_of_a_map),
        TEST(test_long_names),
        TEST(test_numbers),
        TEST(test_resource_names),
        TEST(test_unbound_claims),
        TEST(test_devices_of_a_claim),
        TEST(test_snapshots_alive),
        cmocka_unit_test(test_length_of_a_selector),
        cmocka_unit_test(test_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
