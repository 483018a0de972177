/* Property test: transactions. One engine opens nested transactions, runs random operations in
 * them, and commits or rolls back. Its twin never opens one and runs only the operations that stay.
 * After a rollback a dump of the state must be as before. Every operation on both must have equal
 * results: ids, errors, placements, explanations. So a part that a rollback did not restore shows
 * in later decisions. A begin updates the layout, which a rollback keeps, so the twin does the same
 * in an empty transaction.
 *
 * Usage: test_transaction_model [--seed S] [--rounds N] [--ops N] [--nodes N]. Round r of seed S is
 * round 0 of seed S + r; a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a
 * run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_script.h"
#include "rounds.h"

enum { OPS_MAX = 4096 };

typedef struct trial {
    const round_options *options;
    uint64_t seed;
    script s;
    berth_engine *twin;
    operation *staying; /* operations of the open transaction, except those rolled back */
    char **results;
    size_t staying_count;
    text after;
} trial;

static struct {
    unsigned long transactions, nested, rolled_back;
} tally;

/* ---- transactions ---- */

static void stay(trial *t, const operation *op, char *result)
{
    if (t->staying_count == OPS_MAX)
        abort();
    t->staying[t->staying_count] = *op;
    t->results[t->staying_count++] = result;
}

static void forget(trial *t, size_t count)
{
    while (t->staying_count > count)
        free(t->results[--t->staying_count]);
}

/* Bring the layout up to date. */
static void settle(trial *t, berth_engine *engine)
{
    berth_error error = {0};
    script_must(&t->s, "begin", berth_engine_begin(engine, &error), &error);
    script_must(&t->s, "rollback", berth_engine_rollback(engine, &error), &error);
}

/* Runs a transaction inside `depth` others, and closes it. The caller frees its dump. */
static void transact(trial *t, uint32_t depth)
{
    berth_error error = {0};
    text before = {0};
    if (depth == 0)
        settle(t, t->twin);
    else
        stay(t, &(operation){0}, NULL); /* settle */
    size_t begin = t->staying_count;
    bool commit = gen_chance(&t->s.gen, 35);
    uint32_t count = gen_below(&t->s.gen, 12);
    script_dump(&t->s, t->s.engine, &before);
    script_must(&t->s, "begin", berth_engine_begin(t->s.engine, &error), &error);
    for (uint32_t i = 0; i < count && !t->s.failed; i++) {
        if (depth < 4 && gen_chance(&t->s.gen, 10)) {
            transact(t, depth + 1);
            continue;
        }
        operation op = script_operation(&t->s);
        stay(t, &op, script_run(&t->s, t->s.engine, &op));
    }
    if (berth_engine_depth(t->s.engine) != depth + 1)
        script_same(&t->s, "depth", "its own", "another");
    if (!commit) {
        script_must(&t->s, "rollback", berth_engine_rollback(t->s.engine, &error), &error);
        forget(t, begin);
        script_dump(&t->s, t->s.engine, &t->after);
        script_same(&t->s, "the state after a rollback", before.bytes, t->after.bytes);
        tally.rolled_back++;
    } else {
        script_must(&t->s, "commit", berth_engine_commit(t->s.engine, &error), &error);
    }
    tally.transactions++;
    tally.nested += depth > 0;
    free(before.bytes);
}

/* The twin runs the operations that stayed, with the same results. */
static void follow(trial *t)
{
    for (size_t i = 0; i < t->staying_count && !t->s.failed; i++) {
        if (t->results[i] == NULL) {
            settle(t, t->twin);
            continue;
        }
        char *result = script_run(&t->s, t->twin, &t->staying[i]);
        script_same(&t->s, "an operation", result, t->results[i]);
        free(result);
    }
    forget(t, 0);
}

/* ---- rounds ---- */

static void start(trial *t)
{
    berth_engine_config config;
    script_config(&t->s, t->seed, &config);
    script_open(&t->s, &config, &t->twin);
    t->staying = naive_alloc(&t->s.gen.region, OPS_MAX * sizeof(*t->staying));
    t->results = naive_alloc(&t->s.gen.region, OPS_MAX * sizeof(*t->results));
}

static void do_both(void *context, const operation *op)
{
    trial *t = context;
    stay(t, op, script_run(&t->s, t->s.engine, op));
    follow(t);
}

static bool run_round(const round_options *o, uint64_t seed)
{
    trial t = {.options = o, .seed = seed};
    script_begin(&t.s, "test_transaction_model", seed, o->ops);
    t.s.gen.node_names = o->nodes > 0 ? o->nodes : 1 + t.s.gen.node_names % 60;
    start(&t);
    script_fill(&t.s, do_both, &t);
    for (t.s.op = 1; t.s.op <= o->ops && !t.s.failed; t.s.op++) {
        if (gen_chance(&t.s.gen, 30)) {
            transact(&t, 0);
            follow(&t);
        } else {
            operation op = script_operation(&t.s);
            do_both(&t, &op);
        }
        if (gen_chance(&t.s.gen, 5))
            script_same_state(&t.s, t.twin);
    }
    if (!t.s.failed)
        script_same_state(&t.s, t.twin);
    forget(&t, 0);
    berth_engine_destroy(t.twin);
    free(t.after.bytes);
    script_close(&t.s);
    return !t.s.failed;
}

int main(int argc, char **argv)
{
    int code = rounds_run(
        argc, argv, (round_options){.rounds = 150, .ops = 120, .nodes_max = UINT32_MAX}, run_round);
    printf("%lu operations, %lu placed; %lu transactions, %lu nested, %lu rolled back\n",
           atomic_load(&script_operations), atomic_load(&script_placed), tally.transactions,
           tally.nested, tally.rolled_back);
    return code;
}
