/* Property test: an engine made from the objects of another one has the same pods on the same
 * nodes, and every pending pod fits the same nodes with the same totals. If there are only nodes
 * and pods, they are copied one by one (berth/read.h); otherwise all objects are copied as a text
 * (berth/kube.h), and then decisions are the same, too, and the new engine writes the same text
 * again.
 *
 * Usage: test_objects_model [--seed S] [--rounds N] [--ops N]. Round r of seed S is round 0 of seed
 * S + r; a failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a run without
 * --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/kube.h"
#include "berth/query.h"
#include "berth/read.h"
#include "engine_script.h"
#include "rounds.h"

enum { NODES_MAX = 256, PODS_MAX = 1024, LISTS_ENOUGH = 10000 /* for shares of them */ };

typedef struct trial {
    script s; /* of the engine that is read */
    berth_engine_config config;
    berth_engine *made;
    bool dumps;
} trial;

static struct {
    unsigned long engines, nodes, pods, lists, freed, decisions, dumps, dumped_bytes;
} tally;

/* ---- making ---- */

static void add(trial *t, berth_object *object)
{
    berth_error error = {0};
    script_must(&t->s, "add", berth_engine_add(t->made, object, NULL, &error), &error);
    berth_object_destroy(object);
}

static void add_pod(trial *t, berth_pod_id pod)
{
    berth_error error = {0};
    berth_object *object = NULL;
    script_must(&t->s, "pod_object",
                berth_engine_pod_object(t->s.engine, pod, NULL, &object, &error), &error);
    if (!t->s.failed)
        add(t, object);
    tally.pods++;
}

/* The newest pod of a node is added last; pending pods in order of arrival. */
static void add_pods(trial *t, berth_node_id node)
{
    static berth_pod_id pods[PODS_MAX];
    uint32_t count = 0;
    berth_pod_id pod = berth_engine_next_pod(t->s.engine, node, BERTH_POD_NONE);
    for (; pod != BERTH_POD_NONE; pod = berth_engine_next_pod(t->s.engine, node, pod)) {
        if (count == PODS_MAX)
            abort();
        pods[count++] = pod;
    }
    for (uint32_t i = 0; i < count && !t->s.failed; i++)
        add_pod(t, pods[node == BERTH_NODE_NONE ? i : count - 1 - i]);
}

static void add_node(trial *t, berth_node_id node)
{
    berth_error error = {0};
    berth_object *object = NULL;
    berth_node_info info = {.size = sizeof(info)};
    script_must(&t->s, "node_object",
                berth_engine_node_object(t->s.engine, node, NULL, &object, &error), &error);
    if (t->s.failed)
        return;
    add(t, object);
    script_must(&t->s, "node_info", berth_engine_node_info(t->s.engine, node, &info, &error),
                &error);
    if (info.closed && !t->s.failed)
        script_must(&t->s, "close",
                    berth_engine_close_node(t->made, berth_engine_find_node(t->made, info.name),
                                            true, &error),
                    &error);
    tally.nodes++;
}

/* What a node knows about its images dates from its last change, which no object contains. */
static void refresh_nodes(trial *t)
{
    for (berth_node_id id = 0; id < berth_engine_node_limit(t->s.engine) && !t->s.failed; id++) {
        berth_error error = {0};
        berth_object *object = NULL;
        if (berth_engine_node_object(t->s.engine, id, NULL, &object, NULL) != BERTH_OK)
            continue;
        script_must(&t->s, "update", berth_engine_update(t->s.engine, object, &error), &error);
        berth_object_destroy(object);
    }
}

static void make(trial *t)
{
    static berth_node_id order[NODES_MAX];
    uint32_t count = 0;
    berth_error error = {0};
    script_must(&t->s, "create", berth_engine_create(&t->config, &t->made, &error), &error);
    script_must(&t->s, "node_order",
                berth_engine_node_order(t->s.engine, order, NODES_MAX, &count, &error), &error);
    for (uint32_t i = 0; i < count && !t->s.failed; i++)
        add_node(t, order[i]);
    for (berth_node_id id = 0; id < berth_engine_node_limit(t->s.engine) && !t->s.failed; id++)
        add_pods(t, id);
    if (!t->s.failed)
        add_pods(t, BERTH_NODE_NONE);
    tally.engines++;
}

/* ---- as a text ---- */

typedef struct dumped {
    char *bytes;
    size_t count;
} dumped;

static berth_status keep_piece(void *context, berth_str piece, berth_error *error)
{
    dumped *to = context;
    (void)error;
    to->bytes = realloc(to->bytes, to->count + piece.len);
    if (to->bytes == NULL)
        abort();
    memcpy(to->bytes + to->count, piece.data, piece.len);
    to->count += piece.len;
    return BERTH_OK;
}

static dumped dump_of(trial *t, berth_engine *engine)
{
    berth_error error = {0};
    dumped to = {0};
    script_must(&t->s, "dump", berth_engine_dump(engine, keep_piece, &to, &error), &error);
    tally.dumps++;
    tally.dumped_bytes += to.count;
    return to;
}

/* Prints the place where two texts first differ, with some of either. */
static void compare_dumps(trial *t, const dumped *wanted, const dumped *got)
{
    size_t at = 0;
    char texts[2][200];
    while (at < wanted->count && at < got->count && wanted->bytes[at] == got->bytes[at])
        at++;
    if (at == wanted->count && at == got->count)
        return;
    size_t from = at > 100 ? at - 100 : 0;
    snprintf(texts[0], sizeof(texts[0]), "%.*s", (int)(wanted->count - from), wanted->bytes + from);
    snprintf(texts[1], sizeof(texts[1]), "%.*s", (int)(got->count - from), got->bytes + from);
    script_same(&t->s, "the dump of what was loaded", texts[0], texts[1]);
}

static void close_as_before(trial *t)
{
    berth_error error = {0};
    for (berth_node_id id = 0; id < berth_engine_node_limit(t->s.engine) && !t->s.failed; id++) {
        berth_node_info info = {.size = sizeof(info)};
        if (berth_engine_node_info(t->s.engine, id, &info, NULL) == BERTH_OK && info.closed)
            script_must(&t->s, "close",
                        berth_engine_close_node(t->made, berth_engine_find_node(t->made, info.name),
                                                true, &error),
                        &error);
    }
}

static void load(trial *t)
{
    static const berth_read_options as_they_are = {.size = sizeof(as_they_are), .threads = 1};
    berth_error error = {0};
    dumped said = dump_of(t, t->s.engine);
    script_must(&t->s, "create", berth_engine_create(&t->config, &t->made, &error), &error);
    if (!t->s.failed)
        script_must(&t->s, "load",
                    berth_engine_load_text(t->made, (berth_str){said.bytes, (uint32_t)said.count},
                                           "dump", &as_they_are, NULL, &error),
                    &error);
    if (!t->s.failed) {
        dumped again = dump_of(t, t->made);
        compare_dumps(t, &said, &again);
        free(again.bytes);
    }
    free(said.bytes);
    if (!t->s.failed)
        close_as_before(t);
    tally.engines++;
}

/* ---- comparing ---- */

static bool same_text(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

typedef struct list {
    berth_status status;
    berth_node_id nodes[NODES_MAX];
    int64_t totals[NODES_MAX];
    uint32_t count;
} list;

static void ask(berth_engine *engine, berth_pod_id pod, list *out)
{
    out->count = 0;
    out->status = berth_engine_feasible_nodes(engine, pod, out->nodes, out->totals, NODES_MAX,
                                              &out->count, NULL);
}

/* The order of nodes may differ if the engine's order is older than its nodes. */
static bool has(const trial *t, const list *in, berth_str name, int64_t total)
{
    for (uint32_t i = 0; i < in->count; i++)
        if (same_text(berth_engine_node_name(t->made, in->nodes[i]), name))
            return in->totals[i] == total;
    return false;
}

static bool lacks_port(berth_engine *engine, berth_pod_id pod, berth_str node)
{
    static const char reason[] = "node(s) didn't have free ports for the requested pod ports";
    berth_fit fit = {.size = sizeof(fit)};
    return berth_engine_fits(engine, pod, berth_engine_find_node(engine, node), BERTH_FIT_REASONS,
                             &fit, NULL) == BERTH_OK &&
           fit.reason_count == 1 &&
           same_text(fit.reasons[0], (berth_str){reason, sizeof(reason) - 1});
}

/* Of two pods with the same host port on a node, the first that leaves frees the port, as in
 * kube-scheduler; no object contains this. The pod may then fit the node, or a later filter ends in
 * an error there. */
static bool is_freed_port(trial *t, berth_pod_id pod, berth_pod_id twin)
{
    for (berth_node_id id = 0; id < berth_engine_node_limit(t->s.engine); id++) {
        const berth_str node = berth_engine_node_name(t->s.engine, id);
        if (berth_engine_node_present(t->s.engine, id) && lacks_port(t->made, twin, node) &&
            !lacks_port(t->s.engine, pod, node))
            return true;
    }
    return false;
}

/* Does the pod fit the same nodes? Returns false without a failure if freed ports are the only
 * difference. */
static bool compare_pod(trial *t, berth_pod_id pod, berth_pod_id twin)
{
    static list wanted, got;
    ask(t->s.engine, pod, &wanted);
    ask(t->made, twin, &got);
    tally.lists++;
    bool same = wanted.status == got.status && wanted.count == got.count;
    for (uint32_t i = 0; i < wanted.count && same; i++)
        same = has(t, &got, berth_engine_node_name(t->s.engine, wanted.nodes[i]), wanted.totals[i]);
    /* If scoring fails in both, nothing has been compared yet. */
    if ((!same || wanted.status != BERTH_OK) && is_freed_port(t, pod, twin)) {
        same = false;
        tally.freed++;
    } else if (!same) {
        script_same(&t->s, "where a pod fits", "as before", "otherwise");
    }
    return same;
}

static void describe(const berth_engine *engine, berth_status status,
                     const berth_placement *placement, char *out, size_t size)
{
    berth_str node = berth_engine_node_name(engine, placement->node);
    snprintf(out, size, "%s, verdict %d on %.*s, %u feasible, %u best of %lld, rotation %u to %u",
             berth_status_name(status), (int)placement->verdict, (int)node.len, node.data,
             placement->feasible_count, placement->best_count, (long long)placement->total,
             placement->start, placement->next);
}

/* Are the nodes in the same order? They may not be if the engine's order is older than its nodes.
 */
static bool lie_alike(const trial *t)
{
    static berth_node_id orders[2][NODES_MAX];
    uint32_t counts[2] = {0};
    (void)berth_engine_node_order(t->s.engine, orders[0], NODES_MAX, &counts[0], NULL);
    (void)berth_engine_node_order(t->made, orders[1], NODES_MAX, &counts[1], NULL);
    bool same = counts[0] == counts[1];
    for (uint32_t i = 0; i < counts[0] && same; i++)
        same = same_text(berth_engine_node_name(t->s.engine, orders[0][i]),
                         berth_engine_node_name(t->made, orders[1][i]));
    return same;
}

/* Compares decisions; the seed breaks ties. */
static void compare_decision(trial *t, berth_pod_id pod, berth_pod_id twin)
{
    static const berth_decide_options options = {.size = sizeof(options),
                                                 .flags = BERTH_DECIDE_KEEP_ROTATION};
    berth_placement wanted, got;
    (void)berth_engine_set_rotation(t->made, berth_engine_rotation(t->s.engine), NULL);
    berth_status status = berth_engine_decide(t->s.engine, pod, &options, &wanted, NULL);
    bool same = berth_engine_decide(t->made, twin, &options, &got, NULL) == status;
    if (same && status == BERTH_OK)
        same =
            wanted.verdict == got.verdict && wanted.feasible_count == got.feasible_count &&
            wanted.best_count == got.best_count && wanted.total == got.total &&
            (wanted.best_count != 1 || same_text(berth_engine_node_name(t->s.engine, wanted.node),
                                                 berth_engine_node_name(t->made, got.node)));
    if (!same) {
        char texts[2][160];
        describe(t->s.engine, status, &wanted, texts[0], sizeof(texts[0]));
        describe(t->made, status, &got, texts[1], sizeof(texts[1]));
        script_same(&t->s, "a decision", texts[0], texts[1]);
    }
    tally.decisions++;
}

static void compare(trial *t)
{
    berth_error error = {0};
    script_must(&t->s, "check", berth_engine_check(t->made, &error), &error);
    if (!t->s.failed && berth_engine_digest(t->made) != berth_engine_digest(t->s.engine))
        script_same(&t->s, "the digest", "as before", "another");
    bool alike = lie_alike(t);
    berth_pod_id pod = berth_engine_next_pod(t->s.engine, BERTH_NODE_NONE, BERTH_POD_NONE);
    for (; pod != BERTH_POD_NONE && !t->s.failed;
         pod = berth_engine_next_pod(t->s.engine, BERTH_NODE_NONE, pod)) {
        berth_str space, name;
        berth_engine_pod_name(t->s.engine, pod, &space, &name);
        berth_pod_id twin = berth_engine_find_pod(t->made, space, name);
        if (compare_pod(t, pod, twin) && alike)
            compare_decision(t, pod, twin);
    }
}

/* ---- rounds ---- */

static void start(trial *t, uint64_t seed)
{
    berth_engine_config_init(&t->config);
    script_profiles(&t->s, 25);
    t->config.threads = 1;
    t->config.seed = seed;
    t->config.keep_objects = true;
    script_open(&t->s, &t->config, NULL);
}

static void run(trial *t, const operation *op)
{
    free(script_run(&t->s, t->s.engine, op));
}

static void fill_step(void *context, const operation *op)
{
    run(context, op);
}

static void fill(trial *t)
{
    if (t->dumps) {
        script_fill(&t->s, fill_step, t);
        return;
    }
    for (uint32_t i = 0; i < t->s.gen.node_names; i++) {
        const operation op = {
            .verb = ADD, .object = {.kind = BERTH_KIND_NODE, .as.node = gen_node(&t->s.gen, i)}};
        if (gen_chance(&t->s.gen, 85))
            run(t, &op);
    }
    for (uint32_t i = gen_below(&t->s.gen, 60); i > 0; i--) {
        const operation op = script_add_pod(&t->s);
        run(t, &op);
    }
}

static bool run_round(const round_options *o, uint64_t seed)
{
    static trial t;
    bool dumps = seed % 2 == 1;
    t = (trial){.s.nodes_and_pods = !dumps, .dumps = dumps};
    script_begin(&t.s, "test_objects_model", seed, o->ops);
    t.s.gen.node_names = 1 + t.s.gen.node_names % 60;
    start(&t, seed);
    fill(&t);
    for (t.s.op = 1; t.s.op <= o->ops && !t.s.failed; t.s.op++) {
        const operation op = script_operation(&t.s);
        run(&t, &op);
        if (t.s.failed || !gen_chance(&t.s.gen, 10))
            continue;
        refresh_nodes(&t);
        if (t.dumps)
            load(&t);
        else
            make(&t);
        if (!t.s.failed)
            compare(&t);
        berth_engine_destroy(t.made);
        t.made = NULL;
    }
    script_close(&t.s);
    return !t.s.failed;
}

int main(int argc, char **argv)
{
    int code = rounds_run(argc, argv, (round_options){.rounds = 100, .ops = 60}, run_round);
    printf(
        "%lu engines made of %lu nodes and %lu pods and of %lu texts of %lu bytes, %lu lists and "
        "%lu decisions compared\n",
        tally.engines, tally.nodes, tally.pods, tally.dumps / 2, tally.dumped_bytes / 2,
        tally.lists, tally.decisions);
    if (tally.lists < LISTS_ENOUGH)
        return code; /* a single seed need not draw every case */
    if (tally.freed * 50 > tally.lists || tally.decisions * 2 < tally.lists) {
        fprintf(stderr, "%lu of %lu lists and %lu decisions could not be compared\n", tally.freed,
                tally.lists, tally.lists - tally.decisions);
        return 1;
    }
    return code;
}
