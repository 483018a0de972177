/* Reads any bytes as calls of the public API and makes them on two engines: one decides by index,
 * the other by scan. Both answer each call equally, checks of the whole state pass, and rollbacks
 * and snapshots restore the earlier state. The first two bytes choose the objects, then every four
 * are a call.
 *
 * By itself: fuzz_operations --seed S --operations N [--check-every N] [--trace] */
#include "fuzz.h"

#include <inttypes.h>
#include <string.h>

#include "berth/statistics.h"
#include "bytes_in_use.h"
#include "operation_side.h"

enum { EPISODE = 4096 }; /* operations on engines before new ones are made */

typedef struct twins {
    operation_pool pool;
    operation_side index, scan;
    uint64_t seed, number; /* the seed, and the number of the operation */
    bool trace;
    uint64_t done[OPERATION_VERBS], accepted[OPERATION_VERBS]; /* run, and without an error */
    uint64_t decisions, placed, indexed;
} twins;

static void complain(const twins *t, const uint8_t *bytes, const char *what,
                     const berth_error *error)
{
    char text[1200] = "";
    if (error != NULL && error->code != BERTH_OK)
        berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "FAILED: %s %s\nseed %" PRIu64 ", operation %" PRIu64 ": %s %u %u %u\n", what,
            text, t->seed, t->number, operation_names[operation_of(bytes[0])], bytes[1], bytes[2],
            bytes[3]);
    abort();
}

static void compare(const twins *t, const uint8_t *bytes, const operation_result *index,
                    const operation_result *scan)
{
    if (index->status != scan->status) {
        fprintf(stderr, "index: %s, scan: %s\n", berth_status_name(index->status),
                berth_status_name(scan->status));
        complain(t, bytes, "statuses differ", &t->index.error);
    }
    uint32_t i = 0;
    while (i < index->count && i < scan->count && index->numbers[i] == scan->numbers[i])
        i++;
    if (i == index->count && i == scan->count)
        return;
    fprintf(stderr, "number %u of %u and %u: index %" PRIu64 ", scan %" PRIu64 "\n", i,
            index->count, scan->count, i < index->count ? index->numbers[i] : 0,
            i < scan->count ? scan->numbers[i] : 0);
    complain(t, bytes, "answers differ", NULL);
}

static void check(twins *t, const uint8_t *bytes)
{
    const char *broken = operation_side_check(&t->index);
    if (broken != NULL)
        complain(t, bytes, broken, &t->index.error);
    broken = operation_side_check(&t->scan);
    if (broken != NULL)
        complain(t, bytes, broken, &t->scan.error);
}

static void open_twins(twins *t, uint64_t objects)
{
    operation_pool_init(&t->pool, objects);
    operation_side_open(&t->index, &t->pool, objects % 2 == 0 ? BERTH_PATH_AUTO : BERTH_PATH_INDEX,
                        &counting);
    operation_side_open(&t->scan, &t->pool, BERTH_PATH_SCAN, &counting);
}

static void close_twins(twins *t)
{
    berth_statistics statistics = {.size = sizeof(statistics)};
    FUZZ_CHECK(berth_engine_statistics(t->index.engine, &statistics, NULL) == BERTH_OK);
    t->decisions += statistics.decisions;
    t->placed += statistics.placed;
    t->indexed += statistics.indexed;
    operation_side_close(&t->index);
    operation_side_close(&t->scan);
    operation_pool_free(&t->pool);
    FUZZ_CHECK(atomic_load(&bytes_in_use) == 0);
}

static void operate(twins *t, const uint8_t *bytes)
{
    static operation_result index, scan;
    if (t->trace)
        fprintf(stderr, "%" PRIu64 " target %u: %s %u %u %u\n", t->number, t->index.target,
                operation_names[operation_of(bytes[0])], bytes[1], bytes[2], bytes[3]);
    operation_run(&t->index, bytes, &index);
    operation_run(&t->scan, bytes, &scan);
    compare(t, bytes, &index, &scan);
    t->done[operation_of(bytes[0])]++;
    t->accepted[operation_of(bytes[0])] += index.status == BERTH_OK;
    if (t->index.broken != NULL || t->scan.broken != NULL)
        check(t, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 2, CHECK_EVERY = 8, OPERATIONS_MAX = 500 };
    static twins t;
    if (size < HEAD)
        return 0;
    if (size > HEAD + OPERATIONS_MAX * OPERATION_BYTES)
        size = HEAD + OPERATIONS_MAX * OPERATION_BYTES;
    open_twins(&t, (uint64_t)data[0] << 8 | data[1]);
    t.number = 0;
    for (size_t at = HEAD; at + OPERATION_BYTES <= size; at += OPERATION_BYTES, t.number++) {
        operate(&t, data + at);
        if (t.number % CHECK_EVERY == 0)
            check(&t, data + at);
    }
    static const uint8_t last[OPERATION_BYTES] = {0};
    check(&t, last);
    close_twins(&t);
    return 0;
}

/* ---- by itself ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The verbs, one bit each, that an episode leaves out: half of the episodes leave out half of them,
 * so that the others follow each other more often. */
static uint64_t choose_left_out(uint64_t *state)
{
    const uint64_t random = next_random(state), kept = UINT64_C(1) << OPERATION_DECIDE;
    return random >> 63 != 0 ? random & ~kept : 0;
}

static void draw(uint64_t *state, uint64_t left_out, uint8_t bytes[OPERATION_BYTES])
{
    do {
        const uint64_t random = next_random(state);
        memcpy(bytes, &random, OPERATION_BYTES);
    } while ((left_out >> operation_of(bytes[0]) & 1) != 0);
}

/* Adds most nodes, objects and pods at the start. */
static void fill(twins *t)
{
    for (uint32_t i = 0; i < 96; i++) {
        uint8_t bytes[OPERATION_BYTES] = {0, (uint8_t)i, (uint8_t)(i / 24), 0};
        const operation_verb verb = i % 3 == 0   ? OPERATION_ADD_NODE
                                    : i % 3 == 1 ? OPERATION_ADD_POD
                                                 : OPERATION_CHANGE_OTHER;
        while (operation_of(bytes[0]) != verb)
            bytes[0]++;
        bytes[1] = (uint8_t)(i / 3);
        bytes[2] = (uint8_t)(i / 3 / 13);
        bytes[3] = verb == OPERATION_CHANGE_OTHER ? 48 : 0;
        operate(t, bytes);
    }
}

static void print_tally(const twins *t, uint64_t operations)
{
    printf("seed %" PRIu64 ": %" PRIu64 " operations, each on two engines; %" PRIu64
           " decisions, %" PRIu64 " placed, %" PRIu64 " by index\n",
           t->seed, operations, t->decisions, t->placed, t->indexed);
    for (uint32_t i = 0; i < OPERATION_VERBS; i++)
        printf("  %-14s %10" PRIu64 ", accepted %10" PRIu64 "\n", operation_names[i], t->done[i],
               t->accepted[i]);
}

int fuzz_self_driven(int argc, char **argv)
{
    static twins t;
    uint64_t operations = 100000, check_every = 64, done = 0;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (more && strcmp(argv[i], "--seed") == 0)
            t.seed = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--operations") == 0)
            operations = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--check-every") == 0)
            check_every = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--trace") == 0)
            t.trace = true;
    }
    uint64_t state = t.seed;
    while (done < operations) {
        open_twins(&t, next_random(&state) >> 16);
        const uint64_t left_out = choose_left_out(&state);
        fill(&t);
        for (uint32_t i = 0; i < EPISODE && done < operations; i++, done++) {
            uint8_t bytes[OPERATION_BYTES];
            draw(&state, left_out, bytes);
            t.number = done;
            operate(&t, bytes);
            if (done % check_every == 0)
                check(&t, bytes);
        }
        close_twins(&t);
    }
    print_tally(&t, done);
    return 0;
}
