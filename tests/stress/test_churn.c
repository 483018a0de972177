/* Pods and nodes that come once and are removed for good: the memory of an engine must not grow
 * with their number. At any time there is a window of pods and of nodes; each has its own texts and
 * objects, depending on the features. The bytes in use after a warm-up are compared with those at
 * the end.
 *
 * Now and then the engine is compared with a fresh one of the same nodes, objects and pods: new
 * pods fit the same nodes with the same totals, and everything readable is equal. A snapshot must
 * read the same when it is unpinned as when it was pinned; so must branches of it.
 *
 * Usage: test_churn [--arrivals N | --seconds N] [--way
 * engine|snapshots|scheduler|branches|together]
 *                   [--features A,B,..] [--seed S] [--branch-every N] [--report] [--each]
 * --seconds limits the time instead (tests/stress/soak), --each runs every feature separately,
 * --report only reports. The seed determines where numbers begin, and so texts and their ids;
 * BERTH_TEST_SEED replaces that of a run without --seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "berth/berth.h"
#include "berth/query.h"
#include "berth/read.h"
#include "bytes_in_use.h"
#include "churn_objects.h"

enum { PODS = 200, NODES = CHURN_NODE_COUNT, ROUNDS = 10, PINS = 4, PROBES = 4 };

/* Numbers of pods that exist only for a moment. */
#define ASIDE (UINT64_C(1) << 40)

typedef enum way {
    BY_ENGINE,
    BY_SNAPSHOTS,
    BY_SCHEDULER,
    BY_BRANCHES,
    BY_ALL, /* a scheduler, and branches beside it */
    WAY_COUNT
} way;
static const char *const way_names[WAY_COUNT] = {"engine", "snapshots", "scheduler", "branches",
                                                 "together"};

static bool schedules(way by)
{
    return by == BY_SCHEDULER || by == BY_ALL;
}

static bool branches(way by)
{
    return by == BY_BRANCHES || by == BY_ALL;
}

typedef struct churn {
    way by;
    uint32_t features;
    berth_engine *engine;
    berth_scheduler *scheduler;
    churn_target to;
    uint64_t pods, nodes; /* number of pods and nodes so far */
    berth_snapshot *pinned[PINS];
    uint64_t pinned_digest[PINS], pinned_number[PINS];
    int64_t now_ns;
    uint64_t seed, branch_every, seconds;
} churn;

static void must(berth_status status, const berth_error *error, const char *what)
{
    if (status == BERTH_OK)
        return;
    fprintf(stderr, "FAILED: %s: %s (%s %s)\n", what, error->message, error->object, error->field);
    _Exit(1);
}

/* ---- targets ---- */

static berth_status engine_add(void *context, const berth_object *object, berth_object_id *id,
                               berth_error *error)
{
    return berth_engine_add(context, object, id, error);
}

static berth_status engine_remove(void *context, berth_kind kind, berth_str space, berth_str name,
                                  berth_error *error)
{
    return berth_engine_remove(context, kind, space, name, error);
}

static berth_status scheduler_add(void *context, const berth_object *object, berth_object_id *id,
                                  berth_error *error)
{
    const churn *c = context;
    return berth_scheduler_add(c->scheduler, c->now_ns, object, id, error);
}

static berth_status scheduler_remove(void *context, berth_kind kind, berth_str space,
                                     berth_str name, berth_error *error)
{
    const churn *c = context;
    return berth_scheduler_remove(c->scheduler, c->now_ns, kind, space, name, error);
}

static berth_status engine_update(void *context, const berth_object *object, berth_object_id *id,
                                  berth_error *error)
{
    (void)id;
    return berth_engine_update(context, object, error);
}

static berth_status scheduler_update(void *context, const berth_object *object, berth_object_id *id,
                                     berth_error *error)
{
    const churn *c = context;
    (void)id;
    return berth_scheduler_update(c->scheduler, c->now_ns, object, error);
}

/* ---- output ---- */

static void say(uint64_t *digest, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *digest = (*digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void say_text(uint64_t *digest, berth_str text)
{
    say(digest, &text.len, sizeof(text.len));
    say(digest, text.data, text.len);
}

static void say_node(uint64_t *digest, const berth_snapshot *from, berth_node_id node)
{
    berth_key_value labels[8];
    berth_taint taints[4];
    berth_amount amounts[8];
    uint32_t label_count = berth_snapshot_node_labels(from, node, labels, 8);
    uint32_t taint_count = berth_snapshot_node_taints(from, node, taints, 4);
    uint32_t amount_count = berth_snapshot_node_allocatable(from, node, amounts, 8);
    say_text(digest, berth_snapshot_node_name(from, node));
    for (uint32_t i = 0; i < label_count; i++) {
        say_text(digest, labels[i].key);
        say_text(digest, labels[i].value);
    }
    for (uint32_t i = 0; i < taint_count; i++) {
        say_text(digest, taints[i].key);
        say_text(digest, taints[i].value);
    }
    for (uint32_t i = 0; i < amount_count; i++) {
        int64_t amount[2];
        say_text(digest, amounts[i].resource);
        (void)berth_snapshot_node_resource(from, node, amounts[i].resource, &amount[0], &amount[1],
                                           NULL);
        say(digest, amount, sizeof(amount));
    }
}

static uint64_t digest_of(const berth_snapshot *from)
{
    berth_str resources[1024];
    uint32_t count = berth_snapshot_resource_names(from, resources, 1024);
    uint64_t digest = berth_snapshot_digest(from);
    for (uint32_t i = 0; i < count; i++)
        say_text(&digest, resources[i]);
    for (berth_node_id node = 0; node < berth_snapshot_node_limit(from); node++) {
        berth_pod_id pod = berth_snapshot_next_pod(from, node, BERTH_POD_NONE);
        if (berth_snapshot_node_present(from, node))
            say_node(&digest, from, node);
        for (; pod != BERTH_POD_NONE; pod = berth_snapshot_next_pod(from, node, pod)) {
            berth_key_value labels[4];
            uint32_t labelled = berth_snapshot_pod_labels(from, pod, labels, 4);
            for (uint32_t i = 0; i < labelled; i++)
                say_text(&digest, labels[i].value);
        }
    }
    return digest;
}

/* Hashes the nodes that a new pod with this number fits, with their totals, by name and
 * independently of order; `alone`: none of its objects is added. */
static uint64_t fits(berth_engine *engine, uint32_t features, uint64_t number, bool alone)
{
    berth_error error = {0};
    churn_target to = {engine, engine_add, engine_remove, NULL, alone};
    berth_node_id nodes[2 * NODES];
    int64_t totals[2 * NODES];
    uint32_t count = 0;
    uint64_t sum = 0;
    berth_pod_id id;
    features &= ~(1u << CHURN_ORPHANS | 1u << CHURN_GATES);
    must(churn_add_pod(&to, features, number, &id, &error), &error, "probe: add");
    must(berth_engine_feasible_nodes(engine, id, nodes, totals, 2 * NODES, &count, &error), &error,
         "probe: feasible nodes");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t one = 0;
        say_text(&one, berth_engine_node_name(engine, nodes[i]));
        say(&one, &totals[i], sizeof(totals[i]));
        sum += one;
    }
    must(churn_remove_pod(&to, features, number, &error), &error, "probe: remove");
    return sum;
}

static void same(uint64_t wanted, uint64_t got, const char *what, const churn *c)
{
    if (wanted == got)
        return;
    fprintf(stderr, "FAILED: %s: not as before: --seed %llu --way %s, pod %llu\n", what,
            (unsigned long long)c->seed, way_names[c->by], (unsigned long long)c->pods);
    _Exit(1);
}

/* ---- a fresh engine with the same objects ---- */

static berth_str place_of(const churn *c, uint64_t number)
{
    char name[32];
    int len = snprintf(name, sizeof(name), "pod-%llu", (unsigned long long)number);
    char space[32];
    int space_len = snprintf(space, sizeof(space), "space-%llu", (unsigned long long)number);
    if (!churn_has(c->features, CHURN_SPACES))
        space_len = 5;
    berth_pod_id pod = berth_engine_find_pod(c->engine, (berth_str){space, (uint32_t)space_len},
                                             (berth_str){name, (uint32_t)len});
    return berth_engine_node_name(c->engine, berth_engine_pod_node(c->engine, pod));
}

typedef struct copied {
    const churn *from;
    berth_engine *engine;
} copied;

static berth_status copied_add(void *context, const berth_object *object, berth_object_id *id,
                               berth_error *error)
{
    return berth_engine_add(((const copied *)context)->engine, object, id, error);
}

static berth_str copied_place(void *context, uint64_t number)
{
    return place_of(((const copied *)context)->from, number);
}

static void compare_with_fresh(const churn *c)
{
    berth_error error = {0};
    berth_engine_config config;
    copied copy = {.from = c};
    churn_target to = {&copy, copied_add, NULL, copied_place, false};
    /* Reservations, and the nodes of orphans and gated pods, depend on their history. */
    if (schedules(c->by) || churn_has(c->features, CHURN_WAITING) ||
        churn_has(c->features, CHURN_GATES))
        return;
    berth_engine_config_init(&config);
    config.threads = 1;
    must(berth_engine_create(&config, &copy.engine, &error), &error, "fresh: create");
    for (uint64_t i = c->nodes - NODES; i < c->nodes; i++)
        must(churn_add_node(&to, c->features, i, &error), &error, "fresh: add a node");
    uint64_t first = c->pods - c->seed > PODS ? c->pods - PODS : c->seed;
    for (uint64_t i = first; i < c->pods; i++)
        must(churn_add_pod(&to, c->features, i, NULL, &error), &error, "fresh: add a pod");
    same(berth_engine_digest(copy.engine), berth_engine_digest(c->engine), "the digest", c);
    for (uint64_t i = 0; i < PROBES; i++)
        same(fits(copy.engine, c->features, c->pods + i, false),
             fits(c->engine, c->features, c->pods + i, false), "where a pod fits", c);
    must(berth_engine_check(c->engine, &error), &error, "check");
    berth_engine_destroy(copy.engine);
}

/* ---- one step ---- */

/* A branch that gets its own objects. The idle branch that was used last is left alone, because its
 * store of volumes follows snapshots from one call of look_back to the next. */
typedef struct branch_pair {
    berth_engine *idle, *branch;
} branch_pair;

static branch_pair open_branch(berth_snapshot *snapshot)
{
    berth_error error = {0};
    branch_pair pair;
    must(berth_branch_create(snapshot, &pair.idle, &error), &error, "branch");
    must(berth_branch_create(snapshot, &pair.branch, &error), &error, "branch");
    return pair;
}

static void close_branch(branch_pair pair)
{
    berth_branch_drop(pair.branch);
    berth_branch_drop(pair.idle);
}

/* The state of a pod on a branch of the snapshot. */
static uint64_t branch_says(const churn *c, berth_snapshot *snapshot, uint64_t number)
{
    branch_pair pair = open_branch(snapshot);
    uint64_t says = fits(pair.branch, c->features, number, false);
    close_branch(pair);
    return says;
}

static void unpin(churn *c, uint64_t place)
{
    berth_error error = {0};
    berth_snapshot *snapshot = c->pinned[place];
    if (snapshot == NULL)
        return;
    uint64_t now = digest_of(snapshot);
    if (branches(c->by))
        now += branch_says(c, snapshot, c->pinned_number[place]);
    same(c->pinned_digest[place], now, "a pinned snapshot", c);
    must(berth_snapshot_check(snapshot, &error), &error, "snapshot");
    berth_snapshot_unpin(snapshot);
    c->pinned[place] = NULL;
}

static void look_at_snapshots(churn *c)
{
    berth_error error = {0};
    must(berth_engine_publish(c->engine, &error), &error, "publish");
    uint64_t place = c->pods / 64 % PINS;
    unpin(c, place);
    c->pinned[place] = berth_engine_pin(c->engine);
    c->pinned_number[place] = c->pods;
    c->pinned_digest[place] = digest_of(c->pinned[place]);
    if (branches(c->by))
        c->pinned_digest[place] += branch_says(c, c->pinned[place], c->pods);
}

/* A branch without its own objects, whose store of volumes is kept for the next one and follows the
 * snapshots: claims of pods that left before the snapshot no longer exist. */
static void look_back(const churn *c, uint64_t place)
{
    berth_error error = {0};
    berth_engine *branch;
    bool claims = churn_has(c->features, CHURN_CLAIMS) || churn_has(c->features, CHURN_WAITING);
    must(berth_branch_create(c->pinned[place], &branch, &error), &error, "branch");
    for (uint64_t i = 1; i < 256; i *= 3) {
        uint64_t says = fits(branch, c->features, c->pinned_number[place] - PODS - i, true);
        if (claims)
            same(0, says, "a claim that went", c);
    }
    berth_branch_drop(branch);
}

static void branch_off(churn *c)
{
    berth_error error = {0};
    berth_snapshot *snapshot = c->pinned[c->pods / 64 % PINS];
    if (snapshot == NULL)
        return;
    if (c->pods - c->seed > (uint64_t)PODS + 512)
        look_back(c, c->pods / 64 % PINS);
    branch_pair pair = open_branch(snapshot);
    berth_engine *branch = pair.branch;
    churn_target to = {branch, engine_add, engine_remove, NULL, false};
    for (uint64_t i = 0; i < 4; i++) {
        berth_pod_id id;
        berth_placement placement;
        /* Some pods that the engine will add later, one that it never adds, and one removed long
         * ago. */
        uint64_t number = i % 2 == 0 ? c->pods + 1 + i : ASIDE | (c->pods + i);
        if (i == 3 && c->pods - c->seed > (uint64_t)PODS + 512)
            number = c->pods - PODS - 256;
        must(churn_add_pod(&to, c->features, number, &id, &error), &error, "branch: add");
        if (berth_engine_pod_node(branch, id) == BERTH_NODE_NONE)
            must(berth_engine_schedule(branch, id, &placement, &error), &error, "branch: schedule");
    }
    must(churn_add_node(&to, c->features & ~(1u << CHURN_UPDATES), ASIDE | c->pods, &error), &error,
         "branch: add a node");
    close_branch(pair);
}

static void add_pod(churn *c)
{
    berth_error error = {0};
    berth_pod_id id;
    must(churn_add_pod(&c->to, c->features, c->pods, &id, &error), &error, "add a pod");
    if (schedules(c->by)) {
        berth_step step;
        do
            must(berth_scheduler_step(c->scheduler, c->now_ns, &step, &error), &error, "step");
        while (step.kind != BERTH_STEP_IDLE);
    } else if (berth_engine_pod_node(c->engine, id) == BERTH_NODE_NONE) {
        berth_placement placement;
        must(berth_engine_schedule(c->engine, id, &placement, &error), &error, "schedule");
    }
    c->pods++;
}

static void step(churn *c)
{
    berth_error error = {0};
    c->now_ns += 1000000;
    add_pod(c);
    if (c->pods - c->seed > PODS)
        must(churn_remove_pod(&c->to, c->features, c->pods - 1 - PODS, &error), &error,
             "remove a pod");
    bool turn = c->pods % CHURN_NODE_EVERY == 0;
    if (turn && !churn_has(c->features, CHURN_NODES) && churn_has(c->features, CHURN_UPDATES))
        must(churn_put_node(schedules(c->by) ? scheduler_update : engine_update, c->to.context,
                            c->features, c->nodes++, &error),
             &error, "update a node");
    if (turn && churn_has(c->features, CHURN_NODES)) {
        must(churn_add_node(&c->to, c->features, c->nodes++, &error), &error, "add a node");
        must(churn_remove_node(&c->to, c->features, c->nodes - 1 - NODES, &error), &error,
             "remove a node");
    }
    if (c->by >= BY_SNAPSHOTS && c->by != BY_SCHEDULER && c->pods % 64 == 0)
        look_at_snapshots(c);
    if (branches(c->by) && c->pods % c->branch_every == 0)
        branch_off(c);
}

static void begin(churn *c)
{
    berth_error error = {0};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &counting;
    must(berth_engine_create(&config, &c->engine, &error), &error, "create");
    c->to = (churn_target){c->engine, engine_add, engine_remove, NULL, false};
    if (schedules(c->by)) {
        berth_scheduler_options scheduling;
        berth_scheduler_options_init(&scheduling);
        must(berth_scheduler_create(c->engine, &scheduling, &c->scheduler, &error), &error,
             "scheduler");
        c->to = (churn_target){c, scheduler_add, scheduler_remove, NULL, false};
    }
    c->pods = c->seed;
    c->nodes = c->seed / CHURN_NODE_EVERY;
    for (uint64_t end = c->nodes + NODES; c->nodes < end; c->nodes++)
        must(churn_add_node(&c->to, c->features, c->nodes, &error), &error, "add a node");
}

static void end(churn *c)
{
    berth_error error = {0};
    for (uint32_t i = 0; i < PINS; i++)
        unpin(c, i);
    must(berth_engine_check(c->engine, &error), &error, "check");
    berth_scheduler_destroy(c->scheduler);
    berth_engine_destroy(c->engine);
    if (atomic_load(&bytes_in_use) != 0) {
        fprintf(stderr, "FAILED: %lld bytes are left\n", (long long)atomic_load(&bytes_in_use));
        _Exit(1);
    }
}

/* ---- the whole ---- */

/* Compares peaks of rounds, because the bytes in use vary between two sweeps of a table. */
static bool run(const churn *what, uint64_t arrivals, const char *label, bool report)
{
    churn c = *what;
    long long peaks[ROUNDS] = {0};
    begin(&c);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const time_t until = time(NULL) + (time_t)(c.seconds / ROUNDS);
        for (uint64_t i = 0; c.seconds > 0 ? time(NULL) < until : i < arrivals / ROUNDS; i++) {
            step(&c);
            long long now = atomic_load(&bytes_in_use);
            if (now > peaks[round])
                peaks[round] = now;
        }
        compare_with_fresh(&c);
    }
    end(&c);
    long long early = 0, late = 0;
    for (uint32_t round = 1; round < ROUNDS / 2; round++)
        early = peaks[round] > early ? peaks[round] : early;
    for (uint32_t round = ROUNDS / 2; round < ROUNDS; round++)
        late = peaks[round] > late ? peaks[round] : late;
    bool flat = late <= early + early / 16 + 65536;
    printf("%-10s %-14s arrivals %9llu  peak of rounds 2 to 5 %9lld, of 6 to 10 %9lld bytes%s\n",
           way_names[c.by], label, (unsigned long long)(c.pods - c.seed), early, late,
           flat ? "" : "  GROWS");
    fflush(stdout);
    return flat || report;
}

static uint32_t read_features(const char *list)
{
    uint32_t features = 0;
    for (uint32_t i = 0; i < CHURN_FEATURE_COUNT; i++) {
        const char *at = strstr(list, churn_names[i]);
        size_t len = strlen(churn_names[i]);
        if (at != NULL && (at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            features |= 1u << i;
    }
    return features;
}

int main(int argc, char **argv)
{
    uint64_t arrivals = 100000, branch_every = 256, seconds = 0;
    uint32_t features = (1u << CHURN_FEATURE_COUNT) - 1;
    churn what = {.seed = 0};
    const char *seed = getenv("BERTH_TEST_SEED");
    bool report = false, each = false, ok = true;
    int only = -1;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--report") == 0)
            report = true;
        else if (strcmp(argv[i], "--each") == 0)
            each = true;
        else if (more && strcmp(argv[i], "--arrivals") == 0)
            arrivals = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--seconds") == 0)
            seconds = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--branch-every") == 0)
            branch_every = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--seed") == 0)
            seed = argv[++i];
        else if (more && strcmp(argv[i], "--features") == 0)
            features = read_features(argv[++i]);
        else if (more && strcmp(argv[i], "--way") == 0)
            for (i++, only = 0; only < WAY_COUNT - 1 && strcmp(argv[i], way_names[only]) != 0;)
                only++;
    }
    for (int by = only >= 0 ? only : 0; by < (only >= 0 ? only + 1 : WAY_COUNT); by++) {
        what = (churn){
            .by = (way)by, .features = features, .branch_every = branch_every, .seconds = seconds};
        what.seed = seed != NULL ? strtoull(seed, NULL, 10) % (UINT64_C(1) << 32) : 0;
        if (!each)
            ok &= run(&what, arrivals, "all", report);
        for (uint32_t f = 0; each && f < CHURN_FEATURE_COUNT; f++) {
            what.features = 1u << f;
            ok &= run(&what, arrivals, churn_names[f], report);
        }
    }
    return ok ? 0 : 1;
}
