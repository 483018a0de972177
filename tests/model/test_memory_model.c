/* Property test: memory that ends anywhere. Two engines run the same random operations. The memory
 * of the twin ends now and then, in any allocation of a call: for one allocation, or until the call
 * returns. Such a call must either fail with BERTH_E_NOMEM and leave the state as it was, or manage
 * without that memory and have the same result as on the other engine. Once there is memory again,
 * the same call must have the same result: ids, errors, placements, explanations. At the end no
 * memory may be left.
 *
 * Usage: test_memory_model [--seed S] [--rounds N] [--ops N] [--nodes N]. Round r of seed S is
 * round 0 of seed S + r; a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a
 * run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ending_memory.h"
#include "engine_script.h"
#include "rounds.h"

enum {
    TRIES = 4,     /* calls with too little memory, before one with enough */
    REACH_MAX = 9, /* memory ends within the next 1 << REACH_MAX allocations */
};

typedef struct trial {
    script s;
    berth_engine *twin;
    berth_explanation *explanation; /* the twin's */
    text before, after;
} trial;

static struct {
    unsigned long refused, failed;
} tally;

/* ---- memory that ends ---- */

/* Ends memory within the next allocations: mostly within the first few. */
static void end_memory(trial *t)
{
    const uint32_t reach = 1u << gen_below(&t->s.gen, REACH_MAX + 1);
    ending_memory_end(gen_below(&t->s.gen, reach), gen_chance(&t->s.gen, 40));
}

static bool is_refused(const char *result)
{
    char wanted[32];
    snprintf(wanted, sizeof(wanted), "\nstatus %d ", (int)BERTH_E_NOMEM);
    return strstr(result, wanted) != NULL;
}

/* Runs an operation on the twin, with the twin's explanation. */
static char *run_on_twin(trial *t, const operation *op)
{
    berth_explanation *own = t->s.explanation;
    t->s.explanation = t->explanation;
    char *result = script_run(&t->s, t->twin, op);
    t->s.explanation = own;
    return result;
}

static void check_unchanged(trial *t)
{
    berth_error error = {0};
    script_must(&t->s, "check after memory ended", berth_engine_check(t->twin, &error), &error);
    script_dump(&t->s, t->twin, &t->after);
    script_same(&t->s, "the state after memory ended", t->before.bytes, t->after.bytes);
}

/* Runs an operation on the twin while memory ends, again and again until it succeeds. */
static char *run_scarcely(trial *t, const operation *op)
{
    char *result = NULL;
    const bool look = gen_chance(&t->s.gen, 25);
    if (look)
        script_dump(&t->s, t->twin, &t->before);
    for (uint32_t i = 0; i <= TRIES && !t->s.failed; i++) {
        if (i < TRIES)
            end_memory(t);
        free(result);
        result = run_on_twin(t, op);
        const bool ended = ending_memory_return();
        tally.failed += ended;
        if (!is_refused(result))
            break;
        tally.refused++;
        if (!ended)
            script_same(&t->s, "memory that never ended", "no error", result);
        if (look)
            check_unchanged(t);
    }
    return result;
}

/* ---- rounds ---- */

static void do_both(void *context, const operation *op)
{
    trial *t = context;
    if (t->s.failed)
        return;
    char *wanted = script_run(&t->s, t->s.engine, op);
    char *got = gen_chance(&t->s.gen, 60) ? run_scarcely(t, op) : run_on_twin(t, op);
    script_same(&t->s, "an operation", wanted, got);
    free(wanted);
    free(got);
}

/* Creates the twin and its explanation while memory ends. */
static void open_twin(trial *t, const berth_engine_config *config)
{
    berth_error error = {0};
    berth_status status = BERTH_E_NOMEM;
    for (uint32_t i = 0; status == BERTH_E_NOMEM && i <= TRIES; i++) {
        if (i < TRIES)
            end_memory(t);
        status = berth_engine_create(config, &t->twin, &error);
        tally.failed += ending_memory_return();
        tally.refused += status == BERTH_E_NOMEM;
    }
    script_must(&t->s, "create", status, &error);
    script_must(&t->s, "explanation", berth_explanation_create(&ending, &t->explanation, &error),
                &error);
}

static void start(trial *t, uint64_t seed)
{
    berth_engine_config config;
    script_config(&t->s, seed, &config);
    script_open(&t->s, &config, NULL);
    config.allocator = &ending;
    open_twin(t, &config);
}

static bool run_round(const round_options *o, uint64_t seed)
{
    trial t = {0};
    script_begin(&t.s, "test_memory_model", seed, o->ops);
    t.s.gen.node_names = o->nodes > 0 ? o->nodes : 1 + t.s.gen.node_names % 60;
    start(&t, seed);
    if (!t.s.failed)
        script_fill(&t.s, do_both, &t);
    for (t.s.op = 1; t.s.op <= o->ops && !t.s.failed; t.s.op++) {
        operation op = script_operation(&t.s);
        do_both(&t, &op);
        if (gen_chance(&t.s.gen, 2))
            script_same_state(&t.s, t.twin);
    }
    if (!t.s.failed)
        script_same_state(&t.s, t.twin);
    berth_explanation_destroy(t.explanation);
    berth_engine_destroy(t.twin);
    if (atomic_load(&bytes_in_use) != 0)
        script_same(&t.s, "memory at the end", "none", "some");
    free(t.before.bytes);
    free(t.after.bytes);
    script_close(&t.s);
    return !t.s.failed;
}

int main(int argc, char **argv)
{
    arena_pieces_refuse = ending_piece;
    int code = rounds_run(
        argc, argv, (round_options){.rounds = 100, .ops = 200, .nodes_max = UINT32_MAX}, run_round);
    printf("%lu operations, %lu placed, %lu by index; memory ended in %lu, of which %lu failed\n",
           atomic_load(&script_operations), atomic_load(&script_placed),
           atomic_load(&script_indexed), tally.failed, tally.refused);
    return code;
}
