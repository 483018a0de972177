/* Property test: decision vectors, read, placed and dumped with memory that ends anywhere. Whatever
 * the memory, a scenario either fails with BERTH_E_NOMEM or has the same result as with enough: the
 * placements of its pods, their explanations, and the dump of the cluster. A call that failed
 * succeeds when it is made once more. At the end no memory may be left.
 *
 * Usage: test_memory_vectors [--seed S] FILE... BERTH_TEST_SEED is the seed of a run without
 * --seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "berth/berth.h"
#include "effort.h"
#include "ending_memory.h"
#include "verify/vector_file.h"

enum { TRIES = 8, TEXT_MAX = 1 << 24 };

/* What came of a scenario: each decision, then the dump. */
typedef struct outcome {
    char *bytes;
    size_t count;
} outcome;

static struct {
    unsigned long scenarios, tries, refused;
} tally;

static uint64_t random_state;

/* SplitMix64. */
static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void clear(outcome *out)
{
    if (out->bytes == NULL && (out->bytes = malloc(TEXT_MAX)) == NULL)
        abort();
    out->count = 0;
    out->bytes[0] = '\0';
}

static berth_status append(void *context, berth_str piece, berth_error *error)
{
    outcome *out = context;
    (void)error;
    if (piece.len >= TEXT_MAX - out->count)
        abort();
    memcpy(out->bytes + out->count, piece.data, piece.len);
    out->count += piece.len;
    out->bytes[out->count] = '\0';
    return BERTH_OK;
}

/* ---- one scenario ---- */

/* Ends memory for a call that needs about `calls` allocations; 0: it does not end. */
static void end_within(unsigned long calls)
{
    if (calls > 0)
        ending_memory_end(next_random() % calls, next_random() % 2 == 0);
}

static berth_status add(void *context, const berth_object *object, const berth_error *origin,
                        berth_error *error)
{
    (void)origin;
    berth_status status = berth_engine_add(context, object, NULL, error);
    return status == BERTH_E_NOMEM ? status : BERTH_OK; /* some are refused in any case */
}

static void note(void *context, const berth_note *of)
{
    (void)context;
    (void)of;
}

static berth_status read_all(berth_engine *engine, berth_str text, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options),
                                        .threads = 1,
                                        .default_kind = "Pod",
                                        .apply_defaults = true,
                                        .expand = true,
                                        .note = note,
                                        .allocator = &ending};
    berth_reader *reader;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    status = berth_reader_text(reader, text, "scenario", add, engine, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, engine, add, engine, error);
    berth_reader_destroy(reader);
    return status;
}

/* Decides a pod with an explanation, at first perhaps with too little memory. */
static void explain(berth_engine *engine, berth_explanation *why, berth_pod_id pod, bool scarce,
                    outcome *out)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = why};
    char line[64];
    berth_placement placement = {0};
    if (scarce)
        end_within(1ul << next_random() % 10);
    berth_status status = berth_engine_decide(engine, pod, &options, &placement, NULL);
    if (ending_memory_return() && status == BERTH_E_NOMEM)
        status = berth_engine_decide(engine, pod, &options, &placement, NULL);
    const berth_str message = berth_explanation_message(why);
    int len = snprintf(line, sizeof(line), "%d %d, %u victims: ", (int)status,
                       (int)placement.verdict, (unsigned)berth_explanation_victim_count(why));
    (void)append(out, (berth_str){line, (uint32_t)len}, NULL);
    (void)append(out, message, NULL);
    (void)append(out, BERTH_STR("\n"), NULL);
}

/* Schedules a pod, at first perhaps with too little memory. */
static void place(berth_engine *engine, berth_pod_id pod, bool scarce, outcome *out)
{
    char line[64];
    berth_placement placement = {0};
    berth_status status;
    if (scarce)
        end_within(1ul << next_random() % 10); /* mostly within the first few */
    status = berth_engine_schedule(engine, pod, &placement, NULL);
    if (ending_memory_return() && status == BERTH_E_NOMEM)
        status = berth_engine_schedule(engine, pod, &placement, NULL);
    int len = snprintf(line, sizeof(line), "%d %u of %u\n", (int)status,
                       status == BERTH_OK ? placement.node : 0,
                       status == BERTH_OK ? placement.feasible_count : 0);
    (void)append(out, (berth_str){line, (uint32_t)len}, NULL);
}

static berth_status place_all(berth_engine *engine, bool scarce, outcome *out)
{
    enum { PODS = 64 };
    berth_pod_id pods[PODS];
    uint64_t count = 0;
    berth_explanation *why;
    BERTH_TRY(berth_explanation_create(&ending, &why, NULL));
    const berth_status status = berth_engine_pending(engine, pods, PODS, &count, NULL);
    for (uint64_t i = 0; status == BERTH_OK && i < count && i < PODS; i++) {
        explain(engine, why, pods[i], scarce, out);
        place(engine, pods[i], scarce, out);
    }
    berth_explanation_destroy(why);
    return status;
}

/* Reads, places and dumps. Memory ends within the first `calls` allocations of the reading (0: it
 * does not end); if it is `scarce`, also in some of the other calls. */
static berth_status run(berth_str text, unsigned long calls, bool scarce, outcome *out)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_error error = {0};
    clear(out);
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &ending;
    end_within(calls);
    berth_status status = berth_engine_create(&config, &engine, &error);
    if (status != BERTH_OK) {
        (void)ending_memory_return();
        return status;
    }
    status = read_all(engine, text, &error);
    (void)ending_memory_return();
    if (status == BERTH_OK)
        status = place_all(engine, scarce, out);
    if (status == BERTH_OK) {
        const size_t before = out->count;
        if (scarce)
            end_within(200);
        status = berth_engine_dump(engine, append, out, &error);
        if (ending_memory_return() && status == BERTH_E_NOMEM) {
            out->count = before;
            status = berth_engine_dump(engine, append, out, &error);
        }
    }
    if (berth_engine_check(engine, &error) != BERTH_OK)
        status = BERTH_E_INTERNAL;
    berth_engine_destroy(engine);
    return status;
}

static bool fail(const char *path, const char *name, uint64_t seed, const char *what)
{
    fprintf(stderr, "FAILED: %s\nreplay: test_memory_vectors --seed %" PRIu64 " %s (%s)\n", what,
            seed, path, name);
    return false;
}

static bool try_scenario(const char *path, const vector_scenario *scenario, uint64_t seed)
{
    static outcome wanted, got;
    const unsigned long before = atomic_load(&ending_memory.calls);
    const berth_status plain = run(scenario->scenario, 0, false, &wanted);
    const unsigned long calls = atomic_load(&ending_memory.calls) - before;
    tally.scenarios++;
    for (unsigned long i = effort(TRIES); i > 0; i--) {
        /* With enough memory for the reading every other time, or few tries would come to place. */
        const unsigned long within = i % 2 == 0 ? calls + calls / 4 + 1 : 0;
        const berth_status status = run(scenario->scenario, within, true, &got);
        tally.tries++;
        tally.refused += status == BERTH_E_NOMEM;
        if (status != BERTH_E_NOMEM && status != plain)
            return fail(path, scenario->name, seed, berth_status_name(status));
        if (status == BERTH_OK && strcmp(wanted.bytes, got.bytes) != 0)
            return fail(path, scenario->name, seed, "another result with less memory");
        if (atomic_load(&bytes_in_use) != 0)
            return fail(path, scenario->name, seed, "memory is left");
    }
    return true;
}

/* What happens depends on the seed and the file alone. */
static bool run_file(const char *path, uint64_t seed)
{
    berth_error error = {0};
    vector_file file;
    vector_scenario scenario;
    bool more = true, ok = true;
    random_state = seed;
    berth_status status = vector_file_open(&file, path, &error);
    while (ok && status == BERTH_OK) {
        status = vector_file_next(&file, &scenario, &more, &error);
        if (status != BERTH_OK || !more)
            break;
        ok = try_scenario(path, &scenario, seed);
        vector_scenario_release(&scenario);
    }
    vector_file_close(&file);
    return ok && (status == BERTH_OK || fail(path, "", seed, error.message));
}

int main(int argc, char **argv)
{
    arena_pieces_refuse = ending_piece;
    const char *given = getenv("BERTH_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 1;
    int i = 1;
    if (argc > 2 && strcmp(argv[1], "--seed") == 0) {
        seed = strtoull(argv[2], NULL, 0);
        i = 3;
    }
    if (i >= argc || argv[i][0] == '-') {
        fprintf(stderr, "usage: test_memory_vectors [--seed S] FILE...\n");
        return 2;
    }
    printf("seed %" PRIu64 "\n", seed);
    for (; i < argc; i++)
        if (!run_file(argv[i], seed))
            return 1;
    printf("%lu scenarios, %lu tries, %lu failed for lack of memory\n", tally.scenarios,
           tally.tries, tally.refused);
    return 0;
}
