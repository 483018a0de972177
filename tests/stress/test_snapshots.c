/* Readers of snapshots beside an engine that schedules, evicts, and adds, changes and removes nodes
 * and other objects. Readers check a snapshot at every look: sums, lists and names against each
 * other, and a checksum of pods, nodes, labels and amounts against that of the engine at the
 * publication. At the end memory is back at its start.
 *
 * Usage: test_snapshots [--seed S] [--ops N] [--readers N]; BERTH_STRESS_SECONDS: how long, instead
 * of a number of operations. A failure prints its seed, which repeats the work of the engine but
 * not the timing of the threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "berth/berth.h"
#include "bytes_in_use.h"
#include "cluster_gen.h"
#include "effort.h"

enum { PUBLICATIONS = 1 << 20, KEPT = 6, NODES = 400, ROUND = 2000 };

static uint64_t seed = 1;
static uint64_t *checksums; /* by number of the publication; written before the publication */
static berth_engine *engine;
static atomic_bool stop;
static atomic_ulong looks;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "FAILED: %s%s%s\nseed %llu\n", what, detail[0] != '\0' ? ": " : "", detail,
            (unsigned long long)seed);
    fflush(stderr);
    _Exit(1);
}

/* ---- checksums ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, berth_str text)
{
    for (uint32_t i = 0; i < text.len; i++)
        hash = mix(hash, (unsigned char)text.data[i]);
    return mix(hash, text.len);
}

/* Everything that both an engine and a snapshot report, in one number. X: berth_engine or
 * berth_snapshot. */
#define CHECKSUM(X, of)                                                                     \
    do {                                                                                    \
        berth_counts counts;                                                                \
        X                                                                                   \
        ##_counts(of, &counts);                                                             \
        hash = mix(mix(mix(hash, counts.nodes), counts.pods_running), counts.pods_pending); \
        hash = mix(mix(hash, counts.pods_orphaned), X##_digest(of));                        \
        for (uint32_t i = 0; i < NODES; i++) {                                              \
            char name[16];                                                                  \
            int len = snprintf(name, sizeof(name), "n%u", (unsigned)i);                     \
            berth_node_id id = X                                                            \
            ##_find_node(of, (berth_str){name, (uint32_t)len});                             \
            if (id == BERTH_NODE_NONE)                                                      \
                continue;                                                                   \
            hash = mix_text(mix(hash, id), X##_node_name(of, id));                          \
            hash = mix_text(hash, X##_node_label(of, id, zone_key));                        \
            for (int r = 0; r < 3; r++) {                                                   \
                int64_t allocatable = 0, requested = 0;                                     \
                (void)X                                                                     \
                ##_node_resource(of, id, resources[r], &allocatable, &requested, NULL);     \
                hash = mix(mix(hash, (uint64_t)allocatable), (uint64_t)requested);          \
            }                                                                               \
        }                                                                                   \
    } while (0)

static const berth_str zone_key = {"topology.kubernetes.io/zone", 27};
static const berth_str resources[3] = {{"cpu", 3}, {"memory", 6}, {"pods", 4}};

static uint64_t checksum_of_engine(void)
{
    uint64_t hash = 0;
    CHECKSUM(berth_engine, engine);
    return hash;
}

static uint64_t checksum_of(const berth_snapshot *snapshot)
{
    uint64_t hash = 0;
    CHECKSUM(berth_snapshot, snapshot);
    return hash;
}

/* ---- readers ---- */

static void look(const berth_snapshot *snapshot)
{
    berth_error error = {0};
    if (berth_snapshot_check(snapshot, &error) != BERTH_OK)
        fail("a snapshot is not consistent", error.message);
    if (checksum_of(snapshot) != checksums[berth_snapshot_number(snapshot)])
        fail("a snapshot is not what was published", "");
    atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
}

/* Every pod that a walk reaches can be found by name, and vice versa. */
static void look_at_pods(const berth_snapshot *snapshot)
{
    berth_counts counts;
    uint64_t seen = 0;
    berth_snapshot_counts(snapshot, &counts);
    berth_node_id limit = berth_snapshot_node_limit(snapshot);
    for (berth_node_id node = 0; node <= limit; node++) {
        berth_node_id on = node < limit ? node : BERTH_NODE_NONE;
        berth_pod_id pod = berth_snapshot_next_pod(snapshot, on, BERTH_POD_NONE);
        for (; pod != BERTH_POD_NONE; pod = berth_snapshot_next_pod(snapshot, on, pod), seen++) {
            berth_str space, name;
            berth_snapshot_pod_name(snapshot, pod, &space, &name);
            if (berth_snapshot_find_pod(snapshot, space, name) != pod ||
                berth_snapshot_pod_node(snapshot, pod) != on)
                fail("a pod is not where it is said to be", "");
        }
    }
    if (seen != counts.pods_running + counts.pods_pending + counts.pods_orphaned)
        fail("the number of pods is not that of a walk", "");
}

static void *read_on(void *argument)
{
    berth_snapshot *kept[KEPT] = {NULL};
    uint64_t last = 0, random = (uintptr_t)argument * 7919 + seed;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        berth_snapshot *snapshot = berth_engine_pin(engine);
        if (berth_snapshot_number(snapshot) < last)
            fail("a later pin goes back in time", "");
        last = berth_snapshot_number(snapshot);
        look(snapshot);
        if (random >> 62 == 0)
            look_at_pods(snapshot);
        unsigned place = (unsigned)(random >> 40) % KEPT;
        if (kept[place] != NULL)
            look(kept[place]);
        berth_snapshot_unpin(kept[place]);
        kept[place] = random >> 60 == 0 ? NULL : berth_snapshot_pin(snapshot);
        berth_snapshot_unpin(snapshot);
    }
    for (unsigned i = 0; i < KEPT; i++)
        berth_snapshot_unpin(kept[i]);
    return NULL;
}

/* ---- the engine ---- */

typedef struct writer {
    cluster_gen gen;
    uint32_t serial;
    uint64_t number; /* publications */
    uint32_t node_count;
    berth_pod_id pods[4096];
    uint32_t pod_count;
} writer;

static void publish(writer *w)
{
    berth_error error = {0};
    if (++w->number >= PUBLICATIONS)
        fail("the test has no room for so many publications", "");
    checksums[w->number] = checksum_of_engine();
    if (berth_engine_publish(engine, &error) != BERTH_OK)
        fail("berth_engine_publish", error.message);
}

static void put(const berth_object *object, berth_object_id *id)
{
    berth_error error = {0};
    berth_status status = berth_engine_add(engine, object, id, &error);
    if (status == BERTH_E_EXISTS)
        status = berth_engine_update(engine, object, &error);
    if (status != BERTH_OK)
        fail("berth_engine_add", error.message);
}

static void change_node(writer *w)
{
    uint32_t index = gen_below(&w->gen, w->node_count);
    char name[16];
    int len = snprintf(name, sizeof(name), "n%u", (unsigned)index);
    if (gen_chance(&w->gen, 40)) {
        (void)berth_engine_remove(engine, BERTH_KIND_NODE, (berth_str){0},
                                  (berth_str){name, (uint32_t)len}, NULL);
        return;
    }
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = gen_node(&w->gen, index);
    put(&object, NULL);
}

static void change_object(writer *w)
{
    berth_kind kind = (berth_kind)gen_below(&w->gen, BERTH_KIND_COUNT);
    berth_object object;
    uint32_t names = gen_object_names(kind);
    if (names == 0 || !gen_object(&w->gen, kind, gen_below(&w->gen, names), &object))
        return;
    const berth_metadata *meta = object.as.any;
    if (gen_chance(&w->gen, 30))
        (void)berth_engine_remove(engine, kind, meta->namespace_name, meta->name, NULL);
    else
        put(&object, NULL);
}

static void add_pod(writer *w)
{
    char name[16];
    int len = snprintf(name, sizeof(name), "n%u", (unsigned)gen_below(&w->gen, NODES));
    bool bound = gen_chance(&w->gen, 30);
    if (w->pod_count == sizeof(w->pods) / sizeof(w->pods[0]))
        return;
    const berth_pod *pod =
        gen_pod(&w->gen, w->serial++, bound ? (berth_str){name, (uint32_t)len} : (berth_str){0}, 1);
    berth_object object = {.kind = BERTH_KIND_POD};
    object.as.pod = pod;
    berth_object_id id = {.pod = BERTH_POD_NONE};
    put(&object, &id);
    if (id.pod != BERTH_POD_NONE)
        w->pods[w->pod_count++] = id.pod;
}

static void remove_pod(writer *w, uint32_t at)
{
    berth_str space, name;
    berth_engine_pod_name(engine, w->pods[at], &space, &name);
    char copies[2][64];
    snprintf(copies[0], sizeof(copies[0]), "%.*s", (int)space.len, space.data);
    snprintf(copies[1], sizeof(copies[1]), "%.*s", (int)name.len, name.data);
    berth_error error = {0};
    if (berth_engine_remove(
            engine, BERTH_KIND_POD, (berth_str){copies[0], (uint32_t)strlen(copies[0])},
            (berth_str){copies[1], (uint32_t)strlen(copies[1])}, &error) != BERTH_OK)
        fail("berth_engine_remove", error.message);
    w->pods[at] = w->pods[--w->pod_count];
}

static void schedule(berth_pod_id pod)
{
    berth_placement placement;
    berth_error error = {0};
    berth_status status = berth_engine_schedule(engine, pod, &placement, &error);
    if (status != BERTH_OK && status != BERTH_E_STATE && status != BERTH_E_NOT_FOUND)
        fail("berth_engine_schedule", error.message);
}

static void step(writer *w)
{
    uint32_t at = w->pod_count > 0 ? gen_below(&w->gen, w->pod_count) : 0;
    uint32_t dice = gen_below(&w->gen, 100);
    if (dice < 30 || w->pod_count == 0)
        add_pod(w);
    else if (dice < 62)
        schedule(w->pods[at]);
    else if (dice < 74)
        (void)berth_engine_unbind(engine, w->pods[at], NULL);
    else if (dice < 88)
        remove_pod(w, at);
    else if (dice < 96)
        change_node(w);
    else
        change_object(w);
    if (gen_chance(&w->gen, 25))
        publish(w);
}

/* Replaces the generator from time to time, because it keeps everything that it made. */
static void renew(writer *w, uint64_t round)
{
    gen_free(&w->gen);
    gen_init(&w->gen, seed + round * 1000003, GEN_ALL & ~GEN_LEGACY);
}

/* Without readers, the same changes allocate and free the same memory. */
static void settle(writer *w)
{
    long long before = 0;
    for (int round = 0; round < 6; round++) {
        berth_snapshot *pinned = berth_engine_pin(engine);
        for (uint32_t i = 0; i < w->pod_count; i++) {
            berth_node_id node = berth_engine_pod_node(engine, w->pods[i]);
            if (berth_engine_unbind(engine, w->pods[i], NULL) == BERTH_OK)
                (void)berth_engine_bind(engine, w->pods[i], node, NULL);
        }
        publish(w);
        berth_snapshot_unpin(pinned);
        publish(w);
        long long now = atomic_load(&bytes_in_use);
        if (round > 3 && now != before)
            fail("memory grows although nothing is added", "");
        before = now;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void run(writer *w, unsigned long ops, double duration)
{
    double end = seconds() + duration;
    berth_error error = {0};
    for (unsigned long op = 0; duration > 0 ? seconds() < end : op < ops; op++) {
        if (op % ROUND == 0)
            renew(w, op / ROUND + 1);
        step(w);
        if (op % 500 == 499 && berth_engine_check(engine, &error) != BERTH_OK)
            fail("berth_engine_check", error.message);
    }
}

static void test(unsigned long ops, double duration, unsigned readers)
{
    static writer w;
    pthread_t threads[64];
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.seed = seed;
    config.allocator = &counting;
    berth_profile profile = *berth_profile_default();
    profile.scheduler_name = (berth_str){"s0", 2};
    config.profiles = &profile;
    config.profile_count = 1;
    if (berth_engine_create(&config, &engine, NULL) != BERTH_OK)
        fail("berth_engine_create", "");
    gen_init(&w.gen, seed, GEN_ALL & ~GEN_LEGACY);
    w.node_count = NODES;
    for (uint32_t i = 0; i < NODES / 2; i++)
        change_node(&w);
    if (berth_engine_pin(engine) != NULL)
        fail("a snapshot before the first publication", "");
    publish(&w);
    for (unsigned i = 0; i < readers; i++)
        if (pthread_create(&threads[i], NULL, read_on, (void *)(uintptr_t)(i + 1)) != 0)
            fail("pthread_create", "");
    run(&w, ops, duration);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < readers; i++)
        pthread_join(threads[i], NULL);
    settle(&w);
    printf("%llu publications, %lu looks, seed %llu\n", (unsigned long long)w.number,
           (unsigned long)atomic_load(&looks), (unsigned long long)seed);
    gen_free(&w.gen);
    berth_engine_destroy(engine);
    if (atomic_load(&bytes_in_use) != 0)
        fail("memory is left at the end", "");
}

int main(int argc, char **argv)
{
    unsigned long ops = effort(6000), readers = 3;
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long value = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--ops") == 0)
            ops = value;
        else if (strcmp(argv[i], "--readers") == 0)
            readers = value;
    }
    const char *given = getenv("BERTH_TEST_SEED"), *duration = getenv("BERTH_STRESS_SECONDS");
    if (given != NULL)
        seed = strtoull(given, NULL, 10);
    checksums = calloc(PUBLICATIONS, sizeof(*checksums));
    if (checksums == NULL || readers > 64)
        return 2;
    test(ops, duration != NULL ? atof(duration) : 0, (unsigned)readers);
    free(checksums);
    return 0;
}
