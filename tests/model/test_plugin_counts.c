/* Property test: plugins of an embedder that count pods. Two of them, each in some profiles, count
 * in reserve and unreserve. Whatever happens to an engine, in transactions, by a scheduler and by
 * commits of branches, they are called exactly once for each pod that comes to a node or leaves
 * one, and for nothing else: their counts equal a recount from the engine.
 *
 * Usage: test_plugin_counts [--seed S] [--rounds N] [--ops N]. Round r of seed S is round 0 of seed
 * S + r. BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "engine_script.h"
#include "rounds.h"

enum { PODS_MAX = 1 << 14, NODES_MAX = 256, LATER_MAX = 64 };

/* The state of a plugin: pods by their index, sums by node. */
typedef struct counter {
    berth_pod_id pods[PODS_MAX];
    berth_node_id on[PODS_MAX];
    int64_t milli[PODS_MAX];
    int64_t node_pods[NODES_MAX];
    uint64_t random, refusals, reserves;
    const char *trouble;
} counter;

typedef struct trial {
    script s;
    counter *counters[2];
    berth_plugin tables[2];
    const berth_plugin *plugins[2];
    berth_binding_id later[LATER_MAX];
    uint32_t later_count;
} trial;

static struct {
    unsigned long transactions, rolled_back, commits, conflicts, steps, evictions;
    uint64_t reserves, refusals;
} tally;

/* ---- the plugins ---- */

static void pass_all(const berth_cycle *cycle, const void *instance, const void *state,
                     berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slice;
}

/* Refuses now and then, if refusals count. */
static berth_status count_reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                  berth_node_id node)
{
    counter *own = context;
    uint32_t index = (uint32_t)pod;
    own->random = own->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    own->reserves++;
    if (own->random >> 61 == 0) {
        bool counts = berth_cycle_may_refuse(cycle);
        own->refusals += counts;
        if (counts)
            return own->random >> 60 & 1 ? BERTH_E_CONFLICT : BERTH_E_NOMEM;
    }
    if (index >= PODS_MAX || node >= NODES_MAX)
        abort();
    if (own->pods[index] != BERTH_POD_NONE)
        own->trouble = "a pod was reserved twice";
    own->pods[index] = pod;
    own->on[index] = node;
    own->milli[index] = berth_cycle_pod_request(cycle, naive_str("cpu"));
    own->node_pods[node]++;
    return BERTH_OK;
}

static void count_unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node)
{
    counter *own = context;
    uint32_t index = (uint32_t)pod;
    if (own->pods[index] != pod || own->on[index] != node) {
        own->trouble = "a pod was given back that was not reserved";
        return;
    }
    if (own->milli[index] != berth_cycle_pod_request(cycle, naive_str("cpu")))
        own->trouble = "a pod was given back with another request";
    own->node_pods[node]--;
    own->pods[index] = BERTH_POD_NONE;
}

/* ---- the recount ---- */

static void check_node(trial *t, berth_node_id node)
{
    berth_pod_id pods[512];
    int64_t allocatable, requested;
    uint32_t count = 0;
    if (berth_engine_node_resource(t->s.engine, node, naive_str("pods"), &allocatable, &requested,
                                   NULL) == BERTH_OK)
        count = berth_engine_node_pods(t->s.engine, node, pods, 512);
    if (count > 512)
        abort();
    for (int c = 0; c < 2; c++) {
        const counter *own = t->counters[c];
        for (uint32_t i = 0; i < count; i++)
            if (own->pods[(uint32_t)pods[i]] != pods[i] || own->on[(uint32_t)pods[i]] != node)
                script_same(&t->s, "a pod on a node", "counted there", "not");
        if (own->node_pods[node] != count)
            script_same(&t->s, "a node's pods", "the engine's", "another number");
    }
}

static void check_counts(trial *t)
{
    for (int c = 0; c < 2; c++)
        if (t->counters[c]->trouble != NULL)
            script_same(&t->s, "a counter", "", t->counters[c]->trouble);
    for (berth_node_id node = 0; node < NODES_MAX && !t->s.failed; node++)
        check_node(t, node);
}

/* ---- operations ---- */

static void operate(trial *t)
{
    operation op = script_operation(&t->s);
    free(script_run(&t->s, t->s.engine, &op));
    check_counts(t);
}

static void transact(trial *t, uint32_t depth)
{
    berth_error error = {0};
    bool commit = gen_chance(&t->s.gen, 40);
    script_must(&t->s, "begin", berth_engine_begin(t->s.engine, &error), &error);
    for (uint32_t i = gen_below(&t->s.gen, 12); i > 0 && !t->s.failed; i--) {
        if (depth < 3 && gen_chance(&t->s.gen, 10))
            transact(t, depth + 1);
        else
            operate(t);
    }
    script_must(&t->s, "the end of a transaction",
                commit ? berth_engine_commit(t->s.engine, &error)
                       : berth_engine_rollback(t->s.engine, &error),
                &error);
    tally.transactions++;
    tally.rolled_back += !commit;
    check_counts(t);
}

/* A branch changes pods in many ways, which plugins do not see. Meanwhile its engine continues. At
 * the end the branch commits. */
static void branch(trial *t)
{
    berth_error error = {0};
    berth_engine *engine = t->s.engine, *made;
    berth_conflict conflicts[4];
    uint32_t count = 0;
    script_must(&t->s, "publish", berth_engine_publish(engine, &error), &error);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    script_must(&t->s, "branch", berth_branch_create(snapshot, &made, &error), &error);
    berth_snapshot_unpin(snapshot);
    t->s.engine = made;
    t->s.nodes_and_pods = true;
    for (uint32_t i = gen_below(&t->s.gen, 12); i > 0; i--) {
        operation op = script_operation(&t->s);
        free(script_run(&t->s, made, &op));
    }
    t->s.engine = engine;
    t->s.nodes_and_pods = false;
    check_counts(t);
    for (uint32_t i = gen_below(&t->s.gen, 3); i > 0 && !t->s.failed; i--)
        operate(t);
    berth_status status = berth_branch_commit(made, conflicts, 4, &count, &error);
    tally.commits += status == BERTH_OK && count == 0;
    tally.conflicts += status == BERTH_OK && count > 0;
    berth_branch_drop(made);
    check_counts(t);
}

static berth_answer answer_bind(void *context, const berth_binding *binding)
{
    trial *t = context;
    uint32_t draw = gen_below(&t->s.gen, 3);
    if (draw == 0 || t->later_count == LATER_MAX)
        return BERTH_ANSWER_DONE;
    if (draw == 1)
        return BERTH_ANSWER_FAILED;
    t->later[t->later_count++] = binding->id;
    return BERTH_ANSWER_LATER;
}

static berth_answer answer_evict(void *context, const berth_eviction *eviction)
{
    trial *t = context;
    (void)eviction;
    tally.evictions++;
    return gen_chance(&t->s.gen, 70) ? BERTH_ANSWER_DONE : BERTH_ANSWER_LATER;
}

static void answer_some(trial *t, berth_scheduler *scheduler)
{
    berth_error error = {0};
    while (t->later_count > 0 && gen_chance(&t->s.gen, 50)) {
        berth_answer answer = gen_chance(&t->s.gen, 50) ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED;
        script_must(
            &t->s, "an answer",
            berth_scheduler_bind_done(scheduler, t->later[--t->later_count], answer, &error),
            &error);
    }
}

/* Runs the loop for a while: pods are assumed, confirmed, forgotten, expired, preempted. */
static void loop(trial *t)
{
    berth_error error = {0};
    berth_scheduler *scheduler;
    berth_scheduler_options o;
    berth_scheduler_options_init(&o);
    o.bind_timeout_ns = 5000000000;
    o.callbacks =
        (berth_scheduler_callbacks){.context = t, .bind = answer_bind, .evict = answer_evict};
    t->later_count = 0;
    script_must(&t->s, "scheduler", berth_scheduler_create(t->s.engine, &o, &scheduler, &error),
                &error);
    int64_t now = 0;
    for (uint32_t i = gen_below(&t->s.gen, 25); i > 0 && !t->s.failed; i--) {
        berth_step step;
        now += gen_below(&t->s.gen, 3) * INT64_C(1000000000);
        (void)berth_scheduler_step(scheduler, now, &step, NULL);
        tally.steps++;
        check_counts(t);
        answer_some(t, scheduler);
        if (gen_chance(&t->s.gen, 20))
            operate(t);
    }
    berth_scheduler_destroy(scheduler);
    check_counts(t);
}

/* ---- rounds ---- */

/* Adds the plugin at the end of a profile's filters. */
static void enable(trial *t, berth_profile *profile, int which)
{
    berth_plugin_list *lists = naive_alloc(&t->s.gen.region, BERTH_POINT_COUNT * sizeof(*lists));
    for (int p = 0; p < BERTH_POINT_COUNT; p++)
        lists[p] = berth_profile_list(profile, (berth_point)p);
    berth_plugin_list *filters = &lists[BERTH_POINT_FILTER];
    berth_plugin_ref *items = naive_alloc(&t->s.gen.region, (filters->count + 1) * sizeof(*items));
    for (uint32_t i = 0; i < filters->count; i++)
        items[i] = filters->items[i];
    items[filters->count] = (berth_plugin_ref){.name = naive_str(t->tables[which].name)};
    *filters = (berth_plugin_list){items, filters->count + 1};
    profile->points = lists;
    profile->point_count = BERTH_POINT_COUNT;
}

static void make_profiles(trial *t)
{
    for (int c = 0; c < 2; c++) {
        t->counters[c] = calloc(1, sizeof(*t->counters[c]));
        if (t->counters[c] == NULL)
            abort();
        t->counters[c]->random = gen_next(&t->s.gen);
        for (uint32_t i = 0; i < PODS_MAX; i++)
            t->counters[c]->pods[i] = BERTH_POD_NONE;
        t->tables[c] = (berth_plugin){.size = sizeof(berth_plugin),
                                      .flags = BERTH_PLUGIN_STATIC,
                                      .name = c == 0 ? "FirstCounter" : "SecondCounter",
                                      .context = t->counters[c],
                                      .filter = pass_all,
                                      .reserve = count_reserve,
                                      .unreserve = count_unreserve};
        t->plugins[c] = &t->tables[c];
    }
    for (uint32_t i = 0; i < SCRIPT_PROFILES; i++) {
        t->s.profiles[i] = script_profile(&t->s, i, false);
        if (i == 0 || gen_chance(&t->s.gen, 40))
            enable(t, &t->s.profiles[i], 0);
        if (i == 1 || gen_chance(&t->s.gen, 40))
            enable(t, &t->s.profiles[i], 1);
    }
}

static void start(trial *t)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    make_profiles(t);
    config.threads = 1;
    config.plugins = t->plugins;
    config.plugin_count = 2;
    script_open(&t->s, &config, NULL);
}

static void end(trial *t)
{
    script_close(&t->s);
    for (int c = 0; c < 2; c++) {
        tally.reserves += t->counters[c]->reserves;
        tally.refusals += t->counters[c]->refusals;
        free(t->counters[c]);
    }
}

static bool run_round(const round_options *o, uint64_t seed)
{
    trial t = {.s = {.op = 1}};
    script_begin(&t.s, "test_plugin_counts", seed, o->ops);
    t.s.gen.node_names = 1 + t.s.gen.node_names % 20;
    start(&t);
    for (; t.s.op <= o->ops && !t.s.failed; t.s.op++) {
        uint32_t draw = gen_below(&t.s.gen, 100);
        if (draw < 12)
            transact(&t, 0);
        else if (draw < 18)
            branch(&t);
        else if (draw < 22)
            loop(&t);
        else
            operate(&t);
    }
    end(&t);
    return !t.s.failed;
}

int main(int argc, char **argv)
{
    int code = rounds_run(argc, argv, (round_options){.rounds = 60, .ops = 120}, run_round);
    printf("%lu transactions, %lu rolled back; %lu commits, %lu in conflict; %lu steps, %lu "
           "evictions; %llu reserves, %llu refusals\n",
           tally.transactions, tally.rolled_back, tally.commits, tally.conflicts, tally.steps,
           tally.evictions, (unsigned long long)tally.reserves, (unsigned long long)tally.refusals);
    return code;
}
