/* Reading ahead: for every text, batch size and end of reading, a reader with a helper returns the
 * same objects in the same order as a reader without one, and ends with the same error.
 * BERTH_TEST_SEED replays a failure. */
#include "reader_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kube/ahead.h"
#include "random_text.h"
#include "text/input.h"

enum { ROUNDS = 400 };

static const size_t batch_sizes[] = {1, 60, 300, 1000, 5000, 20000};
enum { BATCH_SIZES = sizeof(batch_sizes) / sizeof(batch_sizes[0]) };

/* ---- texts ---- */

static void add_object(text *t, berth__random *random, uint32_t number, bool bare)
{
    static const char *const kinds[] = {"Pod",
                                        "Node",
                                        "Service",
                                        "ConfigMap",
                                        "Deployment",
                                        "PriorityClass",
                                        "PersistentVolumeClaim"};
    uint32_t dice = berth__random_below(random, 40);
    if (dice == 0) {
        add(t, "null");
        return;
    }
    add(t, "{%s", berth__random_below(random, 3) == 0 ? "\n " : "");
    if (!bare)
        add(t, "\"kind\": \"%s\", ", dice < 25 ? "Pod" : kinds[berth__random_below(random, 7)]);
    add(t, "\"metadata\": {\"name\": \"o\\u002d%u\"", number);
    if (dice % 4 == 1)
        add(t, ", \"labels\": {\"app\": \"a%u\", \"b\": null}", dice);
    add(t,
        "}, \"value\": 7, \"spec\": {\"containers\": [{\"name\": \"c\", \"resources\":"
        " {\"requests\": {\"cpu\": \"%s\"}}}]",
        dice == 39 ? (number % 3 == 0 ? "-1" : "1") : "250m");
    if (dice % 5 == 2)
        add(t, ", \"priorityClassName\": \"o-%u\"", number + berth__random_below(random, 9));
    add(t, "}}");
}

static void add_list(text *t, berth__random *random, uint32_t objects, uint32_t *number)
{
    uint32_t shape = berth__random_below(random, 5);
    bool bare = shape == 1 || shape == 2;
    static const char *const heads[] = {"{\"kind\": \"List\", \"items\": [",
                                        "{\"kind\": \"PodList\", \"items\": [", "{\"items\": [",
                                        "[", "{\"kind\": \"Set\", \"items\": ["};
    static const char *const tails[] = {"], \"x\": 1}", "]}", "], \"kind\": \"PodList\"}", "]",
                                        "]}"};
    add(t, "%s", heads[shape]);
    for (uint32_t i = 0; i < objects; i++) {
        add(t, "%s", i > 0 ? ",\n" : "");
        if (berth__random_below(random, 30) == 0) {
            add(t, "{\"kind\": \"List\", \"items\": [");
            add_object(t, random, (*number)++, false);
            add(t, "]}");
        } else {
            add_object(t, random, (*number)++, bare);
        }
    }
    add(t, "%s\n", tails[shape]);
}

/* Makes a stream of objects and lists; in half of all cases one byte is wrong, or the end is
 * missing. */
static void make_text(text *t, berth__random *random)
{
    uint32_t number = 0, parts = 1 + berth__random_below(random, 4);
    t->len = 0;
    for (uint32_t i = 0; i < parts; i++) {
        if (berth__random_below(random, 3) > 0)
            add_list(t, random, berth__random_below(random, 30), &number);
        else
            add_object(t, random, number++, false);
        add(t, "%s", berth__random_below(random, 4) == 0 ? "\n---\n" : " ");
    }
    uint32_t harm = berth__random_below(random, 4);
    if (harm == 0)
        t->len = 2 + berth__random_below(random, (uint32_t)t->len - 2);
    else if (harm == 1)
        spoil(t, random);
}

/* ---- one reading ---- */

typedef struct outcome {
    berth_status status;
    char objects[TEXT_MAX * 4];
    char error[1400];
    berth_error where;
} outcome;

static void read_text(const text *t, uint32_t threads, size_t batch_bytes, bool fresh, outcome *out)
{
    berth_read_options options = {.size = sizeof(options),
                                  .apply_defaults = fresh,
                                  .default_kind = fresh ? "Pod" : NULL,
                                  .threads = threads};
    berth_reader *reader;
    memset(&out->where, 0, sizeof(out->where));
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    reader->batch_bytes = batch_bytes;
    clear_sheet();
    berth_str all = {t->data, (uint32_t)t->len};
    out->status = berth_reader_text(reader, all, "t", collect, &whole_objects, &out->where);
    if (out->status == BERTH_OK)
        out->status = berth_reader_finish(reader, NULL, collect, &whole_objects, &out->where);
    berth_reader_destroy(reader);
    out->error[0] = '\0';
    if (out->status != BERTH_OK)
        berth_error_format(&out->where, out->error, sizeof(out->error));
    assert_true(got.len < sizeof(out->objects));
    memcpy(out->objects, got.text, got.len + 1);
}

static void expect_same(const text *t, bool fresh, uint64_t seed)
{
    static outcome alone, helped;
    read_text(t, 1, 1, fresh, &alone);
    for (int i = 0; i < BATCH_SIZES; i++) {
        read_text(t, 2, batch_sizes[i], fresh, &helped);
        if (helped.status != alone.status || strcmp(helped.error, alone.error) != 0 ||
            strcmp(helped.objects, alone.objects) != 0 || helped.where.offset != alone.where.offset)
            fail_msg("BERTH_TEST_SEED=%llu, batches of %zu:\n%s\n%s\n%s", (unsigned long long)seed,
                     batch_sizes[i], alone.error, helped.error, t->data);
    }
}

static uint64_t first_seed(void)
{
    const char *given = getenv("BERTH_TEST_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

static void test_equal(void **state)
{
    (void)state;
    static text t;
    uint32_t faults = 0;
    got.refuse_at = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + ROUNDS; seed++) {
        static outcome once;
        berth__random random = {seed};
        make_text(&t, &random);
        expect_same(&t, seed % 2 == 0, seed);
        read_text(&t, 1, 1, seed % 2 == 0, &once);
        faults += once.status != BERTH_OK;
    }
    assert_true(faults > ROUNDS / 5 && faults < ROUNDS * 9 / 10);
}

/* ---- ending early ---- */

/* Reading ends at the object that the caller's function refuses, whichever it is. */
static void test_early_stop(void **state)
{
    (void)state;
    static text t;
    berth__random random = {first_seed()};
    uint32_t number = 0;
    t.len = 0;
    add(&t, "{\"kind\": \"List\", \"items\": [");
    for (; number < 60; number++) {
        add(&t, "%s{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p%u\"}}", number > 0 ? "," : "",
            number);
    }
    add(&t, "]}");
    for (uint32_t at = 1; at <= number; at++) {
        got.refuse_at = at;
        expect_same(&t, berth__random_below(&random, 2) == 0, at);
    }
    got.refuse_at = 0;
}

/* ---- scarce memory ---- */

static berth_status read_counted(counted *c, const text *t)
{
    const berth_allocator allocator = {c, counted_allocate, counted_release};
    const berth_read_options options = {.size = sizeof(options),
                                        .apply_defaults = true,
                                        .default_kind = "Pod",
                                        .threads = 2,
                                        .allocator = &allocator};
    berth_reader *reader;
    clear_sheet();
    BERTH_TRY(berth_reader_create(&options, &reader, NULL));
    reader->batch_bytes = 300;
    return finish_reading(reader, (berth_str){t->data, (uint32_t)t->len}, &whole_objects);
}

/* Whichever allocation fails, on whatever thread: either all objects arrive and are right, or
 * reading ends with BERTH_E_NOMEM after some of them; no memory leaks. */
static void test_scarce_memory(void **state)
{
    (void)state;
    static text t;
    static char whole[sizeof(got.text)];
    counted c = {0};
    t.len = 0;
    for (uint32_t i = 0; i < 40; i++)
        add(&t,
            "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\\u002d%u\", \"labels\": {\"a\":"
            " \"b\"}}, \"spec\": {\"containers\": [{\"name\": \"c\"}]}}\n",
            i);
    assert_int_equal(read_counted(&c, &t), BERTH_OK);
    memcpy(whole, got.text, got.len + 1);
    unsigned calls = atomic_load(&c.calls);
    for (unsigned fail_at = 1; fail_at <= calls; fail_at++) {
        for (int for_good = 0; for_good < 2; for_good++) {
            counted scarce = {.for_good = for_good != 0};
            atomic_store(&scarce.fail_at, fail_at);
            berth_status status = read_counted(&scarce, &t);
            assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
            assert_int_equal(strncmp(whole, got.text, got.len), 0);
            if (status == BERTH_OK)
                assert_string_equal(got.text, whole);
            assert_int_equal(atomic_load(&scarce.bytes), 0);
        }
    }
}

/* ---- files ---- */

typedef struct journal {
    char text[1 << 12];
    size_t len;
    uint32_t objects;
} journal;

static berth_status journal_object(void *context, const berth_object *object,
                                   const berth_error *origin, berth_error *error)
{
    journal *j = context;
    (void)object;
    (void)origin;
    (void)error;
    j->objects++;
    return BERTH_OK;
}

static void journal_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    journal *j = context;
    j->len += (size_t)snprintf(j->text + j->len, sizeof(j->text) - j->len,
                               "%u objects, %llu/%llu\n", j->objects,
                               (unsigned long long)done_bytes, (unsigned long long)total_bytes);
    assert_true(j->len < sizeof(j->text));
}

static void read_journal(const char *path, uint32_t threads, journal *out)
{
    const berth_read_options options = {.size = sizeof(options),
                                        .threads = threads,
                                        .progress = journal_progress,
                                        .progress_context = out};
    berth_reader *reader;
    *out = (journal){.len = 0};
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(berth_reader_file(reader, path, journal_object, out, NULL), BERTH_OK);
    berth_reader_destroy(reader);
}

static int temporary_file(char *path)
{
    strcpy(path, "/tmp/berth-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

/* Progress is reported between the same objects as without a helper. */
static void test_progress(void **state)
{
    (void)state;
    static journal alone, helped;
    char path[32];
    FILE *file = fdopen(temporary_file(path), "wb");
    assert_non_null(file);
    for (uint32_t i = 0; i < 60000; i++)
        fprintf(file, "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"pod-%u\"}}\n", i);
    assert_int_equal(fclose(file), 0);
    read_journal(path, 1, &alone);
    read_journal(path, 2, &helped);
    unlink(path);
    assert_int_equal(alone.objects, 60000);
    assert_int_equal(helped.objects, 60000);
    assert_true(alone.len > 80);
    assert_string_equal(helped.text, alone.text);
}

/* ---- when ---- */

static bool is_due(berth__input *input, uint32_t threads, size_t batch_bytes)
{
    const berth__ahead_options options = {
        .allocator = berth__allocator_default(), .threads = threads, .batch_bytes = batch_bytes};
    berth__window window;
    berth__window_init(&window, input, options.allocator);
    assert_int_equal(berth__window_fill(&window, NULL), BERTH_OK);
    bool due = berth__ahead_is_due(&options, &window);
    berth__window_destroy(&window);
    return due;
}

static bool is_due_for(berth_str all, uint32_t threads)
{
    berth__input input;
    assert_int_equal(berth__input_open_text(&input, berth__allocator_default(), all, NULL),
                     BERTH_OK);
    bool due = is_due(&input, threads, 10);
    berth__input_close(&input);
    return due;
}

static void test_when(void **state)
{
    (void)state;
    assert_false(is_due_for(berth__text_of("{\"a\": 10}"), 2));
    assert_true(is_due_for(berth__text_of("{\"a\": 1000}"), 2));
    assert_true(is_due_for(berth__text_of("{\"a\": 1000}"), 64));
    assert_false(is_due_for(berth__text_of("{\"a\": 1000}"), 1));
    char path[32];
    berth__input input;
    int fd = temporary_file(path);
    assert_int_equal(write(fd, "{\"a\": 1000}", 11), 11);
    close(fd);
    assert_int_equal(berth__input_open(&input, berth__allocator_default(), path, NULL), BERTH_OK);
    assert_true(is_due(&input, 2, 10));
    berth__input_close(&input);
    unlink(path);
    /* A reader of a pipe that ends early must not wait for text that the writer never writes. */
    assert_int_equal(mkfifo(path, 0600), 0);
    fd = open(path, O_RDWR);
    assert_int_equal(write(fd, "{\"a\": 1000}", 11), 11);
    assert_int_equal(berth__input_open(&input, berth__allocator_default(), path, NULL), BERTH_OK);
    close(fd);
    assert_false(is_due(&input, 2, 10));
    berth__input_close(&input);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),         cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_scarce_memory), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
