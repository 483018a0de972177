/* Property test: what-ifs against plain versions. One engine goes on living: pods come and are
 * placed, and in between it answers how many more of a pod fit, whether a group fits, preempting
 * or not, and whether nodes can be drained. Each answer is compared with that of an engine made for
 * this question alone, which keeps no transaction open: pods are simply added, removed and placed
 * one after the other, and a drained node is a node without room for pods. That engine reaches its
 * state by repeating the whole history, or, if decisions leave only placements behind, from the
 * objects with the current nodes of their pods.
 *
 * Usage: test_what_if_model [--seed S] [--rounds N]. Round r of seed S is round 0 of seed S + r; a
 * failure prints this to replay it. BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/read.h"
#include "berth/transaction.h"
#include "cluster_gen.h"
#include "effort.h"

enum { PROFILES = 2, QUESTIONS = 8, DEEDS_MAX = 400, FIT_MAX = 40, GROUP_MAX = 8, MOVED_MAX = 256 };

/* An event of the history: an object came, or a pod was placed if it fitted. */
typedef struct deed {
    berth_object object;
    const berth_pod *placed; /* NULL: the object came */
} deed;

typedef struct text {
    char bytes[1 << 16];
    size_t len;
} text;

typedef struct trial {
    uint64_t seed;
    cluster_gen gen;
    berth_profile profiles[PROFILES];
    berth_engine_config config;
    deed *deeds;
    size_t deed_count;
    const berth_pod **pods;
    size_t pod_count;
    berth_engine *engine; /* lives on */
    berth_explanation *explanation;
    text wanted, got;
    text *evictions; /* of the group that is being placed */
    unsigned question;
    bool failed;
} trial;

static struct {
    unsigned long counts, groups, drains, rebuilt, placed, stopped, evicted, in_vain;
} tally;

/* ---- texts ---- */

static void print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->len += (size_t)vsnprintf(t->bytes + t->len, sizeof(t->bytes) - t->len, format, args);
    va_end(args);
    if (t->len >= sizeof(t->bytes))
        abort();
}

static void clear(text *t)
{
    t->len = 0;
    t->bytes[0] = '\0';
}

static void fail(trial *t, const char *what)
{
    fprintf(stderr, "FAILED: %s, question %u\nreplay: test_what_if_model --seed %llu --rounds 1\n",
            what, t->question, (unsigned long long)t->seed);
    t->failed = true;
}

static void must(trial *t, const char *call, berth_status status, const berth_error *error)
{
    char message[1024];
    if (status == BERTH_OK || t->failed)
        return;
    berth_error_format(error, message, sizeof(message));
    fprintf(stderr, "%s: %s\n", call, message);
    fail(t, call);
}

static void same(trial *t, const char *what)
{
    if (strcmp(t->wanted.bytes, t->got.bytes) == 0 || t->failed)
        return;
    fprintf(stderr, "wanted\n%sgot\n%s", t->wanted.bytes, t->got.bytes);
    fail(t, what);
}

static void print_placement(text *out, const berth_placement *p)
{
    print(out, "%d node %u of %u, best %u at %lld, %u to %u\n", (int)p->verdict, p->node,
          p->feasible_count, p->best_count, (long long)p->total, p->start, p->next);
    tally.placed += p->verdict == BERTH_VERDICT_PLACED;
    tally.stopped += p->verdict != BERTH_VERDICT_PLACED;
}

/* ---- engines ---- */

static berth_pod_id pod_of(const berth_engine *engine, const berth_pod *pod)
{
    return berth_engine_find_pod(engine, naive_namespace(&pod->meta), pod->meta.name);
}

static void place(trial *t, berth_engine *engine, berth_pod_id pod, berth_placement *out)
{
    berth_error error = {0};
    must(t, "schedule", berth_engine_schedule(engine, pod, out, &error), &error);
}

static void apply(trial *t, berth_engine *engine, const deed *d)
{
    berth_error error = {0};
    berth_placement placement;
    if (d->placed != NULL)
        place(t, engine, pod_of(engine, d->placed), &placement);
    else
        must(t, "add", berth_engine_add(engine, &d->object, NULL, &error), &error);
}

static berth_engine *create(trial *t)
{
    berth_error error = {0};
    berth_engine *engine = NULL;
    must(t, "create", berth_engine_create(&t->config, &engine, &error), &error);
    return engine;
}

static berth_engine *made_by_deeds(trial *t)
{
    berth_engine *engine = create(t);
    for (size_t i = 0; i < t->deed_count && !t->failed; i++)
        apply(t, engine, &t->deeds[i]);
    return engine;
}

/* A copy of a node without room. */
static const berth_node *without_room(trial *t, const berth_node *node)
{
    berth_node *full = naive_alloc(&t->gen.region, sizeof(*full));
    uint32_t count = node->allocatable.count;
    berth_resource *room = naive_alloc(&t->gen.region, (count + 1) * sizeof(*room));
    *full = *node;
    for (uint32_t i = 0; i < count; i++) {
        room[i] = node->allocatable.items[i];
        if (naive_is(room[i].name, "pods"))
            room[i].amount = (berth_quantity){0};
    }
    full->allocatable.items = room;
    return full;
}

static bool is_among(const berth_node_id *nodes, uint32_t count, berth_node_id node)
{
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

/* Makes an engine from the objects; `drained` are nodes without room and without pods. */
static berth_engine *made_of_objects(trial *t, const berth_node_id *drained, uint32_t drained_count)
{
    berth_engine *engine = create(t);
    for (size_t i = 0; i < t->deed_count && !t->failed; i++) {
        deed d = t->deeds[i];
        if (d.placed != NULL)
            continue;
        if (d.object.kind == BERTH_KIND_NODE &&
            is_among(drained, drained_count,
                     berth_engine_find_node(t->engine, d.object.as.node->meta.name)))
            d.object.as.node = without_room(t, d.object.as.node);
        if (d.object.kind == BERTH_KIND_POD) {
            berth_pod *pod = naive_alloc(&t->gen.region, sizeof(*pod));
            *pod = *d.object.as.pod;
            berth_node_id node = berth_engine_pod_node(t->engine, pod_of(t->engine, pod));
            pod->node_name = berth_engine_node_name(t->engine, node);
            if (node == BERTH_NODE_NONE || is_among(drained, drained_count, node))
                pod->node_name = (berth_str){0};
            d.object.as.pod = pod;
        }
        apply(t, engine, &d);
    }
    return engine;
}

/* ---- how many more fit ---- */

static void count_plainly(trial *t, const berth_pod *like, uint32_t limit)
{
    berth_engine *engine = made_by_deeds(t);
    const berth_decide_options how = {
        .size = sizeof(how), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = t->explanation};
    for (uint32_t i = 0; i < limit && !t->failed; i++) {
        char name[32];
        berth_error error = {0};
        berth_placement placement;
        berth_pod_id pod = BERTH_POD_NONE;
        snprintf(name, sizeof(name), "one-more-%u", i);
        must(t, "add_like",
             berth_engine_add_like(engine, pod_of(engine, like), naive_str(name), &pod, &error),
             &error);
        place(t, engine, pod, &placement);
        if (placement.verdict != BERTH_VERDICT_PLACED) {
            must(t, "decide", berth_engine_decide(engine, pod, &how, &placement, &error), &error);
            print(&t->wanted, "%.*s\n", NAIVE_TEXT(berth_explanation_message(t->explanation)));
            break;
        }
        print(&t->wanted, "%u\n", placement.node);
    }
    berth_engine_destroy(engine);
}

static void ask_count(trial *t)
{
    const berth_pod *like = t->pods[gen_below(&t->gen, (uint32_t)t->pod_count)];
    uint32_t limit = 1 + gen_below(&t->gen, FIT_MAX), count = 0;
    berth_node_id nodes[FIT_MAX];
    berth_error error = {0};
    must(t, "fit_count",
         berth_engine_fit_count(t->engine, pod_of(t->engine, like), limit, &count, nodes,
                                t->explanation, &error),
         &error);
    for (uint32_t i = 0; i < count && !t->failed; i++)
        print(&t->got, "%u\n", nodes[i]);
    if (count < limit)
        print(&t->got, "%.*s\n", NAIVE_TEXT(berth_explanation_message(t->explanation)));
    count_plainly(t, like, limit);
    tally.counts++;
    same(t, "how many more fit");
}

/* ---- whether a group fits ---- */

static uint32_t choose_group(trial *t, const berth_pod **group)
{
    uint32_t count = 0;
    for (size_t i = 0; i < t->pod_count && count < GROUP_MAX; i++)
        if (berth_engine_pod_node(t->engine, pod_of(t->engine, t->pods[i])) == BERTH_NODE_NONE &&
            gen_chance(&t->gen, 40))
            group[count++] = t->pods[i];
    return count;
}

static void ask_group(trial *t)
{
    const berth_pod *group[GROUP_MAX];
    berth_pod_id ids[GROUP_MAX];
    berth_placement placements[GROUP_MAX];
    berth_error error = {0};
    uint32_t count = choose_group(t, group), placed = 0;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = pod_of(t->engine, group[i]);
    must(t, "begin", berth_engine_begin(t->engine, &error), &error);
    must(t, "group",
         berth_engine_schedule_group(t->engine, ids, count, placements, &placed, &error), &error);
    must(t, "rollback", berth_engine_rollback(t->engine, &error), &error);
    for (uint32_t i = 0; i < count && i <= placed && !t->failed; i++)
        print_placement(&t->got, &placements[i]);
    berth_engine *plain = made_by_deeds(t);
    bool all = true;
    for (uint32_t i = 0; i < count && all && !t->failed; i++) {
        berth_placement placement;
        place(t, plain, pod_of(plain, group[i]), &placement);
        print_placement(&t->wanted, &placement);
        all = placement.verdict == BERTH_VERDICT_PLACED;
    }
    berth_engine_destroy(plain);
    tally.groups++;
    same(t, "whether a group fits");
}

/* ---- as many of a group as fit ---- */

static void print_eviction(text *out, const berth_engine *engine, berth_pod_id victim,
                           berth_node_id node, uint32_t preemptor)
{
    berth_str space, name;
    berth_engine_pod_name(engine, victim, &space, &name);
    print(out, "%.*s/%.*s leaves %u for pod %u\n", NAIVE_TEXT(space), NAIVE_TEXT(name), node,
          preemptor);
    tally.evicted++;
}

static bool is_pod_among(const berth_pod_id *ids, uint32_t count, berth_pod_id wanted)
{
    uint32_t i = 0;
    while (i < count && ids[i] != wanted)
        i++;
    return i < count;
}

/* Places a pod as kube-scheduler does: an attempt, and another one if evictions help. `tried` are
 * the pods of its group before it, which stay where they are. Evictions are printed. */
static void place_or_preempt(trial *t, berth_engine *plain, const berth_pod_id *tried,
                             uint32_t index, berth_placement *out, text *evictions)
{
    const berth_decide_options how = {.size = sizeof(how), .explanation = t->explanation};
    berth_pod_id victims[MOVED_MAX];
    berth_error error = {0};
    must(t, "begin", berth_engine_begin(plain, &error), &error);
    place(t, plain, tried[index], out);
    const bool refused = out->verdict == BERTH_VERDICT_UNSCHEDULABLE;
    must(t, "end",
         refused ? berth_engine_rollback(plain, &error) : berth_engine_commit(plain, &error),
         &error);
    if (!refused)
        return;
    must(t, "decide", berth_engine_decide(plain, tried[index], &how, out, &error), &error);
    const berth_node_id node = berth_explanation_nominated(t->explanation);
    const uint32_t count = berth_explanation_victim_count(t->explanation);
    bool helps = node != BERTH_NODE_NONE;
    for (uint32_t i = 0; i < count && helps; i++) {
        victims[i] = berth_explanation_victim(t->explanation, i);
        helps = !is_pod_among(tried, index, victims[i]);
    }
    if (!helps)
        return;
    const size_t before = evictions->len;
    berth_placement placed;
    must(t, "begin", berth_engine_begin(plain, &error), &error);
    for (uint32_t i = 0; i < count; i++) {
        print_eviction(evictions, plain, victims[i], node, index);
        must(t, "unbind", berth_engine_unbind(plain, victims[i], &error), &error);
    }
    must(t, "nominate", berth_engine_nominate(plain, tried[index], node, &error), &error);
    place(t, plain, tried[index], &placed);
    if (placed.verdict == BERTH_VERDICT_PLACED) {
        must(t, "commit", berth_engine_commit(plain, &error), &error);
        *out = placed;
        return;
    }
    /* With the pods that are nominated for the node, a constraint with an empty selector counts the
     * pods that come and go, but not those that are there. So victims may leave in vain. */
    must(t, "rollback", berth_engine_rollback(plain, &error), &error);
    evictions->len = before;
    evictions->bytes[before] = '\0';
    tally.in_vain++;
}

/* Places pods one after the other, as the options say, on a separate engine. If too few fit, none
 * stays, so the engine to compare with is then one that never tried. */
static void place_plainly(trial *t, const berth_pod *const *group, uint32_t count,
                          const berth_group_options *how, uint32_t *tried)
{
    berth_engine *plain = made_by_deeds(t);
    uint32_t minimum = (how->flags & BERTH_GROUP_ALL) != 0 ? count : how->minimum, fitted = 0;
    bool stopped = false;
    berth_pod_id ids[GROUP_MAX];
    static text evictions;
    clear(&evictions);
    for (*tried = 0; *tried < count && !stopped && !t->failed; ++*tried) {
        berth_placement placement;
        if (fitted + (count - *tried) < minimum)
            break;
        ids[*tried] = pod_of(plain, group[*tried]);
        if ((how->flags & BERTH_GROUP_PREEMPT) != 0)
            place_or_preempt(t, plain, ids, *tried, &placement, &evictions);
        else
            place(t, plain, ids[*tried], &placement);
        print_placement(&t->wanted, &placement);
        fitted += placement.verdict == BERTH_VERDICT_PLACED;
        stopped = placement.verdict != BERTH_VERDICT_PLACED && (how->flags & BERTH_GROUP_STOP) != 0;
    }
    if (fitted < minimum) {
        berth_engine_destroy(plain);
        plain = made_by_deeds(t);
        clear(&evictions);
    }
    print(&t->wanted, "%s%u fit, digest %llx\n", evictions.bytes, fitted,
          (unsigned long long)berth_engine_digest(plain));
    berth_engine_destroy(plain);
}

static void on_evicted(void *context, berth_pod_id victim, berth_node_id node, uint32_t preemptor)
{
    const trial *t = context;
    print_eviction(t->evictions, t->engine, victim, node, preemptor);
}

static void ask_pods(trial *t)
{
    static text evictions;
    const berth_pod *group[GROUP_MAX];
    berth_pod_id ids[GROUP_MAX];
    berth_placement placements[GROUP_MAX];
    berth_error error = {0};
    uint32_t count = choose_group(t, group), fitted = 0, tried = 0;
    const berth_group_options how = {.size = sizeof(how),
                                     .flags = gen_below(&t->gen, 8),
                                     .minimum = gen_below(&t->gen, 4),
                                     .evicted = on_evicted,
                                     .context = t};
    clear(&evictions);
    t->evictions = &evictions;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = pod_of(t->engine, group[i]);
    place_plainly(t, group, count, &how, &tried);
    must(t, "begin", berth_engine_begin(t->engine, &error), &error);
    must(t, "pods",
         berth_engine_schedule_pods(t->engine, ids, count, &how, placements, &fitted, &error),
         &error);
    for (uint32_t i = 0; i < count && !t->failed; i++) {
        if (i < tried)
            print_placement(&t->got, &placements[i]);
        else if (placements[i].node != BERTH_NODE_NONE)
            fail(t, "a pod that was not tried has a node");
    }
    print(&t->got, "%s%u fit, digest %llx\n", evictions.bytes, fitted,
          (unsigned long long)berth_engine_digest(t->engine));
    must(t, "rollback", berth_engine_rollback(t->engine, &error), &error);
    tally.groups++;
    same(t, "as many of a group as fit");
}

/* ---- whether nodes can be drained ---- */

typedef struct draining {
    berth_node_id nodes[2];
    uint32_t node_count;
    const berth_pod *pods[MOVED_MAX]; /* on them */
    uint32_t pod_count;
} draining;

static draining choose_nodes(trial *t)
{
    draining d = {.node_count = 1 + gen_below(&t->gen, 2)};
    uint32_t count = 0;
    berth_error error;
    must(t, "node_order", berth_engine_node_order(t->engine, NULL, 0, &count, &error), &error);
    berth_node_id *order = naive_alloc(&t->gen.region, (count + 1) * sizeof(*order));
    must(t, "node_order", berth_engine_node_order(t->engine, order, count, NULL, &error), &error);
    for (uint32_t i = 0; i < d.node_count; i++)
        d.nodes[i] = order[gen_below(&t->gen, count)];
    d.node_count -= d.node_count == 2 && d.nodes[0] == d.nodes[1];
    for (size_t i = 0; i < t->pod_count && d.pod_count < MOVED_MAX; i++)
        if (is_among(d.nodes, d.node_count,
                     berth_engine_pod_node(t->engine, pod_of(t->engine, t->pods[i]))))
            d.pods[d.pod_count++] = t->pods[i];
    return d;
}

static void place_all(trial *t, berth_engine *engine, const draining *d, text *out)
{
    for (uint32_t i = 0; i < d->pod_count && !t->failed; i++) {
        berth_placement placement;
        place(t, engine, pod_of(engine, d->pods[i]), &placement);
        print_placement(out, &placement);
    }
}

static void unbind_all(trial *t, berth_engine *engine, const draining *d)
{
    berth_error error = {0};
    for (uint32_t i = 0; i < d->pod_count; i++)
        must(t, "unbind", berth_engine_unbind(engine, pod_of(engine, d->pods[i]), &error), &error);
}

static void drain(trial *t, const draining *d)
{
    berth_error error = {0};
    must(t, "begin", berth_engine_begin(t->engine, &error), &error);
    for (uint32_t i = 0; i < d->node_count; i++)
        must(t, "close", berth_engine_close_node(t->engine, d->nodes[i], true, &error), &error);
    unbind_all(t, t->engine, d);
    place_all(t, t->engine, d, &t->got);
    must(t, "rollback", berth_engine_rollback(t->engine, &error), &error);
}

static void drain_plainly(trial *t, const draining *d)
{
    berth_error error = {0};
    berth_engine *plain = made_by_deeds(t);
    for (size_t i = 0; i < t->deed_count; i++) {
        const berth_object *object = &t->deeds[i].object;
        if (t->deeds[i].placed != NULL || object->kind != BERTH_KIND_NODE ||
            !is_among(d->nodes, d->node_count,
                      berth_engine_find_node(plain, object->as.node->meta.name)))
            continue;
        const berth_object full = {.kind = BERTH_KIND_NODE,
                                   .as.node = without_room(t, object->as.node)};
        must(t, "update", berth_engine_update(plain, &full, &error), &error);
    }
    unbind_all(t, plain, d);
    place_all(t, plain, d, &t->wanted);
    berth_engine_destroy(plain);
}

/* Does the next decision of the engine equal that of a fresh one? Only if its search starts at the
 * first node and ties are not random. */
static bool is_as_fresh(trial *t)
{
    const berth_decide_options how = {.size = sizeof(how), .flags = BERTH_DECIDE_KEEP_ROTATION};
    berth_placement placement = {.start = 1};
    berth_error error = {0};
    for (int i = 0; i < PROFILES; i++)
        if (t->profiles[i].tie == BERTH_TIE_RANDOM)
            return false;
    must(t, "decide",
         berth_engine_decide(t->engine, pod_of(t->engine, t->pods[0]), &how, &placement, &error),
         &error);
    return placement.start == 0;
}

/* Have decisions left behind nothing but placements? Volumes and devices that they chose stay
 * reserved, and the objects that the engine was given do not show this. */
static bool left_only_placements(const trial *t)
{
    for (size_t i = 0; i < t->pod_count; i++) {
        berth_pod_id pod = pod_of(t->engine, t->pods[i]);
        if (berth_engine_pod_claims(t->engine, pod, NULL, 0) > 0 ||
            berth_engine_pod_devices(t->engine, pod, NULL, 0) > 0)
            return false;
    }
    return true;
}

static void ask_drain(trial *t)
{
    const draining d = choose_nodes(t);
    drain(t, &d);
    drain_plainly(t, &d);
    tally.drains++;
    same(t, "whether nodes can be drained");
    if (t->failed || d.pod_count == 0 ||
        berth_engine_pod_node(t->engine, pod_of(t->engine, t->pods[0])) != BERTH_NODE_NONE ||
        !left_only_placements(t) || !is_as_fresh(t))
        return;
    clear(&t->wanted);
    berth_engine *rebuilt = made_of_objects(t, d.nodes, d.node_count);
    place_all(t, rebuilt, &d, &t->wanted);
    berth_engine_destroy(rebuilt);
    tally.rebuilt++;
    same(t, "whether nodes can be drained, from the objects");
}

/* ---- rounds ---- */

/* A node without room for pods refuses them only if the profile checks room. */
static bool looks_at_room(const berth_profile *profile)
{
    const berth_plugin_list list = berth_profile_list(profile, BERTH_POINT_FILTER);
    for (uint32_t i = 0; i < list.count; i++)
        if (naive_is(list.items[i].name, "NodeResourcesFit"))
            return true;
    return false;
}

static void configure(trial *t)
{
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_AUTO, BERTH_PATH_INDEX};
    bool whole = gen_chance(&t->gen, 50);
    berth_engine_config_init(&t->config);
    for (uint32_t i = 0; i < PROFILES; i++) {
        do
            t->profiles[i] =
                *gen_profile(&t->gen, i, berth_profile_default_of(t->gen.kubernetes), NULL, NULL);
        while (!looks_at_room(&t->profiles[i]));
        if (!whole)
            continue;
        t->profiles[i].percentage_of_nodes_to_score = 100;
        if (t->profiles[i].tie == BERTH_TIE_RANDOM)
            t->profiles[i].tie = BERTH_TIE_FIRST;
    }
    t->config.threads = gen_chance(&t->gen, 20) ? 2 : 1;
    t->config.path = paths[gen_below(&t->gen, 3)];
    t->config.seed = t->seed;
    t->config.kubernetes = t->gen.release;
    t->config.profiles = t->profiles;
    t->config.profile_count = PROFILES;
}

static void live(trial *t, deed d)
{
    if (t->deed_count == DEEDS_MAX)
        return;
    t->deeds[t->deed_count++] = d;
    apply(t, t->engine, &d);
}

static void bring_pod(trial *t)
{
    const berth_pod *pod = gen_pod(&t->gen, (uint32_t)t->pod_count, (berth_str){0}, PROFILES);
    t->pods = naive_grow(&t->gen.region, t->pods, t->pod_count, sizeof(*t->pods));
    t->pods[t->pod_count++] = pod;
    live(t, (deed){.object = {.kind = BERTH_KIND_POD, .as.pod = pod}});
    if (gen_chance(&t->gen, 75) && t->pod_count > 1)
        live(t, (deed){.placed = pod});
}

static void fill(trial *t)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < gen_object_names((berth_kind)kind); i++) {
            deed d = {.placed = NULL};
            if (gen_chance(&t->gen, 80) && gen_object(&t->gen, (berth_kind)kind, i, &d.object))
                live(t, d);
        }
    for (uint32_t i = 0; i < t->gen.node_names; i++)
        live(t, (deed){.object = {.kind = BERTH_KIND_NODE, .as.node = gen_node(&t->gen, i)}});
    for (uint32_t i = 1 + gen_below(&t->gen, 60); i > 0; i--)
        bring_pod(t);
}

static bool run_round(uint64_t seed)
{
    static void (*const questions[])(trial *) = {ask_count, ask_group, ask_pods, ask_drain,
                                                 ask_drain};
    static trial t;
    berth_error error = {0};
    t = (trial){.seed = seed};
    gen_init(&t.gen, seed, GEN_ALL & ~GEN_LEGACY);
    gen_set_release(&t.gen, seed);
    t.gen.node_names = 1 + t.gen.node_names % 40;
    t.deeds = naive_alloc(&t.gen.region, DEEDS_MAX * sizeof(*t.deeds));
    configure(&t);
    t.engine = create(&t);
    must(&t, "explanation", berth_explanation_create(NULL, &t.explanation, &error), &error);
    fill(&t);
    for (t.question = 1; t.question <= QUESTIONS && !t.failed; t.question++) {
        clear(&t.wanted);
        clear(&t.got);
        questions[gen_below(&t.gen, 5)](&t);
        for (uint32_t i = gen_below(&t.gen, 4); i > 0 && !t.failed; i--)
            bring_pod(&t);
    }
    berth_explanation_destroy(t.explanation);
    berth_engine_destroy(t.engine);
    gen_free(&t.gen);
    return !t.failed;
}

int main(int argc, char **argv)
{
    const char *given = getenv("BERTH_TEST_SEED");
    unsigned long long seed = given != NULL ? strtoull(given, NULL, 0) : 1;
    unsigned long rounds = effort(120);
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0)
            rounds = strtoul(argv[i + 1], NULL, 0);
        else {
            fprintf(stderr, "usage: %s [--seed S] [--rounds N]\n", argv[0]);
            return 2;
        }
    }
    printf("seed %llu, %lu rounds\n", seed, rounds);
    for (unsigned long i = 0; i < rounds; i++)
        if (!run_round(seed + i))
            return 1;
    printf("%lu counts, %lu groups, %lu drains, %lu of them from the objects, too; %lu placed, "
           "%lu not; %lu evictions, %lu in vain\n",
           tally.counts, tally.groups, tally.drains, tally.rebuilt, tally.placed, tally.stopped,
           tally.evicted, tally.in_vain);
    return 0;
}
