/* Property test: questions about pods (berth/query.h) against decisions. Only one engine answers
 * questions. On its twin every pod is decided with an explanation that visits every node. The
 * verdict, plugin, code and reasons of each node, and the nodes that fit with their totals, must
 * equal the explanation; and after all the questions both engines behave the same.
 *
 * Usage: test_query_model [--seed S] [--rounds N] [--ops N] [--nodes N]. Round r of seed S is round
 * 0 of seed S + r; a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a run
 * without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/query.h"
#include "berth/read.h"
#include "engine_script.h"
#include "rounds.h"

enum { NODES_MAX = 256, ABSENT = -1, FITS = -2 };

typedef struct trial {
    script s; /* its engine answers the questions */
    berth_engine *twin;
    berth_node_id order[NODES_MAX];
    uint32_t node_count;
    int64_t said[NODES_MAX];   /* by node id: ABSENT, FITS, or the number of its refusal */
    int64_t totals[NODES_MAX]; /* by node id, for nodes that fit */
} trial;

static struct {
    unsigned long pods, fits, refusals, errors, lists;
} tally;

static void fail(trial *t, const char *what, berth_node_id node)
{
    char whose[256];
    berth_str name = berth_engine_node_name(t->twin, node);
    snprintf(whose, sizeof(whose), "%s of node %.*s", what, NAIVE_TEXT(name));
    script_same(&t->s, whose, "as in the explanation", "another");
}

static bool same_text(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* ---- one node ---- */

static void check_refusal(trial *t, const berth_fit *fit, berth_node_id node)
{
    const berth_explanation *wanted = t->s.explanation;
    uint32_t number = (uint32_t)t->said[node];
    const berth_refusal refusal = berth_explanation_refusal(wanted, number);
    tally.refusals++;
    if (fit->verdict != BERTH_VERDICT_UNSCHEDULABLE)
        fail(t, "the verdict", node);
    else if (!same_text(fit->plugin, refusal.plugin))
        fail(t, "the plugin", node);
    else if (fit->code != refusal.code)
        fail(t, "the code", node);
    if (fit->reason_count == 0 || t->s.failed)
        return;
    if (fit->reason_count != refusal.reason_count)
        fail(t, "the number of reasons", node);
    for (uint32_t r = 0; r < refusal.reason_count && !t->s.failed; r++)
        if (!same_text(fit->reasons[r], berth_explanation_reason(wanted, number, r)))
            fail(t, "a reason", node);
}

static void check_fit(trial *t, berth_pod_id pod, berth_node_id node, bool alone)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_error error = {0};
    uint32_t flags = gen_chance(&t->s.gen, 50) ? BERTH_FIT_REASONS : 0;
    script_must(&t->s, "fits", berth_engine_fits(t->s.engine, pod, node, flags, &fit, &error),
                &error);
    if (t->s.failed || (t->said[node] == ABSENT && alone))
        return;
    if (t->said[node] == FITS) {
        tally.fits++;
        if (fit.verdict != BERTH_VERDICT_PLACED)
            fail(t, "that the pod fits", node);
    } else if (t->said[node] == ABSENT) {
        if (fit.verdict != BERTH_VERDICT_UNSCHEDULABLE || fit.plugin.len == 0)
            fail(t, "that it was not visited", node);
    } else {
        check_refusal(t, &fit, node);
        if (flags != 0 && fit.reason_count == 0)
            fail(t, "that there are reasons", node);
    }
}

/* Do so few nodes fit that none is scored? */
static bool may_score_none(const trial *t)
{
    uint32_t fit = 0;
    for (uint32_t i = 0; i < t->node_count; i++)
        fit += t->said[t->order[i]] == FITS;
    return fit <= 1;
}

/* ---- all nodes ---- */

static void check_list(trial *t, berth_pod_id pod, bool scored)
{
    berth_node_id nodes[NODES_MAX];
    int64_t totals[NODES_MAX];
    berth_error error = {0};
    uint32_t capacity = gen_chance(&t->s.gen, 80) ? NODES_MAX : gen_below(&t->s.gen, 4);
    uint32_t count = 0, at = 0;
    berth_status status = berth_engine_feasible_nodes(
        t->s.engine, pod, nodes, scored ? totals : NULL, capacity, &count, &error);
    if (status == BERTH_E_INVALID && scored && may_score_none(t))
        return; /* the decision ended before the scores that fail */
    script_must(&t->s, "feasible_nodes", status, &error);
    if (t->s.failed)
        return;
    for (uint32_t i = 0; i < t->node_count && !t->s.failed; i++) {
        berth_node_id node = t->order[i];
        if (t->said[node] != FITS)
            continue;
        if (at < capacity && (at >= count || nodes[at] != node))
            fail(t, "the place in the list", node);
        else if (at < capacity && scored && totals[at] != t->totals[node])
            fail(t, "the total", node);
        at++;
    }
    if (at != count && !t->s.failed)
        fail(t, "the number", t->order[0]);
    tally.lists++;
}

/* ---- questions ---- */

/* Takes the result for each node from the explanation of the twin. */
static void take_explanation(trial *t)
{
    const berth_explanation *from = t->s.explanation;
    for (uint32_t i = 0; i < NODES_MAX; i++)
        t->said[i] = ABSENT;
    for (uint32_t i = berth_explanation_refusal_count(from); i-- > 0;)
        t->said[berth_explanation_refusal(from, i).node] = i;
    for (uint32_t i = 0; i < berth_explanation_feasible_count(from); i++) {
        int64_t total = 0;
        berth_node_id node = berth_explanation_feasible(from, i, &total);
        t->said[node] = FITS;
        t->totals[node] = total;
    }
}

/* A pod that fails somewhere: the search ended there, so only the report of the failure is
 * checked. */
static void check_error(trial *t, berth_pod_id pod)
{
    bool told = false;
    berth_error error = {0};
    for (uint32_t i = 0; i < t->node_count && !t->s.failed; i++) {
        berth_fit fit = {.size = sizeof(fit)};
        script_must(
            &t->s, "fits",
            berth_engine_fits(t->s.engine, pod, t->order[i], BERTH_FIT_REASONS, &fit, &error),
            &error);
        told |= fit.verdict == BERTH_VERDICT_ERROR && fit.reason_count > 0;
    }
    /* Questions about filters do not report failing score plugins. */
    if (!told && berth_explanation_feasible_count(t->s.explanation) == 0)
        script_same(&t->s, "an error", "is told of", "is not");
    tally.errors++;
}

/* May the search have ended with the first node that fits? The node reserved for the pod is tried
 * first, and if nothing scores, one node is enough. */
static bool stopped(const trial *t, const berth_placement *placement)
{
    bool all = true;
    for (uint32_t i = 0; i < t->node_count; i++)
        all &= t->said[t->order[i]] != ABSENT;
    return placement->verdict == BERTH_VERDICT_PLACED && placement->feasible_count == 1 && !all;
}

static void ask(trial *t, berth_pod_id pod)
{
    const berth_decide_options how = {.size = sizeof(how),
                                      .flags =
                                          BERTH_DECIDE_KEEP_ROTATION | BERTH_DECIDE_SEARCH_ONLY,
                                      .explanation = t->s.explanation};
    berth_placement placement;
    berth_error error = {0}, other;
    /* Take back the random numbers that the decision drew for ties. */
    script_must(&t->s, "begin", berth_engine_begin(t->twin, &other), &other);
    berth_status status = berth_engine_decide(t->twin, pod, &how, &placement, &error);
    script_must(&t->s, "rollback", berth_engine_rollback(t->twin, &other), &other);
    if (status != BERTH_OK) {
        berth_fit fit = {.size = sizeof(fit)};
        if (t->node_count > 0 &&
            berth_engine_fits(t->s.engine, pod, t->order[0], 0, &fit, NULL) != error.code)
            script_same(&t->s, "the status", "as of a decision", "another");
        return;
    }
    tally.pods++;
    if (placement.verdict == BERTH_VERDICT_ERROR) {
        check_error(t, pod);
        return;
    }
    take_explanation(t);
    bool alone = stopped(t, &placement);
    if (!alone && gen_chance(&t->s.gen, 50))
        check_list(t, pod, gen_chance(&t->s.gen, 70));
    for (uint32_t i = 0; i < t->node_count && !t->s.failed; i++)
        check_fit(t, pod, t->order[i], alone);
    if (!alone && !t->s.failed)
        check_list(t, pod, gen_chance(&t->s.gen, 70));
}

/* Both engines update their order of nodes at the same time, as by decisions. */
static void list_nodes(trial *t, berth_engine *engine)
{
    berth_error error = {0};
    script_must(&t->s, "node_order",
                berth_engine_node_order(engine, t->order, NODES_MAX, &t->node_count, &error),
                &error);
}

/* Arrays about all nodes must equal the answers about each. */
static void check_arrays(trial *t)
{
    static int64_t has[NODES_MAX], used[NODES_MAX];
    berth_node_id nodes[NODES_MAX];
    berth_str names[64];
    uint32_t resources = berth_engine_resource_names(t->s.engine, names, 63), at = 0;
    names[resources++] = naive_str("pods");
    for (uint32_t r = 0; r < resources; r++) {
        at = 0;
        uint32_t count =
            berth_engine_resource_by_node(t->s.engine, names[r], nodes, has, used, NODES_MAX);
        for (berth_node_id id = 0; id < berth_engine_node_limit(t->s.engine); id++) {
            int64_t wanted[2];
            if (!berth_engine_node_present(t->s.engine, id))
                continue;
            (void)berth_engine_node_resource(t->twin, id, names[r], &wanted[0], &wanted[1], NULL);
            if (!t->s.failed && (nodes[at] != id || has[at] != wanted[0] || used[at] != wanted[1]))
                fail(t, "an amount", id);
            at++;
        }
        if (at != count && !t->s.failed)
            fail(t, "the number of nodes", 0);
    }
}

static void ask_some(trial *t)
{
    berth_pod_id pods[64];
    uint64_t count = 0;
    berth_error error = {0};
    list_nodes(t, t->s.engine);
    list_nodes(t, t->twin);
    script_must(&t->s, "pending", berth_engine_pending(t->twin, pods, 64, &count, &error), &error);
    if (count > 64)
        count = 64;
    for (uint32_t i = 0; i < 3 && count > 0 && !t->s.failed; i++)
        ask(t, pods[gen_below(&t->s.gen, (uint32_t)count)]);
}

/* ---- rounds ---- */

static void start(trial *t, uint64_t seed)
{
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    berth_engine_config config;
    berth_engine_config_init(&config);
    script_profiles(&t->s, 25);
    for (uint32_t i = 0; i < SCRIPT_PROFILES; i++)
        t->s.profiles[i].percentage_of_nodes_to_score = 100;
    config.threads = 1 + gen_below(&t->s.gen, 2);
    config.path = paths[gen_below(&t->s.gen, 3)];
    config.seed = seed;
    script_open(&t->s, &config, &t->twin);
}

static void do_both(void *context, const operation *op)
{
    trial *t = context;
    char *wanted = script_run(&t->s, t->twin, op), *got = script_run(&t->s, t->s.engine, op);
    script_same(&t->s, "an operation", wanted, got);
    free(wanted);
    free(got);
}

static bool run_round(const round_options *o, uint64_t seed)
{
    static trial t;
    t = (trial){.s.op = 0};
    script_begin(&t.s, "test_query_model", seed, o->ops);
    t.s.gen.node_names = o->nodes > 0 ? o->nodes : 1 + t.s.gen.node_names % 140;
    start(&t, seed);
    script_fill(&t.s, do_both, &t);
    for (t.s.op = 1; t.s.op <= o->ops && !t.s.failed; t.s.op++) {
        operation op = script_operation(&t.s);
        do_both(&t, &op);
        if (!t.s.failed && gen_chance(&t.s.gen, 20))
            check_arrays(&t);
        if (!t.s.failed && gen_chance(&t.s.gen, 30))
            ask_some(&t);
    }
    berth_engine_destroy(t.twin);
    script_close(&t.s);
    return !t.s.failed;
}

int main(int argc, char **argv)
{
    int code = rounds_run(argc, argv,
                          (round_options){.rounds = 150, .ops = 80, .nodes_max = NODES_MAX - 1},
                          run_round);
    printf("%lu pods, %lu nodes that fit, %lu refusals, %lu errors, %lu lists\n", tally.pods,
           tally.fits, tally.refusals, tally.errors, tally.lists);
    return code;
}
