/* Property test: PodGroups in a scheduler. Random pods, groups, composite groups that come and go,
 * nodes, gates, bindings that fail and evictions, on two engines: one that scans on one thread, one
 * with an index on four. Both take the same steps; the queue is in order after each of them; if a
 * group is placed, at least one pod is; the waiting pods below a root are all in the same state,
 * and those without one are gated; and no tree is gated without a reason.
 *
 * Usage: test_group_queue [--seed S] [--rounds N] [--ops N]. Round r of seed S is round 0 of seed
 * S + r. BERTH_TEST_SEED replaces the seed of a run without --seed. */
#include <stdarg.h>

#include "berth/berth.h"
#include "rounds.h"

#define MS INT64_C(1000000)

enum { PODS = 48, GROUPS = 6, COMPOSITES = 4, NODES = 8, LATER = 64, NAME = 16, OPERATIONS = 13 };

typedef struct side {
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_binding_id later[LATER]; /* bindings and evictions without an answer */
    berth_pod_id victims[LATER];
    uint32_t later_count, victim_count, binds, evictions;
    uint64_t hash; /* of all steps, callbacks and states */
    bool broken;   /* a group was placed in part */
    bool posted;   /* an answer to an eviction, which the next step applies */
} side;

typedef struct trial {
    uint64_t random, seed;
    int64_t now_ns;
    side sides[2];
    char names[PODS][NAME];
    int group_of[PODS];         /* of pods that exist; -1: none */
    int minimum[GROUPS];        /* of PodGroups that exist; 0: there is none */
    int32_t priority[GROUPS];   /* of their pods */
    bool composes;              /* composite groups are followed */
    int parent[GROUPS];         /* the composite group above it; -1: none */
    int least[COMPOSITES];      /* groups that it needs */
    int above[COMPOSITES];      /* the same; always a lower number */
    bool composite[COMPOSITES]; /* whether it exists */
    bool exists[PODS], gated[PODS], nodes[NODES];
} trial;

static unsigned long placed_count, refused_count, preempt_count;

static uint32_t below(trial *t, uint32_t n)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (uint32_t)((t->random >> 20) % n);
}

static void note(side *s, uint64_t value)
{
    s->hash = (s->hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    s->hash ^= s->hash >> 29;
}

static berth_str text(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

/* ---- callbacks ---- */

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    side *s = context;
    static const berth_answer answers[] = {BERTH_ANSWER_DONE, BERTH_ANSWER_LATER, BERTH_ANSWER_DONE,
                                           BERTH_ANSWER_FAILED, BERTH_ANSWER_LATER};
    berth_answer answer = answers[s->binds++ % 5];
    note(s, binding->pod);
    if (answer == BERTH_ANSWER_LATER && s->later_count < LATER)
        s->later[s->later_count++] = binding->id;
    return answer;
}

static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    side *s = context;
    static const berth_answer answers[] = {BERTH_ANSWER_LATER, BERTH_ANSWER_DONE,
                                           BERTH_ANSWER_LATER, BERTH_ANSWER_FAILED};
    berth_answer answer = answers[s->evictions++ % 4];
    note(s, eviction->victim);
    note(s, eviction->pod_group.len);
    if (answer == BERTH_ANSWER_LATER && s->victim_count < LATER)
        s->victims[s->victim_count++] = eviction->victim;
    return answer;
}

static void on_group(void *context, const berth_pod_group_attempt *attempt)
{
    side *s = context;
    note(s, (uint64_t)attempt->verdict);
    note(s, attempt->placed);
    note(s, attempt->waiting);
    placed_count += attempt->verdict == BERTH_VERDICT_PLACED;
    refused_count += attempt->verdict == BERTH_VERDICT_UNSCHEDULABLE;
    preempt_count += attempt->preempts;
    s->broken |= attempt->verdict == BERTH_VERDICT_PLACED && attempt->placed == 0 &&
                 !attempt->below; /* a group below may have all its pods on nodes */
}

/* ---- objects ---- */

static bool open_side(side *s, bool composes, berth_path path, uint32_t threads)
{
    berth_engine_config config;
    berth_scheduler_options options;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = composes ? BERTH_STR("GenericWorkload=true,CompositePodGroup=true,"
                                                "TopologyAwareWorkloadScheduling=true")
                                    : BERTH_STR("GenericWorkload=true");
    config.path = path;
    config.threads = threads;
    berth_scheduler_options_init(&options);
    options.callbacks =
        (berth_scheduler_callbacks){.context = s, .bind = on_bind, .evict = on_evict};
    options.pod_group = on_group;
    options.bind_timeout_ns = 20000 * MS;
    return berth_engine_create(&config, &s->engine, NULL) == BERTH_OK &&
           berth_scheduler_create(s->engine, &options, &s->scheduler, NULL) == BERTH_OK;
}

/* Add an object to both sides, or update it. Refusals are equal on both. */
static void put(trial *t, const berth_object *object, bool update)
{
    for (int i = 0; i < 2; i++) {
        side *s = &t->sides[i];
        note(s,
             (uint64_t)(update ? berth_scheduler_update(s->scheduler, t->now_ns, object, NULL)
                               : berth_scheduler_add(s->scheduler, t->now_ns, object, NULL, NULL)));
    }
}

static void take(trial *t, berth_kind kind, const char *name)
{
    for (int i = 0; i < 2; i++)
        note(&t->sides[i], (uint64_t)berth_scheduler_remove(
                               t->sides[i].scheduler, t->now_ns, kind,
                               kind == BERTH_KIND_NODE ? (berth_str){0} : BERTH_STR("default"),
                               text(name), NULL));
}

static void put_node(trial *t, uint32_t n)
{
    char name[NAME];
    snprintf(name, sizeof(name), "n%u", (unsigned)n);
    if (t->nodes[n]) {
        take(t, BERTH_KIND_NODE, name);
    } else {
        const berth_resource resources[] = {
            {.name = BERTH_STR("cpu"), .amount = {.units = 3 + n % 3}},
            {.name = BERTH_STR("pods"), .amount = {.units = 110}}};
        const berth_node node = {.meta = {.name = text(name)}, .allocatable = {resources, 2}};
        put(t, &(berth_object){.kind = BERTH_KIND_NODE, .as.node = &node}, false);
    }
    t->nodes[n] = !t->nodes[n];
}

static void put_group(trial *t, uint32_t g)
{
    char name[NAME];
    snprintf(name, sizeof(name), "g%u", (unsigned)g);
    if (t->minimum[g] > 0 && below(t, 3) == 0) {
        t->minimum[g] = 0;
        take(t, BERTH_KIND_POD_GROUP, name);
        return;
    }
    const bool update = t->minimum[g] > 0;
    t->minimum[g] = 1 + (int)below(t, 5);
    if (!update)
        t->parent[g] = (int)below(t, COMPOSITES + 2) - 2;
    char parent[NAME];
    snprintf(parent, sizeof(parent), "c%d", t->parent[g]);
    berth_pod_group group = {.meta = {.name = text(name), .namespace_name = BERTH_STR("default")},
                             .gang = true,
                             .min_count = t->minimum[g],
                             .has_priority = true,
                             .priority = below(t, 8) == 0 ? 77 : t->priority[g]};
    if (t->parent[g] >= 0)
        group.parent = text(parent);
    put(t, &(berth_object){.kind = BERTH_KIND_POD_GROUP, .as.pod_group = &group}, update);
}

static void put_composite(trial *t, uint32_t c)
{
    char name[NAME], parent[NAME];
    snprintf(name, sizeof(name), "c%u", (unsigned)c);
    if (t->composite[c] && below(t, 3) == 0) {
        t->composite[c] = false;
        take(t, BERTH_KIND_COMPOSITE_POD_GROUP, name);
        return;
    }
    if (!t->composite[c])
        t->above[c] = (int)below(t, c + 2) - 2 - (int)below(t, 2);
    snprintf(parent, sizeof(parent), "c%d", t->above[c]);
    const bool gang = below(t, 2) == 0;
    t->least[c] = gang ? 1 + (int)below(t, 3) : 1;
    berth_composite_pod_group group = {
        .meta = {.name = text(name), .namespace_name = BERTH_STR("default")},
        .gang = gang,
        .min_group_count = t->least[c],
        .has_priority = true,
        .priority = below(t, 8) == 0 ? 77 : t->priority[0],
        .disrupts_all = below(t, 2) == 0};
    if (t->above[c] >= 0)
        group.parent = text(parent);
    put(t,
        &(berth_object){.kind = BERTH_KIND_COMPOSITE_POD_GROUP, .as.composite_pod_group = &group},
        t->composite[c]);
    t->composite[c] = true;
}

/* The root above a group: its number, or that of a composite group from GROUPS on; -1: a group on
 * the way does not exist. */
static int root_of(const trial *t, int g)
{
    if (t->minimum[g] == 0)
        return -1;
    if (!t->composes || t->parent[g] < 0)
        return g;
    int c = t->parent[g], level = 2;
    for (; t->composite[c] && t->above[c] >= 0; level++) {
        if (level == 4)
            return -1; /* too many are above it */
        c = t->above[c];
    }
    return t->composite[c] ? GROUPS + c : -1;
}

static void put_pod(trial *t, uint32_t p)
{
    char group[NAME];
    if (t->exists[p] && below(t, 3) != 0) {
        t->exists[p] = false;
        take(t, BERTH_KIND_POD, t->names[p]);
        return;
    }
    const bool update = t->exists[p];
    if (!update) {
        t->group_of[p] = (int)below(t, GROUPS + 2) - 2;
        t->gated[p] = below(t, 8) == 0;
    } else {
        t->gated[p] = false;
    }
    t->exists[p] = true;
    const int g = t->group_of[p] < 0 ? -1 : t->group_of[p];
    snprintf(group, sizeof(group), "g%d", g);
    const berth_str gate = BERTH_STR("wait");
    const berth_resource cpu = {.name = BERTH_STR("cpu"), .amount = {.units = 1 + p % 3}};
    const berth_container container = {.requests = {&cpu, 1}};
    berth_pod pod = {.meta = {.name = text(t->names[p]), .namespace_name = BERTH_STR("default")},
                     .containers = &container,
                     .container_count = 1,
                     .has_priority = true,
                     .priority = g >= 0 ? t->priority[g] : (int32_t)(p % 3)};
    if (g >= 0)
        pod.pod_group = text(group);
    if (t->gated[p])
        pod.scheduling_gates = (berth_strs){&gate, 1};
    put(t, &(berth_object){.kind = BERTH_KIND_POD, .as.pod = &pod}, update);
}

/* ---- operations ---- */

static bool step(trial *t)
{
    for (int i = 0; i < 2; i++) {
        side *s = &t->sides[i];
        berth_step out;
        if (berth_scheduler_step(s->scheduler, t->now_ns, &out, NULL) != BERTH_OK)
            return false;
        s->posted = s->posted && out.kind != BERTH_STEP_IDLE; /* a group's reports come first */
        note(s, (uint64_t)out.kind);
        note(s, out.pod);
        note(s, out.placement.node);
        note(s, out.nominated);
        note(s, out.attempt);
        note(s, out.victim_count);
    }
    return true;
}

static void answer(trial *t)
{
    const uint32_t pick = below(t, LATER), how = below(t, 3);
    for (int i = 0; i < 2; i++) {
        side *s = &t->sides[i];
        const berth_answer said = how == 0 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_DONE;
        if (s->later_count > 0) {
            const uint32_t k = pick % s->later_count;
            (void)berth_scheduler_bind_done(s->scheduler, s->later[k], said, NULL);
            s->later[k] = s->later[--s->later_count];
        } else if (s->victim_count > 0) {
            const uint32_t k = pick % s->victim_count;
            berth_str space, name;
            const berth_pod_id victim = s->victims[k];
            s->victims[k] = s->victims[--s->victim_count];
            if (how == 0) {
                (void)berth_scheduler_evict_done(s->scheduler, victim, said, NULL);
                s->posted = true;
            } else {
                berth_engine_pod_name(s->engine, victim, &space, &name);
                (void)berth_scheduler_remove(s->scheduler, t->now_ns, BERTH_KIND_POD, space, name,
                                             NULL);
            }
        }
    }
}

static bool operate(trial *t)
{
    switch (below(t, OPERATIONS)) {
    case 0:
        put_node(t, below(t, NODES));
        return true;
    case 1:
        put_group(t, below(t, GROUPS));
        return true;
    case 2:
    case 3:
    case 4:
        put_pod(t, below(t, PODS));
        return true;
    case 5:
        t->now_ns += below(t, 3000) * MS;
        return true;
    case 6:
        answer(t);
        return true;
    case 7:
        put_composite(t, below(t, COMPOSITES));
        return true;
    default:
        return step(t);
    }
}

/* ---- checking ---- */

static bool wrong(const trial *t, unsigned long op, const char *what)
{
    printf("operation %lu: %s\nreplay: test_group_queue --seed %llu --rounds 1\n", op, what,
           (unsigned long long)t->seed);
    return false;
}

/* Whether as many pods, or groups below it, are known as a root needs. */
static bool is_ready(const trial *t, const uint32_t *known, int root, int level)
{
    int ready = 0;
    if (root < GROUPS)
        return t->minimum[root] > 0 && known[root] >= (uint32_t)t->minimum[root];
    const int c = root - GROUPS;
    for (int g = 0; g < GROUPS; g++)
        ready += t->minimum[g] > 0 && t->parent[g] == c && is_ready(t, known, g, level + 1);
    for (int k = 0; k < COMPOSITES && level < 4; k++)
        ready += t->composite[k] && t->above[k] == c && is_ready(t, known, GROUPS + k, level + 1);
    return ready >= t->least[c];
}

/* Whether gated trees are not ready, or have a gated pod. A root may also wait for evictions that
 * have not begun. */
static bool check_gates(const trial *t, const side *s, const berth_pod_state *of_root)
{
    uint32_t known[GROUPS] = {0};
    bool stops[GROUPS + COMPOSITES] = {false};
    for (uint32_t p = 0; p < PODS; p++) {
        const berth_pod_id pod =
            berth_engine_find_pod(s->engine, BERTH_STR("default"), text(t->names[p]));
        const int g = t->group_of[p], root = g >= 0 ? root_of(t, g) : -1;
        if (pod == BERTH_POD_NONE || g < 0)
            continue;
        known[g]++;
        if (root >= 0)
            stops[root] |= t->gated[p];
    }
    for (int root = 0; root < GROUPS + COMPOSITES && s->victim_count == 0 && !s->posted; root++)
        if (of_root[root] == BERTH_POD_STATE_GATED && !stops[root] && is_ready(t, known, root, 1))
            return false;
    return true;
}

/* Checks that the waiting pods below a root are all in the same state, and adds their states to the
 * hash. */
static bool check_states(trial *t, int which)
{
    side *s = &t->sides[which];
    berth_pod_state of_root[GROUPS + COMPOSITES];
    for (int i = 0; i < GROUPS + COMPOSITES; i++)
        of_root[i] = BERTH_POD_STATE_GONE;
    for (uint32_t p = 0; p < PODS; p++) {
        berth_pod_status status;
        const berth_pod_id pod =
            berth_engine_find_pod(s->engine, BERTH_STR("default"), text(t->names[p]));
        berth_scheduler_pod(s->scheduler, pod, &status);
        note(s, (uint64_t)status.state);
        note(s, (uint64_t)status.due_ns);
        if (t->group_of[p] < 0 || !t->exists[p] || status.state == BERTH_POD_STATE_GONE ||
            status.state == BERTH_POD_STATE_ASSUMED || status.state == BERTH_POD_STATE_BOUND)
            continue;
        const int root = root_of(t, t->group_of[p]);
        if (root < 0 && status.state != BERTH_POD_STATE_GATED)
            return false;
        if (root < 0)
            continue;
        if (status.state == BERTH_POD_STATE_UNSCHEDULABLE ||
            (of_root[root] != BERTH_POD_STATE_GONE && of_root[root] != status.state))
            return false;
        of_root[root] = status.state;
    }
    return check_gates(t, s, of_root);
}

static bool check(trial *t, unsigned long op)
{
    for (int i = 0; i < 2; i++) {
        berth_error error = {.code = BERTH_OK};
        if (berth_scheduler_check(t->sides[i].scheduler, &error) != BERTH_OK ||
            berth_engine_check(t->sides[i].engine, &error) != BERTH_OK)
            return wrong(t, op, error.message);
        if (t->sides[i].broken)
            return wrong(t, op, "a group was placed without a pod");
        if (!check_states(t, i))
            return wrong(t, op, "pods below a root wait in different states, or for nothing");
    }
    return t->sides[0].hash == t->sides[1].hash || wrong(t, op, "scan and index differ");
}

static bool run_round(const round_options *o, uint64_t seed)
{
    static trial t;
    t = (trial){.random = seed * UINT64_C(0x2545f4914f6cdd1d) + 1, .seed = seed};
    t.composes = below(&t, 2) == 0;
    bool good = open_side(&t.sides[0], t.composes, BERTH_PATH_SCAN, 1) &&
                open_side(&t.sides[1], t.composes, BERTH_PATH_INDEX, 4);
    for (uint32_t p = 0; p < PODS; p++)
        snprintf(t.names[p], NAME, "p%u", (unsigned)p);
    for (uint32_t g = 0; g < GROUPS; g++)
        t.priority[g] = t.composes && g > 0 ? t.priority[0] : (int32_t)below(&t, 4) * 5;
    for (unsigned long op = 0; good && op < o->ops; op++)
        good = (operate(&t) || wrong(&t, op, "a step failed")) && check(&t, op);
    for (int i = 0; i < 2; i++) {
        berth_scheduler_destroy(t.sides[i].scheduler);
        berth_engine_destroy(t.sides[i].engine);
    }
    return good;
}

int main(int argc, char **argv)
{
    int code = rounds_run(argc, argv, (round_options){.rounds = 100, .ops = 1500}, run_round);
    printf("%lu groups placed, %lu refused, %lu of them preempt\n", placed_count, refused_count,
           preempt_count);
    return code;
}
