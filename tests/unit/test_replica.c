/* Replicas: a reader that uses patterns delivers the same objects in the same order, and ends with
 * the same error, as one that does not, whatever the text; engines filled by both are equal.
 * BERTH_TEST_SEED replays a failure. */
#include "reader_check.h"

#include "random_text.h"

enum { ROUNDS = 300, SHAPES_MAX = 6 };

/* ---- texts ---- */

static uint32_t below(berth__random *random, uint32_t bound)
{
    return berth__random_below(random, bound);
}

/* What pods of one template share. */
typedef struct shape {
    uint32_t form;
    uint32_t app;
    uint32_t cpu;
    const char *gap; /* before a colon */
} shape;

static shape make_shape(berth__random *random)
{
    static const char *const gaps[] = {"", " ", "\n  "};
    return (shape){below(random, 4096), below(random, 3), below(random, 3), gaps[below(random, 3)]};
}

static void add_name(text *t, berth__random *random, const shape *s, uint32_t number)
{
    static const char *const odd[] = {
        "\"p\\u002d%u\"",  "\"caf\xc3\xa9-%u\"",        "null, \"x\": %u",
        "\"\", \"y\": %u", "\"p-%u\", \"name\": \"q\"", "{\"n\": %u}",
        "\"a\\\"b%u\""};
    add(t, "\"name\"%s:%s", s->gap, s->gap);
    if (below(random, 40) == 0)
        add(t, odd[below(random, 7)], number);
    else
        add(t, "\"p-%u\"", below(random, 60) == 0 ? number / 2 : number);
}

static void add_metadata(text *t, berth__random *random, const shape *s, uint32_t number)
{
    add(t, "\"metadata\": {");
    if (s->form & 1)
        add(t, "\"labels\": {\"app\": \"app-%u\", \"name\": \"x\"}, ", s->app);
    if (s->form & 2)
        add(t,
            "\"ownerReferences\": [{\"kind\": \"ReplicaSet\", \"name\": \"r\", \"uid\": \"o%u\","
            " \"controller\": true}], ",
            s->app);
    if (s->form & 4)
        add(t, "\"uid\": \"u%u\", ", number);
    if (s->form & 8)
        add(t, "\"generateName\": \"p-\", ");
    if (s->form & 16)
        add(t, "\"namespace\": \"space-%u\", ", s->app);
    add_name(t, random, s, number);
    add(t, "}");
}

static void add_spec(text *t, berth__random *random, const shape *s)
{
    add(t,
        "\"spec\": {\"containers\": [{\"name\": \"main\", \"image\": \"i\", \"resources\":"
        " {\"%s\": {\"cpu\": \"%u\", \"memory\": \"0.1\"}}",
        s->form & 32 ? "limits" : "requests", s->cpu);
    if (s->form & 64)
        add(t, ", \"ports\": [{\"containerPort\": 80}]");
    add(t, "}]");
    if (s->form & 128)
        add(t, ", \"nodeName\":%s \"node-%u\"", s->gap, below(random, 5));
    if (s->form & 256)
        add(t, ", \"priorityClassName\": \"class-%u\"", s->app);
    if ((s->form & 1536) == 1536)
        add(t, ", \"volumes\": [{\"name\": \"v\", \"ephemeral\": {}}]");
    if ((s->form & 1536) == 1024)
        add(t, ", \"hostNetwork\": true, \"tolerations\": [{\"operator\": \"Exists\"}]");
    add(t, "}, \"status\": {\"phase\": \"%s\"}",
        (s->form & 2048) && s->app == 0 ? "Failed" : "Running");
}

static void add_pod(text *t, berth__random *random, const shape *s, uint32_t number, bool bare)
{
    add(t, "{");
    if (!bare)
        add(t, "\"apiVersion\": \"v1\", \"kind\": \"%s\", ",
            below(random, 100) == 0 ? "Service" : "Pod");
    add_metadata(t, random, s, number);
    add(t, ", ");
    add_spec(t, random, s);
    if (below(random, 100) == 0)
        add(t, ", \"items\": []");
    add(t, "}");
}

static void add_any(text *t, berth__random *random, const shape *shapes, uint32_t count,
                    uint32_t number, bool bare)
{
    if (below(random, 25) == 0)
        add(t,
            "{\"apiVersion\": \"scheduling.k8s.io/v1\", \"kind\": \"PriorityClass\","
            " \"metadata\": {\"name\": \"class-%u\"}, \"value\": %u, \"globalDefault\": %s}",
            below(random, 3), below(random, 100), below(random, 2) == 0 ? "true" : "false");
    else
        add_pod(t, random, &shapes[below(random, count)], number, bare);
}

/* A list of pods from a few templates; a third of the lists have one wrong byte. */
static void make_text(text *t, berth__random *random)
{
    static const char *const heads[] = {"{\"kind\": \"List\", \"items\": [",
                                        "{\"kind\": \"PodList\", \"items\": [", "{\"items\": [",
                                        "[", "{\"kind\": \"Set\", \"items\": ["};
    static const char *const tails[] = {"]}", "]}", "], \"kind\": \"PodList\"}", "]", "]}"};
    shape shapes[SHAPES_MAX];
    uint32_t count = 1 + below(random, SHAPES_MAX), number = 0;
    for (uint32_t i = 0; i < count; i++)
        shapes[i] = make_shape(random);
    t->len = 0;
    for (uint32_t lists = 1 + below(random, 2); lists > 0; lists--) {
        uint32_t form = below(random, 3) == 0 ? below(random, 5) : 0;
        add(t, "%s", heads[form]);
        for (uint32_t i = 0, objects = below(random, 60); i < objects; i++) {
            add(t, "%s", i > 0 ? ",\n" : "");
            add_any(t, random, shapes, count, number++,
                    (form == 1 || form == 2) && below(random, 2) == 0);
        }
        add(t, "%s\n", tails[form]);
    }
    if (below(random, 3) == 0)
        spoil(t, random);
}

/* ---- readers ---- */

typedef struct outcome {
    berth_status status;
    char objects[TEXT_MAX * 4];
    char error[1400];
    uint64_t offset;
    uint32_t replicas;
} outcome;

static uint32_t replicas;

static berth_status note(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    replicas += object->kind == BERTH_KIND_POD && object->as.pod->template_id != 0;
    put("%s %s %u %llu ", origin->source, origin->object, origin->line,
        (unsigned long long)origin->offset);
    return collect(context, object, origin, error);
}

static berth_reader *open_reader(const berth_allocator *allocator, bool fresh, bool patterns,
                                 uint32_t threads)
{
    const berth_read_options options = {.size = sizeof(options),
                                        .apply_defaults = fresh,
                                        .default_kind = fresh ? "Pod" : NULL,
                                        .threads = threads,
                                        .allocator = allocator};
    berth_reader *reader;
    if (berth_reader_create(&options, &reader, NULL) != BERTH_OK)
        return NULL;
    reader->batch_bytes = threads > 1 ? 700 : reader->batch_bytes;
    if (!patterns) {
        berth__patterns_destroy(reader->patterns);
        reader->patterns = NULL;
    }
    return reader;
}

static void read_text(const text *t, bool fresh, bool patterns, uint32_t threads, outcome *out)
{
    berth_reader *reader = open_reader(berth__allocator_default(), fresh, patterns, threads);
    berth_error error = {.code = BERTH_OK};
    assert_non_null(reader);
    clear_sheet();
    replicas = 0;
    out->status = BERTH_OK;
    /* Read twice, so that patterns of the first input are used in the second. */
    for (int i = 0; i < 2 && out->status == BERTH_OK; i++)
        out->status = berth_reader_text(reader, (berth_str){t->data, (uint32_t)t->len}, "t", note,
                                        &whole_objects, &error);
    if (out->status == BERTH_OK)
        out->status = berth_reader_finish(reader, NULL, note, &whole_objects, &error);
    berth_reader_destroy(reader);
    out->error[0] = '\0';
    if (out->status != BERTH_OK)
        berth_error_format(&error, out->error, sizeof(out->error));
    out->offset = error.offset;
    out->replicas = replicas;
    assert_true(got.len < sizeof(out->objects));
    memcpy(out->objects, got.text, got.len + 1);
}

static uint64_t first_seed(void)
{
    const char *given = getenv("BERTH_TEST_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

static void expect_same(const text *t, bool fresh, uint32_t threads, uint64_t seed, uint32_t *found)
{
    static outcome plain, fast;
    read_text(t, fresh, false, 1, &plain);
    read_text(t, fresh, true, threads, &fast);
    assert_int_equal(plain.replicas, 0);
    *found += fast.replicas;
    if (fast.status != plain.status || strcmp(fast.error, plain.error) != 0 ||
        strcmp(fast.objects, plain.objects) != 0 || fast.offset != plain.offset)
        fail_msg("BERTH_TEST_SEED=%llu, %u threads:\n%s\n%s\n%s", (unsigned long long)seed, threads,
                 plain.error, fast.error, t->data);
}

static void test_same_objects(void **state)
{
    (void)state;
    static text t;
    uint32_t found = 0;
    got.refuse_at = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + ROUNDS; seed++) {
        berth__random random = {seed};
        make_text(&t, &random);
        for (uint32_t threads = 1; threads <= 2; threads++)
            expect_same(&t, seed % 2 == 0, threads, seed, &found);
    }
    assert_true(found > ROUNDS * 20);
}

static void test_early_stop(void **state)
{
    (void)state;
    static text t;
    berth__random random = {1};
    const shape s = {.form = 129, .gap = " "};
    uint32_t found = 0;
    t.len = 0;
    add(&t, "[");
    for (uint32_t i = 0; i < 50; i++) {
        add(&t, "%s", i > 0 ? "," : "");
        add_pod(&t, &random, &s, i, false);
    }
    add(&t, "]");
    for (uint32_t at = 1; at <= 60; at++) {
        got.refuse_at = at;
        expect_same(&t, true, 1 + at % 2, at, &found);
    }
    got.refuse_at = 0;
    assert_true(found > 1000);
}

/* Whichever allocation fails, the objects that are delivered are right. */
static void test_scarce_memory(void **state)
{
    (void)state;
    static text t;
    static char whole[sizeof(got.text)];
    berth__random random = {4};
    t.len = 0;
    /* Between replicas there are pods that are read by themselves. */
    for (uint32_t i = 0; i < 80; i++) {
        const shape s = {.form = i % 4 < 3 ? 135 : i, .app = i % 4 == 3, .gap = " "};
        add_pod(&t, &random, &s, i, false);
    }
    unsigned calls = 1;
    for (unsigned fail_at = 0; fail_at <= calls; fail_at++) {
        counted c = {.for_good = fail_at % 2 == 1};
        const berth_allocator allocator = {&c, counted_allocate, counted_release};
        atomic_store(&c.fail_at, fail_at);
        berth_error error;
        berth_status status = BERTH_E_NOMEM;
        berth_reader *reader = open_reader(&allocator, true, true, 1);
        clear_sheet();
        if (reader != NULL)
            status = berth_reader_text(reader, (berth_str){t.data, (uint32_t)t.len}, "t", note,
                                       &whole_objects, &error);
        berth_reader_destroy(reader);
        assert_int_equal(atomic_load(&c.bytes), 0);
        assert_true(status == BERTH_OK || (status == BERTH_E_NOMEM && fail_at > 0));
        if (fail_at == 0) {
            memcpy(whole, got.text, got.len + 1);
            calls = atomic_load(&c.calls);
        }
        assert_int_equal(strncmp(whole, got.text, got.len), 0);
        assert_true(status != BERTH_OK || strcmp(got.text, whole) == 0);
    }
}

/* ---- templates ---- */

enum { TEMPLATES_MAX = 8 };

/* What the pods of each template id were like. */
typedef struct templates {
    uint32_t count, pods;
    struct {
        uint64_t id;
        bool never; /* preemptionPolicy is Never */
    } items[TEMPLATES_MAX];
} templates;

static berth_status note_template(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    templates *seen = context;
    const berth_pod *pod = object->as.pod;
    (void)origin;
    (void)error;
    if (object->kind != BERTH_KIND_POD || pod->template_id == 0)
        return BERTH_OK;
    assert_true(pod->template_id >= BERTH_TEMPLATE_OF_READER);
    bool never = berth__str_is(pod->preemption_policy, "Never");
    uint32_t i = 0;
    while (i < seen->count && seen->items[i].id != pod->template_id)
        i++;
    if (i == seen->count) {
        assert_true(seen->count < TEMPLATES_MAX);
        seen->items[seen->count].id = pod->template_id;
        seen->items[seen->count++].never = never;
    }
    assert_int_equal(seen->items[i].never, never);
    seen->pods++;
    return BERTH_OK;
}

/* With another default class, the same text yields another pod: template ids change. */
static void test_changed_defaults(void **state)
{
    (void)state;
    static text t;
    templates seen = {0};
    berth_error error;
    berth__random random = {5};
    const shape s = {.form = 0, .gap = " "};
    berth_reader *reader = open_reader(berth__allocator_default(), true, true, 1);
    assert_non_null(reader);
    t.len = 0;
    add(&t, "{\"kind\": \"List\", \"items\": [");
    for (uint32_t i = 0; i < 120; i++) {
        add_pod(&t, &random, &s, i, false);
        add(&t, ",\n");
        if (i % 40 == 39)
            add(&t,
                "{\"apiVersion\": \"scheduling.k8s.io/v1\", \"kind\": \"PriorityClass\","
                " \"metadata\": {\"name\": \"c\"}, \"value\": 1, \"globalDefault\": true,"
                " \"preemptionPolicy\": \"%s\"}%s",
                i % 80 == 39 ? "Never" : "PreemptLowerPriority", i == 119 ? "" : ",\n");
    }
    add(&t, "]}");
    assert_int_equal(berth_reader_text(reader, (berth_str){t.data, (uint32_t)t.len}, "t",
                                       note_template, &seen, &error),
                     BERTH_OK);
    berth_reader_destroy(reader);
    assert_in_range(seen.count, 3, TEMPLATES_MAX);
    assert_in_range(seen.pods, 60, 120);
}

/* ---- engines ---- */

typedef struct site {
    berth_engine *engine;
    berth__random random;
    uint32_t refused;
} site;

/* Adds objects to an engine and removes some from time to time: a class without users is freed,
 * even if a pattern remembers it. */
static berth_status put_in(void *context, const berth_object *object, const berth_error *origin,
                           berth_error *error)
{
    site *s = context;
    const berth_metadata *meta = object->as.any;
    (void)origin;
    uint32_t dice = below(&s->random, 8);
    berth_status status = berth_engine_add(s->engine, object, NULL, error);
    if (status == BERTH_E_EXISTS && dice < 4)
        status = berth_engine_update(s->engine, object, error);
    else if (status == BERTH_OK && dice == 0)
        berth_engine_remove(s->engine, object->kind, meta->namespace_name, meta->name, error);
    s->refused += status != BERTH_OK;
    return BERTH_OK;
}

static void fill(const text *t, bool patterns, uint64_t seed, uint32_t threads, char *out)
{
    site s = {.random = {seed}};
    berth_engine_config config;
    berth_error error = {.code = BERTH_OK};
    berth_counts counts;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &s.engine, &error), BERTH_OK);
    for (uint32_t i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof(name), "node-%u", i);
        const berth_node node = {.meta = {.name = berth__text_of(name)}};
        const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
        assert_int_equal(berth_engine_add(s.engine, &object, NULL, &error), BERTH_OK);
    }
    berth_reader *reader = open_reader(berth__allocator_default(), true, patterns, threads);
    assert_non_null(reader);
    for (int i = 0; i < 3; i++)
        (void)berth_reader_text(reader, (berth_str){t->data, (uint32_t)t->len}, "t", put_in, &s,
                                &error);
    berth_engine_counts(s.engine, &counts);
    sprintf(out, "%016llx, %u refused, %llu running, %llu pending",
            (unsigned long long)berth_engine_digest(s.engine), s.refused,
            (unsigned long long)counts.pods_running, (unsigned long long)counts.pods_pending);
    berth_reader_destroy(reader);
    berth_engine_destroy(s.engine);
}

static void test_same_engine(void **state)
{
    (void)state;
    static text t;
    char plain[200], fast[200];
    for (uint64_t seed = first_seed(); seed < first_seed() + ROUNDS; seed++) {
        berth__random random = {seed};
        make_text(&t, &random);
        fill(&t, false, seed, 1, plain);
        fill(&t, true, seed, 1 + seed % 2, fast);
        if (strcmp(plain, fast) != 0)
            fail_msg("BERTH_TEST_SEED=%llu:\n%s\n%s\n%s", (unsigned long long)seed, plain, fast,
                     t.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_objects),  cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_scarce_memory), cmocka_unit_test(test_changed_defaults),
        cmocka_unit_test(test_same_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
