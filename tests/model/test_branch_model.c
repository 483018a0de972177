/* Property test: branches. An engine publishes and continues; its twin never publishes. For each
 * pinned snapshot, the twin opens a transaction, runs random operations on nodes and pods, and
 * rolls back. A branch of that snapshot must have the same results and the same state at the end.
 * Branches are made at any time, mostly long after the engine has changed, and on several threads
 * while it changes. At the end memory is back at its start.
 *
 * Usage: test_branch_model [--seed S] [--rounds N] [--ops N] [--nodes N] [--threads N]. Round r of
 * seed S is round 0 of seed S + r. With --threads 0 branches are made on the thread of the engine,
 * at random moments: then a round repeats exactly. BERTH_TEST_SEED replaces the seed of a run
 * without --seed; BERTH_STRESS_SECONDS sets a time instead of a number of rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "berth/berth.h"
#include "bytes_in_use.h"
#include "effort.h"
#include "engine_script.h"

enum { OPS_MAX = 64, PLANS = 6, THREADS_MAX = 16 };

typedef struct options {
    uint64_t seed;
    unsigned long rounds, ops;
    uint32_t nodes; /* 0: chosen by the seed */
    uint32_t threads;
} options;

/* The operations for branches of one snapshot, and their expected results. */
typedef struct plan {
    berth_snapshot *snapshot;
    operation ops[OPS_MAX];
    char *results[OPS_MAX];
    uint32_t count;
    const berth_metadata **pods; /* of every pod that existed then */
    size_t pod_count;
    text end;
    atomic_uint users; /* threads that work on it */
} plan;

typedef struct trial {
    const options *options;
    uint64_t seed;
    script s;
    berth_engine *twin;
    plan *plans[PLANS];
    pthread_mutex_t lock; /* of plans */
    atomic_bool stop, failed;
    text before, after;
} trial;

static atomic_ulong branches, plans_made, handed_over, conflicting;

/* ---- branches ---- */

/* The engine and its branches share classes, so their numbers are not compared. */
static void hide_classes(text *dump)
{
    char *at = strstr(dump->bytes, " orphaned, ");
    if (at != NULL)
        memmove(at, strchr(at, '\n'), strlen(strchr(at, '\n')) + 1);
}

/* Commits a branch to the engine; defined below. */
static void hand_over(script *s, const plan *p, berth_engine *branch, berth_engine *engine);

/* Run the first `count` operations of the plan on a branch; after all of them the states must be
 * equal. With `engine`, whose thread this must be, the branch is then committed to it. */
static void follow_plan(script *s, const plan *p, uint32_t count, berth_engine *engine)
{
    const berth_metadata **pods = s->pods;
    size_t pod_count = s->pod_count;
    berth_engine *branch;
    berth_error error = {0};
    script_must(s, "branch", berth_branch_create(p->snapshot, &branch, &error), &error);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        char *result = script_run(s, branch, &p->ops[i]);
        script_same(s, "an operation on a branch", p->results[i], result);
        free(result);
    }
    if (count == p->count && !s->failed) {
        text end = {0};
        s->pods = p->pods;
        s->pod_count = p->pod_count;
        script_must(s, "check of a branch", berth_engine_check(branch, &error), &error);
        script_dump(s, branch, &end);
        hide_classes(&end);
        script_same(s, "the state of a branch", p->end.bytes, end.bytes);
        free(end.bytes);
    }
    s->pods = pods;
    s->pod_count = pod_count;
    if (engine != NULL && !s->failed)
        hand_over(s, p, branch, engine);
    berth_branch_drop(branch);
    atomic_fetch_add(&branches, 1);
}

/* If the branch moved a pod that the snapshot also has, the engine must now have it on the same
 * node. */
static void check_handed_over(script *s, const plan *p, berth_engine *branch, berth_engine *engine)
{
    for (size_t i = 0; i < p->pod_count && !s->failed; i++) {
        berth_str space = naive_namespace(p->pods[i]), name = p->pods[i]->name;
        berth_pod_id id = berth_snapshot_find_pod(p->snapshot, space, name);
        if (id == BERTH_POD_NONE || berth_engine_find_pod(branch, space, name) != id)
            continue;
        berth_node_id was = berth_snapshot_pod_node(p->snapshot, id);
        berth_node_id is = berth_engine_pod_node(branch, id);
        if (was == is)
            continue;
        berth_str wanted = berth_engine_node_name(branch, is);
        berth_str got = berth_engine_node_name(engine, berth_engine_pod_node(engine, id));
        if (!naive_same(wanted, got))
            script_same(s, "a placement handed over", "the branch's node", "another");
    }
}

/* Commit the branch in a transaction that is rolled back. */
static void hand_over(script *s, const plan *p, berth_engine *branch, berth_engine *engine)
{
    berth_conflict conflicts[4];
    berth_error error = {0};
    uint32_t count = 0;
    text before = {0}, after = {0};
    script_dump(s, engine, &before);
    hide_classes(&before);
    script_must(s, "begin", berth_engine_begin(engine, &error), &error);
    script_must(s, "commit of a branch", berth_branch_commit(branch, conflicts, 4, &count, &error),
                &error);
    script_must(s, "check", berth_engine_check(engine, &error), &error);
    if (count == 0)
        check_handed_over(s, p, branch, engine);
    script_dump(s, engine, &after);
    hide_classes(&after);
    if (count > 0)
        script_same(s, "the engine after a conflict", before.bytes, after.bytes);
    script_must(s, "rollback", berth_engine_rollback(engine, &error), &error);
    script_dump(s, engine, &after);
    hide_classes(&after);
    script_same(s, "the engine after it was taken back", before.bytes, after.bytes);
    atomic_fetch_add(count == 0 ? &handed_over : &conflicting, 1);
    free(before.bytes);
    free(after.bytes);
}

static plan *take_plan(trial *t, uint32_t which)
{
    pthread_mutex_lock(&t->lock);
    plan *p = t->plans[which % PLANS];
    if (p != NULL)
        atomic_fetch_add(&p->users, 1);
    pthread_mutex_unlock(&t->lock);
    return p;
}

static void follow_some(trial *t, script *s, uint32_t which, uint32_t part, berth_engine *engine)
{
    plan *p = take_plan(t, which);
    if (p == NULL)
        return;
    follow_plan(s, p, part % 3 > 0 ? p->count : part % (p->count + 1), engine);
    atomic_fetch_sub(&p->users, 1);
    if (s->failed)
        atomic_store(&t->failed, true);
}

typedef struct brancher {
    trial *trial;
    uint32_t number;
} brancher;

/* Runs on a script of the thread, with its own scratch and explanation; the plan has the names of
 * pods. */
static void *follow_on(void *argument)
{
    const brancher *own = argument;
    trial *t = own->trial;
    script s = {.op = 0};
    uint64_t random = t->seed * 31 + own->number;
    berth_error error = {0};
    memcpy(s.replay, t->s.replay, sizeof(s.replay));
    script_must(&s, "explanation", berth_explanation_create(NULL, &s.explanation, &error), &error);
    while (!atomic_load(&t->stop) && !atomic_load(&t->failed)) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        follow_some(t, &s, (uint32_t)(random >> 33), (uint32_t)(random >> 45), NULL);
    }
    berth_explanation_destroy(s.explanation);
    free(s.scratch.bytes);
    return NULL;
}

/* ---- plans ---- */

static void drop_plan(plan *p)
{
    if (p == NULL)
        return;
    while (atomic_load(&p->users) > 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    for (uint32_t i = 0; i < p->count; i++)
        free(p->results[i]);
    free(p->end.bytes);
    berth_snapshot_unpin(p->snapshot);
    free(p);
}

static void put_plan(trial *t, uint32_t which, plan *p)
{
    pthread_mutex_lock(&t->lock);
    plan *old = t->plans[which];
    t->plans[which] = p;
    pthread_mutex_unlock(&t->lock);
    drop_plan(old);
}

/* Publish, and find the expected results of the snapshot on the twin. Its pods stay known to the
 * end. */
static void make_plan(trial *t)
{
    berth_error error = {0};
    plan *p = calloc(1, sizeof(*p));
    if (p == NULL)
        abort();
    script_must(&t->s, "publish", berth_engine_publish(t->s.engine, &error), &error);
    p->snapshot = berth_engine_pin(t->s.engine);
    berth_engine *engine = t->s.engine;
    t->s.engine = t->twin;
    script_must(&t->s, "begin", berth_engine_begin(t->twin, &error), &error);
    uint32_t count = gen_below(&t->s.gen, OPS_MAX);
    for (; p->count < count && !t->s.failed; p->count++) {
        p->ops[p->count] = script_operation(&t->s);
        p->results[p->count] = script_run(&t->s, t->twin, &p->ops[p->count]);
    }
    p->pods = t->s.pods;
    p->pod_count = t->s.pod_count;
    script_dump(&t->s, t->twin, &p->end);
    hide_classes(&p->end);
    script_must(&t->s, "rollback", berth_engine_rollback(t->twin, &error), &error);
    t->s.engine = engine;
    put_plan(t, gen_below(&t->s.gen, PLANS), p);
    atomic_fetch_add(&plans_made, 1);
}

/* ---- rounds ---- */

static void do_both(void *context, const operation *op)
{
    trial *t = context;
    char *result = script_run(&t->s, t->s.engine, op), *other = script_run(&t->s, t->twin, op);
    script_same(&t->s, "an operation", other, result);
    free(result);
    free(other);
}

static void compare_states(trial *t)
{
    berth_error error = {0};
    script_must(&t->s, "check", berth_engine_check(t->s.engine, &error), &error);
    script_dump(&t->s, t->twin, &t->before);
    script_dump(&t->s, t->s.engine, &t->after);
    hide_classes(&t->before);
    hide_classes(&t->after);
    script_same(&t->s, "the state", t->before.bytes, t->after.bytes);
}

static void start(trial *t)
{
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    cluster_gen *gen = &t->s.gen;
    berth_engine_config config;
    berth_engine_config_init(&config);
    bool legacy = gen_chance(gen, 20) && GEN_KNOWS_LEGACY;
    for (uint32_t i = 0; i < SCRIPT_PROFILES; i++) {
        t->s.profiles[i] = script_profile(&t->s, i, legacy);
        berth_str name = t->s.profiles[i].scheduler_name;
        if (t->s.nodes_stay || (gen->features == GEN_CLAIMS && !legacy && gen_chance(gen, 80)))
            t->s.profiles[i] = *berth_profile_default_of(gen->kubernetes);
        t->s.profiles[i].scheduler_name = name;
    }
    config.threads = 1 + gen_below(gen, 2);
    config.path = t->s.nodes_stay ? BERTH_PATH_INDEX : paths[gen_below(gen, 3)];
    config.seed = t->seed;
    config.allocator = &counting;
    script_open(&t->s, &config, &t->twin);
}

/* Bring the layout up to date, as the transactions of hand_over do. */
static void settle(trial *t, berth_engine *engine)
{
    berth_error error = {0};
    script_must(&t->s, "begin", berth_engine_begin(engine, &error), &error);
    script_must(&t->s, "rollback", berth_engine_rollback(engine, &error), &error);
}

static void go_on(trial *t)
{
    cluster_gen *gen = &t->s.gen;
    for (t->s.op = 1; t->s.op <= t->options->ops && !t->s.failed; t->s.op++) {
        uint32_t dice = gen_below(gen, 100);
        if (dice < 8) {
            make_plan(t);
        } else if (dice < 20 && t->options->threads == 0) {
            uint32_t which = gen_below(gen, PLANS);
            settle(t, t->s.engine);
            settle(t, t->twin);
            follow_some(t, &t->s, which, gen_below(gen, 1000), t->s.engine);
        } else {
            operation op = script_operation(&t->s);
            do_both(t, &op);
        }
        if (gen_chance(gen, 5))
            compare_states(t);
        t->s.failed |= atomic_load(&t->failed);
    }
}

static void finish(trial *t)
{
    for (uint32_t i = 0; i < PLANS; i++)
        put_plan(t, i, NULL);
    berth_engine_destroy(t->twin);
    free(t->before.bytes);
    free(t->after.bytes);
    script_close(&t->s);
    pthread_mutex_destroy(&t->lock);
}

static bool run_round(const options *o, uint64_t seed)
{
    trial t = {.options = o, .seed = seed};
    pthread_t threads[THREADS_MAX];
    brancher branchers[THREADS_MAX];
    long long bytes_before = atomic_load(&bytes_in_use);
    snprintf(t.s.replay, sizeof(t.s.replay),
             "test_branch_model --seed %llu --rounds 1 --ops %lu --nodes %u --threads %u",
             (unsigned long long)seed, o->ops, o->nodes, o->threads);
    pthread_mutex_init(&t.lock, NULL);
    /* Search trees are kept while nodes stay, and made for plain profiles and pods. */
    static const unsigned features[] = {0, GEN_SPREAD | GEN_AFFINITY, GEN_ALL, GEN_CLAIMS};
    bool calm = seed % 4 < 2;
    gen_init(&t.s.gen, seed, features[seed % 4]);
    gen_set_release(&t.s.gen, seed);
    t.s.gen.node_names = o->nodes > 0 ? o->nodes : 1 + t.s.gen.node_names % 60;
    t.s.nodes_stay = calm;
    start(&t);
    t.s.nodes_stay = false;
    script_fill(&t.s, do_both, &t);
    t.s.nodes_stay = calm;
    for (uint32_t i = 0; i < o->threads; i++) {
        branchers[i] = (brancher){&t, i};
        if (pthread_create(&threads[i], NULL, follow_on, &branchers[i]) != 0)
            abort();
    }
    go_on(&t);
    atomic_store(&t.stop, true);
    for (uint32_t i = 0; i < o->threads; i++)
        pthread_join(threads[i], NULL);
    if (!t.s.failed)
        compare_states(&t);
    bool failed = t.s.failed || atomic_load(&t.failed);
    finish(&t);
    if (!failed && atomic_load(&bytes_in_use) != bytes_before) {
        fprintf(stderr, "FAILED: %lld bytes are left\nreplay: %s\n",
                atomic_load(&bytes_in_use) - bytes_before, t.s.replay);
        failed = true;
    }
    return !failed;
}

static bool parse(int argc, char **argv, options *o)
{
    const char *seed = getenv("BERTH_TEST_SEED");
    o->seed = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long long value = strtoull(argv[i + 1], NULL, 0);
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = value;
        else if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = value;
        else if (strcmp(argv[i], "--ops") == 0)
            o->ops = value;
        else if (strcmp(argv[i], "--nodes") == 0)
            o->nodes = (uint32_t)value;
        else if (strcmp(argv[i], "--threads") == 0)
            o->threads = (uint32_t)value;
        else
            return false;
    }
    return argc % 2 == 1 && o->threads <= THREADS_MAX;
}

int main(int argc, char **argv)
{
    options o = {.rounds = effort(150), .ops = 120};
    const char *seconds = getenv("BERTH_STRESS_SECONDS");
    time_t end = seconds != NULL ? time(NULL) + atol(seconds) : 0;
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: %s [--seed S] [--rounds N] [--ops N] [--nodes N] [--threads N]\n",
                argv[0]);
        return 2;
    }
    printf("seed %llu, %u branchers\n", (unsigned long long)o.seed, (unsigned)o.threads);
    for (unsigned long i = 0; end != 0 ? time(NULL) < end : i < o.rounds; i++)
        if (!run_round(&o, o.seed + i))
            return 1;
    printf("%lu operations, %lu placed, %lu by index; %lu snapshots, %lu branches, "
           "%lu handed over, %lu with conflicts\n",
           atomic_load(&script_operations), atomic_load(&script_placed),
           atomic_load(&script_indexed), atomic_load(&plans_made), atomic_load(&branches),
           atomic_load(&handed_over), atomic_load(&conflicting));
    return 0;
}
