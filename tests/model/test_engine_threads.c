/* Property test: engines that differ only in their number of threads make the same decisions, on
 * clusters large enough to give all threads work. test_engine_model checks that the decisions are
 * right.
 *
 * Usage: test_engine_threads [--seed S] [--rounds N] [--ops N] [--nodes N] [--bind 1];
 * BERTH_TEST_SEED works as in that test. --bind: workers are bound to cores; with HWLOC_SYNTHETIC,
 * to those of an imaginary machine with several NUMA nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/engine.h"
#include "cluster_gen.h"
#include "effort.h"

enum { ENGINES = 4, PROFILES = 2 };

static bool bind_workers;

static const uint32_t thread_counts[ENGINES] = {1, 2, 3, 4};

typedef struct trial {
    uint64_t seed;
    cluster_gen gen;
    berth_engine *engines[ENGINES];
    berth_explanation *explanations[ENGINES];
    berth_profile profiles[PROFILES];
    const berth_pod **pods; /* pending */
    size_t pod_count;
    unsigned long op;
    bool failed;
} trial;

static void expect(trial *t, int engine, const char *what, int64_t wanted, int64_t got)
{
    if (wanted != got && !t->failed) {
        fprintf(stderr,
                "FAILED in operation %lu: %s is %lld with one thread and %lld with %u\n"
                "replay: test_engine_threads --seed %llu --rounds 1\n",
                t->op, what, (long long)wanted, (long long)got, thread_counts[engine],
                (unsigned long long)t->seed);
        t->failed = true;
    }
}

static void start(trial *t)
{
    const berth_profile *base = berth_profile_default_of(t->gen.kubernetes);
    for (uint32_t i = 0; i < PROFILES; i++) {
        t->profiles[i] = *gen_profile(&t->gen, i, base, NULL, NULL);
    }
    t->profiles[1].percentage_of_nodes_to_score = 100; /* such walks are shared out differently */
    for (int e = 0; e < ENGINES; e++) {
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.threads = thread_counts[e];
        config.path = BERTH_PATH_SCAN;
        config.seed = t->seed;
        config.kubernetes = t->gen.kubernetes;
        config.bind_workers = bind_workers;
        config.profiles = t->profiles;
        config.profile_count = PROFILES;
        expect(t, e, "berth_engine_create", BERTH_OK,
               berth_engine_create(&config, &t->engines[e], NULL));
        expect(t, e, "berth_explanation_create", BERTH_OK,
               berth_explanation_create(NULL, &t->explanations[e], NULL));
    }
}

static void add(trial *t, const berth_object *object)
{
    for (int e = 0; e < ENGINES; e++) {
        expect(t, e, "berth_engine_add", BERTH_OK,
               berth_engine_add(t->engines[e], object, NULL, NULL));
    }
}

static void add_pod(trial *t, uint32_t serial, berth_str node)
{
    const berth_pod *pod = gen_pod(&t->gen, serial, node, PROFILES);
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = pod;
    add(t, &object);
    if (node.len == 0) {
        t->pods = naive_grow(&t->gen.region, t->pods, t->pod_count, sizeof(*t->pods));
        t->pods[t->pod_count++] = pod;
    }
}

static void fill(trial *t, unsigned long ops)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < gen_object_names((berth_kind)kind); i++) {
            berth_object object;
            if (gen_object(&t->gen, (berth_kind)kind, i, &object)) {
                add(t, &object);
            }
        }
    }
    for (uint32_t i = 0; i < t->gen.node_names; i++) {
        berth_object object = {.kind = BERTH_KIND_NODE};
        object.as.node = gen_node(&t->gen, i);
        add(t, &object);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        berth_str node =
            naive_str(naive_print(&t->gen.region, "n%u", gen_below(&t->gen, t->gen.node_names)));
        add_pod(t, i, node);
    }
    for (uint32_t i = 0; i < ops; i++) {
        add_pod(t, 2000 + i, (berth_str){0});
    }
}

/* Hashes a whole explanation. */
static uint64_t explanation_hash(const berth_explanation *x)
{
    uint64_t hash = berth_explanation_refusal_count(x);
    uint32_t plugins = berth_explanation_score_count(x);
    for (uint32_t i = 0; i < berth_explanation_feasible_count(x); i++) {
        int64_t total;
        hash = hash * 31 + berth_explanation_feasible(x, i, &total);
        hash = hash * 31 + (uint64_t)total;
        for (uint32_t p = 0; p < plugins; p++) {
            hash = hash * 31 + (uint64_t)berth_explanation_score(x, p, i);
        }
    }
    for (uint32_t i = 0; i < berth_explanation_refusal_count(x); i++) {
        berth_refusal refusal = berth_explanation_refusal(x, i);
        hash = hash * 31 + refusal.node;
        hash = hash * 31 + refusal.plugin.len;
        hash = hash * 31 + refusal.reason_count;
    }
    berth_str message = berth_explanation_message(x);
    for (uint32_t i = 0; i < message.len; i++) {
        hash = hash * 31 + (unsigned char)message.data[i];
    }
    return hash;
}

static void decide(trial *t, const berth_pod *pod, bool explain)
{
    berth_placement first = {0};
    const bool turn = gen_chance(&t->gen, 30); /* anywhere, so that a walk begins within a tile */
    const uint32_t start = gen_below(&t->gen, t->gen.node_names);
    for (int e = 0; e < ENGINES && !t->failed; e++) {
        if (turn)
            expect(t, e, "berth_engine_set_rotation", BERTH_OK,
                   berth_engine_set_rotation(t->engines[e], start, NULL));
        berth_decide_options options = {.size = sizeof(options)};
        options.explanation = explain ? t->explanations[e] : NULL;
        berth_placement p;
        berth_pod_id id =
            berth_engine_find_pod(t->engines[e], naive_namespace(&pod->meta), pod->meta.name);
        expect(t, e, "berth_engine_decide", BERTH_OK,
               berth_engine_decide(t->engines[e], id, &options, &p, NULL));
        first = e == 0 ? p : first;
        expect(t, e, "verdict", first.verdict, p.verdict);
        expect(t, e, "node", first.node, p.node);
        expect(t, e, "feasible count", first.feasible_count, p.feasible_count);
        expect(t, e, "best count", first.best_count, p.best_count);
        expect(t, e, "start", first.start, p.start);
        expect(t, e, "next", first.next, p.next);
        expect(t, e, "total", first.total, p.total);
        if (explain) {
            expect(t, e, "hash of the explanation", (int64_t)explanation_hash(t->explanations[0]),
                   (int64_t)explanation_hash(t->explanations[e]));
        }
        if (first.verdict == BERTH_VERDICT_PLACED && !t->failed) {
            expect(t, e, "berth_engine_bind", BERTH_OK,
                   berth_engine_bind(t->engines[e], id, first.node, NULL));
        }
    }
}

static bool run_round(uint64_t seed, uint32_t nodes, unsigned long ops)
{
    trial t = {.seed = seed};
    gen_init(&t.gen, seed, GEN_ALL);
    t.gen.kubernetes = 32 + (uint32_t)(seed % 5);
    t.gen.node_names = nodes;
    start(&t);
    if (!t.failed) {
        fill(&t, ops);
    }
    for (t.op = 0; t.op < t.pod_count && !t.failed; t.op++) {
        decide(&t, t.pods[t.op], gen_chance(&t.gen, 50));
    }
    for (int e = 0; e < ENGINES && !t.failed; e++) {
        expect(&t, e, "digest", (int64_t)berth_engine_digest(t.engines[0]),
               (int64_t)berth_engine_digest(t.engines[e]));
    }
    for (int e = 0; e < ENGINES; e++) {
        berth_explanation_destroy(t.explanations[e]);
        berth_engine_destroy(t.engines[e]);
    }
    gen_free(&t.gen);
    return !t.failed;
}

int main(int argc, char **argv)
{
    const char *env = getenv("BERTH_TEST_SEED");
    unsigned long long seed = env != NULL ? strtoull(env, NULL, 0) : 1, rounds = 3,
                       ops = effort(60), nodes = 14000;
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long long value = strtoull(argv[i + 1], NULL, 0);
        seed = strcmp(argv[i], "--seed") == 0 ? value : seed;
        rounds = strcmp(argv[i], "--rounds") == 0 ? value : rounds;
        ops = strcmp(argv[i], "--ops") == 0 ? value : ops;
        nodes = strcmp(argv[i], "--nodes") == 0 ? value : nodes;
        bind_workers |= strcmp(argv[i], "--bind") == 0 && value != 0;
    }
    printf("seed %llu, %llu rounds, %llu nodes\n", seed, rounds, nodes);
    for (unsigned long long i = 0; i < rounds; i++) {
        if (!run_round(seed + i, (uint32_t)nodes, (unsigned long)ops)) {
            return 1;
        }
    }
    return 0;
}
