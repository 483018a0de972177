/* Property test: transactions. One engine opens transactions, nested, does all sorts of things in them,
 * and commits or rolls back; its twin never opens one and only sees what stays. After a rollback a
 * dump of the state is as it was before; and always, every operation on both has equal results: ids,
 * errors, placements, explanations, so what a rollback forgot to restore shows in later decisions.
 *
 * Usage: test_transaction_model [--seed S] [--rounds N] [--ops N] [--nodes N]
 * Round r of seed S is round 0 of seed S + r, which is what a failure prints to replay it.
 * BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/transaction.h"
#include "cluster_gen.h"

enum { PROFILES = 3, TEXT_MAX = 1 << 22, OPS_MAX = 4096, GROUP_MAX = 4, FIT_MAX = 12 };

typedef struct options {
    uint64_t seed;
    unsigned long rounds, ops;
    uint32_t nodes; /* 0: as the seed has it */
} options;

typedef enum verb {
    ADD,
    UPDATE,
    REMOVE,
    SCHEDULE,
    DECIDE,
    EXPLAIN,
    BIND,
    UNBIND,
    NOMINATE,
    CORDON,
    UNCORDON,
    CLOSE,
    OPEN,
    GROUP,
    FIT_COUNT,
    VERBS,
} verb;

static const char *const verb_names[VERBS] = {
    "add",    "update",   "remove", "schedule", "decide", "explain",  "bind",
    "unbind", "nominate", "cordon", "uncordon", "close", "open", "group", "fit count"};

/* One operation, as both engines are given it. */
typedef struct operation {
    verb verb;
    berth_object object; /* of ADD and UPDATE; of REMOVE: its kind */
    const berth_metadata *target;
    const berth_metadata *more[GROUP_MAX];
    uint32_t more_count;
    berth_str node;
} operation;

/* A text that grows. */
typedef struct text {
    char *bytes;
    size_t count;
} text;

typedef struct trial {
    const options *options;
    uint64_t seed;
    cluster_gen gen;
    berth_profile profiles[PROFILES];
    berth_engine *engine, *twin;
    berth_explanation *explanation;
    const berth_metadata **pods; /* of every pod there ever was */
    size_t pod_count;
    uint32_t pod_serial;
    operation *staying; /* what the open transaction has done, as far as not rolled back */
    char **results;
    size_t staying_count;
    text scratch, before, after;
    unsigned long op;
    bool failed;
} trial;

static struct {
    unsigned long operations, transactions, nested, rolled_back, placed;
} tally;

/* ---- texts ---- */

static void clear(text *t)
{
    if (t->bytes == NULL)
        t->bytes = malloc(TEXT_MAX);
    if (t->bytes == NULL)
        abort();
    t->count = 0;
    t->bytes[0] = '\0';
}

static void print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(t->bytes + t->count, TEXT_MAX - t->count, format, args);
    va_end(args);
    t->count += (size_t)len;
    if (t->count >= TEXT_MAX) {
        fputs("a text is too long\n", stderr);
        abort();
    }
}

/* Only the first lines that differ are shown. */
static void same(trial *t, const char *what, const char *wanted, const char *got)
{
    if (strcmp(wanted, got) == 0 || t->failed)
        return;
    size_t at = 0;
    for (size_t i = 0; wanted[i] == got[i]; i++)
        at = wanted[i] == '\n' ? i + 1 : at;
    fprintf(stderr,
            "FAILED in operation %lu: %s\n  wanted %.*s\n  got    %.*s\n"
            "replay: test_transaction_model --seed %llu --rounds 1 --ops %lu\n",
            t->op, what, (int)strcspn(wanted + at, "\n"), wanted + at,
            (int)strcspn(got + at, "\n"), got + at, (unsigned long long)t->seed,
            t->options->ops);
    t->failed = true;
}

static void must(trial *t, const char *call, berth_status status, const berth_error *error)
{
    char message[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, message, sizeof(message));
    same(t, call, "no error", message);
}

/* ---- what there is to see ---- */

static void print_placement(text *out, const berth_placement *p)
{
    print(out, "%d node %u of %u, best %u at %lld, %u to %u\n", (int)p->verdict, p->node,
          p->feasible_count, p->best_count, (long long)p->total, p->start, p->next);
}

static void print_explanation(text *out, const berth_explanation *e)
{
    berth_str message = berth_explanation_message(e), pre = berth_explanation_pre_filter(e);
    print(out, "pre %.*s\nmessage %.*s\n", NAIVE_TEXT(pre), NAIVE_TEXT(message));
    for (uint32_t i = 0; i < berth_explanation_feasible_count(e); i++) {
        int64_t total = 0;
        print(out, "feasible %u", berth_explanation_feasible(e, i, &total));
        for (uint32_t p = 0; p < berth_explanation_score_count(e); p++)
            print(out, " %lld", (long long)berth_explanation_score(e, p, i));
        print(out, " total %lld\n", (long long)total);
    }
    for (uint32_t i = 0; i < berth_explanation_refusal_count(e); i++) {
        berth_refusal refusal = berth_explanation_refusal(e, i);
        print(out, "refused %u %.*s %d", refusal.node, NAIVE_TEXT(refusal.plugin),
              (int)refusal.code);
        for (uint32_t r = 0; r < refusal.reason_count; r++) {
            berth_str reason = berth_explanation_reason(e, i, r);
            print(out, "; %.*s", NAIVE_TEXT(reason));
        }
        print(out, "\n");
    }
    print(out, "nominated %u\n", berth_explanation_nominated(e));
    for (uint32_t i = 0; i < berth_explanation_victim_count(e); i++)
        print(out, "victim %llx\n", (unsigned long long)berth_explanation_victim(e, i));
}

static void print_node(text *out, const berth_engine *engine, berth_node_id node)
{
    static const char *const names[] = {"cpu", "memory", "pods", "nvidia.com/gpu",
                                        "ephemeral-storage", "hugepages-2Mi"};
    berth_str name = berth_engine_node_name(engine, node);
    print(out, "node %u %.*s", node, NAIVE_TEXT(name));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int64_t allocatable = 0, requested = 0;
        if (berth_engine_node_resource(engine, node, naive_str(names[i]), &allocatable,
                                       &requested) == BERTH_OK)
            print(out, " %lld/%lld", (long long)requested, (long long)allocatable);
    }
    berth_str zone =
        berth_engine_node_label(engine, node, naive_str("topology.kubernetes.io/zone"));
    print(out, " %.*s\n", NAIVE_TEXT(zone));
}

static void print_pending(text *out, const berth_engine *engine)
{
    uint64_t count = berth_engine_pending(engine, NULL, 0);
    berth_pod_id *ids = calloc(count + 1, sizeof(*ids));
    if (ids == NULL)
        abort();
    berth_engine_pending(engine, ids, count);
    for (uint64_t i = 0; i < count; i++)
        print(out, "pending %llx\n", (unsigned long long)ids[i]);
    free(ids);
}

/* Everything that the engine tells without changing anything. */
static void dump(const trial *t, const berth_engine *engine, text *out)
{
    berth_counts counts;
    clear(out);
    berth_engine_counts(engine, &counts);
    print(out, "digest %llx, %u nodes, %llu running, %llu pending, %llu orphaned, %llu classes\n",
          (unsigned long long)berth_engine_digest(engine), counts.nodes,
          (unsigned long long)counts.pods_running, (unsigned long long)counts.pods_pending,
          (unsigned long long)counts.pods_orphaned, (unsigned long long)counts.pod_classes);
    for (berth_node_id node = 0; berth_engine_node_name(engine, node).data != NULL; node++)
        print_node(out, engine, node);
    for (size_t i = 0; i < t->pod_count; i++) {
        berth_pod_id id = berth_engine_find_pod(engine, naive_namespace(t->pods[i]),
                                                t->pods[i]->name);
        if (id != BERTH_POD_NONE)
            print(out, "pod %.*s %llx on %u\n", NAIVE_TEXT(t->pods[i]->name),
                  (unsigned long long)id, berth_engine_pod_node(engine, id));
    }
    print_pending(out, engine);
}

/* ---- doing it ---- */

static berth_pod_id pod_of(const berth_engine *engine, const berth_metadata *meta)
{
    return berth_engine_find_pod(engine, naive_namespace(meta), meta->name);
}

static bool namespaced_kind(berth_kind kind)
{
    return kind == BERTH_KIND_SERVICE || kind == BERTH_KIND_REPLICATION_CONTROLLER ||
           kind == BERTH_KIND_REPLICA_SET || kind == BERTH_KIND_STATEFUL_SET ||
           kind == BERTH_KIND_POD_DISRUPTION_BUDGET || kind == BERTH_KIND_CSI_STORAGE_CAPACITY ||
           kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM || kind == BERTH_KIND_POD;
}

static berth_status do_group(berth_engine *engine, const operation *op, text *out,
                             berth_error *error)
{
    berth_pod_id ids[GROUP_MAX];
    berth_placement placements[GROUP_MAX];
    uint32_t placed = 0;
    for (uint32_t i = 0; i < op->more_count; i++)
        ids[i] = pod_of(engine, op->more[i]);
    berth_status status = berth_engine_schedule_group(engine, ids, op->more_count, placements,
                                                      &placed, error);
    print(out, "placed %u\n", placed);
    for (uint32_t i = 0; status == BERTH_OK && i < op->more_count && i <= placed; i++)
        print_placement(out, &placements[i]);
    return status;
}

static berth_status do_fit_count(trial *t, berth_engine *engine, const operation *op, text *out,
                                 berth_error *error)
{
    berth_node_id nodes[FIT_MAX];
    uint32_t count = 0;
    berth_status status = berth_engine_fit_count(engine, pod_of(engine, op->target), FIT_MAX, &count, nodes,
                                                 t->explanation, error);
    print(out, "fit %u\n", count);
    for (uint32_t i = 0; i < count; i++)
        print(out, "on %u\n", nodes[i]);
    if (status == BERTH_OK && count < FIT_MAX)
        print_explanation(out, t->explanation);
    return status;
}

static berth_status do_decide(trial *t, berth_engine *engine, const operation *op, text *out,
                              berth_error *error)
{
    const berth_decide_options how = {.size = sizeof(how),
                                          .explanation = op->verb == EXPLAIN ? t->explanation
                                                                             : NULL};
    berth_placement placement;
    berth_status status =
        op->verb == SCHEDULE
            ? berth_engine_schedule(engine, pod_of(engine, op->target), &placement, error)
            : berth_engine_decide(engine, pod_of(engine, op->target), &how, &placement, error);
    if (status == BERTH_OK)
        print_placement(out, &placement);
    if (status == BERTH_OK && op->verb == EXPLAIN)
        print_explanation(out, t->explanation);
    tally.placed += status == BERTH_OK && placement.verdict == BERTH_PLACED;
    return status;
}

static berth_status do_object(berth_engine *engine, const operation *op, text *out,
                              berth_error *error)
{
    uint64_t id = 0;
    berth_status status;
    if (op->verb == REMOVE) {
        berth_str space = namespaced_kind(op->object.kind) ? naive_namespace(op->target)
                                                           : (berth_str){0};
        return berth_engine_remove(engine, op->object.kind, space, op->target->name, error);
    }
    if (op->verb == UPDATE)
        return berth_engine_update(engine, &op->object, error);
    status = berth_engine_add(engine, &op->object, &id, error);
    print(out, "id %llx\n", (unsigned long long)id);
    return status;
}

static berth_status do_operation(trial *t, berth_engine *engine, const operation *op, text *out,
                                 berth_error *error)
{
    switch (op->verb) {
    case SCHEDULE:
    case DECIDE:
    case EXPLAIN:
        return do_decide(t, engine, op, out, error);
    case BIND:
        return berth_engine_bind(engine, pod_of(engine, op->target),
                                 berth_engine_find_node(engine, op->node), error);
    case UNBIND:
        return berth_engine_unbind(engine, pod_of(engine, op->target), error);
    case NOMINATE:
        return berth_engine_nominate(engine, pod_of(engine, op->target),
                                     berth_engine_find_node(engine, op->node), error);
    case CORDON:
    case UNCORDON:
        return berth_engine_cordon(engine, berth_engine_find_node(engine, op->node),
                                   op->verb == CORDON, error);
    case CLOSE:
    case OPEN:
        return berth_engine_close(engine, berth_engine_find_node(engine, op->node),
                                  op->verb == CLOSE, error);
    case GROUP:
        return do_group(engine, op, out, error);
    case FIT_COUNT:
        return do_fit_count(t, engine, op, out, error);
    default:
        return do_object(engine, op, out, error);
    }
}

/* The result of an operation as a text of the caller's. */
static char *run(trial *t, berth_engine *engine, const operation *op)
{
    char message[1024] = "";
    berth_error error = {0};
    clear(&t->scratch);
    print(&t->scratch, "%s\n", verb_names[op->verb]);
    berth_status status = do_operation(t, engine, op, &t->scratch, &error);
    if (status != BERTH_OK)
        berth_error_format(&error, message, sizeof(message));
    print(&t->scratch, "status %d %s\n", (int)status, message);
    if (engine == t->engine)
        tally.operations++;
    return strdup(t->scratch.bytes);
}

/* ---- which operations ---- */

static const berth_metadata *random_pod(trial *t, bool running)
{
    size_t start = t->pod_count > 0 ? gen_below(&t->gen, (uint32_t)t->pod_count) : 0;
    for (size_t i = 0; i < t->pod_count; i++) {
        const berth_metadata *meta = t->pods[(start + i) % t->pod_count];
        berth_pod_id id = pod_of(t->engine, meta);
        if (id != BERTH_POD_NONE &&
            (berth_engine_pod_node(t->engine, id) != BERTH_NODE_NONE) == running)
            return meta;
    }
    return t->pod_count > 0 ? t->pods[start] : NULL;
}

static berth_str random_node(trial *t)
{
    const berth_node *node = gen_node(&t->gen, gen_below(&t->gen, t->gen.node_names));
    return gen_chance(&t->gen, 3) ? naive_str("elsewhere") : node->meta.name;
}

static const berth_pod *new_pod(trial *t, berth_str node)
{
    const berth_pod *pod = gen_pod(&t->gen, t->pod_serial++, node, PROFILES);
    t->pods = naive_grow(&t->gen.region, t->pods, t->pod_count, sizeof(*t->pods));
    t->pods[t->pod_count++] = &pod->meta;
    return pod;
}

static operation change_node(trial *t)
{
    const berth_node *node = gen_node(&t->gen, gen_below(&t->gen, t->gen.node_names));
    operation op = {.object = {.kind = BERTH_KIND_NODE, .as.node = node}, .target = &node->meta};
    bool there = berth_engine_find_node(t->engine, node->meta.name) != BERTH_NODE_NONE;
    op.verb = !there ? ADD : gen_chance(&t->gen, 55) ? UPDATE : REMOVE;
    return op;
}

static bool change_object(trial *t, operation *op)
{
    berth_kind kind = (berth_kind)gen_below(&t->gen, BERTH_KIND_COUNT);
    uint32_t names = gen_object_names(kind);
    if (names == 0 || !gen_object(&t->gen, kind, gen_below(&t->gen, names), &op->object))
        return false;
    op->target = op->object.as.any;
    op->verb = (verb[]){ADD, UPDATE, REMOVE}[gen_below(&t->gen, 3)];
    return true;
}

/* Another pod of the same name and place. */
static operation update_pod(trial *t, const berth_metadata *old)
{
    berth_pod *pod = naive_alloc(&t->gen.region, sizeof(*pod));
    berth_pod_id id = pod_of(t->engine, old);
    berth_node_id node = id != BERTH_POD_NONE ? berth_engine_pod_node(t->engine, id)
                                              : BERTH_NODE_NONE;
    berth_str name = {0};
    if (node != BERTH_NODE_NONE)
        name = naive_str(naive_print(&t->gen.region, "%.*s",
                                     NAIVE_TEXT(berth_engine_node_name(t->engine, node))));
    else if (gen_chance(&t->gen, 20))
        name = random_node(t);
    *pod = *gen_pod(&t->gen, t->pod_serial++, name, PROFILES);
    pod->meta.name = old->name;
    pod->meta.namespace_name = old->namespace_name;
    pod->meta.uid = old->uid;
    return (operation){.verb = UPDATE,
                       .object = {.kind = BERTH_KIND_POD, .as.pod = pod},
                       .target = &pod->meta};
}

static operation on_pod(trial *t, verb what, bool running)
{
    operation op = {.verb = what, .target = random_pod(t, running)};
    if (what == BIND || what == NOMINATE)
        op.node = random_node(t);
    if (what == REMOVE)
        op.object.kind = BERTH_KIND_POD;
    for (op.more_count = 0; what == GROUP && op.more_count < GROUP_MAX; op.more_count++)
        op.more[op.more_count] = random_pod(t, running);
    return op;
}

static operation add_pod(trial *t)
{
    const berth_pod *pod = new_pod(t, gen_chance(&t->gen, 25) ? random_node(t) : (berth_str){0});
    return (operation){
        .verb = ADD, .object = {.kind = BERTH_KIND_POD, .as.pod = pod}, .target = &pod->meta};
}

static operation random_operation(trial *t)
{
    operation op = {.verb = VERBS};
    uint32_t dice = gen_below(&t->gen, 100);
    if (t->pod_count == 0 || dice < 12)
        return add_pod(t);
    if (dice < 50)
        return on_pod(t, (verb[]){SCHEDULE, SCHEDULE, SCHEDULE, DECIDE, EXPLAIN, EXPLAIN}
                             [gen_below(&t->gen, 6)], false);
    if (dice < 54)
        return on_pod(t, BIND, false);
    if (dice < 64)
        return on_pod(t, UNBIND, true);
    if (dice < 69)
        return on_pod(t, REMOVE, gen_chance(&t->gen, 70));
    if (dice < 75)
        return update_pod(t, random_pod(t, gen_chance(&t->gen, 60)));
    if (dice < 79)
        return on_pod(t, NOMINATE, false);
    if (dice < 81)
        return on_pod(t, GROUP, false);
    if (dice < 83)
        return on_pod(t, FIT_COUNT, gen_chance(&t->gen, 50));
    if (dice < 87)
        return (operation){.verb = (verb[]){CORDON, UNCORDON, CLOSE, OPEN}[gen_below(&t->gen, 4)],
                           .node = random_node(t)};
    if (dice < 94 || !change_object(t, &op))
        return change_node(t);
    return op;
}

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

/* A transaction within `depth` others; returns with it closed. Its dump is freed by the caller. */
static void transact(trial *t, uint32_t depth)
{
    berth_error error = {0};
    text before = {0};
    size_t begin = t->staying_count;
    bool commit = gen_chance(&t->gen, 35);
    uint32_t count = gen_below(&t->gen, 12);
    dump(t, t->engine, &before);
    must(t, "begin", berth_engine_begin(t->engine, &error), &error);
    for (uint32_t i = 0; i < count && !t->failed; i++) {
        if (depth < 4 && gen_chance(&t->gen, 10)) {
            transact(t, depth + 1);
            continue;
        }
        operation op = random_operation(t);
        stay(t, &op, run(t, t->engine, &op));
    }
    if (berth_engine_depth(t->engine) != depth + 1)
        same(t, "depth", "its own", "another");
    if (!commit) {
        must(t, "rollback", berth_engine_rollback(t->engine, &error), &error);
        forget(t, begin);
        dump(t, t->engine, &t->after);
        same(t, "the state after a rollback", before.bytes, t->after.bytes);
        tally.rolled_back++;
    } else {
        must(t, "commit", berth_engine_commit(t->engine, &error), &error);
    }
    tally.transactions++;
    tally.nested += depth > 0;
    free(before.bytes);
}

/* The twin does what stayed, and finds the same. */
static void follow(trial *t)
{
    for (size_t i = 0; i < t->staying_count && !t->failed; i++) {
        char *result = run(t, t->twin, &t->staying[i]);
        same(t, "an operation", result, t->results[i]);
        free(result);
    }
    forget(t, 0);
}

static void compare_states(trial *t)
{
    berth_error error = {0};
    must(t, "check", berth_engine_check(t->engine, &error), &error);
    must(t, "check of the twin", berth_engine_check(t->twin, &error), &error);
    dump(t, t->twin, &t->before);
    dump(t, t->engine, &t->after);
    same(t, "the state", t->before.bytes, t->after.bytes);
}

/* ---- rounds ---- */

static bool has_any(void *context, berth_str plugin)
{
    (void)context;
    (void)plugin;
    return true;
}

static void start(trial *t)
{
    static const uint32_t threads[] = {1, 1, 2};
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    berth_engine_config config;
    berth_error error = {0};
    berth_engine_config_init(&config);
    bool legacy = gen_chance(&t->gen, 20);
    for (uint32_t i = 0; i < PROFILES; i++)
        t->profiles[i] = legacy ? *gen_legacy_profile(&t->gen, i, has_any, NULL)
                                : *gen_profile(&t->gen, i, berth_profile_default(), has_any, NULL);
    config.threads = threads[gen_below(&t->gen, 3)];
    config.path = paths[gen_below(&t->gen, 3)];
    config.seed = t->seed;
    config.profiles = t->profiles;
    config.profile_count = PROFILES;
    must(t, "create", berth_engine_create(&config, &t->engine, &error), &error);
    must(t, "create", berth_engine_create(&config, &t->twin, &error), &error);
    must(t, "explanation", berth_explanation_create(&t->explanation), &error);
    t->staying = naive_alloc(&t->gen.region, OPS_MAX * sizeof(*t->staying));
    t->results = naive_alloc(&t->gen.region, OPS_MAX * sizeof(*t->results));
}

static void do_both(trial *t, const operation *op)
{
    stay(t, op, run(t, t->engine, op));
    follow(t);
}

static void fill(trial *t)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < gen_object_names((berth_kind)kind); i++) {
            operation op = {.verb = ADD};
            if (gen_chance(&t->gen, 80) &&
                gen_object(&t->gen, (berth_kind)kind, i, &op.object))
                do_both(t, &op);
        }
    for (uint32_t i = 0; i < t->gen.node_names; i++) {
        operation op = {.verb = ADD,
                        .object = {.kind = BERTH_KIND_NODE, .as.node = gen_node(&t->gen, i)}};
        if (gen_chance(&t->gen, 85))
            do_both(t, &op);
    }
    for (uint32_t i = gen_below(&t->gen, 60); i > 0; i--) {
        operation op = add_pod(t);
        do_both(t, &op);
    }
}

static bool run_round(const options *o, uint64_t seed)
{
    trial t = {.options = o, .seed = seed};
    gen_init(&t.gen, seed, GEN_ALL);
    t.gen.node_names = o->nodes > 0 ? o->nodes : 1 + t.gen.node_names % 60;
    start(&t);
    fill(&t);
    for (t.op = 1; t.op <= o->ops && !t.failed; t.op++) {
        if (gen_chance(&t.gen, 30)) {
            transact(&t, 0);
            follow(&t);
        } else {
            operation op = random_operation(&t);
            do_both(&t, &op);
        }
        if (gen_chance(&t.gen, 5))
            compare_states(&t);
    }
    if (!t.failed)
        compare_states(&t);
    forget(&t, 0);
    berth_explanation_destroy(t.explanation);
    berth_engine_destroy(t.engine);
    berth_engine_destroy(t.twin);
    free(t.scratch.bytes);
    free(t.before.bytes);
    free(t.after.bytes);
    gen_free(&t.gen);
    return !t.failed;
}

static bool parse(int argc, char **argv, options *o)
{
    const char *seed = getenv("BERTH_TEST_SEED");
    o->seed = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--rounds") == 0)
            o->rounds = strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--ops") == 0)
            o->ops = strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--nodes") == 0)
            o->nodes = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        else
            return false;
    }
    return argc % 2 == 1;
}

int main(int argc, char **argv)
{
    options o = {.rounds = 150, .ops = 120};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "usage: %s [--seed S] [--rounds N] [--ops N] [--nodes N]\n", argv[0]);
        return 2;
    }
    printf("seed %llu, %lu rounds\n", (unsigned long long)o.seed, o.rounds);
    for (unsigned long i = 0; i < o.rounds; i++)
        if (!run_round(&o, o.seed + i))
            return 1;
    printf("%lu operations, %lu placed; %lu transactions, %lu nested, %lu rolled back\n",
           tally.operations, tally.placed, tally.transactions, tally.nested, tally.rolled_back);
    return 0;
}
